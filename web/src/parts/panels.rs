//! The rail at the left and the panel it opens: files, configuration, the world, help.

use protocol::window::{Cluster, FileEntry};
use protocol::{Config, Mode};
use yew::prelude::*;

use super::help;
use crate::actions::{encrypt, open, world};
use crate::state::Ptr;
use crate::state::view::{Panel, ViewAction};
use crate::ui::{Ui, icon};
use crate::words::num;

#[derive(Properties, PartialEq)]
pub struct RailProps {
    pub ui: Ui,
    pub panel: Option<Panel>,
}

#[component(Rail)]
pub fn rail(props: &RailProps) -> Html {
    let t = props.ui.t;
    let button = |panel: Panel, name: &'static str, label: &'static str| {
        let view = props.ui.view.clone();
        html! {
            <button type="button" aria-label={label} title={label} aria-pressed={(props.panel == Some(panel)).to_string()}
                onclick={Callback::from(move |_| view.dispatch(ViewAction::TogglePanel(panel)))}>{ icon(name) }</button>
        }
    };
    html! {
        <nav class="rail" id="region-rail" aria-label={t.s("rail.label")}>
            { button(Panel::Files, "files", t.s("panel.files")) }
            { button(Panel::Configuration, "config", t.s("panel.configuration")) }
            { button(Panel::World, "world", t.s("world.title")) }
        </nav>
    }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub panel: Panel,
    pub files: Ptr<Vec<FileEntry>>,
    pub folder: String,
    pub cluster: Ptr<Cluster>,
    pub mode: Mode,
}

#[component(SidePanel)]
pub fn side_panel(props: &Props) -> Html {
    let t = props.ui.t;
    let view = props.ui.view.clone();
    let close = Callback::from(move |_: MouseEvent| view.dispatch(ViewAction::Panel(None)));
    let (title, body) = match props.panel {
        Panel::Files => (t.s("panel.files"), files(props)),
        Panel::Configuration => (
            t.s("panel.configuration"),
            html! { <Configuration ui={props.ui.clone()} cluster={props.cluster.clone()} mode={props.mode} /> },
        ),
        Panel::World => (t.s("world.title"), html! { <World ui={props.ui.clone()} /> }),
        Panel::Help => (t.s("help.title"), help::help(t)),
    };
    html! {
        <section class="side" aria-label={title}>
            <div class="ph"><h2>{ title }</h2><span class="sp" />
                <button class="tool sm" aria-label={t.s("panel.close")} onclick={close}>{ icon("cross") }</button></div>
            <div class="scroll fill pad" tabindex="0" role="group" aria-label={title}>{ body }</div>
        </section>
    }
}

fn files(props: &Props) -> Html {
    let t = props.ui.t;
    let up = props.folder.rsplit_once('/').map(|(up, _)| if up.is_empty() { "/" } else { up }.to_string());
    let go = |folder: String| {
        let view = props.ui.view.clone();
        Callback::from(move |_: MouseEvent| view.dispatch(ViewAction::Folder(folder.clone())))
    };
    html! {
        <>
            <div class="row wrap">
                <code lang="en">{ &props.folder }</code><span class="sp" />
                <button class="l" onclick={go("~".into())}>{ t.s("files.home") }</button>
                <button class="l" onclick={go("/etc/kubernetes".into())} lang="en">{ "/etc/kubernetes" }</button>
                if let Some(up) = up { <button class="l" onclick={go(up)}>{ t.s("files.up") }</button> }
            </div>
            <ul class="plain list">
                { for props.files.iter().map(|f| {
                    let name = f.path.rsplit('/').next().unwrap_or(&f.path).to_string();
                    let click = if f.dir { go(f.path.clone()) } else {
                        let (view, path) = (props.ui.view.clone(), f.path.clone());
                        Callback::from(move |_: MouseEvent| view.dispatch(ViewAction::Opening(Some(path.clone()))))
                    };
                    html! {
                        <li class="row"><button class="l mono" lang="en" onclick={click}>{ name }{ if f.dir { "/" } else { "" } }</button><span class="sp" />
                            if !f.dir { <span class="lab">{ t.f("bytes", &[("n", num(f.size))]) }</span> }</li>
                    }
                }) }
            </ul>
            <h3>{ t.s("start.other") }</h3>
            <ul class="plain list">
                { for open::SCRIPTS.iter().map(|&(name, text, key)| {
                    let ui = props.ui.clone();
                    html! { <li class="row"><button class="l mono" lang="en" onclick={Callback::from(move |_| open::script(&ui, name, text))}>{ name }</button>
                        <span class="sp" /><span class="lab">{ t.f(key, &[]) }</span></li> }
                }) }
            </ul>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct ConfigurationProps {
    ui: Ui,
    cluster: Ptr<Cluster>,
    mode: Mode,
}

#[component(Configuration)]
fn configuration(props: &ConfigurationProps) -> Html {
    let t = props.ui.t;
    let text = use_state(|| encrypt::FIRST.to_string());
    let on = !props.cluster.encryption.is_empty();
    let paused = props.mode == Mode::Paused;
    let typed = {
        let text = text.clone();
        Callback::from(move |e: InputEvent| {
            if let Some(area) = e.target_dyn_into::<web_sys::HtmlElement>()
                && let Ok(value) = js_sys::Reflect::get(&area, &"value".into())
            {
                text.set(value.as_string().unwrap_or_default());
            }
        })
    };
    let turn_on = {
        let text = text.clone();
        Callback::from(move |_: MouseEvent| encrypt::turn(Some((*text).clone()), paused))
    };
    let turn_off = Callback::from(move |_: MouseEvent| encrypt::turn(None, paused));
    html! {
        <>
            <h3>{ t.s("encryption.title") }</h3>
            <p>{ t.s("encryption.text") }</p>
            <dl class="facts">
                { for props.cluster.encryption.iter().map(|(resource, provider)| html! {
                    <div><dt lang="en">{ resource }</dt><dd lang="en">{ provider }</dd></div>
                }) }
                if !on { <div><dt>{ t.s("encryption.everything") }</dt><dd>{ t.s("encryption.plain") }</dd></div> }
            </dl>
            <textarea class="mono area" rows="14" spellcheck="false" lang="en" aria-label={t.s("encryption.config")} value={(*text).clone()} oninput={typed} />
            <div class="row gap">
                <button class="btn" onclick={turn_on} data-do="encrypt">{ if on { t.s("encryption.change") } else { t.s("encryption.on") } }</button>
                if on { <button class="btn" onclick={turn_off} data-do="plain">{ t.s("encryption.off") }</button> }
            </div>
            <p class="lab">{ t.s("encryption.restart") }</p>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct WorldProps {
    ui: Ui,
}

#[component(World)]
fn world_panel(props: &WorldProps) -> Html {
    let t = props.ui.t;
    let config = use_state(Config::default);
    let number = |f: fn(&mut Config, u64)| {
        let config = config.clone();
        Callback::from(move |e: Event| {
            let value = e
                .target_dyn_into::<web_sys::HtmlInputElement>()
                .map(|i| i.value())
                .or_else(|| e.target_dyn_into::<web_sys::HtmlSelectElement>().map(|s| s.value()));
            if let Some(value) = value.and_then(|v| v.parse().ok()) {
                let mut next = (*config).clone();
                f(&mut next, value);
                config.set(next);
            }
        })
    };
    let check = {
        let config = config.clone();
        Callback::from(move |e: Event| {
            if let Some(input) = e.target_dyn_into::<web_sys::HtmlInputElement>() {
                config.set(Config { controllers: input.checked(), ..(*config).clone() });
            }
        })
    };
    let begin = {
        let config = config.clone();
        Callback::from(move |_: MouseEvent| world::reset((*config).clone()))
    };
    html! {
        <>
            <p>{ t.s("world.text") }</p>
            <div class="form">
                <label>{ t.s("world.seed") }<input type="number" min="0" value={config.seed.to_string()} onchange={number(|c, n| c.seed = n)} /></label>
                <label>{ t.s("world.size") }
                    <select onchange={number(|c, n| c.members = n as u8)}>
                        { for [1u8, 3, 5].into_iter().map(|n| html! { <option value={n.to_string()} selected={config.members == n}>{ n }</option> }) }
                    </select></label>
                <label>{ t.s("world.nodes") }<input type="number" min="0" max="9" value={config.nodes.to_string()} onchange={number(|c, n| c.nodes = n.min(9) as u8)} /></label>
                <label class="check"><input type="checkbox" checked={config.controllers} onchange={check} />{ t.s("world.controllers") }</label>
            </div>
            <div class="row gap wrap">
                <button class="btn" onclick={begin} data-do="reset">{ t.s("world.reset") }</button>
            </div>
            <p class="lab">{ t.s("world.reset.text") }</p>
            <h3>{ t.s("world.file") }</h3>
            <p>{ t.s("world.file.text") }</p>
            <div class="row gap wrap">
                <button class="btn" onclick={Callback::from(|_| world::export())} data-do="export">{ t.s("world.export") }</button>
                <button class="btn" onclick={Callback::from(|_| world::import())} data-do="import">{ t.s("world.import") }</button>
            </div>
        </>
    }
}
