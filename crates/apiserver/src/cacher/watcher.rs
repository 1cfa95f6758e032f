//! One client's watch on the cache: a bounded channel, the selection, and what it has already been sent.

use super::{Cached, Cacher, RingEvent};
use crate::errors::ApiError;
use crate::object::Object;
use crate::selector::Selectors;
use crate::storage::EventType;
use sim::{Ctx, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

const BOOKMARK_PERIOD: Duration = Duration::from_secs(60);
const BOOKMARK_BEFORE_DEADLINE: Duration = Duration::from_secs(2);

/// How a watch begins.
#[derive(Clone, Debug)]
pub struct WatchStart {
    /// As `/pods/` or `/pods/default/`, or a whole key.
    pub key: String,
    /// A prefix, not one key.
    pub recursive: bool,
    /// What is selected.
    pub selectors: Selectors,
    /// 0: none given.
    pub resource_version: u64,
    /// `sendInitialEvents`
    pub send_initial_events: Option<bool>,
    /// Whether bookmarks are wanted.
    pub bookmarks: bool,
    /// When the watch ends.
    pub deadline: Time,
}

/// What the client gets.
#[derive(Clone, Debug)]
pub struct ClientEvent {
    /// ADDED, MODIFIED, DELETED or BOOKMARK.
    pub kind: EventType,
    /// The object; `None` for a bookmark.
    pub object: Option<Rc<Object>>,
    /// resourceVersion of the event.
    pub revision: u64,
    /// A bookmark that ends the initial events.
    pub initial_events_end: bool,
    /// The write that caused it, if it is traced.
    pub ctx: Option<Ctx>,
}

pub(super) struct WatcherState {
    pub(super) id: u64,
    pub(super) key: String,
    pub(super) recursive: bool,
    pub(super) trigger: Option<(&'static str, String)>,
    pub(super) queue: RefCell<VecDeque<Rc<RingEvent>>>,
    pub(super) capacity: usize,
    pub(super) closed: Cell<bool>,
    pub(super) sent: Cell<u64>,
    pub(super) labels: String,
    pub(super) fields: String,
    reader: RefCell<Option<Waker>>,
    writer: RefCell<Option<Waker>>,
}

impl WatcherState {
    /// Whether an event lies in its scope.
    pub(super) fn wants(&self, e: &RingEvent) -> bool {
        let in_scope =
            if self.recursive { e.key.starts_with(&self.key) } else { &*e.key == self.key.as_str() };
        in_scope
            && self.trigger.as_ref().is_none_or(|(field, value)| {
                let has = |c: &Option<Cached>| {
                    c.as_ref().is_some_and(|c| {
                        c.attributes.fields.iter().any(|(n, v)| n == field && **v == **value)
                    })
                };
                has(&e.object) || has(&e.previous)
            })
    }

    /// Puts an event into the channel if there is room.
    pub(super) fn try_add(&self, e: &Rc<RingEvent>) -> bool {
        if self.closed.get() {
            return true;
        }
        if self.queue.borrow().len() >= self.capacity {
            return false;
        }
        self.queue.borrow_mut().push_back(e.clone());
        wake(&self.reader);
        true
    }

    /// Completes when there is room or the watcher is gone.
    pub(super) async fn room(&self) {
        core::future::poll_fn(|cx| {
            if self.closed.get() || self.queue.borrow().len() < self.capacity {
                return Poll::Ready(());
            }
            *self.writer.borrow_mut() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    pub(super) fn terminate(&self) {
        self.closed.set(true);
        wake(&self.reader);
        wake(&self.writer);
    }

    /// The next event; `None` once the watcher was terminated.
    async fn take(&self) -> Option<Rc<RingEvent>> {
        core::future::poll_fn(|cx| {
            if self.closed.get() {
                return Poll::Ready(None);
            }
            if let Some(e) = self.queue.borrow_mut().pop_front() {
                wake(&self.writer);
                return Poll::Ready(Some(e));
            }
            *self.reader.borrow_mut() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}

fn wake(slot: &RefCell<Option<Waker>>) {
    let waker = slot.borrow_mut().take();
    if let Some(w) = waker {
        w.wake();
    }
}

/// An open watch.
pub struct CacheWatch {
    cacher: Rc<Cacher>,
    state: Rc<WatcherState>,
    selectors: Selectors,
    initial: VecDeque<ClientEvent>,
    revision: u64,
    bookmarks: bool,
    deadline: Time,
    next_bookmark: Time,
}

impl Cacher {
    /// Begins a watch.
    ///
    /// # Errors
    /// 429 while the cache is being filled (an HTTP status), 410 for a resourceVersion that is too old, 504 for one from
    /// the future; the last two are sent as an ERROR event.
    pub async fn watch(self: &Rc<Cacher>, start: WatchStart) -> Result<CacheWatch, ApiError> {
        let mut wanted = start.resource_version;
        let mut from_current = false;
        if start.send_initial_events == Some(false) && wanted == 0 {
            let current = self.store.current_revision(None).await.map_err(|e| {
                e.interpret(crate::storage::Operation::List, &self.store.group, &self.store.resource, "")
            })?;
            wanted = current.unsigned_abs();
            from_current = true;
        }
        let initial_events = start.send_initial_events == Some(true) || (wanted == 0 && !from_current);
        if initial_events && start.send_initial_events == Some(true) && wanted == 0 {
            let current = self.store.current_revision(None).await;
            wanted = current.map_or(0, i64::unsigned_abs);
        }
        if initial_events && wanted > 0 {
            self.wait_until_fresh(wanted).await?;
        }
        if let Some(e) = self.not_ready() {
            return Err(e);
        }
        let trigger = self.trigger(&start.selectors);
        let capacity = self.channel_size(trigger.is_some());
        let id = self.next_watcher.get();
        self.next_watcher.set(id + 1);
        let state = Rc::new(WatcherState {
            id,
            key: start.key.clone(),
            recursive: start.recursive,
            trigger,
            queue: RefCell::default(),
            capacity,
            closed: Cell::new(false),
            sent: Cell::new(0),
            labels: show(&start.selectors.labels),
            fields: show(&start.selectors.fields),
            reader: RefCell::default(),
            writer: RefCell::default(),
        });
        let (initial, revision) = self.interval(&start, initial_events, wanted, &state)?;
        self.watchers.borrow_mut().insert(id, state.clone());
        self.env.metrics.add("apiserver_init_events_total", self.labels(), initial.len() as f64);
        let now = self.env.sim.now();
        Ok(CacheWatch {
            cacher: self.clone(),
            state,
            selectors: start.selectors,
            initial,
            revision,
            bookmarks: start.bookmarks,
            deadline: start.deadline,
            next_bookmark: next_bookmark(now, start.deadline),
        })
    }

    /// What is sent before the live events, and the resourceVersion after which they begin.
    fn interval(
        &self,
        start: &WatchStart,
        initial_events: bool,
        wanted: u64,
        state: &WatcherState,
    ) -> Result<(VecDeque<ClientEvent>, u64), ApiError> {
        let cache = self.state.borrow();
        let mut out = VecDeque::new();
        if initial_events {
            let in_scope: Vec<Cached> = if start.recursive {
                cache
                    .objects
                    .range::<str, _>(super::from(&start.key))
                    .take_while(|(k, _)| k.starts_with(&start.key))
                    .map(|(_, c)| c.clone())
                    .collect()
            } else {
                cache.objects.get(start.key.as_str()).cloned().into_iter().collect()
            };
            for c in in_scope {
                if start.selectors.matches(&c.attributes) {
                    out.push_back(ClientEvent {
                        kind: EventType::Added,
                        revision: c.revision.unsigned_abs(),
                        object: Some(self.object(&c)),
                        initial_events_end: false,
                        ctx: None,
                    });
                }
            }
            let revision = cache.resource_version;
            if start.bookmarks && start.send_initial_events == Some(true) {
                out.push_back(ClientEvent {
                    kind: EventType::Bookmark,
                    object: None,
                    revision,
                    initial_events_end: true,
                    ctx: None,
                });
            }
            return Ok((out, revision));
        }
        let oldest = cache.ring.oldest(cache.list_resource_version);
        if wanted + 1 < oldest {
            return Err(ApiError::expired(format!("too old resource version: {wanted} ({})", oldest - 1)));
        }
        for e in cache.ring.after(wanted) {
            if state.wants(&e)
                && let Some(c) = self.select(&e, &start.selectors)
            {
                out.push_back(c);
            }
        }
        Ok((out, wanted.max(cache.resource_version)))
    }

    /// The field by which events of this resource find their watchers, if the selector pins it.
    fn trigger(&self, selectors: &Selectors) -> Option<(&'static str, String)> {
        let field = self.trigger_field()?;
        selectors.pinned(field).map(|v| (field, v.to_owned()))
    }

    fn trigger_field(&self) -> Option<&'static str> {
        match (self.store.group.as_str(), self.store.resource.as_str()) {
            ("", "pods") | ("resource.k8s.io", "resourceslices") => Some("spec.nodeName"),
            _ => None,
        }
    }

    fn channel_size(&self, triggered: bool) -> usize {
        let state = self.state.borrow();
        let window = state.ring.window().as_secs().max(1);
        let size = state.ring.capacity().div_ceil(window);
        let most = match (triggered, self.trigger_field().is_some()) {
            (true, _) => 10,
            (false, true) => 1000,
            (false, false) => 100,
        };
        size.clamp(10, most) as usize
    }

    /// What an event is to a client with these selectors; `None`: nothing.
    pub(super) fn select(&self, e: &RingEvent, selectors: &Selectors) -> Option<ClientEvent> {
        let matches = |c: &Option<Cached>| c.as_ref().is_some_and(|c| selectors.matches(&c.attributes));
        let now = e.kind != EventType::Deleted && matches(&e.object);
        let before = matches(&e.previous);
        let (kind, object) = match (before, now) {
            (false, true) => (EventType::Added, self.object(e.object.as_ref()?)),
            (true, true) => (EventType::Modified, self.object(e.object.as_ref()?)),
            (true, false) => {
                let mut last = (*self.object(e.previous.as_ref()?)).clone();
                last.set_resource_version(i64::try_from(e.revision).unwrap_or(i64::MAX));
                (EventType::Deleted, Rc::new(last))
            }
            (false, false) => return None,
        };
        Some(ClientEvent {
            kind,
            object: Some(object),
            revision: e.revision,
            initial_events_end: false,
            ctx: e.ctx,
        })
    }
}

fn show(requirements: &[crate::selector::Requirement]) -> String {
    let texts: Vec<String> = requirements
        .iter()
        .map(|r| {
            use crate::selector::Op;
            match r.op {
                Op::In if r.values.len() == 1 => format!("{}={}", r.key, r.values[0]),
                Op::In => format!("{} in ({})", r.key, r.values.join(",")),
                Op::NotIn if r.values.len() == 1 => format!("{}!={}", r.key, r.values[0]),
                Op::NotIn => format!("{} notin ({})", r.key, r.values.join(",")),
                Op::Exists => r.key.clone(),
                Op::DoesNotExist => format!("!{}", r.key),
                Op::GreaterThan => format!("{}>{}", r.key, r.values.join("")),
                Op::LessThan => format!("{}<{}", r.key, r.values.join("")),
            }
        })
        .collect();
    texts.join(",")
}

fn next_bookmark(now: Time, deadline: Time) -> Time {
    let before = Time(deadline.0.saturating_sub(BOOKMARK_BEFORE_DEADLINE.as_nanos() as u64));
    let due = now + BOOKMARK_PERIOD;
    if before > now && before < due { before } else { due }
}

impl CacheWatch {
    /// The next event for the client; `None` at the deadline or when the watcher was terminated.
    pub async fn next(&mut self) -> Option<ClientEvent> {
        if let Some(e) = self.initial.pop_front() {
            self.state.sent.set(self.state.sent.get() + 1);
            return Some(e);
        }
        loop {
            let sim = self.cacher.env.sim.clone();
            let now = sim.now();
            if now >= self.deadline {
                return None;
            }
            let wake_at = if self.bookmarks { self.next_bookmark.min(self.deadline) } else { self.deadline };
            match sim.timeout(wake_at.since(now), self.state.take()).await {
                Ok(Some(e)) => {
                    if e.revision <= self.revision {
                        continue;
                    }
                    self.revision = e.revision;
                    if let Some(c) = self.cacher.select(&e, &self.selectors) {
                        self.state.sent.set(self.state.sent.get() + 1);
                        return Some(c);
                    }
                }
                Ok(None) => return None,
                Err(_) if self.bookmarks && sim.now() < self.deadline => {
                    self.next_bookmark = next_bookmark(sim.now(), self.deadline);
                    let rv = self.cacher.dispatched.get().max(self.cacher.resource_version());
                    if self.state.queue.borrow().is_empty() {
                        return Some(ClientEvent {
                            kind: EventType::Bookmark,
                            object: None,
                            revision: rv.max(self.revision),
                            initial_events_end: false,
                            ctx: None,
                        });
                    }
                }
                Err(_) => return None,
            }
        }
    }
}

impl Drop for CacheWatch {
    fn drop(&mut self) {
        self.state.terminate();
        self.cacher.watchers.borrow_mut().remove(&self.state.id);
    }
}
