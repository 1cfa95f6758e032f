//! Hashes by which members find out that they differ (etcd `server/storage/mvcc/hash.go`): CRC-32C over the name of
//! bucket `key` and the rows up to a revision, as they will be after the compactions that were accepted.

use crate::revision::{BucketKey, Revision};
use crate::store::{Row, Store};
use bytes::BytesMut;
use prost::Message;
use std::collections::BTreeSet;
use wire::rpc::{Status, errors};

/// Hashes of compactions that are remembered.
const STORED: usize = 10;

/// A hash of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyValueHash {
    /// The CRC-32C.
    pub hash: u32,
    /// The compaction it assumes; -1: none.
    pub compact_revision: i64,
    /// The revision it goes up to.
    pub revision: i64,
}

#[derive(Debug)]
pub(crate) struct KvHasher {
    crc: u32,
    compact: i64,
    rev: i64,
    buf: BytesMut,
}

impl KvHasher {
    pub(crate) fn new(compact: i64, rev: i64) -> KvHasher {
        KvHasher { crc: crc32c::crc32c(b"key"), compact, rev, buf: BytesMut::new() }
    }

    pub(crate) fn write(&mut self, rev: Revision, row: &Row, keep: &BTreeSet<Revision>) {
        if rev.main > self.rev {
            return;
        }
        if rev.main <= self.compact && !keep.is_empty() && !keep.contains(&rev) {
            return;
        }
        // Older versions of etcd remove a tombstone at the compacted revision, so it never counts.
        if rev.main == self.compact && row.tombstone {
            return;
        }
        self.buf.clear();
        row.kv.encode_raw(&mut self.buf);
        let key = BucketKey { rev, tombstone: row.tombstone }.to_bytes();
        self.crc = crc32c::crc32c_append(crc32c::crc32c_append(self.crc, &key), &self.buf);
    }

    pub(crate) fn sum(&self) -> u32 {
        self.crc
    }
}

impl Store {
    /// The hash up to `rev` (0: all), and the store's revision. For a revision that was itself a compaction, the hash
    /// taken during it, which assumes the compaction before.
    ///
    /// # Errors
    /// The revision is compacted or in the future.
    pub fn hash_by_rev(&self, rev: i64) -> Result<(KeyValueHash, i64), Status> {
        if let Some(h) = self.hashes.iter().find(|h| h.revision == rev) {
            return Ok((*h, self.current_rev));
        }
        if rev > 0 && rev < self.compact_rev {
            return Err(errors::COMPACTED.into());
        }
        if rev > 0 && rev > self.current_rev {
            return Err(errors::FUTURE_REV.into());
        }
        let at = if rev == 0 { self.current_rev } else { rev };
        let keep = self.index.keep(at);
        let mut h = KvHasher::new(self.compact_rev, at);
        for (rev, row) in &self.rows {
            h.write(*rev, row, &keep);
        }
        let hash = KeyValueHash { hash: h.sum(), compact_revision: self.compact_rev, revision: at };
        Ok((hash, self.current_rev))
    }

    pub(crate) fn store_hash(&mut self, hash: KeyValueHash) {
        self.hashes.push(hash);
        self.hashes.sort_by_key(|h| h.revision);
        let old = self.hashes.len().saturating_sub(STORED);
        self.hashes.drain(..old);
    }
}
