//! `cargo xtask record`: runs the oracle, which asks the original programs and rewrites `tests/golden`.

use crate::sh::{self, Result, cmd, root, run};

/// Hands over to `tests/conformance` (Go); its own arguments are passed on.
pub fn record(args: &[String]) -> Result {
    let oracle = root().join("tests/conformance");
    if !oracle.join("go.mod").exists() {
        return Err("tests/conformance is not in this tree".into());
    }
    if !std::process::Command::new("go").arg("version").output().is_ok_and(|o| o.status.success()) {
        return Err("recording needs Go (https://go.dev/dl/); building and testing do not".into());
    }
    let script = oracle.join("record.sh");
    let mut command = if script.exists() {
        cmd(&script.to_string_lossy(), &[])
    } else {
        let mut go = cmd("go", &["run", "."]);
        go.current_dir(&oracle);
        go
    };
    sh::step("asking the originals", || run(command.args(args)))
}
