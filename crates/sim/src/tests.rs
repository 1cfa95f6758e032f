use crate::*;
use bytes::Bytes;
use std::cell::RefCell;
use std::rc::Rc;

fn notes() -> Rc<RefCell<Vec<String>>> {
    Rc::default()
}

#[test]
fn time_moves_only_when_nothing_is_ready() {
    let sim = Sim::new(1);
    let log = notes();
    for (name, ms) in [("late", 20), ("early", 10), ("first", 0)] {
        let (s, log) = (sim.clone(), log.clone());
        sim.process("p").spawn(async move {
            s.sleep(Duration::from_millis(ms)).await;
            log.borrow_mut().push(format!("{name} {}", s.now()));
        });
    }
    while sim.step() {}
    assert_eq!(*log.borrow(), ["first 00:00:00.000000", "early 00:00:00.010000", "late 00:00:00.020000"]);
}

#[test]
fn an_hour_of_sleeping_takes_two_events() {
    let sim = Sim::new(1);
    let s = sim.clone();
    sim.process("p").spawn(async move { s.sleep(Duration::from_secs(3600)).await });
    while sim.step() {}
    assert_eq!(sim.event(), 2);
    assert_eq!(sim.now(), Time(3_600_000_000_000));
}

#[test]
fn a_component_gets_the_same_numbers_whatever_others_draw() {
    let (a, b) = (Sim::new(7), Sim::new(7));
    b.rng("other").next_u64();
    assert_eq!(a.rng("raft/m1").next_u64(), b.rng("raft/m1").next_u64());
    assert_ne!(a.rng("raft/m1").next_u64(), a.rng("raft/m2").next_u64());
    assert_ne!(Sim::new(8).rng("raft/m1").next_u64(), Sim::new(7).rng("raft/m1").next_u64());
}

#[test]
fn a_stream_keeps_order_and_ends_with_a_crash() {
    let sim = Sim::new(1);
    let (server, client) = (sim.process("server"), sim.process("client"));
    let listener = sim.net().listen(&server, "127.0.0.1:1");
    let log = notes();
    {
        let log = log.clone();
        server.spawn(async move {
            let c = listener.accept().await.unwrap();
            while let Some(f) = c.recv().await {
                log.borrow_mut().push(String::from_utf8_lossy(&f.body).into_owned());
            }
            log.borrow_mut().push("end".into());
        });
    }
    let s = sim.clone();
    let held = client.clone();
    client.spawn(async move {
        let c = s.net().connect(&held, "127.0.0.1:1").await.unwrap();
        for word in ["a", "b", "c"] {
            c.send(Bytes::from_static(word.as_bytes()), None).await.unwrap();
        }
        s.sleep(Duration::from_secs(1)).await;
    });
    sim.run_until_time(Time(500_000_000));
    client.crash();
    while sim.step() {}
    assert_eq!(*log.borrow(), ["a", "b", "c", "end"]);
}

#[test]
fn a_cut_delays_a_stream_and_loses_a_message() {
    let sim = Sim::new(1);
    let (m1, m2) = (sim.process("m1"), sim.process("m2"));
    let listener = sim.net().listen(&m2, "m2:1");
    let inbox = sim.net().bind(&m2, "m2");
    let log = notes();
    let (l, s) = (log.clone(), sim.clone());
    m2.spawn(async move {
        let c = listener.accept().await.unwrap();
        while let Some(f) = c.recv().await {
            l.borrow_mut().push(format!("{} {}", String::from_utf8_lossy(&f.body), s.now()));
        }
    });
    let l = log.clone();
    m2.spawn(async move {
        while let Some(p) = inbox.recv().await {
            l.borrow_mut().push(p.kind.to_owned());
        }
    });
    let (s, p) = (sim.clone(), m1.clone());
    m1.spawn(async move {
        let c = s.net().connect(&p, "m2:1").await.unwrap();
        s.net().cut("m1", "m2");
        c.send(Bytes::from_static(b"stream"), None).await.unwrap();
        s.net().send("m1", "m2", "MsgHeartbeat", Bytes::new(), None);
        s.sleep(Duration::from_secs(1)).await;
        s.net().heal("m1", "m2");
        s.net().send("m1", "m2", "MsgApp", Bytes::new(), None);
        s.sleep(Duration::from_secs(1)).await;
    });
    while sim.step() {}
    assert_eq!(*log.borrow(), ["stream 00:00:01.000450", "MsgApp"]);
}

#[test]
fn held_messages_are_delivered_dropped_or_doubled_by_hand() {
    let sim = Sim::new(1);
    let inbox = sim.net().bind(&sim.process("m2"), "m2");
    let rule = HoldRule { from: "m1".into(), to: "m2".into(), kind: "MsgApp".into() };
    sim.net().hold(rule);
    for n in 0..3u8 {
        sim.net().send("m1", "m2", "MsgApp", Bytes::from(vec![n]), None);
    }
    let got: Rc<RefCell<Vec<u8>>> = Rc::default();
    let g = got.clone();
    sim.process("m2").spawn(async move {
        while let Some(p) = inbox.recv().await {
            g.borrow_mut().push(p.body[0]);
        }
    });
    assert_eq!(sim.net().held().len(), 3);
    assert!(sim.net().duplicate_held(1) && sim.net().deliver(1) && sim.net().drop_held(2));
    assert!(!sim.net().deliver(2));
    while sim.step() {}
    assert_eq!(*got.borrow(), [0, 0]);
    assert_eq!(sim.net().held().len(), 1);
}

#[test]
fn a_crash_keeps_what_was_synced_and_at_most_a_prefix_of_the_rest() {
    let mut kept = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let sim = Sim::new(seed);
        let p = sim.process("m1");
        let disk = sim.disk("m1");
        disk.append("wal", Bytes::from_static(b"synced"));
        let d = disk.clone();
        p.spawn(async move { d.fsync("wal").await });
        while sim.step() {}
        disk.append("wal", Bytes::from_static(b"-maybe"));
        p.crash();
        let left = disk.read("wal");
        assert!(b"synced-maybe".starts_with(&left) && left.starts_with(b"synced"), "seed {seed}: {left:?}");
        kept.insert(left.len());
    }
    assert!(
        kept.contains(&6) && kept.contains(&12) && kept.len() > 3,
        "lost, torn and kept all happen: {kept:?}"
    );
}

#[test]
fn a_paused_process_gets_no_turns_and_then_catches_up() {
    let sim = Sim::new(1);
    let p = sim.process("m1");
    let log = notes();
    let (s, l) = (sim.clone(), log.clone());
    p.spawn(async move {
        for _ in 0..3 {
            s.sleep(Duration::from_millis(10)).await;
            l.borrow_mut().push(s.now().to_string());
        }
    });
    sim.run_until_time(Time(15_000_000));
    p.pause();
    sim.run_until_time(Time(100_000_000));
    p.resume();
    while sim.step() {}
    assert_eq!(*log.borrow(), ["00:00:00.010000", "00:00:00.100000", "00:00:00.110000"]);
}

#[test]
fn a_breakpoint_stops_the_world_and_a_hold_stops_one_request() {
    let sim = Sim::new(1);
    let log = notes();
    let ids: Vec<Ctx> = ["one", "two"].iter().map(|t| sim.trace().begin(t, "kubectl")).collect();
    for (ctx, name) in ids.iter().copied().zip(["one", "two"]) {
        let (s, log) = (sim.clone(), log.clone());
        sim.process("kube-apiserver").spawn(async move {
            for st in [Station::Codec, Station::Transformer] {
                let span = s.station(&ctx, st, "kube-apiserver").await;
                span.set("request", name);
                log.borrow_mut().push(format!("{name} {st}"));
            }
        });
    }
    let hold = Hold { trace: Some(ids[0].trace), station: Some(Station::Transformer) };
    sim.trace().hold(hold.clone());
    sim.trace().set_breakpoints(vec![Hold { trace: None, station: Some(Station::Transformer) }]);
    sim.run(u64::MAX);
    assert!(sim.stop_requested());
    assert_eq!(*log.borrow(), ["one codec", "two codec", "two transformer"]);
    assert_eq!(sim.trace().waiting(), [(ids[0].trace, Station::Transformer)]);
    sim.clear_stop();
    sim.trace().release(&hold);
    sim.run(u64::MAX);
    assert_eq!(log.borrow().last().unwrap(), "one transformer");
    let spans = sim.trace().get(ids[0].trace).unwrap().spans;
    assert_eq!(spans.iter().map(|s| s.name).collect::<Vec<_>>(), ["codec", "transformer"]);
    assert!(spans.iter().all(|s| s.end.is_some()));
}

#[test]
fn a_timeout_drops_what_it_waited_for() {
    let sim = Sim::new(1);
    let s = sim.clone();
    let out = sim.block_on(async move {
        let slow = s.clone();
        let r = s
            .timeout(Duration::from_millis(5), async move { slow.sleep(Duration::from_secs(9)).await })
            .await;
        (r, s.now())
    });
    assert_eq!(out, Some((Err(Elapsed), Time(5_000_000))));
    assert_eq!(sim.next_event_at(), None, "no timer is left behind");
}
