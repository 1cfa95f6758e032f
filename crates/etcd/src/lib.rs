//! An etcd member (raft, mvcc, disk), the cluster and its client API.
//!
//! ```text
//!   client ── gRPC frames ──▶ server ── InternalRaftRequest ──▶ raft ── raftpb packets ──▶ other members
//!                               ▲                                │ entries, hard state ──▶ wal (fsync)
//!                               └──── wait registry ◀── apply ◀──┘ committed entries
//!                                                        └──▶ mvcc ──▶ backend (every 100 ms or 10,000 operations)
//! ```
//!
//! Nothing here knows a real clock, socket or file: time, randomness, network and disks are [`sim`]'s.

pub mod backend;
pub mod client;
mod cluster;
pub mod http2;
pub mod id;
mod member;
pub mod membership;
pub mod metrics;
mod notify;
mod server;
pub mod wal;

pub use client::Client;
pub use cluster::{Cluster, ClusterConfig};
pub use member::{
    CLUSTER_VERSION, ELECTION_TICKS, EntryView, FollowerView, LogLine, MemberStatus, QUOTA_BACKEND_BYTES,
    REQUEST_TIMEOUT, TICK, VERSION,
};
