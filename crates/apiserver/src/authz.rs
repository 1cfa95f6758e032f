//! Authorization by RBAC: roles and bindings are read from the server's own storage.
//!
//! Members of `system:masters` may do everything. Mode `Node` is modelled only as the rules of the ClusterRole
//! `system:node` for members of `system:nodes`; which node may see which Pod's objects is not modelled here.

use crate::admission::{all, find};
use crate::authn::User;
use crate::errors::ApiError;
use crate::object::Object;
use crate::request::RequestInfo;
use crate::server::Server;
use kube::object::Struct;
use std::rc::Rc;

const GROUP: &str = "rbac.authorization.k8s.io";

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// As `get`.
    pub verb: String,
    /// Empty for cluster-scoped.
    pub namespace: String,
    /// API group.
    pub group: String,
    /// Plural name.
    pub resource: String,
    /// As `status`, or empty.
    pub subresource: String,
    /// Empty for collections.
    pub name: String,
    /// For paths that are no resources.
    pub path: Option<String>,
}

impl Ask {
    /// From a request.
    pub fn of(info: &RequestInfo) -> Ask {
        if !info.is_resource {
            return Ask { verb: info.verb.clone(), path: Some(info.path.clone()), ..Ask::default() };
        }
        Ask {
            verb: info.verb.clone(),
            namespace: info.namespace.clone(),
            group: info.group.clone(),
            resource: info.resource.clone(),
            subresource: info.subresource.clone(),
            name: info.name.clone(),
            path: None,
        }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why, as the audit log has it, or what was wrong with roles.
    pub reason: String,
}

/// Decides.
pub async fn authorize(server: &Rc<Server>, user: &User, ask: &Ask) -> Decision {
    if user.groups.iter().any(|g| g == "system:masters") {
        return Decision { allowed: true, reason: "group system:masters".to_owned() };
    }
    let modes = &server.env.flags.authorization_mode;
    let has = |m: &str| modes.iter().any(|x| x == m);
    if has("AlwaysAllow") {
        return Decision { allowed: true, reason: "AlwaysAllow".to_owned() };
    }
    if has("Node") && user.groups.iter().any(|g| g == "system:nodes") {
        let role = find(server, None, GROUP, "clusterroles", "", "system:node").await;
        if role.is_some_and(|r| rules_allow(&r, ask)) {
            return Decision { allowed: true, reason: "rules of system:node".to_owned() };
        }
    }
    if has("RBAC") {
        return rbac(server, user, ask).await;
    }
    Decision { allowed: false, reason: String::new() }
}

async fn rbac(server: &Rc<Server>, user: &User, ask: &Ask) -> Decision {
    let mut missing = Vec::new();
    for binding in all(server, GROUP, "clusterrolebindings", "") {
        if let Some(subject) = bound(&binding, user, "") {
            match role(server, &binding, "").await {
                Ok(role) if rules_allow(&role, ask) => {
                    let reason = format!(
                        "RBAC: allowed by ClusterRoleBinding {:?} of ClusterRole {:?} to {subject}",
                        binding.name(),
                        binding.str_at("roleRef.name")
                    );
                    return Decision { allowed: true, reason };
                }
                Ok(_) => {}
                Err(text) => missing.push(text),
            }
        }
    }
    if !ask.namespace.is_empty() {
        for binding in all(server, GROUP, "rolebindings", &ask.namespace) {
            if let Some(subject) = bound(&binding, user, &ask.namespace) {
                match role(server, &binding, &ask.namespace).await {
                    Ok(role) if rules_allow(&role, ask) => {
                        let reason = format!(
                            "RBAC: allowed by RoleBinding {:?} of {} {:?} to {subject}",
                            format!("{}/{}", binding.name(), ask.namespace),
                            binding.str_at("roleRef.kind"),
                            binding.str_at("roleRef.name")
                        );
                        return Decision { allowed: true, reason };
                    }
                    Ok(_) => {}
                    Err(text) => missing.push(text),
                }
            }
        }
    }
    let reason = if missing.is_empty() {
        String::new()
    } else {
        format!("RBAC: {}", crate::errors::aggregate(missing))
    };
    Decision { allowed: false, reason }
}

async fn role(server: &Rc<Server>, binding: &Object, namespace: &str) -> Result<Rc<Object>, String> {
    let name = binding.str_at("roleRef.name");
    let (resource, ns) = match binding.str_at("roleRef.kind") {
        "Role" => ("roles", namespace),
        _ => ("clusterroles", ""),
    };
    find(server, None, GROUP, resource, ns, name).await.ok_or_else(|| {
        let kind = if resource == "roles" { "role" } else { "clusterrole" };
        format!("{kind}.{GROUP} {name:?} not found")
    })
}

/// How a binding names the user, if it does.
fn bound(binding: &Object, user: &User, namespace: &str) -> Option<String> {
    let s = binding.typed()?;
    s.structs_at("subjects").find_map(|subject| {
        let name = subject.str_at("name");
        match subject.str_at("kind") {
            "User" if user.name == name => Some(format!("User {name:?}")),
            "Group" if user.groups.iter().any(|g| g == name) => Some(format!("Group {name:?}")),
            "ServiceAccount" => {
                let ns = match subject.str_at("namespace") {
                    "" => namespace,
                    n => n,
                };
                (user.name == format!("system:serviceaccount:{ns}:{name}"))
                    .then(|| format!("ServiceAccount {:?}", format!("{name}/{ns}")))
            }
            _ => None,
        }
    })
}

/// Whether a role's rules allow it.
pub fn rules_allow(role: &Object, ask: &Ask) -> bool {
    role.typed().is_some_and(|s| s.structs_at("rules").any(|r| rule_allows(r, ask)))
}

fn rule_allows(rule: &Struct, ask: &Ask) -> bool {
    let has = |list: &str, wanted: &str| rule.strs_at(list).any(|v| v == "*" || v == wanted);
    if !has("verbs", &ask.verb) {
        return false;
    }
    if let Some(path) = &ask.path {
        return rule.strs_at("nonResourceURLs").any(|p| {
            p == "*" || p == path || p.strip_suffix('*').is_some_and(|prefix| path.starts_with(prefix))
        });
    }
    let combined = if ask.subresource.is_empty() {
        ask.resource.clone()
    } else {
        format!("{}/{}", ask.resource, ask.subresource)
    };
    let resource = rule.strs_at("resources").any(|r| {
        r == "*" || r == combined || !ask.subresource.is_empty() && r == format!("*/{}", ask.subresource)
    });
    let mut names = rule.strs_at("resourceNames").peekable();
    let named = names.peek().is_none() || names.any(|n| n == ask.name);
    has("apiGroups", &ask.group) && resource && named
}

/// The 403 of a refused request.
pub fn forbidden(user: &User, ask: &Ask, reason: &str) -> ApiError {
    let name = &user.name;
    let mut why = match &ask.path {
        Some(path) => format!("User {name:?} cannot {} path {path:?}", ask.verb),
        None => {
            let resource = if ask.subresource.is_empty() {
                ask.resource.clone()
            } else {
                format!("{}/{}", ask.resource, ask.subresource)
            };
            let place = if ask.namespace.is_empty() {
                "at the cluster scope".to_owned()
            } else {
                format!("in the namespace {:?}", ask.namespace)
            };
            format!(
                "User {name:?} cannot {} resource {resource:?} in API group {:?} {place}",
                ask.verb, ask.group
            )
        }
    };
    if !reason.is_empty() {
        why = format!("{why}: {reason}");
    }
    match &ask.path {
        Some(_) => {
            let mut e = ApiError::new(403, "Forbidden", format!("forbidden: {why}"));
            e.details = Some(Box::default());
            e
        }
        None => ApiError::forbidden(&ask.group, &ask.resource, &ask.name, &why),
    }
}

/// Rules of a user in a namespace, for `SelfSubjectRulesReview`.
pub async fn rules_of(server: &Rc<Server>, user: &User, namespace: &str) -> Vec<Struct> {
    let mut out = Vec::new();
    let cluster = all(server, GROUP, "clusterrolebindings", "");
    let local = all(server, GROUP, "rolebindings", namespace);
    let bindings = cluster.iter().map(|b| (b, "")).chain(local.iter().map(|b| (b, namespace)));
    for (binding, ns) in bindings {
        if bound(binding, user, ns).is_some()
            && let Ok(role) = role(server, binding, ns).await
            && let Some(s) = role.typed()
        {
            out.extend(s.structs_at("rules").cloned());
        }
    }
    out
}
