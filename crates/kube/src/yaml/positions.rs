//! Where each field stands in a YAML text: for an editor's diagnostics and for linking text, object and bytes.

use super::YamlError;
use super::resolve::{Scalar, resolve};
use super::tree::{NodeId, Tree, YKind, parse};
use crate::json::{PathElem, append_path};
use std::ops::Range;

/// The place of a value, and of its key where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// `spec.containers[0].image`; empty for the document
    pub path: String,
    /// bytes of the key (empty range at the value for list items and the document)
    pub key: Range<usize>,
    /// bytes of the value
    pub value: Range<usize>,
    /// 1-based line and column (in characters) of the key, or of the value where there is no key
    pub line: u32,
    pub column: u32,
}

/// Positions of all values of the first document, parents first, in text order. Aliases have a position, what they
/// stand for has not.
pub fn positions(text: &[u8]) -> Result<Vec<Position>, YamlError> {
    let tree = parse(text)?;
    let lines = Lines::new(text);
    let mut out = Vec::new();
    if let Some(root) = tree.root {
        walk(&tree, &lines, root, None, String::new(), &mut out);
    }
    Ok(out)
}

fn walk(
    tree: &Tree,
    lines: &Lines<'_>,
    id: NodeId,
    key: Option<NodeId>,
    path: String,
    out: &mut Vec<Position>,
) {
    let n = &tree.nodes[id];
    let value = lines.offset(n.line, n.column)..lines.offset(n.end_line, n.end_column);
    let (key_range, line, column) = match key {
        Some(k) => {
            let k = &tree.nodes[k];
            (lines.offset(k.line, k.column)..lines.offset(k.end_line, k.end_column), k.line, k.column)
        }
        None => (value.start..value.start, n.line, n.column),
    };
    out.push(Position { path: path.clone(), key: key_range, value, line: line + 1, column: column + 1 });
    match &n.kind {
        YKind::Seq(items) => {
            for (i, item) in items.iter().enumerate() {
                walk(tree, lines, *item, None, format!("{path}[{i}]"), out);
            }
        }
        YKind::Map(children) => {
            for pair in children.chunks_exact(2) {
                let Some(name) = key_name(tree, pair[0]) else { continue };
                let mut p = path.clone();
                append_path(&mut p, &PathElem::Key(name));
                walk(tree, lines, pair[1], Some(pair[0]), p, out);
            }
        }
        _ => {}
    }
}

/// The key as JSON has it.
fn key_name(tree: &Tree, id: NodeId) -> Option<String> {
    let YKind::Scalar { value, tag, implicit } = &tree.nodes[id].kind else { return None };
    if tag.is_empty() && !implicit {
        return Some(value.clone());
    }
    match resolve(tag, value).ok()? {
        Scalar::Null => None,
        Scalar::Bool(b) => Some(b.to_string()),
        Scalar::Int(i) => Some(i.to_string()),
        Scalar::Float(f) => Some(super::decode::go_g(f, true)),
        _ => Some(value.clone()),
    }
}

/// From line and column (in characters) to bytes.
struct Lines<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Lines<'a> {
        let mut starts = vec![0];
        let mut i = 0;
        while i < text.len() {
            // libyaml's line breaks: CR LF, CR, LF (NEL, LS and PS do not occur in practice).
            if text[i] == b'\r' && text.get(i + 1) == Some(&b'\n') {
                i += 1;
            }
            if matches!(text[i], b'\n' | b'\r') {
                starts.push(i + 1);
            }
            i += 1;
        }
        Lines { text, starts }
    }

    fn offset(&self, line: u32, column: u32) -> usize {
        let Some(start) = self.starts.get(line as usize) else { return self.text.len() };
        let mut at = *start;
        for _ in 0..column {
            if at >= self.text.len() {
                break;
            }
            at += 1;
            while at < self.text.len() && self.text[at] & 0xc0 == 0x80 {
                at += 1;
            }
        }
        at
    }
}
