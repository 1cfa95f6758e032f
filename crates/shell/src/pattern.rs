//! Shell patterns: `*`, `?`, `[…]`, with quoted characters standing for themselves.

/// A character of a word and whether it was quoted.
pub(crate) type Char = (char, bool);

/// Whether a field holds anything that makes it a pattern.
pub(crate) fn is_pattern(field: &[Char]) -> bool {
    field.iter().any(|(c, q)| !q && "*?[".contains(*c))
}

/// Whether the whole of `text` matches. Iterative with one point to go back to, so it takes at most |pattern|·|text| steps.
pub(crate) fn matches(pattern: &[Char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = match pattern.get(p) {
            Some(('*', false)) => {
                back = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some(('?', false)) => Some(p + 1),
            Some(('[', false)) => match bracket(pattern, p, text[t]) {
                Some((true, next)) => Some(next),
                Some((false, _)) => None,
                None => (text[t] == '[').then_some(p + 1),
            },
            Some((c, _)) if *c == text[t] => Some(p + 1),
            _ => None,
        };
        match (step, back) {
            (Some(next), _) => {
                p = next;
                t += 1;
            }
            (None, Some((bp, bt))) => {
                p = bp;
                t = bt + 1;
                back = Some((bp, bt + 1));
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == ('*', false))
}

/// `[…]` at `at`: whether `c` is in it, and where the pattern goes on; `None` if the bracket does not close.
fn bracket(pattern: &[Char], at: usize, c: char) -> Option<(bool, usize)> {
    let mut i = at + 1;
    let negate = matches!(pattern.get(i), Some(('!' | '^', false)));
    i += usize::from(negate);
    let first = i;
    let mut found = false;
    loop {
        let (x, _) = *pattern.get(i)?;
        if x == ']' && i > first {
            return Some((found != negate, i + 1));
        }
        if x == '[' && pattern.get(i + 1).is_some_and(|n| n.0 == ':') {
            let name: String = pattern[i + 2..].iter().map(|p| p.0).take_while(|p| *p != ':').collect();
            found |= class(&name, c);
            i += name.chars().count() + 4;
        } else if pattern.get(i + 1).is_some_and(|d| d.0 == '-')
            && pattern.get(i + 2).is_some_and(|e| e.0 != ']')
        {
            found |= (x..=pattern[i + 2].0).contains(&c);
            i += 3;
        } else {
            found |= x == c;
            i += 1;
        }
    }
}

fn class(name: &str, c: char) -> bool {
    match name {
        "alpha" => c.is_ascii_alphabetic(),
        "digit" => c.is_ascii_digit(),
        "alnum" => c.is_ascii_alphanumeric(),
        "upper" => c.is_ascii_uppercase(),
        "lower" => c.is_ascii_lowercase(),
        "space" => c.is_ascii_whitespace(),
        "punct" => c.is_ascii_punctuation(),
        "xdigit" => c.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Length of the shortest (or longest) prefix of `text` that matches.
pub(crate) fn prefix(pattern: &[Char], text: &[char], longest: bool) -> Option<usize> {
    let fits = |n: &usize| matches(pattern, &text[..*n]);
    if longest { (0..=text.len()).rev().find(fits) } else { (0..=text.len()).find(fits) }
}

/// Start of the shortest (or longest) suffix of `text` that matches.
pub(crate) fn suffix(pattern: &[Char], text: &[char], longest: bool) -> Option<usize> {
    let fits = |n: &usize| matches(pattern, &text[*n..]);
    if longest { (0..=text.len()).find(fits) } else { (0..=text.len()).rev().find(fits) }
}
