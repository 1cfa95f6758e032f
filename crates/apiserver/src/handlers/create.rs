//! POST on a collection.

use super::{Call, Scope, decode, respond};
use crate::admission::{self, Verb};
use crate::errors::ApiError;
use crate::object::Object;
use crate::registry::{Creation, dedup_owners};
use crate::request::WriteQuery;
use crate::storage::is_too_large;
use wire::http::Response;

pub async fn create(call: &Call, scope: &Scope) -> Result<Response, ApiError> {
    let output = call.output(scope)?;
    let options = WriteQuery::parse(&call.query, "CreateOptions")?;
    let mut obj = decode::body(call, scope, &scope.gvk, options.field_validation).await?;
    wipe(&mut obj);
    decode::check_namespace(scope, &call.info.namespace, &mut obj)?;
    if dedup_owners(&mut obj) {
        call.warn(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests");
    }
    let name = obj.name().to_owned();
    let attributes = call.attributes(scope, Verb::Create, &name, options.dry_run);
    let with_fields = |mut o: Object| {
        call.track(&scope.registry, None, &mut o, &options.field_manager);
        o
    };
    let mut tracked = with_fields(obj.clone());
    admission::mutate(&call.server, call.ctx, &attributes, &mut tracked, None, 1).await?;
    dedup_owners(&mut tracked);
    let creation = Creation { ctx: call.ctx, attributes: &attributes, dry_run: options.dry_run };
    let created = match scope.registry.create(&call.server, &creation, tracked.clone()).await {
        Err(e) if is_too_large(&e) => {
            // Too large: once more without managedFields.
            tracked.remove_at("metadata.managedFields");
            scope.registry.create(&call.server, &creation, tracked).await.map_err(|_| e)?
        }
        other => other?,
    };
    call.server.created(scope, &created).await;
    respond::object(call, scope, output, 201, &created).await
}

/// What only the server sets is cleared before anybody looks.
fn wipe(obj: &mut Object) {
    for path in [
        "metadata.uid",
        "metadata.creationTimestamp",
        "metadata.deletionTimestamp",
        "metadata.deletionGracePeriodSeconds",
        "metadata.selfLink",
    ] {
        obj.remove_at(path);
    }
}
