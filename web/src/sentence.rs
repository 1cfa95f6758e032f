//! What just happened, what is now, what is next: sentences around a station and what it decided.
//!
//! The locale files choose how much is said. For station `codec` and the moment `now` the first of these keys that exists
//! and whose values are known is used: `now.codec.FACT` (for each fact in order, value `{v}`), `now.codec.ba` (both sizes:
//! `{before}`, `{after}`), `now.codec.a` (`{after}`), `now.codec`.

use protocol::window::Stop;

use crate::path;
use crate::words::{T, num};

/// A sentence about a stop; `moment` is `did` or `now`.
pub fn about(t: T, moment: &str, stop: &Stop) -> String {
    let base = format!("{moment}.{}", stop.station);
    for (name, value) in &stop.facts {
        let key = format!("{base}.{name}");
        if t.get(&key).is_some() {
            return t.f(&key, &[("v", pretty(value))]);
        }
    }
    let (before, after) = (stop.before.map(num), stop.after.map(num));
    if let (Some(before), Some(after)) = (&before, &after) {
        let key = format!("{base}.ba");
        if before != after && t.get(&key).is_some() {
            return t.f(&key, &[("before", before.clone()), ("after", after.clone())]);
        }
    }
    if let Some(after) = after {
        let key = format!("{base}.a");
        if t.get(&key).is_some() {
            return t.f(&key, &[("after", after)]);
        }
    }
    t.f(&base, &[])
}

/// What the next station will do; nothing is known of it yet.
pub fn next(t: T, station: &str) -> String {
    t.f(&format!("next.{station}"), &[])
}

/// Numbers get their commas; everything else stays as it is.
fn pretty(value: &str) -> String {
    match value.parse::<u64>() {
        Ok(n) if value.len() > 3 => num(n),
        _ => value.to_string(),
    }
}

/// The few characters that stand in a station's row.
pub fn outcome(t: T, stops: &[&Stop]) -> String {
    let Some(stop) = stops.last() else { return String::new() };
    if let Some(error) = &stop.error {
        let short: String = error.chars().take(28).collect();
        return if short.len() < error.len() { format!("✕ {short}…") } else { format!("✕ {short}") };
    }
    let wrote = matches!(
        stop.station.as_str(),
        "http"
            | "codec"
            | "transformer"
            | "client-txn"
            | "propose"
            | "append"
            | "db-page"
            | "answer"
            | "txn-response"
    );
    if let (true, Some(after)) = (wrote, stop.after) {
        return format!("{}\u{a0}B", num(after));
    }
    let members: std::collections::BTreeSet<&str> = stops.iter().map(|s| s.process.as_str()).collect();
    if members.len() > 1 {
        return t.f("path.members", &[("n", members.len().to_string())]);
    }
    let attempts = stops.iter().map(|s| s.attempt).max().unwrap_or(1);
    if attempts > 1 {
        return t.f("path.attempt", &[("n", attempts.to_string())]);
    }
    match stop.facts.iter().find(|(_, value)| value.chars().count() <= 26) {
        Some((_, value)) => value.clone(),
        None => stop.after.map(|n| format!("{}\u{a0}B", num(n))).unwrap_or_default(),
    }
}

/// `station 14 of 22`, or nothing on the way back.
pub fn place(t: T, station: &str) -> Option<String> {
    path::number(station)
        .map(|n| t.f("station.place", &[("n", n.to_string()), ("of", path::WRITE.len().to_string())]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Lang;

    fn stop(station: &str) -> Stop {
        Stop { station: station.into(), before: Some(1773), after: Some(1815), attempt: 1, ..Stop::default() }
    }

    #[test]
    fn sizes_are_said_where_they_are_known() {
        let t = T(Lang::En);
        assert_eq!(about(t, "now", &stop("transformer")), "The provider turns 1,773 bytes into 1,815");
        assert_eq!(about(t, "did", &stop("codec")), "codec wrote 1,815 bytes");
        assert_eq!(about(t, "now", &Stop { station: "authn".into(), ..Stop::default() }), "Who is asking?");
    }

    #[test]
    fn a_refusal_is_shown_in_its_row() {
        let refused = Stop { error: Some("422 Invalid".into()), ..stop("validate") };
        assert_eq!(outcome(T(Lang::En), &[&refused]), "✕ 422 Invalid");
        assert_eq!(outcome(T(Lang::En), &[&stop("codec")]), "1,815\u{a0}B");
    }
}
