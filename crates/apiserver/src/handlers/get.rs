//! GET of one object.

use super::{Call, Scope, respond};
use crate::env::Note;
use crate::errors::ApiError;
use sim::Station;
use wire::http::Response;

pub async fn get(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let span = call.server.env.station(call.ctx, Station::Storage).await;
    span.note("operation", "Get");
    let version = call.query.text("resourceVersion");
    let found =
        scope.registry.get(span.inside(call.ctx), &call.info.namespace, &call.info.name, version).await;
    let (object, by) = match found {
        Ok(f) => f,
        Err(e) => {
            span.note("error", e.message.as_str());
            return Err(e);
        }
    };
    span.note("served by", by);
    span.note("resourceVersion", object.str_at("metadata.resourceVersion"));
    span.went(|| object.to_text().into());
    drop(span);
    respond::object(call, scope, output, 200, &object).await
}
