//! `etcdscope run`: a script in a fresh world.

use playground::{Ended, World, traces_data};
use protocol::Config;
use std::io::{Read, Write};

struct Options {
    config: Config,
    trace: Option<String>,
    file: Option<String>,
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut o = Options { config: Config::default(), trace: None, file: None };
    let mut it = args.iter();
    while let Some(a) = it.next() {
        if a == "-" || !a.starts_with("--") {
            if o.file.replace(a.clone()).is_some() {
                return Err("one script at a time".to_owned());
            }
            continue;
        }
        let (name, value) = match a.split_once('=') {
            Some((n, v)) => (n, v.to_owned()),
            None => (a.as_str(), it.next().cloned().ok_or_else(|| format!("{a} needs a value"))?),
        };
        let number = |what: &str| format!("{name}: {value:?} is not {what}");
        match name {
            "--seed" => o.config.seed = value.parse().map_err(|_| number("a seed"))?,
            "--members" => o.config.members = value.parse().map_err(|_| number("1, 3 or 5"))?,
            "--world" => {
                o.config.kube = match value.as_str() {
                    "kube" => true,
                    "etcd" => false,
                    _ => return Err(number("kube or etcd")),
                }
            }
            "--nodes" | "--controllers" | "--encryption-config" | "--apiserver-flags" | "--etcd-flags" => {
                return Err(format!("not modelled here: {name}"));
            }
            "--trace" => o.trace = Some(value),
            _ => return Err(format!("unknown flag {name}")),
        }
    }
    Ok(o)
}

fn script(file: Option<&str>) -> Result<String, String> {
    let mut bytes = Vec::new();
    match file {
        None | Some("-") => {
            std::io::stdin().read_to_end(&mut bytes).map(drop).map_err(|e| format!("standard input: {e}"))?
        }
        Some(f) => bytes = std::fs::read(f).map_err(|e| format!("{f}: {e}"))?,
    }
    String::from_utf8(bytes).map_err(|_| "the script is not UTF-8 text".to_owned())
}

fn try_run(args: &[String]) -> Result<i32, String> {
    let o = parse(args)?;
    let text = script(o.file.as_deref())?;
    let world = World::start(o.config, None)?;
    let ended = world.run_script(&text, |d| {
        let mut out = std::io::stdout();
        let _ = out.write_all(d).and_then(|()| out.flush()); // the reader may have left
    });
    if let Some(f) = o.trace {
        std::fs::write(&f, traces_data(world.sim())).map_err(|e| format!("{f}: {e}"))?;
    }
    match ended {
        Ended::Status(s) => Ok(s),
        Ended::StillRunning => Err("the script was still running after 30 days of virtual time".to_owned()),
    }
}

/// The exit status: the script's own, or 2 if it could not be run.
pub fn run(args: &[String]) -> i32 {
    try_run(args).unwrap_or_else(|e| {
        eprintln!("etcdscope: {e}");
        2
    })
}
