//! Seeded randomness, one independent stream per component.
//!
//! A component names its stream (`"raft/m1"`, `"seal/iv"`); the stream depends on the world's seed and that name only, so
//! one component drawing more numbers never changes what another one gets.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng};
use std::cell::RefCell;
use std::rc::Rc;

/// A handle to one component's stream. Clones share the stream.
#[derive(Clone)]
pub struct Rng(Rc<RefCell<ChaCha8Rng>>);

impl Rng {
    /// The stream of `component` in a world of `seed`.
    pub fn new(seed: u64, component: &str) -> Rng {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&fnv1a(component.as_bytes(), 0xcbf2_9ce4_8422_2325).to_le_bytes());
        key[16..24].copy_from_slice(&fnv1a(component.as_bytes(), 0x6c62_272e_07bb_0142).to_le_bytes());
        Rng(Rc::new(RefCell::new(ChaCha8Rng::from_seed(key))))
    }

    /// The next 32 random bits.
    pub fn next_u32(&self) -> u32 {
        self.0.borrow_mut().next_u32()
    }

    /// The next 64 random bits.
    pub fn next_u64(&self) -> u64 {
        self.0.borrow_mut().next_u64()
    }

    /// A number in `0..n` (0 when `n` is 0). Unbiased: draws that fall into the last, incomplete run of `n` are repeated.
    pub fn below(&self, n: u64) -> u64 {
        if n < 2 {
            return 0;
        }
        let limit = u64::MAX - u64::MAX % n;
        loop {
            let x = self.next_u64();
            if x < limit {
                return x % n;
            }
        }
    }

    /// True with probability `millionths` / 1,000,000.
    pub fn chance(&self, millionths: u32) -> bool {
        millionths > 0 && self.below(1_000_000) < u64::from(millionths)
    }

    /// Fills `out` with random bytes.
    pub fn fill(&self, out: &mut [u8]) {
        self.0.borrow_mut().fill_bytes(out);
    }
}

/// FNV-1a, 64 bit, from a chosen offset basis.
fn fnv1a(data: &[u8], basis: u64) -> u64 {
    data.iter().fold(basis, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}
