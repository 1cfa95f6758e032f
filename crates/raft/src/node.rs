//! The node as its owner drives it: inputs, [`Ready`], advance.

use crate::raft::Raft;
use crate::storage::payload_size;
use crate::{Config, Error, NONE, Progress, ReadState, SoftState};
use bytes::Bytes;
use prost::Message as _;
use std::collections::BTreeMap;
use wire::raftpb::{ConfChange, ConfState, ENTRY_CONF_CHANGE, Entry, HardState, Message, MessageType};

/// What is to be done before the node can go on. See the crate's text for the order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ready {
    /// Leader or role changed.
    pub soft_state: Option<SoftState>,
    /// To be written; `None` if unchanged.
    pub hard_state: Option<HardState>,
    /// Reads that may be answered once their index is applied.
    pub read_states: Vec<ReadState>,
    /// To be written before `messages` are sent.
    pub entries: Vec<Entry>,
    /// To be applied.
    pub committed_entries: Vec<Entry>,
    /// To be sent after `entries` and `hard_state` are on disk.
    pub messages: Vec<Message>,
    /// Whether the write must be synced: entries, or a new term or vote. A new commit index alone may be lost.
    pub must_sync: bool,
}

/// A look at the node.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// This member's id.
    pub id: u64,
    /// Term, vote and commit index.
    pub hard_state: HardState,
    /// Leader and role.
    pub soft_state: SoftState,
    /// Last index applied.
    pub applied: u64,
    /// Who leadership is being given to, or 0.
    pub lead_transferee: u64,
    /// What a leader knows about the members; empty on others.
    pub progress: BTreeMap<u64, Progress>,
}

/// A member of the consensus. See the crate's text.
pub struct RawNode {
    raft: Raft,
    prev_soft: SoftState,
    prev_hard: HardState,
    /// Steps that `advance` takes for what the last Ready promised.
    on_advance: Vec<Message>,
    /// Index and term of the last entry handed out to be written.
    writing: Option<(u64, u64)>,
    applying: Vec<Entry>,
}

impl RawNode {
    /// A node on what `config.storage` holds.
    pub fn new(config: Config) -> RawNode {
        let raft = Raft::new(config);
        let (prev_soft, prev_hard) = (raft.soft_state(), raft.hard_state());
        RawNode { raft, prev_soft, prev_hard, on_advance: Vec::new(), writing: None, applying: Vec::new() }
    }

    /// Starts the log of a new cluster: one committed ConfChangeAddNode per member, in term 1. Every member of the cluster
    /// must be given the same list.
    ///
    /// # Panics
    /// If the storage is not empty.
    pub fn bootstrap(&mut self, peers: &[(u64, Bytes)]) {
        assert_eq!(self.raft.log.last_index(), 0, "can't bootstrap a nonempty Storage");
        self.prev_hard = HardState::default();
        self.raft.become_follower(1, NONE);
        let change = |(id, context): &(u64, Bytes)| ConfChange {
            node_id: *id,
            context: Some(context.clone()),
            ..ConfChange::default()
        };
        let entry = |(i, peer)| Entry {
            r#type: ENTRY_CONF_CHANGE,
            term: 1,
            index: i as u64 + 1,
            data: Some(change(peer).encode_to_vec().into()),
        };
        let entries: Vec<Entry> = peers.iter().enumerate().map(entry).collect();
        self.raft.log.append(&entries);
        self.raft.log.committed = entries.len() as u64;
        for peer in peers {
            self.raft.apply_conf_change(&change(peer));
        }
    }

    /// One tick of the clock.
    pub fn tick(&mut self) {
        self.raft.tick();
    }

    /// Starts an election now.
    pub fn campaign(&mut self) {
        let _ = self.raft.step(Message::new(MessageType::MsgHup, NONE)); // MsgHup is never refused
    }

    /// Proposes a command. It is in the log when it comes back in `committed_entries`, and may be lost before.
    pub fn propose(&mut self, data: Bytes) -> Result<(), Error> {
        self.propose_entry(Entry { data: Some(data), ..Entry::default() })
    }

    /// Proposes a change of the configuration.
    pub fn propose_conf_change(&mut self, change: &ConfChange) -> Result<(), Error> {
        let data = Some(change.encode_to_vec().into());
        self.propose_entry(Entry { r#type: ENTRY_CONF_CHANGE, data, ..Entry::default() })
    }

    fn propose_entry(&mut self, entry: Entry) -> Result<(), Error> {
        let m = Message::new(MessageType::MsgProp, NONE);
        self.raft.step(Message { from: self.raft.id, entries: vec![entry], ..m })
    }

    /// Applies a committed change of the configuration; what it is afterwards.
    pub fn apply_conf_change(&mut self, change: &ConfChange) -> ConfState {
        self.raft.apply_conf_change(change)
    }

    /// Takes a message from another member.
    pub fn step(&mut self, m: Message) -> Result<(), Error> {
        let kind = m.kind();
        let local = matches!(
            kind,
            MessageType::MsgHup
                | MessageType::MsgBeat
                | MessageType::MsgUnreachable
                | MessageType::MsgSnapStatus
                | MessageType::MsgCheckQuorum
                | MessageType::MsgStorageAppend
                | MessageType::MsgStorageAppendResp
                | MessageType::MsgStorageApply
                | MessageType::MsgStorageApplyResp
        );
        if local {
            return Err(Error::StepLocalMsg);
        }
        let response = matches!(
            kind,
            MessageType::MsgAppResp
                | MessageType::MsgVoteResp
                | MessageType::MsgHeartbeatResp
                | MessageType::MsgReadIndexResp
                | MessageType::MsgPreVoteResp
        );
        if response && !self.raft.tracker.progress.contains_key(&m.from) {
            return Err(Error::StepPeerNotFound);
        }
        if kind == MessageType::MsgProp && m.entries.is_empty() {
            return Err(Error::ProposalDropped);
        }
        self.raft.step(m)
    }

    /// Asks for a linearizable read; it comes back in `read_states` with the same context, or never if there is no leader.
    pub fn read_index(&mut self, context: Bytes) {
        let entries = vec![Entry { data: Some(context), ..Entry::default() }];
        let _ = self.raft.step(Message { entries, ..Message::new(MessageType::MsgReadIndex, NONE) });
    }

    /// Asks the leader to hand over to `to`.
    pub fn transfer_leader(&mut self, to: u64) {
        let _ = self.raft.step(Message { from: to, ..Message::new(MessageType::MsgTransferLeader, NONE) });
    }

    /// The last message to `id` did not get through.
    pub fn report_unreachable(&mut self, id: u64) {
        let _ = self.raft.step(Message { from: id, ..Message::new(MessageType::MsgUnreachable, NONE) });
    }

    /// Whether [`RawNode::ready`] would hold anything.
    pub fn has_ready(&self) -> bool {
        let r = &self.raft;
        let hard = r.hard_state();
        r.soft_state() != self.prev_soft
            || (hard != HardState::default() && hard != self.prev_hard)
            || !r.msgs.is_empty()
            || !r.msgs_after_append.is_empty()
            || r.log.unstable.in_progress <= r.log.last_index() && !r.log.unstable.entries.is_empty()
            || r.log.has_next_committed()
            || !r.read_states.is_empty()
    }

    /// Takes out what is to be done now. Nothing else may be asked of the node's disk until [`RawNode::advance`].
    pub fn ready(&mut self) -> Ready {
        let r = &mut self.raft;
        let (soft, hard) = (r.soft_state(), r.hard_state());
        let entries = r.log.unstable.next_entries();
        let committed_entries = r.log.next_committed();
        let mut messages = core::mem::take(&mut r.msgs);
        for m in core::mem::take(&mut r.msgs_after_append) {
            if m.to == r.id { self.on_advance.push(m) } else { messages.push(m) }
        }
        let must_sync =
            !entries.is_empty() || hard.term != self.prev_hard.term || hard.vote != self.prev_hard.vote;
        let ready = Ready {
            soft_state: (soft != self.prev_soft).then_some(soft),
            hard_state: (hard != self.prev_hard).then_some(hard),
            read_states: core::mem::take(&mut r.read_states),
            must_sync,
            messages,
            entries,
            committed_entries,
        };
        self.prev_soft = soft;
        self.prev_hard = hard;
        r.log.unstable.accept_in_progress();
        if let Some(last) = ready.entries.last() {
            self.writing = Some((last.index, last.term));
        }
        r.log.accept_applying(&ready.committed_entries);
        self.applying = ready.committed_entries.clone();
        ready
    }

    /// The last [`Ready`] was dealt with: its entries are on disk and in the storage, its committed entries were applied.
    pub fn advance(&mut self) {
        for m in core::mem::take(&mut self.on_advance) {
            let _ = self.raft.step(m); // own acknowledgements and votes are never refused
        }
        if let Some((index, term)) = self.writing.take() {
            self.raft.log.unstable.stable_to(index, term);
        }
        let applied = core::mem::take(&mut self.applying);
        if let Some(last) = applied.last() {
            let size = applied.iter().map(|e| e.encoded_len() as u64).sum();
            self.raft.log.applied_to(last.index, size);
            self.raft.reduce_uncommitted_size(payload_size(&applied));
        }
    }

    /// A look at the node.
    pub fn status(&self) -> Status {
        let r = &self.raft;
        let leads = r.lead == r.id;
        Status {
            id: r.id,
            hard_state: r.hard_state(),
            soft_state: r.soft_state(),
            applied: r.log.applied,
            lead_transferee: r.lead_transferee,
            progress: if leads { r.tracker.progress.clone() } else { BTreeMap::new() },
        }
    }

    /// The configuration in force.
    pub fn conf_state(&self) -> ConfState {
        self.raft.tracker.conf_state()
    }

    /// Sets the ticks after which this member starts an election (for tests that need a certain winner).
    pub fn set_randomized_election_timeout(&mut self, ticks: u32) {
        self.raft.randomized_election_timeout = ticks;
    }

    /// Ticks since this member last heard of a leader, and the ticks after which it starts an election.
    pub fn election_timer(&self) -> (u32, u32) {
        (self.raft.election_elapsed, self.raft.randomized_election_timeout)
    }

    /// Index of the last entry, durable or not.
    pub fn last_index(&self) -> u64 {
        self.raft.log.last_index()
    }

    /// Entries `lo..hi` as far as they are kept, durable or not.
    pub fn entries(&self, lo: u64, hi: u64) -> Vec<Entry> {
        let log = &self.raft.log;
        let (lo, hi) = (lo.max(log.first_index()), hi.min(log.last_index() + 1));
        log.slice(lo, hi, u64::MAX).unwrap_or_default()
    }
}
