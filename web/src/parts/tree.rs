//! The object as it is encoded: its fields in byte order, with number, wire type, range and length; who put each there.

use std::collections::BTreeSet;
use std::rc::Rc;

use protocol::window::{Field, Form, Origin, Role, Value};
use yew::prelude::*;

use crate::state::Ptr;
use crate::state::link::{Hot, LinkAction};
use crate::ui::Ui;

/// The class that carries an origin's muted tint and texture.
pub fn origin_class(origin: Origin) -> &'static str {
    match origin {
        Origin::You => "o-you",
        Origin::Defaults => "o-defaults",
        Origin::Annotation => "o-annotation",
        Origin::ManagedFields => "o-managed",
        Origin::Admission => "o-admission",
        Origin::System => "o-system",
        Origin::Status => "o-status",
        Origin::Envelope => "o-envelope",
        Origin::Unknown => "o-unknown",
    }
}

/// The locale key of an origin's name.
pub fn origin_key(origin: Origin) -> &'static str {
    match origin {
        Origin::You => "origin.you",
        Origin::Defaults => "origin.defaults",
        Origin::Annotation => "origin.annotation",
        Origin::ManagedFields => "origin.managed",
        Origin::Admission => "origin.admission",
        Origin::System => "origin.system",
        Origin::Status => "origin.status",
        Origin::Envelope => "origin.envelope",
        Origin::Unknown => "origin.unknown",
    }
}

/// Protobuf's wire types by their usual short names.
fn wire(wire: u8) -> &'static str {
    match wire {
        0 => "varint",
        1 => "64-bit",
        2 => "len",
        5 => "32-bit",
        _ => "",
    }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub value: Ptr<Value>,
}

/// A field's range in the encoded layer.
fn range(value: &Value, index: usize) -> Option<(u32, u32)> {
    let layer = encoded(value)?;
    let mine = || {
        layer.marks.iter().filter(|m| m.field as usize == index && matches!(m.role, Role::Value | Role::Tag))
    };
    Some((mine().map(|m| m.start).min()?, mine().map(|m| m.end).max()?))
}

/// The layer whose bytes the tree is about.
pub fn encoded(value: &Value) -> Option<&protocol::window::Layer> {
    value
        .layers
        .iter()
        .find(|l| l.form == Form::Protobuf)
        .or_else(|| value.layers.iter().find(|l| matches!(l.form, Form::Json | Form::Yaml)))
}

/// How many leaves are the person's and how many were added.
pub fn count(value: &Value) -> (u64, u64) {
    let leaves = || value.fields.iter().filter(|f| f.leaf);
    let yours = leaves().filter(|f| f.origin == Origin::You).count();
    (yours as u64, (leaves().count() - yours) as u64)
}

#[component(Tree)]
pub fn tree(props: &Props) -> Html {
    // What is closed; branches without a leaf of the person's are closed at first.
    let closed = use_state(|| None::<BTreeSet<String>>);
    let cursor = use_state(|| None::<usize>);
    let node = use_node_ref();
    let hot = use_context::<Hot>();
    let Some(hot) = hot else { return Html::default() };
    let t = props.ui.t;
    let fields = &props.value.fields;
    let first = || -> BTreeSet<String> {
        fields
            .iter()
            .filter(|f| !f.leaf)
            .filter(|f| !fields.iter().any(|g| g.leaf && g.origin == Origin::You && below(&g.path, &f.path)))
            .map(|f| f.path.clone())
            .collect()
    };
    let mut shut = (*closed).clone().unwrap_or_else(first);
    // A pinned field is never hidden.
    if let Some(pinned) = &hot.link.pinned {
        shut.retain(|path| !below(pinned, path));
    }
    let visible: Vec<usize> = (0..fields.len())
        .filter(|&i| !shut.iter().any(|path| below(&fields[i].path, path)))
        .take(600)
        .collect();

    let toggle = {
        let (closed, shut) = (closed.clone(), shut.clone());
        move |path: &str, open: Option<bool>| {
            let mut next = shut.clone();
            let is_shut = next.contains(path);
            if open.unwrap_or(is_shut) {
                next.remove(path);
            } else {
                next.insert(path.to_string());
            }
            closed.set(Some(next));
        }
    };
    let onkeydown = {
        let (cursor, visible, value) = (cursor.clone(), visible.clone(), props.value.clone());
        let (link, toggle, node) = (props.ui.link.clone(), toggle.clone(), node.clone());
        Callback::from(move |e: KeyboardEvent| {
            if e.alt_key() || e.ctrl_key() || e.meta_key() || visible.is_empty() {
                return;
            }
            let here = cursor.and_then(|c| visible.iter().position(|i| *i == c)).unwrap_or(0);
            let field = &value.fields[visible[here]];
            let go = |to: usize| {
                let to = to.min(visible.len() - 1);
                cursor.set(Some(visible[to]));
                link.dispatch(LinkAction::Over(Some(value.fields[visible[to]].path.as_str().into())));
                if let Some(element) = node.cast::<web_sys::Element>() {
                    let (y, high) = (to as i32 * 20, element.client_height());
                    if y < element.scroll_top() {
                        element.set_scroll_top(y);
                    } else if y + 24 > element.scroll_top() + high {
                        element.set_scroll_top(y + 24 - high);
                    }
                }
            };
            match e.key().as_str() {
                "ArrowDown" => go(here + usize::from(cursor.is_some())),
                "ArrowUp" => go(here.saturating_sub(1)),
                "Home" => go(0),
                "End" => go(visible.len()),
                "ArrowRight" if !field.leaf => toggle(&field.path, Some(true)),
                "ArrowLeft" if !field.leaf => toggle(&field.path, Some(false)),
                "ArrowRight" | "ArrowLeft" => {}
                "Enter" => link.dispatch(LinkAction::Toggle(field.path.as_str().into())),
                _ => return,
            }
            e.prevent_default();
        })
    };
    html! {
        <>
            <div class="tr hdr" aria-hidden="true">
                <span>{ t.s("tree.field") }</span><span>{ t.s("tree.number") }</span>
                <span>{ t.s("tree.bytes") }</span><span class="ln">{ t.s("tree.length") }</span>
            </div>
            <div class="tree scroll" ref={node} role="tree" tabindex="0" aria-label={t.s("tree.label")} {onkeydown}
                aria-activedescendant={cursor.map(|i| format!("f{i}"))}>
                { for visible.iter().map(|&i| row(props, &hot, i, shut.contains(&fields[i].path), *cursor == Some(i), &toggle)) }
            </div>
        </>
    }
}

/// Is a path strictly inside another?
fn below(path: &str, parent: &str) -> bool {
    path.strip_prefix(parent).is_some_and(|rest| rest.starts_with(['.', '[']))
}

fn row(
    props: &Props,
    hot: &Hot,
    i: usize,
    shut: bool,
    at_cursor: bool,
    toggle: &(impl Fn(&str, Option<bool>) + Clone + 'static),
) -> Html {
    let t = props.ui.t;
    let field: &Field = &props.value.fields[i];
    let (hue, pattern) = hot.look(&field.path);
    let path: Rc<str> = field.path.as_str().into();
    let (link, over) = (props.ui.link.clone(), path.clone());
    let enter = Callback::from(move |_: MouseEvent| link.dispatch(LinkAction::Over(Some(over.clone()))));
    let link = props.ui.link.clone();
    let leave = Callback::from(move |_: MouseEvent| link.dispatch(LinkAction::Over(None)));
    let (link, leaf, toggle) = (props.ui.link.clone(), field.leaf, toggle.clone());
    let click = Callback::from(move |_: MouseEvent| {
        if leaf {
            link.dispatch(LinkAction::Toggle(path.clone()));
        } else {
            toggle(&path, None);
        }
    });
    let range = range(&props.value, i);
    let is_hot = hot.is(&field.path);
    let note = (field.leaf && field.origin != Origin::You && field.origin != Origin::Unknown)
        .then(|| t.s(origin_key(field.origin)));
    let has_wire = field.number > 0;
    html! {
        <div class={classes!("tr", is_hot.then_some("hot"), at_cursor.then_some("cur"))} role="treeitem" id={format!("f{i}")} key={i}
            aria-level={(field.depth + 1).to_string()} aria-selected={(hot.link.pinned.as_deref() == Some(&*field.path)).to_string()}
            aria-expanded={(!field.leaf).then(|| (!shut).to_string())} data-h={(hue > 0).then(|| hue.to_string())}
            data-f={field.path.clone()} onmouseenter={enter} onmouseleave={leave} onclick={click}>
            <span class="nm" style={format!("padding-left:{}px", u32::from(field.depth) * 12)}>
                <span class="tw" aria-hidden="true">{ if field.leaf { "" } else if shut { "▸" } else { "▾" } }</span>
                <span class={if hue > 0 { "u" } else { "" }} data-h={(hue > 0).then(|| hue.to_string())}
                    data-p={(hue > 0).then(|| pattern.to_string())} lang="en">{ &field.name }</span>
                { " " }<span class="dimtext">{ note.unwrap_or("") }</span>
            </span>
            <span class="ty" lang="en">{ if has_wire { format!("{} · {}", field.number, wire(field.wire)) } else { String::new() } }</span>
            <span class="of">{ range.map(|(a, b)| format!("{a:03x}–{:03x}", b.saturating_sub(1))).unwrap_or_default() }</span>
            <span class="ln">{ range.map(|(a, b)| (b - a).to_string()).unwrap_or_default() }</span>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_strict() {
        assert!(below("spec.containers[0].name", "spec.containers[0]"));
        assert!(!below("spec", "spec"));
        assert!(!below("specific", "spec"));
    }
}
