//! What a message does: the rules of the term, votes, and the parts of followers and candidates.

use super::{CAMPAIGN_TRANSFER, Campaign, Raft, ReadState, StateRole, vote_response};
use crate::{Error, NONE, ReadOnlyOption, quorum::VoteResult, read_only};
use wire::raftpb::{Message, MessageType};

impl Raft {
    pub(crate) fn step(&mut self, m: Message) -> Result<(), Error> {
        if m.term > self.term {
            if !self.step_higher_term(&m) {
                return Ok(());
            }
        } else if m.term != 0 && m.term < self.term {
            self.step_lower_term(&m);
            return Ok(());
        }
        match m.kind() {
            MessageType::MsgHup => {
                self.hup(if self.pre_vote { Campaign::PreElection } else { Campaign::Election });
                Ok(())
            }
            MessageType::MsgVote | MessageType::MsgPreVote => {
                self.step_vote(&m);
                Ok(())
            }
            _ => match self.role {
                StateRole::Leader => self.step_leader(m),
                StateRole::Candidate | StateRole::PreCandidate => self.step_candidate(m),
                StateRole::Follower => self.step_follower(m),
            },
        }
    }

    /// A message of a later term: usually this member follows. False if the message is to be ignored.
    fn step_higher_term(&mut self, m: &Message) -> bool {
        let kind = m.kind();
        if matches!(kind, MessageType::MsgVote | MessageType::MsgPreVote) {
            let force = m.context.as_deref() == Some(CAMPAIGN_TRANSFER);
            let in_lease =
                self.check_quorum && self.lead != NONE && self.election_elapsed < self.election_timeout;
            if !force && in_lease {
                self.log_vote(
                    "ignored",
                    m,
                    &format!(
                        ": lease is not expired (remaining ticks: {})",
                        self.election_timeout - self.election_elapsed
                    ),
                );
                return false;
            }
        }
        match kind {
            // A pre-vote promises nothing, and a granted one carries the future term.
            MessageType::MsgPreVote => {}
            MessageType::MsgPreVoteResp if !m.reject => {}
            _ => {
                self.info(format!(
                    "{:x} [term: {}] received a {} message with higher term from {:x} [term: {}]",
                    self.id,
                    self.term,
                    kind.name(),
                    m.from,
                    m.term
                ));
                let from_leader =
                    matches!(kind, MessageType::MsgApp | MessageType::MsgHeartbeat | MessageType::MsgSnap);
                self.become_follower(m.term, if from_leader { m.from } else { NONE });
            }
        }
        true
    }

    fn step_lower_term(&mut self, m: &Message) {
        let kind = m.kind();
        if (self.check_quorum || self.pre_vote)
            && matches!(kind, MessageType::MsgHeartbeat | MessageType::MsgApp)
        {
            // Tells a leader of an earlier term about this one, so that a member which could not win an election while it
            // was cut off is not stuck.
            self.send(Message::new(MessageType::MsgAppResp, m.from));
        } else if kind == MessageType::MsgPreVote {
            self.log_vote("rejected", m, "");
            self.send(Message {
                term: self.term,
                reject: true,
                ..Message::new(MessageType::MsgPreVoteResp, m.from)
            });
        } else {
            self.info(format!(
                "{:x} [term: {}] ignored a {} message with lower term from {:x} [term: {}]",
                self.id,
                self.term,
                kind.name(),
                m.from,
                m.term
            ));
        }
    }

    fn log_vote(&self, did: &str, m: &Message, tail: &str) {
        let (index, term) = self.log.last_id();
        let link = if did == "cast" { "for" } else { "from" };
        self.info(format!(
            "{:x} [logterm: {term}, index: {index}, vote: {:x}] {did} {} {link} {:x} [logterm: {}, index: {}] at term {}{tail}",
            self.id,
            self.vote,
            m.kind().name(),
            m.from,
            m.log_term,
            m.index,
            self.term
        ));
    }

    fn step_vote(&mut self, m: &Message) {
        let kind = m.kind();
        let can_vote = self.vote == m.from
            || (self.vote == NONE && self.lead == NONE)
            || (kind == MessageType::MsgPreVote && m.term > self.term);
        if can_vote && self.log.is_up_to_date(m.index, m.log_term) {
            self.log_vote("cast", m, "");
            self.send(Message { term: m.term, ..Message::new(vote_response(kind), m.from) });
            if kind == MessageType::MsgVote {
                self.election_elapsed = 0;
                self.vote = m.from;
            }
        } else {
            self.log_vote("rejected", m, "");
            self.send(Message { term: self.term, reject: true, ..Message::new(vote_response(kind), m.from) });
        }
    }

    fn step_candidate(&mut self, m: Message) -> Result<(), Error> {
        let kind = m.kind();
        let awaited = match self.role {
            StateRole::PreCandidate => MessageType::MsgPreVoteResp,
            _ => MessageType::MsgVoteResp,
        };
        match kind {
            MessageType::MsgProp => {
                return self.drop_proposal(format!(
                    "{:x} no leader at term {}; dropping proposal",
                    self.id, self.term
                ));
            }
            MessageType::MsgApp => {
                self.become_follower(m.term, m.from);
                self.handle_append(&m);
            }
            MessageType::MsgHeartbeat => {
                self.become_follower(m.term, m.from);
                self.handle_heartbeat(&m);
            }
            MessageType::MsgTimeoutNow => self.debug(format!(
                "{:x} [term {} state {}] ignored MsgTimeoutNow from {:x}",
                self.id, self.term, self.role, m.from
            )),
            k if k == awaited => {
                let (yes, no, result) = self.poll(m.from, kind, !m.reject);
                self.info(format!(
                    "{:x} has received {yes} {} votes and {no} vote rejections",
                    self.id,
                    kind.name()
                ));
                match result {
                    VoteResult::Won if self.role == StateRole::PreCandidate => {
                        self.campaign(Campaign::Election)
                    }
                    VoteResult::Won => {
                        self.become_leader();
                        self.broadcast_append();
                    }
                    VoteResult::Lost => self.become_follower(self.term, NONE),
                    VoteResult::Pending => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn step_follower(&mut self, mut m: Message) -> Result<(), Error> {
        match m.kind() {
            MessageType::MsgProp => {
                if self.lead == NONE {
                    return self.drop_proposal(format!(
                        "{:x} no leader at term {}; dropping proposal",
                        self.id, self.term
                    ));
                }
                if self.disable_proposal_forwarding {
                    return self.drop_proposal(format!(
                        "{:x} not forwarding to leader {:x} at term {}; dropping proposal",
                        self.id, self.lead, self.term
                    ));
                }
                m.to = self.lead;
                self.send(m);
            }
            MessageType::MsgApp => {
                self.election_elapsed = 0;
                self.lead = m.from;
                self.handle_append(&m);
            }
            MessageType::MsgHeartbeat => {
                self.election_elapsed = 0;
                self.lead = m.from;
                self.handle_heartbeat(&m);
            }
            MessageType::MsgTransferLeader => {
                if self.lead == NONE {
                    self.info(format!(
                        "{:x} no leader at term {}; dropping leader transfer msg",
                        self.id, self.term
                    ));
                } else {
                    m.to = self.lead;
                    m.term = 0;
                    self.send(m);
                }
            }
            MessageType::MsgForgetLeader => {
                if self.read_only_option == ReadOnlyOption::LeaseBased {
                    (self.logger)("ERROR", "ignoring MsgForgetLeader due to ReadOnlyLeaseBased".to_owned());
                } else if self.lead != NONE {
                    self.info(format!(
                        "{:x} forgetting leader {:x} at term {}",
                        self.id, self.lead, self.term
                    ));
                    self.lead = NONE;
                }
            }
            MessageType::MsgTimeoutNow => {
                self.info(format!(
                    "{:x} [term {}] received MsgTimeoutNow from {:x} and starts an election to get leadership.",
                    self.id, self.term, m.from
                ));
                // Without pre-vote: the leader itself asked, so a live leader is no reason to refuse.
                self.hup(Campaign::Transfer);
            }
            MessageType::MsgReadIndex => {
                if self.lead == NONE {
                    self.info(format!(
                        "{:x} no leader at term {}; dropping index reading msg",
                        self.id, self.term
                    ));
                } else {
                    m.to = self.lead;
                    self.send(m);
                }
            }
            MessageType::MsgReadIndexResp => {
                if m.entries.len() == 1 {
                    self.read_states.push(ReadState { index: m.index, context: read_only::context(&m) });
                } else {
                    (self.logger)(
                        "ERROR",
                        format!(
                            "{:x} invalid format of MsgReadIndexResp from {:x}, entries count: {}",
                            self.id,
                            m.from,
                            m.entries.len()
                        ),
                    );
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn handle_append(&mut self, m: &Message) {
        if m.index < self.log.committed {
            let index = self.log.committed;
            return self.send(Message { index, ..Message::new(MessageType::MsgAppResp, m.from) });
        }
        if let Some(index) = self.log.maybe_append((m.index, m.log_term), m.commit, &m.entries) {
            return self.send(Message { index, ..Message::new(MessageType::MsgAppResp, m.from) });
        }
        self.debug(format!(
            "{:x} [logterm: {}, index: {}] rejected MsgApp [logterm: {}, index: {}] from {:x}",
            self.id,
            self.log.term_or_zero(m.index),
            m.index,
            m.log_term,
            m.index,
            m.from
        ));
        // The largest index at which the two logs can still agree, so that the leader need not go back one by one.
        let (hint, hint_term) =
            self.log.find_conflict_by_term(m.index.min(self.log.last_index()), m.log_term);
        self.send(Message {
            index: m.index,
            reject: true,
            reject_hint: hint,
            log_term: hint_term,
            ..Message::new(MessageType::MsgAppResp, m.from)
        });
    }

    fn handle_heartbeat(&mut self, m: &Message) {
        self.log.commit_to(m.commit);
        self.send(Message {
            context: m.context.clone(),
            ..Message::new(MessageType::MsgHeartbeatResp, m.from)
        });
    }
}
