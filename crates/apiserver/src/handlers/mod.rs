//! Handlers of resource requests: decode the body, call the registry, encode the answer.

mod access;
mod create;
mod decode;
mod delete;
mod fields;
mod get;
mod list;
mod patch;
mod respond;
mod scale;
mod sub;
mod update;
mod watch;

pub use fields::track_fields;
pub use respond::{error_response, raw_response};

use crate::admission::{Attributes, Verb};
use crate::authn::User;
use crate::errors::ApiError;
use crate::negotiate::{self, Output};
use crate::registry::Registry;
use crate::request::{Query, RequestInfo};
use crate::server::Server;
use kube::catalog::Gvk;
use sim::{Conn, Ctx};
use std::cell::RefCell;
use std::rc::Rc;
use wire::http::{Request, Response};

/// One request on its way through the handlers.
pub struct Call {
    /// The server.
    pub server: Rc<Server>,
    /// The trace.
    pub ctx: Option<Ctx>,
    /// The request.
    pub req: Request,
    /// Its URL, read.
    pub info: RequestInfo,
    /// Its query.
    pub query: Query,
    /// Who asks.
    pub user: User,
    /// Warnings for the answer, each once.
    pub warnings: RefCell<Vec<String>>,
}

/// The resource a request is about.
pub struct Scope {
    /// Its registry.
    pub registry: Rc<Registry>,
    /// Group, version and kind of the request.
    pub gvk: Gvk,
    /// Kind that the subresource speaks, if it is another.
    pub sub_gvk: Option<Gvk>,
    /// Verbs of the resource or subresource.
    pub verbs: Vec<String>,
}

/// What a handler answers.
pub enum Answer {
    /// A whole response.
    Whole(Response),
    /// It was streamed already.
    Streamed,
}

impl Call {
    /// Adds a warning header to the answer.
    pub fn warn(&self, text: impl Into<String>) {
        let text = text.into();
        let mut list = self.warnings.borrow_mut();
        if !list.contains(&text) {
            list.push(text);
        }
    }

    /// The field manager of the request.
    pub fn manager(&self, field_manager: &str) -> String {
        crate::managedfields::manager_name(field_manager, self.req.header("user-agent").unwrap_or(""))
    }

    /// For admission.
    pub fn attributes(&self, scope: &Scope, verb: Verb, name: &str, dry_run: bool) -> Attributes {
        Attributes {
            verb,
            group: self.info.group.clone(),
            resource: self.info.resource.clone(),
            kind: scope.gvk.kind.clone(),
            subresource: self.info.subresource.clone(),
            namespace: if scope.registry.info.namespaced {
                self.info.namespace.clone()
            } else {
                String::new()
            },
            name: name.to_owned(),
            user: self.user.clone(),
            dry_run,
        }
    }

    /// The negotiated form of the answer.
    pub fn output(&self, scope: &Scope) -> Result<Output, ApiError> {
        negotiate::output(&self.req, &self.query, scope.registry.crd.is_some(), self.info.verb == "watch")
    }
}

/// Handles a request on a resource.
pub async fn handle(call: &Call, conn: &Conn) -> Result<Answer, ApiError> {
    if let Some(resp) = access::review(call).await? {
        return Ok(Answer::Whole(resp));
    }
    let scope = call.server.scope(&call.info)?;
    if !call.info.subresource.is_empty()
        && let Some(resp) = sub::handle(call, &scope).await?
    {
        return Ok(Answer::Whole(resp));
    }
    if !scope.verbs.contains(&call.info.verb) {
        return Err(ApiError::method_not_allowed());
    }
    let whole = |r: Result<Response, ApiError>| r.map(Answer::Whole);
    match call.info.verb.as_str() {
        "create" => whole(create::create(call, &scope).await),
        "get" => whole(get::get(call, &scope).await),
        "list" => whole(list::list(call, &scope).await),
        "watch" => watch::watch(call, &scope, conn).await,
        "update" => whole(update::update(call, &scope).await),
        "patch" => whole(patch::patch(call, &scope).await),
        "delete" => whole(delete::delete(call, &scope).await),
        "deletecollection" => whole(delete::collection(call, &scope).await),
        _ => Err(ApiError::method_not_allowed()),
    }
}
