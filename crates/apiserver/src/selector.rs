//! Label and field selectors of list and watch, and the fields each resource can be selected by.

use crate::errors::ApiError;
use crate::object::Object;
use kube::json::go_quote;
use std::collections::BTreeMap;

/// One requirement on a label or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Key of the label, or path of the field.
    pub key: String,
    /// How it is compared.
    pub op: Op,
    /// With what.
    pub values: Vec<String>,
}

/// How a requirement compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The value is one of those given.
    In,
    /// The value is none of those given, or there is none.
    NotIn,
    /// There is a value.
    Exists,
    /// There is none.
    DoesNotExist,
    /// The value is a larger integer.
    GreaterThan,
    /// The value is a smaller integer.
    LessThan,
}

impl Requirement {
    fn holds(&self, value: Option<&str>) -> bool {
        match self.op {
            Op::In => value.is_some_and(|v| self.values.iter().any(|w| w == v)),
            Op::NotIn => value.is_none_or(|v| self.values.iter().all(|w| w != v)),
            Op::Exists => value.is_some(),
            Op::DoesNotExist => value.is_none(),
            Op::GreaterThan | Op::LessThan => {
                let number = |t: Option<&str>| t.and_then(|t| t.parse::<i64>().ok());
                match (number(value), number(self.values.first().map(String::as_str))) {
                    (Some(v), Some(w)) if self.op == Op::GreaterThan => v > w,
                    (Some(v), Some(w)) => v < w,
                    _ => false,
                }
            }
        }
    }
}

/// What a list or watch selects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selectors {
    /// On labels.
    pub labels: Vec<Requirement>,
    /// On fields.
    pub fields: Vec<Requirement>,
}

/// What selectors see of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// metadata.labels
    pub labels: BTreeMap<String, String>,
    /// Fields that are not empty, without name and namespace.
    pub fields: Vec<(&'static str, Box<str>)>,
    /// metadata.name
    pub name: Box<str>,
    /// metadata.namespace
    pub namespace: Box<str>,
}

impl Attributes {
    /// Reads an object of a resource.
    pub fn of(obj: &Object, group: &str, resource: &str) -> Attributes {
        let mut fields = Vec::new();
        for (name, path) in selectable(group, resource) {
            let value = match *path {
                "" => continue,
                p => text(obj, p),
            };
            if !value.is_empty() {
                fields.push((*name, value.into_boxed_str()));
            }
        }
        if resource == "events" && (group.is_empty() || group == "events.k8s.io") {
            let source = match obj.str_at("source.component") {
                "" => obj.str_at("reportingComponent"),
                c => c,
            };
            if !source.is_empty() {
                fields.push(("source", source.into()));
            }
        }
        Attributes {
            labels: obj.labels(),
            fields,
            name: obj.name().into(),
            namespace: obj.namespace().into(),
        }
    }

    fn field(&self, name: &str) -> &str {
        match name {
            "metadata.name" => &self.name,
            "metadata.namespace" => &self.namespace,
            n => self.fields.iter().find(|(f, _)| *f == n).map_or("", |(_, v)| v),
        }
    }
}

/// A scalar as selectors compare it.
fn text(obj: &Object, path: &str) -> String {
    let found = match obj {
        Object::Typed(s) => match s.at(path) {
            Some(kube::object::Value::Str(t)) => t.clone(),
            Some(kube::object::Value::Int(i)) => i.to_string(),
            Some(kube::object::Value::Bool(b)) => b.to_string(),
            _ => String::new(),
        },
        Object::Custom(j) => match j.at(path) {
            Some(kube::json::Json::Str(t)) => t.clone(),
            Some(v @ (kube::json::Json::Int(_) | kube::json::Json::Bool(_))) => v.to_text(),
            _ => String::new(),
        },
    };
    if !found.is_empty() {
        return found;
    }
    match path {
        "spec.hostNetwork" | "spec.unschedulable" => "false".to_owned(),
        "status.successful" | "status.replicas" | "status.succeeded" => "0".to_owned(),
        _ => String::new(),
    }
}

/// Selector names and paths of a resource beyond name and namespace. An empty path never matches anything.
fn selectable(group: &str, resource: &str) -> &'static [(&'static str, &'static str)] {
    match (group, resource) {
        ("", "pods") => &[
            ("spec.nodeName", "spec.nodeName"),
            ("spec.restartPolicy", "spec.restartPolicy"),
            ("spec.schedulerName", "spec.schedulerName"),
            ("spec.serviceAccountName", "spec.serviceAccountName"),
            ("spec.hostNetwork", "spec.hostNetwork"),
            ("status.phase", "status.phase"),
            ("status.podIP", "status.podIP"),
            ("status.podIPs", ""),
            ("status.nominatedNodeName", "status.nominatedNodeName"),
        ],
        ("", "nodes") => &[("spec.unschedulable", "spec.unschedulable")],
        ("", "replicationcontrollers") => &[("status.replicas", "status.replicas")],
        ("" | "events.k8s.io", "events") => &[
            ("involvedObject.kind", "involvedObject.kind"),
            ("involvedObject.namespace", "involvedObject.namespace"),
            ("involvedObject.name", "involvedObject.name"),
            ("involvedObject.uid", "involvedObject.uid"),
            ("involvedObject.apiVersion", "involvedObject.apiVersion"),
            ("involvedObject.resourceVersion", "involvedObject.resourceVersion"),
            ("involvedObject.fieldPath", "involvedObject.fieldPath"),
            ("reason", "reason"),
            ("reportingComponent", "reportingComponent"),
            ("source", ""),
            ("type", "type"),
        ],
        ("", "namespaces") => &[("status.phase", "status.phase")],
        ("", "secrets") => &[("type", "type")],
        ("", "services") => &[("spec.clusterIP", "spec.clusterIP"), ("spec.type", "spec.type")],
        ("batch", "jobs") => &[("status.successful", "status.succeeded")],
        ("certificates.k8s.io", "certificatesigningrequests") => &[("spec.signerName", "spec.signerName")],
        ("resource.k8s.io", "resourceslices") => {
            &[("spec.nodeName", "spec.nodeName"), ("spec.driver", "spec.driver")]
        }
        _ => &[],
    }
}

/// Whether a resource has its own conversion of field labels, which has its own error text.
fn own_conversion(group: &str, resource: &str) -> bool {
    !selectable(group, resource).is_empty() || (group, resource) == ("", "endpoints")
}

impl Selectors {
    /// Parses both selectors of a request on a resource.
    pub fn parse(labels: &str, fields: &str, group: &str, resource: &str) -> Result<Selectors, ApiError> {
        let labels = parse_labels(labels)
            .map_err(|e| ApiError::bad_request(format!("unable to parse requirement: {e}")))?;
        let mut fields = parse_fields(fields).map_err(ApiError::bad_request)?;
        for r in &mut fields {
            r.key = canonical_field(&r.key, group, resource)?;
        }
        Ok(Selectors { labels, fields })
    }

    /// Whether everything is selected.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether an object is selected.
    pub fn matches(&self, a: &Attributes) -> bool {
        self.labels.iter().all(|r| r.holds(a.labels.get(&r.key).map(String::as_str)))
            && self.fields.iter().all(|r| r.holds(Some(a.field(&r.key))))
    }

    /// The value a field is pinned to by `=`.
    pub fn pinned(&self, field: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|r| r.key == field && r.op == Op::In && r.values.len() == 1)
            .map(|r| r.values[0].as_str())
    }
}

fn canonical_field(key: &str, group: &str, resource: &str) -> Result<String, ApiError> {
    let events_v1 = group == "events.k8s.io";
    let key = match key {
        "spec.host" if resource == "pods" => "spec.nodeName",
        k if events_v1 && k.starts_with("regarding.") => {
            return Ok(k.replacen("regarding.", "involvedObject.", 1));
        }
        "reportingController" if events_v1 => "reportingComponent",
        k => k,
    };
    let namespaced_only = ["nodes", "namespaces", "certificatesigningrequests", "resourceslices"];
    let known = key == "metadata.name"
        || key == "metadata.namespace" && !namespaced_only.contains(&resource)
        || selectable(group, resource).iter().any(|(n, _)| *n == key);
    if known {
        return Ok(key.to_owned());
    }
    Err(ApiError::bad_request(if !own_conversion(group, resource) {
        format!(
            "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            go_quote(key)
        )
    } else if resource == "resourceslices" {
        format!("field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {key}")
    } else {
        format!("field label not supported: {key}")
    }))
}

fn parse_fields(text: &str) -> Result<Vec<Requirement>, String> {
    let mut out = Vec::new();
    for term in split_escaped(text) {
        if term.is_empty() {
            continue;
        }
        let found = [("!=", Op::NotIn), ("==", Op::In), ("=", Op::In)]
            .into_iter()
            .filter_map(|(sign, op)| term.find(sign).map(|at| (at, sign, op)))
            .min_by_key(|(at, sign, _)| (*at, 2 - sign.len()));
        let Some((at, sign, op)) = found else {
            return Err(format!("invalid selector: '{text}'; can't understand '{term}'"));
        };
        let value = unescape(&term[at + sign.len()..]);
        out.push(Requirement { key: term[..at].to_owned(), op, values: vec![value] });
    }
    Ok(out)
}

/// Splits at commas that no backslash precedes.
fn split_escaped(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        if c == ',' && !escaped {
            out.push(String::new());
            continue;
        }
        escaped = c == '\\' && !escaped;
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
    }
    out
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut escaped = false;
    for c in text.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            escaped = false;
            out.push(c);
        }
    }
    out
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Sign(&'static str),
}

fn lex(text: &str) -> Vec<Token> {
    const SIGNS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_whitespace() {
            rest = &rest[1..];
        } else if let Some(s) = SIGNS.into_iter().find(|s| rest.starts_with(s)) {
            out.push(Token::Sign(s));
            rest = &rest[s.len()..];
        } else {
            let end =
                rest.find(|c: char| c.is_ascii_whitespace() || "=!(),<>".contains(c)).unwrap_or(rest.len());
            out.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
    out
}

fn shown(t: Option<&Token>) -> String {
    match t {
        None => String::new(),
        Some(Token::Word(w)) => w.clone(),
        Some(Token::Sign(s)) => (*s).to_owned(),
    }
}

/// Parses a label selector; errors are the texts after `unable to parse requirement: `.
pub fn parse_labels(text: &str) -> Result<Vec<Requirement>, String> {
    let tokens = lex(text);
    let mut at = 0;
    let mut out = Vec::new();
    while at < tokens.len() {
        let mut negated = false;
        if tokens[at] == Token::Sign("!") {
            negated = true;
            at += 1;
        }
        let key = match tokens.get(at) {
            Some(Token::Word(w)) => w.clone(),
            Some(Token::Sign(",")) if !negated => {
                at += 1;
                if at >= tokens.len() {
                    return Err("found '', expected: identifier after ','".into());
                }
                continue;
            }
            t => return Err(format!("found '{}', expected: identifier", shown(t))),
        };
        at += 1;
        let next = tokens.get(at).cloned();
        let requirement = match next {
            None | Some(Token::Sign(",")) => {
                let op = if negated { Op::DoesNotExist } else { Op::Exists };
                Requirement { key, op, values: Vec::new() }
            }
            _ if negated => {
                return Err(format!("found '{}', expected: ',' or 'end of string'", shown(next.as_ref())));
            }
            Some(Token::Sign(s @ ("=" | "==" | "!="))) => {
                at += 1;
                let value = match tokens.get(at) {
                    Some(Token::Word(w)) => {
                        at += 1;
                        w.clone()
                    }
                    None | Some(Token::Sign(",")) => String::new(),
                    t => return Err(format!("found '{}', expected: identifier", shown(t))),
                };
                let op = if s == "!=" { Op::NotIn } else { Op::In };
                Requirement { key, op, values: vec![value] }
            }
            Some(Token::Sign(s @ (">" | "<"))) => {
                at += 1;
                let Some(Token::Word(w)) = tokens.get(at) else {
                    return Err(format!("found '{}', expected: identifier", shown(tokens.get(at))));
                };
                if w.parse::<i64>().is_err() {
                    return Err(format!(
                        "values[0][{key}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                        go_quote(w)
                    ));
                }
                at += 1;
                let op = if s == ">" { Op::GreaterThan } else { Op::LessThan };
                Requirement { key, op, values: vec![w.clone()] }
            }
            Some(Token::Word(w)) if w == "in" || w == "notin" => {
                at += 1;
                if tokens.get(at) != Some(&Token::Sign("(")) {
                    return Err(format!("found '{}' expected: '('", shown(tokens.get(at))));
                }
                at += 1;
                let mut values = Vec::new();
                loop {
                    match tokens.get(at) {
                        Some(Token::Word(v)) => {
                            values.push(v.clone());
                            at += 1;
                            match tokens.get(at) {
                                Some(Token::Sign(",")) => at += 1,
                                Some(Token::Sign(")")) => break,
                                t => return Err(format!("found '{}', expected: ',' or ')'", shown(t))),
                            }
                        }
                        Some(Token::Sign(")")) => break,
                        Some(Token::Sign(",")) => {
                            values.push(String::new());
                            at += 1;
                        }
                        t => return Err(format!("found '{}', expected: ',', or identifier", shown(t))),
                    }
                }
                at += 1;
                let op = if w == "in" { Op::In } else { Op::NotIn };
                Requirement { key, op, values }
            }
            t => {
                return Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", shown(t.as_ref())));
            }
        };
        out.push(requirement);
        match tokens.get(at) {
            None => break,
            Some(Token::Sign(",")) => {
                at += 1;
                if at >= tokens.len() {
                    return Err("found '', expected: identifier after ','".into());
                }
            }
            t => return Err(format!("found '{}', expected: ',' or 'end of string'", shown(t))),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(selector: &str, labels: &[(&str, &str)]) -> bool {
        let s = Selectors { labels: parse_labels(selector).expect(selector), fields: Vec::new() };
        let labels = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        s.matches(&Attributes { labels, ..Attributes::default() })
    }

    #[test]
    fn label_selectors() {
        let l = [("app", "web"), ("tier", "front"), ("n", "5")];
        for (s, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web,tier!=back", true),
            ("app in (web, db)", true),
            ("app notin (web)", false),
            ("missing notin (x)", true),
            ("app", true),
            ("!app", false),
            ("!zone", true),
            ("n>4,n<6", true),
            ("app=", false),
        ] {
            assert_eq!(matches(s, &l), expected, "{s}");
        }
    }

    #[test]
    fn label_selector_errors() {
        for (s, text) in [
            ("a=b=c", "found '=', expected: ',' or 'end of string'"),
            ("a in x", "found 'x' expected: '('"),
            ("a,", "found '', expected: identifier after ','"),
            ("a b", "found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ] {
            assert_eq!(parse_labels(s).unwrap_err(), text, "{s}");
        }
    }

    #[test]
    fn field_selectors() {
        let s = Selectors::parse("", "spec.host=n1,status.phase!=Running", "", "pods").unwrap();
        assert_eq!(s.pinned("spec.nodeName"), Some("n1"));
        let e = Selectors::parse("", "spec.foo=1", "", "pods").unwrap_err();
        assert_eq!(e.message, "field label not supported: spec.foo");
        let e = Selectors::parse("", "spec.foo=1", "", "configmaps").unwrap_err();
        assert_eq!(
            e.message,
            "\"spec.foo\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
    }
}
