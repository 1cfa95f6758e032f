//! The reflector: lists the resource once, then follows etcd's watch; after an error it starts over a second later.

use super::{Cached, Cacher, PROGRESS_PERIOD, RingEvent};
use crate::env::Note;
use crate::storage::{EventType, ListOptions, Operation, ReadAt, StorageWatch};
use futures::channel::mpsc;
use futures::{FutureExt, SinkExt, StreamExt, select_biased};
use sim::Station;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// What the dispatcher gets.
pub(super) type Incoming = Rc<RingEvent>;

const PAGE: i64 = 10_000;

pub(super) async fn run(
    cacher: Rc<Cacher>,
    mut incoming: mpsc::Sender<Incoming>,
    mut progress: mpsc::UnboundedReceiver<()>,
) {
    while !cacher.stopped.get() {
        match load(&cacher).await {
            Ok(mut watch) => follow(&cacher, &mut watch, &mut incoming, &mut progress).await,
            Err(text) => {
                let mut state = cacher.state.borrow_mut();
                state.last_error = text;
            }
        }
        if cacher.stopped.get() {
            return;
        }
        {
            let mut state = cacher.state.borrow_mut();
            if state.ready {
                state.ready = false;
                state.since = cacher.env.sim.now();
            }
        }
        cacher.terminate_all();
        cacher.env.sim.sleep(Duration::from_secs(1)).await;
    }
}

/// Lists everything, page by page at one revision, and replaces the store.
async fn load(cacher: &Rc<Cacher>) -> Result<StorageWatch, String> {
    let store = &cacher.store;
    let root = format!("{}/", store.resource_prefix);
    let full = store.full(&root);
    let mut objects: BTreeMap<Rc<str>, Cached> = BTreeMap::new();
    let mut o = ListOptions {
        key: root.clone(),
        recursive: true,
        at: ReadAt::Latest,
        limit: PAGE,
        from: None,
        predicate: None,
    };
    let kind = store.codec.stored().kind.clone();
    let revision = loop {
        let page = store.get_list(None, &o).await.map_err(|e| {
            let e = e.interpret(Operation::List, &store.group, &store.resource, "");
            let text = e.message.strip_prefix("Internal error occurred: ").unwrap_or(&e.message).to_owned();
            format!("failed to list *core.{kind}: {text}")
        })?;
        for obj in &page.items {
            let key = if obj.namespace().is_empty() {
                format!("{root}{}", obj.name())
            } else {
                format!("{root}{}/{}", obj.namespace(), obj.name())
            };
            objects.insert(key.as_str().into(), cacher.cached(obj, cacher.bytes_of(obj)));
        }
        if page.continue_token.is_empty() {
            break page.revision;
        }
        let token = crate::storage::continue_token::decode(&page.continue_token, &full)?;
        o.at = ReadAt::Exact(page.revision.unsigned_abs());
        o.from = Some(token);
    };
    let watch = store.watch(&root, true, revision, true);
    {
        let mut state = cacher.state.borrow_mut();
        state.objects = objects;
        state.ring.reset();
        state.list_resource_version = revision.unsigned_abs();
        state.resource_version = revision.unsigned_abs();
        state.ready = true;
        state.since = cacher.env.sim.now();
        state.last_error.clear();
        cacher.env.metrics.set("watch_cache_capacity", cacher.labels(), state.ring.capacity() as f64);
    }
    cacher.env.metrics.inc("apiserver_watch_cache_initializations_total", cacher.labels());
    cacher.moved(revision.unsigned_abs());
    Ok(watch)
}

/// Follows the watch until it fails.
async fn follow(
    cacher: &Rc<Cacher>,
    watch: &mut StorageWatch,
    incoming: &mut mpsc::Sender<Incoming>,
    progress: &mut mpsc::UnboundedReceiver<()>,
) {
    loop {
        if cacher.stopped.get() {
            return;
        }
        enum Next {
            Event(Box<Result<crate::storage::StoredEvent, crate::errors::ApiError>>),
            AskProgress,
        }
        let next = {
            let waiting = cacher.waiting.get() > 0;
            let tick = async {
                if waiting {
                    cacher.env.sim.sleep(PROGRESS_PERIOD).await;
                } else {
                    // Nobody waits: only a new reader wakes this up, and then the period begins.
                    if progress.next().await.is_none() {
                        futures::future::pending::<()>().await;
                    }
                    cacher.env.sim.sleep(PROGRESS_PERIOD).await;
                }
            };
            let event = watch.next().fuse();
            let tick = tick.fuse();
            futures::pin_mut!(event, tick);
            select_biased! {
                e = event => Next::Event(Box::new(e)),
                () = tick => Next::AskProgress,
            }
        };
        match next {
            Next::AskProgress => {
                if cacher.waiting.get() > 0 {
                    watch.request_progress();
                }
            }
            Next::Event(e) => match *e {
                Ok(e) if e.kind == EventType::Bookmark => {
                    cacher.env.metrics.inc("etcd_bookmark_total", cacher.labels());
                    cacher.moved(e.revision.unsigned_abs());
                }
                Ok(e) => {
                    let span = cacher.env.station(e.ctx, Station::EtcdWatch).await;
                    span.note("revision", e.revision.to_string());
                    span.note("key", e.key.as_str());
                    drop(span);
                    let span = cacher.env.station(e.ctx, Station::Reflector).await;
                    span.note("reflector", format!("storage/cacher.go:{}", cacher.store.resource_prefix));
                    span.went(|| e.object.as_ref().map_or_else(Vec::new, |o| o.to_text()).into());
                    drop(span);
                    let span = cacher.env.station(e.ctx, Station::WatchCache).await;
                    let event = cacher.apply(&e);
                    span.note("resourceVersion", event.revision.to_string());
                    span.note("watchers", cacher.watchers.borrow().len().to_string());
                    drop(span);
                    if incoming.send(event).await.is_err() {
                        return;
                    }
                }
                Err(e) => {
                    cacher.state.borrow_mut().last_error = e.message;
                    return;
                }
            },
        }
    }
}
