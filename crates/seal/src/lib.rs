//! Encryption at rest: how the API server seals a value on its way to etcd and opens it on its way back.
//!
//! ```text
//!   EncryptionConfiguration ─▶ TransformerMap ─ lookup(group, resource) ─▶ Transformer
//!
//!   stored value = k8s:enc:aescbc:v1: ‖ key1: ‖ IV ‖ ciphertext
//!                  └── provider list ─┘ └ key list ┘ └ cipher ┘
//! ```
//!
//! A [`Transformer`] is a *prefix chain*: the first provider (and its first key) writes, every provider whose prefix matches
//! may read, and a value that was not read by the first one is *stale*. The ciphers are RustCrypto's; nonces and IVs come
//! from the caller, so a world stays a function of its seed. [`layout`] tells for a stored value which byte is prefix, key
//! name, IV, ciphertext and tag, and which ciphertext bytes depend on a plaintext byte.
//!
//! Not modelled here: kms (both API versions); a configuration that names it is refused by name.

mod chain;
mod cipher;
mod config;
mod layout;
mod map;
#[cfg(test)]
mod tests;

pub use chain::{Direction, Opened, Operation, Sealed, TransformError, Transformer};
pub use config::{
    ConfigError, EncryptionConfiguration, Key, KmsConfiguration, Provider, ProviderConfiguration,
    ResourceConfiguration,
};
pub use layout::{Affected, Dependence, Layout, Part, PartKind, layout};
pub use map::{GroupResource, TransformerMap};

/// Source of nonces and IVs: fills the slice with random bytes.
pub type Random<'a> = &'a mut dyn FnMut(&mut [u8]);
