//! Continue tokens: where the next page of a list starts and at which revision.
//!
//! A token is base64url without padding of `{"v":"meta.k8s.io/v1","rv":‹int›,"start":"‹key suffix›\u0000"}`. The suffix is
//! the last key without the list's prefix; from the watch cache it begins with a slash, both forms are read.

use base64::Engine;
use kube::json::{Json, append_string};

/// A token taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinueToken {
    /// Key to start at, with the list's prefix.
    pub from_key: String,
    /// Revision to read at; negative: the latest.
    pub revision: i64,
}

const VERSION: &str = "meta.k8s.io/v1";

/// Reads a token; the error is the text after `invalid continue token: `.
pub fn decode(token: &str, prefix: &str) -> Result<ContinueToken, String> {
    let not_valid = |why: &str| format!("continue key is not valid: {why}");
    let engine = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let text = engine.decode(token.trim_end_matches('=')).map_err(|_| {
        let at = token
            .bytes()
            .position(|b| !(b.is_ascii_alphanumeric() || b == b'-' || b == b'_'))
            .unwrap_or(token.len().saturating_sub(1));
        not_valid(&format!("illegal base64 data at input byte {at}"))
    })?;
    let json = Json::parse(&text).map_err(|e| not_valid(&e.to_string()))?;
    if !matches!(json, Json::Obj(_)) {
        let kind = json.kind_name();
        return Err(not_valid(&format!(
            "json: cannot unmarshal {kind} into Go value of type storage.continueToken"
        )));
    }
    let version = json.str_at("v");
    if version != VERSION {
        return Err(not_valid(&format!("server does not recognize this encoded version {version:?}")));
    }
    let revision = json.int_at("rv").unwrap_or(0);
    if revision == 0 {
        return Err(not_valid(&format!("incorrect encoded start resourceVersion (version {VERSION})")));
    }
    let start = json.str_at("start");
    if start.is_empty() {
        return Err(not_valid(&format!("encoded start key empty (version {VERSION})")));
    }
    let key = if start.starts_with('/') { start.to_owned() } else { format!("/{start}") };
    if clean(&key) != key {
        return Err(not_valid(start));
    }
    let from_key = format!("{prefix}{}", key.trim_start_matches('/'));
    Ok(ContinueToken { from_key, revision })
}

/// Makes the token for the page after `last_key`. `None` if the key does not lie below `prefix`.
pub fn encode(last_key: &str, prefix: &str, revision: i64) -> Option<String> {
    let suffix = last_key.strip_prefix(prefix)?;
    if suffix.is_empty() {
        return None;
    }
    let mut text = format!("{{\"v\":\"{VERSION}\",\"rv\":{revision},\"start\":").into_bytes();
    append_string(suffix, &mut text);
    text.push(b'}');
    Some(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text))
}

/// Go's `path.Clean` for absolute paths.
fn clean(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                out.pop();
            }
            p => out.push(p),
        }
    }
    format!("/{}", out.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_both_forms() {
        let prefix = "/registry/configmaps/demo/";
        let token = encode("/registry/configmaps/demo/e2\0", prefix, 42).unwrap();
        assert_eq!(
            base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(&token).unwrap(),
            br#"{"v":"meta.k8s.io/v1","rv":42,"start":"e2\u0000"}"#
        );
        let expected = ContinueToken { from_key: "/registry/configmaps/demo/e2\0".into(), revision: 42 };
        assert_eq!(decode(&token, prefix), Ok(expected.clone()));
        let slashed = encode("/registry/configmaps/demo/e2\0", "/registry/configmaps/demo", 42).unwrap();
        assert_eq!(decode(&slashed, prefix), Ok(expected));
    }

    #[test]
    fn errors() {
        let token = |t: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(t);
        for (t, text) in [
            (
                token(r#"{"v":"meta.k8s.io/v1","rv":0,"start":"a"}"#),
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ),
            (token(r#"{"v":"meta.k8s.io/v1","rv":1}"#), "encoded start key empty (version meta.k8s.io/v1)"),
            (token(r#"{"v":"meta.k8s.io/v1","rv":1,"start":"../a"}"#), "../a"),
            (
                token(r#"{"v":"x","rv":1,"start":"a"}"#),
                "server does not recognize this encoded version \"x\"",
            ),
        ] {
            assert_eq!(decode(&t, "/p/").unwrap_err(), format!("continue key is not valid: {text}"));
        }
        assert_eq!(
            decode("*", "/p/").unwrap_err(),
            "continue key is not valid: illegal base64 data at input byte 0"
        );
    }
}
