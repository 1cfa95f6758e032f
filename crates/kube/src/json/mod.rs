//! JSON as Kubernetes handles it: one value type, a parser that speaks Go's `encoding/json` error texts, and
//! printers that write Go's bytes.
//!
//! Numbers follow `k8s.io/apimachinery/pkg/util/json`: a literal without `.`, `e` or `E` that fits int64 is an
//! integer, every other number a float64. Objects are sorted maps, as `map[string]interface{}` prints.
//!
//! Nesting: Go's scanner refuses more than 10,000 levels (`exceeded max depth`); trees deeper than
//! [`MAX_TREE_DEPTH`] are refused by name, so that every walk over a [`Json`] may recurse.

mod ast;
mod parse;
mod path;
mod print;
#[cfg(test)]
mod tests;

pub use ast::{JsonLike, Node, NodeKind, View};
pub use parse::{JsonError, MAX_NESTING_DEPTH, MAX_TREE_DEPTH, parse_node, parse_prefix};
pub use path::{Elem, PathElem, append_path, parse_path, path_text};
pub use print::{append_go_float, append_string, go_quote, indent_text};

use std::collections::BTreeMap;

/// An object's members, sorted by key bytes.
pub type Map = BTreeMap<String, Json>;

/// A JSON value (`interface{}` after decoding in Go).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    /// int64
    Int(i64),
    /// float64; finite when it came from a parser
    Float(f64),
    Str(String),
    Arr(Vec<Json>),
    Obj(Map),
}

impl Json {
    /// Parses one document as `json.Unmarshal` into `interface{}` does; of duplicate keys the last wins.
    pub fn parse(text: &[u8]) -> Result<Json, JsonError> {
        parse::parse(text)
    }

    /// An empty object.
    pub fn obj() -> Json {
        Json::Obj(Map::new())
    }

    /// `encoding/json` compact bytes: sorted keys, no spaces, `<`, `>`, `&`, U+2028, U+2029 escaped, no final newline.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        print::compact(self, &mut out);
        out
    }

    /// The compact text as a string (JSON is always UTF-8).
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.to_vec()).into_owned()
    }

    /// `json.MarshalIndent(v, "", indent)`: kubectl's `-o json` uses four spaces, the API server's `pretty` two.
    /// No final newline.
    pub fn pretty(&self, indent: &str) -> String {
        print::pretty(self, indent)
    }

    /// Go's name of the value's kind in error texts: `null`, `bool`, `number`, `string`, `array`, `object`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "bool",
            Json::Int(_) | Json::Float(_) => "number",
            Json::Str(_) => "string",
            Json::Arr(_) => "array",
            Json::Obj(_) => "object",
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(b) = self { Some(*b) } else { None }
    }
    pub fn as_int(&self) -> Option<i64> {
        if let Json::Int(i) = self { Some(*i) } else { None }
    }
    /// Any number as float64.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Json::Int(i) => Some(*i as f64),
            Json::Float(f) => Some(*f),
            _ => None,
        }
    }
    pub fn as_str(&self) -> Option<&str> {
        if let Json::Str(s) = self { Some(s) } else { None }
    }
    pub fn as_arr(&self) -> Option<&Vec<Json>> {
        if let Json::Arr(a) = self { Some(a) } else { None }
    }
    pub fn as_arr_mut(&mut self) -> Option<&mut Vec<Json>> {
        if let Json::Arr(a) = self { Some(a) } else { None }
    }
    pub fn as_obj(&self) -> Option<&Map> {
        if let Json::Obj(o) = self { Some(o) } else { None }
    }
    pub fn as_obj_mut(&mut self) -> Option<&mut Map> {
        if let Json::Obj(o) = self { Some(o) } else { None }
    }

    /// The member `key` of an object; `None` for any other value.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_obj().and_then(|o| o.get(key))
    }
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.as_obj_mut().and_then(|o| o.get_mut(key))
    }
    /// Element `i` of an array; `None` for any other value.
    pub fn idx(&self, i: usize) -> Option<&Json> {
        self.as_arr().and_then(|a| a.get(i))
    }
    /// The array at `path`, or an empty slice.
    pub fn items_at(&self, path: &str) -> &[Json] {
        match self.at(path) {
            Some(Json::Arr(a)) => a,
            _ => &[],
        }
    }

    /// The value at a path such as `spec.containers[0].image` or `metadata.labels["a.b/c"]` (see [`parse_path`]).
    pub fn at(&self, path: &str) -> Option<&Json> {
        let mut cur = self;
        for e in Elem::iter(path) {
            cur = match e {
                Elem::Key(k) => cur.get(&k)?,
                Elem::Index(i) => cur.idx(i)?,
            };
        }
        Some(cur)
    }
    pub fn at_mut(&mut self, path: &str) -> Option<&mut Json> {
        let mut cur = self;
        for e in Elem::iter(path) {
            cur = match e {
                Elem::Key(k) => cur.get_mut(&k)?,
                Elem::Index(i) => cur.as_arr_mut()?.get_mut(i)?,
            };
        }
        Some(cur)
    }
    /// The value at a path given as elements.
    pub fn at_elems(&self, path: &[PathElem]) -> Option<&Json> {
        path.iter().try_fold(self, |cur, e| match e {
            PathElem::Key(k) => cur.get(k),
            PathElem::Index(i) => cur.idx(*i),
        })
    }
    /// The string at `path`; `""` when it is absent or no string (Go's zero value).
    pub fn str_at(&self, path: &str) -> &str {
        self.at(path).and_then(Json::as_str).unwrap_or("")
    }
    /// The integer at `path`, if it is one.
    pub fn int_at(&self, path: &str) -> Option<i64> {
        self.at(path).and_then(Json::as_int)
    }
    /// The boolean at `path`, if it is one.
    pub fn bool_at(&self, path: &str) -> Option<bool> {
        self.at(path).and_then(Json::as_bool)
    }

    /// Sets the value at `path`, making objects on the way. An index equal to an array's length appends. Returns
    /// false (and changes nothing further) when the path runs through a scalar or past an array's end.
    pub fn set_at(&mut self, path: &str, value: impl Into<Json>) -> bool {
        let elems = parse_path(path);
        self.set_elems(&elems, value.into())
    }
    /// As [`Json::set_at`] with the path given as elements.
    pub fn set_elems(&mut self, path: &[PathElem], value: Json) -> bool {
        let mut cur = self;
        for e in path {
            cur = match e {
                PathElem::Key(k) => {
                    if cur.is_null() {
                        *cur = Json::obj();
                    }
                    match cur {
                        Json::Obj(o) => o.entry(k.clone()).or_insert(Json::Null),
                        _ => return false,
                    }
                }
                PathElem::Index(i) => {
                    if cur.is_null() {
                        *cur = Json::Arr(Vec::new());
                    }
                    let Json::Arr(a) = cur else { return false };
                    if *i == a.len() {
                        a.push(Json::Null);
                    }
                    match a.get_mut(*i) {
                        Some(v) => v,
                        None => return false,
                    }
                }
            };
        }
        *cur = value;
        true
    }
    /// Removes and returns the value at `path`.
    pub fn remove_at(&mut self, path: &str) -> Option<Json> {
        let elems = parse_path(path);
        let (last, head) = elems.split_last()?;
        let mut cur = self;
        for e in head {
            cur = match e {
                PathElem::Key(k) => cur.get_mut(k)?,
                PathElem::Index(i) => cur.as_arr_mut()?.get_mut(*i)?,
            };
        }
        match last {
            PathElem::Key(k) => cur.as_obj_mut()?.remove(k),
            PathElem::Index(i) => {
                let a = cur.as_arr_mut()?;
                (*i < a.len()).then(|| a.remove(*i))
            }
        }
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_text())
    }
}

macro_rules! from_int {
    ($($t:ty),*) => {$(impl From<$t> for Json { fn from(v: $t) -> Json { Json::Int(i64::from(v)) } })*};
}
from_int!(i64, i32, i16, u32, u16, u8);

impl From<bool> for Json {
    fn from(v: bool) -> Json {
        Json::Bool(v)
    }
}
impl From<f64> for Json {
    fn from(v: f64) -> Json {
        Json::Float(v)
    }
}
impl From<&str> for Json {
    fn from(v: &str) -> Json {
        Json::Str(v.to_string())
    }
}
impl From<&String> for Json {
    fn from(v: &String) -> Json {
        Json::Str(v.clone())
    }
}
impl From<String> for Json {
    fn from(v: String) -> Json {
        Json::Str(v)
    }
}
impl From<Vec<Json>> for Json {
    fn from(v: Vec<Json>) -> Json {
        Json::Arr(v)
    }
}
impl From<Map> for Json {
    fn from(v: Map) -> Json {
        Json::Obj(v)
    }
}
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(v: Option<T>) -> Json {
        v.map_or(Json::Null, Into::into)
    }
}
impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Json>>(it: I) -> Json {
        Json::Arr(it.into_iter().collect())
    }
}
impl<K: Into<String>> FromIterator<(K, Json)> for Json {
    fn from_iter<I: IntoIterator<Item = (K, Json)>>(it: I) -> Json {
        Json::Obj(it.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }
}

/// Builds a [`Json`]: `json!({"kind": "Pod", "spec": {"nodeName": (name), "ports": [80, 443]}})`. Expressions
/// that are more than one token stand in parentheses; keys are string literals or parenthesised expressions.
#[macro_export]
macro_rules! json {
    (null) => { $crate::json::Json::Null };
    ([ $($v:tt),* $(,)? ]) => { $crate::json::Json::Arr(vec![ $( $crate::json!($v) ),* ]) };
    ({ $($k:tt : $v:tt),* $(,)? }) => {{
        #[allow(unused_mut)]
        let mut m = $crate::json::Map::new();
        $( m.insert(::std::string::String::from($k), $crate::json!($v)); )*
        $crate::json::Json::Obj(m)
    }};
    ($e:expr) => { $crate::json::Json::from($e) };
}
