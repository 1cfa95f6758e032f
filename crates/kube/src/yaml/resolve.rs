//! What a plain scalar is: go-yaml v2's `resolve`, YAML 1.1 without base-60 numbers.

use super::YamlError;

/// A resolved scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    /// beyond int64
    UInt(u64),
    Float(f64),
    Str(String),
    /// a string that looks like a timestamp: read as a string, but quoted when printed
    Timestamp(String),
    Merge,
    /// a local tag's text, or decoded binary
    Tagged(String),
}

const PREFIX: &str = "tag:yaml.org,2002:";

fn short(tag: &str) -> String {
    match tag.strip_prefix(PREFIX) {
        Some(t) => format!("!!{t}"),
        None => tag.to_string(),
    }
}

/// `resolve(tag, in)`; an explicit tag that does not fit the text is an error.
pub(super) fn resolve(tag: &str, text: &str) -> Result<Scalar, YamlError> {
    let word = tag.strip_prefix(PREFIX);
    match (tag, word) {
        ("", _) | (_, Some("str" | "bool" | "int" | "float" | "null" | "timestamp")) => {}
        (_, Some("binary")) => {
            let bytes = crate::codec::base64_decode(text.as_bytes())
                .map_err(|_| YamlError::new("!!binary value contains invalid base64 data"))?;
            return Ok(Scalar::Tagged(String::from_utf8_lossy(&bytes).into_owned()));
        }
        _ => return Ok(Scalar::Tagged(text.to_string())),
    }
    if word == Some("str") {
        return Ok(Scalar::Str(text.to_string()));
    }
    let found = plain(text, word.is_none() || word == Some("timestamp"));
    let found_word = match &found {
        Scalar::Null => "null",
        Scalar::Bool(_) => "bool",
        Scalar::Int(_) | Scalar::UInt(_) => "int",
        Scalar::Float(_) => "float",
        Scalar::Timestamp(_) => "timestamp",
        Scalar::Merge => "merge",
        _ => "str",
    };
    match (word, found) {
        (None, f) => Ok(f),
        (Some(w), f) if w == found_word => Ok(f),
        (Some("float"), Scalar::Int(i)) => Ok(Scalar::Float(i as f64)),
        _ => Err(YamlError::new(format!("cannot decode !!{found_word} `{text}` as a {}", short(tag)))),
    }
}

fn plain(s: &str, timestamps: bool) -> Scalar {
    let text = || Scalar::Str(s.to_string());
    match s {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Scalar::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        "<<" => return Scalar::Merge,
        _ => {}
    }
    match s.as_bytes()[0] {
        b'.' => match s.parse::<f64>() {
            // Rust reads what Go's ParseFloat reads here, except names, which begin otherwise.
            Ok(f) if f.is_finite() && s.len() > 1 => Scalar::Float(f),
            _ => text(),
        },
        b'+' | b'-' | b'0'..=b'9' => {
            if timestamps && is_timestamp(s) {
                return Scalar::Timestamp(s.to_string());
            }
            let n: String = s.chars().filter(|c| *c != '_').collect();
            if let Some(i) = parse_int(&n) {
                match (i64::try_from(i), u64::try_from(i)) {
                    (Ok(i), _) => return Scalar::Int(i),
                    (_, Ok(u)) if !n.starts_with(['+', '-']) => return Scalar::UInt(u),
                    _ => {}
                }
            }
            match is_float(&n).then(|| n.parse::<f64>()) {
                Some(Ok(f)) if f.is_finite() => Scalar::Float(f),
                _ => text(),
            }
        }
        _ => text(),
    }
}

/// `strconv.ParseInt(s, 0, …)`: decimal, or 0x, 0o, 0b, 0 prefixes. Values beyond i128 do not count.
fn parse_int(s: &str) -> Option<i128> {
    let (neg, digits) = match s.as_bytes().first()? {
        b'-' => (true, &s[1..]),
        b'+' => (false, &s[1..]),
        _ => (false, s),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let v = i128::from_str_radix(digits, radix).ok()?;
    Some(if neg { -v } else { v })
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`
fn is_float(s: &str) -> bool {
    let b = s.as_bytes();
    let mut i = usize::from(matches!(b.first(), Some(b'+' | b'-')));
    let digits = |mut i: usize| {
        let start = i;
        while b.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        (i, i - start)
    };
    let (next, whole) = digits(i);
    i = next;
    if b.get(i) == Some(&b'.') {
        let (next, frac) = digits(i + 1);
        if whole == 0 && frac == 0 {
            return false;
        }
        i = next;
    } else if whole == 0 {
        return false;
    }
    if matches!(b.get(i), Some(b'e' | b'E')) {
        i += 1;
        if matches!(b.get(i), Some(b'+' | b'-')) {
            i += 1;
        }
        let (next, n) = digits(i);
        if n == 0 {
            return false;
        }
        i = next;
    }
    i == b.len()
}

/// go-yaml's timestamp formats: a date, or a date and time with `T`, `t` (with a zone) or a space (without).
pub(super) fn is_timestamp(s: &str) -> bool {
    let b = s.as_bytes();
    if b.len() < 8 || !b[..4].iter().all(u8::is_ascii_digit) || b[4] != b'-' {
        return false;
    }
    let year: i64 = s[..4].parse().unwrap_or(0);
    let mut i = 5;
    // One or two digits.
    let num = |i: &mut usize| -> Option<u32> {
        let start = *i;
        while *i < b.len() && *i < start + 2 && b[*i].is_ascii_digit() {
            *i += 1;
        }
        s.get(start..*i)?.parse().ok()
    };
    let lit = |i: &mut usize, c: u8| {
        let ok = b.get(*i) == Some(&c);
        *i += usize::from(ok);
        ok.then_some(())
    };
    let mut read = || -> Option<()> {
        let month = num(&mut i)?;
        lit(&mut i, b'-')?;
        let day = num(&mut i)?;
        let last = match month {
            2 if (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        if day < 1 || day > last {
            return None;
        }
        if i == b.len() {
            return Some(());
        }
        let zone = match b[i] {
            b'T' | b't' => true,
            b' ' => false,
            _ => return None,
        };
        i += 1;
        let h = num(&mut i)?;
        lit(&mut i, b':')?;
        let m = num(&mut i)?;
        lit(&mut i, b':')?;
        let sec = num(&mut i)?;
        if h > 23 || m > 59 || sec > 59 {
            return None;
        }
        if matches!(b.get(i), Some(b'.' | b',')) && b.get(i + 1).is_some_and(u8::is_ascii_digit) {
            i += 1;
            while b.get(i).is_some_and(u8::is_ascii_digit) {
                i += 1;
            }
        }
        if zone && lit(&mut i, b'Z').is_none() {
            let z = b.get(i..i + 6)?;
            let d = |k: usize| z[k].is_ascii_digit();
            if !(matches!(z[0], b'+' | b'-') && d(1) && d(2) && z[3] == b':' && d(4) && d(5)) {
                return None;
            }
            let (h, m) = ((z[1] - b'0') * 10 + z[2] - b'0', (z[4] - b'0') * 10 + z[5] - b'0');
            if h > 24 || m > 60 {
                return None;
            }
            i += 6;
        }
        (i == b.len()).then_some(())
    };
    read().is_some()
}
