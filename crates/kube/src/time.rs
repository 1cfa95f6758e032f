//! Times as the API writes them: RFC 3339 seconds (`Time`), microseconds (`MicroTime`), Go durations; parse errors
//! in the words of Go's `time` package.

use crate::json::go_quote;

/// A moment: seconds since 1970 and nanoseconds. Go's zero time is [`Time::ZERO`] (year 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time {
    pub secs: i64,
    pub nanos: u32,
}

const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
const RFC3339_MICRO: &str = "2006-01-02T15:04:05.000000Z07:00";

impl Time {
    /// Go's zero time: 0001-01-01T00:00:00Z.
    pub const ZERO: Time = Time { secs: -62_135_596_800, nanos: 0 };

    /// From nanoseconds since 1970 (`sim`'s clock).
    pub fn from_unix_nanos(n: i64) -> Time {
        Time { secs: n.div_euclid(1_000_000_000), nanos: n.rem_euclid(1_000_000_000) as u32 }
    }
    pub fn from_unix(secs: i64) -> Time {
        Time { secs, nanos: 0 }
    }
    pub fn unix_nanos(&self) -> i64 {
        self.secs.saturating_mul(1_000_000_000).saturating_add(i64::from(self.nanos))
    }
    pub fn is_zero(&self) -> bool {
        *self == Time::ZERO
    }
    /// `time.Parse(time.RFC3339, s)`, cut to seconds as metav1.Time is written.
    pub fn parse(s: &str) -> Result<Time, String> {
        parse(s, false).map(|t| Time { nanos: 0, ..t })
    }
    /// `time.Parse(RFC3339Micro, s)`: exactly six decimals.
    pub fn parse_micro(s: &str) -> Result<Time, String> {
        parse(s, true).map(|t| Time { nanos: t.nanos / 1000 * 1000, ..t })
    }
    /// `2026-01-02T03:04:05Z`
    pub fn to_rfc3339(&self) -> String {
        let (y, mo, d, h, mi, s) = civil(self.secs);
        format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}Z")
    }
    /// `2026-01-02T03:04:05.678901Z`
    pub fn to_rfc3339_micro(&self) -> String {
        let (y, mo, d, h, mi, s) = civil(self.secs);
        format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}.{:06}Z", self.nanos / 1000)
    }
}

/// Year, month, day, hour, minute, second of a Unix time in UTC (proleptic Gregorian).
pub fn civil(secs: i64) -> (i64, u32, u32, u32, u32, u32) {
    let days = secs.div_euclid(86_400);
    let rem = secs.rem_euclid(86_400) as u32;
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let d = (doy - (153 * mp + 2) / 5 + 1) as u32;
    let m = if mp < 10 { mp + 3 } else { mp - 9 } as u32;
    let y = yoe + era * 400 + i64::from(m <= 2);
    (y, m, d, rem / 3600, rem / 60 % 60, rem % 60)
}

/// Unix time of a civil date in UTC.
pub fn from_civil(y: i64, m: u32, d: u32, h: u32, mi: u32, s: u32) -> i64 {
    let y = y - i64::from(m <= 2);
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let mp = i64::from(if m > 2 { m - 3 } else { m + 9 });
    let doy = (153 * mp + 2) / 5 + i64::from(d) - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    (era * 146_097 + doe - 719_468) * 86_400 + i64::from(h) * 3600 + i64::from(mi) * 60 + i64::from(s)
}

fn days_in(m: u32, y: i64) -> u32 {
    match m {
        2 if (y % 4 == 0 && y % 100 != 0) || y % 400 == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

struct Parser<'a> {
    layout: &'static str,
    whole: &'a str,
    v: &'a str,
}

impl<'a> Parser<'a> {
    fn cannot(&self, hold: &str, elem: &str) -> String {
        format!(
            "parsing time {} as {}: cannot parse {} as {}",
            go_quote(self.whole),
            go_quote(self.layout),
            go_quote(hold),
            go_quote(elem)
        )
    }
    fn message(&self, m: &str) -> String {
        format!("parsing time {}{m}", go_quote(self.whole))
    }
    fn range(&self, what: &str) -> String {
        self.message(&format!(": {what} out of range"))
    }
    fn skip(&mut self, prefix: &'static str) -> Result<(), String> {
        match self.v.strip_prefix(prefix) {
            Some(r) => {
                self.v = r;
                Ok(())
            }
            None => Err(self.cannot(self.v, prefix)),
        }
    }
    fn digit(&self, i: usize) -> bool {
        self.v.as_bytes().get(i).is_some_and(u8::is_ascii_digit)
    }
    /// One or two digits (`fixed`: exactly two).
    fn num(&mut self, elem: &'static str, fixed: bool) -> Result<u32, String> {
        let n = match (self.digit(0), self.digit(1)) {
            (true, true) => 2,
            (true, false) if !fixed => 1,
            _ => return Err(self.cannot(self.v, elem)),
        };
        let r = self.v[..n].parse().unwrap_or(0);
        self.v = &self.v[n..];
        Ok(r)
    }
}

fn parse(s: &str, micro: bool) -> Result<Time, String> {
    let mut p = Parser { layout: if micro { RFC3339_MICRO } else { RFC3339 }, whole: s, v: s };
    if p.v.len() < 4 || !p.digit(0) || !p.v.as_bytes()[..4].iter().all(u8::is_ascii_digit) {
        return Err(p.cannot(p.v, "2006"));
    }
    let y: i64 = p.v[..4].parse().unwrap_or(0);
    p.v = &p.v[4..];
    p.skip("-")?;
    let m = p.num("01", true)?;
    if m == 0 || m > 12 {
        return Err(p.range("month"));
    }
    p.skip("-")?;
    let d = p.num("02", true)?;
    p.skip("T")?;
    let h = p.num("15", false)?;
    if h > 23 {
        return Err(p.range("hour"));
    }
    p.skip(":")?;
    let mi = p.num("04", true)?;
    if mi > 59 {
        return Err(p.range("minute"));
    }
    p.skip(":")?;
    let sec = p.num("05", true)?;
    if sec > 59 {
        return Err(p.range("second"));
    }
    let mut nanos = 0u32;
    if micro {
        let b = p.v.as_bytes();
        if b.len() < 7 || !matches!(b[0], b'.' | b',') || !b[1..7].iter().all(u8::is_ascii_digit) {
            return Err(p.cannot(p.v, ".000000"));
        }
        nanos = p.v[1..7].parse::<u32>().unwrap_or(0) * 1000;
        p.v = &p.v[7..];
    } else if matches!(p.v.as_bytes().first(), Some(b'.' | b',')) && p.digit(1) {
        let mut n = 1;
        let mut unit = 100_000_000;
        while p.digit(n) {
            nanos += u32::from(p.v.as_bytes()[n] - b'0') * unit;
            unit /= 10;
            n += 1;
        }
        p.v = &p.v[n..];
    }
    let mut offset = 0i64;
    if let Some(r) = p.v.strip_prefix('Z') {
        p.v = r;
    } else {
        let b = p.v.as_bytes();
        let ok = b.len() >= 6
            && matches!(b[0], b'+' | b'-')
            && b[3] == b':'
            && [b[1], b[2], b[4], b[5]].iter().all(u8::is_ascii_digit);
        if !ok {
            return Err(p.cannot(p.v, "Z07:00"));
        }
        let hr = i64::from((b[1] - b'0') * 10 + b[2] - b'0');
        let mm = i64::from((b[4] - b'0') * 10 + b[5] - b'0');
        if hr > 24 {
            return Err(p.range("time zone offset hour"));
        }
        if mm > 60 {
            return Err(p.range("time zone offset minute"));
        }
        offset = (hr * 60 + mm) * 60 * if b[0] == b'-' { -1 } else { 1 };
        p.v = &p.v[6..];
    }
    if !p.v.is_empty() {
        return Err(p.message(&format!(": extra text: {}", go_quote(p.v))));
    }
    if d < 1 || d > days_in(m, y) {
        return Err(p.range("day"));
    }
    Ok(Time { secs: from_civil(y, m, d, h, mi, sec) - offset, nanos })
}

/// `time.Duration.String()`: `1h0m0s`, `1.5s`, `0s`.
pub fn format_duration(nanos: i64) -> String {
    let neg = nanos < 0;
    let u = nanos.unsigned_abs();
    let frac = |v: u64, unit: u64, name: &str| {
        let whole = v / unit;
        let rest = v % unit;
        if rest == 0 {
            return format!("{whole}{name}");
        }
        let width = unit.to_string().len() - 1;
        let digits = format!("{rest:0width$}");
        format!("{whole}.{}{name}", digits.trim_end_matches('0'))
    };
    let text = match u {
        0 => return "0s".into(),
        1..1_000 => format!("{u}ns"),
        1_000..1_000_000 => frac(u, 1_000, "µs"),
        1_000_000..1_000_000_000 => frac(u, 1_000_000, "ms"),
        _ => {
            let secs = u / 1_000_000_000;
            let s = frac(u - secs / 60 * 60_000_000_000, 1_000_000_000, "s");
            match (secs / 3600, secs / 60 % 60) {
                (0, 0) => s,
                (0, m) => format!("{m}m{s}"),
                (h, m) => format!("{h}h{m}m{s}"),
            }
        }
    };
    if neg { format!("-{text}") } else { text }
}

/// `time.ParseDuration`: nanoseconds.
pub fn parse_duration(s: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", go_quote(s));
    let (neg, mut r) = match s.as_bytes().first() {
        Some(b'-') => (true, &s[1..]),
        Some(b'+') => (false, &s[1..]),
        _ => (false, s),
    };
    if r == "0" {
        return Ok(0);
    }
    if r.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !r.is_empty() {
        let n = r.bytes().take_while(u8::is_ascii_digit).count();
        if n == 0 && !r.starts_with('.') {
            return Err(invalid());
        }
        let whole: u64 = if n == 0 { 0 } else { r[..n].parse().map_err(|_| invalid())? };
        if whole > 1 << 63 {
            return Err(invalid());
        }
        r = &r[n..];
        let (mut f, mut scale, mut fraction) = (0u64, 1f64, 0);
        if let Some(t) = r.strip_prefix('.') {
            fraction = t.bytes().take_while(u8::is_ascii_digit).count();
            let mut overflow = false;
            for c in t[..fraction].bytes() {
                if overflow || f > (i64::MAX as u64) / 10 {
                    overflow = true;
                    continue;
                }
                f = f * 10 + u64::from(c - b'0');
                scale *= 10.0;
            }
            r = &t[fraction..];
        }
        if n == 0 && fraction == 0 {
            return Err(invalid());
        }
        let u = r.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(r.len());
        if u == 0 {
            return Err(format!("time: missing unit in duration {}", go_quote(s)));
        }
        let unit: u64 = match &r[..u] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            other => {
                return Err(format!("time: unknown unit {} in duration {}", go_quote(other), go_quote(s)));
            }
        };
        r = &r[u..];
        let mut v = whole.checked_mul(unit).filter(|v| *v <= 1 << 63).ok_or_else(invalid)?;
        if f > 0 {
            v += (f as f64 * (unit as f64 / scale)) as u64;
            if v > 1 << 63 {
                return Err(invalid());
            }
        }
        total = total.checked_add(v).filter(|t| *t <= 1 << 63).ok_or_else(invalid)?;
    }
    if neg {
        return Ok((total as i64).wrapping_neg());
    }
    i64::try_from(total).map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339() {
        let t = Time::parse("2026-11-30T19:50:12Z").unwrap();
        assert_eq!(t.secs, 1_796_068_212);
        assert_eq!(t.to_rfc3339(), "2026-11-30T19:50:12Z");
        assert_eq!(Time::parse("2026-01-02T03:04:05.9+02:00").unwrap().to_rfc3339(), "2026-01-02T01:04:05Z");
        assert_eq!(Time::ZERO.to_rfc3339(), "0001-01-01T00:00:00Z");
        let m = Time::parse_micro("2026-01-02T03:04:05.678901Z").unwrap();
        assert_eq!(m.to_rfc3339_micro(), "2026-01-02T03:04:05.678901Z");
        assert_eq!(
            Time::parse("x").unwrap_err(),
            r#"parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006""#
        );
        assert_eq!(
            Time::parse("2026-13-01T00:00:00Z").unwrap_err(),
            r#"parsing time "2026-13-01T00:00:00Z": month out of range"#
        );
        assert_eq!(
            Time::parse("2026-02-30T00:00:00Z").unwrap_err(),
            r#"parsing time "2026-02-30T00:00:00Z": day out of range"#
        );
        assert_eq!(
            Time::parse_micro("2026-01-02T03:04:05Z").unwrap_err(),
            r#"parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#
        );
    }

    #[test]
    fn durations() {
        for (n, s) in [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5µs"),
            (2_000_000, "2ms"),
            (1_500_000_000, "1.5s"),
            (60_000_000_000, "1m0s"),
            (3_661_000_000_000, "1h1m1s"),
            (-90_000_000_000, "-1m30s"),
        ] {
            assert_eq!(format_duration(n), s);
            assert_eq!(parse_duration(s), Ok(n));
        }
        assert_eq!(parse_duration(""), Err("time: invalid duration \"\"".into()));
        assert_eq!(parse_duration("1"), Err("time: missing unit in duration \"1\"".into()));
        assert_eq!(parse_duration("1x"), Err("time: unknown unit \"x\" in duration \"1x\"".into()));
    }
}
