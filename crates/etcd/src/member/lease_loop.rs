//! The primary's clock: leases that have run out are revoked through the log (etcd `server/lease/lessor.go`,
//! `server/etcdserver/server.go`, `revokeExpiredLeases`).

use super::Member;
use core::time::Duration;
use mvcc::lease::{EXPIRED_PER_SCAN, EXPIRED_RETRY_NANOS, EXPIRY_SCAN_NANOS};
use std::rc::Rc;
use wire::etcdserverpb::{InternalRaftRequest, LeaseRevokeRequest};

/// Revocations that may be on their way at once.
const MAX_PENDING: usize = 16;

pub(super) async fn expiry_loop(m: Rc<Member>) {
    let mut seen = 0;
    loop {
        let next = m.store.borrow().lessor().next_expiry();
        let Some(next) = next.filter(|_| m.is_leader()) else {
            seen = m.lease_wake.past(seen).await;
            continue;
        };
        // etcd looks every 500 ms; so do we, at the first such moment after the expiry.
        let at = next.max(m.nanos() + 1).div_ceil(EXPIRY_SCAN_NANOS) * EXPIRY_SCAN_NANOS;
        let wait = Duration::from_nanos(at - m.nanos());
        if let Ok(n) = m.sim.timeout(wait, m.lease_wake.past(seen)).await {
            seen = n;
            continue;
        }
        let ids = m.store.borrow_mut().lessor_mut().expired(m.nanos(), EXPIRED_PER_SCAN, EXPIRED_RETRY_NANOS);
        for group in ids.chunks(MAX_PENDING) {
            let mut revokes = Vec::new();
            for id in group {
                let (m, id) = (m.clone(), *id);
                let process = m.process.clone();
                revokes.push(process.spawn(async move {
                    let revoke = Some(LeaseRevokeRequest { id });
                    let req = InternalRaftRequest { lease_revoke: revoke, ..Default::default() };
                    if m.raft_request(None, req).await.is_ok() {
                        m.metrics.lease_expired.inc();
                    }
                }));
            }
            for r in revokes {
                r.await;
            }
        }
    }
}
