//! GET with `watch`: a chunked stream of events, from the watch cache or, for uncached resources, from etcd.

use super::{Answer, Call, Scope, respond};
use crate::cacher::{ClientEvent, WatchStart};
use crate::env::Note;
use crate::errors::ApiError;
use crate::negotiate::Output;
use crate::object::Object;
use crate::registry::parse_watch_version;
use crate::request::ListQuery;
use crate::selector::{Attributes, Selectors};
use crate::storage::{EventType, ReadAt};
use futures::{FutureExt, pin_mut, select_biased};
use sim::{Conn, Station, Time};
use std::rc::Rc;
use std::time::Duration;
use wire::http::{LAST_CHUNK, Response, chunk};

/// A watch whichever way it is fed.
enum Source {
    Cache(crate::cacher::CacheWatch),
    Etcd(Box<EtcdWatch>),
}

/// A watch on etcd of an uncached resource.
struct EtcdWatch {
    watch: crate::storage::StorageWatch,
    initial: std::collections::VecDeque<ClientEvent>,
    selectors: Selectors,
    group: String,
    resource: String,
    deadline: Time,
}

pub async fn watch(call: &Call, scope: &Scope, conn: &Conn) -> Result<Answer, ApiError> {
    let output = call.output(scope)?;
    let query = ListQuery::parse(&call.query, true)?;
    let mut selectors = Selectors::parse(
        &query.label_selector,
        &query.field_selector,
        &call.info.group,
        &call.info.resource,
    )?;
    if !call.info.name.is_empty() {
        selectors.fields.push(crate::selector::Requirement {
            key: "metadata.name".into(),
            op: crate::selector::Op::In,
            values: vec![call.info.name.clone()],
        });
    }
    let version = parse_watch_version(&query.resource_version)?;
    let env = &call.server.env;
    let seconds = match query.timeout_seconds.filter(|s| *s > 0) {
        Some(s) => s.unsigned_abs(),
        None => {
            let min = env.flags.min_request_timeout.max(1).unsigned_abs();
            min + env.rng("watch timeouts").below(min)
        }
    };
    let deadline = env.sim.now() + Duration::from_secs(seconds);
    let registry = &scope.registry;
    let (key, recursive) = registry.scope(&call.info.namespace, &selectors);
    if let Some(e) = registry.cacher.as_ref().and_then(|c| c.not_ready()) {
        return Err(e);
    }
    env.metrics.add("apiserver_longrunning_requests", long_labels(call), 1.0);
    let started = start(call, scope, &query, selectors, version, key, recursive, deadline).await;
    let media = match output.media {
        crate::negotiate::Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        _ => "application/json",
    };
    let mut head = Response::new(200).with_header("Content-Type", media);
    call.server.common_headers(call, &mut head);
    let sent = conn.send(head.encode_chunked_head(), call.ctx).await;
    let result = match (sent, started) {
        (Err(_), _) => Ok(()),
        (Ok(()), Err(e)) => send_error(call, conn, output, &e).await,
        (Ok(()), Ok(source)) => pump(call, scope, conn, output, source).await,
    };
    env.metrics.add("apiserver_longrunning_requests", long_labels(call), -1.0);
    if result.is_ok() {
        let _ = conn.send(LAST_CHUNK.into(), None).await; // the client may be gone
    }
    Ok(Answer::Streamed)
}

fn long_labels(call: &Call) -> crate::metrics::Labels {
    vec![
        ("verb", "WATCH".to_owned()),
        ("group", call.info.group.clone()),
        ("version", call.info.version.clone()),
        ("resource", call.info.resource.clone()),
    ]
}

#[allow(clippy::too_many_arguments)]
async fn start(
    call: &Call,
    scope: &Scope,
    query: &ListQuery,
    selectors: Selectors,
    version: u64,
    key: String,
    recursive: bool,
    deadline: Time,
) -> Result<Source, ApiError> {
    let registry = &scope.registry;
    let span = call.server.env.station(call.ctx, Station::Storage).await;
    span.note("operation", "Watch");
    span.note("key", key.as_str());
    if let Some(cacher) = &registry.cacher {
        span.note("served by", "watch cache");
        let start = WatchStart {
            key,
            recursive,
            selectors,
            resource_version: version,
            send_initial_events: query.send_initial_events,
            bookmarks: query.allow_watch_bookmarks,
            deadline,
        };
        return cacher.watch(start).await.map(Source::Cache);
    }
    span.note("served by", "etcd");
    let failed = |e: crate::storage::StorageError| {
        e.interpret(crate::storage::Operation::List, &registry.info.group, &registry.info.resource, "")
    };
    let mut initial = std::collections::VecDeque::new();
    let wants_initial =
        query.send_initial_events == Some(true) || version == 0 && query.send_initial_events.is_none();
    let revision = if wants_initial {
        let at = if version > 0 { ReadAt::NotOlderThan(version) } else { ReadAt::Latest };
        let (items, revision) =
            registry.store.initial_events(call.ctx, &key, recursive, at).await.map_err(failed)?;
        for object in items {
            let a = Attributes::of(&object, &registry.info.group, &registry.info.resource);
            if selectors.matches(&a) {
                initial.push_back(ClientEvent {
                    kind: EventType::Added,
                    revision: object.resource_version(),
                    object: Some(object),
                    initial_events_end: false,
                    ctx: None,
                });
            }
        }
        if query.allow_watch_bookmarks && query.send_initial_events == Some(true) {
            initial.push_back(ClientEvent {
                kind: EventType::Bookmark,
                object: None,
                revision: revision.unsigned_abs(),
                initial_events_end: true,
                ctx: None,
            });
        }
        revision
    } else if version == 0 {
        registry.store.current_revision(call.ctx).await.map_err(failed)?
    } else {
        i64::try_from(version).unwrap_or(i64::MAX)
    };
    Ok(Source::Etcd(Box::new(EtcdWatch {
        watch: registry.store.watch(&key, recursive, revision, false),
        initial,
        selectors,
        group: registry.info.group.clone(),
        resource: registry.info.resource.clone(),
        deadline,
    })))
}

impl EtcdWatch {
    async fn next(&mut self, sim: &sim::Sim) -> Option<Result<ClientEvent, ApiError>> {
        if let Some(e) = self.initial.pop_front() {
            return Some(Ok(e));
        }
        loop {
            let left = self.deadline.since(sim.now());
            let e = match sim.timeout(left, self.watch.next()).await {
                Ok(Ok(e)) => e,
                Ok(Err(e)) => return Some(Err(e)),
                Err(_) => return None,
            };
            let matches = |o: &Option<Rc<Object>>| {
                o.as_ref()
                    .is_some_and(|o| self.selectors.matches(&Attributes::of(o, &self.group, &self.resource)))
            };
            let now = e.kind != EventType::Deleted && matches(&e.object);
            let before = matches(&e.previous);
            let revision = e.revision.unsigned_abs();
            let (kind, object) = match (before, now) {
                (false, true) => (EventType::Added, e.object),
                (true, true) => (EventType::Modified, e.object),
                (true, false) => {
                    let last = e.previous.map(|p| {
                        let mut last = (*p).clone();
                        last.set_resource_version(e.revision);
                        Rc::new(last)
                    });
                    (EventType::Deleted, last)
                }
                (false, false) => continue,
            };
            return Some(Ok(ClientEvent { kind, object, revision, initial_events_end: false, ctx: e.ctx }));
        }
    }
}

async fn pump(call: &Call, scope: &Scope, conn: &Conn, output: Output, mut source: Source) -> Result<(), ()> {
    let sim = call.server.env.sim.clone();
    let mut first = true;
    loop {
        let next = {
            let event = async {
                match &mut source {
                    Source::Cache(w) => w.next().await.map(Ok),
                    Source::Etcd(w) => w.next(&sim).await,
                }
            }
            .fuse();
            // A client that goes away ends its watch; nothing else may come from it.
            let gone = async { while conn.recv().await.is_some() {} }.fuse();
            pin_mut!(event, gone);
            select_biased! {
                e = event => e,
                () = gone => return Err(()),
            }
        };
        let event = match next {
            None => return Ok(()),
            Some(Err(e)) => return send_error(call, conn, output, &e).await,
            Some(Ok(e)) => e,
        };
        let span = call.server.env.station(event.ctx, Station::Watcher).await;
        let body = respond::watch_event(call, scope, output, &event, first);
        first = first && event.kind == EventType::Bookmark;
        span.note("type", respond::event_name(event.kind));
        span.note("client", conn.peer());
        span.went(|| body.clone());
        let ctx = span.inside(event.ctx);
        drop(span);
        let mut labels = vec![
            ("group", call.info.group.clone()),
            ("version", call.info.version.clone()),
            ("resource", call.info.resource.clone()),
        ];
        let m = &call.server.env.metrics;
        m.observe("apiserver_watch_events_sizes", labels.clone(), body.len() as f64);
        m.inc("apiserver_watch_events_total", std::mem::take(&mut labels));
        if conn.send(chunk(&body), ctx).await.is_err() {
            return Err(());
        }
    }
}

async fn send_error(call: &Call, conn: &Conn, output: Output, e: &ApiError) -> Result<(), ()> {
    let body = respond::watch_error(output, e);
    conn.send(chunk(&body), call.ctx).await.map_err(|_| ())
}
