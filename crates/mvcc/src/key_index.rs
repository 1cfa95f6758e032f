//! The life of one key: its revisions, grouped into generations that end with a tombstone
//! (etcd `server/storage/mvcc/key_index.go`).
//!
//! Put at 2 and 3, deleted at 4, put at 5 gives two generations, {2, 3, 4(t)} and {5}. Between a tombstone and the next
//! put stands an empty generation. The generation gives a revision its create revision and version.

use crate::revision::Revision;
use std::collections::BTreeSet;

/// A stretch of a key's life, from its creation to its deletion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generation {
    /// Revision of the put that opened it; zero when compaction has left only the tombstone.
    pub created: Revision,
    /// Changes so far, those compacted away included.
    pub ver: i64,
    /// Revisions that are left, ascending; in all generations but the last one, the last is the tombstone.
    pub revs: Vec<Revision>,
}

impl Generation {
    /// Position of the last revision with main ≤ `at`.
    fn last_at(&self, at: i64) -> Option<usize> {
        self.revs.partition_point(|r| r.main <= at).checked_sub(1)
    }
}

/// The life of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyIndex {
    modified: Revision,
    generations: Vec<Generation>,
}

/// What a key was at some revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub modified: Revision,
    pub created: Revision,
    pub version: i64,
}

impl KeyIndex {
    /// A key whose oldest row in the backend is this one.
    pub(crate) fn restored(created: Revision, modified: Revision, ver: i64) -> KeyIndex {
        KeyIndex { modified, generations: vec![Generation { created, ver, revs: vec![modified] }] }
    }

    /// A key whose oldest row in the backend is a tombstone.
    pub(crate) fn restored_tombstone(rev: Revision) -> KeyIndex {
        let mut ki = KeyIndex::restored(Revision::default(), rev, 1);
        ki.generations.push(Generation::default());
        ki
    }

    /// Its last change, deletions included.
    pub fn modified(&self) -> Revision {
        self.modified
    }

    /// Its generations, oldest first; the last one is empty while the key is deleted.
    pub fn generations(&self) -> &[Generation] {
        &self.generations
    }

    /// Records a put. Revisions must ascend.
    pub(crate) fn put(&mut self, rev: Revision) {
        assert!(rev > self.modified, "a key's revisions ascend: {rev} after {}", self.modified);
        if self.generations.is_empty() {
            self.generations.push(Generation { created: rev, ver: 0, revs: Vec::with_capacity(1) });
        }
        let g = self.generations.last_mut().expect("just made");
        if g.revs.is_empty() {
            g.created = rev;
        }
        g.revs.push(rev);
        g.ver += 1;
        self.modified = rev;
    }

    /// Records a deletion; false when the key is not there to be deleted.
    pub(crate) fn tombstone(&mut self, rev: Revision) -> bool {
        if self.generations.last().is_none_or(|g| g.revs.is_empty()) {
            return false;
        }
        self.put(rev);
        self.generations.push(Generation::default());
        true
    }

    /// What the key was at main revision `at`.
    pub(crate) fn get(&self, at: i64) -> Option<Found> {
        let g = self.generation_at(at)?;
        let n = g.last_at(at)?;
        let version = g.ver - (g.revs.len() - n - 1) as i64;
        Some(Found { modified: g.revs[n], created: g.created, version })
    }

    /// The generation that covers `at`; `None` in the gap between two.
    fn generation_at(&self, at: i64) -> Option<&Generation> {
        let last = self.generations.len().checked_sub(1)?;
        for (i, g) in self.generations.iter().enumerate().rev() {
            let (Some(first), Some(tomb)) = (g.revs.first(), g.revs.last()) else { continue };
            if i != last && tomb.main <= at {
                return None;
            }
            if first.main <= at {
                return Some(g);
            }
        }
        None
    }

    /// Forgets what a compaction at `at` takes, and adds to `available` the revision it leaves at or below `at`.
    pub(crate) fn compact(&mut self, at: i64, available: &mut BTreeSet<Revision>) {
        let (g, r) = self.cut(at);
        if let Some(r) = r {
            available.insert(self.generations[g].revs[r]);
            self.generations[g].revs.drain(..r);
        }
        self.generations.drain(..g);
        // A transaction may delete a key and put it again, so that two generations meet in one revision. etcd's compaction
        // at that revision keeps the tombstone only, and the member dies when the key is read; here the put stays too.
        let later = self.generations.iter().skip(1);
        available.extend(later.filter_map(|g| g.last_at(at).map(|r| g.revs[r])));
    }

    /// Adds to `available` the revision that a compaction at `at` would leave, unless that is a tombstone: hashes leave
    /// it out, since older versions of etcd removed it.
    pub(crate) fn keep(&self, at: i64, available: &mut BTreeSet<Revision>) {
        if self.is_empty() {
            return;
        }
        let (g, r) = self.cut(at);
        if let Some(r) = r {
            let revs = &self.generations[g].revs;
            if r != revs.len() - 1 || g == self.generations.len() - 1 {
                available.insert(revs[r]);
            }
        }
    }

    /// The generation a compaction at `at` begins with, and in it the revision that stays.
    fn cut(&self, at: i64) -> (usize, Option<usize>) {
        let last = self.generations.len() - 1;
        let older = |g: &Generation| g.revs.last().is_some_and(|tomb| tomb.main < at);
        let g = self.generations[..last].iter().take_while(|g| older(g)).count();
        (g, self.generations[g].last_at(at))
    }

    /// Nothing is left of the key.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.generations[..], [g] if g.revs.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a key from "2 3 4t 5".
    fn key(history: &str) -> KeyIndex {
        let mut ki = KeyIndex::default();
        for w in history.split_whitespace() {
            match w.strip_suffix('t') {
                Some(n) => assert!(ki.tombstone(Revision::new(n.parse().unwrap(), 0))),
                None => ki.put(Revision::new(w.parse().unwrap(), 0)),
            }
        }
        ki
    }

    #[test]
    fn create_revision_and_version() {
        let ki = key("2 3 4t 5");
        let got: Vec<_> =
            (1..=6).map(|at| ki.get(at).map(|f| (f.created.main, f.modified.main, f.version))).collect();
        assert_eq!(got, [None, Some((2, 2, 1)), Some((2, 3, 2)), None, Some((5, 5, 1)), Some((5, 5, 1))]);
    }

    #[test]
    fn a_deleted_key_cannot_be_deleted_again() {
        let mut ki = key("2 3t");
        assert!(!ki.tombstone(Revision::new(4, 0)));
        assert!(!KeyIndex::default().tombstone(Revision::new(4, 0)));
    }

    #[test]
    fn what_survives_a_compaction() {
        for (history, at, left) in [
            ("2 3 6", 5, "3 6"),
            ("2 3t", 2, "2 3"),
            ("2 3t", 3, "3"),
            ("2 3t", 4, ""),
            ("2 3t 7", 5, "7"),
            ("2 3t 7 8", 8, "8"),
            ("2", 1, "2"),
        ] {
            let mut ki = key(history);
            let mut available = BTreeSet::new();
            ki.compact(at, &mut available);
            let revs: Vec<String> =
                ki.generations.iter().flat_map(|g| &g.revs).map(|r| r.main.to_string()).collect();
            assert_eq!(revs.join(" "), left, "{history} compacted at {at}");
            assert_eq!(ki.is_empty(), left.is_empty());
        }
    }

    #[test]
    fn a_key_deleted_and_put_in_one_transaction_survives() {
        let mut ki = key("2");
        assert!(ki.tombstone(Revision::new(3, 0)));
        ki.put(Revision::new(3, 1));
        let mut available = BTreeSet::new();
        ki.compact(3, &mut available);
        assert_eq!(available, BTreeSet::from([Revision::new(3, 0), Revision::new(3, 1)]));
        assert_eq!(ki.get(3).map(|f| f.modified), Some(Revision::new(3, 1)));
    }

    #[test]
    fn the_version_survives_a_compaction() {
        let mut ki = key("2 3 4");
        ki.compact(3, &mut BTreeSet::new());
        assert_eq!(ki.get(4).unwrap().version, 3);
        assert_eq!(ki.get(3).unwrap().version, 2);
    }
}
