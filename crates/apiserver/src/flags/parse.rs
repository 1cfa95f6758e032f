//! pflag's grammar: `--name=value`, `--name value`, switches, and its error texts.

use super::table;
use std::time::Duration;

/// Flags as given, in order.
pub(super) struct Raw(Vec<(String, String)>);

pub(super) fn parse(args: &[String]) -> Result<Raw, String> {
    let mut out = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(body) = arg.strip_prefix("--") else {
            if let Some(short) = arg.strip_prefix('-').filter(|s| !s.is_empty()) {
                let c = short.chars().next().unwrap_or('-');
                if c != 'v' && c != 'h' {
                    return Err(format!("unknown shorthand flag: {c:?} in {arg}"));
                }
                if c == 'v' && short == "v" {
                    rest.next();
                }
                continue;
            }
            return Err(format!("unknown command {arg:?} for \"kube-apiserver\""));
        };
        if body.is_empty() {
            break;
        }
        if body.starts_with(['-', '=']) {
            return Err(format!("bad flag syntax: {arg}"));
        }
        let (name, value) = match body.split_once('=') {
            Some((n, v)) => (n, Some(v.to_owned())),
            None => (body, None),
        };
        let name = name.replace('_', "-");
        let value = match (value, table::kind(&name)) {
            (_, None) => return Err(format!("unknown flag: --{name}")),
            (Some(v), Some(_)) => v,
            (None, Some(table::Kind::Switch)) => "true".to_owned(),
            (None, Some(table::Kind::Value)) => {
                rest.next().cloned().ok_or_else(|| format!("flag needs an argument: --{name}"))?
            }
        };
        out.push((name, value));
    }
    Ok(Raw(out))
}

impl Raw {
    pub(super) fn given(&self, name: &str) -> bool {
        self.0.iter().any(|(n, _)| n == name)
    }

    pub(super) fn last(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(n, _)| n.as_str())
    }

    /// A comma-separated list; several occurrences are joined.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        self.0
            .iter()
            .filter(|(n, _)| n == name)
            .flat_map(|(_, v)| v.split(','))
            .map(|v| v.trim().to_owned())
            .filter(|v| !v.is_empty())
            .collect()
    }

    pub(super) fn text(&self, name: &str, into: &mut String) {
        if let Some(v) = self.last(name) {
            v.clone_into(into);
        }
    }

    pub(super) fn bool(&self, name: &str, into: &mut bool) -> Result<(), String> {
        self.read(name, into, |v| match v {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
            v => Err(format!("strconv.ParseBool: parsing {v:?}: invalid syntax")),
        })
    }

    pub(super) fn int(&self, name: &str, into: &mut i64) -> Result<(), String> {
        self.read(name, into, |v| {
            v.parse().map_err(|_| format!("strconv.ParseInt: parsing {v:?}: invalid syntax"))
        })
    }

    pub(super) fn duration(&self, name: &str, into: &mut Duration) -> Result<(), String> {
        self.read(name, into, duration)
    }

    fn read<T>(&self, name: &str, into: &mut T, f: impl Fn(&str) -> Result<T, String>) -> Result<(), String> {
        for (_, v) in self.0.iter().filter(|(n, _)| n == name) {
            *into = f(v).map_err(|e| format!("invalid argument {v:?} for \"--{name}\" flag: {e}"))?;
        }
        Ok(())
    }
}

/// Go's `time.ParseDuration`; negative durations read as zero, since every use of one is "off".
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let negative = text.starts_with('-');
    let mut rest = text.trim_start_matches(['-', '+']);
    if rest == "0" {
        return Ok(Duration::ZERO);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut nanos: u128 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        if number.is_empty() || number == "." {
            return Err(invalid());
        }
        let unit_len = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_len);
        let scale: u128 = match unit {
            "" => return Err(format!("time: missing unit in duration {text:?}")),
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            u => return Err(format!("time: unknown unit {u:?} in duration {text:?}")),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || whole.len() > 12 {
            return Err(invalid());
        }
        nanos += whole.parse::<u128>().unwrap_or(0) * scale;
        let mut place = scale;
        for d in fraction.bytes() {
            place /= 10;
            nanos += place * u128::from(d - b'0');
        }
        rest = next;
    }
    if negative {
        return Ok(Duration::ZERO);
    }
    u64::try_from(nanos).map(Duration::from_nanos).map_err(|_| invalid())
}
