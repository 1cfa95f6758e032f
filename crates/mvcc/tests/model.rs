//! Seeded sequences against a naive model: a list of whole snapshots, one per revision, and a list of all events.
//! Checked after every step: reads at any revision, what a restart from the backend gives, and that every watcher gets
//! every event of its keys once and in order, whatever the pace of reader, history and compaction.

use bytes::Bytes;
use mvcc::{Backend, CompactionStep, Config, KeyRange, Revision, Store, StreamId};
use std::collections::BTreeMap;
use wire::etcdserverpb::request_op::Request;
use wire::etcdserverpb::watch_request::RequestUnion;
use wire::etcdserverpb::*;
use wire::mvccpb::KeyValue;

/// xorshift64*: enough for tests.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }
}

type Snapshot = BTreeMap<Bytes, KeyValue>;

/// A change: revision, key, and the new pair unless it was deleted.
type Change = (i64, Bytes, Option<KeyValue>);

struct Model {
    // By revision; the first is that of an empty store, revision 1.
    snapshots: Vec<Snapshot>,
    changes: Vec<Change>,
}

impl Model {
    fn rev(&self) -> i64 {
        self.snapshots.len() as i64
    }

    fn at(&self, rev: i64) -> &Snapshot {
        &self.snapshots[rev as usize - 1]
    }

    fn apply(&mut self, ops: &[(Bytes, Option<Bytes>)]) {
        let rev = self.rev() + 1;
        let mut next = self.at(rev - 1).clone();
        let mut changed = false;
        for (key, value) in ops {
            let old = next.get(key).cloned();
            match value {
                Some(v) => {
                    let kv = KeyValue {
                        key: key.clone(),
                        create_revision: old.as_ref().map_or(rev, |o| o.create_revision),
                        mod_revision: rev,
                        version: old.as_ref().map_or(1, |o| o.version + 1),
                        value: v.clone(),
                        lease: 0,
                    };
                    next.insert(key.clone(), kv.clone());
                    self.changes.push((rev, key.clone(), Some(kv)));
                    changed = true;
                }
                None if old.is_some() => {
                    next.remove(key);
                    self.changes.push((rev, key.clone(), None));
                    changed = true;
                }
                None => {}
            }
        }
        if changed {
            self.snapshots.push(next);
        }
    }
}

struct Watcher {
    range: KeyRange,
    start: i64,
    got: Vec<(i64, Bytes, Option<KeyValue>)>,
    lost: bool,
}

fn key(r: &mut Rng) -> Bytes {
    format!("k{}", r.below(8)).into()
}

fn run(seed: u64) {
    let mut r = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let config = Config { watch_buffer: 1 + r.below(6) as u32, ..Config::default() };
    let mut s = Store::new(config);
    let mut backend = Backend::new();
    let mut m = Model { snapshots: vec![Snapshot::new()], changes: Vec::new() };
    let stream = s.new_watch_stream();
    let mut watchers: BTreeMap<i64, Watcher> = BTreeMap::new();
    for step in 0..400 {
        match r.below(20) {
            0..=7 => {
                let (k, v) = (key(&mut r), Bytes::from(format!("v{step}")));
                m.apply(&[(k.clone(), Some(v.clone()))]);
                s.put(&PutRequest { key: k, value: v, ..Default::default() }).expect("a plain put succeeds");
            }
            8..=10 => {
                let k = key(&mut r);
                m.apply(&[(k.clone(), None)]);
                s.delete_range(&DeleteRangeRequest { key: k, ..Default::default() })
                    .expect("deletions succeed");
            }
            11..=12 => {
                let mut ops: Vec<(Bytes, Option<Bytes>)> = Vec::new();
                for i in 0..r.below(5) {
                    let k = key(&mut r);
                    if ops.iter().all(|(o, _)| *o != k) {
                        ops.push((k, (r.below(3) > 0).then(|| format!("t{step}.{i}").into())));
                    }
                }
                m.apply(&ops);
                let success = ops
                    .into_iter()
                    .map(|(key, value)| {
                        let request = Some(match value {
                            Some(value) => {
                                Request::RequestPut(PutRequest { key, value, ..Default::default() })
                            }
                            None => {
                                Request::RequestDeleteRange(DeleteRangeRequest { key, ..Default::default() })
                            }
                        });
                        RequestOp { request }
                    })
                    .collect();
                s.txn(&TxnRequest { success, ..Default::default() }).expect("the transaction can run");
            }
            13 => {
                let revision = 1 + r.below(m.rev() as u64) as i64;
                let ok = s.compact(&CompactionRequest { revision, physical: false }).is_ok();
                assert!(ok || s.compact_revision() >= revision);
            }
            14 => drop(s.compaction_step(1 + r.below(10) as u32)),
            15 => {
                let k = key(&mut r);
                let end = if r.below(2) == 0 { Bytes::new() } else { Bytes::from_static(&[0]) };
                let start_revision = r.below(m.rev() as u64 + 3) as i64;
                let range = KeyRange::new(&k, &end);
                let c = WatchCreateRequest { key: k, range_end: end, start_revision, ..Default::default() };
                s.watch_request(
                    stream,
                    &WatchRequest { request_union: Some(RequestUnion::CreateRequest(c)) },
                );
                let start = if start_revision == 0 { m.rev() + 1 } else { start_revision };
                let id = watchers.len() as i64;
                watchers.insert(id, Watcher { range, start, got: Vec::new(), lost: false });
            }
            16 => drop(s.sync_watchers(1 + r.below(3) as u32)),
            17 => take(&mut s, stream, &mut watchers),
            18 => backend.commit(s.take_writes()),
            _ => {
                backend.commit(s.take_writes());
                let restored = Store::restore(config, &backend);
                assert_eq!(restored.revision(), s.revision());
                let (a, b) = (restored.hash_by_rev(0), s.hash_by_rev(0));
                assert_eq!(a.expect("now is readable"), b.expect("now is readable"), "step {step}");
            }
        }
        reads(&mut s, &m, &mut r);
    }
    while s.compaction_step(1000) != CompactionStep::Idle {}
    for _ in 0..10_000 {
        take(&mut s, stream, &mut watchers);
        if s.sync_watchers(512) == 0 {
            break;
        }
    }
    take(&mut s, stream, &mut watchers);
    for (id, w) in &watchers {
        let want: Vec<_> =
            m.changes.iter().filter(|(rev, k, _)| *rev >= w.start && w.range.contains(k)).cloned().collect();
        if w.lost {
            assert_eq!(w.got, want[..w.got.len()], "watcher {id}");
        } else {
            assert_eq!(w.got, want, "watcher {id}");
        }
    }
}

fn take(s: &mut Store, stream: StreamId, watchers: &mut BTreeMap<i64, Watcher>) {
    for a in s.take_watch_responses(stream, &ResponseHeader::default()) {
        let w = watchers.get_mut(&a.watch_id).expect("an id that was given out");
        w.lost |= a.canceled;
        for e in a.events {
            let kv = e.kv.expect("events have a pair");
            let change = (kv.mod_revision, kv.key.clone(), (e.r#type == 0).then_some(kv));
            w.got.push(change);
        }
    }
}

fn reads(s: &mut Store, m: &Model, r: &mut Rng) {
    assert_eq!(s.revision(), m.rev());
    let revision = 1 + r.below(m.rev() as u64) as i64;
    let all = RangeRequest {
        key: Bytes::from_static(&[0]),
        range_end: Bytes::from_static(&[0]),
        revision,
        ..Default::default()
    };
    let got = s.range(&all);
    if revision < s.compact_revision() {
        assert!(got.is_err());
    } else {
        let want: Vec<KeyValue> = m.at(revision).values().cloned().collect();
        assert_eq!(got.expect("readable").kvs, want);
    }
    for (rev, row) in s.rows_from(Revision::new(m.rev(), 0)) {
        assert!(rev.main <= m.rev() && (row.tombstone || row.kv.mod_revision == rev.main));
    }
}

#[test]
fn the_store_is_its_model() {
    for seed in 1..=300 {
        let r = std::panic::catch_unwind(|| run(seed));
        assert!(r.is_ok(), "seed {seed}");
    }
}
