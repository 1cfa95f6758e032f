//! Priority, DefaultTolerationSeconds and TaintNodesByCondition.

use super::{Attributes, Verb, all, find};
use crate::errors::ApiError;
use crate::object::Object;
use crate::server::Server;
use kube::object::Struct;
use sim::Ctx;
use std::rc::Rc;

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// A new node is tainted until its conditions say that it is ready.
pub(super) fn taint_node(a: &Attributes, obj: &mut Object) -> Result<(), ApiError> {
    let Object::Typed(node) = obj else { return Ok(()) };
    if !a.core("nodes") || a.verb != Verb::Create || !a.subresource.is_empty() {
        return Ok(());
    }
    let has = node
        .structs_at("spec.taints")
        .any(|t| t.str_at("key") == NOT_READY && t.str_at("effect") == "NoSchedule");
    if !has && let Some(mut taint) = Struct::named("core/v1.Taint") {
        taint.set("key", NOT_READY);
        taint.set("effect", "NoSchedule");
        node.push_at("spec.taints", taint);
    }
    Ok(())
}

/// Pods stay five minutes on a node that is not ready or not reachable, unless they say otherwise.
pub(super) fn tolerations(a: &Attributes, obj: &mut Object) -> Result<(), ApiError> {
    let Object::Typed(pod) = obj else { return Ok(()) };
    if !a.core("pods") || a.verb == Verb::Delete || !a.subresource.is_empty() {
        return Ok(());
    }
    for key in [NOT_READY, UNREACHABLE] {
        let tolerated = pod.structs_at("spec.tolerations").any(|t| {
            let effect = t.str_at("effect");
            (t.str_at("key") == key || t.str_at("key").is_empty())
                && (effect == "NoExecute" || effect.is_empty())
        });
        if !tolerated && let Some(mut t) = Struct::named("core/v1.Toleration") {
            t.set("key", key);
            t.set("operator", "Exists");
            t.set("effect", "NoExecute");
            t.set("tolerationSeconds", 300i64);
            pod.push_at("spec.tolerations", t);
        }
    }
    Ok(())
}

/// A Pod's priority and preemption policy from its class, or from the default class.
pub(super) async fn priority(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    obj: &mut Object,
) -> Result<(), ApiError> {
    let Object::Typed(pod) = obj else { return Ok(()) };
    if !a.core("pods") || a.verb != Verb::Create || !a.subresource.is_empty() {
        return Ok(());
    }
    let class = pod.str_at("spec.priorityClassName").to_owned();
    let found = if class.is_empty() {
        let default = all(server, "scheduling.k8s.io", "priorityclasses", "")
            .into_iter()
            .filter(|c| c.typed().and_then(|s| s.bool_at("globalDefault")) == Some(true))
            .min_by_key(|c| c.int_at("value").unwrap_or(0));
        if let Some(d) = &default {
            pod.set_at("spec.priorityClassName", d.name());
        }
        default
    } else {
        let found = find(server, ctx, "scheduling.k8s.io", "priorityclasses", "", &class).await;
        if found.is_none() {
            let why = format!("no PriorityClass with name {class} was found");
            return Err(ApiError::forbidden("", "pods", &a.name, &why));
        }
        found
    };
    let value = found.as_ref().and_then(|c| c.int_at("value")).unwrap_or(0);
    if let Some(given) = pod.int_at("spec.priority")
        && given != value
    {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller \
             computed {value} from the given PriorityClass name"
        );
        return Err(ApiError::forbidden("", "pods", &a.name, &why));
    }
    pod.set_at("spec.priority", value);
    let policy = found
        .as_ref()
        .map(|c| c.str_at("preemptionPolicy"))
        .filter(|p| !p.is_empty())
        .unwrap_or("PreemptLowerPriority")
        .to_owned();
    let given = pod.str_at("spec.preemptionPolicy");
    if !given.is_empty() && given != policy {
        let why = format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority admission \
             controller computed {policy} from the given PriorityClass name"
        );
        return Err(ApiError::forbidden("", "pods", &a.name, &why));
    }
    pod.set_at("spec.preemptionPolicy", policy);
    Ok(())
}

/// Only one PriorityClass may be the default.
pub(super) fn validate_priority(server: &Rc<Server>, a: &Attributes, obj: &Object) -> Result<(), ApiError> {
    if a.resource != "priorityclasses" || a.group != "scheduling.k8s.io" {
        return Ok(());
    }
    if obj.typed().and_then(|s| s.bool_at("globalDefault")) != Some(true) {
        return Ok(());
    }
    let other = all(server, "scheduling.k8s.io", "priorityclasses", "")
        .into_iter()
        .find(|c| c.name() != obj.name() && c.typed().and_then(|s| s.bool_at("globalDefault")) == Some(true));
    match other {
        Some(o) => Err(ApiError::forbidden(
            &a.group,
            &a.resource,
            obj.name(),
            &format!("PriorityClass {} is already marked as default. Only one default can exist", o.name()),
        )),
        None => Ok(()),
    }
}
