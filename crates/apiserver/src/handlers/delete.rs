//! DELETE of one object or of a collection.

use super::{Call, Scope, decode, respond};
use crate::admission::{self, Verb};
use crate::errors::{ApiError, deleted_status};
use crate::negotiate::Media;
use crate::registry::{DeleteOptions, ReadOptions, returns_deleted_object};
use crate::request::ListQuery;
use crate::selector::Selectors;
use crate::storage::ListResult;
use kube::json::Json;
use wire::http::Response;

fn options(call: &Call) -> Result<DeleteOptions, ApiError> {
    if call.req.body.len() > decode::MAX_BODY {
        return Err(ApiError::request_entity_too_large("limit is 3145728"));
    }
    let mut json = if call.req.body.is_empty() {
        Json::obj()
    } else {
        match crate::negotiate::input(&call.req)? {
            Media::Yaml => crate::machinery::yaml_to_json(&call.req.body).map_err(ApiError::bad_request)?,
            Media::Json => Json::parse(&call.req.body).map_err(|e| {
                ApiError::bad_request(format!("couldn't get version/kind; json parse error: {e}"))
            })?,
            Media::Protobuf => protobuf_options(&call.req.body)?,
        }
    };
    let q = &call.query;
    if let Some(v) = q.get("gracePeriodSeconds").filter(|v| !v.is_empty()) {
        let n: i64 = v
            .parse()
            .map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {v:?}: invalid syntax")))?;
        json.set_at("gracePeriodSeconds", Json::Int(n));
    }
    if let Some(v) = q.get("propagationPolicy").filter(|v| !v.is_empty()) {
        json.set_at("propagationPolicy", Json::Str(v.to_owned()));
    }
    if q.get("orphanDependents").is_some() {
        json.set_at("orphanDependents", Json::Bool(q.flag("orphanDependents")));
    }
    let dry: Vec<Json> = q.all("dryRun").filter(|v| !v.is_empty()).map(|v| Json::Str(v.to_owned())).collect();
    if !dry.is_empty() {
        json.set_at("dryRun", Json::Arr(dry));
    }
    DeleteOptions::from_json(&json)
}

fn protobuf_options(body: &[u8]) -> Result<Json, ApiError> {
    kube::codec::proto::decode(body)
        .map(|(_, s)| kube::codec::json::encode(&s))
        .map_err(|e| ApiError::bad_request(e.to_string()))
}

pub async fn delete(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let options = options(call)?;
    let info = &scope.registry.info;
    let (ns, name) = (call.info.namespace.as_str(), call.info.name.as_str());
    let attributes = call.attributes(scope, Verb::Delete, name, options.dry_run);
    let mut nothing = crate::object::Object::Custom(Json::obj());
    admission::mutate(&call.server, call.ctx, &attributes, &mut nothing, None, 1).await?;
    let deletion = scope.registry.delete(&call.server, call.ctx, &attributes, ns, name, &options).await?;
    if deletion.removed && !options.dry_run {
        call.server.deleted(scope, &deletion.object).await;
    }
    if deletion.removed && !returns_deleted_object(&info.group, &info.resource) {
        let body = deleted_status(&info.group, &info.resource, name, deletion.object.uid());
        return respond::status_body(call, output, 200, body).await;
    }
    let status = if !deletion.removed && options.orphan_dependents == Some(false) { 202 } else { 200 };
    respond::object(call, scope, output, status, &deletion.object).await
}

pub async fn collection(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let options = options(call)?;
    let query = ListQuery::parse(&call.query, false)?;
    let selectors = Selectors::parse(
        &query.label_selector,
        &query.field_selector,
        &call.info.group,
        &call.info.resource,
    )?;
    let read = ReadOptions { query: &query, namespace: &call.info.namespace, selectors };
    let (list, _) = scope.registry.list(call.ctx, read).await?;
    let mut gone = Vec::new();
    for obj in &list.items {
        let name = obj.name().to_owned();
        let mut attributes = call.attributes(scope, Verb::Delete, &name, options.dry_run);
        obj.namespace().clone_into(&mut attributes.namespace);
        let result = scope
            .registry
            .delete(&call.server, call.ctx, &attributes, obj.namespace(), &name, &options)
            .await;
        match result {
            Ok(d) => {
                if d.removed && !options.dry_run {
                    call.server.deleted(scope, &d.object).await;
                }
                gone.push(obj.clone());
            }
            Err(e) if e.code == 404 => {}
            Err(e) => return Err(e),
        }
    }
    let answer = ListResult { items: gone, ..list };
    respond::list(call, scope, output, &answer).await
}
