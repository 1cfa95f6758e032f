//! Subresources that are not simply the object again: binding, eviction, scale, token. `status`, `finalize` and
//! `ephemeralcontainers` go the ordinary way.

use super::{Call, Scope, decode, respond, scale};
use crate::admission::{self, Attributes, Verb};
use crate::authn::User;
use crate::errors::{ApiError, Details};
use crate::object::Object;
use crate::registry::{DeleteOptions, NewObject, Updating};
use crate::request::WriteQuery;
use kube::catalog::Gvk;
use kube::object::Struct;
use wire::http::Response;

/// `None`: the ordinary handlers take it.
pub async fn handle(call: &Call, scope: &Scope) -> Result<Option<Response>, ApiError> {
    let info = &call.info;
    if !scope.verbs.contains(&info.verb) {
        return Err(ApiError::method_not_allowed());
    }
    match info.subresource.as_str() {
        "scale" => scale::scale(call, scope).await.map(Some),
        "binding" => bind(call, scope).await.map(Some),
        "eviction" => evict(call, scope).await.map(Some),
        "token" => token(call, scope).await.map(Some),
        "status" | "finalize" | "ephemeralcontainers" | "resize" | "approval" => Ok(None),
        other => Err(ApiError::new(501, "", format!("not modelled here: {}/{other}", info.resource))),
    }
}

async fn sub_body(call: &Call, scope: &Scope) -> Result<(Object, WriteQuery), ApiError> {
    let options = WriteQuery::parse(&call.query, "CreateOptions")?;
    let wanted = scope.sub_gvk.clone().unwrap_or_else(|| scope.gvk.clone());
    let body = decode::body(call, scope, &wanted, options.field_validation).await?;
    Ok((body, options))
}

/// Assigns a Pod to a node.
struct Bind<'a> {
    call: &'a Call,
    scope: &'a Scope,
    attributes: &'a Attributes,
    binding: &'a Object,
    manager: String,
}

impl NewObject for Bind<'_> {
    async fn build(&mut self, existing: Option<&Object>, attempt: u32) -> Result<Object, ApiError> {
        let name = &self.call.info.name;
        let Some(old) = existing else { return Err(ApiError::not_found("", "pods", name)) };
        let conflict = |why: String| {
            let mut e = ApiError::conflict("", "pods/binding", name, &why);
            e.details = Some(Box::new(Details {
                name: name.clone(),
                kind: "pods/binding".into(),
                ..Details::default()
            }));
            e
        };
        if old.deletion_timestamp().is_some() {
            return Err(conflict(format!("pod {name} is being deleted, cannot be assigned to a host")));
        }
        let assigned = old.str_at("spec.nodeName");
        if !assigned.is_empty() {
            return Err(conflict(format!("pod {name} is already assigned to node {assigned:?}")));
        }
        let mut obj = old.clone();
        obj.set_str("spec.nodeName", self.binding.str_at("target.name"));
        if let (Object::Typed(pod), Object::Typed(b)) = (&mut obj, self.binding) {
            let mut annotations = pod.annotations();
            annotations.extend(b.annotations());
            if !annotations.is_empty() {
                pod.set_at("metadata.annotations", annotations);
            }
            scheduled(pod, self.call.server.env.unix_seconds());
        }
        let registry = &self.scope.registry;
        let sub = "binding";
        super::track_fields(&self.call.server, registry, existing, &mut obj, &self.manager, sub, "v1");
        let _ = (self.attributes, attempt);
        Ok(obj)
    }
}

/// The condition PodScheduled.
fn scheduled(pod: &mut Struct, now: i64) {
    let at = pod.structs_at("status.conditions").position(|c| c.str_at("type") == "PodScheduled");
    let already = at.is_some_and(|i| pod.str_at(&format!("status.conditions[{i}].status")) == "True");
    if already {
        return;
    }
    let Some(mut c) = Struct::named("core/v1.PodCondition") else { return };
    c.set("type", "PodScheduled");
    c.set("status", "True");
    c.set("lastTransitionTime", kube::time::Time::from_unix(now));
    match at {
        Some(i) => {
            pod.set_at(&format!("status.conditions[{i}]"), c);
        }
        None => {
            pod.push_at("status.conditions", c);
        }
    }
}

async fn bind(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let (binding, options) = sub_body(call, scope).await?;
    let name = call.info.name.as_str();
    if !binding.name().is_empty() && binding.name() != name {
        return Err(ApiError::bad_request("name in URL does not match name in Binding object".to_string()));
    }
    if binding.str_at("target.name").is_empty() {
        let fault = crate::errors::FieldFault::required("target.name", "");
        return Err(ApiError::invalid("", "Binding", name, &[fault]));
    }
    let attributes = call.attributes(scope, Verb::Create, name, options.dry_run);
    let mut shown = binding.clone();
    admission::mutate(&call.server, call.ctx, &attributes, &mut shown, None, 1).await?;
    let updating = Updating {
        ctx: call.ctx,
        attributes: &attributes,
        subresource: "binding",
        may_create: false,
        dry_run: options.dry_run,
        uid: Some(binding.uid().to_owned()).filter(|u| !u.is_empty()),
    };
    let mut new = Bind {
        call,
        scope,
        attributes: &attributes,
        binding: &binding,
        manager: call.manager(&options.field_manager),
    };
    scope.registry.update(&call.server, &updating, &call.info.namespace, name, &mut new).await?;
    let body =
        b"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":201}"
            .to_vec();
    respond::status_body(call, output, 201, body).await
}

async fn evict(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let (eviction, options) = sub_body(call, scope).await?;
    let json = eviction.to_json();
    let mut delete = match json.get("deleteOptions") {
        Some(o) if !o.is_null() => DeleteOptions::from_json(o)?,
        _ => DeleteOptions::default(),
    };
    delete.dry_run |= options.dry_run;
    let (ns, name) = (call.info.namespace.as_str(), call.info.name.as_str());
    let (pod, _) = scope.registry.get(call.ctx, ns, name, "").await?;
    let labels = pod.labels();
    for pdb in admission::all(&call.server, "policy", "poddisruptionbudgets", ns) {
        let Some(s) = pdb.typed() else { continue };
        let wanted = s.str_map_at("spec.selector.matchLabels");
        let matches = !wanted.is_empty() && wanted.iter().all(|(k, v)| labels.get(k) == Some(v));
        if matches && s.int_at("status.disruptionsAllowed").unwrap_or(0) <= 0 {
            let mut e = ApiError::too_many_requests(
                "Cannot evict pod as it would violate the pod's disruption budget.",
                0,
            );
            let healthy = s.int_at("status.currentHealthy").unwrap_or(0);
            let desired = s.int_at("status.desiredHealthy").unwrap_or(0);
            e.details = Some(Box::new(Details {
                causes: vec![crate::errors::Cause {
                    reason: "DisruptionBudget".into(),
                    message: format!(
                        "The disruption budget {} needs {desired} healthy pods and has {healthy} currently",
                        pdb.name()
                    ),
                    field: String::new(),
                }],
                ..Details::default()
            }));
            return Err(e);
        }
    }
    let attributes = call.attributes(scope, Verb::Create, name, delete.dry_run);
    scope.registry.delete(&call.server, call.ctx, &attributes, ns, name, &delete).await?;
    let body =
        b"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":201}"
            .to_vec();
    respond::status_body(call, output, 201, body).await
}

/// A token of a ServiceAccount. The token is opaque here: signatures are not modelled.
async fn token(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let (request, options) = sub_body(call, scope).await?;
    let (ns, name) = (call.info.namespace.as_str(), call.info.name.as_str());
    let (account, _) = scope.registry.get(call.ctx, ns, name, "").await?;
    let Object::Typed(mut answer) = request else {
        return Err(ApiError::bad_request("a TokenRequest is wanted"));
    };
    let seconds = answer.int_at("spec.expirationSeconds").unwrap_or(3600);
    let env = &call.server.env;
    let token = format!("etcdscope-token.{}", env.uuid());
    if !options.dry_run {
        call.server.authenticator.add_token(
            &token,
            User {
                name: format!("system:serviceaccount:{ns}:{name}"),
                uid: account.uid().to_owned(),
                groups: vec![
                    "system:serviceaccounts".into(),
                    format!("system:serviceaccounts:{ns}"),
                    "system:authenticated".into(),
                ],
            },
        );
    }
    answer.set_at("metadata.name", name);
    answer.set_at("metadata.namespace", ns);
    answer.set_at("metadata.creationTimestamp", kube::time::Time::from_unix(env.unix_seconds()));
    answer.set_at("spec.expirationSeconds", seconds);
    answer.set_at("status.token", token);
    answer.set_at(
        "status.expirationTimestamp",
        kube::time::Time::from_unix(env.unix_seconds().saturating_add(seconds)),
    );
    let gvk = Gvk::new("authentication.k8s.io", "v1", "TokenRequest");
    answer.set_gvk(&gvk);
    let token_scope =
        Scope { registry: scope.registry.clone(), gvk: gvk.clone(), sub_gvk: Some(gvk), verbs: Vec::new() };
    respond::object(call, &token_scope, output, 201, &Object::Typed(answer)).await
}
