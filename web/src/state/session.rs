//! What the engine said: the newest content of every window, the terminals, and how far the world is.

use std::rc::Rc;

use protocol::window::{self, Window};
use protocol::{Diagnostic, Event, Mode, Ran, TermId, TraceId, WindowId};
use yew::Reducible;

use super::Ptr;
use super::link::{Slots, deal};

/// The windows of the page. One number each: a view that shows another thing subscribes its window anew.
pub mod id {
    use protocol::WindowId;
    pub const NOW: WindowId = WindowId(1);
    pub const STRIP: WindowId = WindowId(2);
    pub const REQUESTS: WindowId = WindowId(3);
    pub const PATH: WindowId = WindowId(4);
    pub const STATION: WindowId = WindowId(5);
    pub const KEYS: WindowId = WindowId(6);
    pub const KEY: WindowId = WindowId(7);
    pub const VALUE: WindowId = WindowId(8);
    pub const CLUSTER: WindowId = WindowId(9);
    pub const FILES: WindowId = WindowId(10);
    pub const FILE: WindowId = WindowId(11);
    pub const TEXT: WindowId = WindowId(12);
}

/// A terminal as the engine left it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermState {
    pub id: TermId,
    /// The command that runs.
    pub busy: Option<String>,
}

/// Something a person must know, beside what they asked for. Texts of the originals or of the engine stand as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Key of the sentence around it.
    pub key: &'static str,
    pub text: String,
}

/// `kubectl edit` and its like wait for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRequest {
    pub effect: u64,
    pub name: String,
    pub text: String,
}

#[derive(Clone, Debug, Default)]
pub struct Session {
    pub ready: bool,
    pub ran: Ran,
    /// The furthest event that has happened; beyond `ran.event` when looking back.
    pub newest: u64,
    /// Raised when the engine's memory was put back: subscriptions are gone.
    pub restored: u32,
    /// How many worlds have begun.
    pub began: u32,
    pub now: Ptr<window::Now>,
    /// The request that is followed, which the engine must be told again when its memory was put back.
    pub followed: Option<TraceId>,
    pub strip: Ptr<window::Strip>,
    pub requests: Ptr<Vec<window::Request>>,
    pub path: Ptr<window::Path>,
    pub station: Option<Ptr<window::Station>>,
    pub keys: Ptr<window::Keys>,
    pub key: Option<Ptr<window::Key>>,
    pub value: Option<Ptr<window::Value>>,
    pub value_gone: Option<String>,
    /// The manifest in the editor.
    pub text: Option<Ptr<window::Value>>,
    pub cluster: Ptr<window::Cluster>,
    pub files: Ptr<Vec<window::FileEntry>>,
    pub file: Option<Ptr<window::File>>,
    pub slots: Ptr<Slots>,
    pub terms: Vec<TermState>,
    pub diagnostics: Ptr<Vec<Diagnostic>>,
    pub saved: Option<u64>,
    pub notice: Option<Notice>,
    pub edit: Option<EditRequest>,
}

impl PartialEq for Session {
    /// Every answer is a new session: what shows it draws again.
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

impl Session {
    /// Earlier than what has already happened.
    pub fn looking_back(&self) -> bool {
        self.ran.event < self.newest
    }

    pub fn paused(&self) -> bool {
        self.ran.mode == Mode::Paused
    }

    /// A step is under way: what was asked for has not been reached.
    pub fn stepping(&self) -> bool {
        self.ran.mode == Mode::Fast
    }

    fn term(&mut self, id: TermId) -> &mut TermState {
        let at = match self.terms.iter().position(|t| t.id == id) {
            Some(at) => at,
            None => {
                self.terms.push(TermState { id, busy: None });
                self.terms.len() - 1
            }
        };
        &mut self.terms[at]
    }

    fn window(&mut self, id: WindowId, window: Window) {
        match window {
            Window::Now(now) => {
                self.followed = now.trace.or(self.followed);
                self.now = Ptr::new(*now);
            }
            Window::Strip(strip) => self.strip = Ptr::new(strip),
            Window::Requests(list) => self.requests = Ptr::new(list),
            Window::Path(path) => self.path = Ptr::new(path),
            Window::Station(station) => self.station = Some(Ptr::new(*station)),
            Window::Keys(keys) => self.keys = Ptr::new(keys),
            Window::Key(key) => self.key = Some(Ptr::new(key)),
            Window::Value(value) if id == id::TEXT => {
                // A manifest that cannot be read keeps the looks it had.
                if !value.fields.is_empty() {
                    self.slots = Ptr::new(deal(&value.fields));
                }
                self.text = Some(Ptr::new(*value));
            }
            Window::Value(value) => {
                self.value_gone = None;
                self.value = Some(Ptr::new(*value));
            }
            Window::Cluster(cluster) => self.cluster = Ptr::new(cluster),
            Window::Files(files) => self.files = Ptr::new(files),
            Window::File(file) => self.file = Some(Ptr::new(file)),
            Window::Gone { why } => match id {
                id::PATH => self.path = Ptr::default(),
                id::STATION => self.station = None,
                id::KEY => self.key = None,
                id::VALUE => {
                    self.value = None;
                    self.value_gone = Some(why);
                }
                id::FILE => self.file = None,
                _ => {}
            },
        }
    }
}

pub enum SessionAction {
    /// An answer of the engine.
    Answer {
        ran: Ran,
        newest: u64,
        restored: bool,
        /// A world began: nothing of the one before is left.
        began: bool,
        events: Vec<Event>,
    },
    Saved(u64),
    Notice(Option<Notice>),
    EditTaken,
    /// Another request will be followed, or none.
    Follow(Option<TraceId>),
    /// The value shown so far is no longer the one asked for.
    ForgetValue,
    ForgetFile,
}

impl Reducible for Session {
    type Action = SessionAction;

    fn reduce(self: Rc<Self>, action: SessionAction) -> Rc<Self> {
        let mut s = (*self).clone();
        match action {
            SessionAction::Answer { ran, newest, restored, began, events } => {
                if began {
                    let (restored, began, notice) = (s.restored, s.began + 1, s.notice.take());
                    s = Session { restored, began, notice, ..Session::default() };
                }
                s.ready = true;
                s.ran = ran;
                s.newest = newest.max(ran.event);
                if restored {
                    s.restored += 1;
                    s.station = None;
                }
                for event in events {
                    match event {
                        Event::Prompt { term, .. } => s.term(term).busy = None,
                        Event::Busy { term, command } => s.term(term).busy = Some(command),
                        Event::Window { id, window } => s.window(id, *window),
                        Event::Diagnostics { list, .. } => s.diagnostics = Ptr::new(list),
                        Event::Edit { effect, name, text, .. } => {
                            s.edit = Some(EditRequest { effect, name, text })
                        }
                        Event::Refused { what, why } => {
                            s.notice = Some(Notice { key: "notice.refused", text: format!("{what}: {why}") });
                        }
                        // Terminals and editors get theirs directly.
                        Event::Term { .. }
                        | Event::Clear { .. }
                        | Event::Completions { .. }
                        | Event::Suggestions { .. } => {}
                    }
                }
            }
            SessionAction::Saved(revision) => s.saved = Some(revision),
            SessionAction::Notice(notice) => s.notice = notice,
            SessionAction::EditTaken => s.edit = None,
            SessionAction::Follow(trace) => s.followed = trace,
            SessionAction::ForgetValue => {
                s.value = None;
                s.value_gone = None;
            }
            SessionAction::ForgetFile => s.file = None,
        }
        s.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(s: Session, newest: u64, ran: Ran, events: Vec<Event>) -> Session {
        let next =
            Rc::new(s).reduce(SessionAction::Answer { ran, newest, restored: false, began: false, events });
        (*next).clone()
    }

    #[test]
    fn looking_back_is_before_the_newest_event() {
        let s = answer(Session::default(), 9, Ran { event: 5, ..Ran::default() }, vec![]);
        assert!(s.looking_back());
        let s = answer(s, 9, Ran { event: 9, ..Ran::default() }, vec![]);
        assert!(!s.looking_back());
    }

    #[test]
    fn a_terminal_is_busy_until_its_prompt_comes() {
        let busy = Event::Busy { term: 2, command: "kubectl get pods -w".into() };
        let s = answer(Session::default(), 0, Ran::default(), vec![busy]);
        assert_eq!(s.terms, [TermState { id: 2, busy: Some("kubectl get pods -w".into()) }]);
        let s =
            answer(s, 0, Ran::default(), vec![Event::Prompt { term: 2, prompt: "~ $ ".into(), more: false }]);
        assert_eq!(s.terms, [TermState { id: 2, busy: None }]);
    }

    #[test]
    fn what_is_gone_is_forgotten_with_its_reason() {
        let gone =
            Event::Window { id: id::VALUE, window: Box::new(Window::Gone { why: "compacted".into() }) };
        let s = answer(Session::default(), 0, Ran::default(), vec![gone]);
        assert_eq!(s.value_gone.as_deref(), Some("compacted"));
    }
}
