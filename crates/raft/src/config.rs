//! What a node is started with.

use crate::MemoryStorage;
use std::rc::Rc;

/// How a linearizable read learns that its leader still leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOnlyOption {
    /// By a round of heartbeats.
    #[default]
    Safe,
    /// By the leader's lease; needs check-quorum and bounded clock drift.
    LeaseBased,
}

/// Receives the log: level (`DEBUG`, `INFO`, `WARN`, `ERROR`) and text.
pub type Logger = Rc<dyn Fn(&'static str, String)>;

/// What a node is started with (etcd's defaults: election 10 ticks, heartbeat 1 tick of 100 ms).
pub struct Config {
    /// This member's id, not 0.
    pub id: u64,
    /// Ticks without a leader's message after which an election starts (times 1 to 2, at random).
    pub election_tick: u32,
    /// Ticks between a leader's heartbeats.
    pub heartbeat_tick: u32,
    /// The durable log and state, as read from disk.
    pub storage: MemoryStorage,
    /// Last index that was applied before a restart; 0 for a new member.
    pub applied: u64,
    /// Most bytes of entries in one MsgApp.
    pub max_size_per_msg: u64,
    /// Most bytes of entries in one [`crate::Ready`]'s committed entries; 0: as `max_size_per_msg`.
    pub max_committed_size_per_ready: u64,
    /// Most bytes of entries a leader holds uncommitted; 0: no limit.
    pub max_uncommitted_entries_size: u64,
    /// Most MsgApp on the way to one follower.
    pub max_inflight_msgs: usize,
    /// A leader that hears no majority for an election timeout steps down; followers keep to a live leader.
    pub check_quorum: bool,
    /// An election first asks whether it could be won, without raising the term.
    pub pre_vote: bool,
    /// See [`ReadOnlyOption`].
    pub read_only_option: ReadOnlyOption,
    /// A follower refuses proposals instead of sending them to its leader.
    pub disable_proposal_forwarding: bool,
    /// A random number in `0..n`, for election timeouts.
    pub random: Box<dyn FnMut(u64) -> u64>,
    /// Where the log goes.
    pub logger: Logger,
}
