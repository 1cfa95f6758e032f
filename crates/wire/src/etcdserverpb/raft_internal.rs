//! What a Raft entry of etcd carries (etcd `api/etcdserverpb/raft_internal.proto`, `etcdserver.proto`).
//!
//! Field 2 of [`InternalRaftRequest`], the version 2 request, is not modelled here: etcd 3.6 has no v2 API.

use super::*;

/// Who proposed a Raft entry.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RequestHeader {
    /// Id of the request, unique in the cluster.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(string, tag = "2")]
    pub username: String,
    #[prost(uint64, tag = "3")]
    pub auth_revision: u64,
}

/// The payload of a normal Raft entry: a header and exactly one operation.
#[derive(Clone, PartialEq, prost::Message)]
pub struct InternalRaftRequest {
    /// Who proposed it.
    #[prost(message, optional, tag = "100")]
    pub header: Option<RequestHeader>,
    /// Old place of the id, written by nobody now.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(message, optional, tag = "3")]
    pub range: Option<RangeRequest>,
    #[prost(message, optional, tag = "4")]
    pub put: Option<PutRequest>,
    #[prost(message, optional, tag = "5")]
    pub delete_range: Option<DeleteRangeRequest>,
    #[prost(message, optional, tag = "6")]
    pub txn: Option<TxnRequest>,
    #[prost(message, optional, tag = "7")]
    pub compaction: Option<CompactionRequest>,
    #[prost(message, optional, tag = "8")]
    pub lease_grant: Option<LeaseGrantRequest>,
    #[prost(message, optional, tag = "9")]
    pub lease_revoke: Option<LeaseRevokeRequest>,
    /// Raise or disarm an alarm.
    #[prost(message, optional, tag = "10")]
    pub alarm: Option<AlarmRequest>,
    #[prost(message, optional, tag = "11")]
    pub lease_checkpoint: Option<LeaseCheckpointRequest>,
    #[prost(message, optional, tag = "1000")]
    pub auth_enable: Option<AuthEnableRequest>,
    #[prost(message, optional, tag = "1011")]
    pub auth_disable: Option<AuthDisableRequest>,
    #[prost(message, optional, tag = "1013")]
    pub auth_status: Option<AuthStatusRequest>,
    #[prost(message, optional, tag = "1012")]
    pub authenticate: Option<InternalAuthenticateRequest>,
    #[prost(message, optional, tag = "1100")]
    pub auth_user_add: Option<AuthUserAddRequest>,
    #[prost(message, optional, tag = "1101")]
    pub auth_user_delete: Option<AuthUserDeleteRequest>,
    #[prost(message, optional, tag = "1102")]
    pub auth_user_get: Option<AuthUserGetRequest>,
    #[prost(message, optional, tag = "1103")]
    pub auth_user_change_password: Option<AuthUserChangePasswordRequest>,
    #[prost(message, optional, tag = "1104")]
    pub auth_user_grant_role: Option<AuthUserGrantRoleRequest>,
    #[prost(message, optional, tag = "1105")]
    pub auth_user_revoke_role: Option<AuthUserRevokeRoleRequest>,
    #[prost(message, optional, tag = "1106")]
    pub auth_user_list: Option<AuthUserListRequest>,
    #[prost(message, optional, tag = "1107")]
    pub auth_role_list: Option<AuthRoleListRequest>,
    #[prost(message, optional, tag = "1200")]
    pub auth_role_add: Option<AuthRoleAddRequest>,
    #[prost(message, optional, tag = "1201")]
    pub auth_role_delete: Option<AuthRoleDeleteRequest>,
    #[prost(message, optional, tag = "1202")]
    pub auth_role_get: Option<AuthRoleGetRequest>,
    #[prost(message, optional, tag = "1203")]
    pub auth_role_grant_permission: Option<AuthRoleGrantPermissionRequest>,
    #[prost(message, optional, tag = "1204")]
    pub auth_role_revoke_permission: Option<AuthRoleRevokePermissionRequest>,
    #[prost(message, optional, tag = "1300")]
    pub cluster_version_set: Option<crate::membershippb::ClusterVersionSetRequest>,
    #[prost(message, optional, tag = "1301")]
    pub cluster_member_attr_set: Option<crate::membershippb::ClusterMemberAttrSetRequest>,
    #[prost(message, optional, tag = "1302")]
    pub downgrade_info_set: Option<crate::membershippb::DowngradeInfoSetRequest>,
    #[prost(message, optional, tag = "9900")]
    pub downgrade_version_test: Option<DowngradeVersionTestRequest>,
}

/// Authenticate, as it goes through Raft: with the token the members shall agree on.
#[derive(Clone, PartialEq, prost::Message)]
pub struct InternalAuthenticateRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub password: String,
    #[prost(string, tag = "3")]
    pub simple_token: String,
}

/// A message without fields.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct EmptyResponse {}

/// The first record of every WAL file: whose log it is. proto2, both fields always written.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Metadata {
    #[prost(uint64, required, tag = "1")]
    pub node_id: u64,
    #[prost(uint64, required, tag = "2")]
    pub cluster_id: u64,
}
