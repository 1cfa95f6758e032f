//! `cat`, `head`, `tail`, `wc`, `tee`, `tac`, `rev`, `nl`: text passed through.

use super::{command, inputs, lines, options};
use crate::{Cmd, Commands, Output, Ran};

pub(super) fn register(c: &mut Commands) {
    c.insert("cat", command!(cat));
    c.insert("head", command!(head));
    c.insert("tail", command!(tail));
    c.insert("wc", command!(wc));
    c.insert("tee", command!(tee));
    c.insert("tac", command!(tac));
    c.insert("rev", command!(rev));
}

async fn cat(cmd: Cmd) -> Ran {
    let o = options!(cmd, "nAbsetuvE", "", &[("number", 'n'), ("show-all", 'A'), ("squeeze-blank", 's')]);
    let plain = o.set.iter().all(|s| s.0 == 'u');
    let mut status = 0;
    let (mut number, mut blank) = (0u64, false);
    let stdin = ["-".to_owned()];
    for f in if o.operands.is_empty() { &stdin[..] } else { &o.operands } {
        if f == "-" && plain {
            while let Some(c) = cmd.io.stdin.read().await {
                cmd.out(c).await?;
            }
            continue;
        }
        let data = match cmd.read_file(f).await {
            Ok(d) => d,
            Err(e) => {
                cmd.err(format!("cat: {e}\n")).await?;
                status = 1;
                continue;
            }
        };
        if plain {
            cmd.out(data).await?;
            continue;
        }
        let mut out = Vec::new();
        for line in data.split_inclusive(|b| *b == b'\n') {
            let empty = line == b"\n";
            if o.has('s') && empty && blank {
                continue;
            }
            blank = empty;
            if o.has('b') && !empty || o.has('n') && !o.has('b') {
                number += 1;
                out.extend_from_slice(format!("{number:6}\t").as_bytes());
            }
            let all = o.has('A');
            for b in line {
                match b {
                    b'\n' => {
                        out.extend_from_slice(if all || o.has('E') || o.has('e') { b"$\n" } else { b"\n" })
                    }
                    b'\t' if all || o.has('t') => out.extend_from_slice(b"^I"),
                    b'\t' => out.push(b'\t'),
                    b if all || o.has('v') || o.has('e') || o.has('t') => visible(*b, &mut out),
                    b => out.push(*b),
                }
            }
        }
        cmd.out(out).await?;
    }
    Ok(status)
}

/// A byte in `cat -v`'s notation.
fn visible(b: u8, out: &mut Vec<u8>) {
    let low = b & 0x7f;
    if b >= 128 {
        out.extend_from_slice(b"M-");
    }
    match low {
        127 => out.extend_from_slice(b"^?"),
        0..32 => out.extend_from_slice(&[b'^', low + 64]),
        _ => out.push(low),
    }
}

/// A count such as `10`, `+3`, `2k`.
fn count(s: &str) -> Option<(bool, usize)> {
    let plus = s.starts_with('+');
    let body = s.trim_start_matches(['+', '-']);
    let (digits, scale) = match body.strip_suffix(['k', 'K']) {
        Some(d) => (d, 1024),
        None => (body, 1),
    };
    digits.parse::<usize>().ok().and_then(|n| Some((plus, n.checked_mul(scale)?)))
}

async fn head(cmd: Cmd) -> Ran {
    let o = options!(cmd, "#qv", "nc", &[("lines", 'n'), ("bytes", 'c')]);
    let last = o.set.iter().rev().find(|s| "nc#".contains(s.0));
    let (unit, text) = last.map_or(('n', "10"), |(c, v)| (*c, v.as_str()));
    let Some((_, n)) = count(text) else {
        let what = if unit == 'c' { "bytes" } else { "lines" };
        return cmd.fail(1, &format!("invalid number of {what}: ‘{text}’")).await;
    };
    let from_end = text.starts_with('-') && unit != '#';
    if o.operands.is_empty() && !from_end {
        // Stops reading as soon as it has enough, so that what writes into it ends.
        let mut left = n;
        while left > 0 {
            let Some(c) = cmd.io.stdin.read().await else { break };
            let take = if unit == 'c' {
                left.min(c.len())
            } else {
                c.iter()
                    .enumerate()
                    .filter(|(_, b)| **b == b'\n')
                    .nth(left - 1)
                    .map_or(c.len(), |(i, _)| i + 1)
            };
            let part = c.slice(..take);
            left -= if unit == 'c' { take } else { part.iter().filter(|b| **b == b'\n').count() };
            cmd.out(part).await?;
        }
        return Ok(0);
    }
    let (files, status) = inputs(&cmd, &o.operands).await?;
    let titled = files.len() > 1 && !o.has('q') || o.has('v');
    for (i, (name, data)) in files.iter().enumerate() {
        if titled {
            cmd.out(format!("{}==> {name} <==\n", if i > 0 { "\n" } else { "" })).await?;
        }
        let total = if unit == 'c' { data.len() } else { data.split_inclusive(|b| *b == b'\n').count() };
        let keep = if from_end { total.saturating_sub(n) } else { n };
        let end = if unit == 'c' {
            keep.min(data.len())
        } else {
            data.split_inclusive(|b| *b == b'\n').take(keep).map(<[u8]>::len).sum()
        };
        cmd.out(data.slice(..end)).await?;
    }
    Ok(status)
}

async fn tail(cmd: Cmd) -> Ran {
    let o = options!(cmd, "#qvfF", "nc", &[("lines", 'n'), ("bytes", 'c'), ("follow", 'f')]);
    if o.has('f') || o.has('F') {
        return cmd.fail(1, "not modelled here: tail -f").await;
    }
    let last = o.set.iter().rev().find(|s| "nc#".contains(s.0));
    let (unit, text) = last.map_or(('n', "10"), |(c, v)| (*c, v.as_str()));
    let Some((plus, n)) = count(text) else {
        let what = if unit == 'c' { "bytes" } else { "lines" };
        return cmd.fail(1, &format!("invalid number of {what}: ‘{text}’")).await;
    };
    let (files, status) = inputs(&cmd, &o.operands).await?;
    let titled = files.len() > 1 && !o.has('q') || o.has('v');
    for (i, (name, data)) in files.iter().enumerate() {
        if titled {
            cmd.out(format!("{}==> {name} <==\n", if i > 0 { "\n" } else { "" })).await?;
        }
        let sizes: Vec<usize> = if unit == 'c' {
            vec![1; data.len()]
        } else {
            data.split_inclusive(|b| *b == b'\n').map(<[u8]>::len).collect()
        };
        let skip = if plus { n.saturating_sub(1).min(sizes.len()) } else { sizes.len().saturating_sub(n) };
        cmd.out(data.slice(sizes[..skip].iter().sum::<usize>()..)).await?;
    }
    Ok(status)
}

async fn wc(cmd: Cmd) -> Ran {
    let o = options!(cmd, "lwcmL", "", &[("lines", 'l'), ("words", 'w'), ("bytes", 'c'), ("chars", 'm')]);
    let (files, status) = inputs(&cmd, &o.operands).await?;
    let wanted = |c: char| o.has(c) || o.set.is_empty() && "lwc".contains(c);
    let mut rows: Vec<([usize; 4], String)> = Vec::new();
    for (name, d) in &files {
        let words = d.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()).count();
        let chars = String::from_utf8_lossy(d).chars().count();
        let name = if o.operands.is_empty() { String::new() } else { name.clone() };
        rows.push(([d.iter().filter(|b| **b == b'\n').count(), words, chars, d.len()], name));
    }
    if rows.len() > 1 {
        let sum = |i: usize| rows.iter().map(|r| r.0[i]).sum();
        rows.push(([sum(0), sum(1), sum(2), sum(3)], "total".to_owned()));
    }
    let columns: Vec<usize> =
        [('l', 0), ('w', 1), ('m', 2), ('c', 3)].iter().filter(|c| wanted(c.0)).map(|c| c.1).collect();
    let widest = rows.iter().map(|r| r.0[3].to_string().len()).max().unwrap_or(1);
    let width = match (columns.len(), o.operands.is_empty()) {
        (1, _) if rows.len() == 1 => 1,
        (_, true) => 7,
        _ => widest,
    };
    for (n, name) in rows {
        let text = columns.iter().map(|c| format!("{:width$}", n[*c])).collect::<Vec<_>>().join(" ");
        cmd.io.stdout.line(if name.is_empty() { text } else { format!("{text} {name}") }.as_str()).await?;
    }
    Ok(status)
}

async fn tee(cmd: Cmd) -> Ran {
    let o = options!(cmd, "ai", "", &[("append", 'a')]);
    let mut outs = vec![cmd.io.stdout.clone()];
    for f in &o.operands {
        let path = cmd.path(f);
        let keep = o.has('a') && cmd.fs().stat(&path).is_ok();
        if !keep && let Err(e) = cmd.fs().write(&path, b"") {
            cmd.err(format!("tee: {f}: {e}\n")).await?;
            continue;
        }
        outs.push(Output::file(cmd.fs(), &path));
    }
    while let Some(c) = cmd.io.stdin.read().await {
        for out in &outs {
            out.write(c.clone()).await?;
        }
    }
    Ok(0)
}

async fn tac(cmd: Cmd) -> Ran {
    let (files, status) = inputs(&cmd, &cmd.args).await?;
    for (_, d) in files {
        let parts: Vec<&[u8]> = d.split_inclusive(|b| *b == b'\n').rev().collect();
        cmd.out(parts.concat()).await?;
    }
    Ok(status)
}

async fn rev(cmd: Cmd) -> Ran {
    let (files, status) = inputs(&cmd, &cmd.args).await?;
    for (_, d) in files {
        for l in lines(&d) {
            let text: String = String::from_utf8_lossy(l).chars().rev().collect();
            cmd.io.stdout.line(&text).await?;
        }
    }
    Ok(status)
}
