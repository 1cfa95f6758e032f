//! `metav1.Status`: what the API server answers when something went wrong (or was deleted), with the codes, reasons
//! and messages of `k8s.io/apimachinery/pkg/api/errors`.

use crate::field::{FieldError, aggregate};
use crate::json::{Json, append_string, go_quote};

/// A cause in a Status's details.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    pub reason: String,
    pub message: String,
    pub field: String,
}

/// `details` of a Status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub name: String,
    pub group: String,
    /// a resource's plural, or a kind
    pub kind: String,
    pub uid: String,
    pub causes: Vec<Cause>,
    pub retry_after_seconds: i32,
}

/// A Status object. As an error its `Display` is the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// `Success` or `Failure`
    pub status: String,
    pub message: String,
    /// `NotFound`, `Invalid`, … or empty
    pub reason: String,
    pub details: Option<Details>,
    /// HTTP status code
    pub code: u16,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
impl std::error::Error for Status {}

/// `pods`, `deployments.apps`: a resource or kind with its group, as messages show it.
fn qualified(group: &str, word: &str) -> String {
    if group.is_empty() { word.to_string() } else { format!("{word}.{group}") }
}

fn details(group: &str, kind: &str, name: &str) -> Option<Details> {
    Some(Details { name: name.into(), group: group.into(), kind: kind.into(), ..Details::default() })
}

impl Status {
    /// A failure of any kind.
    pub fn failure(code: u16, reason: &str, message: impl Into<String>) -> Status {
        Status {
            status: "Failure".into(),
            message: message.into(),
            reason: reason.into(),
            details: None,
            code,
        }
    }
    /// A success (the answer to a deletion that finished at once).
    pub fn success(details: Option<Details>) -> Status {
        Status { status: "Success".into(), details, ..Status::default() }
    }
    fn with(mut self, d: Option<Details>) -> Status {
        self.details = d;
        self
    }

    pub fn not_found(group: &str, resource: &str, name: &str) -> Status {
        let m = format!("{} {} not found", qualified(group, resource), go_quote(name));
        Status::failure(404, "NotFound", m).with(details(group, resource, name))
    }
    /// A path that is no resource.
    pub fn unknown_resource() -> Status {
        Status::failure(404, "NotFound", "the server could not find the requested resource")
            .with(Some(Details::default()))
    }
    pub fn already_exists(group: &str, resource: &str, name: &str) -> Status {
        let m = format!("{} {} already exists", qualified(group, resource), go_quote(name));
        Status::failure(409, "AlreadyExists", m).with(details(group, resource, name))
    }
    pub fn generate_name_conflict(group: &str, resource: &str, name: &str, retry_after: i32) -> Status {
        let m = format!(
            "{} {} already exists, the server was not able to generate a unique name for the object",
            qualified(group, resource),
            go_quote(name)
        );
        let mut s = Status::failure(409, "AlreadyExists", m).with(details(group, resource, name));
        s.set_retry_after(retry_after);
        s
    }
    pub fn unauthorized(reason: &str) -> Status {
        Status::failure(401, "Unauthorized", if reason.is_empty() { "not authorized" } else { reason })
    }
    pub fn forbidden(group: &str, resource: &str, name: &str, error: &str) -> Status {
        let m = match (resource.is_empty() && group.is_empty(), name.is_empty()) {
            (true, _) => format!("forbidden: {error}"),
            (_, true) => format!("{} is forbidden: {error}", qualified(group, resource)),
            _ => format!("{} {} is forbidden: {error}", qualified(group, resource), go_quote(name)),
        };
        Status::failure(403, "Forbidden", m).with(details(group, resource, name))
    }
    pub fn conflict(group: &str, resource: &str, name: &str, error: &str) -> Status {
        let m = format!(
            "Operation cannot be fulfilled on {} {}: {error}",
            qualified(group, resource),
            go_quote(name)
        );
        Status::failure(409, "Conflict", m).with(details(group, resource, name))
    }
    pub fn gone(message: &str) -> Status {
        Status::failure(410, "Gone", message)
    }
    /// `too old resource version` and the like.
    pub fn resource_expired(message: &str) -> Status {
        Status::failure(410, "Expired", message)
    }
    /// `Pod "x" is invalid: [ … ]`, one cause for each error.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Status {
        let head = format!("{} {} is invalid", qualified(group, kind), go_quote(name));
        let m = if errors.is_empty() { head } else { format!("{head}: {}", aggregate(errors)) };
        let mut d =
            Details { name: name.into(), group: group.into(), kind: kind.into(), ..Details::default() };
        d.causes = errors
            .iter()
            .map(|e| Cause {
                reason: e.error_type.reason().into(),
                message: e.body(),
                field: e.field.clone(),
            })
            .collect();
        Status::failure(422, "Invalid", m).with(Some(d))
    }
    pub fn bad_request(reason: impl Into<String>) -> Status {
        Status::failure(400, "BadRequest", reason)
    }
    pub fn too_many_requests(message: &str, retry_after: i32) -> Status {
        let d = Details { retry_after_seconds: retry_after, ..Details::default() };
        Status::failure(429, "TooManyRequests", message).with(Some(d))
    }
    pub fn service_unavailable(reason: &str) -> Status {
        Status::failure(503, "ServiceUnavailable", reason)
    }
    pub fn method_not_supported(group: &str, resource: &str, action: &str) -> Status {
        let m = format!(
            "{action} is not supported on resources of kind {}",
            go_quote(&qualified(group, resource))
        );
        Status::failure(405, "MethodNotAllowed", m).with(details(group, resource, ""))
    }
    /// What the router answers for a verb a resource has not.
    pub fn method_not_allowed() -> Status {
        Status::failure(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )
        .with(Some(Details::default()))
    }
    pub fn server_timeout(group: &str, resource: &str, operation: &str, retry_after: i32) -> Status {
        let m = format!(
            "The {operation} operation against {} could not be completed at this time, please try again.",
            qualified(group, resource)
        );
        let mut s = Status::failure(500, "ServerTimeout", m).with(details(group, resource, operation));
        s.set_retry_after(retry_after);
        s
    }
    pub fn internal_error(error: &str) -> Status {
        let causes = vec![Cause { message: error.into(), ..Cause::default() }];
        Status::failure(500, "InternalError", format!("Internal error occurred: {error}"))
            .with(Some(Details { causes, ..Details::default() }))
    }
    pub fn timeout(message: &str, retry_after: i32) -> Status {
        let d = Details { retry_after_seconds: retry_after, ..Details::default() };
        Status::failure(504, "Timeout", format!("Timeout: {message}")).with(Some(d))
    }
    pub fn request_entity_too_large(message: &str) -> Status {
        Status::failure(413, "RequestEntityTooLarge", format!("Request entity too large: {message}"))
    }
    pub fn not_acceptable(message: &str) -> Status {
        Status::failure(406, "NotAcceptable", message)
    }
    pub fn unsupported_media_type(message: &str) -> Status {
        Status::failure(415, "UnsupportedMediaType", message)
    }
    /// What a client makes of an answer that holds no Status (`NewGenericServerResponse`).
    pub fn generic(
        code: u16,
        verb: &str,
        (group, resource): (&str, &str),
        name: &str,
        server_message: &str,
        retry_after: i32,
        unexpected: bool,
    ) -> Status {
        let plain = |r: &'static str, m: &str| (r, m.to_string());
        let (reason, mut message) = match code {
            409 if verb == "POST" => plain("AlreadyExists", "the server reported a conflict"),
            409 => plain("Conflict", "the server reported a conflict"),
            404 => plain("NotFound", "the server could not find the requested resource"),
            400 => plain("BadRequest", "the server rejected our request for an unknown reason"),
            401 => plain("Unauthorized", "the server has asked for the client to provide credentials"),
            403 => plain("Forbidden", server_message),
            406 if server_message.is_empty() || server_message == "unknown" => plain(
                "NotAcceptable",
                "the server was unable to respond with a content type that the client supports",
            ),
            406 => plain("NotAcceptable", server_message),
            415 => plain("UnsupportedMediaType", server_message),
            405 => {
                plain("MethodNotAllowed", "the server does not allow this method on the requested resource")
            }
            422 => plain("Invalid", "the server rejected our request due to an error in our request"),
            503 => plain("ServiceUnavailable", "the server is currently unable to handle the request"),
            504 => plain(
                "Timeout",
                "the server was unable to return a response in the time allotted, but may still be processing the request",
            ),
            429 => plain(
                "TooManyRequests",
                "the server has received too many requests and has asked us to try again later",
            ),
            c if c >= 500 => (
                "InternalError",
                format!(
                    "an error on the server ({}) has prevented the request from succeeding",
                    go_quote(server_message)
                ),
            ),
            c => (
                "",
                format!("the server responded with the status code {c} but did not return more information"),
            ),
        };
        if !(group.is_empty() && resource.is_empty()) {
            let tail = if name.is_empty() { String::new() } else { format!(" {name}") };
            message = format!("{message} ({} {}{tail})", verb.to_lowercase(), qualified(group, resource));
        }
        let mut d =
            Details { name: name.into(), group: group.into(), kind: resource.into(), ..Details::default() };
        d.retry_after_seconds = retry_after;
        if unexpected {
            d.causes.push(Cause {
                reason: "UnexpectedServerResponse".into(),
                message: server_message.into(),
                field: String::new(),
            });
        }
        Status::failure(code, reason, message).with(Some(d))
    }

    fn set_retry_after(&mut self, seconds: i32) {
        if let Some(d) = &mut self.details {
            d.retry_after_seconds = seconds;
        }
    }

    /// The JSON text in Go's field order, without a final newline.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(br#"{"kind":"Status","apiVersion":"v1","metadata":{}"#);
        let text = |out: &mut Vec<u8>, comma: bool, key: &str, v: &str| {
            if v.is_empty() {
                return comma;
            }
            if comma {
                out.push(b',');
            }
            append_string(key, out);
            out.push(b':');
            append_string(v, out);
            true
        };
        text(&mut out, true, "status", &self.status);
        text(&mut out, true, "message", &self.message);
        text(&mut out, true, "reason", &self.reason);
        if let Some(d) = &self.details {
            out.extend_from_slice(b",\"details\":{");
            let mut comma = text(&mut out, false, "name", &d.name);
            comma = text(&mut out, comma, "group", &d.group);
            comma = text(&mut out, comma, "kind", &d.kind);
            comma = text(&mut out, comma, "uid", &d.uid);
            if !d.causes.is_empty() {
                if comma {
                    out.push(b',');
                }
                comma = true;
                out.extend_from_slice(b"\"causes\":[");
                for (i, c) in d.causes.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    out.push(b'{');
                    let mut comma = text(&mut out, false, "reason", &c.reason);
                    comma = text(&mut out, comma, "message", &c.message);
                    text(&mut out, comma, "field", &c.field);
                    out.push(b'}');
                }
                out.push(b']');
            }
            if d.retry_after_seconds != 0 {
                if comma {
                    out.push(b',');
                }
                out.extend_from_slice(format!("\"retryAfterSeconds\":{}", d.retry_after_seconds).as_bytes());
            }
            out.push(b'}');
        }
        if self.code != 0 {
            out.extend_from_slice(format!(",\"code\":{}", self.code).as_bytes());
        }
        out.push(b'}');
        out
    }

    /// The same as a JSON value.
    pub fn to_json(&self) -> Json {
        Json::parse(&self.to_vec()).unwrap_or_default()
    }

    /// Reads a Status object; `None` when the value is none.
    pub fn from_json(v: &Json) -> Option<Status> {
        if v.str_at("kind") != "Status" || !matches!(v.str_at("apiVersion"), "v1" | "meta.k8s.io/v1") {
            return None;
        }
        let text = |v: &Json, k: &str| v.get(k).and_then(Json::as_str).unwrap_or("").to_string();
        let details = v.get("details").map(|d| Details {
            name: text(d, "name"),
            group: text(d, "group"),
            kind: text(d, "kind"),
            uid: text(d, "uid"),
            causes: d
                .items_at("causes")
                .iter()
                .map(|c| Cause {
                    reason: text(c, "reason"),
                    message: text(c, "message"),
                    field: text(c, "field"),
                })
                .collect(),
            retry_after_seconds: d.int_at("retryAfterSeconds").and_then(|n| n.try_into().ok()).unwrap_or(0),
        });
        Some(Status {
            status: text(v, "status"),
            message: text(v, "message"),
            reason: text(v, "reason"),
            details,
            code: v.int_at("code").and_then(|n| n.try_into().ok()).unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Path;

    #[test]
    fn texts() {
        let s = Status::not_found("apps", "deployments", "web");
        assert_eq!(
            String::from_utf8(s.to_vec()).unwrap(),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"web\" not found","reason":"NotFound","details":{"name":"web","group":"apps","kind":"deployments"},"code":404}"#
        );
        assert_eq!(Status::from_json(&s.to_json()), Some(s));
        let e =
            [FieldError::required(&Path::new("metadata").child("name"), "name or generateName is required")];
        let s = Status::invalid("", "ConfigMap", "", &e);
        assert_eq!(
            s.to_string(),
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required"
        );
        assert_eq!(
            s.to_json().at("details.causes[0]").unwrap().to_text(),
            r#"{"field":"metadata.name","message":"Required value: name or generateName is required","reason":"FieldValueRequired"}"#
        );
        assert!(
            String::from_utf8(Status::unknown_resource().to_vec())
                .unwrap()
                .contains(r#""details":{},"code":404"#)
        );
        assert_eq!(
            Status::conflict("", "pods", "a", "the object has been modified").to_string(),
            "Operation cannot be fulfilled on pods \"a\": the object has been modified"
        );
        assert_eq!(
            Status::generic(404, "GET", ("", "pods"), "a", "", 0, true).to_string(),
            "the server could not find the requested resource (get pods a)"
        );
    }
}
