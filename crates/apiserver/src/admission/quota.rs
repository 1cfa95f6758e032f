//! ResourceQuota: object counts of quotas whose status is known are checked and charged before the object is stored.
//!
//! Only counts (`pods`, `count/‹resource›`, and the counted core resources) are modelled here; quotas of cpu, memory and
//! storage are let through by name in the trace.

use super::{Attributes, Verb, all};
use crate::errors::ApiError;
use crate::object::Object;
use crate::server::Server;
use crate::storage::{Changed, StorageError, UpdateOptions};
use kube::object::Value;
use kube::quantity::{Format, Quantity};
use sim::Ctx;
use std::rc::Rc;

const COUNTED: [&str; 8] = [
    "pods",
    "services",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
];

pub(super) async fn validate(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    obj: &Object,
) -> Result<(), ApiError> {
    if a.verb != Verb::Create || !a.subresource.is_empty() || a.namespace.is_empty() {
        return Ok(());
    }
    let names = names_of(a);
    for quota in all(server, "", "resourcequotas", &a.namespace) {
        let Some(s) = quota.typed() else { continue };
        let get = |path: &str, name: &str| match s.map_at(path).and_then(|m| m.get(name)) {
            Some(Value::Quantity(q)) => Some(q.clone()),
            _ => None,
        };
        for name in &names {
            let (Some(hard), Some(used)) = (get("status.hard", name), get("status.used", name)) else {
                continue;
            };
            if used.value() + 1 > hard.value() {
                return Err(ApiError::forbidden(
                    &a.group,
                    &a.resource,
                    obj.name(),
                    &format!(
                        "exceeded quota: {}, requested: {name}=1, used: {name}={used}, limited: {name}={hard}",
                        quota.name()
                    ),
                ));
            }
        }
        let charged: Vec<&String> = names.iter().filter(|n| get("status.used", n).is_some()).collect();
        if charged.is_empty() || a.dry_run {
            continue;
        }
        charge(server, ctx, a, quota.name(), &charged).await?;
    }
    Ok(())
}

fn names_of(a: &Attributes) -> Vec<String> {
    let mut names = vec![format!("count/{}", crate::errors::qualified(&a.group, &a.resource))];
    if a.group.is_empty() && COUNTED.contains(&a.resource.as_str()) {
        names.push(a.resource.clone());
    }
    names
}

async fn charge(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    quota: &str,
    names: &[&String],
) -> Result<(), ApiError> {
    let Some(registry) = server.registry("", "resourcequotas") else { return Ok(()) };
    let key = registry.key(&a.namespace, quota)?;
    let change = async |existing: Option<Rc<Object>>, _: u32| {
        let Some(Object::Typed(s)) = existing.as_deref() else {
            return Err(StorageError::Other("the quota is gone".to_owned()));
        };
        let mut s = s.clone();
        if let Some(used) = s.ensure_map("status.used") {
            for name in names {
                if let Some(Value::Quantity(q)) = used.get(*name).cloned() {
                    let next = Quantity::from_int(q.value() + 1, Format::DecimalSI);
                    used.insert((*name).clone(), Value::Quantity(next));
                }
            }
        }
        Ok(Changed { object: Object::Typed(s), ttl: 0 })
    };
    let result = registry.store.guaranteed_update(ctx, &key, UpdateOptions::default(), change).await;
    result
        .map(|_| ())
        .map_err(|e| e.interpret(crate::storage::Operation::Update, "", "resourcequotas", quota))
}
