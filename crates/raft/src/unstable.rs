//! The part of the log that is not durable yet.
//!
//! ```text
//!   storage            unstable
//!   … offset-1 │ offset … in_progress-1 │ in_progress …
//!              │ handed out in a Ready  │ for the next Ready
//! ```

use crate::Logger;
use std::collections::VecDeque;
use wire::raftpb::Entry;

pub(crate) struct Unstable {
    /// `entries[i]` has index `offset + i`.
    pub(crate) entries: VecDeque<Entry>,
    pub(crate) offset: u64,
    /// Entries before this index were handed out to be written.
    pub(crate) in_progress: u64,
    pub(crate) logger: Logger,
}

impl Unstable {
    pub(crate) fn last_index(&self) -> Option<u64> {
        (!self.entries.is_empty()).then(|| self.offset + self.entries.len() as u64 - 1)
    }

    pub(crate) fn term(&self, index: u64) -> Option<u64> {
        let i = index.checked_sub(self.offset)?;
        self.entries.get(usize::try_from(i).ok()?).map(|e| e.term)
    }

    pub(crate) fn next_entries(&self) -> Vec<Entry> {
        self.entries.iter().skip((self.in_progress - self.offset) as usize).cloned().collect()
    }

    pub(crate) fn accept_in_progress(&mut self) {
        self.in_progress = self.offset + self.entries.len() as u64;
    }

    /// Entries up to `index` of `term` are durable. A different term means they were replaced meanwhile.
    pub(crate) fn stable_to(&mut self, index: u64, term: u64) {
        match self.term(index) {
            None => {
                (self.logger)("INFO", format!("entry at index {index} missing from unstable log; ignoring"))
            }
            Some(t) if t != term => (self.logger)(
                "INFO",
                format!(
                    "entry at (index,term)=({index},{term}) mismatched with entry at ({index},{t}) in unstable log; ignoring"
                ),
            ),
            Some(_) => {
                self.entries.drain(..(index + 1 - self.offset) as usize);
                self.offset = index + 1;
                self.in_progress = self.in_progress.max(self.offset);
            }
        }
    }

    pub(crate) fn truncate_and_append(&mut self, entries: &[Entry]) {
        let from = entries[0].index;
        if from == self.offset + self.entries.len() as u64 {
            self.entries.extend(entries.iter().cloned());
        } else if from <= self.offset {
            (self.logger)("INFO", format!("replace the unstable entries from index {from}"));
            self.entries = entries.iter().cloned().collect();
            self.offset = from;
            self.in_progress = self.offset;
        } else {
            (self.logger)("INFO", format!("truncate the unstable entries before index {from}"));
            self.entries.truncate((from - self.offset) as usize);
            self.entries.extend(entries.iter().cloned());
            self.in_progress = self.in_progress.min(from);
        }
    }
}
