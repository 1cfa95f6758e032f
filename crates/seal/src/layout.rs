//! Where things are in a stored value, and which ciphertext bytes depend on a plaintext byte.
//!
//! All of it is read off the bytes: the prefix names the cipher, the next colon ends the key name, the rest has fixed
//! places. No key is needed.

use std::ops::Range;

/// What a run of bytes in a stored value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// `k8s:enc:‹provider›:v1:`
    Prefix,
    /// Name of the key with its colon; not secret.
    KeyName,
    /// Initialization vector of AES-CBC.
    Iv,
    /// Nonce of AES-GCM or XSalsa20.
    Nonce,
    /// Ciphertext.
    Ciphertext,
    /// Authentication tag.
    Tag,
    /// Not encrypted: the serialized object itself.
    Plain,
    /// Bytes of a provider that is not modelled, or too few of them.
    Opaque,
}

/// One run of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Where it is in the stored value.
    pub range: Range<usize>,
}

/// How ciphertext depends on plaintext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// The byte at the same offset (GCM, secretbox: a stream cipher).
    SameOffset,
    /// The block that holds the byte (CBC).
    Block,
    /// A block after it: it changes too, since each block is mixed into the next (CBC).
    LaterBlock,
    /// The tag covers every byte.
    Tag,
}

/// Stored bytes that depend on asked plaintext bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affected {
    /// Where in the stored value.
    pub range: Range<usize>,
    /// How.
    pub dependence: Dependence,
}

/// A stored value taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// `identity`, `aescbc`, `aesgcm`, `secretbox`, `kms`, or the unknown provider's name.
    pub provider: String,
    /// Name of the key, if the provider has keys.
    pub key_name: Option<String>,
    /// All bytes, in order, without gaps.
    pub parts: Vec<Part>,
}

/// Takes a stored value apart.
pub fn layout(stored: &[u8]) -> Layout {
    let end = stored.len();
    let Some(rest) = stored.strip_prefix(b"k8s:enc:".as_slice()) else {
        let parts = vec![Part { kind: PartKind::Plain, range: 0..end }];
        return Layout { provider: "identity".to_owned(), key_name: None, parts };
    };
    let until_colon = |bytes: &[u8]| bytes.iter().position(|b| *b == b':');
    let provider_len = until_colon(rest).unwrap_or(rest.len());
    let provider = String::from_utf8_lossy(&rest[..provider_len]).into_owned();
    let version_at = (8 + provider_len + 1).min(end);
    let prefix_end = until_colon(&stored[version_at..]).map_or(end, |n| version_at + n + 1);
    let name_len = until_colon(&stored[prefix_end..]);
    let key_end = name_len.map_or(prefix_end, |n| prefix_end + n + 1);
    let key_name =
        name_len.map(|n| String::from_utf8_lossy(&stored[prefix_end..prefix_end + n]).into_owned());

    let mut parts = vec![Part { kind: PartKind::Prefix, range: 0..prefix_end }];
    let mut at = prefix_end;
    let mut push = |kind, to: usize| {
        if to > at {
            parts.push(Part { kind, range: at..to });
            at = to;
        }
    };
    push(PartKind::KeyName, key_end);
    let body = end - key_end;
    match provider.as_str() {
        "aescbc" if body >= 16 => {
            push(PartKind::Iv, key_end + 16);
            push(PartKind::Ciphertext, end);
        }
        "aesgcm" if body >= 28 => {
            push(PartKind::Nonce, key_end + 12);
            push(PartKind::Ciphertext, end - 16);
            push(PartKind::Tag, end);
        }
        "secretbox" if body >= 40 => {
            push(PartKind::Nonce, key_end + 24);
            push(PartKind::Tag, key_end + 40);
            push(PartKind::Ciphertext, end);
        }
        _ => push(PartKind::Opaque, end),
    }
    Layout { provider, key_name, parts }
}

impl Layout {
    /// The range of a kind of bytes, if there are any.
    pub fn range_of(&self, kind: PartKind) -> Option<Range<usize>> {
        self.parts.iter().find(|p| p.kind == kind).map(|p| p.range.clone())
    }

    /// Which stored bytes depend on the plaintext bytes `plain`; empty if there are none such or the provider is unknown.
    pub fn affected(&self, plain: Range<usize>) -> Vec<Affected> {
        let mut out = Vec::new();
        if plain.is_empty() {
            return out;
        }
        let mut push = |range: Range<usize>, dependence| {
            if !range.is_empty() {
                out.push(Affected { range, dependence });
            }
        };
        if let Some(whole) = self.range_of(PartKind::Plain) {
            push(plain.start.min(whole.end)..plain.end.min(whole.end), Dependence::SameOffset);
            return out;
        }
        let Some(body) = self.range_of(PartKind::Ciphertext) else { return out };
        let within = |n: usize| body.start.saturating_add(n).min(body.end);
        if self.provider == "aescbc" {
            let first = within(plain.start / 16 * 16);
            let last = within(plain.end.div_ceil(16).saturating_mul(16));
            push(first..last, Dependence::Block);
            push(last..body.end, Dependence::LaterBlock);
        } else {
            push(within(plain.start)..within(plain.end), Dependence::SameOffset);
            if let Some(tag) = self.range_of(PartKind::Tag) {
                push(tag, Dependence::Tag);
            }
        }
        out
    }
}
