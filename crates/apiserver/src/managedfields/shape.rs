//! How a value is tracked: leaf, struct, map or list, from the schema of built-in kinds or of a custom resource.

use kube::json::Json;
use kube::schema::{Field, Kind, Type, schema};

/// How the items of a list are told apart.
#[derive(Clone, Debug, PartialEq)]
pub enum ListRule<'a> {
    /// The list is one leaf.
    Atomic,
    /// Items are their own names.
    Set,
    /// Items are named by these members, each with its default.
    Map(Vec<(&'a str, Option<Json>)>),
}

/// A place in an object.
#[derive(Clone, Debug)]
pub enum Shape<'a> {
    /// One value.
    Leaf,
    /// A struct of a built-in kind.
    Struct(&'static Type),
    /// A map of a built-in kind, tracked entry by entry.
    Map(&'static Kind),
    /// A list of a built-in kind.
    List(&'static Kind, ListRule<'a>),
    /// A place in a custom resource, with its structural schema.
    Custom(&'a Json),
    /// No schema: maps entry by entry, lists as one.
    Deduced,
}

impl<'a> Shape<'a> {
    /// The shape of a field of a built-in struct.
    pub fn of_field(field: &'static Field) -> Shape<'static> {
        if field.list_type == "atomic" && !matches!(field.kind, Kind::List(_) | Kind::WrappedList(_)) {
            return Shape::Leaf;
        }
        match &field.kind {
            Kind::List(elem) | Kind::WrappedList(elem) => {
                let rule = match field.list_type {
                    "map" => {
                        ListRule::Map(field.list_keys.iter().map(|k| (*k, key_default(elem, k))).collect())
                    }
                    "set" => ListRule::Set,
                    _ => ListRule::Atomic,
                };
                Shape::List(elem, rule)
            }
            kind => Shape::of_kind(kind),
        }
    }

    /// The shape of an element.
    pub fn of_kind(kind: &'static Kind) -> Shape<'static> {
        match kind {
            Kind::Struct(id) => {
                let ty = schema().ty(*id);
                if ty.atomic { Shape::Leaf } else { Shape::Struct(ty) }
            }
            Kind::Map(elem) => Shape::Map(elem),
            Kind::List(elem) | Kind::WrappedList(elem) => Shape::List(elem, ListRule::Atomic),
            _ => Shape::Leaf,
        }
    }

    /// The shape of the member `name` of an object.
    pub fn member(&self, name: &str) -> Shape<'a> {
        match self {
            Shape::Struct(ty) => ty.field(name).map_or(Shape::Deduced, Shape::of_field),
            Shape::Map(elem) => Shape::of_kind(elem),
            Shape::Custom(s) => {
                if name == "metadata" && s.get("x-root").is_some() {
                    return meta();
                }
                s.get("properties")
                    .and_then(|p| p.get(name))
                    .or_else(|| s.get("additionalProperties").filter(|a| matches!(a, Json::Obj(_))))
                    .map_or(Shape::Deduced, Shape::Custom)
            }
            _ => Shape::Deduced,
        }
    }

    /// The shape of an item of a list.
    pub fn item(&self) -> Shape<'a> {
        match self {
            Shape::List(elem, _) => Shape::of_kind(elem),
            Shape::Custom(s) => s.get("items").map_or(Shape::Deduced, Shape::Custom),
            _ => Shape::Deduced,
        }
    }

    /// Whether an object here is one leaf.
    pub fn atomic_object(&self) -> bool {
        match self {
            Shape::Leaf | Shape::List(..) => true,
            Shape::Custom(s) => s.str_at("x-kubernetes-map-type") == "atomic",
            Shape::Struct(_) | Shape::Map(_) | Shape::Deduced => false,
        }
    }

    /// How a list here is tracked.
    pub fn list_rule(&self) -> ListRule<'a> {
        match self {
            Shape::List(_, rule) => rule.clone(),
            Shape::Custom(s) => match s.str_at("x-kubernetes-list-type") {
                "set" => ListRule::Set,
                "map" => {
                    let default = |key: &str| {
                        s.get("items")
                            .and_then(|i| i.get("properties"))
                            .and_then(|p| p.get(key))
                            .and_then(|p| p.get("default"))
                            .cloned()
                    };
                    let keys = s.get("x-kubernetes-list-map-keys").and_then(Json::as_arr);
                    let keys = keys.into_iter().flatten().filter_map(Json::as_str);
                    ListRule::Map(keys.map(|k| (k, default(k))).collect())
                }
                _ => ListRule::Atomic,
            },
            _ => ListRule::Atomic,
        }
    }
}

fn meta() -> Shape<'static> {
    schema().by_name("meta/v1.ObjectMeta").map_or(Shape::Deduced, Shape::Struct)
}

fn key_default(elem: &Kind, key: &str) -> Option<Json> {
    let Kind::Struct(id) = elem else { return None };
    let default = schema().ty(*id).field(key)?.default;
    if default.is_empty() { None } else { Json::parse(default.as_bytes()).ok() }
}
