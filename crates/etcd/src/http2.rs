//! A connection that carries gRPC calls: HTTP/2 frames in and out of the network's stream.
//!
//! Like grpc-go's writer, frames that are ready together leave together: one write to the stream holds whole frames,
//! one behind the other, and the reader cuts them apart by their 24-bit length.

use bytes::{Bytes, BytesMut};
use wire::grpc::{Frame, FrameError};

/// The bytes of several frames, one behind the other.
pub fn join(frames: &[Frame]) -> Bytes {
    if let [one] = frames {
        return one.encode();
    }
    let mut out = BytesMut::new();
    for f in frames {
        out.extend_from_slice(&f.encode());
    }
    out.freeze()
}

/// Cuts bytes written by [`join`] into frames; DATA stays a shared slice.
///
/// # Errors
/// [`FrameError::Length`] when the last frame is not whole, or what [`Frame::decode`] finds wrong.
pub fn split(mut bytes: Bytes) -> Result<Vec<Frame>, FrameError> {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        if bytes.len() < 9 {
            return Err(FrameError::Length);
        }
        let len = 9 + u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]) as usize;
        if bytes.len() < len {
            return Err(FrameError::Length);
        }
        out.push(Frame::decode(&bytes.split_to(len))?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_join_and_split() {
        let frames = vec![
            Frame::Headers { stream: 1, headers: wire::grpc::response_headers(), end_stream: false },
            Frame::Data { stream: 1, data: Bytes::from_static(b"\0\0\0\0\0"), end_stream: false },
            Frame::cancel(3),
        ];
        let bytes = join(&frames);
        assert_eq!(split(bytes.clone()).unwrap(), frames);
        assert_eq!(split(bytes.slice(..bytes.len() - 1)), Err(FrameError::Length));
        assert_eq!(split(Bytes::from_static(b"\0\0")), Err(FrameError::Length));
    }
}
