//! Content negotiation: in which form the client wants its answer and sends its body.

use crate::errors::ApiError;
use crate::request::Query;
use wire::http::Request;

/// Form of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
    /// `application/vnd.kubernetes.protobuf`
    Protobuf,
}

impl Media {
    /// The media type.
    pub fn name(self) -> &'static str {
        match self {
            Media::Json => "application/json",
            Media::Yaml => "application/yaml",
            Media::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// What the object becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum As {
    /// Itself.
    Object,
    /// A Table with columns and cells.
    Table,
    /// Only metadata.
    PartialMetadata,
}

/// The negotiated form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Form of the bytes.
    pub media: Media,
    /// What the object becomes.
    pub convert: As,
    /// Two-space indentation.
    pub pretty: bool,
}

const ACCEPTED: [&str; 3] = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

fn media(name: &str) -> Option<Media> {
    match name.trim() {
        "application/json" | "*/*" | "application/*" => Some(Media::Json),
        "application/yaml" => Some(Media::Yaml),
        "application/vnd.kubernetes.protobuf" => Some(Media::Protobuf),
        _ => None,
    }
}

/// Chooses the answer's form. `custom`: protobuf is not offered for custom resources; `watch`: YAML is not offered.
///
/// # Errors
/// 406.
pub fn output(req: &Request, query: &Query, custom: bool, watch: bool) -> Result<Output, ApiError> {
    let accept = req.header("accept").filter(|a| !a.trim().is_empty()).unwrap_or("*/*");
    let agent = req.header("user-agent").unwrap_or("");
    let pretty = match query.get("pretty") {
        Some(v) => v != "0" && v != "false",
        None => ["curl", "Wget", "Mozilla/5.0"].iter().any(|p| agent.starts_with(p)),
    };
    for clause in accept.split(',') {
        let mut parts = clause.split(';');
        let Some(media) = media(parts.next().unwrap_or("")) else { continue };
        let params: Vec<(&str, &str)> = parts.filter_map(|p| p.trim().split_once('=')).collect();
        let param = |n: &str| params.iter().find(|(k, _)| *k == n).map(|(_, v)| *v);
        let convert = match param("as") {
            None => As::Object,
            Some("Table") => As::Table,
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") => As::PartialMetadata,
            Some(_) => continue,
        };
        if convert != As::Object && (param("g") != Some("meta.k8s.io") || param("v") != Some("v1")) {
            continue;
        }
        if custom && media == Media::Protobuf || watch && media == Media::Yaml {
            continue;
        }
        return Ok(Output { media, convert, pretty });
    }
    Err(ApiError::not_acceptable(if custom { &ACCEPTED[..2] } else { &ACCEPTED }))
}

/// Form of a request's body.
///
/// # Errors
/// 415.
pub fn input(req: &Request) -> Result<Media, ApiError> {
    let given = req.header("content-type").unwrap_or("");
    let name = given.split(';').next().unwrap_or("").trim();
    match name {
        "" | "application/json" => Ok(Media::Json),
        "application/yaml" => Ok(Media::Yaml),
        "application/vnd.kubernetes.protobuf" => Ok(Media::Protobuf),
        _ => Err(ApiError::unsupported_media_type(&ACCEPTED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(accept: &str) -> Result<Output, ApiError> {
        output(&Request::new("GET", "/").with_header("Accept", accept), &Query::default(), false, false)
    }

    #[test]
    fn clauses_in_order() {
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
        assert_eq!(of(table).unwrap().convert, As::Table);
        assert_eq!(
            of("application/json;as=Table;v=v2;g=meta.k8s.io,application/json").unwrap().convert,
            As::Object
        );
        assert_eq!(of("application/vnd.kubernetes.protobuf, */*").unwrap().media, Media::Protobuf);
        assert_eq!(
            of("text/html").unwrap_err().message,
            "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"
        );
    }
}
