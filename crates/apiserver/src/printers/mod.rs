//! Tables: the columns and cells that `kubectl get` prints, made by the server. One file per group of kinds.

mod duration;

pub use duration::human;

use crate::registry::Registry;
use kube::catalog::Gvk;
use kube::json::{Json, append_string};

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// `string`, `integer`, `date`, …
    pub kind: String,
    /// `name` for the name column.
    pub format: String,
    /// What it means, in our words.
    pub description: String,
    /// 0 is always shown, 1 only in wide output.
    pub priority: i64,
}

/// Makes cells from an object as it prints; `now` in Unix seconds.
pub type Cells = fn(&Json, i64) -> Vec<Json>;

/// The printer of one kind.
pub struct Printer {
    columns: Vec<Column>,
    cells: Source,
}

enum Source {
    Built(Cells),
    Crd(Vec<(String, String)>),
}

/// Short form of a column for the tables below: heading, type, wide only.
pub(crate) type Short = (&'static str, &'static str, bool);

fn columns(list: &[Short]) -> Vec<Column> {
    list.iter()
        .map(|(name, kind, wide)| Column {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            format: if *name == "Name" { "name".to_owned() } else { String::new() },
            description: String::new(),
            priority: i64::from(*wide),
        })
        .collect()
}

impl Printer {
    /// The printer of a resource in a version.
    pub fn of(registry: &Registry, gvk: &Gvk) -> Printer {
        if let Some(v) = registry.crd.as_ref().and_then(|c| c.served(&gvk.version)) {
            return Printer::custom(&v.columns);
        }
        let list: &[Short] = &[("Name", "string", false), ("Age", "string", false)];
        Printer { columns: columns(list), cells: Source::Built(plain) }
    }

    /// The printer of a custom resource: its own columns, or the age.
    fn custom(list: &[Json]) -> Printer {
        let mut shown = columns(&[("Name", "string", false)]);
        let mut paths = Vec::new();
        for c in list {
            shown.push(Column {
                name: c.str_at("name").to_owned(),
                kind: c.str_at("type").to_owned(),
                format: c.str_at("format").to_owned(),
                description: c.str_at("description").to_owned(),
                priority: c.int_at("priority").unwrap_or(0),
            });
            paths.push((c.str_at("jsonPath").to_owned(), c.str_at("type").to_owned()));
        }
        if list.is_empty() {
            shown.extend(columns(&[("Age", "date", false)]));
            paths.push((".metadata.creationTimestamp".to_owned(), "date".to_owned()));
        }
        Printer { columns: shown, cells: Source::Crd(paths) }
    }

    /// `columnDefinitions`.
    pub fn columns_text(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (i, c) in self.columns.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            for (n, (name, value)) in
                [("name", &c.name), ("type", &c.kind), ("format", &c.format), ("description", &c.description)]
                    .into_iter()
                    .enumerate()
            {
                out.extend_from_slice(if n == 0 { b"{\"" } else { b",\"" });
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b"\":");
                append_string(value, out);
            }
            out.extend_from_slice(format!(",\"priority\":{}}}", c.priority).as_bytes());
        }
        out.push(b']');
    }

    /// Cells of one object.
    pub fn cells(&self, obj: &Json, now: i64) -> Vec<Json> {
        match &self.cells {
            Source::Built(f) => f(obj, now),
            Source::Crd(paths) => {
                let mut out = vec![text(obj.str_at("metadata.name"))];
                out.extend(paths.iter().map(|(path, kind)| custom_cell(obj, path, kind, now)));
                out
            }
        }
    }
}

/// A cell of a custom column. Only plain paths are read; filters and wildcards give an empty cell.
fn custom_cell(obj: &Json, path: &str, kind: &str, now: i64) -> Json {
    let found = obj.at(path.trim_start_matches('.'));
    match (kind, found) {
        (_, None | Some(Json::Null)) => Json::Null,
        ("date", Some(v)) => since(v.as_str().unwrap_or(""), now),
        ("integer" | "number" | "boolean", Some(v)) => v.clone(),
        (_, Some(Json::Str(s))) => text(s),
        (_, Some(v)) => text(&v.to_text()),
    }
}

fn plain(obj: &Json, now: i64) -> Vec<Json> {
    vec![text(obj.str_at("metadata.name")), age(obj, now)]
}

pub(crate) fn text(s: &str) -> Json {
    Json::Str(s.to_owned())
}

/// Time since creation.
pub(crate) fn age(obj: &Json, now: i64) -> Json {
    since(obj.str_at("metadata.creationTimestamp"), now)
}

/// Time since an RFC 3339 time; `<unknown>` without one.
pub(crate) fn since(time: &str, now: i64) -> Json {
    match kube::time::Time::parse(time) {
        Ok(t) if !t.is_zero() => text(&human(now - t.unix_nanos().div_euclid(1_000_000_000))),
        _ => text("<unknown>"),
    }
}
