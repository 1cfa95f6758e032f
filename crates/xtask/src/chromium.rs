//! Finding a Chromium for the browser tests, or installing one where that is possible, or saying what to install.

use std::path::Path;

use crate::sh::{self, Result, cmd, run, step};

/// The path of a Chromium or Chrome that can be driven.
pub fn find() -> Result<String> {
    if let Ok(path) = std::env::var("CHROMIUM") {
        return Ok(path);
    }
    let known = || {
        [
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome",
            "/usr/bin/google-chrome-stable",
        ]
        .into_iter()
        .chain(["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"])
        .find(|path| Path::new(path).exists())
        .map(str::to_string)
    };
    if let Some(path) = known() {
        return Ok(path);
    }
    let root = sh::output(&mut cmd("id", &["-u"])).is_ok_and(|id| id.trim() == "0");
    if root && Path::new("/etc/debian_version").exists() {
        step("installing Chromium (apt)", || {
            run(&mut cmd("apt-get", &["update", "-qq"]))?;
            run(cmd(
                "apt-get",
                &["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-noto-cjk"],
            )
            .env("DEBIAN_FRONTEND", "noninteractive"))
        })?;
        if let Some(path) = known() {
            return Ok(path);
        }
    }
    Err("the browser tests need Chromium: install the package `chromium` (or Google Chrome), or set CHROMIUM to its path"
        .into())
}
