//! The terminals along the bottom. What the engine prints goes straight to xterm.js, past the page's own state.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use js_sys::Array;
use protocol::{Event, Input, TermId, View as Ask};
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use crate::host::{self, Hooks, Term};
use crate::state::session::TermState;
use crate::state::view::ViewAction;
use crate::ui::{Ui, icon};

thread_local! {
    static BEGUN: Cell<bool> = const { Cell::new(false) };
    static TERMS: RefCell<BTreeMap<TermId, Slot>> = const { RefCell::new(BTreeMap::new()) };
}

/// How many messages of a terminal are kept for going back.
const KEPT: usize = 4000;

/// A terminal and what came for it, each with the number of the answer it came in: when the world goes back, the screen
/// does too.
#[derive(Default)]
struct Slot {
    term: Option<Term>,
    record: Vec<(u64, Event)>,
    /// A line that waits for a prompt.
    waiting: Option<String>,
    ready: bool,
}

/// Gives an event of answer `seq` to its terminal.
pub fn deliver(seq: u64, event: &Event) {
    let id = match event {
        Event::Term { term, .. }
        | Event::Prompt { term, .. }
        | Event::Busy { term, .. }
        | Event::Clear { term } => *term,
        Event::Completions { list, from, .. } => {
            // Answers carry no terminal: the one that asked has the focus.
            let words: Array = list.iter().map(|s| JsValue::from_str(&s.text)).collect();
            let asked = ASKED.with(|a| *a.borrow());
            let term = TERMS.with(|terms| terms.borrow().get(&asked).and_then(|slot| slot.term.clone()));
            if let Some(term) = term {
                term.completions(*from, &words);
            }
            return;
        }
        _ => return,
    };
    let term = TERMS.with(|terms| {
        let mut terms = terms.borrow_mut();
        let slot = terms.entry(id).or_default();
        if let Event::Prompt { .. } = event {
            slot.ready = true;
        }
        if let Event::Busy { .. } = event {
            slot.ready = false;
        }
        slot.record.push((seq, event.clone()));
        if slot.record.len() > KEPT {
            slot.record.drain(..KEPT / 4);
        }
        slot.term.clone()
    });
    if let Some(term) = term {
        show(&term, event);
        flush(id);
    }
}

thread_local! {
    static ASKED: RefCell<TermId> = const { RefCell::new(1) };
}

fn show(term: &Term, event: &Event) {
    match event {
        Event::Term { data, .. } => term.write(&String::from_utf8_lossy(data)),
        Event::Prompt { prompt, more, .. } => term.prompt(prompt, *more),
        Event::Busy { command, .. } => term.busy(command),
        Event::Clear { .. } => term.clear(),
        _ => {}
    }
}

/// Types a command into a terminal and enters it, when (or as soon as) the terminal awaits one.
pub fn run_line(id: TermId, line: &str) {
    TERMS.with(|terms| terms.borrow_mut().entry(id).or_default().waiting = Some(line.to_string()));
    flush(id);
}

fn flush(id: TermId) {
    let ready = TERMS.with(|terms| {
        let mut terms = terms.borrow_mut();
        let slot = terms.entry(id).or_default();
        match (&slot.term, slot.ready, slot.waiting.is_some()) {
            (Some(term), true, true) => {
                slot.ready = false;
                slot.waiting.take().map(|line| (term.clone(), line))
            }
            _ => None,
        }
    });
    if let Some((term, line)) = ready {
        term.type_text(&format!("{line}\n"));
    }
}

/// Puts the cursor into a terminal.
pub fn focus(id: TermId) {
    let term = TERMS.with(|terms| terms.borrow().get(&id).and_then(|slot| slot.term.clone()));
    if let Some(term) = term {
        term.focus_term();
    }
}

/// The theme has changed.
pub fn retheme() {
    let all: Vec<Term> =
        TERMS.with(|terms| terms.borrow().values().filter_map(|slot| slot.term.clone()).collect());
    for term in all {
        term.theme();
    }
}

/// The world went back to where it was after answer `seq`: the screens show what they showed then.
pub fn restore(seq: u64) {
    let all: Vec<(Term, Vec<Event>)> = TERMS.with(|terms| {
        let mut terms = terms.borrow_mut();
        terms
            .values_mut()
            .filter_map(|slot| {
                slot.record.retain(|(at, _)| *at <= seq);
                slot.waiting = None;
                slot.ready = matches!(
                    slot.record
                        .iter()
                        .rev()
                        .find(|(_, e)| matches!(e, Event::Prompt { .. } | Event::Busy { .. })),
                    Some((_, Event::Prompt { .. }))
                );
                let events = slot.record.iter().map(|(_, event)| event.clone()).collect();
                slot.term.clone().map(|term| (term, events))
            })
            .collect()
    });
    for (term, events) in all {
        term.reset();
        for event in &events {
            show(&term, event);
        }
    }
}

/// A world begins: its terminals are opened in it.
pub fn begin() {
    restore(0);
    let open: Vec<TermId> = TERMS
        .with(|terms| terms.borrow().iter().filter(|(_, s)| s.term.is_some()).map(|(id, _)| *id).collect());
    BEGUN.with(|begun| begun.set(true));
    for id in open {
        open_in_world(id);
    }
}

fn open_in_world(id: TermId) {
    if !BEGUN.with(|begun| begun.get()) {
        return;
    }
    let term = TERMS.with(|terms| terms.borrow().get(&id).and_then(|slot| slot.term.clone()));
    let (cols, rows) = term.map_or((80, 24), |term| (term.cols(), term.rows()));
    host::input(Input::TermOpen { term: id, cols, rows });
}

#[derive(Properties, PartialEq)]
struct PaneProps {
    ui: Ui,
    id: TermId,
    label: AttrValue,
}

/// The closures a terminal calls; they live as long as it does.
struct Held {
    _line: Closure<dyn FnMut(String)>,
    _interrupt: Closure<dyn FnMut()>,
    _eof: Closure<dyn FnMut()>,
    _resize: Closure<dyn FnMut(u16, u16)>,
    _complete: Closure<dyn FnMut(String, u32)>,
    _leave: Closure<dyn FnMut(bool)>,
}

#[component(TermHost)]
fn term_host(props: &PaneProps) -> Html {
    let node = use_node_ref();
    let held = use_mut_ref(|| None::<Held>);
    {
        let (node, id, label) = (node.clone(), props.id, props.label.clone());
        use_effect_with((), move |_| {
            let line = Closure::<dyn FnMut(String)>::new(move |line| {
                TERMS.with(|terms| terms.borrow_mut().entry(id).or_default().ready = false);
                host::input(Input::TermLine { term: id, line });
            });
            let interrupt =
                Closure::<dyn FnMut()>::new(move || host::input(Input::TermInterrupt { term: id }));
            let eof = Closure::<dyn FnMut()>::new(move || host::input(Input::TermEof { term: id }));
            let resize = Closure::<dyn FnMut(u16, u16)>::new(move |cols, rows| {
                if !BEGUN.with(|begun| begun.get()) {
                    return;
                }
                host::input(Input::TermResize { term: id, cols, rows });
            });
            let complete = Closure::<dyn FnMut(String, u32)>::new(move |line: String, at: u32| {
                ASKED.with(|asked| *asked.borrow_mut() = id);
                host::view(Ask::Complete { ask: id, term: id, line, at });
            });
            let leave = Closure::<dyn FnMut(bool)>::new(crate::keys::next_region);
            if let Some(element) = node.cast::<web_sys::HtmlElement>() {
                let hooks = Hooks::new()
                    .function("line", line.as_ref().unchecked_ref())
                    .function("interrupt", interrupt.as_ref().unchecked_ref())
                    .function("eof", eof.as_ref().unchecked_ref())
                    .function("resize", resize.as_ref().unchecked_ref())
                    .function("complete", complete.as_ref().unchecked_ref())
                    .function("leave", leave.as_ref().unchecked_ref())
                    .value("label", label.as_str())
                    .js();
                host::then(host::open_term(&element, &hooks), move |term| {
                    let term: Term = term.unchecked_into();
                    TERMS.with(|terms| terms.borrow_mut().entry(id).or_default().term = Some(term.clone()));
                    open_in_world(id);
                    flush(id);
                });
            }
            *held.borrow_mut() = Some(Held {
                _line: line,
                _interrupt: interrupt,
                _eof: eof,
                _resize: resize,
                _complete: complete,
                _leave: leave,
            });
            move || {
                let slot = TERMS.with(|terms| terms.borrow_mut().remove(&id));
                if let Some(term) = slot.and_then(|slot| slot.term) {
                    term.dispose_term();
                }
                drop(held.borrow_mut().take());
            }
        });
    }
    html! { <div class="xt" ref={node} data-term={props.id.to_string()} /> }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub open: Vec<TermId>,
    pub terms: Vec<TermState>,
    pub paused: bool,
}

#[component(Terminals)]
pub fn terminals(props: &Props) -> Html {
    let t = props.ui.t;
    let last = props.open.last().copied();
    html! {
        <section class="terms" id="region-terminals" aria-label={t.s("terminals")}>
            { for props.open.iter().map(|&id| {
                let name = t.f("terminal.name", &[("n", id.to_string())]);
                let busy = props.terms.iter().find(|s| s.id == id).and_then(|s| s.busy.clone());
                let close = props.ui.view.clone();
                let new = props.ui.view.clone();
                html! {
                    <div class="tpane" key={id.to_string()}>
                        <div class="ph">
                            <b>{ &name }</b>
                            if let Some(command) = &busy {
                                <code class="lab cut" lang="en" title={command.clone()}>{ command }</code>
                                if props.paused {
                                    <span class="lab held">{ t.s("terminal.held") }</span>
                                }
                            } else {
                                <span class="lab cut" lang="en">{ t.s("terminal.tools") }</span>
                            }
                            <span class="sp" />
                            if props.open.len() > 1 && id > 2 {
                                <button class="tool sm" aria-label={t.f("terminal.close", &[("n", id.to_string())])}
                                    onclick={Callback::from(move |_| {
                                        host::input(Input::TermClose { term: id });
                                        close.dispatch(ViewAction::CloseTerm(id));
                                    })}>{ icon("cross") }</button>
                            }
                            if Some(id) == last && props.open.len() < 4 {
                                <button class="tool sm" onclick={Callback::from(move |_| new.dispatch(ViewAction::NewTerm))}>
                                    { t.s("terminal.new") }
                                </button>
                            }
                        </div>
                        <TermHost ui={props.ui.clone()} {id} label={name.clone()} />
                    </div>
                }
            }) }
        </section>
    }
}
