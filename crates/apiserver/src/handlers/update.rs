//! PUT: the body replaces the object.

use super::{Call, Scope, decode, respond};
use crate::admission::{self, Attributes, Verb};
use crate::errors::ApiError;
use crate::object::Object;
use crate::registry::{NewObject, Updating, dedup_owners};
use crate::request::WriteQuery;
use crate::storage::is_too_large;
use wire::http::Response;

/// The body of a PUT, made anew for each attempt.
struct Replacement<'a> {
    call: &'a Call,
    scope: &'a Scope,
    attributes: &'a Attributes,
    body: &'a Object,
    field_manager: &'a str,
    track: bool,
}

impl NewObject for Replacement<'_> {
    async fn build(&mut self, existing: Option<&Object>, attempt: u32) -> Result<Object, ApiError> {
        let mut obj = self.body.clone();
        if self.track {
            self.call.track(&self.scope.registry, existing, &mut obj, self.field_manager);
        } else {
            obj.remove_at("metadata.managedFields");
        }
        let a = self.attributes;
        admission::mutate(&self.call.server, self.call.ctx, a, &mut obj, existing, attempt).await?;
        dedup_owners(&mut obj);
        Ok(obj)
    }
}

pub async fn update(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let options = WriteQuery::parse(&call.query, "UpdateOptions")?;
    let mut body = decode::body(call, scope, &scope.gvk, options.field_validation).await?;
    if body.name().is_empty() && body.str_at("metadata.generateName").is_empty() {
        // The name of the URL does not fill it in.
    }
    if body.name() != call.info.name {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({}) does not match the name on the URL ({})",
            body.name(),
            call.info.name
        )));
    }
    decode::check_namespace(scope, &call.info.namespace, &mut body)?;
    if dedup_owners(&mut body) {
        call.warn(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests");
    }
    let attributes = call.attributes(scope, Verb::Update, &call.info.name, options.dry_run);
    let uid = Some(body.uid().to_owned()).filter(|u| !u.is_empty());
    let updating = Updating {
        ctx: call.ctx,
        attributes: &attributes,
        subresource: &call.info.subresource,
        may_create: call.info.subresource.is_empty(),
        dry_run: options.dry_run,
        uid,
    };
    let mut new = Replacement {
        call,
        scope,
        attributes: &attributes,
        body: &body,
        field_manager: &options.field_manager,
        track: true,
    };
    let (ns, name) = (call.info.namespace.as_str(), call.info.name.as_str());
    let registry = &scope.registry;
    let updated = match registry.update(&call.server, &updating, ns, name, &mut new).await {
        Err(e) if is_too_large(&e) => {
            new.track = false;
            registry.update(&call.server, &updating, ns, name, &mut new).await.map_err(|_| e)?
        }
        other => other?,
    };
    call.server.updated(scope, &updated.object).await;
    let status = if updated.created { 201 } else { 200 };
    respond::object(call, scope, output, status, &updated.object).await
}
