//! Ordered streams: listening, connecting, sending frames, breaking.
//!
//! Each direction of a connection is a queue of frames. A frame arrives one link latency after it was sent and never
//! before an earlier one. While the link is cut, frames wait at the sender and leave in order when it heals.

use super::Net;
use crate::{Ctx, Process, Sim, Time, process::ProcId};
use bytes::Bytes;
use core::task::{Poll, Waker};
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// How long a connection attempt over a cut link waits before it gives up (Linux: a SYN is repeated; clients stop sooner).
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// A message of a stream: bytes, and beside them the trace context of the request it belongs to.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What was sent. One `send` is one frame; a receiver that parses a text protocol joins them.
    pub body: Bytes,
    /// Trace context, carried out of band: it is not part of what was sent.
    pub ctx: Option<Ctx>,
}

/// The stream was closed by either side, or its peer crashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection closed")]
pub struct Closed;

/// Why a connection could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens there.
    #[error("connection refused")]
    Refused,
    /// The link is cut and did not heal in time.
    #[error("i/o timeout")]
    Timeout,
}

#[derive(Default)]
pub(super) struct Streams {
    listeners: BTreeMap<String, ListenerState>,
    conns: BTreeMap<u64, ConnState>,
    /// Wakers of connection attempts that wait for a link.
    dialing: BTreeMap<(String, String), Vec<Waker>>,
}

struct ListenerState {
    process: Process,
    id: u64,
    backlog: VecDeque<Conn>,
    waker: Option<Waker>,
}

struct ConnState {
    /// The dialing side, then the listening side.
    ends: [End; 2],
}

struct End {
    process: Process,
    /// Frames that have arrived here.
    arrived: VecDeque<Frame>,
    /// Frames sent from here that wait for a cut link.
    waiting: VecDeque<Frame>,
    /// No frame sent from here may arrive before this.
    not_before: Time,
    /// The other side will send no more.
    eof: bool,
    /// This side closed, or its process crashed.
    closed: bool,
    waker: Option<Waker>,
}

impl End {
    fn new(process: Process) -> End {
        End {
            process,
            arrived: VecDeque::new(),
            waiting: VecDeque::new(),
            not_before: Time::ZERO,
            eof: false,
            closed: false,
            waker: None,
        }
    }
}

/// A listening address. Dropping it stops listening.
pub struct Listener {
    sim: Sim,
    addr: String,
    id: u64,
}

/// One side of an established stream. Clones are the same side; it closes when the last clone is dropped.
#[derive(Clone)]
pub struct Conn(Rc<ConnHandle>);

struct ConnHandle {
    sim: Sim,
    id: u64,
    side: usize,
    peer: Rc<str>,
}

impl Net {
    /// Starts to listen on `addr` (`host:port`); an earlier listener there is replaced.
    pub fn listen(&self, process: &Process, addr: &str) -> Listener {
        let id = self.0.next_sequence();
        let state = ListenerState { process: process.clone(), id, backlog: VecDeque::new(), waker: None };
        let old = self.0.0.net.borrow_mut().streams.listeners.insert(addr.to_owned(), state);
        drop(old);
        Listener { sim: self.0.clone(), addr: addr.to_owned(), id }
    }

    /// Whether anybody listens on `addr`.
    pub fn listening(&self, addr: &str) -> bool {
        self.0.0.net.borrow().streams.listeners.contains_key(addr)
    }

    /// Connects to `addr`; takes one round trip.
    pub async fn connect(&self, process: &Process, addr: &str) -> Result<Conn, ConnectError> {
        let sim = &self.0;
        let deadline = sim.now() + CONNECT_TIMEOUT;
        loop {
            let target = sim.0.net.borrow().streams.listeners.get(addr).map(|l| l.process.clone());
            let Some(server) = target else {
                sim.sleep(self.latency(process.name(), "")).await;
                return Err(ConnectError::Refused);
            };
            let (from, to) = (process.name().to_owned(), server.name().to_owned());
            if self.link(&from, &to).cut || self.link(&to, &from).cut {
                let left = deadline.since(sim.now());
                if left.is_zero() || sim.timeout(left, self.healed(&from, &to)).await.is_err() {
                    return Err(ConnectError::Timeout);
                }
                continue;
            }
            sim.sleep(self.latency(&from, &to) + self.latency(&to, &from)).await;
            let mut net = sim.0.net.borrow_mut();
            let Some(listener) = net.streams.listeners.get_mut(addr) else {
                return Err(ConnectError::Refused);
            };
            let id = sim.next_sequence();
            let handle = |side, peer: &str| {
                Conn(Rc::new(ConnHandle { sim: sim.clone(), id, side, peer: peer.into() }))
            };
            listener.backlog.push_back(handle(1, &from));
            let waker = listener.waker.take();
            let ends = [End::new(process.clone()), End::new(listener.process.clone())];
            net.streams.conns.insert(id, ConnState { ends });
            drop(net);
            if let Some(w) = waker {
                w.wake();
            }
            return Ok(handle(0, &to));
        }
    }

    /// Completes when neither direction between two processes is cut.
    async fn healed(&self, a: &str, b: &str) {
        core::future::poll_fn(|cx| {
            let Some((from, to)) = [(a, b), (b, a)].into_iter().find(|(f, t)| self.link(f, t).cut) else {
                return Poll::Ready(());
            };
            let mut net = self.0.0.net.borrow_mut();
            net.streams.dialing.entry((from.to_owned(), to.to_owned())).or_default().push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// After a heal: sends what waited and lets connection attempts go on.
    pub(super) fn release_streams(&self, from: &str, to: &str) {
        let (wakers, waiting) = {
            let mut net = self.0.0.net.borrow_mut();
            let wakers = net.streams.dialing.remove(&(from.to_owned(), to.to_owned())).unwrap_or_default();
            let mut waiting = Vec::new();
            for (id, conn) in &mut net.streams.conns {
                for side in 0..2 {
                    if conn.ends[side].process.name() == from && conn.ends[1 - side].process.name() == to {
                        waiting.push((*id, side, core::mem::take(&mut conn.ends[side].waiting)));
                    }
                }
            }
            (wakers, waiting)
        };
        wakers.into_iter().for_each(Waker::wake);
        for (id, side, frames) in waiting {
            for frame in frames {
                self.transmit(id, side, Some(frame));
            }
        }
    }

    /// Sends a frame (or, with `None`, the end of the stream) from `side`.
    fn transmit(&self, id: u64, side: usize, frame: Option<Frame>) {
        let names = {
            let net = self.0.0.net.borrow();
            let Some(c) = net.streams.conns.get(&id) else { return };
            (c.ends[side].process.name().to_owned(), c.ends[1 - side].process.name().to_owned())
        };
        let cut = self.link(&names.0, &names.1).cut;
        let latency = self.latency(&names.0, &names.1);
        let at = {
            let mut net = self.0.0.net.borrow_mut();
            let Some(c) = net.streams.conns.get_mut(&id) else { return };
            let end = &mut c.ends[side];
            if cut && let Some(frame) = frame {
                end.waiting.push_back(frame);
                return;
            }
            let at = (self.0.now() + latency).max(end.not_before);
            end.not_before = at;
            at
        };
        self.0.call_at(at, move |sim| arrive(sim, id, 1 - side, frame));
    }

    pub(super) fn close_streams_of(&self, process: &Process) {
        let (closing, gone) = {
            let mut net = self.0.0.net.borrow_mut();
            let of = |id: ProcId| id == process.id;
            let addrs: Vec<String> = net
                .streams
                .listeners
                .iter()
                .filter(|(_, l)| of(l.process.id))
                .map(|(a, _)| a.clone())
                .collect();
            let gone: Vec<_> = addrs.iter().filter_map(|a| net.streams.listeners.remove(a)).collect();
            let mut closing = Vec::new();
            for (id, c) in &mut net.streams.conns {
                for side in 0..2 {
                    if of(c.ends[side].process.id) && !c.ends[side].closed {
                        c.ends[side].closed = true;
                        closing.push((*id, side));
                    }
                }
            }
            (closing, gone)
        };
        drop(gone);
        for (id, side) in closing {
            self.transmit(id, side, None);
        }
    }
}

fn arrive(sim: &Sim, id: u64, side: usize, frame: Option<Frame>) {
    let waker = {
        let mut net = sim.0.net.borrow_mut();
        let Some(c) = net.streams.conns.get_mut(&id) else { return };
        let end = &mut c.ends[side];
        match frame {
            Some(f) if !end.closed => end.arrived.push_back(f),
            Some(_) => return,
            None => end.eof = true,
        }
        end.waker.take()
    };
    if let Some(w) = waker {
        w.wake();
    }
}

impl Listener {
    /// The next connection; `None` once the listener was replaced or its process crashed.
    pub async fn accept(&self) -> Option<Conn> {
        core::future::poll_fn(|cx| {
            let mut net = self.sim.0.net.borrow_mut();
            match net.streams.listeners.get_mut(&self.addr) {
                Some(l) if l.id == self.id => match l.backlog.pop_front() {
                    Some(c) => Poll::Ready(Some(c)),
                    None => {
                        l.waker = Some(cx.waker().clone());
                        Poll::Pending
                    }
                },
                _ => Poll::Ready(None),
            }
        })
        .await
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let old = {
            let mut net = self.sim.0.net.borrow_mut();
            match net.streams.listeners.get(&self.addr) {
                Some(l) if l.id == self.id => net.streams.listeners.remove(&self.addr),
                _ => None,
            }
        };
        drop(old);
    }
}

impl Conn {
    /// Sends one frame. Never waits for the receiver.
    pub async fn send(&self, body: Bytes, ctx: Option<Ctx>) -> Result<(), Closed> {
        self.send_now(body, ctx)
    }

    /// [`Conn::send`] for callers that are not async.
    pub fn send_now(&self, body: Bytes, ctx: Option<Ctx>) -> Result<(), Closed> {
        let h = &self.0;
        {
            let net = h.sim.0.net.borrow();
            let end = &net.streams.conns.get(&h.id).ok_or(Closed)?.ends[h.side];
            if end.closed || end.eof {
                return Err(Closed);
            }
        }
        h.sim.net().transmit(h.id, h.side, Some(Frame { body, ctx }));
        Ok(())
    }

    /// The next frame; `None` once the other side closed or crashed and everything it sent before was read.
    pub async fn recv(&self) -> Option<Frame> {
        core::future::poll_fn(|cx| {
            let h = &self.0;
            let mut net = h.sim.0.net.borrow_mut();
            let Some(c) = net.streams.conns.get_mut(&h.id) else { return Poll::Ready(None) };
            let end = &mut c.ends[h.side];
            if let Some(f) = end.arrived.pop_front() {
                return Poll::Ready(Some(f));
            }
            if end.eof || end.closed {
                return Poll::Ready(None);
            }
            end.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Closes the stream: the other side reads what was sent, then its end.
    pub fn close(&self) {
        self.0.close();
    }

    /// Whether either side closed.
    pub fn is_closed(&self) -> bool {
        let net = self.0.sim.0.net.borrow();
        net.streams
            .conns
            .get(&self.0.id)
            .is_none_or(|c| c.ends[self.0.side].closed || c.ends[self.0.side].eof)
    }

    /// Name of the process at the other side.
    pub fn peer(&self) -> &str {
        &self.0.peer
    }
}

impl ConnHandle {
    fn close(&self) {
        let waker = {
            let mut net = self.sim.0.net.borrow_mut();
            let Some(c) = net.streams.conns.get_mut(&self.id) else { return };
            let end = &mut c.ends[self.side];
            if end.closed {
                return;
            }
            end.closed = true;
            end.waker.take()
        };
        if let Some(w) = waker {
            w.wake();
        }
        self.sim.net().transmit(self.id, self.side, None);
    }
}

impl Drop for ConnHandle {
    fn drop(&mut self) {
        self.close();
        let gone = {
            let mut net = self.sim.0.net.borrow_mut();
            let both = net.streams.conns.get(&self.id).is_some_and(|c| c.ends.iter().all(|e| e.closed));
            if both { net.streams.conns.remove(&self.id) } else { None }
        };
        drop(gone);
    }
}
