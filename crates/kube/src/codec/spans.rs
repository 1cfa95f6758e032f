//! Which bytes of a stored value belong to which field: a walk over finished bytes, driven by the schema.

use super::proto::{MAGIC, ProtoError, Reader, envelope};
use crate::json::{NodeKind, PathElem, append_path, parse_node};
use crate::schema::{Kind, ProtoStep, TypeId, schema};
use std::ops::Range;

/// The bytes of one field, list element, map entry or part of the envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSpan {
    /// `spec.containers[0].image`, `metadata.labels["a.b/c"]`; empty for the envelope and the object as a whole
    pub path: String,
    /// the message's own word for the part: a field name, `key`, `value`, `magic`, `typeMeta`, `raw`, or the Go name
    /// of an inlined struct (whose path is its parent's)
    pub label: &'static str,
    /// protobuf field number; 0 where there is none
    pub number: u32,
    /// wire type: 0 varint, 1 64 bit, 2 length-delimited
    pub wire: u8,
    /// the tag (JSON: the key with its quotes)
    pub tag: Range<usize>,
    /// the length (empty where there is none)
    pub len: Range<usize>,
    /// the content
    pub value: Range<usize>,
    /// how deep it lies: 0 the envelope
    pub depth: u16,
}

impl FieldSpan {
    /// Tag, length and content together.
    pub fn whole(&self) -> Range<usize> {
        self.tag.start..self.value.end
    }
}

/// The spans of a stored value: protobuf in its envelope, or JSON. In the order of the bytes, parents first.
pub fn spans(data: &[u8]) -> Result<Vec<FieldSpan>, ProtoError> {
    if !data.starts_with(&MAGIC) && data.iter().find(|c| !c.is_ascii_whitespace()) == Some(&b'{') {
        return json_spans(data).map_err(ProtoError::Value);
    }
    let e = envelope(data)?;
    let ty = schema().kind(&e.gvk.group, &e.gvk.version, &e.gvk.kind).map(|t| t.id);
    let mut w = Walk { data, out: Vec::new() };
    w.push("", "magic", 0, 2, [0, 0, 0, 4], 0);
    let mut r = Reader { b: data, at: 4 };
    while let Some((n, wire, start, tag_end)) = w.tag(&mut r)? {
        let label = match n {
            1 => "typeMeta",
            2 => "raw",
            3 => "contentEncoding",
            4 => "contentType",
            _ => "unknown",
        };
        let (a, b) = w.content(&mut r, wire)?;
        w.push("", label, n, wire, [start, tag_end, a, b], 0);
        match (n, ty) {
            (1, _) => {
                let mut t = Reader { b: &data[..b], at: a };
                while let Some((n, wire, start, tag_end)) = w.tag(&mut t)? {
                    let (a, b) = w.content(&mut t, wire)?;
                    let name = if n == 1 { "apiVersion" } else { "kind" };
                    w.push(name, name, n, wire, [start, tag_end, a, b], 1);
                }
            }
            (2, Some(ty)) => w.message(ty, &schema().ty(ty).steps, a, b, "", 1)?,
            _ => {}
        }
    }
    Ok(w.out)
}

/// The spans of a JSON document: `tag` is the key, `value` the value's text.
pub fn json_spans(text: &[u8]) -> Result<Vec<FieldSpan>, String> {
    let node = parse_node(text).map_err(|e| e.message)?;
    let mut out = Vec::new();
    walk_json(&node, String::new(), "", 0..0, 0, &mut out);
    Ok(out)
}

fn walk_json(
    n: &crate::json::Node,
    path: String,
    label: &'static str,
    key: Range<usize>,
    depth: u16,
    out: &mut Vec<FieldSpan>,
) {
    let value = n.range.start as usize..n.range.end as usize;
    let tag = if key.is_empty() { value.start..value.start } else { key };
    out.push(FieldSpan {
        path: path.clone(),
        label,
        number: 0,
        wire: 2,
        len: value.start..value.start,
        tag,
        value,
        depth,
    });
    match &n.kind {
        NodeKind::Obj(m) => {
            for (k, r, v) in m {
                let mut p = path.clone();
                append_path(&mut p, &PathElem::Key(k.clone()));
                walk_json(v, p, "member", r.start as usize..r.end as usize, depth + 1, out);
            }
        }
        NodeKind::Arr(a) => {
            for (i, v) in a.iter().enumerate() {
                walk_json(v, format!("{path}[{i}]"), "element", 0..0, depth + 1, out);
            }
        }
        _ => {}
    }
}

/// The innermost span that holds the byte at `offset`.
pub fn at_offset(spans: &[FieldSpan], offset: usize) -> Option<&FieldSpan> {
    spans.iter().filter(|s| s.whole().contains(&offset)).max_by_key(|s| s.depth)
}

/// The span of a path.
pub fn of_path<'a>(spans: &'a [FieldSpan], path: &str) -> Option<&'a FieldSpan> {
    spans.iter().find(|s| s.path == path && !path.is_empty())
}

struct Walk<'a> {
    data: &'a [u8],
    out: Vec<FieldSpan>,
}

impl Walk<'_> {
    /// `at`: start, end of the tag, start and end of the content.
    fn push(&mut self, path: &str, label: &'static str, number: u32, wire: u64, at: [usize; 4], depth: u16) {
        self.out.push(FieldSpan {
            path: path.to_string(),
            label,
            number,
            wire: wire as u8,
            tag: at[0]..at[1],
            len: at[1]..at[2],
            value: at[2]..at[3],
            depth,
        });
    }

    fn tag(&self, r: &mut Reader<'_>) -> Result<Option<(u32, u64, usize, usize)>, ProtoError> {
        let start = r.at;
        Ok(r.tag("Message")?.map(|(n, w)| (n, w, start, r.at)))
    }

    /// Start and end of the content behind a tag.
    fn content(&self, r: &mut Reader<'_>, wire: u64) -> Result<(usize, usize), ProtoError> {
        if wire == 2 {
            let b = r.bytes()?;
            return Ok((r.at - b.len(), r.at));
        }
        let start = r.at;
        r.skip(wire)?;
        Ok((start, r.at))
    }

    fn message(
        &mut self,
        ty: TypeId,
        steps: &'static [ProtoStep],
        from: usize,
        to: usize,
        path: &str,
        depth: u16,
    ) -> Result<(), ProtoError> {
        if depth > 500 {
            return Err(ProtoError::Value(
                "not modelled here: protobuf nested deeper than 500 levels".into(),
            ));
        }
        let t = schema().ty(ty);
        let data = self.data;
        let mut r = Reader { b: &data[..to], at: from };
        let mut counts: std::collections::BTreeMap<u32, usize> = std::collections::BTreeMap::new();
        while let Some((n, wire, start, tag_end)) = self.tag(&mut r)? {
            let (a, b) = self.content(&mut r, wire)?;
            let at = [start, tag_end, a, b];
            let step = steps.iter().find(|s| match s {
                ProtoStep::Field(id) => t.field_by_id(*id).number == n,
                ProtoStep::Wrapper { number, .. } => *number == n,
            });
            match step {
                None => self.push(path, "unknown", n, wire, at, depth),
                Some(ProtoStep::Wrapper { go_name, steps, .. }) => {
                    self.push(path, go_name, n, wire, at, depth);
                    self.message(ty, steps, a, b, path, depth + 1)?;
                }
                Some(ProtoStep::Field(id)) => {
                    let f = t.field_by_id(*id);
                    let mut p = path.to_string();
                    append_path(&mut p, &PathElem::Key(f.name.to_string()));
                    let kind = match &f.kind {
                        Kind::List(e) => {
                            let i = counts.entry(n).or_default();
                            p = format!("{p}[{i}]");
                            *i += 1;
                            &**e
                        }
                        Kind::Map(e) => {
                            self.entry(&p, f.name, n, at, e, depth)?;
                            continue;
                        }
                        k => k,
                    };
                    self.push(&p, f.name, n, wire, at, depth);
                    self.inside(kind, a, b, &p, depth)?;
                }
            }
        }
        Ok(())
    }

    fn inside(&mut self, kind: &Kind, a: usize, b: usize, path: &str, depth: u16) -> Result<(), ProtoError> {
        if let Kind::Struct(ty) = kind {
            return self.message(*ty, &schema().ty(*ty).steps, a, b, path, depth + 1);
        }
        Ok(())
    }

    fn entry(
        &mut self,
        path: &str,
        label: &'static str,
        number: u32,
        at: [usize; 4],
        elem: &Kind,
        depth: u16,
    ) -> Result<(), ProtoError> {
        let data = self.data;
        let mut parts = Vec::new();
        let mut key = String::new();
        let mut r = Reader { b: &data[..at[3]], at: at[2] };
        while let Some((n, wire, start, tag_end)) = self.tag(&mut r)? {
            let (a, b) = self.content(&mut r, wire)?;
            if n == 1 {
                key = String::from_utf8_lossy(&data[a..b]).into_owned();
            }
            parts.push((n, wire, [start, tag_end, a, b]));
        }
        let mut p = path.to_string();
        append_path(&mut p, &PathElem::Key(key));
        self.push(&p, label, number, 2, at, depth);
        for (n, wire, at) in parts {
            self.push(&p, if n == 1 { "key" } else { "value" }, n, wire, at, depth + 1);
            if n == 2 {
                self.inside(elem, at[2], at[3], &p, depth + 1)?;
            }
        }
        Ok(())
    }
}
