//! `grep`: lines that match. Basic expressions are rewritten for the regular-expression library, which runs in linear time.

use super::{command, inputs, lines, options};
use crate::{Cmd, Commands, Ran};
use regex::bytes::{Regex, RegexBuilder};

pub(super) fn register(c: &mut Commands) {
    c.insert("grep", command!(grep));
    c.insert("egrep", command!(grep));
    c.insert("fgrep", command!(grep));
}

/// A POSIX basic expression in the library's syntax: `\( \) \{ \} \| \+ \?` are operators, the bare characters are not.
pub(crate) fn basic(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut first = true;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(o @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => out.push(o),
                Some('<' | '>') => out.push_str("\\b"),
                Some(o) => out.extend(['\\', o]),
                None => out.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => out.extend(['\\', c]),
            '*' if first => out.push_str("\\*"),
            '[' => {
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.extend(chars.next());
                }
                if chars.peek() == Some(&']') {
                    chars.next();
                    out.push_str("\\]");
                }
                for c in chars.by_ref() {
                    if c == '\\' {
                        out.push('\\');
                    }
                    out.push(c);
                    if c == ']' && !out.ends_with(":]") {
                        break;
                    }
                }
            }
            c => out.push(c),
        }
        first = false;
    }
    out
}

async fn grep(cmd: Cmd) -> Ran {
    let long = [
        ("color", 'Z'),
        ("colour", 'Z'),
        ("ignore-case", 'i'),
        ("invert-match", 'v'),
        ("count", 'c'),
        ("line-number", 'n'),
        ("only-matching", 'o'),
        ("extended-regexp", 'E'),
        ("fixed-strings", 'F'),
        ("word-regexp", 'w'),
        ("line-regexp", 'x'),
        ("quiet", 'q'),
        ("files-with-matches", 'l'),
        ("text", 'a'),
        ("no-filename", 'h'),
    ];
    let o = options!(cmd, "ivcnoEFGwxqlLrRahHsZ", "eABCmf", &long);
    let mut operands = o.operands.clone();
    let mut patterns: Vec<String> = o.set.iter().filter(|s| s.0 == 'e').map(|s| s.1.clone()).collect();
    if patterns.is_empty() {
        if operands.is_empty() {
            cmd.err("Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n")
                .await?;
            return Ok(2);
        }
        patterns.push(operands.remove(0));
    }
    let patterns: Vec<&str> = patterns.iter().flat_map(|p| p.split('\n')).collect();
    let source = |p: &str| {
        let body = if o.has('F') || cmd.name == "fgrep" {
            regex::escape(p)
        } else if o.has('E') || cmd.name == "egrep" {
            p.to_owned()
        } else {
            basic(p)
        };
        let body = if o.has('w') { format!(r"\b(?:{body})\b") } else { body };
        if o.has('x') { format!("^(?:{body})$") } else { format!("(?:{body})") }
    };
    let text = patterns.iter().map(|p| source(p)).collect::<Vec<_>>().join("|");
    let built =
        RegexBuilder::new(&text).case_insensitive(o.has('i')).unicode(false).multi_line(false).build();
    let Ok(re) = built.or_else(|_| RegexBuilder::new(&text).case_insensitive(o.has('i')).build()) else {
        return cmd.fail(2, "Invalid regular expression").await;
    };
    if o.has('r') || o.has('R') {
        let mut files = Vec::new();
        for d in if operands.is_empty() { vec![".".to_owned()] } else { operands.clone() } {
            let root = cmd.path(&d);
            for (p, _) in cmd.fs().export() {
                if !p.ends_with('/')
                    && (p == root || p.starts_with(&format!("{}/", root.trim_end_matches('/'))))
                {
                    files.push(format!("{}{}", d, &p[root.len()..]));
                }
            }
        }
        operands = files;
        if operands.is_empty() {
            return Ok(1);
        }
    }
    let (files, missing) = inputs(&cmd, &operands).await?;
    let named = (operands.len() > 1 || o.has('H') || o.has('r')) && !o.has('h');
    let mut found = false;
    for (name, data) in &files {
        let name = if name == "-" { "(standard input)" } else { name };
        found |= one(&cmd, &o, &re, name, data, named).await?;
    }
    let failed = missing != 0 && !o.has('q');
    Ok(if failed { 2 } else { i32::from(!found) })
}

async fn one(
    cmd: &Cmd,
    o: &super::Options,
    re: &Regex,
    name: &str,
    data: &[u8],
    named: bool,
) -> Result<bool, crate::Exit> {
    let number = |c| o.value(c).and_then(|v| v.parse::<usize>().ok());
    let around = number('C').unwrap_or(0);
    let (after, before) = (number('A').unwrap_or(around), number('B').unwrap_or(around));
    let limit = number('m').unwrap_or(usize::MAX);
    let all: Vec<&[u8]> = lines(data).collect();
    let hits: Vec<usize> =
        (0..all.len()).filter(|i| re.is_match(all[*i]) != o.has('v')).take(limit).collect();
    let found = !hits.is_empty();
    if o.has('q') {
        return Ok(found);
    }
    let label = |sep: char| if named { format!("{name}{sep}") } else { String::new() };
    if o.has('c') {
        cmd.io.stdout.line(&format!("{}{}", label(':'), hits.len())).await?;
    } else if o.has('l') {
        if found {
            cmd.io.stdout.line(name).await?;
        }
    } else if found && !o.has('a') && data.contains(&0) {
        cmd.io.stdout.line(&format!("grep: {name}: binary file matches")).await?;
    } else {
        let mut out = Vec::new();
        let mut next = 0;
        for i in &hits {
            let from = i.saturating_sub(before).max(next);
            if (after > 0 || before > 0) && next > 0 && from > next {
                out.extend_from_slice(b"--\n");
            }
            for (l, line) in all.iter().enumerate().take(i + after + 1).skip(from) {
                if l < next {
                    continue;
                }
                let sep = if hits.contains(&l) { ':' } else { '-' };
                let head = if o.has('n') { format!("{}{}{sep}", label(sep), l + 1) } else { label(sep) };
                if o.has('o') {
                    for m in re.find_iter(line).filter(|m| !m.is_empty()) {
                        out.extend_from_slice(head.as_bytes());
                        out.extend_from_slice(m.as_bytes());
                        out.push(b'\n');
                    }
                } else {
                    out.extend_from_slice(head.as_bytes());
                    out.extend_from_slice(line);
                    out.push(b'\n');
                }
                next = l + 1;
            }
        }
        cmd.out(out).await?;
    }
    Ok(found)
}
