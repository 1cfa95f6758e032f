//! Leases: keys that go away together when nobody renews them (etcd `server/lease/lessor.go`).
//!
//! Every member knows all leases and what is attached to them; only the leader's member, the primary, counts time. It
//! finds expired leases and proposes to revoke them, so that their keys go away at the same revision everywhere. Time is
//! passed in: nanoseconds since some beginning that does not change.

use crate::backend::{Bucket, Write};
use crate::range::KeyRange;
use crate::store::Store;
use crate::write_txn::WriteTxn;
use bytes::Bytes;
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use wire::etcdserverpb::{
    LeaseCheckpointRequest, LeaseCheckpointResponse, LeaseGrantRequest, LeaseGrantResponse,
    LeaseRevokeRequest, LeaseRevokeResponse, ResponseHeader,
};
use wire::leasepb;
use wire::rpc::{Status, errors};

/// Longest lease in seconds.
pub const MAX_LEASE_TTL: i64 = 9_000_000_000;
/// How often etcd looks for expired leases.
pub const EXPIRY_SCAN_NANOS: u64 = 500_000_000;
/// Most leases etcd revokes after one scan.
pub const EXPIRED_PER_SCAN: u32 = 500;
/// A lease that was found expired is found again after this time if it is still there; etcd sets it to the server's
/// request timeout.
pub const EXPIRED_RETRY_NANOS: u64 = 7_000_000_000;
/// Leases the primary may revoke in a second.
const REVOKE_RATE: i64 = 1000;
const SECOND: i64 = 1_000_000_000;

/// One lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    id: i64,
    ttl: i64,
    remaining_ttl: i64,
    // None: forever, since this member is not the primary.
    expiry: Option<u64>,
    items: BTreeSet<Bytes>,
}

impl Lease {
    /// Its id.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Seconds granted.
    pub fn ttl(&self) -> i64 {
        self.ttl
    }

    /// When it expires; `None` on a member that does not count time.
    pub fn expiry(&self) -> Option<u64> {
        self.expiry
    }

    /// Nanoseconds left, negative when it has expired; the largest number on a member that does not count time.
    pub fn remaining(&self, now: u64) -> i64 {
        match self.expiry {
            None => i64::MAX,
            Some(t) => i64::try_from(i128::from(t) - i128::from(now)).unwrap_or(i64::MAX),
        }
    }

    /// The attached keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &Bytes> {
        self.items.iter()
    }

    fn refresh(&mut self, now: u64, extend: u64) {
        let ttl = if self.remaining_ttl > 0 { self.remaining_ttl } else { self.ttl };
        let ns = u64::try_from(ttl).unwrap_or(0).saturating_mul(SECOND as u64);
        self.expiry = Some(now.saturating_add(extend).saturating_add(ns));
    }

    fn row(&self) -> Write {
        let v = leasepb::Lease { id: self.id, ttl: self.ttl, remaining_ttl: self.remaining_ttl };
        Write::Put(Bucket::Lease, row_key(self.id), v.encode_to_vec().into())
    }
}

fn row_key(id: i64) -> Bytes {
    Bytes::copy_from_slice(&id.to_be_bytes())
}

/// The answer to a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// Renewed, for so many seconds.
    Ttl(i64),
    /// There is no such lease: the client is told a TTL of 0.
    NotFound,
    /// This member does not count time: ask the leader.
    NotPrimary,
    /// It has expired and will be revoked: ask again when it is gone or the leader has changed.
    Expired,
}

/// All leases of a member.
#[derive(Debug, Default)]
pub struct Lessor {
    leases: BTreeMap<i64, Lease>,
    items: BTreeMap<Bytes, i64>,
    // When to look at a lease next, and the same by time.
    due: BTreeMap<i64, u64>,
    by_time: BTreeSet<(u64, i64)>,
    primary: bool,
    min_ttl: i64,
}

impl Lessor {
    /// No leases; shorter ones than `min_ttl` seconds will be made that long.
    pub fn new(min_ttl: i64) -> Lessor {
        Lessor { min_ttl, ..Lessor::default() }
    }

    /// Whether this member counts time.
    pub fn is_primary(&self) -> bool {
        self.primary
    }

    pub(crate) fn set_primary(&mut self, primary: bool) {
        self.primary = primary;
    }

    /// Whether there is such a lease.
    pub fn contains(&self, id: i64) -> bool {
        self.leases.contains_key(&id)
    }

    /// A lease.
    pub fn get(&self, id: i64) -> Option<&Lease> {
        self.leases.get(&id)
    }

    /// All leases, those that expire first first.
    pub fn leases(&self) -> Vec<&Lease> {
        let mut all: Vec<&Lease> = self.leases.values().collect();
        all.sort_by_key(|l| l.expiry.unwrap_or(u64::MAX));
        all
    }

    /// The lease a key is attached to; 0: none.
    pub fn lease_of(&self, key: &[u8]) -> i64 {
        self.items.get(key).copied().unwrap_or(0)
    }

    pub(crate) fn attach(&mut self, id: i64, key: &Bytes) {
        if let Some(l) = self.leases.get_mut(&id) {
            l.items.insert(key.clone());
            self.items.insert(key.clone(), id);
        }
    }

    pub(crate) fn detach(&mut self, id: i64, key: &Bytes) {
        if let Some(l) = self.leases.get_mut(&id) {
            l.items.remove(key);
            self.items.remove(key);
        }
    }

    /// Takes a lease from its row in the backend; rows that are not leases are left out.
    pub(crate) fn recover(&mut self, row: &Bytes) {
        let Ok(l) = leasepb::Lease::decode(row.clone()) else { return };
        let ttl = l.ttl.max(self.min_ttl);
        let lease =
            Lease { id: l.id, ttl, remaining_ttl: l.remaining_ttl, expiry: None, items: BTreeSet::new() };
        self.leases.insert(l.id, lease);
    }

    /// The member has become the leader: all leases start anew, `extend` nanoseconds longer (an election timeout). Many
    /// that would expire in the same second are spread.
    pub fn promote(&mut self, now: u64, extend: u64) {
        self.primary = true;
        let ids: Vec<i64> = self.leases.keys().copied().collect();
        for id in ids {
            self.refresh(id, now, extend);
        }
        if (self.leases.len() as i64) < REVOKE_RATE {
            return;
        }
        let all: Vec<(i64, i64)> = self.leases().iter().map(|l| (l.id, l.remaining(now))).collect();
        let mut base = all[0].1;
        let mut next = base + SECOND;
        let mut expires = 0;
        let per_second = REVOKE_RATE * 3 / 4;
        for (id, remaining) in all {
            if remaining > next {
                base = remaining;
                next = base + SECOND;
                expires = 1;
                continue;
            }
            expires += 1;
            if expires <= per_second {
                continue;
            }
            let delay = SECOND * expires / per_second - (remaining - base);
            next = base + delay;
            self.refresh(id, now, extend.saturating_add_signed(delay));
        }
    }

    /// The member is no longer the leader: it stops counting time.
    pub fn demote(&mut self) {
        self.primary = false;
        for l in self.leases.values_mut() {
            l.expiry = None;
        }
        self.due.clear();
        self.by_time.clear();
    }

    fn refresh(&mut self, id: i64, now: u64, extend: u64) {
        if let Some(l) = self.leases.get_mut(&id) {
            l.refresh(now, extend);
            let t = l.expiry.unwrap_or(u64::MAX);
            self.look_at(id, t);
        }
    }

    fn look_at(&mut self, id: i64, t: u64) {
        if let Some(old) = self.due.insert(id, t) {
            self.by_time.remove(&(old, id));
        }
        self.by_time.insert((t, id));
    }

    fn forget(&mut self, id: i64) {
        if let Some(t) = self.due.remove(&id) {
            self.by_time.remove(&(t, id));
        }
    }

    /// Renews a lease. This does not go through Raft: only the primary can, others send it to the leader.
    pub fn renew(&mut self, id: i64, now: u64) -> Renewal {
        if !self.primary {
            return Renewal::NotPrimary;
        }
        let Some(l) = self.leases.get_mut(&id) else { return Renewal::NotFound };
        if l.remaining(now) <= 0 {
            return Renewal::Expired;
        }
        let ttl = l.ttl;
        self.refresh(id, now, 0);
        Renewal::Ttl(ttl)
    }

    /// At most `limit` leases that have expired and are to be revoked. One that is not revoked is reported again after
    /// `retry` nanoseconds. Empty on a member that is not the primary.
    pub fn expired(&mut self, now: u64, limit: u32, retry: u64) -> Vec<i64> {
        let mut out = Vec::new();
        while self.primary && (out.len() as u64) < u64::from(limit) {
            let Some(&(t, id)) = self.by_time.first() else { break };
            let Some(l) = self.leases.get(&id) else {
                self.forget(id);
                continue;
            };
            if now < t {
                break;
            }
            let expired = l.remaining(now) <= 0;
            self.look_at(id, now.saturating_add(retry.max(1)));
            if expired {
                out.push(id);
            }
        }
        out
    }

    /// When [`Lessor::expired`] may next have something to report.
    pub fn next_expiry(&self) -> Option<u64> {
        self.by_time.first().map(|(t, _)| *t)
    }
}

impl Store {
    fn lease_header(&self) -> Option<ResponseHeader> {
        Some(ResponseHeader { revision: self.current_rev, ..ResponseHeader::default() })
    }

    /// Grants a lease. The id is chosen before the request goes through Raft.
    ///
    /// # Errors
    /// Too large a TTL, an id in use, or the id 0.
    pub fn lease_grant(&mut self, r: &LeaseGrantRequest, now: u64) -> Result<LeaseGrantResponse, Status> {
        if r.id == 0 {
            return Err(errors::LEASE_NOT_FOUND.into());
        }
        if r.ttl > MAX_LEASE_TTL {
            return Err(errors::LEASE_TTL_TOO_LARGE.into());
        }
        if self.lessor.contains(r.id) {
            return Err(errors::LEASE_EXIST.into());
        }
        let ttl = r.ttl.max(self.lessor.min_ttl);
        let lease = Lease { id: r.id, ttl, remaining_ttl: 0, expiry: None, items: BTreeSet::new() };
        self.tx.push(lease.row());
        self.lessor.leases.insert(r.id, lease);
        if self.lessor.primary {
            self.lessor.refresh(r.id, now, 0);
        }
        Ok(LeaseGrantResponse { header: self.lease_header(), id: r.id, ttl, error: String::new() })
    }

    /// Revokes a lease: its keys are deleted in order and in one revision.
    ///
    /// # Errors
    /// There is no such lease.
    pub fn lease_revoke(&mut self, r: &LeaseRevokeRequest) -> Result<LeaseRevokeResponse, Status> {
        let Some(l) = self.lessor.get(r.id) else { return Err(errors::LEASE_NOT_FOUND.into()) };
        let keys: Vec<Bytes> = l.keys().cloned().collect();
        let mut txn = WriteTxn::begin(self);
        for key in keys {
            txn.delete_range(&KeyRange::Single(key));
        }
        txn.s.lessor.leases.remove(&r.id);
        txn.s.lessor.forget(r.id);
        txn.s.tx.push(Write::Delete(Bucket::Lease, row_key(r.id)));
        txn.end();
        Ok(LeaseRevokeResponse { header: self.lease_header() })
    }

    /// Notes the remaining time of leases. etcd proposes this only with the feature LeaseCheckpoint, off by default.
    ///
    /// # Errors
    /// None; ids that are not there are passed over.
    pub fn lease_checkpoint(
        &mut self,
        r: &LeaseCheckpointRequest,
    ) -> Result<LeaseCheckpointResponse, Status> {
        for c in &r.checkpoints {
            if let Some(l) = self.lessor.leases.get_mut(&c.id) {
                l.remaining_ttl = c.remaining_ttl;
                self.tx.push(l.row());
            }
        }
        Ok(LeaseCheckpointResponse { header: self.lease_header() })
    }
}

#[cfg(test)]
mod tests;
