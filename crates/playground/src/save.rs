//! A saved world: what survives a restart of every process, as one file.
//!
//! ```text
//!   "etcdscope world\n"  u32 version   u32 length, JSON head   files …   u32 CRC-32C of everything before
//!   file: u32 length, name   u64 length, bytes
//! ```
//! Numbers are little endian. A file's name is `disk/PROCESS/FILE` or `files/PATH`. Old versions stay readable; a newer or
//! damaged file is refused with the reason.

use crate::world::{FileBytes, Moment};
use bytes::Bytes;
use protocol::Config;
use serde::{Deserialize, Serialize};

const MAGIC: &[u8] = b"etcdscope world\n";
/// The version written.
const VERSION: u32 = 1;

/// What a world leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// What it was started with.
    pub config: Config,
    /// Its clock.
    pub now: Moment,
    /// Disks by process, with their files.
    pub disks: Vec<(String, Vec<FileBytes>)>,
    /// The terminals' files.
    pub files: Vec<FileBytes>,
}

/// Why a saved world cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// It does not begin as one.
    #[error("this is not a saved world")]
    NotOne,
    /// It was written by a later version.
    #[error("this world was saved by a later version (format {0}, known up to {VERSION})")]
    Later(u32),
    /// It is cut short or changed.
    #[error("the saved world is damaged: {0}")]
    Damaged(&'static str),
}

#[derive(Serialize, Deserialize)]
struct Head {
    config: Config,
    now_nanos: u64,
    files: u32,
}

impl Saved {
    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let disks = self
            .disks
            .iter()
            .flat_map(|(p, files)| files.iter().map(move |(f, d)| (format!("disk/{p}/{f}"), d)));
        let files: Vec<(String, &Bytes)> =
            disks.chain(self.files.iter().map(|(f, d)| (format!("files{f}"), d))).collect();
        let head = Head { config: self.config.clone(), now_nanos: self.now.0, files: files.len() as u32 };
        let head = serde_json::to_vec(&head).expect("plain data is always JSON");
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(head.len() as u32).to_le_bytes());
        out.extend_from_slice(&head);
        for (name, data) in files {
            out.extend_from_slice(&(name.len() as u32).to_le_bytes());
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&(data.len() as u64).to_le_bytes());
            out.extend_from_slice(data);
        }
        let sum = crc32c::crc32c(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Saved, SavedError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SavedError::NotOne)?;
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or(SavedError::Damaged("it is cut short"))?;
        let mut r = Reader(rest);
        let version = r.u32()?;
        if version > VERSION {
            return Err(SavedError::Later(version));
        }
        if crc32c::crc32c(body) != u32::from_le_bytes(*sum) {
            return Err(SavedError::Damaged("its checksum is wrong"));
        }
        let n = r.u32()? as usize;
        let head: Head =
            serde_json::from_slice(r.take(n)?).map_err(|_| SavedError::Damaged("its head is unreadable"))?;
        let mut saved = Saved {
            config: head.config,
            now: sim::Time(head.now_nanos),
            disks: Vec::new(),
            files: Vec::new(),
        };
        for _ in 0..head.files {
            let n = r.u32()? as usize;
            let name = std::str::from_utf8(r.take(n)?)
                .map_err(|_| SavedError::Damaged("a name is not text"))?
                .to_owned();
            let n = usize::try_from(r.u64()?).map_err(|_| SavedError::Damaged("a file is too long"))?;
            let data = Bytes::copy_from_slice(r.take(n)?);
            if let Some((process, file)) = name.strip_prefix("disk/").and_then(|n| n.split_once('/')) {
                match saved.disks.last_mut().filter(|d| d.0 == process) {
                    Some(d) => d.1.push((file.to_owned(), data)),
                    None => saved.disks.push((process.to_owned(), vec![(file.to_owned(), data)])),
                }
            } else if let Some(path) = name.strip_prefix("files") {
                saved.files.push((path.to_owned(), data));
            } else {
                return Err(SavedError::Damaged("a file belongs nowhere"));
            }
        }
        Ok(saved)
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], SavedError> {
        let (head, rest) = self.0.split_at_checked(n).ok_or(SavedError::Damaged("it is cut short"))?;
        self.0 = rest;
        Ok(head)
    }
    fn u32(&mut self) -> Result<u32, SavedError> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }
    fn u64(&mut self) -> Result<u64, SavedError> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }
}
