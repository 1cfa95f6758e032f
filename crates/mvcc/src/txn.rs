//! Requests as etcd applies them: range, put, delete range, transaction (etcd `server/etcdserver/txn/txn.go`).
//!
//! Answers carry a header with the revision only; cluster, member and term are the member's to fill in. Requests are
//! expected to have passed [`crate::check`].

use crate::range::KeyRange;
use crate::store::{Found, Store};
use crate::write_txn::WriteTxn;
use bytes::Bytes;
use wire::etcdserverpb::compare::{CompareResult, CompareTarget, TargetUnion};
use wire::etcdserverpb::range_request::{SortOrder, SortTarget};
use wire::etcdserverpb::request_op::Request;
use wire::etcdserverpb::response_op::Response;
use wire::etcdserverpb::{
    Compare, DeleteRangeRequest, DeleteRangeResponse, PutRequest, PutResponse, RangeRequest, RangeResponse,
    RequestOp, ResponseHeader, ResponseOp, TxnRequest, TxnResponse,
};
use wire::mvccpb::KeyValue;
use wire::rpc::{Error, Status, errors};

impl Store {
    /// Reads a range.
    ///
    /// # Errors
    /// The revision is compacted or in the future.
    pub fn range(&mut self, r: &RangeRequest) -> Result<RangeResponse, Status> {
        self.counters.ranges += 1;
        let s = &*self;
        Ok(execute_range(r, |range, rev, limit, count| {
            s.range_keys(range, s.current_rev, rev, limit, count)
        })?)
    }

    /// Puts a key.
    ///
    /// # Errors
    /// The lease is not there, or `ignore_value`/`ignore_lease` finds no key.
    pub fn put(&mut self, r: &PutRequest) -> Result<PutResponse, Status> {
        if r.lease != 0 && !self.lessor.contains(r.lease) {
            return Err(errors::LEASE_NOT_FOUND.into());
        }
        let mut txn = WriteTxn::begin(self);
        let resp = execute_put(&mut txn, r);
        txn.end();
        Ok(resp?)
    }

    /// Deletes a range. Deleting nothing leaves the revision as it is.
    ///
    /// # Errors
    /// None today; the type leaves room for the member's.
    pub fn delete_range(&mut self, r: &DeleteRangeRequest) -> Result<DeleteRangeResponse, Status> {
        let mut txn = WriteTxn::begin(self);
        let resp = execute_delete(&mut txn, r);
        txn.end();
        Ok(resp?)
    }

    /// Runs a transaction. All compares, those of nested transactions included, are evaluated before anything is
    /// written; then the operations of the chosen branch run in order and see each other.
    ///
    /// # Errors
    /// A put of the chosen path has a lease that is not there, or ignores value or lease of a key that is not there; a
    /// range of it asks for a compacted or future revision. Nothing is changed then.
    pub fn txn(&mut self, r: &TxnRequest) -> Result<TxnResponse, Status> {
        let mut path = Vec::new();
        self.compare_to_path(r, &mut path);
        self.check_path(r, &mut path.iter().copied())?;
        let mut txn = WriteTxn::begin(self);
        let resp = execute_txn(&mut txn, r, &mut path.iter().copied());
        let rev = txn.end();
        let mut resp = resp?;
        resp.header = header(rev);
        Ok(resp)
    }

    /// The outcomes of all compares on the way, outer ones before inner ones.
    fn compare_to_path(&self, r: &TxnRequest, path: &mut Vec<bool>) {
        let holds = r.compare.iter().all(|c| self.compare(c));
        path.push(holds);
        for op in branch(r, holds) {
            if let Some(Request::RequestTxn(t)) = &op.request {
                self.compare_to_path(t, path);
            }
        }
    }

    fn compare(&self, c: &Compare) -> bool {
        let range = KeyRange::new(&c.key, &c.range_end);
        let Ok(found) = self.range_keys(&range, self.current_rev, 0, 0, false) else { return false };
        if found.kvs.is_empty() {
            // The value of a key that is not there is not comparable, whatever the operator.
            return c.target != CompareTarget::Value as i32 && compare_kv(c, &KeyValue::default());
        }
        found.kvs.iter().all(|kv| compare_kv(c, kv))
    }

    /// Looks for what would make the chosen path fail, before anything is written.
    fn check_path(&self, r: &TxnRequest, path: &mut impl Iterator<Item = bool>) -> Result<(), Error> {
        for op in branch(r, path.next().unwrap_or(false)) {
            match &op.request {
                Some(Request::RequestRange(r)) => {
                    if r.revision > self.current_rev {
                        return Err(errors::FUTURE_REV);
                    }
                    if r.revision != 0 && r.revision < self.compact_rev {
                        return Err(errors::COMPACTED);
                    }
                }
                Some(Request::RequestPut(p)) => {
                    if (p.ignore_value || p.ignore_lease)
                        && self.index.get(&p.key, self.current_rev).is_none()
                    {
                        return Err(errors::KEY_NOT_FOUND);
                    }
                    if p.lease != 0 && !self.lessor.contains(p.lease) {
                        return Err(errors::LEASE_NOT_FOUND);
                    }
                }
                Some(Request::RequestTxn(t)) => self.check_path(t, path)?,
                Some(Request::RequestDeleteRange(_)) | None => {}
            }
        }
        Ok(())
    }
}

/// Whether the transaction only reads: then it goes the way of a range, not through Raft.
pub fn is_readonly(r: &TxnRequest) -> bool {
    r.success.iter().chain(&r.failure).all(|op| matches!(op.request, Some(Request::RequestRange(_))))
}

/// Whether it only reads and every read allows an answer from this member at once.
pub fn is_serializable(r: &TxnRequest) -> bool {
    r.success
        .iter()
        .chain(&r.failure)
        .all(|op| matches!(&op.request, Some(Request::RequestRange(r)) if r.serializable))
}

/// Drops the reads of a transaction whose answer nobody waits for, as members do that did not propose it.
pub fn remove_needless_ranges(r: &mut TxnRequest) {
    for ops in [&mut r.success, &mut r.failure] {
        ops.retain(|op| !matches!(op.request, Some(Request::RequestRange(_))));
        for op in ops {
            if let Some(Request::RequestTxn(t)) = &mut op.request {
                remove_needless_ranges(t);
            }
        }
    }
}

fn header(revision: i64) -> Option<ResponseHeader> {
    Some(ResponseHeader { revision, ..ResponseHeader::default() })
}

fn branch(r: &TxnRequest, holds: bool) -> &[RequestOp] {
    if holds { &r.success } else { &r.failure }
}

fn compare_kv(c: &Compare, kv: &KeyValue) -> bool {
    let u = &c.target_union;
    // A given value of another kind than the target counts as not given.
    let given = |v: Option<i64>| v.unwrap_or(0);
    let ord = match CompareTarget::try_from(c.target) {
        Ok(CompareTarget::Value) => match u {
            Some(TargetUnion::Value(v)) => kv.value.cmp(v),
            _ => kv.value.cmp(&Bytes::new()),
        },
        Ok(CompareTarget::Create) => kv.create_revision.cmp(&given(match u {
            Some(TargetUnion::CreateRevision(v)) => Some(*v),
            _ => None,
        })),
        Ok(CompareTarget::Mod) => kv.mod_revision.cmp(&given(match u {
            Some(TargetUnion::ModRevision(v)) => Some(*v),
            _ => None,
        })),
        Ok(CompareTarget::Version) => kv.version.cmp(&given(match u {
            Some(TargetUnion::Version(v)) => Some(*v),
            _ => None,
        })),
        Ok(CompareTarget::Lease) => kv.lease.cmp(&given(match u {
            Some(TargetUnion::Lease(v)) => Some(*v),
            _ => None,
        })),
        Err(_) => std::cmp::Ordering::Equal,
    };
    match CompareResult::try_from(c.result) {
        Ok(CompareResult::Equal) => ord.is_eq(),
        Ok(CompareResult::NotEqual) => ord.is_ne(),
        Ok(CompareResult::Greater) => ord.is_gt(),
        Ok(CompareResult::Less) => ord.is_lt(),
        Err(_) => true,
    }
}

fn execute_range(
    r: &RangeRequest,
    read: impl FnOnce(&KeyRange, i64, i64, bool) -> Result<Found, Error>,
) -> Result<RangeResponse, Error> {
    let filtered = r.min_mod_revision != 0
        || r.max_mod_revision != 0
        || r.min_create_revision != 0
        || r.max_create_revision != 0;
    // Sorting and filters need everything; else one more than the limit, to know whether there is more. A sort target
    // without an order does not count as sorting here: so only the first keys are sorted then.
    let limit = if r.sort_order != SortOrder::None as i32 || filtered || r.limit <= 0 {
        0
    } else {
        r.limit.saturating_add(1)
    };
    let mut found = read(&KeyRange::new(&r.key, &r.range_end), r.revision, limit, r.count_only)?;
    let kvs = &mut found.kvs;
    if filtered {
        kvs.retain(|kv| {
            (r.max_mod_revision == 0 || kv.mod_revision <= r.max_mod_revision)
                && (r.min_mod_revision == 0 || kv.mod_revision >= r.min_mod_revision)
                && (r.max_create_revision == 0 || kv.create_revision <= r.max_create_revision)
                && (r.min_create_revision == 0 || kv.create_revision >= r.min_create_revision)
        });
    }
    let target = SortTarget::try_from(r.sort_target).unwrap_or(SortTarget::Key);
    let descend = r.sort_order == SortOrder::Descend as i32;
    let by = |a: &KeyValue, b: &KeyValue| match target {
        SortTarget::Key => a.key.cmp(&b.key),
        SortTarget::Version => a.version.cmp(&b.version),
        SortTarget::Create => a.create_revision.cmp(&b.create_revision),
        SortTarget::Mod => a.mod_revision.cmp(&b.mod_revision),
        SortTarget::Value => a.value.cmp(&b.value),
    };
    if descend {
        kvs.sort_by(|a, b| by(b, a));
    } else if target != SortTarget::Key {
        kvs.sort_by(by);
    }
    let mut more = false;
    if r.limit > 0 && kvs.len() as i64 > r.limit {
        kvs.truncate(r.limit as usize);
        more = true;
    }
    if r.keys_only {
        for kv in kvs {
            kv.value = Bytes::new();
        }
    }
    Ok(RangeResponse { header: header(found.rev), kvs: found.kvs, more, count: found.count })
}

fn execute_put(txn: &mut WriteTxn<'_>, r: &PutRequest) -> Result<PutResponse, Error> {
    let mut prev = None;
    if r.ignore_value || r.ignore_lease || r.prev_kv {
        prev = txn.range(&KeyRange::Single(r.key.clone()), 0, 0, false)?.kvs.pop();
    }
    let (mut value, mut lease) = (r.value.clone(), r.lease);
    if r.ignore_value || r.ignore_lease {
        // Inside a transaction this can still fail after writes, when a deletion "from the key on" came before: the
        // overlap check does not see those. etcd panics there; here the transaction ends with what it did so far.
        let Some(kv) = &prev else { return Err(errors::KEY_NOT_FOUND) };
        if r.ignore_value {
            value = kv.value.clone();
        }
        if r.ignore_lease {
            lease = kv.lease;
        }
    }
    let rev = txn.put(&r.key, value, lease);
    Ok(PutResponse { header: header(rev), prev_kv: prev.filter(|_| r.prev_kv) })
}

fn execute_delete(txn: &mut WriteTxn<'_>, r: &DeleteRangeRequest) -> Result<DeleteRangeResponse, Error> {
    let range = KeyRange::new(&r.key, &r.range_end);
    let prev_kvs = if r.prev_kv { txn.range(&range, 0, 0, false)?.kvs } else { Vec::new() };
    let (deleted, rev) = txn.delete_range(&range);
    Ok(DeleteRangeResponse { header: header(rev), deleted, prev_kvs })
}

fn execute_txn(
    txn: &mut WriteTxn<'_>,
    r: &TxnRequest,
    path: &mut impl Iterator<Item = bool>,
) -> Result<TxnResponse, Error> {
    let succeeded = path.next().unwrap_or(false);
    let ops = branch(r, succeeded);
    let mut responses = Vec::with_capacity(ops.len());
    for op in ops {
        let response = match &op.request {
            Some(Request::RequestRange(r)) => {
                Some(Response::ResponseRange(execute_range(r, |range, rev, limit, count| {
                    txn.range(range, rev, limit, count)
                })?))
            }
            Some(Request::RequestPut(r)) => Some(Response::ResponsePut(execute_put(txn, r)?)),
            Some(Request::RequestDeleteRange(r)) => {
                Some(Response::ResponseDeleteRange(execute_delete(txn, r)?))
            }
            Some(Request::RequestTxn(r)) => Some(Response::ResponseTxn(execute_txn(txn, r, path)?)),
            None => None,
        };
        responses.push(ResponseOp { response });
    }
    // Nested answers have an empty header.
    Ok(TxnResponse { header: Some(ResponseHeader::default()), succeeded, responses })
}
