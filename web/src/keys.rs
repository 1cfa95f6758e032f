//! The keyboard: one map for the whole page. A key that the focused widget uses itself never gets here, nor does a letter
//! while someone types or an input method composes.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};
use yew::UseReducerHandle;

use crate::actions::step;
use crate::host;
use crate::parts::{inspector, nowbar, terminals};
use crate::state::link::{Link, LinkAction};
use crate::state::session::Session;
use crate::state::view::{Pane, Panel, Stage, View, ViewAction};
use crate::ui::Ui;

/// What the keys act on.
#[derive(Clone)]
pub struct Keys {
    pub ui: Ui,
    pub session: UseReducerHandle<Session>,
    pub view: UseReducerHandle<View>,
    pub link: UseReducerHandle<Link>,
}

fn document() -> Option<web_sys::Document> {
    web_sys::window()?.document()
}

/// Does the focused element take letters?
fn typing(e: &KeyboardEvent) -> bool {
    let Some(target) = e.target().and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    target.closest("input,textarea,select,.xterm,.cm-editor").ok().flatten().is_some()
}

/// Does the focused element take Space and Enter?
fn pressing(e: &KeyboardEvent) -> bool {
    let Some(target) = e.target().and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    target.closest("button,a,summary").ok().flatten().is_some()
}

impl Keys {
    /// Handles a key that nobody else wanted.
    pub fn handle(&self, e: &KeyboardEvent) {
        if e.is_composing() || e.default_prevented() {
            return;
        }
        let command = e.ctrl_key() || e.meta_key();
        if e.key() == "Enter" && command {
            nowbar::press(&self.ui, &self.session, &self.view);
            e.prevent_default();
            return;
        }
        if e.key() == "F6" {
            next_region(!e.shift_key());
            e.prevent_default();
            return;
        }
        if e.key() == "Escape" && !typing(e) {
            self.escape();
            return;
        }
        if typing(e) || command || e.alt_key() {
            return;
        }
        if self.plain(e) {
            e.prevent_default();
        }
    }

    /// Unpins; then shows the current station again; then returns to now; then closes the panel.
    fn escape(&self) {
        if self.link.hot().is_some() {
            self.ui.link.dispatch(LinkAction::Pin(None));
        } else if self.view.span.is_some() || self.view.ahead.is_some() {
            self.ui.view.dispatch(ViewAction::Span(None));
        } else if self.session.looking_back() {
            step::return_to_now(&self.ui, &self.session);
        } else if self.view.panel.is_some() {
            self.ui.view.dispatch(ViewAction::Panel(None));
        }
    }

    fn plain(&self, e: &KeyboardEvent) -> bool {
        let (ui, s) = (&self.ui, &*self.session);
        match e.key().as_str() {
            "ArrowRight" => step::next_station(ui),
            "ArrowLeft" => step::previous_station(ui, s),
            "." => step::next_event(ui),
            "," => step::previous_event(ui, s),
            " " if !pressing(e) => step::toggle_run(s, &self.view),
            "Home" => step::first(ui, s),
            "End" => step::return_to_now(ui, s),
            "1" | "2" | "3" => {
                let at = usize::from(e.key().as_bytes()[0] - b'1');
                ui.view.dispatch(ViewAction::Stage(Stage::ALL[at]));
            }
            "`" => {
                ui.view.dispatch(ViewAction::Pane(Pane::Terminal));
                terminals::focus(self.view.terms.first().copied().unwrap_or(1));
            }
            "f" | "F" => self.field(if e.shift_key() { -1 } else { 1 }),
            "c" | "C" => self.copy(e.shift_key()),
            "\\" => ui.view.dispatch(ViewAction::Even),
            "y" | "Y" => ui.view.dispatch(ViewAction::Drawer),
            "?" => ui.view.dispatch(ViewAction::TogglePanel(Panel::Help)),
            _ => return false,
        }
        true
    }

    /// Pins the next field the person wrote.
    fn field(&self, by: i32) {
        let subject = self.session.value.as_ref().or(self.session.text.as_ref());
        let next = subject.and_then(|v| inspector::neighbour(v, self.link.hot().map(|p| &**p), by));
        if let Some(next) = next {
            self.ui.link.dispatch(LinkAction::Pin(Some(next.into())));
        }
    }

    /// Copies the hot field's value, or with Shift its path too.
    fn copy(&self, with_path: bool) {
        let Some(path) = self.link.hot() else { return };
        let subject = self.session.value.as_ref().or(self.session.text.as_ref());
        let Some(field) = subject.and_then(|v| v.fields.iter().find(|f| f.path == **path)) else { return };
        let text = if with_path { format!("{path}: {}", field.value) } else { field.value.clone() };
        host::then(host::copy(&text), |_| {});
    }
}

/// Scrolls an element into sight, if it is there and is not.
pub fn reveal(selector: &str) {
    let Some(element) = document().and_then(|d| d.query_selector(selector).ok().flatten()) else { return };
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

const REGIONS: [&str; 6] =
    ["region-now", "region-trace", "region-rail", "region-stage", "region-inspector", "region-terminals"];

/// F6: puts the focus into the next region that is in sight.
pub fn next_region(forward: bool) {
    let Some(document) = document() else { return };
    let active = document.active_element();
    let inside =
        |id: &str| active.as_ref().is_some_and(|a| a.closest(&format!("#{id}")).ok().flatten().is_some());
    let here = REGIONS.iter().position(|id| inside(id));
    let count = REGIONS.len();
    let mut at = match (here, forward) {
        (Some(at), _) => at,
        (None, true) => count - 1,
        (None, false) => 0,
    };
    for _ in 0..count {
        at = if forward { (at + 1) % count } else { (at + count - 1) % count };
        let Some(region) = document.get_element_by_id(REGIONS[at]) else { continue };
        let Some(region) = region.dyn_ref::<HtmlElement>() else { continue };
        if region.offset_width() == 0 {
            continue;
        }
        let stop =
            "button:not([disabled]):not([tabindex='-1']),[tabindex='0'],textarea,input,select,.cm-content";
        match region.query_selector(stop).ok().flatten().and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
            Some(first) => {
                let _ = first.focus();
            }
            None => {
                let _ = region.focus();
            }
        }
        return;
    }
}

/// Moves the focus among elements that match, by a step; true when it moved.
pub fn move_focus(e: &KeyboardEvent, selector: &str, by: i32) -> bool {
    let Some(here) = e.target().and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    let Some(document) = document() else { return false };
    let Ok(all) = document.query_selector_all(selector) else { return false };
    let at = (0..all.length()).find(|i| all.item(*i).is_some_and(|n| *n == **here));
    let Some(next) = at.and_then(|at| at.checked_add_signed(by)).and_then(|i| all.item(i)) else {
        return false;
    };
    match next.dyn_into::<HtmlElement>() {
        Ok(next) => next.focus().is_ok(),
        Err(_) => false,
    }
}
