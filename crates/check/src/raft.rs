//! Raft's invariants, observed: looks at the members are shown to an [`Observer`], which remembers enough to tell when two of
//! them cannot both be true.

use ::raft::StateRole;
use etcd::{EntryView, MemberStatus};
use std::collections::BTreeMap;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Election safety: at most one leader per term.
    #[error("term {term} has two leaders: {first:x} and {second:x}")]
    TwoLeaders {
        /// The term.
        term: u64,
        /// Who was seen leading first.
        first: u64,
        /// Who was seen then.
        second: u64,
    },
    /// A member's term went back.
    #[error("member {0:x} went from term {1} back to {2}")]
    TermBack(u64, u64, u64),
    /// State machine safety: a committed entry is for ever.
    #[error("index {index} is committed with term {first} and with term {second}")]
    CommittedDiffers {
        /// The index.
        index: u64,
        /// The term seen first.
        first: u64,
        /// The other.
        second: u64,
    },
    /// Leader completeness: a leader has every entry committed in earlier terms.
    #[error("leader {leader:x} of term {term} lacks committed index {index}")]
    LeaderLacks {
        /// The leader.
        leader: u64,
        /// Its term.
        term: u64,
        /// The index.
        index: u64,
    },
    /// A member applied more than is committed.
    #[error("member {0:x} applied index {1} and knows {2} to be committed")]
    AppliedAhead(u64, u64, u64),
}

/// Remembers what was seen.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    leaders: BTreeMap<u64, u64>,
    terms: BTreeMap<u64, u64>,
    committed: BTreeMap<u64, EntryView>,
}

impl Observer {
    /// Nothing seen yet.
    pub fn new() -> Observer {
        Observer::default()
    }

    /// Indexes that were seen committed.
    pub fn committed(&self) -> usize {
        self.committed.len()
    }

    /// Takes a look at all members that run, with as much of their logs as was asked for.
    ///
    /// # Errors
    /// The first invariant that this look breaks.
    pub fn observe<'a>(&mut self, members: impl IntoIterator<Item = &'a MemberStatus>) -> Result<(), Broken> {
        let members: Vec<&MemberStatus> = members.into_iter().collect();
        for m in &members {
            let term = self.terms.entry(m.id).or_default();
            if m.term < *term {
                return Err(Broken::TermBack(m.id, *term, m.term));
            }
            *term = m.term;
            if m.applied > m.commit {
                return Err(Broken::AppliedAhead(m.id, m.applied, m.commit));
            }
            if m.role == StateRole::Leader {
                let first = *self.leaders.entry(m.term).or_insert(m.id);
                if first != m.id {
                    return Err(Broken::TwoLeaders { term: m.term, first, second: m.id });
                }
            }
            for e in m.log.iter().filter(|e| e.index <= m.commit) {
                match self.committed.get(&e.index) {
                    Some(known) if known != e => {
                        return Err(Broken::CommittedDiffers {
                            index: e.index,
                            first: known.term,
                            second: e.term,
                        });
                    }
                    Some(_) => {}
                    None => {
                        self.committed.insert(e.index, e.clone());
                    }
                }
            }
        }
        for m in members.iter().filter(|m| m.role == StateRole::Leader) {
            let earlier = self.committed.values().rev().find(|e| e.term < m.term);
            if let Some(e) = earlier.filter(|e| e.index > m.last_index) {
                return Err(Broken::LeaderLacks { leader: m.id, term: m.term, index: e.index });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: u64, role: StateRole, term: u64, log: &[(u64, u64)], commit: u64) -> MemberStatus {
        let log: Vec<EntryView> = log
            .iter()
            .map(|(index, term)| EntryView { index: *index, term: *term, bytes: 0, summary: String::new() })
            .collect();
        MemberStatus {
            name: format!("m{id}"),
            id,
            alive: true,
            paused: false,
            role,
            term,
            vote: 0,
            lead: 0,
            commit,
            applied: commit,
            first_index: 1,
            last_index: log.last().map_or(0, |e| e.index),
            consistent_index: 0,
            revision: 1,
            compact_revision: -1,
            election_timer: (0, 10),
            lead_transferee: 0,
            progress: vec![],
            log,
            db_size: (0, 0),
        }
    }

    #[test]
    fn what_cannot_be_is_found() {
        use StateRole::{Follower, Leader};
        let mut o = Observer::new();
        let log = [(1, 1), (2, 2)];
        assert_eq!(o.observe([&member(1, Leader, 2, &log, 2), &member(2, Follower, 2, &log, 1)]), Ok(()));
        assert_eq!(o.committed(), 2);
        let e = o.clone().observe([&member(2, Leader, 2, &log, 2)]);
        assert_eq!(e, Err(Broken::TwoLeaders { term: 2, first: 1, second: 2 }));
        let e = o.clone().observe([&member(1, Follower, 1, &log, 2)]);
        assert_eq!(e, Err(Broken::TermBack(1, 2, 1)));
        let e = o.clone().observe([&member(2, Follower, 3, &[(1, 1), (2, 3)], 2)]);
        assert_eq!(e, Err(Broken::CommittedDiffers { index: 2, first: 2, second: 3 }));
        let e = o.clone().observe([&member(2, Leader, 3, &log[..1], 1)]);
        assert_eq!(e, Err(Broken::LeaderLacks { leader: 2, term: 3, index: 2 }));
        let ahead = MemberStatus { applied: 3, ..member(2, Follower, 3, &log, 2) };
        assert_eq!(o.observe([&ahead]), Err(Broken::AppliedAhead(2, 3, 2)));
    }
}
