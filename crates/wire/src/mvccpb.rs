//! Key-value pairs and events, as stored and as watched (etcd `api/mvccpb/kv.proto`).

use bytes::Bytes;

/// A key with its value and the revisions it lived through.
#[derive(Clone, PartialEq, prost::Message)]
pub struct KeyValue {
    /// The key.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// Revision of the put that created the key.
    #[prost(int64, tag = "2")]
    pub create_revision: i64,
    /// Revision of its last change.
    #[prost(int64, tag = "3")]
    pub mod_revision: i64,
    /// Changes since it was created, that one included; 0 in a tombstone.
    #[prost(int64, tag = "4")]
    pub version: i64,
    /// The value.
    #[prost(bytes = "bytes", tag = "5")]
    pub value: Bytes,
    /// Lease it is attached to; 0: none.
    #[prost(int64, tag = "6")]
    pub lease: i64,
}

/// A change of one key.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Event {
    /// An [`event::EventType`].
    #[prost(enumeration = "event::EventType", tag = "1")]
    pub r#type: i32,
    /// The pair, or the tombstone.
    #[prost(message, optional, tag = "2")]
    pub kv: Option<KeyValue>,
    /// The pair before, if asked for and still there.
    #[prost(message, optional, tag = "3")]
    pub prev_kv: Option<KeyValue>,
}

/// Types that belong to [`Event`].
pub mod event {
    /// Kinds of events.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum EventType {
        /// The key was put: `kv` is the new pair.
        Put = 0,
        /// The key was deleted: `kv` holds the key and the revision of the deletion.
        Delete = 1,
    }

    impl EventType {
        /// The name in the .proto file, as JSON and text formats print it.
        pub fn as_str_name(self) -> &'static str {
            match self {
                Self::Put => "PUT",
                Self::Delete => "DELETE",
            }
        }
    }
}
