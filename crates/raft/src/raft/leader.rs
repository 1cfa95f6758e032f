//! The leader's part: proposals, replication, commitment, heartbeats, reads and the transfer of leadership.

use super::{Raft, ReadState};
use crate::progress::ProgressState;
use crate::quorum::{self, VoteResult};
use crate::storage::payload_size;
use crate::{Error, NONE, ReadOnlyOption, read_only};
use bytes::Bytes;
use wire::raftpb::{ENTRY_CONF_CHANGE, ENTRY_NORMAL, Entry, Message, MessageType};

impl Raft {
    pub(super) fn step_leader(&mut self, m: Message) -> Result<(), Error> {
        match m.kind() {
            MessageType::MsgBeat => {
                let ctx = self.read_only.last_context();
                self.broadcast_heartbeat(ctx);
                return Ok(());
            }
            MessageType::MsgCheckQuorum => {
                if !self.tracker.quorum_active() {
                    self.warn(format!("{:x} stepped down to follower since quorum is not active", self.id));
                    self.become_follower(self.term, NONE);
                }
                let me = self.id;
                self.tracker
                    .progress
                    .iter_mut()
                    .filter(|(id, _)| **id != me)
                    .for_each(|(_, p)| p.recent_active = false);
                return Ok(());
            }
            MessageType::MsgProp => return self.propose(m),
            MessageType::MsgReadIndex => {
                self.read_index(m);
                return Ok(());
            }
            _ => {}
        }
        if !self.tracker.progress.contains_key(&m.from) {
            self.debug(format!("{:x} no progress available for {:x}", self.id, m.from));
            return Ok(());
        }
        match m.kind() {
            MessageType::MsgAppResp => self.handle_append_response(&m),
            MessageType::MsgHeartbeatResp => self.handle_heartbeat_response(&m),
            MessageType::MsgSnapStatus => self.handle_snapshot_status(&m),
            MessageType::MsgUnreachable => {
                let p = self.tracker.progress.get_mut(&m.from).expect("checked above");
                if p.state == ProgressState::Replicate {
                    p.become_probe();
                }
                let text = p.to_string();
                self.debug(format!(
                    "{:x} failed to send message to {:x} because it is unreachable [{text}]",
                    self.id, m.from
                ));
            }
            MessageType::MsgTransferLeader => self.transfer_leader(m.from),
            _ => {}
        }
        Ok(())
    }

    fn propose(&mut self, mut m: Message) -> Result<(), Error> {
        assert!(!m.entries.is_empty(), "{:x} stepped empty MsgProp", self.id);
        if !self.tracker.progress.contains_key(&self.id) {
            return Err(Error::ProposalDropped); // removed from the configuration while leading
        }
        if self.lead_transferee != NONE {
            self.debug(format!(
                "{:x} [term {}] transfer leadership to {:x} is in progress; dropping proposal",
                self.id, self.term, self.lead_transferee
            ));
            return Err(Error::ProposalDropped);
        }
        for (i, e) in m.entries.iter_mut().enumerate() {
            if e.r#type == ENTRY_NORMAL {
                continue;
            }
            if self.pending_conf_index > self.log.applied {
                let what = if e.r#type == ENTRY_CONF_CHANGE { "{ConfChangeTransitionAuto" } else { "{" };
                (self.logger)(
                    "INFO",
                    format!(
                        "{:x} ignoring conf change {what}}} at config {}: possible unapplied conf change at index {} (applied to {})",
                        self.id,
                        self.tracker.config_text(),
                        self.pending_conf_index,
                        self.log.applied
                    ),
                );
                *e = Entry { r#type: ENTRY_NORMAL, ..Entry::default() };
            } else {
                self.pending_conf_index = self.log.last_index() + i as u64 + 1;
            }
        }
        if !self.append_entries(m.entries) {
            return Err(Error::ProposalDropped);
        }
        self.broadcast_append();
        Ok(())
    }

    /// Appends to the own log; false if that would exceed the limit of uncommitted entries.
    pub(super) fn append_entries(&mut self, mut entries: Vec<Entry>) -> bool {
        let last = self.log.last_index();
        for (i, e) in entries.iter_mut().enumerate() {
            e.term = self.term;
            e.index = last + 1 + i as u64;
        }
        let size = payload_size(&entries);
        // One entry over the limit is let through when nothing is uncommitted, else it could never be proposed.
        if self.uncommitted_size > 0 && size > 0 && self.uncommitted_size + size > self.max_uncommitted_size {
            self.warn(format!(
                "{:x} appending new entries to log would exceed uncommitted entry size limit; dropping proposal",
                self.id
            ));
            return false;
        }
        self.uncommitted_size += size;
        let index = self.log.append(&entries);
        // The own acknowledgement, delivered once the entries are on disk.
        self.send(Message { index, ..Message::new(MessageType::MsgAppResp, self.id) });
        true
    }

    pub(super) fn maybe_commit(&mut self) -> bool {
        self.log.maybe_commit(self.tracker.committed(), self.term)
    }

    pub(super) fn broadcast_append(&mut self) {
        for id in self.others() {
            self.maybe_send_append(id, true);
        }
    }

    /// Sends what `to` lacks, or an empty MsgApp if `even_empty`; false if nothing was sent.
    pub(super) fn maybe_send_append(&mut self, to: u64, even_empty: bool) -> bool {
        let Some(p) = self.tracker.progress.get_mut(&to) else { return false };
        if p.is_paused() {
            return false;
        }
        let prev = p.next - 1;
        let full = p.state == ProgressState::Replicate && p.inflights.full();
        let prev_term = self.log.term(prev);
        let entries = if full { Ok(Vec::new()) } else { self.log.entries(prev + 1, self.max_msg_size) };
        let (Ok(log_term), Ok(entries)) = (prev_term, entries) else {
            // What it lacks is no longer in the log; a snapshot would be needed.
            self.debug(format!(
                "{:x} [firstindex: {}, commit: {}] has no entries for {to:x} and sends no snapshot (not modelled here: snapshots)",
                self.id,
                self.log.first_index(),
                self.log.committed
            ));
            return false;
        };
        if entries.is_empty() && !even_empty {
            return false;
        }
        let p = self.tracker.progress.get_mut(&to).expect("looked up above");
        p.sent_entries(entries.len() as u64);
        let commit = self.log.committed;
        self.send(Message {
            index: prev,
            log_term,
            entries,
            commit,
            ..Message::new(MessageType::MsgApp, to)
        });
        true
    }

    fn broadcast_heartbeat(&mut self, context: Option<Bytes>) {
        for to in self.others() {
            // Never more than the member has: it may not have the entries yet.
            let commit = self.tracker.progress[&to].matched.min(self.log.committed);
            self.send(Message {
                commit,
                context: context.clone(),
                ..Message::new(MessageType::MsgHeartbeat, to)
            });
        }
    }

    fn handle_append_response(&mut self, m: &Message) {
        let first = self.log.first_index();
        let (last, committed_before) = (self.log.last_index(), self.log.committed);
        let p = self.tracker.progress.get_mut(&m.from).expect("checked by the caller");
        p.recent_active = true;
        if m.reject {
            self.debug(format!(
                "{:x} received MsgAppResp(rejected, hint: (index {}, term {})) from {:x} for index {}",
                self.id, m.reject_hint, m.log_term, m.from, m.index
            ));
            let probe = if m.log_term > 0 {
                self.log.find_conflict_by_term(m.reject_hint, m.log_term).0
            } else {
                m.reject_hint
            };
            let p = self.tracker.progress.get_mut(&m.from).expect("checked by the caller");
            if p.maybe_decr_to(m.index, probe) {
                let text = p.to_string();
                if p.state == ProgressState::Replicate {
                    p.become_probe();
                }
                self.debug(format!("{:x} decreased progress of {:x} to [{text}]", self.id, m.from));
                self.maybe_send_append(m.from, true);
            }
            return;
        }
        let was_paused = p.is_paused();
        if !(p.maybe_update(m.index) || (p.matched == m.index && p.state == ProgressState::Probe)) {
            return;
        }
        match p.state {
            ProgressState::Probe => p.become_replicate(),
            ProgressState::Snapshot if p.matched + 1 >= first => {
                let text = p.to_string();
                p.become_probe();
                p.become_replicate();
                self.debug(format!(
                    "{:x} recovered from needing snapshot, resumed sending replication messages to {:x} [{text}]",
                    self.id, m.from
                ));
            }
            ProgressState::Snapshot => {}
            ProgressState::Replicate => p.inflights.free_to(m.index),
        }
        if self.maybe_commit() {
            self.release_pending_reads(committed_before);
            self.broadcast_append();
        } else if was_paused && m.from != self.id {
            self.maybe_send_append(m.from, true);
        }
        if m.from != self.id {
            while self.maybe_send_append(m.from, false) {}
        }
        if m.from == self.lead_transferee && self.tracker.progress[&m.from].matched == last {
            self.info(format!("{:x} sent MsgTimeoutNow to {:x} after received MsgAppResp", self.id, m.from));
            self.send(Message::new(MessageType::MsgTimeoutNow, m.from));
        }
    }

    fn handle_heartbeat_response(&mut self, m: &Message) {
        let last = self.log.last_index();
        let p = self.tracker.progress.get_mut(&m.from).expect("checked by the caller");
        p.recent_active = true;
        p.flow_paused = false;
        if p.matched < last || p.state == ProgressState::Probe {
            self.maybe_send_append(m.from, true);
        }
        let ctx = m.context.clone().unwrap_or_default();
        if self.read_only_option != ReadOnlyOption::Safe || ctx.is_empty() {
            return;
        }
        let Some(acks) = self.read_only.ack(m.from, &ctx) else { return };
        let votes = acks.iter().map(|id| (*id, true)).collect();
        if quorum::vote_result(&self.tracker.voters, &votes) != VoteResult::Won {
            return;
        }
        for read in self.read_only.advance(&ctx) {
            self.answer_read(read.request, read.index);
        }
    }

    fn handle_snapshot_status(&mut self, m: &Message) {
        let p = self.tracker.progress.get_mut(&m.from).expect("checked by the caller");
        if p.state != ProgressState::Snapshot {
            return;
        }
        let did = if m.reject {
            p.pending_snapshot = 0;
            "failed"
        } else {
            "succeeded"
        };
        p.become_probe();
        let text = p.to_string();
        p.flow_paused = true;
        self.debug(format!(
            "{:x} snapshot {did}, resumed sending replication messages to {:x} [{text}]",
            self.id, m.from
        ));
    }

    fn transfer_leader(&mut self, to: u64) {
        if self.tracker.progress[&to].is_learner {
            return self.debug(format!("{:x} is learner. Ignored transferring leadership", self.id));
        }
        if self.lead_transferee != NONE {
            if self.lead_transferee == to {
                return self.info(format!(
                    "{:x} [term {}] transfer leadership to {to:x} is in progress, ignores request to same node {to:x}",
                    self.id, self.term
                ));
            }
            let previous = core::mem::replace(&mut self.lead_transferee, NONE);
            self.info(format!(
                "{:x} [term {}] abort previous transferring leadership to {previous:x}",
                self.id, self.term
            ));
        }
        if to == self.id {
            return self
                .debug(format!("{:x} is already leader. Ignored transferring leadership to self", self.id));
        }
        self.info(format!("{:x} [term {}] starts to transfer leadership to {to:x}", self.id, self.term));
        self.election_elapsed = 0; // the transfer should end within one election timeout
        self.lead_transferee = to;
        if self.tracker.progress[&to].matched == self.log.last_index() {
            self.send(Message::new(MessageType::MsgTimeoutNow, to));
            self.info(format!(
                "{:x} sends MsgTimeoutNow to {to:x} immediately as {to:x} already has up-to-date log",
                self.id
            ));
        } else {
            self.maybe_send_append(to, true);
        }
    }

    fn committed_in_current_term(&self) -> bool {
        self.log.term_or_zero(self.log.committed) == self.term
    }

    fn read_index(&mut self, m: Message) {
        if self.tracker.is_singleton() {
            let committed = self.log.committed;
            return self.answer_read(m, committed);
        }
        if !self.committed_in_current_term() {
            // Until its first entry is committed a leader does not know the commit index.
            self.pending_reads.push_back(m);
            return;
        }
        self.confirm_read(m);
    }

    fn confirm_read(&mut self, m: Message) {
        let committed = self.log.committed;
        match self.read_only_option {
            ReadOnlyOption::Safe => {
                let ctx = read_only::context(&m);
                self.read_only.add(committed, m);
                self.read_only.ack(self.id, &ctx);
                self.broadcast_heartbeat(Some(ctx));
            }
            ReadOnlyOption::LeaseBased => self.answer_read(m, committed),
        }
    }

    fn release_pending_reads(&mut self, committed_before: u64) {
        debug_assert!(self.log.committed > committed_before);
        if !self.committed_in_current_term() {
            return;
        }
        for m in core::mem::take(&mut self.pending_reads) {
            self.confirm_read(m);
        }
    }

    fn answer_read(&mut self, request: Message, index: u64) {
        if request.from == NONE || request.from == self.id {
            self.read_states.push(ReadState { index, context: read_only::context(&request) });
            return;
        }
        let to = request.from;
        self.send(Message {
            index,
            entries: request.entries,
            ..Message::new(MessageType::MsgReadIndexResp, to)
        });
    }
}
