//! libyaml's events as an arena of nodes, as go-yaml's parser keeps them.

use super::YamlError;
use libyaml_safer::{ErrorKind, EventData, Mark, Parser};
use std::collections::BTreeMap;

/// Nesting of one document that is still walked by recursion.
pub(super) const MAX_DEPTH: usize = crate::json::MAX_TREE_DEPTH;

/// A node's place in [`Tree::nodes`].
pub(super) type NodeId = usize;

pub(super) struct Tree {
    pub nodes: Vec<YNode>,
    pub root: Option<NodeId>,
}

pub(super) struct YNode {
    pub kind: YKind,
    /// 0-based
    pub line: u32,
    /// 0-based, in characters
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

pub(super) enum YKind {
    Scalar {
        value: String,
        tag: String,
        implicit: bool,
    },
    Seq(Vec<NodeId>),
    /// key, value, key, value, …
    Map(Vec<NodeId>),
    /// the anchored node, and the anchor's name
    Alias(NodeId, String),
}

/// Go's `parser.fail`: the line is the problem's, not increased except for scanner errors.
fn fail(e: &libyaml_safer::Error) -> YamlError {
    let scanner = e.kind() == ErrorKind::Scanner;
    let mark = e.problem_mark();
    let mut line = 0;
    match (mark, e.context_mark()) {
        (Some(m), _) if m.line != 0 => line = m.line + u64::from(scanner),
        (_, Some(c)) if c.line != 0 => line = c.line,
        _ => {}
    }
    let text = match e.problem() {
        "" => "unknown problem parsing YAML content",
        p => p,
    };
    let message = if line != 0 { format!("line {line}: {text}") } else { text.to_string() };
    match mark {
        Some(m) => YamlError::at(message, m.line as u32, m.column as u32),
        None => YamlError::new(message),
    }
}

/// Reads the first document.
pub(super) fn parse(text: &[u8]) -> Result<Tree, YamlError> {
    let mut input = text;
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let mut tree = Tree { nodes: Vec::new(), root: None };
    let mut anchors: BTreeMap<String, NodeId> = BTreeMap::new();
    let mut stack: Vec<NodeId> = Vec::new();
    loop {
        let event = parser.parse().map_err(|e| fail(&e))?;
        let (from, to) = (event.start_mark, event.end_mark);
        match event.data {
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => {}
            EventData::StreamEnd | EventData::DocumentEnd { .. } => return Ok(tree),
            EventData::Alias { anchor } => {
                let Some(target) = anchors.get(&anchor).copied() else {
                    let m = format!("unknown anchor '{anchor}' referenced");
                    return Err(YamlError::at(m, from.line as u32, from.column as u32));
                };
                add(&mut tree, &stack, YKind::Alias(target, anchor), from, to);
            }
            EventData::Scalar { anchor, tag, value, plain_implicit, .. } => {
                let kind = YKind::Scalar { value, tag: tag.unwrap_or_default(), implicit: plain_implicit };
                let id = add(&mut tree, &stack, kind, from, to);
                anchors.extend(anchor.map(|a| (a, id)));
            }
            EventData::SequenceStart { anchor, .. } => {
                let id = add(&mut tree, &stack, YKind::Seq(Vec::new()), from, to);
                anchors.extend(anchor.map(|a| (a, id)));
                stack.push(id);
            }
            EventData::MappingStart { anchor, .. } => {
                let id = add(&mut tree, &stack, YKind::Map(Vec::new()), from, to);
                anchors.extend(anchor.map(|a| (a, id)));
                stack.push(id);
            }
            EventData::SequenceEnd | EventData::MappingEnd => {
                if let Some(id) = stack.pop() {
                    // A block collection's end event stands at the next token: take the last child's end instead.
                    let last = match &tree.nodes[id].kind {
                        YKind::Seq(c) | YKind::Map(c) => c.last().copied(),
                        _ => None,
                    };
                    let flow = to.index > from.index;
                    let (l, c) = match last {
                        Some(child) if !flow => (tree.nodes[child].end_line, tree.nodes[child].end_column),
                        _ => (to.line as u32, to.column as u32),
                    };
                    tree.nodes[id].end_line = l;
                    tree.nodes[id].end_column = c;
                }
            }
        }
        if stack.len() > MAX_DEPTH {
            return Err(YamlError::at(
                format!("not modelled here: YAML nested deeper than {MAX_DEPTH} levels"),
                from.line as u32,
                from.column as u32,
            ));
        }
    }
}

fn add(tree: &mut Tree, stack: &[NodeId], kind: YKind, from: Mark, to: Mark) -> NodeId {
    let id = tree.nodes.len();
    tree.nodes.push(YNode {
        kind,
        line: from.line as u32,
        column: from.column as u32,
        end_line: to.line as u32,
        end_column: to.column as u32,
    });
    match stack.last() {
        Some(parent) => match &mut tree.nodes[*parent].kind {
            YKind::Seq(c) | YKind::Map(c) => c.push(id),
            _ => {}
        },
        None => tree.root = Some(id),
    }
    id
}
