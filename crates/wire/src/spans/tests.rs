use super::*;
use crate::etcdserverpb::*;
use crate::mvccpb::KeyValue;
use prost::Message as _;

fn render(name: &str, b: &[u8]) -> Vec<String> {
    let w = walk(message(name).unwrap(), b);
    assert_eq!(w.error, None);
    w.spans
        .iter()
        .map(|s| format!("{} {:?} {:?} {:?} {:?}", s.path, s.tag, s.length, s.value, s.text))
        .collect()
}

#[test]
fn a_stored_key_value() {
    // The row {3,0} of a real backend: foo=baz, created at 2, modified at 3, version 2.
    let b = b"\x0a\x03foo\x10\x02\x18\x03\x20\x02\x2a\x03baz";
    assert_eq!(
        render("mvccpb.KeyValue", b),
        [
            "key 0..1 1..2 2..5 Bytes",
            "create_revision 5..6 6..6 6..7 Int(2)",
            "mod_revision 7..8 8..8 8..9 Int(3)",
            "version 9..10 10..10 10..11 Int(2)",
            "value 11..12 12..13 13..16 Bytes",
        ]
    );
}

#[test]
fn a_transaction_in_a_raft_entry() {
    let put = PutRequest { key: "a".into(), value: "b".into(), ..Default::default() };
    let txn = TxnRequest {
        compare: vec![Compare {
            target: compare::CompareTarget::Mod as i32,
            key: "a".into(),
            target_union: Some(compare::TargetUnion::ModRevision(0)),
            ..Default::default()
        }],
        success: vec![RequestOp { request: Some(request_op::Request::RequestPut(put)) }; 2],
        failure: vec![],
    };
    let r = InternalRaftRequest {
        header: Some(RequestHeader { id: 7, ..Default::default() }),
        txn: Some(txn),
        ..Default::default()
    };
    let b = r.encode_to_vec();
    let paths: Vec<String> = walk(message("etcdserverpb.InternalRaftRequest").unwrap(), &b)
        .spans
        .into_iter()
        .map(|s| s.path)
        .collect();
    assert_eq!(
        paths,
        [
            "txn",
            "txn.compare[0]",
            "txn.compare[0].target",
            "txn.compare[0].key",
            "txn.compare[0].mod_revision",
            "txn.success[0]",
            "txn.success[0].request_put",
            "txn.success[0].request_put.key",
            "txn.success[0].request_put.value",
            "txn.success[1]",
            "txn.success[1].request_put",
            "txn.success[1].request_put.key",
            "txn.success[1].request_put.value",
            "header",
            "header.ID",
        ]
    );
}

/// Every byte of a message is in exactly one tag, length or leaf value.
#[test]
fn spans_cover_every_byte() {
    let r = RangeResponse {
        header: Some(ResponseHeader { cluster_id: u64::MAX, member_id: 1, revision: i64::MAX, raft_term: 2 }),
        kvs: vec![
            KeyValue { key: "k".into(), value: vec![1; 200].into(), lease: -1, ..Default::default() },
            KeyValue::default(),
        ],
        more: true,
        count: 300,
    };
    let b = r.encode_to_vec();
    let mut seen = vec![0; b.len()];
    for s in walk(message("etcdserverpb.RangeResponse").unwrap(), &b).spans {
        let leaf = !matches!(s.text, SpanValue::Message(_));
        for r in [s.tag, s.length].into_iter().chain(leaf.then_some(s.value)) {
            for i in r {
                seen[i] += 1;
            }
        }
    }
    assert!(seen.iter().all(|n| *n == 1), "{seen:?}");
}

#[test]
fn broken_bytes_stop_the_walk() {
    let b = b"\x0a\x03foo\x10\x02\x18\x03\x20\x02\x2a\x03baz";
    let m = message("mvccpb.KeyValue").unwrap();
    for n in 0..b.len() {
        let w = walk(m, &b[..n]);
        assert_eq!(w.error.is_none(), [0, 5, 7, 9, 11].contains(&n), "{n}");
    }
    let e = walk(m, b"\x0a\xff\xff\xff\xff\x0f").error.unwrap();
    assert_eq!(e.to_string(), "length beyond the end at byte 1");
    // A message nested 200 deep.
    let mut deep: Vec<u8> = vec![];
    for _ in 0..200 {
        let mut op = vec![0x22];
        prost::encoding::encode_varint(deep.len() as u64, &mut op);
        op.extend(&deep);
        let mut txn = vec![0x12];
        prost::encoding::encode_varint(op.len() as u64, &mut txn);
        txn.extend(&op);
        deep = txn;
    }
    let e = walk(message("etcdserverpb.TxnRequest").unwrap(), &deep).error.unwrap();
    assert_eq!(e.what, "messages nested too deep");
}
