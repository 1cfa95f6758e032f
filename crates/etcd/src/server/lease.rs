//! Service Lease (etcd `server/etcdserver/api/v3rpc/lease.go`, `server/etcdserver/v3_server.go`,
//! `server/lease/leasehttp`): grants and revocations go through Raft, renewals and remaining times through the leader.

use super::kv::{mismatched, no_leader};
use super::{Call, http};
use crate::member::{Applied, Member, REQUEST_TIMEOUT};
use core::time::Duration;
use mvcc::Renewal;
use prost::Message;
use sim::Ctx;
use std::rc::Rc;
use wire::etcdserverpb::*;
use wire::leasepb::{LeaseInternalRequest, LeaseInternalResponse};
use wire::rpc::{Status, errors};

/// Wait between attempts to reach the leader.
const RETRY: Duration = Duration::from_millis(50);
/// How long an expired lease may take to be revoked before a renewal gives up waiting.
const EXPIRED_WAIT: Duration = Duration::from_secs(1);

pub(super) async fn grant(
    m: &Rc<Member>,
    ctx: Option<Ctx>,
    mut r: LeaseGrantRequest,
) -> Result<LeaseGrantResponse, Status> {
    m.check_quota(64).await?;
    while r.id == 0 {
        r.id = (m.ids.next_id() & (u64::MAX >> 1)) as i64;
    }
    let req = InternalRaftRequest { lease_grant: Some(r), ..Default::default() };
    let Applied::LeaseGrant(mut resp) = m.raft_request(ctx, req).await? else { return Err(mismatched()) };
    resp.header = Some(m.header(0));
    Ok(resp)
}

pub(super) async fn revoke(
    m: &Rc<Member>,
    ctx: Option<Ctx>,
    r: LeaseRevokeRequest,
) -> Result<LeaseRevokeResponse, Status> {
    let req = InternalRaftRequest { lease_revoke: Some(r), ..Default::default() };
    let Applied::LeaseRevoke(mut resp) = m.raft_request(ctx, req).await? else { return Err(mismatched()) };
    resp.header = Some(m.header(0));
    Ok(resp)
}

pub(super) async fn leases(m: &Rc<Member>, _: LeaseLeasesRequest) -> Result<LeaseLeasesResponse, Status> {
    let list = m.store.borrow().lessor().leases().iter().map(|l| LeaseStatus { id: l.id() }).collect();
    Ok(LeaseLeasesResponse { header: Some(m.header(0)), leases: list })
}

pub(super) async fn keep_alive(call: &mut Call) -> Result<(), Status> {
    let m = call.m.clone();
    while let Some((req, ctx)) = call.next::<LeaseKeepAliveRequest>().await? {
        // Filled before the renewal.
        let header = Some(m.header(0));
        let ttl = match renew(&m, req.id).await {
            Ok(ttl) => ttl,
            Err(s) if s.is(errors::LEASE_NOT_FOUND) => 0,
            Err(s) => return Err(s),
        };
        call.send(&LeaseKeepAliveResponse { header, id: req.id, ttl }, ctx);
    }
    Ok(())
}

/// Renews a lease here or at the leader.
async fn renew(m: &Rc<Member>, id: i64) -> Result<i64, Status> {
    let deadline = m.sim.now() + REQUEST_TIMEOUT;
    while m.sim.now() < deadline {
        if m.is_leader() {
            match renew_here(m, id).await {
                Some(r) => return r,
                None => continue,
            }
        }
        let body = LeaseKeepAliveRequest { id }.encode_to_vec();
        match http::post_to_leader(m, "/leases", body).await {
            Some((200, body)) => {
                let r = LeaseKeepAliveResponse::decode(body).unwrap_or_default();
                return if r.ttl > 0 { Ok(r.ttl) } else { Err(errors::LEASE_NOT_FOUND.into()) };
            }
            Some((404, _)) => return Err(errors::LEASE_NOT_FOUND.into()),
            _ => m.sim.sleep(RETRY).await,
        }
    }
    Err(if m.raft.lead.get() == raft::NONE { no_leader() } else { errors::TIMEOUT.into() })
}

/// Renews as the primary; `None` when it is not (any more).
pub(super) async fn renew_here(m: &Rc<Member>, id: i64) -> Option<Result<i64, Status>> {
    let now = m.nanos();
    let renewal = m.store.borrow_mut().lessor_mut().renew(id, now);
    match renewal {
        Renewal::Ttl(ttl) => {
            m.metrics.lease_renewed.inc();
            Some(Ok(ttl))
        }
        Renewal::NotFound => Some(Err(errors::LEASE_NOT_FOUND.into())),
        Renewal::NotPrimary => {
            m.sim.sleep(RETRY).await;
            None
        }
        Renewal::Expired => {
            let gone = m.raft.apply.until(|| !m.store.borrow().lessor().contains(id));
            let _ = m.sim.timeout(EXPIRED_WAIT, gone).await; // asked again either way
            None
        }
    }
}

pub(super) async fn time_to_live(
    m: &Rc<Member>,
    r: LeaseTimeToLiveRequest,
) -> Result<LeaseTimeToLiveResponse, Status> {
    let deadline = m.sim.now() + REQUEST_TIMEOUT;
    while m.sim.now() < deadline {
        if m.is_leader() && m.store.borrow().lessor().is_primary() {
            return Ok(time_to_live_here(m, &r));
        }
        let body = LeaseInternalRequest { lease_time_to_live_request: Some(r) }.encode_to_vec();
        if let Some((200, body)) = http::post_to_leader(m, "/leases/internal", body).await
            && let Ok(LeaseInternalResponse { lease_time_to_live_response: Some(mut resp) }) =
                LeaseInternalResponse::decode(body)
        {
            resp.header = Some(m.header(0));
            return Ok(resp);
        }
        m.sim.sleep(RETRY).await;
    }
    Err(if m.raft.lead.get() == raft::NONE { no_leader() } else { errors::TIMEOUT.into() })
}

/// Answers as the primary. An unknown lease has TTL -1, which is no error.
pub(super) fn time_to_live_here(m: &Member, r: &LeaseTimeToLiveRequest) -> LeaseTimeToLiveResponse {
    let header = Some(m.header(0));
    let store = m.store.borrow();
    match store.lessor().get(r.id) {
        None => LeaseTimeToLiveResponse { header, id: r.id, ttl: -1, ..Default::default() },
        Some(l) => LeaseTimeToLiveResponse {
            header,
            id: r.id,
            ttl: l.remaining(m.nanos()).max(0) / 1_000_000_000,
            granted_ttl: l.ttl(),
            keys: if r.keys { l.keys().cloned().collect() } else { Vec::new() },
        },
    }
}
