//! Strategies: what a kind does to its objects before they are checked and stored.

use super::{Info, generation};
use crate::errors::{ApiError, FieldFault};
use crate::object::Object;
use kube::object::{Struct, Value};
use kube::quantity::Quantity;

/// Resources whose PUT creates a missing object.
pub fn allow_create_on_update(info: &Info) -> bool {
    matches!(
        (info.group.as_str(), info.resource.as_str()),
        ("node.k8s.io", "runtimeclasses")
            | ("rbac.authorization.k8s.io", _)
            | ("coordination.k8s.io", "leases" | "leasecandidates")
            | ("", "limitranges" | "events" | "services" | "endpoints")
    )
}

/// Whether a PUT without resourceVersion overwrites the latest object.
pub fn allow_unconditional_update(info: &Info, custom: bool) -> bool {
    !custom
        && !matches!(
            (info.group.as_str(), info.resource.as_str()),
            ("admissionregistration.k8s.io", _)
                | ("internal.apiserver.k8s.io", "storageversions")
                | ("certificates.k8s.io", "clustertrustbundles" | "podcertificaterequests")
                | ("coordination.k8s.io", _)
                | ("node.k8s.io", "runtimeclasses")
                | ("policy", "poddisruptionbudgets")
                | ("resource.k8s.io", "resourcepoolstatusrequests")
                | (
                    "storage.k8s.io",
                    "csidrivers" | "csinodes" | "csistoragecapacities" | "volumeattachments"
                )
                | ("storagemigration.k8s.io", "storageversionmigrations")
                | ("apiextensions.k8s.io", "customresourcedefinitions")
                | ("apiregistration.k8s.io", "apiservices")
        )
}

/// Whether the kind's status belongs to the `/status` subresource, so that other writes keep it.
fn has_status(info: &Info) -> bool {
    kube::catalog::all()
        .iter()
        .any(|r| r.group == info.group && r.resource == info.resource && r.subresource("status").is_some())
}

/// `PrepareForCreate`.
pub fn prepare_for_create(info: &Info, obj: &mut Object, unix_seconds: i64) {
    generation::at_create(info, obj);
    let Object::Typed(s) = obj else { return };
    match (info.group.as_str(), info.resource.as_str()) {
        ("", "nodes") => {}
        ("", "namespaces") => {
            s.remove_at("status");
            s.set_at("status.phase", "Active");
            let mut list: Vec<String> = s.strs_at("spec.finalizers").map(str::to_owned).collect();
            if !list.iter().any(|f| f == "kubernetes") {
                list.push("kubernetes".to_owned());
            }
            s.set_at("spec.finalizers", list);
        }
        ("", "pods") => {
            let qos = qos_class(s);
            s.remove_at("status");
            s.set_at("status.phase", "Pending");
            s.set_at("status.qosClass", qos);
            if !s.list_at("spec.schedulingGates").is_empty()
                && let Some(mut c) = Struct::named("core/v1.PodCondition")
            {
                c.set("type", "PodScheduled");
                c.set("status", "False");
                c.set("reason", "SchedulingGated");
                c.set("message", "Scheduling is blocked due to non-empty scheduling gates");
                s.push_at("status.conditions", c);
            }
        }
        ("", "persistentvolumeclaims" | "persistentvolumes") => {
            s.remove_at("status");
            s.set_at("status.phase", "Pending");
            if info.resource == "persistentvolumes" {
                s.set_at("status.lastPhaseTransitionTime", kube::time::Time::from_unix(unix_seconds));
            }
        }
        ("apps", "daemonsets") => {
            s.remove_at("status");
            if s.int_at("spec.templateGeneration").unwrap_or(0) < 1 {
                s.set_at("spec.templateGeneration", 1i64);
            }
        }
        ("", "replicationcontrollers") | ("apps", "replicasets") => {
            s.remove_at("status");
        }
        ("apiregistration.k8s.io", "apiservices") => {
            s.remove_at("status");
            if s.struct_at("spec.service").is_none()
                && !s.has("spec.service")
                && let Some(mut c) = Struct::named("kube-aggregator/apiregistration/v1.APIServiceCondition")
                    .or_else(|| Struct::named("apiregistration/v1.APIServiceCondition"))
            {
                c.set("type", "Available");
                c.set("status", "True");
                c.set("reason", "Local");
                c.set("message", "Local APIServices are always available");
                c.set("lastTransitionTime", kube::time::Time::from_unix(unix_seconds));
                s.push_at("status.conditions", c);
            }
        }
        ("apiextensions.k8s.io", "customresourcedefinitions") => {
            s.remove_at("status");
            let stored: Vec<String> = s
                .structs_at("spec.versions")
                .filter(|v| v.get("storage").is_some())
                .map(|v| v.str_at("name").to_owned())
                .collect();
            s.set_at("status.storedVersions", stored);
        }
        ("networking.k8s.io", "networkpolicies") => {
            s.remove_at("status");
        }
        _ if has_status(info) => {
            s.remove_at("status");
        }
        _ => {}
    }
}

/// `PrepareForUpdate`: for the main resource the status stays, for `/status` everything else does.
pub fn prepare_for_update(info: &Info, subresource: &str, new: &mut Object, old: &Object) {
    let key = (info.group.as_str(), info.resource.as_str());
    match subresource {
        "status" => {
            new.copy_from(old, "spec");
            match key {
                ("", "pods") => {
                    new.copy_from(old, "metadata.ownerReferences");
                    new.remove_at("metadata.deletionTimestamp");
                    if new.str_at("status.qosClass").is_empty() {
                        new.copy_from(old, "status.qosClass");
                    }
                }
                ("apps", "deployments") => new.copy_from(old, "metadata.labels"),
                ("apiextensions.k8s.io", _) => {
                    let rv = new.str_at("metadata.resourceVersion").to_owned();
                    let fields = managed_fields(new);
                    new.copy_from(old, "metadata");
                    new.set_str("metadata.resourceVersion", &rv);
                    set_managed_fields(new, fields);
                }
                _ => {}
            }
            new.copy_from(old, "metadata.generation");
        }
        "finalize" => {
            new.copy_from(old, "status");
        }
        _ => {
            if has_status(info) || key == ("networking.k8s.io", "networkpolicies") {
                new.copy_from(old, "status");
            }
            match key {
                ("", "namespaces") => {
                    new.copy_from(old, "spec.finalizers");
                    let name = new.name().to_owned();
                    if let Object::Typed(s) = new {
                        let mut labels = s.labels();
                        labels.insert("kubernetes.io/metadata.name".into(), name);
                        s.set_at("metadata.labels", labels);
                    }
                }
                ("apps", "daemonsets") => {
                    new.copy_from(old, "spec.templateGeneration");
                    if !new.same_at(old, "spec.template") {
                        let next = old.int_at("spec.templateGeneration").unwrap_or(0) + 1;
                        new.set_int("spec.templateGeneration", next);
                    }
                }
                ("apiextensions.k8s.io", "customresourcedefinitions") => {
                    if let (Object::Typed(n), Object::Typed(_)) = (&mut *new, old) {
                        let mut stored: Vec<String> =
                            n.strs_at("status.storedVersions").map(str::to_owned).collect();
                        let current = n
                            .structs_at("spec.versions")
                            .find(|v| v.get("storage").is_some())
                            .map(|v| v.str_at("name").to_owned());
                        if let Some(c) = current
                            && !stored.contains(&c)
                        {
                            stored.push(c);
                            n.set_at("status.storedVersions", stored);
                        }
                    }
                }
                _ => {}
            }
            generation::at_update(info, new, old);
        }
    }
}

fn managed_fields(o: &Object) -> Option<Value> {
    o.typed().and_then(|s| s.at("metadata.managedFields").cloned())
}

fn set_managed_fields(o: &mut Object, v: Option<Value>) {
    if let (Object::Typed(s), Some(v)) = (o, v) {
        s.set_at("metadata.managedFields", v);
    }
}

/// The quality of service of a Pod: `Guaranteed` if every container has equal requests and limits of cpu and memory,
/// `BestEffort` if none has any, else `Burstable`.
pub fn qos_class(pod: &Struct) -> &'static str {
    let mut any = false;
    let mut guaranteed = true;
    let resources = |path: &str| pod.at(path).is_some();
    if resources("spec.resources.requests") || resources("spec.resources.limits") {
        return level(std::iter::once(pod.struct_at("spec.resources")));
    }
    let containers = pod.structs_at("spec.containers").chain(pod.structs_at("spec.initContainers"));
    for c in containers {
        match level(std::iter::once(c.struct_at("resources"))) {
            "BestEffort" => guaranteed = false,
            "Burstable" => {
                any = true;
                guaranteed = false;
            }
            _ => any = true,
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

fn level<'a>(resources: impl Iterator<Item = Option<&'a Struct>>) -> &'static str {
    let mut class = "Guaranteed";
    for r in resources {
        let get = |side: &str, name: &str| -> Option<Quantity> {
            match r?.map_at(side)?.get(name)? {
                Value::Quantity(q) if !q.is_zero() => Some(q.clone()),
                _ => None,
            }
        };
        let names = ["cpu", "memory"];
        let none = names.iter().all(|n| get("requests", n).is_none() && get("limits", n).is_none());
        if none {
            return "BestEffort";
        }
        let equal = names.iter().all(|n| match (get("requests", n), get("limits", n)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        });
        if !equal {
            class = "Burstable";
        }
    }
    class
}

/// Checks that hold for every update whatever the kind.
pub fn check_update(info: &Info, new: &Object, old: &Object) -> Result<(), ApiError> {
    let mut faults = Vec::new();
    if old.deletion_timestamp().is_some() {
        let before = old.finalizers();
        let added: Vec<String> = new.finalizers().into_iter().filter(|f| !before.contains(f)).collect();
        if !added.is_empty() {
            let list: Vec<String> = added.iter().map(|f| format!("{f:?}")).collect();
            faults.push(FieldFault::forbidden(
                "metadata.finalizers",
                &format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    list.join(", ")
                ),
            ));
        }
    }
    if new.uid() != old.uid() && !new.uid().is_empty() {
        let value = kube::json::go_quote(new.uid());
        faults.push(FieldFault::invalid("metadata.uid", &value, "field is immutable"));
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(&info.group, &info.hub.kind, new.name(), &faults))
}

/// Paths that the strategy resets, which therefore no manager owns by such a request.
pub fn reset_fields(info: &Info, subresource: &str) -> crate::managedfields::Set {
    let key = (info.group.as_str(), info.resource.as_str());
    let paths: &[&str] = match (subresource, key) {
        ("status", ("", "pods")) => &["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
        ("status", ("apps", "deployments")) => &["spec", "metadata.labels"],
        ("status", _) => &["spec"],
        ("", ("", "nodes")) => &["status"],
        ("", _) if has_status(info) => &["status"],
        _ => &[],
    };
    crate::managedfields::Set::of_fields(paths)
}
