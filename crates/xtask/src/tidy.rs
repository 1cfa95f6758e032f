//! `cargo xtask tidy`: the house rules that a machine can check. Every finding names the file, the line and the rule.

mod contrast;
mod house;
mod text;
mod words;

use std::path::PathBuf;

use crate::sh::{self, Result, cmd, root};

/// One tracked text file.
pub struct File {
    /// Path from the repository's top, with `/`.
    pub name: String,
    pub text: String,
}

/// Findings, in the order found.
#[derive(Default)]
pub struct Report {
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}

impl Report {
    fn error(&mut self, at: &str, line: usize, what: impl AsRef<str>) {
        self.errors.push(format!("{at}:{line}: {}", what.as_ref()));
    }

    fn warn(&mut self, at: &str, line: usize, what: impl AsRef<str>) {
        self.warnings.push(format!("{at}:{line}: {}", what.as_ref()));
    }
}

/// Checks every rule; fails when one is broken.
pub fn tidy() -> Result {
    let files = tracked()?;
    let mut report = Report::default();
    house::dependencies(&files, &mut report);
    house::ambient(&files, &mut report);
    house::sizes(&files, &mut report);
    text::outside(&files, &mut report);
    text::links(&files, &mut report);
    words::locales(&files, &mut report);
    words::page_strings(&files, &mut report);
    contrast::contrast(&files, &mut report);
    for warning in &report.warnings {
        eprintln!("warning: {warning}");
    }
    for error in &report.errors {
        eprintln!("error: {error}");
    }
    match report.errors.len() {
        0 => Ok(()),
        1 => Err("tidy: 1 finding".into()),
        n => Err(format!("tidy: {n} findings")),
    }
}

/// The files git tracks or would track, without binary ones. Without git (a source archive), every file.
fn tracked() -> Result<Vec<File>> {
    let list = sh::output(&mut cmd("git", &["ls-files", "--cached", "--others", "--exclude-standard"]));
    let mut names: Vec<String> = match list {
        Ok(text) => text.lines().map(str::to_string).collect(),
        Err(_) => sh::files(&root())
            .iter()
            .filter_map(|path| path.strip_prefix(root()).ok())
            .map(|path: &std::path::Path| path.to_string_lossy().into_owned())
            .collect(),
    };
    names.sort();
    names.dedup();
    let mut files = Vec::new();
    for name in names {
        let path: PathBuf = root().join(&name);
        let Ok(data) = std::fs::read(&path) else { continue };
        if let Ok(text) = String::from_utf8(data) {
            files.push(File { name, text });
        }
    }
    Ok(files)
}
