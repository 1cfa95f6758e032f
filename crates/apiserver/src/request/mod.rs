//! What a request asks for: verb, group, version, resource, name from the URL; options from the query.

mod info;
mod options;
mod query;

pub use info::RequestInfo;
pub use options::{FieldValidation, ListQuery, MatchRule, WriteQuery, dry_run_fault};
pub use query::{Query, unescape};
