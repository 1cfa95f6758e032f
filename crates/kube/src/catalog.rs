//! The catalogue of built-in resources: which kinds exist, how they are named, where their keys lie in etcd.

use std::collections::BTreeMap;
use std::sync::OnceLock;

static DATA: &str = include_str!("../data/catalogue.tsv");

/// Group, version and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gvk {
    /// empty: core
    pub group: String,
    pub version: String,
    pub kind: String,
}

impl Gvk {
    pub fn new(group: &str, version: &str, kind: &str) -> Gvk {
        Gvk { group: group.into(), version: version.into(), kind: kind.into() }
    }
    /// From the two texts of an object: `apps/v1` and `Deployment`.
    pub fn from_api_version(api_version: &str, kind: &str) -> Gvk {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Gvk::new(group, version, kind)
    }
    /// `v1`, `apps/v1`
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

impl std::fmt::Display for Gvk {
    /// Go's form: `apps/v1, Kind=Deployment`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

/// Group, version and resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gvr {
    pub group: String,
    pub version: String,
    /// plural
    pub resource: String,
}

impl Gvr {
    pub fn new(group: &str, version: &str, resource: &str) -> Gvr {
        Gvr { group: group.into(), version: version.into(), resource: resource.into() }
    }
    /// `v1`, `apps/v1`
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
    /// `deployments.apps`, `pods`: as messages name a resource.
    pub fn group_resource(&self) -> String {
        if self.group.is_empty() {
            self.resource.clone()
        } else {
            format!("{}.{}", self.resource, self.group)
        }
    }
}

/// Media type of the stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageForm {
    /// what `--storage-media-type` says (default protobuf)
    Protobuf,
    /// always JSON
    Json,
    /// never stored
    None,
}

/// A subresource such as `pods/status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    pub name: String,
    pub verbs: Vec<String>,
    /// the kind it speaks, when it is not the parent's
    pub kind: Option<Gvk>,
}

/// One resource in one served version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub group: String,
    pub version: String,
    pub kind: String,
    /// plural
    pub resource: String,
    pub singular: String,
    pub short_names: Vec<String>,
    pub namespaced: bool,
    /// group of the stored form (differs for events.k8s.io)
    pub storage_group: String,
    /// version of the stored form; empty when never stored
    pub storage_version: String,
    pub storage_form: StorageForm,
    /// `/registry/pods/`; empty when never stored
    pub etcd_prefix: String,
    pub verbs: Vec<String>,
    pub subresources: Vec<Subresource>,
    pub categories: Vec<String>,
    /// served without `--runtime-config`
    pub enabled: bool,
    /// discovery order: higher first
    pub priority: u32,
}

impl Resource {
    pub fn gvk(&self) -> Gvk {
        Gvk::new(&self.group, &self.version, &self.kind)
    }
    pub fn gvr(&self) -> Gvr {
        Gvr::new(&self.group, &self.version, &self.resource)
    }
    /// `apps/v1`, `v1`
    pub fn api_version(&self) -> String {
        self.gvr().api_version()
    }
    /// The kind as it is stored; `None` when it is never stored.
    pub fn storage_gvk(&self) -> Option<Gvk> {
        (!self.storage_version.is_empty())
            .then(|| Gvk::new(&self.storage_group, &self.storage_version, &self.kind))
    }
    /// The etcd key of an object: `/registry/pods/default/web`.
    pub fn etcd_key(&self, namespace: &str, name: &str) -> String {
        if self.namespaced {
            format!("{}{namespace}/{name}", self.etcd_prefix)
        } else {
            format!("{}{name}", self.etcd_prefix)
        }
    }
    pub fn has_verb(&self, verb: &str) -> bool {
        self.verbs.iter().any(|v| v == verb)
    }
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|s| s.name == name)
    }
    /// Discovery's `storageVersionHash`: base64 of the first 8 bytes of SHA-256 of `group/version/kind` as stored;
    /// empty when never stored.
    pub fn storage_version_hash(&self) -> String {
        use sha2::{Digest, Sha256};
        match self.storage_gvk() {
            Some(g) => {
                let h = Sha256::digest(format!("{}/{}/{}", g.group, g.version, g.kind).as_bytes());
                crate::codec::base64_encode(&h[..8])
            }
            None => String::new(),
        }
    }
}

fn words(s: &str) -> Vec<String> {
    s.split(',').filter(|w| !w.is_empty()).map(str::to_string).collect()
}

fn load() -> Vec<Resource> {
    let mut out = Vec::new();
    for line in DATA.lines().filter(|l| !l.starts_with('#')) {
        let mut c = line.split('\t');
        let mut col = || c.next().unwrap_or("");
        let (group, version, kind, resource, singular) = (col(), col(), col(), col(), col());
        let short = words(col());
        let namespaced = col() == "1";
        let (storage_group, storage_version) = col().split_once('/').unwrap_or(("", ""));
        let storage_form = match col() {
            "protobuf" => StorageForm::Protobuf,
            "json" => StorageForm::Json,
            _ => StorageForm::None,
        };
        let etcd_prefix = col();
        let verbs = words(col());
        let categories = words(col());
        let subresources = col()
            .split(';')
            .filter(|s| !s.is_empty())
            .map(|s| {
                let mut p = s.splitn(3, ':');
                let name = p.next().unwrap_or("").to_string();
                let verbs = words(p.next().unwrap_or(""));
                let k = p.next().unwrap_or("");
                let kind = (!k.is_empty()).then(|| {
                    let mut g = k.splitn(3, '/');
                    Gvk::new(g.next().unwrap_or(""), g.next().unwrap_or(""), g.next().unwrap_or(""))
                });
                Subresource { name, verbs, kind }
            })
            .collect();
        out.push(Resource {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
            resource: resource.into(),
            singular: singular.into(),
            short_names: short,
            namespaced,
            storage_group: storage_group.into(),
            storage_version: storage_version.into(),
            storage_form,
            etcd_prefix: etcd_prefix.into(),
            verbs,
            subresources,
            categories,
            enabled: col() == "1",
            priority: col().parse().unwrap_or(0),
        });
    }
    // Discovery order: groups by priority, then name; versions as listed (the preferred first); resources by name.
    let mut order: BTreeMap<(String, String), usize> = BTreeMap::new();
    for r in &out {
        let n = order.len();
        order.entry((r.group.clone(), r.version.clone())).or_insert(n);
    }
    out.sort_by(|a, b| {
        let o = |r: &Resource| order[&(r.group.clone(), r.version.clone())];
        (b.priority.cmp(&a.priority))
            .then_with(|| a.group.cmp(&b.group))
            .then_with(|| b.enabled.cmp(&a.enabled))
            .then_with(|| o(a).cmp(&o(b)))
            .then_with(|| a.resource.cmp(&b.resource))
    });
    out
}

/// All resources in discovery order, those that are off by default included.
pub fn all() -> &'static [Resource] {
    static ALL: OnceLock<Vec<Resource>> = OnceLock::new();
    ALL.get_or_init(load)
}

/// The resources served without `--runtime-config`.
pub fn enabled() -> impl Iterator<Item = &'static Resource> + Clone {
    all().iter().filter(|r| r.enabled)
}

/// The resource of that group, version and plural name.
pub fn by_gvr(gvr: &Gvr) -> Option<&'static Resource> {
    all().iter().find(|r| r.group == gvr.group && r.version == gvr.version && r.resource == gvr.resource)
}

/// The resource of that kind.
pub fn by_kind(gvk: &Gvk) -> Option<&'static Resource> {
    all().iter().find(|r| r.group == gvk.group && r.version == gvk.version && r.kind == gvk.kind)
}

/// The resource whose keys start as `key` does (`/registry/pods/…`); the longest prefix wins.
pub fn by_etcd_key(key: &str) -> Option<&'static Resource> {
    all()
        .iter()
        .filter(|r| !r.etcd_prefix.is_empty() && key.starts_with(&r.etcd_prefix))
        .max_by_key(|r| (r.etcd_prefix.len(), r.version == r.storage_version && r.group == r.storage_group))
}

/// What kubectl makes of a resource argument among the default built-in resources: see [`lookup_in`].
pub fn lookup(name: &str) -> Option<&'static Resource> {
    lookup_in(enabled(), name)
}

/// Resolves `pods`, `pod`, `po`, `Pod`, `deployments.apps`, `deploy.v1.apps`, `pods.v1.` among resources in
/// discovery order, as kubectl does: short names first, then plural and singular names, then kinds; without a
/// group the first group in discovery order wins, and its preferred version.
pub fn lookup_in<'a>(
    resources: impl Iterator<Item = &'a Resource> + Clone,
    name: &str,
) -> Option<&'a Resource> {
    let lower = name.to_lowercase();
    let (word, rest) = lower.split_once('.').unwrap_or((&lower, ""));
    let matches = |r: &Resource, w: &str| {
        r.resource == w
            || r.singular == w
            || r.short_names.iter().any(|s| s == w)
            || r.kind.to_lowercase() == w
    };
    let rank = |r: &Resource, w: &str| {
        if r.resource == w || r.singular == w {
            1
        } else if r.short_names.iter().any(|s| s == w) {
            0
        } else {
            2
        }
    };
    let pick = |test: &dyn Fn(&Resource) -> bool| {
        resources.clone().filter(|r| matches(r, word) && test(r)).min_by_key(|r| rank(r, word))
    };
    if rest.is_empty() && !lower.ends_with('.') {
        return pick(&|_| true);
    }
    // resource.version.group first, then resource.group (a prefix of the group will do, as in `deploy.app`).
    let (version, group) = rest.split_once('.').unwrap_or((rest, ""));
    pick(&|r| r.version == version && r.group == group)
        .or_else(|| pick(&|r| r.group == rest))
        .or_else(|| pick(&|r| !rest.is_empty() && r.group.starts_with(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (given, want) in [
            ("po", "pods"),
            ("Pod", "pods"),
            ("deploy", "deployments.apps"),
            ("deployments.v1.apps", "deployments.apps"),
            ("deployment.apps", "deployments.apps"),
            ("hpa.v1.autoscaling", "horizontalpodautoscalers.autoscaling"),
            ("ev", "events"),
            ("events.events.k8s.io", "events.events.k8s.io"),
            ("crd", "customresourcedefinitions.apiextensions.k8s.io"),
            ("endpoints", "endpoints"),
            ("pods.v1.", "pods"),
        ] {
            assert_eq!(lookup(given).map(|r| r.gvr().group_resource()).as_deref(), Some(want), "{given}");
        }
        assert_eq!(lookup("hpa.v1.autoscaling").unwrap().version, "v1");
        assert_eq!(lookup("hpa").unwrap().version, "v2");
        assert!(lookup("foo").is_none());
    }

    #[test]
    fn keys_and_hashes() {
        let r = lookup("svc").unwrap();
        assert_eq!(r.etcd_key("demo", "a"), "/registry/services/specs/demo/a");
        assert_eq!(lookup("no").unwrap().etcd_key("", "n1"), "/registry/minions/n1");
        assert_eq!(lookup("pods").unwrap().storage_version_hash(), "xPOwRZ+Yhw8=");
        assert_eq!(lookup("cm").unwrap().storage_version_hash(), "qFsyl6wFWjQ=");
        assert_eq!(lookup("events.events.k8s.io").unwrap().storage_version_hash(), "r2yiGXH7wu8=");
        assert_eq!(lookup("deploy").unwrap().storage_version_hash(), "8aSe+NMegvE=");
        assert_eq!(lookup("hpa.v1.autoscaling").unwrap().storage_version_hash(), "qwQve8ut294=");
        assert_eq!(lookup("crd").unwrap().storage_version_hash(), "jfWCUB31mvA=");
        assert_eq!(by_etcd_key("/registry/services/endpoints/default/kubernetes").unwrap().kind, "Endpoints");
        assert_eq!(by_etcd_key("/registry/events/default/x").unwrap().group, "");
    }

    #[test]
    fn every_stored_kind_has_a_schema() {
        for r in all() {
            if let Some(g) = r.storage_gvk() {
                assert!(crate::schema::schema().kind(&g.group, &g.version, &g.kind).is_some(), "{g}");
            }
            assert!(crate::schema::schema().kind(&r.group, &r.version, &r.kind).is_some(), "{}", r.gvk());
        }
    }
}
