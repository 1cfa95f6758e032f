//! gRPC without input and output: calls, messages and trailers as bytes.
//!
//! What one frame of a connection carries is one HTTP/2 frame: nine bytes of header (24-bit length, type, flags,
//! 31-bit stream) and a payload. HEADERS hold an HPACK block of literals with new names, DATA holds gRPC messages, each
//! behind five bytes (a compression flag and a 32-bit length), RST_STREAM ends a stream. Client streams have odd
//! numbers, so one connection carries many calls.
//!
//! Not modelled here: the connection preface, SETTINGS, PING, WINDOW_UPDATE (flow control), GOAWAY, CONTINUATION,
//! Huffman coding and the dynamic table of HPACK, padding, and gRPC compression.

mod frame;
mod methods;

pub use frame::{Frame, FrameError};
pub use methods::METHODS;

use crate::rpc::{Code, Status};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use std::time::Duration;

/// A method of a gRPC service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Name of the service without its package, as "KV".
    pub service: &'static str,
    /// Name of the method, as "Range".
    pub name: &'static str,
    /// The `:path` of a call.
    pub path: &'static str,
    /// Full name of the request message.
    pub request: &'static str,
    /// Full name of the response message.
    pub response: &'static str,
    /// The client sends a stream of requests.
    pub client_streaming: bool,
    /// The server sends a stream of responses.
    pub server_streaming: bool,
}

/// The method with that `:path`, if etcd has it.
pub fn method(path: &str) -> Option<&'static Method> {
    METHODS.iter().find(|m| m.path == path)
}

/// Header fields in order; names in lower case.
pub type Headers = Vec<(String, String)>;

/// The first field with this (lower case) name.
pub fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
}

/// The HEADERS that open a call, in the order grpc-go writes them. `timeout` is the time left until the caller's
/// deadline; `metadata` are extra fields such as `hasleader: true` or `token`.
pub fn request_headers(
    path: &str,
    authority: &str,
    timeout: Option<Duration>,
    metadata: &[(String, String)],
) -> Headers {
    let field = |n: &str, v: &str| (n.to_string(), v.to_string());
    let mut h = vec![
        field(":method", "POST"),
        field(":scheme", "http"),
        field(":path", path),
        field(":authority", authority),
        field("content-type", "application/grpc"),
        field("user-agent", "grpc-go/1.82.1"),
        field("te", "trailers"),
    ];
    if let Some(t) = timeout {
        h.push(("grpc-timeout".into(), encode_timeout(t)));
    }
    h.extend(metadata.iter().cloned());
    h
}

/// The HEADERS before the first message of an answer.
pub fn response_headers() -> Headers {
    vec![(":status".into(), "200".into()), ("content-type".into(), "application/grpc".into())]
}

/// The HEADERS that end an answer. With `only`, nothing came before them (a call that failed at once).
pub fn trailers(status: &Result<(), Status>, only: bool) -> Headers {
    let mut h = if only { response_headers() } else { Vec::new() };
    match status {
        Ok(()) => {
            h.push(("grpc-status".into(), "0".into()));
            h.push(("grpc-message".into(), String::new()));
        }
        Err(s) => {
            h.push(("grpc-status".into(), (s.code as u8).to_string()));
            h.push(("grpc-message".into(), encode_grpc_message(&s.message)));
        }
    }
    h
}

/// The status in trailers; `None` when there is no `grpc-status` (these were not the trailers).
pub fn trailers_status(headers: &[(String, String)]) -> Option<Result<(), Status>> {
    let code = header(headers, "grpc-status")?;
    let n: u32 = code.parse().unwrap_or(Code::Unknown as u32);
    if n == 0 {
        return Some(Ok(()));
    }
    let message = decode_grpc_message(header(headers, "grpc-message").unwrap_or(""));
    Some(Err(Status::new(Code::from_number(n), message)))
}

/// `grpc-timeout` as grpc-go writes it: at most eight digits and the finest unit that fits, rounded up.
pub fn encode_timeout(t: Duration) -> String {
    const MAX: u128 = 99_999_999;
    let ns = t.as_nanos();
    if ns == 0 {
        return "0n".into();
    }
    for (unit, size) in [
        ('n', 1u128),
        ('u', 1_000),
        ('m', 1_000_000),
        ('S', 1_000_000_000),
        ('M', 60_000_000_000),
        ('H', 3_600_000_000_000),
    ] {
        let n = ns.div_ceil(size);
        if n <= MAX || unit == 'H' {
            return format!("{}{unit}", n.min(MAX));
        }
    }
    unreachable!("hours always answer")
}

/// Reads a `grpc-timeout`; `None` when it is malformed.
pub fn decode_timeout(s: &str) -> Option<Duration> {
    let unit = s.chars().last()?;
    let digits = &s[..s.len() - unit.len_utf8()];
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    Some(match unit {
        'n' => Duration::from_nanos(n),
        'u' => Duration::from_micros(n),
        'm' => Duration::from_millis(n),
        'S' => Duration::from_secs(n),
        'M' => Duration::from_secs(n * 60),
        'H' => Duration::from_secs(n * 3600),
        _ => return None,
    })
}

/// Percent-encodes what is not printable ASCII, and `%`, as gRPC asks for `grpc-message`.
pub fn encode_grpc_message(s: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(s.len());
    for b in s.bytes() {
        if (b' '..=b'~').contains(&b) && b != b'%' {
            out.push(b as char);
        } else {
            write!(out, "%{b:02X}").expect("strings take writes");
        }
    }
    out
}

/// The reverse of [`encode_grpc_message`]; broken escapes are kept as they are.
pub fn decode_grpc_message(s: &str) -> String {
    let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let b = s.as_bytes();
    let mut out = Vec::with_capacity(b.len());
    let mut i = 0;
    while i < b.len() {
        if b[i] == b'%'
            && let (Some(h), Some(l)) =
                (b.get(i + 1).and_then(|b| hex(*b)), b.get(i + 2).and_then(|b| hex(*b)))
        {
            out.push(h << 4 | l);
            i += 3;
            continue;
        }
        out.push(b[i]);
        i += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Bytes before each message: one flag (0: not compressed) and a big-endian length.
pub const PREFIX_LEN: usize = 5;

/// A message behind its five-byte prefix.
pub fn encode_message<M: prost::Message>(m: &M) -> Bytes {
    let len = m.encoded_len();
    let mut out = BytesMut::with_capacity(PREFIX_LEN + len);
    out.put_u8(0);
    out.put_u32(u32::try_from(len).expect("messages stay below 4 GiB"));
    m.encode_raw(&mut out);
    out.freeze()
}

/// Cuts the DATA of one direction of a stream into messages. A message inside one frame is a shared slice of it.
#[derive(Debug)]
pub struct Messages {
    buf: BytesMut,
    whole: Bytes,
    max: u32,
}

impl Messages {
    /// Accepts messages of at most `max` bytes.
    pub fn new(max: u32) -> Messages {
        Messages { buf: BytesMut::new(), whole: Bytes::new(), max }
    }

    /// Takes the payload of a DATA frame.
    pub fn push(&mut self, data: Bytes) {
        if self.buf.is_empty() && self.whole.is_empty() {
            self.whole = data;
        } else {
            if !self.whole.is_empty() {
                self.buf.extend_from_slice(&std::mem::take(&mut self.whole));
            }
            self.buf.extend_from_slice(&data);
        }
    }

    /// The next whole message without its prefix; `None` when more data is needed.
    ///
    /// # Errors
    /// ResourceExhausted when a message is larger than the limit, Internal when it is compressed; texts as grpc-go's.
    pub fn next_message(&mut self) -> Result<Option<Bytes>, Status> {
        let head = if self.whole.is_empty() { &self.buf[..] } else { &self.whole[..] };
        if head.len() < PREFIX_LEN {
            return Ok(None);
        }
        if head[0] != 0 {
            return Err(Status::new(
                Code::Internal,
                "grpc: compressed flag set with identity or empty encoding",
            ));
        }
        let len = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        if len > self.max {
            let text = format!("grpc: received message larger than max ({len} vs. {})", self.max);
            return Err(Status::new(Code::ResourceExhausted, text));
        }
        let end = PREFIX_LEN + len as usize;
        if head.len() < end {
            return Ok(None);
        }
        let mut m =
            if self.whole.is_empty() { self.buf.split_to(end).freeze() } else { self.whole.split_to(end) };
        m.advance(PREFIX_LEN);
        Ok(Some(m))
    }

    /// Whether some bytes of an unfinished message are left (the stream ended in the middle of it).
    pub fn is_mid_message(&self) -> bool {
        !self.buf.is_empty() || !self.whole.is_empty()
    }
}

/// Decodes a message of a call.
///
/// # Errors
/// Internal, with grpc-go's beginning of the text.
pub fn decode<M: prost::Message + Default>(body: Bytes) -> Result<M, Status> {
    M::decode(body)
        .map_err(|e| Status::new(Code::Internal, format!("grpc: error unmarshalling request: {e}")))
}

#[cfg(test)]
mod tests;
