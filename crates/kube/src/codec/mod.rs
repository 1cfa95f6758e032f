//! The codecs: JSON and Kubernetes protobuf, both driven by the schema, and the byte ranges of fields.

pub mod json;
mod json_encode;
pub mod proto;
pub mod spans;
#[cfg(test)]
mod tests;

/// `base64.StdEncoding.DecodeString`: carriage returns and newlines are skipped; the error is Go's text.
pub fn base64_decode(s: &[u8]) -> Result<Vec<u8>, String> {
    let corrupt = |i: usize| Err(format!("illegal base64 data at input byte {i}"));
    let mut out = Vec::with_capacity(s.len() / 4 * 3);
    let mut quad = [0u8; 4];
    let mut n = 0;
    let mut i = 0;
    while i < s.len() {
        let c = s[i];
        i += 1;
        let v = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'\r' | b'\n' => continue,
            b'=' => {
                if n < 2 {
                    return corrupt(i - 1);
                }
                let skip = |mut i: usize| {
                    while i < s.len() && matches!(s[i], b'\r' | b'\n') {
                        i += 1;
                    }
                    i
                };
                if n == 2 {
                    i = skip(i);
                    if i == s.len() {
                        return corrupt(s.len());
                    }
                    if s[i] != b'=' {
                        return corrupt(i - 1);
                    }
                    i += 1;
                }
                i = skip(i);
                if i < s.len() {
                    return corrupt(i);
                }
                out.push(quad[0] << 2 | quad[1] >> 4);
                if n == 3 {
                    out.push(quad[1] << 4 | quad[2] >> 2);
                }
                return Ok(out);
            }
            _ => return corrupt(i - 1),
        };
        quad[n] = v;
        n += 1;
        if n == 4 {
            out.extend_from_slice(&[
                quad[0] << 2 | quad[1] >> 4,
                quad[1] << 4 | quad[2] >> 2,
                quad[2] << 6 | quad[3],
            ]);
            n = 0;
        }
    }
    if n > 0 {
        // Go reports the start of the incomplete quantum.
        return corrupt(s.len() - n);
    }
    Ok(out)
}

/// Standard base64 with padding.
pub fn base64_encode(b: &[u8]) -> String {
    const T: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(b.len().div_ceil(3) * 4);
    for c in b.chunks(3) {
        let n = u32::from(c[0]) << 16
            | u32::from(*c.get(1).unwrap_or(&0)) << 8
            | u32::from(*c.get(2).unwrap_or(&0));
        for k in 0..4 {
            if k <= c.len() {
                out.push(T[(n >> (18 - 6 * k)) as usize & 63] as char);
            } else {
                out.push('=');
            }
        }
    }
    out
}
