//! Label selectors: `app=web,tier in (a, b),!canary`, and the `LabelSelector` struct of the API.

use crate::json::{Json, go_quote};
use crate::meta::{is_qualified_name, is_valid_label_value};
use crate::object::Struct;
use std::collections::BTreeMap;

/// How a requirement compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    In,
    NotIn,
    Equals,
    DoubleEquals,
    NotEquals,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

/// One requirement on one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    pub key: String,
    pub operator: Operator,
    /// sorted when it came from text
    pub values: Vec<String>,
}

/// Requirements that must all hold, sorted by key; empty: everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    pub requirements: Vec<Requirement>,
    /// selects nothing (`labels.Nothing()`: a nil LabelSelector)
    pub nothing: bool,
}

impl Requirement {
    /// `labels.NewRequirement` with its checks.
    pub fn new(key: &str, operator: Operator, values: Vec<String>) -> Result<Requirement, String> {
        let mut errors = Vec::new();
        // Paths here begin at the root, whose name is nil in Go.
        label_key(key, "key", &mut errors);
        let list = || go_json(&values);
        let mut bad = |detail: &str| errors.push(format!("values: Invalid value: {}: {detail}", list()));
        match operator {
            Operator::In | Operator::NotIn if values.is_empty() => {
                bad("for 'in', 'notin' operators, values set can't be empty");
            }
            Operator::Equals | Operator::DoubleEquals | Operator::NotEquals if values.len() != 1 => {
                bad("exact-match compatibility requires one single value");
            }
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
                bad("values set must be empty for exists and does not exist");
            }
            Operator::GreaterThan | Operator::LessThan => {
                if values.len() != 1 {
                    bad("for 'Gt', 'Lt' operators, exactly one value is required");
                }
                for (i, v) in values.iter().enumerate() {
                    if v.parse::<i64>().is_err() {
                        errors.push(format!(
                            "values[{i}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                            go_quote(v)
                        ));
                    }
                }
            }
            _ => {}
        }
        for (i, v) in values.iter().enumerate() {
            let m = is_valid_label_value(v);
            if !m.is_empty() {
                errors.push(format!("values[{i}][{key}]: Invalid value: {}: {}", go_quote(v), m.join("; ")));
            }
        }
        match errors.len() {
            0 => Ok(Requirement { key: key.into(), operator, values }),
            1 => Err(errors.remove(0)),
            _ => Err(format!("[{}]", errors.join(", "))),
        }
    }

    /// `get` gives a label's value.
    pub fn matches<'a>(&self, get: &impl Fn(&str) -> Option<&'a str>) -> bool {
        let v = get(&self.key);
        let among = |v: &str| self.values.iter().any(|x| x == v);
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => v.is_some_and(among),
            Operator::NotIn | Operator::NotEquals => !v.is_some_and(among),
            Operator::Exists => v.is_some(),
            Operator::DoesNotExist => v.is_none(),
            Operator::GreaterThan | Operator::LessThan => {
                let number = |s: &str| s.parse::<i64>().ok();
                match (v.and_then(number), self.values.first().and_then(|s| number(s))) {
                    (Some(a), Some(b)) if self.operator == Operator::GreaterThan => a > b,
                    (Some(a), Some(b)) => a < b,
                    _ => false,
                }
            }
        }
    }
}

fn go_json(values: &[String]) -> String {
    values.iter().map(Json::from).collect::<Json>().to_text()
}

fn label_key(key: &str, path: &str, errors: &mut Vec<String>) {
    let m = is_qualified_name(key);
    if !m.is_empty() {
        errors.push(format!("{path}: Invalid value: {}: {}", go_quote(key), m.join("; ")));
    }
}

impl std::fmt::Display for Requirement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut values = self.values.clone();
        values.sort_unstable();
        let values = values.join(",");
        let k = &self.key;
        match self.operator {
            Operator::DoesNotExist => write!(f, "!{k}"),
            Operator::Exists => write!(f, "{k}"),
            Operator::Equals => write!(f, "{k}={values}"),
            Operator::DoubleEquals => write!(f, "{k}=={values}"),
            Operator::NotEquals => write!(f, "{k}!={values}"),
            Operator::GreaterThan => write!(f, "{k}>{values}"),
            Operator::LessThan => write!(f, "{k}<{values}"),
            Operator::In => write!(f, "{k} in ({values})"),
            Operator::NotIn => write!(f, "{k} notin ({values})"),
        }
    }
}

impl std::fmt::Display for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<String> = self.requirements.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join(","))
    }
}

impl Selector {
    /// Everything.
    pub fn everything() -> Selector {
        Selector::default()
    }
    /// Nothing.
    pub fn nothing() -> Selector {
        Selector { nothing: true, ..Selector::default() }
    }
    /// `labels.Parse`
    pub fn parse(s: &str) -> Result<Selector, String> {
        let mut requirements = Parser { items: lex(s), at: 0 }.parse()?;
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Selector { requirements, nothing: false })
    }
    /// Equality with every label of a set (a ReplicationController's or Service's selector).
    pub fn from_set(set: &BTreeMap<String, String>) -> Selector {
        let requirements = set
            .iter()
            .map(|(k, v)| Requirement { key: k.clone(), operator: Operator::Equals, values: vec![v.clone()] })
            .collect();
        Selector { requirements, nothing: false }
    }
    /// `metav1.LabelSelectorAsSelector`: nil selects nothing, empty everything.
    pub fn from_label_selector(s: Option<&Struct>) -> Result<Selector, String> {
        let Some(s) = s else { return Ok(Selector::nothing()) };
        let mut requirements = Vec::new();
        for (k, v) in s.str_map_at("matchLabels") {
            requirements.push(Requirement::new(&k, Operator::Equals, vec![v])?);
        }
        for e in s.structs_at("matchExpressions") {
            let op = match e.str_at("operator") {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                o => return Err(format!("{} is not a valid label selector operator", go_quote(o))),
            };
            requirements.push(Requirement::new(
                e.str_at("key"),
                op,
                e.strs_at("values").map(Into::into).collect(),
            )?);
        }
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Selector { requirements, nothing: false })
    }
    /// The same for a selector in JSON (custom resources, kubectl).
    pub fn from_json(s: Option<&Json>) -> Result<Selector, String> {
        let ty = crate::schema::schema().by_name("meta/v1.LabelSelector").map(|t| t.id);
        match (s, ty) {
            (Some(v), Some(ty)) if !v.is_null() => {
                let (s, _) =
                    crate::codec::json::decode_type(ty, v, None, crate::codec::json::FieldValidation::Ignore)
                        .map_err(|e| e.to_string())?;
                Selector::from_label_selector(Some(&s))
            }
            _ => Ok(Selector::nothing()),
        }
    }
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty() && !self.nothing
    }
    /// `get` gives a label's value.
    pub fn matches_with<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        !self.nothing && self.requirements.iter().all(|r| r.matches(&get))
    }
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_with(|k| labels.get(k).map(String::as_str))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Error,
    End,
    Close,
    Comma,
    Not,
    DoubleEquals,
    Equals,
    Greater,
    Id,
    In,
    Less,
    NotEquals,
    NotIn,
    Open,
}

fn special(c: u8) -> bool {
    matches!(c, b'=' | b'!' | b'(' | b')' | b',' | b'>' | b'<')
}

fn token(s: &str) -> Option<Token> {
    Some(match s {
        ")" => Token::Close,
        "," => Token::Comma,
        "!" => Token::Not,
        "==" => Token::DoubleEquals,
        "=" => Token::Equals,
        ">" => Token::Greater,
        "in" => Token::In,
        "<" => Token::Less,
        "!=" => Token::NotEquals,
        "notin" => Token::NotIn,
        "(" => Token::Open,
        _ => return None,
    })
}

fn lex(s: &str) -> Vec<(Token, String)> {
    let b = s.as_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    loop {
        while i < b.len() && matches!(b[i], b' ' | b'\t' | b'\r' | b'\n') {
            i += 1;
        }
        // A zero byte reads as the end, as in the original.
        if i >= b.len() || b[i] == 0 {
            out.push((Token::End, String::new()));
            return out;
        }
        let start = i;
        if special(b[i]) {
            // The longest run of special characters that is an operator.
            let mut found: Option<Token> = None;
            while i < b.len() && special(b[i]) {
                match token(&s[start..=i]) {
                    Some(t) => found = Some(t),
                    None if found.is_some() => break,
                    None => {}
                }
                i += 1;
            }
            match found {
                Some(t) => out.push((t, s[start..i].to_string())),
                None => out.push((Token::Error, format!("error expected: keyword found '{}'", &s[start..i]))),
            }
        } else {
            while i < b.len() && b[i] != 0 && !special(b[i]) && !matches!(b[i], b' ' | b'\t' | b'\r' | b'\n')
            {
                i += 1;
            }
            let word = &s[start..i];
            out.push((token(word).unwrap_or(Token::Id), word.to_string()));
        }
    }
}

struct Parser {
    items: Vec<(Token, String)>,
    at: usize,
}

impl Parser {
    /// Values may be called "in" and "notin".
    fn look(&self) -> (Token, String) {
        let (t, l) = self.items.get(self.at).cloned().unwrap_or((Token::End, String::new()));
        (if matches!(t, Token::In | Token::NotIn) { Token::Id } else { t }, l)
    }
    fn take(&mut self) -> (Token, String) {
        let x = self.look();
        self.at += 1;
        x
    }

    fn parse(&mut self) -> Result<Vec<Requirement>, String> {
        let mut out = Vec::new();
        loop {
            let (t, l) = self.look();
            match t {
                Token::Id | Token::Not => {
                    out.push(self.requirement().map_err(|e| format!("unable to parse requirement: {e}"))?);
                    let (t, l) = self.take();
                    match t {
                        Token::End => return Ok(out),
                        Token::Comma => {
                            let (t, l) = self.look();
                            if !matches!(t, Token::Id | Token::Not) {
                                return Err(format!("found '{l}', expected: identifier after ','"));
                            }
                        }
                        _ => return Err(format!("found '{l}', expected: ',' or 'end of string'")),
                    }
                }
                Token::End => return Ok(out),
                _ => return Err(format!("found '{l}', expected: !, identifier, or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let (mut t, mut key) = self.take();
        let not = t == Token::Not;
        if not {
            (t, key) = self.take();
        }
        if t != Token::Id {
            return Err(format!("found '{key}', expected: identifier"));
        }
        let mut errors = Vec::new();
        label_key(&key, "<nil>", &mut errors);
        if let Some(e) = errors.pop() {
            return Err(e);
        }
        if not {
            return Requirement::new(&key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.look().0, Token::End | Token::Comma) {
            return Requirement::new(&key, Operator::Exists, Vec::new());
        }
        let (t, l) = self.items.get(self.at).cloned().unwrap_or((Token::End, String::new()));
        self.at += 1;
        let op = match t {
            Token::In => Operator::In,
            Token::NotIn => Operator::NotIn,
            Token::Equals => Operator::Equals,
            Token::DoubleEquals => Operator::DoubleEquals,
            Token::NotEquals => Operator::NotEquals,
            Token::Greater => Operator::GreaterThan,
            Token::Less => Operator::LessThan,
            _ => return Err(format!("found '{l}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        let mut values =
            if matches!(op, Operator::In | Operator::NotIn) { self.values()? } else { self.exact()? };
        values.sort_unstable();
        values.dedup();
        Requirement::new(&key, op, values)
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        let (t, l) = self.take();
        if t != Token::Open {
            return Err(format!("found '{l}' expected: '('"));
        }
        let (t, l) = self.look();
        match t {
            Token::Id | Token::Comma => {
                let v = self.identifiers()?;
                if self.take().0 != Token::Close {
                    return Err(format!("found '{l}', expected: ')'"));
                }
                Ok(v)
            }
            Token::Close => {
                self.take();
                Ok(vec![String::new()])
            }
            _ => Err(format!("found '{l}', expected: ',', ')' or identifier")),
        }
    }

    fn identifiers(&mut self) -> Result<Vec<String>, String> {
        let mut out = Vec::new();
        loop {
            let (t, l) = self.take();
            match t {
                Token::Id => {
                    out.push(l);
                    let (t, l) = self.look();
                    match t {
                        Token::Comma => {}
                        Token::Close => return Ok(out),
                        _ => return Err(format!("found '{l}', expected: ',' or ')'")),
                    }
                }
                Token::Comma => {
                    if out.is_empty() {
                        out.push(String::new());
                    }
                    match self.look().0 {
                        Token::Close => {
                            out.push(String::new());
                            return Ok(out);
                        }
                        Token::Comma => out.push(String::new()),
                        _ => {}
                    }
                }
                _ => return Err(format!("found '{l}', expected: ',', or identifier")),
            }
        }
    }

    fn exact(&mut self) -> Result<Vec<String>, String> {
        if matches!(self.look().0, Token::End | Token::Comma) {
            return Ok(vec![String::new()]);
        }
        let (t, l) = self.take();
        if t == Token::Id { Ok(vec![l]) } else { Err(format!("found '{l}', expected: identifier")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_match_print() {
        let labels: BTreeMap<String, String> =
            [("app", "web"), ("tier", "b"), ("n", "5")].map(|(k, v)| (k.to_string(), v.to_string())).into();
        for (s, printed, hit) in [
            ("app=web", "app=web", true),
            ("app==web,tier!=a", "app==web,tier!=a", true),
            ("tier in (c, b,a)", "tier in (a,b,c)", true),
            ("tier notin (b)", "tier notin (b)", false),
            ("!x , app", "app,!x", true),
            ("n>4,n<6", "n>4,n<6", true),
            ("app=", "app=", false),
            ("", "", true),
            ("in in (in)", "in in (in)", false),
            ("x in ()", "x in ()", false),
        ] {
            let sel = Selector::parse(s).unwrap_or_else(|e| panic!("{s}: {e}"));
            assert_eq!(sel.to_string(), printed);
            assert_eq!(sel.matches(&labels), hit, "{s}");
        }
        for (s, e) in [
            ("a=b=c", "found '=', expected: ',' or 'end of string'"),
            ("=a", "found '=', expected: !, identifier, or 'end of string'"),
            ("a,", "found '', expected: identifier after ','"),
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ] {
            assert_eq!(Selector::parse(s).unwrap_err(), e, "{s}");
        }
        assert!(Selector::parse("-a").unwrap_err().starts_with(
            "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters"
        ));
        assert!(!Selector::from_label_selector(None).unwrap().matches(&labels));
    }
}
