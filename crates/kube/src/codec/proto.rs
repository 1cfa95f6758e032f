//! Kubernetes protobuf: the `k8s\0` envelope and the rules of the gogo-generated code, byte for byte.
//!
//! Fields in ascending numbers; scalars, strings and structs that are no pointers are always written, even when
//! zero; maps sorted by key bytes; repeated scalars unpacked; unknown fields dropped when reading.

use crate::catalog::Gvk;
use crate::object::{Struct, Value};
use crate::quantity::Quantity;
use crate::schema::{Field, Kind, ProtoStep, Type, TypeId, schema};
use crate::time::Time;
use std::collections::BTreeMap;

/// The first bytes of every protobuf value.
pub const MAGIC: [u8; 4] = [0x6b, 0x38, 0x73, 0x00];

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const LEN: u64 = 2;
const FIXED32: u64 = 5;

/// Why bytes are no object; `Display` is the original's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtoError {
    #[error("empty data")]
    Empty,
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    NoMagic,
    #[error("empty body")]
    EmptyBody,
    #[error("unexpected EOF")]
    UnexpectedEof,
    #[error("proto: integer overflow")]
    Overflow,
    #[error("proto: negative length found during unmarshaling")]
    NegativeLength,
    #[error("proto: wrong wireType = {0} for field {1}")]
    WireType(u64, &'static str),
    #[error("proto: {0}: illegal tag {1} (wire type {2})")]
    IllegalTag(&'static str, i64, u64),
    #[error("proto: illegal wireType {0}")]
    IllegalWireType(u64),
    #[error("no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"", .0.kind, .0.api_version())]
    NoKind(Gvk),
    #[error("{0}")]
    Value(String),
}

/// The stored form of an object: magic, then `runtime.Unknown` around the object's message.
pub fn encode(gvk: &Gvk, s: &Struct) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(&MAGIC);
    len_field(&mut out, 1, |out| {
        str_field(out, 1, gvk.api_version().as_bytes());
        str_field(out, 2, gvk.kind.as_bytes());
    });
    len_field(&mut out, 2, |out| steps(out, &s.ty().steps, s));
    out.extend_from_slice(&[0x1a, 0, 0x22, 0]);
    out
}

/// The bare message of a struct, without the envelope.
pub fn encode_message(s: &Struct) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    steps(&mut out, &s.ty().steps, s);
    out
}

/// Appends a base-128 varint.
pub fn put_varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

fn tag(out: &mut Vec<u8>, number: u32, wire: u64) {
    put_varint(out, u64::from(number) << 3 | wire);
}

fn str_field(out: &mut Vec<u8>, number: u32, b: &[u8]) {
    tag(out, number, LEN);
    put_varint(out, b.len() as u64);
    out.extend_from_slice(b);
}

fn int_field(out: &mut Vec<u8>, number: u32, v: i64) {
    tag(out, number, VARINT);
    put_varint(out, v as u64);
}

/// A length-delimited field whose content is written in place and then given its length.
fn len_field(out: &mut Vec<u8>, number: u32, body: impl FnOnce(&mut Vec<u8>)) {
    tag(out, number, LEN);
    let at = out.len();
    out.push(0);
    body(out);
    let n = out.len() - at - 1;
    if n < 0x80 {
        out[at] = n as u8;
        return;
    }
    let mut len = Vec::with_capacity(5);
    put_varint(&mut len, n as u64);
    out.splice(at..=at, len);
}

fn steps(out: &mut Vec<u8>, list: &[ProtoStep], s: &Struct) {
    let t = s.ty();
    for step in list {
        match step {
            ProtoStep::Wrapper { number, steps: inner, .. } => {
                len_field(out, *number, |out| steps(out, inner, s))
            }
            ProtoStep::Field(id) => field(out, t.field_by_id(*id), s.get_id(*id)),
        }
    }
}

/// The always-written zero fields of a struct that is not set.
fn zero_steps(out: &mut Vec<u8>, list: &[ProtoStep], t: &Type) {
    for step in list {
        match step {
            ProtoStep::Wrapper { number, steps, .. } => {
                len_field(out, *number, |out| zero_steps(out, steps, t))
            }
            ProtoStep::Field(id) => field(out, t.field_by_id(*id), None),
        }
    }
}

fn field(out: &mut Vec<u8>, f: &Field, v: Option<&Value>) {
    match (&f.kind, v) {
        (_, None) if f.nilable() => {}
        (Kind::List(e), Some(Value::List(l))) => {
            for v in l {
                value(out, f.number, e, v);
            }
        }
        (Kind::Map(e), Some(Value::Map(m))) => {
            for (k, v) in m {
                len_field(out, f.number, |out| {
                    str_field(out, 1, k.as_bytes());
                    // Only a nil byte slice is left out; other nil elements are empty messages.
                    if !matches!((v, &**e), (Value::Null, Kind::Bytes)) {
                        value(out, 2, e, v);
                    }
                });
            }
        }
        (k, Some(v)) => value(out, f.number, k, v),
        (k, None) => zero(out, f.number, k),
    }
}

fn zero(out: &mut Vec<u8>, number: u32, kind: &Kind) {
    match kind {
        Kind::Struct(t) => {
            let t = schema().ty(*t);
            len_field(out, number, |out| zero_steps(out, &t.steps, t));
        }
        Kind::Time | Kind::MicroTime | Kind::RawExtension | Kind::FieldsV1 | Kind::Json => {
            len_field(out, number, |_| {});
        }
        k => value(out, number, k, &Value::zero(k)),
    }
}

fn value(out: &mut Vec<u8>, number: u32, kind: &Kind, v: &Value) {
    match (kind, v) {
        (Kind::Bool, Value::Bool(b)) => int_field(out, number, i64::from(*b)),
        (Kind::Int32 | Kind::Int64 | Kind::UInt32 | Kind::UInt64, Value::Int(i)) => {
            int_field(out, number, *i)
        }
        (Kind::Float64, Value::Double(d)) => {
            tag(out, number, FIXED64);
            out.extend_from_slice(&d.to_bits().to_le_bytes());
        }
        (Kind::Str, Value::Str(s)) => str_field(out, number, s.as_bytes()),
        (Kind::Bytes, Value::Bytes(b)) => str_field(out, number, b),
        (Kind::Time, Value::Time(t)) => len_field(out, number, |out| {
            if !t.is_zero() {
                int_field(out, 1, t.secs);
                int_field(out, 2, 0);
            }
        }),
        (Kind::MicroTime, Value::Time(t)) => len_field(out, number, |out| {
            if !t.is_zero() {
                int_field(out, 1, t.secs);
                int_field(out, 2, i64::from(t.nanos / 1000 * 1000));
            }
        }),
        (Kind::Duration, Value::Int(n)) => len_field(out, number, |out| int_field(out, 1, *n)),
        (Kind::Quantity, Value::Quantity(q)) => {
            len_field(out, number, |out| str_field(out, 1, q.as_str().as_bytes()));
        }
        (Kind::IntOrString, v) => len_field(out, number, |out| {
            let (ty, int, text) = match v {
                Value::Str(s) => (1, 0, s.as_str()),
                v => (0, v.as_int().unwrap_or(0), ""),
            };
            int_field(out, 1, ty);
            int_field(out, 2, int);
            str_field(out, 3, text.as_bytes());
        }),
        (Kind::RawExtension | Kind::FieldsV1 | Kind::Json, Value::Raw(r)) => len_field(out, number, |out| {
            if !r.is_empty() {
                str_field(out, 1, r);
            }
        }),
        (Kind::Struct(_), Value::Struct(s)) => len_field(out, number, |out| steps(out, &s.ty().steps, s)),
        (Kind::WrappedList(e), v) => len_field(out, number, |out| {
            for v in v.as_list().unwrap_or(&[]) {
                value(out, 1, e, v);
            }
        }),
        (Kind::PropsOrArray(_), v) => len_field(out, number, |out| match v {
            Value::Struct(s) => len_field(out, 1, |out| steps(out, &s.ty().steps, s)),
            v => {
                for v in v.as_list().unwrap_or(&[]) {
                    if let Value::Struct(s) = v {
                        len_field(out, 2, |out| steps(out, &s.ty().steps, s));
                    }
                }
            }
        }),
        (Kind::PropsOrBool(_), v) => len_field(out, number, |out| {
            int_field(out, 1, i64::from(!matches!(v, Value::Bool(false))));
            if let Value::Struct(s) = v {
                len_field(out, 2, |out| steps(out, &s.ty().steps, s));
            }
        }),
        (Kind::PropsOrStrings(_), v) => len_field(out, number, |out| match v {
            Value::Struct(s) => len_field(out, 1, |out| steps(out, &s.ty().steps, s)),
            v => {
                for v in v.as_list().unwrap_or(&[]) {
                    str_field(out, 2, v.as_str().unwrap_or("").as_bytes());
                }
            }
        }),
        // A value whose kind the setters would have refused.
        _ => zero(out, number, kind),
    }
}

/// The bytes of a message, read from the front.
pub(super) struct Reader<'a> {
    pub b: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub fn varint(&mut self) -> Result<u64, ProtoError> {
        let mut v = 0u64;
        for shift in (0..).step_by(7) {
            if shift >= 64 {
                return Err(ProtoError::Overflow);
            }
            let c = *self.b.get(self.at).ok_or(ProtoError::UnexpectedEof)?;
            self.at += 1;
            v |= u64::from(c & 0x7f) << shift;
            if c < 0x80 {
                break;
            }
        }
        Ok(v)
    }
    pub fn bytes(&mut self) -> Result<&'a [u8], ProtoError> {
        let n = self.varint()?;
        if n as i64 as i128 != i128::from(n) {
            return Err(ProtoError::NegativeLength);
        }
        let end = usize::try_from(n).ok().and_then(|n| self.at.checked_add(n)).filter(|e| *e <= self.b.len());
        let end = end.ok_or(ProtoError::UnexpectedEof)?;
        let b = &self.b[self.at..end];
        self.at = end;
        Ok(b)
    }
    pub fn fixed(&mut self, n: usize) -> Result<&'a [u8], ProtoError> {
        let b = self.b.get(self.at..self.at + n).ok_or(ProtoError::UnexpectedEof)?;
        self.at += n;
        Ok(b)
    }
    /// Field number and wire type; `None` at the end.
    pub fn tag(&mut self, message: &'static str) -> Result<Option<(u32, u64)>, ProtoError> {
        if self.at >= self.b.len() {
            return Ok(None);
        }
        let t = self.varint()?;
        let (number, wire) = ((t >> 3) as i32, t & 7);
        if number <= 0 {
            return Err(ProtoError::IllegalTag(message, i64::from(number), t));
        }
        Ok(Some((number as u32, wire)))
    }
    pub fn skip(&mut self, wire: u64) -> Result<(), ProtoError> {
        match wire {
            VARINT => self.varint().map(drop),
            FIXED64 => self.fixed(8).map(drop),
            LEN => self.bytes().map(drop),
            FIXED32 => self.fixed(4).map(drop),
            3 => {
                // A group: skip to its end, counting nested ones.
                let mut depth = 1;
                while depth > 0 {
                    match self.varint()? & 7 {
                        3 => depth += 1,
                        4 => depth -= 1,
                        w => self.skip(w)?,
                    }
                }
                Ok(())
            }
            w => Err(ProtoError::IllegalWireType(w)),
        }
    }
}

/// What the envelope holds.
pub struct Envelope<'a> {
    pub gvk: Gvk,
    /// the object's message
    pub raw: &'a [u8],
    pub content_encoding: String,
    pub content_type: String,
}

/// Reads the envelope only.
pub fn envelope(data: &[u8]) -> Result<Envelope<'_>, ProtoError> {
    if data.is_empty() {
        return Err(ProtoError::Empty);
    }
    let Some(body) = data.strip_prefix(&MAGIC) else { return Err(ProtoError::NoMagic) };
    if body.is_empty() {
        return Err(ProtoError::EmptyBody);
    }
    let mut r = Reader { b: body, at: 0 };
    let (mut api_version, mut kind) = (String::new(), String::new());
    let mut out = Envelope {
        gvk: Gvk::default(),
        raw: &[],
        content_encoding: String::new(),
        content_type: String::new(),
    };
    while let Some((n, w)) = r.tag("Unknown")? {
        let name = ["TypeMeta", "Raw", "ContentEncoding", "ContentType"].get(n as usize - 1);
        match (n, name) {
            (_, Some(name)) if w != LEN => return Err(ProtoError::WireType(w, name)),
            (1, _) => {
                let mut t = Reader { b: r.bytes()?, at: 0 };
                while let Some((n, w)) = t.tag("TypeMeta")? {
                    match n {
                        1 | 2 if w != LEN => return Err(ProtoError::WireType(w, "APIVersion")),
                        1 => api_version = text(t.bytes()?),
                        2 => kind = text(t.bytes()?),
                        _ => t.skip(w)?,
                    }
                }
            }
            (2, _) => out.raw = r.bytes()?,
            (3, _) => out.content_encoding = text(r.bytes()?),
            (4, _) => out.content_type = text(r.bytes()?),
            _ => r.skip(w)?,
        }
    }
    out.gvk = Gvk::from_api_version(&api_version, &kind);
    Ok(out)
}

/// Decodes a stored value: the kind from its envelope and the object, with apiVersion and kind set in it.
pub fn decode(data: &[u8]) -> Result<(Gvk, Struct), ProtoError> {
    let e = envelope(data)?;
    let t = schema()
        .kind(&e.gvk.group, &e.gvk.version, &e.gvk.kind)
        .ok_or_else(|| ProtoError::NoKind(e.gvk.clone()))?;
    let mut s = decode_message(t.id, e.raw)?;
    s.set_gvk(&e.gvk);
    Ok((e.gvk, s))
}

/// Decodes a bare message.
pub fn decode_message(ty: TypeId, b: &[u8]) -> Result<Struct, ProtoError> {
    let mut s = Struct::new(ty);
    merge(&mut s, &schema().ty(ty).steps, b, 0)?;
    Ok(s)
}

/// Go's generated code has no depth limit; ours keeps the stack of a WebAssembly module safe.
const MAX_DEPTH: u32 = 500;

fn text(b: &[u8]) -> String {
    String::from_utf8_lossy(b).into_owned()
}

fn merge(s: &mut Struct, list: &'static [ProtoStep], b: &[u8], depth: u32) -> Result<(), ProtoError> {
    if depth > MAX_DEPTH {
        return Err(ProtoError::Value("not modelled here: protobuf nested deeper than 500 levels".into()));
    }
    let t = s.ty();
    let mut r = Reader { b, at: 0 };
    // Fields come in ascending order from Go's encoder: look on from where the last one was.
    let mut at = 0;
    while let Some((n, wire)) = r.tag(t.go_name())? {
        let number = |i: usize| match &list[i] {
            ProtoStep::Field(id) => t.field_by_id(*id).number,
            ProtoStep::Wrapper { number, .. } => *number,
        };
        let found = (at..list.len()).chain(0..at).find(|i| number(*i) == n);
        let Some(i) = found else {
            r.skip(wire)?;
            continue;
        };
        at = i;
        match &list[i] {
            ProtoStep::Wrapper { steps, go_name, .. } => {
                if wire != LEN {
                    return Err(ProtoError::WireType(wire, go_name));
                }
                merge(s, steps, r.bytes()?, depth + 1)?;
            }
            ProtoStep::Field(id) => read_field(s, t.field_by_id(*id), wire, &mut r, depth)?,
        }
    }
    Ok(())
}

fn read_field(
    s: &mut Struct,
    f: &'static Field,
    wire: u64,
    r: &mut Reader<'_>,
    depth: u32,
) -> Result<(), ProtoError> {
    match &f.kind {
        Kind::List(e) => {
            let list = s.entry(f);
            let Value::List(l) = list else { return Ok(()) };
            if wire == LEN
                && matches!(**e, Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::UInt32 | Kind::UInt64)
            {
                let mut packed = Reader { b: r.bytes()?, at: 0 };
                while packed.at < packed.b.len() {
                    l.push(read(e, VARINT, &mut packed, None, f.name, depth)?);
                }
                return Ok(());
            }
            l.push(read(e, wire, r, None, f.name, depth)?);
        }
        Kind::Map(e) => {
            if wire != LEN {
                return Err(ProtoError::WireType(wire, f.name));
            }
            let mut entry = Reader { b: r.bytes()?, at: 0 };
            let (mut key, mut val) = (String::new(), None);
            while let Some((n, w)) = entry.tag("Entry")? {
                match n {
                    1 if w == LEN => key = text(entry.bytes()?),
                    2 => val = Some(read(e, w, &mut entry, None, f.name, depth)?),
                    _ => entry.skip(w)?,
                }
            }
            let val = val.unwrap_or_else(|| match **e {
                Kind::Bytes => Value::Null,
                _ => Value::zero(e),
            });
            if let Value::Map(m) = s.entry(f) {
                m.insert(key, val);
            }
        }
        k => {
            let old = match k {
                Kind::Struct(_) => s.remove_id(f.id),
                _ => None,
            };
            let v = read(k, wire, r, old, f.name, depth)?;
            s.set_id(f.id, v);
        }
    }
    Ok(())
}

fn read(
    kind: &Kind,
    wire: u64,
    r: &mut Reader<'_>,
    old: Option<Value>,
    name: &'static str,
    depth: u32,
) -> Result<Value, ProtoError> {
    let want = match kind {
        Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::UInt32 | Kind::UInt64 => VARINT,
        Kind::Float64 => FIXED64,
        _ => LEN,
    };
    if wire != want {
        return Err(ProtoError::WireType(wire, name));
    }
    Ok(match kind {
        Kind::Bool => Value::Bool(r.varint()? != 0),
        Kind::Int32 => Value::Int(i64::from(r.varint()? as i32)),
        Kind::Int64 | Kind::UInt64 => Value::Int(r.varint()? as i64),
        Kind::UInt32 => Value::Int(i64::from(r.varint()? as u32)),
        Kind::Float64 => {
            let b = r.fixed(8)?;
            Value::Double(f64::from_bits(u64::from_le_bytes(b.try_into().unwrap_or_default())))
        }
        Kind::Str => Value::Str(text(r.bytes()?)),
        Kind::Bytes => Value::Bytes(r.bytes()?.to_vec()),
        Kind::Struct(t) => {
            let mut s = match old {
                Some(Value::Struct(s)) => s,
                _ => Box::new(Struct::new(*t)),
            };
            merge(&mut s, &schema().ty(*t).steps, r.bytes()?, depth + 1)?;
            Value::Struct(s)
        }
        k => special(k, r.bytes()?, depth)?,
    })
}

/// The messages of types with an encoding of their own.
fn special(kind: &Kind, b: &[u8], depth: u32) -> Result<Value, ProtoError> {
    let empty = b.is_empty();
    let mut r = Reader { b, at: 0 };
    let (mut ints, mut texts): ([i64; 3], BTreeMap<u32, Vec<Vec<u8>>>) = ([0; 3], BTreeMap::new());
    while let Some((n, w)) = r.tag("Message")? {
        match (n, w) {
            (1..=2, VARINT) => ints[n as usize] = r.varint()? as i64,
            (_, LEN) => texts.entry(n).or_default().push(r.bytes()?.to_vec()),
            (_, w) => r.skip(w)?,
        }
    }
    let mut last = |n: u32| texts.remove(&n).and_then(|mut v| v.pop());
    Ok(match kind {
        Kind::Time | Kind::MicroTime if empty => Value::Time(Time::ZERO),
        Kind::Time => Value::Time(Time { secs: ints[1], nanos: 0 }),
        Kind::MicroTime => {
            let total = i128::from(ints[1]) * 1_000_000_000 + i128::from(ints[2] as i32 / 1000 * 1000);
            Value::Time(Time {
                secs: total.div_euclid(1_000_000_000) as i64,
                nanos: total.rem_euclid(1_000_000_000) as u32,
            })
        }
        Kind::Duration => Value::Int(ints[1]),
        Kind::Quantity => {
            let t = last(1).map(|b| text(&b)).unwrap_or_default();
            let q = if t.is_empty() { Ok(Quantity::from_canonical("0".into())) } else { Quantity::parse(&t) };
            Value::Quantity(q.map_err(|e| ProtoError::Value(e.to_string()))?)
        }
        Kind::IntOrString if ints[1] == 1 => Value::Str(last(3).map(|b| text(&b)).unwrap_or_default()),
        Kind::IntOrString => Value::Int(i64::from(ints[2] as i32)),
        Kind::RawExtension | Kind::FieldsV1 | Kind::Json => Value::Raw(last(1).unwrap_or_default()),
        Kind::WrappedList(e) => {
            let items = texts.remove(&1).unwrap_or_default();
            let items = items.into_iter().map(|b| match **e {
                Kind::Str => Ok(Value::Str(text(&b))),
                _ => Err(ProtoError::Value("not modelled here: a wrapped list of other than strings".into())),
            });
            Value::List(items.collect::<Result<Vec<_>, _>>()?)
        }
        Kind::PropsOrArray(t) | Kind::PropsOrBool(t) | Kind::PropsOrStrings(t) => {
            let one = |b: &[u8]| -> Result<Value, ProtoError> {
                let mut s = Struct::new(*t);
                merge(&mut s, &schema().ty(*t).steps, b, depth + 1)?;
                Ok(Value::Struct(Box::new(s)))
            };
            let schema_number = if matches!(kind, Kind::PropsOrBool(_)) { 2 } else { 1 };
            if let Some(b) = last(schema_number) {
                return one(&b);
            }
            match kind {
                Kind::PropsOrBool(_) => Value::Bool(ints[1] != 0),
                Kind::PropsOrStrings(_) => Value::List(
                    texts.remove(&2).unwrap_or_default().iter().map(|b| Value::Str(text(b))).collect(),
                ),
                _ => Value::List(
                    texts
                        .remove(&2)
                        .unwrap_or_default()
                        .iter()
                        .map(|b| one(b))
                        .collect::<Result<Vec<_>, _>>()?,
                ),
            }
        }
        _ => return Err(ProtoError::Value("not a message kind".into())),
    })
}
