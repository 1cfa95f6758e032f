//! `RequestInfo`: the station that reads verb, group, version, namespace, resource, subresource and name off the URL.

use super::Query;
use super::query::unescape;

/// What the handler chain knows about a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestInfo {
    /// False for `/healthz`, `/api`, `/apis/apps/v1` and the like.
    pub is_resource: bool,
    /// Path without the query.
    pub path: String,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the lower-case method.
    pub verb: String,
    /// `api` or `apis`.
    pub prefix: String,
    /// Empty for the core group.
    pub group: String,
    /// As `v1`.
    pub version: String,
    /// Empty for cluster-scoped resources and all namespaces.
    pub namespace: String,
    /// Plural.
    pub resource: String,
    /// As `status`.
    pub subresource: String,
    /// Empty for collections.
    pub name: String,
    /// Path elements from the resource on.
    pub parts: Vec<String>,
}

/// Subresources of namespaces are not resources in a namespace.
const NAMESPACE_SUBRESOURCES: [&str; 2] = ["status", "finalize"];

impl RequestInfo {
    /// Reads a request line.
    pub fn parse(method: &str, path: &str, query: &Query) -> RequestInfo {
        let mut info =
            RequestInfo { path: path.to_owned(), verb: method.to_lowercase(), ..RequestInfo::default() };
        let decoded: Vec<String> = path
            .trim_matches('/')
            .split('/')
            .map(|p| unescape(p, false).unwrap_or_else(|| p.to_owned()))
            .collect();
        let mut parts: &[String] = if path.trim_matches('/').is_empty() { &[] } else { &decoded };
        if parts.len() < 3 || !["api", "apis"].contains(&parts[0].as_str()) {
            return info;
        }
        info.prefix = parts[0].clone();
        parts = &parts[1..];
        if info.prefix == "apis" {
            if parts.len() < 3 {
                return info;
            }
            info.group = parts[0].clone();
            parts = &parts[1..];
        }
        info.is_resource = true;
        info.version = parts[0].clone();
        parts = &parts[1..];
        if ["proxy", "watch"].contains(&parts[0].as_str()) {
            if parts.len() < 2 {
                info.is_resource = false;
                return info;
            }
            info.verb = parts[0].clone();
            parts = &parts[1..];
        } else {
            info.verb = match method {
                "POST" => "create",
                "GET" | "HEAD" => "get",
                "PUT" => "update",
                "PATCH" => "patch",
                "DELETE" => "delete",
                _ => "",
            }
            .to_owned();
        }
        if parts[0] == "namespaces" && parts.len() > 1 {
            info.namespace = parts[1].clone();
            if parts.len() > 2 && !NAMESPACE_SUBRESOURCES.contains(&parts[2].as_str()) {
                parts = &parts[2..];
            }
        }
        info.parts = parts.to_vec();
        info.resource = parts[0].clone();
        if let Some(name) = parts.get(1) {
            info.name = name.clone();
        }
        if let Some(sub) = parts.get(2) {
            info.subresource = sub.clone();
        }
        if info.resource == "namespaces" {
            info.namespace.clone_from(&info.name);
        }
        if info.name.is_empty() && info.verb == "get" {
            info.verb = if query.flag("watch") { "watch" } else { "list" }.to_owned();
        } else if info.verb == "get" && query.flag("watch") {
            info.verb = "watch".to_owned();
        }
        if info.name.is_empty() && info.verb == "delete" {
            info.verb = "deletecollection".to_owned();
        }
        info
    }

    /// Whether the request may stay open without a deadline.
    pub fn long_running(&self) -> bool {
        ["watch", "proxy"].contains(&self.verb.as_str())
            || ["attach", "exec", "proxy", "log", "portforward"].contains(&self.subresource.as_str())
    }

    /// `apps/v1`, or `v1` for the core group.
    pub fn group_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(method: &str, target: &str) -> RequestInfo {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        RequestInfo::parse(method, path, &Query::parse(query))
    }

    #[test]
    fn verbs() {
        for (method, target, verb, ns, resource, sub, name) in [
            ("GET", "/api/v1/pods", "list", "", "pods", "", ""),
            ("GET", "/api/v1/namespaces/demo/pods?watch=true", "watch", "demo", "pods", "", ""),
            ("GET", "/api/v1/namespaces/demo/pods?watch=0", "list", "demo", "pods", "", ""),
            ("GET", "/api/v1/watch/namespaces/demo/pods", "watch", "demo", "pods", "", ""),
            ("GET", "/api/v1/namespaces/demo", "get", "demo", "namespaces", "", "demo"),
            ("PUT", "/api/v1/namespaces/demo/finalize", "update", "demo", "namespaces", "finalize", "demo"),
            ("GET", "/api/v1/namespaces", "list", "", "namespaces", "", ""),
            ("POST", "/apis/apps/v1/namespaces/demo/deployments", "create", "demo", "deployments", "", ""),
            (
                "PATCH",
                "/apis/apps/v1/namespaces/demo/deployments/x/scale",
                "patch",
                "demo",
                "deployments",
                "scale",
                "x",
            ),
            ("DELETE", "/api/v1/namespaces/demo/pods", "deletecollection", "demo", "pods", "", ""),
            ("DELETE", "/api/v1/nodes/n1", "delete", "", "nodes", "", "n1"),
        ] {
            let i = parse(method, target);
            assert!(i.is_resource, "{target}");
            assert_eq!(
                (
                    i.verb.as_str(),
                    i.namespace.as_str(),
                    i.resource.as_str(),
                    i.subresource.as_str(),
                    i.name.as_str()
                ),
                (verb, ns, resource, sub, name),
                "{method} {target}"
            );
        }
    }

    #[test]
    fn paths_that_are_no_resources() {
        for target in
            ["/", "/healthz", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v3"]
        {
            let i = parse("GET", target);
            assert!(!i.is_resource, "{target}");
            assert_eq!(i.verb, "get");
        }
    }
}
