//! Running other programs, finding the repository, and saying how far one is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What every command answers: nothing, or the sentence to print before stopping.
pub type Result<T = ()> = std::result::Result<T, String>;

/// The repository's top folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("xtask lies two folders deep")
        .to_path_buf()
}

/// The target folder, wherever the user has put it.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Prints what is being done, does it, prints how long it took.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("xtask: {what} …");
    let start = Instant::now();
    let value = work()?;
    eprintln!("xtask: {what}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(value)
}

/// A program to be run at the repository's top.
pub fn cmd(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// The same cargo that runs us.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = cmd(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()), args);
    // What `cargo run` sets for us is not meant for the inner cargo.
    for key in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_MANIFEST_PATH"] {
        command.env_remove(key);
    }
    command
}

/// Runs to the end; anything but success is an error that shows the command line.
pub fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|e| format!("{}: {e}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", shown(command))) }
}

/// Runs to the end and gives what it printed.
pub fn output(command: &mut Command) -> Result<String> {
    let out = command.output().map_err(|e| format!("{}: {e}", shown(command)))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    } else {
        Err(format!("{}: {}\n{}", shown(command), out.status, String::from_utf8_lossy(&out.stderr)))
    }
}

fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Is the program on the PATH?
pub fn have(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|_| format!("{}: not UTF-8", path.display()))
}

pub fn write(path: &Path, data: impl AsRef<[u8]>) -> Result {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    std::fs::write(path, data).map_err(|e| format!("{}: {e}", path.display()))
}

/// An empty folder, whatever was there before.
pub fn fresh(dir: &Path) -> Result {
    if dir.exists() {
        std::fs::remove_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))
}

/// Every file below a folder, sorted, without build products and packages of others.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![dir.to_path_buf()];
    while let Some(dir) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                let name = name.to_string_lossy();
                if !["target", "dist", "node_modules", ".git"].contains(&name.as_ref()) {
                    todo.push(path);
                }
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
