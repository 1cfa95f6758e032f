//! Applying committed entries in order (etcd `server/etcdserver/apply`).
//!
//! An entry that the backend has already (its index is not above the consistent index read at the start) changes nothing but
//! Raft's configuration. The chain of appliers is etcd's: a CORRUPT alarm refuses, a NOSPACE alarm refuses what needs space,
//! then the store.

use super::propose::{Applied, put_cost, txn_cost};
use super::{Apply, CLUSTER_VERSION, Member};
use crate::membership::MemberInfo;
use bytes::Bytes;
use futures::StreamExt;
use futures::channel::mpsc;
use mvcc::Bucket;
use prost::Message as _;
use sim::Station;
use std::rc::Rc;
use wire::etcdserverpb::alarm_request::AlarmAction;
use wire::etcdserverpb::*;
use wire::raftpb::{
    CONF_CHANGE_ADD_LEARNER_NODE, CONF_CHANGE_REMOVE_NODE, ConfChange, ENTRY_CONF_CHANGE, Entry,
};
use wire::rpc::{Status, errors};

pub(super) async fn apply_loop(m: Rc<Member>, mut rx: mpsc::UnboundedReceiver<Apply>) {
    while let Some(entries) = rx.next().await {
        for e in entries {
            apply_entry(&m, e).await;
        }
        m.raft.apply.notify();
        m.backend_wake.notify();
    }
}

async fn apply_entry(m: &Rc<Member>, e: Entry) {
    let fresh = e.index > m.committed_index.get();
    let commit = m.commit_spans.borrow_mut().remove(&e.index);
    drop(commit);
    if e.r#type == ENTRY_CONF_CHANGE {
        apply_conf_change(m, &e, fresh);
        return done(m, &e);
    }
    if e.payload().is_empty() {
        m.raft.first_commit_in_term.notify();
        if m.is_leader() {
            let election = super::TICK * super::ELECTION_TICKS;
            let extend = u64::try_from(election.as_nanos()).unwrap_or(0);
            m.store.borrow_mut().lessor_mut().promote(m.nanos(), extend);
            m.lease_wake.notify();
        }
        return done(m, &e);
    }
    let Ok(req) = InternalRaftRequest::decode(e.data.clone().unwrap_or_default()) else {
        m.shared.log(m.index, "ERROR", format!("failed to unmarshal entry at index {}", e.index));
        return done(m, &e);
    };
    let id = req.header.as_ref().map_or(req.id, |h| h.id);
    let followed = m.shared.followed(&e).map(|(_, ctx)| ctx);
    let mine = m.wait.borrow().contains_key(&id);
    match followed {
        Some(ctx) if mine => {
            let span = m.sim.station(&ctx, Station::Apply, m.name()).await;
            span.before(e.data.clone().unwrap_or_default());
            span.set("index", e.index.to_string());
            let ctx = span.ctx();
            span.end();
            let span = m.sim.station(&ctx, Station::Mvcc, m.name()).await;
            let before = m.store.borrow().revision();
            let outcome = execute(m, req, true, fresh);
            note_outcome(m, &span, before, &outcome);
            let ctx = span.ctx();
            m.shared.note_revision(m.store.borrow().revision(), before, ctx);
            span.end();
            m.db_spans.borrow_mut().push(m.sim.trace().span(
                &ctx,
                Station::DbPage.name(),
                Some(Station::DbPage),
                m.name(),
            ));
            done(m, &e);
            answer(m, id, outcome);
        }
        _ => {
            let before = m.store.borrow().revision();
            let span = followed.map(|ctx| m.sim.trace().span(&ctx, Station::Apply.name(), None, m.name()));
            let outcome = execute(m, req, mine, fresh);
            if let Some(span) = span {
                note_outcome(m, &span, before, &outcome);
                m.shared.note_revision(m.store.borrow().revision(), before, span.ctx());
            }
            done(m, &e);
            answer(m, id, outcome);
        }
    }
    m.wake_watchers();
}

fn note_outcome(m: &Member, span: &sim::Span, before: i64, outcome: &super::Outcome) {
    let after = m.store.borrow().revision();
    span.set("revision", after.to_string());
    match outcome {
        Ok(_) if after == before => span.set("changed", "nothing"),
        Ok(Applied::Txn(t)) => span.set("succeeded", t.succeeded.to_string()),
        Ok(_) => {}
        Err(s) => span.set("error", s.message.clone()),
    }
    if after > before {
        span.after_with(|| {
            let store = m.store.borrow();
            let rows = store.rows_from(mvcc::Revision::new(after, 0));
            let mut out = Vec::new();
            for (_, row) in rows.take(1) {
                row.kv.encode(&mut out).expect("vectors grow");
            }
            out.into()
        });
    }
}

fn done(m: &Member, e: &Entry) {
    m.raft.applied.set(e.index);
    m.raft.applied_term.set(e.term);
}

fn answer(m: &Member, id: u64, outcome: super::Outcome) {
    let waiter = m.wait.borrow_mut().remove(&id);
    if let Some(w) = waiter {
        let _ = w.send(outcome); // the caller may have given up
    }
}

fn apply_conf_change(m: &Member, e: &Entry, fresh: bool) {
    let Ok(change) = ConfChange::decode(e.data.clone().unwrap_or_default()) else { return };
    let conf = m.node.borrow_mut().apply_conf_change(&change);
    let json = conf_state_json(&conf);
    *m.conf_state.borrow_mut() = conf;
    if !fresh {
        return;
    }
    let mut store = m.store.borrow_mut();
    let mut members = m.membership.borrow_mut();
    store.batch_tx().put(Bucket::Meta, mvcc::backend::meta::CONF_STATE, json);
    if change.r#type == CONF_CHANGE_REMOVE_NODE {
        let key = Bytes::from(format!("{:x}", change.node_id));
        members.members.remove(&change.node_id);
        store.batch_tx().delete(Bucket::Members, key.clone());
        store.batch_tx().put(Bucket::MembersRemoved, key, "removed");
    } else if let Some(mut info) = change.context.as_deref().and_then(MemberInfo::from_json) {
        info.is_learner = change.r#type == CONF_CHANGE_ADD_LEARNER_NODE;
        store.batch_tx().put(Bucket::Members, info.row_key(), info.to_json());
        members.members.insert(info.id, info);
    }
}

/// Go's JSON of a raftpb.ConfState.
fn conf_state_json(c: &wire::raftpb::ConfState) -> String {
    let list = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let mut out = format!("{{\"voters\":[{}]", list(&c.voters));
    for (name, ids) in [
        ("learners", &c.learners),
        ("voters_outgoing", &c.voters_outgoing),
        ("learners_next", &c.learners_next),
    ] {
        if !ids.is_empty() {
            out += &format!(",\"{name}\":[{}]", list(ids));
        }
    }
    out + &format!(",\"auto_leave\":{}}}", c.auto_leave)
}

/// Carries a request out. `wanted`: somebody here waits for the answer.
fn execute(m: &Member, req: InternalRaftRequest, wanted: bool, fresh: bool) -> super::Outcome {
    if !fresh {
        return Ok(Applied::Nothing);
    }
    let corrupt = alarm_raised(m, AlarmType::Corrupt);
    let full = alarm_raised(m, AlarmType::NoSpace);
    let mut s = m.store.borrow_mut();
    let refuse = |cost: u64| -> Result<(), Status> {
        if corrupt {
            return Err(errors::CORRUPT.into());
        }
        if full && cost > 0 {
            return Err(errors::NO_SPACE.into());
        }
        Ok(())
    };
    if let Some(r) = &req.put {
        refuse(put_cost(r))?;
        return s.put(r).map(Applied::Put);
    }
    if let Some(r) = &req.delete_range {
        refuse(0)?;
        return s.delete_range(r).map(Applied::DeleteRange);
    }
    if let Some(mut r) = req.txn {
        refuse(txn_cost(&r))?;
        if !wanted {
            mvcc::txn::remove_needless_ranges(&mut r);
        }
        return s.txn(&r).map(Applied::Txn);
    }
    if let Some(r) = &req.compaction {
        refuse(0)?;
        return s.compact(r).map(Applied::Compaction);
    }
    if let Some(r) = &req.lease_grant {
        refuse(64)?;
        let resp = s.lease_grant(r, m.nanos()).map(Applied::LeaseGrant);
        m.metrics.lease_granted.add(u64::from(resp.is_ok()));
        m.lease_wake.notify();
        return resp;
    }
    if let Some(r) = &req.lease_revoke {
        refuse(0)?;
        let resp = s.lease_revoke(r).map(Applied::LeaseRevoke);
        m.metrics.lease_revoked.add(u64::from(resp.is_ok()));
        return resp;
    }
    if let Some(r) = &req.lease_checkpoint {
        return s.lease_checkpoint(r).map(|_| Applied::Nothing);
    }
    if let Some(r) = &req.alarm {
        drop(s);
        return Ok(Applied::Alarm(apply_alarm(m, r)));
    }
    if let Some(r) = req.cluster_version_set {
        s.batch_tx().put(Bucket::Cluster, "clusterVersion", r.ver.clone());
        s.batch_tx().put(Bucket::Meta, mvcc::backend::meta::STORAGE_VERSION, CLUSTER_VERSION);
        m.membership.borrow_mut().cluster_version = Some(r.ver);
        return Ok(Applied::Nothing);
    }
    if let Some(r) = req.cluster_member_attr_set {
        let attributes = r.member_attributes.unwrap_or_default();
        if let Some(info) = m.membership.borrow_mut().members.get_mut(&r.member_id) {
            info.name = attributes.name;
            info.client_urls = attributes.client_urls;
            s.batch_tx().put(Bucket::Members, info.row_key(), info.to_json());
        }
        return Ok(Applied::Nothing);
    }
    // Authentication and downgrades are not proposed by this server.
    Ok(Applied::Nothing)
}

fn alarm_raised(m: &Member, kind: AlarmType) -> bool {
    m.alarms.borrow().iter().any(|(_, k)| *k == kind as i32)
}

fn apply_alarm(m: &Member, r: &AlarmRequest) -> AlarmResponse {
    let mut alarms = m.alarms.borrow_mut();
    let one = (r.member_id, r.alarm);
    let row = AlarmMember { member_id: r.member_id, alarm: r.alarm };
    let mut out = AlarmResponse::default();
    let mut store = m.store.borrow_mut();
    match AlarmAction::try_from(r.action) {
        Ok(AlarmAction::Get) => {
            let all = r.alarm == AlarmType::None as i32;
            out.alarms = alarms
                .iter()
                .filter(|(_, k)| all || *k == r.alarm)
                .map(|(member_id, alarm)| AlarmMember { member_id: *member_id, alarm: *alarm })
                .collect();
        }
        Ok(AlarmAction::Activate) if r.alarm != AlarmType::None as i32 => {
            if alarms.insert(one) {
                store.batch_tx().put(Bucket::Alarm, row.encode_to_vec(), Bytes::new());
            }
            out.alarms.push(row);
        }
        Ok(AlarmAction::Deactivate) if alarms.remove(&one) => {
            store.batch_tx().delete(Bucket::Alarm, row.encode_to_vec());
            out.alarms.push(row);
        }
        _ => {}
    }
    out
}
