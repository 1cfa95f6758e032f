//! `test`, `[` and `[[`.

use crate::ast::Word;
use crate::exec::{Flow, Shell};
use crate::fs::Fs;
use crate::io::Io;
use crate::pattern;

impl Shell {
    /// One-argument tests (`-f x`).
    fn unary(&self, op: &str, arg: &str) -> Option<bool> {
        let stat = || self.world.fs.stat(&Fs::resolve(&self.cwd(), arg)).ok();
        Some(match op {
            "-n" => !arg.is_empty(),
            "-z" => arg.is_empty(),
            "-e" | "-a" => stat().is_some(),
            "-f" => stat().is_some_and(|s| !s.dir),
            "-d" => stat().is_some_and(|s| s.dir),
            "-s" => stat().is_some_and(|s| s.size > 0),
            "-r" | "-w" => stat().is_some(),
            "-x" => stat().is_some_and(|s| s.mode & 0o111 != 0),
            "-L" | "-h" | "-p" | "-b" | "-c" | "-t" => false,
            "-v" => self.state().vars.contains_key(arg),
            _ => return None,
        })
    }

    /// Two-argument tests (`a -lt b`); `Err` is bash's message.
    fn binary(&self, a: &str, op: &str, b: &str) -> Option<Result<bool, String>> {
        let numbers = |f: fn(i64, i64) -> bool| {
            let n =
                |s: &str| s.trim().parse::<i64>().map_err(|_| format!("{s}: integer expression expected"));
            Some(n(a).and_then(|x| n(b).map(|y| f(x, y))))
        };
        match op {
            "=" | "==" => Some(Ok(a == b)),
            "!=" => Some(Ok(a != b)),
            "<" => Some(Ok(a < b)),
            ">" => Some(Ok(a > b)),
            "-eq" => numbers(|x, y| x == y),
            "-ne" => numbers(|x, y| x != y),
            "-lt" => numbers(|x, y| x < y),
            "-le" => numbers(|x, y| x <= y),
            "-gt" => numbers(|x, y| x > y),
            "-ge" => numbers(|x, y| x >= y),
            "-nt" | "-ot" => {
                let m =
                    |p: &str| self.world.fs.stat(&Fs::resolve(&self.cwd(), p)).map_or(i64::MIN, |s| s.mtime);
                Some(Ok(if op == "-nt" { m(a) > m(b) } else { m(a) < m(b) }))
            }
            _ => None,
        }
    }

    /// `test` on expanded words: `-o` binds looser than `-a`, `!` negates.
    pub(crate) fn test(&self, args: &[String]) -> Result<bool, String> {
        let s: Vec<&str> = args.iter().map(String::as_str).collect();
        match s.as_slice() {
            [] => Ok(false),
            [a] => Ok(!a.is_empty()),
            ["!", rest @ ..] if rest.len() < 4 => {
                let rest: Vec<String> = rest.iter().map(|s| (*s).to_owned()).collect();
                Ok(!self.test(&rest)?)
            }
            [op, a] => self.unary(op, a).ok_or_else(|| format!("{op}: unary operator expected")),
            [a, op, b] if self.binary(a, op, b).is_some() => self.binary(a, op, b).expect("just asked"),
            _ => {
                for (word, or) in [("-o", true), ("-a", false)] {
                    if let Some(i) = s.iter().position(|w| *w == word).filter(|i| *i > 0) {
                        let (a, b) = (self.test(&args[..i])?, self.test(&args[i + 1..])?);
                        return Ok(if or { a || b } else { a && b });
                    }
                }
                match s.as_slice() {
                    [_, op, _] => Err(format!("{op}: binary operator expected")),
                    _ => Err("too many arguments".to_owned()),
                }
            }
        }
    }

    /// `[[ … ]]`: words are not split, `==` matches patterns, `=~` regular expressions.
    pub(crate) async fn double_bracket(&self, words: &[Word], io: &Io) -> Result<i32, Flow> {
        // || over && over ! over a test; parentheses are not needed by what people paste and are refused below.
        let is = |w: &Word, op: &str| w.0.as_slice() == [crate::ast::Part::Quoted(op.to_owned())];
        for alternative in words.split(|w| is(w, "||")) {
            let mut all = true;
            for term in alternative.split(|w| is(w, "&&")) {
                if !self.bracket_term(term, io).await? {
                    all = false;
                    break;
                }
            }
            if all {
                return Ok(0);
            }
        }
        Ok(1)
    }

    async fn bracket_term(&self, term: &[Word], io: &Io) -> Result<bool, Flow> {
        let negate = term.first().is_some_and(|w| w.literal() == "!");
        let term = &term[usize::from(negate)..];
        let mut text = Vec::new();
        for w in term {
            text.push(self.string(w, io).await?);
        }
        let yes = match text.as_slice() {
            [_, op, _] if op == "==" || op == "=" || op == "!=" => {
                let p = self.chars(&term[2], io).await?;
                let t: Vec<char> = text[0].chars().collect();
                pattern::matches(&p, &t) == (op != "!=")
            }
            [a, op, b] if op == "=~" => match regex::Regex::new(b) {
                Ok(r) => r.is_match(a),
                Err(_) => return Ok(false),
            },
            _ => match self.test(&text) {
                Ok(v) => v,
                Err(e) => {
                    self.complain(io, &e).await;
                    return Err(Flow::Fail(2));
                }
            },
        };
        Ok(yes != negate)
    }
}
