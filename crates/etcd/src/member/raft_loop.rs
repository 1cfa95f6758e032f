//! The loops around the consensus: clock, messages in, and what each Ready asks for (etcd `server/etcdserver/raft.go`).
//!
//! Order of one Ready: leader and role are noted; committed entries go to the apply loop; a leader sends its messages; hard
//! state and entries are written to the WAL and synced; they join the log in memory; a follower sends its messages; advance.

use super::{Apply, ELECTION_TICKS, Member, TICK};
use crate::cluster::Shared;
use crate::wal::Wal;
use bytes::Bytes;
use core::time::Duration;
use futures::channel::mpsc;
use prost::Message as _;
use raft::{Ready, StateRole};
use sim::{Ctx, Inbox, Span, Station};
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::raftpb::{Entry, Message, MessageType};

/// Interval at which a starting member looks whether its peers are there.
const PEER_CHECK: Duration = Duration::from_millis(50);
/// Without a word for so long a connection counts as lost (etcd's `ConnReadTimeout`).
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// Entries kept in memory behind what every member has (`--snapshot-catchup-entries`).
const CATCH_UP_ENTRIES: u64 = 5000;
/// The log is shortened when it could lose more than so many entries.
const TRIM_EVERY: u64 = 100;

pub(super) async fn tick_loop(m: Rc<Member>) {
    let peers = m.shared.peers.len();
    m.check_peers();
    // A fresh member does not wait for a whole election timeout.
    if peers == 1 {
        for _ in 0..ELECTION_TICKS - 1 {
            m.node.borrow_mut().tick();
        }
    } else {
        let m = m.clone();
        let process = m.process.clone();
        process.spawn(async move {
            for _ in 0..READ_TIMEOUT.as_millis() / PEER_CHECK.as_millis() {
                m.sim.sleep(PEER_CHECK).await;
                m.check_peers();
                if m.peers.borrow().values().filter(|p| p.active_since.is_some()).count() > 1 {
                    for _ in 0..ELECTION_TICKS - 2 {
                        m.node.borrow_mut().tick();
                    }
                    m.raft.wake.notify();
                    return;
                }
            }
        });
    }
    loop {
        m.raft.wake.notify();
        m.sim.sleep(TICK).await;
        m.check_peers();
        m.node.borrow_mut().tick();
    }
}

pub(super) async fn inbox_loop(m: Rc<Member>, inbox: Inbox) {
    while let Some(packet) = inbox.recv().await {
        let len = packet.body.len() as u64;
        let Ok(mut msg) = Message::decode(packet.body) else { continue };
        *m.metrics.peer_received.borrow_mut().entry(msg.from).or_default() += len;
        if msg.kind() == MessageType::MsgApp {
            m.shared.share_payloads(&mut msg.entries);
        }
        // What is refused (a proposal without leader) is lost, as on a network; whoever proposed it will time out.
        let _ = m.node.borrow_mut().step(msg);
        m.raft.wake.notify();
    }
}

pub(super) async fn raft_loop(m: Rc<Member>, mut wal: Wal, apply: mpsc::UnboundedSender<Apply>) {
    let mut quorum: BTreeMap<u64, Span> = BTreeMap::new();
    let mut seen = 0;
    loop {
        while m.node.borrow().has_ready() {
            let rd = m.node.borrow_mut().ready();
            handle(&m, &mut wal, &apply, &mut quorum, rd).await;
        }
        seen = m.raft.wake.past(seen).await;
    }
}

async fn handle(
    m: &Rc<Member>,
    wal: &mut Wal,
    apply: &mpsc::UnboundedSender<Apply>,
    quorum: &mut BTreeMap<u64, Span>,
    rd: Ready,
) {
    if let Some(soft) = rd.soft_state {
        let new_leader = soft.lead != raft::NONE && soft.lead != m.raft.lead.get();
        m.raft.lead.set(soft.lead);
        m.raft.role.set(soft.role);
        if new_leader {
            m.metrics.leader_changes.inc();
        }
        if soft.role == StateRole::Leader {
            if new_leader {
                m.raft.elected_at.set(Some(m.sim.now()));
            }
        } else {
            quorum.clear();
            m.store.borrow_mut().lessor_mut().demote();
        }
        if new_leader {
            m.raft.leader_changed.notify();
        }
        m.raft.soft.notify();
    }
    if let Some(rs) = rd.read_states.into_iter().last() {
        m.read.push(rs);
    }
    if let Some(last) = rd.committed_entries.last() {
        m.raft.committed.set(m.raft.committed.get().max(last.index));
        let waiting = quorum.split_off(&(last.index + 1));
        for (index, span) in core::mem::replace(quorum, waiting) {
            span.set("index", index.to_string());
            let ctx = span.ctx();
            span.end();
            let commit = m.sim.trace().span(&ctx, Station::Commit.name(), Some(Station::Commit), m.name());
            commit.set("commit", last.index.to_string());
            // It ends when the apply loop takes the entry up.
            m.commit_spans.borrow_mut().insert(index, commit);
        }
        let _ = apply.unbounded_send(rd.committed_entries); // the apply loop lives as long as this one
    }
    let leads = m.is_leader();
    let append = begin_append(m, &rd.entries, leads);
    if leads {
        begin_quorum(m, &rd.entries, quorum);
        send(m, rd.messages.clone());
    }
    if rd.hard_state.is_some() || !rd.entries.is_empty() {
        m.metrics.wal_bytes.add(wal.save(rd.hard_state, &rd.entries));
        if rd.must_sync {
            let start = m.sim.now();
            wal.sync().await;
            m.metrics.wal_fsync.observe(m.sim.now() - start);
        }
    }
    for (i, span) in append {
        span.after_with(|| wal.entry_frame(&rd.entries[i]));
        span.set("file", wal.file());
        span.end();
    }
    if let Some(hs) = rd.hard_state {
        m.storage.set_hard_state(hs);
    }
    m.storage.append(&rd.entries);
    if !leads {
        send(m, rd.messages);
    }
    m.node.borrow_mut().advance();
    if wal.is_full() {
        let last = m.storage.last_index();
        let term = m.storage.term(last).unwrap_or_default();
        let conf = m.conf_state.borrow().clone();
        wal.cut(term, &conf).await;
    }
    trim(m, wal);
}

/// Spans of followed entries that are about to be written. The leader's was opened where the request waited to be appended.
fn begin_append(m: &Member, entries: &[Entry], leads: bool) -> Vec<(usize, Span)> {
    let mut out = Vec::new();
    for (i, e) in entries.iter().enumerate() {
        let Some((id, ctx)) = m.shared.followed(e) else { continue };
        let waiting = if leads { m.shared.append_spans.borrow_mut().remove(&id) } else { None };
        let span = waiting.unwrap_or_else(|| {
            m.sim.trace().span(&ctx, Station::Append.name(), Some(Station::Append), m.name())
        });
        span.before(e.data.clone().unwrap_or_default());
        span.set("role", if leads { "leader" } else { "follower" });
        span.set("term", e.term.to_string());
        span.set("index", e.index.to_string());
        out.push((i, span));
    }
    out
}

/// Spans that end when a majority has the entry.
fn begin_quorum(m: &Member, entries: &[Entry], quorum: &mut BTreeMap<u64, Span>) {
    for e in entries {
        if let Some((_, ctx)) = m.shared.followed(e) {
            let span = m.sim.trace().span(&ctx, Station::Quorum.name(), Some(Station::Quorum), m.name());
            span.set("needs", (m.shared.peers.len() / 2 + 1).to_string());
            quorum.insert(e.index, span);
        }
    }
}

/// Sends messages. Of several acknowledgements to the leader only the last goes out, as in etcd.
fn send(m: &Member, messages: Vec<Message>) {
    let last_ack = messages.iter().rposition(|msg| msg.kind() == MessageType::MsgAppResp);
    for (i, msg) in messages.into_iter().enumerate() {
        let kind = msg.kind();
        if kind == MessageType::MsgAppResp && Some(i) != last_ack {
            continue;
        }
        let Some(peer) = m.shared.peers.iter().find(|p| p.id == msg.to) else { continue };
        let mut ctx: Option<Ctx> = None;
        if kind == MessageType::MsgApp {
            m.shared.note_payloads(&msg.entries);
            ctx = msg.entries.iter().rev().find_map(|e| m.shared.followed(e)).map(|(_, ctx)| ctx);
        }
        let body: Bytes = msg.encode_to_vec().into();
        *m.metrics.peer_sent.borrow_mut().entry(peer.id).or_default() += body.len() as u64;
        m.sim.net().send(m.name(), &peer.name, kind.name(), body, ctx);
        if !peer.process.alive() {
            m.node.borrow_mut().report_unreachable(peer.id);
        }
    }
}

/// Forgets entries that every member has applied and written. This takes the place of snapshots, which are not modelled here:
/// a real leader would forget earlier and send its whole backend to who is too far behind.
fn trim(m: &Member, wal: &mut Wal) {
    let everywhere = m.shared.durable.iter().map(core::cell::Cell::get).min().unwrap_or(0);
    let index = everywhere.saturating_sub(CATCH_UP_ENTRIES);
    if index > m.log_release.get() + TRIM_EVERY && index >= m.storage.first_index() {
        m.log_release.set(index);
        // The index lies between the first and the last entry, so it can be given up.
        let _ = m.storage.compact(index);
        wal.release(index);
    }
}

impl Member {
    /// Notes which other members can be reached: their process runs, and the link was not cut for long.
    fn check_peers(&self) {
        let now = self.sim.now();
        let net = self.sim.net();
        let mut peers = self.peers.borrow_mut();
        for p in self.shared.peers.iter().filter(|p| p.id != self.id) {
            let state = peers.entry(p.id).or_default();
            let cut = net.link(self.name(), &p.name).cut || net.link(&p.name, self.name()).cut;
            state.cut_since = if cut { state.cut_since.or(Some(now)) } else { None };
            let lost = state.cut_since.is_some_and(|t| now - t > READ_TIMEOUT);
            let reachable = p.process.alive() && !lost && !(cut && state.active_since.is_none());
            state.active_since = if reachable { state.active_since.or(Some(now)) } else { None };
        }
    }
}

impl Shared {
    /// The request id of an entry and the trace context it is followed in, if it is.
    pub(crate) fn followed(&self, e: &Entry) -> Option<(u64, Ctx)> {
        let trace = self.sim.trace();
        if trace.detail() == sim::Detail::Off {
            return None;
        }
        let id = request_id(e.payload())?;
        trace.linked(id).map(|ctx| (id, ctx))
    }
}

/// The id in the header (field 100) of an encoded InternalRaftRequest, found without decoding the operation.
pub(crate) fn request_id(mut b: &[u8]) -> Option<u64> {
    while !b.is_empty() {
        let key = prost::encoding::decode_varint(&mut b).ok()?;
        match key & 7 {
            0 => {
                prost::encoding::decode_varint(&mut b).ok()?;
            }
            2 => {
                let len = usize::try_from(prost::encoding::decode_varint(&mut b).ok()?).ok()?;
                let (part, rest) = b.split_at_checked(len)?;
                if key >> 3 == 100 {
                    let header = wire::etcdserverpb::RequestHeader::decode(part).ok()?;
                    return Some(header.id);
                }
                b = rest;
            }
            _ => return None,
        }
    }
    None
}
