//! Replays what a real etcd 3.6.14 answered (`tests/golden/mvcc`, made by `tests/conformance/mvcc`): every answer must be
//! the same, byte for byte, and so must every error, hash, and event of every watcher.

use base64::Engine;
use bytes::Bytes;
use mvcc::{CompactionStep, Config, Store, StreamId, check};
use prost::Message;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Read;
use std::path::PathBuf;
use wire::etcdserverpb::*;
use wire::mvccpb::Event;
use wire::rpc::Status;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    op: String,
    #[serde(default)]
    req: String,
    #[serde(default)]
    resp: String,
    #[serde(default)]
    code: u8,
    #[serde(default)]
    text: String,
    #[serde(default)]
    stream: u32,
    #[serde(default)]
    id: i64,
}

fn bytes(b64: &str) -> Bytes {
    base64::engine::general_purpose::STANDARD.decode(b64).expect("recordings are base64").into()
}

fn decode<M: Message + Default>(b64: &str) -> M {
    M::decode(bytes(b64)).expect("recordings decode")
}

struct Replay {
    s: Store,
    streams: BTreeMap<u32, StreamId>,
    events: BTreeMap<i64, Vec<Event>>,
    place: String,
}

impl Replay {
    fn check<Q, A>(&mut self, l: &Line, f: impl FnOnce(&mut Store, &Q) -> Result<A, Status>) -> bool
    where
        Q: Message + Default + Debug,
        A: Message + Default + PartialEq + Debug,
    {
        let q: Q = decode(&l.req);
        let got = f(&mut self.s, &q);
        match (&got, l.code) {
            (Ok(a), 0) => {
                let want: A = decode(&l.resp);
                assert_eq!(*a, want, "{} {q:#?}", self.place);
                assert_eq!(a.encode_to_vec(), bytes(&l.resp), "{} {q:#?}", self.place);
            }
            (Err(e), code) if code != 0 => {
                assert_eq!(
                    (e.code as u8, e.message.as_str()),
                    (code, l.text.as_str()),
                    "{} {q:#?}",
                    self.place
                );
            }
            _ => panic!("{}: {q:#?}\ngot {got:#?}\nwanted {} {}", self.place, l.code, l.text),
        }
        got.is_ok()
    }

    fn take(&mut self, stream: u32) -> Vec<WatchResponse> {
        let id = self.streams[&stream];
        let mut rest = Vec::new();
        for r in self.s.take_watch_responses(id, &ResponseHeader::default()) {
            if r.events.is_empty() {
                rest.push(r);
            } else {
                self.events.entry(r.watch_id).or_default().extend(r.events);
            }
        }
        rest
    }

    fn settle(&mut self) {
        for _ in 0..10 {
            self.s.sync_watchers(mvcc::MAX_WATCHERS_PER_SYNC);
            if self.streams.contains_key(&1) {
                assert_eq!(self.take(1), [], "{}", self.place);
            }
        }
        assert_eq!(self.s.unsynced_watchers(), 0, "{}", self.place);
    }

    fn line(&mut self, l: &Line) -> bool {
        match l.op.as_str() {
            "put" => self.check(l, |s, q: &PutRequest| check::put_request(q).and_then(|()| s.put(q))),
            "range" => self.check(l, |s, q: &RangeRequest| check::range_request(q).and_then(|()| s.range(q))),
            "delete_range" => self.check(l, |s, q: &DeleteRangeRequest| {
                check::delete_request(q).and_then(|()| s.delete_range(q))
            }),
            "txn" => self.check(l, |s, q: &TxnRequest| {
                check::txn_request(q, check::MAX_TXN_OPS).and_then(|()| s.txn(q))
            }),
            "compact" => {
                let ok = self.check(l, |s, q: &CompactionRequest| s.compact(q));
                while self.s.compaction_step(7) != CompactionStep::Idle {}
                ok
            }
            "lease_grant" => self.check(l, |s, q: &LeaseGrantRequest| s.lease_grant(q, 0)),
            "lease_revoke" => self.check(l, |s, q: &LeaseRevokeRequest| s.lease_revoke(q)),
            "lease_time_to_live" => self.check(l, |s, q: &LeaseTimeToLiveRequest| {
                let lease = s.lessor().get(q.id).expect("only leases that are there are asked for");
                Ok(LeaseTimeToLiveResponse {
                    header: Some(ResponseHeader { revision: s.revision(), ..Default::default() }),
                    id: q.id,
                    ttl: 0,
                    granted_ttl: lease.ttl(),
                    keys: lease.keys().cloned().collect(),
                })
            }),
            "hash_kv" => self.check(l, |s, q: &HashKVRequest| {
                s.hash_by_rev(q.revision).map(|(h, revision)| HashKVResponse {
                    header: Some(ResponseHeader { revision, ..Default::default() }),
                    hash: h.hash,
                    compact_revision: h.compact_revision,
                    hash_revision: h.revision,
                })
            }),
            "watch" => {
                // Stream 2 is a new one each time.
                if l.stream == 2 || !self.streams.contains_key(&l.stream) {
                    let id = self.s.new_watch_stream();
                    self.streams.insert(l.stream, id);
                }
                self.s.watch_request(self.streams[&l.stream], &decode(&l.req));
                let got = self.take(l.stream);
                assert_eq!(got, [decode::<WatchResponse>(&l.resp)], "{}", self.place);
                true
            }
            "watch_lost" => {
                self.s.sync_watchers(mvcc::MAX_WATCHERS_PER_SYNC);
                assert_eq!(self.take(2), [decode::<WatchResponse>(&l.resp)], "{}", self.place);
                self.s.close_watch_stream(self.streams[&2]);
                true
            }
            "settled" => {
                self.settle();
                true
            }
            "events" => {
                let want: WatchResponse = decode(&l.resp);
                let got = self.events.remove(&l.id).unwrap_or_default();
                assert_eq!(got, want.events, "{} watcher {} of {}", self.place, l.id, l.stream);
                true
            }
            op => panic!("unknown operation {op}"),
        }
    }
}

#[test]
fn answers_are_those_of_etcd() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/mvcc");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&dir).expect("recordings are there").map(|e| e.expect("readable").path()).collect();
    names.retain(|n| n.to_string_lossy().ends_with(".jsonl.gz"));
    names.sort();
    assert!(names.len() >= 20, "recordings in {}", dir.display());
    let (mut answers, mut refused, mut events) = (0, 0, 0);
    for name in names {
        let mut text = String::new();
        let file = std::fs::File::open(&name).expect("readable");
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("gzip of text");
        let mut r = Replay {
            s: Store::new(Config::default()),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            place: String::new(),
        };
        for (i, l) in text.lines().enumerate() {
            let l: Line = serde_json::from_str(l).expect("a line is JSON");
            r.place =
                format!("{} line {} {}", name.file_name().unwrap_or_default().to_string_lossy(), i + 1, l.op);
            if l.op == "events" {
                events += decode::<WatchResponse>(&l.resp).events.len();
            }
            if r.line(&l) {
                answers += 1;
            } else {
                refused += 1;
            }
        }
    }
    println!("{answers} answers, {refused} errors, {events} events agree");
    assert!(answers > 3000 && refused > 100 && events > 1000);
}
