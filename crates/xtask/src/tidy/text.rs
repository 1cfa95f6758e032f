//! Nothing refers outside the repository; the links of the documents resolve.

use super::{File, Report};
use crate::sh::root;

pub fn outside(files: &[File], report: &mut Report) {
    // Put together here, so that this file does not find itself.
    let words = [concat!("/", "work/"), concat!("..", "/shared"), concat!("/", "root/")];
    for file in files {
        for (number, line) in file.text.lines().enumerate() {
            for word in words {
                if line.contains(word) && !line.contains("tidy: allow") {
                    report.error(&file.name, number + 1, format!("refers outside the repository: {word}"));
                }
            }
        }
    }
}

/// Relative links of Markdown files: the file must be there.
pub fn links(files: &[File], report: &mut Report) {
    for file in files.iter().filter(|f| f.name.ends_with(".md")) {
        let dir = match file.name.rfind('/') {
            Some(at) => root().join(&file.name[..at]),
            None => root(),
        };
        let mut code = false;
        for (number, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                code = !code;
            }
            if code {
                continue;
            }
            for link in targets(line) {
                let path = link.split('#').next().unwrap_or("");
                if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
                    continue;
                }
                if !dir.join(path).exists() {
                    report.error(&file.name, number + 1, format!("the link {link:?} leads nowhere"));
                }
            }
        }
    }
}

/// What stands in `](…)` on one line.
fn targets(line: &str) -> Vec<&str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|t| t.split(' ').next().unwrap_or(t))
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn link_targets() {
        assert_eq!(super::targets("see [a](b.md#c) and ![d](e.png \"f\")"), ["b.md#c", "e.png"]);
        assert!(super::targets("no link (here)").is_empty());
    }
}
