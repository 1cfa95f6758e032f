//! Reviews: requests that ask the server's authentication and authorization and are never stored.

use super::{Call, decode, raw_response};
use crate::authn::{User, user_json};
use crate::authz::{self, Ask};
use crate::errors::ApiError;
use kube::catalog::Gvk;
use kube::json::Json;
use kube::object::Struct;
use wire::http::Response;

/// Answers a review; `None` if the request is none.
pub async fn review(call: &Call) -> Result<Option<Response>, ApiError> {
    let info = &call.info;
    if info.version != "v1"
        || !["authorization.k8s.io", "authentication.k8s.io"].contains(&info.group.as_str())
    {
        return Ok(None);
    }
    let kind = match info.resource.as_str() {
        "selfsubjectaccessreviews" => "SelfSubjectAccessReview",
        "subjectaccessreviews" => "SubjectAccessReview",
        "localsubjectaccessreviews" => "LocalSubjectAccessReview",
        "selfsubjectrulesreviews" => "SelfSubjectRulesReview",
        "selfsubjectreviews" => "SelfSubjectReview",
        "tokenreviews" => "TokenReview",
        _ => return Ok(None),
    };
    if info.verb != "create" {
        return Err(ApiError::method_not_allowed());
    }
    if call.req.body.len() > decode::MAX_BODY {
        return Err(ApiError::request_entity_too_large("limit is 3145728"));
    }
    let gvk = Gvk::new(&info.group, "v1", kind);
    let Some(mut s) = read(call, &gvk)? else { return Ok(None) };
    match kind {
        "SelfSubjectReview" => {
            s.remove("status");
            let mut status = Json::obj();
            status.set_at("userInfo", user_json(&call.user));
            s.set("status", status);
        }
        "TokenReview" => {
            let token = s.str_at("spec.token").to_owned();
            s.remove("status");
            match call.server.authenticator.token(&token) {
                Some(user) => {
                    let mut status = Json::obj();
                    status.set_at("authenticated", Json::Bool(true));
                    status.set_at("user", user_json(&user));
                    s.set("status", status);
                }
                None => {
                    s.set_at("status.error", "invalid bearer token");
                }
            }
        }
        "SelfSubjectRulesReview" => {
            let ns = s.str_at("spec.namespace").to_owned();
            rules(call, &mut s, &ns).await;
        }
        _ => {
            let user = if kind == "SelfSubjectAccessReview" {
                call.user.clone()
            } else {
                User {
                    name: s.str_at("spec.user").to_owned(),
                    uid: s.str_at("spec.uid").to_owned(),
                    groups: s.strs_at("spec.groups").map(str::to_owned).collect(),
                }
            };
            let decision = authz::authorize(&call.server, &user, &ask(&s)).await;
            s.remove("status");
            s.set_at("status.allowed", decision.allowed);
            if !decision.reason.is_empty() && !decision.reason.starts_with("group ") {
                s.set_at("status.reason", decision.reason);
            }
        }
    }
    s.set_gvk(&gvk);
    let output = crate::negotiate::output(&call.req, &call.query, false, false)?;
    let body = if output.media == crate::negotiate::Media::Protobuf {
        kube::codec::proto::encode(&gvk, &s)
    } else {
        let mut text = kube::codec::json::to_vec(&gvk, &s);
        text.push(b'\n');
        text
    };
    Ok(Some(raw_response(201, output.media.name(), body)))
}

fn read(call: &Call, gvk: &Gvk) -> Result<Option<Struct>, ApiError> {
    use crate::negotiate::Media;
    let validation = crate::request::FieldValidation::Warn;
    let bad = |e: String| ApiError::bad_request(e);
    let s = match crate::negotiate::input(&call.req)? {
        Media::Protobuf => {
            kube::codec::proto::decode(&call.req.body).map(|(_, s)| s).map_err(|e| bad(e.to_string()))?
        }
        Media::Json => kube::codec::json::decode_text(gvk, &call.req.body, validation)
            .map(|(s, _)| s)
            .map_err(|e| bad(e.to_string()))?,
        Media::Yaml => {
            let json = crate::machinery::yaml_to_json(&call.req.body).map_err(bad)?;
            kube::codec::json::decode(gvk, &json, validation)
                .map(|(s, _)| s)
                .map_err(|e| bad(e.to_string()))?
        }
    };
    Ok(Some(s))
}

fn ask(s: &Struct) -> Ask {
    if s.has("spec.nonResourceAttributes") {
        return Ask {
            verb: s.str_at("spec.nonResourceAttributes.verb").to_owned(),
            path: Some(s.str_at("spec.nonResourceAttributes.path").to_owned()),
            ..Ask::default()
        };
    }
    let at = |f: &str| s.str_at(&format!("spec.resourceAttributes.{f}")).to_owned();
    Ask {
        verb: at("verb"),
        namespace: at("namespace"),
        group: at("group"),
        resource: at("resource"),
        subresource: at("subresource"),
        name: at("name"),
        path: None,
    }
}

async fn rules(call: &Call, s: &mut Struct, namespace: &str) {
    let master = call.user.groups.iter().any(|g| g == "system:masters");
    let (mut resources, mut others) = (Vec::new(), Vec::new());
    if master {
        resources
            .push(Json::parse(br#"{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}"#).unwrap_or_default());
        others.push(Json::parse(br#"{"verbs":["*"],"nonResourceURLs":["*"]}"#).unwrap_or_default());
    }
    for rule in authz::rules_of(&call.server, &call.user, namespace).await {
        let j = kube::codec::json::encode(&rule);
        if j.items_at("resources").is_empty() {
            others.push(j);
        } else {
            resources.push(j);
        }
    }
    let mut status = Json::obj();
    status.set_at("resourceRules", Json::Arr(resources));
    status.set_at("nonResourceRules", Json::Arr(others));
    status.set_at("incomplete", Json::Bool(false));
    s.remove("status");
    s.set("status", status);
}
