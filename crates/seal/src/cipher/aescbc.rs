//! `aescbc`: AES-CBC, a random IV before the ciphertext, PKCS #7 padding. Nothing binds the value to its key.
//!
//! ```text
//!   IV (16) ‖ C1 (16) ‖ C2 (16) ‖ …          Ci = AES(Pi ⊕ Ci-1), C0 = IV
//! ```
//!
//! Unpadding on read is the original's: the last byte is not limited to the block size.

use super::TOO_SHORT;
use crate::{Random, TransformError};
use aes::cipher::array::Array;
use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit};
use aes::{Aes128, Aes192, Aes256};

const BLOCK: usize = 16;

/// An AES key of 16, 24 or 32 bytes, expanded.
pub(crate) enum AesCbc {
    K128(Aes128),
    K192(Aes192),
    K256(Aes256),
}

impl AesCbc {
    /// `None` if the length of `key` is none of AES's.
    pub(crate) fn new(key: &[u8]) -> Option<AesCbc> {
        match key.len() {
            16 => Aes128::new_from_slice(key).ok().map(AesCbc::K128),
            24 => Aes192::new_from_slice(key).ok().map(AesCbc::K192),
            32 => Aes256::new_from_slice(key).ok().map(AesCbc::K256),
            _ => None,
        }
    }

    pub(crate) fn seal(&self, plain: &[u8], random: Random<'_>) -> Vec<u8> {
        let padding = BLOCK - plain.len() % BLOCK;
        let mut out = vec![0; BLOCK];
        random(&mut out);
        let iv: [u8; BLOCK] = out[..].try_into().expect("one block");
        out.extend_from_slice(plain);
        out.resize(out.len() + padding, padding as u8);
        let body = &mut out[BLOCK..];
        match self {
            AesCbc::K128(c) => encrypt(cbc::Encryptor::inner_iv_init(c.clone(), &iv.into()), body),
            AesCbc::K192(c) => encrypt(cbc::Encryptor::inner_iv_init(c.clone(), &iv.into()), body),
            AesCbc::K256(c) => encrypt(cbc::Encryptor::inner_iv_init(c.clone(), &iv.into()), body),
        }
        out
    }

    pub(crate) fn open(&self, data: &[u8]) -> Result<Vec<u8>, TransformError> {
        let Some((iv, body)) = data.split_first_chunk::<BLOCK>() else {
            return Err(TransformError::new(TOO_SHORT));
        };
        if body.len() % BLOCK != 0 {
            return Err(TransformError::new("the stored data is not a multiple of the block size"));
        }
        let mut out = body.to_vec();
        match self {
            AesCbc::K128(c) => decrypt(cbc::Decryptor::inner_iv_init(c.clone(), &(*iv).into()), &mut out),
            AesCbc::K192(c) => decrypt(cbc::Decryptor::inner_iv_init(c.clone(), &(*iv).into()), &mut out),
            AesCbc::K256(c) => decrypt(cbc::Decryptor::inner_iv_init(c.clone(), &(*iv).into()), &mut out),
        }
        // A value that is only an IV has no last byte; the original panics there, we answer as for bad padding.
        let n = usize::from(out.last().copied().unwrap_or(0));
        if n == 0 || n > out.len() {
            return Err(TransformError::new("invalid PKCS7 data (empty or not padded)"));
        }
        if out[out.len() - n..].iter().any(|b| usize::from(*b) != n) {
            return Err(TransformError::new("invalid padding on input"));
        }
        out.truncate(out.len() - n);
        Ok(out)
    }
}

fn encrypt<M: BlockModeEncrypt>(mut mode: M, body: &mut [u8]) {
    let (blocks, rest) = Array::slice_as_chunks_mut(body);
    debug_assert!(rest.is_empty(), "padded to whole blocks");
    mode.encrypt_blocks(blocks);
}

fn decrypt<M: BlockModeDecrypt>(mut mode: M, body: &mut [u8]) {
    let (blocks, rest) = Array::slice_as_chunks_mut(body);
    debug_assert!(rest.is_empty(), "checked to be whole blocks");
    mode.decrypt_blocks(blocks);
}
