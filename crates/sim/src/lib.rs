//! The simulated machine under the world: one clock, one executor, seeded randomness, a network, disks and a trace.
//!
//! A world is a pure function of its seed, its configuration and its inputs. That holds because everything that could
//! differ between two runs lives here and nowhere else:
//!
//! ```text
//!              ready queue (FIFO)        timers (time, sequence)
//!   step():  ── poll the first task ──▶ … empty? … ── advance the clock to the first timer, fire it
//! ```
//!
//! One `step` is one *event*: a task polled once, or a timer fired. Events are numbered from 1, and an input enters the
//! world between two events, so "the same inputs at the same event indexes" is a complete description of a run.
//! Time moves only when nothing is ready; an hour of sleeping costs nothing.
//!
//! Futures run on one thread and need not be `Send`. Wakers only push a task id onto the ready queue, so the order of
//! polling is the order of waking.

mod disk;
mod executor;
mod latency;
mod net;
mod process;
mod rng;
mod time;
mod trace;

pub use core::time::Duration;
pub use disk::Disk;
pub use executor::{Elapsed, Sim, Sleep, Yield};
pub use latency::{Latencies, Latency};
pub use net::{
    Closed, Conn, ConnectError, Frame, Held, HoldRule, Inbox, LinkState, Listener, MessageFate,
    MessageRecord, Net, Packet,
};
pub use process::{Process, Task};
pub use rng::Rng;
pub use time::{EPOCH_UNIX_NANOS, Time};
pub use trace::{
    Ctx, Detail, Hold, Span, SpanId, SpanRecord, StageEvent, Station, Trace, TraceId, TraceRecord,
};

#[cfg(test)]
mod tests;
