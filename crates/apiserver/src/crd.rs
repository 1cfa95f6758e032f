//! Custom resources: what a CustomResourceDefinition makes of objects (pruning, defaults, checks by its schema).

use crate::errors::FieldFault;
use crate::object::Object;
use crate::registry::Info;
use kube::catalog::Gvk;
use kube::json::{Json, go_quote};

/// One served version of a custom resource.
#[derive(Clone, Debug, PartialEq)]
pub struct CrdVersion {
    /// As `v1`.
    pub name: String,
    /// Whether it is served.
    pub served: bool,
    /// Whether it is the stored one.
    pub storage: bool,
    /// `openAPIV3Schema`, or null.
    pub schema: Json,
    /// Whether `/status` exists.
    pub status: bool,
    /// `scale` subresource, or null.
    pub scale: Json,
    /// `additionalPrinterColumns`
    pub columns: Vec<Json>,
}

/// A definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Crd {
    /// `crontabs.stable.example.com`
    pub name: String,
    /// API group.
    pub group: String,
    /// Plural name.
    pub plural: String,
    /// Singular name.
    pub singular: String,
    /// Kind.
    pub kind: String,
    /// Kind of lists.
    pub list_kind: String,
    /// Short names.
    pub short_names: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
    /// Whether objects lie in namespaces.
    pub namespaced: bool,
    /// Fields unknown to the schema are kept.
    pub preserve_unknown: bool,
    /// All versions, in order.
    pub versions: Vec<CrdVersion>,
}

impl Crd {
    /// Reads a definition; `None` if it lacks what serving needs.
    pub fn from_object(obj: &Object) -> Option<Crd> {
        let j = obj.to_json();
        let names = j.at("spec.names")?;
        let strings = |v: Option<&Json>| -> Vec<String> {
            v.and_then(Json::as_arr)
                .into_iter()
                .flatten()
                .filter_map(Json::as_str)
                .map(str::to_owned)
                .collect()
        };
        let kind = names.str_at("kind").to_owned();
        let plural = names.str_at("plural").to_owned();
        if kind.is_empty() || plural.is_empty() {
            return None;
        }
        let or = |given: &str, default: String| if given.is_empty() { default } else { given.to_owned() };
        let versions = j.items_at("spec.versions").iter().map(|v| {
            let mut schema = v.at("schema.openAPIV3Schema").cloned().unwrap_or_default();
            if let Json::Obj(m) = &mut schema {
                m.insert("x-root".into(), Json::Bool(true));
            }
            CrdVersion {
                name: v.str_at("name").to_owned(),
                served: v.bool_at("served").unwrap_or(false),
                storage: v.bool_at("storage").unwrap_or(false),
                schema,
                status: v.at("subresources.status").is_some_and(|s| !s.is_null()),
                scale: v.at("subresources.scale").cloned().unwrap_or_default(),
                columns: v.items_at("additionalPrinterColumns").to_vec(),
            }
        });
        Some(Crd {
            name: obj.name().to_owned(),
            group: j.str_at("spec.group").to_owned(),
            singular: or(names.str_at("singular"), kind.to_lowercase()),
            list_kind: or(names.str_at("listKind"), format!("{kind}List")),
            short_names: strings(names.get("shortNames")),
            categories: strings(names.get("categories")),
            namespaced: j.str_at("spec.scope") == "Namespaced",
            preserve_unknown: j.bool_at("spec.preserveUnknownFields").unwrap_or(false),
            versions: versions.collect(),
            plural,
            kind,
        })
    }

    /// The version of that name, if it is served.
    pub fn served(&self, version: &str) -> Option<&CrdVersion> {
        self.versions.iter().find(|v| v.name == version && v.served)
    }

    /// The stored version.
    pub fn storage(&self) -> Option<&CrdVersion> {
        self.versions.iter().find(|v| v.storage)
    }

    /// As a resource of the registry.
    pub fn info(&self) -> Info {
        let version = self.storage().map_or("", |v| v.name.as_str());
        Info {
            group: self.group.clone(),
            resource: self.plural.clone(),
            hub: Gvk::new(&self.group, version, &self.kind),
            namespaced: self.namespaced,
        }
    }

    fn schema(&self) -> &Json {
        self.storage().map_or(&Json::Null, |v| &v.schema)
    }

    fn has_status(&self) -> bool {
        self.storage().is_some_and(|v| v.status)
    }

    /// Strategy of a new object.
    pub fn prepare_for_create(&self, obj: &mut Object) {
        if self.has_status() {
            obj.remove_at("status");
        }
        obj.set_int("metadata.generation", 1);
    }

    /// Strategy of a changed object.
    pub fn prepare_for_update(&self, new: &mut Object, old: &Object, subresource: &str) {
        if subresource == "status" {
            if let (Object::Custom(n), Object::Custom(o)) = (&mut *new, old) {
                let status = n.get("status").cloned();
                let meta = n.get("metadata").cloned();
                let mut out = o.clone();
                match status {
                    Some(s) => out.set_at("status", s),
                    None => out.remove_at("status").is_some(),
                };
                if let Some(m) = meta.as_ref().and_then(|m| m.get("managedFields")) {
                    out.set_at("metadata.managedFields", m.clone());
                }
                *n = out;
            }
            return;
        }
        if self.has_status() {
            new.copy_from(old, "status");
        }
        crate::registry::custom_generation(new, old, self.has_status());
    }

    /// Fills schema defaults and drops what the schema does not know; the paths dropped, as `unknown field` texts have them.
    pub fn prune_and_default(&self, version: &str, obj: &mut Json) -> Vec<String> {
        let mut dropped = Vec::new();
        let Some(v) = self.versions.iter().find(|v| v.name == version) else { return dropped };
        if v.schema.is_null() {
            return dropped;
        }
        if !self.preserve_unknown {
            prune(obj, &v.schema, true, "", &mut dropped, 0);
        }
        default(obj, &v.schema, 0);
        dropped
    }

    /// Checks an object against the schema.
    pub fn validate(&self, obj: &Object) -> Vec<FieldFault> {
        let mut faults = Vec::new();
        if obj.name().is_empty() {
            faults.push(FieldFault::required("metadata.name", "name or generateName is required"));
        }
        let Object::Custom(j) = obj else { return faults };
        let schema = self.schema();
        if !schema.is_null() {
            check(j, schema, "", true, &mut faults, 0);
        }
        faults
    }
}

/// Deepest nesting that is followed; deeper parts are left as they are.
const DEPTH: u32 = 200;

const ROOT_MEMBERS: [&str; 3] = ["apiVersion", "kind", "metadata"];

fn prune(v: &mut Json, schema: &Json, root: bool, path: &str, dropped: &mut Vec<String>, depth: u32) {
    if depth > DEPTH || schema.bool_at("x-kubernetes-preserve-unknown-fields") == Some(true) {
        return;
    }
    match v {
        Json::Obj(map) => {
            let names: Vec<String> = map.keys().cloned().collect();
            for name in names {
                if root && ROOT_MEMBERS.contains(&name.as_str()) {
                    continue;
                }
                let here = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let child = schema
                    .get("properties")
                    .and_then(|p| p.get(&name))
                    .or_else(|| schema.get("additionalProperties").filter(|a| matches!(a, Json::Obj(_))));
                let embedded = schema.bool_at("x-kubernetes-embedded-resource") == Some(true)
                    && ROOT_MEMBERS.contains(&name.as_str());
                match child {
                    Some(s) => {
                        if let Some(inner) = map.get_mut(&name) {
                            prune(inner, s, false, &here, dropped, depth + 1);
                        }
                    }
                    None if embedded || schema.get("additionalProperties") == Some(&Json::Bool(true)) => {}
                    None => {
                        map.remove(&name);
                        dropped.push(here);
                    }
                }
            }
        }
        Json::Arr(items) => {
            if let Some(s) = schema.get("items") {
                for (i, item) in items.iter_mut().enumerate() {
                    prune(item, s, false, &format!("{path}[{i}]"), dropped, depth + 1);
                }
            }
        }
        _ => {}
    }
}

fn default(v: &mut Json, schema: &Json, depth: u32) {
    if depth > DEPTH {
        return;
    }
    match v {
        Json::Obj(map) => {
            if let Some(Json::Obj(properties)) = schema.get("properties") {
                for (name, s) in properties {
                    let nullable = s.bool_at("nullable") == Some(true);
                    if let Some(d) = s.get("default")
                        && map.get(name).is_none_or(|v| v.is_null() && !nullable)
                    {
                        map.insert(name.clone(), d.clone());
                    }
                    if let Some(inner) = map.get_mut(name) {
                        default(inner, s, depth + 1);
                    }
                }
            }
            if let Some(s @ Json::Obj(_)) = schema.get("additionalProperties") {
                for inner in map.values_mut() {
                    default(inner, s, depth + 1);
                }
            }
        }
        Json::Arr(items) => {
            if let Some(s) = schema.get("items") {
                items.iter_mut().for_each(|i| default(i, s, depth + 1));
            }
        }
        _ => {}
    }
}

fn type_of(v: &Json) -> &'static str {
    match v {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Int(_) => "integer",
        Json::Float(_) => "number",
        Json::Str(_) => "string",
        Json::Arr(_) => "array",
        Json::Obj(_) => "object",
    }
}

fn check(v: &Json, schema: &Json, path: &str, root: bool, faults: &mut Vec<FieldFault>, depth: u32) {
    if depth > DEPTH {
        return;
    }
    let shown = if path.is_empty() { "<nil>" } else { path };
    let wanted = schema.str_at("type");
    let is = type_of(v);
    let int_or_string = schema.bool_at("x-kubernetes-int-or-string") == Some(true);
    if v.is_null() && schema.bool_at("nullable") == Some(true) {
        return;
    }
    let fits = wanted.is_empty()
        || wanted == is
        || wanted == "number" && is == "integer"
        || int_or_string && ["integer", "string"].contains(&is);
    if !fits {
        faults.push(FieldFault {
            field: shown.to_owned(),
            reason: "FieldValueTypeInvalid".into(),
            body: format!(
                "Invalid value: {}: {path} in body must be of type {wanted}: {}",
                go_quote(is),
                go_quote(is)
            ),
        });
        return;
    }
    let invalid = |faults: &mut Vec<FieldFault>, detail: String| {
        let value = match v {
            Json::Str(s) => go_quote(s),
            other => other.to_text(),
        };
        faults.push(FieldFault::invalid(shown, &value, &detail));
    };
    if let Some(Json::Arr(allowed)) = schema.get("enum")
        && !allowed.contains(v)
    {
        let list: Vec<String> = allowed.iter().map(Json::to_text).collect();
        let value = match v {
            Json::Str(s) => go_quote(s),
            other => other.to_text(),
        };
        faults.push(FieldFault {
            field: shown.to_owned(),
            reason: "FieldValueNotSupported".into(),
            body: format!("Unsupported value: {value}: supported values: {}", list.join(", ")),
        });
    }
    match v {
        Json::Int(_) | Json::Float(_) => {
            let n = v.as_float().or_else(|| v.as_int().map(|i| i as f64)).unwrap_or(0.0);
            let bound = |name: &str| {
                schema.get(name).and_then(|b| b.as_float().or_else(|| b.as_int().map(|i| i as f64)))
            };
            let strict = |name: &str| schema.bool_at(name) == Some(true);
            if let Some(max) = bound("maximum") {
                let text = schema.get("maximum").map(Json::to_text).unwrap_or_default();
                if strict("exclusiveMaximum") && n >= max {
                    invalid(faults, format!("{path} in body should be less than {text}"));
                } else if n > max {
                    invalid(faults, format!("{path} in body should be less than or equal to {text}"));
                }
            }
            if let Some(min) = bound("minimum") {
                let text = schema.get("minimum").map(Json::to_text).unwrap_or_default();
                if strict("exclusiveMinimum") && n <= min {
                    invalid(faults, format!("{path} in body should be greater than {text}"));
                } else if n < min {
                    invalid(faults, format!("{path} in body should be greater than or equal to {text}"));
                }
            }
        }
        Json::Str(s) => {
            let length = s.chars().count() as i64;
            if let Some(max) = schema.int_at("maxLength").filter(|m| length > *m) {
                faults.push(FieldFault {
                    field: shown.to_owned(),
                    reason: "FieldValueTooLong".into(),
                    body: format!("Too long: may not be more than {max} bytes"),
                });
            }
            if let Some(min) = schema.int_at("minLength").filter(|m| length < *m) {
                invalid(faults, format!("{path} in body should be at least {min} chars long"));
            }
            if let Some(pattern) = schema.get("pattern").and_then(Json::as_str)
                && kube_matches(pattern, s) == Some(false)
            {
                invalid(faults, format!("{path} in body should match '{pattern}'"));
            }
        }
        Json::Arr(items) => {
            if let Some(max) = schema.int_at("maxItems").filter(|m| items.len() as i64 > *m) {
                faults.push(FieldFault {
                    field: shown.to_owned(),
                    reason: "FieldValueTooMany".into(),
                    body: format!("Too many: {}: must have at most {max} items", items.len()),
                });
            }
            if let Some(min) = schema.int_at("minItems").filter(|m| (items.len() as i64) < *m) {
                invalid(faults, format!("{path} in body should have at least {min} items"));
            }
            if let Some(s) = schema.get("items") {
                for (i, item) in items.iter().enumerate() {
                    check(item, s, &format!("{path}[{i}]"), false, faults, depth + 1);
                }
            }
        }
        Json::Obj(map) => {
            for name in
                schema.get("required").and_then(Json::as_arr).into_iter().flatten().filter_map(Json::as_str)
            {
                let implied = root && ROOT_MEMBERS.contains(&name);
                if !map.contains_key(name) && !implied {
                    let here = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                    faults.push(FieldFault::required(&here, ""));
                }
            }
            for (name, value) in map {
                if root && ROOT_MEMBERS.contains(&name.as_str()) {
                    continue;
                }
                let here = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let child = schema
                    .get("properties")
                    .and_then(|p| p.get(name))
                    .or_else(|| schema.get("additionalProperties").filter(|a| matches!(a, Json::Obj(_))));
                if let Some(s) = child {
                    check(value, s, &here, false, faults, depth + 1);
                }
            }
        }
        _ => {}
    }
}

/// Whether a text matches a pattern; `None` if the pattern uses what the engine lacks.
fn kube_matches(pattern: &str, text: &str) -> Option<bool> {
    regex::Regex::new(pattern).ok().map(|r| r.is_match(text))
}
