//! Service Maintenance (etcd `server/etcdserver/api/v3rpc/maintenance.go`). Snapshots and downgrades are not modelled here.

use super::kv::mismatched;
use crate::member::{Applied, CLUSTER_VERSION, Member, REQUEST_TIMEOUT, TICK, VERSION};
use std::rc::Rc;
use wire::etcdserverpb::*;
use wire::rpc::{Code, Status, errors};

pub(super) async fn status(m: &Rc<Member>, _: StatusRequest) -> Result<StatusResponse, Status> {
    let mut problems = Vec::new();
    if m.raft.lead.get() == raft::NONE {
        problems.push(errors::NO_LEADER.text.to_owned());
    }
    for (id, kind) in m.alarms.borrow().iter() {
        let kind = AlarmType::try_from(*kind).map_or("", AlarmType::as_str_name);
        problems.push(format!("memberID:{id} alarm:{kind} "));
    }
    let backend = m.backend.borrow();
    let rows = backend.rows();
    let storage = m.membership.borrow().cluster_version.as_ref().map(|_| CLUSTER_VERSION.to_owned());
    Ok(StatusResponse {
        header: Some(m.header(0)),
        version: VERSION.into(),
        db_size: rows.size() as i64,
        db_size_in_use: rows.size_in_use() as i64,
        leader: m.raft.lead.get(),
        raft_index: m.raft.committed.get(),
        raft_term: m.raft.applied_term.get(),
        raft_applied_index: m.raft.applied.get(),
        errors: problems,
        is_learner: false,
        storage_version: storage.unwrap_or_default(),
        db_size_quota: m.shared.quota as i64,
        downgrade_info: Some(DowngradeInfo::default()),
    })
}

pub(super) async fn alarm(m: &Rc<Member>, r: AlarmRequest) -> Result<AlarmResponse, Status> {
    let req = InternalRaftRequest { alarm: Some(r), ..Default::default() };
    let Applied::Alarm(mut resp) = m.raft_request(None, req).await? else { return Err(mismatched()) };
    resp.header = Some(m.header(0));
    Ok(resp)
}

pub(super) async fn hash_kv(m: &Rc<Member>, r: HashKVRequest) -> Result<HashKVResponse, Status> {
    let (h, revision) = m.store.borrow().hash_by_rev(r.revision)?;
    Ok(HashKVResponse {
        header: Some(m.header(revision)),
        hash: h.hash,
        compact_revision: h.compact_revision,
        hash_revision: h.revision,
    })
}

pub(super) async fn hash(m: &Rc<Member>, _: HashRequest) -> Result<HashResponse, Status> {
    m.commit();
    let hash = m.backend.borrow().rows().hash();
    Ok(HashResponse { header: Some(m.header(0)), hash })
}

/// The file of records is rewritten without what was replaced; the sizes are estimates of what bbolt would need.
pub(super) async fn defragment(m: &Rc<Member>, _: DefragmentRequest) -> Result<DefragmentResponse, Status> {
    m.commit();
    m.backend.borrow_mut().defragment();
    Ok(DefragmentResponse::default())
}

pub(super) async fn move_leader(m: &Rc<Member>, r: MoveLeaderRequest) -> Result<MoveLeaderResponse, Status> {
    if m.id != m.raft.lead.get() {
        return Err(errors::NOT_LEADER.into());
    }
    let known = m.membership.borrow().members.get(&r.target_id).is_some_and(|t| !t.is_learner);
    if !known {
        return Err(errors::BAD_LEADER_TRANSFEREE.into());
    }
    m.node.borrow_mut().transfer_leader(r.target_id);
    m.raft.wake.notify();
    let deadline = m.sim.now() + REQUEST_TIMEOUT;
    while m.raft.lead.get() != r.target_id {
        if m.sim.now() >= deadline {
            let text = "etcdserver: request timed out, leader transfer took too long";
            return Err(Status::new(Code::Unknown, text));
        }
        m.sim.sleep(TICK).await;
    }
    Ok(MoveLeaderResponse::default())
}
