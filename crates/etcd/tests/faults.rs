//! Crashes, freezes and partitions: what was acknowledged stays, what clients see is what etcd shows them.

mod common;

use common::*;
use sim::{Duration, Sim, Station};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::etcdserverpb::*;
use wire::rpc::{Code, errors};

/// Hashes of all running members at the same revision.
fn hashes_agree(w: &World) {
    w.run(Duration::from_secs(1));
    let hashes: Vec<_> =
        (0..w.cluster.len()).filter_map(|i| w.cluster.with_store(i, |s| s.hash_by_rev(0).unwrap())).collect();
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

/// The process of the client is not the one that crashes.
fn through(w: &World, member: usize) -> etcd::Client {
    etcd::Client::new(&w.sim, &w.sim.process("client"), vec![w.cluster.client_urls()[member].clone()])
}

#[test]
fn the_leader_crashes_at_each_station_and_nothing_acknowledged_is_lost() {
    let stations = [
        Station::Propose,
        Station::Append,
        Station::Quorum,
        Station::Commit,
        Station::Apply,
        Station::Mvcc,
        Station::TxnResponse,
        Station::DbPage,
    ];
    for seed in 0..8 {
        for station in stations {
            let w = World::new(seed, 3);
            w.put("k", "0");
            let leader = w.cluster.leader().unwrap();
            let ctx = w.sim.trace().begin("put k", "client");
            let c = through(&w, leader);
            let answer = Rc::new(RefCell::new(None));
            let slot = answer.clone();
            w.sim.process("client").spawn(async move {
                let r = c.with_timeout(Duration::from_secs(5)).put(Some(ctx), put("k", "1")).await;
                *slot.borrow_mut() = Some(r);
            });
            let end = w.sim.now() + Duration::from_secs(1);
            w.sim.trace().set_breakpoints(vec![sim::Hold { trace: Some(ctx.trace), station: Some(station) }]);
            while !w.sim.stop_requested() {
                assert!(w.sim.step() && w.sim.now() < end, "seed {seed}: {station} was not reached");
            }
            w.sim.clear_stop();
            w.sim.trace().set_breakpoints(vec![]);
            w.cluster.crash(leader);
            w.settle();
            w.run(Duration::from_secs(6));
            let answer = answer.borrow_mut().take().expect("the call ended");
            let value = w.get("k").kvs[0].value.clone();
            match &answer {
                Ok(_) => assert_eq!(&value[..], b"1", "seed {seed}, {station}: acknowledged and lost"),
                Err(s) => assert!(
                    matches!(s.code, Code::Unavailable | Code::DeadlineExceeded),
                    "seed {seed}, {station}: {s}"
                ),
            }
            if matches!(station, Station::Commit | Station::Apply | Station::Mvcc) {
                assert_eq!(&value[..], b"1", "seed {seed}, {station}: committed and lost");
            }
            w.cluster.restart(leader);
            w.settle();
            w.put("k", "2");
            hashes_agree(&w);
        }
    }
}

#[test]
fn a_register_under_crashes_stays_in_order() {
    for seed in 0..12 {
        let members = if seed % 3 == 0 { 5 } else { 3 };
        let w = World::new(seed, members);
        // One writer counts up; what it was told is written must never be missing, and the value never goes back.
        let acked = Rc::new(RefCell::new(0u64));
        let (c, a, sim) = (w.client.with_timeout(Duration::from_secs(3)), acked.clone(), w.sim.clone());
        let writer = w.sim.process("client");
        writer.spawn(async move {
            for n in 1..=300u64 {
                if c.put(None, put("n", &n.to_string())).await.is_ok() {
                    *a.borrow_mut() = n;
                }
                sim.sleep(Duration::from_millis(20)).await;
            }
        });
        let seen = Rc::new(RefCell::new(0u64));
        let (c, a, s, sim) =
            (w.client.with_timeout(Duration::from_secs(3)), acked.clone(), seen.clone(), w.sim.clone());
        w.sim.process("reader").spawn(async move {
            loop {
                let floor = *a.borrow();
                if let Ok(r) = c.range(None, get("n")).await {
                    let v: u64 =
                        r.kvs.first().map_or(0, |kv| String::from_utf8_lossy(&kv.value).parse().unwrap());
                    assert!(v >= floor, "seed {seed}: read {v} after {floor} was acknowledged");
                    assert!(v >= *s.borrow(), "seed {seed}: read {v} after {} was read", s.borrow());
                    *s.borrow_mut() = v;
                }
                sim.sleep(Duration::from_millis(7)).await;
            }
        });
        let rng = w.sim.rng("test");
        for _ in 0..6 {
            w.run(Duration::from_millis(200 + rng.below(900)));
            let victim = rng.below(u64::from(members)) as usize;
            match rng.below(3) {
                0 => {
                    w.cluster.crash(victim);
                    w.run(Duration::from_millis(500 + rng.below(2500)));
                    w.cluster.restart(victim);
                }
                1 => {
                    w.cluster.pause(victim);
                    w.run(Duration::from_millis(500 + rng.below(2500)));
                    w.cluster.resume(victim);
                }
                _ => {
                    let me = format!("m{}", victim + 1);
                    let others: Vec<String> =
                        (1..=members).map(|i| format!("m{i}")).filter(|n| *n != me).collect();
                    others.iter().for_each(|o| w.sim.net().cut(&me, o));
                    w.run(Duration::from_millis(500 + rng.below(2500)));
                    others.iter().for_each(|o| w.sim.net().heal(&me, o));
                }
            }
        }
        w.settle();
        w.run(Duration::from_secs(15));
        assert!(*seen.borrow() >= *acked.borrow(), "seed {seed}");
        assert!(*acked.borrow() > 100, "seed {seed}: only {} writes got through", acked.borrow());
        hashes_agree(&w);
    }
}

#[test]
fn all_members_crash_and_come_back_from_their_disks() {
    for seed in 0..6 {
        let w = World::new(seed, 3);
        for i in 0..50 {
            w.put(&format!("k{}", i % 7), &i.to_string());
        }
        let before = w.get("k0");
        (0..3).for_each(|i| w.cluster.crash(i));
        w.run(Duration::from_millis(100));
        (0..3).for_each(|i| w.cluster.restart(i));
        w.settle();
        let after = w.get("k0");
        assert_eq!(after.kvs, before.kvs, "seed {seed}");
        assert_eq!(after.header.unwrap().revision, 51);
        w.put("k0", "new");
        hashes_agree(&w);
        // In order, too: then the backend alone has everything.
        (0..3).for_each(|i| w.cluster.stop(i));
        let disk = w.sim.disk("m1");
        let rows = etcd::backend::DiskBackend::open(&disk).unwrap();
        assert_eq!(mvcc::Store::restore(mvcc::Config::default(), rows.rows()).revision(), 52);
        (0..3).for_each(|i| w.cluster.restart(i));
        w.settle();
        assert_eq!(&w.get("k0").kvs[0].value[..], b"new");
    }
}

#[test]
fn without_a_quorum() {
    let w = World::new(3, 3);
    w.put("a", "1");
    let leader = w.cluster.leader().unwrap();
    for i in (0..3).filter(|i| *i != leader) {
        w.cluster.crash(i);
    }
    let c = through(&w, leader);
    let (cc, sim) = (c.clone(), w.sim.clone());
    w.block(async move {
        // watch of somebody who asks for a leader
        let watch = cc.require_leader().watch(None).await.unwrap();
        watch.create(WatchCreateRequest { key: "a".into(), ..Default::default() }).unwrap();
        assert!(watch.recv().await.unwrap().created);
        let start = sim.now();
        let e = watch.recv().await.unwrap_err();
        assert_eq!(e, errors::NO_LEADER.status());
        let took = sim.now() - start;
        assert!(took >= Duration::from_secs(3) && took <= Duration::from_secs(6), "{took:?}");
    });
    let (cc, sim) = (c.clone(), w.sim.clone());
    w.block(async move {
        let start = sim.now();
        let e = cc.with_timeout(Duration::from_secs(5)).put(None, put("a", "2")).await.unwrap_err();
        assert_eq!((e.code, e.message.as_str()), (Code::DeadlineExceeded, "context deadline exceeded"));
        assert_eq!(sim.now() - start, Duration::from_secs(5));
        let e = cc.with_timeout(Duration::from_secs(5)).range(None, get("a")).await.unwrap_err();
        assert_eq!(e.message, "context deadline exceeded");
        let r = cc.range(None, RangeRequest { serializable: true, ..get("a") }).await.unwrap();
        assert_eq!(&r.kvs[0].value[..], b"1");
        let s = cc.status(None, StatusRequest {}).await.unwrap();
        assert_eq!((s.leader, s.errors.join(",").as_str()), (0, "etcdserver: no leader"));
        let e = cc.lease_time_to_live(None, LeaseTimeToLiveRequest { id: 5, keys: false });
        let e = sim.timeout(Duration::from_secs(8), e).await;
        assert!(e.is_err(), "repeated for ever: {e:?}");
    });
    let term = w.cluster.status(leader, 0).unwrap().term;
    w.run(Duration::from_secs(600));
    assert_eq!(w.cluster.status(leader, 0).unwrap().term, term, "with pre-vote the term stays");
    let back = (leader + 1) % 3;
    let start = w.sim.now();
    w.cluster.restart(back);
    w.settle();
    assert!(w.sim.now() - start < Duration::from_secs(3));
    assert_eq!(w.cluster.status(leader, 0).unwrap().term, term + 1);
    assert!(w.put("a", "3").header.unwrap().revision > 2);
}

#[test]
fn frozen_followers_and_a_write_that_happened_after_all() {
    let w = World::new(4, 3);
    let leader = w.cluster.leader().unwrap();
    (0..3).filter(|i| *i != leader).for_each(|i| w.cluster.pause(i));
    let c = through(&w, leader);
    let e = w.block(async move { c.put(None, put("a", "1")).await }).unwrap_err();
    assert_eq!(e, errors::TIMEOUT.status());
    (0..3).filter(|i| *i != leader).for_each(|i| w.cluster.resume(i));
    w.settle();
    assert_eq!(&w.get("a").kvs[0].value[..], b"1");
}

#[test]
fn a_frozen_leader_and_a_put_through_a_follower() {
    let mut due_to_leader = 0;
    for seed in 0..6 {
        let w = World::new(seed, 3);
        w.put("a", "0");
        let leader = w.cluster.leader().unwrap();
        let follower = (leader + 1) % 3;
        w.cluster.pause(leader);
        let (c, sim) = (through(&w, follower), w.sim.clone());
        let (put_err, took) = w.block(async move {
            let start = sim.now();
            let e = c.put(None, put("a", "1")).await.unwrap_err();
            (e, sim.now() - start)
        });
        assert!(took >= Duration::from_secs(7) && took < Duration::from_millis(7200), "{took:?}");
        // The follower that became the leader itself knows why.
        if put_err == errors::TIMEOUT_DUE_TO_LEADER_FAIL.status() {
            due_to_leader += 1;
        } else {
            assert_eq!(put_err, errors::TIMEOUT.status());
        }
        let c = through(&w, follower);
        w.block(async move { c.range(None, get("a")).await }).unwrap();
        w.cluster.resume(leader);
        w.settle();
        hashes_agree(&w);
    }
    assert!(due_to_leader > 0);
}

#[test]
fn a_read_outlives_a_change_of_leader() {
    let w = World::new(9, 3);
    w.put("a", "0");
    let leader = w.cluster.leader().unwrap();
    let follower = (leader + 1) % 3;
    w.cluster.pause(leader);
    let (c, sim) = (through(&w, follower), w.sim.clone());
    let took = w.block(async move {
        let start = sim.now();
        c.range(None, get("a")).await.unwrap();
        sim.now() - start
    });
    assert!(took > Duration::from_millis(500) && took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn a_watcher_goes_on_after_its_member_crashed() {
    let w = World::new(10, 3);
    let options = etcd::client::WatchOptions { key: "k".into(), start_revision: 2, ..Default::default() };
    let seen = Rc::new(RefCell::new(Vec::new()));
    let (mut watcher, s) = (w.client.watcher(None, options), seen.clone());
    w.sim.process("watcher").spawn(async move {
        while let Some(Ok(r)) = watcher.recv().await {
            s.borrow_mut().extend(r.events.iter().map(|e| e.kv.as_ref().unwrap().mod_revision));
        }
    });
    let mut last = 1;
    for round in 0..12 {
        last = w.put("k", &round.to_string()).header.unwrap().revision;
        if round % 3 == 1 {
            let victim = round / 3 % 3;
            w.cluster.crash(victim);
            w.settle();
            last = w.put("k", "while down").header.unwrap().revision;
            w.cluster.restart(victim);
            w.settle();
        }
    }
    w.run(Duration::from_secs(2));
    assert_eq!(*seen.borrow(), (2..=last).collect::<Vec<_>>());
}

/// Everything that two equal runs must share: events, messages, disks, trace.
fn fingerprint(seed: u64) -> (u64, u64, u32) {
    let w = World::new(seed, 3);
    let ctx = w.sim.trace().begin("put", "client");
    let c = w.client.clone();
    w.block(async move { c.put(Some(ctx), put("t", "1")).await }).unwrap();
    let rng = w.sim.rng("test");
    for i in 0..40 {
        let c = w.client.with_timeout(Duration::from_secs(2));
        let _ = w.block(async move { c.put(None, put(&format!("k{i}"), "v")).await });
        if i % 10 == 5 {
            let victim = rng.below(3) as usize;
            w.cluster.crash(victim);
            w.run(Duration::from_millis(rng.below(3000)));
            w.cluster.restart(victim);
        }
    }
    w.settle();
    let mut crc = 0;
    for m in w.sim.net().message_log(0) {
        crc = crc32c::crc32c_append(crc, &m.body);
        crc = crc32c::crc32c_append(crc, &m.sent.0.to_be_bytes());
    }
    for d in ["m1", "m2", "m3"] {
        for (name, bytes) in w.sim.disk(d).export() {
            crc = crc32c::crc32c_append(crc, name.as_bytes());
            crc = crc32c::crc32c_append(crc, &bytes);
        }
    }
    w.sim.trace().for_each(|t| crc = crc32c::crc32c_append(crc, format!("{:?}", t.spans).as_bytes()));
    (w.sim.event(), w.sim.now().0, crc)
}

#[test]
fn two_runs_of_a_seed_are_the_same() {
    for seed in 0..10 {
        assert_eq!(fingerprint(seed), fingerprint(seed), "seed {seed}");
    }
    assert_ne!(fingerprint(1), fingerprint(2));
}

#[test]
fn a_followed_write_leaves_its_stations() {
    let w = World::new(11, 3);
    let options = etcd::client::WatchOptions { key: "k".into(), ..Default::default() };
    let mut watcher = w.client.watcher(None, options);
    w.sim.process("watcher").spawn(async move { watcher.recv().await });
    w.run(Duration::from_millis(50));
    let ctx = w.sim.trace().begin("put k", "client");
    let c = through(&w, w.cluster.leader().unwrap());
    w.block(async move { c.put(Some(ctx), put("k", "v")).await }).unwrap();
    w.run(Duration::from_millis(300));
    let trace = w.sim.trace().get(ctx.trace).unwrap();
    let mut count: BTreeMap<Station, usize> = BTreeMap::new();
    for s in &trace.spans {
        assert!(s.end.is_some(), "{} did not end", s.name);
        if let Some(st) = s.station {
            *count.entry(st).or_default() += 1;
        }
    }
    let want = [
        (Station::Propose, 1),
        (Station::Append, 3),
        (Station::Quorum, 1),
        (Station::Commit, 1),
        (Station::Apply, 1),
        (Station::Mvcc, 1),
        (Station::DbPage, 1),
        (Station::TxnResponse, 1),
        (Station::EtcdWatch, 1),
    ];
    assert_eq!(count, BTreeMap::from(want));
    let propose = trace.spans.iter().find(|s| s.station == Some(Station::Propose)).unwrap();
    let entry = propose.after.clone().unwrap();
    for a in trace.spans.iter().filter(|s| s.station == Some(Station::Append)) {
        assert_eq!(a.before.as_ref().unwrap(), &entry);
        let frame = a.after.clone().unwrap();
        assert!(frame.windows(entry.len()).any(|w| w == entry), "the WAL record holds the entry");
    }
    let quorum = trace.spans.iter().find(|s| s.station == Some(Station::Quorum)).unwrap();
    assert!(quorum.end.unwrap() - quorum.start >= Duration::from_micros(300), "a round trip and a sync");
}

#[test]
fn the_log_is_shortened_when_everybody_has_it() {
    let w = World::new(12, 3);
    let c = w.client.clone();
    w.block(async move {
        for i in 0..6000 {
            c.put(None, put(&format!("k{}", i % 10), "v")).await.unwrap();
        }
    });
    w.run(Duration::from_secs(1));
    w.put("a", "1");
    w.run(Duration::from_millis(300));
    for s in w.cluster.statuses(10).into_iter().flatten() {
        assert!(s.first_index > 900 && s.last_index - s.first_index < 5300, "{s:?}");
        assert_eq!(s.log.len(), 10);
    }
    // and a restart still finds everything
    (0..3).for_each(|i| w.cluster.crash(i));
    (0..3).for_each(|i| w.cluster.restart(i));
    w.settle();
    assert_eq!(w.get("a").header.unwrap().revision, 6002);
    hashes_agree(&w);
}

#[test]
fn health_and_metrics_over_http() {
    let w = World::new(13, 3);
    w.put("a", "1");
    async fn fetch(sim: Sim, addr: &str, target: &str) -> (u16, String) {
        let conn = sim.net().connect(&sim.process("client"), addr).await.unwrap();
        let req = wire::http::Request::new("GET", target).with_header("Host", addr);
        conn.send(req.encode(), None).await.unwrap();
        let mut parser = wire::http::Parser::responses(wire::http::Limits::default());
        let mut partial = None;
        loop {
            if let Some(r) = parser.next_response(&mut partial).unwrap() {
                return (r.status, String::from_utf8_lossy(&r.body).into_owned());
            }
            parser.push(&conn.recv().await.unwrap().body);
        }
    }
    let ask = |addr: &'static str, target: &'static str| {
        let sim = w.sim.clone();
        w.block(async move { fetch(sim, addr, target).await })
    };
    assert_eq!(ask("127.0.0.1:2379", "/health"), (200, r#"{"health":"true","reason":""}"#.into()));
    assert_eq!(
        ask("127.0.0.1:22379", "/version"),
        (200, r#"{"etcdserver":"3.6.14","etcdcluster":"3.6.0","storage":"3.6.0"}"#.into())
    );
    assert_eq!(ask("127.0.0.1:2379", "/readyz"), (200, "ok\n".into()));
    assert_eq!(ask("127.0.0.1:2379", "/nothing").0, 404);
    let (_, metrics) = ask("127.0.0.1:2379", "/metrics");
    for line in
        ["etcd_server_has_leader 1\n", "etcd_debugging_mvcc_current_revision 2\n", "etcd_mvcc_put_total 1\n"]
    {
        assert!(metrics.contains(line), "{line}");
    }
    assert!(ask("127.0.0.1:2380", "/members").1.contains("\"name\":\"m3\""));
    w.cluster.crash(1);
    w.cluster.crash(2);
    w.run(Duration::from_secs(5));
    assert_eq!(
        ask("127.0.0.1:2379", "/health"),
        (503, "{\"health\":\"false\",\"reason\":\"RAFT NO LEADER\"}\n".into())
    );
    assert_eq!(ask("127.0.0.1:2379", "/health?serializable=true").0, 200);
}
