//! Names and metadata: which names are allowed and what `ObjectMeta` must hold, with the messages of
//! `k8s.io/apimachinery` (`util/validation`, `api/validate/content`, `api/validation`).

use crate::field::{FieldError, Path};
use crate::object::{Struct, Value};
use std::collections::BTreeMap;

const DNS1123_LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const DNS1035_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const SUBDOMAIN_MESSAGE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

/// `message (e.g. 'a', or 'b', regex used for validation is 're')`
pub fn regex_error(message: &str, re: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{message} (regex used for validation is '{re}')");
    }
    let list: Vec<String> = examples.iter().map(|e| format!("'{e}', ")).collect();
    format!("{message} (e.g. {}regex used for validation is '{re}')", list.join(" or "))
}

/// `must be no more than 63 characters`
pub fn max_len_error(n: usize) -> String {
    format!("must be no more than {n} characters")
}
/// `must be no more than 63 bytes`
fn max_bytes_error(n: usize) -> String {
    format!("must be no more than {n} bytes")
}
/// `must be between 1 and 65535, inclusive`
pub fn inclusive_range_error(lo: i64, hi: i64) -> String {
    format!("must be between {lo} and {hi}, inclusive")
}

fn lower_alnum(c: u8) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// First and last pass `edge`, all pass `inner`; not empty.
fn bounded(s: &str, edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let b = s.as_bytes();
    match (b.first(), b.last()) {
        (Some(f), Some(l)) => edge(*f) && edge(*l) && b.iter().all(|c| inner(*c)),
        _ => false,
    }
}

fn is_label(s: &str) -> bool {
    bounded(s, lower_alnum, |c| lower_alnum(c) || c == b'-')
}
fn is_subdomain(s: &str) -> bool {
    s.split('.').all(is_label)
}
fn is_label_name(s: &str) -> bool {
    bounded(
        s,
        |c| c.is_ascii_alphanumeric(),
        |c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'),
    )
}

/// RFC 1123 label (a namespace's name).
pub fn is_dns1123_label(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    if s.len() > 63 {
        out.push(max_len_error(63));
    }
    if !is_label(s) {
        out.push(if is_subdomain(s) {
            "must not contain dots".into()
        } else {
            regex_error(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
                DNS1123_LABEL,
                &["my-name", "123-abc"],
            )
        });
    }
    out
}

/// RFC 1123 subdomain (most names).
pub fn is_dns1123_subdomain(s: &str) -> Vec<String> {
    subdomain(s, max_len_error(253))
}

fn subdomain(s: &str, too_long: String) -> Vec<String> {
    let mut out = Vec::new();
    if s.len() > 253 {
        out.push(too_long);
    }
    if !is_subdomain(s) {
        out.push(regex_error(SUBDOMAIN_MESSAGE, DNS1123_SUBDOMAIN, &["example.com"]));
    }
    out
}

/// RFC 1035 label (a Service's name until 1.33; its port names).
pub fn is_dns1035_label(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    if s.len() > 63 {
        out.push(max_len_error(63));
    }
    if !is_label(s) || !s.as_bytes()[0].is_ascii_lowercase() {
        out.push(regex_error(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
            DNS1035_LABEL,
            &["my-name", "abc-123"],
        ));
    }
    out
}

/// `*.example.com`
pub fn is_wildcard_dns1123_subdomain(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    if s.len() > 253 {
        out.push(max_len_error(253));
    }
    if !s.strip_prefix("*.").is_some_and(is_subdomain) {
        out.push(regex_error(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
            &format!(r"\*\.{DNS1123_SUBDOMAIN}"),
            &["*.example.com"],
        ));
    }
    out
}

/// A label key, annotation key, finalizer or resource name: `name` or `prefix.example.com/name`.
pub fn is_qualified_name(s: &str) -> Vec<String> {
    const MESSAGE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    let examples = ["MyName", "my.name", "123-abc"];
    let mut out = Vec::new();
    let mut parts = s.split('/');
    let (first, second, more) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    if more.is_some() {
        return vec![format!(
            "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
            regex_error(MESSAGE, LABEL_KEY, &examples)
        )];
    }
    let name = match second {
        None => first,
        Some(name) => {
            if first.is_empty() {
                out.push("prefix part must be non-empty".into());
            } else {
                out.extend(
                    subdomain(first, max_bytes_error(253)).into_iter().map(|m| format!("prefix part {m}")),
                );
            }
            name
        }
    };
    if name.is_empty() {
        out.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        out.push(format!("name part {}", max_bytes_error(63)));
    }
    if !is_label_name(name) {
        out.push(format!("name part {}", regex_error(MESSAGE, LABEL_KEY, &examples)));
    }
    out
}

/// A label's value.
pub fn is_valid_label_value(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    if s.len() > 63 {
        out.push(max_bytes_error(63));
    }
    if !s.is_empty() && !is_label_name(s) {
        out.push(regex_error(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            &format!("({LABEL_KEY})?"),
            &["MyValue", "my_value", "12345"],
        ));
    }
    out
}

fn change_dir(s: &str) -> Option<String> {
    match s {
        "." => Some("must not be '.'".into()),
        ".." => Some("must not be '..'".into()),
        s if s.starts_with("..") => Some("must not start with '..'".into()),
        _ => None,
    }
}

/// A key of a ConfigMap's or Secret's data.
pub fn is_config_map_key(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    if s.len() > 253 {
        out.push(max_len_error(253));
    }
    let ok = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    if s.is_empty() || !s.bytes().all(ok) {
        out.push(regex_error(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    out.extend(change_dir(s));
    out
}

/// An environment variable's name, strict form.
pub fn is_env_var_name(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    let ok = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    if s.is_empty() || !s.bytes().all(ok) || s.as_bytes()[0].is_ascii_digit() {
        out.push(regex_error(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
            "[-._a-zA-Z][-._a-zA-Z0-9]*",
            &["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
        ));
    }
    out.extend(change_dir(s));
    out
}

/// An environment variable's name, relaxed form (default since 1.32): printable ASCII without `=`.
pub fn is_relaxed_env_var_name(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    if s.is_empty() {
        out.push("environment variable name must be non-empty".into());
    }
    if s.chars().any(|c| !(' '..='~').contains(&c) || c == '=') {
        out.push(
            "a valid environment variable name must consist only of printable ASCII characters other than '='".into(),
        );
    }
    out
}

/// `1..=65535`
pub fn is_valid_port_num(port: i64) -> Vec<String> {
    is_in_range(port, 1, 65535)
}
pub fn is_in_range(v: i64, lo: i64, hi: i64) -> Vec<String> {
    if (lo..=hi).contains(&v) { Vec::new() } else { vec![inclusive_range_error(lo, hi)] }
}
/// User and group ids: `0..=2147483647`.
pub fn is_valid_user_id(id: i64) -> Vec<String> {
    is_in_range(id, 0, i64::from(i32::MAX))
}

/// A port's name (IANA_SVC_NAME).
pub fn is_valid_port_name(s: &str) -> Vec<String> {
    let mut out = Vec::new();
    if s.len() > 15 {
        out.push(max_len_error(15));
    }
    if s.is_empty() || !s.bytes().all(|c| lower_alnum(c) || c == b'-') {
        out.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".into());
    }
    if !s.bytes().any(|c| c.is_ascii_lowercase()) {
        out.push("must contain at least one letter (a-z)".into());
    }
    if s.contains("--") {
        out.push("must not contain consecutive hyphens".into());
    }
    if s.starts_with('-') || s.ends_with('-') {
        out.push("must not begin or end with a hyphen".into());
    }
    out
}

/// `25%`
pub fn is_valid_percent(s: &str) -> Vec<String> {
    let ok = s.strip_suffix('%').is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()));
    if ok {
        return Vec::new();
    }
    vec![regex_error(
        "a valid percent string must be a numeric string followed by an ending '%'",
        "[0-9]+%",
        &["1%", "93%"],
    )]
}

/// An HTTP header's name.
pub fn is_http_header_name(s: &str) -> Vec<String> {
    if !s.is_empty() && s.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-') {
        return Vec::new();
    }
    vec![regex_error(
        "a valid HTTP header must consist of alphanumeric characters or '-'",
        "[-A-Za-z0-9]+",
        &["X-Header-Name"],
    )]
}

/// Names that become a path element (RBAC objects and all keys): not `.`, `..`, no `/` or `%`.
pub fn is_path_segment_name(s: &str) -> Vec<String> {
    match s {
        "." => vec!["may not be '.'".into()],
        ".." => vec!["may not be '..'".into()],
        s => {
            ['/', '%'].iter().filter(|c| s.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
        }
    }
}

/// Checks a name; the second argument tells that it is a `generateName` prefix.
pub type NameFn = fn(&str, bool) -> Vec<String>;

/// A prefix may end in a dash, since something follows: the last two bytes become `a`.
fn mask(name: &str, prefix: bool) -> String {
    if prefix && name.len() > 1 && name.ends_with('-') {
        let b = &name.as_bytes()[..name.len() - 2];
        return format!("{}a", String::from_utf8_lossy(b));
    }
    name.to_string()
}
pub fn name_is_dns_subdomain(name: &str, prefix: bool) -> Vec<String> {
    is_dns1123_subdomain(&mask(name, prefix))
}
pub fn name_is_dns_label(name: &str, prefix: bool) -> Vec<String> {
    is_dns1123_label(&mask(name, prefix))
}
pub fn name_is_dns1035_label(name: &str, prefix: bool) -> Vec<String> {
    is_dns1035_label(&mask(name, prefix))
}
/// RBAC: anything that is a path segment.
pub fn name_is_path_segment(name: &str, prefix: bool) -> Vec<String> {
    if prefix {
        return is_path_segment_name(name).into_iter().filter(|m| !m.starts_with("may not be")).collect();
    }
    is_path_segment_name(name)
}

/// Annotations together may hold this many bytes.
pub const TOTAL_ANNOTATION_SIZE_LIMIT: usize = 256 * 1024;

/// `ValidateLabels`
pub fn validate_labels(labels: &BTreeMap<String, String>, path: &Path) -> Vec<FieldError> {
    let mut out = Vec::new();
    for (k, v) in labels {
        out.extend(is_qualified_name(k).into_iter().map(|m| FieldError::invalid(path, k, m)));
        out.extend(is_valid_label_value(v).into_iter().map(|m| FieldError::invalid(path, v, m)));
    }
    out
}

/// `ValidateAnnotations`
pub fn validate_annotations(annotations: &BTreeMap<String, String>, path: &Path) -> Vec<FieldError> {
    let mut out = Vec::new();
    for k in annotations.keys() {
        out.extend(is_qualified_name(&k.to_lowercase()).into_iter().map(|m| FieldError::invalid(path, k, m)));
    }
    let total: usize = annotations.iter().map(|(k, v)| k.len() + v.len()).sum();
    if total > TOTAL_ANNOTATION_SIZE_LIMIT {
        out.push(FieldError::too_long(path, TOTAL_ANNOTATION_SIZE_LIMIT as i64));
    }
    out
}

/// `ValidateLabelSelector` of a `meta/v1.LabelSelector` struct.
pub fn validate_label_selector(s: &Struct, path: &Path) -> Vec<FieldError> {
    let mut out = validate_labels(&s.str_map_at("matchLabels"), &path.child("matchLabels"));
    for (i, e) in s.structs_at("matchExpressions").enumerate() {
        let p = path.child("matchExpressions").index(i);
        let values: Vec<&str> = e.strs_at("values").collect();
        match e.str_at("operator") {
            "In" | "NotIn" => {
                if values.is_empty() {
                    out.push(FieldError::required(
                        &p.child("values"),
                        "must be specified when `operator` is 'In' or 'NotIn'",
                    ));
                }
            }
            "Exists" | "DoesNotExist" => {
                if !values.is_empty() {
                    out.push(FieldError::forbidden(
                        &p.child("values"),
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                    ));
                }
            }
            o => out.push(FieldError::invalid(&p.child("operator"), o, "not a valid selector operator")),
        }
        let key = e.str_at("key");
        out.extend(is_qualified_name(key).into_iter().map(|m| FieldError::invalid(&p.child("key"), key, m)));
        for (i, v) in values.iter().enumerate() {
            let p = p.child("values").index(i);
            out.extend(is_valid_label_value(v).into_iter().map(|m| FieldError::invalid(&p, *v, m)));
        }
    }
    out
}

fn validate_owner_references(refs: &[Value], path: &Path) -> Vec<FieldError> {
    let mut out = Vec::new();
    let mut controller: Option<String> = None;
    for r in refs.iter().filter_map(Value::as_struct) {
        let av = r.str_at("apiVersion");
        let version = av.split_once('/').map_or(av, |(_, v)| v);
        if version.is_empty() {
            out.push(FieldError::invalid(&path.child("apiVersion"), av, "version must not be empty"));
        }
        for f in ["kind", "name", "uid"] {
            if r.str_at(f).is_empty() {
                out.push(FieldError::invalid(&path.child(f), "", "must not be empty"));
            }
        }
        if av == "v1" && r.str_at("kind") == "Event" {
            out.push(FieldError::invalid(path, r, "/v1, Kind=Event is disallowed from being an owner"));
        }
        if r.bool_at("controller") == Some(true) {
            let name = format!("{}/{}", r.str_at("kind"), r.str_at("name"));
            match &controller {
                Some(first) => out.push(FieldError::invalid(
                    path,
                    &Value::List(refs.to_vec()),
                    format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                    ),
                )),
                None => controller = Some(name),
            }
        }
    }
    out
}

/// `ValidateFinalizers`
pub fn validate_finalizers(finalizers: &[Value], path: &Path) -> Vec<FieldError> {
    let mut out = Vec::new();
    let names: Vec<&str> = finalizers.iter().filter_map(Value::as_str).collect();
    for n in &names {
        out.extend(is_qualified_name(n).into_iter().map(|m| FieldError::invalid(path, *n, m)));
    }
    if names.contains(&"orphan") && names.contains(&"foregroundDeletion") {
        out.push(FieldError::invalid(
            path,
            &Value::List(finalizers.to_vec()),
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
    out
}

fn validate_managed_fields(meta: &Struct, path: &Path) -> Vec<FieldError> {
    let mut out = Vec::new();
    for (i, m) in meta.structs_at("managedFields").enumerate() {
        let p = path.index(i);
        let op = m.str_at("operation");
        if !matches!(op, "Apply" | "Update") {
            out.push(FieldError::invalid(&p.child("operation"), op, "must be `Apply` or `Update`"));
        }
        let ft = m.str_at("fieldsType");
        if !ft.is_empty() && ft != "FieldsV1" {
            out.push(FieldError::invalid(&p.child("fieldsType"), ft, "must be `FieldsV1`"));
        }
        out.extend(validate_field_manager(m.str_at("manager"), &p.child("manager")));
        if m.str_at("subresource").len() > 256 {
            out.push(FieldError::too_long(&p.child("subresource"), 256));
        }
    }
    out
}

/// `ValidateFieldManager`: at most 128 bytes, printable.
pub fn validate_field_manager(manager: &str, path: &Path) -> Vec<FieldError> {
    let mut out = Vec::new();
    if manager.len() > 128 {
        out.push(FieldError::too_long(path, 128));
    }
    for (i, c) in manager.char_indices() {
        // What Go's quoting escapes, quotes and backslashes aside, is not printable.
        if !matches!(c, '"' | '\\') && crate::json::go_quote(c.encode_utf8(&mut [0; 4])).starts_with("\"\\") {
            let detail = format!("invalid character U+{:04X} (at position {i})", c as u32);
            out.push(FieldError::invalid(path, manager, detail));
        }
    }
    out
}

/// `ValidateObjectMeta` of an object (or of a template with a `metadata` field) at creation.
pub fn validate_object_meta(obj: &Struct, namespaced: bool, name_fn: NameFn, path: &Path) -> Vec<FieldError> {
    let Some(meta) = metadata(obj) else { return Vec::new() };
    let meta = &meta;
    let mut out = Vec::new();
    let generate = meta.str_at("generateName");
    if !generate.is_empty() {
        out.extend(
            name_fn(generate, true)
                .into_iter()
                .map(|m| FieldError::invalid(&path.child("generateName"), generate, m)),
        );
    }
    let name = meta.str_at("name");
    if name.is_empty() {
        out.push(FieldError::required(&path.child("name"), "name or generateName is required"));
    } else {
        out.extend(
            name_fn(name, false).into_iter().map(|m| FieldError::invalid(&path.child("name"), name, m)),
        );
    }
    let ns = meta.str_at("namespace");
    let p = path.child("namespace");
    match (namespaced, ns.is_empty()) {
        (true, true) => out.push(FieldError::required(&p, "")),
        (true, false) => {
            out.extend(name_is_dns_label(ns, false).into_iter().map(|m| FieldError::invalid(&p, ns, m)))
        }
        (false, false) => out.push(FieldError::forbidden(&p, "not allowed on this type")),
        (false, true) => {}
    }
    let generation = meta.int_at("generation").unwrap_or(0);
    if generation < 0 {
        out.push(FieldError::invalid(
            &path.child("generation"),
            generation,
            "must be greater than or equal to 0",
        ));
    }
    out.extend(validate_labels(&meta.str_map_at("labels"), &path.child("labels")));
    out.extend(validate_annotations(&meta.str_map_at("annotations"), &path.child("annotations")));
    out.extend(validate_owner_references(meta.list_at("ownerReferences"), &path.child("ownerReferences")));
    out.extend(validate_finalizers(meta.list_at("finalizers"), &path.child("finalizers")));
    out.extend(validate_managed_fields(meta, &path.child("managedFields")));
    out
}

fn metadata(obj: &Struct) -> Option<Struct> {
    if let Some(m) = obj.struct_at("metadata") {
        return Some(m.clone());
    }
    obj.field("metadata").and_then(|_| Struct::named("meta/v1.ObjectMeta"))
}

/// `ValidateObjectMetaUpdate`
pub fn validate_object_meta_update(new: &Struct, old: &Struct, path: &Path) -> Vec<FieldError> {
    let (Some(new), Some(old)) = (metadata(new), metadata(old)) else { return Vec::new() };
    let mut out = Vec::new();
    if old.has("deletionTimestamp") {
        let before: Vec<&str> = old.strs_at("finalizers").collect();
        let mut extra: Vec<&str> = new.strs_at("finalizers").filter(|f| !before.contains(f)).collect();
        extra.sort_unstable();
        extra.dedup();
        if !extra.is_empty() {
            let list: Vec<String> = extra.iter().map(|e| crate::json::go_quote(e)).collect();
            out.push(FieldError::forbidden(
                &path.child("finalizers"),
                format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    list.join(", ")
                ),
            ));
        }
    }
    if new.str_at("resourceVersion").is_empty() {
        out.push(FieldError::invalid(&path.child("resourceVersion"), "", "must be specified for an update"));
    }
    let (g, before) = (new.int_at("generation").unwrap_or(0), old.int_at("generation").unwrap_or(0));
    if g < before {
        out.push(FieldError::invalid(&path.child("generation"), g, "must not be decremented"));
    }
    for f in
        ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]
    {
        out.extend(validate_immutable(new.at(f), old.at(f), &path.child(f)));
    }
    out.extend(validate_labels(&new.str_map_at("labels"), &path.child("labels")));
    out.extend(validate_annotations(&new.str_map_at("annotations"), &path.child("annotations")));
    out.extend(validate_owner_references(new.list_at("ownerReferences"), &path.child("ownerReferences")));
    out.extend(validate_managed_fields(&new, &path.child("managedFields")));
    out
}

/// `ValidateImmutableField`
pub fn validate_immutable(new: Option<&Value>, old: Option<&Value>, path: &Path) -> Option<FieldError> {
    let empty = |v: Option<&Value>| match v {
        None => true,
        Some(Value::List(l)) => l.is_empty(),
        Some(Value::Map(m)) => m.is_empty(),
        _ => false,
    };
    let equal = new == old || (empty(new) && empty(old));
    (!equal).then(|| FieldError::invalid(path, new, "field is immutable"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Gvk;

    #[test]
    fn names() {
        assert_eq!(
            is_dns1123_subdomain("Bad_Name"),
            [
                r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            ]
        );
        assert_eq!(is_dns1123_label("a.b"), ["must not contain dots"]);
        assert!(is_dns1123_label("a-b").is_empty());
        assert_eq!(is_dns1123_label(&"a".repeat(64)), ["must be no more than 63 characters"]);
        assert!(name_is_dns_subdomain("web-", true).is_empty());
        assert!(!name_is_dns_subdomain("web-", false).is_empty());
        assert_eq!(is_dns1035_label("1a").len(), 1);
        assert!(is_qualified_name("kubernetes.io/hostname").is_empty());
        assert_eq!(is_qualified_name("/x"), ["prefix part must be non-empty"]);
        assert_eq!(is_qualified_name("").len(), 2);
        assert!(is_qualified_name("a/b/c")[0].starts_with("a valid label key must consist of"));
        assert!(is_valid_label_value("").is_empty());
        assert_eq!(is_valid_label_value(&"a".repeat(64)), ["must be no more than 63 bytes"]);
        assert_eq!(is_config_map_key("..").len(), 1);
        assert_eq!(is_path_segment_name("a/b%"), ["may not contain '/'", "may not contain '%'"]);
        assert_eq!(
            is_valid_port_name("-"),
            ["must contain at least one letter (a-z)", "must not begin or end with a hyphen"]
        );
    }

    #[test]
    fn object_meta() {
        let mut cm = Struct::of_kind(&Gvk::new("", "v1", "ConfigMap")).unwrap();
        let p = Path::new("metadata");
        let texts = |s: &Struct| -> Vec<String> {
            validate_object_meta(s, true, name_is_dns_subdomain, &p).iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            texts(&cm),
            [
                "metadata.name: Required value: name or generateName is required",
                "metadata.namespace: Required value"
            ]
        );
        cm.set_at("metadata.name", "a");
        cm.set_at("metadata.namespace", "default");
        assert!(texts(&cm).is_empty());
        cm.set_at("metadata.labels.x", "-");
        assert_eq!(texts(&cm).len(), 1);
        let mut new = cm.clone();
        new.set_at("metadata.labels.x", "y");
        new.set_at("metadata.uid", "u");
        let e: Vec<String> =
            validate_object_meta_update(&new, &cm, &p).iter().map(ToString::to_string).collect();
        assert_eq!(
            e,
            [
                "metadata.resourceVersion: Invalid value: \"\": must be specified for an update",
                "metadata.uid: Invalid value: \"u\": field is immutable"
            ]
        );
    }
}
