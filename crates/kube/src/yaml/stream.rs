//! Several documents in one text, as kubectl reads files: `---` lines for YAML, concatenated objects for JSON
//! (`k8s.io/apimachinery/pkg/util/yaml`: YAMLReader, YAMLOrJSONDecoder).

use super::to_json;
use crate::json::{Json, parse_prefix};
use std::ops::Range;

/// One document's place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub range: Range<usize>,
    /// 0-based line of the text where the document begins: add it to the document's own line numbers
    pub line: u32,
}

/// Why reading stopped; `Display` is the original's text without the file's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StreamError {
    pub message: String,
    /// 1-based line in the whole text, where known
    pub line: Option<u32>,
}

/// Splits at lines that begin with `---` (only blanks or a comment may follow); empty documents are left out, as
/// YAMLReader leaves them out.
pub fn split_documents(text: &[u8]) -> Result<Vec<Document>, StreamError> {
    let mut out = Vec::new();
    let (mut start, mut start_line) = (0, 0);
    let (mut at, mut line) = (0, 0u32);
    while at < text.len() {
        let end = text[at..].iter().position(|c| *c == b'\n').map_or(text.len(), |n| at + n + 1);
        let l = &text[at..end];
        if let Some(rest) = l.strip_prefix(b"---") {
            let rest = String::from_utf8_lossy(rest);
            let rest = rest.trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                return Err(StreamError {
                    message: format!("invalid Yaml document separator: {rest}"),
                    line: Some(line + 1),
                });
            }
            if at > start {
                out.push(Document { range: start..at, line: start_line });
            }
            (start, start_line) = (end, line + 1);
        }
        at = end;
        line += 1;
    }
    if at > start {
        out.push(Document { range: start..at, line: start_line });
    }
    Ok(out)
}

/// Reads a file or a pipe as kubectl does: JSON when it begins with `{`, else YAML. The objects read before an error
/// are returned with it; empty documents are null.
pub fn decode_stream(text: &[u8]) -> (Vec<(Json, Document)>, Option<StreamError>) {
    let mut out = Vec::new();
    let mut at = 0;
    let mut first_error = None;
    let space = |at: usize| text[at..].iter().take_while(|c| c.is_ascii_whitespace()).count();
    if text.get(space(0)) == Some(&b'{') {
        loop {
            let begin = at + space(at);
            if begin >= text.len() {
                return (out, None);
            }
            match parse_prefix(&text[begin..]) {
                Ok((v, n)) => {
                    out.push((v, Document { range: begin..begin + n, line: line_of(text, begin) }));
                    at = begin + n;
                }
                Err(e) => {
                    let message = if e.message == "unexpected end of JSON input" {
                        "unexpected EOF".to_string()
                    } else {
                        format!("json: offset {}: {}", begin + e.offset, e.message)
                    };
                    let e = StreamError { message, line: Some(line_of(text, begin + e.offset) + 1) };
                    if out.len() > 1 {
                        return (out, Some(e));
                    }
                    first_error = Some(e);
                    break;
                }
            }
        }
        // The rest is tried as YAML, without the white space up to the first newline.
        while at < text.len() && text[at].is_ascii_whitespace() {
            at += 1;
            if text[at - 1] == b'\n' {
                break;
            }
        }
    }
    let base = line_of(text, at);
    match split_documents(&text[at..]) {
        Err(e) => (out, Some(first_error.unwrap_or(StreamError { line: e.line.map(|l| l + base), ..e }))),
        Ok(docs) => {
            for d in docs {
                let doc = Document { range: d.range.start + at..d.range.end + at, line: d.line + base };
                match to_json(&text[doc.range.clone()]) {
                    Ok(v) => out.push((v, doc)),
                    Err(e) => {
                        let line = e.line.map(|l| l + doc.line);
                        let e = StreamError { message: e.converting(), line };
                        return (out, Some(first_error.unwrap_or(e)));
                    }
                }
            }
            (out, None)
        }
    }
}

/// 0-based line of an offset.
fn line_of(text: &[u8], at: usize) -> u32 {
    text[..at.min(text.len())].iter().filter(|c| **c == b'\n').count() as u32
}
