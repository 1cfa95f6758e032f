use super::*;
use crate::range::prefix_end;
use crate::store::Config;
use bytes::Bytes;
use wire::etcdserverpb::watch_create_request::FilterType;
use wire::etcdserverpb::watch_request::RequestUnion;
use wire::etcdserverpb::*;

struct World {
    s: Store,
    stream: StreamId,
}

impl World {
    fn new() -> World {
        World::with(Config::default())
    }

    fn with(c: Config) -> World {
        let mut s = Store::new(c);
        let stream = s.new_watch_stream();
        World { s, stream }
    }

    fn create(&mut self, r: WatchCreateRequest) {
        let r = WatchRequest { request_union: Some(RequestUnion::CreateRequest(r)) };
        self.s.watch_request(self.stream, &r);
    }

    fn cancel(&mut self, watch_id: i64) {
        let r = WatchCancelRequest { watch_id };
        self.s.watch_request(
            self.stream,
            &WatchRequest { request_union: Some(RequestUnion::CancelRequest(r)) },
        );
    }

    fn progress(&mut self) {
        let r = RequestUnion::ProgressRequest(WatchProgressRequest {});
        self.s.watch_request(self.stream, &WatchRequest { request_union: Some(r) });
    }

    fn put(&mut self, k: &str, v: &str) {
        let r = PutRequest { key: b(k), value: b(v), ..Default::default() };
        self.s.put(&r).unwrap();
    }

    fn del(&mut self, k: &str) {
        self.s.delete_range(&DeleteRangeRequest { key: b(k), ..Default::default() }).unwrap();
    }

    fn take(&mut self) -> Vec<WatchResponse> {
        self.s.take_watch_responses(self.stream, &ResponseHeader::default())
    }

    /// Responses in a short form.
    fn lines(&mut self) -> Vec<String> {
        self.take().iter().map(line).collect()
    }
}

fn b(s: &str) -> Bytes {
    Bytes::copy_from_slice(s.as_bytes())
}

fn on(key: &str) -> WatchCreateRequest {
    WatchCreateRequest { key: b(key), ..Default::default() }
}

fn line(r: &WatchResponse) -> String {
    let mut s = format!("{} @{}", r.watch_id, r.header.unwrap().revision);
    for (on, word) in [(r.created, "created"), (r.canceled, "canceled"), (r.fragment, "fragment")] {
        if on {
            s += &format!(" {word}");
        }
    }
    if r.compact_revision != 0 {
        s += &format!(" compacted={}", r.compact_revision);
    }
    if !r.cancel_reason.is_empty() {
        s += &format!(" ({})", r.cancel_reason);
    }
    let text = |b: &Bytes| String::from_utf8_lossy(b).into_owned();
    for e in &r.events {
        let kv = e.kv.as_ref().unwrap();
        let kind = if e.r#type == 1 { "DEL" } else { "PUT" };
        s += &format!(
            " {kind} {}={} c{} m{} v{}",
            text(&kv.key),
            text(&kv.value),
            kv.create_revision,
            kv.mod_revision,
            kv.version
        );
        if let Some(p) = &e.prev_kv {
            s += &format!(" prev={}v{}", text(&p.value), p.version);
        }
    }
    s
}

/// As it was recorded from etcd 3.6.14, with smaller revisions.
#[test]
fn a_recorded_stream() {
    let mut w = World::new();
    w.put("wa", "1");
    w.put("wb", "0");
    w.put("wa", "2");
    w.create(on("wa"));
    w.create(WatchCreateRequest { range_end: b("x"), prev_kv: true, ..on("w") });
    w.create(WatchCreateRequest { range_end: b("x"), filters: vec![FilterType::NoPut as i32], ..on("w") });
    w.create(WatchCreateRequest { watch_id: 77, ..on("wa") });
    assert_eq!(w.lines(), ["0 @4 created", "1 @4 created", "2 @4 created", "77 @4 created"]);
    let op = |k, v| RequestOp {
        request: Some(request_op::Request::RequestPut(PutRequest {
            key: b(k),
            value: b(v),
            ..Default::default()
        })),
    };
    w.s.txn(&TxnRequest { success: vec![op("wa", "3"), op("wb", "1")], ..Default::default() }).unwrap();
    assert_eq!(
        w.lines(),
        [
            "0 @5 PUT wa=3 c2 m5 v3",
            "1 @5 PUT wa=3 c2 m5 v3 prev=2v2 PUT wb=1 c3 m5 v2 prev=0v1",
            "77 @5 PUT wa=3 c2 m5 v3",
        ]
    );
    w.del("wa");
    assert_eq!(
        w.lines(),
        [
            "0 @6 DEL wa= c0 m6 v0",
            "1 @6 DEL wa= c0 m6 v0 prev=3v3",
            "2 @6 DEL wa= c0 m6 v0",
            "77 @6 DEL wa= c0 m6 v0"
        ]
    );
    w.progress();
    assert_eq!(w.lines(), ["-1 @6"]);
    w.create(WatchCreateRequest { start_revision: 1000, ..on("wa") });
    assert_eq!(w.lines(), ["3 @6 created"]);
    w.progress();
    assert_eq!(w.lines(), [""; 0]);
    w.cancel(3);
    w.cancel(3);
    assert_eq!(w.lines(), ["3 @6 canceled"]);
    w.s.compact(&CompactionRequest { revision: 5, physical: false }).unwrap();
    w.create(WatchCreateRequest { start_revision: 4, ..on("wa") });
    assert_eq!(w.lines(), ["4 @6 created"]);
    assert_eq!(w.s.sync_watchers(MAX_WATCHERS_PER_SYNC), 0);
    assert_eq!(w.lines(), ["4 @0 canceled compacted=5"]);
}

#[test]
fn refusals() {
    let mut w = World::new();
    w.create(WatchCreateRequest { watch_id: 5, ..on("a") });
    w.create(WatchCreateRequest { watch_id: 5, ..on("b") });
    w.create(WatchCreateRequest { range_end: b("b"), ..on("d") });
    w.create(WatchCreateRequest { start_revision: -1, ..on("d") });
    w.create(WatchCreateRequest { range_end: Bytes::from_static(&[0]), ..on("") });
    assert_eq!(
        w.lines(),
        [
            "5 @1 created",
            "-1 @1 created canceled (mvcc: duplicate watch ID provided on the WatchStream)",
            "-1 @1 created canceled (mvcc: watcher range is empty)",
            "-1 @1 created canceled (etcdserver: mvcc: required revision has been compacted)",
            "0 @1 created",
        ]
    );
    w.put("anything", "v");
    assert_eq!(w.lines(), ["0 @2 PUT anything=v c2 m2 v1"]);
}

#[test]
fn history_comes_in_batches_of_a_thousand_revisions() {
    let mut w = World::new();
    for i in 0..1500 {
        w.put("k", &i.to_string());
    }
    w.create(WatchCreateRequest { start_revision: 2, ..on("k") });
    assert_eq!(w.s.sync_watchers(MAX_WATCHERS_PER_SYNC), 1);
    assert_eq!(w.s.sync_watchers(MAX_WATCHERS_PER_SYNC), 0);
    let got = w.take();
    assert_eq!(got.iter().map(|r| r.events.len()).collect::<Vec<_>>(), [0, 1000, 500]);
    assert!(got[1..].iter().all(|r| r.header.unwrap().revision == 1501));
    w.put("k", "new");
    assert_eq!(w.lines(), ["0 @1502 PUT k=new c2 m1502 v1501"]);
}

#[test]
fn a_tombstone_at_the_compacted_revision_is_replayed_without_its_value() {
    let mut w = World::new();
    w.put("k", "v");
    w.del("k");
    w.put("other", "v");
    w.s.compact(&CompactionRequest { revision: 3, physical: false }).unwrap();
    while w.s.compaction_step(1000) != crate::CompactionStep::Idle {}
    w.create(WatchCreateRequest { start_revision: 3, prev_kv: true, ..on("k") });
    w.s.sync_watchers(512);
    assert_eq!(w.lines(), ["0 @4 created", "0 @4 DEL k= c0 m3 v0"]);
}

#[test]
fn large_responses_are_split_when_allowed() {
    for fragment in [true, false] {
        let mut w = World::new();
        for _ in 0..5 {
            w.put("k", &"x".repeat(1_000_000));
        }
        w.create(WatchCreateRequest { start_revision: 2, fragment, ..on("k") });
        w.s.sync_watchers(512);
        let got: Vec<_> = w.take()[1..].iter().map(|r| (r.events.len(), r.fragment)).collect();
        let want: &[(usize, bool)] =
            if fragment { &[(2, true), (2, true), (1, false)] } else { &[(5, false)] };
        assert_eq!(got, want);
    }
}

#[test]
fn periodic_progress_only_to_the_idle() {
    let mut w = World::new();
    w.create(WatchCreateRequest { progress_notify: true, ..on("a") });
    w.create(WatchCreateRequest { progress_notify: true, ..on("b") });
    w.create(on("c"));
    w.put("a", "v");
    w.lines();
    w.s.progress_tick(w.stream);
    assert_eq!(w.lines(), ["1 @2"]);
    w.s.progress_tick(w.stream);
    assert_eq!(w.lines(), ["0 @2", "1 @2"]);
}

#[test]
fn a_slow_reader_loses_nothing() {
    let mut w = World::with(Config { watch_buffer: 4, ..Config::default() });
    w.create(on("k"));
    for i in 0..20 {
        w.put("k", &i.to_string());
    }
    assert_eq!(w.s.unsynced_watchers(), 1);
    assert_eq!(w.s.sync_watchers(512), 1);
    let first = w.take();
    assert_eq!(first.len(), 1 + 4);
    assert_eq!(w.s.sync_watchers(512), 0);
    let revs: Vec<i64> = first
        .iter()
        .chain(&w.take())
        .flat_map(|r| &r.events)
        .map(|e| e.kv.as_ref().unwrap().mod_revision)
        .collect();
    assert_eq!(revs, (2..=21).collect::<Vec<_>>());
}

#[test]
fn a_snapshot_from_the_leader_makes_watchers_catch_up() {
    let mut leader = World::new();
    let mut w = World::new();
    for i in 0..3 {
        leader.put("k", &i.to_string());
    }
    w.put("k", "0");
    w.create(on("k"));
    let mut backend = crate::Backend::new();
    backend.commit(leader.s.take_writes());
    w.s.restore_snapshot(&backend);
    assert_eq!(w.s.unsynced_watchers(), 1);
    w.s.sync_watchers(512);
    assert_eq!(w.lines(), ["0 @2 created", "0 @4 PUT k=1 c2 m3 v2 PUT k=2 c2 m4 v3"]);
}

#[test]
fn a_closed_stream_is_gone() {
    let mut w = World::new();
    w.create(WatchCreateRequest { start_revision: 1, ..on("k") });
    w.create(on("k"));
    w.s.close_watch_stream(w.stream);
    w.put("k", "v");
    assert_eq!((w.s.watchers().len(), w.s.unsynced_watchers(), w.s.watch_streams()), (0, 0, 0));
    assert_eq!(w.s.take_ready_watch_streams(), [StreamId(0); 0]);
    w.create(on("k"));
    assert_eq!(w.lines(), [""; 0]);
    assert_eq!(prefix_end(b"k"), "l");
}
