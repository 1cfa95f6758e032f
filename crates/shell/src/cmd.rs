//! What a command is given, and how commands are registered.

use crate::{Exit, Fs, Io, Shell};
use futures::future::LocalBoxFuture;
use sim::{Process, Sim};
use std::collections::BTreeMap;

/// A command's end: its exit status, or [`Exit`] when it had to stop (a message was printed, or a pipe broke).
pub type Ran = Result<i32, Exit>;

/// A command.
pub type CommandFn = fn(Cmd) -> LocalBoxFuture<'static, Ran>;

/// Commands by name.
pub type Commands = BTreeMap<&'static str, CommandFn>;

/// What only the page can do.
pub trait Host {
    /// Lets a person edit `text`; `None` if they closed the editor without saving, or if there is no editor.
    fn edit(&self, name: &str, text: &str) -> LocalBoxFuture<'static, Option<String>>;
    /// Whether [`Host::edit`] can show an editor.
    fn has_editor(&self) -> bool;
    /// Clears the terminal.
    fn clear(&self);
}

/// No page: scripts.
pub struct NoHost;

impl Host for NoHost {
    fn edit(&self, _: &str, _: &str) -> LocalBoxFuture<'static, Option<String>> {
        Box::pin(async { None })
    }
    fn has_editor(&self) -> bool {
        false
    }
    fn clear(&self) {}
}

/// One run of a command.
pub struct Cmd {
    /// The name it was called by.
    pub name: String,
    /// Its arguments, without the name.
    pub args: Vec<String>,
    /// Exported variables.
    pub env: BTreeMap<String, String>,
    /// Working directory.
    pub cwd: String,
    /// Its streams.
    pub io: Io,
    /// A copy of the shell that started it, to run other commands with.
    pub shell: Shell,
}

impl Cmd {
    /// The simulated machine.
    pub fn sim(&self) -> &Sim {
        &self.shell.world.sim
    }

    /// The process it runs in.
    pub fn process(&self) -> &Process {
        &self.shell.world.process
    }

    /// The files.
    pub fn fs(&self) -> &Fs {
        &self.shell.world.fs
    }

    /// What the page can do.
    pub fn host(&self) -> &dyn Host {
        &*self.shell.world.host
    }

    /// `path` as an absolute path.
    pub fn path(&self, path: &str) -> String {
        Fs::resolve(&self.cwd, path)
    }

    /// Prints to standard output.
    pub async fn out(&self, text: impl Into<bytes::Bytes>) -> Result<(), Exit> {
        self.io.stdout.write(text).await
    }

    /// Prints to standard error.
    pub async fn err(&self, text: impl Into<bytes::Bytes>) -> Result<(), Exit> {
        self.io.stderr.write(text).await
    }

    /// Prints `NAME: text` to standard error and ends with `status`.
    pub async fn fail(&self, status: i32, text: &str) -> Ran {
        self.err(format!("{}: {text}\n", self.name)).await?;
        Ok(status)
    }

    /// A file's bytes (`-`: standard input); the error is `file: reason`.
    pub async fn read_file(&self, file: &str) -> Result<bytes::Bytes, String> {
        match file {
            "-" | "/dev/stdin" => Ok(self.io.stdin.read_all().await.into()),
            f => self.fs().read(&self.path(f)).map_err(|e| format!("{f}: {e}")),
        }
    }

    /// Runs another command by name with the given streams.
    pub async fn run(&self, name: &str, args: Vec<String>, io: &Io) -> i32 {
        let sub = self.shell.fork();
        match sub.invoke(name, args, io).await {
            Ok(s) => s,
            Err(f) => f.status(),
        }
    }
}

impl crate::exec::Flow {
    pub(crate) fn status(self) -> i32 {
        match self {
            Self::Exit(s) | Self::Return(s) | Self::Fail(s) => s,
            Self::Break(_) | Self::Continue(_) => 0,
        }
    }
}
