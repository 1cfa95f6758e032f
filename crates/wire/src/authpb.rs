//! Users, roles and permissions as stored (etcd `api/authpb/auth.proto`).

use bytes::Bytes;

/// Options of a new user.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct UserAddOptions {
    #[prost(bool, tag = "1")]
    pub no_password: bool,
}

/// A user as stored in bucket `authUsers`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct User {
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub password: Bytes,
    #[prost(string, repeated, tag = "3")]
    pub roles: Vec<String>,
    #[prost(message, optional, tag = "4")]
    pub options: Option<UserAddOptions>,
}

/// What a role may do with a range of keys.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Permission {
    #[prost(enumeration = "permission::Type", tag = "1")]
    pub perm_type: i32,
    /// First key of the range, or the only one.
    #[prost(bytes = "bytes", tag = "2")]
    pub key: Bytes,
    /// End of the range, exclusive; empty: only `key`; one zero byte: everything from `key` on.
    #[prost(bytes = "bytes", tag = "3")]
    pub range_end: Bytes,
}

/// Types that belong to [`Permission`].
pub mod permission {
    /// Kinds of permission.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        /// May read.
        Read = 0,
        /// May write.
        Write = 1,
        /// May read and write.
        ReadWrite = 2,
    }

    impl Type {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::Read => "READ",
                Self::Write => "WRITE",
                Self::ReadWrite => "READWRITE",
            }
        }
    }
}

/// A role as stored in bucket `authRoles`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Role {
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    #[prost(message, repeated, tag = "2")]
    pub key_permission: Vec<Permission>,
}
