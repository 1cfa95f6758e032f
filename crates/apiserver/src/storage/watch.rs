//! Watch on etcd: what uncached resources' clients get, and what feeds the watch cache.

use super::{ListOptions, ReadAt, State, StorageError, Store, error, prefix_end};
use crate::errors::ApiError;
use crate::metrics::group_resource;
use crate::object::Object;
use etcd::client::{WatchOptions, Watcher};
use sim::Ctx;
use std::collections::VecDeque;
use std::rc::Rc;
use wire::mvccpb::Event;
use wire::mvccpb::event::EventType as Kind;

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// New.
    Added,
    /// Changed.
    Modified,
    /// Gone; the object is its last state.
    Deleted,
    /// Nothing; the revision moved.
    Bookmark,
}

/// One event with the objects before and after, before any selection.
#[derive(Clone, Debug)]
pub struct StoredEvent {
    /// What happened.
    pub kind: EventType,
    /// Key without the path prefix.
    pub key: String,
    /// The object now; for a deletion its last state with the resourceVersion of the deletion.
    pub object: Option<Rc<Object>>,
    /// The object before.
    pub previous: Option<Rc<Object>>,
    /// mod_revision, or the revision of a bookmark.
    pub revision: i64,
    /// The write that caused it, if it is traced.
    pub ctx: Option<Ctx>,
}

/// An open watch on a prefix or a key.
pub struct StorageWatch {
    store: Rc<Store>,
    watcher: Watcher,
    pending: VecDeque<Event>,
    ctx: Option<Ctx>,
}

impl Store {
    /// Watches `key` (a prefix if `recursive`) after `revision`. `progress`: ask etcd for progress notifications.
    pub fn watch(
        self: &Rc<Store>,
        key: &str,
        recursive: bool,
        revision: i64,
        progress: bool,
    ) -> StorageWatch {
        let full = self.full(key);
        let options = WatchOptions {
            range_end: if recursive { prefix_end(&full) } else { bytes::Bytes::new() },
            key: full.into_bytes().into(),
            start_revision: revision + 1,
            prev_kv: true,
            progress_notify: progress,
            ..WatchOptions::default()
        };
        StorageWatch {
            store: self.clone(),
            watcher: self.client.require_leader().watcher(None, options),
            pending: VecDeque::new(),
            ctx: None,
        }
    }

    /// The present objects as ADDED events, and the revision to watch after.
    pub async fn initial_events(
        &self,
        ctx: Option<Ctx>,
        key: &str,
        recursive: bool,
        at: ReadAt,
    ) -> Result<(Vec<Rc<Object>>, i64), StorageError> {
        let o = ListOptions { key: key.to_owned(), recursive, at, limit: 0, from: None, predicate: None };
        let list = self.get_list(ctx, &o).await?;
        Ok((list.items, list.revision))
    }
}

impl StorageWatch {
    /// Asks etcd for a progress notification.
    pub fn request_progress(&mut self) {
        self.watcher.request_progress();
    }

    /// The next event, in order of revisions.
    ///
    /// # Errors
    /// What ends the watch: a Status for the client's ERROR event.
    pub async fn next(&mut self) -> Result<StoredEvent, ApiError> {
        loop {
            if let Some(e) = self.pending.pop_front() {
                self.store.env.metrics.inc(
                    "apiserver_storage_events_received_total",
                    group_resource(&self.store.group, &self.store.resource),
                );
                return self.event(&e);
            }
            let resp = match self.watcher.recv().await {
                Some(Ok(r)) => r,
                Some(Err(s)) => return Err(ApiError::internal(&error::etcd_text(&s))),
                None => return Err(ApiError::internal("etcdserver: watch canceled")),
            };
            if resp.canceled {
                if resp.compact_revision != 0 {
                    return Err(ApiError::expired("The resourceVersion for the provided watch is too old."));
                }
                return Err(ApiError::internal(&resp.cancel_reason));
            }
            self.ctx = self.watcher.last_ctx();
            if resp.events.is_empty() {
                let revision = resp.header.map_or(0, |h| h.revision);
                return Ok(StoredEvent {
                    kind: EventType::Bookmark,
                    key: String::new(),
                    object: None,
                    previous: None,
                    revision,
                    ctx: None,
                });
            }
            self.pending.extend(resp.events);
        }
    }

    fn event(&self, e: &Event) -> Result<StoredEvent, ApiError> {
        let Some(kv) = &e.kv else {
            return Err(ApiError::internal("etcd event received with no key"));
        };
        let full = String::from_utf8_lossy(&kv.key).into_owned();
        let key = full.strip_prefix(&self.store.path_prefix).unwrap_or(&full).to_owned();
        let deleted = e.r#type == Kind::Delete as i32;
        let created = !deleted && kv.create_revision == kv.mod_revision;
        let open = |kv: &wire::mvccpb::KeyValue| -> Result<State, ApiError> {
            self.store.open(kv).map_err(|e| e.interpret(super::Operation::Get, "", "", ""))
        };
        if !created && e.prev_kv.is_none() {
            let kind = if deleted { "DELETE" } else { "PUT" };
            return Err(ApiError::internal(&format!(
                "etcd event received with PrevKv=nil (key={full:?}, modRevision={}, type={kind})",
                kv.mod_revision
            )));
        }
        let previous = match &e.prev_kv {
            Some(p) if !created => open(p)?.object,
            _ => None,
        };
        let object = if deleted {
            previous.as_ref().map(|p| {
                let mut last = (**p).clone();
                last.set_resource_version(kv.mod_revision);
                Rc::new(last)
            })
        } else {
            open(kv)?.object
        };
        let kind = match (deleted, created) {
            (true, _) => EventType::Deleted,
            (_, true) => EventType::Added,
            _ => EventType::Modified,
        };
        Ok(StoredEvent { kind, key, object, previous, revision: kv.mod_revision, ctx: self.ctx })
    }
}
