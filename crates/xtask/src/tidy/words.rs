//! The page's words: every locale has every key with the same variables; Korean particles that depend on the sound
//! before them never touch a variable; the page's own code holds no sentence.

use std::collections::BTreeMap;

use super::{File, Report};

const LOCALES: [&str; 3] = ["en", "ko", "ja"];

/// Particles with two forms, which may not follow a variable: nobody knows how it is read.
const TWO_FORM: [&str; 11] = ["은", "는", "이", "가", "을", "를", "과", "와", "으로", "로", "이라"];

pub fn locales(files: &[File], report: &mut Report) {
    let mut all = BTreeMap::new();
    for locale in LOCALES {
        let name = format!("static/locales/{locale}.json");
        let Some(file) = files.iter().find(|f| f.name == name) else {
            report.error(&name, 1, "the locale is missing");
            continue;
        };
        match serde_json::from_str::<BTreeMap<String, String>>(&file.text) {
            Ok(map) => {
                check_words(locale, &name, &map, report);
                all.insert(locale, map);
            }
            Err(why) => report.error(&name, why.line(), why.to_string()),
        }
    }
    let Some(en) = all.get("en") else { return };
    for (locale, map) in &all {
        let name = format!("static/locales/{locale}.json");
        for (key, text) in en {
            match map.get(key) {
                None => report.error(&name, 1, format!("{key:?} is missing")),
                Some(other) if variables(other) != variables(text) => {
                    report.error(
                        &name,
                        1,
                        format!("{key:?} does not have the variables of en: {:?}", variables(text)),
                    );
                }
                Some(_) => {}
            }
        }
        for key in map.keys().filter(|key| !en.contains_key(*key)) {
            report.error(&name, 1, format!("{key:?} is not in en"));
        }
    }
}

fn check_words(locale: &str, name: &str, map: &BTreeMap<String, String>, report: &mut Report) {
    for (key, text) in map {
        if text.contains(['!', '！']) && !text.contains("!=") {
            report.error(name, 1, format!("{key:?} has an exclamation mark"));
        }
        if text.contains('\u{2009}') {
            report.error(name, 1, format!("{key:?} has a thin space"));
        }
        if locale == "ko" {
            for after in text.split('}').skip(1) {
                let word: String = after.chars().take_while(|c| ('가'..='힣').contains(c)).collect();
                if TWO_FORM.contains(&word.as_str()) {
                    report.error(name, 1, format!("{key:?}: the particle {word} touches a variable"));
                }
            }
        }
        if locale == "ja" && (text.contains('：') || text.contains('（') || text.contains('！')) {
            report.error(name, 1, format!("{key:?} has a full-width mark that should be half-width"));
        }
    }
}

/// The names in braces, sorted; of `{n|one|many}` the name is `n`.
fn variables(text: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next())
        .map(|inner| inner.split('|').next().unwrap_or("").to_string())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A quoted text inside `html!` is a sentence that nobody can translate. Texts of the originals (`code`) and single
/// marks are let through by having no lower-case word of three letters with a space beside it.
pub fn page_strings(files: &[File], report: &mut Report) {
    for file in files.iter().filter(|f| f.name.starts_with("web/src/") && f.name.ends_with(".rs")) {
        if file.name.ends_with("tests.rs") {
            continue;
        }
        for (number, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("mod tests") {
                break;
            }
            let code = line.split("//").next().unwrap_or("");
            if let Some(text) = braced(code)
                && text.chars().filter(|c| c.is_alphabetic()).count() > 2
            {
                report.error(&file.name, number + 1, format!("{text:?} belongs in the locale files"));
            }
            for label in ["aria-label=\"", "title=\"", "placeholder=\"", "alt=\""] {
                if let Some(rest) = code.split(label).nth(1).filter(|rest| !rest.starts_with('"')) {
                    let text = rest.split('"').next().unwrap_or("");
                    report.error(&file.name, number + 1, format!("{text:?} belongs in the locale files"));
                }
            }
        }
    }
    let used: Vec<(&str, usize, &str)> = files
        .iter()
        .filter(|f| f.name.starts_with("web/src/") && f.name.ends_with(".rs"))
        .flat_map(|f| f.text.lines().enumerate().map(move |(n, line)| (f.name.as_str(), n + 1, line)))
        .flat_map(|(name, n, line)| keys(line).into_iter().map(move |key| (name, n, key)))
        .collect();
    let Some(en) = files.iter().find(|f| f.name == "static/locales/en.json") else { return };
    let Ok(en) = serde_json::from_str::<BTreeMap<String, String>>(&en.text) else { return };
    for (name, line, key) in used {
        if !en.contains_key(key) {
            report.error(name, line, format!("no locale has {key:?}"));
        }
    }
}

/// A literal child of html!: `{ "…" }` or `{"…"}`.
fn braced(code: &str) -> Option<&str> {
    // Names of the originals stay English and say so; what is an attribute's value is not a child.
    if code.contains("lang=\"en\"") {
        return None;
    }
    let open = code.find("{ \"").or_else(|| code.find("{\""))?;
    if !matches!(code[..open].trim_end().chars().last(), None | Some('>' | '}')) {
        return None;
    }
    let at = open + code[open..].find('"')? + 1;
    let rest = &code[at..];
    let end = rest.find('"')?;
    rest[end + 1..].trim_start().starts_with('}').then_some(&rest[..end])
}

/// The literal keys of `t.s("…")` and `t.f("…", …)` on one line.
fn keys(line: &str) -> Vec<&str> {
    ["t.s(\"", "t.f(\""]
        .iter()
        .flat_map(|call| line.split(call).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particle_after_a_variable_is_found() {
        let mut report = Report::default();
        let map = BTreeMap::from([
            ("bad".to_string(), "{key}를 씁니다".to_string()),
            ("good".to_string(), "{key} 필드를 씁니다, {rev}까지".to_string()),
        ]);
        check_words("ko", "ko.json", &map, &mut report);
        assert_eq!(report.errors, ["ko.json:1: \"bad\": the particle 를 touches a variable"]);
    }

    #[test]
    fn variables_are_compared_by_name() {
        assert_eq!(variables("{n} {n|key|keys} of {total}"), ["n", "total"]);
        assert_eq!(variables("{total}개 중 {n}개"), ["n", "total"]);
    }

    #[test]
    fn a_sentence_in_the_page_is_found() {
        assert_eq!(braced("<p>{ \"Hello there\" }</p>"), Some("Hello there"));
        assert_eq!(braced("format!(\"{x}\")"), None);
        assert_eq!(braced("<h1 lang=\"en\">{ \"etcdscope\" }</h1>"), None);
        assert_eq!(braced("<div class={ \"le gone\" }>"), None);
        assert_eq!(keys("t.s(\"now.label\") + t.f(\"a.b\", &[])"), ["now.label", "a.b"]);
    }
}
