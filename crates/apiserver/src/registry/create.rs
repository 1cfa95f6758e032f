//! Create: system fields, strategy, validation, validating admission, storage.

use super::{Registry, fill_system_fields, ipalloc, meta, strategy};
use crate::admission::{self, Attributes};
use crate::env::Note;
use crate::errors::ApiError;
use crate::object::Object;
use crate::server::Server;
use crate::storage::{Operation, StorageError};
use sim::{Ctx, Station};
use std::rc::Rc;

/// What a create is about.
pub struct Creation<'a> {
    /// The trace.
    pub ctx: Option<Ctx>,
    /// For admission.
    pub attributes: &'a Attributes,
    /// Everything but the write.
    pub dry_run: bool,
}

const NAME_TRIES: u32 = 8;
/// Longest base of a generated name.
const NAME_BASE: usize = 58;

impl Registry {
    /// Creates an object that mutating admission has seen.
    pub async fn create(
        &self,
        server: &Rc<Server>,
        c: &Creation<'_>,
        obj: Object,
    ) -> Result<Object, ApiError> {
        let generated = obj.name().is_empty() && !obj.str_at("metadata.generateName").is_empty();
        let mut tries = 0;
        loop {
            tries += 1;
            match self.create_once(server, c, obj.clone()).await {
                Err(e) if generated && e.reason == "AlreadyExists" => {
                    if tries < NAME_TRIES {
                        continue;
                    }
                    let mut e = e;
                    e.message.push_str(", the server was not able to generate a unique name for the object");
                    if let Some(d) = e.details.as_mut() {
                        d.retry_after_seconds = 1;
                    }
                    return Err(e);
                }
                other => return other,
            }
        }
    }

    async fn create_once(
        &self,
        server: &Rc<Server>,
        c: &Creation<'_>,
        mut obj: Object,
    ) -> Result<Object, ApiError> {
        let info = &self.info;
        let span = self.env.station(c.ctx, Station::Strategy).await;
        span.came(|| obj.to_text().into());
        meta::wipe_system_fields(&mut obj);
        fill_system_fields(&self.env, &mut obj);
        if obj.name().is_empty() {
            let base = obj.str_at("metadata.generateName");
            if !base.is_empty() {
                let cut: String = base.chars().take(NAME_BASE).collect();
                let name = format!("{cut}{}", self.env.name_suffix());
                span.note("generated name", name.as_str());
                obj.set_str("metadata.name", &name);
            }
        }
        match &self.crd {
            Some(crd) => crd.prepare_for_create(&mut obj),
            None => strategy::prepare_for_create(info, &mut obj, self.env.unix_seconds()),
        }
        span.note("uid", obj.uid());
        span.note("generation", obj.generation().to_string());
        span.went(|| obj.to_text().into());
        drop(span);

        let span = self.env.station(c.ctx, Station::Validate).await;
        span.came(|| obj.to_text().into());
        let faults = match &self.crd {
            Some(crd) => crd.validate(&obj),
            None => crate::machinery::validate_create(&obj, info),
        };
        span.note("errors", faults.len().to_string());
        if !faults.is_empty() {
            let e = ApiError::invalid(&info.group, &info.hub.kind, obj.name(), &faults);
            span.note("refused", e.message.as_str());
            return Err(e);
        }
        drop(span);

        let allocated = if c.dry_run {
            ipalloc::Allocation::default()
        } else {
            ipalloc::allocate(server, c.ctx, info, &mut obj, None).await?
        };

        let result = self.admit_and_store(server, c, obj).await;
        if result.is_err() {
            allocated.release(server, c.ctx).await;
        }
        result
    }

    async fn admit_and_store(
        &self,
        server: &Rc<Server>,
        c: &Creation<'_>,
        obj: Object,
    ) -> Result<Object, ApiError> {
        let info = &self.info;
        admission::validate(server, c.ctx, c.attributes, Some(&obj), None).await?;
        let name = obj.name().to_owned();
        let key = self.key(obj.namespace(), &name)?;
        if c.dry_run {
            let found = self.store.get(c.ctx, &key).await;
            let existing =
                found.map_err(|e| e.interpret(Operation::Get, &info.group, &info.resource, &name))?;
            if existing.is_some() {
                return Err(ApiError::already_exists(&info.group, &info.resource, &name));
            }
            return Ok(obj);
        }
        match self.store.create(c.ctx, &key, &obj, self.ttl()).await {
            Ok(stored) => Ok(stored),
            Err(e @ StorageError::KeyExists { .. }) => {
                let mut e = e.interpret(Operation::Create, &info.group, &info.resource, &name);
                if let Ok(Some(existing)) = self.store.get(c.ctx, &key).await
                    && existing.deletion_timestamp().is_some()
                {
                    e.message = format!("object is being deleted: {}", e.message);
                }
                Err(e)
            }
            Err(e) => Err(e.interpret(Operation::Create, &info.group, &info.resource, &name)),
        }
    }
}
