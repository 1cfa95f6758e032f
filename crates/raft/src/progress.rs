//! What a leader knows about one follower (etcd: tracker.Progress, tracker.Inflights).
//!
//! ```text
//!            Match                Next
//!   1 ─────────┼───────────────────┼──────▶
//!     the follower has    sent, not acknowledged
//! ```
//! *Probe* sends one message and waits; *Replicate* sends on without waiting, up to the inflight limit; *Snapshot* waits
//! until a snapshot arrived.

use std::collections::VecDeque;
use std::fmt;

/// See the module's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ProgressState {
    #[default]
    Probe,
    Replicate,
    Snapshot,
}

impl fmt::Display for ProgressState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProgressState::Probe => "StateProbe",
            ProgressState::Replicate => "StateReplicate",
            ProgressState::Snapshot => "StateSnapshot",
        })
    }
}

/// The last indexes of the MsgApp on their way to one follower, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inflights {
    size: usize,
    last: VecDeque<u64>,
}

impl Inflights {
    /// Room for `size` messages.
    pub fn new(size: usize) -> Inflights {
        Inflights { size, last: VecDeque::new() }
    }

    /// Notes a message that ends with entry `last`.
    pub fn add(&mut self, last: u64) {
        assert!(!self.full(), "cannot add into a Full inflights");
        self.last.push_back(last);
    }

    /// Forgets the messages that end at or before `to`.
    pub fn free_to(&mut self, to: u64) {
        while self.last.front().is_some_and(|l| *l <= to) {
            self.last.pop_front();
        }
    }

    /// Whether no further message may be sent.
    pub fn full(&self) -> bool {
        self.last.len() >= self.size
    }

    /// How many are on their way.
    pub fn count(&self) -> usize {
        self.last.len()
    }
}

/// What a leader knows about one member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The highest index the member is known to have.
    pub matched: u64,
    /// The next index to send.
    pub next: u64,
    /// Probe, Replicate or Snapshot.
    pub state: ProgressState,
    /// In Snapshot: the index of the snapshot on its way.
    pub pending_snapshot: u64,
    /// It answered since the last check of the quorum.
    pub recent_active: bool,
    /// Nothing is sent until it answers.
    pub flow_paused: bool,
    /// MsgApp on their way.
    pub inflights: Inflights,
    /// It has no vote.
    pub is_learner: bool,
}

impl Progress {
    fn reset_state(&mut self, state: ProgressState) {
        self.flow_paused = false;
        self.pending_snapshot = 0;
        self.state = state;
        self.inflights.last.clear();
    }

    pub(crate) fn become_probe(&mut self) {
        let pending = if self.state == ProgressState::Snapshot { self.pending_snapshot } else { 0 };
        self.reset_state(ProgressState::Probe);
        self.next = (self.matched + 1).max(pending + 1);
    }

    pub(crate) fn become_replicate(&mut self) {
        self.reset_state(ProgressState::Replicate);
        self.next = self.matched + 1;
    }

    /// Entries were sent: `n` of them, starting at `next`.
    pub(crate) fn sent_entries(&mut self, n: u64) {
        match self.state {
            ProgressState::Replicate => {
                if n > 0 {
                    self.next += n;
                    self.inflights.add(self.next - 1);
                }
                self.flow_paused = self.inflights.full();
            }
            ProgressState::Probe => {
                if n > 0 {
                    self.flow_paused = true;
                }
            }
            ProgressState::Snapshot => unreachable!("sending append in unhandled state StateSnapshot"),
        }
    }

    /// The member acknowledged up to `n`; false if that was known.
    pub(crate) fn maybe_update(&mut self, n: u64) -> bool {
        if n <= self.matched {
            return false;
        }
        self.matched = n;
        self.next = self.next.max(n + 1);
        self.flow_paused = false;
        true
    }

    /// The member refused the entry after `rejected` and may agree at `hint`; false if the refusal is an old one.
    pub(crate) fn maybe_decr_to(&mut self, rejected: u64, hint: u64) -> bool {
        if self.state == ProgressState::Replicate {
            if rejected <= self.matched {
                return false;
            }
            self.next = self.matched + 1;
            return true;
        }
        if self.next - 1 != rejected {
            return false;
        }
        self.next = rejected.min(hint + 1).max(self.matched + 1);
        self.flow_paused = false;
        true
    }

    /// Whether nothing may be sent now.
    pub fn is_paused(&self) -> bool {
        match self.state {
            ProgressState::Probe | ProgressState::Replicate => self.flow_paused,
            ProgressState::Snapshot => true,
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} match={} next={}", self.state, self.matched, self.next)?;
        if self.is_learner {
            f.write_str(" learner")?;
        }
        if self.is_paused() {
            f.write_str(" paused")?;
        }
        if self.pending_snapshot > 0 {
            write!(f, " pendingSnap={}", self.pending_snapshot)?;
        }
        if !self.recent_active {
            f.write_str(" inactive")?;
        }
        if self.inflights.count() > 0 {
            write!(f, " inflight={}", self.inflights.count())?;
            if self.inflights.full() {
                f.write_str("[full]")?;
            }
        }
        Ok(())
    }
}
