//! `hexdump`, `xxd`, `base64`, `sha256sum`, `md5sum`: bytes made readable.

use super::{command, inputs, options};
use crate::{Cmd, Commands, Ran};
use sha2::Digest as _;

pub(super) fn register(c: &mut Commands) {
    c.insert("hexdump", command!(hexdump));
    c.insert("hd", command!(hexdump));
    c.insert("xxd", command!(xxd));
    c.insert("base64", command!(base64));
    c.insert("sha256sum", command!(sum));
    c.insert("md5sum", command!(sum));
}

fn graphic(b: u8) -> char {
    if b.is_ascii_graphic() || b == b' ' { char::from(b) } else { '.' }
}

/// All inputs joined, from `skip` on, at most `length` bytes.
async fn window(
    cmd: &Cmd,
    operands: &[String],
    skip: usize,
    length: usize,
) -> Result<(Vec<u8>, i32), crate::Exit> {
    let (files, status) = inputs(cmd, operands).await?;
    let all: Vec<u8> = files.iter().flat_map(|f| f.1.iter().copied()).skip(skip).take(length).collect();
    Ok((all, status))
}

fn number(s: Option<&str>, default: usize) -> usize {
    s.and_then(|v| v.strip_prefix("0x").map_or_else(|| v.parse().ok(), |h| usize::from_str_radix(h, 16).ok()))
        .unwrap_or(default)
}

async fn hexdump(cmd: Cmd) -> Ran {
    let o = options!(cmd, "Cvx", "ns", &[("canonical", 'C'), ("length", 'n'), ("skip", 's')]);
    let skip = number(o.value('s'), 0);
    let (data, status) = window(&cmd, &o.operands, skip, number(o.value('n'), usize::MAX)).await?;
    let canonical = o.has('C') || cmd.name == "hd";
    let width = if canonical { 8 } else { 7 };
    let mut out = String::new();
    let mut squeezed = false;
    for (i, row) in data.chunks(16).enumerate() {
        let repeated = i > 0 && row.len() == 16 && data[(i - 1) * 16..i * 16] == *row && !o.has('v');
        if repeated {
            if !squeezed {
                out += "*\n";
            }
            squeezed = true;
            continue;
        }
        squeezed = false;
        out += &format!("{:0width$x}", skip + i * 16);
        if canonical {
            for n in 0..16 {
                if n % 8 == 0 {
                    out.push(' ');
                }
                out += &row.get(n).map_or("   ".to_owned(), |b| format!(" {b:02x}"));
            }
            out += &format!("  |{}|\n", row.iter().map(|b| graphic(*b)).collect::<String>());
        } else {
            for n in 0..8 {
                out += &match (row.get(n * 2), row.get(n * 2 + 1)) {
                    (Some(a), b) => format!(" {:02x}{a:02x}", b.copied().unwrap_or(0)),
                    _ => "     ".to_owned(),
                };
            }
            out.push('\n');
        }
    }
    if !data.is_empty() {
        out += &format!("{:0width$x}\n", skip + data.len());
    }
    cmd.out(out).await?;
    Ok(status)
}

async fn xxd(cmd: Cmd) -> Ran {
    let o = options!(cmd, "pru", "lsc", &[]);
    let skip = number(o.value('s'), 0);
    let (data, status) = window(&cmd, &o.operands, skip, number(o.value('l'), usize::MAX)).await?;
    if o.has('r') {
        let text = String::from_utf8_lossy(&data).into_owned();
        let mut digits = String::new();
        for l in text.lines() {
            let body = if o.has('p') {
                l
            } else {
                l.split_once(": ").map_or("", |b| b.1).split("  ").next().unwrap_or_default()
            };
            digits.extend(body.chars().filter(char::is_ascii_hexdigit));
        }
        let bytes: Vec<u8> = digits
            .as_bytes()
            .chunks_exact(2)
            .filter_map(|p| u8::from_str_radix(std::str::from_utf8(p).ok()?, 16).ok())
            .collect();
        cmd.out(bytes).await?;
        return Ok(status);
    }
    let mut out = String::new();
    if o.has('p') {
        for row in data.chunks(number(o.value('c'), 30).max(1)) {
            row.iter().for_each(|b| out += &format!("{b:02x}"));
            out.push('\n');
        }
    } else {
        let columns = number(o.value('c'), 16).clamp(1, 256);
        for (i, row) in data.chunks(columns).enumerate() {
            out += &format!("{:08x}: ", skip + i * columns);
            for n in 0..columns {
                out += &row.get(n).map_or("  ".to_owned(), |b| format!("{b:02x}"));
                if n % 2 == 1 || n + 1 == columns {
                    out.push(' ');
                }
            }
            out += &format!(" {}\n", row.iter().map(|b| graphic(*b)).collect::<String>());
        }
    }
    cmd.out(out).await?;
    Ok(status)
}

async fn base64(cmd: Cmd) -> Ran {
    let o = options!(cmd, "di", "w", &[("decode", 'd'), ("wrap", 'w'), ("ignore-garbage", 'i')]);
    let (data, status) = window(&cmd, &o.operands, 0, usize::MAX).await?;
    if o.has('d') {
        let clean: Vec<u8> = data.into_iter().filter(|b| !b.is_ascii_whitespace()).collect();
        let mut good = clean.len();
        loop {
            match kube::codec::base64_decode(&clean[..good]) {
                Ok(bytes) => {
                    cmd.out(bytes).await?;
                    break;
                }
                Err(_) if good >= 4 => good = (good - 1) / 4 * 4,
                Err(_) => break,
            }
        }
        if good < clean.len() {
            return cmd.fail(1, "invalid input").await;
        }
        return Ok(status);
    }
    let text = kube::codec::base64_encode(&data);
    let wrap = number(o.value('w'), 76);
    let mut out = String::new();
    if wrap == 0 {
        out = text;
    } else {
        for row in text.as_bytes().chunks(wrap) {
            out.extend(row.iter().map(|b| char::from(*b)));
            out.push('\n');
        }
    }
    cmd.out(out).await?;
    Ok(status)
}

async fn sum(cmd: Cmd) -> Ran {
    let o = options!(cmd, "b", "", &[]);
    let (files, status) = inputs(&cmd, &o.operands).await?;
    for (name, d) in files {
        let digest: Vec<u8> = if cmd.name == "md5sum" {
            md5::Md5::digest(&d).to_vec()
        } else {
            sha2::Sha256::digest(&d).to_vec()
        };
        let hex: String = digest.iter().map(|b| format!("{b:02x}")).collect();
        cmd.io.stdout.line(&format!("{hex}  {name}")).await?;
    }
    Ok(status)
}
