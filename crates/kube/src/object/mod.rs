//! Typed objects: a [`Struct`] is a sorted table of field ids and values, driven by the [`schema`](crate::schema).
//!
//! What is not in the table has Go's zero value: nil for pointers, lists, maps and bytes, zero for scalars, an empty
//! struct for nested structs. Zero scalars behind no pointer are never kept in the table (setting one removes the
//! entry), so that two objects are equal exactly when Go's semantic `DeepEqual` says so (nil and empty lists and
//! maps equal).

mod convert;
mod path;
#[cfg(test)]
mod tests;

pub use convert::coerce;

use crate::catalog::Gvk;
use crate::quantity::Quantity;
use crate::schema::{Field, FieldId, Kind, Type, TypeId, schema};
use crate::time::Time;
use std::collections::BTreeMap;

/// A value of a field.
#[derive(Clone, Debug)]
pub enum Value {
    /// a nil element of a map (a nil `[]byte` or list); never the value of a field
    Null,
    Bool(bool),
    /// any integer; a `Duration` in nanoseconds; an `IntOrString` that is a number
    Int(i64),
    Double(f64),
    /// a string; an `IntOrString` that is a string
    Str(String),
    Bytes(Vec<u8>),
    Time(Time),
    Quantity(Quantity),
    /// `RawExtension`, `FieldsV1`, apiextensions `JSON`: the JSON text
    Raw(Vec<u8>),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
    Struct(Box<Struct>),
}

/// An object or a part of one.
#[derive(Clone, Debug)]
pub struct Struct {
    ty: TypeId,
    fields: Vec<(FieldId, Value)>,
}

impl Struct {
    /// The zero value of a type.
    pub fn new(ty: TypeId) -> Struct {
        Struct { ty, fields: Vec::new() }
    }
    /// The zero value of a type by its schema name (`core/v1.Container`).
    pub fn named(name: &str) -> Option<Struct> {
        schema().by_name(name).map(|t| Struct::new(t.id))
    }
    /// A new object of a kind with `apiVersion` and `kind` set; `None` if the kind is not in the schema.
    pub fn of_kind(gvk: &Gvk) -> Option<Struct> {
        let t = schema().kind(&gvk.group, &gvk.version, &gvk.kind)?;
        let mut s = Struct::new(t.id);
        s.set_gvk(gvk);
        Some(s)
    }

    pub fn type_id(&self) -> TypeId {
        self.ty
    }
    pub fn ty(&self) -> &'static Type {
        schema().ty(self.ty)
    }
    /// The schema's field of that JSON name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.ty().field(name)
    }
    /// True when no field is set.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
    /// The set fields in JSON order. Non-pointer structs may be there although empty.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Field, &Value)> {
        let t = self.ty();
        self.fields.iter().map(move |(id, v)| (t.field_by_id(*id), v))
    }
    /// The set fields in JSON order, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&'static Field, &mut Value)> {
        let t = self.ty();
        self.fields.iter_mut().map(move |(id, v)| (t.field_by_id(*id), v))
    }

    fn pos(&self, id: FieldId) -> Result<usize, usize> {
        self.fields.binary_search_by_key(&id, |(f, _)| *f)
    }
    /// The value of a field, if set.
    pub fn get_id(&self, id: FieldId) -> Option<&Value> {
        self.pos(id).ok().map(|i| &self.fields[i].1)
    }
    pub fn get_id_mut(&mut self, id: FieldId) -> Option<&mut Value> {
        self.pos(id).ok().map(|i| &mut self.fields[i].1)
    }
    /// The value of the field `name` (one name, no path), if set.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.get_id(self.field(name)?.id)
    }
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.get_id_mut(self.field(name)?.id)
    }
    /// Sets a field without checking its kind. A zero scalar that is no pointer, and Null, remove the entry.
    pub fn set_id(&mut self, id: FieldId, v: Value) {
        let f = self.ty().field_by_id(id);
        let drop = match &v {
            Value::Null => true,
            v => !f.pointer && v.is_zero_scalar(&f.kind),
        };
        match (self.pos(id), drop) {
            (Ok(i), true) => {
                self.fields.remove(i);
            }
            (Ok(i), false) => self.fields[i].1 = v,
            (Err(_), true) => {}
            (Err(i), false) => self.fields.insert(i, (id, v)),
        }
    }
    /// Sets the field `name` (one name, no path), converting the value to the field's kind. False: no such field, or
    /// the value does not fit.
    pub fn set(&mut self, name: &str, v: impl Into<Value>) -> bool {
        let Some(f) = self.field(name) else { return false };
        match coerce(&f.kind, v.into()) {
            Some(v) => {
                self.set_id(f.id, v);
                true
            }
            None => false,
        }
    }
    /// As [`Struct::set`], for building: `Struct::named("core/v1.EnvVar").unwrap().with("name", "A")`.
    /// Panics on a wrong name or value, which is a mistake in the calling code.
    pub fn with(mut self, name: &str, v: impl Into<Value>) -> Struct {
        let ok = self.set(name, v);
        assert!(ok, "{} has no field {name} of that kind", self.ty().name);
        self
    }
    pub fn remove_id(&mut self, id: FieldId) -> Option<Value> {
        self.pos(id).ok().map(|i| self.fields.remove(i).1)
    }
    /// Removes the field `name` (back to its zero value).
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.remove_id(self.field(name)?.id)
    }

    /// The field's value, made empty if it is not set (a struct, list, map, or zero behind a pointer).
    pub(crate) fn entry(&mut self, f: &Field) -> &mut Value {
        let i = match self.pos(f.id) {
            Ok(i) => i,
            Err(i) => {
                self.fields.insert(i, (f.id, Value::zero(&f.kind)));
                i
            }
        };
        &mut self.fields[i].1
    }

    /// apiVersion and kind as set in the object.
    pub fn gvk(&self) -> Gvk {
        let text = |n: &str| match self.get(n) {
            Some(Value::Str(s)) => s.as_str(),
            _ => "",
        };
        Gvk::from_api_version(text("apiVersion"), text("kind"))
    }
    /// Sets apiVersion and kind.
    pub fn set_gvk(&mut self, gvk: &Gvk) {
        self.set("kind", gvk.kind.as_str());
        self.set("apiVersion", gvk.api_version());
    }
    /// `metadata.name`
    pub fn name(&self) -> &str {
        self.str_at("metadata.name")
    }
    /// `metadata.namespace`
    pub fn namespace(&self) -> &str {
        self.str_at("metadata.namespace")
    }
    /// `metadata.uid`
    pub fn uid(&self) -> &str {
        self.str_at("metadata.uid")
    }
    /// `metadata.resourceVersion`
    pub fn resource_version(&self) -> &str {
        self.str_at("metadata.resourceVersion")
    }
    /// `metadata.labels` as text pairs.
    pub fn labels(&self) -> BTreeMap<String, String> {
        self.str_map_at("metadata.labels")
    }
    /// `metadata.annotations` as text pairs.
    pub fn annotations(&self) -> BTreeMap<String, String> {
        self.str_map_at("metadata.annotations")
    }
}

impl Value {
    /// The zero value of a kind (an empty list or map, not nil).
    pub fn zero(kind: &Kind) -> Value {
        match kind {
            Kind::Bool => Value::Bool(false),
            Kind::Int32 | Kind::Int64 | Kind::UInt32 | Kind::UInt64 | Kind::Duration | Kind::IntOrString => {
                Value::Int(0)
            }
            Kind::Float64 => Value::Double(0.0),
            Kind::Str => Value::Str(String::new()),
            Kind::Bytes => Value::Bytes(Vec::new()),
            Kind::Time | Kind::MicroTime => Value::Time(Time::ZERO),
            Kind::Quantity => Value::Quantity(Quantity::from_canonical("0".into())),
            Kind::RawExtension | Kind::FieldsV1 | Kind::Json => Value::Raw(Vec::new()),
            Kind::PropsOrArray(t) | Kind::PropsOrStrings(t) | Kind::Struct(t) => {
                Value::Struct(Box::new(Struct::new(*t)))
            }
            Kind::PropsOrBool(_) => Value::Bool(false),
            Kind::List(_) | Kind::WrappedList(_) => Value::List(Vec::new()),
            Kind::Map(_) => Value::Map(BTreeMap::new()),
        }
    }

    /// Zero of a kind that is stored as "absent" when no pointer is in front of it.
    fn is_zero_scalar(&self, kind: &Kind) -> bool {
        match self {
            Value::Null => true,
            Value::Bool(b) => !*b && !matches!(kind, Kind::PropsOrBool(_)),
            Value::Int(i) => *i == 0,
            Value::Double(d) => *d == 0.0 && d.is_sign_positive(),
            Value::Str(s) => s.is_empty() && *kind == Kind::Str,
            Value::Time(t) => t.is_zero(),
            Value::Quantity(q) => q.as_str() == "0",
            Value::Raw(r) => r.is_empty(),
            _ => false,
        }
    }

    /// Nothing worth printing or comparing when not behind a pointer.
    pub(crate) fn is_zero(&self, kind: &Kind) -> bool {
        match self {
            Value::Struct(s) => s.iter().all(|(f, v)| !f.pointer && v.is_zero(&f.kind)),
            Value::List(l) => l.is_empty(),
            Value::Map(m) => m.is_empty(),
            v => v.is_zero_scalar(kind),
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }
    pub fn as_int(&self) -> Option<i64> {
        if let Value::Int(i) = self { Some(*i) } else { None }
    }
    pub fn as_double(&self) -> Option<f64> {
        if let Value::Double(d) = self { Some(*d) } else { None }
    }
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(s) => Some(s),
            Value::Quantity(q) => Some(q.as_str()),
            _ => None,
        }
    }
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(b) | Value::Raw(b) => Some(b),
            _ => None,
        }
    }
    pub fn as_time(&self) -> Option<Time> {
        if let Value::Time(t) = self { Some(*t) } else { None }
    }
    pub fn as_quantity(&self) -> Option<&Quantity> {
        if let Value::Quantity(q) = self { Some(q) } else { None }
    }
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Value::List(l) = self { Some(l) } else { None }
    }
    pub fn as_list_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Value::List(l) = self { Some(l) } else { None }
    }
    pub fn as_map(&self) -> Option<&BTreeMap<String, Value>> {
        if let Value::Map(m) = self { Some(m) } else { None }
    }
    pub fn as_map_mut(&mut self) -> Option<&mut BTreeMap<String, Value>> {
        if let Value::Map(m) = self { Some(m) } else { None }
    }
    pub fn as_struct(&self) -> Option<&Struct> {
        if let Value::Struct(s) = self { Some(s) } else { None }
    }
    pub fn as_struct_mut(&mut self) -> Option<&mut Struct> {
        if let Value::Struct(s) = self { Some(s) } else { None }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Null, v) | (v, Value::Null) => match v {
                Value::Bytes(b) => b.is_empty(),
                Value::List(l) => l.is_empty(),
                _ => false,
            },
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Double(a), Value::Double(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) | (Value::Raw(a), Value::Raw(b)) => a == b,
            (Value::Time(a), Value::Time(b)) => a == b,
            (Value::Quantity(a), Value::Quantity(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a == b,
            (Value::Struct(a), Value::Struct(b)) => a == b,
            _ => false,
        }
    }
}

impl PartialEq for Struct {
    /// Semantic equality: empty and absent lists, maps and non-pointer structs are equal; quantities by number.
    fn eq(&self, other: &Struct) -> bool {
        if self.ty != other.ty {
            return false;
        }
        let t = self.ty();
        let counts = |(id, v): &&(FieldId, Value)| {
            let f = t.field_by_id(*id);
            match v {
                Value::List(_) | Value::Map(_) | Value::Bytes(_) if !f.pointer => !v.is_zero(&f.kind),
                _ => f.pointer || !v.is_zero(&f.kind),
            }
        };
        self.fields.iter().filter(counts).eq(other.fields.iter().filter(counts))
    }
}
