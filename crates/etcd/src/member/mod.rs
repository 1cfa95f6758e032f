//! One member: its state and the tasks that drive it.
//!
//! ```text
//!   tick (100 ms) ─┐                 ┌─▶ messages to other members
//!   inbox ─────────┼─▶ RawNode ─▶ raft loop ─▶ WAL, fsync
//!   propose, read ─┘                 └─▶ apply loop ─▶ Store ─▶ who waits, watchers
//!                                                        └─▶ backend loop (100 ms or 10,000 operations), fsync
//! ```
//!
//! Everything a crash must take with it is in [`Member`] and in its process's tasks; what survives is on the disk. Upstream:
//! `server/etcdserver/server.go`, `raft.go`, `v3_server.go`.

mod apply;
mod backend_loop;
mod lease_loop;
mod propose;
mod raft_loop;
mod read;
mod status;

pub(crate) use propose::{Applied, Outcome, put_cost, txn_cost};
pub use status::{EntryView, FollowerView, MemberStatus};

use crate::backend::DiskBackend;
use crate::cluster::Shared;
use crate::id::IdGenerator;
use crate::membership::{MemberInfo, Membership};
use crate::metrics::Metrics;
use crate::notify::Notify;
use crate::wal::Wal;
use core::cell::{Cell, RefCell};
use core::time::Duration;
use futures::channel::{mpsc, oneshot};
use mvcc::{Bucket, Store, StreamId};
use prost::Message as _;
use raft::{MemoryStorage, RawNode, StateRole};
use sim::{Process, Sim, Span, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use wire::etcdserverpb::{AlarmMember, Metadata, ResponseHeader};
use wire::raftpb::{ConfState, Entry, Snapshot, SnapshotMetadata};

/// The version the members answer with.
pub const VERSION: &str = "3.6.14";
/// The version the cluster agrees on, and that of the storage format.
pub const CLUSTER_VERSION: &str = "3.6.0";
/// One tick: etcd's `--heartbeat-interval`.
pub const TICK: Duration = Duration::from_millis(100);
/// Ticks after which an election starts: `--election-timeout` over the heartbeat interval.
pub const ELECTION_TICKS: u32 = 10;
/// Longest that a request waits for its entry to be applied: 5 s and two election timeouts.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(7);
/// Default of `--quota-backend-bytes`.
pub const QUOTA_BACKEND_BYTES: u64 = 2_147_483_648;
/// Log lines that are kept for looking at.
const LOG_LINES: usize = 500;

/// What the Raft loop tells the others.
#[derive(Default)]
pub(crate) struct RaftCells {
    pub lead: Cell<u64>,
    pub role: Cell<StateRole>,
    /// When this member last became leader.
    pub elected_at: Cell<Option<Time>>,
    pub committed: Cell<u64>,
    pub applied: Cell<u64>,
    /// Term of the last applied entry.
    pub applied_term: Cell<u64>,
    /// The node may have something to do.
    pub wake: Notify,
    /// Leader or role changed.
    pub soft: Notify,
    /// Another leader than before.
    pub leader_changed: Notify,
    /// The first entry of a term was applied.
    pub first_commit_in_term: Notify,
    /// Something was applied.
    pub apply: Notify,
}

/// Whether another member can be reached.
#[derive(Clone, Copy, Default)]
pub(crate) struct PeerState {
    pub active_since: Option<Time>,
    pub cut_since: Option<Time>,
}

/// A running member.
pub(crate) struct Member {
    pub shared: Rc<Shared>,
    pub sim: Sim,
    pub process: Process,
    pub index: usize,
    pub id: u64,
    pub node: RefCell<RawNode>,
    pub storage: MemoryStorage,
    pub store: RefCell<Store>,
    pub backend: RefCell<DiskBackend>,
    pub membership: RefCell<Membership>,
    pub alarms: RefCell<BTreeSet<(u64, i32)>>,
    pub ids: IdGenerator,
    pub wait: RefCell<BTreeMap<u64, oneshot::Sender<Outcome>>>,
    pub raft: RaftCells,
    pub read: read::ReadState,
    pub conf_state: RefCell<ConfState>,
    pub metrics: Metrics,
    pub peers: RefCell<BTreeMap<u64, PeerState>>,
    /// Watch streams of clients: woken when their stream of the store has something to send.
    pub watch_streams: RefCell<BTreeMap<StreamId, Rc<Notify>>>,
    /// Spans of followed writes that are committed and not taken up by the apply loop, by index.
    pub commit_spans: RefCell<BTreeMap<u64, Span>>,
    /// Spans of followed writes that end with the next backend commit.
    pub db_spans: RefCell<Vec<Span>>,
    /// Something waits for the next backend commit, a compaction for its steps, a lease for its expiry, a watcher for history.
    pub backend_wake: Notify,
    pub lease_wake: Notify,
    pub sync_wake: Notify,
    /// The consistent index written with the last commit.
    committed_index: Cell<u64>,
    log_release: Cell<u64>,
    compacting: Cell<bool>,
}

/// Why a member does not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// Its log cannot be read.
    #[error("failed to read WAL, cannot be repaired: {0}")]
    Wal(#[from] crate::wal::WalError),
    /// Its backend cannot be read.
    #[error("failed to open backend: {0}")]
    Backend(#[from] mvcc::backend::RecordError),
}

impl Member {
    /// Reads the disk and starts the tasks. A member whose disk is empty begins a new cluster with the others of
    /// `shared.peers`.
    pub(crate) fn start(shared: &Rc<Shared>, index: usize) {
        let (shared, process) = (shared.clone(), shared.peers[index].process.clone());
        let task = process.clone();
        let ports = crate::server::listen(&shared, index);
        process.spawn(async move {
            match Member::load(&shared, index).await {
                Ok((member, wal)) => member.run(wal, ports),
                Err(e) => {
                    shared.log(index, "fatal", format!("{e}"));
                    // A member that cannot read its disk ends; the others go on without it.
                    task.sim().process(task.name()).crash();
                }
            }
        });
    }

    async fn load(shared: &Rc<Shared>, index: usize) -> Result<(Rc<Member>, Wal), StartError> {
        let sim = shared.sim.clone();
        let peer = &shared.peers[index];
        let (process, id) = (peer.process.clone(), peer.id);
        let disk = sim.disk(process.name());
        let metadata = Metadata { node_id: id, cluster_id: shared.cluster_id };
        let backend = DiskBackend::open(&disk)?;
        let opened = Wal::open(&disk, metadata)?;
        let storage = MemoryStorage::new();
        let bootstrap = opened.is_none();
        let wal = match opened {
            Some((wal, contents)) => {
                if contents.snapshot.index > 0 {
                    let conf = contents.snapshot.conf_state.unwrap_or_default();
                    let conf_state = ConfState::decode(conf).unwrap_or_default();
                    let metadata = SnapshotMetadata {
                        conf_state,
                        index: contents.snapshot.index,
                        term: contents.snapshot.term,
                    };
                    storage.apply_snapshot(Snapshot { data: None, metadata });
                }
                storage.set_hard_state(contents.hard_state);
                storage.append(&contents.entries);
                wal
            }
            None => Wal::create(&disk, metadata).await,
        };
        let rng = sim.rng(&format!("raft/{}", process.name()));
        let logs = shared.clone();
        let mut node = RawNode::new(raft::Config {
            id,
            election_tick: ELECTION_TICKS,
            heartbeat_tick: 1,
            storage: storage.clone(),
            applied: 0,
            max_size_per_msg: 1 << 20,
            max_committed_size_per_ready: 0,
            max_uncommitted_entries_size: 0,
            max_inflight_msgs: 512,
            check_quorum: true,
            pre_vote: true,
            read_only_option: raft::ReadOnlyOption::Safe,
            disable_proposal_forwarding: false,
            random: Box::new(move |n| rng.below(n)),
            logger: Rc::new(move |level, text| logs.log(index, level, text)),
        });
        if bootstrap {
            let mut list: Vec<_> = shared.peers.iter().map(|p| (p.id, p.info(false).to_json())).collect();
            list.sort_by_key(|(id, _)| *id);
            node.bootstrap(&list);
        }
        let store = Store::restore(mvcc::Config::default(), backend.rows());
        let u64_of = |key: &[u8]| {
            let v = backend.rows().get(Bucket::Meta, key);
            v.and_then(|v| v[..].try_into().ok()).map_or(0, u64::from_be_bytes)
        };
        let consistent = u64_of(mvcc::backend::meta::CONSISTENT_INDEX);
        let term = u64_of(mvcc::backend::meta::TERM);
        shared.durable[index].set(consistent);
        let alarms = backend
            .rows()
            .bucket(Bucket::Alarm)
            .filter_map(|(k, _)| AlarmMember::decode(k.clone()).ok())
            .map(|a| (a.member_id, a.alarm))
            .collect();
        let raft = RaftCells::default();
        raft.applied_term.set(term);
        let millis = u64::try_from(sim.unix_nanos() / 1_000_000).unwrap_or(0);
        let conf_state = node.conf_state();
        let member = Rc::new(Member {
            membership: RefCell::new(Membership::restore(backend.rows())),
            alarms: RefCell::new(alarms),
            ids: IdGenerator::new(id, millis),
            shared: shared.clone(),
            sim,
            process,
            index,
            id,
            node: RefCell::new(node),
            storage,
            store: RefCell::new(store),
            backend: RefCell::new(backend),
            wait: RefCell::default(),
            raft,
            read: read::ReadState::default(),
            conf_state: RefCell::new(conf_state),
            metrics: Metrics::default(),
            peers: RefCell::default(),
            watch_streams: RefCell::default(),
            commit_spans: RefCell::default(),
            db_spans: RefCell::default(),
            backend_wake: Notify::default(),
            lease_wake: Notify::default(),
            sync_wake: Notify::default(),
            committed_index: Cell::new(consistent),
            log_release: Cell::new(0),
            compacting: Cell::new(false),
        });
        Ok((member, wal))
    }

    fn run(self: Rc<Self>, wal: Wal, ports: crate::server::Ports) {
        *self.shared.running[self.index].borrow_mut() = Some(self.clone());
        let p = self.process.clone();
        let inbox = self.sim.net().bind(&p, p.name());
        let (tx, rx) = mpsc::unbounded();
        p.spawn(raft_loop::inbox_loop(self.clone(), inbox));
        p.spawn(raft_loop::raft_loop(self.clone(), wal, tx));
        p.spawn(raft_loop::tick_loop(self.clone()));
        p.spawn(apply::apply_loop(self.clone(), rx));
        p.spawn(backend_loop::commit_loop(self.clone()));
        p.spawn(lease_loop::expiry_loop(self.clone()));
        p.spawn(backend_loop::watch_sync_loop(self.clone()));
        p.spawn(read::read_loop(self.clone()));
        p.spawn(propose::publish(self.clone()));
        p.spawn(propose::monitor_version(self.clone()));
        crate::server::serve(&self, ports);
    }

    pub(crate) fn name(&self) -> &str {
        self.process.name()
    }

    pub(crate) fn is_leader(&self) -> bool {
        self.raft.role.get() == StateRole::Leader
    }

    /// Header of an answer: who answers, the term of the last applied entry, and (if not given) the store's revision.
    pub(crate) fn header(&self, revision: i64) -> ResponseHeader {
        let revision = if revision == 0 { self.store.borrow().revision() } else { revision };
        ResponseHeader { revision, ..self.member_header() }
    }

    /// A header without a revision.
    pub(crate) fn member_header(&self) -> ResponseHeader {
        ResponseHeader {
            cluster_id: self.shared.cluster_id,
            member_id: self.id,
            revision: 0,
            raft_term: self.raft.applied_term.get(),
        }
    }

    /// Wakes the client streams whose watchers have got something.
    pub(crate) fn wake_watchers(&self) {
        let ready = self.store.borrow_mut().take_ready_watch_streams();
        let streams = self.watch_streams.borrow();
        for id in ready {
            if let Some(n) = streams.get(&id) {
                n.notify();
            }
        }
    }

    /// Nanoseconds as the lessor counts them: since the world's start, which a restart does not change.
    pub(crate) fn nanos(&self) -> u64 {
        self.sim.now().0
    }
}

/// A line of a member's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When.
    pub time: Time,
    /// `DEBUG`, `INFO`, `WARN`, `ERROR`, `fatal`.
    pub level: &'static str,
    /// What.
    pub text: String,
}

/// Appends to a bounded log.
pub(crate) fn push_line(log: &mut VecDeque<LogLine>, line: LogLine) {
    if log.len() >= LOG_LINES {
        log.pop_front();
    }
    log.push_back(line);
}

/// What a cluster is started with, of one member.
pub(crate) struct Peer {
    pub name: String,
    pub id: u64,
    pub peer_url: String,
    pub client_url: String,
    pub process: Process,
}

impl Peer {
    /// The member as the log has it: at bootstrap without client URLs, which it publishes itself.
    pub fn info(&self, published: bool) -> MemberInfo {
        MemberInfo {
            id: self.id,
            peer_urls: vec![self.peer_url.clone()],
            is_learner: false,
            name: self.name.clone(),
            client_urls: if published { vec![self.client_url.clone()] } else { Vec::new() },
        }
    }
}

/// Entries handed to the apply loop.
pub(crate) type Apply = Vec<Entry>;
