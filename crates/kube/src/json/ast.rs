//! The ordered tree of a JSON text: duplicate keys kept, every value with its byte range. Strict decoding
//! (duplicate fields), raw extensions (the text as it was sent) and spans need it; everything else uses `Json`.

use super::{Json, Map};
use std::ops::Range;

/// A value with the byte range of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub kind: NodeKind,
    /// bytes of the value in the parsed text
    pub range: Range<u32>,
}

/// What a [`Node`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Arr(Vec<Node>),
    /// members in the order of the text: key, byte range of the key with its quotes, value
    Obj(Vec<(String, Range<u32>, Node)>),
}

impl Node {
    /// The value without order and duplicates (the last wins).
    pub fn to_json(&self) -> Json {
        match &self.kind {
            NodeKind::Null => Json::Null,
            NodeKind::Bool(b) => Json::Bool(*b),
            NodeKind::Int(i) => Json::Int(*i),
            NodeKind::Float(f) => Json::Float(*f),
            NodeKind::Str(s) => Json::Str(s.clone()),
            NodeKind::Arr(a) => Json::Arr(a.iter().map(Node::to_json).collect()),
            NodeKind::Obj(o) => {
                Json::Obj(o.iter().map(|(k, _, v)| (k.clone(), v.to_json())).collect::<Map>())
            }
        }
    }
}

/// One level of a JSON value, borrowed.
pub enum View<'a, T> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'a str),
    Arr(&'a [T]),
    Obj,
}

/// What decoding needs to know of a tree; implemented by [`Json`] and by a [`Node`] with its text.
pub trait JsonLike: Sized {
    fn view(&self) -> View<'_, Self>;
    /// Members of an object in order (empty for other values); the callback gets key and value.
    fn members<'a>(&'a self, f: &mut dyn FnMut(&'a str, &'a Self));
    /// The text of the value: as sent when `source` holds it, else the compact form.
    fn raw(&self, source: Option<&[u8]>) -> Vec<u8>;
    /// The value as `Json`.
    fn json(&self) -> Json;
}

impl JsonLike for Json {
    fn view(&self) -> View<'_, Json> {
        match self {
            Json::Null => View::Null,
            Json::Bool(b) => View::Bool(*b),
            Json::Int(i) => View::Int(*i),
            Json::Float(f) => View::Float(*f),
            Json::Str(s) => View::Str(s),
            Json::Arr(a) => View::Arr(a),
            Json::Obj(_) => View::Obj,
        }
    }
    fn members<'a>(&'a self, f: &mut dyn FnMut(&'a str, &'a Json)) {
        if let Json::Obj(o) = self {
            for (k, v) in o {
                f(k, v);
            }
        }
    }
    fn raw(&self, _source: Option<&[u8]>) -> Vec<u8> {
        self.to_vec()
    }
    fn json(&self) -> Json {
        self.clone()
    }
}

impl JsonLike for Node {
    fn view(&self) -> View<'_, Node> {
        match &self.kind {
            NodeKind::Null => View::Null,
            NodeKind::Bool(b) => View::Bool(*b),
            NodeKind::Int(i) => View::Int(*i),
            NodeKind::Float(f) => View::Float(*f),
            NodeKind::Str(s) => View::Str(s),
            NodeKind::Arr(a) => View::Arr(a),
            NodeKind::Obj(_) => View::Obj,
        }
    }
    fn members<'a>(&'a self, f: &mut dyn FnMut(&'a str, &'a Node)) {
        if let NodeKind::Obj(o) = &self.kind {
            for (k, _, v) in o {
                f(k, v);
            }
        }
    }
    fn raw(&self, source: Option<&[u8]>) -> Vec<u8> {
        match source {
            Some(s) => s[self.range.start as usize..self.range.end as usize].to_vec(),
            None => self.to_json().to_vec(),
        }
    }
    fn json(&self) -> Json {
        self.to_json()
    }
}
