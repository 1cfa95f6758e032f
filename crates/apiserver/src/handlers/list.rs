//! GET of a collection.

use super::{Call, Scope, respond};
use crate::env::Note;
use crate::errors::ApiError;
use crate::registry::ReadOptions;
use crate::request::ListQuery;
use crate::selector::Selectors;
use sim::Station;
use wire::http::Response;

pub async fn list(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let query = ListQuery::parse(&call.query, false)?;
    let selectors = Selectors::parse(
        &query.label_selector,
        &query.field_selector,
        &call.info.group,
        &call.info.resource,
    )?;
    let span = call.server.env.station(call.ctx, Station::Storage).await;
    span.note("operation", "GetList");
    let options = ReadOptions { query: &query, namespace: &call.info.namespace, selectors };
    let result = scope.registry.list(span.inside(call.ctx), options).await;
    let (list, by) = match result {
        Ok(r) => r,
        Err(e) => {
            span.note("error", e.message.as_str());
            return Err(e);
        }
    };
    span.note("served by", by);
    span.note("items", list.items.len().to_string());
    span.note("resourceVersion", list.revision.to_string());
    drop(span);
    respond::list(call, scope, output, &list).await
}
