//! `$(( … ))`: integer arithmetic of 64 bits that wraps, with bash's operators and messages.

use std::collections::BTreeMap;

struct Eval<'a> {
    text: &'a [u8],
    at: usize,
    vars: &'a mut BTreeMap<String, i64>,
    depth: u32,
}

type Value = Result<i64, String>;

/// Evaluates `text`; names are looked up in `vars`, and assignments are put there.
pub(crate) fn eval(text: &str, vars: &mut BTreeMap<String, i64>) -> Value {
    let mut e = Eval { text: text.as_bytes(), at: 0, vars, depth: 0 };
    e.blanks();
    if e.at == e.text.len() {
        return Ok(0);
    }
    let v = e.ternary()?;
    e.blanks();
    if e.at < e.text.len() {
        let rest = String::from_utf8_lossy(&e.text[e.at..]).into_owned();
        return Err(format!("{text}: syntax error in expression (error token is \"{rest}\")"));
    }
    Ok(v)
}

/// Binary operators by precedence, loosest first; longer ones before their beginnings.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Eval<'_> {
    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn ternary(&mut self) -> Value {
        self.depth += 1;
        if self.depth > 100 {
            return Err("expression recursion level exceeded".to_owned());
        }
        let c = self.binary(0)?;
        self.blanks();
        let v = if self.text.get(self.at) == Some(&b'?') {
            self.at += 1;
            let yes = self.ternary()?;
            self.blanks();
            if self.text.get(self.at) != Some(&b':') {
                return Err("`:' expected for conditional expression".to_owned());
            }
            self.at += 1;
            let no = self.ternary()?;
            if c != 0 { yes } else { no }
        } else {
            c
        };
        self.depth -= 1;
        Ok(v)
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.blanks();
        let rest = &self.text[self.at..];
        let op = *LEVELS[level].iter().find(|op| rest.starts_with(op.as_bytes()))?;
        let next = rest.get(op.len()).copied();
        // `&` is not the beginning of `&&`, nor `<` of `<<`.
        if op.len() == 1
            && (next == Some(op.as_bytes()[0]) && "|&<>".contains(op)
                || next == Some(b'=') && "|&^+-*/%".contains(op))
        {
            return None;
        }
        self.at += op.len();
        Some(op)
    }

    fn binary(&mut self, level: usize) -> Value {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut a = self.binary(level + 1)?;
        while let Some(op) = self.operator(level) {
            let b = self.binary(level + 1)?;
            a = match op {
                "||" => i64::from(a != 0 || b != 0),
                "&&" => i64::from(a != 0 && b != 0),
                "|" => a | b,
                "^" => a ^ b,
                "&" => a & b,
                "==" => i64::from(a == b),
                "!=" => i64::from(a != b),
                "<=" => i64::from(a <= b),
                ">=" => i64::from(a >= b),
                "<" => i64::from(a < b),
                ">" => i64::from(a > b),
                "<<" => a.wrapping_shl(b as u32),
                ">>" => a.wrapping_shr(b as u32),
                "+" => a.wrapping_add(b),
                "-" => a.wrapping_sub(b),
                "*" => a.wrapping_mul(b),
                _ if b == 0 => return Err("division by 0 (error token is \"0\")".to_owned()),
                "/" => a.wrapping_div(b),
                _ => a.wrapping_rem(b),
            };
        }
        Ok(a)
    }

    fn unary(&mut self) -> Value {
        self.blanks();
        self.depth += 1;
        if self.depth > 100 {
            return Err("expression recursion level exceeded".to_owned());
        }
        let v = match self.text.get(self.at) {
            Some(b'-') => {
                self.at += 1;
                self.unary()?.wrapping_neg()
            }
            Some(b'+') => {
                self.at += 1;
                self.unary()?
            }
            Some(b'!') => {
                self.at += 1;
                i64::from(self.unary()? == 0)
            }
            Some(b'~') => {
                self.at += 1;
                !self.unary()?
            }
            Some(b'(') => {
                self.at += 1;
                let v = self.ternary()?;
                self.blanks();
                if self.text.get(self.at) != Some(&b')') {
                    return Err("missing `)'".to_owned());
                }
                self.at += 1;
                v
            }
            Some(c) if c.is_ascii_digit() => self.number()?,
            Some(c) if c.is_ascii_alphabetic() || *c == b'_' => self.variable()?,
            _ => return Err("syntax error: operand expected".to_owned()),
        };
        self.depth -= 1;
        Ok(v)
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.at]).into_owned()
    }

    fn number(&mut self) -> Value {
        let w = self.word();
        let parsed = if let Some(hex) = w.strip_prefix("0x").or(w.strip_prefix("0X")) {
            i64::from_str_radix(hex, 16)
        } else if w.len() > 1 && w.starts_with('0') {
            i64::from_str_radix(&w[1..], 8)
        } else {
            w.parse()
        };
        parsed.map_err(|_| format!("{w}: value too great for base (error token is \"{w}\")"))
    }

    fn variable(&mut self) -> Value {
        let name = self.word();
        let old = self.vars.get(&name).copied().unwrap_or(0);
        self.blanks();
        let rest = &self.text[self.at..];
        for step in ["++", "--"] {
            if rest.starts_with(step.as_bytes()) {
                self.at += 2;
                self.vars.insert(name, if step == "++" { old.wrapping_add(1) } else { old.wrapping_sub(1) });
                return Ok(old);
            }
        }
        for op in ["+=", "-=", "*=", "="] {
            if rest.starts_with(op.as_bytes()) && (op.len() == 2 || rest.get(1) != Some(&b'=')) {
                self.at += op.len();
                let v = self.ternary()?;
                let new = match op {
                    "+=" => old.wrapping_add(v),
                    "-=" => old.wrapping_sub(v),
                    "*=" => old.wrapping_mul(v),
                    _ => v,
                };
                self.vars.insert(name, new);
                return Ok(new);
            }
        }
        Ok(old)
    }
}
