//! Running what was parsed. Everything is a future on the world's executor; dropping it is Ctrl-C.

use crate::ast::{AndOr, Command, CommandKind, List, Pipeline, Redirect, RedirectKind, Word};
use crate::fs::Fs;
use crate::io::{Exit, Input, Io, Output, pipe};
use crate::parse::{ParseError, parse};
use crate::pattern;
use crate::state::{State, Var};
use crate::{Cmd, Commands, Host};
use futures::future::{FutureExt, LocalBoxFuture, join_all};
use sim::{Process, Sim};
use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

/// How deep functions, scripts and subshells may call each other.
const CALLS: u32 = 60;

/// Why a list ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Break(u32),
    Continue(u32),
    Return(i32),
    Exit(i32),
    /// The command could not run; its message was printed.
    Fail(i32),
}

/// What all shells of a terminal share.
pub(crate) struct World {
    pub(crate) sim: Sim,
    pub(crate) process: Process,
    pub(crate) fs: Fs,
    pub(crate) commands: Rc<Commands>,
    pub(crate) host: Rc<dyn Host>,
    next_pid: Cell<u32>,
    pub(crate) jobs: RefCell<Vec<Job>>,
}

/// A command that runs in the background.
pub(crate) struct Job {
    pub(crate) number: u32,
    pub(crate) pid: u32,
    pub(crate) task: sim::Task<i32>,
    pub(crate) done: Rc<Cell<Option<i32>>>,
}

/// A shell: its state, and the world it works on.
#[derive(Clone)]
pub struct Shell {
    state: Rc<RefCell<State>>,
    pub(crate) world: Rc<World>,
    pid: u32,
}

impl Shell {
    /// A login shell in `/root`.
    pub fn new(process: &Process, fs: &Fs, commands: Rc<Commands>, host: Rc<dyn Host>) -> Shell {
        let world = World {
            sim: process.sim().clone(),
            process: process.clone(),
            fs: fs.clone(),
            commands,
            host,
            next_pid: Cell::new(1001),
            jobs: RefCell::default(),
        };
        Shell { state: Rc::new(RefCell::new(State::new())), world: Rc::new(world), pid: 1000 }
    }

    pub(crate) fn state(&self) -> RefMut<'_, State> {
        self.state.borrow_mut()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// A shell with a copy of this one's state.
    pub(crate) fn fork(&self) -> Shell {
        Shell {
            state: Rc::new(RefCell::new(self.state.borrow().clone())),
            world: self.world.clone(),
            pid: self.pid,
        }
    }

    /// Sets a variable that commands see.
    pub fn export(&self, name: &str, value: &str) {
        self.state().export(name, value);
    }

    /// Gives a name to a text that stands for it at the start of a command.
    pub fn alias(&self, name: &str, value: &str) {
        self.state().aliases.insert(name.to_owned(), value.to_owned());
    }

    /// The working directory.
    pub fn cwd(&self) -> String {
        self.state.borrow().cwd.clone()
    }

    /// The exit status of the last command.
    pub fn status(&self) -> i32 {
        self.state.borrow().status
    }

    /// Prints a message of the shell itself.
    pub(crate) async fn complain(&self, io: &Io, text: &str) {
        let name = self.state.borrow().name.clone();
        let _ = io.stderr.write(format!("{name}: {text}\n")).await; // nobody may be reading
    }

    /// Runs a script; its exit status, and whether it asked the shell to exit.
    pub async fn run(&self, text: &str, io: &Io) -> (i32, bool) {
        let list = match parse(text) {
            Ok(list) => list,
            Err(e) => {
                let text = match e {
                    ParseError::Incomplete(_) => "syntax error: unexpected end of file".to_owned(),
                    ParseError::Syntax(s) => s,
                };
                self.complain(io, &text).await;
                self.state().status = 2;
                return (2, false);
            }
        };
        let (status, exited) = match self.list(&list, io, false).await {
            Ok(s) => (s, false),
            Err(Flow::Exit(s)) => (s, true),
            Err(Flow::Return(s) | Flow::Fail(s)) => (s, false),
            Err(Flow::Break(_) | Flow::Continue(_)) => (0, false),
        };
        self.state().status = status;
        (status, exited)
    }

    /// Runs what `trap … EXIT` left.
    pub async fn at_exit(&self, io: &Io) {
        let trap = self.state().exit_trap.take();
        if let Some(t) = trap {
            self.run(&t, io).await;
        }
    }

    pub(crate) async fn run_subshell(&self, list: &List, io: &Io) -> i32 {
        if !self.enter(io).await {
            return 1;
        }
        self.state().exit_trap = None;
        let status = match self.list(list, io, false).await {
            Ok(s) | Err(Flow::Exit(s) | Flow::Return(s) | Flow::Fail(s)) => s,
            Err(Flow::Break(_) | Flow::Continue(_)) => 0,
        };
        self.at_exit(io).await;
        status
    }

    /// Counts a call; false (with a message) if calls nest too deeply.
    async fn enter(&self, io: &Io) -> bool {
        let calls = {
            let mut s = self.state();
            s.calls += 1;
            s.calls
        };
        if calls > CALLS {
            self.complain(io, "maximum function nesting level exceeded").await;
        }
        calls <= CALLS
    }

    fn list<'a>(
        &'a self,
        list: &'a List,
        io: &'a Io,
        condition: bool,
    ) -> LocalBoxFuture<'a, Result<i32, Flow>> {
        async move {
            let mut status = 0;
            for item in list {
                if item.background {
                    self.background(item, io).await;
                    status = 0;
                } else {
                    status = self.and_or(item, io, condition).await?;
                }
                self.state().status = status;
            }
            Ok(status)
        }
        .boxed_local()
    }

    async fn background(&self, item: &AndOr, io: &Io) {
        let pid = self.world.next_pid.get();
        self.world.next_pid.set(pid + 1);
        let (sub, io) = (self.fork(), Io { stdin: Input::empty(), ..io.clone() });
        let list = vec![AndOr { background: false, ..item.clone() }];
        let done: Rc<Cell<Option<i32>>> = Rc::default();
        let d = done.clone();
        let task = self.world.process.spawn(async move {
            let status = sub.run_subshell(&list, &io).await;
            d.set(Some(status));
            status
        });
        let mut jobs = self.world.jobs.borrow_mut();
        jobs.retain(|j| j.done.get().is_none());
        let number = jobs.last().map_or(1, |j| j.number + 1);
        jobs.push(Job { number, pid, task, done });
        self.state().last_background = pid;
    }

    async fn and_or(&self, item: &AndOr, io: &Io, condition: bool) -> Result<i32, Flow> {
        let last = item.rest.len();
        let mut status = self.pipeline(&item.first, io, condition || last > 0).await?;
        for (i, (and, p)) in item.rest.iter().enumerate() {
            if (status == 0) == *and {
                status = self.pipeline(p, io, condition || i + 1 < last).await?;
            }
        }
        Ok(status)
    }

    async fn pipeline(&self, p: &Pipeline, io: &Io, condition: bool) -> Result<i32, Flow> {
        let tested = condition || p.negate;
        let status = match p.commands.as_slice() {
            [one] => match self.command(one, io, tested).await {
                Err(Flow::Fail(s)) => s,
                r => r?,
            },
            many => {
                let mut stdin = io.stdin.clone();
                let mut running = Vec::new();
                for (i, c) in many.iter().enumerate() {
                    let (stdout, next) =
                        if i + 1 < many.len() { pipe() } else { (io.stdout.clone(), Input::empty()) };
                    let io =
                        Io { stdin: core::mem::replace(&mut stdin, next), stdout, stderr: io.stderr.clone() };
                    let sub = self.fork();
                    running.push(async move {
                        match sub.command(c, &io, true).await {
                            Ok(s) | Err(Flow::Exit(s) | Flow::Return(s) | Flow::Fail(s)) => s,
                            Err(_) => 0,
                        }
                    });
                }
                drop(stdin);
                let all = join_all(running).await;
                let worst = all.iter().copied().rev().find(|s| *s != 0);
                if self.state().pipefail { worst.unwrap_or(0) } else { all.last().copied().unwrap_or(0) }
            }
        };
        let status = if p.negate { i32::from(status == 0) } else { status };
        self.state().status = status;
        if status != 0 && !tested && self.state().errexit {
            return Err(Flow::Exit(status));
        }
        Ok(status)
    }

    fn command<'a>(
        &'a self,
        c: &'a Command,
        io: &'a Io,
        tested: bool,
    ) -> LocalBoxFuture<'a, Result<i32, Flow>> {
        async move {
            let Some(io) = self.redirect(&c.redirects, io).await? else { return Ok(1) };
            let io = &io;
            match &c.kind {
                CommandKind::Simple { assigns, words } => self.simple(assigns, words, io).await,
                CommandKind::Group(list) => self.list(list, io, tested).await,
                CommandKind::Subshell(list) => Ok(self.fork().run_subshell(list, io).await),
                CommandKind::If { arms, otherwise } => {
                    for (condition, body) in arms {
                        if self.list(condition, io, true).await? == 0 {
                            return self.list(body, io, tested).await;
                        }
                    }
                    match otherwise {
                        Some(body) => self.list(body, io, tested).await,
                        None => Ok(0),
                    }
                }
                CommandKind::While { until, condition, body } => {
                    let mut status = 0;
                    while (self.list(condition, io, true).await? == 0) != *until {
                        match self.list(body, io, tested).await {
                            Ok(s) => status = s,
                            Err(f) => match leave(f) {
                                Some(Ok(())) => break,
                                Some(Err(f)) => return Err(f),
                                None => {}
                            },
                        }
                        self.world.sim.yield_now().await;
                    }
                    Ok(status)
                }
                CommandKind::For { name, words, body } => {
                    let items = match words {
                        Some(w) => self.fields(w, io).await?,
                        None => self.state().args.clone(),
                    };
                    let mut status = 0;
                    for item in items {
                        self.state().set(name, item);
                        match self.list(body, io, tested).await {
                            Ok(s) => status = s,
                            Err(f) => match leave(f) {
                                Some(Ok(())) => break,
                                Some(Err(f)) => return Err(f),
                                None => {}
                            },
                        }
                        self.world.sim.yield_now().await;
                    }
                    Ok(status)
                }
                CommandKind::Case { word, arms } => {
                    let text: Vec<char> = self.string(word, io).await?.chars().collect();
                    for (patterns, body) in arms {
                        for p in patterns {
                            if pattern::matches(&self.chars(p, io).await?, &text) {
                                return self.list(body, io, tested).await;
                            }
                        }
                    }
                    Ok(0)
                }
                CommandKind::Function { name, body } => {
                    self.state().functions.insert(name.clone(), body.clone());
                    Ok(0)
                }
                CommandKind::Test(words) => self.double_bracket(words, io).await,
                CommandKind::Arith(word) => Ok(i32::from(self.arith(word, io).await? == 0)),
            }
        }
        .boxed_local()
    }

    /// The streams after redirections; `None` if one failed, which was said.
    async fn redirect(&self, redirects: &[Redirect], io: &Io) -> Result<Option<Io>, Flow> {
        let mut io = io.clone();
        for r in redirects {
            let fs = &self.world.fs;
            fs.set_clock(self.world.sim.unix_nanos());
            match &r.kind {
                RedirectKind::Read(w) => {
                    let name = self.string(w, &io).await?;
                    let path = Fs::resolve(&self.cwd(), &name);
                    if path == "/dev/zero" {
                        io.stdin = Input::zero();
                        continue;
                    }
                    match fs.read(&path) {
                        Ok(d) => io.stdin = Input::data(d),
                        Err(e) => {
                            self.complain(&io, &format!("{name}: {e}")).await;
                            return Ok(None);
                        }
                    }
                }
                RedirectKind::Here(slot) => {
                    let w = slot.borrow().clone();
                    io.stdin = Input::data(self.string(&w, &io).await?);
                }
                RedirectKind::HereString(w) => io.stdin = Input::data(self.string(w, &io).await? + "\n"),
                RedirectKind::Duplicate(w) => match (r.fd, self.string(w, &io).await?.as_str()) {
                    (2, "1") => io.stderr = io.stdout.clone(),
                    (1, "2") => io.stdout = io.stderr.clone(),
                    (0, "0" | "-") | (1, "1") | (2, "2") => {}
                    (1, "-") => io.stdout = Output::null(),
                    (2, "-") => io.stderr = Output::null(),
                    (_, other) => {
                        self.complain(&io, &format!("{other}: Bad file descriptor")).await;
                        return Ok(None);
                    }
                },
                RedirectKind::Write(w) | RedirectKind::Append(w) => {
                    let name = self.string(w, &io).await?;
                    let path = Fs::resolve(&self.cwd(), &name);
                    let out = match path.as_str() {
                        "/dev/null" => Output::null(),
                        "/dev/stdout" => io.stdout.clone(),
                        "/dev/stderr" => io.stderr.clone(),
                        _ => {
                            let keep = matches!(r.kind, RedirectKind::Append(_))
                                && fs.stat(&path).is_ok_and(|s| !s.dir);
                            if !keep && let Err(e) = fs.write(&path, b"") {
                                self.complain(&io, &format!("{name}: {e}")).await;
                                return Ok(None);
                            }
                            Output::file(fs, &path)
                        }
                    };
                    match r.fd {
                        2 => io.stderr = out,
                        -1 => (io.stdout, io.stderr) = (out.clone(), out),
                        _ => io.stdout = out,
                    }
                }
            }
        }
        Ok(Some(io))
    }

    async fn simple(&self, assigns: &[(String, Word)], words: &[Word], io: &Io) -> Result<i32, Flow> {
        let words = self.unalias(words);
        self.state().status = if words.is_empty() { 0 } else { self.status() };
        let mut argv = self.fields(&words, io).await?;
        let mut values = Vec::new();
        for (name, w) in assigns {
            values.push((name.clone(), self.string(w, io).await?));
        }
        if self.state().xtrace && (!argv.is_empty() || !values.is_empty()) {
            let set = values.iter().map(|(k, v)| format!("{k}={v}"));
            let text = set.chain(argv.iter().cloned()).collect::<Vec<_>>().join(" ");
            let _ = io.stderr.write(format!("+ {text}\n")).await; // nobody may be reading
        }
        if argv.is_empty() {
            for (k, v) in values {
                self.state().set(&k, v);
            }
            return Ok(self.status());
        }
        let name = argv.remove(0);
        // Assignments before a command hold for that command only.
        let mut hidden: Vec<(String, Option<Var>)> = Vec::new();
        for (k, v) in &values {
            let mut s = self.state();
            hidden.push((k.clone(), s.vars.get(k).cloned()));
            s.export(k, v);
        }
        let r = self.invoke(&name, argv, io).await;
        for (k, old) in hidden {
            match old {
                Some(v) => self.state().vars.insert(k, v),
                None => self.state().vars.remove(&k),
            };
        }
        r
    }

    /// Replaces an alias at the start of a command.
    fn unalias(&self, words: &[Word]) -> Vec<Word> {
        let Some(Word(first)) = words.first() else { return Vec::new() };
        let text = match first.as_slice() {
            [crate::ast::Part::Text(t)] => self.state().aliases.get(t).cloned(),
            _ => None,
        };
        let parsed = text.and_then(|t| parse(&t).ok());
        if let Some([AndOr { first: Pipeline { commands, .. }, rest, .. }]) = parsed.as_deref()
            && rest.is_empty()
            && let [Command { kind: CommandKind::Simple { words: alias, .. }, .. }] = commands.as_slice()
        {
            return alias.iter().chain(&words[1..]).cloned().collect();
        }
        words.to_vec()
    }

    /// Runs a command by its name: a function, a builtin, a tool, or a script.
    pub(crate) fn invoke<'a>(
        &'a self,
        name: &'a str,
        args: Vec<String>,
        io: &'a Io,
    ) -> LocalBoxFuture<'a, Result<i32, Flow>> {
        async move {
            let function = self.state().functions.get(name).cloned();
            if let Some(body) = function {
                return self.call(&body, args, io).await;
            }
            if let Some(r) = self.builtin(name, &args, io).await {
                return r;
            }
            if name.contains('/') && !self.world.commands.contains_key(base_name(name)) {
                return self.script(name, args, io).await;
            }
            match self.world.commands.get(base_name(name)) {
                Some(run) => {
                    self.world.fs.set_clock(self.world.sim.unix_nanos());
                    let cwd = self.cwd();
                    let env = self.state().environment();
                    let cmd = Cmd {
                        name: base_name(name).to_owned(),
                        args,
                        env,
                        cwd,
                        io: io.clone(),
                        shell: self.fork(),
                    };
                    Ok(match run(cmd).await {
                        Ok(s) | Err(Exit(s)) => s,
                    })
                }
                None => {
                    self.complain(io, &format!("{name}: command not found")).await;
                    Ok(127)
                }
            }
        }
        .boxed_local()
    }

    async fn call(&self, body: &Command, args: Vec<String>, io: &Io) -> Result<i32, Flow> {
        if !self.enter(io).await {
            self.state().calls -= 1;
            return Ok(1);
        }
        let saved = core::mem::replace(&mut self.state().args, args);
        self.state().locals.push(Default::default());
        let r = self.command(body, io, false).await;
        {
            let mut s = self.state();
            s.args = saved;
            s.calls -= 1;
            for (k, old) in s.locals.pop().unwrap_or_default() {
                match old {
                    Some(v) => s.vars.insert(k, v),
                    None => s.vars.remove(&k),
                };
            }
        }
        match r {
            Err(Flow::Return(s)) => Ok(s),
            r => r,
        }
    }

    async fn script(&self, name: &str, args: Vec<String>, io: &Io) -> Result<i32, Flow> {
        let path = Fs::resolve(&self.cwd(), name);
        match self.world.fs.stat(&path) {
            Err(e) => {
                self.complain(io, &format!("{name}: {e}")).await;
                return Ok(127);
            }
            Ok(s) if s.dir => {
                self.complain(io, &format!("{name}: Is a directory")).await;
                return Ok(126);
            }
            Ok(s) if s.mode & 0o100 == 0 => {
                self.complain(io, &format!("{name}: Permission denied")).await;
                return Ok(126);
            }
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&self.world.fs.read(&path).unwrap_or_default()).into_owned();
        Ok(self.run_text(&text, name, args, io).await)
    }

    /// Runs a text as a program of its own (`sh -c`, a script).
    pub async fn run_text(&self, text: &str, name: &str, args: Vec<String>, io: &Io) -> i32 {
        let sub = self.fork();
        if !sub.enter(io).await {
            return 1;
        }
        {
            let mut s = sub.state();
            s.name = name.to_owned();
            s.args = args;
            s.vars.retain(|_, v| v.exported);
            s.functions.clear();
            s.aliases.clear();
            (s.errexit, s.xtrace, s.nounset, s.pipefail) = (false, false, false, false);
            s.exit_trap = None;
        }
        let (status, _) = sub.run(text, io).boxed_local().await;
        sub.at_exit(io).boxed_local().await;
        status
    }
}

/// What a loop does with an early end of its body: `None` goes on, `Some(Ok)` leaves it, `Some(Err)` hands it up.
fn leave(f: Flow) -> Option<Result<(), Flow>> {
    match f {
        Flow::Break(1) => Some(Ok(())),
        Flow::Break(n) => Some(Err(Flow::Break(n - 1))),
        Flow::Continue(1) => None,
        Flow::Continue(n) => Some(Err(Flow::Continue(n - 1))),
        f => Some(Err(f)),
    }
}

fn base_name(name: &str) -> &str {
    ["/bin/", "/usr/bin/", "/usr/local/bin/"].iter().find_map(|d| name.strip_prefix(d)).unwrap_or(name)
}
