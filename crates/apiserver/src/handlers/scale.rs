//! The `scale` subresource: a Scale made from the object, and replicas written back.

use super::patch::{self, PatchType};
use super::{Call, Scope, decode, respond};
use crate::admission::{self, Attributes, Verb};
use crate::errors::ApiError;
use crate::object::Object;
use crate::registry::{NewObject, Updating};
use crate::request::WriteQuery;
use kube::catalog::Gvk;
use kube::json::Json;
use kube::object::Struct;
use std::collections::BTreeMap;
use wire::http::Response;

/// Where replicas and selector are.
struct Paths {
    spec: String,
    status: String,
    selector: String,
}

fn paths(scope: &Scope) -> Paths {
    if let Some(v) = scope.registry.crd.as_ref().and_then(|c| c.storage()) {
        let path = |name: &str| v.scale.str_at(name).trim_start_matches('.').to_owned();
        return Paths {
            spec: path("specReplicasPath"),
            status: path("statusReplicasPath"),
            selector: path("labelSelectorPath"),
        };
    }
    Paths { spec: "spec.replicas".into(), status: "status.replicas".into(), selector: String::new() }
}

fn selector_text(obj: &Object) -> String {
    let labels: BTreeMap<String, String> = match obj.typed() {
        Some(s) if s.ty().name.ends_with("ReplicationController") => s.str_map_at("spec.selector"),
        Some(s) => s.str_map_at("spec.selector.matchLabels"),
        None => BTreeMap::new(),
    };
    let mut parts: Vec<String> = labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    for e in obj.typed().into_iter().flat_map(|s| s.structs_at("spec.selector.matchExpressions")) {
        let values: Vec<&str> = e.strs_at("values").collect();
        let key = e.str_at("key");
        parts.push(match e.str_at("operator") {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "Exists" => key.to_owned(),
            _ => format!("!{key}"),
        });
    }
    parts.sort();
    parts.join(",")
}

fn scale_of(scope: &Scope, obj: &Object) -> Object {
    let gvk = Gvk::new("autoscaling", "v1", "Scale");
    let Some(mut s) = Struct::of_kind(&gvk) else { return obj.clone() };
    for field in ["name", "namespace", "uid", "resourceVersion"] {
        let path = format!("metadata.{field}");
        s.set_at(&path, obj.str_at(&path));
    }
    if let Some(t) = obj.time_at("metadata.creationTimestamp") {
        s.set_at("metadata.creationTimestamp", t);
    }
    let p = paths(scope);
    s.set_at("spec.replicas", obj.int_at(&p.spec).unwrap_or(0));
    s.set_at("status.replicas", obj.int_at(&p.status).unwrap_or(0));
    let selector =
        if p.selector.is_empty() { selector_text(obj) } else { obj.str_at(&p.selector).to_owned() };
    s.set_at("status.selector", selector);
    Object::Typed(s)
}

/// Writes replicas into the present object.
struct SetReplicas<'a> {
    call: &'a Call,
    scope: &'a Scope,
    attributes: &'a Attributes,
    options: &'a WriteQuery,
    source: Source<'a>,
}

enum Source<'a> {
    Body(&'a Object),
    Patch(PatchType, &'a Json),
}

impl NewObject for SetReplicas<'_> {
    async fn build(&mut self, existing: Option<&Object>, attempt: u32) -> Result<Object, ApiError> {
        let info = &self.scope.registry.info;
        let Some(old) = existing else {
            return Err(ApiError::not_found(&info.group, &info.resource, &self.call.info.name));
        };
        let scale = match &self.source {
            Source::Body(b) => (*b).clone(),
            Source::Patch(kind, body) => {
                let present = scale_of(self.scope, old);
                let gvk = present.gvk();
                let patched = crate::machinery::patch(
                    *kind == PatchType::Json,
                    *kind == PatchType::Strategic,
                    &gvk,
                    &present.to_json(),
                    body,
                )
                .map_err(|e| ApiError::bad_request(e.to_string()))?;
                let (s, _) = kube::codec::json::decode(&gvk, &patched, self.options.field_validation)
                    .map_err(|e| ApiError::bad_request(e.to_string()))?;
                Object::Typed(s)
            }
        };
        let mut obj = old.clone();
        let rv = scale.str_at("metadata.resourceVersion");
        obj.set_str("metadata.resourceVersion", rv);
        let wanted = scale.int_at("spec.replicas").unwrap_or(0);
        if wanted < 0 {
            let fault = crate::errors::FieldFault::invalid(
                "spec.replicas",
                &wanted.to_string(),
                "must be greater than or equal to 0",
            );
            return Err(ApiError::invalid("autoscaling", "Scale", self.call.info.name.as_str(), &[fault]));
        }
        obj.set_int(&paths(self.scope).spec, wanted);
        let manager = self.call.manager(&self.options.field_manager);
        let version = self.scope.gvk.api_version();
        let registry = &self.scope.registry;
        super::track_fields(&self.call.server, registry, existing, &mut obj, &manager, "scale", &version);
        let a = self.attributes;
        admission::mutate(&self.call.server, self.call.ctx, a, &mut obj, existing, attempt).await?;
        Ok(obj)
    }
}

pub async fn scale(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let scale_scope = Scope {
        registry: scope.registry.clone(),
        gvk: Gvk::new("autoscaling", "v1", "Scale"),
        sub_gvk: Some(Gvk::new("autoscaling", "v1", "Scale")),
        verbs: Vec::new(),
    };
    let (ns, name) = (call.info.namespace.as_str(), call.info.name.as_str());
    if call.info.verb == "get" {
        let version = call.query.text("resourceVersion");
        let (obj, _) = scope.registry.get(call.ctx, ns, name, version).await?;
        return respond::object(call, &scale_scope, output, 200, &scale_of(scope, &obj)).await;
    }
    let options = WriteQuery::parse(&call.query, "UpdateOptions")?;
    let attributes = call.attributes(scope, Verb::Update, name, options.dry_run);
    let body;
    let json;
    let source = if call.info.verb == "patch" {
        let kind = patch::patch_type(call, false)?;
        json = patch::parse_body(&call.req.body)?;
        Source::Patch(kind, &json)
    } else {
        body = decode::body(call, &scale_scope, &scale_scope.gvk, options.field_validation).await?;
        Source::Body(&body)
    };
    let updating = Updating {
        ctx: call.ctx,
        attributes: &attributes,
        subresource: "",
        may_create: false,
        dry_run: options.dry_run,
        uid: None,
    };
    let mut new = SetReplicas { call, scope, attributes: &attributes, options: &options, source };
    let updated = scope.registry.update(&call.server, &updating, ns, name, &mut new).await?;
    call.server.updated(scope, &updated.object).await;
    respond::object(call, &scale_scope, output, 200, &scale_of(scope, &updated.object)).await
}
