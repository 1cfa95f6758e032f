//! Typed object → JSON, field by field as `encoding/json` prints the Go structs.

use super::base64_encode;
use crate::catalog::Gvk;
use crate::json::{Json, Map, append_go_float, append_string};
use crate::object::{Struct, Value};
use crate::schema::{Field, Kind, Type, schema};
use crate::time::format_duration;

/// The object as a JSON value (what an unstructured client holds).
pub fn encode(s: &Struct) -> Json {
    // Raw extensions may hold any JSON: the text is the common form of both ways.
    Json::parse(&to_text(s)).unwrap_or_else(|_| fallback(s))
}

/// When a raw extension is broken or too deep, the object is printed without it.
fn fallback(s: &Struct) -> Json {
    let mut m = Map::new();
    for (f, v) in s.iter() {
        let mut out = Vec::new();
        Printer { out: &mut out }.value(&f.kind, v);
        if let Ok(j) = Json::parse(&out) {
            m.insert(f.name.to_string(), j);
        }
    }
    Json::Obj(m)
}

/// The compact text with fields in Go's struct order, as the API server sends and stores it (no final newline).
pub fn to_text(s: &Struct) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    Printer { out: &mut out }.object(s.ty(), Some(s), None);
    out
}

/// As [`to_text`] with apiVersion and kind set to a kind.
pub fn to_vec(gvk: &Gvk, s: &Struct) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    Printer { out: &mut out }.object(s.ty(), Some(s), Some(gvk));
    out
}

/// One value's text, without its field: as `json.Marshal` prints it.
pub fn value_text(v: &Value) -> String {
    let mut out = Vec::new();
    Printer { out: &mut out }.value(&Kind::Str, v);
    String::from_utf8_lossy(&out).into_owned()
}

struct Printer<'a> {
    out: &'a mut Vec<u8>,
}

impl Printer<'_> {
    fn object(&mut self, t: &'static Type, s: Option<&Struct>, gvk: Option<&Gvk>) {
        self.out.push(b'{');
        let mut first = true;
        for f in &t.fields {
            let set = match (gvk, f.name) {
                (Some(g), "kind") => Some(Value::Str(g.kind.clone())),
                (Some(g), "apiVersion") => Some(Value::Str(g.api_version())),
                _ => None,
            };
            let v = set.as_ref().or_else(|| s.and_then(|s| s.get_id(f.id)));
            if omitted(f, v) {
                continue;
            }
            if !first {
                self.out.push(b',');
            }
            first = false;
            self.out.push(b'"');
            self.out.extend_from_slice(f.name.as_bytes());
            self.out.extend_from_slice(b"\":");
            match v {
                Some(v) => self.value(&f.kind, v),
                None if f.nilable() => self.out.extend_from_slice(b"null"),
                None => self.zero(&f.kind),
            }
        }
        self.out.push(b'}');
    }

    /// The zero value of a field that is no pointer.
    fn zero(&mut self, kind: &Kind) {
        match kind {
            Kind::Struct(t) => self.object(schema().ty(*t), None, None),
            Kind::Time | Kind::MicroTime | Kind::RawExtension | Kind::FieldsV1 | Kind::Json => {
                self.out.extend_from_slice(b"null");
            }
            Kind::PropsOrArray(_) | Kind::PropsOrStrings(_) => self.out.extend_from_slice(b"null"),
            k => self.value(k, &Value::zero(k)),
        }
    }

    fn value(&mut self, kind: &Kind, v: &Value) {
        match v {
            Value::Null => self.out.extend_from_slice(b"null"),
            Value::Bool(b) => self.out.extend_from_slice(if *b { b"true" } else { b"false" }),
            Value::Int(i) if *kind == Kind::Duration => append_string(&format_duration(*i), self.out),
            Value::Int(i) => self.out.extend_from_slice(i.to_string().as_bytes()),
            Value::Double(d) => append_go_float(*d, self.out),
            Value::Str(s) => append_string(s, self.out),
            Value::Bytes(b) => {
                self.out.push(b'"');
                self.out.extend_from_slice(base64_encode(b).as_bytes());
                self.out.push(b'"');
            }
            Value::Time(t) if t.is_zero() => self.out.extend_from_slice(b"null"),
            Value::Time(t) => {
                let text = if *kind == Kind::MicroTime { t.to_rfc3339_micro() } else { t.to_rfc3339() };
                append_string(&text, self.out);
            }
            Value::Quantity(q) => append_string(q.as_str(), self.out),
            Value::Raw(r) if r.is_empty() => self.out.extend_from_slice(b"null"),
            Value::Raw(r) => compact_raw(r, self.out),
            Value::List(l)
                if l.is_empty() && matches!(kind, Kind::PropsOrArray(_) | Kind::PropsOrStrings(_)) =>
            {
                self.out.extend_from_slice(b"null")
            }
            Value::List(l) => {
                self.out.push(b'[');
                for (i, e) in l.iter().enumerate() {
                    if i > 0 {
                        self.out.push(b',');
                    }
                    self.value(kind.elem().unwrap_or(&Kind::Str), e);
                }
                self.out.push(b']');
            }
            Value::Map(m) => {
                self.out.push(b'{');
                for (i, (k, e)) in m.iter().enumerate() {
                    if i > 0 {
                        self.out.push(b',');
                    }
                    append_string(k, self.out);
                    self.out.push(b':');
                    self.value(kind.elem().unwrap_or(&Kind::Str), e);
                }
                self.out.push(b'}');
            }
            Value::Struct(s) => self.object(s.ty(), Some(s), None),
        }
    }
}

/// What "omitempty" and "omitzero" leave out.
fn omitted(f: &Field, v: Option<&Value>) -> bool {
    if !f.omitempty && !f.omitzero {
        return false;
    }
    match v {
        None if f.pointer => f.omitempty || f.omitzero,
        None => match f.kind {
            // "omitempty" does not know empty structs.
            Kind::Time | Kind::MicroTime => f.omitzero,
            Kind::Struct(_)
            | Kind::Duration
            | Kind::Quantity
            | Kind::IntOrString
            | Kind::RawExtension
            | Kind::FieldsV1
            | Kind::Json
            | Kind::PropsOrArray(_)
            | Kind::PropsOrBool(_)
            | Kind::PropsOrStrings(_) => false,
            _ => true,
        },
        Some(_) if f.pointer => false,
        Some(Value::List(l)) => l.is_empty() && f.omitempty,
        Some(Value::Map(m)) => m.is_empty() && f.omitempty,
        Some(Value::Bytes(b)) => b.is_empty() && f.omitempty,
        Some(Value::Time(t)) => t.is_zero() && f.omitzero,
        Some(Value::Bool(false) | Value::Int(0)) => f.omitempty && !f.kind.is_message(),
        Some(Value::Str(s)) => s.is_empty() && f.omitempty && !f.kind.is_message(),
        Some(_) => false,
    }
}

/// `encoding/json` compacts what a `MarshalJSON` gives and escapes HTML characters in it.
fn compact_raw(raw: &[u8], out: &mut Vec<u8>) {
    let mut in_string = false;
    let mut i = 0;
    while i < raw.len() {
        let c = raw[i];
        match c {
            b'<' | b'>' | b'&' => {
                out.extend_from_slice(format!("\\u{c:04x}").as_bytes());
                i += 1;
                continue;
            }
            0xe2 if raw.get(i + 1) == Some(&0x80) && matches!(raw.get(i + 2), Some(0xa8 | 0xa9)) => {
                out.extend_from_slice(if raw[i + 2] == 0xa8 { b"\\u2028" } else { b"\\u2029" });
                i += 3;
                continue;
            }
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                out.push(c);
                i += 1;
                if let Some(e) = raw.get(i) {
                    out.push(*e);
                }
                i += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' if !in_string => {
                i += 1;
                continue;
            }
            _ => {}
        }
        out.push(c);
        i += 1;
    }
}
