//! Discovery: which groups, versions and resources are served; also the aggregated form that kubectl asks for.

use super::Server;
use crate::errors::ApiError;
use crate::handlers::{Call, raw_response};
use kube::catalog::{self, Resource};
use kube::json::append_string;
use std::rc::Rc;
use wire::http::Response;

/// A served group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersions {
    /// Empty for the core group.
    pub name: String,
    /// The preferred one first.
    pub versions: Vec<String>,
}

/// One resource as discovery prints it.
struct Entry {
    name: String,
    singular: String,
    namespaced: bool,
    group: String,
    version: String,
    kind: String,
    verbs: Vec<String>,
    short_names: Vec<String>,
    categories: Vec<String>,
    storage_hash: String,
    subresources: Vec<Sub>,
}

struct Sub {
    name: String,
    group: String,
    version: String,
    kind: String,
    verbs: Vec<String>,
}

fn built_in(r: &Resource) -> Entry {
    Entry {
        name: r.resource.clone(),
        singular: r.singular.clone(),
        namespaced: r.namespaced,
        group: r.group.clone(),
        version: r.version.clone(),
        kind: r.kind.clone(),
        verbs: r.verbs.clone(),
        short_names: r.short_names.clone(),
        categories: r.categories.clone(),
        storage_hash: r.storage_version_hash(),
        subresources: r
            .subresources
            .iter()
            .map(|s| {
                let k = s.kind.clone().unwrap_or_else(|| r.gvk());
                Sub {
                    name: s.name.clone(),
                    group: k.group,
                    version: k.version,
                    kind: k.kind,
                    verbs: s.verbs.clone(),
                }
            })
            .collect(),
    }
}

fn entries(server: &Server, group: &str, version: &str) -> Vec<Entry> {
    let mut out: Vec<Entry> =
        catalog::enabled().filter(|r| r.group == group && r.version == version).map(built_in).collect();
    for crd in server.crds() {
        let Some(v) = crd.served(version).filter(|_| crd.group == group) else { continue };
        let verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
        let rw: Vec<String> = ["get", "patch", "update"].iter().map(|s| (*s).to_owned()).collect();
        let mut subresources = Vec::new();
        if v.status {
            subresources.push(Sub {
                name: "status".into(),
                group: group.into(),
                version: version.into(),
                kind: crd.kind.clone(),
                verbs: rw.clone(),
            });
        }
        if !v.scale.is_null() {
            subresources.push(Sub {
                name: "scale".into(),
                group: "autoscaling".into(),
                version: "v1".into(),
                kind: "Scale".into(),
                verbs: rw,
            });
        }
        let stored = crd.storage().map_or("", |s| s.name.as_str());
        out.push(Entry {
            name: crd.plural.clone(),
            singular: crd.singular.clone(),
            namespaced: crd.namespaced,
            group: group.into(),
            version: version.into(),
            kind: crd.kind.clone(),
            verbs: verbs.iter().map(|s| (*s).to_owned()).collect(),
            short_names: crd.short_names.clone(),
            categories: crd.categories.clone(),
            storage_hash: storage_hash(&format!("{group}/{stored}/{}", crd.kind)),
            subresources,
        });
    }
    out
}

/// Standard base64 of the first eight bytes of the SHA-256.
fn storage_hash(text: &str) -> String {
    use sha2::{Digest, Sha256};
    kube::codec::base64_encode(&Sha256::digest(text.as_bytes())[..8])
}

/// All served groups in the order of discovery.
pub fn groups(server: &Server) -> Vec<GroupVersions> {
    let mut out: Vec<GroupVersions> = Vec::new();
    let mut add = |name: &str, version: &str| match out.iter_mut().find(|g| g.name == name) {
        Some(g) => {
            if !g.versions.iter().any(|v| v == version) {
                g.versions.push(version.to_owned());
            }
        }
        None => out.push(GroupVersions { name: name.to_owned(), versions: vec![version.to_owned()] }),
    };
    for r in catalog::enabled() {
        add(&r.group, &r.version);
    }
    for crd in server.crds() {
        let mut versions: Vec<&str> =
            crd.versions.iter().filter(|v| v.served).map(|v| v.name.as_str()).collect();
        versions.sort_by(|a, b| version_priority(b).cmp(&version_priority(a)).then(a.cmp(b)));
        for v in versions {
            add(&crd.group, v);
        }
    }
    out
}

/// Stable before beta before alpha, higher numbers first.
fn version_priority(v: &str) -> (u8, u64, u64) {
    let Some(rest) = v.strip_prefix('v') else { return (0, 0, 0) };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(major) = rest[..digits].parse::<u64>() else { return (0, 0, 0) };
    let tail = &rest[digits..];
    let number = |p: &str| tail.strip_prefix(p).and_then(|n| n.parse::<u64>().ok());
    match (tail.is_empty(), number("beta"), number("alpha")) {
        (true, _, _) => (3, major, 0),
        (_, Some(n), _) => (2, major, n),
        (_, _, Some(n)) => (1, major, n),
        _ => (0, 0, 0),
    }
}

struct Out(Vec<u8>);

impl Out {
    fn raw(&mut self, s: &str) -> &mut Out {
        self.0.extend_from_slice(s.as_bytes());
        self
    }
    fn text(&mut self, s: &str) -> &mut Out {
        append_string(s, &mut self.0);
        self
    }
    fn list(&mut self, items: &[String]) -> &mut Out {
        self.raw("[");
        for (i, s) in items.iter().enumerate() {
            if i > 0 {
                self.raw(",");
            }
            self.text(s);
        }
        self.raw("]")
    }
    fn response(mut self) -> Response {
        self.0.push(b'\n');
        raw_response(200, "application/json", self.0)
    }
}

/// Answers, if the path is one of discovery's.
pub(super) fn handle(call: &Call) -> Result<Option<Response>, ApiError> {
    let server = &call.server;
    let path = call.info.path.trim_end_matches('/');
    let accept = call.req.header("accept").unwrap_or("");
    let aggregated = accept.contains("as=APIGroupDiscoveryList") && accept.contains("v=v2");
    if call.req.method != "GET" && call.req.method != "HEAD" {
        return if path == "/api" || path.starts_with("/apis") {
            Err(ApiError::method_not_allowed())
        } else {
            Ok(None)
        };
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        ["api"] if aggregated => Ok(Some(aggregated_list(server, true))),
        ["apis"] if aggregated => Ok(Some(aggregated_list(server, false))),
        ["api"] => {
            let addr = format!("{}:{}", server.env.flags.advertise_address, server.env.flags.secure_port);
            let mut o = Out(Vec::new());
            o.raw("{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\",\"serverAddress\":")
                .text(&addr)
                .raw("}]}");
            Ok(Some(o.response()))
        }
        ["api", "v1"] => Ok(Some(resources(server, "", "v1"))),
        ["apis"] => {
            let mut o = Out(Vec::new());
            o.raw("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
            let list: Vec<GroupVersions> =
                groups(server).into_iter().filter(|g| !g.name.is_empty()).collect();
            for (i, g) in list.iter().enumerate() {
                if i > 0 {
                    o.raw(",");
                }
                group(&mut o, g, false);
            }
            o.raw("]}");
            Ok(Some(o.response()))
        }
        ["apis", name] => match groups(server).iter().find(|g| g.name == *name) {
            Some(g) => {
                let mut o = Out(Vec::new());
                group(&mut o, g, true);
                Ok(Some(o.response()))
            }
            None => Ok(None),
        },
        ["apis", name, version] => {
            let served =
                groups(server).iter().any(|g| g.name == *name && g.versions.iter().any(|v| v == version));
            if served { Ok(Some(resources(server, name, version))) } else { Ok(None) }
        }
        _ => Ok(None),
    }
}

fn group(o: &mut Out, g: &GroupVersions, whole: bool) {
    o.raw("{");
    if whole {
        o.raw("\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",");
    }
    o.raw("\"name\":").text(&g.name).raw(",\"versions\":[");
    let version = |o: &mut Out, v: &str| {
        o.raw("{\"groupVersion\":").text(&format!("{}/{v}", g.name)).raw(",\"version\":").text(v).raw("}");
    };
    for (i, v) in g.versions.iter().enumerate() {
        if i > 0 {
            o.raw(",");
        }
        version(o, v);
    }
    o.raw("],\"preferredVersion\":");
    if let Some(v) = g.versions.first() {
        version(o, v);
    }
    o.raw("}");
}

fn resources(server: &Rc<Server>, group: &str, version: &str) -> Response {
    let gv = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let mut o = Out(Vec::new());
    o.raw("{\"kind\":\"APIResourceList\",");
    if !group.is_empty() {
        o.raw("\"apiVersion\":\"v1\",");
    }
    o.raw("\"groupVersion\":").text(&gv).raw(",\"resources\":[");
    let mut first = true;
    for e in entries(server, group, version) {
        if !first {
            o.raw(",");
        }
        first = false;
        o.raw("{\"name\":").text(&e.name).raw(",\"singularName\":").text(&e.singular);
        o.raw(if e.namespaced { ",\"namespaced\":true" } else { ",\"namespaced\":false" });
        o.raw(",\"kind\":").text(&e.kind).raw(",\"verbs\":").list(&e.verbs);
        if !e.short_names.is_empty() {
            o.raw(",\"shortNames\":").list(&e.short_names);
        }
        if !e.categories.is_empty() {
            o.raw(",\"categories\":").list(&e.categories);
        }
        if !e.storage_hash.is_empty() {
            o.raw(",\"storageVersionHash\":").text(&e.storage_hash);
        }
        o.raw("}");
        for s in &e.subresources {
            o.raw(",{\"name\":").text(&format!("{}/{}", e.name, s.name)).raw(",\"singularName\":\"\"");
            o.raw(if e.namespaced { ",\"namespaced\":true" } else { ",\"namespaced\":false" });
            if s.group != e.group || s.version != e.version {
                if !s.group.is_empty() {
                    o.raw(",\"group\":").text(&s.group);
                }
                o.raw(",\"version\":").text(&s.version);
            }
            o.raw(",\"kind\":").text(&s.kind).raw(",\"verbs\":").list(&s.verbs).raw("}");
        }
    }
    o.raw("]}");
    o.response()
}

/// `APIGroupDiscoveryList` of `/api` or `/apis`.
fn aggregated_list(server: &Rc<Server>, core: bool) -> Response {
    let mut o = Out(Vec::new());
    o.raw("{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"metadata\":{},\"items\":[");
    let list = groups(server).into_iter().filter(|g| g.name.is_empty() == core);
    for (i, g) in list.enumerate() {
        if i > 0 {
            o.raw(",");
        }
        o.raw("{\"metadata\":{");
        if !g.name.is_empty() {
            o.raw("\"name\":").text(&g.name).raw(",");
        }
        o.raw("\"creationTimestamp\":null},\"versions\":[");
        for (j, v) in g.versions.iter().enumerate() {
            if j > 0 {
                o.raw(",");
            }
            o.raw("{\"version\":").text(v).raw(",\"resources\":[");
            for (k, e) in entries(server, &g.name, v).iter().enumerate() {
                if k > 0 {
                    o.raw(",");
                }
                aggregated_entry(&mut o, e);
            }
            o.raw("],\"freshness\":\"Current\"}");
        }
        o.raw("]}");
    }
    o.raw("]}");
    o.0.push(b'\n');
    raw_response(200, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", o.0)
}

fn kind(o: &mut Out, group: &str, version: &str, kind: &str) {
    o.raw("{\"group\":").text(group).raw(",\"version\":").text(version).raw(",\"kind\":").text(kind).raw("}");
}

fn aggregated_entry(o: &mut Out, e: &Entry) {
    o.raw("{\"resource\":").text(&e.name).raw(",\"responseKind\":");
    kind(o, &e.group, &e.version, &e.kind);
    o.raw(if e.namespaced { ",\"scope\":\"Namespaced\"" } else { ",\"scope\":\"Cluster\"" });
    o.raw(",\"singularResource\":").text(&e.singular).raw(",\"verbs\":").list(&e.verbs);
    if !e.short_names.is_empty() {
        o.raw(",\"shortNames\":").list(&e.short_names);
    }
    if !e.categories.is_empty() {
        o.raw(",\"categories\":").list(&e.categories);
    }
    if !e.subresources.is_empty() {
        o.raw(",\"subresources\":[");
        for (i, s) in e.subresources.iter().enumerate() {
            if i > 0 {
                o.raw(",");
            }
            o.raw("{\"subresource\":").text(&s.name).raw(",\"responseKind\":");
            kind(o, &s.group, &s.version, &s.kind);
            o.raw(",\"verbs\":").list(&s.verbs).raw("}");
        }
        o.raw("]");
    }
    o.raw("}");
}
