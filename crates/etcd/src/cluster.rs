//! A cluster of 1, 3 or 5 members on the simulated network.
//!
//! Members are called m1 … m5. Client URLs are `http://127.0.0.1:2379`, `:22379`, `:32379`, …, peer URLs the same with 80 at
//! the end, as in etcd's own Procfile. [`Shared`] holds what the world knows about the members from outside, so that it
//! survives their crashes: logs, side tables of the trace, and how far everybody's backend is durable.

use crate::member::{LogLine, Member, MemberStatus, Peer, QUOTA_BACKEND_BYTES, push_line};
use crate::{Client, id};
use bytes::Bytes;
use core::cell::{Cell, RefCell};
use sim::{Ctx, Process, Sim, Span};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use wire::raftpb::Entry;

/// Payloads that are remembered so that members share them.
const SHARED_PAYLOADS: usize = 8192;
/// Revisions whose trace contexts are remembered.
const FOLLOWED_REVISIONS: usize = 4096;

/// What a cluster is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterConfig {
    /// How many members: 1, 3 or 5 (any number up to 9 works).
    pub members: u32,
    /// `--initial-cluster-token`.
    pub token: String,
    /// `--quota-backend-bytes`.
    pub quota_backend_bytes: u64,
}

impl Default for ClusterConfig {
    /// Three members, etcd's own defaults.
    fn default() -> ClusterConfig {
        ClusterConfig { members: 3, token: "etcd-cluster".into(), quota_backend_bytes: QUOTA_BACKEND_BYTES }
    }
}

/// See the module's text.
pub(crate) struct Shared {
    pub sim: Sim,
    pub cluster_id: u64,
    pub quota: u64,
    pub peers: Vec<Peer>,
    pub running: Vec<RefCell<Option<Rc<Member>>>>,
    /// Per member: the index up to which its backend is durable.
    pub durable: Vec<Cell<u64>>,
    logs: Vec<RefCell<VecDeque<LogLine>>>,
    payloads: RefCell<BTreeMap<(u64, u64), Bytes>>,
    revisions: RefCell<BTreeMap<i64, Ctx>>,
    /// Spans of requests that are about to be appended, by request id.
    pub append_spans: RefCell<BTreeMap<u64, Span>>,
}

impl Shared {
    pub(crate) fn log(&self, index: usize, level: &'static str, text: String) {
        let line = LogLine { time: self.sim.now(), level, text };
        push_line(&mut self.logs[index].borrow_mut(), line);
    }

    /// Remembers the payloads that a leader sends.
    pub(crate) fn note_payloads(&self, entries: &[Entry]) {
        let mut known = self.payloads.borrow_mut();
        for e in entries {
            if let Some(d) = e.data.as_ref().filter(|d| d.len() >= 256) {
                known.entry((e.index, e.term)).or_insert_with(|| d.clone());
            }
        }
        while known.len() > SHARED_PAYLOADS {
            known.pop_first();
        }
    }

    /// Replaces payloads that just arrived by the leader's own bytes, which are the same, so that they are held once.
    pub(crate) fn share_payloads(&self, entries: &mut [Entry]) {
        let known = self.payloads.borrow();
        for e in entries {
            if let Some(d) = known.get(&(e.index, e.term))
                && e.data.as_ref() == Some(d)
            {
                e.data = Some(d.clone());
            }
        }
    }

    /// Remembers which request made the revisions after `before` up to `revision`.
    pub(crate) fn note_revision(&self, revision: i64, before: i64, ctx: Ctx) {
        if revision > before {
            let mut known = self.revisions.borrow_mut();
            known.entry(revision).or_insert(ctx);
            while known.len() > FOLLOWED_REVISIONS {
                known.pop_first();
            }
        }
    }

    /// The request that made a revision, if it is followed.
    pub(crate) fn revision_ctx(&self, revision: i64) -> Option<Ctx> {
        self.revisions.borrow().get(&revision).copied()
    }
}

/// A running cluster. Clones are handles to the same one.
#[derive(Clone)]
pub struct Cluster {
    shared: Rc<Shared>,
}

impl Cluster {
    /// Starts the members, each from its disk: empty disks begin a new cluster.
    ///
    /// # Panics
    /// With no member or more than nine.
    pub fn start(sim: &Sim, config: ClusterConfig) -> Cluster {
        assert!((1..=9).contains(&config.members), "a cluster has 1 to 9 members");
        let peers: Vec<Peer> = (0..config.members)
            .map(|i| {
                let port = |p: &str| if i == 0 { p.to_owned() } else { format!("{}{p}", i + 1) };
                let name = format!("m{}", i + 1);
                let peer_url = format!("http://127.0.0.1:{}", port("2380"));
                Peer {
                    id: id::member_id(core::slice::from_ref(&peer_url), &config.token),
                    process: sim.process(&name),
                    client_url: format!("http://127.0.0.1:{}", port("2379")),
                    peer_url,
                    name,
                }
            })
            .collect();
        let ids: Vec<u64> = peers.iter().map(|p| p.id).collect();
        let shared = Rc::new(Shared {
            sim: sim.clone(),
            cluster_id: id::cluster_id(&ids),
            quota: config.quota_backend_bytes,
            running: peers.iter().map(|_| RefCell::new(None)).collect(),
            durable: peers.iter().map(|_| Cell::new(0)).collect(),
            logs: peers.iter().map(|_| RefCell::default()).collect(),
            payloads: RefCell::default(),
            revisions: RefCell::default(),
            append_spans: RefCell::default(),
            peers,
        });
        for index in 0..shared.peers.len() {
            Member::start(&shared, index);
        }
        Cluster { shared }
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.shared.peers.len()
    }

    /// Never: a cluster has members.
    pub fn is_empty(&self) -> bool {
        self.shared.peers.is_empty()
    }

    /// The cluster's id.
    pub fn id(&self) -> u64 {
        self.shared.cluster_id
    }

    /// Id of member `index` (0 is m1).
    pub fn member_id(&self, index: usize) -> u64 {
        self.shared.peers[index].id
    }

    /// The process of member `index`.
    pub fn process(&self, index: usize) -> Process {
        self.shared.peers[index].process.clone()
    }

    /// Client URLs of all members.
    pub fn client_urls(&self) -> Vec<String> {
        self.shared.peers.iter().map(|p| p.client_url.clone()).collect()
    }

    /// A client of all members that runs in `process`.
    pub fn client(&self, process: &Process) -> Client {
        Client::new(&self.shared.sim, process, self.client_urls())
    }

    /// Kills a member: what it had not synced is lost or torn.
    pub fn crash(&self, index: usize) {
        self.shared.peers[index].process.crash();
        let gone = self.shared.running[index].borrow_mut().take();
        drop(gone);
    }

    /// Stops a member in order: what it has written stays, and it hands leadership over to another member first if it can.
    pub fn stop(&self, index: usize) {
        if let Some(m) = self.shared.running[index].borrow().as_ref() {
            m.commit();
        }
        self.shared.peers[index].process.stop();
        let gone = self.shared.running[index].borrow_mut().take();
        drop(gone);
    }

    /// Starts a crashed or stopped member from its disk. Nothing happens when it runs.
    pub fn restart(&self, index: usize) {
        let p = &self.shared.peers[index].process;
        if !p.alive() {
            p.restart();
            Member::start(&self.shared, index);
        }
    }

    /// Freezes a member.
    pub fn pause(&self, index: usize) {
        self.shared.peers[index].process.pause();
    }

    /// Lets a frozen member go on.
    pub fn resume(&self, index: usize) {
        self.shared.peers[index].process.resume();
    }

    /// The member that leads, as far as the members themselves believe: of several the one with the highest term.
    pub fn leader(&self) -> Option<usize> {
        (0..self.len())
            .filter_map(|i| {
                let m = self.shared.running[i].borrow();
                let m = m.as_ref().filter(|m| m.process.alive() && m.is_leader())?;
                let term = m.node.borrow().status().hard_state.term;
                Some((term, i))
            })
            .max()
            .map(|(_, i)| i)
    }

    /// Asks the leader to hand over to member `to`. False when there is no leader.
    pub fn transfer_leader(&self, to: usize) -> bool {
        let Some(leader) = self.leader() else { return false };
        let Some(m) = self.shared.running[leader].borrow().clone() else { return false };
        m.node.borrow_mut().transfer_leader(self.shared.peers[to].id);
        m.raft.wake.notify();
        true
    }

    /// The state of member `index` with at most `window` entries of its log; `None` while it does not run.
    pub fn status(&self, index: usize, window: u64) -> Option<MemberStatus> {
        self.shared.running[index].borrow().as_ref().map(|m| m.view(window))
    }

    /// The states of all members that run.
    pub fn statuses(&self, window: u64) -> Vec<Option<MemberStatus>> {
        (0..self.len()).map(|i| self.status(i, window)).collect()
    }

    /// The last lines of a member's log, over its restarts.
    pub fn log(&self, index: usize) -> Vec<LogLine> {
        self.shared.logs[index].borrow().iter().cloned().collect()
    }

    /// Looks into a member's store; `None` while it does not run.
    pub fn with_store<T>(&self, index: usize, f: impl FnOnce(&mvcc::Store) -> T) -> Option<T> {
        self.shared.running[index].borrow().as_ref().map(|m| f(&m.store.borrow()))
    }

    /// Looks into a member's committed backend; `None` while it does not run.
    pub fn with_backend<T>(&self, index: usize, f: impl FnOnce(&mvcc::Backend) -> T) -> Option<T> {
        self.shared.running[index].borrow().as_ref().map(|m| f(m.backend.borrow().rows()))
    }

    /// Prometheus text of a member's metrics; `None` while it does not run.
    pub fn metrics(&self, index: usize) -> Option<String> {
        self.shared.running[index].borrow().as_ref().map(|m| m.metrics_text())
    }
}
