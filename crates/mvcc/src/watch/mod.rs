//! Watch: streams of watchers, each told of every change of its keys, in order and once.
//!
//! A watcher is *synced* when it only waits for what comes, *unsynced* while it still needs history. A write transaction
//! tells the synced ones at once; [`Store::sync_watchers`], called every 100 ms while there are unsynced ones, reads
//! history for the others in batches. A stream whose reader is slow makes its watchers unsynced instead of losing or
//! piling up events. What is to be sent waits in the stream until the member takes it ([`Store::take_watch_responses`]).
//!
//! Upstream: `server/storage/mvcc/watchable_store.go`, `watcher_group.go`, `watcher.go`, and the stream's messages of
//! `server/etcdserver/api/v3rpc/watch.go`. Go visits the watchers of a revision in random order, here they are in the
//! order of their streams and ids.

mod group;
mod stream;

use crate::range::KeyRange;
use crate::revision::Revision;
use crate::store::Store;
use crate::write_txn::Change;
use group::Group;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use wire::etcdserverpb::{ResponseHeader, WatchResponse};
use wire::mvccpb::event::EventType;
use wire::mvccpb::{Event, KeyValue};

/// Most unsynced watchers that one pass of [`Store::sync_watchers`] takes in etcd.
pub const MAX_WATCHERS_PER_SYNC: u32 = 512;
/// Most revisions one response brings to an unsynced watcher.
pub const WATCH_BATCH_MAX_REVS: u32 = 1000;
/// The id that stands for no watcher, or for all of a stream.
pub const INVALID_WATCH_ID: i64 = -1;

/// A watch stream of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// A watcher: its stream and its id there.
type Key = (StreamId, i64);

/// Where a watcher stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatcherState {
    /// Waits for new changes.
    Synced,
    /// Still needs history.
    Unsynced,
    /// Was told that its history is compacted; gets nothing more.
    Compacted,
}

/// A watcher as others may look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatcherView {
    /// Its stream.
    pub stream: StreamId,
    /// Its id on the stream.
    pub id: i64,
    /// What it watches.
    pub range: KeyRange,
    /// First revision asked for; 0: from then on.
    pub start_revision: i64,
    /// Next revision it may get.
    pub min_revision: i64,
    /// Where it stands.
    pub state: WatcherState,
}

#[derive(Debug)]
struct Watcher {
    range: KeyRange,
    start_rev: i64,
    min_rev: i64,
    no_put: bool,
    no_delete: bool,
    prev_kv: bool,
    fragment: bool,
    // Wants periodic progress, and none of its events was sent since the last tick.
    progress: Option<bool>,
    state: WatcherState,
}

impl Watcher {
    fn filtered(&self, e: &Event) -> bool {
        if e.r#type == EventType::Put as i32 { self.no_put } else { self.no_delete }
    }
}

#[derive(Debug, Default)]
struct Stream {
    next_id: i64,
    watchers: BTreeMap<i64, Watcher>,
    out: VecDeque<Outgoing>,
    // Of those in `out`, the ones that came through etcd's watch channel: they are limited.
    queued: u32,
}

#[derive(Debug)]
struct Outgoing {
    response: WatchResponse,
    fragment: bool,
    control: bool,
}

/// All watch streams of a store.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    streams: BTreeMap<StreamId, Stream>,
    next_stream: u64,
    synced: Group,
    unsynced: BTreeSet<Key>,
    // Where the last pass over unsynced watchers ended.
    cursor: Option<Key>,
    ready: BTreeSet<StreamId>,
}

/// Events for one watcher out of history.
#[derive(Default)]
struct Batch {
    events: Vec<Event>,
    revs: u32,
    more_rev: i64,
}

impl Batch {
    fn add(&mut self, e: &Event, rev: i64) {
        if self.more_rev != 0 {
            return;
        }
        let last = self.events.last().and_then(|e| e.kv.as_ref()).map_or(0, |kv| kv.mod_revision);
        if rev > last {
            if self.revs == WATCH_BATCH_MAX_REVS {
                self.more_rev = rev;
                return;
            }
            self.revs += 1;
        }
        self.events.push(e.clone());
    }
}

impl Watchers {
    fn watcher(&mut self, key: Key) -> Option<&mut Watcher> {
        self.streams.get_mut(&key.0)?.watchers.get_mut(&key.1)
    }

    fn set_state(&mut self, key: Key, state: WatcherState) {
        let Some(w) = self.streams.get_mut(&key.0).and_then(|s| s.watchers.get_mut(&key.1)) else { return };
        if w.state == state {
            return;
        }
        match w.state {
            WatcherState::Synced => self.synced.remove(&w.range, key),
            WatcherState::Unsynced => {
                self.unsynced.remove(&key);
            }
            WatcherState::Compacted => {}
        }
        match state {
            WatcherState::Synced => self.synced.add(&w.range, key),
            WatcherState::Unsynced => {
                self.unsynced.insert(key);
            }
            WatcherState::Compacted => {}
        }
        w.state = state;
    }

    /// The store's content was replaced: every synced watcher needs history again.
    pub(crate) fn restored(&mut self) {
        for key in self.synced.take() {
            if let Some(w) = self.watcher(key) {
                w.state = WatcherState::Unsynced;
                self.unsynced.insert(key);
            }
        }
    }

    fn queue(&mut self, stream: StreamId, response: WatchResponse, fragment: bool, control: bool) {
        let Some(s) = self.streams.get_mut(&stream) else { return };
        s.out.push_back(Outgoing { response, fragment, control });
        s.queued += u32::from(!control);
        self.ready.insert(stream);
    }

    fn has_room(&self, stream: StreamId, buffer: u32) -> bool {
        self.streams.get(&stream).is_some_and(|s| s.queued < buffer.max(1))
    }

    /// The next watchers to sync, going round so that all get their turn.
    fn choose(&mut self, max: u32) -> Vec<Key> {
        let max = max.max(1) as usize;
        if self.unsynced.len() <= max {
            return self.unsynced.iter().copied().collect();
        }
        let from = self.cursor.unwrap_or((StreamId(0), i64::MIN));
        let after = (std::ops::Bound::Excluded(from), std::ops::Bound::Unbounded);
        let chosen: Vec<Key> =
            self.unsynced.range(after).chain(self.unsynced.range(..=from)).take(max).copied().collect();
        self.cursor = chosen.last().copied();
        chosen
    }
}

fn header(revision: i64) -> Option<ResponseHeader> {
    Some(ResponseHeader { revision, ..ResponseHeader::default() })
}

/// The event of a row; a tombstone's revision is not in the row and is put in.
fn event(kv: &KeyValue, tombstone: bool, rev: i64) -> Event {
    let mut kv = kv.clone();
    if tombstone {
        kv.mod_revision = rev;
    }
    let r#type = if tombstone { EventType::Delete } else { EventType::Put } as i32;
    Event { r#type, kv: Some(kv), prev_kv: None }
}

impl Store {
    /// Tells the synced watchers of the changes of one write transaction.
    pub(crate) fn notify(&mut self, rev: i64, changes: &[Change]) {
        if self.watchers.synced.is_empty() {
            return;
        }
        let mut batches: BTreeMap<Key, Vec<Event>> = BTreeMap::new();
        for c in changes {
            let mut e = None;
            for key in self.watchers.synced.matching(&c.kv.key) {
                let e = e.get_or_insert_with(|| event(&c.kv, c.tombstone, rev));
                batches.entry(key).or_default().push(e.clone());
            }
        }
        for (key, events) in batches {
            let Some(w) = self.watchers.watcher(key) else { continue };
            if rev < w.min_rev {
                continue;
            }
            if self.send_events(key, events, rev) {
                if let Some(w) = self.watchers.watcher(key) {
                    w.min_rev = rev + 1;
                }
            } else {
                // Slow: history will bring this revision.
                if let Some(w) = self.watchers.watcher(key) {
                    w.min_rev = rev;
                }
                self.watchers.set_state(key, WatcherState::Unsynced);
            }
        }
    }

    /// Queues events for a watcher; false when its stream has no room. Filters come first: nothing left is nothing sent.
    fn send_events(&mut self, key: Key, mut events: Vec<Event>, rev: i64) -> bool {
        let buffer = self.config.watch_buffer;
        let Some(w) = self.watchers.watcher(key) else { return true };
        if w.no_put || w.no_delete {
            events.retain(|e| !w.filtered(e));
        }
        if events.is_empty() {
            return true;
        }
        let (fragment, prev_kv) = (w.fragment, w.prev_kv);
        if !self.watchers.has_room(key.0, buffer) {
            return false;
        }
        if prev_kv {
            for e in &mut events {
                let Some(kv) = &e.kv else { continue };
                let created = e.r#type == EventType::Put as i32 && kv.create_revision == kv.mod_revision;
                if !created && kv.mod_revision > 1 {
                    e.prev_kv = self.get_at(&kv.key, kv.mod_revision - 1);
                }
            }
        }
        self.counters.events += events.len() as u64;
        if let Some(w) = self.watchers.watcher(key)
            && let Some(due) = &mut w.progress
        {
            *due = false;
        }
        let response =
            WatchResponse { header: header(rev), watch_id: key.1, events, ..WatchResponse::default() };
        self.watchers.queue(key.0, response, fragment, false);
        true
    }

    /// Watchers that still need history.
    pub fn unsynced_watchers(&self) -> u32 {
        self.watchers.unsynced.len() as u32
    }

    /// Brings history to at most `max_watchers` unsynced watchers ([`MAX_WATCHERS_PER_SYNC`] in etcd), at most
    /// [`WATCH_BATCH_MAX_REVS`] revisions to each, and cancels those whose history is compacted. Answers with the number
    /// that is still unsynced; etcd calls this every 100 ms, and at once again while that number falls.
    pub fn sync_watchers(&mut self, max_watchers: u32) -> u32 {
        if self.watchers.unsynced.is_empty() {
            return 0;
        }
        let (current, compacted, buffer) = (self.current_rev, self.compact_rev, self.config.watch_buffer);
        let mut chosen = Group::default();
        let mut keys = Vec::new();
        let mut min_rev = i64::MAX;
        for key in self.watchers.choose(max_watchers) {
            let Some(w) = self.watchers.watcher(key) else { continue };
            if w.min_rev < compacted {
                if self.watchers.has_room(key.0, buffer) {
                    let response = WatchResponse {
                        header: header(0),
                        watch_id: key.1,
                        canceled: true,
                        compact_revision: compacted,
                        ..WatchResponse::default()
                    };
                    self.watchers.queue(key.0, response, false, false);
                    self.watchers.set_state(key, WatcherState::Compacted);
                }
                continue;
            }
            min_rev = min_rev.min(w.min_rev);
            chosen.add(&w.range, key);
            keys.push((key, w.min_rev));
        }
        let from: BTreeMap<Key, i64> = keys.iter().copied().collect();
        let mut batches: BTreeMap<Key, Batch> = BTreeMap::new();
        if min_rev <= current {
            for (rev, row) in self.rows.range(Revision::new(min_rev, 0)..) {
                let mut e = None;
                for key in chosen.matching(&row.kv.key) {
                    if rev.main >= from[&key] {
                        let e = e.get_or_insert_with(|| event(&row.kv, row.tombstone, rev.main));
                        batches.entry(key).or_default().add(e, rev.main);
                    }
                }
            }
        }
        for (key, was) in keys {
            let Some(batch) = batches.remove(&key) else {
                if let Some(w) = self.watchers.watcher(key) {
                    w.min_rev = was.max(current + 1);
                }
                self.watchers.set_state(key, WatcherState::Synced);
                continue;
            };
            if !self.send_events(key, batch.events, current) {
                continue;
            }
            if let Some(w) = self.watchers.watcher(key) {
                w.min_rev = if batch.more_rev != 0 { batch.more_rev } else { was.max(current + 1) };
            }
            if batch.more_rev == 0 {
                self.watchers.set_state(key, WatcherState::Synced);
            }
        }
        self.unsynced_watchers()
    }

    /// All watchers, in the order of their streams and ids.
    pub fn watchers(&self) -> Vec<WatcherView> {
        let mut out = Vec::new();
        for (stream, s) in &self.watchers.streams {
            for (id, w) in &s.watchers {
                out.push(WatcherView {
                    stream: *stream,
                    id: *id,
                    range: w.range.clone(),
                    start_revision: w.start_rev,
                    min_revision: w.min_rev,
                    state: w.state,
                });
            }
        }
        out
    }
}

#[cfg(test)]
mod tests;
