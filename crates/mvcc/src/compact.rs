//! Compaction: history below a revision is given up at once and taken away in batches
//! (etcd `server/storage/mvcc/kvstore.go`, `kvstore_compaction.go`).

use crate::backend::{Bucket, Write, meta};
use crate::hash::{KeyValueHash, KvHasher};
use crate::revision::{BucketKey, Revision};
use crate::store::Store;
use bytes::Bytes;
use std::collections::BTreeSet;
use wire::etcdserverpb::{CompactionRequest, CompactionResponse, ResponseHeader};
use wire::rpc::{Error, Status, errors};

/// Revisions per batch of a compaction in etcd; between two batches it pauses for 10 ms.
pub const COMPACTION_BATCH: u32 = 1000;

/// A compaction that was accepted and is not finished.
#[derive(Debug)]
pub(crate) struct Compaction {
    rev: i64,
    previous: i64,
    // The one before had finished when this was accepted: only then its hash covers all it should.
    previous_completed: bool,
    keep: Option<BTreeSet<Revision>>,
    last: Revision,
    hasher: Option<KvHasher>,
}

/// What a step of compaction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionStep {
    /// No compaction is under way.
    Idle,
    /// A batch was taken away, more is left.
    More,
    /// The compaction to this revision is finished.
    Finished(i64),
}

impl Store {
    /// Accepts a compaction: reads below its revision fail from now on, the rows go with [`Store::compaction_step`].
    ///
    /// # Errors
    /// Compacted: the revision is not above the last compaction. Future revision: it is above the current one.
    pub fn compact(&mut self, r: &CompactionRequest) -> Result<CompactionResponse, Status> {
        self.schedule_compaction(r.revision)?;
        let header = ResponseHeader { revision: self.current_rev, ..ResponseHeader::default() };
        Ok(CompactionResponse { header: Some(header) })
    }

    pub(crate) fn schedule_compaction(&mut self, rev: i64) -> Result<(), Error> {
        if rev <= self.compact_rev {
            return Err(errors::COMPACTED);
        }
        if rev > self.current_rev {
            return Err(errors::FUTURE_REV);
        }
        let previous_completed = self.scheduled_compact == self.finished_compact;
        let previous = std::mem::replace(&mut self.compact_rev, rev);
        self.scheduled_compact = Some(rev);
        self.tx.put(Bucket::Meta, meta::SCHEDULED_COMPACT, mark(rev));
        self.tx.force_commit();
        self.compactions.push_back(Compaction {
            rev,
            previous,
            previous_completed,
            keep: None,
            last: Revision::default(),
            hasher: None,
        });
        Ok(())
    }

    /// Whether rows of an accepted compaction are still there.
    pub fn compaction_pending(&self) -> bool {
        !self.compactions.is_empty()
    }

    /// Revision of the last compaction whose rows are gone.
    pub fn finished_compaction(&self) -> Option<i64> {
        self.finished_compact
    }

    /// Takes away up to `limit` rows' worth of history ([`COMPACTION_BATCH`] in etcd) of the oldest compaction that is
    /// not finished.
    pub fn compaction_step(&mut self, limit: u32) -> CompactionStep {
        let Some(job) = self.compactions.front_mut() else { return CompactionStep::Idle };
        let keep = job.keep.get_or_insert_with(|| self.index.compact(job.rev));
        let hasher = job.hasher.get_or_insert_with(|| KvHasher::new(job.previous, job.rev));
        let limit = limit.max(1) as usize;
        let end = Revision::new(job.rev, i64::MAX);
        let batch: Vec<_> = if job.last <= end {
            self.rows.range(job.last..=end).take(limit).map(|(r, row)| (*r, row.clone())).collect()
        } else {
            Vec::new()
        };
        for (rev, row) in &batch {
            hasher.write(*rev, row, keep);
            if !keep.contains(rev) {
                self.rows.remove(rev);
                self.tx.push(Write::DeleteRow(BucketKey { rev: *rev, tombstone: row.tombstone }));
                self.counters.compacted += 1;
            }
        }
        if let Some((rev, _)) = batch.last()
            && batch.len() == limit
        {
            job.last = Revision::new(rev.main, rev.sub + 1);
            self.tx.force_commit();
            return CompactionStep::More;
        }
        let job = self.compactions.pop_front().expect("looked at above");
        self.finished_compact = Some(job.rev);
        self.tx.put(Bucket::Meta, meta::FINISHED_COMPACT, mark(job.rev));
        if let Some(h) = job.hasher
            && job.previous_completed
        {
            self.store_hash(KeyValueHash {
                hash: h.sum(),
                compact_revision: job.previous,
                revision: job.rev,
            });
        }
        CompactionStep::Finished(job.rev)
    }
}

fn mark(rev: i64) -> Bytes {
    Bytes::copy_from_slice(&Revision::new(rev, 0).to_bytes())
}
