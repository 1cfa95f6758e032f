//! Go's `encoding/json` printers.

use super::Json;

/// Appends a string literal as `encoding/json` writes it (HTML-safe).
pub fn append_string(s: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let b = s.as_bytes();
    let mut start = 0;
    let mut i = 0;
    while i < b.len() {
        let c = b[i];
        let plain = c >= 0x20 && !matches!(c, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xe2);
        if plain {
            i += 1;
            continue;
        }
        if c == 0xe2 {
            if b.get(i + 1) == Some(&0x80) && matches!(b.get(i + 2), Some(0xa8 | 0xa9)) {
                out.extend_from_slice(&b[start..i]);
                out.extend_from_slice(if b[i + 2] == 0xa8 { b"\\u2028" } else { b"\\u2029" });
                i += 3;
                start = i;
            } else {
                i += 1;
            }
            continue;
        }
        out.extend_from_slice(&b[start..i]);
        match c {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', c]),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => out.extend_from_slice(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                HEX[usize::from(c >> 4)],
                HEX[usize::from(c & 15)],
            ]),
        }
        i += 1;
        start = i;
    }
    out.extend_from_slice(&b[start..]);
    out.push(b'"');
}

/// Appends a float64 as `encoding/json` writes it: shortest form, exponent below 1e-6 and from 1e21.
/// NaN and infinities, which Go refuses, are written as `null`.
pub fn append_go_float(f: f64, out: &mut Vec<u8>) {
    if !f.is_finite() {
        out.extend_from_slice(b"null");
        return;
    }
    let abs = f.abs();
    if abs != 0.0 && !(1e-6..1e21).contains(&abs) {
        let s = format!("{f:e}");
        match s.split_once('e') {
            Some((m, e)) if !e.starts_with('-') => {
                out.extend_from_slice(m.as_bytes());
                out.extend_from_slice(b"e+");
                out.extend_from_slice(e.as_bytes());
            }
            _ => out.extend_from_slice(s.as_bytes()),
        }
    } else {
        out.extend_from_slice(format!("{f}").as_bytes());
    }
}

fn scalar(v: &Json, out: &mut Vec<u8>) {
    match v {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Int(i) => out.extend_from_slice(i.to_string().as_bytes()),
        Json::Float(f) => append_go_float(*f, out),
        Json::Str(s) => append_string(s, out),
        Json::Arr(_) | Json::Obj(_) => unreachable!("containers are printed by their walkers"),
    }
}

/// Appends the compact form.
pub(super) fn compact(v: &Json, out: &mut Vec<u8>) {
    match v {
        Json::Arr(a) => {
            out.push(b'[');
            for (i, e) in a.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                compact(e, out);
            }
            out.push(b']');
        }
        Json::Obj(o) => {
            out.push(b'{');
            for (i, (k, e)) in o.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                append_string(k, out);
                out.push(b':');
                compact(e, out);
            }
            out.push(b'}');
        }
        s => scalar(s, out),
    }
}

/// The indented form.
pub(super) fn pretty(v: &Json, indent: &str) -> String {
    let text = v.to_vec();
    String::from_utf8_lossy(&indent_text(&text, indent)).into_owned()
}

/// `json.Indent(text, "", indent)` for a valid compact JSON text: used where key order must be kept.
pub fn indent_text(text: &[u8], indent: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut depth = 0usize;
    let mut i = 0;
    let newline = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        for _ in 0..depth {
            out.extend_from_slice(indent.as_bytes());
        }
    };
    while i < text.len() {
        let c = text[i];
        match c {
            b'"' => {
                let start = i;
                i += 1;
                while i < text.len() && text[i] != b'"' {
                    i += if text[i] == b'\\' { 2 } else { 1 };
                }
                i = (i + 1).min(text.len());
                out.extend_from_slice(&text[start..i]);
                continue;
            }
            b'{' | b'[' => {
                out.push(c);
                let close = if c == b'{' { b'}' } else { b']' };
                let mut j = i + 1;
                while j < text.len() && text[j].is_ascii_whitespace() {
                    j += 1;
                }
                if text.get(j) == Some(&close) {
                    out.push(close);
                    i = j + 1;
                    continue;
                }
                depth += 1;
                newline(&mut out, depth);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                newline(&mut out, depth);
                out.push(c);
            }
            b',' => {
                out.push(c);
                newline(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
        i += 1;
    }
    out
}

/// `strconv.Quote`: a Go string literal, as `%q` prints.
pub fn go_quote(s: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(s.len() + 2);
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if (c as u32) < 0x20 || c == '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c if is_print(c) => out.push(c),
            c if (c as u32) < 0x10000 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => {
                let _ = write!(out, "\\U{:08x}", c as u32);
            }
        }
    }
    out.push('"');
    out
}

/// `strconv.IsPrint`, near enough: letters, marks, numbers, punctuation, symbols and the ASCII space.
fn is_print(c: char) -> bool {
    let u = c as u32;
    if u < 0x7f {
        return u >= 0x20;
    }
    !(c.is_control()
        || (c.is_whitespace())
        || u == 0xad
        || (0x200b..=0x200f).contains(&u)
        || (0x202a..=0x202e).contains(&u)
        || (0x2060..=0x206f).contains(&u)
        || (0xe000..=0xf8ff).contains(&u)
        || u == 0xfeff
        || (0xfff0..=0xfffb).contains(&u)
        || (u & 0xfffe) == 0xfffe
        || u >= 0xe0000)
}
