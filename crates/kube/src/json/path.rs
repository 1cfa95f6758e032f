//! Field paths as Kubernetes writes them in messages: `spec.containers[0].image`, `metadata.labels["a.b/c"]`.

use std::borrow::Cow;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathElem {
    /// a field or a map key
    Key(String),
    /// a list index
    Index(usize),
}

/// One step of a path, borrowed from its text where possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elem<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

impl<'a> Elem<'a> {
    /// Walks over the steps of `path` without allocating (unless a quoted key holds an escape).
    pub fn iter(path: &'a str) -> Elems<'a> {
        Elems { rest: path, first: true }
    }
}

/// Iterator of [`Elem::iter`].
pub struct Elems<'a> {
    rest: &'a str,
    first: bool,
}

impl<'a> Iterator for Elems<'a> {
    type Item = Elem<'a>;

    fn next(&mut self) -> Option<Elem<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        if let Some(r) = self.rest.strip_prefix('[') {
            self.first = false;
            if let Some(q) = r.strip_prefix('"') {
                return Some(self.quoted(q));
            }
            let (inside, rest) = r.split_once(']').unwrap_or((r, ""));
            self.rest = rest;
            return Some(match inside.parse::<usize>() {
                Ok(i) => Elem::Index(i),
                Err(_) => Elem::Key(Cow::Borrowed(inside)),
            });
        }
        if !self.first {
            self.rest = self.rest.strip_prefix('.').unwrap_or(self.rest);
        }
        self.first = false;
        let end = self.rest.find(['.', '[']).unwrap_or(self.rest.len());
        let (key, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(Elem::Key(Cow::Borrowed(key)))
    }
}

impl<'a> Elems<'a> {
    /// `q` stands after the opening quote; ends after `"]`. `\"` and `\\` are the only escapes.
    fn quoted(&mut self, q: &'a str) -> Elem<'a> {
        let b = q.as_bytes();
        let (mut i, mut escaped) = (0, false);
        while i < b.len() && b[i] != b'"' {
            if b[i] == b'\\' {
                escaped = true;
                i += 1;
            }
            i += 1;
        }
        let end = i.min(b.len());
        let key = &q[..end];
        let rest = q.get(end + 1..).unwrap_or("");
        self.rest = rest.strip_prefix(']').unwrap_or(rest);
        if !escaped {
            return Elem::Key(Cow::Borrowed(key));
        }
        let mut s = String::with_capacity(key.len());
        let mut it = key.chars();
        while let Some(c) = it.next() {
            match c {
                '\\' => s.extend(it.next()),
                c => s.push(c),
            }
        }
        Elem::Key(Cow::Owned(s))
    }
}

/// The steps of a path: names between dots, `[3]` an index, `["any key"]` or `[any key]` a map key.
pub fn parse_path(path: &str) -> Vec<PathElem> {
    Elem::iter(path)
        .map(|e| match e {
            Elem::Key(k) => PathElem::Key(k.into_owned()),
            Elem::Index(i) => PathElem::Index(i),
        })
        .collect()
}

/// Appends one step to a path text: `.name`, `[3]`, or `["a.b/c"]` for keys that are no plain names.
pub fn append_path(path: &mut String, e: &PathElem) {
    match e {
        PathElem::Index(i) => path.push_str(&format!("[{i}]")),
        PathElem::Key(k) => {
            let plain = !k.is_empty()
                && !k.as_bytes()[0].is_ascii_digit()
                && k.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'$'));
            if !plain {
                path.push_str("[\"");
                for c in k.chars() {
                    if matches!(c, '"' | '\\') {
                        path.push('\\');
                    }
                    path.push(c);
                }
                path.push_str("\"]");
                return;
            }
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(k);
        }
    }
}

/// The text of a path: the inverse of [`parse_path`].
pub fn path_text(path: &[PathElem]) -> String {
    let mut s = String::new();
    for e in path {
        append_path(&mut s, e);
    }
    s
}
