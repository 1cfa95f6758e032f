//! The prefix chain: which provider and which key writes, which ones may read, and what is said when none can.

use crate::Random;
use crate::cipher::Cipher;
use std::rc::Rc;

/// Why a value could not be transformed, in the original's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TransformError(String);

impl TransformError {
    pub(crate) fn new(text: impl Into<String>) -> TransformError {
        TransformError(text.into())
    }

    /// Several errors as one: the same text once; one text bare, several as `[a, b]`.
    fn aggregate(mut errors: Vec<TransformError>) -> Option<TransformError> {
        let mut seen: Vec<String> = Vec::new();
        for e in &errors {
            if !seen.contains(&e.0) {
                seen.push(e.0.clone());
            }
        }
        match seen.len() {
            0 => None,
            1 => errors.pop(),
            _ => Some(TransformError(format!("[{}]", seen.join(", ")))),
        }
    }
}

/// Which way a value was transformed; the label `transformation_type` of the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `from_storage`
    FromStorage,
    /// `to_storage`
    ToStorage,
}

/// One step of a chain, as `apiserver_storage_transformation_operations_total` counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Label `transformation_type`.
    pub direction: Direction,
    /// Label `transformer_prefix`: the prefix, `identity` for plaintext read by a chain, empty for plaintext written by
    /// one, `unknown` when nothing matched.
    pub prefix: String,
    /// Label `status`: `OK`, or `unknown-non-grpc` on an error.
    pub ok: bool,
}

impl Operation {
    fn new(direction: Direction, prefix: impl Into<String>, ok: bool) -> Operation {
        Operation { direction, prefix: prefix.into(), ok }
    }
}

/// A value on its way to etcd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// What is stored.
    pub data: Vec<u8>,
    /// The steps taken.
    pub operations: Vec<Operation>,
}

/// A value on its way back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The serialized object, and whether it should be written again because the first provider and key did not write it.
    pub result: Result<(Vec<u8>, bool), TransformError>,
    /// The steps taken, failed ones included.
    pub operations: Vec<Operation>,
}

/// One provider of a chain.
pub(crate) enum Element {
    /// Plaintext; refuses what begins with `k8s:enc:`.
    Identity,
    /// A keyed provider: its prefix, its keys with theirs, and what it says when no key name matches.
    Keyed { prefix: &'static str, keys: Vec<(String, Cipher)>, no_match: &'static str },
}

impl Element {
    fn prefix(&self) -> &'static str {
        match self {
            Element::Identity => "",
            Element::Keyed { prefix, .. } => prefix,
        }
    }
}

/// The transformer of one resource. Clones share the keys.
#[derive(Clone)]
pub struct Transformer(Option<Rc<Vec<Rc<Element>>>>);

const ENCRYPTED: &[u8] = b"k8s:enc:";

impl Transformer {
    /// What a resource has that no configuration names: plaintext both ways, refusing encrypted values; no chain and so
    /// no metrics.
    pub fn identity() -> Transformer {
        Transformer(None)
    }

    pub(crate) fn chain(elements: Vec<Rc<Element>>) -> Transformer {
        Transformer(Some(Rc::new(elements)))
    }

    /// Whether a configuration applies.
    pub fn is_chain(&self) -> bool {
        self.0.is_some()
    }

    /// Prefix with which the next write begins: provider and key name; empty for plaintext.
    pub fn write_prefix(&self) -> String {
        match self.0.as_deref().and_then(|c| c.first()).map(|e| &**e) {
            Some(Element::Keyed { prefix, keys, .. }) => {
                format!("{prefix}{}", keys.first().map_or("", |k| k.0.as_str()))
            }
            _ => String::new(),
        }
    }

    /// `TransformToStorage`. `aad` is the whole etcd key.
    pub fn seal(&self, plain: &[u8], aad: &[u8], random: Random<'_>) -> Sealed {
        let Some(first) = self.0.as_deref().and_then(|c| c.first()) else {
            return Sealed { data: plain.to_vec(), operations: Vec::new() };
        };
        let step = |prefix: &str| Operation::new(Direction::ToStorage, prefix, true);
        match &**first {
            Element::Identity => Sealed { data: plain.to_vec(), operations: vec![step("")] },
            Element::Keyed { prefix, keys, .. } => {
                let (name, cipher) = keys.first().expect("validation requires a key");
                let body = cipher.seal(plain, aad, random);
                let mut data = Vec::with_capacity(prefix.len() + name.len() + body.len());
                data.extend_from_slice(prefix.as_bytes());
                data.extend_from_slice(name.as_bytes());
                data.extend_from_slice(&body);
                Sealed { data, operations: vec![step(name), step(prefix)] }
            }
        }
    }

    /// `TransformFromStorage`. `aad` is the whole etcd key.
    pub fn open(&self, data: &[u8], aad: &[u8]) -> Opened {
        let mut operations = Vec::new();
        let Some(chain) = self.0.as_deref() else {
            let result = check_plain(data).map(|()| (data.to_vec(), false));
            return Opened { result, operations };
        };
        let mut errors = Vec::new();
        for (i, element) in chain.iter().enumerate() {
            let Some(rest) = data.strip_prefix(element.prefix().as_bytes()) else { continue };
            let result = match &**element {
                Element::Identity => match check_plain(rest) {
                    Ok(()) => Ok((rest.to_vec(), false)),
                    Err(_) => continue, // another element may read it
                },
                Element::Keyed { keys, no_match, .. } => {
                    open_keyed(keys, no_match, rest, aad, &mut operations)
                }
            };
            let label = if element.prefix().is_empty() { "identity" } else { element.prefix() };
            operations.push(Operation::new(Direction::FromStorage, label, result.is_ok()));
            match result {
                Ok((plain, stale)) => return Opened { result: Ok((plain, stale || i != 0)), operations },
                Err(e) => errors.push(e),
            }
        }
        let error = TransformError::aggregate(errors).unwrap_or_else(|| {
            operations.push(Operation::new(Direction::FromStorage, "unknown", false));
            TransformError::new("no matching prefix found")
        });
        Opened { result: Err(error), operations }
    }
}

/// The key list of one provider: the same chain one level down.
fn open_keyed(
    keys: &[(String, Cipher)],
    no_match: &str,
    data: &[u8],
    aad: &[u8],
    operations: &mut Vec<Operation>,
) -> Result<(Vec<u8>, bool), TransformError> {
    let mut errors = Vec::new();
    for (i, (name, cipher)) in keys.iter().enumerate() {
        let Some(rest) = data.strip_prefix(name.as_bytes()) else { continue };
        let result = cipher.open(rest, aad);
        operations.push(Operation::new(Direction::FromStorage, name.as_str(), result.is_ok()));
        match result {
            Ok(plain) => return Ok((plain, i != 0)),
            Err(e) => errors.push(e),
        }
    }
    Err(TransformError::aggregate(errors).unwrap_or_else(|| {
        operations.push(Operation::new(Direction::FromStorage, "unknown", false));
        TransformError::new(no_match)
    }))
}

fn check_plain(data: &[u8]) -> Result<(), TransformError> {
    if data.starts_with(ENCRYPTED) {
        return Err(TransformError::new("identity transformer tried to read encrypted data"));
    }
    Ok(())
}
