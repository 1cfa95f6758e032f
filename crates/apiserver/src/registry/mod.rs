//! The registry of one resource: where its objects are stored, how they are prepared, checked and removed.

mod create;
mod delete;
mod generation;
pub mod ipalloc;
mod meta;
mod read;
pub mod strategy;
mod update;

pub use create::Creation;
pub use delete::{DeleteOptions, Deletion, Propagation, returns_deleted_object};
pub use generation::custom_at_update as custom_generation;
pub use meta::{dedup_owners, fill_system_fields};
pub use read::{ReadOptions, parse_watch_version};
pub use update::{NewObject, Updated, Updating};

use crate::cacher::Cacher;
use crate::crd::Crd;
use crate::env::Env;
use crate::errors::ApiError;
use crate::storage::Store;
use kube::catalog::Gvk;
use std::rc::Rc;

/// What a resource is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// API group.
    pub group: String,
    /// Plural name.
    pub resource: String,
    /// Kind in the version the server works with.
    pub hub: Gvk,
    /// Whether objects lie in namespaces.
    pub namespaced: bool,
}

/// The registry of one resource.
pub struct Registry {
    /// Shared handles.
    pub env: Env,
    /// What it is.
    pub info: Info,
    /// Its storage.
    pub store: Rc<Store>,
    /// Its watch cache, if it has one.
    pub cacher: Option<Rc<Cacher>>,
    /// For custom resources, their definition.
    pub crd: Option<Rc<Crd>>,
}

impl Registry {
    /// Group and resource as errors name them.
    pub fn qualified(&self) -> String {
        crate::errors::qualified(&self.info.group, &self.info.resource)
    }

    /// Key of an object, without the path prefix.
    ///
    /// # Errors
    /// 400 for a missing namespace or an impossible name.
    pub fn key(&self, namespace: &str, name: &str) -> Result<String, ApiError> {
        let mut key = self.store.resource_prefix.clone();
        if self.info.namespaced {
            if namespace.is_empty() {
                return Err(ApiError::bad_request("Namespace parameter required."));
            }
            key.push('/');
            key.push_str(namespace);
        }
        if name.is_empty() {
            return Err(ApiError::bad_request("Name parameter required."));
        }
        let mut faults = Vec::new();
        match name {
            "." => faults.push("may not be '.'"),
            ".." => faults.push("may not be '..'"),
            _ => {
                if name.contains('/') {
                    faults.push("may not contain '/'");
                }
                if name.contains('%') {
                    faults.push("may not contain '%'");
                }
            }
        }
        if !faults.is_empty() {
            return Err(ApiError::bad_request(format!(
                "Name parameter invalid: {name:?}: {}",
                faults.join(";")
            )));
        }
        key.push('/');
        key.push_str(name);
        Ok(key)
    }

    /// Root of a list, without the path prefix; ends with a slash.
    pub fn root(&self, namespace: &str) -> String {
        if self.info.namespaced && !namespace.is_empty() {
            format!("{}/{namespace}/", self.store.resource_prefix)
        } else {
            format!("{}/", self.store.resource_prefix)
        }
    }

    /// TTL of an object in seconds: only events have one.
    pub fn ttl(&self) -> i64 {
        if self.info.group.is_empty() && self.info.resource == "events" {
            i64::try_from(self.env.flags.event_ttl.as_secs()).unwrap_or(i64::MAX)
        } else {
            0
        }
    }
}
