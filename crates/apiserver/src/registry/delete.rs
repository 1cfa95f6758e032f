//! Delete: options and preconditions, grace, finalizers, and only then the storage.

use super::Registry;
use crate::admission::{self, Attributes};
use crate::env::Note;
use crate::errors::{ApiError, FieldFault};
use crate::object::Object;
use crate::server::Server;
use crate::storage::{Changed, Operation, Preconditions, StorageError, UpdateOptions};
use kube::json::Json;
use sim::{Ctx, Station};
use std::cell::Cell;
use std::rc::Rc;

/// What happens to dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They lose their owner reference first.
    Orphan,
    /// The garbage collector removes them later.
    Background,
    /// They go first.
    Foreground,
}

/// `DeleteOptions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Seconds to wait.
    pub grace_period_seconds: Option<i64>,
    /// What must hold.
    pub preconditions: Preconditions,
    /// What happens to dependents.
    pub propagation: Option<Propagation>,
    /// The deprecated form.
    pub orphan_dependents: Option<bool>,
    /// Everything but the write.
    pub dry_run: bool,
}

impl DeleteOptions {
    /// Reads the JSON of a body; fields that are not set come from nowhere else.
    pub fn from_json(j: &Json) -> Result<DeleteOptions, ApiError> {
        let mut faults = Vec::new();
        let propagation = match j.get("propagationPolicy").and_then(Json::as_str) {
            None | Some("") => None,
            Some("Orphan") => Some(Propagation::Orphan),
            Some("Background") => Some(Propagation::Background),
            Some("Foreground") => Some(Propagation::Foreground),
            Some(other) => {
                let value = kube::json::go_quote(other);
                let supported = ["Foreground", "Background", "Orphan", "nil"];
                faults.push(FieldFault::not_supported("propagationPolicy", &value, &supported));
                None
            }
        };
        let orphan_dependents = j.bool_at("orphanDependents");
        if let (Some(p), Some(_)) = (j.get("propagationPolicy"), orphan_dependents) {
            faults.push(FieldFault::invalid(
                "propagationPolicy",
                &p.to_text(),
                "orphanDependents and deletionPropagation cannot be both set",
            ));
        }
        let dry: Vec<&str> = j.items_at("dryRun").iter().filter_map(Json::as_str).collect();
        faults.extend(crate::request::dry_run_fault(&dry));
        if !faults.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", &faults));
        }
        let text = |path: &str| j.at(path).and_then(Json::as_str).map(str::to_owned);
        Ok(DeleteOptions {
            grace_period_seconds: j.int_at("gracePeriodSeconds"),
            preconditions: Preconditions {
                uid: text("preconditions.uid"),
                resource_version: text("preconditions.resourceVersion"),
            },
            propagation,
            orphan_dependents,
            dry_run: !dry.is_empty(),
        })
    }
}

/// The answer to a deletion.
pub struct Deletion {
    /// The object: its last state, or as it waits for its end.
    pub object: Object,
    /// Whether it is gone.
    pub removed: bool,
}

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

impl Registry {
    /// Deletes the object `name`.
    pub async fn delete(
        &self,
        server: &Rc<Server>,
        ctx: Option<Ctx>,
        attributes: &Attributes,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deletion, ApiError> {
        let info = &self.info;
        let failed = |e: StorageError| e.interpret(Operation::Delete, &info.group, &info.resource, name);
        let key = self.key(namespace, name)?;
        let found = self.store.get(ctx, &key).await.map_err(failed)?;
        let object = found.ok_or_else(|| ApiError::not_found(&info.group, &info.resource, name))?;
        self.check_preconditions(&object, options)?;

        let plan = self.plan(&object, options);
        if plan.unchanged {
            return Ok(Deletion { object: (*object).clone(), removed: false });
        }
        if plan.mark {
            let marked = self.mark(server, ctx, attributes, &key, name, options).await?;
            if !marked.1 {
                return Ok(Deletion { object: marked.0, removed: false });
            }
        }
        if options.dry_run {
            return Ok(Deletion { object: (*object).clone(), removed: true });
        }
        let mut rest = options.clone();
        rest.preconditions.resource_version = None;
        self.finalize(server, ctx, attributes, namespace, name, &rest)
            .await
            .map(|object| Deletion { object, removed: true })
    }

    /// Removes the object from the storage.
    pub(super) async fn finalize(
        &self,
        server: &Rc<Server>,
        ctx: Option<Ctx>,
        attributes: &Attributes,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Object, ApiError> {
        let info = &self.info;
        let key = self.key(namespace, name)?;
        let cached = self.cacher.as_ref().filter(|c| c.ready()).and_then(|c| c.peek(&key));
        let validate = async |old: Rc<Object>| {
            admission::validate(server, ctx, attributes, None, Some(&old)).await.map_err(StorageError::from)
        };
        let removed = self
            .store
            .delete(ctx, &key, &options.preconditions, cached, validate)
            .await
            .map_err(|e| e.interpret(Operation::Delete, &info.group, &info.resource, name))?;
        super::ipalloc::released(server, ctx, info, &removed).await;
        Ok(removed)
    }

    fn check_preconditions(&self, obj: &Object, options: &DeleteOptions) -> Result<(), ApiError> {
        let p = &options.preconditions;
        let conflict = |why: String| ApiError {
            details: Some(Box::new(crate::errors::Details {
                name: obj.name().to_owned(),
                group: self.info.group.clone(),
                kind: self.info.hub.kind.clone(),
                ..Default::default()
            })),
            ..ApiError::conflict(&self.info.group, &self.info.hub.kind, obj.name(), &why)
        };
        if let Some(uid) = p.uid.as_ref().filter(|u| *u != obj.uid()) {
            return Err(conflict(format!(
                "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been \
                 deleted and then recreated",
                obj.uid()
            )));
        }
        let rv = obj.str_at("metadata.resourceVersion");
        if let Some(wanted) = p.resource_version.as_ref().filter(|w| *w != rv) {
            return Err(conflict(format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({rv}). \
                 The object might have been modified"
            )));
        }
        Ok(())
    }

    /// Whether the kind waits before it goes, and how long: only Pods do.
    fn grace(&self, obj: &Object, options: &DeleteOptions) -> Option<i64> {
        if !(self.info.group.is_empty() && self.info.resource == "pods") {
            return None;
        }
        let done = ["Succeeded", "Failed"].contains(&obj.str_at("status.phase"));
        if obj.str_at("spec.nodeName").is_empty() || done {
            return Some(0);
        }
        let asked = options.grace_period_seconds;
        let grace = asked.or(obj.int_at("spec.terminationGracePeriodSeconds")).unwrap_or(30);
        Some(if grace < 0 { 1 } else { grace })
    }

    fn plan(&self, obj: &Object, options: &DeleteOptions) -> Plan {
        let finalizers = self.wanted_finalizers(obj, options);
        let grace = self.grace(obj, options);
        if obj.deletion_timestamp().is_some() {
            let present = obj.deletion_grace().unwrap_or(0);
            if let Some(g) = grace {
                let shorter = options.grace_period_seconds.is_some() && g < present;
                if present > 0 && !shorter {
                    return Plan { unchanged: true, ..Plan::default() };
                }
                if shorter {
                    return Plan { mark: true, ..Plan::default() };
                }
            }
            if finalizers != obj.finalizers() {
                return Plan { mark: true, ..Plan::default() };
            }
            if !obj.finalizers().is_empty() {
                return Plan { unchanged: true, ..Plan::default() };
            }
            return Plan::default();
        }
        Plan { mark: grace.is_some() || !finalizers.is_empty() || self.namespace_like(obj), unchanged: false }
    }

    /// Namespaces keep `spec.finalizers` until their content is gone.
    fn namespace_like(&self, obj: &Object) -> bool {
        self.info.group.is_empty()
            && self.info.resource == "namespaces"
            && !obj.strs_at("spec.finalizers").is_empty()
    }

    /// Finalizers after the garbage collector's were added or removed.
    fn wanted_finalizers(&self, obj: &Object, options: &DeleteOptions) -> Vec<String> {
        let mut list = obj.finalizers();
        let exempt =
            self.info.resource == "events" && ["", "events.k8s.io"].contains(&self.info.group.as_str());
        if !self.env.flags.enable_garbage_collector || exempt {
            return list;
        }
        let has = |f: &str| obj.finalizers().iter().any(|x| x == f);
        let default_orphan =
            matches!((self.info.group.as_str(), self.info.resource.as_str()), ("", "replicationcontrollers"));
        let (orphan, foreground) = match (options.orphan_dependents, options.propagation) {
            (Some(o), _) => (o, false),
            (None, Some(p)) => (p == Propagation::Orphan, p == Propagation::Foreground),
            (None, None) if has(ORPHAN) => (true, false),
            (None, None) if has(FOREGROUND) => (false, true),
            (None, None) => (default_orphan, false),
        };
        list.retain(|f| f != ORPHAN && f != FOREGROUND);
        if orphan {
            list.push(ORPHAN.to_owned());
        }
        if foreground {
            list.push(FOREGROUND.to_owned());
        }
        list
    }

    /// Writes the deletion into the object. True: nothing keeps it, it may go at once.
    async fn mark(
        &self,
        server: &Rc<Server>,
        ctx: Option<Ctx>,
        attributes: &Attributes,
        key: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<(Object, bool), ApiError> {
        let info = &self.info;
        let at_once = Cell::new(false);
        let dry: Cell<Option<Object>> = Cell::new(None);
        let update = UpdateOptions {
            preconditions: options.preconditions.clone(),
            cached: None,
            ignore_not_found: false,
        };
        let change = async |existing: Option<Rc<Object>>, attempt: u32| {
            let Some(old) = existing else {
                return Err(ApiError::not_found(&info.group, &info.resource, name).into());
            };
            admission::validate(server, ctx, attributes, None, Some(&old))
                .await
                .map_err(StorageError::from)?;
            let span = self.env.station(ctx, Station::Strategy).await;
            span.note("attempt", attempt.to_string());
            span.came(|| old.to_text().into());
            let mut obj = (*old).clone();
            let now = self.env.unix_seconds();
            let finalizers = self.wanted_finalizers(&old, options);
            let grace = self.grace(&old, options);
            let first = old.deletion_timestamp().is_none();
            obj.set_strs("metadata.finalizers", finalizers.clone());
            match grace {
                Some(g) if first => {
                    obj.set_time("metadata.deletionTimestamp", now + g);
                    obj.set_int("metadata.deletionGracePeriodSeconds", g);
                }
                Some(g) if g < old.deletion_grace().unwrap_or(0) => {
                    let asked_at = old.deletion_timestamp().map_or(now, |t| {
                        t.unix_nanos().div_euclid(1_000_000_000) - old.deletion_grace().unwrap_or(0)
                    });
                    let end = (asked_at + g).max(now);
                    obj.set_time("metadata.deletionTimestamp", end);
                    obj.set_int(
                        "metadata.deletionGracePeriodSeconds",
                        if g == 0 { 0 } else { (end - asked_at).max(1) },
                    );
                }
                Some(_) => {}
                None => {
                    if first {
                        obj.set_time("metadata.deletionTimestamp", now);
                    }
                    obj.set_int("metadata.deletionGracePeriodSeconds", 0);
                }
            }
            if first && old.generation() > 0 {
                obj.set_int("metadata.generation", old.generation() + 1);
            }
            let namespace = self.namespace_like(&old);
            if namespace {
                obj.set_str("status.phase", "Terminating");
                obj.remove_at("metadata.deletionGracePeriodSeconds");
            }
            at_once.set(finalizers.is_empty() && grace.unwrap_or(0) == 0 && !namespace);
            span.note("finalizers", finalizers.join(","));
            span.note("grace", grace.map_or("none".to_owned(), |g| g.to_string()));
            span.went(|| obj.to_text().into());
            drop(span);
            if options.dry_run {
                dry.set(Some(obj));
                return Err(StorageError::Other("dry run".to_owned()));
            }
            Ok(Changed { object: obj, ttl: 0 })
        };
        let result = self.store.guaranteed_update(ctx, key, update, change).await;
        if let Some(obj) = dry.take() {
            return Ok((obj, at_once.get()));
        }
        let object = result.map_err(|e| e.interpret(Operation::Update, &info.group, &info.resource, name))?;
        Ok((object, at_once.get()))
    }
}

#[derive(Default)]
struct Plan {
    /// Write deletionTimestamp first.
    mark: bool,
    /// It is being deleted already.
    unchanged: bool,
}

/// Kinds whose deletion is answered with the object even if it is gone.
pub fn returns_deleted_object(group: &str, resource: &str) -> bool {
    match group {
        "" => matches!(
            resource,
            "pods"
                | "namespaces"
                | "persistentvolumes"
                | "persistentvolumeclaims"
                | "podtemplates"
                | "resourcequotas"
                | "services"
                | "serviceaccounts"
        ),
        "storage.k8s.io" => matches!(
            resource,
            "storageclasses" | "csidrivers" | "csinodes" | "volumeattachments" | "volumeattributesclasses"
        ),
        "resource.k8s.io" => true,
        _ => false,
    }
}
