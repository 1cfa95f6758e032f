//! Service Maintenance: status, alarms, hashes, snapshots, leadership (etcd `api/etcdserverpb/rpc.proto`).

use super::*;
use bytes::Bytes;

/// Request of `/etcdserverpb.Maintenance/Hash`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct HashRequest {}

/// Request of `/etcdserverpb.Maintenance/HashKV`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct HashKVRequest {
    /// Up to this revision; 0: now.
    #[prost(int64, tag = "1")]
    pub revision: i64,
}

/// Answer of `/etcdserverpb.Maintenance/HashKV`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct HashKVResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// CRC-32C.
    #[prost(uint32, tag = "2")]
    pub hash: u32,
    /// Compaction the hash assumes; -1: none.
    #[prost(int64, tag = "3")]
    pub compact_revision: i64,
    /// Revision the hash was taken at.
    #[prost(int64, tag = "4")]
    pub hash_revision: i64,
}

/// Answer of `/etcdserverpb.Maintenance/Hash`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct HashResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// CRC-32C.
    #[prost(uint32, tag = "2")]
    pub hash: u32,
}

/// Request of `/etcdserverpb.Maintenance/Snapshot`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct SnapshotRequest {}

/// One chunk of the stream `/etcdserverpb.Maintenance/Snapshot`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SnapshotResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// Bytes still to come.
    #[prost(uint64, tag = "2")]
    pub remaining_bytes: u64,
    /// The chunk; the last one is the SHA-256 of all others.
    #[prost(bytes = "bytes", tag = "3")]
    pub blob: Bytes,
    /// Storage version of the snapshot.
    #[prost(string, tag = "4")]
    pub version: String,
}

/// Request of `/etcdserverpb.Maintenance/Defragment`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct DefragmentRequest {}

/// Answer of `/etcdserverpb.Maintenance/Defragment`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct DefragmentResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Request of `/etcdserverpb.Maintenance/MoveLeader`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MoveLeaderRequest {
    /// The member that shall lead.
    #[prost(uint64, tag = "1")]
    pub target_id: u64,
}

/// Answer of `/etcdserverpb.Maintenance/MoveLeader`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MoveLeaderResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Request of `/etcdserverpb.Maintenance/Alarm`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AlarmRequest {
    /// What to do.
    #[prost(enumeration = "alarm_request::AlarmAction", tag = "1")]
    pub action: i32,
    /// Whose alarm.
    #[prost(uint64, tag = "2")]
    pub member_id: u64,
    /// An [`AlarmType`].
    #[prost(enumeration = "AlarmType", tag = "3")]
    pub alarm: i32,
}

/// Types that belong to [`AlarmRequest`].
pub mod alarm_request {
    /// What to do with alarms.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum AlarmAction {
        /// List alarms.
        Get = 0,
        /// Raise an alarm.
        Activate = 1,
        /// Disarm an alarm.
        Deactivate = 2,
    }

    impl AlarmAction {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::Get => "GET",
                Self::Activate => "ACTIVATE",
                Self::Deactivate => "DEACTIVATE",
            }
        }
    }
}

/// An alarm that a member has raised.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AlarmMember {
    /// Whose alarm.
    #[prost(uint64, tag = "1")]
    pub member_id: u64,
    /// An [`AlarmType`].
    #[prost(enumeration = "AlarmType", tag = "2")]
    pub alarm: i32,
}

/// Answer of `/etcdserverpb.Maintenance/Alarm`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AlarmResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub alarms: Vec<AlarmMember>,
}

/// Request of `/etcdserverpb.Maintenance/Downgrade`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DowngradeRequest {
    /// What to do.
    #[prost(enumeration = "downgrade_request::DowngradeAction", tag = "1")]
    pub action: i32,
    /// Target version.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// Types that belong to [`DowngradeRequest`].
pub mod downgrade_request {
    /// What to do about a downgrade.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum DowngradeAction {
        /// Check the target.
        Validate = 0,
        /// Allow it.
        Enable = 1,
        /// Call it off.
        Cancel = 2,
    }

    impl DowngradeAction {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::Validate => "VALIDATE",
                Self::Enable => "ENABLE",
                Self::Cancel => "CANCEL",
            }
        }
    }
}

/// Answer of `/etcdserverpb.Maintenance/Downgrade`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DowngradeResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// Cluster version now.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// Raft entry used by tests of the downgrade; etcd ignores it.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DowngradeVersionTestRequest {
    #[prost(string, tag = "1")]
    pub ver: String,
}

/// Request of `/etcdserverpb.Maintenance/Status`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct StatusRequest {}

/// Answer of `/etcdserverpb.Maintenance/Status`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StatusResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// Version of the server.
    #[prost(string, tag = "2")]
    pub version: String,
    /// Bytes of the backend file.
    #[prost(int64, tag = "3")]
    pub db_size: i64,
    /// Member id of the leader; 0: none.
    #[prost(uint64, tag = "4")]
    pub leader: u64,
    /// Last committed index.
    #[prost(uint64, tag = "5")]
    pub raft_index: u64,
    /// Term.
    #[prost(uint64, tag = "6")]
    pub raft_term: u64,
    /// Last applied index.
    #[prost(uint64, tag = "7")]
    pub raft_applied_index: u64,
    /// What is wrong: no leader, alarms.
    #[prost(string, repeated, tag = "8")]
    pub errors: Vec<String>,
    /// Bytes of it that hold data.
    #[prost(int64, tag = "9")]
    pub db_size_in_use: i64,
    /// Receives the log, does not vote.
    #[prost(bool, tag = "10")]
    pub is_learner: bool,
    /// Version of the storage format.
    #[prost(string, tag = "11")]
    pub storage_version: String,
    /// Its quota in bytes.
    #[prost(int64, tag = "12")]
    pub db_size_quota: i64,
    #[prost(message, optional, tag = "13")]
    pub downgrade_info: Option<DowngradeInfo>,
}

/// Whether the cluster is allowed to downgrade, and to what.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DowngradeInfo {
    #[prost(bool, tag = "1")]
    pub enabled: bool,
    #[prost(string, tag = "2")]
    pub target_version: String,
}

/// Kinds of alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum AlarmType {
    /// No alarm; asks for all of them.
    None = 0,
    /// The backend has reached its quota.
    NoSpace = 1,
    /// A member's data differs from the others'.
    Corrupt = 2,
}

impl AlarmType {
    /// The name in the .proto file, as JSON and text formats print it.
    pub fn as_str_name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::NoSpace => "NOSPACE",
            Self::Corrupt => "CORRUPT",
        }
    }
}
