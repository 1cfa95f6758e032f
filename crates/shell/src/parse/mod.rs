//! From text to [`crate::ast`]. Nesting is limited, so that no input can exhaust the stack.

mod word;

use crate::ast::{AndOr, Command, CommandKind, List, Pipeline, Redirect, RedirectKind, Word};
use std::cell::RefCell;
use std::rc::Rc;

/// How deep compound commands, quotes and substitutions may nest.
const DEPTH: u32 = 64;

/// Why a text is no list of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// It ends within something: a terminal asks for another line.
    Incomplete(&'static str),
    /// bash's message, without its `bash: ` and line.
    Syntax(String),
}

pub(crate) type Result<T> = core::result::Result<T, ParseError>;

/// Reads a whole script.
pub fn parse(text: &str) -> Result<List> {
    let mut p = Parser::new(text);
    let list = p.list(&[])?;
    match p.peek() {
        None => Ok(list),
        Some(_) => Err(p.unexpected()),
    }
}

pub(crate) struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: u32,
    /// Here-documents whose bodies come after this line: where to put them, their end, quoted, tabs stripped.
    pending: Vec<(Rc<RefCell<Word>>, String, bool, bool)>,
}

impl Parser {
    pub(crate) fn new(text: &str) -> Parser {
        Parser { chars: text.chars().collect(), at: 0, depth: 0, pending: Vec::new() }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn peek_at(&self, n: usize) -> Option<char> {
        self.chars.get(self.at + n).copied()
    }

    fn looking_at(&self, s: &str) -> bool {
        s.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c))
    }

    fn eat(&mut self, s: &str) -> bool {
        let yes = self.looking_at(s);
        if yes {
            self.at += s.chars().count();
        }
        yes
    }

    fn deeper<T>(&mut self, f: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH {
            return Err(ParseError::Syntax("maximum nesting level exceeded".to_owned()));
        }
        self.depth += 1;
        let r = f(self);
        self.depth -= 1;
        r
    }

    /// Spaces, continued lines and comments.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') if self.at == 0 || !is_word_char(self.chars[self.at - 1]) => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// A line end, with the here-documents that begin after it.
    fn newline(&mut self) -> Result<bool> {
        if self.peek() != Some('\n') {
            return Ok(false);
        }
        self.at += 1;
        for (slot, end, quoted, strip) in core::mem::take(&mut self.pending) {
            let mut body = String::new();
            loop {
                if self.at >= self.chars.len() {
                    return Err(ParseError::Incomplete("here-document"));
                }
                let stop = self.chars[self.at..]
                    .iter()
                    .position(|c| *c == '\n')
                    .map_or(self.chars.len(), |n| self.at + n);
                let mut line: String = self.chars[self.at..stop].iter().collect();
                self.at = (stop + 1).min(self.chars.len());
                if strip {
                    line = line.trim_start_matches('\t').to_owned();
                }
                if line == end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            *slot.borrow_mut() =
                if quoted { Word::quoted(&body) } else { word::here_body(&body, self.depth)? };
        }
        Ok(true)
    }

    fn newlines(&mut self) -> Result<()> {
        loop {
            self.blanks();
            if !self.newline()? {
                return Ok(());
            }
        }
    }

    /// The reserved word or operator that comes next, if it is one that ends a list.
    fn at_end(&self, ends: &[&str]) -> bool {
        ends.iter().any(|e| {
            self.looking_at(e) && {
                let next = self.peek_at(e.chars().count());
                !e.chars().all(|c| c.is_ascii_alphabetic()) || next.is_none_or(|c| !is_word_char(c))
            }
        })
    }

    fn unexpected(&self) -> ParseError {
        let token: String = match self.peek() {
            None => return ParseError::Incomplete("command"),
            Some('\n') => "newline".to_owned(),
            Some(c) if "&|;<>()".contains(c) => {
                let double = self.peek_at(1) == Some(c) && c != '(' && c != ')';
                if double { format!("{c}{c}") } else { c.to_string() }
            }
            Some(_) => self.chars[self.at..].iter().take_while(|c| is_word_char(**c)).collect(),
        };
        ParseError::Syntax(format!("syntax error near unexpected token `{token}'"))
    }

    fn list(&mut self, ends: &[&str]) -> Result<List> {
        let mut list = Vec::new();
        loop {
            self.newlines()?;
            if self.peek().is_none() || self.at_end(ends) || matches!(self.peek(), Some(')' | ';')) {
                break;
            }
            let mut item = self.and_or()?;
            self.blanks();
            if self.peek() == Some('&') && self.peek_at(1) != Some('&') {
                self.at += 1;
                item.background = true;
            } else if self.peek() == Some(';') && self.peek_at(1) != Some(';') {
                self.at += 1;
            } else if self.peek().is_some_and(|c| c != '\n' && c != ')' && c != ';') && !self.at_end(ends) {
                return Err(self.unexpected());
            }
            list.push(item);
        }
        if !self.pending.is_empty() && self.peek().is_none() {
            return Err(ParseError::Incomplete("here-document"));
        }
        Ok(list)
    }

    /// A list that may not be empty, up to one of `ends`, which stays.
    fn body(&mut self, ends: &[&str]) -> Result<List> {
        let list = self.list(ends)?;
        if self.peek().is_none() {
            return Err(ParseError::Incomplete("compound command"));
        }
        if list.is_empty() || !self.at_end(ends) {
            return Err(self.unexpected());
        }
        Ok(list)
    }

    fn and_or(&mut self) -> Result<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let and = if self.eat("&&") {
                true
            } else if self.eat("||") {
                false
            } else {
                return Ok(AndOr { first, rest, background: false });
            };
            self.newlines()?;
            if self.peek().is_none() {
                return Err(ParseError::Incomplete("list"));
            }
            rest.push((and, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline> {
        self.blanks();
        let mut negate = false;
        while self.peek() == Some('!') && self.peek_at(1).is_some_and(char::is_whitespace) {
            self.at += 1;
            negate = !negate;
            self.blanks();
        }
        let mut commands = vec![self.command()?];
        loop {
            self.blanks();
            if self.peek() == Some('|') && self.peek_at(1) != Some('|') {
                self.at += 1;
                let both = self.eat("&");
                if both {
                    let dup = RedirectKind::Duplicate(Word::quoted("1"));
                    commands.last_mut().expect("one at least").redirects.push(Redirect { fd: 2, kind: dup });
                }
                self.newlines()?;
                if self.peek().is_none() {
                    return Err(ParseError::Incomplete("pipeline"));
                }
                commands.push(self.command()?);
            } else {
                return Ok(Pipeline { negate, commands });
            }
        }
    }

    fn keyword(&mut self, word: &str) -> Result<()> {
        self.newlines()?;
        if self.at_end(&[word]) {
            self.at += word.chars().count();
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn command(&mut self) -> Result<Command> {
        self.deeper(|p| {
            let kind = p.compound()?;
            match kind {
                Some(kind) => {
                    let mut redirects = Vec::new();
                    loop {
                        p.blanks();
                        match p.redirect()? {
                            Some(r) => redirects.push(r),
                            None => return Ok(Command { kind, redirects }),
                        }
                    }
                }
                None => p.simple(),
            }
        })
    }

    fn compound(&mut self) -> Result<Option<CommandKind>> {
        self.blanks();
        let kind = if self.looking_at("((") {
            self.at += 2;
            let word = self.arith_until("))")?;
            CommandKind::Arith(word)
        } else if self.eat("(") {
            let list = self.body(&[")"])?;
            self.at += 1;
            CommandKind::Subshell(list)
        } else if self.at_end(&["{"]) && self.peek_at(1).is_some_and(char::is_whitespace) {
            self.at += 1;
            let list = self.body(&["}"])?;
            self.at += 1;
            CommandKind::Group(list)
        } else if self.at_end(&["if"]) {
            self.at += 2;
            let mut arms = Vec::new();
            let mut otherwise = None;
            loop {
                let condition = self.body(&["then"])?;
                self.keyword("then")?;
                let body = self.body(&["elif", "else", "fi"])?;
                arms.push((condition, body));
                if self.at_end(&["elif"]) {
                    self.at += 4;
                    continue;
                }
                if self.at_end(&["else"]) {
                    self.at += 4;
                    otherwise = Some(self.body(&["fi"])?);
                }
                self.keyword("fi")?;
                break CommandKind::If { arms, otherwise };
            }
        } else if self.at_end(&["while", "until"]) {
            let until = self.at_end(&["until"]);
            self.at += 5;
            let condition = self.body(&["do"])?;
            CommandKind::While { until, condition, body: self.do_done()? }
        } else if self.at_end(&["for"]) {
            self.at += 3;
            self.for_loop()?
        } else if self.at_end(&["case"]) {
            self.at += 4;
            self.case()?
        } else if self.looking_at("[[") && self.peek_at(2).is_some_and(char::is_whitespace) {
            self.at += 2;
            let mut words = Vec::new();
            loop {
                self.blanks();
                if self.eat("]]") {
                    break CommandKind::Test(words);
                }
                if self.peek().is_none() {
                    return Err(ParseError::Incomplete("conditional"));
                }
                let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|op| self.eat(op));
                words.push(match operator {
                    Some(op) => Word::quoted(op),
                    None => self.word()?.ok_or_else(|| self.unexpected())?,
                });
            }
        } else if let Some(name) = self.function_head() {
            self.newlines()?;
            let body = Rc::new(self.command()?);
            CommandKind::Function { name, body }
        } else {
            return Ok(None);
        };
        Ok(Some(kind))
    }

    fn do_done(&mut self) -> Result<List> {
        self.keyword("do")?;
        let body = self.body(&["done"])?;
        self.keyword("done")?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Result<CommandKind> {
        self.blanks();
        let name = self.name();
        if name.is_empty() {
            return Err(self.unexpected());
        }
        self.newlines()?;
        let mut words = None;
        if self.at_end(&["in"]) {
            self.at += 2;
            let mut list = Vec::new();
            loop {
                self.blanks();
                match self.word()? {
                    Some(w) => list.push(w),
                    None => break,
                }
            }
            words = Some(list);
        }
        self.blanks();
        self.eat(";");
        Ok(CommandKind::For { name, words, body: self.do_done()? })
    }

    fn case(&mut self) -> Result<CommandKind> {
        self.blanks();
        let word = self.word()?.ok_or_else(|| self.unexpected())?;
        self.keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.at_end(&["esac"]) {
                self.at += 4;
                return Ok(CommandKind::Case { word, arms });
            }
            if self.peek().is_none() {
                return Err(ParseError::Incomplete("case"));
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?.ok_or_else(|| self.unexpected())?);
                self.blanks();
                if !self.eat("|") {
                    break;
                }
            }
            if !self.eat(")") {
                return Err(self.unexpected());
            }
            let list = self.list(&["esac"])?;
            arms.push((patterns, list));
            self.newlines()?;
            if !self.eat(";;") && !self.at_end(&["esac"]) {
                return Err(self.unexpected());
            }
        }
    }

    /// `name()` or `function name`, already eaten.
    fn function_head(&mut self) -> Option<String> {
        let start = self.at;
        let keyword = self.at_end(&["function"]);
        if keyword {
            self.at += 8;
            self.blanks();
        }
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_' || *c == '-') {
            name.push(c);
            self.at += 1;
        }
        self.blanks();
        let parens = self.eat("(") && {
            self.blanks();
            self.eat(")")
        };
        if !name.is_empty() && (parens || keyword) {
            return Some(name);
        }
        self.at = start;
        None
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if c == '_' || c.is_ascii_alphabetic() || (c.is_ascii_digit() && !name.is_empty()) {
                name.push(c);
                self.at += 1;
            } else {
                break;
            }
        }
        name
    }

    fn simple(&mut self) -> Result<Command> {
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(r) = self.redirect()? {
                redirects.push(r);
                continue;
            }
            if words.is_empty() {
                let start = self.at;
                let name = self.name();
                if !name.is_empty() && self.eat("=") {
                    let value = self.word()?.unwrap_or_default();
                    assigns.push((name, value));
                    continue;
                }
                self.at = start;
            }
            match self.word()? {
                Some(w) => words.push(w),
                None => break,
            }
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Command { kind: CommandKind::Simple { assigns, words }, redirects })
    }

    fn redirect(&mut self) -> Result<Option<Redirect>> {
        let start = self.at;
        let digit =
            self.peek().and_then(|c| c.to_digit(10)).filter(|_| matches!(self.peek_at(1), Some('<' | '>')));
        if digit.is_some() {
            self.at += 1;
        }
        let here = |p: &mut Parser, strip| -> Result<RedirectKind> {
            p.blanks();
            let raw = p.word()?.ok_or_else(|| p.unexpected())?;
            let quoted = raw.0.iter().any(|w| !matches!(w, crate::ast::Part::Text(_)));
            let slot = Rc::new(RefCell::new(Word::default()));
            p.pending.push((slot.clone(), raw.literal(), quoted, strip));
            Ok(RedirectKind::Here(slot))
        };
        let fd = digit.map(|d| d as i32);
        let (default, kind) = if self.eat("&>>") {
            (-1, RedirectKind::Append(self.target()?))
        } else if self.eat("&>") {
            (-1, RedirectKind::Write(self.target()?))
        } else if self.eat("<<<") {
            (0, RedirectKind::HereString(self.target()?))
        } else if self.eat("<<-") {
            (0, here(self, true)?)
        } else if self.eat("<<") {
            (0, here(self, false)?)
        } else if self.eat("<&") {
            (0, RedirectKind::Duplicate(self.target()?))
        } else if self.looking_at("<(") {
            return Err(ParseError::Syntax("not modelled here: process substitution".to_owned()));
        } else if self.eat("<") {
            (0, RedirectKind::Read(self.target()?))
        } else if self.eat(">>") {
            (1, RedirectKind::Append(self.target()?))
        } else if self.eat(">&") {
            (1, RedirectKind::Duplicate(self.target()?))
        } else if self.eat(">|") || self.eat(">") {
            (1, RedirectKind::Write(self.target()?))
        } else {
            self.at = start;
            return Ok(None);
        };
        Ok(Some(Redirect { fd: fd.unwrap_or(default), kind }))
    }

    fn target(&mut self) -> Result<Word> {
        self.blanks();
        self.word()?.ok_or_else(|| self.unexpected())
    }
}

pub(crate) fn is_word_char(c: char) -> bool {
    !c.is_whitespace() && !"&|;<>()".contains(c)
}
