//! `secretbox`: NaCl's secretbox, XSalsa20 with Poly1305. Nothing binds the value to its key.
//!
//! ```text
//!   nonce (24) ‖ tag (16) ‖ ciphertext        one-time key of Poly1305 = first 32 bytes of the key stream
//! ```

use super::TOO_SHORT;
use crate::{Random, TransformError};
use poly1305::Poly1305;
use poly1305::universal_hash::KeyInit;
use salsa20::XSalsa20;
use salsa20::cipher::{KeyIvInit, StreamCipher};

const NONCE: usize = 24;
const TAG: usize = 16;

/// A key of 32 bytes.
pub(crate) struct SecretBox([u8; 32]);

impl SecretBox {
    /// `None` if `key` is not 32 bytes long.
    pub(crate) fn new(key: &[u8]) -> Option<SecretBox> {
        key.try_into().ok().map(SecretBox)
    }

    /// The cipher stream after the one-time key, and the authenticator with that key.
    fn begin(&self, nonce: &[u8; NONCE]) -> (XSalsa20, Poly1305) {
        let mut stream = XSalsa20::new(&self.0.into(), &(*nonce).into());
        let mut one_time = [0u8; 32];
        stream.apply_keystream(&mut one_time);
        (stream, Poly1305::new(&one_time.into()))
    }

    pub(crate) fn seal(&self, plain: &[u8], random: Random<'_>) -> Vec<u8> {
        let mut nonce = [0; NONCE];
        random(&mut nonce);
        let (mut stream, mac) = self.begin(&nonce);
        let mut out = vec![0; NONCE + TAG];
        out[..NONCE].copy_from_slice(&nonce);
        out.extend_from_slice(plain);
        stream.apply_keystream(&mut out[NONCE + TAG..]);
        let tag = mac.compute_unpadded(&out[NONCE + TAG..]);
        out[NONCE..NONCE + TAG].copy_from_slice(&tag);
        out
    }

    pub(crate) fn open(&self, data: &[u8]) -> Result<Vec<u8>, TransformError> {
        let Some((nonce, rest)) = data.split_first_chunk::<NONCE>() else {
            return Err(TransformError::new(TOO_SHORT));
        };
        let Some((tag, body)) = rest.split_first_chunk::<TAG>() else {
            return Err(TransformError::new(TOO_SHORT));
        };
        let (mut stream, mac) = self.begin(nonce);
        let computed = mac.compute_unpadded(body);
        if computed.as_slice().iter().zip(tag).fold(0, |acc, (a, b)| acc | (a ^ b)) != 0 {
            return Err(TransformError::new("output array was not large enough for encryption"));
        }
        let mut out = body.to_vec();
        stream.apply_keystream(&mut out);
        Ok(out)
    }
}
