//! Encoding of answers: the object in the request's version, as JSON, YAML, protobuf, a Table or only its metadata;
//! lists and watch events likewise. The station *answer*.

use super::{Call, Scope};
use crate::cacher::ClientEvent;
use crate::env::Note;
use crate::errors::ApiError;
use crate::negotiate::{As, Media, Output};
use crate::object::Object;
use crate::printers;
use crate::storage::{EventType, ListResult};
use bytes::Bytes;
use kube::catalog::Gvk;
use kube::json::{Json, append_string, indent_text};
use kube::object::{Struct, Value};
use sim::Station;
use std::rc::Rc;
use wire::http::Response;

/// The object in the version of the request.
fn versioned(scope: &Scope, obj: &Object) -> Object {
    let wanted = &scope.gvk;
    match obj {
        Object::Typed(s) if s.gvk().kind == wanted.kind => {
            Object::Typed(crate::convert::to_version(s.clone(), wanted))
        }
        Object::Custom(j) => {
            let mut j = j.clone();
            j.set_at("apiVersion", Json::Str(wanted.api_version()));
            if let Some(crd) = &scope.registry.crd {
                crd.prune_and_default(&wanted.version, &mut j);
            }
            Object::Custom(j)
        }
        other => other.clone(),
    }
}

fn finish(output: Output, json: Vec<u8>) -> Vec<u8> {
    match output.media {
        Media::Yaml => {
            let j = Json::parse(&json).unwrap_or_default();
            crate::machinery::json_to_yaml(&j).into_bytes()
        }
        _ if output.pretty => indent_text(&json, "  "),
        _ => {
            let mut json = json;
            json.push(b'\n');
            json
        }
    }
}

/// A response with bytes that are ready.
pub fn raw_response(status: u16, content_type: &str, body: impl Into<Bytes>) -> Response {
    Response::new(status).with_header("Content-Type", content_type).with_body(body)
}

/// A Status as a response.
pub fn error_response(output: Option<Output>, e: &ApiError) -> Response {
    let output = output.unwrap_or(Output { media: Media::Json, convert: As::Object, pretty: false });
    let output =
        if output.media == Media::Protobuf { Output { media: Media::Json, ..output } } else { output };
    let mut resp = raw_response(e.code, output.media.name(), finish(output, e.to_json()));
    if let Some(s) = e.retry_after() {
        resp.headers.push(("Retry-After".into(), s.to_string()));
    }
    resp
}

/// A Status that is a success.
pub async fn status_body(
    call: &Call,
    output: Output,
    status: u16,
    json: Vec<u8>,
) -> Result<Response, ApiError> {
    let span = call.server.env.station(call.ctx, Station::Answer).await;
    span.note("status", status.to_string());
    let body: Bytes = finish(output, json).into();
    span.went(|| body.clone());
    Ok(raw_response(status, output.media.name(), body))
}

/// One object as an answer.
pub async fn object(
    call: &Call,
    scope: &Scope,
    output: Output,
    status: u16,
    obj: &Object,
) -> Result<Response, ApiError> {
    let span = call.server.env.station(call.ctx, Station::Answer).await;
    span.note("status", status.to_string());
    span.note("content type", output.media.name());
    span.came(|| obj.to_text().into());
    let shown = versioned(scope, obj);
    let body: Bytes = match output.convert {
        As::Object if output.media == Media::Protobuf => match &shown {
            Object::Typed(s) => kube::codec::proto::encode(&s.gvk(), s),
            Object::Custom(_) => return Err(ApiError::not_acceptable(&["application/json"])),
        },
        As::Object => finish(output, shown.to_text()),
        As::Table => {
            let rv = obj.str_at("metadata.resourceVersion").to_owned();
            let item = Rc::new(obj.clone());
            let text = table(call, scope, &[item], &ListMeta { revision: rv, ..ListMeta::default() }, true);
            finish(output, text)
        }
        As::PartialMetadata => finish(output, partial(&shown)),
    }
    .into();
    span.went(|| body.clone());
    Ok(raw_response(status, output.media.name(), body))
}

/// Metadata of a list.
#[derive(Default)]
struct ListMeta {
    revision: String,
    continue_token: String,
    remaining: Option<i64>,
}

impl ListMeta {
    fn text(&self) -> Vec<u8> {
        let mut out = b"{\"resourceVersion\":".to_vec();
        append_string(&self.revision, &mut out);
        if !self.continue_token.is_empty() {
            out.extend_from_slice(b",\"continue\":");
            append_string(&self.continue_token, &mut out);
        }
        if let Some(n) = self.remaining {
            out.extend_from_slice(format!(",\"remainingItemCount\":{n}").as_bytes());
        }
        out.push(b'}');
        out
    }
}

/// Items of a list print without kind and version when they are built in.
fn item(obj: Object) -> Object {
    match obj {
        Object::Typed(mut s) => {
            s.remove("kind");
            s.remove("apiVersion");
            Object::Typed(s)
        }
        other => other,
    }
}

/// A list as an answer.
pub async fn list(
    call: &Call,
    scope: &Scope,
    output: Output,
    list: &ListResult,
) -> Result<Response, ApiError> {
    let span = call.server.env.station(call.ctx, Station::Answer).await;
    span.note("status", "200");
    span.note("content type", output.media.name());
    let meta = ListMeta {
        revision: list.revision.to_string(),
        continue_token: list.continue_token.clone(),
        remaining: list.remaining,
    };
    let kind = match &scope.registry.crd {
        Some(crd) => crd.list_kind.clone(),
        None => format!("{}List", scope.gvk.kind),
    };
    let body: Vec<u8> = match output.convert {
        As::Table => finish(output, table(call, scope, &list.items, &meta, true)),
        As::PartialMetadata => {
            let texts: Vec<Vec<u8>> = list.items.iter().map(|o| partial(&versioned(scope, o))).collect();
            let mut out =
                b"{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"
                    .to_vec();
            out.extend(meta.text());
            join_items(&mut out, &texts);
            out.push(b'}');
            finish(output, out)
        }
        As::Object if output.media == Media::Protobuf => protobuf_list(scope, &kind, list),
        As::Object if scope.registry.crd.is_some() => {
            let mut out = b"{\"apiVersion\":".to_vec();
            append_string(&scope.gvk.api_version(), &mut out);
            let texts: Vec<Vec<u8>> = list.items.iter().map(|o| versioned(scope, o).to_text()).collect();
            join_items(&mut out, &texts);
            out.extend_from_slice(b",\"kind\":");
            append_string(&kind, &mut out);
            out.extend_from_slice(b",\"metadata\":{\"continue\":");
            append_string(&meta.continue_token, &mut out);
            if let Some(n) = meta.remaining {
                out.extend_from_slice(format!(",\"remainingItemCount\":{n}").as_bytes());
            }
            out.extend_from_slice(b",\"resourceVersion\":");
            append_string(&meta.revision, &mut out);
            out.extend_from_slice(b"}}");
            finish(output, out)
        }
        As::Object => {
            let mut out = b"{\"kind\":".to_vec();
            append_string(&kind, &mut out);
            out.extend_from_slice(b",\"apiVersion\":");
            append_string(&scope.gvk.api_version(), &mut out);
            out.extend_from_slice(b",\"metadata\":");
            out.extend(meta.text());
            let texts: Vec<Vec<u8>> =
                list.items.iter().map(|o| item(versioned(scope, o)).to_text()).collect();
            join_items(&mut out, &texts);
            out.push(b'}');
            finish(output, out)
        }
    };
    let body: Bytes = body.into();
    span.note("bytes", body.len().to_string());
    span.went(|| body.clone());
    Ok(raw_response(200, output.media.name(), body))
}

fn join_items(out: &mut Vec<u8>, items: &[Vec<u8>]) {
    out.extend_from_slice(b",\"items\":[");
    for (i, text) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(text);
    }
    out.push(b']');
}

fn protobuf_list(scope: &Scope, kind: &str, list: &ListResult) -> Vec<u8> {
    let gvk = Gvk::new(&scope.gvk.group, &scope.gvk.version, kind);
    let Some(mut s) = Struct::of_kind(&gvk) else { return Vec::new() };
    s.set_at("metadata.resourceVersion", list.revision.to_string());
    s.set_at("metadata.continue", list.continue_token.as_str());
    if let Some(n) = list.remaining {
        s.set_at("metadata.remainingItemCount", n);
    }
    let items: Vec<Value> = list
        .items
        .iter()
        .filter_map(|o| match item(versioned(scope, o)) {
            Object::Typed(t) => Some(Value::from(t)),
            Object::Custom(_) => None,
        })
        .collect();
    s.set("items", items);
    kube::codec::proto::encode(&gvk, &s)
}

/// `PartialObjectMetadata`.
fn partial(obj: &Object) -> Vec<u8> {
    let mut out =
        b"{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":".to_vec();
    out.extend(metadata_text(obj));
    out.push(b'}');
    out
}

fn metadata_text(obj: &Object) -> Vec<u8> {
    match obj {
        Object::Typed(s) => {
            s.struct_at("metadata").map_or_else(|| b"{}".to_vec(), kube::codec::json::to_text)
        }
        Object::Custom(j) => {
            // The typed form of ObjectMeta, so that the order is the struct's.
            let meta = j.get("metadata").cloned().unwrap_or_else(Json::obj);
            let ty = kube::schema::schema().by_name("meta/v1.ObjectMeta").map(|t| t.id);
            let decoded =
                ty.and_then(|t| kube::codec::json::decode_kind(&kube::schema::Kind::Struct(t), &meta).ok());
            match decoded {
                Some(Value::Struct(s)) => kube::codec::json::to_text(&s),
                _ => meta.to_vec(),
            }
        }
    }
}

/// A Table of objects.
fn table(call: &Call, scope: &Scope, items: &[Rc<Object>], meta: &ListMeta, columns: bool) -> Vec<u8> {
    let printer = printers::Printer::of(&scope.registry, &scope.gvk);
    let now = call.server.env.unix_seconds();
    let mut out = b"{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":".to_vec();
    out.extend(meta.text());
    out.extend_from_slice(b",\"columnDefinitions\":");
    if columns {
        printer.columns_text(&mut out);
    } else {
        out.extend_from_slice(b"[]");
    }
    out.extend_from_slice(b",\"rows\":[");
    let include = call.query.text("includeObject");
    for (i, obj) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        let shown = versioned(scope, obj);
        out.extend_from_slice(b"{\"cells\":");
        out.extend(Json::Arr(printer.cells(&shown.to_json(), now)).to_vec());
        match include {
            "None" => {}
            "Object" => {
                out.extend_from_slice(b",\"object\":");
                out.extend(shown.to_text());
            }
            _ => {
                out.extend_from_slice(b",\"object\":");
                out.extend(partial(&shown));
            }
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
    out
}

/// The name of an event's type.
pub fn event_name(kind: EventType) -> &'static str {
    match kind {
        EventType::Added => "ADDED",
        EventType::Modified => "MODIFIED",
        EventType::Deleted => "DELETED",
        EventType::Bookmark => "BOOKMARK",
    }
}

/// One event of a watch stream. `first`: a Table event carries its columns.
pub fn watch_event(call: &Call, scope: &Scope, output: Output, e: &ClientEvent, first: bool) -> Bytes {
    let obj = match &e.object {
        Some(o) => o.clone(),
        None => Rc::new(bookmark(scope, e)),
    };
    let shown = versioned(scope, &obj);
    if output.media == Media::Protobuf
        && output.convert == As::Object
        && let Object::Typed(s) = &shown
    {
        return protobuf_event(event_name(e.kind), &kube::codec::proto::encode(&s.gvk(), s));
    }
    let text = match output.convert {
        As::Object => shown.to_text(),
        As::PartialMetadata => partial(&shown),
        As::Table => {
            let meta = ListMeta {
                revision: obj.str_at("metadata.resourceVersion").to_owned(),
                ..ListMeta::default()
            };
            table(call, scope, std::slice::from_ref(&obj), &meta, first)
        }
    };
    event_text(event_name(e.kind), &text).into()
}

fn event_text(kind: &str, object: &[u8]) -> Vec<u8> {
    let mut out = format!("{{\"type\":\"{kind}\",\"object\":").into_bytes();
    out.extend_from_slice(object);
    out.extend_from_slice(b"}\n");
    out
}

fn protobuf_event(kind: &str, object: &[u8]) -> Bytes {
    use kube::codec::proto::put_varint;
    let mut raw = vec![0x0a];
    put_varint(&mut raw, object.len() as u64);
    raw.extend_from_slice(object);
    let mut body = vec![0x0a];
    put_varint(&mut body, kind.len() as u64);
    body.extend_from_slice(kind.as_bytes());
    body.push(0x12);
    put_varint(&mut body, raw.len() as u64);
    body.extend(raw);
    let mut out = u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    out.extend(body);
    out.into()
}

fn bookmark(scope: &Scope, e: &ClientEvent) -> Object {
    let end = "k8s.io/initial-events-end";
    if scope.registry.crd.is_some() {
        let mut j = Json::obj();
        j.set_at("apiVersion", Json::Str(scope.gvk.api_version()));
        j.set_at("kind", Json::Str(scope.gvk.kind.clone()));
        j.set_at("metadata.resourceVersion", Json::Str(e.revision.to_string()));
        if e.initial_events_end {
            let mut a = Json::obj();
            if let Some(m) = a.as_obj_mut() {
                m.insert(end.into(), Json::Str("true".into()));
            }
            j.set_at("metadata.annotations", a);
        }
        return Object::Custom(j);
    }
    let Some(mut s) = Struct::of_kind(&scope.registry.info.hub) else {
        return Object::Custom(Json::obj());
    };
    s.set_at("metadata.resourceVersion", e.revision.to_string());
    if e.initial_events_end {
        let map = std::collections::BTreeMap::from([(end.to_owned(), "true".to_owned())]);
        s.set_at("metadata.annotations", map);
    }
    Object::Typed(s)
}

/// An ERROR event.
pub fn watch_error(output: Output, e: &ApiError) -> Bytes {
    if output.media == Media::Protobuf {
        let gvk = Gvk::new("", "v1", "Status");
        let json = Json::parse(&e.to_json()).unwrap_or_default();
        let decoded = kube::codec::json::decode(&gvk, &json, kube::codec::json::FieldValidation::Ignore);
        if let Ok((s, _)) = decoded {
            return protobuf_event("ERROR", &kube::codec::proto::encode(&gvk, &s));
        }
    }
    event_text("ERROR", &e.to_json()).into()
}
