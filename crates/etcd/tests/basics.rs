//! A healthy cluster through its client API.

mod common;

use common::*;
use sim::Duration;
use wire::etcdserverpb::compare::{CompareResult, CompareTarget, TargetUnion};
use wire::etcdserverpb::*;
use wire::rpc::errors;

#[test]
fn fresh_clusters_stand_where_real_ones_do() {
    for (members, index) in [(1, 4), (3, 8), (5, 12)] {
        let w = World::new(1, members);
        let c = w.client.clone();
        let s = w.block(async move { c.status(None, StatusRequest {}).await }).unwrap();
        assert_eq!((s.raft_index, s.raft_term, s.raft_applied_index), (index, 2, index), "{members} members");
        assert_eq!(s.header.unwrap().revision, 1);
        assert_eq!((s.version.as_str(), s.storage_version.as_str()), ("3.6.14", "3.6.0"));
        let c = w.client.clone();
        let l = w
            .block(async move { c.member_list(None, MemberListRequest { linearizable: true }).await })
            .unwrap();
        let mut names: Vec<String> = l.members.iter().map(|m| m.name.clone()).collect();
        names.sort();
        assert_eq!(names, ["m1", "m2", "m3", "m4", "m5"][..members as usize]);
        assert!(l.members.iter().all(|m| m.client_urls.len() == 1));
        assert_eq!(l.header.unwrap().revision, 0);
    }
}

#[test]
fn put_get_and_headers() {
    for members in [1, 3] {
        let w = World::new(2, members);
        let r = w.put("foo", "bar");
        assert_eq!(r.header.unwrap().revision, 2);
        assert_eq!(r.header.unwrap().raft_term, 2);
        assert_eq!(r.header.unwrap().cluster_id, w.cluster.id());
        assert_eq!(w.put("foo", "baz").header.unwrap().revision, 3);
        let g = w.get("foo");
        assert_eq!((g.count, &g.kvs[0].value[..]), (1, &b"baz"[..]));
        assert_eq!((g.kvs[0].create_revision, g.kvs[0].mod_revision, g.kvs[0].version), (2, 3, 2));
        let c = w.client.clone();
        let e = w.block(async move { c.put(None, put("", "x")).await }).unwrap_err();
        assert_eq!(e, errors::EMPTY_KEY.status());
        let c = w.client.clone();
        let big = "x".repeat(1_572_864);
        let e = w.block(async move { c.put(None, put("big", &big)).await }).unwrap_err();
        assert_eq!(e, errors::REQUEST_TOO_LARGE.status());
        let c = w.client.clone();
        let big = "x".repeat(3 << 20);
        let e = w.block(async move { c.put(None, put("big", &big)).await }).unwrap_err();
        assert!(e.message.starts_with("trying to send message larger than max ("), "{e}");
    }
}

#[test]
fn transactions_and_compaction() {
    let w = World::new(3, 3);
    w.put("a", "1");
    let cmp = Compare {
        result: CompareResult::Equal as i32,
        target: CompareTarget::Mod as i32,
        key: "a".into(),
        target_union: Some(TargetUnion::ModRevision(2)),
        ..Default::default()
    };
    let txn = TxnRequest {
        compare: vec![cmp],
        success: vec![op_put("a", "2"), op_put("b", "1")],
        failure: vec![RequestOp { request: Some(request_op::Request::RequestRange(get("a"))) }],
    };
    let (c, t) = (w.client.clone(), txn.clone());
    let r = w.block(async move { c.txn(None, t).await }).unwrap();
    assert!(r.succeeded && r.header.unwrap().revision == 3 && r.responses.len() == 2);
    let c = w.client.clone();
    let r = w.block(async move { c.txn(None, txn).await }).unwrap();
    assert!(!r.succeeded && r.header.unwrap().revision == 3);
    let c = w.client.clone();
    w.block(async move { c.compact(None, CompactionRequest { revision: 3, physical: true }).await }).unwrap();
    let c = w.client.clone();
    let e =
        w.block(async move { c.range(None, RangeRequest { revision: 2, ..get("a") }).await }).unwrap_err();
    assert_eq!(e, errors::COMPACTED.status());
    // all members agree
    w.run(Duration::from_secs(1));
    let hashes: Vec<_> =
        (0..3).map(|i| w.cluster.with_store(i, |s| s.hash_by_rev(0)).unwrap().unwrap()).collect();
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

#[test]
fn watch_from_history_and_live() {
    let w = World::new(4, 3);
    w.put("k", "1");
    w.put("k", "2");
    let c = w.client.clone();
    let got = w.block(async move {
        let watch = c.watch(None).await.unwrap();
        watch
            .create(WatchCreateRequest {
                key: "k".into(),
                start_revision: 2,
                prev_kv: true,
                ..Default::default()
            })
            .unwrap();
        let created = watch.recv().await.unwrap();
        assert!(created.created);
        let history = watch.recv().await.unwrap();
        assert_eq!(history.events.len(), 2);
        c.put(None, put("k", "3")).await.unwrap();
        let live = watch.recv().await.unwrap();
        watch.request_progress().unwrap();
        let progress = watch.recv().await.unwrap();
        assert_eq!((progress.watch_id, progress.header.unwrap().revision), (-1, 4));
        watch.cancel(created.watch_id).unwrap();
        assert!(watch.recv().await.unwrap().canceled);
        live
    });
    let kv = got.events[0].kv.as_ref().unwrap();
    assert_eq!((&kv.value[..], kv.mod_revision, kv.version), (&b"3"[..], 4, 3));
    assert_eq!(&got.events[0].prev_kv.as_ref().unwrap().value[..], b"2");
}

#[test]
fn leases_expire_everywhere_at_once() {
    let w = World::new(5, 3);
    let c = w.client.clone();
    let lease = w.block(async move {
        let l = c.lease_grant(None, LeaseGrantRequest { ttl: 1, id: 0 }).await.unwrap();
        assert_eq!(l.ttl, 2);
        c.put(None, PutRequest { lease: l.id, ..put("a", "1") }).await.unwrap();
        c.put(None, PutRequest { lease: l.id, ..put("b", "1") }).await.unwrap();
        let t = c.lease_time_to_live(None, LeaseTimeToLiveRequest { id: l.id, keys: true }).await.unwrap();
        assert_eq!((t.granted_ttl, t.keys.len()), (2, 2));
        let k = c.lease_keep_alive_once(None, l.id).await.unwrap();
        assert_eq!(k.ttl, 2);
        l.id
    });
    w.run(Duration::from_millis(1500));
    assert_eq!(w.get("a").count, 1);
    w.run(Duration::from_millis(1500));
    let g = w.get("a");
    assert_eq!((g.count, g.header.unwrap().revision), (0, 4));
    let c = w.client.clone();
    let (t, e) = w.block(async move {
        let t = c.lease_time_to_live(None, LeaseTimeToLiveRequest { id: lease, keys: false }).await.unwrap();
        (t, c.lease_keep_alive_once(None, lease).await.unwrap_err())
    });
    assert_eq!((t.ttl, t.granted_ttl), (-1, 0));
    assert_eq!(e, errors::LEASE_NOT_FOUND.status());
}

#[test]
fn a_kept_lease_lives() {
    let w = World::new(6, 3);
    let c = w.client.clone();
    let sim = w.sim.clone();
    let n = w.block(async move {
        let l = c.lease_grant(None, LeaseGrantRequest { ttl: 3, id: 0 }).await.unwrap();
        let mut keep = c.lease_keep_alive(None, l.id);
        let end = sim.now() + Duration::from_secs(30);
        let mut n = 0;
        while sim.now() < end {
            assert_eq!(keep.recv().await.unwrap().ttl, 3);
            n += 1;
        }
        n
    });
    assert!((29..=32).contains(&n), "{n}");
}

#[test]
fn maintenance() {
    let w = World::new(7, 3);
    w.put("a", "1");
    let c = w.client.clone();
    w.block(async move {
        let h = c.hash_kv(None, HashKVRequest { revision: 0 }).await.unwrap();
        assert_eq!((h.compact_revision, h.hash_revision), (-1, 2), "{h:?}");
        let a = c.alarm(None, AlarmRequest::default()).await.unwrap();
        assert_eq!(a.alarms, []);
        c.defragment(None, DefragmentRequest {}).await.unwrap();
        let e = c.member_add(None, MemberAddRequest::default()).await.unwrap_err();
        assert_eq!(e.message, "not modelled here: adding a member");
    });
    let leader = w.cluster.leader().unwrap();
    let to = (leader + 1) % 3;
    let id = w.cluster.member_id(to);
    let c =
        etcd::Client::new(&w.sim, &w.sim.process("client"), vec![w.cluster.client_urls()[leader].clone()]);
    w.block(async move { c.move_leader(None, MoveLeaderRequest { target_id: id }).await }).unwrap();
    assert_eq!(w.cluster.leader(), Some(to));
}

#[test]
fn the_quota_raises_its_alarm() {
    let sim = sim::Sim::new(1);
    let cluster = etcd::Cluster::start(
        &sim,
        etcd::ClusterConfig { members: 1, quota_backend_bytes: 2_000_000, ..Default::default() },
    );
    let client = cluster.client(&sim.process("client"));
    let (c, s) = (client.clone(), sim.clone());
    let err = sim
        .block_on(async move {
            let value = "x".repeat(200_000);
            for _ in 0..20 {
                if let Err(e) = c.put(None, put("big", &value)).await {
                    return e;
                }
                // the next commit makes the size known
                s.sleep(Duration::from_millis(200)).await;
            }
            panic!("no alarm");
        })
        .unwrap();
    assert_eq!(err, errors::NO_SPACE.status());
    let c = client.clone();
    sim.block_on(async move {
        assert_eq!(c.put(None, put("a", "1")).await.unwrap_err(), errors::NO_SPACE.status());
        let list = c.alarm(None, AlarmRequest::default()).await.unwrap();
        assert_eq!(list.alarms[0].alarm, AlarmType::NoSpace as i32);
        let del = DeleteRangeRequest { key: "big".into(), ..Default::default() };
        let d = c.delete_range(None, del).await.unwrap();
        assert_eq!(d.deleted, 1);
        let rev = d.header.unwrap().revision;
        c.compact(None, CompactionRequest { revision: rev, physical: true }).await.unwrap();
        c.defragment(None, DefragmentRequest {}).await.unwrap();
        let off = AlarmRequest { action: 2, member_id: list.alarms[0].member_id, alarm: 1 };
        c.alarm(None, off).await.unwrap();
        c.put(None, put("a", "1")).await.unwrap();
    })
    .unwrap();
}
