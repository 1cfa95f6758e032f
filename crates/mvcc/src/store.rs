//! The store of one member: index, rows, leases, watchers, and the writes that wait for the backend.

use crate::backend::{Backend, BatchTx, Bucket, Write, meta};
use crate::compact::Compaction;
use crate::hash::KeyValueHash;
use crate::index::TreeIndex;
use crate::key_index::KeyIndex;
use crate::lease::Lessor;
use crate::range::KeyRange;
use crate::revision::{BucketKey, Revision};
use crate::watch::Watchers;
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use wire::mvccpb::KeyValue;
use wire::rpc::{Error, errors};

/// What a member's flags decide about its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Shortest lease in seconds; etcd takes one and a half election timeouts, rounded up.
    pub min_lease_ttl: i64,
    /// Watch responses of this many bytes are split for watchers that allow it: `--max-request-bytes` and 512 KiB.
    pub watch_fragment_bytes: u64,
    /// Event responses that may wait in one watch stream before its watchers are put aside as slow.
    pub watch_buffer: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            min_lease_ttl: 2,
            watch_fragment_bytes: crate::check::MAX_REQUEST_BYTES + crate::check::GRPC_OVERHEAD_BYTES,
            watch_buffer: 128,
        }
    }
}

/// A row of bucket `key`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The pair; a tombstone has only its key.
    pub kv: Rc<KeyValue>,
    /// The key was deleted at this revision.
    pub tombstone: bool,
}

/// What etcd counts as metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// `etcd_mvcc_put_total`
    pub puts: u64,
    /// `etcd_mvcc_delete_total`
    pub deletes: u64,
    /// `etcd_mvcc_range_total`
    pub ranges: u64,
    /// `etcd_mvcc_txn_total`: transactions of more than one operation.
    pub txns: u64,
    /// `etcd_debugging_mvcc_keys_total`
    pub keys: i64,
    /// `etcd_debugging_mvcc_total_put_size_in_bytes`: keys and values put.
    pub put_bytes: u64,
    /// `etcd_debugging_mvcc_db_compaction_keys_total`
    pub compacted: u64,
    /// `etcd_debugging_mvcc_events_total`: events put into watch streams.
    pub events: u64,
}

/// The multi-version store of one member.
#[derive(Debug)]
pub struct Store {
    pub(crate) config: Config,
    pub(crate) index: TreeIndex,
    pub(crate) rows: BTreeMap<Revision, Row>,
    pub(crate) current_rev: i64,
    pub(crate) compact_rev: i64,
    pub(crate) tx: BatchTx,
    pub(crate) lessor: Lessor,
    pub(crate) watchers: Watchers,
    pub(crate) compactions: VecDeque<Compaction>,
    pub(crate) scheduled_compact: Option<i64>,
    pub(crate) finished_compact: Option<i64>,
    pub(crate) hashes: Vec<KeyValueHash>,
    pub(crate) counters: Counters,
}

/// The result of reading keys at a revision.
pub(crate) struct Found {
    pub kvs: Vec<KeyValue>,
    pub count: i64,
    pub rev: i64,
}

impl Store {
    /// An empty store: revision 1, nothing compacted.
    pub fn new(config: Config) -> Store {
        Store {
            config,
            index: TreeIndex::default(),
            rows: BTreeMap::new(),
            current_rev: 1,
            compact_rev: -1,
            tx: BatchTx::default(),
            lessor: Lessor::new(config.min_lease_ttl),
            watchers: Watchers::default(),
            compactions: VecDeque::new(),
            scheduled_compact: None,
            finished_compact: None,
            hashes: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// The store a member has after a start with this backend: index and leases rebuilt from the rows, a compaction that
    /// was not finished scheduled again.
    pub fn restore(config: Config, backend: &Backend) -> Store {
        let mut s = Store::new(config);
        s.load(backend);
        s
    }

    /// Replaces the content by a snapshot from the leader. Watchers stay and catch up from where they were.
    pub fn restore_snapshot(&mut self, backend: &Backend) {
        let primary = self.lessor.is_primary();
        let watchers = std::mem::take(&mut self.watchers);
        let mut s = Store::new(self.config);
        s.counters = Counters { keys: 0, ..self.counters };
        s.hashes = std::mem::take(&mut self.hashes);
        s.watchers = watchers;
        s.load(backend);
        s.lessor.set_primary(primary);
        s.watchers.restored();
        *self = s;
    }

    fn load(&mut self, backend: &Backend) {
        for (_, row) in backend.bucket(Bucket::Lease) {
            self.lessor.recover(row);
        }
        let mark =
            |key| backend.get(Bucket::Meta, key).and_then(|b| BucketKey::from_bytes(b)).map(|k| k.rev.main);
        self.scheduled_compact = mark(meta::SCHEDULED_COMPACT);
        self.finished_compact = mark(meta::FINISHED_COMPACT);
        if let Some(rev) = self.finished_compact {
            self.compact_rev = rev;
        }
        let mut leases: BTreeMap<Bytes, i64> = BTreeMap::new();
        for (k, kv) in backend.rows() {
            self.current_rev = self.current_rev.max(k.rev.main);
            if k.tombstone || kv.lease == 0 {
                leases.remove(&kv.key);
            } else {
                leases.insert(kv.key.clone(), kv.lease);
            }
            match (self.index.get_mut(&kv.key), k.tombstone) {
                (Some(ki), true) => {
                    if ki.tombstone(k.rev) {
                        self.counters.keys -= 1;
                    }
                }
                (Some(ki), false) => {
                    if ki.generations().last().is_none_or(|g| g.revs.is_empty()) {
                        self.counters.keys += 1;
                    }
                    ki.put(k.rev);
                }
                (None, true) => self.index.insert(&kv.key, KeyIndex::restored_tombstone(k.rev)),
                (None, false) => {
                    let created = Revision::new(kv.create_revision, 0);
                    self.index.insert(&kv.key, KeyIndex::restored(created, k.rev, kv.version));
                    self.counters.keys += 1;
                }
            }
            self.rows.insert(k.rev, Row { kv: kv.clone(), tombstone: k.tombstone });
        }
        let scheduled = self.scheduled_compact.unwrap_or(0);
        self.current_rev = self.current_rev.max(self.compact_rev).max(scheduled);
        for (key, id) in leases {
            // A lease that is gone leaves its keys behind, as in etcd.
            self.lessor.attach(id, &key);
        }
        if scheduled > 0 && scheduled > self.compact_rev {
            // It may be refused only when it is done already.
            let _ = self.schedule_compaction(scheduled);
        }
    }

    /// Revision of the last write transaction; 1 when there was none.
    pub fn revision(&self) -> i64 {
        self.current_rev
    }

    /// Last compaction that was accepted; -1 when there was none. Reads below it fail.
    pub fn compact_revision(&self) -> i64 {
        self.compact_rev
    }

    /// The leases.
    pub fn lessor(&self) -> &Lessor {
        &self.lessor
    }

    /// The leases, for what goes around Raft: renewals, promotion, expiry.
    pub fn lessor_mut(&mut self) -> &mut Lessor {
        &mut self.lessor
    }

    /// What was counted since the start.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Keys in the index, deleted but not yet compacted ones included.
    pub fn index_len(&self) -> u64 {
        self.index.len() as u64
    }

    /// The life of a key: what the index knows.
    pub fn key_index(&self, key: &[u8]) -> Option<&KeyIndex> {
        self.index.key_index(key)
    }

    /// Lives of all keys in a range, in key order, deleted keys included.
    pub fn key_indexes(&self, range: &KeyRange) -> impl Iterator<Item = (&[u8], &KeyIndex)> {
        self.index.visit(range)
    }

    /// The row of a revision.
    pub fn row(&self, rev: Revision) -> Option<&Row> {
        self.rows.get(&rev)
    }

    /// Rows from a revision on, in order.
    pub fn rows_from(&self, rev: Revision) -> impl DoubleEndedIterator<Item = (Revision, &Row)> {
        self.rows.range(rev..).map(|(r, row)| (*r, row))
    }

    /// The batch that waits for the next commit, for the member's own rows (consistent index, members, alarms).
    pub fn batch_tx(&mut self) -> &mut BatchTx {
        &mut self.tx
    }

    /// Operations that wait for the next commit.
    pub fn pending_writes(&self) -> u64 {
        self.tx.pending()
    }

    /// Whether something asked for a commit at once.
    pub fn commit_forced(&self) -> bool {
        self.tx.commit_forced()
    }

    /// The writes since the last commit, in order, for the member to commit.
    pub fn take_writes(&mut self) -> Vec<Write> {
        self.tx.take()
    }

    /// Reads keys as of `rev` (0 or less: `current`), as `rangeKeys` in etcd.
    pub(crate) fn range_keys(
        &self,
        range: &KeyRange,
        current: i64,
        rev: i64,
        limit: i64,
        count_only: bool,
    ) -> Result<Found, Error> {
        if rev > current {
            return Err(errors::FUTURE_REV);
        }
        let at = if rev <= 0 { current } else { rev };
        if at < self.compact_rev {
            return Err(errors::COMPACTED);
        }
        if count_only {
            return Ok(Found { kvs: Vec::new(), count: self.index.count(range, at), rev: current });
        }
        let (revs, count) = self.index.revisions(range, at, limit);
        let kvs = revs.iter().map(|r| KeyValue::clone(&self.rows[r].kv)).collect();
        Ok(Found { kvs, count, rev: current })
    }

    /// The pair of one key at a revision, if it is there and not compacted.
    pub(crate) fn get_at(&self, key: &[u8], rev: i64) -> Option<KeyValue> {
        if rev < self.compact_rev || rev > self.current_rev {
            return None;
        }
        let at = if rev <= 0 { self.current_rev } else { rev };
        Some(KeyValue::clone(&self.rows[&self.index.get(key, at)?.modified].kv))
    }
}

#[cfg(test)]
mod tests;
