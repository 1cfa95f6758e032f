//! The terminal: a POSIX-like line language, its tools, `kubectl` and `etcdctl`, all inside the simulated world.
//!
//! ```text
//!   text ─ parse ─▶ ast ─ exec ─▶ expand words ─▶ builtin │ function │ Command(Cmd) ─▶ exit status
//! ```
//! A command is an async function from a [`Cmd`] (arguments, environment, streams, the shell it was started from) to an
//! exit status. Commands of a pipeline run side by side on the world's executor, and Ctrl-C is dropping their future.
//!
//! Not modelled here: job control beyond `&`, `jobs`, `wait` and `kill`; process substitution; arrays.

mod arith;
pub mod ast;
mod builtins;
mod cmd;
mod condition;
pub mod etcdctl;
mod exec;
mod expand;
mod fs;
mod io;
mod parse;
mod pattern;
mod session;
mod state;
pub mod tools;

pub use cmd::{Cmd, CommandFn, Commands, Host, NoHost, Ran};
pub use exec::Shell;
pub use fs::{Fs, FsError, Stat};
pub use io::{Exit, Input, Io, Output, PIPE_BYTES, pipe};
pub use parse::{ParseError, parse};
pub use session::{Session, SessionEvent};

#[cfg(test)]
mod tests;
