//! Nodes to JSON: go-yaml's decoder into `interface{}` followed by `sigs.k8s.io/yaml`'s conversion.

use super::YamlError;
use super::resolve::{Scalar, resolve};
use super::tree::{MAX_DEPTH, NodeId, Tree, YKind, parse};
use crate::json::{Json, Map, go_quote};
use std::collections::BTreeMap;

pub(super) fn decode(text: &[u8], strict: bool) -> Result<Json, YamlError> {
    let tree = parse(text)?;
    let Some(root) = tree.root else { return Ok(Json::Null) };
    let mut d = Decoder {
        tree: &tree,
        strict,
        errors: Vec::new(),
        first_error: None,
        open: Vec::new(),
        decoded: 0,
        aliased: 0,
        alias_depth: 0,
        depth: 0,
    };
    let v = d.value(root)?;
    if !d.errors.is_empty() {
        let mut e = YamlError::new(format!("unmarshal errors:\n  {}", d.errors.join("\n  ")));
        (e.line, e.column) = d.first_error.unzip();
        return Err(e);
    }
    v.into_json()
}

/// What `interface{}` holds after decoding, before keys are made strings.
enum Value {
    Scalar(Scalar),
    Seq(Vec<Value>),
    Map(Vec<(Scalar, Value)>),
}

/// A mapping being filled: its items in order, and where each key is.
#[derive(Default)]
struct Items {
    list: Vec<(Scalar, Value)>,
    index: BTreeMap<String, usize>,
}

struct Decoder<'a> {
    tree: &'a Tree,
    strict: bool,
    errors: Vec<String>,
    first_error: Option<(u32, u32)>,
    /// aliases being expanded
    open: Vec<NodeId>,
    decoded: u64,
    aliased: u64,
    alias_depth: u32,
    depth: usize,
}

/// Which share of the decoding may come from aliases.
fn allowed_alias_ratio(decoded: u64) -> f64 {
    match decoded {
        0..=400_000 => 0.99,
        4_000_000.. => 0.10,
        n => 0.99 - 0.89 * ((n - 400_000) as f64 / 3_600_000.0),
    }
}

impl Decoder<'_> {
    fn count(&mut self) -> Result<(), YamlError> {
        self.decoded += 1;
        if self.alias_depth > 0 {
            self.aliased += 1;
        }
        let ratio = self.aliased as f64 / self.decoded as f64;
        if self.aliased > 100 && self.decoded > 1000 && ratio > allowed_alias_ratio(self.decoded) {
            return Err(YamlError::new("document contains excessive aliasing"));
        }
        Ok(())
    }

    fn value(&mut self, id: NodeId) -> Result<Value, YamlError> {
        self.count()?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(YamlError::new(format!(
                "not modelled here: YAML nested deeper than {MAX_DEPTH} levels"
            )));
        }
        let tree = self.tree;
        let out = match &tree.nodes[id].kind {
            YKind::Scalar { value, tag, implicit } => Value::Scalar(if tag.is_empty() && !implicit {
                Scalar::Str(value.clone())
            } else {
                resolve(tag, value)?
            }),
            YKind::Seq(items) => {
                let mut out = Vec::with_capacity(items.len());
                for i in items {
                    out.push(self.value(*i)?);
                }
                Value::Seq(out)
            }
            YKind::Map(_) => {
                let mut out = Items::default();
                self.mapping(id, &mut out)?;
                Value::Map(out.list)
            }
            YKind::Alias(target, name) => {
                self.enter(id, name)?;
                let v = self.value(*target)?;
                self.leave();
                v
            }
        };
        self.depth -= 1;
        Ok(out)
    }

    fn enter(&mut self, alias: NodeId, name: &str) -> Result<(), YamlError> {
        if self.open.contains(&alias) {
            return Err(YamlError::new(format!("anchor '{name}' value contains itself")));
        }
        self.open.push(alias);
        self.alias_depth += 1;
        Ok(())
    }
    fn leave(&mut self) {
        self.open.pop();
        self.alias_depth -= 1;
    }

    fn mapping(&mut self, id: NodeId, out: &mut Items) -> Result<(), YamlError> {
        let tree = self.tree;
        let YKind::Map(children) = &tree.nodes[id].kind else { return Ok(()) };
        for pair in children.chunks_exact(2) {
            let (k, v) = (pair[0], pair[1]);
            if is_merge(tree, k) {
                self.merge(v, out)?;
                continue;
            }
            let key = match self.value(k)? {
                Value::Scalar(Scalar::Merge) => Scalar::Str("<<".into()),
                Value::Scalar(s) => s,
                other => return Err(YamlError::new(format!("invalid map key: {}", other.go_syntax()))),
            };
            let value = self.value(v)?;
            self.set(v, out, key, value);
        }
        Ok(())
    }

    fn set(&mut self, at: NodeId, out: &mut Items, key: Scalar, value: Value) {
        match out.index.get(&identity(&key)) {
            Some(_) if self.strict => {
                let n = &self.tree.nodes[at];
                self.errors.push(format!("line {}: key {} already set in map", n.line + 1, go_key(&key)));
                self.first_error.get_or_insert((n.line + 1, n.column + 1));
            }
            Some(i) => out.list[*i].1 = value,
            None => {
                out.index.insert(identity(&key), out.list.len());
                out.list.push((key, value));
            }
        }
    }

    fn merge(&mut self, v: NodeId, out: &mut Items) -> Result<(), YamlError> {
        let want_map = || YamlError::new("map merge requires map or sequence of maps as the value");
        let tree = self.tree;
        match &tree.nodes[v].kind {
            YKind::Map(_) | YKind::Alias(..) => self.merge_one(v, out),
            YKind::Seq(items) => {
                for i in items.iter().rev() {
                    self.merge_one(*i, out)?;
                }
                Ok(())
            }
            YKind::Scalar { .. } => Err(want_map()),
        }
    }

    fn merge_one(&mut self, v: NodeId, out: &mut Items) -> Result<(), YamlError> {
        let want_map = || YamlError::new("map merge requires map or sequence of maps as the value");
        self.count()?;
        let tree = self.tree;
        match &tree.nodes[v].kind {
            YKind::Map(_) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(YamlError::new(format!(
                        "not modelled here: YAML nested deeper than {MAX_DEPTH} levels"
                    )));
                }
                self.mapping(v, out)?;
                self.depth -= 1;
                Ok(())
            }
            YKind::Alias(target, name) if matches!(tree.nodes[*target].kind, YKind::Map(_)) => {
                let target = *target;
                self.enter(v, name)?;
                self.merge_one(target, out)?;
                self.leave();
                Ok(())
            }
            _ => Err(want_map()),
        }
    }
}

fn is_merge(tree: &Tree, id: NodeId) -> bool {
    match &tree.nodes[id].kind {
        YKind::Scalar { value, tag, implicit } => {
            value == "<<" && (*implicit || tag == "tag:yaml.org,2002:merge")
        }
        _ => false,
    }
}

fn text_of(s: &Scalar) -> Option<&str> {
    match s {
        Scalar::Str(s) | Scalar::Timestamp(s) | Scalar::Tagged(s) => Some(s),
        Scalar::Merge => Some("<<"),
        _ => None,
    }
}

/// Equal for keys that are equal in a Go map: of one type and value.
fn identity(k: &Scalar) -> String {
    match text_of(k) {
        Some(t) => format!("s{t}"),
        None => format!("{k:?}"),
    }
}

/// `%#v` of a key.
fn go_key(k: &Scalar) -> String {
    match k {
        Scalar::Null => "interface {}(nil)".into(),
        Scalar::Bool(b) => b.to_string(),
        Scalar::Int(i) => i.to_string(),
        Scalar::UInt(u) => format!("{u:#x}"),
        Scalar::Float(f) => go_g(*f, false),
        s => go_quote(text_of(s).unwrap_or("")),
    }
}

/// `strconv.FormatFloat(f, 'g', -1, 64 or 32)`.
pub(super) fn go_g(f: f64, single: bool) -> String {
    if f.is_nan() {
        return ".nan".into();
    }
    if f.is_infinite() {
        return if f > 0.0 { ".inf" } else { "-.inf" }.into();
    }
    let sci = if single { format!("{:e}", f as f32) } else { format!("{f:e}") };
    let (mantissa, exp) = sci.split_once('e').unwrap_or((&sci, "0"));
    let exp: i32 = exp.parse().unwrap_or(0);
    if !(-4..6).contains(&exp) {
        let sign = if exp < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exp.abs());
    }
    if single { format!("{}", f as f32) } else { format!("{f}") }
}

impl Value {
    fn go_syntax(&self) -> String {
        match self {
            Value::Scalar(s) => go_key(s),
            Value::Seq(l) => {
                format!(
                    "[]interface {{}}{{{}}}",
                    l.iter().map(Value::go_syntax).collect::<Vec<_>>().join(", ")
                )
            }
            Value::Map(m) => {
                let items: Vec<_> =
                    m.iter().map(|(k, v)| format!("{}:{}", go_key(k), v.go_syntax())).collect();
                format!("map[interface {{}}]interface {{}}{{{}}}", items.join(", "))
            }
        }
    }

    fn into_json(self) -> Result<Json, YamlError> {
        let unsupported = |f: f64| YamlError {
            message: format!(
                "json: unsupported value: {}",
                if f.is_nan() {
                    "NaN"
                } else if f > 0.0 {
                    "+Inf"
                } else {
                    "-Inf"
                }
            ),
            line: None,
            column: None,
        };
        Ok(match self {
            Value::Scalar(s) => match s {
                Scalar::Null => Json::Null,
                Scalar::Bool(b) => Json::Bool(b),
                Scalar::Int(i) => Json::Int(i),
                Scalar::UInt(u) => Json::Float(u as f64),
                Scalar::Float(f) if !f.is_finite() => return Err(unsupported(f)),
                Scalar::Float(f) => Json::Float(f),
                Scalar::Merge => Json::Str("<<".into()),
                Scalar::Str(s) | Scalar::Timestamp(s) | Scalar::Tagged(s) => Json::Str(s),
            },
            Value::Seq(l) => Json::Arr(l.into_iter().map(Value::into_json).collect::<Result<_, _>>()?),
            Value::Map(m) => {
                let mut out = Map::new();
                for (k, v) in m {
                    let key = match k {
                        Scalar::Null => {
                            return Err(YamlError {
                                message: format!(
                                    "unsupported map key of type: %!s(<nil>), key: <nil>, value: {}",
                                    match &v {
                                        Value::Scalar(Scalar::Null) => "<nil>".to_string(),
                                        v => v.go_syntax(),
                                    }
                                ),
                                line: None,
                                column: None,
                            });
                        }
                        Scalar::Bool(b) => b.to_string(),
                        Scalar::Int(i) => i.to_string(),
                        Scalar::UInt(u) => {
                            return Err(YamlError {
                                message: format!(
                                    "unsupported map key of type: uint64, key: {u:#x}, value: {}",
                                    v.go_syntax()
                                ),
                                line: None,
                                column: None,
                            });
                        }
                        Scalar::Float(f) => go_g(f, true),
                        s => text_of(&s).unwrap_or("").to_string(),
                    };
                    out.insert(key, v.into_json()?);
                }
                Json::Obj(out)
            }
        })
    }
}
