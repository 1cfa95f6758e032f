//! The network between processes: links with faults, ordered streams and single messages.
//!
//! Two ways to talk, as in life:
//! * a [`Conn`] is an ordered, reliable stream with message boundaries (gRPC, HTTP). A cut link delays it; a crash breaks it.
//! * a [`Packet`] is one message between two members (Raft). A cut or lossy link loses it; it can be duplicated, late, held.
//!
//! A link is a pair of process names in one direction. Every rule on links is an input of the world.

mod packet;
mod stream;

pub use packet::{Held, HoldRule, Inbox, MessageFate, MessageRecord, Packet};
pub use stream::{Closed, Conn, ConnectError, Frame, Listener};

use crate::{Latency, Process, Sim};
use core::time::Duration;
use std::collections::BTreeMap;

/// The state of one direction of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkState {
    /// Nothing passes.
    pub cut: bool,
    /// Added to the link's own latency.
    pub delay: Duration,
    /// Messages lost, in millionths (streams are not affected: their transport repeats).
    pub loss: u32,
    /// Messages delivered twice, in millionths.
    pub duplicate: u32,
    /// Messages that may overtake earlier ones, in millionths.
    pub reorder: u32,
}

#[derive(Default)]
pub(crate) struct NetState {
    links: BTreeMap<(String, String), LinkState>,
    streams: stream::Streams,
    packets: packet::Packets,
}

/// A handle to the network. Clones refer to the same network.
#[derive(Clone)]
pub struct Net(pub(crate) Sim);

impl Net {
    /// The state of the link from `from` to `to`.
    pub fn link(&self, from: &str, to: &str) -> LinkState {
        self.0.0.net.borrow().links.get(&(from.to_owned(), to.to_owned())).cloned().unwrap_or_default()
    }

    /// Changes one direction of a link. Healing a cut releases the streams that waited for it.
    pub fn set_link(&self, from: &str, to: &str, state: LinkState) {
        let healed = {
            let mut net = self.0.0.net.borrow_mut();
            let key = (from.to_owned(), to.to_owned());
            let was_cut = net.links.get(&key).is_some_and(|l| l.cut);
            let healed = was_cut && !state.cut;
            if state == LinkState::default() {
                net.links.remove(&key);
            } else {
                net.links.insert(key, state);
            }
            healed
        };
        if healed {
            self.release_streams(from, to);
        }
    }

    /// Cuts both directions between two processes.
    pub fn cut(&self, a: &str, b: &str) {
        for (from, to) in [(a, b), (b, a)] {
            self.set_link(from, to, LinkState { cut: true, ..self.link(from, to) });
        }
    }

    /// Heals both directions between two processes.
    pub fn heal(&self, a: &str, b: &str) {
        for (from, to) in [(a, b), (b, a)] {
            self.set_link(from, to, LinkState { cut: false, ..self.link(from, to) });
        }
    }

    /// Every link whose state is not the default, with its state.
    pub fn links(&self) -> Vec<(String, String, LinkState)> {
        self.0.0.net.borrow().links.iter().map(|((f, t), s)| (f.clone(), t.clone(), s.clone())).collect()
    }

    fn latency(&self, from: &str, to: &str) -> Duration {
        let is_member = |n: &str| {
            n.strip_prefix('m').is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
        };
        let what = match (is_member(from), is_member(to)) {
            (true, true) => Latency::PeerLink,
            (false, false) => Latency::ClientLink,
            _ => Latency::EtcdLink,
        };
        self.0.with_latencies(|l| l.of(what)) + self.link(from, to).delay
    }

    /// Breaks everything `process` holds on the network.
    pub(crate) fn disconnect(&self, process: &Process) {
        self.close_streams_of(process);
        self.unbind_all(process);
    }
}
