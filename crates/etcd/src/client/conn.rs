//! Connections: one to each endpoint, kept up by a task that dials again with grpc-go's backoff.
//!
//! ```text
//!   connecting ──ok──▶ ready ──lost──▶ connecting (at once)
//!       │ refused, timeout
//!       └──▶ failed, waits 1 s × 1.6ⁿ (±20 %, at most 120 s) ──▶ connecting
//! ```

use crate::http2;
use bytes::Bytes;
use core::cell::{Cell, RefCell};
use core::task::{Poll, Waker};
use core::time::Duration;
use futures::channel::mpsc;
use sim::{Conn, ConnectError, Ctx, Process, Rng, Sim};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use wire::grpc::{Frame, Headers, header, trailers_status};
use wire::rpc::{Code, Status};

/// First wait after a failed connection attempt (grpc-go `backoff.DefaultConfig`).
const BASE_DELAY: Duration = Duration::from_secs(1);
/// Longest wait.
const MAX_DELAY: Duration = Duration::from_secs(120);

enum State {
    Connecting,
    Ready(Rc<Channel>),
    Failed(String),
}

struct Endpoint {
    addr: String,
    state: State,
}

/// Every endpoint of a client with its connection.
pub(crate) struct Endpoints {
    pub(crate) sim: Sim,
    pub(crate) rng: Rng,
    list: RefCell<Vec<Endpoint>>,
    next: Cell<usize>,
    waiting: RefCell<Vec<Waker>>,
}

/// `host:port` of an endpoint that may be given as a URL.
pub(crate) fn address(endpoint: &str) -> String {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest).to_owned()
}

impl Endpoints {
    pub(crate) fn new(sim: &Sim, process: &Process, endpoints: Vec<String>) -> Rc<Endpoints> {
        let rng = sim.rng(&format!("etcd-client/{}", process.name()));
        let list: Vec<Endpoint> =
            endpoints.iter().map(|e| Endpoint { addr: address(e), state: State::Connecting }).collect();
        // grpc-go's round robin starts at a random place.
        let start = rng.below(list.len() as u64) as usize;
        let this = Rc::new(Endpoints {
            sim: sim.clone(),
            rng,
            list: RefCell::new(list),
            next: Cell::new(start),
            waiting: RefCell::default(),
        });
        for index in 0..this.list.borrow().len() {
            process.spawn(keep_connected(Rc::downgrade(&this), sim.clone(), process.clone(), index));
        }
        this
    }

    pub(crate) fn addresses(&self) -> Vec<String> {
        self.list.borrow().iter().map(|e| e.addr.clone()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.borrow().len()
    }

    pub(crate) fn error(&self) -> Option<String> {
        let list = self.list.borrow();
        if list.iter().any(|e| matches!(e.state, State::Ready(_))) {
            return None;
        }
        list.iter().rev().find_map(|e| match &e.state {
            State::Failed(text) => Some(text.clone()),
            _ => None,
        })
    }

    fn set(&self, index: usize, state: State) {
        let old = core::mem::replace(&mut self.list.borrow_mut()[index].state, state);
        drop(old);
        let waiting = core::mem::take(&mut *self.waiting.borrow_mut());
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The next connection in turn; waits until there is one (gRPC's wait-for-ready, which clientv3 turns on).
    pub(crate) async fn pick(&self) -> Rc<Channel> {
        core::future::poll_fn(|cx| {
            let list = self.list.borrow();
            for step in 0..list.len() {
                let i = (self.next.get() + step) % list.len();
                if let State::Ready(ch) = &list[i].state
                    && !ch.conn.is_closed()
                {
                    self.next.set((i + 1) % list.len());
                    return Poll::Ready(ch.clone());
                }
            }
            self.waiting.borrow_mut().push(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl Drop for Endpoints {
    fn drop(&mut self) {
        for e in self.list.get_mut() {
            if let State::Ready(ch) = &e.state {
                ch.conn.close();
            }
        }
    }
}

async fn keep_connected(endpoints: Weak<Endpoints>, sim: Sim, process: Process, index: usize) {
    let mut failures = 0u32;
    loop {
        let Some(addr) = endpoints.upgrade().map(|e| e.list.borrow()[index].addr.clone()) else { return };
        let attempt = sim.net().connect(&process, &addr).await;
        let Some(this) = endpoints.upgrade() else { return };
        match attempt {
            Ok(conn) => {
                failures = 0;
                let ch = Rc::new(Channel::new(conn, addr));
                this.set(index, State::Ready(ch.clone()));
                drop(this);
                ch.read().await;
                let Some(this) = endpoints.upgrade() else { return };
                this.set(index, State::Connecting);
            }
            Err(e) => {
                let why = match e {
                    ConnectError::Refused => "connect: connection refused",
                    ConnectError::Timeout => "i/o timeout",
                };
                let text = format!(
                    "connection error: desc = \"transport: Error while dialing: dial tcp {addr}: {why}\""
                );
                let mut delay = BASE_DELAY;
                for _ in 0..failures {
                    delay = (delay * 8 / 5).min(MAX_DELAY);
                }
                failures = (failures + 1).min(32);
                let jitter = this.rng.below(401) as u32; // 0.8 to 1.2
                let delay = delay * (800 + jitter) / 1000;
                this.set(index, State::Failed(text));
                drop(this);
                sim.sleep(delay).await;
            }
        }
    }
}

/// What arrives on one call.
pub(crate) enum Incoming {
    /// A part of the answer's messages, with the trace context beside it.
    Data(Bytes, Option<Ctx>),
    /// The call is over.
    End(Result<(), Status>),
}

/// One connection with the calls it carries.
pub(crate) struct Channel {
    conn: Conn,
    addr: String,
    next_stream: Cell<u32>,
    calls: RefCell<BTreeMap<u32, mpsc::UnboundedSender<Incoming>>>,
}

/// A call's place on its connection. Dropping it before the answer ended cancels the call at the server.
pub(crate) struct Call {
    channel: Rc<Channel>,
    stream: u32,
    pub(crate) incoming: mpsc::UnboundedReceiver<Incoming>,
    pub(crate) ended: Cell<bool>,
    half_closed: Cell<bool>,
}

impl Channel {
    fn new(conn: Conn, addr: String) -> Channel {
        Channel { conn, addr, next_stream: Cell::new(1), calls: RefCell::default() }
    }

    pub(crate) fn authority(&self) -> &str {
        &self.addr
    }

    /// Opens a call: sends its HEADERS, and with `message` also the only message. `None` if the connection is gone, in which
    /// case nothing was sent.
    pub(crate) fn open(
        self: &Rc<Self>,
        headers: Headers,
        message: Option<Bytes>,
        ctx: Option<Ctx>,
    ) -> Option<Call> {
        let stream = self.next_stream.get();
        let mut frames = vec![Frame::Headers { stream, headers, end_stream: false }];
        let unary = message.is_some();
        if let Some(m) = message {
            frames.extend(Frame::data(stream, m, true));
        }
        self.conn.send_now(http2::join(&frames), ctx).ok()?;
        self.next_stream.set(stream + 2);
        let (tx, incoming) = mpsc::unbounded();
        self.calls.borrow_mut().insert(stream, tx);
        Some(Call {
            channel: self.clone(),
            stream,
            incoming,
            ended: Cell::new(false),
            half_closed: Cell::new(unary),
        })
    }

    /// Hands what arrives to the calls until the connection ends.
    async fn read(&self) {
        while let Some(frame) = self.conn.recv().await {
            let ctx = frame.ctx;
            let Ok(frames) = http2::split(frame.body) else { break };
            for f in frames {
                self.dispatch(f, ctx);
            }
        }
        self.conn.close();
        let calls = core::mem::take(&mut *self.calls.borrow_mut());
        for tx in calls.into_values() {
            let lost = Status::new(Code::Unavailable, "error reading from server: EOF");
            let _ = tx.unbounded_send(Incoming::End(Err(lost))); // the caller may have given up
        }
    }

    fn dispatch(&self, frame: Frame, ctx: Option<Ctx>) {
        let stream = frame.stream();
        let event = match frame {
            Frame::Data { data, .. } => Incoming::Data(data, ctx),
            Frame::Reset { code, .. } => Incoming::End(Err(Status::new(
                Code::Internal,
                format!("stream terminated by RST_STREAM with error code: {code}"),
            ))),
            Frame::Headers { headers, end_stream, .. } => match trailers_status(&headers) {
                Some(status) => Incoming::End(status),
                None if !end_stream && header(&headers, ":status") == Some("200") => return,
                None => Incoming::End(Err(Status::new(
                    Code::Internal,
                    "server closed the stream without sending trailers",
                ))),
            },
        };
        let ends = matches!(event, Incoming::End(_));
        let mut calls = self.calls.borrow_mut();
        if let Some(tx) = calls.get(&stream) {
            let _ = tx.unbounded_send(event); // the caller may have given up
        }
        if ends {
            calls.remove(&stream);
        }
    }
}

impl Call {
    /// Sends a message's bytes.
    pub(crate) fn send(&self, message: Bytes, ctx: Option<Ctx>) -> Result<(), Status> {
        let frames = Frame::data(self.stream, message, false);
        self.channel
            .conn
            .send_now(http2::join(&frames), ctx)
            .map_err(|_| Status::new(Code::Unavailable, "error reading from server: EOF"))
    }

    /// Says that no more messages follow.
    pub(crate) fn close_send(&self) {
        if !self.half_closed.replace(true) {
            let end = Frame::Data { stream: self.stream, data: Bytes::new(), end_stream: true };
            let _ = self.channel.conn.send_now(end.encode(), None); // the reader learns of a lost connection
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.channel.calls.borrow_mut().remove(&self.stream);
        if !self.ended.get() {
            let _ = self.channel.conn.send_now(Frame::cancel(self.stream).encode(), None); // nothing to cancel then
        }
    }
}
