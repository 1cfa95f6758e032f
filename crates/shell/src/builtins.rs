//! Commands that work on the shell itself.

use crate::exec::{Flow, Shell};
use crate::fs::Fs;
use crate::io::{Exit, Io};
use futures::future::{FutureExt, LocalBoxFuture};

/// Names of the builtins, for `type` and completion.
pub(crate) const NAMES: [&str; 34] = [
    ".", ":", "[", "alias", "bg", "break", "builtin", "cd", "command", "continue", "echo", "eval", "exit",
    "export", "false", "history", "jobs", "kill", "local", "printf", "pwd", "read", "return", "set", "shift",
    "source", "test", "trap", "true", "type", "unalias", "unset", "wait", "readonly",
];

fn number(args: &[String]) -> u32 {
    args.first().and_then(|a| a.parse().ok()).unwrap_or(1)
}

impl Shell {
    /// Runs a builtin; `None` if `name` is none.
    pub(crate) fn builtin<'a>(
        &'a self,
        name: &'a str,
        args: &'a [String],
        io: &'a Io,
    ) -> LocalBoxFuture<'a, Option<Result<i32, Flow>>> {
        async move {
            let first = args.first().map(String::as_str);
            Some(match name {
                ":" | "true" => Ok(0),
                "false" => Ok(1),
                "break" => Err(Flow::Break(number(args))),
                "continue" => Err(Flow::Continue(number(args))),
                "return" => Err(Flow::Return(first.and_then(|a| a.parse().ok()).unwrap_or(self.status()))),
                "exit" => {
                    Err(Flow::Exit(first.and_then(|a| a.parse::<i32>().ok()).unwrap_or(self.status()) & 255))
                }
                "cd" => Ok(self.cd(first, io).await),
                "pwd" => self.print(io, &format!("{}\n", self.cwd())).await,
                "echo" => self.print_bytes(io, crate::tools::echo(args)).await,
                "printf" => match crate::tools::printf(args) {
                    Ok(text) => self.print_bytes(io, text).await,
                    Err(e) => {
                        self.complain(io, &format!("printf: {e}")).await;
                        Ok(if first.is_none() { 2 } else { 1 })
                    }
                },
                "test" | "[" => {
                    let args = match (name, args.split_last()) {
                        ("[", Some((last, rest))) if last == "]" => rest,
                        ("[", _) => {
                            self.complain(io, "[: missing `]'").await;
                            return Some(Ok(2));
                        }
                        _ => args,
                    };
                    match self.test(args) {
                        Ok(yes) => Ok(i32::from(!yes)),
                        Err(e) => {
                            self.complain(io, &format!("{name}: {e}")).await;
                            Ok(2)
                        }
                    }
                }
                "eval" => {
                    let text = args.join(" ");
                    self.inline(&text, io).await
                }
                "source" | "." => match first {
                    None => {
                        self.complain(io, &format!("{name}: filename argument required")).await;
                        Ok(2)
                    }
                    Some(f) => match self.world.fs.read(&Fs::resolve(&self.cwd(), f)) {
                        Ok(d) => self.inline(&String::from_utf8_lossy(&d), io).await,
                        Err(e) => {
                            self.complain(io, &format!("{f}: {e}")).await;
                            Ok(1)
                        }
                    },
                },
                "export" | "readonly" => self.assign(args, true, io).await,
                "local" => {
                    for a in args {
                        let key = a.split('=').next().unwrap_or_default().to_owned();
                        let mut s = self.state();
                        let old = s.vars.get(&key).cloned();
                        if let Some(frame) = s.locals.last_mut() {
                            frame.entry(key).or_insert(old);
                        }
                    }
                    self.assign(args, false, io).await
                }
                "unset" => {
                    let mut s = self.state();
                    for a in args.iter().filter(|a| !a.starts_with('-')) {
                        s.vars.remove(a);
                        s.functions.remove(a);
                    }
                    Ok(0)
                }
                "alias" => self.alias_command(args, io).await,
                "unalias" => {
                    let mut s = self.state();
                    if first == Some("-a") {
                        s.aliases.clear();
                    }
                    args.iter().for_each(|a| drop(s.aliases.remove(a)));
                    Ok(0)
                }
                "set" => Ok(self.set_options(args, io).await),
                "shift" => {
                    let n = number(args) as usize;
                    let mut s = self.state();
                    if n > s.args.len() {
                        return Some(Ok(1));
                    }
                    s.args.drain(..n);
                    Ok(0)
                }
                "read" => Ok(self.read(args, io).await),
                "trap" => {
                    if let [action, signal, ..] = args
                        && matches!(signal.as_str(), "EXIT" | "0")
                    {
                        self.state().exit_trap = Some(action.clone()).filter(|a| a != "-" && !a.is_empty());
                    }
                    Ok(0)
                }
                "type" | "command" => return self.describe(name, args, io).await,
                "builtin" => {
                    let (name, rest) = args.split_first()?;
                    return self.builtin(name, rest, io).await;
                }
                "wait" => Ok(self.wait(args).await),
                "jobs" => {
                    let lines: Vec<String> = {
                        let jobs = self.world.jobs.borrow();
                        let state = |j: &crate::exec::Job| match j.done.get() {
                            None => "Running".to_owned(),
                            Some(0) => "Done".to_owned(),
                            Some(n) => format!("Exit {n}"),
                        };
                        jobs.iter().map(|j| format!("[{}]   {:<23}\n", j.number, state(j))).collect()
                    };
                    self.print(io, &lines.concat()).await
                }
                "bg" | "history" => Ok(0),
                "kill" => Ok(self.kill(args, io).await),
                _ => return None,
            })
        }
        .boxed_local()
    }

    async fn print(&self, io: &Io, text: &str) -> Result<i32, Flow> {
        self.print_bytes(io, text.as_bytes().to_vec()).await
    }

    async fn print_bytes(&self, io: &Io, bytes: Vec<u8>) -> Result<i32, Flow> {
        match io.stdout.write(bytes).await {
            Ok(()) => Ok(0),
            Err(Exit(s)) => Err(Flow::Exit(s)),
        }
    }

    /// Runs a text in this shell.
    async fn inline(&self, text: &str, io: &Io) -> Result<i32, Flow> {
        match self.run(text, io).await {
            (s, true) => Err(Flow::Exit(s)),
            (s, false) => Ok(s),
        }
    }

    async fn cd(&self, to: Option<&str>, io: &Io) -> i32 {
        let target = match to {
            None => self.state().get("HOME").unwrap_or("/root").to_owned(),
            Some("-") => self.state().get("OLDPWD").unwrap_or("/").to_owned(),
            Some(t) => t.to_owned(),
        };
        let path = Fs::resolve(&self.cwd(), &target);
        match self.world.fs.stat(&path) {
            Ok(s) if s.dir => {
                let mut st = self.state();
                let old = core::mem::replace(&mut st.cwd, path.clone());
                st.export("OLDPWD", &old);
                st.export("PWD", &path);
                0
            }
            Ok(_) => {
                self.complain(io, &format!("cd: {target}: Not a directory")).await;
                1
            }
            Err(e) => {
                self.complain(io, &format!("cd: {target}: {e}")).await;
                1
            }
        }
    }

    async fn assign(&self, args: &[String], export: bool, io: &Io) -> Result<i32, Flow> {
        if args.is_empty() || args == ["-p"] {
            let lines: String =
                self.state().environment().iter().map(|(k, v)| format!("declare -x {k}=\"{v}\"\n")).collect();
            return self.print(io, &lines).await;
        }
        for a in args.iter().filter(|a| !a.starts_with('-')) {
            let (k, v) = a.split_once('=').map_or((a.as_str(), None), |(k, v)| (k, Some(v)));
            let valid = !k.is_empty()
                && !k.starts_with(|c: char| c.is_ascii_digit())
                && k.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !valid {
                self.complain(io, &format!("export: `{a}': not a valid identifier")).await;
                return Ok(1);
            }
            let mut s = self.state();
            if let Some(v) = v {
                s.set(k, v);
            }
            if export {
                s.vars.entry(k.to_owned()).or_default().exported = true;
            } else if v.is_none() {
                s.set(k, "");
            }
        }
        Ok(0)
    }

    async fn alias_command(&self, args: &[String], io: &Io) -> Result<i32, Flow> {
        let mut text = String::new();
        let mut status = 0;
        if args.is_empty() {
            text = self.state().aliases.iter().map(|(k, v)| format!("alias {k}='{v}'\n")).collect();
        }
        for a in args {
            let known = self.state().aliases.get(a).cloned();
            match (a.split_once('='), known) {
                (Some((k, v)), _) => self.alias(k, v),
                (None, Some(v)) => text += &format!("alias {a}='{v}'\n"),
                (None, None) => {
                    self.complain(io, &format!("alias: {a}: not found")).await;
                    status = 1;
                }
            }
        }
        self.print(io, &text).await?;
        Ok(status)
    }

    async fn set_options(&self, args: &[String], io: &Io) -> i32 {
        let mut i = 0;
        while let Some(a) = args.get(i) {
            let on = a.starts_with('-');
            if a == "--" || !(on || a.starts_with('+')) {
                let rest = args[i + usize::from(a == "--")..].to_vec();
                self.state().args = rest;
                return 0;
            }
            for c in a[1..].chars() {
                let option = if c == 'o' {
                    i += 1;
                    args.get(i).map_or("", String::as_str)
                } else {
                    ["errexit", "xtrace", "nounset"]
                        .into_iter()
                        .find(|n| {
                            n.contains(c)
                                && "exu".contains(c)
                                && match c {
                                    'e' => *n == "errexit",
                                    'x' => *n == "xtrace",
                                    _ => *n == "nounset",
                                }
                        })
                        .unwrap_or("")
                };
                let mut s = self.state();
                match option {
                    "errexit" => s.errexit = on,
                    "xtrace" => s.xtrace = on,
                    "nounset" => s.nounset = on,
                    "pipefail" => s.pipefail = on,
                    _ => {
                        drop(s);
                        self.complain(io, &format!("set: not modelled here: {a}")).await;
                        return 2;
                    }
                }
            }
            i += 1;
        }
        0
    }

    async fn read(&self, args: &[String], io: &Io) -> i32 {
        let mut names = Vec::new();
        let mut raw = false;
        let mut it = args.iter();
        while let Some(a) = it.next() {
            match a.as_str() {
                "-r" => raw = true,
                "-p" => drop(it.next()),
                "-s" => {}
                n => names.push(n.to_owned()),
            }
        }
        let Some(line) = io.stdin.line().await else { return 1 };
        let mut text = String::from_utf8_lossy(&line).into_owned();
        if !raw {
            text = text.replace('\\', "");
        }
        if names.is_empty() {
            self.state().set("REPLY", text);
            return 0;
        }
        let ifs = self.state().get("IFS").unwrap_or(" \t\n").to_owned();
        let mut rest = text.trim_matches(|c: char| ifs.contains(c) && c.is_whitespace());
        for (i, n) in names.iter().enumerate() {
            let value = if i + 1 == names.len() {
                core::mem::take(&mut rest)
            } else {
                let (head, tail) = rest.split_once(|c| ifs.contains(c)).unwrap_or((rest, ""));
                rest = tail.trim_start_matches(|c: char| ifs.contains(c) && c.is_whitespace());
                head
            };
            self.state().set(n, value);
        }
        0
    }

    async fn describe(&self, name: &str, args: &[String], io: &Io) -> Option<Result<i32, Flow>> {
        let verbose = args.first().is_some_and(|a| a == "-v" || a == "-V");
        if name == "command" && !verbose {
            let (cmd, rest) = args.split_first()?;
            if let Some(r) = self.builtin(cmd, rest, io).await {
                return Some(r);
            }
            let sub = self.fork();
            sub.state().functions.clear();
            return Some(sub.invoke(cmd, rest.to_vec(), io).await);
        }
        let mut status = 0;
        for a in args.iter().filter(|a| !a.starts_with('-')) {
            let short = name == "command";
            let (alias, function) = {
                let s = self.state();
                (s.aliases.get(a).cloned(), s.functions.contains_key(a))
            };
            let text = match alias {
                Some(v) if short => format!("alias {a}='{v}'\n"),
                Some(v) => format!("{a} is aliased to `{v}'\n"),
                None if short && (function || NAMES.contains(&a.as_str())) => format!("{a}\n"),
                None if function => format!("{a} is a function\n"),
                None if NAMES.contains(&a.as_str()) => format!("{a} is a shell builtin\n"),
                None if self.world.commands.contains_key(a.as_str()) && short => format!("/usr/bin/{a}\n"),
                None if self.world.commands.contains_key(a.as_str()) => format!("{a} is /usr/bin/{a}\n"),
                None => {
                    if !short {
                        self.complain(io, &format!("type: {a}: not found")).await;
                    }
                    status = 1;
                    continue;
                }
            };
            if let Err(f) = self.print(io, &text).await {
                return Some(Err(f));
            }
        }
        Some(Ok(status))
    }

    async fn wait(&self, args: &[String]) -> i32 {
        let wanted: Vec<u32> = args.iter().filter_map(|a| a.trim_start_matches('%').parse().ok()).collect();
        let jobs: Vec<crate::exec::Job> = {
            let mut all = self.world.jobs.borrow_mut();
            let taken = core::mem::take(&mut *all);
            let (mine, rest) = taken
                .into_iter()
                .partition(|j| wanted.is_empty() || wanted.contains(&j.pid) || wanted.contains(&j.number));
            *all = rest;
            mine
        };
        let mut status = if jobs.is_empty() && !wanted.is_empty() { 127 } else { 0 };
        for j in jobs {
            let done = j.done.get();
            let ended = j.task.await;
            if !wanted.is_empty() {
                status = done.or(ended).unwrap_or(143);
            }
        }
        status
    }

    async fn kill(&self, args: &[String], io: &Io) -> i32 {
        let mut status = 0;
        for a in args.iter().filter(|a| !a.starts_with('-')) {
            let id: u32 = a.trim_start_matches('%').parse().unwrap_or(0);
            let by_number = a.starts_with('%');
            let found = {
                let jobs = self.world.jobs.borrow();
                let job = jobs
                    .iter()
                    .find(|j| j.done.get().is_none() && if by_number { j.number == id } else { j.pid == id });
                job.inspect(|j| {
                    j.task.abort();
                    j.done.set(Some(143));
                })
                .is_some()
            };
            if !found {
                let why = if by_number { "no such job" } else { "No such process" };
                let who = if by_number { a.clone() } else { format!("({a})") };
                self.complain(
                    io,
                    &format!("kill: {who} - {why}")
                        .replace("%", "%")
                        .replace(" - no such job", ": no such job"),
                )
                .await;
                status = 1;
            }
        }
        status
    }
}
