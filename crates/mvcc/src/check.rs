//! What a member refuses before it proposes anything: the request checks of etcd's gRPC layer
//! (etcd `server/etcdserver/api/v3rpc/key.go`).

use bytes::Bytes;
use std::collections::BTreeSet;
use wire::etcdserverpb::range_request::{SortOrder, SortTarget};
use wire::etcdserverpb::request_op::Request;
use wire::etcdserverpb::{DeleteRangeRequest, PutRequest, RangeRequest, RequestOp, TxnRequest};
use wire::rpc::{Error, Status, errors};

/// Default of `--max-txn-ops`.
pub const MAX_TXN_OPS: u32 = 128;
/// Default of `--max-request-bytes`, compared with the encoded `InternalRaftRequest`.
pub const MAX_REQUEST_BYTES: u64 = 1_572_864;
/// What gRPC messages may have above `--max-request-bytes`.
pub const GRPC_OVERHEAD_BYTES: u64 = 512 * 1024;

/// Checks a range.
///
/// # Errors
/// `key is not provided`, `invalid sort option`.
pub fn range_request(r: &RangeRequest) -> Result<(), Status> {
    check_range(r).map_err(Status::from)
}

/// Checks a put.
///
/// # Errors
/// `key is not provided`, `value is provided`, `lease is provided`.
pub fn put_request(r: &PutRequest) -> Result<(), Status> {
    check_put(r).map_err(Status::from)
}

/// Checks a deletion.
///
/// # Errors
/// `key is not provided`.
pub fn delete_request(r: &DeleteRangeRequest) -> Result<(), Status> {
    check_delete(r).map_err(Status::from)
}

/// Checks a transaction: sizes (with what nesting leaves of `max_ops`), keys, kinds, and overlaps of puts with puts and
/// deletions in each branch.
///
/// # Errors
/// As the others, and `too many operations in txn request`, `key not found` for an empty operation, `duplicate key given
/// in txn request`.
pub fn txn_request(r: &TxnRequest, max_ops: u32) -> Result<(), Status> {
    check_txn(r, max_ops)?;
    check_intervals(&r.success)?;
    check_intervals(&r.failure)?;
    Ok(())
}

fn check_range(r: &RangeRequest) -> Result<(), Error> {
    if r.key.is_empty() {
        return Err(errors::EMPTY_KEY);
    }
    if SortOrder::try_from(r.sort_order).is_err() || SortTarget::try_from(r.sort_target).is_err() {
        return Err(errors::INVALID_SORT_OPTION);
    }
    Ok(())
}

fn check_put(r: &PutRequest) -> Result<(), Error> {
    if r.key.is_empty() {
        return Err(errors::EMPTY_KEY);
    }
    if r.ignore_value && !r.value.is_empty() {
        return Err(errors::VALUE_PROVIDED);
    }
    if r.ignore_lease && r.lease != 0 {
        return Err(errors::LEASE_PROVIDED);
    }
    Ok(())
}

fn check_delete(r: &DeleteRangeRequest) -> Result<(), Error> {
    if r.key.is_empty() { Err(errors::EMPTY_KEY) } else { Ok(()) }
}

fn check_txn(r: &TxnRequest, max_ops: u32) -> Result<(), Error> {
    let ops = r.compare.len().max(r.success.len()).max(r.failure.len());
    let Some(left) = u32::try_from(ops).ok().and_then(|ops| max_ops.checked_sub(ops)) else {
        return Err(errors::TOO_MANY_OPS);
    };
    if r.compare.iter().any(|c| c.key.is_empty()) {
        return Err(errors::EMPTY_KEY);
    }
    r.success.iter().chain(&r.failure).try_for_each(|op| match &op.request {
        Some(Request::RequestRange(r)) => check_range(r),
        Some(Request::RequestPut(r)) => check_put(r),
        Some(Request::RequestDeleteRange(r)) => check_delete(r),
        Some(Request::RequestTxn(r)) => check_txn(r, left),
        None => Err(errors::KEY_NOT_FOUND),
    })
}

/// Deleted ranges with the range end as it was sent. A deletion "from the key on" has a range end of one zero byte, and
/// etcd compares with that byte: so it overlaps with nothing.
#[derive(Default)]
struct Deletes(Vec<(Bytes, Bytes)>);

impl Deletes {
    fn intersects(&self, key: &[u8]) -> bool {
        self.0.iter().any(|(k, e)| if e.is_empty() { key == k } else { key >= &k[..] && key < &e[..] })
    }
}

fn check_intervals(ops: &[RequestOp]) -> Result<(BTreeSet<Bytes>, Deletes), Error> {
    let mut dels = Deletes::default();
    for op in ops {
        if let Some(Request::RequestDeleteRange(d)) = &op.request {
            dels.0.push((d.key.clone(), d.range_end.clone()));
        }
    }
    let mut puts = BTreeSet::new();
    for op in ops {
        let Some(Request::RequestTxn(t)) = &op.request else { continue };
        let (then_puts, then_dels) = check_intervals(&t.success)?;
        let (else_puts, else_dels) = check_intervals(&t.failure)?;
        for k in &then_puts {
            if puts.contains(k) || dels.intersects(k) {
                return Err(errors::DUPLICATE_KEY);
            }
            puts.insert(k.clone());
        }
        for k in &else_puts {
            // Only one of the two branches will run, so they may share a key.
            if (puts.contains(k) && !then_puts.contains(k)) || dels.intersects(k) {
                return Err(errors::DUPLICATE_KEY);
            }
            puts.insert(k.clone());
        }
        dels.0.extend(then_dels.0);
        dels.0.extend(else_dels.0);
    }
    for op in ops {
        let Some(Request::RequestPut(p)) = &op.request else { continue };
        if dels.intersects(&p.key) || !puts.insert(p.key.clone()) {
            return Err(errors::DUPLICATE_KEY);
        }
    }
    Ok((puts, dels))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(k: &'static str) -> RequestOp {
        let p = PutRequest { key: k.into(), value: "v".into(), ..Default::default() };
        RequestOp { request: Some(Request::RequestPut(p)) }
    }

    fn del(k: &'static str, e: &'static str) -> RequestOp {
        let d = DeleteRangeRequest { key: k.into(), range_end: e.into(), ..Default::default() };
        RequestOp { request: Some(Request::RequestDeleteRange(d)) }
    }

    fn nested(success: Vec<RequestOp>, failure: Vec<RequestOp>) -> RequestOp {
        RequestOp {
            request: Some(Request::RequestTxn(TxnRequest { success, failure, ..Default::default() })),
        }
    }

    fn check(success: Vec<RequestOp>) -> Option<String> {
        txn_request(&TxnRequest { success, ..Default::default() }, MAX_TXN_OPS).err().map(|s| s.message)
    }

    #[test]
    fn overlaps() {
        let dup = Some(errors::DUPLICATE_KEY.text.to_string());
        assert_eq!(check(vec![put("a"), put("a")]), dup);
        assert_eq!(check(vec![put("b"), del("a", "c")]), dup);
        assert_eq!(check(vec![put("c"), del("a", "c")]), None);
        assert_eq!(check(vec![del("a", ""), del("a", "c")]), None);
        assert_eq!(check(vec![nested(vec![put("a")], vec![put("a")])]), None);
        assert_eq!(check(vec![nested(vec![put("a")], vec![]), nested(vec![], vec![put("a")])]), dup);
        assert_eq!(check(vec![nested(vec![del("a", "c")], vec![]), put("b")]), dup);
        assert_eq!(check(vec![put("b"), del("a", "\0")]), None);
    }

    #[test]
    fn budgets() {
        let many = |n: usize| -> Vec<RequestOp> {
            (0..n).map(|i| del(Box::leak(format!("k{i}").into_boxed_str()), "")).collect()
        };
        let too_many = Some(errors::TOO_MANY_OPS.text.to_string());
        assert_eq!(check(many(128)), None);
        assert_eq!(check(many(129)), too_many);
        let with = |outer, inner| {
            let mut v = many(outer);
            v.push(nested(many(inner), vec![]));
            v
        };
        assert_eq!(check(with(60, 67)), None);
        assert_eq!(check(with(60, 68)), too_many);
        assert_eq!(check(with(127, 1)), too_many);
    }

    #[test]
    fn kinds_and_keys() {
        assert_eq!(check(vec![RequestOp { request: None }]), Some(errors::KEY_NOT_FOUND.text.into()));
        assert_eq!(check(vec![put("")]), Some(errors::EMPTY_KEY.text.into()));
        let r = RangeRequest { key: "a".into(), sort_target: 5, ..Default::default() };
        assert_eq!(range_request(&r).unwrap_err(), errors::INVALID_SORT_OPTION.status());
        let p = PutRequest { key: "a".into(), value: "v".into(), ignore_value: true, ..Default::default() };
        assert_eq!(put_request(&p).unwrap_err(), errors::VALUE_PROVIDED.status());
    }
}
