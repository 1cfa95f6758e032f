//! Service Lease: time to live for keys (etcd `api/etcdserverpb/rpc.proto`).

use super::*;
use bytes::Bytes;

/// Request of `/etcdserverpb.Lease/LeaseGrant`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseGrantRequest {
    /// Wanted time to live in seconds.
    #[prost(int64, tag = "1")]
    pub ttl: i64,
    /// Wanted id; 0: the server picks.
    #[prost(int64, tag = "2")]
    pub id: i64,
}

/// Answer of `/etcdserverpb.Lease/LeaseGrant`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LeaseGrantResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(int64, tag = "2")]
    pub id: i64,
    #[prost(int64, tag = "3")]
    pub ttl: i64,
    #[prost(string, tag = "4")]
    pub error: String,
}

/// Request of `/etcdserverpb.Lease/LeaseRevoke`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseRevokeRequest {
    #[prost(int64, tag = "1")]
    pub id: i64,
}

/// Answer of `/etcdserverpb.Lease/LeaseRevoke`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseRevokeResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// The remaining time of one lease, as its leader saw it.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseCheckpoint {
    #[prost(int64, tag = "1")]
    pub id: i64,
    #[prost(int64, tag = "2")]
    pub remaining_ttl: i64,
}

/// Raft entry: remaining times of leases, so that a new leader does not start them anew.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LeaseCheckpointRequest {
    #[prost(message, repeated, tag = "1")]
    pub checkpoints: Vec<LeaseCheckpoint>,
}

/// Answer to a checkpoint of leases.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseCheckpointResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// One renewal on the stream `/etcdserverpb.Lease/LeaseKeepAlive`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseKeepAliveRequest {
    #[prost(int64, tag = "1")]
    pub id: i64,
}

/// Answer to one renewal; a TTL of 0 says that the lease is gone.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseKeepAliveResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(int64, tag = "2")]
    pub id: i64,
    #[prost(int64, tag = "3")]
    pub ttl: i64,
}

/// Request of `/etcdserverpb.Lease/LeaseTimeToLive`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseTimeToLiveRequest {
    #[prost(int64, tag = "1")]
    pub id: i64,
    /// List the attached keys too.
    #[prost(bool, tag = "2")]
    pub keys: bool,
}

/// Answer of `/etcdserverpb.Lease/LeaseTimeToLive`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LeaseTimeToLiveResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(int64, tag = "2")]
    pub id: i64,
    /// Whole seconds left; -1: no such lease.
    #[prost(int64, tag = "3")]
    pub ttl: i64,
    /// Seconds granted at first.
    #[prost(int64, tag = "4")]
    pub granted_ttl: i64,
    /// The attached keys.
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pub keys: Vec<Bytes>,
}

/// Request of `/etcdserverpb.Lease/LeaseLeases`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseLeasesRequest {}

/// The id of a lease that exists.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseStatus {
    #[prost(int64, tag = "1")]
    pub id: i64,
}

/// Answer of `/etcdserverpb.Lease/LeaseLeases`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LeaseLeasesResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub leases: Vec<LeaseStatus>,
}
