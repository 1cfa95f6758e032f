//! A committed batch as one record of a file: for disks that only append.
//!
//! A record is a CRC-32C of the rest, the length of the body, and the body: for each write its bucket (1 byte), 1 for a
//! put or 0 for a deletion, the length of the key and the key, and for a put the length of the value and the value.
//! Numbers are 4 bytes big-endian. A record that was torn by a crash is the end of the file.

use super::{Backend, Bucket, Write};
use crate::revision::BucketKey;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::Message;
use std::rc::Rc;
use wire::mvccpb::KeyValue;

/// Why bytes are not records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The checksum is right, what it covers is not.
    #[error("backend: malformed record at byte {0}")]
    Malformed(u64),
}

/// One batch as a record.
pub fn encode_record(writes: &[Write]) -> Bytes {
    let mut out = BytesMut::new();
    out.put_bytes(0, 8);
    let put_bytes = |out: &mut BytesMut, b: &[u8]| {
        out.put_u32(u32::try_from(b.len()).expect("rows stay below 4 GiB"));
        out.extend_from_slice(b);
    };
    for w in writes {
        out.put_u8(w.bucket() as u8);
        match w {
            Write::Row(k, kv) => {
                out.put_u8(1);
                put_bytes(&mut out, &k.to_bytes());
                out.put_u32(u32::try_from(kv.encoded_len()).expect("rows stay below 4 GiB"));
                kv.encode_raw(&mut out);
            }
            Write::Put(_, k, v) => {
                out.put_u8(1);
                put_bytes(&mut out, k);
                put_bytes(&mut out, v);
            }
            Write::DeleteRow(_) | Write::Delete(..) => {
                out.put_u8(0);
                put_bytes(&mut out, &w.key());
            }
        }
    }
    let len = u32::try_from(out.len() - 8).expect("batches stay below 4 GiB");
    out[4..8].copy_from_slice(&len.to_be_bytes());
    let crc = crc32c::crc32c(&out[4..]);
    out[..4].copy_from_slice(&crc.to_be_bytes());
    out.freeze()
}

/// Commits all whole records of a file to a backend; answers with the bytes they take. What follows was torn.
///
/// # Errors
/// [`RecordError::Malformed`] when a record with a right checksum makes no sense: then the file is not ours.
pub fn decode_records(file: &Bytes, into: &mut Backend) -> Result<u64, RecordError> {
    let mut at = 0usize;
    while let Some(head) = file.get(at..at + 8) {
        let crc = u32::from_be_bytes(head[..4].try_into().expect("four bytes"));
        let len = u32::from_be_bytes(head[4..].try_into().expect("four bytes")) as usize;
        let Some(end) = (at + 8).checked_add(len).filter(|e| *e <= file.len()) else { break };
        if crc32c::crc32c(&file[at + 4..end]) != crc {
            break;
        }
        let writes = body(file.slice(at + 8..end)).ok_or(RecordError::Malformed(at as u64))?;
        into.commit(writes);
        at = end;
    }
    Ok(at as u64)
}

fn body(mut b: Bytes) -> Option<Vec<Write>> {
    let take = |b: &mut Bytes| {
        if b.len() < 4 {
            return None;
        }
        let n = b.get_u32() as usize;
        (n <= b.len()).then(|| b.split_to(n))
    };
    let mut out = Vec::new();
    while b.len() >= 2 {
        let bucket = *Bucket::ALL.get(b.get_u8() as usize)?;
        let put = b.get_u8() == 1;
        let key = take(&mut b)?;
        out.push(match (bucket, put) {
            (Bucket::Key, true) => {
                let kv = KeyValue::decode(take(&mut b)?).ok()?;
                Write::Row(BucketKey::from_bytes(&key)?, Rc::new(kv))
            }
            (Bucket::Key, false) => Write::DeleteRow(BucketKey::from_bytes(&key)?),
            (_, true) => Write::Put(bucket, key, take(&mut b)?),
            (_, false) => Write::Delete(bucket, key),
        });
    }
    b.is_empty().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revision::Revision;

    fn batch(n: i64) -> Vec<Write> {
        let k = BucketKey { rev: Revision::new(n, 0), tombstone: n % 2 == 0 };
        let kv = KeyValue { key: "foo".into(), value: vec![n as u8; 50].into(), ..Default::default() };
        vec![
            Write::Row(k, Rc::new(kv)),
            Write::Put(Bucket::Meta, "term".into(), Bytes::copy_from_slice(&n.to_be_bytes())),
            Write::DeleteRow(BucketKey { rev: Revision::new(n - 3, 0), tombstone: n % 2 != 0 }),
            Write::Delete(Bucket::Alarm, "x".into()),
        ]
    }

    #[test]
    fn records_survive_and_torn_ones_are_dropped() {
        let mut file = BytesMut::new();
        let mut want = Backend::new();
        let mut whole = 0;
        for n in 4..=12 {
            file.extend_from_slice(&encode_record(&batch(n)));
            if n < 12 {
                want.commit(batch(n));
                whole = file.len();
            }
        }
        let file = file.freeze();
        for cut in [whole, whole + 1, whole + 9, file.len() - 1] {
            let mut got = Backend::new();
            assert_eq!(decode_records(&file.slice(..cut), &mut got), Ok(whole as u64));
            assert_eq!(got.snapshot(), want.snapshot());
            assert_eq!(got.hash(), want.hash());
        }
        assert_eq!(want.rows().count(), 3);
    }

    #[test]
    fn damage_is_no_panic() {
        let good = encode_record(&batch(5));
        for i in 0..good.len() {
            let mut b = good.to_vec();
            b[i] ^= 0x55;
            assert_eq!(decode_records(&b.into(), &mut Backend::new()), Ok(0));
        }
        // A record with a right checksum around nonsense.
        let mut b = b"\0\0\0\0\0\0\0\x02\x63\x01".to_vec();
        let crc = crc32c::crc32c(&b[4..]);
        b[..4].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(decode_records(&b.into(), &mut Backend::new()), Err(RecordError::Malformed(0)));
    }
}
