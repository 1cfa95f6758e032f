//! From the bytes of a body to an object with its defaults: stations *decode* and *default*.

use super::{Call, Scope};
use crate::env::Note;
use crate::errors::ApiError;
use crate::negotiate::Media;
use crate::object::Object;
use kube::catalog::Gvk;
use kube::codec::json::{DecodeError, FieldValidation};
use kube::json::{Json, go_quote};
use kube::object::Struct;
use sim::Station;

/// Longest body.
pub const MAX_BODY: usize = 3_145_728;

/// `ConfigMap in version "v1" cannot be handled as a Secret: …`, or what is said of bytes without a kind.
fn unhandled(found: Option<&Gvk>, wanted: &Gvk, why: &str, body: &[u8]) -> ApiError {
    ApiError::bad_request(match found {
        Some(g) if !g.kind.is_empty() => format!(
            "{} in version {} cannot be handled as a {}: {why}",
            g.kind,
            go_quote(&g.version),
            wanted.kind
        ),
        _ => format!(
            "the object provided is unrecognized (must be of type {}): {why} ({})",
            wanted.kind,
            summary(body)
        ),
    })
}

/// The first 30 bytes: as text if they look like JSON, else in hexadecimal.
fn summary(body: &[u8]) -> String {
    const MOST: usize = 30;
    let cut = &body[..body.len().min(MOST)];
    let more = if body.len() > MOST { " ..." } else { "" };
    match body.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(cut)),
        Some(_) => format!("{}{more}", cut.iter().map(|b| format!("{b:02x}")).collect::<String>()),
    }
}

/// The Go type of a kind inside the original's server, as its errors name it.
fn internal_type(g: &Gvk) -> String {
    let package = match g.group.split('.').next().unwrap_or("") {
        "" => "core",
        p => p,
    };
    format!("{package}.{}", g.kind)
}

/// Reads the body of a create or update as an object of the request's kind.
pub async fn body(
    call: &Call,
    scope: &Scope,
    wanted: &Gvk,
    validation: FieldValidation,
) -> Result<Object, ApiError> {
    let media = crate::negotiate::input(&call.req)?;
    if call.req.body.len() > MAX_BODY {
        return Err(ApiError::request_entity_too_large("limit is 3145728"));
    }
    let span = call.server.env.station(call.ctx, Station::Decode).await;
    span.note("content type", media.name());
    span.note("fieldValidation", format!("{validation:?}"));
    span.came(|| call.req.body.clone());
    let obj = if scope.registry.crd.is_some() && scope.sub_gvk.is_none() {
        custom(call, scope, media, wanted, validation)
    } else {
        typed(call, media, wanted, validation).map(Object::Typed)
    };
    let obj = match obj {
        Ok(o) => o,
        Err(e) => {
            span.note("refused", e.message.as_str());
            return Err(e);
        }
    };
    span.note("kind", obj.gvk().to_string());
    span.went(|| obj.to_text().into());
    drop(span);
    defaults(call, scope, wanted, obj).await
}

/// Version defaulting, and for custom resources pruning and the schema's defaults.
pub async fn defaults(call: &Call, scope: &Scope, gvk: &Gvk, mut obj: Object) -> Result<Object, ApiError> {
    let span = call.server.env.station(call.ctx, Station::Default).await;
    span.came(|| obj.to_text().into());
    match (&mut obj, &scope.registry.crd) {
        (Object::Typed(s), _) => crate::machinery::apply_defaults(gvk, s),
        (Object::Custom(j), Some(crd)) => {
            crd.prune_and_default(&gvk.version, j);
        }
        _ => {}
    }
    span.went(|| obj.to_text().into());
    drop(span);
    if let Object::Typed(s) = obj {
        // The server works with one version of each kind.
        let hub = &scope.registry.info.hub;
        let same_kind = s.gvk().kind == hub.kind;
        return Ok(Object::Typed(if same_kind { crate::convert::to_version(s, hub) } else { s }));
    }
    Ok(obj)
}

fn typed(call: &Call, media: Media, wanted: &Gvk, validation: FieldValidation) -> Result<Struct, ApiError> {
    let body = &call.req.body;
    if media == Media::Protobuf {
        let (found, mut s) =
            kube::codec::proto::decode(body).map_err(|e| unhandled(None, wanted, &e.to_string(), body))?;
        check_kind(&found, wanted, body)?;
        s.set_gvk(&found);
        return Ok(s);
    }
    let text: bytes::Bytes = if media == Media::Yaml {
        let json = crate::machinery::yaml_to_json(body).map_err(|e| {
            unhandled(None, wanted, &format!("couldn't get version/kind; json parse error: {e}"), body)
        })?;
        json.to_vec().into()
    } else {
        body.clone()
    };
    let shape = Json::parse(&text).map_err(|e| {
        unhandled(None, wanted, &format!("couldn't get version/kind; json parse error: {e}"), body)
    })?;
    if !matches!(shape, Json::Obj(_)) {
        let why = format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct {{ \
             APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            shape.kind_name()
        );
        return Err(unhandled(None, wanted, &why, body));
    }
    let found = found_gvk(&shape, wanted);
    check_kind(&found, wanted, body)?;
    let (mut s, warnings) = kube::codec::json::decode_text(wanted, &text, validation).map_err(|e| {
        let why = match &e {
            DecodeError::Strict(_) | DecodeError::Value(_) => e.to_string(),
            DecodeError::NoKind(_) => e.to_string(),
        };
        unhandled(Some(&found), wanted, &why, body)
    })?;
    if validation == FieldValidation::Warn {
        warnings.into_iter().for_each(|w| call.warn(w));
    }
    s.set_gvk(wanted);
    Ok(s)
}

/// What the body says it is; what it leaves out is what the request wants.
fn found_gvk(j: &Json, wanted: &Gvk) -> Gvk {
    let version = match j.str_at("apiVersion") {
        "" => wanted.api_version(),
        v => v.to_owned(),
    };
    let kind = match j.str_at("kind") {
        "" => wanted.kind.as_str(),
        k => k,
    };
    Gvk::from_api_version(&version, kind)
}

fn check_kind(found: &Gvk, wanted: &Gvk, body: &[u8]) -> Result<(), ApiError> {
    if found == wanted {
        return Ok(());
    }
    let known = kube::schema::schema().kind(&found.group, &found.version, &found.kind).is_some();
    if !known {
        let why = DecodeError::NoKind(found.clone()).to_string();
        return Err(unhandled(Some(found), wanted, &why, body));
    }
    if found.kind == wanted.kind {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({}) does not match the expected API version ({})",
            found.api_version(),
            wanted.api_version()
        )));
    }
    let why = format!(
        "converting ({}.{}) to ({}): unknown conversion",
        found.version,
        found.kind,
        internal_type(wanted)
    );
    Err(unhandled(Some(found), wanted, &why, body))
}

fn custom(
    call: &Call,
    scope: &Scope,
    media: Media,
    wanted: &Gvk,
    validation: FieldValidation,
) -> Result<Object, ApiError> {
    let body = &call.req.body;
    let parse_error = |e: String| {
        unhandled(None, wanted, &format!("couldn't get version/kind; json parse error: {e}"), body)
    };
    let mut json = match media {
        Media::Protobuf => {
            return Err(ApiError::unsupported_media_type(&["application/json", "application/yaml"]));
        }
        Media::Yaml => crate::machinery::yaml_to_json(body).map_err(parse_error)?,
        Media::Json => Json::parse(body).map_err(|e| parse_error(e.to_string()))?,
    };
    let Json::Obj(_) = &json else {
        return Err(parse_error(format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            json.kind_name()
        )));
    };
    let found = found_gvk(&json, wanted);
    if found.api_version() != wanted.api_version() {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({}) does not match the expected API version ({})",
            found.api_version(),
            wanted.api_version()
        )));
    }
    if found.kind != wanted.kind {
        return Err(ApiError::bad_request(format!(
            "{} in version {} cannot be handled as a {}: unknown conversion",
            found.kind,
            go_quote(&found.version),
            wanted.kind
        )));
    }
    json.set_at("apiVersion", Json::Str(wanted.api_version()));
    json.set_at("kind", Json::Str(wanted.kind.clone()));
    if !matches!(json.get("metadata"), Some(Json::Obj(_))) {
        json.set_at("metadata", Json::obj());
    }
    if let Some(crd) = &scope.registry.crd {
        let dropped = crd.prune_and_default(&wanted.version, &mut json);
        let texts: Vec<String> = dropped.iter().map(|p| format!("unknown field {}", go_quote(p))).collect();
        match validation {
            FieldValidation::Strict if !texts.is_empty() => {
                let why = format!("strict decoding error: {}", texts.join(", "));
                return Err(unhandled(Some(&found), wanted, &why, body));
            }
            FieldValidation::Warn => texts.into_iter().for_each(|t| call.warn(t)),
            _ => {}
        }
    }
    Ok(Object::Custom(json))
}

/// The object's namespace must be the request's; an empty one is filled in.
pub fn check_namespace(scope: &Scope, namespace: &str, obj: &mut Object) -> Result<(), ApiError> {
    if !scope.registry.info.namespaced {
        if !obj.namespace().is_empty() {
            obj.set_str("metadata.namespace", "");
        }
        return Ok(());
    }
    match obj.namespace() {
        "" => {
            obj.set_str("metadata.namespace", namespace);
            Ok(())
        }
        ns if ns == namespace => Ok(()),
        _ => Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        )),
    }
}
