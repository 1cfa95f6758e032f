//! `yaml.Marshal` of a JSON value: go-yaml's key order and scalar styles, written by libyaml's emitter.

use super::decode::go_g;
use super::resolve::{Scalar, is_timestamp, resolve};
use crate::json::{Json, append_go_float};
use libyaml_safer::{Emitter, Encoding, Event, MappingStyle, ScalarStyle, SequenceStyle};
use std::cmp::Ordering;

/// The YAML text of a value, with a final newline: what `kubectl get -o yaml` prints and what the API server stores
/// and answers as `application/yaml`.
pub fn from_json(v: &Json) -> String {
    let mut out = Vec::new();
    let mut emitter = Emitter::new();
    emitter.set_output_string(&mut out);
    emitter.set_unicode(true);
    let mut result = emitter.emit(Event::stream_start(Encoding::Utf8));
    let mut events = vec![Event::document_start(None, &[], true)];
    value(v, &mut events);
    events.push(Event::document_end(true));
    for e in events {
        if result.is_ok() {
            result = emitter.emit(e);
        }
    }
    // No stream end: it would close an open-ended scalar with "...", which go-yaml does not.
    let _ = emitter.flush();
    drop(emitter);
    String::from_utf8_lossy(&out).into_owned()
}

fn value(v: &Json, out: &mut Vec<Event>) {
    match v {
        Json::Null => scalar("null", ScalarStyle::Plain, out),
        Json::Bool(b) => scalar(if *b { "true" } else { "false" }, ScalarStyle::Plain, out),
        Json::Int(i) => scalar(&i.to_string(), ScalarStyle::Plain, out),
        Json::Float(f) => {
            // The value passes through JSON text, where whole numbers lose their point.
            let mut text = Vec::new();
            append_go_float(*f, &mut text);
            let text = String::from_utf8_lossy(&text).into_owned();
            let whole = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
            let text = match resolve("", &text) {
                _ if whole => text,
                Ok(Scalar::Float(f)) => go_g(f, false),
                _ => text,
            };
            scalar(&text, ScalarStyle::Plain, out);
        }
        Json::Str(s) => scalar(s, style(s), out),
        Json::Arr(a) => {
            out.push(Event::sequence_start(None, None, true, SequenceStyle::Block));
            for e in a {
                value(e, out);
            }
            out.push(Event::sequence_end());
        }
        Json::Obj(m) => {
            out.push(Event::mapping_start(None, None, true, MappingStyle::Block));
            let mut keys: Vec<&String> = m.keys().collect();
            keys.sort_by(|a, b| key_order(a, b));
            for k in keys {
                scalar(k, style(k), out);
                value(&m[k], out);
            }
            out.push(Event::mapping_end());
        }
    }
}

fn scalar(text: &str, style: ScalarStyle, out: &mut Vec<Event>) {
    out.push(Event::scalar(None, None, text, true, true, style));
}

/// Literal for several lines, plain where it would read back as the same string, else double quotes.
fn style(s: &str) -> ScalarStyle {
    if s.contains('\n') {
        return ScalarStyle::Literal;
    }
    let string = matches!(resolve("", s), Ok(Scalar::Str(_))) && !is_timestamp(s);
    if string && !is_base60(s) { ScalarStyle::Plain } else { ScalarStyle::DoubleQuoted }
}

/// `^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`: base-60 numbers are quoted for other parsers' sake.
fn is_base60(s: &str) -> bool {
    let s = s.strip_prefix(['-', '+']).unwrap_or(s);
    let (whole, frac) = s.split_once('.').unwrap_or((s, ""));
    if !frac.bytes().all(|c| c.is_ascii_digit() || c == b'_') {
        return false;
    }
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or("");
    if !first.starts_with(|c: char| c.is_ascii_digit())
        || !first.bytes().all(|c| c.is_ascii_digit() || c == b'_')
    {
        return false;
    }
    let mut n = 0;
    for p in parts {
        let ok = match p.as_bytes() {
            [d] => d.is_ascii_digit(),
            [t, d] => (b'0'..=b'5').contains(t) && d.is_ascii_digit(),
            _ => false,
        };
        if !ok {
            return false;
        }
        n += 1;
    }
    n > 0
}

/// go-yaml's `keyList`: letters after everything else, runs of digits by number.
fn key_order(a: &str, b: &str) -> Ordering {
    let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    for i in 0..x.len().min(y.len()) {
        if x[i] == y[i] {
            continue;
        }
        match (x[i].is_alphabetic(), y[i].is_alphabetic()) {
            (true, true) => return x[i].cmp(&y[i]),
            (true, false) => return Ordering::Greater,
            (false, true) => return Ordering::Less,
            _ => {}
        }
        let (mut m, mut n) = (0i64, 0i64);
        if x[i] == '0' || y[i] == '0' {
            for c in x[..i].iter().rev().take_while(|c| c.is_numeric()) {
                if *c != '0' {
                    (m, n) = (1, 1);
                    break;
                }
            }
        }
        let run = |s: &[char], start: i64| {
            let mut v = start;
            let mut k = i;
            while let Some(d) = s.get(k).and_then(|c| c.to_digit(10)) {
                v = v.wrapping_mul(10).wrapping_add(i64::from(d));
                k += 1;
            }
            (v, k)
        };
        let ((m, xi), (n, yi)) = (run(&x, m), run(&y, n));
        return m.cmp(&n).then(xi.cmp(&yi)).then(x[i].cmp(&y[i]));
    }
    x.len().cmp(&y.len())
}
