//! An object in the API server: a typed struct of a built-in kind, or the JSON of a custom resource.

use kube::catalog::Gvk;
use kube::json::Json;
use kube::object::{Struct, Value};
use kube::time::Time;
use std::collections::BTreeMap;

/// One object, in the version the server works with.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A built-in kind.
    Typed(Struct),
    /// A custom resource.
    Custom(Json),
}

impl Object {
    /// apiVersion and kind.
    pub fn gvk(&self) -> Gvk {
        match self {
            Object::Typed(s) => s.gvk(),
            Object::Custom(j) => Gvk::from_api_version(j.str_at("apiVersion"), j.str_at("kind")),
        }
    }

    /// The text at a path; empty if there is none.
    pub fn str_at(&self, path: &str) -> &str {
        match self {
            Object::Typed(s) => s.str_at(path),
            Object::Custom(j) => j.str_at(path),
        }
    }

    /// The integer at a path.
    pub fn int_at(&self, path: &str) -> Option<i64> {
        match self {
            Object::Typed(s) => s.int_at(path),
            Object::Custom(j) => j.int_at(path),
        }
    }

    /// The time at a path.
    pub fn time_at(&self, path: &str) -> Option<Time> {
        match self {
            Object::Typed(s) => s.time_at(path),
            Object::Custom(j) => Time::parse(j.str_at(path)).ok(),
        }
    }

    /// Whether there is anything at a path.
    pub fn has(&self, path: &str) -> bool {
        match self {
            Object::Typed(s) => s.has(path),
            Object::Custom(j) => j.at(path).is_some_and(|v| !v.is_null()),
        }
    }

    /// Sets a text.
    pub fn set_str(&mut self, path: &str, v: &str) {
        match self {
            Object::Typed(s) => {
                s.set_at(path, v);
            }
            Object::Custom(j) if v.is_empty() => {
                j.remove_at(path);
            }
            Object::Custom(j) => {
                j.set_at(path, Json::Str(v.to_owned()));
            }
        }
    }

    /// Sets an integer.
    pub fn set_int(&mut self, path: &str, v: i64) {
        match self {
            Object::Typed(s) => {
                s.set_at(path, v);
            }
            Object::Custom(j) => {
                j.set_at(path, Json::Int(v));
            }
        }
    }

    /// Sets a time, cut to seconds.
    pub fn set_time(&mut self, path: &str, unix_seconds: i64) {
        let t = Time::from_unix(unix_seconds);
        match self {
            Object::Typed(s) => {
                s.set_at(path, t);
            }
            Object::Custom(j) => {
                j.set_at(path, Json::Str(t.to_rfc3339()));
            }
        }
    }

    /// Removes what is at a path.
    pub fn remove_at(&mut self, path: &str) {
        match self {
            Object::Typed(s) => {
                s.remove_at(path);
            }
            Object::Custom(j) => {
                j.remove_at(path);
            }
        }
    }

    /// Copies what is at `path` from another object of the kind, absence included.
    pub fn copy_from(&mut self, other: &Object, path: &str) {
        match (self, other) {
            (Object::Typed(a), Object::Typed(b)) => match b.at(path).cloned() {
                Some(v) => {
                    a.set_at(path, v);
                }
                None => {
                    a.remove_at(path);
                }
            },
            (Object::Custom(a), Object::Custom(b)) => match b.at(path).cloned() {
                Some(v) => {
                    a.set_at(path, v);
                }
                None => {
                    a.remove_at(path);
                }
            },
            _ => {}
        }
    }

    /// Whether what is at `path` is the same in both, as Go's semantic equality says.
    pub fn same_at(&self, other: &Object, path: &str) -> bool {
        match (self, other) {
            (Object::Typed(a), Object::Typed(b)) => match (a.at(path), b.at(path)) {
                (Some(x), Some(y)) => x == y,
                (None, None) => true,
                (Some(v), None) | (None, Some(v)) => match v {
                    Value::List(l) => l.is_empty(),
                    Value::Map(m) => m.is_empty(),
                    Value::Bytes(b) => b.is_empty(),
                    Value::Struct(s) => s.is_empty(),
                    _ => false,
                },
            },
            (Object::Custom(a), Object::Custom(b)) => a.at(path) == b.at(path),
            _ => false,
        }
    }

    /// `metadata.name`
    pub fn name(&self) -> &str {
        self.str_at("metadata.name")
    }

    /// `metadata.namespace`
    pub fn namespace(&self) -> &str {
        self.str_at("metadata.namespace")
    }

    /// `metadata.uid`
    pub fn uid(&self) -> &str {
        self.str_at("metadata.uid")
    }

    /// `metadata.resourceVersion` as a number; 0 if there is none.
    pub fn resource_version(&self) -> u64 {
        self.str_at("metadata.resourceVersion").parse().unwrap_or(0)
    }

    /// Sets `metadata.resourceVersion`; 0 clears it.
    pub fn set_resource_version(&mut self, rv: i64) {
        if rv > 0 {
            self.set_str("metadata.resourceVersion", &rv.to_string());
        } else {
            self.set_str("metadata.resourceVersion", "");
        }
    }

    /// `metadata.generation`; 0 if there is none.
    pub fn generation(&self) -> i64 {
        self.int_at("metadata.generation").unwrap_or(0)
    }

    /// `metadata.deletionTimestamp`
    pub fn deletion_timestamp(&self) -> Option<Time> {
        self.time_at("metadata.deletionTimestamp")
    }

    /// `metadata.deletionGracePeriodSeconds`
    pub fn deletion_grace(&self) -> Option<i64> {
        self.int_at("metadata.deletionGracePeriodSeconds")
    }

    /// A list of texts.
    pub fn strs_at(&self, path: &str) -> Vec<String> {
        match self {
            Object::Typed(s) => s.strs_at(path).map(str::to_owned).collect(),
            Object::Custom(j) => {
                j.items_at(path).iter().filter_map(Json::as_str).map(str::to_owned).collect()
            }
        }
    }

    /// Sets a list of texts; an empty one removes it.
    pub fn set_strs(&mut self, path: &str, list: Vec<String>) {
        if list.is_empty() {
            return self.remove_at(path);
        }
        match self {
            Object::Typed(s) => {
                s.set_at(path, list);
            }
            Object::Custom(j) => {
                j.set_at(path, Json::Arr(list.into_iter().map(Json::Str).collect()));
            }
        }
    }

    /// `metadata.finalizers`
    pub fn finalizers(&self) -> Vec<String> {
        self.strs_at("metadata.finalizers")
    }

    /// A map of texts.
    pub fn map_at(&self, path: &str) -> BTreeMap<String, String> {
        match self {
            Object::Typed(s) => s.str_map_at(path),
            Object::Custom(j) => j
                .at(path)
                .and_then(Json::as_obj)
                .into_iter()
                .flatten()
                .filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned())))
                .collect(),
        }
    }

    /// `metadata.labels`
    pub fn labels(&self) -> BTreeMap<String, String> {
        self.map_at("metadata.labels")
    }

    /// The object as it prints, with apiVersion and kind.
    pub fn to_json(&self) -> Json {
        match self {
            Object::Typed(s) => kube::codec::json::encode(s),
            Object::Custom(j) => j.clone(),
        }
    }

    /// The JSON text as it prints: struct order for built-in kinds, sorted keys for custom resources.
    pub fn to_text(&self) -> Vec<u8> {
        match self {
            Object::Typed(s) => kube::codec::json::to_text(s),
            Object::Custom(j) => j.to_vec(),
        }
    }

    /// The struct of a built-in kind.
    pub fn typed(&self) -> Option<&Struct> {
        match self {
            Object::Typed(s) => Some(s),
            Object::Custom(_) => None,
        }
    }

    /// The struct of a built-in kind.
    pub fn typed_mut(&mut self) -> Option<&mut Struct> {
        match self {
            Object::Typed(s) => Some(s),
            Object::Custom(_) => None,
        }
    }
}
