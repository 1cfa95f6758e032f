//! The contrast of every pair of colours that the page puts on one another, computed from the tokens themselves
//! (WCAG 2.2, relative luminance and contrast ratio).

use std::collections::BTreeMap;

use super::{File, Report};

const TOKENS: &str = "static/styles/10-tokens.css";

/// Text and what it stands on; 4.5 is wanted.
const TEXT: [(&str, &[&str]); 10] = [
    ("ink", &["s0", "s1", "s2", "s3", "now-bg", "bad-bg", "ok-bg", "warn-bg"]),
    ("ink2", &["s0", "s1", "s2", "s3", "now-bg", "bad-bg"]),
    ("ink3", &["s0", "s1", "s2", "s3"]),
    ("now", &["s0", "s1", "now-bg"]),
    ("ok", &["s0", "s1", "ok-bg"]),
    ("bad", &["s0", "s1", "bad-bg"]),
    ("warn", &["s0", "s1", "warn-bg"]),
    ("btn-ink", &["btn"]),
    ("s0", &["ink", "ink2"]),
    ("ink", &["line2"]),
];

type Rgb = [f64; 3];

pub fn contrast(files: &[File], report: &mut Report) {
    let Some(file) = files.iter().find(|f| f.name == TOKENS) else {
        report.error(TOKENS, 1, "the tokens are missing");
        return;
    };
    let Some((light, rest)) = file.text.split_once("[data-theme=dark]") else {
        report.error(TOKENS, 1, "there is no dark theme");
        return;
    };
    for (theme, text) in [("light", light), ("dark", rest)] {
        let colours = tokens(text);
        let get = |name: &str| colours.get(name).copied();
        let mut check = |what: String, a: Option<Rgb>, b: Option<Rgb>, wanted: f64| match (a, b) {
            (Some(a), Some(b)) if ratio(a, b) >= wanted => {}
            (Some(a), Some(b)) => {
                report.error(TOKENS, 1, format!("{theme}: {what} is {:.2}, {wanted} is wanted", ratio(a, b)));
            }
            _ => report.error(TOKENS, 1, format!("{theme}: {what}: a token is missing")),
        };
        for (ink, surfaces) in TEXT {
            for surface in surfaces {
                check(format!("{ink} on {surface}"), get(ink), get(surface), 4.5);
            }
        }
        check("line3 on s0".into(), get("line3"), get("s0"), 3.0);
        let tint = if theme == "light" { 0.24 } else { 0.33 };
        for n in 1..=8 {
            let (hue, ground) = (get(&format!("f{n}")), get("s0"));
            check(format!("f{n} on s0"), hue, ground, 4.5);
            let hot = hue.zip(ground).map(|(h, g)| [0, 1, 2].map(|i| h[i] * tint + g[i] * (1.0 - tint)));
            check(format!("ink on hot f{n}"), get("ink"), hot, 4.5);
            check(format!("ink2 on hot f{n}"), get("ink2"), hot, 4.5);
        }
    }
}

/// `--name:#rrggbb` pairs.
fn tokens(text: &str) -> BTreeMap<String, Rgb> {
    text.split("--")
        .filter_map(|part| {
            let (name, value) = part.split_once(':')?;
            let hex = value.trim().strip_prefix('#')?.get(..6)?;
            let number = u32::from_str_radix(hex, 16).ok()?;
            Some((name.to_string(), [16, 8, 0].map(|shift| f64::from(number >> shift & 0xff) / 255.0)))
        })
        .collect()
}

fn luminance(colour: Rgb) -> f64 {
    let [r, g, b] = colour.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn ratio(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_on_white_is_21() {
        assert!((ratio([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn the_design_names_the_ratio_of_ink_on_s0() {
        let colours = tokens(":root{--s0:#ffffff; --ink:#17191c;}");
        assert!((ratio(colours["ink"], colours["s0"]) - 17.6).abs() < 0.05);
    }
}
