//! Revisions and the keys of bucket `key`: 8 bytes main, `_`, 8 bytes sub, big-endian, and `t` for a tombstone
//! (etcd `server/storage/mvcc/revision.go`). Byte order of the keys is the order of the revisions.

use bytes::Bytes;
use std::fmt;

/// When a change happened: `main` counts write transactions of the store, `sub` the changes inside one, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision {
    /// Shared by all changes of one transaction.
    pub main: i64,
    /// Position inside the transaction.
    pub sub: i64,
}

impl Revision {
    /// The revision `main`, `sub`.
    pub const fn new(main: i64, sub: i64) -> Revision {
        Revision { main, sub }
    }

    /// The 17 bytes of this revision.
    pub fn to_bytes(self) -> [u8; 17] {
        let mut b = [b'_'; 17];
        b[..8].copy_from_slice(&self.main.to_be_bytes());
        b[9..].copy_from_slice(&self.sub.to_be_bytes());
        b
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.main, self.sub)
    }
}

/// A key of bucket `key`: a revision, and whether its row is a tombstone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BucketKey {
    /// The revision of the row.
    pub rev: Revision,
    /// The row says that its key was deleted.
    pub tombstone: bool,
}

impl BucketKey {
    /// 17 bytes, or 18 for a tombstone.
    pub fn to_bytes(self) -> Bytes {
        let b = self.rev.to_bytes();
        if !self.tombstone {
            return Bytes::copy_from_slice(&b);
        }
        let mut t = [b't'; 18];
        t[..17].copy_from_slice(&b);
        Bytes::copy_from_slice(&t)
    }

    /// Reads such a key; `None` when the length, the separator, the mark or a sign is wrong.
    pub fn from_bytes(b: &[u8]) -> Option<BucketKey> {
        let tombstone = match b.len() {
            17 => false,
            18 if b[17] == b't' => true,
            _ => return None,
        };
        if b[8] != b'_' {
            return None;
        }
        let main = i64::from_be_bytes(b[..8].try_into().ok()?);
        let sub = i64::from_be_bytes(b[9..17].try_into().ok()?);
        (main >= 0 && sub >= 0).then_some(BucketKey { rev: Revision { main, sub }, tombstone })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_in_a_real_backend() {
        let k = BucketKey { rev: Revision::new(4, 0), tombstone: true };
        assert_eq!(&k.to_bytes()[..], b"\0\0\0\0\0\0\0\x04_\0\0\0\0\0\0\0\0t");
        assert_eq!(BucketKey::from_bytes(&k.to_bytes()), Some(k));
        let p = BucketKey { rev: Revision::new(7, 1), tombstone: false };
        assert_eq!(&p.to_bytes()[..], b"\0\0\0\0\0\0\0\x07_\0\0\0\0\0\0\0\x01");
        assert_eq!(BucketKey::from_bytes(&p.to_bytes()), Some(p));
        assert!(k.to_bytes() < p.to_bytes() && k < p);
    }

    #[test]
    fn malformed_keys() {
        for b in [&b""[..], b"0123456789abcdef", b"\0\0\0\0\0\0\0\x04-\0\0\0\0\0\0\0\0"] {
            assert_eq!(BucketKey::from_bytes(b), None);
        }
        assert_eq!(BucketKey::from_bytes(b"\0\0\0\0\0\0\0\x04_\0\0\0\0\0\0\0\0x"), None);
        assert_eq!(BucketKey::from_bytes(b"\xff\0\0\0\0\0\0\x04_\0\0\0\0\0\0\0\0"), None);
    }
}
