//! Linearizable reads (etcd `server/etcdserver/v3_server.go`, `linearizableReadLoop`).
//!
//! Reads that wait together share one round: the leader's commit index is asked for, confirmed by a round of heartbeats, and
//! when this member has applied that far all of them may read.

use super::{Member, REQUEST_TIMEOUT};
use crate::notify::Notify;
use bytes::Bytes;
use core::cell::RefCell;
use core::time::Duration;
use futures::channel::oneshot;
use futures::{FutureExt, pin_mut};
use std::collections::VecDeque;
use std::rc::Rc;
use wire::rpc::{Status, errors};

/// A request for the index that got no answer is sent again after this time.
const RETRY: Duration = Duration::from_millis(500);

type Waiter = oneshot::Sender<Result<(), Status>>;

/// Reads that wait for the next round, and confirmed indexes that came back.
#[derive(Default)]
pub(crate) struct ReadState {
    waiting: RefCell<Vec<Waiter>>,
    wanted: Notify,
    confirmed: RefCell<VecDeque<raft::ReadState>>,
    arrived: Notify,
}

impl ReadState {
    pub(super) fn push(&self, rs: raft::ReadState) {
        self.confirmed.borrow_mut().push_back(rs);
        self.arrived.notify();
    }
}

impl Member {
    /// Returns when this member has applied everything that was committed when this was called.
    ///
    /// # Errors
    /// `leader changed`, `request timed out`.
    pub(crate) async fn linearizable_read(&self) -> Result<(), Status> {
        let (tx, rx) = oneshot::channel();
        self.read.waiting.borrow_mut().push(tx);
        self.read.wanted.notify();
        rx.await.unwrap_or_else(|_| Err(errors::STOPPED.into()))
    }
}

pub(super) async fn read_loop(m: Rc<Member>) {
    let mut seen = 0;
    loop {
        seen = m.read.wanted.past(seen).await;
        let batch = core::mem::take(&mut *m.read.waiting.borrow_mut());
        if batch.is_empty() {
            continue;
        }
        let result = match current_index(&m).await {
            Ok(index) => {
                m.raft.apply.until(|| m.raft.applied.get() >= index).await;
                Ok(())
            }
            Err(s) => Err(s),
        };
        for w in batch {
            let _ = w.send(result.clone()); // the reader may have given up
        }
    }
}

async fn current_index(m: &Member) -> Result<u64, Status> {
    let id = m.ids.next_id();
    let context = Bytes::copy_from_slice(&id.to_be_bytes());
    let leader_changed = m.raft.leader_changed.count();
    let first_commit = m.raft.first_commit_in_term.count();
    m.read.confirmed.borrow_mut().clear();
    let ask = || {
        m.node.borrow_mut().read_index(context.clone());
        m.raft.wake.notify();
    };
    ask();
    let timeout = m.sim.sleep(REQUEST_TIMEOUT).fuse();
    let changed = m.raft.leader_changed.past(leader_changed).fuse();
    let first = m.raft.first_commit_in_term.past(first_commit).fuse();
    pin_mut!(timeout, changed, first);
    loop {
        let arrivals = m.read.arrived.count();
        while let Some(rs) = m.read.confirmed.borrow_mut().pop_front() {
            if rs.context == context {
                return Ok(rs.index);
            }
            m.metrics.slow_read_indexes.inc();
        }
        let arrived = m.read.arrived.past(arrivals).fuse();
        let retry = m.sim.sleep(RETRY).fuse();
        pin_mut!(arrived, retry);
        futures::select_biased! {
            _ = arrived => {}
            _ = changed => {
                m.metrics.read_indexes_failed.inc();
                return Err(errors::LEADER_CHANGED.into());
            }
            _ = first => ask(),
            () = retry => ask(),
            () = timeout => {
                m.metrics.slow_read_indexes.inc();
                return Err(errors::TIMEOUT.into());
            }
        }
    }
}
