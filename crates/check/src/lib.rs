//! Whether a cluster kept its promises, told from outside: from what clients asked and got, and from looks at the members.
//!
//! * [`linearizability`]: whether a history of concurrent operations could have happened one after the other
//!   (Wing and Gong's search with Lowe's memory, as porcupine does it), for any sequential [`Model`]; [`Register`] is the
//!   model of one key.
//! * [`history`]: a client that notes what it asks and gets, and what etcd's revisions promise about it.
//! * [`watch`]: ordered, unique, reliable, atomic: what a watch stream promises.
//! * [`raft`]: one leader per term, logs that agree, commits that stay.
//! * [`replicas`]: members whose stores are equal.

pub mod history;
pub mod linearizability;
pub mod raft;
mod register;
pub mod replicas;
pub mod watch;

pub use linearizability::{Model, Operation, Verdict};
pub use register::{Register, RegisterInput, RegisterOutput};
