//! Service Cluster: the list of members (etcd `api/etcdserverpb/rpc.proto`).

use super::*;

/// One member of the cluster.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Member {
    /// Id.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Human name; empty until it has started once.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Where Raft reaches it.
    #[prost(string, repeated, tag = "3")]
    pub peer_urls: Vec<String>,
    /// Where clients reach it.
    #[prost(string, repeated, tag = "4")]
    pub client_urls: Vec<String>,
    /// Receives the log, does not vote.
    #[prost(bool, tag = "5")]
    pub is_learner: bool,
}

/// Request of `/etcdserverpb.Cluster/MemberAdd`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MemberAddRequest {
    /// Where Raft reaches it.
    #[prost(string, repeated, tag = "1")]
    pub peer_urls: Vec<String>,
    /// Receives the log, does not vote.
    #[prost(bool, tag = "2")]
    pub is_learner: bool,
}

/// Answer of `/etcdserverpb.Cluster/MemberAdd`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MemberAddResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, optional, tag = "2")]
    pub member: Option<Member>,
    #[prost(message, repeated, tag = "3")]
    pub members: Vec<Member>,
}

/// Request of `/etcdserverpb.Cluster/MemberRemove`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MemberRemoveRequest {
    #[prost(uint64, tag = "1")]
    pub id: u64,
}

/// Answer of `/etcdserverpb.Cluster/MemberRemove`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MemberRemoveResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<Member>,
}

/// Request of `/etcdserverpb.Cluster/MemberUpdate`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MemberUpdateRequest {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Where Raft reaches it.
    #[prost(string, repeated, tag = "2")]
    pub peer_urls: Vec<String>,
}

/// Answer of `/etcdserverpb.Cluster/MemberUpdate`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MemberUpdateResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<Member>,
}

/// Request of `/etcdserverpb.Cluster/MemberList`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MemberListRequest {
    /// Ask a quorum first.
    #[prost(bool, tag = "1")]
    pub linearizable: bool,
}

/// Answer of `/etcdserverpb.Cluster/MemberList`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MemberListResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<Member>,
}

/// Request of `/etcdserverpb.Cluster/MemberPromote`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MemberPromoteRequest {
    #[prost(uint64, tag = "1")]
    pub id: u64,
}

/// Answer of `/etcdserverpb.Cluster/MemberPromote`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MemberPromoteResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<Member>,
}
