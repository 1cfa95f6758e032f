//! Linearizable reads without a log entry: a read waits until a majority confirmed, by answering a heartbeat that carries
//! the read's context, that its leader still led when the read arrived (etcd: raft/read_only.go).

use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use wire::raftpb::Message;

pub(crate) struct ReadStatus {
    pub(crate) request: Message,
    /// Commit index when the read arrived: what must be applied before it is answered.
    pub(crate) index: u64,
    pub(crate) acks: BTreeSet<u64>,
}

#[derive(Default)]
pub(crate) struct ReadOnly {
    pending: BTreeMap<Bytes, ReadStatus>,
    queue: VecDeque<Bytes>,
}

/// The context a read request carries.
pub(crate) fn context(m: &Message) -> Bytes {
    m.entries.first().and_then(|e| e.data.clone()).unwrap_or_default()
}

impl ReadOnly {
    pub(crate) fn add(&mut self, index: u64, request: Message) {
        let ctx = context(&request);
        if self.pending.contains_key(&ctx) {
            return;
        }
        self.pending.insert(ctx.clone(), ReadStatus { request, index, acks: BTreeSet::new() });
        self.queue.push_back(ctx);
    }

    /// Notes that `from` confirmed; who has, so far.
    pub(crate) fn ack(&mut self, from: u64, ctx: &Bytes) -> Option<&BTreeSet<u64>> {
        let s = self.pending.get_mut(ctx)?;
        s.acks.insert(from);
        Some(&s.acks)
    }

    /// The read with this context and all before it are confirmed.
    pub(crate) fn advance(&mut self, ctx: &Bytes) -> Vec<ReadStatus> {
        let Some(at) = self.queue.iter().position(|c| c == ctx) else { return Vec::new() };
        self.queue.drain(..=at).filter_map(|c| self.pending.remove(&c)).collect()
    }

    pub(crate) fn last_context(&self) -> Option<Bytes> {
        self.queue.back().cloned()
    }
}
