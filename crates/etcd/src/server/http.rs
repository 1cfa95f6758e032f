//! HTTP/1.1 endpoints: health, version and metrics for clients, members and leases for the other members (etcd
//! `server/etcdserver/api/etcdhttp`, `server/lease/leasehttp`).

use super::lease;
use crate::member::{CLUSTER_VERSION, Member, VERSION};
use crate::metrics::Sample;
use bytes::Bytes;
use prost::Message;
use sim::Conn;
use std::rc::Rc;
use wire::etcdserverpb::*;
use wire::http::{Limits, Parser, Request, Response};
use wire::leasepb::{LeaseInternalRequest, LeaseInternalResponse};
use wire::rpc::{Status, errors};

/// Whether the first bytes of a connection are an HTTP/1.1 request line.
pub(super) fn looks_like_http(bytes: &[u8]) -> bool {
    ["GET ", "POST ", "PUT ", "HEAD ", "DELETE ", "PATCH ", "OPTIONS "]
        .iter()
        .any(|m| bytes.starts_with(m.as_bytes()))
}

pub(super) async fn client_connection(m: Rc<Member>, conn: Conn, first: Bytes) {
    serve(m, conn, first, false).await;
}

pub(super) async fn peer_connection(m: Rc<Member>, conn: Conn) {
    serve(m, conn, Bytes::new(), true).await;
}

async fn serve(m: Rc<Member>, conn: Conn, first: Bytes, peer: bool) {
    let mut parser = Parser::requests(Limits::default());
    let mut partial = None;
    parser.push(&first);
    loop {
        match parser.next_request(&mut partial) {
            Ok(Some(req)) => {
                let resp = if peer { peer_answer(&m, &req).await } else { client_answer(&m, &req).await };
                if conn.send(resp.encode(), None).await.is_err() {
                    return;
                }
            }
            Ok(None) => match conn.recv().await {
                Some(f) => parser.push(&f.body),
                None => return conn.close(),
            },
            Err(_) => {
                let bad = text(400, "400 Bad Request");
                let _ = conn.send(bad.with_header("Connection", "close").encode(), None).await; // closed next
                return conn.close();
            }
        }
    }
}

fn text(status: u16, body: impl Into<Bytes>) -> Response {
    Response::new(status).with_header("Content-Type", "text/plain; charset=utf-8").with_body(body)
}

fn json(status: u16, body: impl Into<Bytes>) -> Response {
    Response::new(status).with_header("Content-Type", "application/json").with_body(body)
}

fn not_found() -> Response {
    text(404, "404 page not found\n").with_header("X-Content-Type-Options", "nosniff")
}

fn query<'a>(req: &'a Request, name: &str) -> Option<&'a str> {
    req.query().split('&').find_map(|p| p.split_once('=').filter(|(n, _)| *n == name).map(|(_, v)| v))
}

async fn client_answer(m: &Rc<Member>, req: &Request) -> Response {
    match req.path() {
        "/health" => health(m, req).await,
        "/version" => {
            let cluster = m.membership.borrow().cluster_version.clone();
            let cluster = cluster.unwrap_or_else(|| "not_decided".into());
            json(
                200,
                format!(
                    "{{\"etcdserver\":\"{VERSION}\",\"etcdcluster\":\"{cluster}\",\"storage\":\"{CLUSTER_VERSION}\"}}"
                ),
            )
        }
        "/metrics" => Response::new(200)
            .with_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            .with_body(m.metrics_text()),
        "/livez" | "/livez/serializable_read" => probe(m, req, &["serializable_read"]).await,
        "/readyz" => {
            probe(m, req, &["data_corruption", "linearizable_read", "non_learner", "serializable_read"]).await
        }
        "/readyz/data_corruption" => probe(m, req, &["data_corruption"]).await,
        "/readyz/serializable_read" => probe(m, req, &["serializable_read"]).await,
        "/readyz/linearizable_read" => probe(m, req, &["linearizable_read"]).await,
        "/readyz/non_learner" => probe(m, req, &["non_learner"]).await,
        _ => not_found(),
    }
}

async fn read(m: &Rc<Member>, linearizable: bool) -> Result<(), Status> {
    if linearizable {
        m.linearizable_read().await?;
    }
    let r = RangeRequest { key: "/".into(), keys_only: true, limit: 1, ..Default::default() };
    m.store.borrow_mut().range(&r).map(|_| ())
}

/// Checks alarms, then the leader, then one read.
async fn health(m: &Rc<Member>, req: &Request) -> Response {
    if req.method != "GET" {
        return text(405, "Method Not Allowed\n").with_header("Allow", "GET");
    }
    let serializable = query(req, "serializable") == Some("true");
    let bad = |reason: String| {
        let body = format!("{{\"health\":\"false\",\"reason\":\"{reason}\"}}\n");
        text(503, body).with_header("X-Content-Type-Options", "nosniff")
    };
    let excluded: Vec<&str> = req.query().split('&').filter_map(|p| p.strip_prefix("exclude=")).collect();
    let alarms: Vec<i32> = m.alarms.borrow().iter().map(|(_, k)| *k).collect();
    for kind in alarms {
        let name = AlarmType::try_from(kind).map_or("UNKNOWN", AlarmType::as_str_name);
        if !excluded.contains(&name) {
            return bad(format!("ALARM {name}"));
        }
    }
    if !serializable && m.raft.lead.get() == raft::NONE {
        return bad("RAFT NO LEADER".into());
    }
    match read(m, !serializable).await {
        Ok(()) => json(200, "{\"health\":\"true\",\"reason\":\"\"}"),
        Err(s) => bad(format!("RANGE ERROR:{}", s.message)),
    }
}

async fn probe(m: &Rc<Member>, req: &Request, checks: &[&str]) -> Response {
    let verbose = req.query().split('&').any(|p| p == "verbose" || p.starts_with("verbose="));
    let (mut lines, mut failed) = (String::new(), false);
    for check in checks {
        if req.query().split('&').any(|p| p.strip_prefix("exclude=") == Some(check)) {
            lines += &format!("[+]{check} excluded: ok\n");
            continue;
        }
        let result = match *check {
            "serializable_read" => read(m, false).await,
            "linearizable_read" => read(m, true).await,
            "data_corruption" => {
                let corrupt = m.alarms.borrow().iter().any(|(_, k)| *k == AlarmType::Corrupt as i32);
                if corrupt { Err(errors::CORRUPT.into()) } else { Ok(()) }
            }
            _ => Ok(()),
        };
        match result {
            Ok(()) => lines += &format!("[+]{check} ok\n"),
            Err(s) => {
                failed = true;
                lines += &format!("[-]{check} failed: {}\n", s.message);
            }
        }
    }
    match (failed, verbose) {
        (true, _) => text(503, lines).with_header("X-Content-Type-Options", "nosniff"),
        (false, true) => text(200, format!("{lines}ok\n")),
        (false, false) => text(200, "ok\n"),
    }
}

async fn peer_answer(m: &Rc<Member>, req: &Request) -> Response {
    match (req.method.as_str(), req.path()) {
        ("GET", "/members") => {
            let members = m.membership.borrow();
            let list: Vec<String> = members
                .members
                .values()
                .map(|i| String::from_utf8_lossy(&i.to_json()).into_owned())
                .collect();
            json(200, format!("[{}]\n", list.join(",")))
                .with_header("X-Etcd-Cluster-ID", format!("{:x}", m.shared.cluster_id))
        }
        ("GET", "/version") => client_answer(m, req).await,
        ("POST", "/leases") => {
            let Ok(r) = LeaseKeepAliveRequest::decode(req.body.clone()) else {
                return text(400, "error unmarshalling request\n");
            };
            match lease::renew_here(m, r.id).await {
                Some(Ok(ttl)) => {
                    let resp = LeaseKeepAliveResponse { header: None, id: r.id, ttl };
                    Response::new(200)
                        .with_header("Content-Type", "application/protobuf")
                        .with_body(resp.encode_to_vec())
                }
                Some(Err(s)) if s.is(errors::LEASE_NOT_FOUND) => text(404, "lease not found\n"),
                Some(Err(s)) => text(500, s.message + "\n"),
                None => text(408, "lease expired\n"),
            }
        }
        ("POST", "/leases/internal") => {
            let Ok(LeaseInternalRequest { lease_time_to_live_request: Some(r) }) =
                LeaseInternalRequest::decode(req.body.clone())
            else {
                return text(400, "error unmarshalling request\n");
            };
            if !m.store.borrow().lessor().is_primary() {
                return text(408, "not the leader\n");
            }
            let resp = lease::time_to_live_here(m, &r);
            let resp = LeaseInternalResponse { lease_time_to_live_response: Some(resp) };
            Response::new(200)
                .with_header("Content-Type", "application/protobuf")
                .with_body(resp.encode_to_vec())
        }
        _ => not_found(),
    }
}

/// Posts to the leader's peer URL; its status and body, or `None` when there is no leader or no answer.
pub(super) async fn post_to_leader(m: &Rc<Member>, path: &str, body: Vec<u8>) -> Option<(u16, Bytes)> {
    let lead = m.raft.lead.get();
    let peer = m.shared.peers.iter().find(|p| p.id == lead && p.id != m.id)?;
    let addr = peer.peer_url.strip_prefix("http://").unwrap_or(&peer.peer_url);
    let exchange = async {
        let conn = m.sim.net().connect(&m.process, addr).await.ok()?;
        let req = Request::new("POST", path)
            .with_header("Host", addr)
            .with_header("Content-Type", "application/protobuf")
            .with_body(body);
        conn.send(req.encode(), None).await.ok()?;
        let mut parser = Parser::responses(Limits::default());
        let mut partial = None;
        loop {
            if let Some(r) = parser.next_response(&mut partial).ok()? {
                return Some((r.status, r.body));
            }
            parser.push(&conn.recv().await?.body);
        }
    };
    m.sim.timeout(crate::member::REQUEST_TIMEOUT, exchange).await.ok().flatten()
}

impl Member {
    /// Prometheus text of everything this member counts.
    pub(crate) fn metrics_text(&self) -> String {
        let gauge = |name, value: i64| Sample { name, kind: "gauge", labels: String::new(), value };
        let counter = |name, value: u64| Sample { kind: "counter", ..gauge(name, value as i64) };
        let store = self.store.borrow();
        let c = store.counters();
        let backend = self.backend.borrow();
        let samples = vec![
            gauge("etcd_server_has_leader", i64::from(self.raft.lead.get() != raft::NONE)),
            gauge("etcd_server_is_leader", i64::from(self.is_leader())),
            gauge("etcd_server_is_learner", 0),
            Sample { labels: format!("{{server_id=\"{:x}\"}}", self.id), ..gauge("etcd_server_id", 1) },
            Sample { labels: format!("{{server_version=\"{VERSION}\"}}"), ..gauge("etcd_server_version", 1) },
            gauge("etcd_server_proposals_committed_total", self.raft.committed.get() as i64),
            gauge("etcd_server_proposals_applied_total", self.raft.applied.get() as i64),
            gauge("etcd_server_quota_backend_bytes", self.shared.quota as i64),
            gauge("etcd_mvcc_db_total_size_in_bytes", backend.rows().size() as i64),
            gauge("etcd_mvcc_db_total_size_in_use_in_bytes", backend.rows().size_in_use() as i64),
            counter("etcd_mvcc_put_total", c.puts),
            counter("etcd_mvcc_delete_total", c.deletes),
            counter("etcd_mvcc_range_total", c.ranges),
            counter("etcd_mvcc_txn_total", c.txns),
            gauge("etcd_debugging_mvcc_keys_total", c.keys),
            gauge("etcd_debugging_mvcc_current_revision", store.revision()),
            gauge("etcd_debugging_mvcc_compact_revision", store.compact_revision()),
            counter("etcd_debugging_mvcc_events_total", c.events),
            gauge("etcd_debugging_mvcc_total_put_size_in_bytes", c.put_bytes as i64),
            counter("etcd_debugging_mvcc_db_compaction_keys_total", c.compacted),
            gauge("etcd_debugging_mvcc_watch_stream_total", i64::from(store.watch_streams())),
            gauge("etcd_debugging_mvcc_watcher_total", store.watchers().len() as i64),
            gauge("etcd_debugging_mvcc_slow_watcher_total", i64::from(store.unsynced_watchers())),
        ];
        self.metrics.text(samples)
    }
}
