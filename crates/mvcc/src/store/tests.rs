//! Numbers of a real etcd 3.6.14.

use super::*;
use crate::compact::{COMPACTION_BATCH, CompactionStep};
use crate::range::prefix_end;
use wire::etcdserverpb::compare::{CompareResult, CompareTarget, TargetUnion};
use wire::etcdserverpb::range_request::{SortOrder, SortTarget};
use wire::etcdserverpb::request_op::Request;
use wire::etcdserverpb::response_op::Response;
use wire::etcdserverpb::*;

fn store() -> Store {
    Store::new(Config::default())
}

fn b(s: &str) -> Bytes {
    Bytes::copy_from_slice(s.as_bytes())
}

fn put(s: &mut Store, k: &str, v: &str) -> i64 {
    let r = PutRequest { key: b(k), value: b(v), ..Default::default() };
    s.put(&r).unwrap().header.unwrap().revision
}

fn del(s: &mut Store, k: &str) -> (i64, i64) {
    let r = s.delete_range(&DeleteRangeRequest { key: b(k), ..Default::default() }).unwrap();
    (r.deleted, r.header.unwrap().revision)
}

fn get(s: &mut Store, k: &str, revision: i64) -> Option<KeyValue> {
    let r = RangeRequest { key: b(k), revision, ..Default::default() };
    s.range(&r).unwrap().kvs.pop()
}

fn compact(s: &mut Store, revision: i64) -> Result<i64, String> {
    let r = s.compact(&CompactionRequest { revision, physical: false });
    r.map(|r| r.header.unwrap().revision).map_err(|e| e.message)
}

fn finish(s: &mut Store) {
    while s.compaction_step(COMPACTION_BATCH) != CompactionStep::Idle {}
}

fn op_put(k: &str, v: &str) -> RequestOp {
    let r = PutRequest { key: b(k), value: b(v), ..Default::default() };
    RequestOp { request: Some(Request::RequestPut(r)) }
}

fn op_get(k: &str) -> RequestOp {
    RequestOp { request: Some(Request::RequestRange(RangeRequest { key: b(k), ..Default::default() })) }
}

fn op_del(k: &str) -> RequestOp {
    RequestOp {
        request: Some(Request::RequestDeleteRange(DeleteRangeRequest { key: b(k), ..Default::default() })),
    }
}

#[test]
fn revisions_versions_and_generations() {
    let mut s = store();
    assert_eq!((s.revision(), s.compact_revision()), (1, -1));
    assert_eq!([put(&mut s, "foo", "bar"), put(&mut s, "foo", "baz")], [2, 3]);
    assert_eq!(del(&mut s, "foo"), (1, 4));
    assert_eq!(put(&mut s, "foo", "new"), 5);
    assert_eq!(del(&mut s, "missing"), (0, 5));
    let kv = get(&mut s, "foo", 0).unwrap();
    assert_eq!((kv.create_revision, kv.mod_revision, kv.version), (5, 5, 1));
    let r = s.range(&RangeRequest { key: b("foo"), revision: 3, ..Default::default() }).unwrap();
    assert_eq!(r.header.unwrap().revision, 5);
    assert_eq!((r.kvs[0].version, &r.kvs[0].value[..]), (2, &b"baz"[..]));
    assert_eq!(get(&mut s, "foo", 4), None);
    assert_eq!(get(&mut s, "foo", -7).unwrap().mod_revision, 5);
    let e = s.range(&RangeRequest { key: b("foo"), revision: 6, ..Default::default() }).unwrap_err();
    assert_eq!(
        e.to_string(),
        "rpc error: code = OutOfRange desc = etcdserver: mvcc: required revision is a future revision"
    );
}

#[test]
fn puts_that_keep_something() {
    let mut s = store();
    s.lease_grant(&LeaseGrantRequest { ttl: 60, id: 7 }, 0).unwrap();
    let keep = |v, l| PutRequest { key: b("k"), ignore_value: v, ignore_lease: l, ..Default::default() };
    assert_eq!(s.put(&keep(true, false)).unwrap_err(), errors::KEY_NOT_FOUND.status());
    assert_eq!(
        s.put(&PutRequest { key: b("k"), lease: 8, ..Default::default() }).unwrap_err(),
        errors::LEASE_NOT_FOUND.status()
    );
    assert_eq!(s.revision(), 1);
    s.put(&PutRequest { key: b("k"), value: b("v"), lease: 7, ..Default::default() }).unwrap();
    let r = s.put(&PutRequest { prev_kv: true, ..keep(true, true) }).unwrap();
    assert_eq!(r.prev_kv.unwrap().version, 1);
    let kv = get(&mut s, "k", 0).unwrap();
    assert_eq!((&kv.value[..], kv.lease, kv.version), (&b"v"[..], 7, 2));
    // A plain put detaches the key.
    put(&mut s, "k", "w");
    assert_eq!((get(&mut s, "k", 0).unwrap().lease, s.lessor().lease_of(b"k")), (0, 0));
}

#[test]
fn limits_sorts_and_filters() {
    let mut s = store();
    for (k, v) in [("p/a", "z"), ("p/b", "y"), ("p/c", "x"), ("p/d", "a")] {
        put(&mut s, k, v);
    }
    let base = RangeRequest { key: b("p/"), range_end: prefix_end(b"p/"), ..Default::default() };
    let keys = |r: &RangeResponse| -> String {
        r.kvs.iter().map(|kv| String::from_utf8_lossy(&kv.key[2..]).into_owned()).collect()
    };
    let r = s.range(&RangeRequest { limit: 1, ..base.clone() }).unwrap();
    assert_eq!((keys(&r).as_str(), r.more, r.count), ("a", true, 4));
    // A sort target without an order: only limit + 1 keys are fetched, then sorted.
    let by_value = RangeRequest { sort_target: SortTarget::Value as i32, limit: 2, ..base.clone() };
    assert_eq!(keys(&s.range(&by_value).unwrap()), "cb");
    let ordered = RangeRequest { sort_order: SortOrder::Ascend as i32, ..by_value.clone() };
    assert_eq!(keys(&s.range(&ordered).unwrap()), "dc");
    let down = RangeRequest { sort_order: SortOrder::Descend as i32, ..base.clone() };
    assert_eq!(keys(&s.range(&down).unwrap()), "dcba");
    let r = s.range(&RangeRequest { min_mod_revision: 3, limit: 1, ..base.clone() }).unwrap();
    assert_eq!((keys(&r).as_str(), r.more, r.count), ("b", true, 4));
    let r =
        s.range(&RangeRequest { max_create_revision: 3, min_create_revision: 3, ..base.clone() }).unwrap();
    assert_eq!((keys(&r).as_str(), r.more, r.count), ("b", false, 4));
    let r = s.range(&RangeRequest { count_only: true, ..base.clone() }).unwrap();
    assert_eq!((r.kvs.len(), r.more, r.count), (0, false, 4));
    let r = s.range(&RangeRequest { keys_only: true, ..base }).unwrap();
    assert!(r.kvs.iter().all(|kv| kv.value.is_empty() && kv.mod_revision > 1));
    let reversed = RangeRequest { key: b("z"), range_end: b("a"), ..Default::default() };
    assert_eq!(s.range(&reversed).unwrap().count, 0);
}

#[test]
fn a_transaction_sees_its_own_writes_in_one_revision() {
    let mut s = store();
    put(&mut s, "a", "1");
    let r = TxnRequest {
        success: vec![op_get("a"), op_put("b", "2"), op_get("b"), op_del("a"), op_get("a")],
        ..Default::default()
    };
    let r = s.txn(&r).unwrap();
    assert!(r.succeeded);
    assert_eq!(r.header.unwrap().revision, 3);
    let seen: Vec<(i64, i64)> = r
        .responses
        .iter()
        .map(|op| match op.response.as_ref().unwrap() {
            Response::ResponseRange(r) => (r.header.unwrap().revision, r.count),
            Response::ResponsePut(r) => (r.header.unwrap().revision, -1),
            Response::ResponseDeleteRange(r) => (r.header.unwrap().revision, r.deleted),
            Response::ResponseTxn(_) => unreachable!(),
        })
        .collect();
    assert_eq!(seen, [(2, 1), (3, -1), (3, 1), (3, 1), (3, 0)]);
    let rows: Vec<String> = s
        .rows_from(Revision::new(3, 0))
        .map(|(r, row)| format!("{r}{}", if row.tombstone { "t" } else { "" }))
        .collect();
    assert_eq!(rows, ["3_0", "3_1t"]);
    let empty = s.txn(&TxnRequest::default()).unwrap();
    assert!(empty.succeeded && empty.header.unwrap().revision == 3);
}

#[test]
fn compares() {
    let mut s = store();
    put(&mut s, "a", "1");
    put(&mut s, "b", "2");
    let mut holds =
        |key: &str, end: &str, target: CompareTarget, result: CompareResult, u: Option<TargetUnion>| {
            let c = Compare {
                key: b(key),
                range_end: b(end),
                target: target as i32,
                result: result as i32,
                target_union: u,
            };
            s.txn(&TxnRequest { compare: vec![c], ..Default::default() }).unwrap().succeeded
        };
    use {CompareResult as R, CompareTarget as T, TargetUnion as U};
    assert!(holds("a", "", T::Value, R::Equal, Some(U::Value(b("1")))));
    assert!(holds("a", "", T::Value, R::Less, Some(U::Value(b("2")))));
    assert!(!holds("a", "", T::Version, R::Greater, Some(U::Version(1))));
    assert!(holds("b", "", T::Mod, R::Equal, Some(U::ModRevision(3))));
    assert!(holds("b", "", T::Create, R::NotEqual, Some(U::CreateRevision(2))));
    // A key that is not there: its value compares with nothing, the rest is 0.
    for r in [R::Equal, R::NotEqual, R::Less, R::Greater] {
        assert!(!holds("x", "", T::Value, r, Some(U::Value(b("")))));
    }
    assert!(holds("x", "", T::Mod, R::Equal, None));
    assert!(holds("x", "", T::Lease, R::Equal, Some(U::Lease(0))));
    // Every key of a range.
    assert!(holds("a", "c", T::Version, R::Equal, Some(U::Version(1))));
    assert!(!holds("a", "c", T::Mod, R::Equal, Some(U::ModRevision(2))));
    assert!(!holds("m", "n", T::Version, R::Greater, Some(U::Version(0))));
    // A value of another kind than the target counts as absent.
    assert!(!holds("a", "", T::Version, R::Equal, Some(U::ModRevision(1))));
}

#[test]
fn nested_compares_are_evaluated_before_any_write() {
    let mut s = store();
    let inner = TxnRequest {
        compare: vec![Compare {
            key: b("k"),
            target: CompareTarget::Version as i32,
            target_union: Some(TargetUnion::Version(0)),
            ..Default::default()
        }],
        success: vec![op_put("seen", "absent")],
        failure: vec![op_put("seen", "present")],
    };
    let nested = RequestOp { request: Some(Request::RequestTxn(inner)) };
    let r = s.txn(&TxnRequest { success: vec![op_put("k", "v"), nested], ..Default::default() }).unwrap();
    let Some(Response::ResponseTxn(t)) = &r.responses[1].response else { panic!("a transaction") };
    assert!(t.succeeded);
    assert_eq!(t.header, Some(ResponseHeader::default()));
    assert_eq!(&get(&mut s, "seen", 0).unwrap().value[..], b"absent");
    assert_eq!(s.revision(), 2);
}

#[test]
fn a_transaction_that_cannot_run_changes_nothing() {
    let mut s = store();
    put(&mut s, "a", "1");
    let future = RequestOp {
        request: Some(Request::RequestRange(RangeRequest { key: b("a"), revision: 3, ..Default::default() })),
    };
    let e = s.txn(&TxnRequest { success: vec![op_put("b", "1"), future], ..Default::default() });
    assert_eq!(e.unwrap_err(), errors::FUTURE_REV.status());
    let lease = RequestOp {
        request: Some(Request::RequestPut(PutRequest { key: b("c"), lease: 9, ..Default::default() })),
    };
    let e = s.txn(&TxnRequest { success: vec![op_put("b", "1"), lease], ..Default::default() });
    assert_eq!(e.unwrap_err(), errors::LEASE_NOT_FOUND.status());
    assert_eq!((s.revision(), get(&mut s, "b", 0)), (2, None));
}

#[test]
fn compaction_and_its_errors() {
    let (compacted, future) = (errors::COMPACTED.text.to_string(), errors::FUTURE_REV.text.to_string());
    let mut s = store();
    assert_eq!(compact(&mut s, 0), Ok(1));
    assert_eq!(compact(&mut s, 0), Err(compacted.clone()));
    for v in ["1", "2", "3"] {
        put(&mut s, "k", v);
    }
    assert_eq!(compact(&mut s, 5), Err(future));
    assert_eq!(compact(&mut s, 3), Ok(4));
    assert!(s.commit_forced() && s.compaction_pending());
    // Reads below fail at once, a read at the revision works, before and after the rows are gone.
    for _ in 0..2 {
        let e = s.range(&RangeRequest { key: b("k"), revision: 2, ..Default::default() }).unwrap_err();
        assert_eq!(e.message, compacted);
        assert_eq!(&get(&mut s, "k", 3).unwrap().value[..], b"2");
        finish(&mut s);
    }
    assert_eq!(s.rows_from(Revision::default()).count(), 2);
    assert_eq!(compact(&mut s, 3), Err(compacted.clone()));
    assert_eq!(compact(&mut s, -1), Err(compacted));
    assert_eq!(compact(&mut s, 4), Ok(4));
    assert_eq!(s.finished_compaction(), Some(3));
}

/// The history of a real snapshot file: foo=bar, foo=baz, del foo, k1, k2 with a lease, t1 and t2 in one transaction,
/// compacted at 3.
fn snapshot_store() -> Store {
    let mut s = store();
    s.lease_grant(&LeaseGrantRequest { ttl: 3600, id: 0x2175_a22d_df5a_d807 }, 0).unwrap();
    put(&mut s, "foo", "bar");
    put(&mut s, "foo", "baz");
    del(&mut s, "foo");
    put(&mut s, "k1", "v1");
    s.put(&PutRequest { key: b("k2"), value: b("v2"), lease: 0x2175_a22d_df5a_d807, ..Default::default() })
        .unwrap();
    s.txn(&TxnRequest { success: vec![op_put("t1", "a"), op_put("t2", "b")], ..Default::default() }).unwrap();
    compact(&mut s, 3).unwrap();
    finish(&mut s);
    s
}

#[test]
fn hashes_of_a_real_member() {
    assert_eq!(store().hash_by_rev(0).unwrap().0.hash, 1_084_519_789);
    let s = snapshot_store();
    assert_eq!(
        s.hash_by_rev(7).unwrap(),
        (KeyValueHash { hash: 699_117_103, compact_revision: 3, revision: 7 }, 7)
    );
    assert_eq!(s.hash_by_rev(2).unwrap_err(), errors::COMPACTED.status());
    assert_eq!(s.hash_by_rev(8).unwrap_err(), errors::FUTURE_REV.status());
    // At 3 stands the hash that was taken during the compaction, when nothing was compacted before.
    assert_eq!(s.hash_by_rev(3).unwrap().0.compact_revision, -1);
}

#[test]
fn rows_of_a_real_member() {
    let mut s = snapshot_store();
    let mut backend = Backend::new();
    backend.commit(s.take_writes());
    assert_eq!(s.pending_writes(), 0);
    let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let rows: Vec<_> = backend.encoded(Bucket::Key).map(|(k, v)| (hex(&k), hex(&v))).collect();
    assert_eq!(rows.len(), 6);
    assert_eq!(
        rows[0],
        ("00000000000000035f0000000000000000".into(), "0a03666f6f10021803200 22a0362617a".replace(' ', ""))
    );
    assert_eq!(rows[1], ("00000000000000045f000000000000000074".into(), "0a03666f6f".into()));
    assert_eq!(rows[3].1, "0a026b3210061806200 12a0276323087b0ebfaddc5e8ba21".replace(' ', ""));
    assert_eq!(rows[5].0, "00000000000000075f0000000000000001");
    let lease: Vec<_> = backend.encoded(Bucket::Lease).map(|(k, v)| (hex(&k), hex(&v))).collect();
    assert_eq!(lease, [("2175a22ddf5ad807".to_string(), "0887b0ebfaddc5e8ba2110901c".to_string())]);
    let meta: Vec<_> =
        backend.bucket(Bucket::Meta).map(|(k, _)| String::from_utf8_lossy(k).into_owned()).collect();
    assert_eq!(meta, ["finishedCompactRev", "scheduledCompactRev"]);
}

#[test]
fn a_restored_store_is_the_same() {
    let mut s = snapshot_store();
    let mut backend = Backend::new();
    backend.commit(s.take_writes());
    let mut r = Store::restore(Config::default(), &backend);
    assert_eq!((r.revision(), r.compact_revision()), (7, 3));
    assert_eq!(r.hash_by_rev(7).unwrap(), s.hash_by_rev(7).unwrap());
    assert_eq!(r.lessor().lease_of(b"k2"), 0x2175_a22d_df5a_d807);
    assert_eq!(get(&mut r, "foo", 3).unwrap().version, 2);
    assert_eq!(put(&mut r, "foo", "again"), 8);
    assert_eq!(get(&mut r, "foo", 0).unwrap().version, 1);
    assert_eq!(r.counters().keys, 5);
}

#[test]
fn a_compaction_that_a_crash_interrupted_goes_on() {
    let mut s = store();
    for i in 0..50 {
        put(&mut s, "k", &i.to_string());
    }
    let mut backend = Backend::new();
    compact(&mut s, 40).unwrap();
    assert_eq!(s.compaction_step(10), CompactionStep::More);
    backend.commit(s.take_writes());
    let mut r = Store::restore(Config::default(), &backend);
    assert_eq!((r.revision(), r.compact_revision(), r.compaction_pending()), (51, 40, true));
    finish(&mut r);
    finish(&mut s);
    let rows = |s: &Store| s.rows_from(Revision::default()).map(|(r, _)| r).collect::<Vec<_>>();
    assert_eq!(rows(&r), rows(&s));
    assert_eq!(r.hash_by_rev(0).unwrap(), s.hash_by_rev(0).unwrap());
    // A revision may live only in the marks.
    let mut b2 = Backend::new();
    b2.commit([Write::Put(
        Bucket::Meta,
        Bytes::from_static(crate::backend::meta::SCHEDULED_COMPACT),
        Bytes::copy_from_slice(&Revision::new(9, 0).to_bytes()),
    )]);
    assert_eq!(Store::restore(Config::default(), &b2).revision(), 9);
}

#[test]
fn values_are_shared_not_copied() {
    let mut s = store();
    let entry = Bytes::from(vec![b'x'; 4096]);
    s.put(&PutRequest { key: b("k"), value: entry.slice(100..), ..Default::default() }).unwrap();
    let stored = get(&mut s, "k", 0).unwrap().value;
    assert_eq!(stored.as_ptr(), entry[100..].as_ptr());
}
