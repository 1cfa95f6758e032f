//! Flags as pflag reads them, and etcdctl's environment variables.

use super::{Fail, GENERIC};
use sim::Duration;
use std::collections::{BTreeMap, BTreeSet};

/// A flag's name, short form, default and kind.
#[derive(Clone, Copy)]
pub(crate) struct Spec {
    name: &'static str,
    short: char,
    default: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Text,
    Duration,
}

impl Spec {
    pub(crate) const fn flag(name: &'static str) -> Spec {
        Spec { name, short: '\0', default: "false", kind: Kind::Bool }
    }
    pub(crate) const fn int(name: &'static str, default: &'static str) -> Spec {
        Spec { name, short: '\0', default, kind: Kind::Int }
    }
    pub(crate) const fn text(name: &'static str, default: &'static str) -> Spec {
        Spec { name, short: '\0', default, kind: Kind::Text }
    }
    const fn time(name: &'static str, default: &'static str) -> Spec {
        Spec { name, short: '\0', default, kind: Kind::Duration }
    }
    pub(crate) const fn short(self, short: char) -> Spec {
        Spec { short, ..self }
    }
}

/// Flags that every command has.
const GLOBAL: &[Spec] = &[
    Spec::text("endpoints", "127.0.0.1:2379"),
    Spec::text("write-out", "simple").short('w'),
    Spec::flag("hex"),
    Spec::time("dial-timeout", "2s"),
    Spec::time("command-timeout", "5s"),
    Spec::time("keepalive-time", "2s"),
    Spec::time("keepalive-timeout", "6s"),
    Spec::text("user", ""),
    Spec::text("password", ""),
    Spec::text("cacert", ""),
    Spec::text("cert", ""),
    Spec::text("key", ""),
    Spec::flag("insecure-skip-tls-verify"),
    Spec::flag("insecure-transport"),
    Spec::flag("insecure-discovery"),
    Spec::text("discovery-srv", "").short('d'),
    Spec::text("discovery-srv-name", ""),
    Spec::int("max-request-bytes", "0"),
    Spec::int("max-recv-bytes", "0"),
    Spec::flag("debug"),
];

/// The flags and operands of one call.
pub(crate) struct Flags {
    values: BTreeMap<&'static str, String>,
    given: BTreeSet<&'static str>,
    /// What is left, without the command's own words.
    pub(crate) operands: Vec<String>,
    /// How many of the operands stood before `--`; `None` without one.
    pub(crate) dash: Option<usize>,
}

fn bad(text: String) -> Fail {
    Fail(GENERIC, text)
}

/// The words that may name the command: what is neither a flag nor a flag's value.
pub(crate) fn command_words(args: &[String]) -> Vec<String> {
    let takes_value = |a: &str| {
        GLOBAL
            .iter()
            .any(|s| s.kind != Kind::Bool && (a == format!("--{}", s.name) || a == format!("-{}", s.short)))
    };
    let mut words = Vec::new();
    let mut it = args.iter();
    while let Some(a) = it.next() {
        if a == "--" {
            break;
        }
        if a.starts_with('-') && a.len() > 1 {
            if takes_value(a) {
                it.next();
            }
            continue;
        }
        words.push(a.clone());
    }
    words
}

impl Flags {
    /// Reads the arguments; `skip` words belong to the command's name.
    pub(crate) fn parse(args: &[String], own: &[Spec], skip: usize) -> Result<Flags, Fail> {
        let specs: Vec<Spec> = own.iter().chain(GLOBAL).copied().collect();
        let values = specs.iter().map(|s| (s.name, s.default.to_owned())).collect();
        let mut f = Flags { values, given: BTreeSet::new(), operands: Vec::new(), dash: None };
        let mut it = args.iter();
        while let Some(a) = it.next() {
            if a == "--" {
                f.dash = Some(f.operands.len().saturating_sub(skip));
                f.operands.extend(it.cloned());
                break;
            }
            if let Some(long) = a.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v.to_owned())));
                let Some(s) = specs.iter().find(|s| s.name == name) else {
                    return Err(bad(format!("unknown flag: --{name}")));
                };
                let value = match (value, s.kind) {
                    (Some(v), _) => v,
                    (None, Kind::Bool) => "true".to_owned(),
                    (None, _) => {
                        it.next().cloned().ok_or_else(|| bad(format!("flag needs an argument: --{name}")))?
                    }
                };
                f.set(*s, value, a)?;
                continue;
            }
            if a.len() > 1 && a.starts_with('-') {
                let mut rest = a[1..].chars();
                while let Some(c) = rest.next() {
                    let Some(s) = specs.iter().find(|s| s.short == c) else {
                        return Err(bad(format!("unknown shorthand flag: '{c}' in {a}")));
                    };
                    if s.kind == Kind::Bool {
                        f.set(*s, "true".to_owned(), a)?;
                        continue;
                    }
                    let tail = rest.as_str().strip_prefix('=').unwrap_or(rest.as_str()).to_owned();
                    let value = if tail.is_empty() {
                        it.next()
                            .cloned()
                            .ok_or_else(|| bad(format!("flag needs an argument: '{c}' in {a}")))?
                    } else {
                        tail
                    };
                    f.set(*s, value, a)?;
                    break;
                }
                continue;
            }
            f.operands.push(a.clone());
        }
        f.operands.drain(..skip.min(f.operands.len()));
        Ok(f)
    }

    fn set(&mut self, s: Spec, value: String, _arg: &str) -> Result<(), Fail> {
        let name =
            if s.short == '\0' { format!("--{}", s.name) } else { format!("-{}, --{}", s.short, s.name) };
        let invalid = |why: String| bad(format!("invalid argument \"{value}\" for \"{name}\" flag: {why}"));
        let syntax = |f: &str| format!("strconv.{f}: parsing \"{value}\": invalid syntax");
        match s.kind {
            Kind::Bool
                if !["true", "false", "1", "0", "t", "f", "T", "F", "TRUE", "FALSE", "True", "False"]
                    .contains(&value.as_str()) =>
            {
                return Err(invalid(syntax("ParseBool")));
            }
            Kind::Int if value.parse::<i64>().is_err() => return Err(invalid(syntax("ParseInt"))),
            Kind::Duration if duration(&value).is_none() => {
                return Err(invalid(format!("time: invalid duration \"{value}\"")));
            }
            _ => {}
        }
        self.given.insert(s.name);
        self.values.insert(s.name, value);
        Ok(())
    }

    /// Takes `ETCDCTL_*` variables for flags that were not given. Both at once is an error.
    pub(crate) fn environment(&mut self, env: &BTreeMap<String, String>) -> Result<(), Fail> {
        for s in GLOBAL {
            let name = format!("ETCDCTL_{}", s.name.to_uppercase().replace('-', "_"));
            let Some(v) = env.get(&name).filter(|v| !v.is_empty()) else { continue };
            if self.given.contains(s.name) {
                return Err(bad(format!(
                    "conflicting environment variable \"{name}\" is shadowed by corresponding command-line flag (either unset environment variable or disable flag)"
                )));
            }
            self.set(*s, v.clone(), "")?;
        }
        Ok(())
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    pub(crate) fn on(&self, name: &str) -> bool {
        matches!(self.get(name), "true" | "1" | "t" | "T" | "TRUE" | "True")
    }

    pub(crate) fn int(&self, name: &str) -> i64 {
        self.get(name).parse().unwrap_or(0)
    }

    /// Takes over the output format of an enclosing command.
    pub(crate) fn inherit(&mut self, outer: &Flags) {
        for name in ["write-out", "hex"] {
            self.values.insert(name, outer.get(name).to_owned());
        }
    }

    pub(crate) fn was_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }
}

/// A Go duration (`1m30s`, `500ms`).
pub(crate) fn duration(s: &str) -> Option<Duration> {
    let mut rest = s;
    let mut total = 0f64;
    if s == "0" {
        return Some(Duration::ZERO);
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let n: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let (unit, scale) =
            [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
                .into_iter()
                .find(|(u, _)| rest.starts_with(u))?;
        total += n * scale;
        rest = &rest[unit.len()..];
    }
    (!s.is_empty() && total < 1e12).then(|| Duration::from_nanos((total * 1e9) as u64))
}
