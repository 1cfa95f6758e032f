//! A set of field paths, as `FieldsV1` prints it.
//!
//! ```text
//!   {"f:data":{".":{},"f:a":{}}}     members: data, data.a
//! ```

use kube::json::{Json, append_string};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// One step of a path. The order of the variants is the order in which siblings are printed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathElement {
    /// `f:name`
    Field(String),
    /// `k:{"name":"c"}`: an item of a list with keys; keys sorted by name.
    Key(Vec<(String, Scalar)>),
    /// `v:"x"`: an item of a set.
    Value(Scalar),
    /// `i:0`
    Index(i64),
}

/// A JSON value inside a path, ordered by kind, then value.
#[derive(Clone, Debug)]
pub struct Scalar(pub Json);

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Scalar {}
impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Scalar) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Scalar {
    fn cmp(&self, other: &Scalar) -> Ordering {
        fn rank(j: &Json) -> u8 {
            match j {
                Json::Int(_) | Json::Float(_) => 0,
                Json::Str(_) => 1,
                Json::Bool(_) => 2,
                Json::Arr(_) => 3,
                Json::Obj(_) => 4,
                Json::Null => 5,
            }
        }
        match (&self.0, &other.0) {
            (Json::Int(a), Json::Int(b)) => a.cmp(b),
            (Json::Str(a), Json::Str(b)) => a.cmp(b),
            (Json::Bool(a), Json::Bool(b)) => a.cmp(b),
            (a, b) => rank(a).cmp(&rank(b)).then_with(|| a.to_vec().cmp(&b.to_vec())),
        }
    }
}

impl PathElement {
    fn print(&self, out: &mut String) {
        match self {
            PathElement::Field(n) => {
                out.push_str("f:");
                out.push_str(n);
            }
            PathElement::Key(keys) => {
                out.push_str("k:{");
                for (i, (n, v)) in keys.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    let mut text = Vec::new();
                    append_string(n, &mut text);
                    out.push_str(&String::from_utf8_lossy(&text));
                    out.push(':');
                    out.push_str(&v.0.to_text());
                }
                out.push('}');
            }
            PathElement::Value(v) => {
                out.push_str("v:");
                out.push_str(&v.0.to_text());
            }
            PathElement::Index(i) => {
                out.push_str("i:");
                out.push_str(&i.to_string());
            }
        }
    }

    fn parse(text: &str) -> Option<PathElement> {
        let (kind, rest) = text.split_once(':')?;
        match kind {
            "f" => Some(PathElement::Field(rest.to_owned())),
            "k" => match Json::parse(rest.as_bytes()).ok()? {
                Json::Obj(m) => Some(PathElement::Key(m.into_iter().map(|(n, v)| (n, Scalar(v))).collect())),
                _ => None,
            },
            "v" => Json::parse(rest.as_bytes()).ok().map(|v| PathElement::Value(Scalar(v))),
            "i" => rest.parse().ok().map(PathElement::Index),
            _ => None,
        }
    }
}

/// A set of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    members: BTreeSet<PathElement>,
    children: BTreeMap<PathElement, Set>,
}

impl Set {
    /// Whether no path is in it.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.values().all(Set::is_empty)
    }

    /// A set of paths of field names, each with dots between.
    pub fn of_fields(paths: &[&str]) -> Set {
        let mut set = Set::default();
        for p in paths {
            let path: Vec<PathElement> = p.split('.').map(|n| PathElement::Field(n.to_owned())).collect();
            set.insert(&path);
        }
        set
    }

    /// Adds a path. The empty path is no member.
    pub fn insert(&mut self, path: &[PathElement]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => self.children.entry(first.clone()).or_default().insert(rest),
        }
    }

    /// Paths in either.
    pub fn union(&self, other: &Set) -> Set {
        let mut out = self.clone();
        out.members.extend(other.members.iter().cloned());
        for (pe, child) in &other.children {
            let merged = out.children.get(pe).map_or_else(|| child.clone(), |c| c.union(child));
            out.children.insert(pe.clone(), merged);
        }
        out
    }

    /// Paths in both.
    pub fn intersection(&self, other: &Set) -> Set {
        let members = self.members.intersection(&other.members).cloned().collect();
        let children = self
            .children
            .iter()
            .filter_map(|(pe, c)| {
                let both = c.intersection(other.children.get(pe)?);
                (!both.is_empty()).then(|| (pe.clone(), both))
            })
            .collect();
        Set { members, children }
    }

    /// Paths here that are not in `other`.
    pub fn difference(&self, other: &Set) -> Set {
        let members = self.members.difference(&other.members).cloned().collect();
        let children = self
            .children
            .iter()
            .filter_map(|(pe, c)| {
                let rest = other.children.get(pe).map_or_else(|| c.clone(), |o| c.difference(o));
                (!rest.is_empty()).then(|| (pe.clone(), rest))
            })
            .collect();
        Set { members, children }
    }

    /// Paths here that are neither in `other` nor below a path of it.
    pub fn recursive_difference(&self, other: &Set) -> Set {
        let members = self.members.difference(&other.members).cloned().collect();
        let children = self
            .children
            .iter()
            .filter(|(pe, _)| !other.members.contains(pe))
            .filter_map(|(pe, c)| {
                let rest = other.children.get(pe).map_or_else(|| c.clone(), |o| c.recursive_difference(o));
                (!rest.is_empty()).then(|| (pe.clone(), rest))
            })
            .collect();
        Set { members, children }
    }

    /// The `FieldsV1` text.
    pub fn to_text(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        self.print(false, &mut out);
        out
    }

    fn print(&self, member: bool, out: &mut Vec<u8>) {
        out.push(b'{');
        let mut first = true;
        if member {
            out.extend_from_slice(b"\".\":{}");
            first = false;
        }
        let mut all: Vec<&PathElement> = self.members.iter().chain(self.children.keys()).collect();
        all.sort_unstable();
        all.dedup();
        for pe in all {
            if !first {
                out.push(b',');
            }
            first = false;
            let mut name = String::new();
            pe.print(&mut name);
            append_string(&name, out);
            out.push(b':');
            match self.children.get(pe) {
                Some(child) => child.print(self.members.contains(pe), out),
                None => out.extend_from_slice(b"{}"),
            }
        }
        out.push(b'}');
    }

    /// Reads a `FieldsV1`; `None` if it is not one.
    pub fn from_json(json: &Json) -> Option<Set> {
        let mut set = Set::default();
        let Json::Obj(map) = json else { return None };
        for (name, value) in map {
            if name == "." {
                continue; // the parent's
            }
            let pe = PathElement::parse(name)?;
            let Json::Obj(inner) = value else { return None };
            if inner.is_empty() || inner.contains_key(".") {
                set.members.insert(pe.clone());
            }
            let child = Set::from_json(value)?;
            if !child.is_empty() {
                set.children.insert(pe, child);
            }
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Set {
        Set::from_json(&Json::parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn round_trip_keeps_the_original_order() {
        let text = r#"{"f:a":{".":{},"f:x":{}},"f:b":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}},"k:{\"containerPort\":443,\"protocol\":\"TCP\"}":{}},"f:c":{"v:\"x\"":{}}}"#;
        assert_eq!(String::from_utf8(set(text).to_text()).unwrap(), text);
    }

    #[test]
    fn algebra() {
        let a = set(r#"{"f:a":{".":{},"f:x":{}},"f:b":{}}"#);
        let b = set(r#"{"f:a":{"f:x":{},"f:y":{}}}"#);
        assert_eq!(a.difference(&b), set(r#"{"f:a":{},"f:b":{}}"#));
        assert_eq!(a.intersection(&b), set(r#"{"f:a":{"f:x":{}}}"#));
        assert_eq!(a.union(&b), set(r#"{"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{}}"#));
        assert_eq!(a.recursive_difference(&Set::of_fields(&["a"])), set(r#"{"f:b":{}}"#));
        assert!(a.difference(&a).is_empty());
    }
}
