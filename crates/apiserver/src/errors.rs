//! `metav1.Status` failures: what every refused request is answered with, in the original's words.

use kube::json::append_string;
use std::fmt;

/// One cause in `details.causes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// Machine-readable, as `FieldValueInvalid`.
    pub reason: String,
    /// The error without its field.
    pub message: String,
    /// Path of the field.
    pub field: String,
}

/// `status.details`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Name of the object, or of the operation for server timeouts.
    pub name: String,
    /// API group.
    pub group: String,
    /// The *resource* for most errors, the kind for validation errors.
    pub kind: String,
    /// Only in successes of deletion.
    pub uid: String,
    /// Single faults.
    pub causes: Vec<Cause>,
    /// Also sent as `Retry-After`.
    pub retry_after_seconds: i64,
}

/// A failure. `reason` is empty for errors that the original passes on as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status code.
    pub code: u16,
    /// As `NotFound`.
    pub reason: &'static str,
    /// For people.
    pub message: String,
    /// `None` prints no `details` at all.
    pub details: Option<Box<Details>>,
    /// `metadata.continue`: a token that continues an expired list inconsistently.
    pub continue_token: Option<String>,
}

impl std::error::Error for ApiError {}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A group and a resource as errors name them: `pods`, `deployments.apps`.
pub fn qualified(group: &str, resource: &str) -> String {
    if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") }
}

/// One validation error: `field: Type: "value": detail`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    /// Path of the field.
    pub field: String,
    /// As `FieldValueInvalid`.
    pub reason: String,
    /// Without the field.
    pub body: String,
}

impl fmt::Display for FieldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body)
    }
}

impl FieldFault {
    /// `field.Invalid`; `value` is printed as it is.
    pub fn invalid(field: &str, value: &str, detail: &str) -> FieldFault {
        FieldFault {
            field: field.into(),
            reason: "FieldValueInvalid".into(),
            body: format!("Invalid value: {value}: {detail}"),
        }
    }

    /// `field.Forbidden`.
    pub fn forbidden(field: &str, detail: &str) -> FieldFault {
        FieldFault {
            field: field.into(),
            reason: "FieldValueForbidden".into(),
            body: format!("Forbidden: {detail}"),
        }
    }

    /// `field.Required`.
    pub fn required(field: &str, detail: &str) -> FieldFault {
        FieldFault {
            field: field.into(),
            reason: "FieldValueRequired".into(),
            body: if detail.is_empty() {
                "Required value".into()
            } else {
                format!("Required value: {detail}")
            },
        }
    }

    /// `field.NotSupported`, with the value quoted and the supported values as given.
    pub fn not_supported(field: &str, value: &str, supported: &[&str]) -> FieldFault {
        let list: Vec<String> = supported.iter().map(|s| format!("{s:?}")).collect();
        FieldFault {
            field: field.into(),
            reason: "FieldValueNotSupported".into(),
            body: format!("Unsupported value: {value}: supported values: {}", list.join(", ")),
        }
    }
}

/// Several errors as one text: the same text once, one bare, several as `[a, b]`.
pub fn aggregate(texts: impl IntoIterator<Item = String>) -> String {
    let mut list: Vec<String> = Vec::new();
    for t in texts {
        if !list.contains(&t) {
            list.push(t);
        }
    }
    if list.len() == 1 { list.remove(0) } else { format!("[{}]", list.join(", ")) }
}

impl ApiError {
    /// A failure with a code, a reason and a message.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { code, reason, message: message.into(), details: None, continue_token: None }
    }

    fn with(mut self, details: Details) -> ApiError {
        self.details = Some(Box::new(details));
        self
    }

    fn about(group: &str, resource: &str, name: &str) -> Details {
        Details { name: name.into(), group: group.into(), kind: resource.into(), ..Details::default() }
    }

    /// 404 for an object.
    pub fn not_found(group: &str, resource: &str, name: &str) -> ApiError {
        let text = format!("{} {name:?} not found", qualified(group, resource));
        ApiError::new(404, "NotFound", text).with(Self::about(group, resource, name))
    }

    /// 404 for a path below an API group that nobody serves.
    pub fn no_such_resource() -> ApiError {
        ApiError::new(404, "NotFound", "the server could not find the requested resource")
            .with(Details::default())
    }

    /// 409 at create.
    pub fn already_exists(group: &str, resource: &str, name: &str) -> ApiError {
        let text = format!("{} {name:?} already exists", qualified(group, resource));
        ApiError::new(409, "AlreadyExists", text).with(Self::about(group, resource, name))
    }

    /// 409 at update or delete; `why` is the storage's or the strategy's text.
    pub fn conflict(group: &str, resource: &str, name: &str, why: &str) -> ApiError {
        let text = format!("Operation cannot be fulfilled on {} {name:?}: {why}", qualified(group, resource));
        ApiError::new(409, "Conflict", text).with(Self::about(group, resource, name))
    }

    /// 403 by authorization or admission.
    pub fn forbidden(group: &str, resource: &str, name: &str, why: &str) -> ApiError {
        let what = qualified(group, resource);
        let text = match (what.is_empty(), name.is_empty()) {
            (true, _) => format!("forbidden: {why}"),
            (false, true) => format!("{what} is forbidden: {why}"),
            (false, false) => format!("{what} {name:?} is forbidden: {why}"),
        };
        ApiError::new(403, "Forbidden", text).with(Self::about(group, resource, name))
    }

    /// 422 with the faults as causes; `kind` is a kind or, for some errors, a resource.
    pub fn invalid(group: &str, kind: &str, name: &str, faults: &[FieldFault]) -> ApiError {
        let causes = faults
            .iter()
            .map(|f| Cause { reason: f.reason.clone(), message: f.body.clone(), field: f.field.clone() })
            .collect();
        let what = qualified(group, kind);
        let text = aggregate(faults.iter().map(FieldFault::to_string));
        ApiError::new(422, "Invalid", format!("{what} {name:?} is invalid: {text}"))
            .with(Details { causes, ..Self::about(group, kind, name) })
    }

    /// 400.
    pub fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(400, "BadRequest", message)
    }

    /// 401.
    pub fn unauthorized() -> ApiError {
        ApiError::new(401, "Unauthorized", "Unauthorized")
    }

    /// 405 from the router.
    pub fn method_not_allowed() -> ApiError {
        ApiError::new(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )
        .with(Details::default())
    }

    /// 405 from a registry: a verb this resource lacks.
    pub fn method_not_supported(group: &str, resource: &str, verb: &str) -> ApiError {
        let text = format!("{verb} is not supported on resources of kind {:?}", qualified(group, resource));
        ApiError::new(405, "MethodNotAllowed", text).with(Self::about(group, resource, ""))
    }

    /// 406.
    pub fn not_acceptable(media_types: &[&str]) -> ApiError {
        let text = format!("only the following media types are accepted: {}", media_types.join(", "));
        ApiError::new(406, "NotAcceptable", text)
    }

    /// 415.
    pub fn unsupported_media_type(media_types: &[&str]) -> ApiError {
        let text = format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            media_types.join(", ")
        );
        ApiError::new(415, "UnsupportedMediaType", text)
    }

    /// 413.
    pub fn request_entity_too_large(text: &str) -> ApiError {
        ApiError::new(413, "RequestEntityTooLarge", format!("Request entity too large: {text}"))
    }

    /// 500 with `Internal error occurred: `.
    pub fn internal(text: &str) -> ApiError {
        let causes = vec![Cause { message: text.into(), ..Cause::default() }];
        ApiError::new(500, "InternalError", format!("Internal error occurred: {text}"))
            .with(Details { causes, ..Details::default() })
    }

    /// 500 with the text as it is and no reason: any error the original does not know.
    pub fn raw(text: impl Into<String>) -> ApiError {
        ApiError::new(500, "", text)
    }

    /// 500: the storage cannot be reached.
    pub fn server_timeout(group: &str, resource: &str, operation: &str) -> ApiError {
        let text = format!(
            "The {operation} operation against {} could not be completed at this time, please try again.",
            qualified(group, resource)
        );
        ApiError::new(500, "ServerTimeout", text).with(Details {
            name: operation.into(),
            group: group.into(),
            kind: resource.into(),
            retry_after_seconds: 2,
            ..Details::default()
        })
    }

    /// 504: the request's deadline passed.
    pub fn timeout(text: &str) -> ApiError {
        ApiError::new(504, "Timeout", format!("Timeout: {text}")).with(Details::default())
    }

    /// 504: a resourceVersion from the future. From the watch cache it asks to come back after a second.
    pub fn too_large_resource_version(wanted: u64, current: u64, retry: i64) -> ApiError {
        let causes = vec![Cause {
            reason: "ResourceVersionTooLarge".into(),
            message: "Too large resource version".into(),
            field: String::new(),
        }];
        let text = format!("Timeout: Too large resource version: {wanted}, current: {current}");
        ApiError::new(504, "Timeout", text).with(Details {
            causes,
            retry_after_seconds: retry,
            ..Details::default()
        })
    }

    /// 410.
    pub fn expired(text: impl Into<String>) -> ApiError {
        ApiError::new(410, "Expired", text)
    }

    /// 429.
    pub fn too_many_requests(text: &str, retry_after_seconds: i64) -> ApiError {
        ApiError::new(429, "TooManyRequests", text)
            .with(Details { retry_after_seconds, ..Details::default() })
    }

    /// `Retry-After` of the answer, in seconds.
    pub fn retry_after(&self) -> Option<i64> {
        self.details.as_ref().map(|d| d.retry_after_seconds).filter(|s| *s > 0)
    }

    /// The Status object as the original prints it, without a final newline.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(b"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{");
        if let Some(token) = &self.continue_token {
            out.extend_from_slice(b"\"continue\":");
            append_string(token, &mut out);
        }
        out.extend_from_slice(b"},\"status\":\"Failure\"");
        member(&mut out, "message", &self.message);
        member(&mut out, "reason", self.reason);
        if let Some(d) = &self.details {
            out.extend_from_slice(b",\"details\":");
            d.print(&mut out);
        }
        out.extend_from_slice(format!(",\"code\":{}}}", self.code).as_bytes());
        out
    }
}

/// The Status of a deletion that removed the object.
pub fn deleted_status(group: &str, resource: &str, name: &str, uid: &str) -> Vec<u8> {
    let mut out =
        b"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"details\":"
            .to_vec();
    let details = Details {
        name: name.into(),
        group: group.into(),
        kind: resource.into(),
        uid: uid.into(),
        ..Details::default()
    };
    details.print(&mut out);
    out.push(b'}');
    out
}

impl Details {
    fn print(&self, out: &mut Vec<u8>) {
        let start = out.len();
        member(out, "name", &self.name);
        member(out, "group", &self.group);
        member(out, "kind", &self.kind);
        member(out, "uid", &self.uid);
        if !self.causes.is_empty() {
            out.extend_from_slice(b",\"causes\":[");
            for (i, c) in self.causes.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                let at = out.len();
                member(out, "reason", &c.reason);
                member(out, "message", &c.message);
                member(out, "field", &c.field);
                open(out, at);
            }
            out.push(b']');
        }
        if self.retry_after_seconds != 0 {
            out.extend_from_slice(format!(",\"retryAfterSeconds\":{}", self.retry_after_seconds).as_bytes());
        }
        open(out, start);
    }
}

/// `,"name":"value"`, nothing for an empty value.
fn member(out: &mut Vec<u8>, name: &str, value: &str) {
    if value.is_empty() {
        return;
    }
    out.extend_from_slice(format!(",\"{name}\":").as_bytes());
    append_string(value, out);
}

/// Turns the members written since `start` into an object.
fn open(out: &mut Vec<u8>, start: usize) {
    if out.len() == start {
        out.extend_from_slice(b"{}");
    } else {
        out[start] = b'{';
        out.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_of_a_missing_object() {
        let e = ApiError::not_found("apps", "deployments", "x");
        assert_eq!(
            String::from_utf8(e.to_json()).unwrap(),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"x\" not found","reason":"NotFound","details":{"name":"x","group":"apps","kind":"deployments"},"code":404}"#
        );
    }

    #[test]
    fn status_with_causes() {
        let fault = FieldFault::invalid("metadata.resourceVersion", "0", "must be specified for an update");
        let e = ApiError::invalid("coordination.k8s.io", "leases", "new", &[fault]);
        assert_eq!(
            String::from_utf8(e.to_json()).unwrap(),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"leases.coordination.k8s.io \"new\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update","reason":"Invalid","details":{"name":"new","group":"coordination.k8s.io","kind":"leases","causes":[{"reason":"FieldValueInvalid","message":"Invalid value: 0: must be specified for an update","field":"metadata.resourceVersion"}]},"code":422}"#
        );
    }

    #[test]
    fn empty_details_print_as_an_object() {
        let text = String::from_utf8(ApiError::no_such_resource().to_json()).unwrap();
        assert!(text.ends_with(r#""reason":"NotFound","details":{},"code":404}"#), "{text}");
        let text = String::from_utf8(ApiError::raw("etcdserver: request is too large").to_json()).unwrap();
        assert!(text.ends_with(r#""message":"etcdserver: request is too large","code":500}"#), "{text}");
    }
}
