//! The tools people pipe things through, with GNU's flags and messages for what is commonly used.

mod dump;
mod files;
mod grep;
mod run;
mod sort;
mod text;
mod words;

use crate::{Cmd, Commands, Ran};
pub(crate) use words::{echo, escapes, printf};

/// Wraps an async function as a [`crate::CommandFn`].
macro_rules! command {
    ($f:path) => {
        |cmd| Box::pin($f(cmd))
    };
}
pub(crate) use command;

/// Every tool.
pub fn commands() -> Commands {
    let mut c = Commands::new();
    dump::register(&mut c);
    files::register(&mut c);
    grep::register(&mut c);
    run::register(&mut c);
    sort::register(&mut c);
    text::register(&mut c);
    words::register(&mut c);
    c.insert("help", command!(help));
    c.insert("clear", command!(clear));
    c
}

async fn help(cmd: Cmd) -> Ran {
    let names: Vec<&str> = cmd.shell.world.commands.keys().copied().chain(crate::builtins::NAMES).collect();
    let mut names: Vec<&str> =
        names.into_iter().filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic())).collect();
    names.sort_unstable();
    names.dedup();
    let mut line = String::new();
    for n in names {
        if line.len() + n.len() > 76 {
            cmd.io.stdout.line(line.trim_end()).await?;
            line.clear();
        }
        line += n;
        line.push(' ');
    }
    cmd.io.stdout.line(line.trim_end()).await?;
    Ok(0)
}

async fn clear(cmd: Cmd) -> Ran {
    cmd.host().clear();
    Ok(0)
}

/// Flags of one letter, some with a value, in GNU's manner: `-abc`, `-n 3`, `-n3`, `--`, operands anywhere.
pub(crate) struct Options {
    /// Flag and value, in the order given.
    pub(crate) set: Vec<(char, String)>,
    /// What is left.
    pub(crate) operands: Vec<String>,
}

impl Options {
    /// `with_value` lists the flags that take one; `long` maps long flags (`--name` or `--name=`) to letters.
    pub(crate) async fn parse(
        cmd: &Cmd,
        flags: &str,
        with_value: &str,
        long: &[(&str, char)],
    ) -> Result<Options, Ran> {
        let mut o = Options { set: Vec::new(), operands: Vec::new() };
        let mut it = cmd.args.iter();
        let fail = async |text: String, hint: bool| -> Ran {
            cmd.err(format!("{}: {text}\n", cmd.name)).await?;
            if hint {
                cmd.err(format!("Try '{} --help' for more information.\n", cmd.name)).await?;
            }
            Ok(if cmd.name == "grep" || cmd.name == "ls" || cmd.name == "sort" { 2 } else { 1 })
        };
        while let Some(a) = it.next() {
            if a == "--" {
                o.operands.extend(it.cloned());
                break;
            }
            if let Some(name) = a.strip_prefix("--") {
                let (name, value) =
                    name.split_once('=').map_or((name, None), |(n, v)| (n, Some(v.to_owned())));
                let Some((_, c)) = long.iter().find(|(n, _)| *n == name) else {
                    return Err(fail(format!("unrecognized option '{a}'"), true).await);
                };
                let value =
                    if with_value.contains(*c) && value.is_none() { it.next().cloned() } else { value };
                o.set.push((*c, value.unwrap_or_default()));
                continue;
            }
            if a.len() < 2 || !a.starts_with('-') {
                o.operands.push(a.clone());
                continue;
            }
            let chars: Vec<char> = a[1..].chars().collect();
            let mut i = 0;
            while i < chars.len() {
                let c = chars[i];
                i += 1;
                if with_value.contains(c) {
                    let rest: String = chars[i..].iter().collect();
                    let value = if rest.is_empty() { it.next().cloned() } else { Some(rest) };
                    let Some(v) = value else {
                        return Err(fail(format!("option requires an argument -- '{c}'"), true).await);
                    };
                    o.set.push((c, v));
                    break;
                }
                if c.is_ascii_digit() && flags.contains('#') {
                    let rest: String = chars[i - 1..].iter().collect();
                    o.set.push(('#', rest));
                    break;
                }
                if !flags.contains(c) {
                    return Err(fail(format!("invalid option -- '{c}'"), true).await);
                }
                o.set.push((c, String::new()));
            }
        }
        Ok(o)
    }

    pub(crate) fn has(&self, c: char) -> bool {
        self.set.iter().any(|s| s.0 == c)
    }

    pub(crate) fn value(&self, c: char) -> Option<&str> {
        self.set.iter().rev().find(|s| s.0 == c).map(|s| s.1.as_str())
    }
}

/// `match Options::parse` that ends the command when it failed.
macro_rules! options {
    ($cmd:expr, $flags:expr, $values:expr, $long:expr) => {
        match $crate::tools::Options::parse(&$cmd, $flags, $values, $long).await {
            Ok(o) => o,
            Err(r) => return r,
        }
    };
}
pub(crate) use options;

/// Each operand's bytes (standard input if there are none); a missing file is reported and skipped. The status.
pub(crate) async fn inputs(
    cmd: &Cmd,
    operands: &[String],
) -> Result<(Vec<(String, bytes::Bytes)>, i32), crate::Exit> {
    let mut all = Vec::new();
    let mut status = 0;
    let stdin = ["-".to_owned()];
    for f in if operands.is_empty() { &stdin } else { operands } {
        match cmd.read_file(f).await {
            Ok(d) => all.push((f.clone(), d)),
            Err(e) => {
                cmd.err(format!("{}: {e}\n", cmd.name)).await?;
                status = 1;
            }
        }
    }
    Ok((all, status))
}

/// Lines of `data` without their ends; the last one may have none.
pub(crate) fn lines(data: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let body = data.strip_suffix(b"\n").unwrap_or(data);
    let some = !data.is_empty();
    body.split(|b| *b == b'\n').filter(move |_| some)
}
