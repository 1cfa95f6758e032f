//! `cargo xtask serve`: builds and serves `dist/` on 127.0.0.1 with the right types and the page's own policy.
//! One thread a connection, HTTP/1.1 without keep-alive: a development server, nothing more.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::bundle;
use crate::sh::{self, Result, root};

/// Builds, then serves until the process is ended.
pub fn serve(args: &[String]) -> Result {
    let (mut port, mut watch) = (8080u16, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--watch" => watch = true,
            "--port" => {
                let value = args.next().ok_or("--port needs a number")?;
                port = value.parse().map_err(|_| format!("--port: {value:?} is not a port"))?;
            }
            other => return Err(format!("serve: unknown flag {other:?}")),
        }
    }
    let dist = bundle::build()?;
    let (address, _server) = start(dist, port)?;
    println!("etcdscope: http://{address}/");
    if watch {
        rebuild_on_change();
    }
    loop {
        std::thread::park();
    }
}

/// Serves a folder from another thread; port 0 takes a free one.
pub fn start(dir: PathBuf, port: u16) -> Result<(String, std::thread::JoinHandle<()>)> {
    let listener = TcpListener::bind(("127.0.0.1", port)).map_err(|e| format!("127.0.0.1:{port}: {e}"))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?.to_string();
    let handle = std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let dir = dir.clone();
            std::thread::spawn(move || {
                // A client that goes away is its own business.
                let _ = answer(&dir, stream);
            });
        }
    });
    Ok((address, handle))
}

fn rebuild_on_change() {
    std::thread::spawn(|| {
        let mut seen = newest();
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = newest();
            if now != seen {
                seen = now;
                match bundle::build() {
                    Ok(_) => eprintln!("xtask: rebuilt; reload the page"),
                    Err(why) => eprintln!("xtask: {why}"),
                }
            }
        }
    });
}

fn newest() -> Option<SystemTime> {
    ["crates", "web", "static"]
        .iter()
        .flat_map(|dir| sh::files(&root().join(dir)))
        .filter(|path| !path.components().any(|c| c.as_os_str() == "parts"))
        .filter_map(|path| path.metadata().ok()?.modified().ok())
        .max()
}

fn answer(dir: &Path, mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?).take(16 * 1024);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
    let (status, kind, body) = match (method, find(dir, target)) {
        ("GET" | "HEAD", Some(path)) => ("200 OK", mime(&path), std::fs::read(&path)?),
        ("GET" | "HEAD", None) => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
        _ => ("405 Method Not Allowed", "text/plain; charset=utf-8", b"GET and HEAD only\n".to_vec()),
    };
    let fixed = target.contains("sw.js");
    let cache =
        if kind.starts_with("text/html") || fixed { "no-cache" } else { "max-age=31536000, immutable" };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: {cache}\r\n\
         Content-Security-Policy: {}; frame-ancestors 'self'\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
        body.len(),
        bundle::CSP
    )?;
    if method == "GET" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The file a target names, never one above the folder. Everything below `/sub/path/` is served too, so that a test can
/// show that the page does not care where it lies.
fn find(dir: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next().unwrap_or("");
    let path = path.strip_prefix("/sub/path").unwrap_or(path).trim_start_matches('/');
    if path.split('/').any(|part| part == ".." || part.contains('\\') || part.contains('%')) {
        return None;
    }
    let file = if path.is_empty() { dir.join("index.html") } else { dir.join(path) };
    file.is_file().then_some(file)
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_above_the_folder_is_served() {
        let dir = root().join("crates");
        assert_eq!(find(&dir, "/../Cargo.toml"), None);
        assert_eq!(find(&dir, "/xtask/Cargo.toml"), Some(dir.join("xtask/Cargo.toml")));
        assert_eq!(find(&dir, "/sub/path/xtask/Cargo.toml?x=1"), Some(dir.join("xtask/Cargo.toml")));
    }

    #[test]
    fn a_module_has_its_type() {
        assert_eq!(mime(Path::new("engine-00.wasm")), "application/wasm");
    }
}
