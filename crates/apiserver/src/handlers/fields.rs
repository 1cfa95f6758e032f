//! managedFields of a request's object.

use super::Call;
use crate::managedfields::{self, Entry, Set, Shape, Update};
use crate::object::Object;
use crate::registry::{Registry, strategy};
use crate::server::Server;
use kube::json::Json;
use kube::object::{Struct, Value};
use std::rc::Rc;

/// Writes `metadata.managedFields` of `new`, which changes `old` (`None`: it is created).
pub fn track_fields(
    server: &Rc<Server>,
    registry: &Registry,
    old: Option<&Object>,
    new: &mut Object,
    manager: &str,
    subresource: &str,
    api_version: &str,
) {
    let shape = match (&*new, &registry.crd) {
        (Object::Typed(s), _) => Shape::Struct(s.ty()),
        (Object::Custom(_), Some(crd)) => match crd.storage() {
            Some(v) if !v.schema.is_null() => Shape::Custom(&v.schema),
            _ => Shape::Deduced,
        },
        _ => Shape::Deduced,
    };
    let live = match (old, &*new) {
        (Some(o), _) => o.to_json(),
        (None, Object::Typed(s)) => kube::codec::json::encode(&Struct::new(s.type_id())),
        (None, Object::Custom(_)) => Json::obj(),
    };
    let reset = if registry.crd.is_some() {
        let has_status = registry.crd.as_ref().and_then(|c| c.storage()).is_some_and(|v| v.status);
        match subresource {
            "" if has_status => Set::of_fields(&["status"]),
            "status" => Set::of_fields(&["spec", "metadata"]),
            _ => Set::default(),
        }
    } else {
        strategy::reset_fields(&registry.info, subresource)
    };
    let now = kube::time::Time::from_unix(server.env.unix_seconds()).to_rfc3339();
    let entries = managedfields::update(&Update {
        live: &live,
        new: &new.to_json(),
        shape: &shape,
        api_version,
        subresource,
        manager,
        now: &now,
        reset_fields: &reset,
    });
    match entries {
        Some(list) => store_entries(new, &list),
        None => new.remove_at("metadata.managedFields"),
    }
}

fn store_entries(obj: &mut Object, list: &[Entry]) {
    if list.is_empty() {
        return obj.remove_at("metadata.managedFields");
    }
    match obj {
        Object::Typed(s) => {
            let entries: Vec<Struct> = list
                .iter()
                .filter_map(|e| {
                    let mut m = Struct::named("meta/v1.ManagedFieldsEntry")?;
                    m.set("manager", e.id.manager.as_str());
                    m.set("operation", e.id.operation.as_str());
                    m.set("apiVersion", e.api_version.as_str());
                    if !e.time.is_empty() {
                        m.set("time", e.time.as_str());
                    }
                    m.set("fieldsType", "FieldsV1");
                    m.set("fieldsV1", Value::Raw(e.fields_v1.clone()));
                    m.set("subresource", e.id.subresource.as_str());
                    Some(m)
                })
                .collect();
            s.set_at("metadata.managedFields", entries);
        }
        Object::Custom(j) => {
            let entries = list.iter().map(|e| {
                let mut m = Json::obj();
                let mut text = |name: &str, v: &str| {
                    if !v.is_empty() {
                        m.set_at(name, Json::Str(v.to_owned()));
                    }
                };
                text("manager", &e.id.manager);
                text("operation", &e.id.operation);
                text("apiVersion", &e.api_version);
                text("time", &e.time);
                text("fieldsType", "FieldsV1");
                text("subresource", &e.id.subresource);
                m.set_at("fieldsV1", Json::parse(&e.fields_v1).unwrap_or_default());
                m
            });
            j.set_at("metadata.managedFields", Json::Arr(entries.collect()));
        }
    }
}

impl Call {
    /// [`track_fields`] with this request's manager.
    pub fn track(&self, registry: &Registry, old: Option<&Object>, new: &mut Object, field_manager: &str) {
        let manager = self.manager(field_manager);
        let version = self.info.group_version();
        track_fields(&self.server, registry, old, new, &manager, &self.info.subresource, &version);
    }
}
