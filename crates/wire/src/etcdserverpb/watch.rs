//! Service Watch: one bidirectional stream that carries many watchers (etcd `api/etcdserverpb/rpc.proto`).

use super::*;
use bytes::Bytes;

/// One message from the client on a watch stream.
#[derive(Clone, PartialEq, prost::Message)]
pub struct WatchRequest {
    /// Create, cancel or progress.
    #[prost(oneof = "watch_request::RequestUnion", tags = "1, 2, 3")]
    pub request_union: Option<watch_request::RequestUnion>,
}

/// Types that belong to [`WatchRequest`].
pub mod watch_request {
    /// Create, cancel or progress.
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum RequestUnion {
        #[prost(message, tag = "1")]
        CreateRequest(super::WatchCreateRequest),
        #[prost(message, tag = "2")]
        CancelRequest(super::WatchCancelRequest),
        #[prost(message, tag = "3")]
        ProgressRequest(super::WatchProgressRequest),
    }
}

/// Adds a watcher to the stream.
#[derive(Clone, PartialEq, prost::Message)]
pub struct WatchCreateRequest {
    /// First key of the range, or the only one.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// End of the range, exclusive; empty: only `key`; one zero byte: everything from `key` on.
    #[prost(bytes = "bytes", tag = "2")]
    pub range_end: Bytes,
    /// First revision wanted, inclusive; 0: from now on.
    #[prost(int64, tag = "3")]
    pub start_revision: i64,
    /// Send an empty response now and then when nothing happens.
    #[prost(bool, tag = "4")]
    pub progress_notify: bool,
    /// [`watch_create_request::FilterType`] numbers.
    #[prost(enumeration = "watch_create_request::FilterType", repeated, tag = "5")]
    pub filters: Vec<i32>,
    /// Send each pair as it was before, too.
    #[prost(bool, tag = "6")]
    pub prev_kv: bool,
    /// Id of the watcher on its stream; 0 in a create request: the server picks.
    #[prost(int64, tag = "7")]
    pub watch_id: i64,
    /// Responses above the size limit may be split.
    #[prost(bool, tag = "8")]
    pub fragment: bool,
}

/// Types that belong to [`WatchCreateRequest`].
pub mod watch_create_request {
    /// Events the server leaves out.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum FilterType {
        /// No put events.
        NoPut = 0,
        /// No delete events.
        NoDelete = 1,
    }

    impl FilterType {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::NoPut => "NOPUT",
                Self::NoDelete => "NODELETE",
            }
        }
    }
}

/// Removes a watcher from the stream.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct WatchCancelRequest {
    /// Id of the watcher on its stream; 0 in a create request: the server picks.
    #[prost(int64, tag = "1")]
    pub watch_id: i64,
}

/// Asks for the current revision, answered only when every watcher of the stream is synced.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct WatchProgressRequest {}

/// One message from the server on a watch stream.
#[derive(Clone, PartialEq, prost::Message)]
pub struct WatchResponse {
    /// Who answered, and when.
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    /// Id of the watcher on its stream; 0 in a create request: the server picks.
    #[prost(int64, tag = "2")]
    pub watch_id: i64,
    /// The watcher exists from now on.
    #[prost(bool, tag = "3")]
    pub created: bool,
    /// The watcher is gone.
    #[prost(bool, tag = "4")]
    pub canceled: bool,
    /// The compaction that took the history the watcher still needed.
    #[prost(int64, tag = "5")]
    pub compact_revision: i64,
    /// Why, in words.
    #[prost(string, tag = "6")]
    pub cancel_reason: String,
    /// More of the same revisions follow in the next response.
    #[prost(bool, tag = "7")]
    pub fragment: bool,
    /// Changes, revisions never split across responses unless fragmented.
    #[prost(message, repeated, tag = "11")]
    pub events: Vec<crate::mvccpb::Event>,
}
