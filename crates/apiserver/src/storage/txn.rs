//! The etcd requests of the storage: one transaction on one key per write, comparing its mod_revision.

use bytes::Bytes;
use wire::etcdserverpb::compare::{CompareResult, CompareTarget, TargetUnion};
use wire::etcdserverpb::request_op::Request;
use wire::etcdserverpb::response_op::Response;
use wire::etcdserverpb::{
    Compare, DeleteRangeRequest, PutRequest, RangeRequest, RequestOp, TxnRequest, TxnResponse,
};
use wire::mvccpb::KeyValue;

fn unchanged(key: &Bytes, revision: i64) -> Compare {
    Compare {
        result: CompareResult::Equal as i32,
        target: CompareTarget::Mod as i32,
        key: key.clone(),
        target_union: Some(TargetUnion::ModRevision(revision)),
        range_end: Bytes::new(),
    }
}

fn op(request: Request) -> RequestOp {
    RequestOp { request: Some(request) }
}

fn put(key: &Bytes, value: Bytes, lease: i64) -> RequestOp {
    op(Request::RequestPut(PutRequest { key: key.clone(), value, lease, ..PutRequest::default() }))
}

fn get(key: &Bytes) -> RequestOp {
    op(Request::RequestRange(RangeRequest { key: key.clone(), ..RangeRequest::default() }))
}

/// If the key does not exist, put it.
pub fn create(key: &Bytes, value: Bytes, lease: i64) -> TxnRequest {
    TxnRequest { compare: vec![unchanged(key, 0)], success: vec![put(key, value, lease)], failure: vec![] }
}

/// If the key is as it was at `revision`, put it, else read it.
pub fn update(key: &Bytes, revision: i64, value: Bytes, lease: i64) -> TxnRequest {
    TxnRequest {
        compare: vec![unchanged(key, revision)],
        success: vec![put(key, value, lease)],
        failure: vec![get(key)],
    }
}

/// If the key is as it was at `revision`, delete it, else read it.
pub fn delete(key: &Bytes, revision: i64) -> TxnRequest {
    let delete = DeleteRangeRequest { key: key.clone(), ..DeleteRangeRequest::default() };
    TxnRequest {
        compare: vec![unchanged(key, revision)],
        success: vec![op(Request::RequestDeleteRange(delete))],
        failure: vec![get(key)],
    }
}

/// The revision of a response.
pub fn revision(resp: &TxnResponse) -> i64 {
    resp.header.as_ref().map_or(0, |h| h.revision)
}

/// What the else branch read.
pub fn read_back(resp: &TxnResponse) -> Option<KeyValue> {
    match resp.responses.first()?.response.as_ref()? {
        Response::ResponseRange(r) => r.kvs.first().cloned(),
        _ => None,
    }
}

/// The end of the range of all keys with a prefix: its last byte incremented.
pub fn prefix_end(prefix: &str) -> Bytes {
    let mut end = prefix.as_bytes().to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            return end.into();
        }
    }
    Bytes::from_static(&[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_ends() {
        assert_eq!(prefix_end("/registry/pods/"), Bytes::from_static(b"/registry/pods0"));
        assert_eq!(prefix_end(""), Bytes::from_static(&[0]));
    }
}
