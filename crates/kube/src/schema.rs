//! The wire schema of every Kubernetes type: one table, made by `tests/conformance/schema` from the released Go
//! types (versions and sums in the data file's first lines), read once.
//!
//! Fields of inlined structs (`VolumeSource` in `Volume`) stand flattened in their parent, in JSON order, as JSON
//! shows them; [`Field::wrappers`] tells which sub-messages surround them in protobuf.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::OnceLock;

static DATA: &[u8] = include_bytes!("../data/schema.tsv.gz");

/// A struct type of the schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u16);

/// A field of a type: its place in JSON order, inlined structs flattened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FieldId(pub u16);

/// What a field holds (behind a pointer or not: see [`Field::pointer`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Bool,
    Int32,
    Int64,
    UInt32,
    UInt64,
    Float64,
    Str,
    /// `[]byte`: base64 in JSON
    Bytes,
    /// metav1.Time: seconds
    Time,
    /// metav1.MicroTime: microseconds
    MicroTime,
    /// metav1.Duration: int64 nanoseconds, Go's text in JSON
    Duration,
    Quantity,
    IntOrString,
    /// runtime.RawExtension: raw JSON
    RawExtension,
    /// metav1.FieldsV1: raw JSON
    FieldsV1,
    /// apiextensions JSON: raw JSON
    Json,
    /// a JSONSchemaProps or a list of them
    PropsOrArray(TypeId),
    /// a JSONSchemaProps or a boolean
    PropsOrBool(TypeId),
    /// a JSONSchemaProps or a list of strings
    PropsOrStrings(TypeId),
    Struct(TypeId),
    List(Box<Kind>),
    /// a list that is a message of its own in protobuf (`ExtraValue`, `Verbs`)
    WrappedList(Box<Kind>),
    /// a map with string keys
    Map(Box<Kind>),
}

impl Kind {
    /// The element kind of a list or map.
    pub fn elem(&self) -> Option<&Kind> {
        match self {
            Kind::List(k) | Kind::WrappedList(k) | Kind::Map(k) => Some(k),
            _ => None,
        }
    }
    /// True for `[]T`.
    pub fn is_list(&self) -> bool {
        matches!(self, Kind::List(_) | Kind::WrappedList(_))
    }
    /// True for types whose zero value prints in protobuf as a length-delimited message.
    pub fn is_message(&self) -> bool {
        !matches!(
            self,
            Kind::Bool
                | Kind::Int32
                | Kind::Int64
                | Kind::UInt32
                | Kind::UInt64
                | Kind::Float64
                | Kind::Str
                | Kind::Bytes
                | Kind::List(_)
                | Kind::Map(_)
        )
    }
}

/// A field of a struct type.
#[derive(Debug)]
pub struct Field {
    pub id: FieldId,
    /// protobuf field number inside the innermost wrapper; 0: no protobuf form
    pub number: u32,
    /// JSON name
    pub name: &'static str,
    pub kind: Kind,
    /// a Go pointer: absent and zero differ
    pub pointer: bool,
    /// JSON leaves it out when empty
    pub omitempty: bool,
    /// JSON leaves it out when zero (times)
    pub omitzero: bool,
    /// required in the published OpenAPI schema
    pub required: bool,
    /// Go's name of the type behind the pointer, as error texts show it: `int32`, `[]v1.Container`
    pub go_type: &'static str,
    elem_go: &'static str,
    /// `atomic`, `set`, `map`, `granular` or empty
    pub list_type: &'static str,
    /// keys of a `listType=map`
    pub list_keys: Vec<&'static str>,
    /// `patchStrategy` tag: `merge`, `replace`, `retainKeys`, `merge,retainKeys` or empty
    pub patch_strategy: &'static str,
    /// `patchMergeKey` tag
    pub merge_key: &'static str,
    /// inlined structs around the field, outermost first: protobuf number (0: none) and Go name
    pub wrappers: Vec<(u32, &'static str)>,
    /// the published default, as JSON text, or empty
    pub default: &'static str,
    /// values of a string enumeration, sorted
    pub enum_values: Vec<&'static str>,
}

impl Field {
    /// Go's name of an element's type, for lists and maps.
    pub fn elem_go_type(&self) -> &'static str {
        if !self.elem_go.is_empty() {
            return self.elem_go;
        }
        elem_of_go_type(self.go_type)
    }
    /// True when Go's zero value is "nothing": pointers, lists, maps and byte slices.
    pub fn nilable(&self) -> bool {
        self.pointer || matches!(self.kind, Kind::List(_) | Kind::WrappedList(_) | Kind::Map(_) | Kind::Bytes)
    }
}

/// `[]T` → `T`, `map[K]T` → `T`.
pub(crate) fn elem_of_go_type(t: &'static str) -> &'static str {
    if let Some(e) = t.strip_prefix("[]") {
        return e;
    }
    match t.strip_prefix("map[").and_then(|m| m.split_once(']')) {
        Some((_, e)) => e,
        None => t,
    }
}

/// One step of writing a message in ascending field numbers.
#[derive(Debug)]
pub enum ProtoStep {
    Field(FieldId),
    /// an inlined struct: a message holding some of the parent's fields
    Wrapper {
        number: u32,
        go_name: &'static str,
        steps: Vec<ProtoStep>,
    },
}

/// A struct type.
#[derive(Debug)]
pub struct Type {
    pub id: TypeId,
    /// `core/v1.Pod`, `meta/v1.ObjectMeta`
    pub name: &'static str,
    /// Go's type text in errors: `v1.Pod`
    pub go_type: &'static str,
    /// `structType=atomic`
    pub atomic: bool,
    /// in JSON order
    pub fields: Vec<Field>,
    by_name: Vec<u16>,
    /// in protobuf order
    pub steps: Vec<ProtoStep>,
}

impl Type {
    /// The field of that JSON name (case-sensitive, as the API server matches).
    pub fn field(&self, name: &str) -> Option<&Field> {
        let i = self.by_name.binary_search_by(|i| self.fields[usize::from(*i)].name.cmp(name)).ok()?;
        Some(&self.fields[usize::from(self.by_name[i])])
    }
    /// The field of that id.
    pub fn field_by_id(&self, id: FieldId) -> &Field {
        &self.fields[usize::from(id.0)]
    }
    /// The Go name without its package: `Pod`.
    pub fn go_name(&self) -> &'static str {
        self.go_type.rsplit('.').next().unwrap_or(self.go_type)
    }
}

/// The whole table.
pub struct Schema {
    types: Vec<Type>,
    names: BTreeMap<&'static str, TypeId>,
    /// sorted by group, version, kind
    kinds: Vec<(&'static str, &'static str, &'static str, TypeId)>,
    /// the modules the table was made from, one a line
    pub provenance: Vec<&'static str>,
}

impl Schema {
    /// The type of that id.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[usize::from(id.0)]
    }
    /// The type named as in [`Type::name`].
    pub fn by_name(&self, name: &str) -> Option<&Type> {
        self.names.get(name).map(|id| self.ty(*id))
    }
    /// The type of a registered kind; the kinds of metav1 (Status, ListOptions, …) are found in every group.
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&Type> {
        let find = |g: &str, v: &str| {
            let i = self.kinds.binary_search_by(|(a, b, c, _)| (*a, *b, *c).cmp(&(g, v, kind))).ok()?;
            Some(self.kinds[i].3)
        };
        find(group, version)
            .or_else(|| {
                let id = find("", "v1")?;
                self.ty(id).name.starts_with("meta/v1.").then_some(id)
            })
            .map(|id| self.ty(id))
    }
    /// All types in file order.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.types.iter()
    }
    /// All registered kinds: group, version, kind, type.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str, TypeId)> + '_ {
        self.kinds.iter().copied()
    }
}

/// The schema (inflated and read at the first call).
pub fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut text = String::with_capacity(400_000);
        flate2::read::GzDecoder::new(DATA).read_to_string(&mut text).expect("the schema file inflates");
        load(Box::leak(text.into_boxed_str()))
    })
}

fn load(text: &'static str) -> Schema {
    // Types refer to later ones: number the names first, in the file's order.
    let mut names = BTreeMap::new();
    for line in text.lines() {
        if let Some(r) = line.strip_prefix("T\t") {
            let name = r.split('\t').next().unwrap_or("");
            let id = TypeId(names.len() as u16);
            names.insert(name, id);
        }
    }
    let mut schema =
        Schema { types: Vec::with_capacity(names.len()), names, kinds: Vec::new(), provenance: Vec::new() };
    for line in text.lines() {
        let mut c = line.split('\t');
        match c.next() {
            Some("T") => {
                let name = c.next().unwrap_or("");
                let go_type = c.next().unwrap_or("");
                let atomic = c.next() == Some("atomic");
                let id = TypeId(schema.types.len() as u16);
                schema.types.push(Type {
                    id,
                    name,
                    go_type,
                    atomic,
                    fields: Vec::new(),
                    by_name: Vec::new(),
                    steps: Vec::new(),
                });
            }
            Some("F") => {
                let mut col = || c.next().unwrap_or("");
                let number = col().parse().expect("field number");
                let name = col();
                let flags = col();
                let kind = parse_kind(col(), &schema.names);
                let go_type = col();
                let elem_go = col();
                let list_type = col();
                let list_keys = list(col());
                let patch_strategy = col();
                let merge_key = col();
                let wrappers = col();
                let default = col();
                let enum_values = list(col());
                let ty = schema.types.last_mut().expect("a type before its fields");
                ty.fields.push(Field {
                    id: FieldId(ty.fields.len() as u16),
                    number,
                    name,
                    kind,
                    pointer: flags.contains('p'),
                    omitempty: flags.contains('o'),
                    omitzero: flags.contains('z'),
                    required: flags.contains('r'),
                    go_type,
                    elem_go,
                    list_type,
                    list_keys,
                    patch_strategy,
                    merge_key,
                    wrappers: wrappers
                        .split('/')
                        .filter_map(|w| w.split_once(':'))
                        .map(|(n, g)| (n.parse().expect("wrapper number"), g))
                        .collect(),
                    default,
                    enum_values,
                });
            }
            Some("K") => {
                let mut col = || c.next().unwrap_or("");
                let (g, v, k) = (col(), col(), col());
                schema.kinds.push((g, v, k, schema.names[col()]));
            }
            _ => {
                if let Some(p) = line.strip_prefix("# ") {
                    schema.provenance.push(p);
                }
            }
        }
    }
    schema.kinds.sort_unstable();
    for ty in &mut schema.types {
        let mut by_name: Vec<u16> = (0..ty.fields.len() as u16).collect();
        by_name.sort_by_key(|i| ty.fields[usize::from(*i)].name);
        ty.by_name = by_name;
        let all: Vec<&Field> = ty.fields.iter().filter(|f| f.number != 0).collect();
        ty.steps = steps(&all, 0);
    }
    schema
}

/// The writing order of fields which share their first `depth` wrappers.
fn steps(fields: &[&Field], depth: usize) -> Vec<ProtoStep> {
    let mut out: Vec<(u32, ProtoStep)> = Vec::new();
    let mut i = 0;
    while i < fields.len() {
        let f = fields[i];
        match f.wrappers.get(depth) {
            None => {
                out.push((f.number, ProtoStep::Field(f.id)));
                i += 1;
            }
            Some(w) => {
                let n = fields[i..].iter().take_while(|g| g.wrappers.get(depth) == Some(w)).count();
                let inner = steps(&fields[i..i + n], depth + 1);
                if w.0 != 0 {
                    out.push((w.0, ProtoStep::Wrapper { number: w.0, go_name: w.1, steps: inner }));
                }
                i += n;
            }
        }
    }
    out.sort_by_key(|(n, _)| *n);
    out.into_iter().map(|(_, s)| s).collect()
}

fn list(s: &'static str) -> Vec<&'static str> {
    if s.is_empty() { Vec::new() } else { s.split(',').collect() }
}

fn parse_kind(s: &'static str, names: &BTreeMap<&'static str, TypeId>) -> Kind {
    if let Some(e) = s.strip_prefix("[]") {
        return Kind::List(Box::new(parse_kind(e, names)));
    }
    if let Some(e) = s.strip_prefix("~[]") {
        return Kind::WrappedList(Box::new(parse_kind(e, names)));
    }
    if let Some(e) = s.strip_prefix("map:") {
        return Kind::Map(Box::new(parse_kind(e, names)));
    }
    let (word, ty) = s.split_once('@').unwrap_or((s, ""));
    let id = || names[ty];
    match word {
        "" => Kind::Struct(id()),
        "bool" => Kind::Bool,
        "int32" => Kind::Int32,
        "int64" => Kind::Int64,
        "uint32" => Kind::UInt32,
        "uint64" => Kind::UInt64,
        "float64" => Kind::Float64,
        "string" => Kind::Str,
        "bytes" => Kind::Bytes,
        "time" => Kind::Time,
        "microtime" => Kind::MicroTime,
        "duration" => Kind::Duration,
        "quantity" => Kind::Quantity,
        "intorstring" => Kind::IntOrString,
        "rawextension" => Kind::RawExtension,
        "fieldsv1" => Kind::FieldsV1,
        "json" => Kind::Json,
        "props-or-array" => Kind::PropsOrArray(id()),
        "props-or-bool" => Kind::PropsOrBool(id()),
        "props-or-strings" => Kind::PropsOrStrings(id()),
        w => panic!("kind {w} of the schema file is not known"),
    }
}
