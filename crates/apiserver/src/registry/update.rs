//! Update: the function that runs inside GuaranteedUpdate, once per attempt.

use super::{Registry, delete::DeleteOptions, ipalloc, strategy};
use crate::admission::{self, Attributes};
use crate::env::Note;
use crate::errors::{ApiError, FieldFault};
use crate::object::Object;
use crate::server::Server;
use crate::storage::{Operation, Preconditions, StorageError, UpdateOptions};
use sim::{Ctx, Station};
use std::cell::Cell;
use std::rc::Rc;

/// Makes the new object from the present one, for the attempt of that number.
pub trait NewObject {
    /// `None` for an object that does not exist. The result has not seen admission.
    fn build(
        &mut self,
        existing: Option<&Object>,
        attempt: u32,
    ) -> impl Future<Output = Result<Object, ApiError>>;
}

/// What an update is about.
pub struct Updating<'a> {
    /// The trace.
    pub ctx: Option<Ctx>,
    /// For admission; the old object is filled in.
    pub attributes: &'a Attributes,
    /// As `status`, or empty.
    pub subresource: &'a str,
    /// Whether a missing object is created if the kind allows it.
    pub may_create: bool,
    /// Everything but the write.
    pub dry_run: bool,
    /// metadata.uid of the request's body.
    pub uid: Option<String>,
}

/// The answer.
pub struct Updated {
    /// As stored.
    pub object: Object,
    /// It did not exist before.
    pub created: bool,
}

impl Registry {
    /// Updates the object `name`.
    pub async fn update(
        &self,
        server: &Rc<Server>,
        u: &Updating<'_>,
        namespace: &str,
        name: &str,
        new: &mut impl NewObject,
    ) -> Result<Updated, ApiError> {
        let info = &self.info;
        let key = self.key(namespace, name)?;
        let may_create = u.may_create && strategy::allow_create_on_update(info) && self.crd.is_none();
        let options = UpdateOptions {
            ignore_not_found: may_create,
            preconditions: Preconditions { uid: u.uid.clone(), resource_version: None },
            cached: self.cacher.as_ref().filter(|c| c.ready()).and_then(|c| c.peek(&key)),
        };
        let created = Cell::new(false);
        let gone: Cell<Option<Object>> = Cell::new(None);
        let dry: Cell<Option<Object>> = Cell::new(None);
        let change = async |existing: Option<Rc<Object>>, attempt: u32| {
            let api = StorageError::from;
            created.set(existing.is_none());
            let obj = new.build(existing.as_deref(), attempt).await.map_err(api)?;
            let obj = match &existing {
                None if !may_create => {
                    return Err(ApiError::not_found(&info.group, &info.resource, name).into());
                }
                None => self.prepare_missing(server, u, obj).await.map_err(api)?,
                Some(old) => self.prepare_existing(server, u, obj, old, attempt).await.map_err(api)?,
            };
            if let Some(old) = &existing
                && delete_during_update(&obj, old)
            {
                gone.set(Some(obj.clone()));
                return Err(StorageError::Other("delete during update".to_owned()));
            }
            if u.dry_run {
                let mut shown = obj;
                if let Some(old) = &existing {
                    shown.copy_from(old, "metadata.resourceVersion");
                }
                dry.set(Some(shown));
                return Err(StorageError::Other("dry run".to_owned()));
            }
            Ok(crate::storage::Changed { object: obj, ttl: self.ttl() })
        };
        let result = self.store.guaranteed_update(u.ctx, &key, options, change).await;
        if let Some(object) = dry.take() {
            return Ok(Updated { object, created: created.get() });
        }
        if let Some(object) = gone.take() {
            if !u.dry_run {
                self.finalize(server, u.ctx, u.attributes, namespace, name, &DeleteOptions::default())
                    .await?;
            }
            return Ok(Updated { object, created: false });
        }
        match result {
            Ok(object) => Ok(Updated { object, created: created.get() }),
            Err(e) => {
                let op = if created.get() { Operation::Create } else { Operation::Update };
                Err(e.interpret(op, &info.group, &info.resource, name))
            }
        }
    }

    async fn prepare_missing(
        &self,
        server: &Rc<Server>,
        u: &Updating<'_>,
        mut obj: Object,
    ) -> Result<Object, ApiError> {
        let info = &self.info;
        super::meta::wipe_system_fields(&mut obj);
        super::fill_system_fields(&self.env, &mut obj);
        obj.set_resource_version(0);
        strategy::prepare_for_create(info, &mut obj, self.env.unix_seconds());
        let faults = crate::machinery::validate_create(&obj, info);
        if !faults.is_empty() {
            return Err(ApiError::invalid(&info.group, &info.hub.kind, obj.name(), &faults));
        }
        ipalloc::allocate(server, u.ctx, info, &mut obj, None).await?;
        admission::validate(server, u.ctx, u.attributes, Some(&obj), None).await?;
        Ok(obj)
    }

    async fn prepare_existing(
        &self,
        server: &Rc<Server>,
        u: &Updating<'_>,
        mut obj: Object,
        old: &Object,
        attempt: u32,
    ) -> Result<Object, ApiError> {
        let info = &self.info;
        let span = self.env.station(u.ctx, Station::Strategy).await;
        span.note("attempt", attempt.to_string());
        span.came(|| obj.to_text().into());
        let given = obj.resource_version();
        let present = old.resource_version();
        if given == 0 {
            if !strategy::allow_unconditional_update(info, self.crd.is_some()) {
                let fault =
                    FieldFault::invalid("metadata.resourceVersion", "0", "must be specified for an update");
                return Err(ApiError::invalid(&info.group, &info.resource, old.name(), &[fault]));
            }
            obj.copy_from(old, "metadata.resourceVersion");
            span.note("resourceVersion", "none given: the latest is overwritten");
        } else if given != present {
            span.note("resourceVersion", format!("{given} given, {present} present: conflict"));
            return Err(ApiError::conflict(
                &info.group,
                &info.resource,
                old.name(),
                "the object has been modified; please apply your changes to the latest version and try again",
            ));
        }
        obj.copy_from(old, "metadata.generation");
        match &self.crd {
            Some(crd) => crd.prepare_for_update(&mut obj, old, u.subresource),
            None => strategy::prepare_for_update(info, u.subresource, &mut obj, old),
        }
        if obj.uid().is_empty() {
            obj.copy_from(old, "metadata.uid");
        }
        for path in [
            "metadata.creationTimestamp",
            "metadata.deletionTimestamp",
            "metadata.deletionGracePeriodSeconds",
        ] {
            obj.copy_from(old, path);
        }
        span.note("generation", obj.generation().to_string());
        span.went(|| obj.to_text().into());
        drop(span);

        let span = self.env.station(u.ctx, Station::Validate).await;
        span.note("attempt", attempt.to_string());
        span.came(|| obj.to_text().into());
        strategy::check_update(info, &obj, old)?;
        let faults = match &self.crd {
            Some(crd) => crd.validate(&obj),
            None => crate::machinery::validate_update(&obj, old, info, u.subresource),
        };
        span.note("errors", faults.len().to_string());
        if !faults.is_empty() {
            let e = ApiError::invalid(&info.group, &info.hub.kind, obj.name(), &faults);
            span.note("refused", e.message.as_str());
            return Err(e);
        }
        drop(span);
        if u.subresource.is_empty() && !u.dry_run {
            ipalloc::allocate(server, u.ctx, info, &mut obj, Some(old)).await?;
        }
        restore_timestamps(&mut obj, old);
        admission::validate(server, u.ctx, u.attributes, Some(&obj), Some(old)).await?;
        Ok(obj)
    }
}

/// The last finalizer was taken from an object that is being deleted.
fn delete_during_update(new: &Object, old: &Object) -> bool {
    new.finalizers().is_empty()
        && old.deletion_timestamp().is_some()
        && old.deletion_grace().unwrap_or(0) == 0
}

/// If only the times of managedFields differ, the old ones stay, and so nothing is written.
fn restore_timestamps(new: &mut Object, old: &Object) {
    let mut probe = new.clone();
    probe.copy_from(old, "metadata.managedFields");
    if probe != *old || new.same_at(old, "metadata.managedFields") {
        return;
    }
    let strip = |o: &Object| {
        let mut list = o.to_json().at("metadata.managedFields").cloned().unwrap_or_default();
        for e in list.as_arr_mut().into_iter().flatten() {
            e.remove_at("time");
        }
        list
    };
    if strip(new) == strip(old) {
        *new = probe;
    }
}
