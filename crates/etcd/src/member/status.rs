//! A look at a member for drawings: role, term, indexes, the end of its log, what a leader knows of the others.

use super::Member;
use prost::Message as _;
use raft::{ProgressState, StateRole};
use wire::etcdserverpb::{InternalRaftRequest, RequestOp, TxnRequest, request_op};
use wire::raftpb::{ConfChange, ENTRY_CONF_CHANGE, Entry};

/// See the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberStatus {
    /// Name of the member and of its process.
    pub name: String,
    /// Id.
    pub id: u64,
    /// Whether its process runs.
    pub alive: bool,
    /// Whether it is frozen.
    pub paused: bool,
    /// Role.
    pub role: StateRole,
    /// Current term.
    pub term: u64,
    /// Who got its vote in that term; 0: nobody.
    pub vote: u64,
    /// The leader it knows; 0: none.
    pub lead: u64,
    /// Last index known to be committed.
    pub commit: u64,
    /// Last index applied.
    pub applied: u64,
    /// Index of the first entry in memory.
    pub first_index: u64,
    /// Index of the last entry.
    pub last_index: u64,
    /// Last index whose rows are in the backend and durable.
    pub consistent_index: u64,
    /// Revision of its store.
    pub revision: i64,
    /// Compaction revision; -1: none.
    pub compact_revision: i64,
    /// Ticks since it heard of a leader, and ticks after which it starts an election.
    pub election_timer: (u32, u32),
    /// Who it gives leadership to; 0: nobody.
    pub lead_transferee: u64,
    /// On a leader: the others.
    pub progress: Vec<FollowerView>,
    /// The end of its log.
    pub log: Vec<EntryView>,
    /// Estimated bytes of its backend, and those in use.
    pub db_size: (u64, u64),
}

/// What a leader knows of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowerView {
    /// Its id.
    pub id: u64,
    /// Highest index known to be in its log.
    pub matched: u64,
    /// Next index to send.
    pub next: u64,
    /// How it is sent to.
    pub state: ProgressState,
    /// Appends on their way.
    pub inflight: u64,
    /// Whether it was heard of since the last check.
    pub recent_active: bool,
}

/// One entry of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryView {
    /// Index.
    pub index: u64,
    /// Term.
    pub term: u64,
    /// Bytes of its payload.
    pub bytes: u64,
    /// What it is, in a few words.
    pub summary: String,
}

impl Member {
    /// The state now, with at most `window` entries of the log's end.
    pub(crate) fn view(&self, window: u64) -> MemberStatus {
        let node = self.node.borrow();
        let s = node.status();
        let store = self.store.borrow();
        let last = node.last_index();
        let from = (last + 1).saturating_sub(window).max(self.storage.first_index());
        let backend = self.backend.borrow();
        MemberStatus {
            name: self.name().to_owned(),
            id: self.id,
            alive: self.process.alive(),
            paused: self.process.paused(),
            role: s.soft_state.role,
            term: s.hard_state.term,
            vote: s.hard_state.vote,
            lead: s.soft_state.lead,
            commit: s.hard_state.commit,
            applied: self.raft.applied.get(),
            first_index: self.storage.first_index(),
            last_index: last,
            consistent_index: self.shared.durable[self.index].get(),
            revision: store.revision(),
            compact_revision: store.compact_revision(),
            election_timer: node.election_timer(),
            lead_transferee: s.lead_transferee,
            progress: s
                .progress
                .iter()
                .map(|(id, p)| FollowerView {
                    id: *id,
                    matched: p.matched,
                    next: p.next,
                    state: p.state,
                    inflight: p.inflights.count() as u64,
                    recent_active: p.recent_active,
                })
                .collect(),
            log: node.entries(from, last + 1).iter().map(EntryView::of).collect(),
            db_size: (backend.rows().size(), backend.rows().size_in_use()),
        }
    }
}

impl EntryView {
    /// An entry in a few words.
    pub fn of(e: &Entry) -> EntryView {
        let summary = if e.r#type == ENTRY_CONF_CHANGE {
            match ConfChange::decode(e.payload()) {
                Ok(c) => format!("conf change: member {:x}", c.node_id),
                Err(_) => "conf change".into(),
            }
        } else if e.payload().is_empty() {
            "empty".into()
        } else {
            InternalRaftRequest::decode(e.payload()).map_or_else(|_| "malformed".into(), |r| summary(&r))
        };
        EntryView { index: e.index, term: e.term, bytes: e.payload().len() as u64, summary }
    }
}

fn summary(r: &InternalRaftRequest) -> String {
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    if let Some(p) = &r.put {
        return format!("put {}", text(&p.key));
    }
    if let Some(d) = &r.delete_range {
        return format!("delete {}", text(&d.key));
    }
    if let Some(t) = &r.txn {
        return txn_summary(t);
    }
    if let Some(c) = &r.compaction {
        return format!("compaction {}", c.revision);
    }
    if let Some(l) = &r.lease_grant {
        return format!("lease grant {:x}", l.id);
    }
    if let Some(l) = &r.lease_revoke {
        return format!("lease revoke {:x}", l.id);
    }
    if let Some(v) = &r.cluster_version_set {
        return format!("cluster version {}", v.ver);
    }
    if let Some(a) = &r.cluster_member_attr_set {
        return format!("member {:x} publishes its name", a.member_id);
    }
    if r.alarm.is_some() {
        return "alarm".into();
    }
    "request".into()
}

fn txn_summary(t: &TxnRequest) -> String {
    let op = |op: &RequestOp| match &op.request {
        Some(request_op::Request::RequestPut(p)) => format!("put {}", String::from_utf8_lossy(&p.key)),
        Some(request_op::Request::RequestDeleteRange(d)) => {
            format!("delete {}", String::from_utf8_lossy(&d.key))
        }
        Some(request_op::Request::RequestRange(r)) => format!("range {}", String::from_utf8_lossy(&r.key)),
        _ => "txn".into(),
    };
    match t.success.as_slice() {
        [] => "txn".into(),
        [one] => format!("txn {}", op(one)),
        [one, rest @ ..] => format!("txn {} and {} more", op(one), rest.len()),
    }
}
