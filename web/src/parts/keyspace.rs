//! The keys in byte order with their revisions, and the life of the chosen one. Only the rows in sight are asked for.

use std::rc::Rc;

use protocol::window::{Key, KeyRow, Keys};
use yew::prelude::*;

use crate::state::Ptr;
use crate::state::view::ViewAction;
use crate::ui::{Ui, key_text};
use crate::words::num;

/// Height of a row, px.
const ROW: i32 = 24;
/// Rows asked for at once.
pub const COUNT: u16 = 200;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub keys: Ptr<Keys>,
    pub life: Option<Ptr<Key>>,
    pub chosen: Option<Rc<[u8]>>,
    pub revision: Option<i64>,
    pub prefix: String,
}

#[component(Keyspace)]
pub fn keyspace(props: &Props) -> Html {
    let t = props.ui.t;
    let node = use_node_ref();
    let cursor = use_state(|| 0u32);
    let keys = &props.keys;
    let view = props.ui.view.clone();
    let prefix = Callback::from(move |e: InputEvent| {
        if let Some(input) = e.target_dyn_into::<web_sys::HtmlInputElement>() {
            view.dispatch(ViewAction::Prefix(input.value()));
        }
    });
    let (view, first, total) = (props.ui.view.clone(), keys.first, keys.total);
    let onscroll = Callback::from(move |e: Event| {
        let Some(element) = e.target_dyn_into::<web_sys::Element>() else { return };
        let top = (element.scroll_top() / ROW).max(0) as u32;
        // Ask again when the rows in sight leave the middle of what is here.
        let near = top < first || top + 40 > first + u32::from(COUNT);
        if near && total > u32::from(COUNT) {
            view.dispatch(ViewAction::FirstKey(top.saturating_sub(80)));
        }
    });
    let onkeydown = {
        let (cursor, keys, view, node) =
            (cursor.clone(), props.keys.clone(), props.ui.view.clone(), node.clone());
        Callback::from(move |e: KeyboardEvent| {
            if e.alt_key() || e.ctrl_key() || e.meta_key() || keys.total == 0 {
                return;
            }
            let last = keys.total - 1;
            let next = match e.key().as_str() {
                "ArrowDown" => *cursor + 1,
                "ArrowUp" => cursor.saturating_sub(1),
                "PageDown" => *cursor + 20,
                "PageUp" => cursor.saturating_sub(20),
                "Home" => 0,
                "End" => last,
                "Enter" => *cursor,
                _ => return,
            }
            .min(last);
            e.prevent_default();
            cursor.set(next);
            if let Some(row) = next.checked_sub(keys.first).and_then(|i| keys.rows.get(i as usize)) {
                view.dispatch(ViewAction::Key(Some(row.key.as_slice().into())));
            }
            if let Some(element) = node.cast::<web_sys::Element>() {
                let (y, high) = (next as i32 * ROW, element.client_height());
                if y < element.scroll_top() {
                    element.set_scroll_top(y);
                } else if y + ROW > element.scroll_top() + high {
                    element.set_scroll_top(y + ROW - high);
                }
            }
        })
    };
    let chosen_at = keys.rows.iter().position(|r| props.chosen.as_deref() == Some(r.key.as_slice()));
    html! {
        <div class="ks">
            <section class="kcol" aria-label={t.s("keys.label")}>
                <div class="ph"><b>{ t.s("keys.title") }</b>
                    <input class="prefix mono" lang="en" aria-label={t.s("keys.prefix")} value={props.prefix.clone()} oninput={prefix} spellcheck="false" />
                    <span class="lab">{ t.f("keys.count", &[("n", num(keys.total)), ("revision", num(keys.revision))]) }</span>
                </div>
                <div class="kr head" aria-hidden="true"><span>{ t.s("keys.key") }</span><span class="r" lang="en">{ "create" }</span><span class="r" lang="en">{ "mod" }</span>
                    <span class="r" lang="en">{ "version" }</span><span class="r">{ t.s("tree.bytes") }</span></div>
                <div class="scroll fill" ref={node} {onscroll} {onkeydown} role="grid" tabindex="0" aria-label={t.s("keys.grid")}
                    aria-rowcount={keys.total.to_string()} aria-activedescendant={chosen_at.map(|i| format!("k{i}"))}>
                    <div role="presentation" style={format!("height:{}px;padding-top:{}px", keys.total as i32 * ROW, keys.first as i32 * ROW)}>
                        { for keys.rows.iter().enumerate().map(|(i, row)| key_row(props, i, row, &cursor)) }
                    </div>
                </div>
            </section>
            { history(props) }
        </div>
    }
}

fn key_row(props: &Props, i: usize, row: &KeyRow, cursor: &UseStateHandle<u32>) -> Html {
    let on = props.chosen.as_deref() == Some(row.key.as_slice());
    let (view, key, cursor) = (props.ui.view.clone(), row.key.clone(), cursor.clone());
    let at = props.keys.first + i as u32;
    let click = Callback::from(move |_: MouseEvent| {
        cursor.set(at);
        view.dispatch(ViewAction::Key(Some(key.as_slice().into())));
    });
    html! {
        <div class={classes!("kr", on.then_some("on"))} role="row" id={format!("k{i}")} aria-selected={on.to_string()}
            aria-rowindex={(at + 1).to_string()} onclick={click}>
            <span class="mono name" role="gridcell" lang="en" title={key_text(&row.key)}><bdi>{ key_text(&row.key) }</bdi></span>
            <span class="r" role="gridcell">{ row.create_revision }</span><span class="r" role="gridcell">{ row.mod_revision }</span>
            <span class="r" role="gridcell">{ row.version }</span><span class="r" role="gridcell">{ num(row.size) }</span>
        </div>
    }
}

fn history(props: &Props) -> Html {
    let t = props.ui.t;
    let (Some(key), Some(chosen)) = (&props.life, &props.chosen) else {
        return html! { <section class="kcol empty"><p class="ink2">{ t.s("keys.choose") }</p></section> };
    };
    if key.key != **chosen {
        return html! { <section class="kcol empty" /> };
    }
    let at = props.revision.or(key.history.last().map(|r| r.mod_revision));
    html! {
        <div class="kcol">
            <div class="ph"><code class="cut" lang="en" title={key_text(&key.key)}>{ key_text(&key.key) }</code></div>
            if key.compacted > 0 {
                <p class="lab padx">{ t.f("history.compacted", &[("revision", num(key.compacted as u64))]) }</p>
            }
            <div class="scroll fill" tabindex="0" role="group" aria-label={t.s("history.label")}>
                <table class="tbl hist">
                    <thead><tr><th class="r" lang="en">{ "mod" }</th><th class="r" lang="en">{ "create" }</th><th class="r" lang="en">{ "version" }</th><th>{ t.s("history.begins") }</th><th class="r">{ t.s("tree.bytes") }</th></tr></thead>
                    <tbody>
                        { for key.history.iter().map(|row| {
                            let on = at == Some(row.mod_revision);
                            let tomb = row.version == 0;
                            let (view, revision) = (props.ui.view.clone(), row.mod_revision);
                            let click = Callback::from(move |_: MouseEvent| view.dispatch(ViewAction::Revision(Some(revision))));
                            html! {
                                <tr class={classes!(on.then_some("selr"))}>
                                    <td class="r"><button class="l mono" aria-pressed={on.to_string()} onclick={click} disabled={tomb}>{ row.mod_revision }</button></td>
                                    <td class="r">{ row.create_revision }</td><td class="r">{ row.version }</td>
                                    <td class="mono" lang="en">{ if tomb { format!("◇ {}", t.s("history.tombstone")) } else { row.prefix.clone() } }</td>
                                    <td class="r">{ num(row.size) }</td>
                                </tr>
                            }
                        }) }
                    </tbody>
                </table>
                <dl class="facts padx">
                    { for key.history.last().map(|row| html! {
                        <>
                            <div><dt lang="en">{ "create_revision" }</dt><dd>{ row.create_revision }{ " " }<span class="dimtext">{ t.s("history.create") }</span></dd></div>
                            <div><dt lang="en">{ "mod_revision" }</dt><dd>{ row.mod_revision }{ " " }<span class="dimtext">{ t.s("history.mod") }</span></dd></div>
                            <div><dt lang="en">{ "version" }</dt><dd>{ row.version }{ " " }<span class="dimtext">{ t.s("history.version") }</span></dd></div>
                            <div><dt lang="en">{ "lease" }</dt><dd>{ format!("{:x}", row.lease) }</dd></div>
                        </>
                    }) }
                </dl>
            </div>
        </div>
    }
}
