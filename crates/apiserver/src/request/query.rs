//! The query part of a URL, decoded as Go's `url.ParseQuery` does.

/// Names and values in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses what follows the `?`. Pairs with bad escapes or a `;` are left out.
    pub fn parse(text: &str) -> Query {
        let pairs = text.split('&').filter(|p| !p.is_empty() && !p.contains(';'));
        let decoded = pairs.filter_map(|p| {
            let (name, value) = p.split_once('=').unwrap_or((p, ""));
            Some((unescape(name, true)?, unescape(value, true)?))
        });
        Query(decoded.collect())
    }

    /// The first value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The first value of that name, or an empty text.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    /// Every value of that name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// A flag as the original's conversion reads it: absent, or anything but `false` and `0`.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|v| v != "false" && v != "0")
    }
}

/// Undoes `%xx` and, in a query, `+`. `None` for a bad escape.
pub fn unescape(text: &str, query: bool) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        match b {
            b'%' => {
                let high = (bytes.next()? as char).to_digit(16)?;
                let low = (bytes.next()? as char).to_digit(16)?;
                out.push((high * 16 + low) as u8);
            }
            b'+' if query => out.push(b' '),
            b => out.push(b),
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_repeats() {
        let q = Query::parse("labelSelector=app%3Dweb%2Cx+y&dryRun=All&dryRun=B&watch&bad=%zz");
        assert_eq!(q.text("labelSelector"), "app=web,x y");
        assert_eq!(q.all("dryRun").collect::<Vec<_>>(), ["All", "B"]);
        assert!(q.flag("watch") && !q.flag("nope"));
        assert_eq!(q.get("bad"), None);
    }
}
