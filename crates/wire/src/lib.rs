//! etcdserverpb, mvccpb, raftpb and HTTP messages: what components say to each other, with the place of every field.
//!
//! The message types are written as prost derives with etcd 3.6's field numbers; `bytes` fields are [`bytes::Bytes`],
//! so that decoding from `Bytes` shares the payload instead of copying it. Nothing here does input or output: [`grpc`]
//! and [`http`] turn messages into bytes and bytes into messages, and the caller moves the bytes.

pub mod authpb;
pub mod etcdserverpb;
pub mod grpc;
pub mod http;
pub mod leasepb;
pub mod membershippb;
pub mod mvccpb;
pub mod raftpb;
pub mod rpc;
pub mod spans;
pub mod walpb;

pub use prost::Message;
