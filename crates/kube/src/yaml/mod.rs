//! YAML as `sigs.k8s.io/yaml` reads and prints it: YAML 1.1 scalars with go-yaml v2's resolver, on libyaml's events.
//!
//! Reading: events (libyaml-safer) → an arena of nodes with positions → [`Json`], with anchors (under go-yaml's
//! alias budget), merge keys, duplicate keys and go-yaml's error texts. Printing: sorted keys and scalar styles as
//! `yaml.Marshal` chooses them.

mod decode;
mod positions;
mod print;
mod resolve;
mod stream;
#[cfg(test)]
mod tests;
mod tree;

pub use positions::{Position, positions};
pub use print::from_json;
pub use stream::{Document, StreamError, decode_stream, split_documents};

use crate::json::Json;

/// Why a text is no YAML; `Display` is go-yaml's text (`yaml: line 3: mapping values are not allowed in this
/// context`), which callers prefix as the original's callers do (`error converting YAML to JSON: `).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    pub message: String,
    /// 1-based line of the problem itself, where known (the text's own line may be one less, as go-yaml counts)
    pub line: Option<u32>,
    /// 1-based column in characters
    pub column: Option<u32>,
}

impl YamlError {
    fn new(message: impl Into<String>) -> YamlError {
        YamlError { message: format!("yaml: {}", message.into()), line: None, column: None }
    }
    fn at(message: impl Into<String>, line: u32, column: u32) -> YamlError {
        YamlError { line: Some(line + 1), column: Some(column + 1), ..YamlError::new(message) }
    }
    /// The text of `yaml.Unmarshal`: `error converting YAML to JSON: yaml: …`.
    pub fn converting(&self) -> String {
        format!("error converting YAML to JSON: {}", self.message)
    }
}

/// One document to JSON (`yaml.YAMLToJSON`); of duplicate keys the last wins. An empty document is null. A text with
/// several documents gives the first.
pub fn to_json(text: &[u8]) -> Result<Json, YamlError> {
    decode::decode(text, false)
}

/// As [`to_json`], refusing duplicate keys (`yaml.YAMLToJSONStrict`):
/// `yaml: unmarshal errors:\n  line 5: key "data" already set in map`.
pub fn to_json_strict(text: &[u8]) -> Result<Json, YamlError> {
    decode::decode(text, true)
}
