//! The manifest editor: CodeMirror, told what is wrong by the engine's own decoder and which text is which field.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Array;
use protocol::window::{Form, Value};
use protocol::{Diagnostic, Event, Severity, View as Ask};
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use crate::actions::{apply, edit};
use crate::host::{self, Editor, Hooks};
use crate::state::Ptr;
use crate::state::link::{Hot, LinkAction};
use crate::state::view::{Doc, ViewAction};
use crate::ui::Ui;

thread_local! {
    static OPEN: RefCell<Option<Editor>> = const { RefCell::new(None) };
}

/// Gives the engine's answer to the editor that asked.
pub fn deliver(event: &Event) {
    if let Event::Suggestions { from, list, .. } = event {
        let words: Array =
            list.iter().map(|s| Array::of2(&s.text.as_str().into(), &s.detail.as_str().into())).collect();
        let editor = OPEN.with(|open| open.borrow().clone());
        if let Some(editor) = editor {
            editor.suggestions(*from, &words);
        }
    }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub doc: Doc,
    pub text: Option<Ptr<Value>>,
    pub diagnostics: Ptr<Vec<Diagnostic>>,
    pub label: AttrValue,
}

struct Held {
    _changed: Closure<dyn FnMut(String)>,
    _save: Closure<dyn FnMut()>,
    _over: Closure<dyn FnMut(i32)>,
    _cursor: Closure<dyn FnMut(i32)>,
    _pin: Closure<dyn FnMut(i32)>,
    _leave: Closure<dyn FnMut(bool)>,
    _suggest: Closure<dyn FnMut(String, u32)>,
}

#[component(ManifestEditor)]
pub fn manifest_editor(props: &Props) -> Html {
    let node = use_node_ref();
    let editor = use_state(|| None::<Editor>);
    let held = use_mut_ref(|| None::<Held>);
    // What the closures look at: always the newest.
    let doc = use_mut_ref(|| props.doc.clone());
    *doc.borrow_mut() = props.doc.clone();
    let fields = use_mut_ref(Vec::<Rc<str>>::new);
    if let Some(value) = &props.text {
        *fields.borrow_mut() = value.fields.iter().map(|f| f.path.as_str().into()).collect();
    }

    {
        let (node, ui, doc, fields, editor) =
            (node.clone(), props.ui.clone(), doc.clone(), fields.clone(), editor.clone());
        let label = props.label.clone();
        use_effect_with((), move |_| {
            let path = move |field: i32| -> Option<Rc<str>> {
                usize::try_from(field).ok().and_then(|i| fields.borrow().get(i).cloned())
            };
            let view = ui.view.clone();
            let changed = Closure::<dyn FnMut(String)>::new(move |text: String| {
                view.dispatch(ViewAction::Text(text.into()));
            });
            let (save_ui, save_doc) = (ui.clone(), doc.clone());
            let save = Closure::<dyn FnMut()>::new(move || edit::save(&save_ui, &save_doc.borrow()));
            let (link, find) = (ui.link.clone(), path.clone());
            let over = Closure::<dyn FnMut(i32)>::new(move |f| link.dispatch(LinkAction::Over(find(f))));
            let (link, find) = (ui.link.clone(), path.clone());
            let cursor = Closure::<dyn FnMut(i32)>::new(move |f| link.dispatch(LinkAction::Over(find(f))));
            let (link, find) = (ui.link.clone(), path);
            let pin = Closure::<dyn FnMut(i32)>::new(move |f| {
                if let Some(path) = find(f) {
                    link.dispatch(LinkAction::Toggle(path));
                }
            });
            let leave = Closure::<dyn FnMut(bool)>::new(crate::keys::next_region);
            let suggest = Closure::<dyn FnMut(String, u32)>::new(move |text: String, at: u32| {
                host::view(Ask::Suggest { ask: 0, text, at });
            });
            if let Some(element) = node.cast::<web_sys::HtmlElement>() {
                let hooks = Hooks::new()
                    .function("changed", changed.as_ref().unchecked_ref())
                    .function("save", save.as_ref().unchecked_ref())
                    .function("over", over.as_ref().unchecked_ref())
                    .function("cursor", cursor.as_ref().unchecked_ref())
                    .function("pin", pin.as_ref().unchecked_ref())
                    .function("leave", leave.as_ref().unchecked_ref())
                    .function("suggest", suggest.as_ref().unchecked_ref())
                    .value("label", label.as_str())
                    .value("wrap", false)
                    .js();
                let text = doc.borrow().text.clone();
                host::then(host::open_editor(&element, &text, &hooks), move |opened| {
                    let opened: Editor = opened.unchecked_into();
                    OPEN.with(|open| *open.borrow_mut() = Some(opened.clone()));
                    editor.set(Some(opened));
                });
            }
            *held.borrow_mut() = Some(Held {
                _changed: changed,
                _save: save,
                _over: over,
                _cursor: cursor,
                _pin: pin,
                _leave: leave,
                _suggest: suggest,
            });
            move || {
                if let Some(editor) = OPEN.with(|open| open.borrow_mut().take()) {
                    editor.dispose_editor();
                }
                drop(held.borrow_mut().take());
            }
        });
    }

    // A text from elsewhere.
    use_effect_with((props.doc.version, (*editor).is_some()), {
        let (editor, text) = (editor.clone(), props.doc.text.clone());
        move |_| {
            if let Some(editor) = &*editor {
                editor.set(&text);
            }
        }
    });
    use_effect_with((props.diagnostics.clone(), (*editor).is_some()), {
        let (editor, list) = (editor.clone(), props.diagnostics.clone());
        move |_| {
            if let Some(editor) = &*editor {
                editor.diagnose(&diagnostics(&list));
            }
        }
    });
    let hot = use_context::<Hot>();
    use_effect_with((props.text.clone(), hot.clone(), (*editor).is_some()), {
        let (editor, text) = (editor.clone(), props.text.clone());
        move |_| {
            if let (Some(editor), Some(text), Some(hot)) = (&*editor, &text, &hot) {
                editor.mark(&marks(text, hot));
            }
        }
    });
    html! { <div class="cm" ref={node} /> }
}

fn diagnostics(list: &[Diagnostic]) -> Array {
    list.iter()
        .map(|d| {
            let row = Array::new();
            for n in [d.line, d.column, d.end_line, d.end_column, u32::from(d.severity == Severity::Warning)]
            {
                row.push(&n.into());
            }
            row.push(&d.message.as_str().into());
            row
        })
        .collect()
}

fn marks(value: &Value, hot: &Hot) -> Array {
    let Some(layer) = value.layers.iter().find(|l| matches!(l.form, Form::Yaml | Form::Json)) else {
        return Array::new();
    };
    let rows = Array::new();
    for mark in layer.marks.iter().filter(|m| m.role == protocol::window::Role::Value) {
        let Some(field) = value.fields.get(mark.field as usize).filter(|f| f.leaf) else { continue };
        let (hue, pattern) = hot.look(&field.path);
        let level = match (hot.is(&field.path), hot.link.pinned.is_some()) {
            (false, _) => 0,
            (true, _) => 2,
        };
        let row = Array::new();
        for n in [mark.start, mark.end, mark.field, u32::from(hue), u32::from(pattern), level] {
            row.push(&n.into());
        }
        rows.push(&row);
    }
    rows
}

/// The bar under the editor: save, apply, or the answer that `kubectl edit` waits for.
#[derive(Properties, PartialEq)]
pub struct BarProps {
    pub ui: Ui,
    pub doc: Doc,
}

#[component(EditorBar)]
pub fn editor_bar(props: &BarProps) -> Html {
    let t = props.ui.t;
    let (ui, doc) = (props.ui.clone(), props.doc.clone());
    match props.doc.effect {
        Some(effect) => {
            let (ui2, save) = (ui.clone(), (ui.clone(), doc.clone()));
            html! {
                <div class="bar">
                    <span class="lab">{ t.s("editor.waits") }</span>
                    <span class="sp" />
                    <button class="btn sm" onclick={Callback::from(move |_| edit::give_up(&ui2, effect))}>{ t.s("editor.close") }</button>
                    <button class="btn sm" onclick={Callback::from(move |_| edit::save(&save.0, &save.1))}>{ t.s("editor.save") }</button>
                </div>
            }
        }
        None => {
            let save = (ui.clone(), doc.clone());
            html! {
                <div class="bar">
                    <span class="lab">{ t.s("editor.hint") }</span>
                    <span class="sp" />
                    <button class="btn sm" onclick={Callback::from(move |_| edit::save(&save.0, &save.1))}>{ t.s("editor.save") }</button>
                    <button class="btn sm" onclick={Callback::from(move |_| apply::apply_and_follow(&ui, &doc))}>{ t.s("editor.apply") }</button>
                </div>
            }
        }
    }
}
