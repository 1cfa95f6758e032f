//! Proposing: a request becomes an entry, and its answer is waited for (etcd `server/etcdserver/v3_server.go`).

use super::{CLUSTER_VERSION, ELECTION_TICKS, Member, REQUEST_TIMEOUT, TICK};
use bytes::Bytes;
use core::time::Duration;
use futures::channel::oneshot;
use prost::Message as _;
use sim::{Ctx, Station, Time};
use std::rc::Rc;
use wire::etcdserverpb::*;
use wire::membershippb::{Attributes, ClusterMemberAttrSetRequest, ClusterVersionSetRequest};
use wire::rpc::{Code, Status, errors};

/// Entries committed but not applied above which proposals are refused.
const MAX_GAP: u64 = 5000;
/// How often the leader looks whether the cluster's version is to be set.
const VERSION_INTERVAL: Duration = Duration::from_secs(4);

/// What applying a request answered.
pub(crate) type Outcome = Result<Applied, Status>;

/// The answer of an applied request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Applied {
    Put(PutResponse),
    DeleteRange(DeleteRangeResponse),
    Txn(TxnResponse),
    Compaction(CompactionResponse),
    LeaseGrant(LeaseGrantResponse),
    LeaseRevoke(LeaseRevokeResponse),
    Alarm(AlarmResponse),
    Nothing,
}

/// Takes the waiter and the stage spans away when the request is over, however it ends.
struct Waiting<'a> {
    m: &'a Member,
    id: u64,
    pending: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.m.wait.borrow_mut().remove(&self.id);
        let span = self.m.shared.append_spans.borrow_mut().remove(&self.id);
        drop(span);
        if self.pending {
            self.m.metrics.proposals_pending.dec();
        }
    }
}

impl Member {
    /// Sends a request through the log and waits for what applying it answers here.
    ///
    /// # Errors
    /// What etcd answers when it cannot: see the module's facts in the texts of [`errors`]; and the request's own errors.
    pub(crate) async fn raft_request(&self, ctx: Option<Ctx>, mut req: InternalRaftRequest) -> Outcome {
        if self.raft.committed.get() > self.raft.applied.get() + MAX_GAP {
            return Err(errors::REQUEST_TOO_MANY_REQUESTS.as_sent());
        }
        let id = self.ids.next_id();
        req.header = Some(RequestHeader { id, ..RequestHeader::default() });
        let data: Bytes = req.encode_to_vec().into();
        if data.len() as u64 > mvcc::check::MAX_REQUEST_BYTES {
            return Err(errors::REQUEST_TOO_LARGE.into());
        }
        let (tx, mut rx) = oneshot::channel();
        self.wait.borrow_mut().insert(id, tx);
        let mut waiting = Waiting { m: self, id, pending: false };
        let start = self.sim.now();
        if let Some(ctx) = &ctx {
            let span = self.sim.station(ctx, Station::Propose, self.name()).await;
            span.after(data.clone());
            span.set("request id", format!("{id:x}"));
            let next = span.ctx();
            span.end();
            self.sim.trace().link(id, next);
        }
        let left = |m: &Member| (start + REQUEST_TIMEOUT).since(m.sim.now());
        let known = self.raft.soft.until(|| self.raft.lead.get() != raft::NONE);
        if self.sim.timeout(left(self), known).await.is_err() {
            self.metrics.proposals_failed.inc();
            return Err(Status::new(Code::DeadlineExceeded, "context deadline exceeded"));
        }
        if let Some(ctx) = ctx.and_then(|_| self.sim.trace().linked(id)) {
            let lead = self.raft.lead.get();
            let leader = self.shared.peers.iter().find(|p| p.id == lead).map_or(self.name(), |p| &p.name);
            let span = self.sim.station(&ctx, Station::Append, leader).await;
            self.shared.append_spans.borrow_mut().insert(id, span);
        }
        if let Err(e) = self.node.borrow_mut().propose(data) {
            self.metrics.proposals_failed.inc();
            return Err(Status::new(Code::Unknown, e.to_string()));
        }
        self.raft.wake.notify();
        self.metrics.proposals_pending.inc();
        waiting.pending = true;
        match self.sim.timeout(left(self), &mut rx).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(errors::STOPPED.into()),
            Err(_) => {
                self.metrics.proposals_failed.inc();
                Err(self.timeout_error(start).into())
            }
        }
    }

    /// Why a request that began at `start` may have timed out.
    fn timeout_error(&self, start: Time) -> wire::rpc::Error {
        let election = TICK * ELECTION_TICKS;
        if let Some(elected) = self.raft.elected_at.get() {
            let lost = Time(elected.0.saturating_sub(2 * u64::try_from(election.as_nanos()).unwrap_or(0)));
            if start > lost && start < elected {
                return errors::TIMEOUT_DUE_TO_LEADER_FAIL;
            }
        }
        let lead = self.raft.lead.get();
        let peers = self.peers.borrow();
        let since = |s: &super::PeerState| s.active_since.is_some_and(|t| t <= start);
        let connected = if lead == raft::NONE {
            true
        } else if lead == self.id {
            1 + peers.values().filter(|s| since(s)).count() > self.shared.peers.len() / 2
        } else {
            peers.get(&lead).is_some_and(since)
        };
        if connected { errors::TIMEOUT } else { errors::TIMEOUT_DUE_TO_CONNECTION_LOST }
    }

    /// Refuses a write that would need more space than the quota leaves, and raises the alarm.
    pub(crate) async fn check_quota(&self, cost: u64) -> Result<(), Status> {
        if cost == 0 || self.backend.borrow().rows().size() + cost < self.shared.quota {
            return Ok(());
        }
        let alarm = AlarmRequest {
            action: alarm_request::AlarmAction::Activate as i32,
            member_id: self.id,
            alarm: AlarmType::NoSpace as i32,
        };
        // The answer is the same whether or not the alarm could be raised.
        let _ =
            self.raft_request(None, InternalRaftRequest { alarm: Some(alarm), ..Default::default() }).await;
        Err(errors::NO_SPACE.into())
    }
}

/// What a put costs against the quota.
pub(crate) fn put_cost(r: &PutRequest) -> u64 {
    256 + (r.key.len() + r.value.len()) as u64
}

/// What a transaction costs: its dearer branch.
pub(crate) fn txn_cost(r: &TxnRequest) -> u64 {
    let branch = |ops: &[RequestOp]| {
        ops.iter()
            .map(|op| match &op.request {
                Some(request_op::Request::RequestPut(p)) => put_cost(p),
                Some(request_op::Request::RequestTxn(t)) => txn_cost(t),
                _ => 0,
            })
            .sum::<u64>()
    };
    branch(&r.success).max(branch(&r.failure))
}

/// Tells the cluster this member's name and client URLs, again and again until it is applied.
pub(super) async fn publish(m: Rc<Member>) {
    let peer = &m.shared.peers[m.index];
    let attributes = Attributes { name: peer.name.clone(), client_urls: vec![peer.client_url.clone()] };
    let set = ClusterMemberAttrSetRequest { member_id: m.id, member_attributes: Some(attributes) };
    loop {
        let req = InternalRaftRequest { cluster_member_attr_set: Some(set.clone()), ..Default::default() };
        if m.raft_request(None, req).await.is_ok() {
            return;
        }
        m.sim.sleep(TICK).await;
    }
}

/// The leader sets the cluster's version when none is set.
pub(super) async fn monitor_version(m: Rc<Member>) {
    let mut soft = 0;
    loop {
        if m.is_leader() && m.membership.borrow().cluster_version.is_none() {
            let set = ClusterVersionSetRequest { ver: CLUSTER_VERSION.into() };
            let req = InternalRaftRequest { cluster_version_set: Some(set), ..Default::default() };
            // On failure the next leader or the next interval tries again.
            let _ = m.raft_request(None, req).await;
        }
        if m.membership.borrow().cluster_version.is_some() {
            return;
        }
        if let Ok(n) = m.sim.timeout(VERSION_INTERVAL, m.raft.soft.past(soft)).await {
            soft = n;
        }
    }
}
