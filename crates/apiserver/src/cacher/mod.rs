//! The watch cache of one resource: all objects in memory, the recent events in a ring, client watchers fed from it.
//!
//! ```text
//!   etcd watch ─ reflector ─▶ store + ring (resourceVersion moves) ─ incoming ─▶ dispatcher ─▶ watchers' channels
//!                                  ▲ wait until fresh                                           └▶ clients
//! ```
//!
//! Objects are held as their serialized bytes with the attributes that selectors need, and decoded when somebody wants
//! them. An exact list at an older resourceVersion is the store with the newer events of the ring undone.

mod dispatch;
mod list;
mod reflector;
mod ring;
mod view;
mod watcher;

pub use list::CacheList;
pub use ring::{Ring, RingEvent};
pub use view::{CacheView, RingEventView, WatcherView};
pub use watcher::{CacheWatch, ClientEvent, WatchStart};

use crate::env::Env;
use crate::errors::ApiError;
use crate::metrics::{Labels, group_resource};
use crate::object::Object;
use crate::selector::Attributes;
use crate::storage::{Store, StoredEvent};
use bytes::Bytes;
use futures::channel::{mpsc, oneshot};
use sim::Time;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;
use std::time::Duration;
use watcher::WatcherState;

/// Longest wait for a resourceVersion.
pub const FRESH_WAIT: Duration = Duration::from_secs(3);
/// How often etcd is asked for progress while somebody waits.
const PROGRESS_PERIOD: Duration = Duration::from_millis(100);

/// One object in the cache.
#[derive(Clone, Debug)]
pub struct Cached {
    /// Serialized bytes.
    pub data: Bytes,
    /// mod_revision
    pub revision: i64,
    /// What selectors see.
    pub attributes: Rc<Attributes>,
}

struct State {
    ready: bool,
    since: Time,
    last_error: String,
    objects: BTreeMap<Rc<str>, Cached>,
    resource_version: u64,
    list_resource_version: u64,
    ring: Ring,
}

/// The watch cache of one resource.
pub struct Cacher {
    /// The etcd storage below.
    pub store: Rc<Store>,
    env: Env,
    state: RefCell<State>,
    /// Readers that wait for a resourceVersion.
    waiters: RefCell<Vec<(u64, oneshot::Sender<()>)>>,
    waiting: Cell<u32>,
    progress: RefCell<Option<mpsc::UnboundedSender<()>>>,
    watchers: RefCell<BTreeMap<u64, Rc<WatcherState>>>,
    next_watcher: Cell<u64>,
    dispatched: Cell<u64>,
    stopped: Cell<bool>,
}

/// All keys from one on.
pub(crate) fn from(key: &str) -> (Bound<&str>, Bound<&str>) {
    (Bound::Included(key), Bound::Unbounded)
}

impl Cacher {
    /// A cache for `store`, and starts to fill it.
    pub fn start(store: Rc<Store>) -> Rc<Cacher> {
        let env = store.env.clone();
        let window = (env.flags.request_timeout + Duration::from_secs(15)).max(Duration::from_secs(75));
        let cacher = Rc::new(Cacher {
            state: RefCell::new(State {
                ready: false,
                since: env.sim.now(),
                last_error: String::new(),
                objects: BTreeMap::new(),
                resource_version: 0,
                list_resource_version: 0,
                ring: Ring::new(window),
            }),
            store,
            waiters: RefCell::default(),
            waiting: Cell::new(0),
            progress: RefCell::default(),
            watchers: RefCell::default(),
            next_watcher: Cell::new(1),
            dispatched: Cell::new(0),
            stopped: Cell::new(false),
            env,
        });
        let (incoming, events) = mpsc::channel(100);
        let (tx, rx) = mpsc::unbounded();
        *cacher.progress.borrow_mut() = Some(tx);
        let process = cacher.env.process.clone();
        process.spawn(reflector::run(cacher.clone(), incoming, rx));
        process.spawn(dispatch::run(cacher.clone(), events));
        cacher
    }

    /// Ends it: the resource is not served any more.
    pub fn stop(&self) {
        self.stopped.set(true);
        self.terminate_all();
        self.state.borrow_mut().ready = false;
    }

    fn labels(&self) -> Labels {
        group_resource(&self.store.group, &self.store.resource)
    }

    /// Whether it has been filled.
    pub fn ready(&self) -> bool {
        self.state.borrow().ready
    }

    /// 429 while it is being filled.
    pub fn not_ready(&self) -> Option<ApiError> {
        let state = self.state.borrow();
        if state.ready {
            return None;
        }
        let seconds = self.env.sim.now().since(state.since).as_nanos() as f64 / 1e9;
        let retry = libm::floor(libm::exp(0.06 * seconds).clamp(1.0, 30.0)) as i64;
        let text = match state.last_error.as_str() {
            "" => "storage is (re)initializing".to_owned(),
            e => format!("storage is (re)initializing: {e}"),
        };
        Some(ApiError::too_many_requests(&text, retry))
    }

    /// The highest resourceVersion seen.
    pub fn resource_version(&self) -> u64 {
        self.state.borrow().resource_version
    }

    fn cached(&self, obj: &Object, data: Bytes) -> Cached {
        let attributes = Attributes::of(obj, &self.store.group, &self.store.resource);
        Cached {
            data,
            revision: i64::try_from(obj.resource_version()).unwrap_or(0),
            attributes: Rc::new(attributes),
        }
    }

    /// Decodes a cached object.
    pub fn object(&self, c: &Cached) -> Rc<Object> {
        match self.store.codec.decode(&c.data) {
            Ok(mut o) => {
                o.set_resource_version(c.revision);
                Rc::new(o)
            }
            // It was decoded once before it got here.
            Err(e) => unreachable!("a cached object must decode: {e}"),
        }
    }

    /// The object at a key as the cache has it, perhaps old.
    pub fn peek(&self, key: &str) -> Option<Rc<Object>> {
        let found = self.state.borrow().objects.get(key).cloned();
        found.map(|c| self.object(&c))
    }

    /// All objects below a prefix as the cache has them.
    pub fn peek_all(&self, prefix: &str) -> Vec<Rc<Object>> {
        let found: Vec<Cached> = {
            let state = self.state.borrow();
            state
                .objects
                .range::<str, _>(from(prefix))
                .take_while(|(k, _)| k.starts_with(prefix))
                .map(|(_, c)| c.clone())
                .collect()
        };
        found.iter().map(|c| self.object(c)).collect()
    }

    fn bytes_of(&self, obj: &Object) -> Bytes {
        self.store.codec.encode(&self.store.codec.to_storage_version(obj)).into()
    }

    /// Applies one event of the etcd watch: ring, resourceVersion, store; then wakes the readers.
    fn apply(&self, e: &StoredEvent) -> Rc<RingEvent> {
        let key: Rc<str> = e.key.as_str().into();
        let current = e.object.as_ref().map(|o| self.cached(o, self.bytes_of(o)));
        let now = self.env.sim.now();
        let event = {
            let mut state = self.state.borrow_mut();
            let previous = state.objects.get(&key).cloned();
            let event = Rc::new(RingEvent {
                kind: e.kind,
                key: key.clone(),
                object: current.clone(),
                previous,
                revision: e.revision.unsigned_abs(),
                time: now,
                ctx: e.ctx,
            });
            let resized = state.ring.push(event.clone(), now);
            state.resource_version = event.revision;
            match (e.kind, current) {
                (crate::storage::EventType::Deleted, _) | (_, None) => {
                    state.objects.remove(&key);
                }
                (_, Some(c)) => {
                    state.objects.insert(key, c);
                }
            }
            let m = &self.env.metrics;
            match resized {
                0 => {}
                n => {
                    let name = if n > 0 {
                        "watch_cache_capacity_increase_total"
                    } else {
                        "watch_cache_capacity_decrease_total"
                    };
                    m.inc(name, self.labels());
                }
            }
            m.set("watch_cache_capacity", self.labels(), state.ring.capacity() as f64);
            event
        };
        self.env.metrics.inc("apiserver_watch_cache_events_received_total", self.labels());
        self.moved(event.revision);
        event
    }

    /// The resourceVersion moved, by an event or by a progress notification.
    fn moved(&self, revision: u64) {
        {
            let mut state = self.state.borrow_mut();
            state.resource_version = state.resource_version.max(revision);
        }
        let rv = self.resource_version();
        let modulo = rv % 1_000_000_000_000_000;
        self.env.metrics.set("apiserver_watch_cache_resource_version", self.labels(), modulo as f64);
        self.waiters.borrow_mut().retain_mut(|(wanted, tx)| *wanted > rv && !tx.is_canceled());
        // Dropping a sender wakes its reader, which looks again.
    }

    /// Waits until the cache has seen `wanted`, at most three seconds.
    ///
    /// # Errors
    /// 504, Too large resource version.
    pub async fn wait_until_fresh(&self, wanted: u64) -> Result<(), ApiError> {
        let start = self.env.sim.now();
        let deadline = start + FRESH_WAIT;
        let result = loop {
            let current = self.resource_version();
            if current >= wanted {
                break Ok(());
            }
            let left = deadline.since(self.env.sim.now());
            if left.is_zero() {
                break Err(ApiError::too_large_resource_version(wanted, current, 1));
            }
            let (tx, rx) = oneshot::channel();
            self.waiters.borrow_mut().push((wanted, tx));
            self.waiting.set(self.waiting.get() + 1);
            if self.waiting.get() == 1
                && let Some(p) = self.progress.borrow().as_ref()
            {
                let _ = p.unbounded_send(()); // the reflector may be starting over
            }
            let _ = self.env.sim.timeout(left, rx).await;
            self.waiting.set(self.waiting.get() - 1);
        };
        if wanted > 0 {
            let took = self.env.sim.now().since(start);
            self.env.metrics.observe_duration("apiserver_watch_cache_read_wait_seconds", self.labels(), took);
        }
        result
    }

    fn terminate_all(&self) {
        let all = core::mem::take(&mut *self.watchers.borrow_mut());
        for w in all.values() {
            w.terminate();
        }
    }
}
