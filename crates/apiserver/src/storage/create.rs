//! Create: put if the key does not exist.

use super::{StorageError, Store, txn};
use crate::env::Note;
use crate::object::Object;
use sim::{Ctx, Station};

impl Store {
    /// Stores a new object; `ttl` in seconds, 0 for none. The answer is the stored object with its resourceVersion.
    pub async fn create(
        &self,
        ctx: Option<Ctx>,
        key: &str,
        obj: &Object,
        ttl: i64,
    ) -> Result<Object, StorageError> {
        if obj.resource_version() != 0 {
            return Err(StorageError::Other(
                "resourceVersion should not be set on objects to be created".to_owned(),
            ));
        }
        let full = self.prepare(key)?;
        let span = self.env.station(ctx, Station::Storage).await;
        span.note("operation", "Create");
        span.note("key", full.as_str());
        let inner = span.inside(ctx);
        let data = self.serialize(inner, obj).await;
        let lease = self.leases.get(&self.env, &self.client, inner, ttl).await?;
        let value = self.seal(inner, &full, &data).await;
        let req = txn::create(&full.clone().into_bytes().into(), value, lease);
        let resp = self.transact(inner, "create", req).await?;
        if !resp.succeeded {
            span.note("result", "the key exists");
            return Err(StorageError::KeyExists { key: full });
        }
        let revision = txn::revision(&resp);
        span.note("resourceVersion", revision.to_string());
        self.decode(&data, revision)
    }
}
