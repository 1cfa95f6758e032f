//! GuaranteedUpdate: read, change, write if nobody else wrote meanwhile, else again with what is there now.

use super::{State, StorageError, Store, txn};
use crate::env::Note;
use crate::object::Object;
use sim::{Ctx, Station};
use std::rc::Rc;

/// What must hold of the object, or the operation fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preconditions {
    /// metadata.uid
    pub uid: Option<String>,
    /// metadata.resourceVersion
    pub resource_version: Option<String>,
}

impl Preconditions {
    /// The storage error if one does not hold.
    pub fn check(&self, key: &str, obj: &Object) -> Result<(), StorageError> {
        let differs = |what: &str, wanted: &Option<String>, is: &str| match wanted {
            Some(w) if w != is => Err(StorageError::InvalidObject {
                key: key.to_owned(),
                why: format!("Precondition failed: {what} in precondition: {w}, {what} in object meta: {is}"),
            }),
            _ => Ok(()),
        };
        differs("UID", &self.uid, obj.uid())?;
        differs("ResourceVersion", &self.resource_version, obj.str_at("metadata.resourceVersion"))
    }
}

/// How an update is to be done.
#[derive(Clone, Debug, Default)]
pub struct UpdateOptions {
    /// A missing key is an absent object, not an error.
    pub ignore_not_found: bool,
    /// What must hold.
    pub preconditions: Preconditions,
    /// Where to start: an object of the watch cache, perhaps behind.
    pub cached: Option<Rc<Object>>,
}

/// What the change wants stored.
pub struct Changed {
    /// The object.
    pub object: Object,
    /// TTL in seconds, 0 for none.
    pub ttl: i64,
}

impl Store {
    async fn start_state(
        &self,
        ctx: Option<Ctx>,
        full: &str,
        cached: Option<Rc<Object>>,
        must_exist: bool,
    ) -> Result<(State, bool), StorageError> {
        if let Some(obj) = cached {
            let revision = i64::try_from(obj.resource_version()).unwrap_or(0);
            let data = self.codec.encode(&self.codec.to_storage_version(&obj)).into();
            return Ok((State { object: Some(obj), revision, data, stale: false }, false));
        }
        let state = self.read_existing(ctx, full, must_exist).await?;
        Ok((state, true))
    }

    pub(super) async fn read_existing(
        &self,
        ctx: Option<Ctx>,
        full: &str,
        must_exist: bool,
    ) -> Result<State, StorageError> {
        let state = self.read(ctx, full).await?;
        if state.object.is_none() && must_exist {
            return Err(StorageError::KeyNotFound { key: full.to_owned() });
        }
        Ok(state)
    }

    /// Updates the object at `key`. `change` is called once per attempt with the present object (`None` if there is none)
    /// and the attempt's number, beginning with 1; it says what to store. Nothing is written if the bytes stay the same.
    pub async fn guaranteed_update(
        &self,
        ctx: Option<Ctx>,
        key: &str,
        options: UpdateOptions,
        mut change: impl AsyncFnMut(Option<Rc<Object>>, u32) -> Result<Changed, StorageError>,
    ) -> Result<Object, StorageError> {
        let full = self.prepare(key)?;
        let must_exist = !options.ignore_not_found;
        let (mut state, mut current) = self.start_state(ctx, &full, options.cached, must_exist).await?;
        let mut attempt = 0;
        loop {
            attempt += 1;
            if let Some(obj) = &state.object
                && let Err(e) = options.preconditions.check(&full, obj)
            {
                if current {
                    return Err(e);
                }
                state = self.read_existing(ctx, &full, must_exist).await?;
                current = true;
                continue;
            }
            let changed = match change(state.object.clone(), attempt).await {
                Ok(c) => c,
                Err(e) if current => return Err(e),
                Err(e) => {
                    // The cached object may have been behind: only an error that stays is real.
                    let old = state.revision;
                    state = self.read_existing(ctx, &full, must_exist).await?;
                    current = true;
                    if state.revision == old {
                        return Err(e);
                    }
                    continue;
                }
            };
            let span = self.env.station(ctx, Station::Storage).await;
            span.note("operation", "GuaranteedUpdate");
            span.note("key", full.as_str());
            span.note("attempt", attempt.to_string());
            span.note("expected mod_revision", state.revision.to_string());
            let inner = span.inside(ctx);
            let data = self.serialize(inner, &changed.object).await;
            if !state.stale && data == state.data {
                if !current {
                    state = self.read_existing(inner, &full, must_exist).await?;
                    current = true;
                    if data != state.data {
                        span.note("result", "the cached object was behind");
                        continue;
                    }
                }
                if !state.stale {
                    span.note("result", "nothing to write");
                    return self.decode(&state.data, state.revision);
                }
            }
            let lease = self.leases.get(&self.env, &self.client, inner, changed.ttl).await?;
            let value = self.seal(inner, &full, &data).await;
            let req = txn::update(&full.clone().into_bytes().into(), state.revision, value, lease);
            let resp = self.transact(inner, "update", req).await?;
            if resp.succeeded {
                let revision = txn::revision(&resp);
                span.note("resourceVersion", revision.to_string());
                return self.decode(&data, revision);
            }
            span.note("result", "another write came first");
            state = match txn::read_back(&resp) {
                Some(kv) => self.open(&kv)?,
                None if must_exist => return Err(StorageError::KeyNotFound { key: full }),
                None => State::absent(),
            };
            current = true;
        }
    }
}
