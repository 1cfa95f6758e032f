//! When `metadata.generation` starts at 1 and when it moves.

use super::Info;
use crate::object::Object;
use kube::json::Json;

/// A kind's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// 0 for ever.
    Never,
    /// 1 at create, never moves.
    Fixed,
    /// 1 at create, moves when what is at this path changes.
    On(&'static str),
    /// As `On`, and when annotations change.
    OnOrAnnotations(&'static str),
    /// 0 at create, moves with the spec.
    LaterOn(&'static str),
    /// 1 at create, moves with anything but metadata, or with labels.
    AllButMetadata,
}

fn rule(info: &Info) -> Rule {
    match (info.group.as_str(), info.resource.as_str()) {
        ("apps", "deployments") => Rule::OnOrAnnotations("spec"),
        ("", "podtemplates") => Rule::On("template"),
        ("", "pods" | "replicationcontrollers")
        | ("apps", "daemonsets" | "replicasets" | "statefulsets")
        | ("batch", "jobs" | "cronjobs")
        | ("networking.k8s.io", "ingresses" | "ingressclasses" | "networkpolicies")
        | ("policy", "poddisruptionbudgets")
        | ("flowcontrol.apiserver.k8s.io", "flowschemas" | "prioritylevelconfigurations")
        | ("resource.k8s.io", "deviceclasses" | "devicetaintrules" | "resourceslices")
        | ("apiextensions.k8s.io", "customresourcedefinitions")
        | (
            "admissionregistration.k8s.io",
            "mutatingadmissionpolicies"
            | "mutatingadmissionpolicybindings"
            | "validatingadmissionpolicies"
            | "validatingadmissionpolicybindings",
        ) => Rule::On("spec"),
        (
            "admissionregistration.k8s.io",
            "mutatingwebhookconfigurations" | "validatingwebhookconfigurations",
        ) => Rule::On("webhooks"),
        ("scheduling.k8s.io", "priorityclasses") => Rule::Fixed,
        ("storage.k8s.io", "csidrivers") => Rule::LaterOn("spec"),
        ("discovery.k8s.io", "endpointslices") => Rule::AllButMetadata,
        _ => Rule::Never,
    }
}

/// Sets the generation of a new object.
pub fn at_create(info: &Info, obj: &mut Object) {
    match rule(info) {
        Rule::Never | Rule::LaterOn(_) => obj.remove_at("metadata.generation"),
        _ => obj.set_int("metadata.generation", 1),
    }
}

/// Keeps or moves the generation of a changed object.
pub fn at_update(info: &Info, new: &mut Object, old: &Object) {
    let moved = match rule(info) {
        Rule::Never | Rule::Fixed => false,
        Rule::On(p) | Rule::LaterOn(p) => !new.same_at(old, p),
        Rule::OnOrAnnotations(p) => !new.same_at(old, p) || !new.same_at(old, "metadata.annotations"),
        Rule::AllButMetadata => {
            !new.same_at(old, "metadata.labels") || without_metadata(new) != without_metadata(old)
        }
    };
    let generation = old.generation() + i64::from(moved);
    if generation == 0 {
        new.remove_at("metadata.generation");
    } else {
        new.set_int("metadata.generation", generation);
    }
}

/// The rule of custom resources: anything but metadata, and but status if that is a subresource.
pub fn custom_at_update(new: &mut Object, old: &Object, status_subresource: bool) {
    let strip = |o: &Object| {
        let mut j = without_metadata(o);
        if status_subresource {
            j.remove_at("status");
        }
        j
    };
    let generation = old.generation() + i64::from(strip(new) != strip(old));
    new.set_int("metadata.generation", generation);
}

fn without_metadata(o: &Object) -> Json {
    let mut j = o.to_json();
    j.remove_at("metadata");
    j
}
