//! Records of the write-ahead log (etcd `server/storage/wal/walpb/record.proto`).
//!
//! proto2: the fields marked required are written even when they are zero, as etcd's encoder does.

use bytes::Bytes;

/// One frame of the write-ahead log.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Record {
    /// 1 metadata, 2 entry, 3 state, 4 checksum, 5 snapshot.
    #[prost(int64, required, tag = "1")]
    pub r#type: i64,
    /// Running CRC-32C over the data of all records so far.
    #[prost(uint32, required, tag = "2")]
    pub crc: u32,
    /// The encoded message of that type.
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub data: Option<Bytes>,
}

/// The marker of a snapshot in the write-ahead log.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Snapshot {
    /// Last Raft index the snapshot covers.
    #[prost(uint64, required, tag = "1")]
    pub index: u64,
    /// Term of that entry.
    #[prost(uint64, required, tag = "2")]
    pub term: u64,
    /// The encoded `raftpb.ConfState`.
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub conf_state: Option<Bytes>,
}
