//! Majority arithmetic (etcd: quorum.MajorityConfig).

use std::collections::{BTreeMap, BTreeSet};

/// How an election stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteResult {
    /// Neither a majority for nor one against.
    Pending,
    /// A majority can no longer be reached.
    Lost,
    /// A majority said yes.
    Won,
}

/// The largest index that a majority of `voters` has acknowledged. Everything if there are no voters.
pub fn committed_index(voters: &BTreeSet<u64>, acked: impl Fn(u64) -> u64) -> u64 {
    let mut acks: Vec<u64> = voters.iter().map(|v| acked(*v)).collect();
    if acks.is_empty() {
        return u64::MAX;
    }
    acks.sort_unstable();
    acks[acks.len() - (acks.len() / 2 + 1)]
}

/// The result of an election among `voters`; who has not answered is not in `votes`. Won if there are no voters.
pub fn vote_result(voters: &BTreeSet<u64>, votes: &BTreeMap<u64, bool>) -> VoteResult {
    if voters.is_empty() {
        return VoteResult::Won;
    }
    let yes = voters.iter().filter(|v| votes.get(v) == Some(&true)).count();
    let missing = voters.iter().filter(|v| !votes.contains_key(v)).count();
    let quorum = voters.len() / 2 + 1;
    if yes >= quorum {
        VoteResult::Won
    } else if yes + missing >= quorum {
        VoteResult::Pending
    } else {
        VoteResult::Lost
    }
}
