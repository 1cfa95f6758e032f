//! Service KV (etcd `server/etcdserver/api/v3rpc/key.go`, `quota.go`, `server/etcdserver/v3_server.go`).

use crate::member::{Applied, Member, put_cost, txn_cost};
use sim::{Ctx, Station};
use std::rc::Rc;
use wire::etcdserverpb::*;
use wire::rpc::{Code, Status, errors};

/// What cannot happen unless the apply loop answers a request with another's answer.
pub(super) fn mismatched() -> Status {
    Status::new(Code::Internal, "etcdserver: answer of another kind")
}

fn fill(m: &Member, header: &mut Option<ResponseHeader>) {
    let revision = header.map_or(0, |h| h.revision);
    *header = Some(m.header(revision));
}

pub(super) async fn range(
    m: &Rc<Member>,
    ctx: Option<Ctx>,
    r: RangeRequest,
) -> Result<RangeResponse, Status> {
    mvcc::check::range_request(&r)?;
    if !r.serializable {
        let span = ctx.map(|c| m.sim.trace().span(&c, "read index", None, m.name()));
        m.linearizable_read().await?;
        drop(span);
    }
    let span = match &ctx {
        Some(c) => Some(m.sim.station(c, Station::Mvcc, m.name()).await),
        None => None,
    };
    let mut resp = m.store.borrow_mut().range(&r)?;
    if let Some(s) = span {
        s.set("count", resp.count.to_string());
        s.set("revision", resp.header.map_or(0, |h| h.revision).to_string());
    }
    fill(m, &mut resp.header);
    Ok(resp)
}

pub(super) async fn put(m: &Rc<Member>, ctx: Option<Ctx>, r: PutRequest) -> Result<PutResponse, Status> {
    m.check_quota(put_cost(&r)).await?;
    mvcc::check::put_request(&r)?;
    let req = InternalRaftRequest { put: Some(r), ..Default::default() };
    let Applied::Put(mut resp) = m.raft_request(ctx, req).await? else { return Err(mismatched()) };
    fill(m, &mut resp.header);
    Ok(resp)
}

pub(super) async fn delete_range(
    m: &Rc<Member>,
    ctx: Option<Ctx>,
    r: DeleteRangeRequest,
) -> Result<DeleteRangeResponse, Status> {
    mvcc::check::delete_request(&r)?;
    let req = InternalRaftRequest { delete_range: Some(r), ..Default::default() };
    let Applied::DeleteRange(mut resp) = m.raft_request(ctx, req).await? else { return Err(mismatched()) };
    fill(m, &mut resp.header);
    Ok(resp)
}

pub(super) async fn txn(m: &Rc<Member>, ctx: Option<Ctx>, r: TxnRequest) -> Result<TxnResponse, Status> {
    m.check_quota(txn_cost(&r)).await?;
    mvcc::check::txn_request(&r, mvcc::check::MAX_TXN_OPS)?;
    let mut resp = if mvcc::txn::is_readonly(&r) {
        if !mvcc::txn::is_serializable(&r) {
            m.linearizable_read().await?;
        }
        m.store.borrow_mut().txn(&r)?
    } else {
        let req = InternalRaftRequest { txn: Some(r), ..Default::default() };
        let Applied::Txn(resp) = m.raft_request(ctx, req).await? else { return Err(mismatched()) };
        resp
    };
    fill(m, &mut resp.header);
    Ok(resp)
}

pub(super) async fn compact(
    m: &Rc<Member>,
    ctx: Option<Ctx>,
    r: CompactionRequest,
) -> Result<CompactionResponse, Status> {
    let req = InternalRaftRequest { compaction: Some(r), ..Default::default() };
    let Applied::Compaction(mut resp) = m.raft_request(ctx, req).await? else { return Err(mismatched()) };
    if r.physical {
        // The rows are gone and that is on disk.
        let gone = || {
            let s = m.store.borrow();
            s.finished_compaction() >= Some(r.revision) && s.pending_writes() == 0
        };
        m.raft.apply.until(gone).await;
        m.sim.disk(m.name()).fsync(crate::backend::FILE).await;
    }
    fill(m, &mut resp.header);
    Ok(resp)
}

/// The text of an error as the gRPC layer has it; used where an error becomes part of a message.
pub(super) fn no_leader() -> Status {
    errors::NO_LEADER.into()
}
