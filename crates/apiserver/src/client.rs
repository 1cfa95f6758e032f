//! An HTTP client on the simulated network: what kubectl, the controllers and curl send their requests with.
//!
//! Every call opens a connection of its own, as a client without a connection pool does; the request travels as HTTP/1.1
//! text. TLS is not modelled here.

use bytes::Bytes;
use sim::{Conn, ConnectError, Ctx, Process, Sim};
use std::collections::VecDeque;
use wire::http::{Event, Limits, ParseError, Parser, Request, Response, ResponseHead};

pub use crate::authn::CERTIFICATE_SUBJECT;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens, or the link is cut.
    #[error("dial tcp {addr}: {}", connect_text(*.error))]
    Connect {
        /// Where to.
        addr: String,
        /// Why.
        error: ConnectError,
    },
    /// The server closed the connection before it answered.
    #[error("EOF")]
    Closed,
    /// The answer is no HTTP.
    #[error("{0}")]
    Parse(#[from] ParseError),
}

fn connect_text(e: ConnectError) -> &'static str {
    match e {
        ConnectError::Refused => "connect: connection refused",
        ConnectError::Timeout => "i/o timeout",
    }
}

/// A client that runs in a process and talks to one address.
#[derive(Clone)]
pub struct HttpClient {
    sim: Sim,
    process: Process,
    addr: String,
    headers: Vec<(String, String)>,
}

impl HttpClient {
    /// A client for `addr` (`127.0.0.1:6443`).
    pub fn new(sim: &Sim, process: &Process, addr: &str) -> HttpClient {
        HttpClient { sim: sim.clone(), process: process.clone(), addr: addr.to_owned(), headers: Vec::new() }
    }

    /// The same client, which adds a header to every request that does not have it.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> HttpClient {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same client, with the subject of its certificate: `CN=kubernetes-admin,O=system:masters`.
    #[must_use]
    pub fn with_certificate(self, subject: &str) -> HttpClient {
        self.with_header(CERTIFICATE_SUBJECT, subject)
    }

    /// The address it talks to.
    pub fn addr(&self) -> &str {
        &self.addr
    }

    async fn send(&self, ctx: Option<Ctx>, mut req: Request) -> Result<Conn, ClientError> {
        if req.header("host").is_none() {
            req.headers.insert(0, ("Host".to_owned(), self.addr.clone()));
        }
        for (n, v) in &self.headers {
            if req.header(n).is_none() {
                req.headers.push((n.clone(), v.clone()));
            }
        }
        let conn = self
            .sim
            .net()
            .connect(&self.process, &self.addr)
            .await
            .map_err(|error| ClientError::Connect { addr: self.addr.clone(), error })?;
        conn.send(req.encode(), ctx).await.map_err(|_| ClientError::Closed)?;
        Ok(conn)
    }

    /// Sends a request and reads the whole answer.
    pub async fn request(&self, ctx: Option<Ctx>, req: Request) -> Result<Response, ClientError> {
        let mut stream = self.stream(ctx, req).await?;
        let mut body = Vec::new();
        while let Some(part) = stream.next().await? {
            body.extend_from_slice(&part);
        }
        let head = stream.head;
        Ok(Response { status: head.status, headers: head.headers, body: body.into() })
    }

    /// Sends a request and reads the head of the answer; the body comes in parts as it arrives.
    pub async fn stream(&self, ctx: Option<Ctx>, req: Request) -> Result<ResponseStream, ClientError> {
        let head_only = req.method == "HEAD";
        let conn = self.send(ctx, req).await?;
        let mut parser = Parser::responses(Limits::default());
        if head_only {
            parser.expect_no_body();
        }
        let mut parts = VecDeque::new();
        let mut ended = false;
        loop {
            while let Some(e) = parser.next_event()? {
                match e {
                    Event::Response(head) => {
                        return ResponseStream { conn, parser, head, parts, ended, last: None }.settled();
                    }
                    Event::Body(b) => parts.push_back(b),
                    Event::End => ended = true,
                    Event::Request(_) => {}
                }
            }
            match conn.recv().await {
                Some(frame) => parser.push(&frame.body),
                None => return Err(ClientError::Closed),
            }
        }
    }
}

/// An answer whose body is still coming.
pub struct ResponseStream {
    conn: Conn,
    parser: Parser,
    /// Status and header fields.
    pub head: ResponseHead,
    parts: VecDeque<Bytes>,
    ended: bool,
    last: Option<Ctx>,
}

impl ResponseStream {
    fn settled(self) -> Result<ResponseStream, ClientError> {
        Ok(self)
    }

    /// The context of the frame that came last: for a watch, the write that caused the event.
    pub fn last_ctx(&self) -> Option<Ctx> {
        self.last
    }

    /// The next part of the body; `None` at its end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ClientError> {
        loop {
            if let Some(b) = self.parts.pop_front() {
                return Ok(Some(b));
            }
            if self.ended {
                return Ok(None);
            }
            while let Some(e) = self.parser.next_event()? {
                match e {
                    Event::Body(b) => self.parts.push_back(b),
                    Event::End => self.ended = true,
                    Event::Request(_) | Event::Response(_) => {}
                }
            }
            if !self.parts.is_empty() || self.ended {
                continue;
            }
            match self.conn.recv().await {
                Some(frame) => {
                    self.last = frame.ctx;
                    self.parser.push(&frame.body);
                }
                None => {
                    self.parser.push_eof();
                    while let Some(e) = self.parser.next_event()? {
                        if let Event::Body(b) = e {
                            self.parts.push_back(b);
                        }
                    }
                    self.ended = true;
                }
            }
        }
    }

    /// Ends it.
    pub fn close(&self) {
        self.conn.close();
    }
}
