//! Clusters under crashes, freezes, partitions, lossy and slow links, checked from outside.

use bytes::Bytes;
use check::history::History;
use check::raft::Observer;
use etcd::client::WatchOptions;
use etcd::{Cluster, ClusterConfig};
use mvcc::KeyRange;
use sim::{Duration, LinkState, Sim};
use std::cell::RefCell;
use std::rc::Rc;
use wire::etcdserverpb::WatchResponse;

const CLIENTS: u32 = 4;
const KEYS: u64 = 3;

/// Runs a world of `seed` for half a virtual minute of trouble; what the clients did in numbers.
fn run(seed: u64) -> (usize, usize, usize) {
    let sim = Sim::new(seed);
    sim.trace().set_detail(sim::Detail::Off);
    let members = if seed % 4 == 3 { 5 } else { 3 };
    let cluster = Cluster::start(&sim, ClusterConfig { members, ..ClusterConfig::default() });
    let history = History::new();
    let stop = Rc::new(RefCell::new(false));
    for number in 0..CLIENTS {
        let process = sim.process(&format!("client{number}"));
        let client = cluster.client(&process).with_timeout(Duration::from_secs(3));
        let c = history.client(number, client);
        let (sim, stop) = (sim.clone(), stop.clone());
        process.clone().spawn(async move {
            let rng = sim.rng(&format!("client/{number}"));
            for n in 0u64.. {
                if *stop.borrow() {
                    return;
                }
                let key: Bytes = format!("k{}", rng.below(KEYS)).into();
                let value: Bytes = format!("{number}-{n}").into();
                // Errors are part of the history.
                let _ = match rng.below(6) {
                    0..=1 => c.write(&key, value).await,
                    2 => c.delete(&key).await,
                    3 => match c.read(&key).await {
                        Ok(seen) => c.compare_and_swap(&key, seen, value).await.map(|_| ()),
                        Err(e) => Err(e),
                    },
                    _ => c.read(&key).await.map(|_| ()),
                };
                sim.sleep(Duration::from_millis(rng.below(60))).await;
            }
        });
    }
    let watched: Rc<RefCell<Vec<WatchResponse>>> = Rc::default();
    let watch_process = sim.process("watcher");
    let options = WatchOptions {
        key: "k".into(),
        range_end: mvcc::prefix_end(b"k"),
        start_revision: 2,
        ..WatchOptions::default()
    };
    let (mut watcher, w) = (cluster.client(&watch_process).watcher(None, options), watched.clone());
    watch_process.spawn(async move {
        while let Some(Ok(r)) = watcher.recv().await {
            w.borrow_mut().push(r);
        }
    });

    let mut observer = Observer::new();
    let mut look = |until: sim::Time| {
        while sim.now() < until {
            sim.run_until_time((sim.now() + Duration::from_millis(50)).min(until));
            let all = cluster.statuses(200);
            if let Err(e) = observer.observe(all.iter().flatten()) {
                panic!("seed {seed}: {e}");
            }
        }
    };
    let rng = sim.rng("chaos");
    let names: Vec<String> = (1..=members).map(|i| format!("m{i}")).collect();
    look(sim.now() + Duration::from_secs(3));
    for _ in 0..10 {
        let victim = rng.below(u64::from(members)) as usize;
        let length = Duration::from_millis(100 + rng.below(3000));
        let others: Vec<&String> = names.iter().filter(|n| **n != names[victim]).collect();
        match rng.below(5) {
            0 => {
                cluster.crash(victim);
                look(sim.now() + length);
                cluster.restart(victim);
            }
            1 => {
                cluster.pause(victim);
                look(sim.now() + length);
                cluster.resume(victim);
            }
            2 => {
                others.iter().for_each(|o| sim.net().cut(&names[victim], o));
                look(sim.now() + length);
                others.iter().for_each(|o| sim.net().heal(&names[victim], o));
            }
            3 => {
                // one way only: it is heard and hears nothing
                let cut = LinkState { cut: true, ..LinkState::default() };
                others.iter().for_each(|o| sim.net().set_link(o, &names[victim], cut.clone()));
                look(sim.now() + length);
                others.iter().for_each(|o| sim.net().set_link(o, &names[victim], LinkState::default()));
            }
            _ => {
                let bad = LinkState {
                    loss: 200_000,
                    duplicate: 100_000,
                    reorder: 100_000,
                    delay: Duration::from_millis(5),
                    ..LinkState::default()
                };
                let set = |state: &LinkState| {
                    for a in &names {
                        names
                            .iter()
                            .filter(|b| *b != a)
                            .for_each(|b| sim.net().set_link(a, b, state.clone()));
                    }
                };
                set(&bad);
                look(sim.now() + length);
                set(&LinkState::default());
            }
        }
        look(sim.now() + Duration::from_millis(rng.below(1500)));
    }
    *stop.borrow_mut() = true;
    look(sim.now() + Duration::from_secs(15));

    if let Err(e) = check::replicas::compare(&cluster) {
        panic!("seed {seed}: {e}");
    }
    if let Err((key, v)) = history.check_linearizable(5_000_000) {
        panic!("seed {seed}: {key:?}: {v:?}");
    }
    if let Err(e) = history.check_revisions() {
        panic!("seed {seed}: {e}");
    }
    let range = KeyRange::new(&"k".into(), &mvcc::prefix_end(b"k"));
    let events = cluster.with_store(0, |s| check::watch::check(s, &range, 2, &watched.borrow())).unwrap();
    let events = events.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let noted = history.noted();
    let answered = noted.iter().filter(|n| n.op.output.is_some()).count();
    let writes = noted.iter().filter(|n| n.wrote).count();
    assert!(events >= writes, "seed {seed}: {events} events of {writes} writes");
    (noted.len(), answered, observer.committed())
}

#[test]
fn a_cluster_in_trouble_keeps_its_promises() {
    for seed in 0..8 {
        let (asked, answered, committed) = run(seed);
        assert!(answered > 300 && asked < answered * 2, "seed {seed}: {answered} of {asked} answered");
        assert!(committed > 100, "seed {seed}");
    }
}

#[test]
fn stale_reads_are_found() {
    let sim = Sim::new(1);
    let cluster = Cluster::start(&sim, ClusterConfig::default());
    sim.run_until_time(sim::Time(3_000_000_000));
    let leader = cluster.leader().unwrap();
    let behind = (leader + 1) % 3;
    let history = History::new();
    let process = sim.process("client");
    let through = |i: usize| etcd::Client::new(&sim, &process, vec![cluster.client_urls()[i].clone()]);
    let (writer, reader) = (history.client(1, through(leader)), history.client(2, through(behind)));
    sim.run_until_time(sim.now() + Duration::from_millis(100));
    sim.net().cut(&format!("m{}", leader + 1), &format!("m{}", behind + 1));
    let key = Bytes::from_static(b"k");
    let k = key.clone();
    sim.block_on(async move {
        writer.write(&k, "1".into()).await.unwrap();
        assert_eq!(reader.read_serializable(&k).await.unwrap(), None);
    })
    .unwrap();
    let (found, _) = history.check_linearizable(1000).unwrap_err();
    assert_eq!(found, key);
    assert!(history.check_revisions().is_err());
}
