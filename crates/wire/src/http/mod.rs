//! HTTP/1.1 without input and output: requests and responses as the text that Kubernetes clients and servers exchange.
//!
//! [`Request::encode`] and [`Response::encode`] write whole messages, [`chunk`] and [`LAST_CHUNK`] a streamed body (a
//! watch). [`Parser`] takes bytes as they come, in pieces of any size, and yields heads, body parts and ends.
//!
//! Not modelled here: trailers after a chunked body (they are read and dropped), `Expect: 100-continue`, and any
//! transfer coding but chunked.

mod parse;

pub use parse::{Event, Limits, ParseError, Parser, RequestHead, ResponseHead};

use bytes::{Bytes, BytesMut};

/// Header fields in order, names as they were written.
pub type Headers = Vec<(String, String)>;

/// The first field with this name, in any case.
pub fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
}

/// A whole request.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Request {
    /// As "GET".
    pub method: String,
    /// Path and query, as "/api/v1/pods?limit=500".
    pub target: String,
    /// Fields without Content-Length, which the encoder writes.
    pub headers: Headers,
    /// The body.
    pub body: Bytes,
}

impl Request {
    /// A request without a body.
    pub fn new(method: impl Into<String>, target: impl Into<String>) -> Request {
        Request { method: method.into(), target: target.into(), ..Request::default() }
    }

    /// Adds a header field.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Request {
        self.body = body.into();
        self
    }

    /// The first header field with this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or("")
    }

    /// What follows the `?` of the target; empty when there is none.
    pub fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, q)| q)
    }

    /// The text of the request. Content-Length is written when there is a body, or the method usually has one.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        put(&mut out, &[&self.method, " ", &self.target, " HTTP/1.1\r\n"]);
        put_headers(&mut out, &self.headers);
        let sends = matches!(self.method.as_str(), "POST" | "PUT" | "PATCH");
        if (sends || !self.body.is_empty()) && self.header("content-length").is_none() {
            put(&mut out, &["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.body);
        out.freeze()
    }
}

/// A whole response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// As 201.
    pub status: u16,
    /// Fields without Content-Length and Transfer-Encoding, which the encoders write.
    pub headers: Headers,
    /// The body.
    pub body: Bytes,
}

impl Response {
    /// A response without a body.
    pub fn new(status: u16) -> Response {
        Response { status, headers: Vec::new(), body: Bytes::new() }
    }

    /// Adds a header field.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Response {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Response {
        self.body = body.into();
        self
    }

    /// The first header field with this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The text of the response, with Content-Length unless the status has no body.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        self.put_head(&mut out);
        if !bodyless(self.status) && self.header("content-length").is_none() {
            put(&mut out, &["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        out.extend_from_slice(b"\r\n");
        if !bodyless(self.status) {
            out.extend_from_slice(&self.body);
        }
        out.freeze()
    }

    /// The head of a response whose body follows in chunks ([`chunk`]), as of a watch.
    pub fn encode_chunked_head(&self) -> Bytes {
        let mut out = BytesMut::new();
        self.put_head(&mut out);
        out.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
        out.freeze()
    }

    fn put_head(&self, out: &mut BytesMut) {
        put(out, &["HTTP/1.1 ", &self.status.to_string(), " ", reason(self.status), "\r\n"]);
        put_headers(out, &self.headers);
    }
}

/// One chunk of a streamed body. An empty part would end the body, so it gives no bytes.
pub fn chunk(part: &[u8]) -> Bytes {
    if part.is_empty() {
        return Bytes::new();
    }
    let mut out = BytesMut::with_capacity(part.len() + 20);
    put(&mut out, &[&format!("{:x}", part.len()), "\r\n"]);
    out.extend_from_slice(part);
    out.extend_from_slice(b"\r\n");
    out.freeze()
}

/// The end of a streamed body.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// The reason phrase of a status, as Go's net/http has it; empty for numbers it does not know.
pub fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        101 => "Switching Protocols",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "Precondition Failed",
        413 => "Request Entity Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

/// Statuses that never have a body.
fn bodyless(status: u16) -> bool {
    status < 200 || status == 204 || status == 304
}

fn put(out: &mut BytesMut, parts: &[&str]) {
    for p in parts {
        out.extend_from_slice(p.as_bytes());
    }
}

/// Line ends inside a field would start a new one: they are written as spaces, as Go's net/http does.
fn put_headers(out: &mut BytesMut, headers: &[(String, String)]) {
    for (n, v) in headers {
        put(out, &[n, ": "]);
        if v.contains(['\r', '\n']) {
            put(out, &[v.replace(['\r', '\n'], " ").trim()]);
        } else {
            put(out, &[v]);
        }
        out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests;
