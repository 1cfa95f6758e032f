//! `cargo xtask shots`: pictures of the page in its sizes and themes, to be looked at.

use crate::sh::{Result, root, target};
use crate::{bundle, chromium, serve, suite};

/// Builds, serves, and lets `tests/e2e/shots.mjs` take the pictures.
pub fn shots(args: &[String]) -> Result {
    let chromium = chromium::find()?;
    let dist = if args.iter().any(|a| a == "--no-build") { root().join("dist") } else { bundle::build()? };
    let (address, _server) = serve::start(dist, 0)?;
    suite::browser(&chromium, &address, "tests/e2e/shots.mjs")?;
    println!("{}", target().join("shots").display());
    Ok(())
}
