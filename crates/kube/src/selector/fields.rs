//! Field selectors: `metadata.name=web,status.phase!=Running`.

use crate::json::go_quote;

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    pub field: String,
    /// `!=` instead of `=`
    pub negated: bool,
    pub value: String,
}

/// Comparisons that must all hold; empty: everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    pub requirements: Vec<Requirement>,
}

impl Selector {
    /// `fields.ParseSelector`; terms are sorted, as the original sorts them.
    pub fn parse(s: &str) -> Result<Selector, String> {
        let mut terms = split_terms(s);
        terms.sort_unstable();
        let mut requirements = Vec::new();
        for t in terms.into_iter().filter(|t| !t.is_empty()) {
            let Some((field, op, value)) = split_term(t) else {
                return Err(format!("invalid selector: '{s}'; can't understand '{t}'"));
            };
            requirements.push(Requirement {
                field: field.into(),
                negated: op == "!=",
                value: unescape(value)?,
            });
        }
        Ok(Selector { requirements })
    }
    /// `field=value`
    pub fn equal(field: &str, value: &str) -> Selector {
        Selector {
            requirements: vec![Requirement { field: field.into(), negated: false, value: value.into() }],
        }
    }
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }
    /// `get` gives a field's text; a missing field is the empty string.
    pub fn matches<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|r| (get(&r.field).unwrap_or("") == r.value) != r.negated)
    }
    /// The value a field must have, if one `=` comparison says so.
    pub fn requires_exact_match(&self, field: &str) -> Option<&str> {
        self.requirements.iter().find(|r| !r.negated && r.field == field).map(|r| r.value.as_str())
    }
}

impl std::fmt::Display for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, r) in self.requirements.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let op = if r.negated { "!=" } else { "=" };
            write!(f, "{comma}{}{op}{}", r.field, escape(&r.value))?;
        }
        Ok(())
    }
}

/// `fields.EscapeValue`
pub fn escape(s: &str) -> String {
    s.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=")
}

fn unescape(s: &str) -> Result<String, String> {
    let mut out = String::with_capacity(s.len());
    let mut chars = s.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(e @ ('\\' | ',' | '=')) => out.push(e),
                Some(e) => return Err(format!("invalid field selector: invalid escape sequence: \\{e}")),
                None => return Err("invalid field selector: invalid escape sequence: \\".into()),
            },
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {}", c as u32));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

fn split_terms(s: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (i, c) in s.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                out.push(&s[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    out.push(&s[start..]);
    out
}

fn split_term(t: &str) -> Option<(&str, &'static str, &str)> {
    t.char_indices().find_map(|(i, _)| {
        ["!=", "==", "="]
            .into_iter()
            .find(|op| t[i..].starts_with(op))
            .map(|op| (&t[..i], op, &t[i + op.len()..]))
    })
}

/// The message for a field a resource does not select by, when it has no conversion of its own.
pub fn unknown_field(field: &str) -> String {
    format!(
        "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
        go_quote(field)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_match_print() {
        let s = Selector::parse("status.phase!=Running,metadata.name==a\\,b").unwrap();
        assert_eq!(s.to_string(), "metadata.name=a\\,b,status.phase!=Running");
        assert!(s.matches(|f| (f == "metadata.name").then_some("a,b")));
        assert!(!s.matches(|_| Some("Running")));
        assert_eq!(s.requires_exact_match("metadata.name"), Some("a,b"));
        assert_eq!(Selector::parse("a").unwrap_err(), "invalid selector: 'a'; can't understand 'a'");
        assert_eq!(
            Selector::parse("a=b\\x").unwrap_err(),
            "invalid field selector: invalid escape sequence: \\x"
        );
        assert!(Selector::parse("").unwrap().is_empty());
    }
}
