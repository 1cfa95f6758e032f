//! Every sentence of the page, in the reader's language, from static/locales.
//!
//! `{name}` is replaced by a value; `{n|key|keys}` chooses by whether the value `n` is "1". Texts that the original
//! programs print never come through here: they are shown as they are.

mod tables {
    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

/// A language of the page; the three are equals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    En,
    Ko,
    Ja,
}

impl Lang {
    pub const ALL: [Lang; 3] = [Lang::En, Lang::Ko, Lang::Ja];

    /// The BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Ko => "ko",
            Lang::Ja => "ja",
        }
    }

    /// Its own name for itself.
    pub fn own_name(self) -> &'static str {
        match self {
            Lang::En => "English",
            Lang::Ko => "한국어",
            Lang::Ja => "日本語",
        }
    }

    /// The language of a tag such as `ja-JP`.
    pub fn from_tag(tag: &str) -> Option<Lang> {
        let main = tag.split('-').next().unwrap_or("");
        Lang::ALL.into_iter().find(|lang| lang.tag() == main)
    }
}

/// The texts of one language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct T(pub Lang);

impl T {
    /// The text of a key, if there is one.
    pub fn get(self, key: &str) -> Option<&'static str> {
        let table = match self.0 {
            Lang::En => tables::EN,
            Lang::Ko => tables::KO,
            Lang::Ja => tables::JA,
        };
        tables::KEYS.binary_search(&key).ok().map(|at| table[at])
    }

    /// The text of a key without variables. A key that is missing shows itself (`cargo xtask tidy` finds such keys).
    pub fn s(self, key: &'static str) -> &'static str {
        self.get(key).unwrap_or(key)
    }

    /// The text of a key with its variables filled in.
    pub fn f(self, key: &str, args: &[(&str, String)]) -> String {
        match self.get(key) {
            Some(text) => fill(text, args),
            None => key.to_string(),
        }
    }
}

fn fill(text: &str, args: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}').map(|i| i + open) else { break };
        out.push_str(&rest[..open]);
        let inner = &rest[open + 1..close];
        let mut parts = inner.split('|');
        let name = parts.next().unwrap_or("");
        let value = args.iter().find(|(n, _)| *n == name).map_or("", |(_, v)| v.as_str());
        match (parts.next(), parts.next()) {
            (Some(one), Some(many)) => out.push_str(if value == "1" { one } else { many }),
            _ => out.push_str(value),
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    out
}

/// A number with commas between thousands.
pub fn num(n: impl Into<u64>) -> String {
    let digits = n.into().to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A stretch of virtual time with its unit: `66 µs`, `1.2 ms`, `3.5 s`.
pub fn duration(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns}\u{a0}ns"),
        1_000..1_000_000 => format!("{}\u{a0}µs", ns / 1_000),
        1_000_000..1_000_000_000 => format!("{}.{}\u{a0}ms", ns / 1_000_000, ns % 1_000_000 / 100_000),
        _ => format!("{}.{}\u{a0}s", ns / 1_000_000_000, ns % 1_000_000_000 / 100_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_plurals() {
        let args = |n: &str| vec![("n", n.to_string())];
        assert_eq!(fill("{n} {n|key|keys}", &args("1")), "1 key");
        assert_eq!(fill("{n} {n|key|keys}", &args("1,773")), "1,773 keys");
        assert_eq!(fill("no end {n", &args("1")), "no end {n");
    }

    #[test]
    fn numbers_and_durations() {
        assert_eq!(num(0u64), "0");
        assert_eq!(num(1773u64), "1,773");
        assert_eq!(num(1234567u64), "1,234,567");
        assert_eq!(duration(66_000), "66\u{a0}µs");
        assert_eq!(duration(1_214_000), "1.2\u{a0}ms");
        assert_eq!(duration(3_500_000_000), "3.5\u{a0}s");
    }

    #[test]
    fn every_language_has_the_stations() {
        for lang in Lang::ALL {
            let down = crate::path::WRITE.iter().map(|(station, _)| *station);
            for station in down.chain(crate::path::READ.iter().map(|(station, _)| *station)) {
                for kind in ["did", "now", "next", "gloss"] {
                    let key = format!("{kind}.{station}");
                    assert!(T(lang).get(&key).is_some(), "{lang:?} {key}");
                }
            }
        }
    }
}
