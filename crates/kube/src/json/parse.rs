//! An iterative JSON parser with the state machine and error texts of Go's `encoding/json` scanner.

use super::ast::{Node, NodeKind};
use super::{Json, Map};
use std::ops::Range;

/// Go's limit on open arrays and objects; beyond it: `exceeded max depth`.
pub const MAX_NESTING_DEPTH: usize = 10_000;
/// Trees deeper than this are refused by name, so that walks over them may recurse (WebAssembly stacks are small).
pub const MAX_TREE_DEPTH: usize = 1_000;

/// A syntax error or a number that does not fit; `Display` is Go's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsonError {
    pub message: String,
    /// bytes read before the error (Go's `SyntaxError.Offset`)
    pub offset: usize,
}

/// Makes a tree out of what the parser reads.
trait Build {
    type Node;
    fn node(&self, kind: Scalar, range: Range<u32>) -> Self::Node;
    fn arr(&self, items: Vec<Self::Node>, range: Range<u32>) -> Self::Node;
    fn obj(&self, members: Vec<(String, Range<u32>, Self::Node)>, range: Range<u32>) -> Self::Node;
}

enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
}

struct ToJson;
impl Build for ToJson {
    type Node = Json;
    fn node(&self, kind: Scalar, _: Range<u32>) -> Json {
        match kind {
            Scalar::Null => Json::Null,
            Scalar::Bool(b) => Json::Bool(b),
            Scalar::Int(i) => Json::Int(i),
            Scalar::Float(f) => Json::Float(f),
            Scalar::Str(s) => Json::Str(s),
        }
    }
    fn arr(&self, items: Vec<Json>, _: Range<u32>) -> Json {
        Json::Arr(items)
    }
    fn obj(&self, members: Vec<(String, Range<u32>, Json)>, _: Range<u32>) -> Json {
        Json::Obj(members.into_iter().map(|(k, _, v)| (k, v)).collect::<Map>())
    }
}

struct ToNode;
impl Build for ToNode {
    type Node = Node;
    fn node(&self, kind: Scalar, range: Range<u32>) -> Node {
        let kind = match kind {
            Scalar::Null => NodeKind::Null,
            Scalar::Bool(b) => NodeKind::Bool(b),
            Scalar::Int(i) => NodeKind::Int(i),
            Scalar::Float(f) => NodeKind::Float(f),
            Scalar::Str(s) => NodeKind::Str(s),
        };
        Node { kind, range }
    }
    fn arr(&self, items: Vec<Node>, range: Range<u32>) -> Node {
        Node { kind: NodeKind::Arr(items), range }
    }
    fn obj(&self, members: Vec<(String, Range<u32>, Node)>, range: Range<u32>) -> Node {
        Node { kind: NodeKind::Obj(members), range }
    }
}

pub(super) fn parse(text: &[u8]) -> Result<Json, JsonError> {
    Parser { t: text, i: 0, prefix: false }.run(&ToJson)
}

/// Parses the value at the start of a text and tells how many bytes it took (`json.Decoder`).
pub fn parse_prefix(text: &[u8]) -> Result<(Json, usize), JsonError> {
    let mut p = Parser { t: text, i: 0, prefix: true };
    let v = p.run(&ToJson)?;
    Ok((v, p.i))
}

/// Parses to the ordered tree with byte ranges.
pub fn parse_node(text: &[u8]) -> Result<Node, JsonError> {
    Parser { t: text, i: 0, prefix: false }.run(&ToNode)
}

enum Frame<N> {
    Arr(usize, Vec<N>),
    Obj(usize, Vec<(String, Range<u32>, N)>, Option<(String, Range<u32>)>),
}

struct Parser<'a> {
    t: &'a [u8],
    i: usize,
    /// stop behind the first value
    prefix: bool,
}

impl Parser<'_> {
    fn err<T>(&self, message: String) -> Result<T, JsonError> {
        Err(JsonError { message, offset: self.i })
    }
    fn eof<T>(&self) -> Result<T, JsonError> {
        Err(JsonError { message: "unexpected end of JSON input".into(), offset: self.t.len() })
    }
    fn bad<T>(&self, context: &str) -> Result<T, JsonError> {
        match self.t.get(self.i) {
            None => self.eof(),
            Some(c) => Err(JsonError {
                message: format!("invalid character {} {context}", quote_char(*c)),
                offset: self.i + 1,
            }),
        }
    }
    fn space(&mut self) {
        while matches!(self.t.get(self.i), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.i += 1;
        }
    }

    fn run<B: Build>(&mut self, b: &B) -> Result<B::Node, JsonError> {
        let mut stack: Vec<Frame<B::Node>> = Vec::new();
        // The deepest level seen, and the first number that fits no float64: both are reported only when the
        // syntax is right, as Go checks the syntax of the whole text first.
        // Once a text is known to be too deep nothing is collected any more, so no deep tree is ever built.
        let mut deepest = 0;
        let mut number: Option<JsonError> = None;
        'value: loop {
            self.space();
            let start = self.i;
            let mut done = match self.t.get(self.i) {
                None => return self.eof(),
                Some(b'{' | b'[') => {
                    if stack.len() + 1 > MAX_NESTING_DEPTH {
                        self.i += 1;
                        return self.err("exceeded max depth".into());
                    }
                    let obj = self.t[self.i] == b'{';
                    self.i += 1;
                    self.space();
                    deepest = deepest.max(stack.len() + 1);
                    if obj {
                        match self.t.get(self.i) {
                            Some(b'}') => {
                                self.i += 1;
                                b.obj(Vec::new(), span(start, self.i))
                            }
                            _ => {
                                let key = self.key()?;
                                stack.push(Frame::Obj(start, Vec::new(), Some(key)));
                                continue 'value;
                            }
                        }
                    } else if self.t.get(self.i) == Some(&b']') {
                        self.i += 1;
                        b.arr(Vec::new(), span(start, self.i))
                    } else {
                        stack.push(Frame::Arr(start, Vec::new()));
                        continue 'value;
                    }
                }
                Some(b'"') => {
                    let s = self.string()?;
                    b.node(Scalar::Str(s), span(start, self.i))
                }
                Some(b't') => {
                    self.literal("true")?;
                    b.node(Scalar::Bool(true), span(start, self.i))
                }
                Some(b'f') => {
                    self.literal("false")?;
                    b.node(Scalar::Bool(false), span(start, self.i))
                }
                Some(b'n') => {
                    self.literal("null")?;
                    b.node(Scalar::Null, span(start, self.i))
                }
                Some(b'-' | b'0'..=b'9') => {
                    let n = self.number()?;
                    let n = n.unwrap_or_else(|e| {
                        number.get_or_insert(e);
                        Scalar::Null
                    });
                    b.node(n, span(start, self.i))
                }
                Some(_) => return self.bad("looking for beginning of value"),
            };
            // A value is complete: close what it closes.
            loop {
                if !(self.prefix && stack.is_empty()) {
                    self.space();
                }
                match stack.pop() {
                    None => {
                        if !self.prefix && self.i < self.t.len() {
                            return self.bad("after top-level value");
                        }
                        if let Some(e) = number {
                            return Err(e);
                        }
                        if deepest > MAX_TREE_DEPTH {
                            drop(done);
                            return self.err(format!(
                                "not modelled here: JSON nested deeper than {MAX_TREE_DEPTH} levels"
                            ));
                        }
                        return Ok(done);
                    }
                    Some(Frame::Arr(s, mut items)) => {
                        if deepest <= MAX_TREE_DEPTH {
                            items.push(done);
                        } else {
                            drop(done);
                        }
                        match self.t.get(self.i) {
                            Some(b',') => {
                                self.i += 1;
                                stack.push(Frame::Arr(s, items));
                                continue 'value;
                            }
                            Some(b']') => {
                                self.i += 1;
                                done = b.arr(items, span(s, self.i));
                            }
                            _ => return self.bad("after array element"),
                        }
                    }
                    Some(Frame::Obj(s, mut members, key)) => {
                        if let Some((k, r)) = key {
                            if deepest <= MAX_TREE_DEPTH {
                                members.push((k, r, done));
                            } else {
                                drop(done);
                            }
                        }
                        match self.t.get(self.i) {
                            Some(b',') => {
                                self.i += 1;
                                self.space();
                                let key = self.key()?;
                                stack.push(Frame::Obj(s, members, Some(key)));
                                continue 'value;
                            }
                            Some(b'}') => {
                                self.i += 1;
                                done = b.obj(members, span(s, self.i));
                            }
                            _ => return self.bad("after object key:value pair"),
                        }
                    }
                }
            }
        }
    }

    fn key(&mut self) -> Result<(String, Range<u32>), JsonError> {
        if self.t.get(self.i) != Some(&b'"') {
            return self.bad("looking for beginning of object key string");
        }
        let start = self.i;
        let k = self.string()?;
        let r = span(start, self.i);
        self.space();
        if self.t.get(self.i) != Some(&b':') {
            return self.bad("after object key");
        }
        self.i += 1;
        Ok((k, r))
    }

    fn literal(&mut self, word: &str) -> Result<(), JsonError> {
        for (n, c) in word.bytes().enumerate() {
            if n > 0 && self.t.get(self.i) != Some(&c) {
                return self.bad(&format!("in literal {word} (expecting '{}')", c as char));
            }
            self.i += 1;
        }
        Ok(())
    }

    /// A number; the inner error is a value that fits no float64.
    fn number(&mut self) -> Result<Result<Scalar, JsonError>, JsonError> {
        let start = self.i;
        if self.t[self.i] == b'-' {
            self.i += 1;
        }
        match self.t.get(self.i) {
            Some(b'0') => self.i += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.bad("in numeric literal"),
        }
        let mut int = true;
        if self.t.get(self.i) == Some(&b'.') {
            int = false;
            self.i += 1;
            if !matches!(self.t.get(self.i), Some(b'0'..=b'9')) {
                return self.bad("after decimal point in numeric literal");
            }
            self.digits();
        }
        if matches!(self.t.get(self.i), Some(b'e' | b'E')) {
            int = false;
            self.i += 1;
            if matches!(self.t.get(self.i), Some(b'+' | b'-')) {
                self.i += 1;
            }
            if !matches!(self.t.get(self.i), Some(b'0'..=b'9')) {
                return self.bad("in exponent of numeric literal");
            }
            self.digits();
        }
        let text = std::str::from_utf8(&self.t[start..self.i]).unwrap_or("");
        if int && let Ok(i) = text.parse::<i64>() {
            return Ok(Ok(Scalar::Int(i)));
        }
        Ok(match text.parse::<f64>() {
            Ok(f) if f.is_finite() => Ok(Scalar::Float(f)),
            _ => Err(JsonError {
                message: format!("json: cannot unmarshal number {text} into Go value of type float64"),
                offset: self.i,
            }),
        })
    }

    fn digits(&mut self) {
        while matches!(self.t.get(self.i), Some(b'0'..=b'9')) {
            self.i += 1;
        }
    }

    /// A string literal at its opening quote. Invalid UTF-8 and lone surrogates become U+FFFD.
    fn string(&mut self) -> Result<String, JsonError> {
        self.i += 1;
        let mut buf: Vec<u8> = Vec::new();
        let mut start = self.i;
        loop {
            match self.t.get(self.i) {
                None => return self.eof(),
                Some(b'"') => {
                    buf.extend_from_slice(&self.t[start..self.i]);
                    self.i += 1;
                    return Ok(utf8(buf));
                }
                Some(b'\\') => {
                    buf.extend_from_slice(&self.t[start..self.i]);
                    self.i += 1;
                    let c = match self.t.get(self.i) {
                        Some(b'"') => b'"',
                        Some(b'\\') => b'\\',
                        Some(b'/') => b'/',
                        Some(b'b') => 8,
                        Some(b'f') => 12,
                        Some(b'n') => b'\n',
                        Some(b'r') => b'\r',
                        Some(b't') => b'\t',
                        Some(b'u') => {
                            self.i += 1;
                            let mut u = self.hex4()?;
                            if (0xd800..0xdc00).contains(&u)
                                && self.t.get(self.i) == Some(&b'\\')
                                && self.t.get(self.i + 1) == Some(&b'u')
                            {
                                let save = self.i;
                                self.i += 2;
                                let low = self.hex4()?;
                                if (0xdc00..0xe000).contains(&low) {
                                    u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
                                } else {
                                    self.i = save;
                                }
                            }
                            let c = char::from_u32(u).unwrap_or('\u{fffd}');
                            let mut b = [0; 4];
                            buf.extend_from_slice(c.encode_utf8(&mut b).as_bytes());
                            start = self.i;
                            continue;
                        }
                        _ => return self.bad("in string escape code"),
                    };
                    buf.push(c);
                    self.i += 1;
                    start = self.i;
                }
                Some(c) if *c < 0x20 => return self.bad("in string literal"),
                Some(_) => self.i += 1,
            }
        }
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let mut u = 0;
        for _ in 0..4 {
            match self.t.get(self.i).and_then(|c| (*c as char).to_digit(16)) {
                Some(d) => u = u * 16 + d,
                None => return self.bad("in \\u hexadecimal character escape"),
            }
            self.i += 1;
        }
        Ok(u)
    }
}

fn span(a: usize, b: usize) -> Range<u32> {
    a as u32..b as u32
}

/// Bytes as text, each invalid byte replaced by U+FFFD (Go replaces byte by byte).
fn utf8(buf: Vec<u8>) -> String {
    match String::from_utf8(buf) {
        Ok(s) => s,
        Err(e) => {
            let buf = e.into_bytes();
            let mut out = String::with_capacity(buf.len());
            for chunk in buf.utf8_chunks() {
                out.push_str(chunk.valid());
                for _ in chunk.invalid() {
                    out.push('\u{fffd}');
                }
            }
            out
        }
    }
}

/// A byte as Go's scanner quotes it (each byte is taken as a code point).
fn quote_char(c: u8) -> String {
    match c {
        b'\'' => "'\\''".into(),
        b'"' => "'\"'".into(),
        c => {
            let q = super::go_quote(&(c as char).to_string());
            format!("'{}'", &q[1..q.len() - 1])
        }
    }
}
