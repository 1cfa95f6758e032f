//! PATCH: JSON patch, merge patch, strategic merge patch; applied to the present object in every attempt.

use super::{Call, Scope, decode, respond};
use crate::admission::{self, Attributes, Verb};
use crate::env::Note;
use crate::errors::{ApiError, FieldFault};
use crate::object::Object;
use crate::registry::{NewObject, Updating, dedup_owners};
use crate::request::{FieldValidation, WriteQuery};
use crate::storage::is_too_large;
use bytes::Bytes;
use kube::catalog::Gvk;
use kube::codec::json::DecodeError;
use kube::json::{Json, go_quote};
use sim::Station;
use wire::http::Response;

/// Which rules the body follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatchType {
    Json,
    Merge,
    Strategic,
}

const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

pub(super) fn patch_type(call: &Call, custom: bool) -> Result<PatchType, ApiError> {
    let given = call.req.header("content-type").unwrap_or("");
    match given.split(';').next().unwrap_or("").trim() {
        JSON_PATCH => Ok(PatchType::Json),
        MERGE_PATCH => Ok(PatchType::Merge),
        STRATEGIC if !custom => Ok(PatchType::Strategic),
        "application/apply-patch+yaml" | "application/apply-patch+cbor" => {
            Err(ApiError::new(501, "", "not modelled here: server-side apply"))
        }
        _ if custom => Err(ApiError::unsupported_media_type(&[JSON_PATCH, MERGE_PATCH, APPLY])),
        _ => Err(ApiError::unsupported_media_type(&[JSON_PATCH, MERGE_PATCH, STRATEGIC, APPLY])),
    }
}

pub(super) struct Patch<'a> {
    pub(super) call: &'a Call,
    pub(super) scope: &'a Scope,
    pub(super) attributes: &'a Attributes,
    pub(super) kind: PatchType,
    pub(super) body: &'a Json,
    pub(super) options: &'a WriteQuery,
    pub(super) track: bool,
}

impl NewObject for Patch<'_> {
    async fn build(&mut self, existing: Option<&Object>, attempt: u32) -> Result<Object, ApiError> {
        let info = &self.scope.registry.info;
        let Some(old) = existing else {
            return Err(ApiError::not_found(&info.group, &info.resource, &self.call.info.name));
        };
        let env = &self.call.server.env;
        let span = env.station(self.call.ctx, Station::Decode).await;
        span.note("attempt", attempt.to_string());
        span.note("patch", format!("{:?}", self.kind));
        span.came(|| self.call.req.body.clone());
        let patched = apply(self.scope, self.kind, self.body, old)
            .and_then(|json| reread(self.call, self.scope, &json, self.options.field_validation));
        let obj = match patched {
            Ok(o) => o,
            Err(e) => {
                span.note("refused", e.message.as_str());
                return Err(e);
            }
        };
        span.went(|| obj.to_text().into());
        drop(span);
        let mut obj = decode::defaults(self.call, self.scope, &self.scope.gvk, obj).await?;
        if self.track {
            self.call.track(&self.scope.registry, Some(old), &mut obj, &self.options.field_manager);
        } else {
            obj.remove_at("metadata.managedFields");
        }
        dedup_owners(&mut obj);
        let a = self.attributes;
        admission::mutate(&self.call.server, self.call.ctx, a, &mut obj, existing, attempt).await?;
        dedup_owners(&mut obj);
        Ok(obj)
    }
}

/// The present object as the request's version prints it, patched.
fn apply(scope: &Scope, kind: PatchType, body: &Json, old: &Object) -> Result<Json, ApiError> {
    let present = match old {
        Object::Typed(s) => Object::Typed(crate::convert::to_version(s.clone(), &scope.gvk)),
        Object::Custom(j) => {
            let mut j = j.clone();
            j.set_at("apiVersion", Json::Str(scope.gvk.api_version()));
            Object::Custom(j)
        }
    };
    crate::machinery::patch(
        kind == PatchType::Json,
        kind == PatchType::Strategic,
        &scope.gvk,
        &present.to_json(),
        body,
    )
    .map_err(|e| patch_error(scope, e))
}

/// How the original answers a patch that cannot be applied.
fn patch_error(scope: &Scope, e: crate::machinery::PatchError) -> ApiError {
    use crate::machinery::PatchError;
    match e {
        PatchError::Malformed(text) => ApiError::bad_request(text),
        PatchError::TooMany(n) => ApiError::request_entity_too_large(&format!(
            "The allowed maximum operations in a JSON patch is 10000, got {n}"
        )),
        PatchError::Refused(_) => {
            let mut e = ApiError::new(
                422,
                "Invalid",
                "the server rejected our request due to an error in our request",
            );
            e.details = Some(Box::default());
            e
        }
        PatchError::Strategic(text) => {
            let _ = scope;
            ApiError::raw(text)
        }
    }
}

fn reread(call: &Call, scope: &Scope, json: &Json, validation: FieldValidation) -> Result<Object, ApiError> {
    let gvk: &Gvk = &scope.gvk;
    if let Some(crd) = &scope.registry.crd {
        let mut j = json.clone();
        let dropped = crd.prune_and_default(&gvk.version, &mut j);
        let texts: Vec<String> = dropped.iter().map(|p| format!("unknown field {}", go_quote(p))).collect();
        match validation {
            FieldValidation::Strict if !texts.is_empty() => {
                return Err(strict_error(json, &format!("strict decoding error: {}", texts.join(", "))));
            }
            FieldValidation::Warn => texts.into_iter().for_each(|t| call.warn(t)),
            _ => {}
        }
        return Ok(Object::Custom(j));
    }
    let found = Gvk::from_api_version(json.str_at("apiVersion"), json.str_at("kind"));
    if found != *gvk {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({}) does not match the expected API version ({})",
            found.api_version(),
            gvk.api_version()
        )));
    }
    match kube::codec::json::decode(gvk, json, validation) {
        Ok((mut s, warnings)) => {
            if validation == FieldValidation::Warn {
                warnings.into_iter().for_each(|w| call.warn(w));
            }
            s.set_gvk(gvk);
            Ok(Object::Typed(s))
        }
        Err(e @ DecodeError::Strict(_)) => Err(strict_error(json, &e.to_string())),
        Err(e) => {
            let text = e.to_string();
            let fault = FieldFault::invalid("patch", &go_value(json), &text);
            Err(ApiError::invalid("", "", "", &[fault]))
        }
    }
}

fn strict_error(json: &Json, text: &str) -> ApiError {
    let fault = FieldFault::invalid("patch", &go_quote(&go_value(json)), text);
    ApiError::invalid("", "", "", &[fault])
}

/// A value as Go's `%+v` prints it: `map[a:1 b:[x y]]`.
fn go_value(j: &Json) -> String {
    match j {
        Json::Null => "<nil>".to_owned(),
        Json::Str(s) => s.clone(),
        Json::Arr(items) => {
            format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" "))
        }
        Json::Obj(map) => {
            let parts: Vec<String> = map.iter().map(|(k, v)| format!("{k}:{}", go_value(v))).collect();
            format!("map[{}]", parts.join(" "))
        }
        other => other.to_text(),
    }
}

/// The body as JSON.
pub(super) fn parse_body(body: &Bytes) -> Result<Json, ApiError> {
    if body.len() > decode::MAX_BODY {
        return Err(ApiError::request_entity_too_large("limit is 3145728"));
    }
    Json::parse(body).map_err(|e| ApiError::bad_request(format!("error decoding patch: {e}")))
}

pub async fn patch(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let kind = patch_type(call, scope.registry.crd.is_some())?;
    let options = WriteQuery::parse(&call.query, "PatchOptions")?;
    if options.force {
        let fault = FieldFault::forbidden("force", "may not be specified for non-apply patch");
        return Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", &[fault]));
    }
    let body = parse_body(&call.req.body)?;
    let attributes = call.attributes(scope, Verb::Update, &call.info.name, options.dry_run);
    let updating = Updating {
        ctx: call.ctx,
        attributes: &attributes,
        subresource: &call.info.subresource,
        may_create: false,
        dry_run: options.dry_run,
        uid: None,
    };
    let mut new =
        Patch { call, scope, attributes: &attributes, kind, body: &body, options: &options, track: true };
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
    respond::object(call, scope, output, 200, &updated.object).await
}
