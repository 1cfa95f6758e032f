//! Who may depend on whom, who may look at time and randomness, how large a file may be.

use super::{File, Report};

/// The rooms and the rooms each may use, as ARCHITECTURE.md draws them.
const HOUSE: [(&str, &[&str]); 15] = [
    ("web", &["protocol"]),
    ("crates/cli", &["playground", "lesson", "protocol"]),
    ("crates/engine", &["playground", "protocol"]),
    ("crates/lesson", &["playground"]),
    (
        "crates/playground",
        &[
            "sim",
            "protocol",
            "wire",
            "raft",
            "mvcc",
            "etcd",
            "kube",
            "seal",
            "apiserver",
            "controllers",
            "shell",
            "check",
        ],
    ),
    ("crates/check", &["etcd", "raft", "mvcc", "wire", "sim"]),
    ("crates/shell", &["sim", "wire", "kube", "etcd", "apiserver", "seal"]),
    ("crates/controllers", &["sim", "wire", "kube", "apiserver"]),
    ("crates/apiserver", &["sim", "wire", "etcd", "kube", "seal"]),
    ("crates/seal", &["kube"]),
    ("crates/kube", &[]),
    ("crates/etcd", &["sim", "wire", "raft", "mvcc"]),
    ("crates/mvcc", &["wire"]),
    ("crates/raft", &["wire"]),
    ("crates/wire", &[]),
];

const ROOMS: [&str; 17] = [
    "sim",
    "protocol",
    "wire",
    "raft",
    "mvcc",
    "etcd",
    "kube",
    "seal",
    "apiserver",
    "controllers",
    "shell",
    "check",
    "playground",
    "lesson",
    "engine",
    "cli",
    "web",
];

/// Third-party crates that know a browser: only the page may use them.
const BROWSER: [&str; 6] = ["yew", "web-sys", "js-sys", "wasm-bindgen", "wasm-bindgen-futures", "gloo"];

pub fn dependencies(files: &[File], report: &mut Report) {
    for file in files.iter().filter(|f| f.name.ends_with("/Cargo.toml")) {
        let room = file.name.trim_end_matches("/Cargo.toml");
        let allowed = HOUSE.iter().find(|(name, _)| *name == room).map(|(_, uses)| *uses).unwrap_or(&[]);
        let mut section = "";
        for (number, line) in file.text.lines().enumerate() {
            if line.starts_with('[') {
                section = line;
            }
            if section != "[dependencies]" {
                continue;
            }
            let Some(name) =
                line.split(['=', '.', ' ']).next().filter(|n| !n.is_empty() && !n.starts_with(['#', '[']))
            else {
                continue;
            };
            if ROOMS.contains(&name) && !allowed.contains(&name) {
                report.error(&file.name, number + 1, format!("{room} may not depend on {name}"));
            }
            if BROWSER.contains(&name) && room != "web" {
                report.error(&file.name, number + 1, format!("only web may depend on {name}"));
            }
        }
    }
}

/// Words that make two runs of one seed differ, and who may say them.
const AMBIENT: [(&str, &str); 8] = [
    ("std::time::Instant", "only sim knows time"),
    ("std::time::SystemTime", "only sim knows time"),
    ("SystemTime::now", "only sim knows time"),
    ("Instant::now", "only sim knows time"),
    ("std::thread", "the world is single-threaded"),
    ("thread_rng", "randomness comes from sim"),
    ("HashMap", "its order differs between runs"),
    ("HashSet", "its order differs between runs"),
];

pub fn ambient(files: &[File], report: &mut Report) {
    for file in files.iter().filter(|f| f.name.ends_with(".rs") && f.name.starts_with("crates/")) {
        if file.name.starts_with("crates/xtask/") {
            continue;
        }
        // The command line and benchmarks are hosts: they may wait and use threads, but their order must hold too.
        let host = file.name.starts_with("crates/cli/") || file.name.ends_with("/examples/bench.rs");
        for (number, line) in file.text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for (word, why) in AMBIENT {
                let about_time = !word.starts_with("Hash");
                if code.contains(word) && !(host && about_time) {
                    report.error(&file.name, number + 1, format!("{word}: {why}"));
                }
            }
        }
    }
}

/// A file above 600 lines is asking to be two; above 900 it must be. Generated tables are data.
pub fn sizes(files: &[File], report: &mut Report) {
    for file in files.iter().filter(|f| f.name.ends_with(".rs")) {
        let lines = file.text.lines().count();
        if file.text.starts_with("// @generated") {
            continue;
        }
        if lines > 900 {
            report.error(&file.name, lines, format!("{lines} lines; 900 is the most"));
        } else if lines > 600 {
            report.warn(&file.name, lines, format!("{lines} lines; above 600 it is asking to be two files"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.into(), text: text.into() }
    }

    #[test]
    fn an_upward_dependency_is_found() {
        let mut report = Report::default();
        dependencies(
            &[file("crates/raft/Cargo.toml", "[dependencies]\nwire = {}\netcd = {}\nyew = \"1\"\n")],
            &mut report,
        );
        assert_eq!(
            report.errors,
            [
                "crates/raft/Cargo.toml:3: crates/raft may not depend on etcd",
                "crates/raft/Cargo.toml:4: only web may depend on yew"
            ]
        );
    }

    #[test]
    fn ambient_time_is_found_outside_comments() {
        let mut report = Report::default();
        let text = "// Instant::now in a comment\nlet t = Instant::now();\n";
        ambient(&[file("crates/mvcc/src/lib.rs", text)], &mut report);
        assert_eq!(report.errors, ["crates/mvcc/src/lib.rs:2: Instant::now: only sim knows time"]);
    }
}
