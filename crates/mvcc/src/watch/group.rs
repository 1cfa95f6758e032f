//! Watchers by what they watch, so that a change finds those it concerns.

use super::Key;
use crate::range::KeyRange;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// Watchers of single keys by key, and of ranges by range; ranges are tried one after the other, those that begin after
/// the key excepted.
#[derive(Debug, Default)]
pub(super) struct Group {
    single: BTreeMap<Bytes, BTreeSet<Key>>,
    ranges: BTreeMap<(Bytes, KeyRange), BTreeSet<Key>>,
}

impl Group {
    pub(super) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.ranges.is_empty()
    }

    pub(super) fn add(&mut self, range: &KeyRange, key: Key) {
        match range {
            KeyRange::Single(k) => self.single.entry(k.clone()).or_default().insert(key),
            r => self.ranges.entry((r.key().clone(), r.clone())).or_default().insert(key),
        };
    }

    pub(super) fn remove(&mut self, range: &KeyRange, key: Key) {
        match range {
            KeyRange::Single(k) => {
                if let Some(set) = self.single.get_mut(k) {
                    set.remove(&key);
                    if set.is_empty() {
                        self.single.remove(k);
                    }
                }
            }
            r => {
                let at = (r.key().clone(), r.clone());
                if let Some(set) = self.ranges.get_mut(&at) {
                    set.remove(&key);
                    if set.is_empty() {
                        self.ranges.remove(&at);
                    }
                }
            }
        }
    }

    /// The watchers that a change of this key concerns; each once, since a watcher has one range.
    pub(super) fn matching<'a>(&'a self, key: &'a Bytes) -> impl Iterator<Item = Key> + 'a {
        let single = self.single.get(key).into_iter().flatten();
        let ranges = self.ranges.iter().take_while(move |((begin, _), _)| begin <= key);
        let ranges = ranges.filter(move |((_, r), _)| r.contains(key)).flat_map(|(_, set)| set);
        single.chain(ranges).copied()
    }

    /// All watchers; none is left.
    pub(super) fn take(&mut self) -> Vec<Key> {
        let g = std::mem::take(self);
        g.single.into_values().chain(g.ranges.into_values()).flatten().collect()
    }
}
