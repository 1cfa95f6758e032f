//! `echo`, `printf`, `seq`, `basename`, `dirname`, `env`, `yes`, `expr`: words in, words out.

use super::{command, options};
use crate::{Cmd, Commands, Ran};

pub(super) fn register(c: &mut Commands) {
    c.insert("seq", command!(seq));
    c.insert("basename", command!(basename));
    c.insert("dirname", command!(dirname));
    c.insert("env", command!(env));
    c.insert("printenv", command!(env));
    c.insert("yes", command!(yes));
    c.insert("hostname", command!(hostname));
    c.insert("whoami", command!(whoami));
    c.insert("uname", command!(uname));
    c.insert("which", command!(which));
}

/// Backslash escapes as `echo -e`, `printf` and `$'…'` read them.
pub(crate) fn escapes(s: &str) -> String {
    let mut out: Vec<u8> = Vec::new();
    let chars: Vec<char> = s.chars().collect();
    let mut i = 0;
    let mut utf8 = [0; 4];
    while i < chars.len() {
        if chars[i] != '\\' || i + 1 == chars.len() {
            out.extend_from_slice(chars[i].encode_utf8(&mut utf8).as_bytes());
            i += 1;
            continue;
        }
        i += 2;
        let digits = |from: usize, max: usize, radix: u32| {
            chars[from..].iter().take(max).take_while(|c| c.is_digit(radix)).count()
        };
        match chars[i - 1] {
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            'r' => out.push(b'\r'),
            'a' => out.push(7),
            'b' => out.push(8),
            'e' | 'E' => out.push(27),
            'f' => out.push(12),
            'v' => out.push(11),
            '\\' => out.push(b'\\'),
            '\'' => out.push(b'\''),
            '"' => out.push(b'"'),
            'x' => {
                let n = digits(i, 2, 16);
                let text: String = chars[i..i + n].iter().collect();
                out.extend(u8::from_str_radix(&text, 16).ok());
                i += n;
            }
            'u' => {
                let n = digits(i, 4, 16);
                let text: String = chars[i..i + n].iter().collect();
                let c = u32::from_str_radix(&text, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
                i += n;
            }
            c if c.is_digit(8) => {
                let from = if c == '0' { i } else { i - 1 };
                let n = digits(from, 3, 8);
                let text: String = chars[from..from + n].iter().collect();
                out.push(
                    (u32::from_str_radix(if text.is_empty() { "0" } else { &text }, 8).unwrap_or(0) & 255)
                        as u8,
                );
                i = from + n;
            }
            c => {
                out.push(b'\\');
                out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|e| e.into_bytes().iter().map(|b| char::from(*b)).collect())
}

pub(crate) fn echo(args: &[String]) -> Vec<u8> {
    let (mut newline, mut escaped) = (true, false);
    let mut from = 0;
    for a in args {
        if a.len() < 2 || !a.starts_with('-') || !a[1..].chars().all(|c| "neE".contains(c)) {
            break;
        }
        newline &= !a.contains('n');
        escaped = (escaped || a.contains('e')) && !a.contains('E');
        from += 1;
    }
    let mut text = args[from..].join(" ");
    if escaped {
        if let Some(cut) = text.find("\\c") {
            text.truncate(cut);
            newline = false;
        }
        text = escapes(&text);
    }
    if newline {
        text.push('\n');
    }
    text.into_bytes()
}

pub(crate) fn printf(args: &[String]) -> Result<Vec<u8>, String> {
    let (format, mut rest) = args.split_first().ok_or("usage: printf [-v var] format [arguments]")?;
    let format: Vec<char> = format.chars().collect();
    let mut out = String::new();
    loop {
        let before = rest.len();
        let mut literal = String::new();
        let mut i = 0;
        while i < format.len() {
            if format[i] == '\\' && i + 1 < format.len() {
                let n = match format[i + 1] {
                    'x' => 2 + format[i + 2..].iter().take(2).take_while(|c| c.is_ascii_hexdigit()).count(),
                    c if c.is_digit(8) => {
                        1 + format[i + 1..].iter().take(4).take_while(|c| c.is_digit(8)).count()
                    }
                    _ => 2,
                };
                literal.extend(&format[i..(i + n).min(format.len())]);
                i += n;
                continue;
            }
            if format[i] != '%' {
                literal.push(format[i]);
                i += 1;
                continue;
            }
            out += &escapes(&core::mem::take(&mut literal));
            if format.get(i + 1) == Some(&'%') {
                out.push('%');
                i += 2;
                continue;
            }
            let start = i;
            i += 1;
            let take = |i: &mut usize, set: &str| {
                let mut s = String::new();
                while let Some(c) = format.get(*i).filter(|c| set.contains(**c)) {
                    s.push(*c);
                    *i += 1;
                }
                s
            };
            let flags = take(&mut i, "-+ #0");
            let mut width = take(&mut i, "0123456789*");
            let precision = (format.get(i) == Some(&'.')).then(|| {
                i += 1;
                take(&mut i, "0123456789")
            });
            let Some(kind) = format.get(i).copied() else {
                return Err(format!(
                    "`{}': missing format character",
                    format[start..].iter().collect::<String>()
                ));
            };
            i += 1;
            let mut next = || {
                let (first, tail) = rest.split_first()?;
                rest = tail;
                Some(first.clone())
            };
            if width == "*" {
                width = next().unwrap_or_default();
            }
            let width: usize = width.parse().unwrap_or(0).min(10_000);
            let arg = next();
            let a = arg.clone().unwrap_or_default();
            let number = || -> i64 {
                let t = a.trim();
                match t.strip_prefix(['\'', '"']) {
                    Some(c) => c.chars().next().map_or(0, |c| c as i64),
                    None => t
                        .strip_prefix("0x")
                        .map_or_else(|| t.parse(), |h| i64::from_str_radix(h, 16))
                        .unwrap_or(0),
                }
            };
            let body = match kind {
                's' | 'b' => {
                    let s = if kind == 'b' { escapes(&a) } else { a.clone() };
                    match precision.as_deref().map(|p| p.parse().unwrap_or(0)) {
                        Some(p) => s.chars().take(p).collect(),
                        None => s,
                    }
                }
                'q' => format!("'{}'", a.replace('\'', "'\\''")),
                'd' | 'i' => {
                    let n = number();
                    if flags.contains('+') && n >= 0 { format!("+{n}") } else { n.to_string() }
                }
                'u' => (number() as u64).to_string(),
                'x' => format!("{:x}", number()),
                'X' => format!("{:X}", number()),
                'o' => format!("{:o}", number()),
                'c' => a.chars().take(1).collect(),
                'f' | 'g' | 'e' => {
                    let p = precision.as_deref().map_or(6, |p| p.parse().unwrap_or(0)).min(100);
                    format!("{:.p$}", a.trim().parse::<f64>().unwrap_or(0.0))
                }
                c => return Err(format!("`{c}': invalid format character")),
            };
            let pad = width.saturating_sub(body.chars().count());
            if flags.contains('-') {
                out += &body;
                out.extend(std::iter::repeat_n(' ', pad));
            } else if flags.contains('0') && "dixXofu".contains(kind) {
                let sign = body.starts_with('-');
                out.extend(sign.then_some('-'));
                out.extend(std::iter::repeat_n('0', pad));
                out += &body[usize::from(sign)..];
            } else {
                out.extend(std::iter::repeat_n(' ', pad));
                out += &body;
            }
        }
        out += &escapes(&literal);
        if rest.is_empty() || rest.len() == before {
            return Ok(out.into_bytes());
        }
    }
}

async fn seq(cmd: Cmd) -> Ran {
    let o = options!(cmd, "w", "sf", &[]);
    let mut nums = Vec::new();
    for a in &o.operands {
        match a.parse::<i64>() {
            Ok(n) => nums.push(n),
            Err(_) => return cmd.fail(1, &format!("invalid floating point argument: ‘{a}’")).await,
        }
    }
    let (first, step, last) = match nums.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] => (*first, *step, *last),
        _ => return cmd.fail(1, "missing operand\nTry 'seq --help' for more information.").await,
    };
    if step == 0 {
        return cmd.fail(1, "invalid Zero increment value: ‘0’").await;
    }
    let sep = o.value('s').unwrap_or("\n").to_owned();
    let width = if o.has('w') { first.to_string().len().max(last.to_string().len()) } else { 0 };
    let mut n = first;
    let mut chunk = String::new();
    while (step > 0 && n <= last) || (step < 0 && n >= last) {
        if n != first {
            chunk += &sep;
        }
        chunk += &format!("{n:0width$}");
        if chunk.len() > 8192 {
            cmd.out(core::mem::take(&mut chunk)).await?;
        }
        n = match n.checked_add(step) {
            Some(n) => n,
            None => break,
        };
    }
    if (step > 0 && first <= last) || (step < 0 && first >= last) {
        chunk.push('\n');
    }
    cmd.out(chunk).await?;
    Ok(0)
}

async fn basename(cmd: Cmd) -> Ran {
    let Some(path) = cmd.args.first() else {
        return cmd.fail(1, "missing operand\nTry 'basename --help' for more information.").await;
    };
    let trimmed = path.trim_end_matches('/');
    let mut name = trimmed.rsplit('/').next().unwrap_or_default();
    if let Some(suffix) = cmd.args.get(1)
        && name != suffix
    {
        name = name.strip_suffix(suffix.as_str()).unwrap_or(name);
    }
    cmd.io.stdout.line(if trimmed.is_empty() && !path.is_empty() { "/" } else { name }).await?;
    Ok(0)
}

async fn dirname(cmd: Cmd) -> Ran {
    let Some(path) = cmd.args.first() else {
        return cmd.fail(1, "missing operand\nTry 'dirname --help' for more information.").await;
    };
    let t = path.trim_end_matches('/');
    let dir = match t.rfind('/') {
        Some(0) => "/",
        Some(i) => &t[..i],
        None => ".",
    };
    cmd.io.stdout.line(dir).await?;
    Ok(0)
}

async fn env(cmd: Cmd) -> Ran {
    if cmd.name == "printenv"
        && let Some(n) = cmd.args.first()
    {
        return match cmd.env.get(n) {
            Some(v) => {
                cmd.io.stdout.line(v).await?;
                Ok(0)
            }
            None => Ok(1),
        };
    }
    let sets = cmd.args.iter().take_while(|a| a.contains('=')).count();
    for a in &cmd.args[..sets] {
        let (k, v) = a.split_once('=').unwrap_or((a, ""));
        cmd.shell.export(k, v);
    }
    if let Some((name, rest)) = cmd.args[sets..].split_first() {
        return Ok(cmd.run(name, rest.to_vec(), &cmd.io.clone()).await);
    }
    let all: String = cmd.shell.state().environment().iter().map(|(k, v)| format!("{k}={v}\n")).collect();
    cmd.out(all).await?;
    Ok(0)
}

async fn yes(cmd: Cmd) -> Ran {
    let word = if cmd.args.is_empty() { "y".to_owned() } else { cmd.args.join(" ") };
    let chunk = bytes::Bytes::from(format!("{word}\n").repeat(512));
    loop {
        cmd.out(chunk.clone()).await?;
        cmd.sim().yield_now().await;
    }
}

async fn hostname(cmd: Cmd) -> Ran {
    cmd.io.stdout.line("etcdscope").await?;
    Ok(0)
}

async fn whoami(cmd: Cmd) -> Ran {
    cmd.io.stdout.line("root").await?;
    Ok(0)
}

async fn uname(cmd: Cmd) -> Ran {
    cmd.io
        .stdout
        .line(if cmd.args.iter().any(|a| a.contains('a')) {
            "etcdscope simulated world"
        } else {
            "etcdscope"
        })
        .await?;
    Ok(0)
}

async fn which(cmd: Cmd) -> Ran {
    let mut status = 0;
    for a in &cmd.args {
        if cmd.shell.world.commands.contains_key(a.as_str()) {
            cmd.io.stdout.line(&format!("/usr/bin/{a}")).await?;
        } else {
            status = 1;
        }
    }
    Ok(status)
}
