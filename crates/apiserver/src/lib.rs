//! The storage half of a kube-apiserver: REST over HTTP/1.1 text on the simulated network, a storage on etcd, a watch cache.
//!
//! ```text
//!   HTTP ─ authn ─ authz ─ decode ─ default ─ mutate ─ strategy ─ validate ─ admit
//!       ─ storage ─ convert ─ codec ─ transformer ─ client txn ─▶ etcd
//!   etcd watch ─ reflector ─ watch cache ─ client watcher ─▶ HTTP
//! ```
//!
//! Each station is a span of the request's trace with what came in, what went out and what was decided. For updates and
//! patches the stations from *mutate* to *admit* run inside GuaranteedUpdate, once per attempt.
//!
//! Not modelled here: defaulting, validation beyond names, strategic merge of lists (`machinery`). Not modelled here either, each
//! by name where it is met: TLS, server-side apply, webhooks and policies of admission, priority and
//! fairness, aggregated API servers, OpenAPI documents, exec, logs, proxy.

pub mod admission;
pub mod authn;
pub mod authz;
pub mod cacher;
pub mod client;
mod controlplane;
pub mod convert;
pub mod crd;
pub mod env;
pub mod errors;
pub mod files;
pub mod flags;
pub mod handlers;
mod machinery;
pub mod managedfields;
pub mod metrics;
pub mod negotiate;
pub mod object;
pub mod printers;
pub mod registry;
pub mod request;
pub mod selector;
pub mod server;
pub mod storage;

pub use files::{Files, NoFiles};
pub use flags::Flags;
pub use server::{ApiServer, ApiServerHandle};
