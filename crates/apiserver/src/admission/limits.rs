//! LimitRanger: defaults for containers from the namespace's LimitRanges, and their bounds.

use super::{Attributes, Verb, all};
use crate::errors::{ApiError, aggregate};
use crate::object::Object;
use crate::server::Server;
use kube::object::{Struct, Value};
use kube::quantity::Quantity;
use std::collections::BTreeMap;
use std::rc::Rc;

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

fn applies(a: &Attributes) -> bool {
    a.core("pods") && a.subresource.is_empty() && a.verb == Verb::Create
}

fn quantities(s: &Struct, path: &str) -> BTreeMap<String, Quantity> {
    s.map_at(path)
        .into_iter()
        .flatten()
        .filter_map(|(k, v)| match v {
            Value::Quantity(q) => Some((k.clone(), q.clone())),
            _ => None,
        })
        .collect()
}

fn items(server: &Rc<Server>, namespace: &str) -> Vec<Struct> {
    all(server, "", "limitranges", namespace)
        .iter()
        .filter_map(|r| r.typed().cloned())
        .flat_map(|r| r.structs_at("spec.limits").cloned().collect::<Vec<_>>())
        .collect()
}

/// Containers without requests or limits get the defaults.
pub(super) fn mutate(server: &Rc<Server>, a: &Attributes, obj: &mut Object) -> Result<(), ApiError> {
    let Object::Typed(pod) = obj else { return Ok(()) };
    if !applies(a) {
        return Ok(());
    }
    let mut limits = BTreeMap::new();
    let mut requests = BTreeMap::new();
    for item in items(server, &a.namespace) {
        if item.str_at("type") == "Container" {
            limits.extend(quantities(&item, "default"));
            requests.extend(quantities(&item, "defaultRequest"));
        }
    }
    if limits.is_empty() && requests.is_empty() {
        return Ok(());
    }
    let mut notes = Vec::new();
    for (list, what) in [("spec.containers", "container"), ("spec.initContainers", "init container")] {
        for i in 0..pod.list_at(list).len() {
            let name = pod.str_at(&format!("{list}[{i}].name")).to_owned();
            for (side, defaults) in [("requests", &requests), ("limits", &limits)] {
                let path = format!("{list}[{i}].resources.{side}");
                let mut have: BTreeMap<String, Value> = pod.map_at(&path).cloned().unwrap_or_default();
                let mut set = Vec::new();
                for (resource, q) in defaults {
                    if !have.contains_key(resource) {
                        have.insert(resource.clone(), Value::Quantity(q.clone()));
                        set.push(resource.clone());
                    }
                }
                if !set.is_empty() {
                    pod.set_at(&path, have);
                    let word = if side == "limits" { "limit" } else { "request" };
                    notes.push(format!("{} {word} for {what} {name}", set.join(", ")));
                }
            }
        }
    }
    if !notes.is_empty() {
        let mut annotations = pod.annotations();
        annotations.insert(ANNOTATION.to_owned(), format!("LimitRanger plugin set: {}", notes.join("; ")));
        pod.set_at("metadata.annotations", annotations);
    }
    Ok(())
}

/// Every container within minimum and maximum.
pub(super) fn validate(server: &Rc<Server>, a: &Attributes, obj: &Object) -> Result<(), ApiError> {
    let Object::Typed(pod) = obj else { return Ok(()) };
    if !applies(a) {
        return Ok(());
    }
    let mut errors = Vec::new();
    for item in items(server, &a.namespace) {
        let kind = item.str_at("type").to_owned();
        if kind != "Container" {
            continue;
        }
        for c in pod.structs_at("spec.containers") {
            let (requests, limits) = (quantities(c, "resources.requests"), quantities(c, "resources.limits"));
            for (resource, min) in quantities(&item, "min") {
                match requests.get(&resource) {
                    None => errors.push(format!(
                        "minimum {resource} usage per {kind} is {min}.  No request is specified"
                    )),
                    Some(q) if q.milli_value() < min.milli_value() => errors
                        .push(format!("minimum {resource} usage per {kind} is {min}, but request is {q}")),
                    Some(_) => {}
                }
            }
            for (resource, max) in quantities(&item, "max") {
                match limits.get(&resource) {
                    None => errors.push(format!(
                        "maximum {resource} usage per {kind} is {max}.  No limit is specified"
                    )),
                    Some(q) if q.milli_value() > max.milli_value() => {
                        errors.push(format!("maximum {resource} usage per {kind} is {max}, but limit is {q}"))
                    }
                    Some(_) => {}
                }
            }
        }
    }
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::forbidden("", "pods", &a.name, &aggregate(errors)))
}
