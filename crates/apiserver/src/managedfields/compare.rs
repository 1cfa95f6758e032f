//! What one version of an object has that another has not: added, removed and modified paths.

use super::set::{PathElement, Scalar, Set};
use super::shape::{ListRule, Shape};
use kube::json::Json;
use std::collections::{BTreeMap, BTreeSet};

/// Result of a comparison; no path is in two of the sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Only in the old object.
    pub removed: Set,
    /// In both, different.
    pub modified: Set,
    /// Only in the new object.
    pub added: Set,
}

impl Comparison {
    /// Without the paths in or below `ignored`.
    pub fn without(&self, ignored: &Set) -> Comparison {
        Comparison {
            removed: self.removed.recursive_difference(ignored),
            modified: self.modified.recursive_difference(ignored),
            added: self.added.recursive_difference(ignored),
        }
    }
}

/// Compares two objects of one shape.
pub fn compare(old: &Json, new: &Json, shape: &Shape<'_>) -> Comparison {
    let mut walker = Walker { path: Vec::new(), out: Comparison::default() };
    walker.visit(Some(old), Some(new), shape);
    walker.out
}

struct Walker {
    path: Vec<PathElement>,
    out: Comparison,
}

fn empty_object(v: Option<&Json>) -> bool {
    v.and_then(Json::as_obj).is_none_or(BTreeMap::is_empty)
}

fn empty_list(v: Option<&Json>) -> bool {
    v.and_then(Json::as_arr).is_none_or(Vec::is_empty)
}

impl Walker {
    fn leaf(&mut self, old: Option<&Json>, new: Option<&Json>) {
        match (old, new) {
            (None, Some(_)) => self.out.added.insert(&self.path),
            (Some(_), None) => self.out.removed.insert(&self.path),
            (Some(a), Some(b)) if a != b => self.out.modified.insert(&self.path),
            _ => {}
        }
    }

    fn visit(&mut self, old: Option<&Json>, new: Option<&Json>, shape: &Shape<'_>) {
        // A null takes the form of the other side.
        let seen = [new, old].into_iter().flatten().find(|v| !v.is_null());
        let descended = match seen {
            Some(Json::Obj(_)) if !shape.atomic_object() => self.objects(old, new, shape),
            Some(Json::Arr(_)) => self.lists(old, new, shape),
            _ => false,
        };
        if !descended {
            return self.leaf(old, new);
        }
        match (old, new) {
            (None, Some(_)) => self.out.added.insert(&self.path),
            (Some(_), None) => self.out.removed.insert(&self.path),
            _ => {}
        }
    }

    /// False: both are empty, or the two are not both objects, so the place is a leaf.
    fn objects(&mut self, old: Option<&Json>, new: Option<&Json>, shape: &Shape<'_>) -> bool {
        if empty_object(old) && empty_object(new) {
            return false;
        }
        let empty = BTreeMap::new();
        let (a, b) =
            (old.and_then(Json::as_obj).unwrap_or(&empty), new.and_then(Json::as_obj).unwrap_or(&empty));
        let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for name in names {
            self.path.push(PathElement::Field(name.clone()));
            self.visit(a.get(name), b.get(name), &shape.member(name));
            self.path.pop();
        }
        true
    }

    fn lists(&mut self, old: Option<&Json>, new: Option<&Json>, shape: &Shape<'_>) -> bool {
        let rule = shape.list_rule();
        if rule == ListRule::Atomic || empty_list(old) && empty_list(new) {
            return false;
        }
        let group = |v: Option<&Json>| {
            let mut out: BTreeMap<PathElement, Vec<Json>> = BTreeMap::new();
            for item in v.and_then(Json::as_arr).into_iter().flatten() {
                if let Some(pe) = name_item(item, &rule) {
                    out.entry(pe).or_default().push(item.clone());
                }
            }
            out
        };
        let (a, b) = (group(old), group(new));
        let names: BTreeSet<&PathElement> = a.keys().chain(b.keys()).collect();
        let none = Vec::new();
        for pe in names {
            let (l, r) = (a.get(pe).unwrap_or(&none), b.get(pe).unwrap_or(&none));
            self.path.push(pe.clone());
            match (l.len(), r.len()) {
                (0 | 1, 0 | 1) => self.visit(l.first(), r.first(), &shape.item()),
                (2.., 2..) => {
                    if l != r {
                        self.out.modified.insert(&self.path);
                    }
                }
                (2.., _) => {
                    if let Some(item) = r.first() {
                        self.visit(None, Some(item), &shape.item());
                    }
                    self.out.removed.insert(&self.path);
                }
                (_, _) => {
                    if let Some(item) = l.first() {
                        self.visit(Some(item), None, &shape.item());
                    }
                    self.out.added.insert(&self.path);
                }
            }
            self.path.pop();
        }
        true
    }
}

/// The path element of a list's item; `None` if it cannot be named.
fn name_item(item: &Json, rule: &ListRule<'_>) -> Option<PathElement> {
    match rule {
        ListRule::Atomic => None,
        ListRule::Set => match item {
            Json::Obj(_) | Json::Null => None,
            v => Some(PathElement::Value(Scalar(v.clone()))),
        },
        ListRule::Map(keys) => {
            let Json::Obj(map) = item else { return None };
            let mut named: Vec<(String, Scalar)> = Vec::new();
            for (key, default) in keys {
                match map.get(*key).or(default.as_ref()) {
                    Some(v) => named.push(((*key).to_owned(), Scalar(v.clone()))),
                    None => continue,
                }
            }
            if named.is_empty() {
                return None;
            }
            named.sort();
            Some(PathElement::Key(named))
        }
    }
}
