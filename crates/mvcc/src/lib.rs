//! etcd's multi-version store: revisions, key index, transactions, compaction, watch and leases.
//!
//! A [`Store`] is what one member holds in memory. It is synchronous and knows no clock, disk or network: requests and
//! answers are the wire's own messages, time is passed in as nanoseconds, and what etcd would write into its backend
//! comes out as an ordered list of [`Write`]s which the member commits every 100 ms or 10,000 operations
//! ([`Store::take_writes`]). A [`Backend`] is the committed state, and [`Store::restore`] builds a store from it.
//!
//! Values are never copied: a stored value is the slice of the Raft entry that brought it.
//!
//! Upstream: `server/storage/mvcc`, `server/etcdserver/txn`, `server/lease`, and the checks of
//! `server/etcdserver/api/v3rpc` (etcd 3.6).

pub mod backend;
pub mod check;
mod compact;
mod hash;
mod index;
mod key_index;
pub mod lease;
mod range;
mod revision;
mod store;
pub mod txn;
mod watch;
mod write_txn;

pub use backend::{Backend, Bucket, Write};
pub use compact::{COMPACTION_BATCH, CompactionStep};
pub use hash::KeyValueHash;
pub use key_index::{Generation, KeyIndex};
pub use lease::{Lessor, Renewal};
pub use range::{KeyRange, prefix_end};
pub use revision::{BucketKey, Revision};
pub use store::{Config, Counters, Row, Store};
pub use watch::{
    INVALID_WATCH_ID, MAX_WATCHERS_PER_SYNC, StreamId, WATCH_BATCH_MAX_REVS, WatcherState, WatcherView,
};
