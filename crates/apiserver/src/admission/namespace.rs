//! NamespaceLifecycle: nothing is created in a namespace that is missing or terminating; some namespaces stay.

use super::{Attributes, Verb, find};
use crate::errors::{ApiError, Cause};
use crate::server::Server;
use sim::Ctx;
use std::rc::Rc;

const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

pub(super) async fn lifecycle(server: &Rc<Server>, ctx: Option<Ctx>, a: &Attributes) -> Result<(), ApiError> {
    if a.verb == Verb::Delete && a.core("namespaces") && IMMORTAL.contains(&a.name.as_str()) {
        return Err(ApiError::forbidden("", "namespaces", &a.name, "this namespace may not be deleted"));
    }
    if a.namespace.is_empty() || a.core("namespaces") || a.verb == Verb::Delete {
        return Ok(());
    }
    // Access reviews do not need the namespace.
    if a.resource == "localsubjectaccessreviews" {
        return Ok(());
    }
    let Some(ns) = find(server, ctx, "", "namespaces", "", &a.namespace).await else {
        return Err(ApiError::not_found("", "namespaces", &a.namespace));
    };
    if a.verb == Verb::Create && ns.str_at("status.phase") == "Terminating" {
        let why = format!(
            "unable to create new content in namespace {} because it is being terminated",
            a.namespace
        );
        let mut e = ApiError::forbidden(&a.group, &a.resource, &a.name, &why);
        if let Some(d) = e.details.as_mut() {
            d.causes.push(Cause {
                reason: "NamespaceTerminating".into(),
                message: format!("namespace {} is being terminated", a.namespace),
                field: "metadata.namespace".into(),
            });
        }
        return Err(e);
    }
    Ok(())
}
