//! The backend: ordered rows in buckets, and the writes that wait for the next commit.
//!
//! etcd keeps its rows in a bbolt file and commits a batch every 100 ms or 10,000 operations (`server/storage/backend`).
//! Here a [`BatchTx`] gathers the [`Write`]s of a batch in order and a [`Backend`] holds what was committed. Rows of
//! bucket `key` stay messages whose value is shared with the Raft entry; their bytes are made on demand.
//!
//! Not modelled here: the pages of the bbolt file. [`Backend::size`] estimates them.

mod record;

pub use record::{RecordError, decode_records, encode_record};

use crate::revision::{BucketKey, Revision};
use bytes::Bytes;
use prost::Message;
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::mvccpb::KeyValue;

/// The buckets of etcd's backend, in the byte order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Bucket {
    /// Encoded AlarmMember → empty.
    Alarm = 0,
    /// Whether authentication is on, and its revision.
    Auth = 1,
    /// Role name → encoded authpb.Role.
    AuthRoles = 2,
    /// User name → encoded authpb.User.
    AuthUsers = 3,
    /// `clusterVersion`, `downgrade`.
    Cluster = 4,
    /// Revision bytes → encoded mvccpb.KeyValue.
    Key = 5,
    /// Lease id, 8 bytes big-endian → encoded leasepb.Lease.
    Lease = 6,
    /// Member id in hexadecimal → JSON.
    Members = 7,
    /// Member id in hexadecimal → `removed`.
    MembersRemoved = 8,
    /// `consistent_index`, `term`, `confState`, `scheduledCompactRev`, `finishedCompactRev`, `storageVersion`.
    Meta = 9,
}

impl Bucket {
    /// All of them, in the order of the file.
    pub const ALL: [Bucket; 10] = [
        Bucket::Alarm,
        Bucket::Auth,
        Bucket::AuthRoles,
        Bucket::AuthUsers,
        Bucket::Cluster,
        Bucket::Key,
        Bucket::Lease,
        Bucket::Members,
        Bucket::MembersRemoved,
        Bucket::Meta,
    ];

    /// The name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Bucket::Alarm => "alarm",
            Bucket::Auth => "auth",
            Bucket::AuthRoles => "authRoles",
            Bucket::AuthUsers => "authUsers",
            Bucket::Cluster => "cluster",
            Bucket::Key => "key",
            Bucket::Lease => "lease",
            Bucket::Members => "members",
            Bucket::MembersRemoved => "members_removed",
            Bucket::Meta => "meta",
        }
    }
}

/// Keys of bucket `meta` that the store itself writes.
pub mod meta {
    /// Last compaction that was asked for: 17 revision bytes.
    pub const SCHEDULED_COMPACT: &[u8] = b"scheduledCompactRev";
    /// Last compaction that was carried out: 17 revision bytes.
    pub const FINISHED_COMPACT: &[u8] = b"finishedCompactRev";
    /// Last Raft index applied: 8 bytes big-endian. Written by the member.
    pub const CONSISTENT_INDEX: &[u8] = b"consistent_index";
    /// Term of that entry: 8 bytes big-endian. Written by the member.
    pub const TERM: &[u8] = b"term";
    /// Raft membership at that entry, as JSON. Written by the member.
    pub const CONF_STATE: &[u8] = b"confState";
    /// Version of the storage format. Written by the member.
    pub const STORAGE_VERSION: &[u8] = b"storageVersion";
}

/// One row put into or deleted from the backend.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A row of bucket `key`.
    Row(BucketKey, Rc<KeyValue>),
    /// Compaction takes a row of bucket `key`.
    DeleteRow(BucketKey),
    /// A row of another bucket.
    Put(Bucket, Bytes, Bytes),
    /// Deletes a row of another bucket.
    Delete(Bucket, Bytes),
}

impl Write {
    /// The bucket it writes to.
    pub fn bucket(&self) -> Bucket {
        match self {
            Write::Row(..) | Write::DeleteRow(_) => Bucket::Key,
            Write::Put(b, ..) | Write::Delete(b, _) => *b,
        }
    }

    /// The bytes of the row's key.
    pub fn key(&self) -> Bytes {
        match self {
            Write::Row(k, _) | Write::DeleteRow(k) => k.to_bytes(),
            Write::Put(_, k, _) | Write::Delete(_, k) => k.clone(),
        }
    }

    /// The bytes of the row's value; `None` for a deletion.
    pub fn value(&self) -> Option<Bytes> {
        match self {
            Write::Row(_, kv) => Some(kv.encode_to_vec().into()),
            Write::Put(_, _, v) => Some(v.clone()),
            Write::DeleteRow(_) | Write::Delete(..) => None,
        }
    }
}

/// The writes since the last commit, in order.
#[derive(Debug, Default)]
pub struct BatchTx {
    writes: Vec<Write>,
    force: bool,
}

impl BatchTx {
    /// Puts a row of any bucket but `key`.
    pub fn put(&mut self, bucket: Bucket, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.writes.push(Write::Put(bucket, key.into(), value.into()));
    }

    /// Deletes a row of any bucket but `key`.
    pub fn delete(&mut self, bucket: Bucket, key: impl Into<Bytes>) {
        self.writes.push(Write::Delete(bucket, key.into()));
    }

    pub(crate) fn push(&mut self, w: Write) {
        self.writes.push(w);
    }

    pub(crate) fn force_commit(&mut self) {
        self.force = true;
    }

    /// Operations that wait. etcd commits at 10,000.
    pub fn pending(&self) -> u64 {
        self.writes.len() as u64
    }

    /// The writes that wait, in order.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Whether something asked for a commit at once (a compaction before it begins and after each of its batches).
    pub fn commit_forced(&self) -> bool {
        self.force
    }

    pub(crate) fn take(&mut self) -> Vec<Write> {
        self.force = false;
        std::mem::take(&mut self.writes)
    }
}

/// Bytes of a bbolt page.
const PAGE: u64 = 4096;
/// Bytes of a page's head, and of each row in a leaf page beside its key and value.
const PAGE_HEAD: u64 = 16;
const LEAF_ELEMENT: u64 = 16;

/// The committed rows of all buckets.
#[derive(Clone, Debug, Default)]
pub struct Backend {
    rows: BTreeMap<BucketKey, Rc<KeyValue>>,
    others: BTreeMap<(Bucket, Bytes), Bytes>,
    bytes: u64,
    high_water: u64,
}

impl Backend {
    /// An empty backend.
    pub fn new() -> Backend {
        Backend::default()
    }

    /// Commits a batch.
    pub fn commit(&mut self, writes: impl IntoIterator<Item = Write>) {
        for w in writes {
            match w {
                Write::Row(k, kv) => {
                    self.bytes += row_bytes(17 + u64::from(k.tombstone), kv.encoded_len() as u64);
                    if let Some(old) = self.rows.insert(k, kv) {
                        self.bytes -= row_bytes(17 + u64::from(k.tombstone), old.encoded_len() as u64);
                    }
                }
                Write::DeleteRow(k) => {
                    if let Some(old) = self.rows.remove(&k) {
                        self.bytes -= row_bytes(17 + u64::from(k.tombstone), old.encoded_len() as u64);
                    }
                }
                Write::Put(b, k, v) => {
                    let n = k.len() as u64;
                    self.bytes += row_bytes(n, v.len() as u64);
                    if let Some(old) = self.others.insert((b, k), v) {
                        self.bytes -= row_bytes(n, old.len() as u64);
                    }
                }
                Write::Delete(b, k) => {
                    let n = k.len() as u64;
                    if let Some(old) = self.others.remove(&(b, k)) {
                        self.bytes -= row_bytes(n, old.len() as u64);
                    }
                }
            }
        }
        self.high_water = self.high_water.max(self.size_in_use());
    }

    /// A row of any bucket but `key`.
    pub fn get(&self, bucket: Bucket, key: &[u8]) -> Option<&Bytes> {
        self.others.get(&(bucket, Bytes::copy_from_slice(key)))
    }

    /// Rows of bucket `key`, in the order of their revisions.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = (BucketKey, &Rc<KeyValue>)> {
        self.rows.iter().map(|(k, kv)| (*k, kv))
    }

    /// Rows of bucket `key` from a revision on.
    pub fn rows_from(&self, rev: Revision) -> impl DoubleEndedIterator<Item = (BucketKey, &Rc<KeyValue>)> {
        self.rows.range(BucketKey { rev, tombstone: false }..).map(|(k, kv)| (*k, kv))
    }

    /// Rows of any bucket but `key`, in the order of their keys.
    pub fn bucket(&self, bucket: Bucket) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        let from = (bucket, Bytes::new());
        self.others.range(from..).take_while(move |((b, _), _)| *b == bucket).map(|((_, k), v)| (k, v))
    }

    /// All rows of a bucket as bytes, in order.
    pub fn encoded(&self, bucket: Bucket) -> Box<dyn Iterator<Item = (Bytes, Bytes)> + '_> {
        if bucket == Bucket::Key {
            return Box::new(self.rows().map(|(k, kv)| (k.to_bytes(), kv.encode_to_vec().into())));
        }
        Box::new(self.bucket(bucket).map(|(k, v)| (k.clone(), v.clone())))
    }

    /// The whole content as writes, in the order of the file: a snapshot to send or save.
    pub fn snapshot(&self) -> Vec<Write> {
        let mut out = Vec::with_capacity(self.rows.len() + self.others.len());
        for b in Bucket::ALL {
            if b == Bucket::Key {
                out.extend(self.rows.iter().map(|(k, kv)| Write::Row(*k, kv.clone())));
            } else {
                out.extend(self.bucket(b).map(|(k, v)| Write::Put(b, k.clone(), v.clone())));
            }
        }
        out
    }

    /// `Maintenance.Hash`: CRC-32C over every bucket's name and rows, but for what differs between members in `meta`.
    pub fn hash(&self) -> u32 {
        let mut h = 0;
        for b in Bucket::ALL {
            h = crc32c::crc32c_append(h, b.name().as_bytes());
            for (k, v) in self.encoded(b) {
                let differs = [meta::TERM, meta::CONSISTENT_INDEX, meta::STORAGE_VERSION].contains(&&k[..]);
                if b == Bucket::Meta && differs {
                    continue;
                }
                h = crc32c::crc32c_append(h, &k);
                h = crc32c::crc32c_append(h, &v);
            }
        }
        h
    }

    /// Estimated bytes of the backend file: its pages never become fewer, until it is defragmented.
    pub fn size(&self) -> u64 {
        self.high_water.max(self.size_in_use())
    }

    /// Estimated bytes of the pages that hold rows. Leaf pages are counted as filled to nine tenths.
    pub fn size_in_use(&self) -> u64 {
        let fill = PAGE * 9 / 10 - PAGE_HEAD;
        // Two meta pages, the free list, the root.
        (4 + self.bytes.div_ceil(fill)) * PAGE
    }

    /// Rewrites the file without its free pages.
    pub fn defragment(&mut self) {
        self.high_water = 0;
    }
}

fn row_bytes(key: u64, value: u64) -> u64 {
    LEAF_ELEMENT + key + value
}
