//! A lease as stored in bucket `lease` (etcd `server/lease/leasepb/lease.proto`).

/// A lease as stored: attached keys are not here, they are found in the key-value pairs.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Lease {
    /// Id of the lease.
    #[prost(int64, tag = "1")]
    pub id: i64,
    /// Seconds granted.
    #[prost(int64, tag = "2")]
    pub ttl: i64,
    /// Seconds left at the last checkpoint; 0: no checkpoint.
    #[prost(int64, tag = "3")]
    pub remaining_ttl: i64,
}

/// Follower to leader over the peer port: a forwarded LeaseTimeToLive.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LeaseInternalRequest {
    #[prost(message, optional, tag = "1")]
    pub lease_time_to_live_request: Option<crate::etcdserverpb::LeaseTimeToLiveRequest>,
}

/// Leader to follower: the answer to it.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LeaseInternalResponse {
    #[prost(message, optional, tag = "1")]
    pub lease_time_to_live_response: Option<crate::etcdserverpb::LeaseTimeToLiveResponse>,
}
