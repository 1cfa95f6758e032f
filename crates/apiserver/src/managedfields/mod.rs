//! managedFields of Update operations: who set which field.
//!
//! The new object is compared with the live one (an empty object at create, as the kind prints it). Added and modified
//! paths go to the manager of the request and are taken from all others; removed paths are taken from everybody.
//! Server-side apply is not modelled here; entries of operation `Apply` are kept and lose what an update takes from them.

mod compare;
mod set;
mod shape;

pub use compare::{Comparison, compare};
pub use set::{PathElement, Scalar, Set};
pub use shape::{ListRule, Shape};

use kube::json::Json;
use std::collections::BTreeMap;

/// What tells entries apart. Ordered as the original orders their identifiers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManagerId {
    /// As `kubectl-create`.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// Empty for `Apply`.
    pub api_version: String,
    /// As `status`.
    pub subresource: String,
}

/// What a manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// Version in which the paths are to be read.
    pub api_version: String,
    /// RFC 3339, seconds; empty if unknown.
    pub time: String,
    /// The paths.
    pub set: Set,
}

/// All entries of an object.
pub type Managers = BTreeMap<ManagerId, Owned>;

/// One entry ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its identity.
    pub id: ManagerId,
    /// Its `apiVersion`.
    pub api_version: String,
    /// RFC 3339, or empty.
    pub time: String,
    /// The text of `fieldsV1`.
    pub fields_v1: Vec<u8>,
}

const MAX_UPDATE_MANAGERS: usize = 10;

/// Paths that are never tracked.
fn never_tracked() -> Set {
    Set::of_fields(&[
        "apiVersion",
        "kind",
        "metadata",
        "metadata.name",
        "metadata.namespace",
        "metadata.creationTimestamp",
        "metadata.selfLink",
        "metadata.uid",
        "metadata.clusterName",
        "metadata.generation",
        "metadata.managedFields",
        "metadata.resourceVersion",
    ])
}

/// Reads `metadata.managedFields` as it prints; `None` if an entry is not valid.
pub fn decode(list: &[Json]) -> Option<Managers> {
    let mut out = Managers::new();
    for e in list {
        let operation = e.str_at("operation");
        if !["Apply", "Update"].contains(&operation) || e.str_at("fieldsType") != "FieldsV1" {
            return None;
        }
        let api_version = e.str_at("apiVersion").to_owned();
        if api_version.is_empty() {
            return None;
        }
        let id = ManagerId {
            manager: e.str_at("manager").to_owned(),
            operation: operation.to_owned(),
            api_version: if operation == "Apply" { String::new() } else { api_version.clone() },
            subresource: e.str_at("subresource").to_owned(),
        };
        let set = match e.get("fieldsV1") {
            None | Some(Json::Null) => Set::default(),
            Some(f) => Set::from_json(f)?,
        };
        out.insert(id, Owned { api_version, time: e.str_at("time").to_owned(), set });
    }
    Some(out)
}

/// Whether a client asks to clear the list: an empty one, or one empty entry.
pub fn is_reset(list: &Json) -> bool {
    match list {
        Json::Arr(l) if l.is_empty() => true,
        Json::Arr(l) if l.len() == 1 => match &l[0] {
            Json::Obj(m) => m.values().all(|v| match v {
                Json::Str(s) => s.is_empty(),
                v => v.is_null(),
            }),
            _ => false,
        },
        _ => false,
    }
}

/// A request that updates an object.
pub struct Update<'a> {
    /// The live object as it prints; at create, the empty object of the kind. Its managedFields are not compared.
    pub live: &'a Json,
    /// The new object as it prints.
    pub new: &'a Json,
    /// Shape of the kind.
    pub shape: &'a Shape<'a>,
    /// Version of the request.
    pub api_version: &'a str,
    /// As `status`, or empty.
    pub subresource: &'a str,
    /// Name of the manager.
    pub manager: &'a str,
    /// RFC 3339, seconds.
    pub now: &'a str,
    /// Paths that the strategy resets and so nobody owns by this request.
    pub reset_fields: &'a Set,
}

/// The entries after `update`. `None`: the object is not tracked.
pub fn update(update: &Update<'_>) -> Option<Vec<Entry>> {
    let at = |o: &Json| o.at("metadata.managedFields").cloned().unwrap_or(Json::Null);
    let (live_list, new_list) = (at(update.live), at(update.new));
    let decoded = |list: &Json| list.as_arr().and_then(|l| decode(l));
    let managers = if update.subresource.is_empty() && is_reset(&new_list) {
        Managers::new()
    } else {
        let own = if update.subresource.is_empty() { decoded(&new_list) } else { None };
        own.filter(|m| !m.is_empty()).or_else(|| decoded(&live_list)).unwrap_or_default()
    };
    let creating = update.live.str_at("metadata.uid").is_empty();
    if managers.is_empty() && !creating {
        return None;
    }
    let bare = |o: &Json| {
        let mut o = o.clone();
        o.remove_at("metadata.managedFields");
        o
    };
    let managers = apply_update(managers, &bare(update.live), &bare(update.new), update);
    Some(encode(cap(managers)))
}

fn apply_update(mut managers: Managers, live: &Json, new: &Json, u: &Update<'_>) -> Managers {
    let whole = compare(live, new, u.shape);
    let seen = whole.without(u.reset_fields);
    let taken = seen.modified.union(&seen.added);
    for owned in managers.values_mut() {
        owned.set = owned.set.difference(&taken).difference(&seen.removed);
    }
    managers.retain(|_, o| !o.set.is_empty());
    let set = whole.modified.union(&whole.added).recursive_difference(u.reset_fields);
    let set = set.difference(&never_tracked());
    if !set.is_empty() {
        let id = ManagerId {
            manager: u.manager.to_owned(),
            operation: "Update".to_owned(),
            api_version: u.api_version.to_owned(),
            subresource: u.subresource.to_owned(),
        };
        let set = managers.get(&id).map_or_else(|| set.clone(), |o| set.union(&o.set));
        managers.insert(id, Owned { api_version: u.api_version.to_owned(), time: u.now.to_owned(), set });
    }
    managers
}

/// More than ten Update entries: the oldest are merged into `ancient-changes`, one per version.
fn cap(mut managers: Managers) -> Managers {
    let mut updaters: Vec<(String, ManagerId)> = managers
        .iter()
        .filter(|(id, _)| id.operation == "Update")
        .map(|(id, o)| (o.time.clone(), id.clone()))
        .collect();
    if updaters.len() <= MAX_UPDATE_MANAGERS {
        return managers;
    }
    updaters.sort();
    let mut length = updaters.len();
    let mut first_of: BTreeMap<String, ManagerId> = BTreeMap::new();
    for (_, id) in updaters {
        if length <= MAX_UPDATE_MANAGERS {
            break;
        }
        let Some(owned) = managers.get(&id).cloned() else { continue };
        let bucket = ManagerId {
            manager: "ancient-changes".to_owned(),
            operation: "Update".to_owned(),
            api_version: owned.api_version.clone(),
            subresource: String::new(),
        };
        let Some(first) = first_of.get(&owned.api_version) else {
            first_of.insert(owned.api_version.clone(), id);
            continue;
        };
        if !managers.contains_key(&bucket)
            && let Some(earlier) = managers.remove(first)
        {
            managers.insert(bucket.clone(), earlier);
        }
        managers.remove(&id);
        if let Some(b) = managers.get_mut(&bucket) {
            b.set = b.set.union(&owned.set);
            b.time = owned.time;
        }
        length -= 1;
    }
    managers
}

fn encode(managers: Managers) -> Vec<Entry> {
    let mut out: Vec<Entry> = managers
        .into_iter()
        .map(|(id, o)| Entry { id, api_version: o.api_version, time: o.time, fields_v1: o.set.to_text() })
        .collect();
    out.sort_by(|a, b| {
        let key = |e: &Entry| {
            (
                e.id.operation.clone(),
                e.time.clone(),
                e.id.manager.clone(),
                e.api_version.clone(),
                e.id.subresource.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    out
}

/// The manager's name of a request: `fieldManager`, else the User-Agent up to the first slash, cut to 128 characters.
pub fn manager_name(field_manager: &str, user_agent: &str) -> String {
    if !field_manager.is_empty() {
        return field_manager.to_owned();
    }
    let prefix = user_agent.split('/').next().unwrap_or("");
    let printable: String = prefix.chars().filter(|c| !c.is_control()).collect();
    if printable.is_empty() { "unknown".to_owned() } else { printable.chars().take(128).collect() }
}
