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

pub mod client;
pub mod http2;

pub use client::Client;
