//! ObjectMeta as the server fills and checks it.

use crate::env::Env;
use crate::object::Object;
use kube::json::Json;
use kube::object::Value;

/// uid and creationTimestamp of a new object.
pub fn fill_system_fields(env: &Env, obj: &mut Object) {
    obj.set_time("metadata.creationTimestamp", env.unix_seconds());
    let uid = env.uuid();
    obj.set_str("metadata.uid", &uid);
}

/// Takes away what only the server may set.
pub fn wipe_system_fields(obj: &mut Object) {
    for path in [
        "metadata.uid",
        "metadata.creationTimestamp",
        "metadata.deletionTimestamp",
        "metadata.deletionGracePeriodSeconds",
        "metadata.selfLink",
    ] {
        obj.remove_at(path);
    }
}

/// Removes ownerReferences that repeat an earlier one; true if there were any.
pub fn dedup_owners(obj: &mut Object) -> bool {
    match obj {
        Object::Typed(s) => {
            let list = s.list_at("metadata.ownerReferences");
            let mut kept: Vec<Value> = Vec::new();
            for o in list {
                if !kept.contains(o) {
                    kept.push(o.clone());
                }
            }
            if kept.len() == list.len() {
                return false;
            }
            s.set_at("metadata.ownerReferences", kept);
            true
        }
        Object::Custom(j) => {
            let list = j.items_at("metadata.ownerReferences");
            let mut kept: Vec<Json> = Vec::new();
            for o in list {
                if !kept.contains(o) {
                    kept.push(o.clone());
                }
            }
            if kept.len() == list.len() {
                return false;
            }
            j.set_at("metadata.ownerReferences", Json::Arr(kept));
            true
        }
    }
}
