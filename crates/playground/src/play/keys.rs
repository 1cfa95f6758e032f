//! Keys, their rows and histories, as the member that has applied most holds them.

use super::Playground;
use bytes::Bytes;
use mvcc::{KeyRange, Row, Store, prefix_end};
use protocol::window::{Key, KeyRow, Keys};

fn row(r: &Row) -> KeyRow {
    let kv = &r.kv;
    KeyRow {
        key: kv.key.to_vec(),
        create_revision: kv.create_revision,
        mod_revision: kv.mod_revision,
        version: kv.version,
        lease: kv.lease,
        size: kv.value.len() as u32,
        prefix: value_prefix(&kv.value),
    }
}

/// What a value's first bytes say.
fn value_prefix(v: &[u8]) -> String {
    if v.starts_with(b"k8s:enc:") {
        let end = v.iter().enumerate().filter(|(_, b)| **b == b':').nth(4).map_or(v.len(), |(i, _)| i + 1);
        return String::from_utf8_lossy(&v[..end.min(64)]).into_owned();
    }
    if v.starts_with(b"k8s\0") {
        return "k8s\\0".to_owned();
    }
    String::from_utf8_lossy(v).chars().take_while(|c| !c.is_control()).take(24).collect()
}

impl Playground {
    /// The store of the running member that has applied most.
    pub(super) fn with_store<T>(&self, f: impl FnOnce(&Store) -> T) -> Option<T> {
        let cluster = self.world.cluster();
        let newest = (0..cluster.len()).filter_map(|i| Some((cluster.status(i, 0)?.applied, i))).max()?.1;
        cluster.with_store(newest, f)
    }

    pub(super) fn keys(&self, prefix: &str, first: u32, count: u16) -> Keys {
        let start = Bytes::copy_from_slice(prefix.as_bytes());
        let range = if prefix.is_empty() {
            KeyRange::From(Bytes::from_static(&[0]))
        } else {
            KeyRange::new(&start, &prefix_end(&start))
        };
        let look = |s: &Store| {
            let mut keys = Keys {
                revision: s.revision().max(0) as u64,
                compacted: s.compact_revision().max(0) as u64,
                first,
                ..Keys::default()
            };
            for (_, ki) in s.key_indexes(&range) {
                let Some(r) = s.row(ki.modified()).filter(|r| !r.tombstone) else { continue };
                if keys.total >= first && keys.rows.len() < usize::from(count) {
                    keys.rows.push(row(r));
                }
                keys.total += 1;
            }
            keys
        };
        self.with_store(look).unwrap_or_default()
    }

    pub(super) fn key(&self, key: &[u8]) -> Key {
        let look = |s: &Store| {
            let revs = s
                .key_index(key)
                .into_iter()
                .flat_map(|ki| ki.generations().iter().flat_map(|g| g.revs.clone()));
            let history = revs.filter_map(|r| {
                let found = s.row(r)?;
                let mut line = row(found);
                if found.tombstone {
                    line = KeyRow { key: key.to_vec(), mod_revision: r.main, ..KeyRow::default() };
                }
                Some(line)
            });
            Key {
                key: key.to_vec(),
                compacted: s.compact_revision(),
                revision: s.revision(),
                history: history.collect(),
            }
        };
        self.with_store(look).unwrap_or_default()
    }

    /// A key's value, now or at a revision, with its mod revision.
    pub(super) fn stored(&self, key: &[u8], revision: Option<i64>) -> Result<(Bytes, i64), String> {
        let look = |s: &Store| -> Result<(Bytes, i64), String> {
            let at = revision.unwrap_or(i64::MAX);
            if revision.is_some_and(|r| r < s.compact_revision()) {
                return Err("etcdserver: mvcc: required revision has been compacted".to_owned());
            }
            let revs = s
                .key_index(key)
                .into_iter()
                .flat_map(|ki| ki.generations().iter().flat_map(|g| g.revs.clone()));
            let newest = revs.filter(|r| r.main <= at).max();
            match newest.and_then(|r| s.row(r)) {
                Some(r) if !r.tombstone => Ok((r.kv.value.clone(), r.kv.mod_revision)),
                _ => Err(String::new()),
            }
        };
        self.with_store(look).unwrap_or_else(|| Err(String::new()))
    }
}
