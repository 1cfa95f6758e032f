//! `cargo xtask bench`: sizes of what a first visit loads, held against their limits, and the speeds that the native
//! benchmarks print. Only sizes fail a run.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::sh::{self, Result, cargo, run, step};
use crate::{bundle, chromium, serve, suite};

/// What a first visit may cost, compressed with brotli, bytes.
const FIRST_USE_LIMIT: usize = 1_200_000;

/// Builds, measures, prints a table.
pub fn bench() -> Result {
    let dist = bundle::build()?;
    let (address, _server) = serve::start(dist.clone(), 0)?;
    println!("{:<44} {:>12} {:>12}", "file", "bytes", "brotli");
    let mut sum = 0;
    for path in sh::files(&dist) {
        let data = sh::read(&path)?;
        let small = brotli(&data)?;
        sum += small;
        println!(
            "{:<44} {:>12} {:>12}",
            path.file_name().unwrap_or_default().to_string_lossy(),
            data.len(),
            small
        );
    }
    println!("{:<44} {:>12} {:>12}  limit {FIRST_USE_LIMIT}", "everything", "", sum);
    step("the page in Chromium (name, value, goal)", || {
        suite::browser(&chromium::find()?, &address, "tests/e2e/bench.mjs")
    })?;
    step("native benchmarks", || run(&mut cargo(&["bench", "--workspace", "--quiet"])))?;
    if sum > FIRST_USE_LIMIT {
        return Err(format!("the page needs {sum} bytes of brotli, the limit is {FIRST_USE_LIMIT}"));
    }
    Ok(())
}

/// Length after brotli 11, by Node's own zlib.
fn brotli(data: &[u8]) -> Result<usize> {
    let script = "const z=require('zlib'),c=[];process.stdin.on('data',d=>c.push(d)).on('end',()=>console.log(z.brotliCompressSync(Buffer.concat(c)).length))";
    let mut node = Command::new("node")
        .args(["-e", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("node: {e}"))?;
    node.stdin.take().expect("piped").write_all(data).map_err(|e| e.to_string())?;
    let out = node.wait_with_output().map_err(|e| e.to_string())?;
    String::from_utf8_lossy(&out.stdout).trim().parse().map_err(|_| "node gave no length".to_string())
}
