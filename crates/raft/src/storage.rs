//! The part of the log that is durable, held in memory as etcd holds it (raft's `MemoryStorage`).

use prost::Message as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wire::raftpb::{ConfState, Entry, HardState, Snapshot};

/// Why an index cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// It lies before the first entry kept.
    #[error("requested index is unavailable due to compaction")]
    Compacted,
    /// It lies after the last entry.
    #[error("requested entry at index is unavailable")]
    Unavailable,
}

#[derive(Default)]
struct Inner {
    hard_state: HardState,
    snapshot: Snapshot,
    /// `entries[i]` has index `offset + 1 + i`; the entry before the first is known by its term only.
    entries: VecDeque<Entry>,
    offset: u64,
    offset_term: u64,
}

/// Entries, hard state and configuration that are on disk. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryStorage(Rc<RefCell<Inner>>);

impl MemoryStorage {
    /// An empty log.
    pub fn new() -> MemoryStorage {
        MemoryStorage::default()
    }

    /// Hard state and configuration, as of the last write.
    pub fn initial_state(&self) -> (HardState, ConfState) {
        let s = self.0.borrow();
        (s.hard_state, s.snapshot.metadata.conf_state.clone())
    }

    /// Replaces the hard state.
    pub fn set_hard_state(&self, hs: HardState) {
        self.0.borrow_mut().hard_state = hs;
    }

    /// The hard state written last.
    pub fn hard_state(&self) -> HardState {
        self.0.borrow().hard_state
    }

    /// Entries `lo..hi`, as many as fit into `max` bytes but at least one.
    pub fn entries(&self, lo: u64, hi: u64, max: u64) -> Result<Vec<Entry>, StorageError> {
        let s = self.0.borrow();
        if lo <= s.offset {
            return Err(StorageError::Compacted);
        }
        if hi > s.offset + 1 + s.entries.len() as u64 {
            return Err(StorageError::Unavailable);
        }
        let range = (lo - s.offset - 1) as usize..(hi - s.offset - 1) as usize;
        Ok(limit_size(s.entries.range(range).cloned(), max))
    }

    /// The term of entry `index`; also known for the entry just before the first.
    pub fn term(&self, index: u64) -> Result<u64, StorageError> {
        let s = self.0.borrow();
        if index < s.offset {
            return Err(StorageError::Compacted);
        }
        if index == s.offset {
            return Ok(s.offset_term);
        }
        s.entries.get((index - s.offset - 1) as usize).map(|e| e.term).ok_or(StorageError::Unavailable)
    }

    /// Index of the first entry kept (one more than the last if there is none).
    pub fn first_index(&self) -> u64 {
        self.0.borrow().offset + 1
    }

    /// Index of the last entry.
    pub fn last_index(&self) -> u64 {
        let s = self.0.borrow();
        s.offset + s.entries.len() as u64
    }

    /// The snapshot applied or made last; its index is 0 if there is none.
    pub fn snapshot(&self) -> Snapshot {
        self.0.borrow().snapshot.clone()
    }

    /// Replaces everything by a snapshot.
    pub fn apply_snapshot(&self, snapshot: Snapshot) {
        let mut s = self.0.borrow_mut();
        s.offset = snapshot.metadata.index;
        s.offset_term = snapshot.metadata.term;
        s.entries.clear();
        s.snapshot = snapshot;
    }

    /// Notes the configuration as of `index`, as making a snapshot there would.
    pub fn set_conf_state(&self, index: u64, conf_state: ConfState) {
        let term = self.term(index).unwrap_or_default();
        let meta = &mut self.0.borrow_mut().snapshot.metadata;
        meta.conf_state = conf_state;
        meta.index = index;
        meta.term = term;
    }

    /// Drops the entries up to `index`.
    pub fn compact(&self, index: u64) -> Result<(), StorageError> {
        let term = self.term(index)?;
        let mut s = self.0.borrow_mut();
        if index <= s.offset {
            return Err(StorageError::Compacted);
        }
        let n = (index - s.offset) as usize;
        s.entries.drain(..n);
        s.offset = index;
        s.offset_term = term;
        Ok(())
    }

    /// Appends entries, replacing what they overlap with.
    ///
    /// # Panics
    /// If there would be a gap before the first of them.
    pub fn append(&self, entries: &[Entry]) {
        let mut s = self.0.borrow_mut();
        let skip = entries.iter().take_while(|e| e.index <= s.offset).count();
        let Some(first) = entries.get(skip) else { return };
        let keep = (first.index - s.offset - 1) as usize;
        assert!(keep <= s.entries.len(), "missing log entry before {}", first.index);
        s.entries.truncate(keep);
        s.entries.extend(entries[skip..].iter().cloned());
    }
}

/// The longest prefix of `entries` within `max` bytes, but at least one entry.
pub(crate) fn limit_size(entries: impl Iterator<Item = Entry>, max: u64) -> Vec<Entry> {
    let mut size = 0;
    let mut out = Vec::new();
    for e in entries {
        size += e.encoded_len() as u64;
        if size > max && !out.is_empty() {
            break;
        }
        out.push(e);
    }
    out
}

/// Bytes of payload in `entries`.
pub(crate) fn payload_size(entries: &[Entry]) -> u64 {
    entries.iter().map(|e| e.payload().len() as u64).sum()
}
