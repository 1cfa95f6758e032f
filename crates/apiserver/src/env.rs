//! What every part of one API server shares: the simulated machine, its process, metrics, flags.

use crate::flags::Flags;
use crate::metrics::Metrics;
use bytes::Bytes;
use sim::{Ctx, Process, Rng, Sim, Span, Station};
use std::rc::Rc;

/// Shared handles. Clones are cheap.
#[derive(Clone)]
pub struct Env {
    /// The simulated machine.
    pub sim: Sim,
    /// The API server's process.
    pub process: Process,
    /// Its metrics.
    pub metrics: Metrics,
    /// The flags it was started with.
    pub flags: Rc<Flags>,
}

impl Env {
    /// The process's name, as spans show it.
    pub fn name(&self) -> &str {
        self.process.name()
    }

    /// Arrives at a station, if the work belongs to a request that is traced.
    pub async fn station(&self, ctx: Option<Ctx>, station: Station) -> Option<Span> {
        match ctx {
            Some(ctx) => Some(self.sim.station(&ctx, station, self.name()).await),
            None => None,
        }
    }

    /// A random stream of this server.
    pub fn rng(&self, part: &str) -> Rng {
        self.sim.rng(&format!("{}/{part}", self.name()))
    }

    /// The wall clock in seconds.
    pub fn unix_seconds(&self) -> i64 {
        self.sim.unix_nanos().div_euclid(1_000_000_000)
    }

    /// A new version-4 UUID.
    pub fn uuid(&self) -> String {
        let mut b = [0u8; 16];
        self.rng("uuid").fill(&mut b);
        b[6] = b[6] & 0x0f | 0x40;
        b[8] = b[8] & 0x3f | 0x80;
        let hex: String = b.iter().map(|x| format!("{x:02x}")).collect();
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// Five characters as `generateName` appends them: no vowels, nothing that looks like another character.
    pub fn name_suffix(&self) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let rng = self.rng("names");
        (0..5).map(|_| ALPHABET[rng.below(ALPHABET.len() as u64) as usize] as char).collect()
    }
}

/// Notes on an open span, if there is one.
pub trait Note {
    /// Notes what was decided.
    fn note(&self, name: &'static str, value: impl Into<String>);
    /// Notes the payload that came in.
    fn came(&self, payload: impl FnOnce() -> Bytes);
    /// Notes the payload that went out.
    fn went(&self, payload: impl FnOnce() -> Bytes);
    /// The context for what the span causes; `outer` without a span.
    fn inside(&self, outer: Option<Ctx>) -> Option<Ctx>;
}

impl Note for Option<Span> {
    fn note(&self, name: &'static str, value: impl Into<String>) {
        if let Some(s) = self {
            s.set(name, value);
        }
    }

    fn came(&self, payload: impl FnOnce() -> Bytes) {
        if let Some(s) = self {
            s.before_with(payload);
        }
    }

    fn went(&self, payload: impl FnOnce() -> Bytes) {
        if let Some(s) = self {
            s.after_with(payload);
        }
    }

    fn inside(&self, outer: Option<Ctx>) -> Option<Ctx> {
        self.as_ref().map(Span::ctx).or(outer)
    }
}
