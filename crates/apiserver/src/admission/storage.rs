//! DefaultStorageClass and StorageObjectInUseProtection.

use super::{Attributes, Verb, all};
use crate::errors::ApiError;
use crate::object::Object;
use crate::server::Server;
use std::rc::Rc;

const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// A claim without a class gets the newest default class.
pub(super) fn default_class(server: &Rc<Server>, a: &Attributes, obj: &mut Object) -> Result<(), ApiError> {
    if !a.core("persistentvolumeclaims") || a.verb != Verb::Create || obj.has("spec.storageClassName") {
        return Ok(());
    }
    let newest = all(server, "storage.k8s.io", "storageclasses", "")
        .into_iter()
        .filter(|c| c.map_at("metadata.annotations").get(DEFAULT_CLASS).is_some_and(|v| v == "true"))
        .max_by_key(|c| {
            let created = c.time_at("metadata.creationTimestamp").map_or(0, |t| t.unix_nanos());
            (created, std::cmp::Reverse(c.name().to_owned()))
        });
    if let Some(c) = newest {
        obj.set_str("spec.storageClassName", c.name());
    }
    Ok(())
}

/// Claims and volumes in use are kept by a finalizer.
pub(super) fn protect(a: &Attributes, obj: &mut Object) -> Result<(), ApiError> {
    if a.verb != Verb::Create || !a.subresource.is_empty() {
        return Ok(());
    }
    let finalizer = if a.core("persistentvolumeclaims") {
        "kubernetes.io/pvc-protection"
    } else if a.core("persistentvolumes") {
        "kubernetes.io/pv-protection"
    } else {
        return Ok(());
    };
    let mut list = obj.finalizers();
    if !list.iter().any(|f| f == finalizer) {
        list.push(finalizer.to_owned());
        obj.set_strs("metadata.finalizers", list);
    }
    Ok(())
}
