//! `/version`, `/healthz`, `/livez`, `/readyz`, `/metrics`, and the paths that are named as not modelled.

use super::Server;
use crate::errors::ApiError;
use crate::handlers::{Call, raw_response};
use std::rc::Rc;
use wire::http::Response;

/// The version that is modelled, as `/version` prints it.
pub const VERSION: &str = "{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n  \"emulationMajor\": \"1\",\n  \"emulationMinor\": \"36\",\n  \"minCompatibilityMajor\": \"1\",\n  \"minCompatibilityMinor\": \"35\",\n  \"gitVersion\": \"v1.36.2\",\n  \"gitCommit\": \"\",\n  \"gitTreeState\": \"clean\",\n  \"buildDate\": \"1970-01-01T00:00:00Z\",\n  \"goVersion\": \"\",\n  \"compiler\": \"etcdscope\",\n  \"platform\": \"wasm32\"\n}";

/// Names of the checks that have not passed.
pub(super) fn failing(server: &Server) -> Vec<String> {
    checks(server, true).into_iter().filter(|(_, ok)| !ok).map(|(n, _)| n).collect()
}

fn checks(server: &Server, ready: bool) -> Vec<(String, bool)> {
    let mut out = vec![("ping".to_owned(), true), ("log".to_owned(), true)];
    let etcd = server.etcd_checked.get();
    out.push(("etcd".to_owned(), etcd));
    if ready {
        out.push(("etcd-readiness".to_owned(), etcd));
        out.push(("informer-sync".to_owned(), informers_synced(server)));
    }
    for (name, done) in server.hooks.borrow().iter() {
        out.push((format!("poststarthook/{name}"), *done));
    }
    if ready {
        out.push(("shutdown".to_owned(), true));
    }
    out
}

/// The server's own informers list their resources through the watch caches.
fn informers_synced(server: &Server) -> bool {
    let needed = [
        ("", "namespaces"),
        ("", "secrets"),
        ("", "serviceaccounts"),
        ("rbac.authorization.k8s.io", "clusterroles"),
        ("rbac.authorization.k8s.io", "clusterrolebindings"),
        ("rbac.authorization.k8s.io", "roles"),
        ("rbac.authorization.k8s.io", "rolebindings"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
    ];
    needed
        .iter()
        .all(|(g, r)| server.registry(g, r).is_some_and(|r| r.cacher.as_ref().is_none_or(|c| c.ready())))
}

/// Answers, if the path is one of these.
pub(super) async fn handle(call: &Call) -> Result<Option<Response>, ApiError> {
    let path = call.info.path.as_str();
    let text = "text/plain; charset=utf-8";
    for (root, ready) in [("/healthz", true), ("/livez", false), ("/readyz", true)] {
        if path == root || path.strip_prefix(root).is_some_and(|r| r.starts_with('/')) {
            return Ok(Some(health(&call.server, call, root, ready)));
        }
    }
    Ok(Some(match path {
        "/version" | "/version/" => raw_response(200, "application/json", VERSION),
        "/metrics" => {
            let body = call.server.env.metrics.render();
            raw_response(200, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", body)
        }
        "/openapi/v2" | "/openapi/v3" => {
            return Err(ApiError::new(501, "", format!("not modelled here: {path}")));
        }
        p if p.starts_with("/openapi/v3/") || p.starts_with("/debug/") || p.starts_with("/logs") => {
            return Err(ApiError::new(501, "", format!("not modelled here: {p}")));
        }
        "/" => raw_response(200, "application/json", paths(&call.server)),
        _ => {
            let _ = text;
            return Ok(None);
        }
    }))
}

fn health(server: &Rc<Server>, call: &Call, root: &str, ready: bool) -> Response {
    let all = checks(server, ready);
    let text = "text/plain; charset=utf-8";
    let one = call.info.path.strip_prefix(root).unwrap_or("").trim_matches('/');
    if !one.is_empty() {
        return match all.iter().find(|(n, _)| n == one) {
            Some((_, true)) => raw_response(200, text, "ok"),
            Some((_, false)) => raw_response(500, text, "internal server error: not yet done\n"),
            None => raw_response(404, text, "404 page not found\n"),
        };
    }
    let excluded: Vec<&str> = call.query.all("exclude").collect();
    let failed = all.iter().any(|(n, ok)| !ok && !excluded.contains(&n.as_str()));
    let name = root.trim_start_matches('/');
    if !failed && call.query.get("verbose").is_none() {
        return raw_response(200, text, "ok");
    }
    let mut body = String::new();
    for (n, ok) in &all {
        if excluded.contains(&n.as_str()) {
            body.push_str(&format!("[+]{n} excluded: ok\n"));
        } else if *ok {
            body.push_str(&format!("[+]{n} ok\n"));
        } else {
            body.push_str(&format!("[-]{n} failed: reason withheld\n"));
        }
    }
    body.push_str(&format!("{name} check {}\n", if failed { "failed" } else { "passed" }));
    raw_response(if failed { 500 } else { 200 }, text, body)
}

fn paths(server: &Rc<Server>) -> Vec<u8> {
    let mut list: Vec<String> =
        ["/api", "/api/v1", "/apis", "/apis/", "/healthz", "/livez", "/metrics", "/readyz", "/version"]
            .iter()
            .map(|p| (*p).to_owned())
            .collect();
    for g in super::discovery::groups(server) {
        if !g.name.is_empty() {
            list.push(format!("/apis/{}", g.name));
            list.extend(g.versions.iter().map(|v| format!("/apis/{}/{v}", g.name)));
        }
    }
    list.sort();
    let quoted: Vec<String> = list.iter().map(|p| format!("    {p:?}")).collect();
    format!("{{\n  \"paths\": [\n{}\n  ]\n}}", quoted.join(",\n")).into_bytes()
}
