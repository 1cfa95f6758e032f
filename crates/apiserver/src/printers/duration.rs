//! Durations as kubectl prints them: two units at most, fewer as they grow.

/// `HumanDuration` of whole seconds.
pub fn human(seconds: i64) -> String {
    let s = seconds;
    if s < -1 {
        return "<invalid>".to_owned();
    }
    if s < 0 {
        return "0s".to_owned();
    }
    let m = s / 60;
    let h = m / 60;
    if s < 120 {
        return format!("{s}s");
    }
    if m < 10 {
        return if s % 60 == 0 { format!("{m}m") } else { format!("{m}m{}s", s % 60) };
    }
    if m < 180 {
        return format!("{m}m");
    }
    if h < 8 {
        return if m % 60 == 0 { format!("{h}h") } else { format!("{h}h{}m", m % 60) };
    }
    if h < 48 {
        return format!("{h}h");
    }
    if h < 192 {
        return if h % 24 == 0 { format!("{}d", h / 24) } else { format!("{}d{}h", h / 24, h % 24) };
    }
    if h < 24 * 365 * 2 {
        return format!("{}d", h / 24);
    }
    let years = h / 24 / 365;
    if h < 24 * 365 * 8 {
        let days = h / 24 % 365;
        return if days == 0 { format!("{years}y") } else { format!("{years}y{days}d") };
    }
    format!("{years}y")
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn steps() {
        for (s, text) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (190, "3m10s"),
            (600, "10m"),
            (10799, "179m"),
            (10800, "3h"),
            (3 * 3600 + 300, "3h5m"),
            (8 * 3600, "8h"),
            (47 * 3600, "47h"),
            (48 * 3600, "2d"),
            (50 * 3600, "2d2h"),
            (8 * 86400, "8d"),
            (2 * 365 * 86400, "2y"),
            (-5, "<invalid>"),
        ] {
            assert_eq!(human(s), text);
        }
    }
}
