//! Errors of the storage and the Status each becomes, by operation.

use crate::errors::ApiError;
use wire::rpc::{Code, Status, errors as etcd};

/// Why a storage operation failed.
#[derive(Clone, Debug, PartialEq)]
pub enum StorageError {
    /// Code 1.
    KeyNotFound {
        /// The etcd key.
        key: String,
    },
    /// Code 2.
    KeyExists {
        /// The etcd key.
        key: String,
    },
    /// Code 4: a precondition does not hold.
    InvalidObject {
        /// The etcd key.
        key: String,
        /// Which one and why.
        why: String,
    },
    /// The value cannot be transformed or decoded.
    Internal(String),
    /// A resourceVersion from the future.
    TooLargeResourceVersion {
        /// Asked for.
        wanted: u64,
        /// Present.
        current: u64,
        /// Seconds to wait, 0 for none.
        retry: i64,
    },
    /// Already a Status: from admission, validation, strategies.
    Api(Box<ApiError>),
    /// What etcd answered.
    Etcd(Status),
    /// Anything else, passed on as it is.
    Other(String),
}

impl From<ApiError> for StorageError {
    fn from(e: ApiError) -> StorageError {
        StorageError::Api(Box::new(e))
    }
}

impl From<Status> for StorageError {
    fn from(s: Status) -> StorageError {
        StorageError::Etcd(s)
    }
}

/// The text of an etcd error as Go's client gives it: bare for errors it knows, with `rpc error:` for others.
pub fn etcd_text(s: &Status) -> String {
    if s.known().is_some() { s.message.clone() } else { s.to_string() }
}

/// Whether the request was too large for etcd or for its client; then the request is tried once without managedFields.
pub fn is_too_large(e: &ApiError) -> bool {
    e.message == etcd::REQUEST_TOO_LARGE.text || e.message.contains("trying to send message larger than max")
}

/// Whether an etcd error says that the revision is compacted.
pub fn is_compacted(s: &Status) -> bool {
    s.is(etcd::COMPACTED)
}

/// Which operation failed; it decides what an error becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// One object read.
    Get,
    /// Many.
    List,
    /// A new one.
    Create,
    /// A changed one.
    Update,
    /// A removed one.
    Delete,
}

impl StorageError {
    /// `StorageError: …` as the original prints it.
    fn text(name: &str, code: u8, key: &str, more: &str) -> String {
        format!(
            "StorageError: {name}, Code: {code}, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {more}"
        )
    }

    /// The Status for an operation on `name` of a resource.
    pub fn interpret(self, op: Operation, group: &str, resource: &str, name: &str) -> ApiError {
        match self {
            StorageError::Api(e) => *e,
            StorageError::KeyNotFound { key } if op == Operation::Create || op == Operation::List => {
                ApiError::raw(Self::text("key not found", 1, &key, "<nil>"))
            }
            StorageError::KeyNotFound { .. } => ApiError::not_found(group, resource, name),
            StorageError::KeyExists { .. } if op == Operation::Create => {
                ApiError::already_exists(group, resource, name)
            }
            StorageError::KeyExists { key } => {
                ApiError::conflict(group, resource, name, &Self::text("key exists", 2, &key, "<nil>"))
            }
            StorageError::InvalidObject { key, why } => {
                let text = Self::text("invalid object", 4, &key, &why);
                ApiError::conflict(group, resource, name, &text)
            }
            StorageError::Internal(text) => ApiError::internal(&text),
            StorageError::TooLargeResourceVersion { wanted, current, retry } => {
                ApiError::too_large_resource_version(wanted, current, retry)
            }
            StorageError::Etcd(s) if s.code == Code::DeadlineExceeded || s.code == Code::Canceled => {
                ApiError::timeout(&format!(
                    "request did not complete within requested timeout - {}",
                    "context deadline exceeded"
                ))
            }
            StorageError::Etcd(s) => ApiError::raw(etcd_text(&s)),
            StorageError::Other(text) => ApiError::raw(text),
        }
    }
}
