//! `cargo xtask test`: every check of the project, in the order in which a failure is cheapest to learn of.
//! Parts run alone by their name; nothing is skipped silently.

use std::path::Path;

use crate::sh::{self, Result, cargo, cmd, root, run, step};
use crate::{bundle, chromium, serve, tidy};

type Part = (&'static str, fn() -> Result);

const PARTS: [Part; 7] = [
    ("fmt", fmt),
    ("tidy", tidy::tidy),
    ("clippy", clippy),
    ("unit", unit),
    ("golden", golden),
    ("wasm", wasm),
    ("e2e", e2e),
];

/// Runs all parts, or those that are named.
pub fn test(names: &[String]) -> Result {
    for name in names {
        if !PARTS.iter().any(|(part, _)| part == name) {
            let known: Vec<&str> = PARTS.iter().map(|(part, _)| *part).collect();
            return Err(format!("no part {name:?}; the parts are {}", known.join(", ")));
        }
    }
    for (name, part) in PARTS {
        // What was recorded is among the unit tests already.
        if name == "golden" && names.iter().all(|n| n != "golden") {
            continue;
        }
        if names.is_empty() || names.iter().any(|n| n == name) {
            step(&format!("test {name}"), part)?;
        }
    }
    Ok(())
}

fn fmt() -> Result {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

fn clippy() -> Result {
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))
}

fn unit() -> Result {
    run(&mut cargo(&["test", "--workspace", "--quiet"]))
}

/// What was recorded from the originals, alone (it also runs as part of `unit`).
fn golden() -> Result {
    run(&mut cargo(&["test", "-p", "etcdscope-mvcc", "-p", "etcdscope-kube", "--tests"]))
}

/// The engine module in Node: it imports nothing, a checkpoint continues bit for bit, and the same seed and script give
/// the same output as natively.
fn wasm() -> Result {
    bundle::set_up()?;
    let engine = bundle::engine()?;
    let build = ["build", "--release", "--quiet", "-p", "etcdscope-cli"];
    step("building the native program", || run(&mut cargo(&build)))?;
    run(cmd("node", &["--test", "tests/wasm/"])
        .env("ENGINE_WASM", engine)
        .env("ETCDSCOPE", sh::target().join("release/etcdscope")))
}

/// The page in a real browser.
fn e2e() -> Result {
    let chromium = chromium::find()?;
    let dist = bundle::build()?;
    let (address, _server) = serve::start(dist, 0)?;
    browser(&chromium, &address, "tests/e2e/")
}

/// Runs a Node script (or a folder of tests) against the served page.
pub fn browser(chromium: &str, address: &str, what: &str) -> Result {
    bundle::npm()?;
    let path = root().join(what);
    let mut command = if path.is_dir() {
        let mut tests: Vec<String> = sh::files(&path)
            .iter()
            .filter(|p| p.to_string_lossy().ends_with(".test.mjs"))
            .map(|p| p.strip_prefix(root()).unwrap_or(p).to_string_lossy().into_owned())
            .collect();
        tests.insert(0, "--test".into());
        tests.insert(1, "--test-concurrency=1".into());
        let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
        cmd("node", &tests)
    } else {
        cmd("node", &[what])
    };
    let shots = sh::target().join("shots");
    run(command
        .env("CHROMIUM", chromium)
        .env("PAGE", format!("http://{address}/"))
        .env("SHOTS", Path::new(&shots)))
}
