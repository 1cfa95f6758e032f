//! The configuration, the progress of its members and the votes of an election (etcd: tracker.ProgressTracker).

use crate::progress::{Inflights, Progress};
use crate::quorum::{self, VoteResult};
use std::collections::{BTreeMap, BTreeSet};
use wire::raftpb::ConfState;

pub(crate) struct Tracker {
    pub(crate) voters: BTreeSet<u64>,
    pub(crate) learners: BTreeSet<u64>,
    pub(crate) progress: BTreeMap<u64, Progress>,
    pub(crate) votes: BTreeMap<u64, bool>,
    max_inflight: usize,
}

impl Tracker {
    pub(crate) fn new(cs: &ConfState, last_index: u64, max_inflight: usize) -> Tracker {
        let mut t = Tracker {
            voters: cs.voters.iter().copied().collect(),
            learners: cs.learners.iter().copied().collect(),
            progress: BTreeMap::new(),
            votes: BTreeMap::new(),
            max_inflight,
        };
        let ids: Vec<u64> = t.voters.union(&t.learners).copied().collect();
        for id in ids {
            t.add_progress(id, last_index);
        }
        t
    }

    /// Starts to track a member that was just added.
    pub(crate) fn add_progress(&mut self, id: u64, last_index: u64) {
        let is_learner = self.learners.contains(&id);
        let fresh = Progress {
            next: last_index.max(1), // entry last_index is probably the one that added it
            inflights: Inflights::new(self.max_inflight),
            recent_active: true, // else a leader could step down before it had a chance to answer
            is_learner,
            ..Progress::default()
        };
        self.progress.entry(id).or_insert(fresh).is_learner = is_learner;
    }

    /// A new term: nothing is known about anybody.
    pub(crate) fn reset(&mut self, me: u64, last_index: u64) {
        self.votes.clear();
        for (id, p) in &mut self.progress {
            *p = Progress {
                matched: if *id == me { last_index } else { 0 },
                next: last_index + 1,
                inflights: Inflights::new(self.max_inflight),
                is_learner: p.is_learner,
                ..Progress::default()
            };
        }
    }

    pub(crate) fn conf_state(&self) -> ConfState {
        ConfState {
            voters: self.voters.iter().copied().collect(),
            learners: self.learners.iter().copied().collect(),
            ..ConfState::default()
        }
    }

    /// As etcd's log prints a configuration: `voters=(1 2 3) learners=(4)`.
    pub(crate) fn config_text(&self) -> String {
        let list = |s: &BTreeSet<u64>| s.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        let mut text = format!("voters=({})", list(&self.voters));
        if !self.learners.is_empty() {
            text += &format!(" learners=({})", list(&self.learners));
        }
        text
    }

    pub(crate) fn is_singleton(&self) -> bool {
        self.voters.len() == 1
    }

    pub(crate) fn committed(&self) -> u64 {
        quorum::committed_index(&self.voters, |v| self.progress.get(&v).map_or(0, |p| p.matched))
    }

    pub(crate) fn quorum_active(&self) -> bool {
        let active = |(id, p): (&u64, &Progress)| (!p.is_learner).then_some((*id, p.recent_active));
        quorum::vote_result(&self.voters, &self.progress.iter().filter_map(active).collect())
            == VoteResult::Won
    }

    /// Votes for, votes against, and how the election stands.
    pub(crate) fn tally(&self) -> (usize, usize, VoteResult) {
        let mine = |(id, _): &(&u64, &bool)| self.voters.contains(id);
        let yes = self.votes.iter().filter(mine).filter(|(_, v)| **v).count();
        let no = self.votes.iter().filter(mine).filter(|(_, v)| !**v).count();
        (yes, no, quorum::vote_result(&self.voters, &self.votes))
    }
}
