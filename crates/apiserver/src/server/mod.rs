//! The server: starts, listens, keeps the registries of all resources.

mod chain;
mod conn;
mod discovery;
mod nonresource;
mod routes;

pub use discovery::GroupVersions;

use crate::authn::Authenticator;
use crate::cacher::{CacheView, Cacher};
use crate::crd::Crd;
use crate::env::Env;
use crate::errors::ApiError;
use crate::files::Files;
use crate::flags::Flags;
use crate::handlers::Scope;
use crate::metrics::Metrics;
use crate::object::Object;
use crate::registry::{Info, Registry};
use crate::request::RequestInfo;
use crate::storage::{Codec, LeaseManager, Seals, Store};
use etcd::Client;
use kube::catalog::{self, Gvk, Resource, StorageForm};
use seal::{EncryptionConfiguration, TransformerMap};
use sim::{Process, Sim};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One API server.
pub struct Server {
    /// Shared handles.
    pub env: Env,
    /// etcd's client.
    pub client: Client,
    /// Who may send requests.
    pub authenticator: Authenticator,
    /// Storage of the node-port bitmap.
    pub node_ports: Rc<Store>,
    /// Transformers of all resources.
    pub seals: Seals,
    /// Files that flags name.
    pub files: Rc<dyn Files>,
    registries: RefCell<BTreeMap<(String, String), Rc<Registry>>>,
    crds: RefCell<BTreeMap<String, Rc<Crd>>>,
    /// Post-start hooks that are done.
    pub(crate) hooks: RefCell<BTreeMap<&'static str, bool>>,
    pub(crate) etcd_checked: Cell<bool>,
    pub(crate) inflight: Cell<(i64, i64)>,
}

/// A running API server.
pub struct ApiServerHandle {
    server: Rc<Server>,
}

/// Starts API servers.
pub struct ApiServer;

impl ApiServer {
    /// Starts an API server in `process`, listening on the flags' secure port at 127.0.0.1 of the simulated network.
    /// `endpoints` overrides `--etcd-servers` unless it is empty. The error is what the original prints before it exits.
    pub fn start(
        sim: &Sim,
        process: Process,
        endpoints: Vec<String>,
        flags: Flags,
        files: Rc<dyn Files>,
    ) -> Result<ApiServerHandle, String> {
        let map = load_encryption(&flags, &*files)?;
        let token_file = match flags.token_auth_file.as_str() {
            "" => None,
            path => {
                let bytes =
                    files.read(path).ok_or_else(|| format!("open {path}: no such file or directory"))?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        };
        let authenticator = Authenticator::new(token_file.as_deref(), flags.anonymous_auth)?;
        let endpoints = if endpoints.is_empty() { flags.etcd_servers.clone() } else { endpoints };
        let client = Client::new(sim, &process, endpoints);
        let env = Env {
            sim: sim.clone(),
            process: process.clone(),
            metrics: Metrics::default(),
            flags: Rc::new(flags),
        };
        let seals: Seals = Rc::new(RefCell::new(map));
        let ports = Codec::Typed {
            hub: Gvk::new("", "v1", "RangeAllocation"),
            stored: Gvk::new("", "v1", "RangeAllocation"),
            media: env.flags.storage_media_type,
        };
        let node_ports = Rc::new(Store {
            env: env.clone(),
            client: client.clone(),
            group: String::new(),
            resource: "servicenodeportallocations".into(),
            path_prefix: env.flags.etcd_prefix.clone(),
            resource_prefix: "/ranges".into(),
            codec: ports,
            // Server-internal keys are never sealed.
            seals: Rc::new(RefCell::new(TransformerMap::none())),
            leases: LeaseManager::default(),
        });
        let server = Rc::new(Server {
            authenticator,
            node_ports,
            seals,
            files,
            registries: RefCell::default(),
            crds: RefCell::default(),
            hooks: RefCell::default(),
            etcd_checked: Cell::new(false),
            inflight: Cell::new((0, 0)),
            client,
            env,
        });
        server.install();
        let listener = sim.net().listen(&process, &format!("127.0.0.1:{}", server.env.flags.secure_port));
        process.spawn(conn::accept(server.clone(), listener));
        crate::controlplane::start(&server);
        Ok(ApiServerHandle { server })
    }
}

/// Reads the encryption configuration that the flags name.
pub(crate) fn load_encryption(flags: &Flags, files: &dyn Files) -> Result<TransformerMap, String> {
    let path = flags.encryption_provider_config.as_str();
    if path.is_empty() {
        return Ok(TransformerMap::none());
    }
    let reload = flags.encryption_provider_config_automatic_reload;
    let config = EncryptionConfiguration::load(path, files.read(path).as_deref(), reload);
    config.and_then(|c| TransformerMap::build(&c)).map_err(|e| e.to_string())
}

impl ApiServerHandle {
    /// Whether `/readyz` says ok.
    pub fn ready(&self) -> bool {
        self.server.ready()
    }

    /// Checks that `/readyz` has not passed yet, by name.
    pub fn not_ready(&self) -> Vec<String> {
        nonresource::failing(&self.server)
    }

    /// The metrics.
    pub fn metrics(&self) -> Metrics {
        self.server.env.metrics.clone()
    }

    /// The watch caches now, each with at most `events` of its newest events.
    pub fn watch_caches(&self, events: usize) -> Vec<CacheView> {
        self.server
            .registries
            .borrow()
            .values()
            .filter_map(|r| r.cacher.as_ref())
            .map(|c| c.view(events))
            .collect()
    }

    /// The watch cache of one resource.
    pub fn watch_cache(&self, group: &str, resource: &str, events: usize) -> Option<CacheView> {
        let registry = self.server.registry(group, resource)?;
        registry.cacher.as_ref().map(|c| c.view(events))
    }

    /// The server itself.
    pub fn server(&self) -> Rc<Server> {
        self.server.clone()
    }
}

impl Server {
    /// Makes the registries of all built-in resources.
    fn install(self: &Rc<Server>) {
        for r in catalog::enabled() {
            if r.storage_form == StorageForm::None {
                continue;
            }
            // Events of both groups are one resource in the storage.
            let group = if r.resource == "events" { "" } else { r.group.as_str() };
            let key = (group.to_owned(), r.resource.clone());
            if self.registries.borrow().contains_key(&key) {
                continue;
            }
            if let Some(registry) = self.built_in(r, group) {
                self.registries.borrow_mut().insert(key, Rc::new(registry));
            }
        }
    }

    fn built_in(&self, r: &'static Resource, group: &str) -> Option<Registry> {
        let stored = r.storage_gvk()?;
        let hub = if r.resource == "events" {
            Gvk::new("", "v1", "Event")
        } else {
            // The preferred served version is the one the server works with.
            catalog::enabled().find(|x| x.group == r.group && x.resource == r.resource)?.gvk()
        };
        let media = match r.storage_form {
            StorageForm::Json => crate::flags::MediaType::Json,
            _ => self.env.flags.storage_media_type,
        };
        let prefix = r.etcd_prefix.trim_end_matches('/');
        let resource_prefix = prefix.strip_prefix("/registry").unwrap_or(prefix).to_owned();
        let store = Rc::new(Store {
            env: self.env.clone(),
            client: self.client.clone(),
            group: group.to_owned(),
            resource: r.resource.clone(),
            path_prefix: self.env.flags.etcd_prefix.clone(),
            resource_prefix,
            codec: Codec::Typed { hub: hub.clone(), stored, media },
            seals: self.seals.clone(),
            leases: LeaseManager::default(),
        });
        let qualified = crate::errors::qualified(group, &r.resource);
        let cached = self.env.flags.watch_cache
            && !(group.is_empty() && r.resource == "events")
            && !self.env.flags.uncached.contains(&qualified);
        Some(Registry {
            env: self.env.clone(),
            info: Info {
                group: group.to_owned(),
                resource: r.resource.clone(),
                hub,
                namespaced: r.namespaced,
            },
            cacher: cached.then(|| Cacher::start(store.clone())),
            store,
            crd: None,
        })
    }

    /// The registry of a resource, built in or custom.
    pub fn registry(&self, group: &str, resource: &str) -> Option<Rc<Registry>> {
        let group = if group == "events.k8s.io" && resource == "events" { "" } else { group };
        self.registries.borrow().get(&(group.to_owned(), resource.to_owned())).cloned()
    }

    /// All registries.
    pub fn registries(&self) -> Vec<Rc<Registry>> {
        self.registries.borrow().values().cloned().collect()
    }

    /// All served definitions of custom resources.
    pub fn crds(&self) -> Vec<Rc<Crd>> {
        self.crds.borrow().values().cloned().collect()
    }

    /// What a request is about.
    ///
    /// # Errors
    /// 404 for a resource that is not served.
    pub fn scope(&self, info: &RequestInfo) -> Result<Scope, ApiError> {
        let built_in = catalog::enabled()
            .find(|r| r.group == info.group && r.version == info.version && r.resource == info.resource);
        if let Some(r) = built_in {
            if !info.namespace.is_empty() && !r.namespaced && info.resource != "namespaces" {
                return Err(ApiError::no_such_resource());
            }
            if info.namespace.is_empty()
                && r.namespaced
                && !["list", "watch", "create"].contains(&info.verb.as_str())
            {
                return Err(ApiError::no_such_resource());
            }
            let registry = self.registry(&r.group, &r.resource).ok_or_else(ApiError::no_such_resource)?;
            let (sub_gvk, verbs) = match info.subresource.as_str() {
                "" => (None, r.verbs.clone()),
                sub => {
                    let s = r.subresource(sub).ok_or_else(ApiError::no_such_resource)?;
                    (s.kind.clone(), s.verbs.clone())
                }
            };
            return Ok(Scope { registry, gvk: r.gvk(), sub_gvk, verbs });
        }
        let registry = self.registry(&info.group, &info.resource).ok_or_else(ApiError::no_such_resource)?;
        let crd = registry.crd.clone().ok_or_else(ApiError::no_such_resource)?;
        let version = crd.served(&info.version).ok_or_else(ApiError::no_such_resource)?;
        if crd.namespaced == info.namespace.is_empty()
            && !(crd.namespaced && ["list", "watch"].contains(&info.verb.as_str()))
        {
            return Err(ApiError::no_such_resource());
        }
        let verbs: &[&str] = match info.subresource.as_str() {
            "" => &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            "status" if version.status => &["get", "patch", "update"],
            "scale" if !version.scale.is_null() => &["get", "patch", "update"],
            _ => return Err(ApiError::no_such_resource()),
        };
        Ok(Scope {
            gvk: Gvk::new(&crd.group, &info.version, &crd.kind),
            sub_gvk: (info.subresource == "scale").then(|| Gvk::new("autoscaling", "v1", "Scale")),
            verbs: verbs.iter().map(|v| (*v).to_owned()).collect(),
            registry,
        })
    }

    /// Serves, or stops to serve, the resources of a definition.
    pub(crate) fn set_crd(&self, name: &str, crd: Option<Crd>) {
        let old = self.crds.borrow_mut().remove(name);
        let unchanged = match (&old, &crd) {
            (Some(a), Some(b)) => **a == *b,
            _ => false,
        };
        if unchanged {
            if let Some(o) = old {
                self.crds.borrow_mut().insert(name.to_owned(), o);
            }
            return;
        }
        if let Some(o) = old {
            let gone = self.registries.borrow_mut().remove(&(o.group.clone(), o.plural.clone()));
            if let Some(c) = gone.and_then(|r| r.cacher.clone()) {
                c.stop();
            }
        }
        let Some(crd) = crd else { return };
        let crd = Rc::new(crd);
        let info = crd.info();
        let store = Rc::new(Store {
            env: self.env.clone(),
            client: self.client.clone(),
            group: crd.group.clone(),
            resource: crd.plural.clone(),
            path_prefix: self.env.flags.etcd_prefix.clone(),
            resource_prefix: format!("/{}/{}", crd.group, crd.plural),
            codec: Codec::Custom { stored: info.hub.clone() },
            seals: self.seals.clone(),
            leases: LeaseManager::default(),
        });
        let registry = Registry {
            env: self.env.clone(),
            cacher: self.env.flags.watch_cache.then(|| Cacher::start(store.clone())),
            store,
            crd: Some(crd.clone()),
            info,
        };
        self.registries.borrow_mut().insert((crd.group.clone(), crd.plural.clone()), Rc::new(registry));
        self.crds.borrow_mut().insert(name.to_owned(), crd);
    }

    /// After a create.
    pub async fn created(self: &Rc<Server>, scope: &Scope, obj: &Object) {
        self.changed(scope, obj);
    }

    /// After an update.
    pub async fn updated(self: &Rc<Server>, scope: &Scope, obj: &Object) {
        self.changed(scope, obj);
    }

    /// After a deletion.
    pub async fn deleted(self: &Rc<Server>, _scope: &Scope, _obj: &Object) {}

    fn changed(self: &Rc<Server>, _scope: &Scope, _obj: &Object) {}

    /// Whether `/readyz` says ok.
    pub fn ready(&self) -> bool {
        nonresource::failing(self).is_empty()
    }
}
