//! Service KV: ranges, puts, deletes, transactions, compaction (etcd `api/etcdserverpb/rpc.proto`).

use bytes::Bytes;

/// Who answered, and at which revision of the store.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct ResponseHeader {
    /// Id of the cluster.
    #[prost(uint64, tag = "1")]
    pub cluster_id: u64,
    /// Id of the member that answered.
    #[prost(uint64, tag = "2")]
    pub member_id: u64,
    /// Revision of the store when it answered; not the key's.
    #[prost(int64, tag = "3")]
    pub revision: i64,
    /// Raft term of the last applied entry.
    #[prost(uint64, tag = "4")]
    pub raft_term: u64,
}

/// Request of `/etcdserverpb.KV/Range`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RangeRequest {
    /// First key of the range, or the only one.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// End of the range, exclusive; empty: only `key`; one zero byte: everything from `key` on.
    #[prost(bytes = "bytes", tag = "2")]
    pub range_end: Bytes,
    /// At most so many pairs; 0: no limit.
    #[prost(int64, tag = "3")]
    pub limit: i64,
    /// Read as of this revision; 0 or less: now.
    #[prost(int64, tag = "4")]
    pub revision: i64,
    /// A [`range_request::SortOrder`].
    #[prost(enumeration = "range_request::SortOrder", tag = "5")]
    pub sort_order: i32,
    /// A [`range_request::SortTarget`].
    #[prost(enumeration = "range_request::SortTarget", tag = "6")]
    pub sort_target: i32,
    /// Answer from this member at once, perhaps stale.
    #[prost(bool, tag = "7")]
    pub serializable: bool,
    /// Leave values out.
    #[prost(bool, tag = "8")]
    pub keys_only: bool,
    /// Only count.
    #[prost(bool, tag = "9")]
    pub count_only: bool,
    /// Drop pairs modified before; 0: off.
    #[prost(int64, tag = "10")]
    pub min_mod_revision: i64,
    /// Drop pairs modified after; 0: off.
    #[prost(int64, tag = "11")]
    pub max_mod_revision: i64,
    /// Drop pairs created before; 0: off.
    #[prost(int64, tag = "12")]
    pub min_create_revision: i64,
    /// Drop pairs created after; 0: off.
    #[prost(int64, tag = "13")]
    pub max_create_revision: i64,
}

/// Types that belong to [`RangeRequest`].
pub mod range_request {
    /// Direction of the result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum SortOrder {
        /// As the keys stand, unless the target is not the key: then ascending.
        None = 0,
        /// Lowest first.
        Ascend = 1,
        /// Highest first.
        Descend = 2,
    }

    impl SortOrder {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::None => "NONE",
                Self::Ascend => "ASCEND",
                Self::Descend => "DESCEND",
            }
        }
    }

    /// What the result is sorted by.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum SortTarget {
        /// The key bytes.
        Key = 0,
        /// The version.
        Version = 1,
        /// The create revision.
        Create = 2,
        /// The mod revision.
        Mod = 3,
        /// The value bytes.
        Value = 4,
    }

    impl SortTarget {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::Key => "KEY",
                Self::Version => "VERSION",
                Self::Create => "CREATE",
                Self::Mod => "MOD",
                Self::Value => "VALUE",
            }
        }
    }
}

/// Answer of `/etcdserverpb.KV/Range`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RangeResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// The pairs.
    #[prost(message, repeated, tag = "2")]
    pub kvs: Vec<crate::mvccpb::KeyValue>,
    /// Whether the limit cut something off.
    #[prost(bool, tag = "3")]
    pub more: bool,
    /// Keys in the range at that revision, whatever limit and filters say.
    #[prost(int64, tag = "4")]
    pub count: i64,
}

/// Request of `/etcdserverpb.KV/Put`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PutRequest {
    /// The key to put; never empty.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// The value.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
    /// Lease to attach the key to; 0: none.
    #[prost(int64, tag = "3")]
    pub lease: i64,
    /// Answer with the pair as it was before.
    #[prost(bool, tag = "4")]
    pub prev_kv: bool,
    /// Keep the value the key has.
    #[prost(bool, tag = "5")]
    pub ignore_value: bool,
    /// Keep the lease the key has.
    #[prost(bool, tag = "6")]
    pub ignore_lease: bool,
}

/// Answer of `/etcdserverpb.KV/Put`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PutResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// The pair before this put, if asked for and there was one.
    #[prost(message, optional, tag = "2")]
    pub prev_kv: Option<crate::mvccpb::KeyValue>,
}

/// Request of `/etcdserverpb.KV/DeleteRange`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DeleteRangeRequest {
    /// First key of the range, or the only one.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// End of the range, exclusive; empty: only `key`; one zero byte: everything from `key` on.
    #[prost(bytes = "bytes", tag = "2")]
    pub range_end: Bytes,
    /// Answer with the deleted pairs.
    #[prost(bool, tag = "3")]
    pub prev_kv: bool,
}

/// Answer of `/etcdserverpb.KV/DeleteRange`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DeleteRangeResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// How many keys were deleted.
    #[prost(int64, tag = "2")]
    pub deleted: i64,
    /// The deleted pairs in key order, if asked for.
    #[prost(message, repeated, tag = "3")]
    pub prev_kvs: Vec<crate::mvccpb::KeyValue>,
}

/// One operation of a transaction.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RequestOp {
    /// Which operation.
    #[prost(oneof = "request_op::Request", tags = "1, 2, 3, 4")]
    pub request: Option<request_op::Request>,
}

/// Types that belong to [`RequestOp`].
pub mod request_op {
    /// Which operation.
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Request {
        #[prost(message, tag = "1")]
        RequestRange(super::RangeRequest),
        #[prost(message, tag = "2")]
        RequestPut(super::PutRequest),
        #[prost(message, tag = "3")]
        RequestDeleteRange(super::DeleteRangeRequest),
        #[prost(message, tag = "4")]
        RequestTxn(super::TxnRequest),
    }
}

/// The answer to one operation of a transaction, in request order.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ResponseOp {
    /// Which answer.
    #[prost(oneof = "response_op::Response", tags = "1, 2, 3, 4")]
    pub response: Option<response_op::Response>,
}

/// Types that belong to [`ResponseOp`].
pub mod response_op {
    /// Which answer.
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Response {
        #[prost(message, tag = "1")]
        ResponseRange(super::RangeResponse),
        #[prost(message, tag = "2")]
        ResponsePut(super::PutResponse),
        #[prost(message, tag = "3")]
        ResponseDeleteRange(super::DeleteRangeResponse),
        #[prost(message, tag = "4")]
        ResponseTxn(super::TxnResponse),
    }
}

/// One condition of a transaction, evaluated before any of its operations.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Compare {
    /// A [`compare::CompareResult`].
    #[prost(enumeration = "compare::CompareResult", tag = "1")]
    pub result: i32,
    /// A [`compare::CompareTarget`].
    #[prost(enumeration = "compare::CompareTarget", tag = "2")]
    pub target: i32,
    /// First key of the range, or the only one.
    #[prost(bytes = "bytes", tag = "3")]
    pub key: Bytes,
    /// The value to compare with; absent means zero or empty.
    #[prost(oneof = "compare::TargetUnion", tags = "4, 5, 6, 7, 8")]
    pub target_union: Option<compare::TargetUnion>,
    /// With it, the condition must hold for every key of the range.
    #[prost(bytes = "bytes", tag = "64")]
    pub range_end: Bytes,
}

/// Types that belong to [`Compare`].
pub mod compare {
    use bytes::Bytes;

    /// The value to compare with; absent means zero or empty.
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum TargetUnion {
        /// Compare with a version.
        #[prost(int64, tag = "4")]
        Version(i64),
        /// Compare with a create revision.
        #[prost(int64, tag = "5")]
        CreateRevision(i64),
        /// Compare with a mod revision.
        #[prost(int64, tag = "6")]
        ModRevision(i64),
        /// Compare with a value.
        #[prost(bytes = "bytes", tag = "7")]
        Value(Bytes),
        /// Compare with a lease id.
        #[prost(int64, tag = "8")]
        Lease(i64),
    }

    /// The relation that must hold.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum CompareResult {
        /// Equal.
        Equal = 0,
        /// The key's property is greater than the given one.
        Greater = 1,
        /// The key's property is less than the given one.
        Less = 2,
        /// Not equal.
        NotEqual = 3,
    }

    impl CompareResult {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::Equal => "EQUAL",
                Self::Greater => "GREATER",
                Self::Less => "LESS",
                Self::NotEqual => "NOT_EQUAL",
            }
        }
    }

    /// The property of the key that is compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum CompareTarget {
        /// The version; 0 when the key is absent.
        Version = 0,
        /// The create revision; 0 when the key is absent.
        Create = 1,
        /// The mod revision; 0 when the key is absent.
        Mod = 2,
        /// The value; false when the key is absent.
        Value = 3,
        /// The lease id; 0 when the key is absent.
        Lease = 4,
    }

    impl CompareTarget {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::Version => "VERSION",
                Self::Create => "CREATE",
                Self::Mod => "MOD",
                Self::Value => "VALUE",
                Self::Lease => "LEASE",
            }
        }
    }
}

/// Request of `/etcdserverpb.KV/Txn`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TxnRequest {
    /// Conditions, all of which must hold.
    #[prost(message, repeated, tag = "1")]
    pub compare: Vec<Compare>,
    /// Operations when they hold.
    #[prost(message, repeated, tag = "2")]
    pub success: Vec<RequestOp>,
    /// Operations when one does not.
    #[prost(message, repeated, tag = "3")]
    pub failure: Vec<RequestOp>,
}

/// Answer of `/etcdserverpb.KV/Txn`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TxnResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// Whether the conditions held.
    #[prost(bool, tag = "2")]
    pub succeeded: bool,
    /// Answers of the chosen branch, in request order.
    #[prost(message, repeated, tag = "3")]
    pub responses: Vec<ResponseOp>,
}

/// Request of `/etcdserverpb.KV/Compact`: forget the history below a revision.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct CompactionRequest {
    /// The first revision that stays readable.
    #[prost(int64, tag = "1")]
    pub revision: i64,
    /// Answer only when the rows are gone from the backend.
    #[prost(bool, tag = "2")]
    pub physical: bool,
}

/// Answer of `/etcdserverpb.KV/Compact`.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct CompactionResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
}
