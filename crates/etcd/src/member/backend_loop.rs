//! What runs beside the apply loop on the store: backend commits, compaction's batches, history for watchers.

use super::Member;
use crate::backend::FILE;
use core::time::Duration;
use mvcc::backend::meta;
use mvcc::{Bucket, CompactionStep};
use std::rc::Rc;

/// The longest that an applied change waits for its commit (`--backend-batch-interval`).
const COMMIT_INTERVAL: Duration = Duration::from_millis(100);
/// Operations after which a commit does not wait for the interval (`--backend-batch-limit`).
const COMMIT_OPERATIONS: u64 = 10_000;
/// Pause between two batches of a compaction (`--compaction-sleep-interval`).
const COMPACTION_PAUSE: Duration = Duration::from_millis(10);
/// How often watchers that need history are served.
const SYNC_INTERVAL: Duration = Duration::from_millis(100);

pub(super) async fn commit_loop(m: Rc<Member>) {
    let disk = m.sim.disk(m.name());
    let mut seen = 0;
    let mut next = m.sim.now() + COMMIT_INTERVAL;
    loop {
        if m.dirty() {
            let due = m.sim.now() >= next;
            if due
                || m.store.borrow().commit_forced()
                || m.store.borrow().pending_writes() >= COMMIT_OPERATIONS
            {
                let start = m.sim.now();
                let index = m.commit();
                let spans = core::mem::take(&mut *m.db_spans.borrow_mut());
                disk.fsync(FILE).await;
                m.metrics.backend_commit.observe(m.sim.now() - start);
                for s in &spans {
                    s.set("file", FILE);
                    s.set("consistent index", index.to_string());
                }
                drop(spans);
                m.shared.durable[m.index].set(m.shared.durable[m.index].get().max(index));
                m.raft.apply.notify();
                next = m.sim.now() + COMMIT_INTERVAL;
                if m.store.borrow().compaction_pending() && !m.compacting.replace(true) {
                    m.process.spawn(compaction(m.clone()));
                }
                continue;
            }
            let wait = next.since(m.sim.now());
            if let Ok(n) = m.sim.timeout(wait, m.backend_wake.past(seen)).await {
                seen = n;
            }
            continue;
        }
        seen = m.backend_wake.past(seen).await;
        next = next.max(m.sim.now() + COMMIT_INTERVAL / 2);
    }
}

/// Takes the rows of a compaction away, batch by batch.
async fn compaction(m: Rc<Member>) {
    loop {
        let step = m.store.borrow_mut().compaction_step(mvcc::COMPACTION_BATCH);
        m.backend_wake.notify();
        m.raft.apply.notify();
        if step == CompactionStep::Idle {
            m.compacting.set(false);
            return;
        }
        m.sim.sleep(COMPACTION_PAUSE).await;
    }
}

pub(super) async fn watch_sync_loop(m: Rc<Member>) {
    let mut seen = 0;
    loop {
        let mut left = m.store.borrow().unsynced_watchers();
        while left > 0 {
            let now = m.store.borrow_mut().sync_watchers(mvcc::MAX_WATCHERS_PER_SYNC);
            m.wake_watchers();
            if now == 0 {
                break;
            }
            if now >= left {
                m.sim.sleep(SYNC_INTERVAL).await;
            } else {
                m.sim.yield_now().await;
            }
            left = now;
        }
        seen = m.sync_wake.past(seen).await;
    }
}

impl Member {
    /// Whether something waits to be committed.
    fn dirty(&self) -> bool {
        self.store.borrow().pending_writes() > 0 || self.raft.applied.get() > self.committed_index.get()
    }

    /// Writes the batch; durable after an fsync. The consistent index it carries.
    pub(crate) fn commit(&self) -> u64 {
        let mut store = self.store.borrow_mut();
        let index = self.raft.applied.get().max(self.committed_index.get());
        if index > self.committed_index.get() {
            let term = self.raft.applied_term.get();
            store.batch_tx().put(Bucket::Meta, meta::CONSISTENT_INDEX, index.to_be_bytes().to_vec());
            store.batch_tx().put(Bucket::Meta, meta::TERM, term.to_be_bytes().to_vec());
            self.committed_index.set(index);
        }
        let writes = store.take_writes();
        self.backend.borrow_mut().commit(writes);
        index
    }
}
