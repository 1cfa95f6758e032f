//! The algorithm's state and its changes of role. What each role does with a message is in `step` (everyone, followers and
//! candidates) and `leader`.

mod leader;
mod step;

use crate::log::RaftLog;
use crate::quorum::VoteResult;
use crate::read_only::ReadOnly;
use crate::tracker::Tracker;
use crate::{Config, Error, Logger, NONE, ReadOnlyOption};
use bytes::Bytes;
use std::collections::VecDeque;
use std::fmt;
use wire::raftpb::{
    CONF_CHANGE_ADD_LEARNER_NODE, CONF_CHANGE_ADD_NODE, CONF_CHANGE_REMOVE_NODE, ConfChange, ConfState,
    Entry, HardState, Message, MessageType,
};

/// What a member is at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StateRole {
    #[default]
    Follower,
    Candidate,
    Leader,
    PreCandidate,
}

impl fmt::Display for StateRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateRole::Follower => "StateFollower",
            StateRole::Candidate => "StateCandidate",
            StateRole::Leader => "StateLeader",
            StateRole::PreCandidate => "StatePreCandidate",
        })
    }
}

/// What changes without being written: leader and role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoftState {
    /// The leader's id, or 0.
    pub lead: u64,
    /// This member's role.
    pub role: StateRole,
}

/// A read that may be answered once `index` is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadState {
    /// See above.
    pub index: u64,
    /// The context given to `read_index`.
    pub context: Bytes,
}

/// Context of a vote request that the leader itself asked for: it may interrupt a live leader's lease.
pub(crate) const CAMPAIGN_TRANSFER: &[u8] = b"CampaignTransfer";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Campaign {
    PreElection,
    Election,
    Transfer,
}

pub(crate) struct Raft {
    pub(crate) id: u64,
    pub(crate) term: u64,
    pub(crate) vote: u64,
    pub(crate) role: StateRole,
    pub(crate) lead: u64,
    pub(crate) log: RaftLog,
    pub(crate) tracker: Tracker,
    pub(crate) read_states: Vec<ReadState>,
    /// To send at once.
    pub(crate) msgs: Vec<Message>,
    /// To send once the entries and state of the next Ready are on disk.
    pub(crate) msgs_after_append: Vec<Message>,
    pub(crate) lead_transferee: u64,
    pub(crate) election_elapsed: u32,
    pub(crate) heartbeat_elapsed: u32,
    pub(crate) randomized_election_timeout: u32,
    pending_conf_index: u64,
    uncommitted_size: u64,
    read_only: ReadOnly,
    pending_reads: VecDeque<Message>,
    max_msg_size: u64,
    max_uncommitted_size: u64,
    election_timeout: u32,
    heartbeat_timeout: u32,
    check_quorum: bool,
    pre_vote: bool,
    read_only_option: ReadOnlyOption,
    disable_proposal_forwarding: bool,
    random: Box<dyn FnMut(u64) -> u64>,
    pub(crate) logger: Logger,
}

impl Raft {
    pub(crate) fn new(c: Config) -> Raft {
        assert!(c.id != NONE, "cannot use none as id");
        assert!(
            c.heartbeat_tick > 0 && c.election_tick > c.heartbeat_tick,
            "election tick must be greater than heartbeat tick"
        );
        let max_committed = if c.max_committed_size_per_ready == 0 {
            c.max_size_per_msg
        } else {
            c.max_committed_size_per_ready
        };
        let log = RaftLog::new(c.storage.clone(), c.logger.clone(), max_committed);
        let (hs, cs) = c.storage.initial_state();
        let tracker = Tracker::new(&cs, log.last_index(), c.max_inflight_msgs);
        let mut r = Raft {
            id: c.id,
            term: 0,
            vote: NONE,
            role: StateRole::Follower,
            lead: NONE,
            log,
            tracker,
            read_states: Vec::new(),
            msgs: Vec::new(),
            msgs_after_append: Vec::new(),
            lead_transferee: NONE,
            election_elapsed: 0,
            heartbeat_elapsed: 0,
            randomized_election_timeout: 0,
            pending_conf_index: 0,
            uncommitted_size: 0,
            read_only: ReadOnly::default(),
            pending_reads: VecDeque::new(),
            max_msg_size: c.max_size_per_msg,
            max_uncommitted_size: if c.max_uncommitted_entries_size == 0 {
                u64::MAX
            } else {
                c.max_uncommitted_entries_size
            },
            election_timeout: c.election_tick,
            heartbeat_timeout: c.heartbeat_tick,
            check_quorum: c.check_quorum,
            pre_vote: c.pre_vote,
            read_only_option: c.read_only_option,
            disable_proposal_forwarding: c.disable_proposal_forwarding,
            random: c.random,
            logger: c.logger,
        };
        r.info(format!("{:x} switched to configuration {}", r.id, r.tracker.config_text()));
        if hs != HardState::default() {
            assert!(
                hs.commit >= r.log.committed && hs.commit <= r.log.last_index(),
                "{:x} state.commit {} is out of range [{}, {}]",
                r.id,
                hs.commit,
                r.log.committed,
                r.log.last_index()
            );
            (r.log.committed, r.term, r.vote) = (hs.commit, hs.term, hs.vote);
        }
        if c.applied > 0 {
            r.log.applied_to(c.applied, 0);
        }
        r.become_follower(r.term, NONE);
        let peers = r.tracker.voters.iter().map(|v| format!("{v:x}")).collect::<Vec<_>>().join(",");
        let (last, last_term) = r.log.last_id();
        r.info(format!(
            "newRaft {:x} [peers: [{peers}], term: {}, commit: {}, applied: {}, lastindex: {last}, lastterm: {last_term}]",
            r.id, r.term, r.log.committed, r.log.applied
        ));
        r
    }

    fn info(&self, text: String) {
        (self.logger)("INFO", text);
    }

    fn debug(&self, text: String) {
        (self.logger)("DEBUG", text);
    }

    fn warn(&self, text: String) {
        (self.logger)("WARN", text);
    }

    pub(crate) fn soft_state(&self) -> SoftState {
        SoftState { lead: self.lead, role: self.role }
    }

    pub(crate) fn hard_state(&self) -> HardState {
        HardState { term: self.term, vote: self.vote, commit: self.log.committed }
    }

    fn promotable(&self) -> bool {
        self.tracker.progress.get(&self.id).is_some_and(|p| !p.is_learner)
    }

    /// Sends `m`. Answers that promise something about this member's disk wait until it is written.
    fn send(&mut self, mut m: Message) {
        if m.from == NONE {
            m.from = self.id;
        }
        let kind = m.kind();
        match kind {
            MessageType::MsgVote
            | MessageType::MsgVoteResp
            | MessageType::MsgPreVote
            | MessageType::MsgPreVoteResp => {
                assert!(m.term != 0, "term should be set when sending {}", kind.name());
            }
            MessageType::MsgProp | MessageType::MsgReadIndex => {}
            _ => {
                assert!(m.term == 0, "term should not be set when sending {} (was {})", kind.name(), m.term);
                m.term = self.term;
            }
        }
        match kind {
            MessageType::MsgAppResp | MessageType::MsgVoteResp | MessageType::MsgPreVoteResp => {
                self.msgs_after_append.push(m)
            }
            _ => {
                assert!(m.to != self.id, "message should not be self-addressed when sending {}", kind.name());
                self.msgs.push(m);
            }
        }
    }

    fn reset(&mut self, term: u64) {
        if self.term != term {
            self.term = term;
            self.vote = NONE;
        }
        self.lead = NONE;
        self.election_elapsed = 0;
        self.heartbeat_elapsed = 0;
        self.randomized_election_timeout =
            self.election_timeout + (self.random)(u64::from(self.election_timeout)) as u32;
        self.lead_transferee = NONE;
        self.tracker.reset(self.id, self.log.last_index());
        self.pending_conf_index = 0;
        self.uncommitted_size = 0;
        self.read_only = ReadOnly::default();
    }

    pub(crate) fn become_follower(&mut self, term: u64, lead: u64) {
        self.reset(term);
        self.lead = lead;
        self.role = StateRole::Follower;
        self.info(format!("{:x} became follower at term {}", self.id, self.term));
    }

    fn become_candidate(&mut self) {
        assert!(self.role != StateRole::Leader, "invalid transition [leader -> candidate]");
        self.reset(self.term + 1);
        self.vote = self.id;
        self.role = StateRole::Candidate;
        self.info(format!("{:x} became candidate at term {}", self.id, self.term));
    }

    fn become_pre_candidate(&mut self) {
        assert!(self.role != StateRole::Leader, "invalid transition [leader -> pre-candidate]");
        // Neither the term nor the vote changes: nothing is promised yet.
        self.tracker.votes.clear();
        self.lead = NONE;
        self.role = StateRole::PreCandidate;
        self.info(format!("{:x} became pre-candidate at term {}", self.id, self.term));
    }

    fn become_leader(&mut self) {
        assert!(self.role != StateRole::Follower, "invalid transition [follower -> leader]");
        self.reset(self.term);
        self.lead = self.id;
        self.role = StateRole::Leader;
        let p = self.tracker.progress.get_mut(&self.id).expect("a leader is in its configuration");
        p.become_replicate();
        p.recent_active = true;
        self.pending_conf_index = self.log.last_index();
        let ok = self.append_entries(vec![Entry::default()]);
        assert!(ok, "empty entry was dropped");
        self.info(format!("{:x} became leader at term {}", self.id, self.term));
    }

    pub(crate) fn tick(&mut self) {
        self.election_elapsed += 1;
        if self.role != StateRole::Leader {
            if self.promotable() && self.election_elapsed >= self.randomized_election_timeout {
                self.election_elapsed = 0;
                let _ = self.step(Message { from: self.id, ..Message::new(MessageType::MsgHup, NONE) });
            }
            return;
        }
        self.heartbeat_elapsed += 1;
        if self.election_elapsed >= self.election_timeout {
            self.election_elapsed = 0;
            if self.check_quorum {
                let _ =
                    self.step(Message { from: self.id, ..Message::new(MessageType::MsgCheckQuorum, NONE) });
            }
            if self.role == StateRole::Leader {
                self.lead_transferee = NONE;
            }
        }
        if self.role == StateRole::Leader && self.heartbeat_elapsed >= self.heartbeat_timeout {
            self.heartbeat_elapsed = 0;
            let _ = self.step(Message { from: self.id, ..Message::new(MessageType::MsgBeat, NONE) });
        }
    }

    fn hup(&mut self, campaign: Campaign) {
        if self.role == StateRole::Leader {
            return self.debug(format!("{:x} ignoring MsgHup because already leader", self.id));
        }
        if !self.promotable() {
            return self.warn(format!("{:x} is unpromotable and can not campaign", self.id));
        }
        if self.has_unapplied_conf_changes() {
            return self.warn(format!(
                "{:x} cannot campaign at term {} since there are still pending configuration changes to apply",
                self.id, self.term
            ));
        }
        self.info(format!("{:x} is starting a new election at term {}", self.id, self.term));
        self.campaign(campaign);
    }

    fn has_unapplied_conf_changes(&self) -> bool {
        let (lo, hi) = (self.log.applied + 1, self.log.committed + 1);
        let entries = self.log.slice(lo, hi, u64::MAX).unwrap_or_default();
        entries.iter().any(|e| e.r#type != wire::raftpb::ENTRY_NORMAL)
    }

    fn campaign(&mut self, campaign: Campaign) {
        let (kind, term) = if campaign == Campaign::PreElection {
            self.become_pre_candidate();
            (MessageType::MsgPreVote, self.term + 1)
        } else {
            self.become_candidate();
            (MessageType::MsgVote, self.term)
        };
        let (last, last_term) = self.log.last_id();
        for id in self.tracker.voters.clone() {
            if id == self.id {
                // The vote for itself counts once it is on disk.
                self.send(Message { term, ..Message::new(vote_response(kind), id) });
                continue;
            }
            self.info(format!(
                "{:x} [logterm: {last_term}, index: {last}] sent {} request to {id:x} at term {}",
                self.id,
                kind.name(),
                self.term
            ));
            let context = (campaign == Campaign::Transfer).then(|| Bytes::from_static(CAMPAIGN_TRANSFER));
            self.send(Message { term, index: last, log_term: last_term, context, ..Message::new(kind, id) });
        }
    }

    fn poll(&mut self, from: u64, kind: MessageType, yes: bool) -> (usize, usize, VoteResult) {
        let what = if yes { kind.name().to_owned() } else { format!("{} rejection", kind.name()) };
        self.info(format!("{:x} received {what} from {from:x} at term {}", self.id, self.term));
        self.tracker.votes.entry(from).or_insert(yes);
        self.tracker.tally()
    }

    /// Applies a simple change of the configuration; what it is afterwards.
    pub(crate) fn apply_conf_change(&mut self, cc: &ConfChange) -> ConfState {
        let id = cc.node_id;
        let last = self.log.last_index();
        match cc.r#type {
            CONF_CHANGE_ADD_NODE if id != NONE => {
                self.tracker.learners.remove(&id);
                self.tracker.voters.insert(id);
                self.tracker.add_progress(id, last);
            }
            CONF_CHANGE_ADD_LEARNER_NODE if id != NONE && !self.tracker.learners.contains(&id) => {
                self.tracker.voters.remove(&id);
                self.tracker.learners.insert(id);
                self.tracker.add_progress(id, last);
            }
            CONF_CHANGE_REMOVE_NODE => {
                self.tracker.voters.remove(&id);
                self.tracker.learners.remove(&id);
                self.tracker.progress.remove(&id);
            }
            _ => {}
        }
        self.info(format!("{:x} switched to configuration {}", self.id, self.tracker.config_text()));
        let cs = self.tracker.conf_state();
        if self.role == StateRole::Leader
            && self.tracker.progress.contains_key(&self.id)
            && !cs.voters.is_empty()
        {
            if self.maybe_commit() {
                self.broadcast_append();
            } else {
                for id in self.others() {
                    self.maybe_send_append(id, false);
                }
            }
            if !self.tracker.voters.contains(&self.lead_transferee) {
                self.lead_transferee = NONE;
            }
        }
        cs
    }

    fn others(&self) -> Vec<u64> {
        self.tracker.progress.keys().copied().filter(|id| *id != self.id).collect()
    }

    /// Forgets the uncommitted size of entries that were applied.
    pub(crate) fn reduce_uncommitted_size(&mut self, size: u64) {
        self.uncommitted_size = self.uncommitted_size.saturating_sub(size);
    }

    fn drop_proposal(&self, why: String) -> Result<(), Error> {
        self.info(why);
        Err(Error::ProposalDropped)
    }
}

fn vote_response(kind: MessageType) -> MessageType {
    match kind {
        MessageType::MsgVote => MessageType::MsgVoteResp,
        MessageType::MsgPreVote => MessageType::MsgPreVoteResp,
        other => unreachable!("not a vote message: {}", other.name()),
    }
}
