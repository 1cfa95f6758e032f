//! What the server does by itself: post-start hooks, the compactor, its lease among the masters, metric polls, watching
//! definitions of custom resources.

use crate::crd::Crd;
use crate::metrics::{Labels, group_resource};
use crate::server::Server;
use crate::storage::EventType;
use bytes::Bytes;
use std::rc::Rc;
use std::time::Duration;
use wire::etcdserverpb::compare::{CompareResult, CompareTarget, TargetUnion};
use wire::etcdserverpb::request_op::Request;
use wire::etcdserverpb::{
    CompactionRequest, Compare, PutRequest, RangeRequest, RequestOp, StatusRequest, TxnRequest,
};

/// Starts the tasks.
pub(crate) fn start(server: &Rc<Server>) {
    let process = server.env.process.clone();
    process.spawn(check_etcd(server.clone()));
    process.spawn(compact(server.clone()));
    process.spawn(poll_counts(server.clone()));
    process.spawn(poll_size(server.clone()));
    process.spawn(watch_crds(server.clone()));
}

/// The health probe, until it has answered once; later failures show in the requests themselves.
async fn check_etcd(server: Rc<Server>) {
    let key: Bytes = format!("{}/health", server.env.flags.etcd_prefix).into_bytes().into();
    let client = server.client.with_timeout(server.env.flags.etcd_healthcheck_timeout);
    loop {
        let req = RangeRequest { key: key.clone(), ..RangeRequest::default() };
        if client.range(None, req).await.is_ok() {
            server.etcd_checked.set(true);
            return;
        }
        server.env.sim.sleep(Duration::from_millis(500)).await;
    }
}

const COMPACT_KEY: &[u8] = b"compact_rev_key";

/// Every five minutes what is older than the last round is compacted; of several servers one does it.
async fn compact(server: Rc<Server>) {
    let interval = server.env.flags.etcd_compaction_interval;
    if interval.is_zero() {
        return;
    }
    let (mut version, mut revision) = (0i64, 0i64);
    loop {
        server.env.sim.sleep(interval).await;
        let put = PutRequest {
            key: Bytes::from_static(COMPACT_KEY),
            value: revision.to_string().into_bytes().into(),
            ..PutRequest::default()
        };
        let get = RangeRequest { key: Bytes::from_static(COMPACT_KEY), ..RangeRequest::default() };
        let op = |r| RequestOp { request: Some(r) };
        let txn = TxnRequest {
            compare: vec![Compare {
                result: CompareResult::Equal as i32,
                target: CompareTarget::Version as i32,
                key: Bytes::from_static(COMPACT_KEY),
                target_union: Some(TargetUnion::Version(version)),
                range_end: Bytes::new(),
            }],
            success: vec![op(Request::RequestPut(put))],
            failure: vec![op(Request::RequestRange(get))],
        };
        let Ok(resp) = server.client.txn(None, txn).await else { continue };
        let now = resp.header.map_or(0, |h| h.revision);
        let old = std::mem::replace(&mut revision, now);
        if resp.succeeded {
            version += 1;
            if old != 0 {
                let req = CompactionRequest { revision: old, physical: false };
                let _ = server.client.compact(None, req).await; // done by another server: fine
            }
        } else {
            use wire::etcdserverpb::response_op::Response;
            let found = resp.responses.first().and_then(|r| r.response.as_ref());
            if let Some(Response::ResponseRange(r)) = found {
                version = r.kvs.first().map_or(0, |kv| kv.version);
            }
        }
    }
}

/// `apiserver_resource_objects`, once a minute.
async fn poll_counts(server: Rc<Server>) {
    let period = server.env.flags.etcd_count_metric_poll_period;
    if period.is_zero() {
        return;
    }
    loop {
        server.env.sim.sleep(period).await;
        for r in server.registries() {
            let n = match &r.cacher {
                Some(c) if c.ready() => c.view(0).objects as f64,
                _ => r.store.count().await.map_or(-1.0, |n| n as f64),
            };
            let m = &server.env.metrics;
            m.set("apiserver_resource_objects", group_resource(&r.info.group, &r.info.resource), n);
            m.set("apiserver_storage_objects", vec![("resource", r.qualified())], n);
        }
    }
}

/// `apiserver_storage_size_bytes`, every 30 seconds.
async fn poll_size(server: Rc<Server>) {
    let period = server.env.flags.etcd_db_metric_poll_interval;
    if period.is_zero() {
        return;
    }
    loop {
        server.env.sim.sleep(period).await;
        if let Ok(status) = server.client.status(None, StatusRequest {}).await {
            let labels: Labels = vec![("storage_cluster_id", "etcd-0".to_owned())];
            server.env.metrics.set("apiserver_storage_size_bytes", labels, status.db_size as f64);
        }
    }
}

/// Serves what definitions of custom resources say, as they come and go.
async fn watch_crds(server: Rc<Server>) {
    let Some(registry) = server.registry("apiextensions.k8s.io", "customresourcedefinitions") else { return };
    let root = registry.root("");
    loop {
        let listed = registry.store.initial_events(None, &root, true, crate::storage::ReadAt::Latest).await;
        if let Ok((items, revision)) = listed {
            for obj in &items {
                server.set_crd(obj.name(), Crd::from_object(obj));
            }
            let mut watch = registry.store.watch(&root, true, revision, false);
            while let Ok(e) = watch.next().await {
                let Some(obj) = &e.object else { continue };
                match e.kind {
                    EventType::Deleted => server.set_crd(obj.name(), None),
                    EventType::Bookmark => {}
                    _ => server.set_crd(obj.name(), Crd::from_object(obj)),
                }
            }
        }
        server.env.sim.sleep(Duration::from_secs(1)).await;
    }
}
