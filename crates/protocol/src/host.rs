//! The engine module's one function and its bytes: `call(ptr, len) → ptr << 32 | len`.
//!
//! A request is one byte saying which ([`Op`]) and its body. An answer is a head of fixed size, little endian, that the
//! worker's JavaScript reads without postcard, and then the events (a postcard `Vec<Event>`) or, for `Save`, the blob.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 1 | mode: 0 paused, 1 going, 2 fast, 255 the request was not understood (the rest is its UTF-8 reason) |
//! | 1 | 1 | bit 0: disks changed since the last save |
//! | 4 | 4 | speed × 1000 when going |
//! | 8 | 8 | event index |
//! | 16 | 8 | virtual time, ns |
//! | 24 | 8 | time of the next event, ns; all ones: none |
//! | 32 | 8 | revision |
//! | 40 | … | body |

use crate::{Config, Mode, Ran};
use serde::{Deserialize, Serialize};

/// Length of an answer's head.
pub const HEAD: usize = 40;

/// A rerun up to an event index: breakpoints and steps do not end it, and a paused world runs.
pub const PASS_STOPS: u8 = 1;

/// Events wait for a later answer: the caller runs several short slices and tells the page once.
pub const KEEP_EVENTS: u8 = 2;

/// The first byte of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// Body: postcard [`Boot`]. Makes the world; once per instance.
    Boot = 0,
    /// Body: postcard [`crate::Command`].
    Command = 1,
    /// Body: max events u64, until ns u64 (little endian), then one byte of flags: [`PASS_STOPS`], [`KEEP_EVENTS`].
    ///
    /// At most `max` events run, none of them after `until`. Virtual time is that of the last event: it does not move
    /// on by itself, so that an input always enters at an event's time and a rerun is exact.
    Run = 2,
    /// No body. Answers with everything that survives a reload (disks, files, the configuration), in the saved world's
    /// own versioned format.
    Save = 3,
}

impl Op {
    /// The operation a first byte names.
    pub fn from_byte(byte: u8) -> Option<Op> {
        [Op::Boot, Op::Command, Op::Run, Op::Save].into_iter().find(|op| *op as u8 == byte)
    }
}

/// How a world begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Boot {
    pub config: Config,
    /// What `Save` gave: the world starts as after a restart of every process, with the configuration in it. Last, since
    /// the worker puts it in by itself.
    pub saved: Option<Vec<u8>>,
}

/// Writes an answer's head.
pub fn head(ran: &Ran) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    let (mode, speed) = match ran.mode {
        Mode::Paused => (0, 0),
        Mode::Going { speed } => (1, speed),
        Mode::Fast => (2, 0),
    };
    head[0] = mode;
    head[1] = u8::from(ran.dirty);
    head[4..8].copy_from_slice(&speed.to_le_bytes());
    head[8..16].copy_from_slice(&ran.event.to_le_bytes());
    head[16..24].copy_from_slice(&ran.now.to_le_bytes());
    head[24..32].copy_from_slice(&ran.next.unwrap_or(u64::MAX).to_le_bytes());
    head[32..40].copy_from_slice(&ran.revision.to_le_bytes());
    head
}

/// Reads an answer's head; the rest is the body. `Err` is the engine's reason.
pub fn split(answer: &[u8]) -> Result<(Ran, &[u8]), String> {
    if answer.first() == Some(&255) {
        return Err(String::from_utf8_lossy(&answer[1..]).into_owned());
    }
    let (head, body) = answer.split_at_checked(HEAD).ok_or("an answer shorter than its head")?;
    let u64_at = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
    let mode = match head[0] {
        0 => Mode::Paused,
        1 => Mode::Going { speed: u32::from_le_bytes(head[4..8].try_into().expect("four bytes")) },
        _ => Mode::Fast,
    };
    let next = Some(u64_at(24)).filter(|&n| n != u64::MAX);
    let ran =
        Ran { event: u64_at(8), now: u64_at(16), next, revision: u64_at(32), mode, dirty: head[1] & 1 == 1 };
    Ok((ran, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_written() {
        let ran = Ran {
            event: 7,
            now: 13_080_414_000,
            next: None,
            revision: 224,
            mode: Mode::Going { speed: 500 },
            dirty: true,
        };
        let mut answer = head(&ran).to_vec();
        answer.push(9);
        assert_eq!(split(&answer), Ok((ran, &[9u8][..])));
        assert_eq!(split(b"\xffno"), Err("no".to_string()));
        assert!(split(&[0; 3]).is_err());
    }
}
