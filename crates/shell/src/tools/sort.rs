//! `sort`, `uniq`, `cut`, `tr`.

use super::{command, inputs, lines, options};
use crate::{Cmd, Commands, Ran};
use core::cmp::Ordering;

pub(super) fn register(c: &mut Commands) {
    c.insert("sort", command!(sort));
    c.insert("uniq", command!(uniq));
    c.insert("cut", command!(cut));
    c.insert("tr", command!(tr));
}

/// The number a line begins with, as `sort -n` reads it.
fn leading_number(s: &[u8]) -> f64 {
    let t = String::from_utf8_lossy(s);
    let t = t.trim_start();
    let end = t
        .char_indices()
        .take_while(|(i, c)| c.is_ascii_digit() || *c == '.' || (*i == 0 && *c == '-'))
        .count();
    t[..end].parse().unwrap_or(0.0)
}

async fn sort(cmd: Cmd) -> Ran {
    let o = options!(
        cmd,
        "nrufbsV",
        "kto",
        &[("numeric-sort", 'n'), ("reverse", 'r'), ("unique", 'u'), ("key", 'k')]
    );
    let (files, status) = inputs(&cmd, &o.operands).await?;
    let mut all: Vec<Vec<u8>> = files.iter().flat_map(|(_, d)| lines(d).map(<[u8]>::to_vec)).collect();
    let separator = o.value('t').and_then(|t| t.bytes().next());
    let key = o.value('k').unwrap_or_default().to_owned();
    let numeric = o.has('n') || key.contains('n');
    let reverse = o.has('r') || key.contains('r');
    let bounds: Vec<usize> = key
        .split(',')
        .filter_map(|p| p.trim_end_matches(char::is_alphabetic).split('.').next()?.parse().ok())
        .collect();
    let part = |l: &[u8]| -> Vec<u8> {
        let Some(from) = bounds.first().filter(|f| **f > 0) else { return l.to_vec() };
        let to = bounds.get(1).copied().unwrap_or(usize::MAX);
        let fields: Vec<&[u8]> = match separator {
            Some(s) => l.split(|b| *b == s).collect(),
            None => l.split(|b| b.is_ascii_whitespace()).filter(|f| !f.is_empty()).collect(),
        };
        let picked: Vec<&[u8]> =
            fields.iter().skip(from - 1).take(to.saturating_sub(from - 1)).copied().collect();
        picked.join(&separator.unwrap_or(b' '))
    };
    let fold = |v: Vec<u8>| if o.has('f') { v.to_ascii_uppercase() } else { v };
    let compare = |a: &Vec<u8>, b: &Vec<u8>| -> Ordering {
        let (x, y) = (fold(part(a)), fold(part(b)));
        let by = if numeric { leading_number(&x).total_cmp(&leading_number(&y)) } else { x.cmp(&y) };
        if reverse { by.reverse() } else { by }
    };
    all.sort_by(|a, b| {
        let last = if o.has('u') || o.has('s') { Ordering::Equal } else { a.cmp(b) };
        compare(a, b).then(if reverse { last.reverse() } else { last })
    });
    if o.has('u') {
        all.dedup_by(|a, b| compare(a, b) == Ordering::Equal);
    }
    let mut out = Vec::new();
    for l in all {
        out.extend_from_slice(&l);
        out.push(b'\n');
    }
    cmd.out(out).await?;
    Ok(status)
}

async fn uniq(cmd: Cmd) -> Ran {
    let o = options!(cmd, "cdui", "", &[("count", 'c'), ("repeated", 'd'), ("unique", 'u')]);
    let (files, status) = inputs(&cmd, &o.operands).await?;
    let mut groups: Vec<(usize, &[u8])> = Vec::new();
    for (_, d) in &files {
        for l in lines(d) {
            match groups.last_mut() {
                Some((n, last)) if *last == l || o.has('i') && last.eq_ignore_ascii_case(l) => *n += 1,
                _ => groups.push((1, l)),
            }
        }
    }
    let mut out = Vec::new();
    for (n, l) in groups {
        if o.has('d') && n < 2 || o.has('u') && n > 1 {
            continue;
        }
        if o.has('c') {
            out.extend_from_slice(format!("{n:7} ").as_bytes());
        }
        out.extend_from_slice(l);
        out.push(b'\n');
    }
    cmd.out(out).await?;
    Ok(status)
}

/// `1,3-5,7-` as ranges from 1.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    list.split(',')
        .map(|p| match p.split_once('-') {
            Some((a, b)) => {
                let from = if a.is_empty() { 1 } else { a.parse().ok()? };
                let to = if b.is_empty() { usize::MAX } else { b.parse().ok()? };
                (from > 0 && from <= to).then_some((from, to))
            }
            None => p.parse().ok().filter(|n| *n > 0).map(|n| (n, n)),
        })
        .collect()
}

async fn cut(cmd: Cmd) -> Ran {
    let o = options!(
        cmd,
        "s",
        "dfcb",
        &[("delimiter", 'd'), ("fields", 'f'), ("characters", 'c'), ("bytes", 'b')]
    );
    let list = o.value('f').or(o.value('c')).or(o.value('b'));
    let Some(list) = list else {
        return cmd
            .fail(1, "you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.")
            .await;
    };
    let Some(ranges) = ranges(list) else {
        return cmd.fail(1, "invalid field value\nTry 'cut --help' for more information.").await;
    };
    let inside = |n: usize| ranges.iter().any(|(a, b)| (*a..=*b).contains(&n));
    let delimiter = o.value('d').and_then(|d| d.bytes().next()).unwrap_or(b'\t');
    let (files, status) = inputs(&cmd, &o.operands).await?;
    let mut out = Vec::new();
    for (_, d) in &files {
        for l in lines(d) {
            if o.value('f').is_some() {
                if !l.contains(&delimiter) {
                    if o.has('s') {
                        continue;
                    }
                    out.extend_from_slice(l);
                } else {
                    let parts: Vec<&[u8]> = l
                        .split(|b| *b == delimiter)
                        .enumerate()
                        .filter(|(i, _)| inside(i + 1))
                        .map(|p| p.1)
                        .collect();
                    out.extend(parts.join(&delimiter));
                }
            } else {
                out.extend(l.iter().enumerate().filter(|(i, _)| inside(i + 1)).map(|p| *p.1));
            }
            out.push(b'\n');
        }
    }
    cmd.out(out).await?;
    Ok(status)
}

/// A set of `tr`: ranges, classes and escapes.
fn set(s: &str) -> Vec<u8> {
    let bytes = super::escapes(s).into_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i..].starts_with(b"[:")
            && let Some(n) = bytes[i..].windows(2).position(|w| w == b":]")
        {
            let name = String::from_utf8_lossy(&bytes[i + 2..i + n]).into_owned();
            let is = |b: &u8| match name.as_str() {
                "upper" => b.is_ascii_uppercase(),
                "lower" => b.is_ascii_lowercase(),
                "alpha" => b.is_ascii_alphabetic(),
                "digit" => b.is_ascii_digit(),
                "alnum" => b.is_ascii_alphanumeric(),
                "space" => b.is_ascii_whitespace() || *b == 11,
                "punct" => b.is_ascii_punctuation(),
                "cntrl" => b.is_ascii_control(),
                "print" => b.is_ascii_graphic() || *b == b' ',
                _ => false,
            };
            out.extend((0..=255u8).filter(is));
            i += n + 2;
        } else if i + 2 < bytes.len() && bytes[i + 1] == b'-' {
            out.extend(bytes[i]..=bytes[i + 2]);
            i += 3;
        } else {
            out.push(bytes[i]);
            i += 1;
        }
    }
    out
}

async fn tr(cmd: Cmd) -> Ran {
    let o = options!(cmd, "dscC", "", &[("delete", 'd'), ("squeeze-repeats", 's'), ("complement", 'c')]);
    let [first, rest @ ..] = o.operands.as_slice() else {
        return cmd.fail(1, "missing operand\nTry 'tr --help' for more information.").await;
    };
    let mut from = set(first);
    if o.has('c') || o.has('C') {
        from = (0..=255u8).filter(|b| !from.contains(b)).collect();
    }
    let to = rest.first().map(|s| set(s)).unwrap_or_default();
    if to.is_empty() && !o.has('d') && !o.has('s') {
        let text = format!(
            "missing operand after ‘{first}’\nTwo strings must be given when translating.\nTry 'tr --help' for more information."
        );
        return cmd.fail(1, &text).await;
    }
    let squeeze = if to.is_empty() { &from } else { &to };
    let mut last = None;
    while let Some(chunk) = cmd.io.stdin.read().await {
        let mut out = Vec::with_capacity(chunk.len());
        for b in chunk {
            let at = from.iter().position(|f| *f == b);
            let b = match at {
                Some(_) if o.has('d') => continue,
                Some(i) if !to.is_empty() => to[i.min(to.len() - 1)],
                _ => b,
            };
            if o.has('s') && last == Some(b) && squeeze.contains(&b) {
                continue;
            }
            last = Some(b);
            out.push(b);
        }
        cmd.out(out).await?;
    }
    Ok(0)
}
