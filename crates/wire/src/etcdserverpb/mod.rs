//! etcd's client API and the payload of its Raft entries (package `etcdserverpb`).
//!
//! Field names are those of the .proto files in snake case (`peerURLs` is `peer_urls`); zero values are not written
//! (proto3), so version 0, watch id 0 or `succeeded: false` take no bytes.

mod auth;
mod cluster;
mod kv;
mod lease;
mod maintenance;
mod raft_internal;
mod watch;

pub use auth::*;
pub use cluster::*;
pub use kv::*;
pub use lease::*;
pub use maintenance::*;
pub use raft_internal::*;
pub use watch::*;
