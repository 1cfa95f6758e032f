//! The incremental parser: bytes of one direction of a connection in, heads and body parts out.

use super::{Headers, Request, Response, bodyless, header};
use bytes::{Bytes, BytesMut};

/// How much a peer may send. Beyond them there are errors, never more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a head. Go's servers allow 1 MiB.
    pub head: u64,
    /// Number of header fields.
    pub fields: u32,
    /// Bytes of a whole body; streamed parts are not counted together.
    pub body: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { head: 1 << 20, fields: 256, body: 256 << 20 }
    }
}

/// Request line and header fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// As "GET".
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Fields in order.
    pub headers: Headers,
}

/// Status line and header fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// As 200.
    pub status: u16,
    /// Fields in order.
    pub headers: Headers,
}

/// What came next on the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A request begins.
    Request(RequestHead),
    /// A response begins.
    Response(ResponseHead),
    /// A part of the body.
    Body(Bytes),
    /// The message is complete; another may follow.
    End,
}

/// Why bytes are not HTTP/1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The head is not well-formed.
    #[error("malformed HTTP head: {0}")]
    Head(httparse::Error),
    /// The head is larger than [`Limits::head`] or has more fields than [`Limits::fields`].
    #[error("HTTP head too large")]
    HeadTooLarge,
    /// The body is larger than [`Limits::body`].
    #[error("http: request body too large")]
    BodyTooLarge,
    /// A Content-Length that is no number, or two that differ.
    #[error("bad Content-Length")]
    ContentLength,
    /// A Transfer-Encoding other than chunked.
    #[error("unsupported transfer encoding")]
    TransferEncoding,
    /// A chunk size that is no hexadecimal number, or a chunk without its line end.
    #[error("invalid chunk in chunked body")]
    Chunk,
    /// The connection ended inside a message.
    #[error("unexpected EOF")]
    UnexpectedEof,
}

#[derive(Debug)]
enum State {
    Head,
    Length(u64),
    ChunkSize,
    ChunkData(u64),
    ChunkEnd,
    Trailers,
    UntilEof,
    Finish,
    Closed,
}

/// Reads one direction of a connection.
#[derive(Debug)]
pub struct Parser {
    requests: bool,
    limits: Limits,
    buf: BytesMut,
    state: State,
    no_body: bool,
    eof: bool,
    body: u64,
    chunked: bool,
}

impl Parser {
    /// For the bytes a client sends.
    pub fn requests(limits: Limits) -> Parser {
        Parser {
            requests: true,
            limits,
            buf: BytesMut::new(),
            state: State::Head,
            no_body: false,
            eof: false,
            body: 0,
            chunked: false,
        }
    }

    /// For the bytes a server sends.
    pub fn responses(limits: Limits) -> Parser {
        Parser { requests: false, ..Parser::requests(limits) }
    }

    /// The next response answers a HEAD request: it has no body whatever its fields say.
    pub fn expect_no_body(&mut self) {
        self.no_body = true;
    }

    /// Takes bytes from the connection.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buf.extend_from_slice(bytes);
    }

    /// The connection has ended.
    pub fn push_eof(&mut self) {
        self.eof = true;
    }

    /// Whether the parser stands between two messages with nothing read ahead.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Head) && self.buf.is_empty()
    }

    /// Bytes that follow what was read so far (after an upgrade they are no longer HTTP).
    pub fn take_rest(&mut self) -> Bytes {
        self.buf.split().freeze()
    }

    /// The next event; `None` when more bytes are needed.
    ///
    /// # Errors
    /// See [`ParseError`]. After an error the connection is to be closed.
    pub fn next_event(&mut self) -> Result<Option<Event>, ParseError> {
        loop {
            match self.state {
                State::Closed => return Ok(None),
                State::Head => {
                    if self.buf.is_empty() {
                        return Ok(None);
                    }
                    match self.head()? {
                        Some(e) => return Ok(Some(e)),
                        None if self.eof => return Err(ParseError::UnexpectedEof),
                        None => return Ok(None),
                    }
                }
                State::Finish => {
                    self.state = State::Head;
                    return Ok(Some(Event::End));
                }
                State::UntilEof => {
                    if !self.buf.is_empty() {
                        return self.part(u64::MAX).map(Some);
                    }
                    if self.eof {
                        self.state = State::Closed;
                        return Ok(Some(Event::End));
                    }
                    return Ok(None);
                }
                State::Length(left) => {
                    if self.buf.is_empty() {
                        return self.more();
                    }
                    let e = self.part(left)?;
                    let Event::Body(b) = &e else { unreachable!("parts are bodies") };
                    let left = left - b.len() as u64;
                    self.state = if left == 0 { State::Finish } else { State::Length(left) };
                    return Ok(Some(e));
                }
                State::ChunkSize => {
                    let Some(line) = self.line(1 << 12)? else { return self.more() };
                    let size = line.split(|b| *b == b';').next().unwrap_or(&[]).trim_ascii();
                    if size.is_empty() || size.len() > 16 || !size.iter().all(u8::is_ascii_hexdigit) {
                        return Err(ParseError::Chunk);
                    }
                    let text = std::str::from_utf8(size).map_err(|_| ParseError::Chunk)?;
                    let n = u64::from_str_radix(text, 16).map_err(|_| ParseError::Chunk)?;
                    self.state = if n == 0 { State::Trailers } else { State::ChunkData(n) };
                }
                State::ChunkData(left) => {
                    if self.buf.is_empty() {
                        return self.more();
                    }
                    let e = self.part(left)?;
                    let Event::Body(b) = &e else { unreachable!("parts are bodies") };
                    let left = left - b.len() as u64;
                    self.state = if left == 0 { State::ChunkEnd } else { State::ChunkData(left) };
                    return Ok(Some(e));
                }
                State::ChunkEnd => {
                    let Some(line) = self.line(2)? else { return self.more() };
                    if !line.is_empty() {
                        return Err(ParseError::Chunk);
                    }
                    self.state = State::ChunkSize;
                }
                State::Trailers => {
                    let Some(line) = self.line(1 << 13)? else { return self.more() };
                    if line.is_empty() {
                        self.state = State::Finish;
                    }
                }
            }
        }
    }

    /// The next whole request with its body.
    ///
    /// # Errors
    /// As [`Parser::next_event`]; also when the body is larger than the limit.
    pub fn next_request(&mut self, partial: &mut Option<Request>) -> Result<Option<Request>, ParseError> {
        while let Some(e) = self.next_event()? {
            match e {
                Event::Request(h) => {
                    *partial = Some(Request {
                        method: h.method,
                        target: h.target,
                        headers: h.headers,
                        body: Bytes::new(),
                    })
                }
                Event::Body(b) => {
                    if let Some(r) = partial {
                        r.body = join(&r.body, b);
                    }
                }
                Event::End => return Ok(partial.take()),
                Event::Response(_) => {}
            }
        }
        Ok(None)
    }

    /// The next whole response with its body.
    ///
    /// # Errors
    /// As [`Parser::next_event`]; also when the body is larger than the limit.
    pub fn next_response(&mut self, partial: &mut Option<Response>) -> Result<Option<Response>, ParseError> {
        while let Some(e) = self.next_event()? {
            match e {
                Event::Response(h) => {
                    *partial = Some(Response { status: h.status, headers: h.headers, body: Bytes::new() })
                }
                Event::Body(b) => {
                    if let Some(r) = partial {
                        r.body = join(&r.body, b);
                    }
                }
                Event::End => return Ok(partial.take()),
                Event::Request(_) => {}
            }
        }
        Ok(None)
    }

    fn more(&self) -> Result<Option<Event>, ParseError> {
        if self.eof { Err(ParseError::UnexpectedEof) } else { Ok(None) }
    }

    /// Up to `left` bytes of body.
    fn part(&mut self, left: u64) -> Result<Event, ParseError> {
        let n = (self.buf.len() as u64).min(left);
        self.body = self.body.saturating_add(n);
        // A streamed body has no end in sight: only single parts are limited there, by what was pushed.
        if !self.chunked && self.body > self.limits.body {
            return Err(ParseError::BodyTooLarge);
        }
        Ok(Event::Body(self.buf.split_to(n as usize).freeze()))
    }

    /// A line without its end; `None` when its end is not there yet.
    fn line(&mut self, max: usize) -> Result<Option<Bytes>, ParseError> {
        match self.buf.iter().position(|b| *b == b'\n') {
            Some(i) if i < max => {
                let mut line = self.buf.split_to(i + 1).freeze();
                line.truncate(i);
                if line.last() == Some(&b'\r') {
                    line.truncate(i - 1);
                }
                Ok(Some(line))
            }
            None if self.buf.len() < max => Ok(None),
            _ => Err(ParseError::Chunk),
        }
    }

    fn head(&mut self) -> Result<Option<Event>, ParseError> {
        let mut fields = vec![httparse::EMPTY_HEADER; self.limits.fields as usize];
        let too_large = self.buf.len() as u64 > self.limits.head;
        let map = |e| match e {
            httparse::Error::TooManyHeaders => ParseError::HeadTooLarge,
            e => ParseError::Head(e),
        };
        let (n, event) = if self.requests {
            let mut r = httparse::Request::new(&mut fields);
            let n = match r.parse(&self.buf).map_err(map)? {
                httparse::Status::Complete(n) => n,
                httparse::Status::Partial if too_large => return Err(ParseError::HeadTooLarge),
                httparse::Status::Partial => return Ok(None),
            };
            let head = RequestHead {
                method: r.method.unwrap_or_default().to_string(),
                target: r.path.unwrap_or_default().to_string(),
                headers: own(r.headers),
            };
            (n, Event::Request(head))
        } else {
            let mut r = httparse::Response::new(&mut fields);
            let n = match r.parse(&self.buf).map_err(map)? {
                httparse::Status::Complete(n) => n,
                httparse::Status::Partial if too_large => return Err(ParseError::HeadTooLarge),
                httparse::Status::Partial => return Ok(None),
            };
            (n, Event::Response(ResponseHead { status: r.code.unwrap_or(0), headers: own(r.headers) }))
        };
        if n as u64 > self.limits.head {
            return Err(ParseError::HeadTooLarge);
        }
        let _ = self.buf.split_to(n);
        self.body = 0;
        self.chunked = false;
        let (headers, status) = match &event {
            Event::Request(h) => (&h.headers, None),
            Event::Response(h) => (&h.headers, Some(h.status)),
            _ => unreachable!("only heads here"),
        };
        let mut state = match (length(headers)?, status) {
            (Some(0), _) | (None, None) => State::Finish,
            (Some(n), _) => {
                if n > self.limits.body {
                    return Err(ParseError::BodyTooLarge);
                }
                State::Length(n)
            }
            (None, Some(_)) => State::UntilEof,
        };
        if let Some(coding) = header(headers, "transfer-encoding") {
            if !coding.trim().eq_ignore_ascii_case("chunked") {
                return Err(ParseError::TransferEncoding);
            }
            self.chunked = true;
            state = State::ChunkSize;
        }
        if let Some(status) = status {
            if bodyless(status) || self.no_body {
                state = State::Finish;
            }
            if status >= 200 {
                self.no_body = false;
            }
        }
        self.state = state;
        Ok(Some(event))
    }
}

fn own(fields: &[httparse::Header<'_>]) -> Headers {
    fields.iter().map(|h| (h.name.to_string(), String::from_utf8_lossy(h.value).into_owned())).collect()
}

fn length(headers: &Headers) -> Result<Option<u64>, ParseError> {
    let mut found = None;
    for (_, v) in headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case("content-length")) {
        let v = v.trim();
        if v.is_empty() || !v.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ParseError::ContentLength);
        }
        let n: u64 = v.parse().map_err(|_| ParseError::ContentLength)?;
        if found.is_some_and(|f| f != n) {
            return Err(ParseError::ContentLength);
        }
        found = Some(n);
    }
    Ok(found)
}

fn join(a: &Bytes, b: Bytes) -> Bytes {
    if a.is_empty() {
        return b;
    }
    let mut out = BytesMut::with_capacity(a.len() + b.len());
    out.extend_from_slice(a);
    out.extend_from_slice(&b);
    out.freeze()
}
