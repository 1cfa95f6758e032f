//! What the page shows of a watch cache.

use super::Cacher;
use crate::storage::EventType;
use sim::Time;

/// A watch cache at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheView {
    /// API group.
    pub group: String,
    /// Plural name.
    pub resource: String,
    /// Whether it is filled.
    pub ready: bool,
    /// Why the last attempt to fill it failed.
    pub last_error: String,
    /// Number of objects.
    pub objects: u64,
    /// Highest resourceVersion seen.
    pub resource_version: u64,
    /// resourceVersion of the last load.
    pub list_resource_version: u64,
    /// Events the ring keeps.
    pub capacity: u64,
    /// Index of the oldest event in the ring.
    pub start_index: u64,
    /// Events, oldest first.
    pub events: Vec<RingEventView>,
    /// Client watchers.
    pub watchers: Vec<WatcherView>,
}

/// One event of the ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RingEventView {
    /// What happened.
    pub kind: EventType,
    /// Key without the path prefix.
    pub key: String,
    /// resourceVersion.
    pub revision: u64,
    /// When it was applied.
    pub time: Time,
}

/// One client watcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatcherView {
    /// Number of the watcher in its cache.
    pub id: u64,
    /// What it watches.
    pub key: String,
    /// Label selector.
    pub labels: String,
    /// Field selector.
    pub fields: String,
    /// Events in its channel.
    pub queued: u64,
    /// Size of the channel.
    pub capacity: u64,
    /// Events delivered.
    pub sent: u64,
}

impl Cacher {
    /// The cache now, with at most `events` of the newest events.
    pub fn view(&self, events: usize) -> CacheView {
        let s = self.state.borrow();
        let skip = s.ring.len().saturating_sub(events);
        CacheView {
            group: self.store.group.clone(),
            resource: self.store.resource.clone(),
            ready: s.ready,
            last_error: s.last_error.clone(),
            objects: s.objects.len() as u64,
            resource_version: s.resource_version,
            list_resource_version: s.list_resource_version,
            capacity: s.ring.capacity(),
            start_index: s.ring.start_index(),
            events: s
                .ring
                .iter()
                .skip(skip)
                .map(|e| RingEventView {
                    kind: e.kind,
                    key: e.key.to_string(),
                    revision: e.revision,
                    time: e.time,
                })
                .collect(),
            watchers: self
                .watchers
                .borrow()
                .values()
                .map(|w| WatcherView {
                    id: w.id,
                    key: w.key.clone(),
                    labels: w.labels.clone(),
                    fields: w.fields.clone(),
                    queued: w.queue.borrow().len() as u64,
                    capacity: w.capacity as u64,
                    sent: w.sent.get(),
                })
                .collect(),
        }
    }
}
