//! The log as the algorithm sees it: durable and not yet durable entries, and how far they are committed and applied.
//!
//! ```text
//!   1 … applied … applying … committed … stable … last
//!       executed   handed out  on a majority  on this disk
//! ```
//! Invariant: applied ≤ applying ≤ committed ≤ last.

use crate::storage::limit_size;
use crate::unstable::Unstable;
use crate::{Logger, MemoryStorage, StorageError};
use prost::Message as _;
use std::collections::VecDeque;
use wire::raftpb::Entry;

pub(crate) struct RaftLog {
    pub(crate) storage: MemoryStorage,
    pub(crate) unstable: Unstable,
    pub(crate) committed: u64,
    pub(crate) applying: u64,
    pub(crate) applied: u64,
    max_applying_size: u64,
    applying_size: u64,
}

impl RaftLog {
    pub(crate) fn new(storage: MemoryStorage, logger: Logger, max_applying_size: u64) -> RaftLog {
        let (first, last) = (storage.first_index(), storage.last_index());
        RaftLog {
            unstable: Unstable { entries: VecDeque::new(), offset: last + 1, in_progress: last + 1, logger },
            storage,
            committed: first - 1,
            applying: first - 1,
            applied: first - 1,
            max_applying_size,
            applying_size: 0,
        }
    }

    pub(crate) fn first_index(&self) -> u64 {
        self.storage.first_index()
    }

    pub(crate) fn last_index(&self) -> u64 {
        self.unstable.last_index().unwrap_or_else(|| self.storage.last_index())
    }

    /// Index and term of the last entry.
    pub(crate) fn last_id(&self) -> (u64, u64) {
        let last = self.last_index();
        (last, self.term(last).expect("the last entry's term is known"))
    }

    pub(crate) fn term(&self, index: u64) -> Result<u64, StorageError> {
        if let Some(t) = self.unstable.term(index) {
            return Ok(t);
        }
        if index + 1 < self.first_index() {
            return Err(StorageError::Compacted);
        }
        if index > self.last_index() {
            return Err(StorageError::Unavailable);
        }
        self.storage.term(index)
    }

    pub(crate) fn term_or_zero(&self, index: u64) -> u64 {
        self.term(index).unwrap_or(0)
    }

    fn matches(&self, index: u64, term: u64) -> bool {
        self.term(index) == Ok(term)
    }

    /// Appends what a leader sent if the entry before it agrees; the last index it covers, else `None`.
    pub(crate) fn maybe_append(
        &mut self,
        prev: (u64, u64),
        committed: u64,
        entries: &[Entry],
    ) -> Option<u64> {
        if !self.matches(prev.0, prev.1) {
            return None;
        }
        let last_new = prev.0 + entries.len() as u64;
        if let Some(conflict) = self.find_conflict(entries) {
            assert!(
                conflict > self.committed,
                "entry {conflict} conflict with committed entry [committed({})]",
                self.committed
            );
            self.append(&entries[(conflict - prev.0 - 1) as usize..]);
        }
        self.commit_to(committed.min(last_new));
        Some(last_new)
    }

    pub(crate) fn append(&mut self, entries: &[Entry]) -> u64 {
        if let Some(first) = entries.first() {
            assert!(
                first.index > self.committed,
                "after({}) is out of range [committed({})]",
                first.index - 1,
                self.committed
            );
            self.unstable.truncate_and_append(entries);
        }
        self.last_index()
    }

    /// The first of `entries` that is new or differs from what is here.
    fn find_conflict(&self, entries: &[Entry]) -> Option<u64> {
        let e = entries.iter().find(|e| !self.matches(e.index, e.term))?;
        if e.index <= self.last_index() {
            (self.unstable.logger)(
                "INFO",
                format!(
                    "found conflict at index {} [existing term: {}, conflicting term: {}]",
                    e.index,
                    self.term_or_zero(e.index),
                    e.term
                ),
            );
        }
        Some(e.index)
    }

    /// The largest index at or before `index` whose term is not above `term`, and its term (0 if it is not known).
    pub(crate) fn find_conflict_by_term(&self, index: u64, term: u64) -> (u64, u64) {
        let mut index = index;
        while index > 0 {
            match self.term(index) {
                Err(_) => return (index, 0),
                Ok(ours) if ours <= term => return (index, ours),
                Ok(_) => index -= 1,
            }
        }
        (0, 0)
    }

    pub(crate) fn commit_to(&mut self, to: u64) {
        if self.committed < to {
            let last = self.last_index();
            assert!(
                last >= to,
                "tocommit({to}) is out of range [lastIndex({last})]. Was the raft log corrupted, truncated, or lost?"
            );
            self.committed = to;
        }
    }

    /// Commits up to `index` if it is new and of `term`: a leader commits by counting only entries of its own term.
    pub(crate) fn maybe_commit(&mut self, index: u64, term: u64) -> bool {
        if term != 0 && index > self.committed && self.matches(index, term) {
            self.commit_to(index);
            return true;
        }
        false
    }

    pub(crate) fn is_up_to_date(&self, index: u64, term: u64) -> bool {
        let (our_index, our_term) = self.last_id();
        term > our_term || (term == our_term && index >= our_index)
    }

    pub(crate) fn slice(&self, lo: u64, hi: u64, max: u64) -> Result<Vec<Entry>, StorageError> {
        if lo < self.first_index() {
            return Err(StorageError::Compacted);
        }
        if lo >= hi {
            return Ok(Vec::new());
        }
        let offset = self.unstable.offset;
        let mut out = Vec::new();
        if lo < offset {
            let stop = hi.min(offset);
            out = self.storage.entries(lo, stop, max)?;
            if (out.len() as u64) < stop - lo {
                return Ok(out);
            }
        }
        if hi > offset {
            let (a, b) = ((lo.max(offset) - offset) as usize, (hi - offset) as usize);
            let used: u64 = out.iter().map(|e| e.encoded_len() as u64).sum();
            if used >= max && !out.is_empty() {
                return Ok(out);
            }
            let more = limit_size(self.unstable.entries.range(a..b).cloned(), max - used);
            let fits = more.first().is_some_and(|e| used + e.encoded_len() as u64 <= max);
            if out.is_empty() || fits {
                out.extend(more);
            }
        }
        Ok(out)
    }

    /// Entries from `from` on, as many as fit.
    pub(crate) fn entries(&self, from: u64, max: u64) -> Result<Vec<Entry>, StorageError> {
        self.slice(from, self.last_index() + 1, max)
    }

    pub(crate) fn has_next_committed(&self) -> bool {
        self.applying < self.committed && self.applying_size < self.max_applying_size
    }

    /// Committed entries that were not handed out yet, within the size limit.
    pub(crate) fn next_committed(&self) -> Vec<Entry> {
        if !self.has_next_committed() {
            return Vec::new();
        }
        self.slice(self.applying + 1, self.committed + 1, self.max_applying_size - self.applying_size)
            .expect("committed entries that are not applied are kept")
    }

    pub(crate) fn accept_applying(&mut self, entries: &[Entry]) {
        if let Some(last) = entries.last() {
            self.applying = last.index;
            self.applying_size += entries.iter().map(|e| e.encoded_len() as u64).sum::<u64>();
        }
    }

    pub(crate) fn applied_to(&mut self, index: u64, size: u64) {
        assert!(
            index <= self.committed && index >= self.applied,
            "applied({index}) is out of range [prevApplied({}), committed({})]",
            self.applied,
            self.committed
        );
        self.applied = index;
        self.applying = self.applying.max(index);
        self.applying_size = self.applying_size.saturating_sub(size);
    }
}
