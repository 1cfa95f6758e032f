//! `storage.Interface` on etcd: Create, Delete, Get, GetList, Watch, GuaranteedUpdate of one resource.
//!
//! ```text
//!   object ─ convert ─ codec ─ transformer ─ client txn ─▶ etcd        resourceVersion = mod_revision, never stored
//! ```
//!
//! Keys here are without the path prefix (`/pods/default/web`), as the watch cache has them; [`Store::full`] adds it.

mod codec;
pub mod continue_token;
mod create;
mod delete;
mod error;
mod lease;
mod list;
mod txn;
mod update;
mod watch;

pub use codec::Codec;
pub use error::{Operation, StorageError, etcd_text, is_compacted, is_too_large};
pub use lease::LeaseManager;
pub use list::{Item, ListOptions, ListResult, Predicate, ReadAt};
pub use txn::prefix_end;
pub use update::{Changed, Preconditions, UpdateOptions};
pub use watch::{EventType, StorageWatch, StoredEvent};

use crate::env::{Env, Note};
use crate::object::Object;
use bytes::Bytes;
use etcd::Client;
use seal::{Direction, Operation as SealStep, TransformerMap};
use sim::{Ctx, Station, Time};
use std::cell::RefCell;
use std::rc::Rc;
use wire::etcdserverpb::{RangeRequest, TxnRequest, TxnResponse};
use wire::mvccpb::KeyValue;
use wire::rpc::Status;

/// Transformers of all resources; replaced as a whole when the configuration is loaded again.
pub type Seals = Rc<RefCell<TransformerMap>>;

/// The storage of one resource.
pub struct Store {
    /// Shared handles.
    pub env: Env,
    /// etcd's client.
    pub client: Client,
    /// API group, for labels and errors.
    pub group: String,
    /// Plural name.
    pub resource: String,
    /// `/registry`, or what `--etcd-prefix` says.
    pub path_prefix: String,
    /// `/pods`
    pub resource_prefix: String,
    /// How objects are stored.
    pub codec: Codec,
    /// Transformers of all resources.
    pub seals: Seals,
    /// Leases for objects with a TTL.
    pub leases: LeaseManager,
}

/// One object as read from etcd.
#[derive(Clone, Debug)]
pub struct State {
    /// The object with its resourceVersion; `None` if the key does not exist.
    pub object: Option<Rc<Object>>,
    /// mod_revision; 0 if the key does not exist.
    pub revision: i64,
    /// The serialized bytes, before the transformer.
    pub data: Bytes,
    /// Not written by the first provider and key.
    pub stale: bool,
}

impl State {
    fn absent() -> State {
        State { object: None, revision: 0, data: Bytes::new(), stale: false }
    }
}

impl Store {
    /// The etcd key.
    pub fn full(&self, key: &str) -> String {
        format!("{}{key}", self.path_prefix)
    }

    /// Checks a key and gives the etcd key.
    fn prepare(&self, key: &str) -> Result<String, StorageError> {
        let other = |text: String| Err(StorageError::Other(text));
        if key.is_empty() || key == "/" {
            return other(format!("empty key: {key:?}"));
        }
        if key.split('/').any(|p| p == "." || p == "..") {
            return other(format!("invalid key: {key:?}"));
        }
        let below = key.strip_prefix(&self.resource_prefix).is_some_and(|r| r.starts_with('/'));
        if !below {
            return other(format!("invalid key: {key:?} lacks resource prefix: {:?}", self.resource_prefix));
        }
        Ok(self.full(key))
    }

    fn labels(&self, operation: &str) -> crate::metrics::Labels {
        vec![
            ("operation", operation.to_owned()),
            ("group", self.group.clone()),
            ("resource", self.resource.clone()),
        ]
    }

    /// Counts and times one etcd request.
    fn measured<T>(&self, operation: &str, start: Time, result: &Result<T, Status>) {
        let m = &self.env.metrics;
        m.inc("etcd_requests_total", self.labels(operation));
        if result.is_err() {
            m.inc("etcd_request_errors_total", self.labels(operation));
        }
        let took = self.env.sim.now().since(start);
        m.observe_duration("etcd_request_duration_seconds", self.labels(operation), took);
    }

    fn count_seals(&self, steps: &[SealStep]) {
        let resource = crate::errors::qualified(&self.group, &self.resource);
        for s in steps {
            let direction = match s.direction {
                Direction::FromStorage => "from_storage",
                Direction::ToStorage => "to_storage",
            };
            let status = if s.ok { "OK" } else { "unknown-non-grpc" };
            self.env.metrics.inc(
                "apiserver_storage_transformation_operations_total",
                vec![
                    ("resource", resource.clone()),
                    ("status", status.to_owned()),
                    ("transformation_type", direction.to_owned()),
                    ("transformer_prefix", s.prefix.clone()),
                ],
            );
        }
    }

    /// Object to serialized bytes: stations *convert* and *codec*.
    async fn serialize(&self, ctx: Option<Ctx>, obj: &Object) -> Bytes {
        let span = self.env.station(ctx, Station::Convert).await;
        span.came(|| obj.to_text().into());
        let stored = self.codec.to_storage_version(obj);
        span.note("storageVersion", self.codec.stored().api_version());
        let changed = obj.gvk() != *self.codec.stored();
        span.note("conversion", if changed { "other version" } else { "same version" });
        span.went(|| stored.to_text().into());
        drop(span);
        let span = self.env.station(ctx, Station::Codec).await;
        span.came(|| stored.to_text().into());
        let data: Bytes = self.codec.encode(&stored).into();
        span.note("mediaType", media_type(&data));
        span.note("bytes", data.len().to_string());
        span.went(|| data.clone());
        data
    }

    /// Serialized bytes to stored bytes: the station *transformer*.
    async fn seal(&self, ctx: Option<Ctx>, key: &str, data: &Bytes) -> Bytes {
        let span = self.env.station(ctx, Station::Transformer).await;
        span.came(|| data.clone());
        let transformer = self.seals.borrow().lookup(&self.group, &self.resource);
        let rng = self.env.rng("iv");
        let sealed = transformer.seal(data, key.as_bytes(), &mut |out| rng.fill(out));
        self.count_seals(&sealed.operations);
        let prefix = transformer.write_prefix();
        span.note("transformer", if prefix.is_empty() { "identity".to_owned() } else { prefix });
        span.note("key", key);
        let out: Bytes = if sealed.data == *data { data.clone() } else { sealed.data.into() };
        span.went(|| out.clone());
        out
    }

    /// Stored bytes to an object. Errors are the transformer's and the codec's texts.
    pub fn open(&self, kv: &KeyValue) -> Result<State, StorageError> {
        let transformer = self.seals.borrow().lookup(&self.group, &self.resource);
        let (data, stale) = if transformer.is_chain() || kv.value.starts_with(b"k8s:enc:") {
            let opened = transformer.open(&kv.value, &kv.key);
            self.count_seals(&opened.operations);
            let (plain, stale) = opened.result.map_err(|e| StorageError::Internal(e.to_string()))?;
            (if kv.value == plain { kv.value.clone() } else { plain.into() }, stale)
        } else {
            (kv.value.clone(), false)
        };
        let object = self.decode(&data, kv.mod_revision)?;
        Ok(State { object: Some(Rc::new(object)), revision: kv.mod_revision, data, stale })
    }

    /// Serialized bytes to an object with its resourceVersion.
    fn decode(&self, data: &[u8], revision: i64) -> Result<Object, StorageError> {
        match self.codec.decode(data) {
            Ok(mut object) => {
                object.set_resource_version(revision);
                Ok(object)
            }
            Err(text) => {
                self.env.metrics.inc(
                    "apiserver_storage_decode_errors_total",
                    crate::metrics::group_resource(&self.group, &self.resource),
                );
                Err(StorageError::Other(text))
            }
        }
    }

    /// One range on one key.
    async fn read(&self, ctx: Option<Ctx>, key: &str) -> Result<State, StorageError> {
        let req =
            RangeRequest { key: Bytes::copy_from_slice(key.as_bytes()), limit: 1, ..RangeRequest::default() };
        let start = self.env.sim.now();
        let result = self.client.range(ctx, req).await;
        self.measured("get", start, &result);
        match result?.kvs.first() {
            Some(kv) => self.open(kv),
            None => Ok(State::absent()),
        }
    }

    /// One transaction: the station *client txn*, with the request's and the answer's bytes.
    async fn transact(
        &self,
        ctx: Option<Ctx>,
        operation: &str,
        req: TxnRequest,
    ) -> Result<TxnResponse, Status> {
        use prost::Message;
        let span = self.env.station(ctx, Station::ClientTxn).await;
        span.note("operation", operation);
        span.came(|| req.encode_to_vec().into());
        let start = self.env.sim.now();
        let result = self.client.txn(span.inside(ctx), req).await;
        self.measured(operation, start, &result);
        match &result {
            Ok(resp) => {
                span.note("succeeded", resp.succeeded.to_string());
                span.note("revision", txn::revision(resp).to_string());
                span.went(|| resp.encode_to_vec().into());
            }
            Err(status) => span.note("error", etcd_text(status)),
        }
        result
    }

    /// `Get`.
    pub async fn get(&self, ctx: Option<Ctx>, key: &str) -> Result<Option<Rc<Object>>, StorageError> {
        let full = self.prepare(key)?;
        Ok(self.read(ctx, &full).await?.object)
    }

    /// The store's present revision, learnt from a key that never exists.
    pub async fn current_revision(&self, ctx: Option<Ctx>) -> Result<i64, StorageError> {
        let key = self.full(&self.resource_prefix).into_bytes().into();
        let start = self.env.sim.now();
        let result = self.client.range(ctx, RangeRequest { key, ..RangeRequest::default() }).await;
        self.measured("get", start, &result);
        Ok(result?.header.map_or(0, |h| h.revision))
    }

    /// Number of objects.
    pub async fn count(&self) -> Result<i64, StorageError> {
        let prefix = self.full(&format!("{}/", self.resource_prefix));
        let req = RangeRequest {
            range_end: prefix_end(&prefix),
            key: prefix.into_bytes().into(),
            count_only: true,
            ..RangeRequest::default()
        };
        let start = self.env.sim.now();
        let result = self.client.range(None, req).await;
        self.measured("listWithCount", start, &result);
        Ok(result?.count)
    }
}

/// The media type of serialized bytes, by their first ones.
pub fn media_type(data: &[u8]) -> &'static str {
    if data.starts_with(b"k8s\0") {
        "application/vnd.kubernetes.protobuf"
    } else if data.first() == Some(&b'{') {
        "application/json"
    } else {
        "application/yaml"
    }
}
