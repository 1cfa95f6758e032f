//! The API machinery that this server leans on, in one place.
//!
//! Not modelled here: defaulting of any kind (objects are stored as they came), validation beyond a name being there, JSON
//! patch, and strategic merge of lists, which is done as a plain merge. So what this server stores is not yet what the original
//! stores.

use crate::errors::FieldFault;
use crate::object::Object;
use crate::registry::Info;
use kube::catalog::Gvk;
use kube::json::Json;
use kube::object::Struct;

/// Version defaulting, at decode and at every read from etcd. Not modelled here: it sets nothing.
pub fn apply_defaults(_gvk: &Gvk, _s: &mut Struct) {}

/// A YAML document as JSON.
pub fn yaml_to_json(text: &[u8]) -> Result<Json, String> {
    kube::yaml::to_json(text).map_err(|e| e.converting())
}

/// JSON as YAML text.
pub fn json_to_yaml(json: &Json) -> String {
    kube::yaml::from_json(json)
}

/// Validation of a new object.
pub fn validate_create(obj: &Object, _info: &Info) -> Vec<FieldFault> {
    let mut faults = Vec::new();
    if obj.name().is_empty() {
        faults.push(FieldFault::required("metadata.name", "name or generateName is required"));
    }
    faults
}

/// Validation of a changed object.
pub fn validate_update(_new: &Object, _old: &Object, _info: &Info, _subresource: &str) -> Vec<FieldFault> {
    Vec::new()
}

/// Why a patch cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The body is no patch.
    #[error("{0}")]
    Malformed(String),
    /// Too many operations.
    #[error("too many operations: {0}")]
    TooMany(usize),
    /// A test failed, a path is missing.
    #[error("{0}")]
    Refused(String),
    /// A strategic merge patch that does not fit.
    #[error("{0}")]
    Strategic(String),
}

/// Applies a patch: a JSON patch, a strategic merge patch, or else a merge patch.
pub fn patch(
    json_patch: bool,
    strategic: bool,
    _gvk: &Gvk,
    present: &Json,
    body: &Json,
) -> Result<Json, PatchError> {
    if let Some(list) = body.as_arr().filter(|l| json_patch && l.len() > 10_000) {
        return Err(PatchError::TooMany(list.len()));
    }
    if json_patch {
        return Err(PatchError::Refused("not modelled here: JSON patch".into()));
    }
    if !matches!(body, Json::Obj(_)) {
        let text = format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            body.kind_name()
        );
        return Err(if strategic { PatchError::Strategic(text) } else { PatchError::Malformed(text) });
    }
    let mut out = present.clone();
    merge(&mut out, body);
    Ok(out)
}

fn merge(target: &mut Json, patch: &Json) {
    let (Json::Obj(t), Json::Obj(p)) = (&mut *target, patch) else {
        *target = patch.clone();
        return;
    };
    for (k, v) in p {
        if v.is_null() {
            t.remove(k);
        } else {
            merge(t.entry(k.clone()).or_insert_with(Json::obj), v);
        }
    }
}
