//! All keys in order, each with its life (etcd `server/storage/mvcc/index.go`).

use crate::key_index::{Found, KeyIndex};
use crate::range::KeyRange;
use crate::revision::Revision;
use bytes::Bytes;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Longest key that stands in the tree itself.
const INLINE: usize = 62;

/// A key of the tree. Most stand in the tree's nodes, so that a search touches little memory.
#[derive(Debug)]
enum Key {
    Inline(u8, [u8; INLINE]),
    Heap(Box<[u8]>),
}

impl Key {
    fn new(key: &[u8]) -> Key {
        if key.len() > INLINE {
            return Key::Heap(key.into());
        }
        let mut b = [0; INLINE];
        b[..key.len()].copy_from_slice(key);
        Key::Inline(key.len() as u8, b)
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Key::Inline(n, b) => &b[..usize::from(*n)],
            Key::Heap(b) => b,
        }
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        self.bytes()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

/// The in-memory index from keys to revisions.
#[derive(Debug, Default)]
pub(crate) struct TreeIndex {
    keys: BTreeMap<Key, KeyIndex>,
}

impl TreeIndex {
    pub(crate) fn get(&self, key: &[u8], at: i64) -> Option<Found> {
        self.keys.get(key)?.get(at)
    }

    pub(crate) fn key_index(&self, key: &[u8]) -> Option<&KeyIndex> {
        self.keys.get(key)
    }

    /// Records a put; answers with what the key was before. A new key is copied, so that the index does not hold on to
    /// the request that first named it.
    pub(crate) fn put(&mut self, key: &[u8], rev: Revision) -> Option<Found> {
        if let Some(ki) = self.keys.get_mut(key) {
            let before = ki.get(rev.main);
            ki.put(rev);
            return before;
        }
        let mut ki = KeyIndex::default();
        ki.put(rev);
        self.insert(key, ki);
        None
    }

    pub(crate) fn get_mut(&mut self, key: &[u8]) -> Option<&mut KeyIndex> {
        self.keys.get_mut(key)
    }

    pub(crate) fn insert(&mut self, key: &[u8], ki: KeyIndex) {
        self.keys.insert(Key::new(key), ki);
    }

    /// All keys in the range, those that are deleted included.
    pub(crate) fn visit(&self, range: &KeyRange) -> impl Iterator<Item = (&[u8], &KeyIndex)> {
        range.bounds().into_iter().flat_map(|b| self.keys.range::<[u8], _>(b).map(|(k, ki)| (k.bytes(), ki)))
    }

    /// Revisions of the keys that exist at `at`, in key order, at most `limit` of them (0: all), and how many there are.
    pub(crate) fn revisions(&self, range: &KeyRange, at: i64, limit: i64) -> (Vec<Revision>, i64) {
        if let KeyRange::Single(key) = range {
            let found = self.get(key, at);
            return (found.iter().map(|f| f.modified).collect(), i64::from(found.is_some()));
        }
        let mut revs = Vec::new();
        let mut total = 0;
        for found in self.visit(range).filter_map(|(_, ki)| ki.get(at)) {
            if limit <= 0 || total < limit {
                revs.push(found.modified);
            }
            total += 1;
        }
        (revs, total)
    }

    /// How many keys of the range exist at `at`.
    pub(crate) fn count(&self, range: &KeyRange, at: i64) -> i64 {
        self.visit(range).filter(|(_, ki)| ki.get(at).is_some()).count() as i64
    }

    /// The keys of the range that exist at `at`.
    pub(crate) fn keys_at(&self, range: &KeyRange, at: i64) -> Vec<Bytes> {
        if let KeyRange::Single(key) = range {
            return self.get(key, at).map(|_| key.clone()).into_iter().collect();
        }
        self.visit(range)
            .filter(|(_, ki)| ki.get(at).is_some())
            .map(|(k, _)| Bytes::copy_from_slice(k))
            .collect()
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
