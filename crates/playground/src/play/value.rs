//! A value through its forms, with the fields that its bytes belong to; and a manifest's text as the API server reads it.

use super::{Playground, requests};
use kube::codec::{self, spans::FieldSpan};
use protocol::view::{Diagnostic, Severity};
use protocol::window::{Field, Form, Layer, Mark, Role, Source, Value, Window};

/// What is wrong with a text: a script if it begins with `#!`, else a manifest.
pub(super) fn check(text: &str) -> Vec<Diagnostic> {
    if text.starts_with("#!") {
        let Err(e) = shell::parse(text) else { return Vec::new() };
        let message = match e {
            shell::ParseError::Incomplete(what) => format!("unexpected end of file in {what}"),
            shell::ParseError::Syntax(s) => s,
        };
        let line = text.lines().count().max(1) as u32;
        return vec![Diagnostic {
            line,
            column: 1,
            end_line: line,
            end_column: 1,
            severity: Severity::Error,
            message,
        }];
    }
    match kube::yaml::to_json(text.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(e) => {
            let message = e.to_string();
            let line = message
                .split("line ")
                .nth(1)
                .and_then(|t| t.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
            let line = line.unwrap_or(1).max(1);
            let last = text.lines().nth(line as usize - 1).map_or(0, |l| l.chars().count() as u32);
            vec![Diagnostic {
                line,
                column: 1,
                end_line: line,
                end_column: last + 1,
                severity: Severity::Error,
                message: e.converting(),
            }]
        }
    }
}

fn fields(spans: &[FieldSpan], data: &[u8]) -> Vec<Field> {
    let field = |(i, s): (usize, &FieldSpan)| {
        let leaf = spans.get(i + 1).is_none_or(|n| n.depth <= s.depth);
        let text = if leaf {
            String::from_utf8_lossy(&data[s.value.clone()]).chars().take(200).collect()
        } else {
            String::new()
        };
        Field {
            path: s.path.clone(),
            name: if s.path.is_empty() {
                s.label.to_owned()
            } else {
                s.path.rsplit('.').next().unwrap_or_default().to_owned()
            },
            depth: s.depth,
            leaf,
            number: s.number,
            wire: s.wire,
            kind: s.label.to_owned(),
            value: text,
            ..Field::default()
        }
    };
    spans.iter().enumerate().map(field).collect()
}

fn marks(spans: &[FieldSpan]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (i, s) in spans.iter().enumerate() {
        let head = s.tag.start..s.value.start;
        for (range, role) in [(head, Role::Tag), (s.value.clone(), Role::Value)] {
            if !range.is_empty() {
                marks.push(Mark { field: i as u32, start: range.start as u32, end: range.end as u32, role });
            }
        }
    }
    marks.sort_by_key(|m| (m.start, m.end));
    marks
}

impl Playground {
    pub(super) fn value(&self, source: &Source, at: u32, len: u32) -> Window {
        let (title, bytes, revision) = match source {
            Source::Stored { key, revision } => match self.stored(key, *revision) {
                Ok((v, rev)) => (String::from_utf8_lossy(key).into_owned(), v, Some(rev)),
                Err(why) => return Window::Gone { why },
            },
            Source::Text { text } => return text_value(text),
            Source::Request { trace } => {
                let id = trace.map(sim::TraceId).or(self.followed);
                let found = id.and_then(|id| self.world.sim().trace().get(id));
                let payload = found
                    .and_then(|t| t.spans.iter().rev().find_map(|s| s.after.clone()).map(|p| (t.title, p)));
                match payload {
                    Some((title, p)) => (title, p, None),
                    None => return Window::Gone { why: String::new() },
                }
            }
        };
        let mut value = Value { title, revision, ..Value::default() };
        let mut layer = requests::layer(&bytes, at, len);
        match codec::spans::spans(&bytes) {
            Ok(spans) => {
                value.fields = fields(&spans, &bytes);
                layer.marks = marks(&spans);
                if let Ok((gvk, object)) = codec::proto::decode(&bytes) {
                    layer.name = format!("{}.{}", gvk.version, gvk.kind);
                    value.layers.push(yaml_layer(
                        &kube::yaml::from_json(&codec::json::encode(&object)),
                        &value.fields,
                    ));
                }
            }
            Err(e) => value.error = Some(e.to_string()),
        }
        value.layers.push(layer);
        Window::Value(Box::new(value))
    }
}

/// A text with its fields marked where their paths stand in it.
fn yaml_layer(text: &str, fields: &[Field]) -> Layer {
    let mut layer = requests::layer(text.as_bytes(), 0, u32::MAX);
    layer.form = Form::Yaml;
    layer.name = "YAML".to_owned();
    for p in kube::yaml::positions(text.as_bytes()).unwrap_or_default() {
        if let Some(i) = fields.iter().position(|f| f.path == p.path) {
            let (start, end) = (p.value.start as u32, p.value.end as u32);
            layer.marks.push(Mark { field: i as u32, start, end, role: Role::Value });
        }
    }
    layer
}

fn text_value(text: &str) -> Window {
    let mut value = Value::default();
    if text.starts_with("#!") {
        let mut layer = requests::layer(text.as_bytes(), 0, u32::MAX);
        layer.form = Form::Text;
        value.layers.push(layer);
        return Window::Value(Box::new(value));
    }
    match kube::yaml::positions(text.as_bytes()) {
        Ok(list) => {
            for p in &list {
                value.fields.push(Field {
                    path: p.path.clone(),
                    name: p.path.rsplit('.').next().unwrap_or_default().to_owned(),
                    depth: p.path.matches(['.', '[']).count() as u16,
                    leaf: true,
                    value: text.get(p.value.clone()).unwrap_or_default().chars().take(200).collect(),
                    origin: protocol::window::Origin::You,
                    ..Field::default()
                });
            }
            value.layers.push(yaml_layer(text, &value.fields));
        }
        Err(e) => value.error = Some(e.converting()),
    }
    Window::Value(Box::new(value))
}
