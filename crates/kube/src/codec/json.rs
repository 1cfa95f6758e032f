//! JSON → typed object with the rules and error texts of `sigs.k8s.io/json` (case-sensitive names, integers kept),
//! and typed object → JSON as Go's `encoding/json` prints the structs.

pub use super::json_encode::{encode, to_text, to_vec, value_text};

use super::base64_decode;
use crate::catalog::Gvk;
use crate::json::{Json, JsonLike, Node, View, go_quote, parse_node};
use crate::object::{Struct, Value};
use crate::quantity::Quantity;
use crate::schema::{Field, Kind, TypeId, schema};
use crate::time::{Time, parse_duration};
use std::collections::{BTreeMap, BTreeSet};

/// `?fieldValidation=`: what happens to unknown and duplicate fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FieldValidation {
    /// dropped silently
    Ignore,
    /// dropped, one warning each (the server's default)
    #[default]
    Warn,
    /// an error
    Strict,
}

impl FieldValidation {
    /// The query parameter's value; empty is Warn.
    pub fn parse(s: &str) -> Option<FieldValidation> {
        match s {
            "" | "Warn" => Some(FieldValidation::Warn),
            "Ignore" => Some(FieldValidation::Ignore),
            "Strict" => Some(FieldValidation::Strict),
            _ => None,
        }
    }
}

/// Why a JSON value is not an object of the kind; `Display` is the original's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// a value does not fit its field, or the text is no JSON
    #[error("{0}")]
    Value(String),
    /// unknown or duplicate fields under `Strict`, each as `unknown field "spec.foo"`
    #[error("strict decoding error: {}", .0.join(", "))]
    Strict(Vec<String>),
    /// the kind is not in the schema
    #[error("no kind {} is registered for version {} in scheme \"pkg/api/legacyscheme/scheme.go:30\"", go_quote(&.0.kind), go_quote(&.0.api_version()))]
    NoKind(Gvk),
}

/// The problems strict decoding found (`unknown field "spec.foo"`), in order.
pub type Warnings = Vec<String>;

/// Decodes a parsed JSON value as a kind. Under `Warn` the second result lists unknown fields (a `Json` holds no
/// duplicates any more: use [`decode_text`] for those).
pub fn decode(gvk: &Gvk, v: &Json, fv: FieldValidation) -> Result<(Struct, Warnings), DecodeError> {
    decode_type(kind_type(gvk)?, v, None, fv)
}

/// Decodes a JSON text as a kind: duplicate fields are seen, and raw extensions keep their bytes.
pub fn decode_text(gvk: &Gvk, text: &[u8], fv: FieldValidation) -> Result<(Struct, Warnings), DecodeError> {
    let node = parse_node(text).map_err(|e| DecodeError::Value(e.message))?;
    decode_node(gvk, &node, text, fv)
}

/// As [`decode_text`] for a text parsed by [`parse_node`].
pub fn decode_node(
    gvk: &Gvk,
    n: &Node,
    text: &[u8],
    fv: FieldValidation,
) -> Result<(Struct, Warnings), DecodeError> {
    decode_type(kind_type(gvk)?, n, Some(text), fv)
}

fn kind_type(gvk: &Gvk) -> Result<TypeId, DecodeError> {
    schema()
        .kind(&gvk.group, &gvk.version, &gvk.kind)
        .map(|t| t.id)
        .ok_or_else(|| DecodeError::NoKind(gvk.clone()))
}

/// Decodes as any struct type of the schema.
pub fn decode_type<T: JsonLike>(
    ty: TypeId,
    v: &T,
    source: Option<&[u8]>,
    fv: FieldValidation,
) -> Result<(Struct, Warnings), DecodeError> {
    let mut d = Decoder::new(source, fv != FieldValidation::Ignore);
    let out = d.struct_into(ty, v, Struct::new(ty), schema().ty(ty).go_type);
    let out = d.finish(out)?;
    if fv == FieldValidation::Strict && !d.strict_errors.is_empty() {
        return Err(DecodeError::Strict(d.strict_errors));
    }
    Ok((out, d.strict_errors))
}

/// Decodes one value as a kind (for patches and setters); unknown fields are dropped.
pub fn decode_kind(kind: &Kind, v: &Json) -> Result<Value, DecodeError> {
    let mut d = Decoder::new(None, false);
    let out = d.value(kind, v, None, "interface {}", "interface {}");
    Ok(d.finish(out)?.unwrap_or(Value::Null))
}

/// An error that ends decoding at once (an `UnmarshalJSON` failed).
struct Abort(String);

struct Decoder<'s> {
    source: Option<&'s [u8]>,
    strict: bool,
    strict_errors: Vec<String>,
    seen: BTreeSet<String>,
    /// the first type error; decoding goes on behind it
    saved: Option<String>,
    /// path for strict errors: `spec.containers[0]`
    path: String,
    /// Go's error context: the struct and the chain of field names
    struct_name: &'static str,
    stack: Vec<&'static str>,
}

impl<'s> Decoder<'s> {
    fn new(source: Option<&'s [u8]>, strict: bool) -> Decoder<'s> {
        Decoder {
            source,
            strict,
            strict_errors: Vec::new(),
            seen: BTreeSet::new(),
            saved: None,
            path: String::new(),
            struct_name: "",
            stack: Vec::new(),
        }
    }

    fn finish<R>(&mut self, out: Result<R, Abort>) -> Result<R, DecodeError> {
        match (out, self.saved.take()) {
            (Err(Abort(e)), _) | (Ok(_), Some(e)) => Err(DecodeError::Value(e)),
            (Ok(v), None) => Ok(v),
        }
    }

    fn type_error(&self, value: &str, go_type: &str) -> String {
        if self.stack.is_empty() {
            format!("json: cannot unmarshal {value} into Go value of type {go_type}")
        } else {
            format!(
                "json: cannot unmarshal {value} into Go struct field {}.{} of type {go_type}",
                self.struct_name,
                self.stack.join(".")
            )
        }
    }
    fn save(&mut self, e: String) {
        self.saved.get_or_insert(e);
    }
    fn strict_error(&mut self, what: &str, field: &str) {
        if self.strict_errors.len() >= 100 {
            return;
        }
        let path = if self.path.is_empty() { field.to_string() } else { format!("{}.{field}", self.path) };
        let e = format!("{what} {}", go_quote(&path));
        if self.seen.insert(e.clone()) {
            self.strict_errors.push(e);
        }
    }
    fn push_key(&mut self, key: &str) -> usize {
        let n = self.path.len();
        if self.strict {
            if n > 0 {
                self.path.push('.');
            }
            self.path.push_str(key);
        }
        n
    }

    fn struct_into<T: JsonLike>(
        &mut self,
        ty: TypeId,
        v: &T,
        mut into: Struct,
        go_type: &str,
    ) -> Result<Struct, Abort> {
        match v.view() {
            View::Null => return Ok(into),
            View::Obj => {}
            other => {
                let e = self.type_error(kind_word(&other), go_type);
                self.save(e);
                return Ok(into);
            }
        }
        let t = schema().ty(ty);
        let mut seen = vec![false; if self.strict { t.fields.len() } else { 0 }];
        let mut result = Ok(());
        let mut members: Vec<(&str, &T)> = Vec::new();
        v.members(&mut |k, m| members.push((k, m)));
        for (key, member) in members {
            let Some(f) = t.field(key) else {
                if self.strict {
                    self.strict_error("unknown field", key);
                }
                continue;
            };
            if self.strict {
                if seen[usize::from(f.id.0)] {
                    self.strict_error("duplicate field", key);
                }
                seen[usize::from(f.id.0)] = true;
            }
            let (outer_struct, outer_stack) = (self.struct_name, self.stack.len());
            self.struct_name = t.go_name();
            self.stack.extend(f.wrappers.iter().map(|w| w.1));
            self.stack.push(f.name);
            let n = self.push_key(f.name);
            result = self.field(f, member, &mut into);
            if result.is_err() {
                break;
            }
            self.path.truncate(n);
            self.struct_name = outer_struct;
            self.stack.truncate(outer_stack);
        }
        result.map(|()| into)
    }

    fn field<T: JsonLike>(&mut self, f: &'static Field, v: &T, into: &mut Struct) -> Result<(), Abort> {
        if matches!(v.view(), View::Null) && f.nilable() {
            into.remove_id(f.id);
            return Ok(());
        }
        let old = match f.kind {
            Kind::Struct(_) | Kind::Map(_) => into.remove_id(f.id),
            _ => None,
        };
        let null = matches!(v.view(), View::Null);
        match self.value(&f.kind, v, old, f.go_type, f.elem_go_type())? {
            Some(v) => into.set_id(f.id, v),
            // A type error keeps what was there; null into a type of its own resets it.
            None if null => {
                into.remove_id(f.id);
            }
            None => {}
        }
        Ok(())
    }

    /// One value of a kind. `None`: it did not fit (the error is saved) or was null.
    fn value<T: JsonLike>(
        &mut self,
        kind: &Kind,
        v: &T,
        old: Option<Value>,
        go_type: &'static str,
        elem_go: &'static str,
    ) -> Result<Option<Value>, Abort> {
        match kind {
            Kind::Struct(ty) => {
                let into = match old {
                    Some(Value::Struct(s)) => *s,
                    _ => Struct::new(*ty),
                };
                return Ok(Some(Value::Struct(Box::new(self.struct_into(*ty, v, into, go_type)?))));
            }
            Kind::List(e) | Kind::WrappedList(e) => return self.list(e, v, go_type, elem_go),
            Kind::Map(e) => return self.map(e, v, old, go_type, elem_go),
            Kind::RawExtension | Kind::FieldsV1 | Kind::Json => {
                return Ok(match v.view() {
                    View::Null if *kind != Kind::Json => None,
                    View::Null => None,
                    _ => Some(Value::Raw(v.raw(self.source))),
                });
            }
            Kind::Time | Kind::MicroTime | Kind::Duration | Kind::Quantity | Kind::IntOrString => {
                return self.special(kind, v);
            }
            Kind::PropsOrArray(t) | Kind::PropsOrBool(t) | Kind::PropsOrStrings(t) => {
                return self.props(kind, *t, v);
            }
            _ => {}
        }
        let value = match (kind, v.view()) {
            (_, View::Null) => None,
            (Kind::Bool, View::Bool(b)) => Some(Value::Bool(b)),
            (Kind::Str, View::Str(s)) => Some(Value::Str(s.to_string())),
            (Kind::Bytes, View::Str(s)) => match base64_decode(s.as_bytes()) {
                Ok(b) => Some(Value::Bytes(b)),
                Err(e) => {
                    self.save(e);
                    None
                }
            },
            (Kind::Float64, View::Int(i)) => Some(Value::Double(i as f64)),
            (Kind::Float64, View::Float(f)) => Some(Value::Double(f)),
            (Kind::Int32 | Kind::Int64 | Kind::UInt32 | Kind::UInt64, View::Int(_) | View::Float(_)) => {
                let text = self.number_text(v);
                let n = text.parse::<i64>().ok().filter(|i| match kind {
                    Kind::Int32 => i32::try_from(*i).is_ok(),
                    Kind::UInt32 => u32::try_from(*i).is_ok(),
                    Kind::UInt64 => *i >= 0,
                    _ => true,
                });
                if n.is_none() {
                    let e = self.type_error(&format!("number {text}"), go_type);
                    self.save(e);
                }
                n.map(Value::Int)
            }
            (_, other) => {
                let e = self.type_error(kind_word(&other), go_type);
                self.save(e);
                None
            }
        };
        Ok(value)
    }

    /// The literal of a number: as sent when the text is known, else as Go prints it.
    fn number_text<T: JsonLike>(&self, v: &T) -> String {
        String::from_utf8_lossy(&v.raw(self.source)).into_owned()
    }

    fn list<T: JsonLike>(
        &mut self,
        elem: &Kind,
        v: &T,
        go_type: &'static str,
        elem_go: &'static str,
    ) -> Result<Option<Value>, Abort> {
        let items = match v.view() {
            View::Null => return Ok(None),
            View::Arr(a) => a,
            other => {
                let e = self.type_error(kind_word(&other), go_type);
                self.save(e);
                return Ok(None);
            }
        };
        let mut out = Vec::with_capacity(items.len());
        let n = self.path.len();
        for (i, item) in items.iter().enumerate() {
            if self.strict {
                use std::fmt::Write;
                let _ = write!(self.path, "[{i}]");
            }
            let v = self.value(elem, item, None, elem_go, crate::schema::elem_of_go_type(elem_go))?;
            self.path.truncate(n);
            out.push(v.unwrap_or_else(|| Value::zero(elem)));
        }
        Ok(Some(Value::List(out)))
    }

    fn map<T: JsonLike>(
        &mut self,
        elem: &Kind,
        v: &T,
        old: Option<Value>,
        go_type: &'static str,
        elem_go: &'static str,
    ) -> Result<Option<Value>, Abort> {
        let mut out = match old {
            Some(Value::Map(m)) => m,
            _ => BTreeMap::new(),
        };
        match v.view() {
            View::Null => return Ok(None),
            View::Obj => {}
            other => {
                let e = self.type_error(kind_word(&other), go_type);
                self.save(e);
                return Ok(None);
            }
        }
        let mut members: Vec<(&str, &T)> = Vec::new();
        v.members(&mut |k, m| members.push((k, m)));
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (key, member) in members {
            if self.strict && !seen.insert(key) {
                self.strict_error("duplicate field", key);
            }
            let n = self.push_key(key);
            let v = self.value(elem, member, None, elem_go, crate::schema::elem_of_go_type(elem_go))?;
            self.path.truncate(n);
            let nil = matches!(
                elem,
                Kind::Bytes
                    | Kind::List(_)
                    | Kind::WrappedList(_)
                    | Kind::Map(_)
                    | Kind::PropsOrArray(_)
                    | Kind::PropsOrStrings(_)
            );
            out.insert(
                key.to_string(),
                v.unwrap_or_else(|| if nil { Value::Null } else { Value::zero(elem) }),
            );
        }
        Ok(Some(Value::Map(out)))
    }

    /// Types with an `UnmarshalJSON` of their own: their errors end decoding.
    fn special<T: JsonLike>(&mut self, kind: &Kind, v: &T) -> Result<Option<Value>, Abort> {
        let want_string = |d: &Self, w: &str| Abort(d.type_error(w, "string"));
        Ok(Some(match (kind, v.view()) {
            (Kind::Duration, View::Null) => {
                return Err(Abort(parse_duration("").expect_err("an empty duration is invalid")));
            }
            (_, View::Null) => return Ok(None),
            (Kind::Time, View::Str(s)) => Value::Time(Time::parse(s).map_err(Abort)?),
            (Kind::MicroTime, View::Str(s)) => Value::Time(Time::parse_micro(s).map_err(Abort)?),
            (Kind::Duration, View::Str(s)) => Value::Int(parse_duration(s).map_err(Abort)?),
            (Kind::IntOrString, View::Str(s)) => Value::Str(s.to_string()),
            (Kind::IntOrString, View::Int(_) | View::Float(_)) => {
                let text = self.number_text(v);
                match text.parse::<i32>() {
                    Ok(i) => Value::Int(i64::from(i)),
                    Err(_) => return Err(Abort(self.type_error(&format!("number {text}"), "int32"))),
                }
            }
            (Kind::IntOrString, other) => return Err(Abort(self.type_error(kind_word(&other), "int32"))),
            (Kind::Quantity, View::Str(s)) => Value::Quantity(quantity(s)?),
            (Kind::Quantity, _) => {
                let text = self.number_text(v);
                Value::Quantity(quantity(&text)?)
            }
            (_, other) => return Err(want_string(self, kind_word(&other))),
        }))
    }

    /// The unions of apiextensions. Each decodes its value on its own, without this decoder's context.
    fn props<T: JsonLike>(&mut self, kind: &Kind, ty: TypeId, v: &T) -> Result<Option<Value>, Abort> {
        let go = schema().ty(ty).go_type;
        let alone = |d: &Self| Decoder::new(d.source, false);
        let one = |d: &Self, v: &T| -> Result<Value, Abort> {
            let mut inner = alone(d);
            let s = inner.struct_into(ty, v, Struct::new(ty), go);
            match inner.finish(s) {
                Ok(s) => Ok(Value::Struct(Box::new(s))),
                Err(e) => Err(Abort(e.to_string())),
            }
        };
        Ok(match (kind, v.view()) {
            (_, View::Obj) => Some(one(self, v)?),
            (Kind::PropsOrBool(_), View::Bool(b)) => Some(Value::Bool(b)),
            (Kind::PropsOrBool(_), _) => return Err(Abort("boolean or JSON schema expected".into())),
            (Kind::PropsOrArray(_), View::Arr(a)) => {
                Some(Value::List(a.iter().map(|v| one(self, v)).collect::<Result<Vec<_>, _>>()?))
            }
            (Kind::PropsOrStrings(_), View::Arr(a)) => {
                let mut out = Vec::with_capacity(a.len());
                for s in a {
                    match s.view() {
                        View::Str(s) => out.push(Value::Str(s.to_string())),
                        View::Null => out.push(Value::Str(String::new())),
                        other => {
                            return Err(Abort(format!(
                                "json: cannot unmarshal {} into Go value of type string",
                                kind_word(&other)
                            )));
                        }
                    }
                }
                Some(Value::List(out))
            }
            _ => None,
        })
    }
}

fn quantity(s: &str) -> Result<Quantity, Abort> {
    Quantity::parse(s.trim()).map_err(|e| Abort(e.to_string()))
}

fn kind_word<T>(v: &View<'_, T>) -> &'static str {
    match v {
        View::Null => "null",
        View::Bool(_) => "bool",
        View::Int(_) | View::Float(_) => "number",
        View::Str(_) => "string",
        View::Arr(_) => "array",
        View::Obj => "object",
    }
}
