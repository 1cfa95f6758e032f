//! `aesgcm`: AES-GCM with a random 12-byte nonce; the etcd key is the additional data, so a value moved to another key
//! cannot be opened.
//!
//! ```text
//!   nonce (12) ‖ ciphertext (as long as the plaintext) ‖ tag (16)
//! ```

use super::TOO_SHORT;
use crate::{Random, TransformError};
use aes::Aes192;
use aes::cipher::consts::U12;
use aes_gcm::{AeadInOut, Aes128Gcm, Aes256Gcm, AesGcm, KeyInit};

const NONCE: usize = 12;

/// An AES key of 16, 24 or 32 bytes with its GCM tables.
pub(crate) enum AesGcmKey {
    K128(Box<Aes128Gcm>),
    K192(Box<AesGcm<Aes192, U12>>),
    K256(Box<Aes256Gcm>),
}

impl AesGcmKey {
    /// `None` if the length of `key` is none of AES's.
    pub(crate) fn new(key: &[u8]) -> Option<AesGcmKey> {
        match key.len() {
            16 => Aes128Gcm::new_from_slice(key).ok().map(|c| AesGcmKey::K128(Box::new(c))),
            24 => AesGcm::new_from_slice(key).ok().map(|c| AesGcmKey::K192(Box::new(c))),
            32 => Aes256Gcm::new_from_slice(key).ok().map(|c| AesGcmKey::K256(Box::new(c))),
            _ => None,
        }
    }

    pub(crate) fn seal(&self, plain: &[u8], aad: &[u8], random: Random<'_>) -> Vec<u8> {
        let mut nonce = [0; NONCE];
        random(&mut nonce);
        let mut body = plain.to_vec();
        let sealed = match self {
            AesGcmKey::K128(c) => c.encrypt_in_place(&nonce.into(), aad, &mut body),
            AesGcmKey::K192(c) => c.encrypt_in_place(&nonce.into(), aad, &mut body),
            AesGcmKey::K256(c) => c.encrypt_in_place(&nonce.into(), aad, &mut body),
        };
        sealed.expect("a value is far below GCM's limit of 64 GiB");
        let mut out = Vec::with_capacity(NONCE + body.len());
        out.extend_from_slice(&nonce);
        out.extend_from_slice(&body);
        out
    }

    pub(crate) fn open(&self, data: &[u8], aad: &[u8]) -> Result<Vec<u8>, TransformError> {
        let Some((nonce, body)) = data.split_first_chunk::<NONCE>() else {
            return Err(TransformError::new(TOO_SHORT));
        };
        let mut out = body.to_vec();
        let opened = match self {
            AesGcmKey::K128(c) => c.decrypt_in_place(&(*nonce).into(), aad, &mut out),
            AesGcmKey::K192(c) => c.decrypt_in_place(&(*nonce).into(), aad, &mut out),
            AesGcmKey::K256(c) => c.decrypt_in_place(&(*nonce).into(), aad, &mut out),
        };
        opened.map_err(|_| TransformError::new("cipher: message authentication failed"))?;
        Ok(out)
    }
}
