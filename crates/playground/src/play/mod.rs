//! The world as the page sees it: commands in, windows and events out, time in slices.

mod cluster;
mod keys;
mod requests;
mod value;

use crate::{Saved, World};
use protocol::host::Boot;
use protocol::view::{Breakpoint, Follow};
use protocol::window::{FileEntry, Window, WindowId, WindowSpec};
use protocol::{Command, Event, Fault, Input, Mode, Ran, Run, TermId, View};
use shell::{Fs, Host, Session, SessionEvent};
use sim::{Duration, Hold, Station, Time, TraceId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Events that the page has not been told yet.
type Outbox = Rc<RefCell<Vec<Event>>>;

/// Stepping to a station gives up after this much virtual time without one.
const STEP_PATIENCE: Duration = Duration::from_secs(60);

/// Where a step ends.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Goal {
    Event,
    /// The next station of the followed request, or this one.
    Station {
        name: Option<String>,
        stages: u64,
        until: Time,
    },
    Idle {
        until: Time,
    },
}

/// A window that is open, and what was sent last.
struct Open {
    spec: WindowSpec,
    sent: Vec<u8>,
}

/// See the module's text.
pub struct Playground {
    world: World,
    mode: Mode,
    goal: Option<Goal>,
    follow: Follow,
    /// The request that is followed, once it is known.
    followed: Option<TraceId>,
    /// Traces up to this one began before [`Follow::NextWrite`] was asked.
    follow_after: TraceId,
    windows: BTreeMap<WindowId, Open>,
    terminals: BTreeMap<TermId, Rc<Session>>,
    outbox: Outbox,
    edits: Rc<RefCell<Edits>>,
    saved_event: u64,
    changed: bool,
}

/// Texts that a person edits.
#[derive(Default)]
struct Edits {
    next: u64,
    waiting: BTreeMap<u64, futures::channel::oneshot::Sender<Option<String>>>,
}

/// The page's part of a terminal.
struct Page {
    term: TermId,
    outbox: Outbox,
    edits: Rc<RefCell<Edits>>,
}

impl Host for Page {
    fn edit(&self, name: &str, text: &str) -> futures::future::LocalBoxFuture<'static, Option<String>> {
        let (tx, rx) = futures::channel::oneshot::channel();
        let effect = {
            let mut e = self.edits.borrow_mut();
            e.next += 1;
            let effect = e.next;
            e.waiting.insert(effect, tx);
            effect
        };
        let event = Event::Edit { effect, term: self.term, name: name.to_owned(), text: text.to_owned() };
        self.outbox.borrow_mut().push(event);
        Box::pin(async move { rx.await.ok().flatten() })
    }
    fn has_editor(&self) -> bool {
        true
    }
    fn clear(&self) {
        self.outbox.borrow_mut().push(Event::Clear { term: self.term });
    }
}

impl Playground {
    /// Makes the world.
    ///
    /// # Errors
    /// A configuration that makes no sense, or a damaged saved world, in words for the reader.
    pub fn boot(boot: Boot) -> Result<Playground, String> {
        let saved = boot.saved.map(|b| Saved::from_bytes(&b)).transpose().map_err(|e| e.to_string())?;
        let config = saved.as_ref().map_or(boot.config, |s| s.config.clone());
        let world = World::start(config, saved)?;
        let event = world.sim().event();
        Ok(Playground {
            world,
            mode: Mode::Paused,
            goal: None,
            follow: Follow::Nothing,
            followed: None,
            follow_after: TraceId(0),
            windows: BTreeMap::new(),
            terminals: BTreeMap::new(),
            outbox: Outbox::default(),
            edits: Rc::default(),
            saved_event: event,
            changed: true,
        })
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Takes a command; the events it caused come with [`Playground::take_events`].
    pub fn handle(&mut self, command: Command) {
        match command {
            Command::Input(i) => {
                self.input(i);
                self.changed = true;
            }
            Command::View(v) => self.view(v),
            Command::Run(r) => self.set_run(r),
        }
        self.refresh();
    }

    fn refuse(&self, what: &str, why: &str) {
        self.outbox.borrow_mut().push(Event::Refused { what: what.to_owned(), why: why.to_owned() });
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::TermOpen { term, .. } => self.open_terminal(term),
            Input::TermResize { .. } => {} // nothing here depends on a terminal's size
            Input::TermLine { term, line } => {
                if let Some(t) = self.terminals.get(&term) {
                    t.line(&line);
                }
            }
            Input::TermInterrupt { term } => {
                if let Some(t) = self.terminals.get(&term) {
                    t.interrupt();
                }
            }
            Input::TermEof { term } => {
                if let Some(t) = self.terminals.get(&term) {
                    t.end_of_input();
                }
            }
            Input::TermClose { term } => {
                if let Some(t) = self.terminals.remove(&term) {
                    t.interrupt();
                }
            }
            Input::WriteFile { path, data } => {
                let fs = self.world.files();
                fs.set_clock(self.world.sim().unix_nanos());
                if let Err(e) = fs.write_all(&home(&path), &data) {
                    self.refuse(&path, &e.to_string());
                }
            }
            Input::Edited { effect, text } => {
                if let Some(tx) = self.edits.borrow_mut().waiting.remove(&effect) {
                    let _ = tx.send(text); // the command may have been interrupted
                }
            }
            Input::Encryption { .. } => self.refuse("encryption", "not modelled here: the API server"),
            Input::Fault(f) => self.fault(f),
            Input::Hold { trace, station } => match station_named(&station) {
                Some(s) => {
                    self.world.sim().trace().hold(Hold { trace: trace.map(TraceId), station: Some(s) })
                }
                None => self.refuse(&station, "no such station"),
            },
            Input::Release { trace, station } => {
                let hold = Hold { trace: trace.map(TraceId), station: station_named(&station) };
                self.world.sim().trace().release(&hold);
            }
        }
    }

    fn open_terminal(&mut self, term: TermId) {
        let outbox = self.outbox.clone();
        let emit = move |e: SessionEvent| {
            outbox.borrow_mut().push(match e {
                SessionEvent::Output(d) => Event::Term { term, data: d.to_vec() },
                SessionEvent::Prompt { prompt, more } => Event::Prompt { term, prompt, more },
                SessionEvent::Busy(command) => Event::Busy { term, command },
                SessionEvent::Exit(_) => Event::Prompt { term, prompt: "~ $ ".to_owned(), more: false },
            });
        };
        let host = Page { term, outbox: self.outbox.clone(), edits: self.edits.clone() };
        let session = self.world.terminal(&format!("terminal {term}"), Rc::new(host), emit);
        session.prompt();
        self.terminals.insert(term, session);
    }

    fn fault(&mut self, fault: Fault) {
        let cluster = self.world.cluster();
        let index = |name: &str| (0..cluster.len()).find(|i| cluster.process(*i).name() == name);
        let net = self.world.sim().net();
        match fault {
            Fault::Crash { process } => match index(&process) {
                Some(i) => cluster.crash(i),
                None => self.refuse(&process, "no such process"),
            },
            Fault::Restart { process } => match index(&process) {
                Some(i) => cluster.restart(i),
                None => self.refuse(&process, "no such process"),
            },
            Fault::Pause { process } => match index(&process) {
                Some(i) => cluster.pause(i),
                None => self.refuse(&process, "no such process"),
            },
            Fault::Resume { process } => match index(&process) {
                Some(i) => cluster.resume(i),
                None => self.refuse(&process, "no such process"),
            },
            Fault::Cut { from, to, both } => {
                net.set_link(&from, &to, sim::LinkState { cut: true, ..net.link(&from, &to) });
                if both {
                    net.set_link(&to, &from, sim::LinkState { cut: true, ..net.link(&to, &from) });
                }
            }
            Fault::Heal { from, to, both } => {
                net.set_link(&from, &to, sim::LinkState { cut: false, ..net.link(&from, &to) });
                if both {
                    net.set_link(&to, &from, sim::LinkState { cut: false, ..net.link(&to, &from) });
                }
            }
        }
    }

    fn view(&mut self, view: View) {
        match view {
            View::Subscribe { id, spec } => drop(self.windows.insert(id, Open { spec, sent: Vec::new() })),
            View::Unsubscribe { id } => drop(self.windows.remove(&id)),
            View::Follow(f) => {
                self.follow = f;
                self.follow_after = self.world.sim().trace().ids().last().copied().unwrap_or(TraceId(0));
                self.followed = match f {
                    Follow::Trace(t) => Some(TraceId(t)),
                    Follow::Nothing | Follow::NextWrite(_) => None,
                };
            }
            View::Breakpoints(list) => {
                let hold = |b: &Breakpoint| {
                    Some(Hold { trace: b.trace.map(TraceId), station: Some(station_named(&b.station)?) })
                };
                self.world.sim().trace().set_breakpoints(list.iter().filter_map(hold).collect());
            }
            View::Check { ask, text, .. } => {
                let list = value::check(&text);
                self.outbox.borrow_mut().push(Event::Diagnostics { ask, list });
            }
            View::Suggest { ask, at, .. } => {
                self.outbox.borrow_mut().push(Event::Suggestions { ask, from: at, list: Vec::new() });
            }
            View::Complete { ask, at, .. } => {
                self.outbox.borrow_mut().push(Event::Completions { ask, from: at, list: Vec::new() });
            }
        }
    }

    fn set_run(&mut self, run: Run) {
        let sim = self.world.sim();
        sim.clear_stop();
        let (stages, now) = (sim.trace().stages(), sim.now());
        self.goal = None;
        self.mode = match run {
            Run::Pause => Mode::Paused,
            Run::Go { speed } => Mode::Going { speed },
            Run::Fast => Mode::Fast,
            Run::StepEvent => {
                self.goal = Some(Goal::Event);
                Mode::Fast
            }
            Run::StepStation => {
                self.goal = Some(Goal::Station { name: None, stages, until: now + STEP_PATIENCE });
                Mode::Fast
            }
            Run::UntilStation { station } => {
                self.goal = Some(Goal::Station { name: Some(station), stages, until: now + STEP_PATIENCE });
                Mode::Fast
            }
            Run::UntilIdle { limit } => {
                self.goal = Some(Goal::Idle { until: now + Duration::from_nanos(limit) });
                Mode::Fast
            }
        };
    }

    /// Runs a slice; see `engine::World::run`.
    pub fn run(&mut self, max: u64, until: u64, pass_stops: bool) -> Ran {
        let sim = self.world.sim().clone();
        let mut ran = 0;
        while ran < max && (pass_stops || self.mode != Mode::Paused) {
            match sim.next_event_at() {
                Some(at) if at <= Time(until) => {}
                _ => break,
            }
            sim.step();
            ran += 1;
            self.find_followed();
            if !pass_stops && (sim.stop_requested() || self.reached(&sim)) {
                sim.clear_stop();
                self.mode = Mode::Paused;
                self.goal = None;
            }
        }
        self.changed |= ran > 0;
        self.refresh();
        self.ran()
    }

    fn reached(&mut self, sim: &sim::Sim) -> bool {
        match &mut self.goal {
            None => false,
            Some(Goal::Event) => true,
            Some(Goal::Idle { until }) => sim.now() >= *until || self.terminals.values().all(|t| !t.busy()),
            Some(Goal::Station { name, stages, until }) => {
                let passed = sim.trace().stages();
                if passed == *stages {
                    return sim.now() >= *until;
                }
                *stages = passed;
                *until = sim.now() + STEP_PATIENCE;
                let Some(last) = sim.trace().last_stage() else { return false };
                let mine = self.followed.is_none_or(|t| t == last.trace);
                mine && name.as_deref().is_none_or(|n| station_named(n) == Some(last.station))
            }
        }
    }

    /// With [`Follow::NextWrite`]: the first write of that terminal after it was asked.
    fn find_followed(&mut self) {
        let Follow::NextWrite(term) = self.follow else { return };
        if self.followed.is_some() {
            return;
        }
        let (after, name) = (self.follow_after, format!("terminal {term}"));
        let mut found = None;
        self.world.sim().trace().for_each(|t| {
            let mine =
                t.id > after && (*t.client == *name || &*t.client == "kubectl" || &*t.client == "etcdctl");
            if found.is_none() && mine && requests::is_write(t) {
                found = Some(t.id);
            }
        });
        self.followed = found;
    }

    /// How far the world has got.
    pub fn ran(&self) -> Ran {
        let sim = self.world.sim();
        Ran {
            event: sim.event(),
            now: sim.now().0,
            next: sim.next_event_at().map(|t| t.0),
            revision: self.revision(),
            mode: self.mode,
            dirty: sim.event() != self.saved_event,
        }
    }

    fn revision(&self) -> u64 {
        let all = self.world.cluster().statuses(0);
        all.into_iter().flatten().map(|s| s.revision.max(0) as u64).max().unwrap_or(0)
    }

    /// What the page has not been told yet.
    pub fn take_events(&mut self) -> Vec<Event> {
        core::mem::take(&mut *self.outbox.borrow_mut())
    }

    /// The saved world's bytes.
    pub fn save(&mut self) -> Vec<u8> {
        self.saved_event = self.world.sim().event();
        self.world.save().to_bytes()
    }

    /// Sends the windows whose content changed.
    fn refresh(&mut self) {
        let specs: Vec<(WindowId, WindowSpec, bool)> =
            self.windows.iter().map(|(id, o)| (*id, o.spec.clone(), o.sent.is_empty())).collect();
        for (id, spec, new) in specs {
            if !new && !self.changed {
                continue;
            }
            let window = self.window(&spec);
            let bytes = protocol::encode(&window);
            if let Some(open) = self.windows.get_mut(&id)
                && open.sent != bytes
            {
                open.sent = bytes;
                self.outbox.borrow_mut().push(Event::Window { id, window: Box::new(window) });
            }
        }
        self.changed = false;
    }

    fn window(&self, spec: &WindowSpec) -> Window {
        match spec {
            WindowSpec::Now => Window::Now(Box::new(self.now())),
            WindowSpec::Strip { span } => Window::Strip(self.strip(*span)),
            WindowSpec::Requests { count, writes } => Window::Requests(self.requests(*count, *writes)),
            WindowSpec::Path { trace } => self.path(*trace),
            WindowSpec::Station { trace, span, at, len } => self.station(*trace, *span, *at, *len),
            WindowSpec::Keys { prefix, first, count } => Window::Keys(self.keys(prefix, *first, *count)),
            WindowSpec::Key { key } => Window::Key(self.key(key)),
            WindowSpec::Value { source, at, len } => self.value(source, *at, *len),
            WindowSpec::Cluster => Window::Cluster(self.cluster()),
            WindowSpec::Files { dir } => Window::Files(self.files(&home(dir))),
            WindowSpec::File { path } => match self.world.files().read(&home(path)) {
                Ok(d) => Window::File(protocol::window::File { path: path.clone(), data: d.to_vec() }),
                Err(e) => Window::Gone { why: format!("{path}: {e}") },
            },
        }
    }

    fn files(&self, dir: &str) -> Vec<FileEntry> {
        let below = if dir == "/" { "/".to_owned() } else { format!("{dir}/") };
        let entry = |(p, d): (String, bytes::Bytes)| {
            let path = p.trim_end_matches('/').to_owned();
            (p.starts_with(&below) && p.len() > below.len()).then_some(FileEntry {
                path,
                dir: p.ends_with('/'),
                size: d.len() as u32,
            })
        };
        self.world.files().export().into_iter().filter_map(entry).collect()
    }
}

/// `~/x` is in the home folder.
fn home(path: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) => Fs::resolve("/root", rest.trim_start_matches('/')),
        None => Fs::resolve("/root", path),
    }
}

/// A station by its name in kebab-case, as the page writes it.
fn station_named(name: &str) -> Option<Station> {
    Station::ALL.into_iter().find(|s| kebab(*s) == name)
}

/// A station's name as the page writes it.
fn kebab(s: Station) -> String {
    match s {
        Station::Watcher => "watcher".to_owned(),
        s => s.name().to_lowercase().replace(' ', "-"),
    }
}
