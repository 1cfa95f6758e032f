//! Windows: what a view shows, as data. The engine says *what is*, with the names of the originals; every sentence around
//! it is the page's, in the reader's language.

use serde::{Deserialize, Serialize};

use crate::{SpanId, TraceId};

/// The page numbers its windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WindowId(pub u32);

/// What a window shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WindowSpec {
    /// The now bar: [`Window::Now`].
    Now,
    /// Spans of the followed request (or, without one, of the last `span` nanoseconds): [`Window::Strip`].
    Strip { span: u64 },
    /// The newest requests: [`Window::Requests`]. With `writes`, only those that changed something.
    Requests { count: u16, writes: bool },
    /// The stations of one request, or of the followed one: [`Window::Path`].
    Path { trace: Option<TraceId> },
    /// What one station was given, decided and gave: [`Window::Station`]. `at`: the first byte of each payload to send,
    /// `len`: how many at most.
    Station { trace: Option<TraceId>, span: SpanId, at: u32, len: u32 },
    /// Keys in byte order: [`Window::Keys`].
    Keys { prefix: String, first: u32, count: u16 },
    /// One key's revisions: [`Window::Key`].
    Key { key: Vec<u8> },
    /// A value through all its forms: [`Window::Value`].
    Value { source: Source, at: u32, len: u32 },
    /// Members, links and processes: [`Window::Cluster`].
    Cluster,
    /// Files below a folder of the shell's file system: [`Window::Files`].
    Files { dir: String },
    /// One file: [`Window::File`].
    File { path: String },
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A stored key, now or at a revision.
    Stored { key: Vec<u8>, revision: Option<i64> },
    /// What the followed (or named) request carries, as far as it has got.
    Request { trace: Option<TraceId> },
    /// A manifest in the editor: only its own text and tree.
    Text { text: String },
}

/// A window's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Window {
    Now(Box<Now>),
    Strip(Strip),
    Requests(Vec<Request>),
    Path(Path),
    Station(Box<Station>),
    Keys(Keys),
    Key(Key),
    Value(Box<Value>),
    Cluster(Cluster),
    Files(Vec<FileEntry>),
    File(File),
    /// What was asked for is not there, with the original's text where it has one.
    Gone {
        why: String,
    },
}

/// Just happened, now, next. Without a followed request `now` is `None` and the page says that the world is idle (or
/// running) at `revision`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Now {
    pub trace: Option<TraceId>,
    pub last: Option<Stop>,
    pub now: Option<Stop>,
    /// The station the path has after `now`; facts are empty since it has not happened.
    pub next: Option<String>,
    /// Event index of the station before `now`: where stepping back goes.
    pub back: Option<u64>,
    /// The followed request has ended, with this outcome.
    pub ended: Option<Outcome>,
    /// Requests under way.
    pub open: u32,
    pub revision: u64,
}

/// One passing of one station.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    pub span: SpanId,
    /// `sim::Station` in kebab-case: kubectl http authn authz decode default mutate strategy validate admit storage convert codec
    /// transformer client-txn propose append quorum commit apply mvcc db-page txn-response answer etcd-watch reflector
    /// watch-cache watcher.
    pub station: String,
    /// Where it ran: `kubectl`, `kube-apiserver`, `m1`, …
    pub process: String,
    /// Of GuaranteedUpdate: 1 for the first.
    pub attempt: u32,
    /// Index of the event with which it ended, where stepping stops: by then its decision and its payload can be seen and
    /// the next station has not begun. While it lasts, of the event in which it began.
    pub event: u64,
    /// Virtual nanoseconds; `end` is `None` while it lasts.
    pub start: u64,
    pub end: Option<u64>,
    /// What it decided, as the trace has it: names and values of the originals (`user`: `kubernetes-admin`, …).
    pub facts: Vec<(String, String)>,
    /// Length of what it was given and what it gave, bytes.
    pub before: Option<u32>,
    pub after: Option<u32>,
    /// The error it ended with, in the original's words.
    pub error: Option<String>,
    /// Core sample: bytes of what it gave, by who put them there. Objects in memory count with the length of their JSON.
    /// Empty when it is not known (or when the bytes are ciphertext).
    pub sample: Vec<(Origin, u32)>,
}

/// How a request ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// HTTP status.
    pub code: u16,
    /// `Created`, `Conflict`, …; the reason of a Status.
    pub reason: String,
    pub message: String,
}

/// The trace strip: lanes of spans over virtual time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strip {
    /// Virtual ns of the left edge and of now.
    pub start: u64,
    pub now: u64,
    pub spans: Vec<StripSpan>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StripSpan {
    pub span: SpanId,
    pub trace: TraceId,
    pub process: String,
    pub station: String,
    pub event: u64,
    pub start: u64,
    /// `None`: not ended.
    pub end: Option<u64>,
    /// Time in which it only waited for others.
    pub waiting: bool,
}

/// One request, as a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub trace: TraceId,
    /// `kubectl-client-side-apply`, `kube-scheduler`, …: who asked.
    pub client: String,
    /// `POST`, `GET`, `WATCH`, or an etcd method as `Txn`.
    pub verb: String,
    pub target: String,
    pub start: u64,
    pub event: u64,
    /// Where it is now; `None` when ended.
    pub station: Option<String>,
    pub held: bool,
    pub outcome: Option<Outcome>,
    /// It changed (or tried to change) something.
    pub write: bool,
}

/// A request's way through the stations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Path {
    pub request: Request,
    /// In the order of entering; of a station passed on several members, one for each.
    pub stops: Vec<Stop>,
}

/// Who put a field there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// The person who wrote the manifest.
    You,
    /// Default values of the version.
    Defaults,
    /// kubectl's last-applied-configuration.
    Annotation,
    ManagedFields,
    Admission,
    /// uid, creationTimestamp, generation, resourceVersion: the strategy.
    System,
    Status,
    Envelope,
    /// Not tracked.
    #[default]
    Unknown,
}

/// A field of an object, in the order of its bytes (or of its text).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// `spec.containers[0].image`.
    pub path: String,
    pub name: String,
    pub depth: u16,
    pub leaf: bool,
    /// Protobuf field number and wire type (0 when it has no bytes of its own).
    pub number: u32,
    pub wire: u8,
    /// `string`, `int32`, `Container`, …
    pub kind: String,
    /// A leaf's value, shortened to 200 characters.
    pub value: String,
    pub origin: Origin,
}

/// What the bytes of a layer are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// The text a person reads and writes.
    #[default]
    Yaml,
    Json,
    /// An HTTP message.
    Http,
    /// The `k8s\0` envelope and the object in it.
    Protobuf,
    /// What a transformer wrote.
    Stored,
    /// `etcdserverpb.TxnRequest`, `raftpb.Message`, `raftpb.Entry`, `mvccpb.KeyValue`, …: named by [`Layer::name`].
    Message,
    Text,
}

/// One form of a value: its bytes, and which of them belong to which field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    pub form: Form,
    /// `v1.Pod`, `etcdserverpb.TxnRequest`, `k8s:enc:aescbc:v1:key1:` …
    pub name: String,
    /// Length of the whole, bytes.
    pub total: u32,
    /// Offset of the first byte of `data`.
    pub at: u32,
    pub data: Vec<u8>,
    /// Ranges in the whole, sorted by start; paths index [`Station::fields`] or [`Value::fields`].
    pub marks: Vec<Mark>,
    /// Named stretches: `prefix`, `iv`, `nonce`, `ciphertext`, `tag`, `padding`, `key`, `value`, …
    pub parts: Vec<Part>,
    /// Size of a cipher block when the bytes are ciphertext, else 0; and where block 0 begins.
    pub block: u8,
    pub block_start: u32,
}

/// A stretch of a layer that belongs to a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Index into the window's fields.
    pub field: u32,
    pub start: u32,
    pub end: u32,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The value's own bytes.
    #[default]
    Value,
    /// Tag and length bytes, or the field's name in a text.
    Tag,
    /// Whole cipher blocks that hold the bytes.
    Covers,
    /// Blocks (or an authentication tag) that change because of the bytes.
    Chain,
    /// The same text found again: not the field.
    Copy,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub start: u32,
    pub end: u32,
}

/// A station's panel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Station {
    pub stop: Stop,
    pub fields: Vec<Field>,
    pub before: Option<Layer>,
    pub after: Option<Layer>,
    /// Field by field, where both sides are objects.
    pub changes: Vec<Change>,
}

/// What a station did to one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub origin: Origin,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Keys {
    pub revision: u64,
    pub compacted: u64,
    /// Keys below the prefix.
    pub total: u32,
    pub first: u32,
    pub rows: Vec<KeyRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    pub key: Vec<u8>,
    pub create_revision: i64,
    pub mod_revision: i64,
    pub version: i64,
    pub lease: i64,
    /// Value's length, bytes.
    pub size: u32,
    /// What the value's first bytes say: `k8s\0`, `k8s:enc:aescbc:v1:key1:`, `{`, …; at most 64 characters.
    pub prefix: String,
}

/// A key's life.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Key {
    pub key: Vec<u8>,
    pub compacted: i64,
    pub revision: i64,
    /// Oldest first; a tombstone has version 0 and no value.
    pub history: Vec<KeyRow>,
}

/// A value through its forms, from what a person reads down to what lies on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// `/registry/pods/default/dnsutils`, or the manifest's name.
    pub title: String,
    pub revision: Option<i64>,
    pub fields: Vec<Field>,
    /// In the order Yaml, Protobuf (or Json), Stored, Message (the Raft entry), as far as they are there.
    pub layers: Vec<Layer>,
    /// Why there is no further layer, in the original's words: what a transformer or decoder refused.
    pub error: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub members: Vec<Member>,
    pub processes: Vec<Process>,
    pub links: Vec<Link>,
    /// Names of the providers that write, by resource, first match first; empty: not encrypted.
    pub encryption: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub name: String,
    pub id: u64,
    pub role: RaftRole,
    pub term: u64,
    pub vote: u64,
    pub first_index: u64,
    pub last_index: u64,
    pub commit: u64,
    pub applied: u64,
    pub revision: u64,
    /// Bytes of the backend.
    pub db_size: u64,
    /// The newest entries, oldest first.
    pub log: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RaftRole {
    #[default]
    Follower,
    Leader,
    Candidate,
    PreCandidate,
    Learner,
    /// The process is down.
    Stopped,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub index: u64,
    pub term: u64,
    /// `txn /registry/pods/default/dnsutils`, `lease grant`, `empty`, …
    pub what: String,
    pub size: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub name: String,
    pub alive: bool,
    pub paused: bool,
    /// `ready`, or why not.
    pub state: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub from: String,
    pub to: String,
    pub cut: bool,
    /// One-way latency, ns.
    pub latency: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub path: String,
    pub dir: bool,
    pub size: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub path: String,
    pub data: Vec<u8>,
}
