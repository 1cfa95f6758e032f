//! Delete: remove the key if nobody wrote it since it was checked.

use super::{Preconditions, State, StorageError, Store, txn};
use crate::env::Note;
use crate::object::Object;
use sim::{Ctx, Station};
use std::rc::Rc;

impl Store {
    /// Removes the object at `key`; `validate` may refuse (admission). The answer is the last state with the
    /// resourceVersion of the deletion.
    pub async fn delete(
        &self,
        ctx: Option<Ctx>,
        key: &str,
        preconditions: &Preconditions,
        cached: Option<Rc<Object>>,
        mut validate: impl AsyncFnMut(Rc<Object>) -> Result<(), StorageError>,
    ) -> Result<Object, StorageError> {
        let full = self.prepare(key)?;
        let mut current = cached.is_none();
        let mut state = match cached {
            Some(obj) => {
                let revision = i64::try_from(obj.resource_version()).unwrap_or(0);
                State { object: Some(obj), revision, ..State::absent() }
            }
            None => self.read_existing(ctx, &full, true).await?,
        };
        loop {
            let Some(obj) = state.object.clone() else {
                return Err(StorageError::KeyNotFound { key: full });
            };
            let checked = match preconditions.check(&full, &obj) {
                Ok(()) => validate(obj.clone()).await,
                Err(e) => Err(e),
            };
            if let Err(e) = checked {
                if current {
                    return Err(e);
                }
                let old = state.revision;
                state = self.read_existing(ctx, &full, true).await?;
                current = true;
                if state.revision == old {
                    return Err(e);
                }
                continue;
            }
            let span = self.env.station(ctx, Station::Storage).await;
            span.note("operation", "Delete");
            span.note("key", full.as_str());
            span.note("expected mod_revision", state.revision.to_string());
            let req = txn::delete(&full.clone().into_bytes().into(), state.revision);
            let resp = self.transact(span.inside(ctx), "delete", req).await?;
            if resp.succeeded {
                let revision = txn::revision(&resp);
                span.note("resourceVersion", revision.to_string());
                let mut last = (*obj).clone();
                last.set_resource_version(revision);
                return Ok(last);
            }
            span.note("result", "another write came first");
            state = match txn::read_back(&resp) {
                Some(kv) => self.open(&kv)?,
                None => return Err(StorageError::KeyNotFound { key: full }),
            };
            current = true;
        }
    }
}
