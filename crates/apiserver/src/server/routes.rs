//! Paths that nobody serves.

use crate::errors::ApiError;
use crate::handlers::{Call, raw_response};
use wire::http::Response;

/// 404: a Status below `/api` and `/apis`, plain text elsewhere.
pub(super) fn not_found(call: &Call) -> Result<Response, ApiError> {
    let path = call.info.path.as_str();
    if (path.starts_with("/api/") || path.starts_with("/apis/"))
        && (path.starts_with("/api/") || path.trim_end_matches('/').split('/').count() > 3)
    {
        return Err(ApiError::no_such_resource());
    }
    Ok(raw_response(404, "text/plain; charset=utf-8", "404 page not found\n")
        .with_header("X-Content-Type-Options", "nosniff"))
}
