//! Reading and writing by paths such as `spec.containers[0].image` or `metadata.labels["a.b/c"]`.

use super::{Struct, Value, coerce};
use crate::json::{Elem, PathElem, parse_path};
use crate::quantity::Quantity;
use crate::schema::{Kind, schema};
use crate::time::Time;
use std::collections::BTreeMap;

static FALSE: Value = Value::Bool(false);
static ZERO: Value = Value::Int(0);
static ZERO_DOUBLE: Value = Value::Double(0.0);
static EMPTY: Value = Value::Str(String::new());
static NO_TIME: Value = Value::Time(Time::ZERO);

/// Where a walk stands: at a value, or at the zero value of a non-pointer field.
#[derive(Clone, Copy)]
enum At<'a> {
    Value(&'a Value),
    Struct(&'a Struct),
    Zero(&'a Kind),
}

impl Struct {
    fn walk(&self, path: &str) -> Option<At<'_>> {
        let mut at = At::Struct(self);
        for e in Elem::iter(path) {
            at = match (at, &e) {
                (At::Value(Value::Struct(s)), Elem::Key(k)) => s.step(k)?,
                (At::Struct(s), Elem::Key(k)) => s.step(k)?,
                (At::Value(Value::Map(m)), Elem::Key(k)) => At::Value(m.get(k.as_ref())?),
                (At::Value(Value::List(l)), Elem::Index(i)) => At::Value(l.get(*i)?),
                // Map keys that look like numbers.
                (At::Value(Value::Map(m)), Elem::Index(i)) => At::Value(m.get(&i.to_string())?),
                (At::Zero(Kind::Struct(t)), Elem::Key(k)) => {
                    let f = schema().ty(*t).field(k)?;
                    if f.pointer {
                        return None;
                    }
                    At::Zero(&f.kind)
                }
                _ => return None,
            };
        }
        Some(at)
    }

    fn step<'a>(&'a self, name: &str) -> Option<At<'a>> {
        let f = self.ty().field(name)?;
        match self.get_id(f.id) {
            Some(v) => Some(At::Value(v)),
            None if f.pointer => None,
            None => Some(At::Zero(&f.kind)),
        }
    }

    /// The value at a path. A scalar that is no pointer and not set gives its zero value; nil pointers, lists, maps,
    /// and unset structs give `None`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        match self.walk(path)? {
            At::Value(v) => Some(v),
            At::Struct(_) => None,
            At::Zero(k) => match k {
                Kind::Bool => Some(&FALSE),
                Kind::Int32
                | Kind::Int64
                | Kind::UInt32
                | Kind::UInt64
                | Kind::Duration
                | Kind::IntOrString => Some(&ZERO),
                Kind::Float64 => Some(&ZERO_DOUBLE),
                Kind::Str => Some(&EMPTY),
                Kind::Time | Kind::MicroTime => Some(&NO_TIME),
                _ => None,
            },
        }
    }
    /// True when something is set at the path (a zero scalar that is no pointer counts as not set; an empty
    /// non-pointer struct too).
    pub fn has(&self, path: &str) -> bool {
        match self.walk(path) {
            Some(At::Value(Value::Struct(s))) => !s.is_empty() || self.is_pointer(path),
            Some(At::Value(_)) => true,
            Some(At::Struct(s)) => !s.is_empty(),
            _ => false,
        }
    }
    fn is_pointer(&self, path: &str) -> bool {
        let elems = parse_path(path);
        let Some((PathElem::Key(last), head)) = elems.split_last() else { return true };
        match self.struct_of(head) {
            Some(s) => s.field(last).is_none_or(|f| f.pointer),
            None => true,
        }
    }
    fn struct_of(&self, path: &[PathElem]) -> Option<&Struct> {
        let mut s = self;
        let mut v: Option<&Value> = None;
        for e in path {
            v = Some(match (v, e) {
                (None, PathElem::Key(k)) => s.get(k)?,
                (Some(Value::Map(m)), PathElem::Key(k)) => m.get(k)?,
                (Some(Value::List(l)), PathElem::Index(i)) => l.get(*i)?,
                _ => return None,
            });
            if let Some(Value::Struct(inner)) = v {
                s = inner;
                v = None;
            }
        }
        v.is_none().then_some(s)
    }

    pub fn at_mut(&mut self, path: &str) -> Option<&mut Value> {
        let elems = parse_path(path);
        let (first, rest) = elems.split_first()?;
        let PathElem::Key(k) = first else { return None };
        let mut v = self.get_mut(k)?;
        for e in rest {
            v = match (v, e) {
                (Value::Struct(s), PathElem::Key(k)) => s.get_mut(k)?,
                (Value::Map(m), PathElem::Key(k)) => m.get_mut(k)?,
                (Value::List(l), PathElem::Index(i)) => l.get_mut(*i)?,
                _ => return None,
            };
        }
        Some(v)
    }

    /// The string at a path, `""` when absent.
    pub fn str_at(&self, path: &str) -> &str {
        self.at(path).and_then(Value::as_str).unwrap_or("")
    }
    /// The integer at a path: `None` for a nil pointer, 0 for an unset non-pointer.
    pub fn int_at(&self, path: &str) -> Option<i64> {
        self.at(path).and_then(Value::as_int)
    }
    /// The boolean at a path: `None` for a nil pointer, false for an unset non-pointer.
    pub fn bool_at(&self, path: &str) -> Option<bool> {
        self.at(path).and_then(Value::as_bool)
    }
    /// The time at a path; `None` when unset or zero.
    pub fn time_at(&self, path: &str) -> Option<Time> {
        self.at(path).and_then(Value::as_time).filter(|t| !t.is_zero())
    }
    /// The quantity at a path.
    pub fn quantity_at(&self, path: &str) -> Option<&Quantity> {
        self.at(path).and_then(Value::as_quantity)
    }
    /// The struct at a path, if set.
    pub fn struct_at(&self, path: &str) -> Option<&Struct> {
        match self.walk(path)? {
            At::Value(Value::Struct(s)) => Some(s),
            At::Struct(s) => Some(s),
            _ => None,
        }
    }
    pub fn struct_at_mut(&mut self, path: &str) -> Option<&mut Struct> {
        if path.is_empty() {
            return Some(self);
        }
        self.at_mut(path)?.as_struct_mut()
    }
    /// The list at a path, empty when nil.
    pub fn list_at(&self, path: &str) -> &[Value] {
        self.at(path).and_then(Value::as_list).unwrap_or(&[])
    }
    /// The structs of the list at a path.
    pub fn structs_at<'a>(
        &'a self,
        path: &str,
    ) -> impl ExactSizeIterator<Item = &'a Struct> + DoubleEndedIterator {
        // A list holds values of one kind: either all are structs or none is.
        let l = self.list_at(path);
        let l = if l.iter().all(|v| matches!(v, Value::Struct(_))) { l } else { &[] };
        l.iter().map(|v| v.as_struct().expect("a list of structs"))
    }
    /// The structs of the list at a path, mutable.
    pub fn structs_at_mut<'a>(&'a mut self, path: &str) -> impl Iterator<Item = &'a mut Struct> {
        let l = self.at_mut(path).and_then(Value::as_list_mut).map(Vec::as_mut_slice).unwrap_or_default();
        l.iter_mut().filter_map(Value::as_struct_mut)
    }
    /// The strings of the list at a path.
    pub fn strs_at<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a str> {
        self.list_at(path).iter().filter_map(Value::as_str)
    }
    /// The map at a path, if not nil.
    pub fn map_at(&self, path: &str) -> Option<&BTreeMap<String, Value>> {
        self.at(path).and_then(Value::as_map)
    }
    /// The map of strings at a path, empty when nil.
    pub fn str_map_at(&self, path: &str) -> BTreeMap<String, String> {
        let Some(m) = self.map_at(path) else { return BTreeMap::new() };
        m.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap_or("").to_string())).collect()
    }

    /// Sets the value at a path, making what is on the way, and converting the value to the field's kind (text to
    /// quantity or time, `Json` to whatever fits). An index equal to a list's length appends. False when the path or
    /// the value does not fit.
    pub fn set_at(&mut self, path: &str, v: impl Into<Value>) -> bool {
        let elems = parse_path(path);
        let Some((last, head)) = elems.split_last() else { return false };
        let Some((slot, kind)) = self.ensure_container(head) else { return false };
        match (slot, last) {
            (Slot::Struct(s), PathElem::Key(k)) => s.set(k, v),
            (Slot::Value(Value::Map(m)), e) => {
                let key = match e {
                    PathElem::Key(k) => k.clone(),
                    PathElem::Index(i) => i.to_string(),
                };
                match kind.and_then(Kind::elem).and_then(|k| coerce(k, v.into())) {
                    Some(v) => {
                        m.insert(key, v);
                        true
                    }
                    None => false,
                }
            }
            (Slot::Value(Value::List(l)), PathElem::Index(i)) => {
                match kind.and_then(Kind::elem).and_then(|k| coerce(k, v.into())) {
                    Some(v) if *i < l.len() => {
                        l[*i] = v;
                        true
                    }
                    Some(v) if *i == l.len() => {
                        l.push(v);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// The struct at a path, made empty (with everything on the way) if it is not set. `None` if the path does not
    /// lead to a struct.
    pub fn ensure_struct(&mut self, path: &str) -> Option<&mut Struct> {
        match self.ensure_container(&parse_path(path))? {
            (Slot::Struct(s), _) => Some(s),
            _ => None,
        }
    }
    /// The list at a path, made empty if nil.
    pub fn ensure_list(&mut self, path: &str) -> Option<&mut Vec<Value>> {
        match self.ensure_container(&parse_path(path))? {
            (Slot::Value(Value::List(l)), _) => Some(l),
            _ => None,
        }
    }
    /// The map at a path, made empty if nil.
    pub fn ensure_map(&mut self, path: &str) -> Option<&mut BTreeMap<String, Value>> {
        match self.ensure_container(&parse_path(path))? {
            (Slot::Value(Value::Map(m)), _) => Some(m),
            _ => None,
        }
    }
    /// Appends to the list at a path.
    pub fn push_at(&mut self, path: &str, v: impl Into<Value>) -> bool {
        let n = self.list_at(path).len();
        self.set_at(&format!("{path}[{n}]"), v)
    }
    /// Removes the value at a path (back to zero, or out of its list or map).
    pub fn remove_at(&mut self, path: &str) -> Option<Value> {
        let elems = parse_path(path);
        let (last, head) = elems.split_last()?;
        if head.is_empty() {
            let PathElem::Key(k) = last else { return None };
            return self.remove(k);
        }
        let mut s = self;
        let mut rest = head;
        // Walk without making anything.
        loop {
            let (first, tail) = rest.split_first()?;
            let PathElem::Key(k) = first else { return None };
            let mut v = s.get_mut(k)?;
            rest = tail;
            while !matches!(v, Value::Struct(_)) {
                let Some((e, tail)) = rest.split_first() else {
                    return match (v, last) {
                        (Value::Map(m), PathElem::Key(k)) => m.remove(k),
                        (Value::Map(m), PathElem::Index(i)) => m.remove(&i.to_string()),
                        (Value::List(l), PathElem::Index(i)) if *i < l.len() => Some(l.remove(*i)),
                        _ => None,
                    };
                };
                rest = tail;
                v = match (v, e) {
                    (Value::Map(m), PathElem::Key(k)) => m.get_mut(k)?,
                    (Value::List(l), PathElem::Index(i)) => l.get_mut(*i)?,
                    _ => return None,
                };
            }
            s = v.as_struct_mut()?;
            if rest.is_empty() {
                let PathElem::Key(k) = last else { return None };
                return s.remove(k);
            }
        }
    }

    /// Walks to a container, making what is missing; also tells its kind.
    fn ensure_container(&mut self, path: &[PathElem]) -> Option<(Slot<'_>, Option<&'static Kind>)> {
        let mut slot = Slot::Struct(self);
        let mut kind: Option<&'static Kind> = None;
        for e in path {
            let (v, k): (&mut Value, &'static Kind) = match (slot, e) {
                (Slot::Struct(s), PathElem::Key(name)) => {
                    let f = s.ty().field(name)?;
                    if !holds_values(&f.kind) {
                        return None;
                    }
                    (s.entry(f), &f.kind)
                }
                (Slot::Value(Value::Map(m)), e) => {
                    let elem = kind?.elem()?;
                    let key = match e {
                        PathElem::Key(k) => k.clone(),
                        PathElem::Index(i) => i.to_string(),
                    };
                    (m.entry(key).or_insert_with(|| Value::zero(elem)), elem)
                }
                (Slot::Value(Value::List(l)), PathElem::Index(i)) => {
                    let elem = kind?.elem()?;
                    if *i == l.len() {
                        l.push(Value::zero(elem));
                    }
                    (l.get_mut(*i)?, elem)
                }
                _ => return None,
            };
            kind = Some(k);
            slot = match v {
                Value::Struct(s) => Slot::Struct(s),
                v => Slot::Value(v),
            };
        }
        Some((slot, kind))
    }
}

/// True when a path can go on below a value of this kind.
fn holds_values(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Struct(_)
            | Kind::List(_)
            | Kind::WrappedList(_)
            | Kind::Map(_)
            | Kind::PropsOrArray(_)
            | Kind::PropsOrBool(_)
            | Kind::PropsOrStrings(_)
    )
}

enum Slot<'a> {
    Struct(&'a mut Struct),
    Value(&'a mut Value),
}
