//! The backend on disk: what was applied, written in batches.
//!
//! etcd commits its bbolt file every 100 ms or 10,000 operations. Here a commit is one record appended to a file of records
//! (`mvcc::backend`), made durable by an fsync, so that a crash leaves whole batches only: the rows of applied entries and
//! the `consistent_index` up to which they were applied are in the same batch. Not modelled here: the pages of a bbolt file.
//!
//! A value of some size is appended as the slice that the store and the WAL hold already. When most of the file is rows that
//! were replaced since, it is rewritten.

use bytes::{BufMut, Bytes, BytesMut};
use mvcc::{Backend, Bucket, Write};
use prost::encoding::{encode_varint, encoded_len_varint};
use sim::Disk;
use wire::mvccpb::KeyValue;

/// The file's name on a member's disk.
pub const FILE: &str = "member/snap/db.records";
/// Values from this size on are shared slices.
const SHARED_FROM: usize = 256;
/// A file is rewritten when it is longer than this and than twice its rows.
const REWRITE_BYTES: u64 = 4 << 20;

/// The committed rows and the file they are in.
pub struct DiskBackend {
    disk: Disk,
    rows: Backend,
}

impl DiskBackend {
    /// Reads the file; a record torn off by a crash is cut away. An absent file is an empty backend.
    ///
    /// # Errors
    /// A whole record that makes no sense.
    pub fn open(disk: &Disk) -> Result<DiskBackend, mvcc::backend::RecordError> {
        let mut rows = Backend::new();
        let bytes = disk.read(FILE);
        let good = mvcc::backend::decode_records(&bytes, &mut rows)?;
        if good < bytes.len() as u64 {
            disk.truncate(FILE, good);
        }
        Ok(DiskBackend { disk: disk.clone(), rows })
    }

    /// The committed rows.
    pub fn rows(&self) -> &Backend {
        &self.rows
    }

    /// Appends a batch. Durable only after an fsync of [`FILE`]. How many bytes were appended.
    pub fn commit(&mut self, writes: Vec<Write>) -> u64 {
        let before = self.disk.len(FILE);
        for part in record(&writes) {
            self.disk.append(FILE, part);
        }
        self.rows.commit(writes);
        let len = self.disk.len(FILE);
        if len > REWRITE_BYTES && len > 2 * self.rows.size_in_use() {
            self.rewrite();
        }
        len - before
    }

    /// Writes the rows that are left to a new file and puts it in the old one's place.
    pub fn rewrite(&mut self) {
        let all = record(&self.rows.snapshot());
        let mut whole = BytesMut::new();
        all.iter().for_each(|p| whole.extend_from_slice(p));
        self.disk.replace(FILE, whole.freeze());
    }

    /// As etcd's defragmentation: the rows in a new file, whose size is what they need.
    pub fn defragment(&mut self) {
        self.rewrite();
        self.rows.defragment();
    }
}

/// A batch as `mvcc::backend::encode_record` has it, in parts: large values are not copied.
pub fn record(writes: &[Write]) -> Vec<Bytes> {
    let mut parts = Vec::new();
    let mut open = BytesMut::new();
    for w in writes {
        open.put_u8(w.bucket() as u8);
        match w {
            Write::Row(k, kv) => {
                open.put_u8(1);
                put(&mut open, &k.to_bytes());
                put_row(&mut parts, &mut open, kv);
            }
            Write::Put(b, k, v) => {
                debug_assert!(*b != Bucket::Key, "rows of bucket key are Write::Row");
                open.put_u8(1);
                put(&mut open, k);
                put(&mut open, v);
            }
            Write::DeleteRow(_) | Write::Delete(..) => {
                open.put_u8(0);
                put(&mut open, &w.key());
            }
        }
    }
    parts.push(open.freeze());
    let len: usize = parts.iter().map(Bytes::len).sum();
    let len = u32::try_from(len).expect("batches stay below 4 GiB").to_be_bytes();
    let crc = parts.iter().fold(crc32c::crc32c(&len), |crc, p| crc32c::crc32c_append(crc, p));
    let mut head = BytesMut::with_capacity(8);
    head.put_u32(crc);
    head.extend_from_slice(&len);
    parts.insert(0, head.freeze());
    parts
}

fn put(out: &mut BytesMut, b: &[u8]) {
    out.put_u32(u32::try_from(b.len()).expect("rows stay below 4 GiB"));
    out.extend_from_slice(b);
}

/// A pair's message behind its length.
fn put_row(parts: &mut Vec<Bytes>, open: &mut BytesMut, kv: &KeyValue) {
    use prost::Message;
    open.put_u32(u32::try_from(kv.encoded_len()).expect("rows stay below 4 GiB"));
    if kv.value.len() < SHARED_FROM {
        kv.encode_raw(open);
        return;
    }
    let head = KeyValue { value: Bytes::new(), lease: 0, ..kv.clone() };
    head.encode_raw(open);
    encode_varint(5 << 3 | 2, open);
    encode_varint(kv.value.len() as u64, open);
    debug_assert!(encoded_len_varint(kv.value.len() as u64) > 0);
    parts.push(core::mem::take(open).freeze());
    parts.push(kv.value.clone());
    KeyValue { lease: kv.lease, ..KeyValue::default() }.encode_raw(open);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Sim;
    use std::rc::Rc;
    use wire::etcdserverpb::PutRequest;

    #[test]
    fn parts_make_the_record_mvcc_reads() {
        let mut s = mvcc::Store::new(mvcc::Config::default());
        let lease = wire::etcdserverpb::LeaseGrantRequest { id: 7, ttl: 60 };
        s.lease_grant(&lease, 0).unwrap();
        for (i, n) in [0usize, 1, 255, 256, 5000].into_iter().enumerate() {
            let key = format!("k{i}").into();
            s.put(&PutRequest { key, value: vec![3; n].into(), lease: 7, ..Default::default() }).unwrap();
        }
        let writes = s.take_writes();
        let whole: Vec<u8> = record(&writes).iter().flat_map(|p| p.to_vec()).collect();
        assert_eq!(whole, mvcc::backend::encode_record(&writes));
        let Some(Write::Row(_, kv)) = writes.last() else { panic!("a row") };
        assert!(Rc::strong_count(kv) > 1);

        let sim = Sim::new(1);
        let disk = sim.disk("m1");
        let mut b = DiskBackend::open(&disk).unwrap();
        b.commit(writes);
        let again = DiskBackend::open(&disk).unwrap();
        assert_eq!(again.rows().hash(), b.rows().hash());
        b.defragment();
        assert_eq!(DiskBackend::open(&disk).unwrap().rows().hash(), b.rows().hash());
        disk.append(FILE, Bytes::from_static(b"torn"));
        let again = DiskBackend::open(&disk).unwrap();
        assert_eq!(again.rows().hash(), b.rows().hash());
    }
}
