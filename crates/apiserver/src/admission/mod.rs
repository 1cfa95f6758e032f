//! Admission: the plugins that are on by default, in the original's order. Mutating ones change the object before the
//! strategy, validating ones look at it just before it is stored.

mod limits;
mod namespace;
mod pods;
mod quota;
mod serviceaccount;
mod storage;

use crate::authn::User;
use crate::env::Note;
use crate::errors::ApiError;
use crate::object::Object;
use crate::server::Server;
use bytes::Bytes;
use sim::{Ctx, Station};
use std::rc::Rc;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// POST
    Create,
    /// PUT, PATCH
    Update,
    /// DELETE
    Delete,
}

/// What the plugins know of a request.
#[derive(Clone, Debug)]
pub struct Attributes {
    /// What is being done.
    pub verb: Verb,
    /// API group.
    pub group: String,
    /// Plural name.
    pub resource: String,
    /// Kind.
    pub kind: String,
    /// As `status`, or empty.
    pub subresource: String,
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// Empty if it is not known yet.
    pub name: String,
    /// Who asks.
    pub user: User,
    /// Everything but the write.
    pub dry_run: bool,
}

impl Attributes {
    /// Whether it is about this resource of the core group.
    fn core(&self, resource: &str) -> bool {
        self.group.is_empty() && self.resource == resource
    }
}

/// How a plugin stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modelled {
    /// It does its work.
    Yes,
    /// It lets everything pass here.
    PassThrough,
}

/// Name, on by default, mutates, validates, modelled; in order of execution.
pub const PLUGINS: &[(&str, bool, bool, bool, Modelled)] = &[
    ("AlwaysAdmit", false, true, true, Modelled::PassThrough),
    ("NamespaceAutoProvision", false, true, false, Modelled::PassThrough),
    ("NamespaceLifecycle", true, true, false, Modelled::Yes),
    ("NamespaceExists", false, false, true, Modelled::PassThrough),
    ("LimitPodHardAntiAffinityTopology", false, false, true, Modelled::PassThrough),
    ("LimitRanger", true, true, true, Modelled::Yes),
    ("ServiceAccount", true, true, true, Modelled::Yes),
    ("NodeRestriction", false, true, false, Modelled::PassThrough),
    ("TaintNodesByCondition", true, true, false, Modelled::Yes),
    ("AlwaysPullImages", false, true, true, Modelled::PassThrough),
    ("ImagePolicyWebhook", false, false, true, Modelled::PassThrough),
    ("PodSecurity", true, false, true, Modelled::PassThrough),
    ("PodNodeSelector", false, true, true, Modelled::PassThrough),
    ("Priority", true, true, true, Modelled::Yes),
    ("DefaultTolerationSeconds", true, true, false, Modelled::Yes),
    ("PodTolerationRestriction", false, true, true, Modelled::PassThrough),
    ("EventRateLimit", false, false, true, Modelled::PassThrough),
    ("ExtendedResourceToleration", false, true, false, Modelled::PassThrough),
    ("DefaultStorageClass", true, true, false, Modelled::Yes),
    ("StorageObjectInUseProtection", true, true, false, Modelled::Yes),
    ("PodGroupProtection", true, true, false, Modelled::PassThrough),
    ("OwnerReferencesPermissionEnforcement", false, false, true, Modelled::PassThrough),
    ("PersistentVolumeClaimResize", true, false, true, Modelled::PassThrough),
    ("RuntimeClass", true, true, true, Modelled::PassThrough),
    ("CertificateApproval", true, false, true, Modelled::PassThrough),
    ("CertificateSigning", true, false, true, Modelled::PassThrough),
    ("ClusterTrustBundleAttest", true, false, true, Modelled::PassThrough),
    ("CertificateSubjectRestriction", true, false, true, Modelled::PassThrough),
    ("DefaultIngressClass", true, true, false, Modelled::PassThrough),
    ("DenyServiceExternalIPs", false, false, true, Modelled::PassThrough),
    ("PodTopologyLabels", true, true, false, Modelled::PassThrough),
    ("PodGroupWorkloadExists", true, false, true, Modelled::PassThrough),
    ("NodeDeclaredFeatureValidator", true, false, true, Modelled::PassThrough),
    ("JobValidation", true, false, true, Modelled::PassThrough),
    ("PodResizeValidator", true, false, true, Modelled::PassThrough),
    ("MutatingAdmissionPolicy", true, true, false, Modelled::PassThrough),
    ("MutatingAdmissionWebhook", true, true, false, Modelled::PassThrough),
    ("ValidatingAdmissionPolicy", true, false, true, Modelled::PassThrough),
    ("ValidatingAdmissionWebhook", true, false, true, Modelled::PassThrough),
    ("ResourceQuota", true, false, true, Modelled::Yes),
    ("AlwaysDeny", false, true, true, Modelled::PassThrough),
];

/// Names of all plugins.
pub const NAMES: [&str; 41] = {
    let mut names = [""; 41];
    let mut i = 0;
    while i < 41 {
        names[i] = PLUGINS[i].0;
        i += 1;
    }
    names
};

fn enabled(server: &Server, name: &str, default: bool) -> bool {
    let flags = &server.env.flags;
    if flags.disable_admission_plugins.contains(name) {
        return false;
    }
    default || flags.enable_admission_plugins.contains(name)
}

/// The mutating phase: station *mutate*.
pub async fn mutate(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    obj: &mut Object,
    old: Option<&Object>,
    attempt: u32,
) -> Result<(), ApiError> {
    let span = server.env.station(ctx, Station::Mutate).await;
    span.note("attempt", attempt.to_string());
    span.came(|| obj.to_text().into());
    for (name, default, mutates, _, modelled) in PLUGINS {
        if !mutates || !enabled(server, name, *default) {
            continue;
        }
        if *modelled == Modelled::PassThrough {
            span.note("passed", *name);
            continue;
        }
        let before = span.is_some().then(|| obj.clone());
        let result = match *name {
            "NamespaceLifecycle" => namespace::lifecycle(server, ctx, a).await,
            "LimitRanger" => limits::mutate(server, a, obj),
            "ServiceAccount" => serviceaccount::mutate(server, ctx, a, obj).await,
            "TaintNodesByCondition" => pods::taint_node(a, obj),
            "Priority" => pods::priority(server, ctx, a, obj).await,
            "DefaultTolerationSeconds" => pods::tolerations(a, obj),
            "DefaultStorageClass" => storage::default_class(server, a, obj),
            "StorageObjectInUseProtection" => storage::protect(a, obj),
            _ => Ok(()),
        };
        match (&result, before) {
            (Err(e), _) => {
                span.note("refused by", format!("{name}: {}", e.message));
                return result;
            }
            (Ok(()), Some(b)) if b != *obj => span.note("changed by", *name),
            (Ok(()), _) => span.note("passed", *name),
        }
    }
    let _ = old;
    span.went(|| obj.to_text().into());
    Ok(())
}

/// The validating phase: station *admit*. For a deletion only the old object is given.
pub async fn validate(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    obj: Option<&Object>,
    old: Option<&Object>,
) -> Result<(), ApiError> {
    let span = server.env.station(ctx, Station::Admit).await;
    span.came(|| obj.or(old).map_or_else(Bytes::new, |o| o.to_text().into()));
    for (name, default, _, validates, modelled) in PLUGINS {
        if !validates || !enabled(server, name, *default) {
            continue;
        }
        if *modelled == Modelled::PassThrough {
            span.note("passed", *name);
            continue;
        }
        let result = match (*name, obj) {
            ("LimitRanger", Some(obj)) => limits::validate(server, a, obj),
            ("ServiceAccount", Some(obj)) => serviceaccount::validate(server, ctx, a, obj).await,
            ("Priority", Some(obj)) => pods::validate_priority(server, a, obj),
            ("ResourceQuota", Some(obj)) => quota::validate(server, ctx, a, obj).await,
            _ => Ok(()),
        };
        if let Err(e) = result {
            span.note("refused by", format!("{name}: {}", e.message));
            return Err(e);
        }
        span.note("passed", *name);
    }
    Ok(())
}

/// Whether an object of the core group exists, in the cache or in etcd.
pub(crate) async fn find(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    group: &str,
    resource: &str,
    namespace: &str,
    name: &str,
) -> Option<Rc<Object>> {
    let registry = server.registry(group, resource)?;
    let key = registry.key(namespace, name).ok()?;
    if let Some(found) = registry.cacher.as_ref().filter(|c| c.ready()).and_then(|c| c.peek(&key)) {
        return Some(found);
    }
    registry.store.get(ctx, &key).await.ok().flatten()
}

/// Everything of a resource in a namespace, as the cache has it.
pub(crate) fn all(server: &Rc<Server>, group: &str, resource: &str, namespace: &str) -> Vec<Rc<Object>> {
    let Some(registry) = server.registry(group, resource) else { return Vec::new() };
    let root = registry.root(namespace);
    registry.cacher.as_ref().map(|c| c.peek_all(&root)).unwrap_or_default()
}
