//! HTTP/2 frames as gRPC needs them: HEADERS, DATA and RST_STREAM (RFC 9113 section 4.1, RFC 7541 section 6.2.2).

use super::Headers;
use bytes::{BufMut, Bytes, BytesMut};

/// One frame of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Opens a call, opens an answer, or ends an answer (trailers).
    Headers {
        /// Number of the stream; odd, since clients open them.
        stream: u32,
        /// The fields in order.
        headers: Headers,
        /// The sender sends nothing more on this stream.
        end_stream: bool,
    },
    /// Messages or parts of messages.
    Data {
        /// Number of the stream.
        stream: u32,
        /// The bytes.
        data: Bytes,
        /// The sender sends nothing more on this stream.
        end_stream: bool,
    },
    /// The stream is given up.
    Reset {
        /// Number of the stream.
        stream: u32,
        /// HTTP/2 error code; 8 is CANCEL.
        code: u32,
    },
}

/// Why bytes are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Fewer bytes than the header or its length say, or more.
    #[error("http2: frame length does not match")]
    Length,
    /// A type that is not modelled here.
    #[error("http2: frame type {0} is not modelled here")]
    Type(u8),
    /// A header block that is not made of literals with new names in UTF-8.
    #[error("http2: malformed header block")]
    HeaderBlock,
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// Error code CANCEL of RST_STREAM.
pub const CANCEL: u32 = 8;
/// Largest payload a frame can say: 24 bits.
const MAX_PAYLOAD: usize = (1 << 24) - 1;

impl Frame {
    /// The stream the frame belongs to.
    pub fn stream(&self) -> u32 {
        match self {
            Frame::Headers { stream, .. } | Frame::Data { stream, .. } | Frame::Reset { stream, .. } => {
                *stream
            }
        }
    }

    /// RST_STREAM with CANCEL.
    pub fn cancel(stream: u32) -> Frame {
        Frame::Reset { stream, code: CANCEL }
    }

    /// The bytes of the frame. DATA above 2^24-1 bytes must be cut with [`Frame::data`] first.
    pub fn encode(&self) -> Bytes {
        match self {
            Frame::Headers { stream, headers, end_stream } => {
                let mut block = BytesMut::new();
                for (name, value) in headers {
                    block.put_u8(0);
                    put_string(&mut block, name);
                    put_string(&mut block, value);
                }
                let flags = END_HEADERS | if *end_stream { END_STREAM } else { 0 };
                head(HEADERS, flags, *stream, &block)
            }
            Frame::Data { stream, data, end_stream } => {
                head(DATA, if *end_stream { END_STREAM } else { 0 }, *stream, data)
            }
            Frame::Reset { stream, code } => head(RST_STREAM, 0, *stream, &code.to_be_bytes()),
        }
    }

    /// DATA frames for these bytes: one, unless they do not fit into it.
    pub fn data(stream: u32, mut data: Bytes, end_stream: bool) -> Vec<Frame> {
        let mut out = Vec::new();
        while data.len() > MAX_PAYLOAD {
            let part = data.split_to(MAX_PAYLOAD);
            out.push(Frame::Data { stream, data: part, end_stream: false });
        }
        out.push(Frame::Data { stream, data, end_stream });
        out
    }

    /// Reads exactly one frame; DATA is a shared slice of `bytes`.
    ///
    /// # Errors
    /// See [`FrameError`].
    pub fn decode(bytes: &Bytes) -> Result<Frame, FrameError> {
        let b = &bytes[..];
        if b.len() < 9 {
            return Err(FrameError::Length);
        }
        let len = u32::from_be_bytes([0, b[0], b[1], b[2]]) as usize;
        let stream = u32::from_be_bytes([b[5] & 0x7f, b[6], b[7], b[8]]);
        if b.len() != 9 + len {
            return Err(FrameError::Length);
        }
        let end_stream = b[4] & END_STREAM != 0;
        match b[3] {
            DATA => Ok(Frame::Data { stream, data: bytes.slice(9..), end_stream }),
            HEADERS => {
                let headers = read_block(&b[9..]).ok_or(FrameError::HeaderBlock)?;
                Ok(Frame::Headers { stream, headers, end_stream })
            }
            RST_STREAM => {
                let code = b[9..].try_into().map_err(|_| FrameError::Length)?;
                Ok(Frame::Reset { stream, code: u32::from_be_bytes(code) })
            }
            t => Err(FrameError::Type(t)),
        }
    }
}

fn head(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Bytes {
    assert!(payload.len() <= MAX_PAYLOAD, "an HTTP/2 frame holds at most 2^24-1 bytes");
    let mut out = BytesMut::with_capacity(9 + payload.len());
    out.put_uint(payload.len() as u64, 3);
    out.put_u8(kind);
    out.put_u8(flags);
    out.put_u32(stream & 0x7fff_ffff);
    out.extend_from_slice(payload);
    out.freeze()
}

/// An HPACK string without Huffman coding: length with a 7-bit prefix, then the bytes.
fn put_string(out: &mut BytesMut, s: &str) {
    let mut n = s.len();
    if n < 127 {
        out.put_u8(n as u8);
    } else {
        out.put_u8(127);
        n -= 127;
        while n >= 128 {
            out.put_u8((n % 128) as u8 | 0x80);
            n /= 128;
        }
        out.put_u8(n as u8);
    }
    out.extend_from_slice(s.as_bytes());
}

fn read_block(mut b: &[u8]) -> Option<Headers> {
    let mut out = Vec::new();
    while let Some((&first, rest)) = b.split_first() {
        if first != 0 {
            return None;
        }
        b = rest;
        let name = read_string(&mut b)?;
        let value = read_string(&mut b)?;
        out.push((name, value));
    }
    Some(out)
}

fn read_string(b: &mut &[u8]) -> Option<String> {
    let (&first, mut rest) = b.split_first()?;
    if first & 0x80 != 0 {
        return None;
    }
    let mut n = u64::from(first);
    if first == 127 {
        let mut shift = 0;
        loop {
            let (&c, r) = rest.split_first()?;
            rest = r;
            n = n.checked_add(u64::from(c & 0x7f).checked_shl(shift)?)?;
            shift += 7;
            if c & 0x80 == 0 {
                break;
            }
            if shift > 28 {
                return None;
            }
        }
    }
    let n = usize::try_from(n).ok()?;
    let s = rest.get(..n)?;
    *b = &rest[n..];
    String::from_utf8(s.to_vec()).ok()
}
