//! What is open and selected. Nothing here is known to the engine except through the windows that follow from it.

use std::rc::Rc;

use protocol::{SpanId, TraceId};
use yew::Reducible;

/// The views of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    #[default]
    Pipeline,
    Keyspace,
    Consensus,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Stage::Pipeline, Stage::Keyspace, Stage::Consensus];

    /// The key of its name.
    pub fn key(self) -> &'static str {
        match self {
            Stage::Pipeline => "view.pipeline",
            Stage::Keyspace => "view.keyspace",
            Stage::Consensus => "view.consensus",
        }
    }
}

/// The panel between rail and stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    Files,
    Configuration,
    World,
    Help,
}

/// Which part fills a narrow screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    #[default]
    Stage,
    Inspector,
    Terminal,
    More,
}

/// What the upper half of the inspector shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Upper {
    #[default]
    Manifest,
    Value,
}

/// What its lower half shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lower {
    #[default]
    Tree,
    Bytes,
}

/// The text in the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc {
    /// Its path in the shell's file system; `~/` is the home folder.
    pub path: String,
    pub text: Rc<str>,
    /// Raised when the text comes from elsewhere than the editor.
    pub version: u32,
    /// Answers this effect of the engine instead of being a file.
    pub effect: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub stage: Stage,
    pub panel: Option<Panel>,
    pub pane: Pane,
    /// The inspector, where it is a drawer.
    pub drawer: bool,
    pub upper: Upper,
    pub lower: Lower,
    /// Which layer of the value the bytes show.
    pub layer: usize,
    /// A request chosen by hand; else the followed one.
    pub trace: Option<TraceId>,
    /// A station chosen by hand; else the current one.
    pub span: Option<SpanId>,
    /// A station that has not run, chosen by hand.
    pub ahead: Option<&'static str>,
    /// Stations at which requests are held.
    pub holds: Vec<&'static str>,
    /// How fast time runs, times 1000.
    pub speed: u32,
    pub prefix: String,
    pub key: Option<Rc<[u8]>>,
    pub revision: Option<i64>,
    pub first_key: u32,
    pub terms: Vec<u32>,
    pub doc: Doc,
    pub folder: String,
    pub opening: Option<String>,
    /// Equal steps instead of linear time in the strip.
    pub even: bool,
}

impl View {
    pub fn new(path: &str, text: &str) -> View {
        View {
            stage: Stage::default(),
            panel: None,
            pane: Pane::default(),
            drawer: false,
            upper: Upper::default(),
            lower: Lower::default(),
            layer: 0,
            trace: None,
            span: None,
            ahead: None,
            holds: Vec::new(),
            speed: 1000,
            prefix: "/registry/".into(),
            key: None,
            revision: None,
            first_key: 0,
            terms: vec![1, 2],
            doc: Doc { path: path.into(), text: text.into(), version: 0, effect: None },
            folder: "~".into(),
            opening: None,
            even: false,
        }
    }
}

pub enum ViewAction {
    Stage(Stage),
    Panel(Option<Panel>),
    TogglePanel(Panel),
    Pane(Pane),
    Drawer,
    Upper(Upper),
    Lower(Lower),
    Layer(usize),
    Trace(Option<TraceId>),
    Span(Option<SpanId>),
    Ahead(&'static str),
    /// Holds requests at a station, or lets them go.
    Hold(&'static str),
    Speed(u32),
    Prefix(String),
    Key(Option<Rc<[u8]>>),
    Revision(Option<i64>),
    FirstKey(u32),
    NewTerm,
    CloseTerm(u32),
    /// The editor's own text.
    Text(Rc<str>),
    /// A text from elsewhere.
    Open(String, Rc<str>, Option<u64>),
    /// An effect was answered: back to a plain file.
    EffectDone,
    Folder(String),
    Opening(Option<String>),
    Even,
    /// Nothing of the world before can be selected any more.
    NewWorld,
    /// A request is being followed from here on: nothing is chosen by hand.
    FollowNew,
}

impl Reducible for View {
    type Action = ViewAction;

    fn reduce(self: Rc<Self>, action: ViewAction) -> Rc<Self> {
        let mut v = (*self).clone();
        match action {
            ViewAction::Stage(stage) => {
                v.stage = stage;
                v.pane = Pane::Stage;
                if stage == Stage::Keyspace && v.key.is_some() {
                    v.upper = Upper::Value;
                }
            }
            ViewAction::Panel(panel) => v.panel = panel,
            ViewAction::TogglePanel(panel) => {
                v.panel = if v.panel == Some(panel) { None } else { Some(panel) }
            }
            ViewAction::Pane(pane) => v.pane = pane,
            ViewAction::Drawer => v.drawer = !v.drawer,
            ViewAction::Upper(upper) => v.upper = upper,
            ViewAction::Lower(lower) => v.lower = lower,
            ViewAction::Layer(layer) => v.layer = layer,
            ViewAction::Trace(trace) => {
                v.trace = trace;
                v.span = None;
            }
            ViewAction::Span(span) => {
                v.span = span;
                v.ahead = None;
            }
            ViewAction::Ahead(station) => v.ahead = Some(station),
            ViewAction::Hold(station) => {
                if v.holds.contains(&station) {
                    v.holds.retain(|s| *s != station);
                } else {
                    v.holds.push(station);
                }
            }
            ViewAction::Speed(speed) => v.speed = speed,
            ViewAction::Prefix(prefix) => {
                v.prefix = prefix;
                v.first_key = 0;
            }
            ViewAction::Key(key) => {
                v.key = key;
                v.revision = None;
                v.upper = Upper::Value;
            }
            ViewAction::Revision(revision) => v.revision = revision,
            ViewAction::FirstKey(first) => v.first_key = first,
            ViewAction::NewTerm => {
                let next = v.terms.iter().max().copied().unwrap_or(0) + 1;
                if v.terms.len() < 4 {
                    v.terms.push(next);
                }
            }
            ViewAction::CloseTerm(term) => {
                if v.terms.len() > 1 {
                    v.terms.retain(|t| *t != term);
                }
            }
            ViewAction::Text(text) => v.doc.text = text,
            ViewAction::Open(path, text, effect) => {
                v.doc = Doc { path, text, version: v.doc.version + 1, effect };
                v.upper = Upper::Manifest;
            }
            ViewAction::EffectDone => v.doc.effect = None,
            ViewAction::Folder(folder) => v.folder = folder,
            ViewAction::Opening(path) => v.opening = path,
            ViewAction::Even => v.even = !v.even,
            ViewAction::NewWorld => {
                v.trace = None;
                v.span = None;
                v.ahead = None;
                v.holds.clear();
                v.key = None;
                v.revision = None;
                v.first_key = 0;
                v.opening = None;
                v.doc.effect = None;
            }
            ViewAction::FollowNew => {
                v.trace = None;
                v.span = None;
                v.ahead = None;
                v.stage = Stage::Pipeline;
                v.pane = Pane::Stage;
            }
        }
        if v == *self { self } else { v.into() }
    }
}
