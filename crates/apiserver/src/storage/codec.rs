//! From an object to the bytes of its value and back: the storage version, the media type, the defaults on reading.

use crate::convert;
use crate::flags::MediaType;
use crate::object::Object;
use kube::catalog::Gvk;
use kube::codec::json::FieldValidation;
use kube::json::Json;

/// How the objects of one resource are stored.
#[derive(Clone, Debug)]
pub enum Codec {
    /// A built-in kind.
    Typed {
        /// Version the server works with.
        hub: Gvk,
        /// Version of the stored bytes.
        stored: Gvk,
        /// Form of the stored bytes.
        media: MediaType,
    },
    /// A custom resource: JSON with sorted keys.
    Custom {
        /// The version with `storage: true`.
        stored: Gvk,
    },
}

impl Codec {
    /// The version of the stored bytes.
    pub fn stored(&self) -> &Gvk {
        match self {
            Codec::Typed { stored, .. } | Codec::Custom { stored } => stored,
        }
    }

    /// The object in its storage version, without resourceVersion: the station *convert*.
    pub fn to_storage_version(&self, obj: &Object) -> Object {
        let mut obj = obj.clone();
        obj.set_resource_version(0);
        match (self, obj) {
            (Codec::Typed { stored, .. }, Object::Typed(s)) => Object::Typed(convert::to_version(s, stored)),
            (Codec::Custom { stored }, mut o) => {
                o.set_str("apiVersion", &stored.api_version());
                o
            }
            (_, o) => o,
        }
    }

    /// The serialized bytes of an object in its storage version: the station *codec*.
    pub fn encode(&self, obj: &Object) -> Vec<u8> {
        match (self, obj) {
            (Codec::Typed { stored, media: MediaType::Protobuf, .. }, Object::Typed(s)) => {
                kube::codec::proto::encode(stored, s)
            }
            (Codec::Typed { stored, media, .. }, Object::Typed(s)) => {
                let mut text = kube::codec::json::to_vec(stored, s);
                if *media == MediaType::Yaml {
                    let json = Json::parse(&text).unwrap_or_default();
                    return crate::machinery::json_to_yaml(&json).into_bytes();
                }
                text.push(b'\n');
                text
            }
            (_, o) => {
                let mut text = o.to_text();
                text.push(b'\n');
                text
            }
        }
    }

    /// Reads a value in any form that was ever stored: protobuf, JSON, YAML. Defaults of the stored version are applied.
    pub fn decode(&self, data: &[u8]) -> Result<Object, String> {
        match self {
            Codec::Custom { stored } => {
                let json = parse_text(data)?;
                let Json::Obj(_) = &json else {
                    return Err(missing("Kind", data));
                };
                let mut o = Object::Custom(json);
                o.set_str("apiVersion", &stored.api_version());
                Ok(o)
            }
            Codec::Typed { hub, .. } => {
                let mut s = if data.starts_with(b"k8s\0") {
                    let (gvk, mut s) = kube::codec::proto::decode(data).map_err(|e| e.to_string())?;
                    s.set_gvk(&gvk);
                    s
                } else {
                    let json = parse_text(data)?;
                    if json.str_at("kind").is_empty() {
                        return Err(missing("Kind", data));
                    }
                    if json.str_at("apiVersion").is_empty() {
                        return Err(missing("apiVersion", data));
                    }
                    let gvk = Gvk::from_api_version(json.str_at("apiVersion"), json.str_at("kind"));
                    kube::codec::json::decode(&gvk, &json, FieldValidation::Ignore)
                        .map_err(|e| e.to_string())?
                        .0
                };
                let gvk = s.gvk();
                crate::machinery::apply_defaults(&gvk, &mut s);
                Ok(Object::Typed(convert::to_version(s, hub)))
            }
        }
    }
}

fn missing(what: &str, data: &[u8]) -> String {
    format!("Object '{what}' is missing in '{}'", String::from_utf8_lossy(data))
}

/// JSON by its first byte, else YAML; what is neither is tried as base64, the form of very old data.
fn parse_text(data: &[u8]) -> Result<Json, String> {
    if data.is_empty() {
        return Err("empty data".to_owned());
    }
    let first = data.iter().find(|b| !b.is_ascii_whitespace());
    if first == Some(&b'{') {
        return Json::parse(data).map_err(|e| e.to_string());
    }
    if let Ok(json @ Json::Obj(_)) = crate::machinery::yaml_to_json(data) {
        return Ok(json);
    }
    let inner = kube::codec::base64_decode(data)?;
    Json::parse(&inner).map_err(|e| e.to_string())
}
