//! `cargo xtask build`: everything the browser needs, as static files with content hashes in their names.
//!
//! Three parts are built and put together: the engine (a plain wasm cdylib, profile `engine`, checked to import
//! nothing), the page (Yew, profile `page`, through wasm-bindgen) and the JavaScript around them (boot, worker, terminal,
//! editor; esbuild). Every address in the result is relative, so it works from any host and any sub-path.

use std::path::{Path, PathBuf};

use crate::sh::{self, Result, cargo, cmd, root, run, step, target};
use crate::wasm;

const WASM: &str = "wasm32-unknown-unknown";

/// The policy the page is served with; the same stands in index.html for hosts that send no headers.
pub const CSP: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/// What a machine with only rustup, Node.js and a C toolchain still lacks.
pub fn set_up() -> Result {
    if sh::have("rustup") {
        let installed = sh::output(&mut cmd("rustup", &["target", "list", "--installed"]))?;
        if !installed.lines().any(|line| line == WASM) {
            step("adding the wasm target (rustup)", || run(&mut cmd("rustup", &["target", "add", WASM])))?;
        }
    }
    npm()
}

/// The JavaScript packages of package-lock.json, without running their install scripts.
pub fn npm() -> Result {
    if !sh::have("node") {
        return Err("Node.js is needed (20 or later); install it and run this again".into());
    }
    let stamp = root().join("node_modules/.package-lock.json");
    let lock = root().join("package-lock.json");
    let newer = |a: &Path, b: &Path| match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => a.modified().ok() >= b.modified().ok(),
        _ => false,
    };
    if !newer(&stamp, &lock) {
        step("installing the JavaScript packages (npm ci)", || {
            run(&mut cmd("npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]))
        })?;
    }
    Ok(())
}

/// The engine module's path, built and checked; ENGINE_WASM names one that is built already.
pub fn engine() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("ENGINE_WASM").map(PathBuf::from) {
        wasm::check_engine(&sh::read(&path)?)?;
        return Ok(path);
    }
    step("building the engine (wasm, profile engine)", || {
        run(&mut cargo(&[
            "build",
            "-p",
            "etcdscope-engine",
            "--lib",
            "--target",
            WASM,
            "--profile",
            "engine",
        ]))?;
        let path = target().join(WASM).join("engine/engine.wasm");
        wasm::check_engine(&sh::read(&path)?)?;
        Ok(path)
    })
}

/// The page's module and its glue: `page.js` and `page_bg.wasm` in the folder that is returned.
fn page() -> Result<PathBuf> {
    step("building the page (wasm, profile page)", || {
        run(&mut cargo(&["build", "-p", "etcdscope-web", "--target", WASM, "--profile", "page"]))?;
        let out = target().join("xtask/page");
        sh::fresh(&out)?;
        wasm_bindgen_cli_support::Bindgen::new()
            .input_path(target().join(WASM).join("page/etcdscope-web.wasm"))
            .out_name("page")
            .web(true)
            .map_err(|e| e.to_string())?
            .typescript(false)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&out)
            .map_err(|e| format!("wasm-bindgen: {e:#}"))?;
        Ok(out)
    })
}

/// Boot, worker, terminal and editor, bundled; names carry a hash when `hashed`.
fn scripts(hashed: bool) -> Result<PathBuf> {
    step("bundling the scripts (esbuild)", || {
        let out = target().join("xtask/js");
        sh::fresh(&out)?;
        let entry = if hashed { "--entry-names=[name]-[hash]" } else { "--entry-names=[name]" };
        run(cmd("node", &["node_modules/esbuild/bin/esbuild", "web/js/boot.ts", "web/js/worker.ts"])
            .args([
                "--bundle",
                "--format=esm",
                "--splitting",
                "--minify",
                "--target=es2022",
                "--log-level=warning",
            ])
            .args([entry, "--chunk-names=[name]-[hash]", "--legal-comments=none"])
            .arg(format!("--outdir={}", out.display())))?;
        Ok(out)
    })
}

/// One script without imports, as text.
fn esbuild_one(path: &str) -> Result<String> {
    sh::output(cmd("node", &["node_modules/esbuild/bin/esbuild", path]).args([
        "--bundle",
        "--format=iife",
        "--minify",
        "--target=es2022",
        "--log-level=warning",
    ]))
}

/// One style sheet: ours, then the terminal's.
fn style() -> Result<Vec<u8>> {
    let mut css = Vec::new();
    let dir = root().join("static/styles");
    let mut sheets = sh::files(&dir);
    sheets.retain(|path| path.extension().is_some_and(|e| e == "css"));
    sheets.push(root().join("node_modules/@xterm/xterm/css/xterm.css"));
    for sheet in sheets {
        css.extend(sh::read(&sheet)?);
        css.push(b'\n');
    }
    Ok(css)
}

/// 64-bit FNV-1a, as 16 hex digits: names change exactly when the content does.
pub fn hash(data: &[u8]) -> String {
    let mut value = 0xcbf2_9ce4_8422_2325_u64;
    for byte in data {
        value = (value ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{value:016x}")
}

/// Builds `dist/` and gives its path.
pub fn build() -> Result<PathBuf> {
    set_up()?;
    let engine = sh::read(&engine()?)?;
    let page = page()?;
    let js = scripts(true)?;
    let dist = root().join("dist");
    sh::fresh(&dist)?;

    let put = |name: &str, ext: &str, data: &[u8]| -> Result<String> {
        let name = format!("{name}-{}.{ext}", hash(data));
        sh::write(&dist.join(&name), data)?;
        Ok(name)
    };
    let engine_name = put("engine", "wasm", &engine)?;
    let page_wasm = put("page", "wasm", &sh::read(&page.join("page_bg.wasm"))?)?;
    let page_js = put("page", "js", &sh::read(&page.join("page.js"))?)?;
    let css = put("etcdscope", "css", &style()?)?;
    let (mut boot, mut worker) = (String::new(), String::new());
    for path in sh::files(&js) {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        sh::write(&dist.join(&name), sh::read(&path)?)?;
        if name.starts_with("boot-") {
            boot = name;
        } else if name.starts_with("worker-") {
            worker = name;
        }
    }
    for path in sh::files(&root().join("static/public")) {
        let name = path.strip_prefix(root().join("static/public")).expect("below it").to_path_buf();
        sh::write(&dist.join(name), sh::read(&path)?)?;
    }

    let links = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{CSP}\">\n\
         <link rel=\"stylesheet\" href=\"./{css}\">\n\
         <link rel=\"modulepreload\" id=\"page-js\" href=\"./{page_js}\">\n\
         <link rel=\"preload\" as=\"fetch\" crossorigin id=\"page-wasm\" href=\"./{page_wasm}\">\n\
         <link rel=\"preload\" as=\"fetch\" crossorigin id=\"engine-wasm\" href=\"./{engine_name}\">\n\
         <link rel=\"modulepreload\" as=\"worker\" id=\"worker-js\" href=\"./{worker}\">\n\
         <script type=\"module\" src=\"./{boot}\"></script>"
    );
    let html: String = sh::read_text(&root().join("web/index.html"))?
        .lines()
        .filter(|line| !line.contains("data-trunk"))
        .map(|line| if line.trim() == "<!-- assets -->" { links.clone() + "\n" } else { format!("{line}\n") })
        .collect();
    sh::write(&dist.join("index.html"), html)?;

    // The service worker knows every file by name.
    let names: Vec<String> = sh::files(&dist)
        .iter()
        .filter_map(|path| path.strip_prefix(&dist).ok())
        .map(|path| format!("{:?}", path.to_string_lossy()))
        .filter(|name| name != "\"index.html\"")
        .chain(["\"./\"".to_string()])
        .collect();
    let worker = esbuild_one("web/js/sw.ts")?.replace("\"__FILES__\"", &names.join(","));
    sh::write(&dist.join("sw.js"), worker)?;

    let size = |path: &Path| path.metadata().map(|m| m.len()).unwrap_or(0);
    let total: u64 = sh::files(&dist).iter().map(|path| size(path)).sum();
    eprintln!(
        "xtask: dist/ has {} files, {} kB (engine {} kB)",
        sh::files(&dist).len(),
        total / 1000,
        size(&dist.join(engine_name)) / 1000
    );
    Ok(dist)
}

/// What Trunk does not build itself: engine, scripts and styles, under fixed names in `web/parts` (not tracked).
pub fn parts_for_trunk() -> Result {
    set_up()?;
    let parts = root().join("web/parts");
    sh::fresh(&parts)?;
    sh::write(&parts.join("engine.wasm"), sh::read(&engine()?)?)?;
    sh::write(&parts.join("etcdscope.css"), style()?)?;
    let js = scripts(false)?;
    for path in sh::files(&js) {
        sh::write(&parts.join(path.file_name().expect("a file has a name")), sh::read(&path)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn fnv_1a_known_values() {
        assert_eq!(super::hash(b""), "cbf29ce484222325");
        assert_eq!(super::hash(b"foobar"), "85944171f73967e8");
    }
}
