//! Words: quotes, parameters, substitutions, braces.

use super::{ParseError, Parser, Result, is_word_char};
use crate::ast::{Param, Part, Word};

impl Word {
    /// A word of quoted text.
    pub fn quoted(text: &str) -> Word {
        Word(vec![Part::Quoted(text.to_owned())])
    }

    /// The text of a word without expansions (the end of a here-document).
    pub fn literal(&self) -> String {
        let mut s = String::new();
        for p in &self.0 {
            match p {
                Part::Text(t) | Part::Quoted(t) => s.push_str(t),
                Part::Double(parts) => s.push_str(&Word(parts.clone()).literal()),
                _ => {}
            }
        }
        s
    }
}

fn push(parts: &mut Vec<Part>, c: char) {
    match parts.last_mut() {
        Some(Part::Text(t)) => t.push(c),
        _ => parts.push(Part::Text(c.to_string())),
    }
}

impl Parser {
    /// The next word; `None` if an operator, a line end or the end comes next.
    pub(super) fn word(&mut self) -> Result<Option<Word>> {
        let mut parts = Vec::new();
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                '\\' => match self.peek_at(1) {
                    Some('\n') => self.at += 2,
                    Some(q) => {
                        parts.push(Part::Quoted(q.to_string()));
                        self.at += 2;
                    }
                    None => return Err(ParseError::Incomplete("escape")),
                },
                '\'' => {
                    self.at += 1;
                    let text = self.until('\'', "quote")?;
                    parts.push(Part::Quoted(text));
                }
                '"' => {
                    self.at += 1;
                    let inner = self.double()?;
                    parts.push(Part::Double(inner));
                }
                '$' => self.dollar(&mut parts)?,
                '`' => {
                    self.at += 1;
                    let text = self.until('`', "backquote")?;
                    let text = text.replace("\\`", "`").replace("\\$", "$");
                    let depth = self.depth;
                    parts.push(Part::Command(sub_list(&text, depth)?));
                }
                '{' => match self.brace()? {
                    Some(list) => parts.push(Part::Brace(list)),
                    None => {
                        push(&mut parts, '{');
                        self.at += 1;
                    }
                },
                c if is_word_char(c) => {
                    push(&mut parts, c);
                    self.at += 1;
                }
                _ => break,
            }
        }
        Ok((self.at > start).then_some(Word(parts)))
    }

    fn until(&mut self, end: char, what: &'static str) -> Result<String> {
        let mut s = String::new();
        loop {
            match self.peek() {
                None => return Err(ParseError::Incomplete(what)),
                Some(c) if c == end => {
                    self.at += 1;
                    return Ok(s);
                }
                Some('\\') if end == '`' && self.peek_at(1) == Some('`') => {
                    s.push_str("\\`");
                    self.at += 2;
                }
                Some(c) => {
                    s.push(c);
                    self.at += 1;
                }
            }
        }
    }

    fn double(&mut self) -> Result<Vec<Part>> {
        self.deeper(|p| {
            let mut parts = Vec::new();
            loop {
                match p.peek() {
                    None => return Err(ParseError::Incomplete("double quote")),
                    Some('"') => {
                        p.at += 1;
                        return Ok(parts);
                    }
                    Some('\\') => p.double_escape(&mut parts, "$`\"\\"),
                    Some('$') => p.dollar(&mut parts)?,
                    Some('`') => {
                        p.at += 1;
                        let text = p.until('`', "backquote")?;
                        let depth = p.depth;
                        parts.push(Part::Command(sub_list(&text.replace("\\`", "`"), depth)?));
                    }
                    Some(c) => {
                        push(&mut parts, c);
                        p.at += 1;
                    }
                }
            }
        })
    }

    fn double_escape(&mut self, parts: &mut Vec<Part>, special: &str) {
        match self.peek_at(1) {
            Some('\n') => self.at += 2,
            Some(c) if special.contains(c) => {
                push(parts, c);
                self.at += 2;
            }
            _ => {
                push(parts, '\\');
                self.at += 1;
            }
        }
    }

    fn dollar(&mut self, parts: &mut Vec<Part>) -> Result<()> {
        self.at += 1;
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') => {
                self.at += 2;
                let word = self.arith_until("))")?;
                parts.push(Part::Arith(word.0));
            }
            Some('(') => {
                self.at += 1;
                let list = self.deeper(|p| p.list(&[")"]))?;
                if !self.eat(")") {
                    return Err(if self.peek().is_none() {
                        ParseError::Incomplete("command substitution")
                    } else {
                        self.unexpected()
                    });
                }
                parts.push(Part::Command(list));
            }
            Some('{') => {
                self.at += 1;
                let p = self.deeper(Parser::param)?;
                parts.push(Part::Param(p));
            }
            Some('\'') => {
                self.at += 1;
                let text = self.ansi_quote()?;
                parts.push(Part::Quoted(text));
            }
            Some(c) if "?#@*$!-".contains(c) || c.is_ascii_digit() => {
                self.at += 1;
                parts.push(Part::Param(plain(c.to_string())));
            }
            Some(c) if c == '_' || c.is_ascii_alphabetic() => {
                let name = self.name();
                parts.push(Part::Param(plain(name)));
            }
            _ => push(parts, '$'),
        }
        Ok(())
    }

    /// `$'…'`
    fn ansi_quote(&mut self) -> Result<String> {
        let mut raw = String::new();
        loop {
            match self.peek() {
                None => return Err(ParseError::Incomplete("quote")),
                Some('\'') => {
                    self.at += 1;
                    return Ok(crate::tools::escapes(&raw));
                }
                Some('\\') if self.peek_at(1) == Some('\'') => {
                    raw.push('\'');
                    self.at += 2;
                }
                Some('\\') => {
                    raw.push('\\');
                    raw.extend(self.peek_at(1));
                    self.at += 2;
                }
                Some(c) => {
                    raw.push(c);
                    self.at += 1;
                }
            }
        }
    }

    fn param(&mut self) -> Result<Param> {
        let mut p = plain(String::new());
        if self.peek() == Some('#') && self.peek_at(1) != Some('}') {
            self.at += 1;
            p.length = true;
        }
        p.name = match self.peek() {
            Some(c) if "?#@*$!-".contains(c) => {
                self.at += 1;
                c.to_string()
            }
            Some(c) if c.is_ascii_digit() => {
                let mut n = String::new();
                while let Some(d) = self.peek().filter(char::is_ascii_digit) {
                    n.push(d);
                    self.at += 1;
                }
                n
            }
            _ => self.name(),
        };
        for op in [":-", ":=", ":+", ":?", "%%", "##", "//", "-", "=", "+", "?", "%", "#", "/", ":"] {
            if self.eat(op) {
                p.op = op.to_owned();
                break;
            }
        }
        if !p.op.is_empty() {
            p.word = self.param_word(p.op.starts_with('/'))?;
            if p.op.starts_with('/') && self.eat("/") {
                p.with = self.param_word(false)?;
            }
        }
        match self.peek() {
            Some('}') if !p.name.is_empty() => {
                self.at += 1;
                Ok(p)
            }
            None => Err(ParseError::Incomplete("parameter")),
            _ => Err(ParseError::Syntax("bad substitution".to_owned())),
        }
    }

    fn param_word(&mut self, stop_at_slash: bool) -> Result<Word> {
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                None => return Err(ParseError::Incomplete("parameter")),
                Some('}') => return Ok(Word(parts)),
                Some('/') if stop_at_slash => return Ok(Word(parts)),
                Some('\\') => {
                    parts.extend(self.peek_at(1).map(|c| Part::Quoted(c.to_string())));
                    self.at = (self.at + 2).min(self.chars.len());
                }
                Some('\'') => {
                    self.at += 1;
                    let t = self.until('\'', "quote")?;
                    parts.push(Part::Quoted(t));
                }
                Some('"') => {
                    self.at += 1;
                    let inner = self.double()?;
                    parts.push(Part::Double(inner));
                }
                Some('$') => self.dollar(&mut parts)?,
                Some(c) => {
                    push(&mut parts, c);
                    self.at += 1;
                }
            }
        }
    }

    /// The text of an arithmetic expression up to `end`, which is eaten.
    pub(super) fn arith_until(&mut self, end: &str) -> Result<Word> {
        let mut parts = Vec::new();
        let mut open = 0u32;
        loop {
            if open == 0 && self.eat(end) {
                return Ok(Word(parts));
            }
            match self.peek() {
                None => return Err(ParseError::Incomplete("arithmetic")),
                Some('$') => self.dollar(&mut parts)?,
                Some(c) => {
                    open = if c == '(' { open + 1 } else { open.saturating_sub(u32::from(c == ')')) };
                    push(&mut parts, c);
                    self.at += 1;
                }
            }
        }
    }

    /// `{a,b}` or `{1..3}`; `None` if it is not one.
    fn brace(&mut self) -> Result<Option<Vec<Word>>> {
        let start = self.at;
        let mut close = start + 1;
        let mut open = 1;
        while open > 0 {
            match self.chars.get(close) {
                Some('{') => open += 1,
                Some('}') => open -= 1,
                Some(c) if is_word_char(*c) && !"'\"$`\\".contains(*c) => {}
                _ => return Ok(None),
            }
            close += 1;
        }
        let inner: String = self.chars[start + 1..close - 1].iter().collect();
        if let Some(range) = sequence(&inner) {
            self.at = close;
            return Ok(Some(range.iter().map(|s| Word::quoted(s)).collect()));
        }
        let mut items = vec![String::new()];
        let mut level = 0;
        for c in inner.chars() {
            match c {
                ',' if level == 0 => items.push(String::new()),
                c => {
                    level += i32::from(c == '{') - i32::from(c == '}');
                    items.last_mut().expect("one at least").push(c);
                }
            }
        }
        if items.len() < 2 {
            return Ok(None);
        }
        self.at = close;
        let depth = self.depth;
        let word = |s: &String| -> Result<Word> {
            if depth > 32 {
                return Err(ParseError::Syntax("maximum nesting level exceeded".to_owned()));
            }
            let mut p = Parser { depth: depth + 1, ..Parser::new(s) };
            Ok(p.word()?.unwrap_or_default())
        };
        items.iter().map(word).collect::<Result<_>>().map(Some)
    }
}

fn sequence(inner: &str) -> Option<Vec<String>> {
    let (a, b) = inner.split_once("..")?;
    if let (Ok(x), Ok(y)) = (a.parse::<i64>(), b.parse::<i64>()) {
        if x.abs_diff(y) > 100_000 {
            return None;
        }
        let width = if a.starts_with('0') && a.len() > 1 { a.len() } else { 0 };
        let list: Vec<i64> = if x <= y { (x..=y).collect() } else { (y..=x).rev().collect() };
        return Some(list.into_iter().map(|n| format!("{n:0width$}")).collect());
    }
    let one = |s: &str| Some(s.chars().next()?).filter(|c| c.is_ascii_alphabetic() && s.len() == 1);
    let (x, y) = (one(a)?, one(b)?);
    let list: Vec<char> = if x <= y { (x..=y).collect() } else { (y..=x).rev().collect() };
    Some(list.into_iter().map(String::from).collect())
}

fn plain(name: String) -> Param {
    Param { name, length: false, op: String::new(), word: Word::default(), with: Word::default() }
}

fn sub_list(text: &str, depth: u32) -> Result<crate::ast::List> {
    let mut p = Parser { depth, ..Parser::new(text) };
    let list = p.deeper(|p| p.list(&[]))?;
    match p.peek() {
        None => Ok(list),
        Some(_) => Err(p.unexpected()),
    }
}

/// The body of a here-document: parameters and substitutions, but no quotes.
pub(super) fn here_body(body: &str, depth: u32) -> Result<Word> {
    let mut p = Parser { depth, ..Parser::new(body) };
    let mut parts = Vec::new();
    while let Some(c) = p.peek() {
        match c {
            '\\' => p.double_escape(&mut parts, "$`\\"),
            '$' => p.dollar(&mut parts)?,
            '`' => {
                p.at += 1;
                let text = p.until('`', "backquote")?;
                parts.push(Part::Command(sub_list(&text, depth)?));
            }
            c => {
                push(&mut parts, c);
                p.at += 1;
            }
        }
    }
    Ok(Word(vec![Part::Double(parts)]))
}
