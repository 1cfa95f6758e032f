//! Service Auth: users, roles and permissions (etcd `api/etcdserverpb/rpc.proto`).

use super::*;
use bytes::Bytes;

/// Request of `/etcdserverpb.Auth/AuthEnable`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthEnableRequest {}

/// Request of `/etcdserverpb.Auth/AuthDisable`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthDisableRequest {}

/// Request of `/etcdserverpb.Auth/AuthStatus`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthStatusRequest {}

/// Request of `/etcdserverpb.Auth/Authenticate`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthenticateRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub password: String,
}

/// Request of `/etcdserverpb.Auth/UserAdd`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserAddRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub password: String,
    #[prost(message, optional, tag = "3")]
    pub options: Option<crate::authpb::UserAddOptions>,
    #[prost(string, tag = "4")]
    pub hashed_password: String,
}

/// Request of `/etcdserverpb.Auth/UserGet`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserGetRequest {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// Request of `/etcdserverpb.Auth/UserDelete`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserDeleteRequest {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// Request of `/etcdserverpb.Auth/UserChangePassword`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserChangePasswordRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub password: String,
    #[prost(string, tag = "3")]
    pub hashed_password: String,
}

/// Request of `/etcdserverpb.Auth/UserGrantRole`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserGrantRoleRequest {
    #[prost(string, tag = "1")]
    pub user: String,
    #[prost(string, tag = "2")]
    pub role: String,
}

/// Request of `/etcdserverpb.Auth/UserRevokeRole`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserRevokeRoleRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub role: String,
}

/// Request of `/etcdserverpb.Auth/RoleAdd`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthRoleAddRequest {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// Request of `/etcdserverpb.Auth/RoleGet`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthRoleGetRequest {
    #[prost(string, tag = "1")]
    pub role: String,
}

/// Request of `/etcdserverpb.Auth/UserList`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthUserListRequest {}

/// Request of `/etcdserverpb.Auth/RoleList`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthRoleListRequest {}

/// Request of `/etcdserverpb.Auth/RoleDelete`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthRoleDeleteRequest {
    #[prost(string, tag = "1")]
    pub role: String,
}

/// Request of `/etcdserverpb.Auth/RoleGrantPermission`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthRoleGrantPermissionRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub perm: Option<crate::authpb::Permission>,
}

/// Request of `/etcdserverpb.Auth/RoleRevokePermission`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthRoleRevokePermissionRequest {
    #[prost(string, tag = "1")]
    pub role: String,
    /// First key of the range, or the only one.
    #[prost(bytes = "bytes", tag = "2")]
    pub key: Bytes,
    /// End of the range, exclusive; empty: only `key`; one zero byte: everything from `key` on.
    #[prost(bytes = "bytes", tag = "3")]
    pub range_end: Bytes,
}

/// Answer of `/etcdserverpb.Auth/AuthEnable`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthEnableResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/AuthDisable`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthDisableResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/AuthStatus`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthStatusResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(bool, tag = "2")]
    pub enabled: bool,
    #[prost(uint64, tag = "3")]
    pub auth_revision: u64,
}

/// Answer of `/etcdserverpb.Auth/Authenticate`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthenticateResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(string, tag = "2")]
    pub token: String,
}

/// Answer of `/etcdserverpb.Auth/UserAdd`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthUserAddResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/UserGet`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserGetResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(string, repeated, tag = "2")]
    pub roles: Vec<String>,
}

/// Answer of `/etcdserverpb.Auth/UserDelete`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthUserDeleteResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/UserChangePassword`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthUserChangePasswordResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/UserGrantRole`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthUserGrantRoleResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/UserRevokeRole`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthUserRevokeRoleResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/RoleAdd`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthRoleAddResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/RoleGet`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthRoleGetResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub perm: Vec<crate::authpb::Permission>,
}

/// Answer of `/etcdserverpb.Auth/RoleList`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthRoleListResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(string, repeated, tag = "2")]
    pub roles: Vec<String>,
}

/// Answer of `/etcdserverpb.Auth/UserList`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AuthUserListResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(string, repeated, tag = "2")]
    pub users: Vec<String>,
}

/// Answer of `/etcdserverpb.Auth/RoleDelete`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthRoleDeleteResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/RoleGrantPermission`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthRoleGrantPermissionResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}

/// Answer of `/etcdserverpb.Auth/RoleRevokePermission`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AuthRoleRevokePermissionResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}
