//! The ciphers of the keyed providers, each as `seal` and `open` over one key.

mod aescbc;
mod aesgcm;
mod secretbox;

pub(crate) use aescbc::AesCbc;
pub(crate) use aesgcm::AesGcmKey;
pub(crate) use secretbox::SecretBox;

use crate::{Random, TransformError};

/// Text of every cipher for data that cannot even hold its IV or nonce.
pub(crate) const TOO_SHORT: &str = "the stored data was shorter than the required size";

/// One key of one keyed provider.
pub(crate) enum Cipher {
    AesCbc(Box<AesCbc>),
    AesGcm(AesGcmKey),
    SecretBox(SecretBox),
}

impl Cipher {
    /// Provider bytes for `plain`: IV or nonce, ciphertext, tag, in the provider's order.
    pub(crate) fn seal(&self, plain: &[u8], aad: &[u8], random: Random<'_>) -> Vec<u8> {
        match self {
            Cipher::AesCbc(c) => c.seal(plain, random),
            Cipher::AesGcm(c) => c.seal(plain, aad, random),
            Cipher::SecretBox(c) => c.seal(plain, random),
        }
    }

    /// The plaintext, or the provider's error.
    pub(crate) fn open(&self, data: &[u8], aad: &[u8]) -> Result<Vec<u8>, TransformError> {
        match self {
            Cipher::AesCbc(c) => c.open(data),
            Cipher::AesGcm(c) => c.open(data, aad),
            Cipher::SecretBox(c) => c.open(data),
        }
    }
}
