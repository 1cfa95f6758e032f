//! Consensus as a pure state machine, shaped like etcd's `RawNode` and `Ready` (go.etcd.io/raft/v3 3.6).
//!
//! Nothing here does I/O, knows time or draws randomness: messages and ticks go in, a [`Ready`] comes out, and whoever owns
//! the node writes it to disk, sends it, applies it, and says so.
//!
//! ```text
//!        tick() step(message) propose(data)
//!                  │
//!                  ▼
//!             ┌─────────┐  ready()   1. write HardState and Entries, fsync
//!             │ RawNode │ ────────▶  2. send Messages
//!             └─────────┘            3. apply CommittedEntries
//!                  ▲                 4. advance()
//!                  └───────────────────────┘
//! ```
//!
//! A leader may send MsgApp while it writes its own entries; only its *own* acknowledgement waits for the disk, and that is
//! what `advance` delivers.
//!
//! The texts of the log are etcd's. Not modelled here: joint configurations and asynchronous storage writes.

mod config;
mod log;
mod node;
mod progress;
mod quorum;
mod raft;
mod read_only;
mod storage;
mod tracker;
mod unstable;

pub use config::{Config, Logger, ReadOnlyOption};
pub use node::{RawNode, Ready, Status};
pub use progress::{Inflights, Progress, ProgressState};
pub use quorum::{VoteResult, committed_index, vote_result};
pub use raft::{ReadState, SoftState, StateRole};
pub use storage::{MemoryStorage, StorageError};

/// No member: ids start at 1.
pub const NONE: u64 = 0;

/// Why a node did not take an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no leader to take it, or the leader does not take proposals now.
    #[error("raft proposal dropped")]
    ProposalDropped,
    /// A message that only the node itself may make came from outside.
    #[error("raft: cannot step raft local message")]
    StepLocalMsg,
    /// An answer came from a member that is not in the configuration.
    #[error("raft: cannot step as peer not found")]
    StepPeerNotFound,
}

#[cfg(test)]
mod tests;
