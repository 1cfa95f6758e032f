//! A terminal: a shell that reads lines, and what the page must know of it.

use crate::io::{Input, Io, Output, pipe};
use crate::parse::{ParseError, parse};
use crate::{Commands, Fs, Host, Shell};
use bytes::Bytes;
use sim::{Process, Task};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What a terminal tells its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    /// Standard output and standard error, in the order written.
    Output(Bytes),
    /// It awaits a line; `more` within an unfinished construct.
    Prompt { prompt: String, more: bool },
    /// A command began.
    Busy(String),
    /// The shell was told to exit.
    Exit(i32),
}

/// One terminal.
pub struct Session {
    shell: Shell,
    process: Process,
    emit: Rc<dyn Fn(SessionEvent)>,
    /// Lines of an unfinished construct.
    pending: RefCell<String>,
    running: RefCell<Option<(Task<()>, Output)>>,
    busy: Rc<Cell<bool>>,
    history: RefCell<Vec<String>>,
}

impl Session {
    /// A terminal whose commands run in `process`.
    pub fn new(
        process: &Process,
        fs: &Fs,
        commands: Rc<Commands>,
        host: Rc<dyn Host>,
        emit: impl Fn(SessionEvent) + 'static,
    ) -> Session {
        let shell = Shell::new(process, fs, commands, host);
        Session {
            shell,
            process: process.clone(),
            emit: Rc::new(emit),
            pending: RefCell::default(),
            running: RefCell::default(),
            busy: Rc::default(),
            history: RefCell::default(),
        }
    }

    /// The shell, to set variables and aliases.
    pub fn shell(&self) -> &Shell {
        &self.shell
    }

    /// Whether a command runs.
    pub fn busy(&self) -> bool {
        self.busy.get()
    }

    /// Lines entered so far.
    pub fn history(&self) -> Vec<String> {
        self.history.borrow().clone()
    }

    fn output(&self) -> Output {
        let emit = self.emit.clone();
        Output::sink(move |d| emit(SessionEvent::Output(Bytes::copy_from_slice(d))))
    }

    /// Tells the page that a line is awaited.
    pub fn prompt(&self) {
        let more = !self.pending.borrow().is_empty();
        let cwd = self.shell.cwd();
        let short = cwd.strip_prefix("/root").map_or(cwd.clone(), |rest| format!("~{rest}"));
        let prompt = if more { "> ".to_owned() } else { format!("{short} $ ") };
        (self.emit)(SessionEvent::Prompt { prompt, more });
    }

    /// Takes a line: a command, or input of the command that runs.
    pub fn line(self: &Rc<Self>, line: &str) {
        if self.busy() {
            let stdin = self.running.borrow().as_ref().map(|r| r.1.clone());
            if let Some(stdin) = stdin {
                let text = format!("{line}\n");
                self.process.spawn(async move {
                    let _ = stdin.write(text).await; // the command may have stopped reading
                });
            }
            return;
        }
        let text = {
            let mut p = self.pending.borrow_mut();
            p.push_str(line);
            p.push('\n');
            p.clone()
        };
        if matches!(parse(&text), Err(ParseError::Incomplete(_))) {
            return self.prompt();
        }
        self.pending.borrow_mut().clear();
        if text.trim().is_empty() {
            return self.prompt();
        }
        self.history.borrow_mut().push(text.trim_end().to_owned());
        (self.emit)(SessionEvent::Busy(text.trim().to_owned()));
        self.busy.set(true);
        let (stdin_writer, stdin) = pipe();
        let io = Io { stdin, stdout: self.output(), stderr: self.output() };
        let me = self.clone();
        let task = self.process.spawn(async move {
            let (status, exited) = me.shell.run(&text, &io).await;
            me.busy.set(false);
            me.running.borrow_mut().take();
            if exited {
                (me.emit)(SessionEvent::Exit(status));
            } else {
                me.prompt();
            }
        });
        *self.running.borrow_mut() = Some((task, stdin_writer));
    }

    /// Ctrl-C: ends what runs, or drops an unfinished construct.
    pub fn interrupt(&self) {
        let running = self.running.borrow_mut().take();
        self.pending.borrow_mut().clear();
        (self.emit)(SessionEvent::Output(Bytes::from_static(b"^C\n")));
        if let Some((task, _)) = running {
            task.abort();
            self.busy.set(false);
            self.shell.state().status = 130;
        }
        self.prompt();
    }

    /// Ctrl-D: ends the input of what runs.
    pub fn end_of_input(&self) {
        if let Some(r) = self.running.borrow_mut().as_mut() {
            r.1 = Output::null();
        }
    }

    /// Runs a whole script; its exit status. Output goes to the page as it comes.
    pub async fn script(&self, text: &str) -> i32 {
        let io = Io { stdin: Input::empty(), stdout: self.output(), stderr: self.output() };
        let (status, _) = self.shell.run(text, &io).await;
        self.shell.at_exit(&io).await;
        status
    }
}
