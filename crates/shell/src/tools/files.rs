//! `ls`, `cp`, `mv`, `rm`, `mkdir`, `rmdir`, `touch`, `chmod`.

use super::{command, options};
use crate::{Cmd, Commands, Fs, FsError, Ran};

pub(super) fn register(c: &mut Commands) {
    c.insert("ls", command!(ls));
    c.insert("cp", command!(cp));
    c.insert("mv", command!(mv));
    c.insert("rm", command!(rm));
    c.insert("mkdir", command!(mkdir));
    c.insert("rmdir", command!(rmdir));
    c.insert("touch", command!(touch));
    c.insert("chmod", command!(chmod));
}

fn mode(dir: bool, bits: u16) -> String {
    let mut s = String::from(if dir { "d" } else { "-" });
    for shift in [6, 3, 0] {
        for (bit, c) in [(4, 'r'), (2, 'w'), (1, 'x')] {
            s.push(if bits >> shift & bit != 0 { c } else { '-' });
        }
    }
    s
}

async fn ls(cmd: Cmd) -> Ran {
    let o = options!(cmd, "la1ARhdtr", "", &[("all", 'a')]);
    let mut status = 0;
    let here = [".".to_owned()];
    let operands = if o.operands.is_empty() { &here[..] } else { &o.operands };
    let (mut files, mut dirs) = (Vec::new(), Vec::new());
    for f in operands {
        match cmd.fs().stat(&cmd.path(f)) {
            Ok(s) if s.dir && !o.has('d') => dirs.push(f.clone()),
            Ok(_) => files.push(f.clone()),
            Err(e) => {
                cmd.err(format!("ls: cannot access '{f}': {e}\n")).await?;
                status = 2;
            }
        }
    }
    let line = |base: &str, name: &str| -> String {
        let path = Fs::resolve(&cmd.path(base), name);
        match cmd.fs().stat(&path) {
            Ok(s) if o.has('l') => {
                let t = kube::time::Time::from_unix(s.mtime.div_euclid(1_000_000_000)).to_rfc3339();
                format!(
                    "{} 1 root root {:>7} {} {name}",
                    mode(s.dir, s.mode),
                    s.size,
                    t.get(..16).unwrap_or_default().replace('T', " ")
                )
            }
            _ => name.to_owned(),
        }
    };
    let mut out = String::new();
    files.iter().for_each(|f| out += &(line(".", f) + "\n"));
    let titled = operands.len() > 1 || o.has('R');
    let mut queue: std::collections::VecDeque<String> = dirs.into();
    while let Some(d) = queue.pop_front() {
        if titled {
            out += &format!("{}{d}:\n", if out.is_empty() { "" } else { "\n" });
        }
        let mut names = cmd.fs().list(&cmd.path(&d)).unwrap_or_default();
        names.retain(|n| !n.starts_with('.') || o.has('a') || o.has('A'));
        if o.has('a') {
            names.splice(0..0, [".".to_owned(), "..".to_owned()]);
        }
        if o.has('r') {
            names.reverse();
        }
        for n in &names {
            out += &(line(&d, n) + "\n");
            if o.has('R') && n != "." && n != ".." && cmd.fs().is_dir(&Fs::resolve(&cmd.path(&d), n)) {
                queue.push_back(format!("{d}/{n}"));
            }
        }
    }
    cmd.out(out).await?;
    Ok(status)
}

/// The target of a copy or move of `from`: inside `to` if that is a directory.
fn inside(cmd: &Cmd, from: &str, to: &str) -> String {
    let target = cmd.path(to);
    let name = from.trim_end_matches('/').rsplit('/').next().unwrap_or(from);
    if cmd.fs().is_dir(&target) { Fs::resolve(&target, name) } else { target }
}

async fn cp(cmd: Cmd) -> Ran {
    let o = options!(cmd, "rRfapv", "", &[("recursive", 'r')]);
    let Some((to, sources)) = o.operands.split_last().filter(|s| !s.1.is_empty()) else {
        return cmd.fail(1, "missing file operand\nTry 'cp --help' for more information.").await;
    };
    let mut status = 0;
    for f in sources {
        let (from, target) = (cmd.path(f), inside(&cmd, f, to));
        let r = if cmd.fs().is_dir(&from) {
            if !(o.has('r') || o.has('R') || o.has('a')) {
                cmd.err(format!("cp: -r not specified; omitting directory '{f}'\n")).await?;
                status = 1;
                continue;
            }
            let below = format!("{from}/");
            let all = cmd.fs().export();
            let copies = all.into_iter().filter(|(p, _)| p.starts_with(&below));
            cmd.fs().mkdir_all(&target).and_then(|()| {
                copies.into_iter().try_for_each(|(p, d)| {
                    let to = format!("{target}/{}", &p[below.len()..]);
                    if p.ends_with('/') {
                        cmd.fs().mkdir_all(to.trim_end_matches('/'))
                    } else {
                        cmd.fs().write_all(&to, &d)
                    }
                })
            })
        } else {
            cmd.fs().read(&from).and_then(|d| cmd.fs().write(&target, &d))
        };
        if let Err(e) = r {
            cmd.err(format!("cp: cannot stat '{f}': {e}\n")).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn mv(cmd: Cmd) -> Ran {
    let o = options!(cmd, "fnv", "", &[]);
    let Some((to, sources)) = o.operands.split_last().filter(|s| !s.1.is_empty()) else {
        return cmd.fail(1, "missing file operand\nTry 'mv --help' for more information.").await;
    };
    let mut status = 0;
    for f in sources {
        if let Err(e) = cmd.fs().rename(&cmd.path(f), &inside(&cmd, f, to)) {
            cmd.err(format!("mv: cannot stat '{f}': {e}\n")).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn rm(cmd: Cmd) -> Ran {
    let o = options!(cmd, "rRfv", "", &[("recursive", 'r'), ("force", 'f')]);
    if o.operands.is_empty() && !o.has('f') {
        return cmd.fail(1, "missing operand\nTry 'rm --help' for more information.").await;
    }
    let mut status = 0;
    for f in &o.operands {
        let path = cmd.path(f);
        let r = if o.has('r') || o.has('R') {
            cmd.fs().remove_all(&path)
        } else if cmd.fs().is_dir(&path) {
            Err(FsError::IsDirectory)
        } else {
            cmd.fs().remove(&path)
        };
        match r {
            Err(FsError::NotFound) if o.has('f') => {}
            Err(e) => {
                cmd.err(format!("rm: cannot remove '{f}': {e}\n")).await?;
                status = 1;
            }
            Ok(()) => {}
        }
    }
    Ok(status)
}

async fn mkdir(cmd: Cmd) -> Ran {
    let o = options!(cmd, "pv", "m", &[("parents", 'p')]);
    if o.operands.is_empty() {
        return cmd.fail(1, "missing operand\nTry 'mkdir --help' for more information.").await;
    }
    let mut status = 0;
    for d in &o.operands {
        let path = cmd.path(d);
        if let Err(e) = if o.has('p') { cmd.fs().mkdir_all(&path) } else { cmd.fs().mkdir(&path) } {
            cmd.err(format!("mkdir: cannot create directory ‘{d}’: {e}\n")).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn rmdir(cmd: Cmd) -> Ran {
    let mut status = 0;
    for d in &cmd.args {
        let path = cmd.path(d);
        let r = if cmd.fs().stat(&path).is_ok_and(|s| !s.dir) {
            Err(FsError::NotDirectory)
        } else {
            cmd.fs().remove(&path)
        };
        if let Err(e) = r {
            cmd.err(format!("rmdir: failed to remove '{d}': {e}\n")).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn touch(cmd: Cmd) -> Ran {
    let mut status = 0;
    for f in cmd.args.iter().filter(|a| !a.starts_with('-')) {
        let path = cmd.path(f);
        let old = cmd.fs().read(&path).unwrap_or_default();
        if !cmd.fs().is_dir(&path)
            && let Err(e) = cmd.fs().write(&path, &old)
        {
            cmd.err(format!("touch: cannot touch '{f}': {e}\n")).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn chmod(cmd: Cmd) -> Ran {
    let Some((how, files)) = cmd.args.split_first().filter(|s| !s.1.is_empty()) else {
        return cmd.fail(1, "missing operand\nTry 'chmod --help' for more information.").await;
    };
    for f in files {
        let path = cmd.path(f);
        let now = match cmd.fs().stat(&path) {
            Ok(s) => s.mode,
            Err(e) => return cmd.fail(1, &format!("cannot access '{f}': {e}")).await,
        };
        let bits = match (u16::from_str_radix(how, 8), how.as_str()) {
            (Ok(m), _) => m & 0o777,
            (_, "+x" | "a+x") => now | 0o111,
            (_, "u+x") => now | 0o100,
            (_, "-x" | "a-x") => now & !0o111,
            _ => return cmd.fail(1, &format!("not modelled here: chmod {how}")).await,
        };
        let _ = cmd.fs().set_mode(&path, bits); // it was there a moment ago
    }
    Ok(0)
}
