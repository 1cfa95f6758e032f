//! Resource quantities (`k8s.io/apimachinery/pkg/api/resource`): parsing with its error texts, the canonical text,
//! comparison and arithmetic.
//!
//! A [`Quantity`] is its printed text, exactly as the API server prints and stores it (a text that is canonical
//! already is kept as it was written). [`Amount`] is its number.

use std::cmp::Ordering;

/// How a quantity is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `12e6`
    DecimalExponent,
    /// `12Mi`
    BinarySI,
    /// `12M`
    DecimalSI,
}

/// A quantity as text; equality is Go's `Equal` (by number).
#[derive(Clone, Debug)]
pub struct Quantity {
    text: String,
}

/// A decimal number `value × 10^scale` with the format it prints in.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    pub value: i128,
    pub scale: i64,
    pub format: Format,
}

/// Why a text is no quantity; `Display` is the original's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuantityError {
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    FormatWrong,
    #[error("unable to parse numeric part of quantity")]
    Numeric,
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

const NANO: i64 = -9;
const MAX_INT64_FACTORS: i64 = 18;

impl Quantity {
    /// Parses and canonicalises.
    pub fn parse(s: &str) -> Result<Quantity, QuantityError> {
        let (amount, keep) = parse(s)?;
        Ok(if keep { Quantity { text: s.to_string() } } else { amount.to_quantity() })
    }
    /// A whole number in a format.
    pub fn from_int(v: i64, format: Format) -> Quantity {
        Amount { value: i128::from(v), scale: 0, format }.to_quantity()
    }
    /// Thousandths in a format.
    pub fn from_milli(v: i64, format: Format) -> Quantity {
        Amount { value: i128::from(v), scale: -3, format }.to_quantity()
    }
    /// Takes a text from storage as it is, without parsing.
    pub fn from_canonical(text: String) -> Quantity {
        Quantity { text }
    }
    /// The printed form.
    pub fn as_str(&self) -> &str {
        &self.text
    }
    /// The number; a stored text that is no quantity counts as zero.
    pub fn amount(&self) -> Amount {
        parse(&self.text).map_or(Amount::ZERO, |(a, _)| a)
    }
    /// `Value()`: rounded up to a whole number, capped at the int64 range.
    pub fn value(&self) -> i64 {
        self.amount().scaled(0)
    }
    /// `MilliValue()`: thousandths, rounded up.
    pub fn milli_value(&self) -> i64 {
        self.amount().scaled(-3)
    }
    pub fn is_zero(&self) -> bool {
        self.amount().value == 0
    }
    /// -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        self.amount().value.signum() as i32
    }
    pub fn add(&self, other: &Quantity) -> Quantity {
        self.amount().add(&other.amount()).to_quantity()
    }
    pub fn sub(&self, other: &Quantity) -> Quantity {
        let mut o = other.amount();
        o.value = -o.value;
        self.amount().add(&o).to_quantity()
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.text == other.text || self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Quantity {}
impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Quantity {
    fn cmp(&self, other: &Quantity) -> Ordering {
        self.amount().compare(&other.amount())
    }
}

fn pow10(n: i64) -> Option<i128> {
    if (0..=38).contains(&n) { Some(10i128.pow(n as u32)) } else { None }
}

impl Amount {
    pub const ZERO: Amount = Amount { value: 0, scale: 0, format: Format::DecimalSI };

    /// Decimal digits of the value's magnitude.
    fn digits(&self) -> i64 {
        let mut v = self.value.unsigned_abs();
        let mut n = 0;
        while v > 0 {
            v /= 10;
            n += 1;
        }
        n
    }

    /// Compares by number.
    pub fn compare(&self, other: &Amount) -> Ordering {
        let sign = self.value.signum().cmp(&other.value.signum());
        if sign != Ordering::Equal || self.value == 0 {
            return sign;
        }
        let magnitude = (self.digits() + self.scale).cmp(&(other.digits() + other.scale));
        if magnitude != Ordering::Equal {
            return if self.value > 0 { magnitude } else { magnitude.reverse() };
        }
        // Same magnitude: the scales differ by less than the digits of an i128, so aligning fits or loses only
        // digits beyond any other's.
        match self.scale.cmp(&other.scale) {
            Ordering::Equal => self.value.cmp(&other.value),
            Ordering::Greater => {
                match pow10(self.scale - other.scale).and_then(|p| self.value.checked_mul(p)) {
                    Some(v) => v.cmp(&other.value),
                    None => self.value.signum().cmp(&0),
                }
            }
            Ordering::Less => {
                match pow10(other.scale - self.scale).and_then(|p| other.value.checked_mul(p)) {
                    Some(v) => self.value.cmp(&v),
                    None => 0.cmp(&self.value.signum()),
                }
            }
        }
    }

    /// The number at a scale, rounded away from zero, capped at the int64 range.
    pub fn scaled(&self, scale: i64) -> i64 {
        let (v, _) = self.rescale(scale);
        v.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// The number at a scale, rounded away from zero; the second value tells whether it was exact.
    fn rescale(&self, scale: i64) -> (i128, bool) {
        if self.value == 0 {
            return (0, true);
        }
        if self.scale >= scale {
            let v = pow10(self.scale - scale).and_then(|p| self.value.checked_mul(p));
            return (v.unwrap_or(if self.value > 0 { i128::MAX } else { i128::MIN }), true);
        }
        match pow10(scale - self.scale) {
            Some(p) => {
                let (q, r) = (self.value / p, self.value % p);
                (if r == 0 { q } else { q + self.value.signum() }, r == 0)
            }
            None => (self.value.signum(), false),
        }
    }

    /// The sum, in this amount's format (or the other's when this one is zero).
    pub fn add(&self, other: &Amount) -> Amount {
        if self.value == 0 {
            return *other;
        }
        if other.value == 0 {
            return *self;
        }
        let scale = self.scale.min(other.scale).max(NANO.min(self.scale).min(other.scale));
        let (a, _) = self.rescale(scale);
        let (b, _) = other.rescale(scale);
        Amount { value: a.saturating_add(b), scale, format: self.format }
    }

    /// The canonical text.
    pub fn to_quantity(&self) -> Quantity {
        Quantity { text: self.canonical() }
    }

    fn canonical(&self) -> String {
        if self.value == 0 {
            return "0".into();
        }
        let mut format = self.format;
        if format == Format::BinarySI {
            let limit = Amount { value: 1024, scale: 0, format };
            let low = Amount { value: -1024, ..limit };
            let exact = self.rescale(0).1;
            if (self.compare(&low) == Ordering::Greater && self.compare(&limit) == Ordering::Less) || !exact {
                format = Format::DecimalSI;
            }
        }
        if format == Format::BinarySI {
            let (mut v, _) = self.rescale(0);
            let mut power = 0;
            while v % 1024 == 0 && v != 0 {
                v /= 1024;
                power += 1;
            }
            let suffix = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].get(power).copied().unwrap_or("");
            return format!("{v}{suffix}");
        }
        let (mut v, mut exp) = (self.value, self.scale);
        while v % 10 == 0 {
            v /= 10;
            exp += 1;
        }
        while exp % 3 != 0 {
            v = v.saturating_mul(10);
            exp -= 1;
        }
        let suffix = match (format, exp) {
            (Format::DecimalExponent, 0) => String::new(),
            (Format::DecimalExponent, e) => format!("e{e}"),
            (_, e) => match e {
                -9 => "n",
                -6 => "u",
                -3 => "m",
                3 => "k",
                6 => "M",
                9 => "G",
                12 => "T",
                15 => "P",
                18 => "E",
                _ => "",
            }
            .into(),
        };
        format!("{v}{suffix}")
    }
}

/// Sign, sign and digits up to the suffix, digits before and after the point, suffix.
struct Scan<'a> {
    positive: bool,
    num: &'a str,
    denom: &'a str,
    suffix: &'a str,
}

fn scan(s: &str) -> Result<Scan<'_>, QuantityError> {
    let b = s.as_bytes();
    let mut pos = 0;
    let positive = b.first() != Some(&b'-');
    if matches!(b.first(), Some(b'-' | b'+')) {
        pos = 1;
    }
    while b.get(pos) == Some(&b'0') {
        pos += 1;
    }
    let mut out = Scan { positive, num: "0", denom: "", suffix: "" };
    if pos >= b.len() {
        return Ok(out);
    }
    let digits = |mut i: usize| {
        while b.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        i
    };
    let end = digits(pos);
    if end > pos {
        out.num = &s[pos..end];
    }
    pos = end;
    if b.get(pos) == Some(&b'.') {
        let end = digits(pos + 1);
        out.denom = &s[pos + 1..end];
        pos = end;
    }
    let start = pos;
    while b.get(pos).is_some_and(|c| b"eEinumkKMGTP".contains(c)) {
        pos += 1;
    }
    if matches!(b.get(pos), Some(b'-' | b'+')) {
        pos += 1;
    }
    pos = digits(pos);
    if pos < b.len() {
        return Err(QuantityError::FormatWrong);
    }
    out.suffix = &s[start..];
    Ok(out)
}

fn interpret(suffix: &str) -> Option<(u32, i64, Format)> {
    let (base, exponent, format) = match suffix {
        "n" => (10, -9, Format::DecimalSI),
        "u" => (10, -6, Format::DecimalSI),
        "m" => (10, -3, Format::DecimalSI),
        "" => (10, 0, Format::DecimalSI),
        "k" => (10, 3, Format::DecimalSI),
        "M" => (10, 6, Format::DecimalSI),
        "G" => (10, 9, Format::DecimalSI),
        "T" => (10, 12, Format::DecimalSI),
        "P" => (10, 15, Format::DecimalSI),
        "E" => (10, 18, Format::DecimalSI),
        "Ki" => (2, 10, Format::BinarySI),
        "Mi" => (2, 20, Format::BinarySI),
        "Gi" => (2, 30, Format::BinarySI),
        "Ti" => (2, 40, Format::BinarySI),
        "Pi" => (2, 50, Format::BinarySI),
        "Ei" => (2, 60, Format::BinarySI),
        s => {
            let digits = s.strip_prefix(['e', 'E'])?;
            // Go converts the int64 to int32 by cutting its high bits.
            (10, i64::from(digits.parse::<i64>().ok()? as i32), Format::DecimalExponent)
        }
    };
    Some((base, exponent, format))
}

/// The number, and whether the text is canonical as it stands.
fn parse(s: &str) -> Result<(Amount, bool), QuantityError> {
    if s.is_empty() {
        return Err(QuantityError::FormatWrong);
    }
    if s == "0" {
        return Ok((Amount::ZERO, true));
    }
    let Scan { positive, num, denom, suffix } = scan(s)?;
    let (base, exponent, format) = interpret(suffix).ok_or(QuantityError::Suffix)?;
    let digits = (num.len() + denom.len()) as i64;
    let (precision, mut scale, mantissa) = match format {
        Format::BinarySI if denom.is_empty() => {
            (15 - num.len() as i64 - exponent * 3 / 10 - 1, 0, 1i128 << exponent)
        }
        Format::BinarySI => (-1, 0, 1),
        _ => (MAX_INT64_FACTORS - digits, exponent, 1),
    };
    if precision >= 0 {
        scale -= denom.len() as i64;
        if scale >= NANO {
            let shifted = format!("{num}{denom}");
            let value: i64 = shifted.parse().map_err(|_| QuantityError::Numeric)?;
            let product = i128::from(value) * mantissa;
            if i64::try_from(product).is_ok() {
                let keep = match format {
                    Format::BinarySI => exponent % 10 == 0 && value & 7 != 0,
                    _ => scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0'),
                };
                let value = if positive { product } else { -product };
                return Ok((Amount { value, scale, format }, keep));
            }
        }
    }
    slow(positive, num, denom, base, exponent, format)
}

/// The path of numbers that do not fit 18 digits or nanos: rounded up to nanos, binary ones capped at 2^63-1.
fn slow(
    positive: bool,
    num: &str,
    denom: &str,
    base: u32,
    exponent: i64,
    mut format: Format,
) -> Result<(Amount, bool), QuantityError> {
    // Digits that a 128-bit number cannot hold: those after the point only matter for rounding up.
    let mut value: i128 = 0;
    let mut scale = 0i64;
    let mut rest = false;
    for (i, c) in num.bytes().chain(denom.bytes()).enumerate() {
        let fraction = i >= num.len();
        match value.checked_mul(10).and_then(|v| v.checked_add(i128::from(c - b'0'))) {
            Some(v) if v < 10i128.pow(30) || !fraction => {
                value = v;
                scale -= i64::from(fraction);
            }
            _ if fraction => rest |= c != b'0',
            _ => return Err(QuantityError::Numeric),
        }
    }
    if base == 10 {
        scale += exponent;
    } else {
        value = value.checked_mul(1i128 << exponent).unwrap_or(i128::MAX / 2);
    }
    let mut a = Amount { value, scale, format };
    if a.value != 0 || rest {
        if a.scale < NANO {
            let (v, _) = a.rescale(NANO);
            a = Amount { value: v.max(1), scale: NANO, format };
        } else if rest {
            a.value += 1;
        }
    }
    if format == Format::BinarySI {
        let max = Amount { value: i128::from(i64::MAX), scale: 0, format };
        if a.compare(&max) == Ordering::Greater {
            a = max;
        }
        let one = Amount { value: 1, scale: 0, format };
        if a.value > 0 && a.compare(&one) == Ordering::Less {
            format = Format::DecimalSI;
        }
    }
    Ok((Amount { value: if positive { a.value } else { -a.value }, scale: a.scale, format }, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_texts() {
        for (given, printed) in [
            ("0", "0"),
            ("0.1", "100m"),
            ("64Mi", "64Mi"),
            ("1024Mi", "1Gi"),
            ("1500m", "1500m"),
            ("1.5", "1500m"),
            ("1.500", "1.500"),
            ("2000m", "2"),
            (".5", "500m"),
            ("0.1Gi", "107374182400m"),
            ("1.5Gi", "1536Mi"),
            ("1e3", "1e3"),
            ("1000", "1k"),
            ("12e4", "120e3"),
            ("100k", "100k"),
            ("1n", "1n"),
            ("0.1n", "1n"),
            ("-0.5", "-500m"),
            ("512Ki", "512Ki"),
            ("1023", "1023"),
            ("9223372036854775808Ki", "9223372036854775807"),
            ("128974848", "128974848"),
            ("129e6", "129e6"),
        ] {
            assert_eq!(Quantity::parse(given).unwrap().as_str(), printed, "{given}");
        }
    }

    #[test]
    fn errors() {
        for (given, e) in [
            ("", QuantityError::FormatWrong),
            ("1 Gi", QuantityError::FormatWrong),
            ("x", QuantityError::FormatWrong),
            ("1GiB", QuantityError::FormatWrong),
            ("1ki", QuantityError::Suffix),
            ("1KI", QuantityError::FormatWrong),
            ("1mm", QuantityError::Suffix),
        ] {
            assert_eq!(Quantity::parse(given).unwrap_err(), e, "{given}");
        }
    }

    #[test]
    fn numbers() {
        let q = |s: &str| Quantity::parse(s).unwrap();
        assert_eq!(q("1500m").value(), 2);
        assert_eq!(q("0.25").milli_value(), 250);
        assert!(q("1Gi") > q("1G"));
        assert!(q("1000m") == q("1"));
        assert!(q("1e100") > q("1e99"));
        assert_eq!(q("100m").add(&q("1")).as_str(), "1100m");
        assert_eq!(q("1Gi").sub(&q("512Mi")).as_str(), "512Mi");
        assert_eq!(q("-1").sign(), -1);
    }
}
