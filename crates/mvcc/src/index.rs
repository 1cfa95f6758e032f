//! All keys in order, each with its life (etcd `server/storage/mvcc/index.go`).

use crate::key_index::{Found, KeyIndex};
use crate::range::KeyRange;
use crate::revision::Revision;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// The in-memory index from keys to revisions.
#[derive(Debug, Default)]
pub(crate) struct TreeIndex {
    keys: BTreeMap<Bytes, KeyIndex>,
}

impl TreeIndex {
    pub(crate) fn get(&self, key: &[u8], at: i64) -> Option<Found> {
        self.keys.get(key)?.get(at)
    }

    pub(crate) fn key_index(&self, key: &[u8]) -> Option<&KeyIndex> {
        self.keys.get(key)
    }

    /// The key's life, for recording a change. A new key is copied, so that the index does not hold on to the request
    /// that first named it.
    pub(crate) fn entry(&mut self, key: &[u8]) -> &mut KeyIndex {
        if !self.keys.contains_key(key) {
            let own = Bytes::copy_from_slice(key);
            self.keys.insert(own.clone(), KeyIndex::new(own));
        }
        self.keys.get_mut(key).expect("just made")
    }

    pub(crate) fn get_mut(&mut self, key: &[u8]) -> Option<&mut KeyIndex> {
        self.keys.get_mut(key)
    }

    pub(crate) fn insert(&mut self, ki: KeyIndex) {
        self.keys.insert(ki.key().clone(), ki);
    }

    /// All keys in the range, those that are deleted included.
    pub(crate) fn visit(&self, range: &KeyRange) -> impl Iterator<Item = &KeyIndex> {
        range.bounds().into_iter().flat_map(|b| self.keys.range::<[u8], _>(b).map(|(_, ki)| ki))
    }

    /// Revisions of the keys that exist at `at`, in key order, at most `limit` of them (0: all), and how many there are.
    pub(crate) fn revisions(&self, range: &KeyRange, at: i64, limit: i64) -> (Vec<Revision>, i64) {
        let mut revs = Vec::new();
        let mut total = 0;
        for found in self.visit(range).filter_map(|ki| ki.get(at)) {
            if limit <= 0 || total < limit {
                revs.push(found.modified);
            }
            total += 1;
        }
        (revs, total)
    }

    /// How many keys of the range exist at `at`.
    pub(crate) fn count(&self, range: &KeyRange, at: i64) -> i64 {
        self.visit(range).filter(|ki| ki.get(at).is_some()).count() as i64
    }

    /// The keys of the range that exist at `at`.
    pub(crate) fn keys_at(&self, range: &KeyRange, at: i64) -> Vec<Bytes> {
        self.visit(range).filter(|ki| ki.get(at).is_some()).map(|ki| ki.key().clone()).collect()
    }

    /// Forgets what a compaction takes; answers with the revisions at or below `at` that stay.
    pub(crate) fn compact(&mut self, at: i64) -> BTreeSet<Revision> {
        let mut available = BTreeSet::new();
        self.keys.retain(|_, ki| {
            ki.compact(at, &mut available);
            !ki.is_empty()
        });
        available
    }

    /// The revisions a compaction at `at` would leave, tombstones not counted.
    pub(crate) fn keep(&self, at: i64) -> BTreeSet<Revision> {
        let mut available = BTreeSet::new();
        for ki in self.keys.values() {
            ki.keep(at, &mut available);
        }
        available
    }

    /// Keys in the index, deleted but not yet compacted ones included.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }
}
