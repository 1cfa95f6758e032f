//! Which keys a request selects: `key` and `range_end` as every etcd request has them.

use bytes::Bytes;
use std::ops::Bound;

/// Both ends of a range for an ordered map.
type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// The keys a pair (`key`, `range_end`) selects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyRange {
    /// No range end: exactly this key.
    Single(Bytes),
    /// Range end of one zero byte: this key and everything after it.
    From(Bytes),
    /// From the first (inclusive) to the second (exclusive); empty when they are the wrong way round.
    Until(Bytes, Bytes),
}

impl KeyRange {
    /// The range of a request.
    pub fn new(key: &Bytes, range_end: &Bytes) -> KeyRange {
        match &range_end[..] {
            [] => KeyRange::Single(key.clone()),
            [0] => KeyRange::From(key.clone()),
            _ => KeyRange::Until(key.clone(), range_end.clone()),
        }
    }

    /// The first key it could select.
    pub fn key(&self) -> &Bytes {
        match self {
            KeyRange::Single(k) | KeyRange::From(k) | KeyRange::Until(k, _) => k,
        }
    }

    /// Whether it selects this key.
    pub fn contains(&self, key: &[u8]) -> bool {
        match self {
            KeyRange::Single(k) => key == k,
            KeyRange::From(k) => key >= &k[..],
            KeyRange::Until(k, e) => key >= &k[..] && key < &e[..],
        }
    }

    /// Bounds for an ordered map; `None` when nothing can be selected.
    pub(crate) fn bounds(&self) -> Option<Bounds<'_>> {
        match self {
            KeyRange::Single(k) => Some((Bound::Included(k), Bound::Included(k))),
            KeyRange::From(k) => Some((Bound::Included(k), Bound::Unbounded)),
            KeyRange::Until(k, e) if k < e => Some((Bound::Included(k), Bound::Excluded(e))),
            KeyRange::Until(..) => None,
        }
    }
}

/// The range end that selects all keys with this prefix: the prefix with its last byte that is not 0xFF raised by one,
/// and one zero byte ("everything from the key on") when there is none. For the empty prefix ask for key `\0`.
pub fn prefix_end(prefix: &[u8]) -> Bytes {
    for (i, b) in prefix.iter().enumerate().rev() {
        if *b < 0xff {
            let mut end = prefix[..=i].to_vec();
            end[i] += 1;
            return end.into();
        }
    }
    Bytes::from_static(&[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_requests() {
        let r = |k: &'static [u8], e: &'static [u8]| {
            KeyRange::new(&Bytes::from_static(k), &Bytes::from_static(e))
        };
        assert!(r(b"a", b"").contains(b"a") && !r(b"a", b"").contains(b"a\0"));
        assert!(r(b"b", b"\0").contains(b"\xff") && !r(b"b", b"\0").contains(b"a"));
        assert!(r(b"\0", b"\0").contains(b"a"));
        assert!(r(b"a", b"c").contains(b"b\xff") && !r(b"a", b"c").contains(b"c"));
        assert!(r(b"c", b"a").bounds().is_none() && !r(b"c", b"a").contains(b"b"));
    }

    #[test]
    fn prefixes() {
        assert_eq!(prefix_end(b"/registry/"), "/registry0");
        assert_eq!(&prefix_end(b"a\xff\xff")[..], b"b");
        assert_eq!(&prefix_end(b"\xff")[..], b"\0");
        assert_eq!(&prefix_end(b"")[..], b"\0");
    }
}
