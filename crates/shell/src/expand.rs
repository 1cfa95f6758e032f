//! Expansion: what a word becomes. Braces, tilde, parameters, substitutions, splitting, patterns; in bash's order.

use crate::ast::{Param, Part, Word};
use crate::exec::{Flow, Shell};
use crate::io::{Input, Io, Output};
use crate::pattern::{self, Char};
use crate::{arith, fs::Fs};
use futures::future::{FutureExt, LocalBoxFuture};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Fields in the making: finished ones, and the one that grows.
#[derive(Default)]
struct Fields {
    done: Vec<Vec<Char>>,
    open: Option<Vec<Char>>,
}

impl Fields {
    fn add(&mut self, text: &str, quoted: bool) {
        self.open.get_or_insert_default().extend(text.chars().map(|c| (c, quoted)));
    }

    fn cut(&mut self) {
        self.done.extend(self.open.take());
    }

    /// Adds the result of an unquoted expansion, split at `ifs`.
    fn split(&mut self, text: &str, ifs: &str) {
        for (i, piece) in text.split(|c| ifs.contains(c)).enumerate() {
            if i > 0 {
                self.cut();
            }
            if !piece.is_empty() {
                self.add(piece, false);
            }
        }
    }
}

impl Shell {
    /// All fields that `words` become.
    pub(crate) async fn fields(&self, words: &[Word], io: &Io) -> Result<Vec<String>, Flow> {
        let mut out = Vec::new();
        for w in words {
            for w in braces(w) {
                let mut f = Fields::default();
                self.parts(&tilde(&w, self), &mut f, false, io).await?;
                f.cut();
                for field in f.done {
                    out.extend(self.glob(field));
                }
            }
        }
        Ok(out)
    }

    /// The one string that `word` becomes: no splitting, no file names (assignments, redirections, here-documents).
    pub(crate) async fn string(&self, word: &Word, io: &Io) -> Result<String, Flow> {
        Ok(self.chars(word, io).await?.into_iter().map(|c| c.0).collect())
    }

    /// [`Shell::string`] with the quoting kept, for patterns.
    pub(crate) async fn chars(&self, word: &Word, io: &Io) -> Result<Vec<Char>, Flow> {
        let mut f = Fields::default();
        // Not split, but what stands unquoted stays a pattern.
        let w = tilde(word, self);
        for p in &w {
            let quoted = matches!(p, Part::Quoted(_) | Part::Double(_));
            let mut one = Fields::default();
            self.parts(std::slice::from_ref(p), &mut one, true, io).await?;
            one.cut();
            let joined = one
                .done
                .into_iter()
                .map(|d| d.into_iter().map(|c| c.0).collect::<String>())
                .collect::<Vec<_>>()
                .join(" ");
            f.add(&joined, quoted);
        }
        f.cut();
        Ok(f.done.into_iter().next().unwrap_or_default())
    }

    fn parts<'a>(
        &'a self,
        parts: &'a [Part],
        f: &'a mut Fields,
        quoted: bool,
        io: &'a Io,
    ) -> LocalBoxFuture<'a, Result<(), Flow>> {
        async move {
            let ifs = self.state().get("IFS").unwrap_or(" \t\n").to_owned();
            for p in parts {
                match p {
                    Part::Text(t) => f.add(t, quoted),
                    Part::Quoted(t) => f.add(t, true),
                    Part::Double(inner) => {
                        if !matches!(inner.as_slice(), [Part::Param(p)] if p.name == "@" && p.op.is_empty()) {
                            f.add("", true); // "" is a field
                        }
                        self.parts(inner, f, true, io).await?;
                    }
                    Part::Brace(words) => {
                        // Only where braces are not expanded (quoted contexts): the text as it was.
                        let texts: Vec<String> = words.iter().map(Word::literal).collect();
                        f.add(&format!("{{{}}}", texts.join(",")), quoted);
                    }
                    Part::Param(p)
                        if (p.name == "@" || (p.name == "*" && !quoted)) && p.op.is_empty() && !p.length =>
                    {
                        let args = self.state().args.clone();
                        for (i, a) in args.iter().enumerate() {
                            if i > 0 {
                                f.cut();
                            }
                            if quoted { f.add(a, true) } else { f.split(a, &ifs) }
                        }
                    }
                    Part::Param(p) => {
                        let v = self.param(p, io).await?;
                        if quoted { f.add(&v, true) } else { f.split(&v, &ifs) }
                    }
                    Part::Command(list) => {
                        let v = self.substitute(list, io).await?;
                        if quoted { f.add(&v, true) } else { f.split(&v, &ifs) }
                    }
                    Part::Arith(inner) => {
                        let v = self.arith(&Word(inner.clone()), io).await?;
                        f.add(&v.to_string(), true);
                    }
                }
            }
            Ok(())
        }
        .boxed_local()
    }

    /// Runs a list in a subshell and takes its output, without the line ends at its end.
    async fn substitute(&self, list: &crate::ast::List, io: &Io) -> Result<String, Flow> {
        let buffer: Rc<RefCell<Vec<u8>>> = Rc::default();
        let b = buffer.clone();
        let stdout = Output::sink(move |d| b.borrow_mut().extend_from_slice(d));
        let sub = self.fork();
        let io = Io { stdin: Input::empty(), stdout, stderr: io.stderr.clone() };
        let status = sub.run_subshell(list, &io).await;
        self.state().status = status;
        let mut bytes = core::mem::take(&mut *buffer.borrow_mut());
        bytes.retain(|b| *b != 0); // bash drops NUL bytes
        while bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The value of an arithmetic expression.
    pub(crate) async fn arith(&self, word: &Word, io: &Io) -> Result<i64, Flow> {
        let text = self.string(word, io).await?;
        let mut vars: BTreeMap<String, i64> =
            self.state().vars.iter().map(|(k, v)| (k.clone(), v.value.trim().parse().unwrap_or(0))).collect();
        let before = vars.clone();
        match arith::eval(&text, &mut vars) {
            Ok(v) => {
                for (k, v) in vars {
                    if before.get(&k) != Some(&v) {
                        self.state().set(&k, v.to_string());
                    }
                }
                Ok(v)
            }
            Err(e) => {
                self.complain(io, &e).await;
                Err(Flow::Fail(1))
            }
        }
    }

    fn lookup(&self, name: &str) -> Option<String> {
        let s = self.state();
        match name {
            "?" => Some(s.status.to_string()),
            "#" => Some(s.args.len().to_string()),
            "*" | "@" => Some(s.args.join(" ")),
            "$" => Some(self.pid().to_string()),
            "!" => Some(s.last_background).filter(|p| *p > 0).map(|p| p.to_string()),
            "-" => Some("hB".to_owned()),
            "0" => Some(s.name.clone()),
            "RANDOM" => Some((self.world.sim.rng("shell/random").next_u32() & 0x7fff).to_string()),
            "SECONDS" => Some((self.world.sim.now().0 / 1_000_000_000).to_string()),
            n if n.starts_with(|c: char| c.is_ascii_digit()) => {
                n.parse::<usize>().ok().and_then(|n| s.args.get(n - 1).cloned())
            }
            n => s.get(n).map(str::to_owned),
        }
    }

    async fn param(&self, p: &Param, io: &Io) -> Result<String, Flow> {
        let value = self.lookup(&p.name);
        if p.length {
            let n = if p.name == "@" || p.name == "*" {
                self.state().args.len()
            } else {
                value.unwrap_or_default().chars().count()
            };
            return Ok(n.to_string());
        }
        let colon = p.op.starts_with(':') && p.op.len() == 2;
        let absent = value.is_none() || (colon && value.as_deref() == Some(""));
        match p.op.trim_start_matches(':') {
            "" if p.op.is_empty() => match value {
                None if self.state().nounset => {
                    self.complain(io, &format!("{}: unbound variable", p.name)).await;
                    Err(Flow::Exit(127))
                }
                v => Ok(v.unwrap_or_default()),
            },
            "" => {
                // ${name:offset:length}
                let word = self.string(&p.word, io).await?;
                let mut nums = word.split(':').map(|n| n.trim().parse::<i64>().unwrap_or(0));
                let chars: Vec<char> = value.unwrap_or_default().chars().collect();
                let len = chars.len() as i64;
                let clamp = |n: i64| (if n < 0 { (len + n).max(0) } else { n.min(len) }) as usize;
                let start = clamp(nums.next().unwrap_or(0));
                let end = nums.next().map_or(chars.len(), |n| {
                    if n < 0 { clamp(n) } else { (start + n as usize).min(chars.len()) }
                });
                Ok(chars[start..end.max(start)].iter().collect())
            }
            "-" => {
                if absent {
                    self.string(&p.word, io).await
                } else {
                    Ok(value.unwrap_or_default())
                }
            }
            "+" => {
                if absent {
                    Ok(String::new())
                } else {
                    self.string(&p.word, io).await
                }
            }
            "=" => {
                if absent {
                    let v = self.string(&p.word, io).await?;
                    self.state().set(&p.name, v.clone());
                    return Ok(v);
                }
                Ok(value.unwrap_or_default())
            }
            "?" => {
                if absent {
                    let word = self.string(&p.word, io).await?;
                    let why = if word.is_empty() { "parameter null or not set".to_owned() } else { word };
                    self.complain(io, &format!("{}: {why}", p.name)).await;
                    return Err(Flow::Exit(127));
                }
                Ok(value.unwrap_or_default())
            }
            op => {
                let text: Vec<char> = value.unwrap_or_default().chars().collect();
                let pat = self.chars(&p.word, io).await?;
                let s = |c: &[char]| c.iter().collect::<String>();
                Ok(match op {
                    "#" | "##" => s(&text[pattern::prefix(&pat, &text, op == "##").unwrap_or(0)..]),
                    "%" | "%%" => s(&text[..pattern::suffix(&pat, &text, op == "%%").unwrap_or(text.len())]),
                    _ => replace(&text, &pat, &self.string(&p.with, io).await?, op == "//"),
                })
            }
        }
    }

    /// File names that match, or the field itself.
    fn glob(&self, field: Vec<Char>) -> Vec<String> {
        let plain: String = field.iter().map(|c| c.0).collect();
        if !pattern::is_pattern(&field) {
            return vec![plain];
        }
        let (fs, cwd) = (&self.world.fs, self.state().cwd.clone());
        let absolute = plain.starts_with('/');
        let mut found: Vec<String> = vec![if absolute { "/".to_owned() } else { String::new() }];
        for part in field.split(|c| c.0 == '/').filter(|p| !p.is_empty()) {
            let literal: String = part.iter().map(|c| c.0).collect();
            let mut next = Vec::new();
            for base in &found {
                let join = |n: &str| {
                    if base.is_empty() || base.ends_with('/') {
                        format!("{base}{n}")
                    } else {
                        format!("{base}/{n}")
                    }
                };
                if !pattern::is_pattern(part) {
                    if fs.stat(&Fs::resolve(&cwd, &join(&literal))).is_ok() {
                        next.push(join(&literal));
                    }
                    continue;
                }
                for name in fs.list(&Fs::resolve(&cwd, base)).unwrap_or_default() {
                    let chars: Vec<char> = name.chars().collect();
                    if (!name.starts_with('.') || literal.starts_with('.')) && pattern::matches(part, &chars)
                    {
                        next.push(join(&name));
                    }
                }
            }
            found = next;
        }
        if found.is_empty() { vec![plain] } else { found }
    }
}

fn replace(text: &[char], pat: &[Char], with: &str, all: bool) -> String {
    let mut out = String::new();
    let mut i = 0;
    let mut again = true;
    while i < text.len() {
        let hit = if again { pattern::prefix(pat, &text[i..], true).filter(|n| *n > 0) } else { None };
        match hit {
            Some(n) => {
                out.push_str(with);
                i += n;
                again = all;
            }
            None => {
                out.push(text[i]);
                i += 1;
            }
        }
    }
    out
}

/// `~` and `~/…` at the start of a word.
fn tilde(w: &Word, sh: &Shell) -> Vec<Part> {
    let mut parts = w.0.clone();
    if let Some(Part::Text(t)) = parts.first_mut()
        && (t == "~" || t.starts_with("~/"))
    {
        let home = sh.state().get("HOME").unwrap_or("/root").to_owned();
        *t = format!("{home}{}", &t[1..]);
    }
    parts
}

/// The words that a word with braces stands for; at most 10,000.
fn braces(w: &Word) -> Vec<Word> {
    let Some(at) = w.0.iter().position(|p| matches!(p, Part::Brace(_))) else { return vec![w.clone()] };
    let Part::Brace(choices) = &w.0[at] else { return vec![w.clone()] };
    let mut out = Vec::new();
    for c in choices {
        let mut parts = w.0[..at].to_vec();
        parts.extend(c.0.iter().cloned());
        parts.extend(w.0[at + 1..].iter().cloned());
        out.extend(braces(&Word(parts)));
        if out.len() > 10_000 {
            break;
        }
    }
    out
}
