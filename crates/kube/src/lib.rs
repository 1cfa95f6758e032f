//! API machinery: the catalogue of kinds, their schema, the codecs, defaulting, validation and patch.
//!
//! Everything is driven by one table made from the released Go types (`schema`): a typed object is a `Struct` of
//! field ids, read and written by paths such as `spec.containers[0].image`.

pub mod catalog;
pub mod codec;
pub mod field;
pub mod json;
pub mod meta;
pub mod object;
pub mod quantity;
pub mod schema;
pub mod selector;
pub mod status;
pub mod time;
pub mod yaml;
