//! The write-ahead log, in etcd's own framing (etcd `server/storage/wal`).
//!
//! ```text
//!   frame   │ length, 8 bytes little-endian │ walpb.Record │ padding to a multiple of 8 │
//!   length  │ top byte 0x80 | padding bytes, 0 without padding │ 56 bits: bytes of the record │
//!   Record  │ type: 1 metadata 2 entry 3 state 4 crc 5 snapshot │ crc │ data │
//! ```
//! The crc of a record is the CRC-32C of the data of all records so far; a file begins with a record that carries it over
//! from the file before. Files are called `%016x-%016x.wal`: a running number, and the first index they may hold.
//!
//! A payload above a few hundred bytes is appended as a slice of its own, so the log shares it with everything else that
//! holds the entry. Not modelled here: preallocation of 64 MB per file; a file is cut when it passes [`SEGMENT_BYTES`].
//!
//! A file that was cut also begins with a marker of the entry before its first one (record type 5 with the configuration),
//! so that older files may go when every member has what they hold; etcd keeps that in snapshot files, which are not modelled
//! here.

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use prost::encoding::{encode_varint, encoded_len_varint};
use sim::Disk;
use wire::etcdserverpb::Metadata;
use wire::raftpb::{ConfState, Entry, HardState};
use wire::walpb::{Record, Snapshot};

/// Record types.
pub const METADATA: i64 = 1;
/// See [`METADATA`].
pub const ENTRY: i64 = 2;
/// See [`METADATA`].
pub const STATE: i64 = 3;
/// See [`METADATA`].
pub const CRC: i64 = 4;
/// See [`METADATA`].
pub const SNAPSHOT: i64 = 5;

/// A file that is longer is followed by a new one (etcd: 64,000,000).
pub const SEGMENT_BYTES: u64 = 1 << 20;
/// Payloads from this size on are shared slices.
const SHARED_FROM: usize = 256;
const DIR: &str = "member/wal/";

/// Why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalError {
    /// A record that had been synced does not match its checksum.
    #[error("walpb: crc mismatch")]
    CrcMismatch,
    /// A frame or a message that makes no sense.
    #[error("wal: malformed record at byte {1} of {0}")]
    Malformed(String, u64),
    /// The file does not begin with metadata of this member.
    #[error("wal: conflicting metadata found")]
    MetadataConflict,
}

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Whose log it is.
    pub metadata: Option<Metadata>,
    /// The entry before the first one, with the configuration then.
    pub snapshot: Snapshot,
    /// Term, vote and commit index as written last.
    pub hard_state: HardState,
    /// The entries in order.
    pub entries: Vec<Entry>,
}

/// An open log that is written to.
pub struct Wal {
    disk: Disk,
    metadata: Metadata,
    seq: u64,
    file: String,
    crc: u32,
    last_index: u64,
    state: HardState,
    /// Files with the first index each may hold, oldest first.
    segments: Vec<(String, u64)>,
}

/// Parts to append, in order: small ones are joined.
#[derive(Default)]
struct Rope {
    parts: Vec<Bytes>,
    open: BytesMut,
}

impl Rope {
    fn push_shared(&mut self, b: Bytes) {
        if b.len() < SHARED_FROM {
            self.open.extend_from_slice(&b);
            return;
        }
        self.parts.push(core::mem::take(&mut self.open).freeze());
        self.parts.push(b);
    }

    fn finish(mut self) -> Vec<Bytes> {
        self.parts.push(self.open.freeze());
        self.parts
    }
}

fn varint_field(out: &mut BytesMut, tag: u64, v: u64) {
    encode_varint(tag << 3, out);
    encode_varint(v, out);
}

/// Appends one frame: the record of `kind` over `head` and `payload`, with the running checksum.
fn frame(rope: &mut Rope, crc: &mut u32, kind: i64, head: &[u8], payload: Option<&Bytes>) {
    let data_len = head.len() + payload.map_or(0, Bytes::len);
    *crc = crc32c::crc32c_append(*crc, head);
    if let Some(p) = payload {
        *crc = crc32c::crc32c_append(*crc, p);
    }
    let mut record = BytesMut::new();
    varint_field(&mut record, 1, kind as u64);
    varint_field(&mut record, 2, u64::from(*crc));
    if data_len > 0 {
        encode_varint(3 << 3 | 2, &mut record);
        encode_varint(data_len as u64, &mut record);
    }
    let len = record.len() + data_len;
    let padding = (8 - len % 8) % 8;
    let mut field = len as u64;
    if padding != 0 {
        field |= (0x80 | padding as u64) << 56;
    }
    rope.open.put_u64_le(field);
    rope.open.extend_from_slice(&record);
    rope.open.extend_from_slice(head);
    if let Some(p) = payload {
        rope.push_shared(p.clone());
    }
    rope.open.put_bytes(0, padding);
}

/// An entry's bytes before its payload.
fn entry_head(e: &Entry) -> BytesMut {
    let mut head = BytesMut::new();
    varint_field(&mut head, 1, e.r#type as u64);
    varint_field(&mut head, 2, e.term);
    varint_field(&mut head, 3, e.index);
    if let Some(d) = &e.data {
        encode_varint(4 << 3 | 2, &mut head);
        encode_varint(d.len() as u64, &mut head);
    }
    head
}

/// How long the frame of an entry is, with padding.
pub fn entry_frame_len(e: &Entry) -> u64 {
    let data = e.encoded_len();
    // type and crc are small; the crc's length varies, so this is the length with the longest.
    let record = 2 + 6 + 1 + encoded_len_varint(data as u64) + data;
    8 + record.div_ceil(8) as u64 * 8
}

impl Wal {
    /// Makes the log of a new member; whatever stood there is removed.
    pub async fn create(disk: &Disk, metadata: Metadata) -> Wal {
        for f in disk.list().into_iter().filter(|f| f.starts_with(DIR)) {
            disk.remove(&f);
        }
        let file = format!("{DIR}{:016x}-{:016x}.wal", 0, 0);
        let mut wal = Wal {
            disk: disk.clone(),
            metadata,
            seq: 0,
            file: file.clone(),
            crc: 0,
            last_index: 0,
            state: HardState::default(),
            segments: vec![(file, 0)],
        };
        wal.head(&Snapshot::default(), false);
        wal.sync().await;
        wal
    }

    /// Reads the log of a member that ran before and opens it to go on. A frame torn off at the end by a crash is cut away.
    /// `None` when there is none that a member could start from (it crashed before its first write was durable).
    ///
    /// # Errors
    /// See [`WalError`].
    pub fn open(disk: &Disk, metadata: Metadata) -> Result<Option<(Wal, Contents)>, WalError> {
        let files: Vec<String> = disk.list().into_iter().filter(|f| f.starts_with(DIR)).collect();
        let mut contents = Contents::default();
        let mut crc = 0;
        let mut segments = Vec::new();
        for (i, f) in files.iter().enumerate() {
            let last = i + 1 == files.len();
            let bytes = disk.read(f);
            let good = read_file(f, &bytes, i == 0, last, &mut crc, &mut contents)?;
            if good < bytes.len() as u64 {
                disk.truncate(f, good);
            }
            let first = f
                .strip_suffix(".wal")
                .and_then(|n| n.rsplit_once('-'))
                .and_then(|(_, h)| u64::from_str_radix(h, 16).ok());
            segments.push((f.clone(), first.unwrap_or(0)));
        }
        let Some(found) = contents.metadata else { return Ok(None) };
        if found != metadata {
            return Err(WalError::MetadataConflict);
        }
        if contents.entries.is_empty() && contents.snapshot.index == 0 {
            return Ok(None);
        }
        let Some((file, _)) = segments.last().cloned() else { return Ok(None) };
        let seq = file
            .strip_prefix(DIR)
            .and_then(|n| n.split_once('-'))
            .and_then(|(s, _)| u64::from_str_radix(s, 16).ok())
            .unwrap_or(0);
        let last_index = contents.entries.last().map_or(contents.snapshot.index, |e| e.index);
        contents.hard_state.commit = contents.hard_state.commit.min(last_index);
        let state = contents.hard_state;
        let wal = Wal { disk: disk.clone(), metadata, seq, file, crc, last_index, state, segments };
        Ok(Some((wal, contents)))
    }

    /// Writes the beginning of a file.
    fn head(&mut self, marker: &Snapshot, with_state: bool) {
        let mut rope = Rope::default();
        frame(&mut rope, &mut self.crc, CRC, &[], None);
        frame(&mut rope, &mut self.crc, METADATA, &self.metadata.encode_to_vec(), None);
        frame(&mut rope, &mut self.crc, SNAPSHOT, &marker.encode_to_vec(), None);
        if with_state {
            frame(&mut rope, &mut self.crc, STATE, &self.state.encode_to_vec(), None);
        }
        for part in rope.finish() {
            self.disk.append(&self.file, part);
        }
    }

    /// Appends entries, then the hard state. Durable only after [`Wal::sync`]. How many bytes were appended.
    pub fn save(&mut self, hard_state: Option<HardState>, entries: &[Entry]) -> u64 {
        let before = self.disk.len(&self.file);
        let mut rope = Rope::default();
        for e in entries {
            frame(&mut rope, &mut self.crc, ENTRY, &entry_head(e), e.data.as_ref());
            self.last_index = e.index;
        }
        if let Some(hs) = hard_state.filter(|hs| *hs != HardState::default()) {
            self.state = hs;
            frame(&mut rope, &mut self.crc, STATE, &hs.encode_to_vec(), None);
        }
        for part in rope.finish() {
            self.disk.append(&self.file, part);
        }
        self.disk.len(&self.file) - before
    }

    /// Makes what was appended durable.
    pub async fn sync(&self) {
        self.disk.fsync(&self.file).await;
    }

    /// Whether the file has grown so long that [`Wal::cut`] is due.
    pub fn is_full(&self) -> bool {
        self.disk.len(&self.file) >= SEGMENT_BYTES
    }

    /// Goes on in a new file. `term` is the last entry's.
    pub async fn cut(&mut self, term: u64, conf_state: &ConfState) {
        self.sync().await;
        self.seq += 1;
        self.file = format!("{DIR}{:016x}-{:016x}.wal", self.seq, self.last_index + 1);
        self.segments.push((self.file.clone(), self.last_index + 1));
        let conf_state = Some(conf_state.encode_to_vec().into());
        self.head(&Snapshot { index: self.last_index, term, conf_state }, true);
        self.sync().await;
    }

    /// Removes the files that hold only entries up to `index`.
    pub fn release(&mut self, index: u64) {
        while let [_, (_, next), ..] = self.segments.as_slice()
            && *next <= index + 1
        {
            let (file, _) = self.segments.remove(0);
            self.disk.remove(&file);
        }
    }

    /// The name of the file that is written to.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The frame of an entry as it stands in the log, for showing.
    pub fn entry_frame(&self, e: &Entry) -> Bytes {
        let mut out = Vec::new();
        let mut crc = 0;
        let mut rope = Rope::default();
        frame(&mut rope, &mut crc, ENTRY, &entry_head(e), e.data.as_ref());
        for p in rope.finish() {
            out.extend_from_slice(&p);
        }
        out.into()
    }
}

/// Reads one file into `contents`; how many of its bytes are good.
fn read_file(
    name: &str,
    bytes: &Bytes,
    first: bool,
    last: bool,
    crc: &mut u32,
    contents: &mut Contents,
) -> Result<u64, WalError> {
    let mut at = 0usize;
    while at < bytes.len() {
        let torn = |e: WalError| if last { Ok(at as u64) } else { Err(e) };
        let malformed = || WalError::Malformed(name.to_owned(), at as u64);
        let Some(field) = bytes.get(at..at + 8) else { return torn(malformed()) };
        let field = u64::from_le_bytes(field.try_into().map_err(|_| malformed())?);
        let len = field & ((1 << 56) - 1);
        let padding = if field >> 63 == 1 { field >> 56 & 7 } else { 0 };
        let end = usize::try_from(len + padding).ok().and_then(|n| (at + 8).checked_add(n));
        let Some(end) = end.filter(|e| *e <= bytes.len()) else { return torn(malformed()) };
        let body = bytes.slice(at + 8..end - padding as usize);
        let Ok(record) = Record::decode(body) else { return torn(malformed()) };
        let data = record.data.clone().unwrap_or_default();
        if record.r#type == CRC {
            if !first && at == 0 && record.crc != *crc {
                return Err(WalError::CrcMismatch);
            }
            *crc = record.crc;
        } else {
            let sum = crc32c::crc32c_append(*crc, &data);
            if sum != record.crc {
                return torn(WalError::CrcMismatch);
            }
            *crc = sum;
        }
        match record.r#type {
            METADATA => contents.metadata = Some(Metadata::decode(data).map_err(|_| malformed())?),
            ENTRY => {
                let e = Entry::decode(data).map_err(|_| malformed())?;
                let offset = contents.snapshot.index;
                if e.index > offset {
                    let keep = (e.index - offset - 1) as usize;
                    if keep > contents.entries.len() {
                        return Err(malformed());
                    }
                    contents.entries.truncate(keep);
                    contents.entries.push(e);
                }
            }
            STATE => contents.hard_state = HardState::decode(data).map_err(|_| malformed())?,
            SNAPSHOT => {
                let s = Snapshot::decode(data).map_err(|_| malformed())?;
                // Only the oldest file's marker says where the entries begin.
                if first {
                    contents.snapshot = s;
                }
            }
            CRC => {}
            _ => return Err(malformed()),
        }
        at = end;
    }
    Ok(at as u64)
}

#[cfg(test)]
mod tests;
