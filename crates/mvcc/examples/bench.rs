//! Puts per second of the store alone: `cargo run --release -p etcdscope-mvcc --example bench`.

use bytes::Bytes;
use mvcc::{Backend, Config, Store};
use wire::etcdserverpb::{CompactionRequest, PutRequest, RangeRequest};

#[allow(clippy::disallowed_methods)] // A benchmark measures wall time; it is no part of the engine.
fn timed<T>(name: &str, n: u64, f: impl FnOnce() -> T) -> T {
    let start = std::time::Instant::now();
    let out = f();
    let s = start.elapsed().as_secs_f64();
    println!("{name:<42} {n:>9} in {s:>7.3} s  {:>10.0}/s", n as f64 / s);
    out
}

fn key(i: u64) -> Bytes {
    format!("/registry/pods/default/pod-{:06}", i.wrapping_mul(7919) % 100_000).into()
}

fn main() {
    let value = Bytes::from(vec![b'v'; 1500]);
    let n = 1_000_000;
    // As members get them: requests whose key and value are slices of what came in.
    let requests: Vec<PutRequest> =
        (0..n).map(|i| PutRequest { key: key(i), value: value.clone(), ..PutRequest::default() }).collect();
    let mut s = Store::new(Config::default());
    timed("puts, 100,000 keys, 1.5 KB shared", n, || {
        for r in &requests {
            s.put(r).expect("a plain put succeeds");
            if s.pending_writes() >= 10_000 {
                s.take_writes();
            }
        }
    });
    let reads: Vec<RangeRequest> =
        (0..n).map(|i| RangeRequest { key: key(i), ..RangeRequest::default() }).collect();
    timed("gets of one key", n, || {
        for r in &reads {
            s.range(r).expect("a read of now succeeds");
        }
    });
    let r = CompactionRequest { revision: s.revision() - 10, physical: true };
    s.compact(&r).expect("the revision is there");
    let rows = s.rows_from(mvcc::Revision::default()).count() as u64;
    timed("compaction, rows looked at", rows, || {
        while s.compaction_step(mvcc::COMPACTION_BATCH) != mvcc::CompactionStep::Idle {}
    });
    let mut s = Store::new(Config::default());
    let mut backend = Backend::new();
    timed("creates with commits to a backend", 100_000, || {
        for r in &requests[..100_000] {
            s.put(r).expect("a plain put succeeds");
            if s.pending_writes() >= 10_000 {
                backend.commit(s.take_writes());
            }
        }
    });
}
