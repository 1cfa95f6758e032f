//! What the page and the engine say to each other: types only, carried as postcard between a page and its own worker.
//!
//! The page sends [`Command`]s; the engine answers with [`Event`]s. A view subscribes to a *window* ([`WindowSpec`]) and is
//! sent a [`Window`] whenever what is in it has changed, so that nothing in the page grows with the size of the world.
//!
//! Three kinds of command, told apart by their first byte ([`Command`] has them in this order), because the worker treats
//! them differently:
//! * `0` [`Input`]: changes the world. The worker logs it with the event index at which it entered; going back runs the
//!   same inputs again.
//! * `1` [`View`]: only what the page looks at. Never logged; it must not draw randomness or advance the event index.
//! * `2` [`Run`]: whether and how fast time passes. Never logged.
//!
//! Going back, saving and resetting are done by the worker itself, which owns the module's memory; see [`host`].
//!
//! This format is never stored: page and worker are always of one build. Saved worlds have a versioned format of their own.

pub mod host;
pub mod view;
pub mod window;

pub use view::{Diagnostic, Severity, Suggestion, View};
pub use window::{Window, WindowId, WindowSpec};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Raised when a type here changes; both sides assert that they agree.
pub const VERSION: u32 = 1;

/// What the page asks of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    Input(Input),
    View(View),
    Run(Run),
}

/// The starting world; `Default` is the first visit's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    pub seed: u64,
    /// etcd members: 1, 3 or 5.
    pub members: u8,
    /// Nodes with a kubelet model.
    pub nodes: u8,
    pub controllers: bool,
    /// False: an empty etcd cluster at revision 1, without an API server.
    pub kube: bool,
    /// The text of an EncryptionConfiguration to start with.
    pub encryption: Option<String>,
    /// Extra flags for kube-apiserver and etcd, as on their command lines.
    pub apiserver_flags: String,
    pub etcd_flags: String,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            seed: 1,
            members: 3,
            nodes: 1,
            controllers: true,
            kube: false,
            encryption: None,
            apiserver_flags: String::new(),
            etcd_flags: String::new(),
        }
    }
}

/// One of the page's terminals, numbered by the page from 1.
pub type TermId = u32;

/// A request and everything it caused, as `sim`'s trace numbers it.
pub type TraceId = u64;

/// One span of a trace: the passing of one station (once per attempt).
pub type SpanId = u64;

/// What changes the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    TermOpen {
        term: TermId,
        cols: u16,
        rows: u16,
    },
    TermResize {
        term: TermId,
        cols: u16,
        rows: u16,
    },
    /// One line without its end: a command at the prompt, or input of the running command.
    TermLine {
        term: TermId,
        line: String,
    },
    /// Ctrl-C.
    TermInterrupt {
        term: TermId,
    },
    /// Ctrl-D on an empty line.
    TermEof {
        term: TermId,
    },
    TermClose {
        term: TermId,
    },
    /// Writes a file of the shell's file system, as saving in an editor does.
    WriteFile {
        path: String,
        data: Vec<u8>,
    },
    /// The answer to [`Event::Edit`]; `None`: the editor was closed without saving.
    Edited {
        effect: u64,
        text: Option<String>,
    },
    /// Turns encryption at rest on with this configuration, or off: writes the file and the flag in
    /// /etc/kubernetes/manifests/kube-apiserver.yaml, which restarts the API server.
    Encryption {
        config: Option<String>,
    },
    Fault(Fault),
    /// Requests that match stop at this station while the world goes on.
    Hold {
        trace: Option<TraceId>,
        station: String,
    },
    /// Ends a hold; what waited goes on.
    Release {
        trace: Option<TraceId>,
        station: String,
    },
}

/// What a person can break. Processes are named as in the cluster window (`m1`, `kube-apiserver`, …).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    Crash {
        process: String,
    },
    Restart {
        process: String,
    },
    Pause {
        process: String,
    },
    Resume {
        process: String,
    },
    /// Cuts the link from one member to another, in that direction only unless `both`.
    Cut {
        from: String,
        to: String,
        both: bool,
    },
    Heal {
        from: String,
        to: String,
        both: bool,
    },
}

/// Whether and how fast time passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Run {
    Pause,
    /// Follow the wall clock times `speed`/1000.
    Go {
        speed: u32,
    },
    /// As fast as possible.
    Fast,
    /// One event of the engine, then pause.
    StepEvent,
    /// Until the followed request (or, without one, any request) enters its next station, or ends, or nothing more
    /// happens for 60 virtual seconds; then pause.
    StepStation,
    /// Until the followed request enters this station (kebab-case, as in [`window::Stop::station`]); then pause.
    UntilStation {
        station: String,
    },
    /// Until every terminal's command has ended, or `limit` nanoseconds of virtual time have passed; then pause.
    UntilIdle {
        limit: u64,
    },
}

/// What the engine says unasked, or in answer to a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Bytes for a terminal (UTF-8 with `\n` line ends; the page turns them into `\r\n`).
    Term { term: TermId, data: Vec<u8> },
    /// The terminal awaits a line; `more` within a here-document or an unfinished quote.
    Prompt { term: TermId, prompt: String, more: bool },
    /// A command began: the terminal's line is now the command's input.
    Busy { term: TermId, command: String },
    /// `clear` and Ctrl-L.
    Clear { term: TermId },
    /// A subscribed window has new content.
    Window { id: WindowId, window: Box<Window> },
    /// The answer to [`View::Check`].
    Diagnostics { ask: u32, list: Vec<Diagnostic> },
    /// The answer to [`View::Complete`]: what may stand from byte `from` of the line on.
    Completions { ask: u32, from: u32, list: Vec<Suggestion> },
    /// The answer to [`View::Suggest`].
    Suggestions { ask: u32, from: u32, list: Vec<Suggestion> },
    /// `kubectl edit` (or another program) asks the page's editor for a text; answered by [`Input::Edited`].
    Edit { effect: u64, term: TermId, name: String, text: String },
    /// What was asked cannot be done; a text of the originals where they have one.
    Refused { what: String, why: String },
}

/// How far one call of `run` got: what the worker needs to pace the next one, and the page to draw the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ran {
    /// Index of the last event that has happened.
    pub event: u64,
    /// Virtual time, nanoseconds since the world's start.
    pub now: u64,
    /// When the next event will happen, if one is due at all.
    pub next: Option<u64>,
    /// The store's revision, as the newest member has applied it.
    pub revision: u64,
    pub mode: Mode,
    /// Something on the disks changed since the last save.
    pub dirty: bool,
}

/// Whether time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Mode {
    #[default]
    Paused,
    /// Following the wall clock times `speed`/1000.
    Going { speed: u32 },
    /// As fast as possible, or stepping to a stop.
    Fast,
}

/// Encodes anything of this crate.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("plain data always encodes into a growing buffer")
}

/// Decodes anything of this crate; bytes that do not fit are an error, with what was expected.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|e| format!("protocol version {VERSION}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worker reads the first byte; see the crate's description.
    #[test]
    fn the_first_byte_tells_the_kind() {
        let input = Command::Input(Input::TermInterrupt { term: 1 });
        let view = Command::View(View::Unsubscribe { id: WindowId(1) });
        assert_eq!(encode(&input)[0], 0);
        assert_eq!(encode(&view)[0], 1);
        assert_eq!(encode(&Command::Run(Run::Pause))[0], 2);
    }

    #[test]
    fn there_and_back() {
        let events = vec![
            Event::Term { term: 1, data: b"ok\n".to_vec() },
            Event::Window { id: WindowId(3), window: Box::new(Window::Keys(Default::default())) },
        ];
        assert_eq!(decode::<Vec<Event>>(&encode(&events)), Ok(events));
    }

    #[test]
    fn bad_bytes_are_an_error() {
        assert!(decode::<Command>(&[9, 9, 9]).is_err());
        assert!(decode::<Command>(&[]).is_err());
    }
}
