//! Which byte is which field: a walk over an encoded message.
//!
//! The walk reads the protobuf wire format with the names of a static table ([`MESSAGES`]) and yields, for every field
//! in byte order, the bytes of its tag, its length and its value. It needs no decoding and keeps going back to the
//! caller's bytes by ranges, so a page can colour them.

mod tables;

pub use tables::MESSAGES;

use std::ops::Range;

/// A message type: its full name and its fields by number.
#[derive(Debug)]
pub struct Message {
    /// As "etcdserverpb.PutRequest".
    pub name: &'static str,
    /// In order of their numbers.
    pub fields: &'static [Field],
}

/// A field of a message type.
#[derive(Debug)]
pub struct Field {
    /// Field number.
    pub number: u32,
    /// Name in the .proto file.
    pub name: &'static str,
    /// What its bytes mean.
    pub kind: Kind,
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A varint: 0 or 1.
    Bool,
    /// A varint in two's complement of 64 bits.
    Int64,
    /// A varint.
    Uint64,
    /// A varint.
    Uint32,
    /// Raw bytes.
    Bytes,
    /// UTF-8.
    String,
    /// A varint with names.
    Enum(&'static [(i32, &'static str)]),
    /// A message inside.
    Message(&'static Message),
}

/// The table of the message with that full name.
pub fn message(name: &str) -> Option<&'static Message> {
    MESSAGES.iter().find(|m| m.name == name).copied()
}

/// Where a field stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSpan {
    /// As "kvs[1].mod_revision"; unknown fields are named by their number.
    pub path: String,
    /// How many messages it is inside of; 0: a field of the message itself.
    pub depth: u32,
    /// Field number.
    pub number: u32,
    /// Bytes of the tag (number and wire type).
    pub tag: Range<usize>,
    /// Bytes of the length; empty for varints and fixed numbers.
    pub length: Range<usize>,
    /// Bytes of the value; a message's own fields follow as spans of their own.
    pub value: Range<usize>,
    /// What the value says, for people.
    pub text: SpanValue,
}

/// The value of a field, read as its type says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanValue {
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A truth value.
    Bool(bool),
    /// The name of an enum's number.
    Name(&'static str),
    /// The bytes are the value.
    Bytes,
    /// The bytes are text.
    Text,
    /// The bytes are a message of this type.
    Message(&'static str),
    /// A field that the table does not know, with its wire type.
    Unknown(u8),
}

/// Spans up to the end of the message, or up to where it is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// In byte order; a message before its fields.
    pub spans: Vec<FieldSpan>,
    /// What was wrong, and where, if the bytes are not such a message.
    pub error: Option<WalkError>,
}

/// Where a walk had to stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {offset}")]
pub struct WalkError {
    /// Offset of the first byte that does not fit.
    pub offset: usize,
    /// What was wrong.
    pub what: &'static str,
}

/// Messages inside messages are followed this deep, as deep as the decoder reads.
const MAX_DEPTH: usize = 100;

struct Level {
    message: Option<&'static Message>,
    end: usize,
    path: String,
    // How often each repeated field was seen, by its index in the table.
    seen: Vec<u32>,
}

/// Walks `bytes` as a message of the given type.
pub fn walk(message: &'static Message, bytes: &[u8]) -> Walk {
    let mut spans = Vec::new();
    let level = |m: Option<&'static Message>, end, path| Level {
        message: m,
        end,
        path,
        seen: vec![0; m.map_or(0, |m| m.fields.len())],
    };
    let mut stack = vec![level(Some(message), bytes.len(), String::new())];
    let mut at = 0;
    let fail = |spans, offset, what| Walk { spans, error: Some(WalkError { offset, what }) };
    while let Some(top) = stack.last_mut() {
        if at == top.end {
            stack.pop();
            continue;
        }
        let end = top.end;
        let start = at;
        let Some(key) = varint(&bytes[..end], &mut at) else { return fail(spans, start, "broken tag") };
        let tag = start..at;
        let number = (key >> 3) as u32;
        let wire = (key & 7) as u8;
        if number == 0 || key >> 3 > 0x1fff_ffff {
            return fail(spans, start, "invalid field number");
        }
        let found =
            top.message.and_then(|m| m.fields.iter().position(|f| f.number == number).map(|i| (m, i)));
        let mut path = top.path.clone();
        if !path.is_empty() {
            path.push('.');
        }
        match found {
            Some((m, i)) => {
                path.push_str(m.fields[i].name);
                if repeated(m.name, m.fields[i].name) {
                    path.push_str(&format!("[{}]", top.seen[i]));
                    top.seen[i] += 1;
                }
            }
            None => path.push_str(&number.to_string()),
        }
        let kind = found.map(|(m, i)| m.fields[i].kind);
        let depth = stack.len() as u32 - 1;
        let mut length = at..at;
        let value_start = at;
        let mut into = None;
        let text = match wire {
            0 => {
                let Some(v) = varint(&bytes[..end], &mut at) else {
                    return fail(spans, value_start, "broken varint");
                };
                match kind {
                    Some(Kind::Bool) => SpanValue::Bool(v != 0),
                    Some(Kind::Int64) => SpanValue::Int(v as i64),
                    Some(Kind::Uint64 | Kind::Uint32) => SpanValue::Uint(v),
                    Some(Kind::Enum(names)) => match names.iter().find(|(n, _)| *n == v as i32) {
                        Some((_, name)) => SpanValue::Name(name),
                        None => SpanValue::Int(v as i64),
                    },
                    _ => SpanValue::Unknown(wire),
                }
            }
            1 | 5 => {
                at += if wire == 1 { 8 } else { 4 };
                if at > end {
                    return fail(spans, value_start, "number cut off");
                }
                SpanValue::Unknown(wire)
            }
            2 => {
                let Some(n) = varint(&bytes[..end], &mut at) else {
                    return fail(spans, value_start, "broken length");
                };
                length = value_start..at;
                if n > (end - at) as u64 {
                    return fail(spans, value_start, "length beyond the end");
                }
                let from = at;
                at += n as usize;
                match kind {
                    Some(Kind::Bytes) => SpanValue::Bytes,
                    Some(Kind::String) => SpanValue::Text,
                    Some(Kind::Message(m)) => {
                        if stack.len() > MAX_DEPTH {
                            return fail(spans, start, "messages nested too deep");
                        }
                        into = Some((m, from));
                        SpanValue::Message(m.name)
                    }
                    // Repeated numbers are packed: they stay one span.
                    Some(_) => SpanValue::Bytes,
                    None => SpanValue::Unknown(wire),
                }
            }
            _ => return fail(spans, start, "unknown wire type"),
        };
        let value = if length.is_empty() { value_start..at } else { length.end..at };
        if let Some((m, from)) = into {
            stack.push(level(Some(m), at, path.clone()));
            at = from;
        }
        spans.push(FieldSpan { path, depth, number, tag, length, value, text });
    }
    Walk { spans, error: None }
}

/// Whether a field may occur more than once.
fn repeated(message: &str, field: &str) -> bool {
    matches!(
        (message, field),
        (_, "kvs" | "prev_kvs" | "events" | "responses" | "success" | "failure" | "filters" | "checkpoints")
            | (_, "leases" | "members" | "peerURLs" | "clientURLs" | "peer_urls" | "client_urls" | "alarms")
            | (
                _,
                "errors"
                    | "roles"
                    | "users"
                    | "keyPermission"
                    | "entries"
                    | "changes"
                    | "voters"
                    | "learners"
            )
            | (_, "voters_outgoing" | "learners_next")
            | ("etcdserverpb.TxnRequest", "compare")
            | ("etcdserverpb.LeaseTimeToLiveResponse", "keys")
            | ("etcdserverpb.AuthRoleGetResponse", "perm")
    )
}

fn varint(b: &[u8], at: &mut usize) -> Option<u64> {
    let mut v = 0u64;
    for i in 0..10 {
        let c = *b.get(*at)?;
        *at += 1;
        v |= u64::from(c & 0x7f) << (7 * i);
        if c & 0x80 == 0 {
            return if i == 9 && c > 1 { None } else { Some(v) };
        }
    }
    None
}

#[cfg(test)]
mod tests;
