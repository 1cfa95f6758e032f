//! Members and cluster versions inside Raft entries (etcd `api/membershippb/membership.proto`).

/// What Raft needs to know about a member.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RaftAttributes {
    #[prost(string, repeated, tag = "1")]
    pub peer_urls: Vec<String>,
    #[prost(bool, tag = "2")]
    pub is_learner: bool,
}

/// What a member publishes about itself.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Attributes {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, repeated, tag = "2")]
    pub client_urls: Vec<String>,
}

/// One member of the cluster.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Member {
    /// Id.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(message, optional, tag = "2")]
    pub raft_attributes: Option<RaftAttributes>,
    #[prost(message, optional, tag = "3")]
    pub member_attributes: Option<Attributes>,
}

/// Raft entry: the version the whole cluster agrees to speak.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ClusterVersionSetRequest {
    #[prost(string, tag = "1")]
    pub ver: String,
}

/// Raft entry: a member publishes its name and client URLs.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ClusterMemberAttrSetRequest {
    #[prost(uint64, tag = "1")]
    pub member_id: u64,
    #[prost(message, optional, tag = "2")]
    pub member_attributes: Option<Attributes>,
}

/// Raft entry: allow or cancel a downgrade.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DowngradeInfoSetRequest {
    #[prost(bool, tag = "1")]
    pub enabled: bool,
    #[prost(string, tag = "2")]
    pub ver: String,
}
