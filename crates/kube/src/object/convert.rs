//! From Rust values, text and JSON to field values.

use super::{Struct, Value};
use crate::json::Json;
use crate::quantity::{Format, Quantity};
use crate::schema::Kind;
use crate::time::{Time, parse_duration};
use std::collections::BTreeMap;

macro_rules! from {
    ($($t:ty => |$v:ident| $e:expr),* $(,)?) => {$(impl From<$t> for Value { fn from($v: $t) -> Value { $e } })*};
}
from! {
    bool => |v| Value::Bool(v),
    i64 => |v| Value::Int(v),
    i32 => |v| Value::Int(i64::from(v)),
    u32 => |v| Value::Int(i64::from(v)),
    f64 => |v| Value::Double(v),
    &str => |v| Value::Str(v.to_string()),
    &String => |v| Value::Str(v.clone()),
    String => |v| Value::Str(v),
    Vec<u8> => |v| Value::Bytes(v),
    Time => |v| Value::Time(v),
    Quantity => |v| Value::Quantity(v),
    Vec<Value> => |v| Value::List(v),
    BTreeMap<String, Value> => |v| Value::Map(v),
    Struct => |v| Value::Struct(Box::new(v)),
    Vec<Struct> => |v| Value::List(v.into_iter().map(Value::from).collect()),
    Vec<String> => |v| Value::List(v.into_iter().map(Value::Str).collect()),
    BTreeMap<String, String> => |v| Value::Map(v.into_iter().map(|(k, v)| (k, Value::Str(v))).collect()),
    &Json => |v| json(v),
    Json => |v| json(&v),
}

/// JSON as an untyped value; [`coerce`] gives it its kind.
fn json(v: &Json) -> Value {
    match v {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Int(i) => Value::Int(*i),
        Json::Float(f) => Value::Double(*f),
        Json::Str(s) => Value::Str(s.clone()),
        v => Value::Raw(v.to_vec()),
    }
}

/// Converts a value to a kind: text to quantity, time or duration, raw JSON to structs, lists and maps (fields that
/// the schema does not know are dropped), whole doubles to integers. `None` when it does not fit.
pub fn coerce(kind: &Kind, v: Value) -> Option<Value> {
    Some(match (kind, v) {
        (_, Value::Null) => Value::Null,
        (Kind::Bool, v @ Value::Bool(_)) => v,
        (Kind::Int32, Value::Int(i)) => Value::Int(i64::from(i32::try_from(i).ok()?)),
        (Kind::Int64 | Kind::Duration, v @ Value::Int(_)) => v,
        (Kind::UInt32 | Kind::UInt64, Value::Int(i)) => Value::Int(i),
        (Kind::Float64, v @ Value::Double(_)) => v,
        (Kind::Float64, Value::Int(i)) => Value::Double(i as f64),
        (Kind::Str, v @ Value::Str(_)) => v,
        (Kind::Str, Value::Quantity(q)) => Value::Str(q.to_string()),
        (Kind::IntOrString, v @ (Value::Int(_) | Value::Str(_))) => v,
        (Kind::Bytes, v @ Value::Bytes(_)) => v,
        (Kind::Bytes, Value::Str(s)) => Value::Bytes(crate::codec::base64_decode(s.as_bytes()).ok()?),
        (Kind::Time | Kind::MicroTime, v @ Value::Time(_)) => v,
        (Kind::Time, Value::Str(s)) => Value::Time(Time::parse(&s).ok()?),
        (Kind::MicroTime, Value::Str(s)) => Value::Time(Time::parse_micro(&s).ok()?),
        (Kind::Duration, Value::Str(s)) => Value::Int(parse_duration(&s).ok()?),
        (Kind::Quantity, v @ Value::Quantity(_)) => v,
        (Kind::Quantity, Value::Str(s)) => Value::Quantity(Quantity::parse(s.trim()).ok()?),
        (Kind::Quantity, Value::Int(i)) => Value::Quantity(Quantity::from_int(i, Format::DecimalSI)),
        (Kind::RawExtension | Kind::FieldsV1 | Kind::Json, v) => match v {
            Value::Raw(_) => v,
            Value::Bool(b) => Value::Raw(Json::Bool(b).to_vec()),
            Value::Int(i) => Value::Raw(Json::Int(i).to_vec()),
            Value::Double(d) => Value::Raw(Json::Float(d).to_vec()),
            Value::Str(s) => Value::Raw(Json::Str(s).to_vec()),
            _ => return None,
        },
        (Kind::PropsOrBool(_), v @ Value::Bool(_)) => v,
        (
            Kind::Struct(t) | Kind::PropsOrArray(t) | Kind::PropsOrBool(t) | Kind::PropsOrStrings(t),
            Value::Struct(s),
        ) => {
            if s.type_id() != *t {
                return None;
            }
            Value::Struct(s)
        }
        (Kind::List(e) | Kind::WrappedList(e), Value::List(l)) => {
            Value::List(l.into_iter().map(|v| coerce(e, v)).collect::<Option<Vec<_>>>()?)
        }
        (Kind::PropsOrArray(t), Value::List(l)) => {
            Value::List(l.into_iter().map(|v| coerce(&Kind::Struct(*t), v)).collect::<Option<Vec<_>>>()?)
        }
        (Kind::PropsOrStrings(_), Value::List(l)) => {
            Value::List(l.into_iter().map(|v| coerce(&Kind::Str, v)).collect::<Option<Vec<_>>>()?)
        }
        (Kind::Map(e), Value::Map(m)) => Value::Map(
            m.into_iter().map(|(k, v)| coerce(e, v).map(|v| (k, v))).collect::<Option<BTreeMap<_, _>>>()?,
        ),
        (kind, Value::Raw(text)) => crate::codec::json::decode_kind(kind, &Json::parse(&text).ok()?).ok()?,
        _ => return None,
    })
}
