//! The top bar: the mark, the views, the world, language, theme, help; and on a phone the tabs below.

use yew::prelude::*;

use crate::state::prefs::{Prefs, PrefsAction, Theme};
use crate::state::view::{Pane, Panel, Stage, View, ViewAction};
use crate::ui::{Ui, icon, mark};
use crate::words::{Lang, num};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub stage: Stage,
    pub panel: Option<Panel>,
    pub prefs: UseReducerHandle<Prefs>,
    pub members: usize,
    pub encrypted: bool,
    pub saved: Option<u64>,
    pub clock: AttrValue,
}

#[component(TopBar)]
pub fn top_bar(props: &Props) -> Html {
    let t = props.ui.t;
    let panel = |panel: Panel| {
        let view = props.ui.view.clone();
        Callback::from(move |_: MouseEvent| view.dispatch(ViewAction::TogglePanel(panel)))
    };
    let lang = {
        let prefs = props.prefs.dispatcher();
        Callback::from(move |e: Event| {
            if let Some(select) = e.target_dyn_into::<web_sys::HtmlSelectElement>()
                && let Some(lang) = Lang::from_tag(&select.value())
            {
                prefs.dispatch(PrefsAction::Lang(lang));
            }
        })
    };
    let theme = {
        let (prefs, now) = (props.prefs.dispatcher(), props.prefs.theme);
        Callback::from(move |_: MouseEvent| {
            let at = Theme::ALL.iter().position(|x| *x == now).unwrap_or(0);
            prefs.dispatch(PrefsAction::Theme(Theme::ALL[(at + 1) % 3]));
        })
    };
    let theme_name = match props.prefs.theme {
        Theme::Auto => t.s("theme.auto"),
        Theme::Light => t.s("theme.light"),
        Theme::Dark => t.s("theme.dark"),
    };
    let theme_label = t.f("theme.label", &[("name", theme_name.to_string())]);
    let world = {
        let members = t.f("world.members", &[("n", props.members.to_string())]);
        if props.encrypted { t.f("world.encrypted", &[("members", members)]) } else { members }
    };
    html! {
        <header class="top">
            <h1 class="brand">{ mark() }<span lang="en">{ "etcdscope" }</span></h1>
            <nav class="views" aria-label={t.s("views.label")}>
                { for Stage::ALL.into_iter().map(|stage| {
                    let view = props.ui.view.clone();
                    html! {
                        <button type="button" aria-current={(stage == props.stage).then_some("page")}
                            onclick={Callback::from(move |_| view.dispatch(ViewAction::Stage(stage)))}>{ t.s(stage.key()) }</button>
                    }
                }) }
            </nav>
            <div class="tools">
                <span class="mono small-clock">{ props.clock.clone() }</span>
                if let Some(revision) = props.saved {
                    <span class="lab saved">{ t.f("saved", &[("revision", num(revision))]) }</span>
                }
                <button class="tool world" aria-pressed={(props.panel == Some(Panel::World)).to_string()} onclick={panel(Panel::World)}>
                    <span class="dimtext">{ t.s("world.title") }</span><span>{ world }</span>
                </button>
                <span class="vsep" />
                <select class="tool lang" aria-label={t.s("language")} onchange={lang}>
                    { for Lang::ALL.into_iter().map(|l| html! {
                        <option value={l.tag()} lang={l.tag()} selected={l == props.prefs.lang}>{ l.own_name() }</option>
                    }) }
                </select>
                <button class="tool" aria-label={theme_label.clone()} title={theme_label} onclick={theme}>{ icon("light") }</button>
                <button class="tool" aria-label={t.s("help.label")} aria-pressed={(props.panel == Some(Panel::Help)).to_string()} onclick={panel(Panel::Help)}>{ "?" }</button>
            </div>
        </header>
    }
}

#[derive(Properties, PartialEq)]
pub struct TabsProps {
    pub ui: Ui,
    pub view: UseReducerHandle<View>,
}

/// Views as tabs, where the screen is narrow.
#[component(Tabs)]
pub fn tabs(props: &TabsProps) -> Html {
    let t = props.ui.t;
    let v = &props.view;
    let tab = |label: &'static str, on: bool, action: fn() -> ViewAction| {
        let view = props.ui.view.clone();
        html! {
            <button type="button" aria-current={on.then_some("page")} onclick={Callback::from(move |_| view.dispatch(action()))}>{ label }</button>
        }
    };
    let stage = v.pane == Pane::Stage;
    html! {
        <nav class="tabs" aria-label={t.s("views.label")}>
            { tab(t.s("view.pipeline"), stage && v.stage == Stage::Pipeline, || ViewAction::Stage(Stage::Pipeline)) }
            { tab(t.s("view.bytes"), v.pane == Pane::Inspector, || ViewAction::Pane(Pane::Inspector)) }
            { tab(t.s("view.keys"), stage && v.stage == Stage::Keyspace, || ViewAction::Stage(Stage::Keyspace)) }
            { tab(t.s("view.terminal"), v.pane == Pane::Terminal, || ViewAction::Pane(Pane::Terminal)) }
            { tab(t.s("view.more"), v.pane == Pane::More || (stage && v.stage == Stage::Consensus), || ViewAction::Pane(Pane::More)) }
        </nav>
    }
}

/// What has no tab of its own.
#[component(More)]
pub fn more(props: &TabsProps) -> Html {
    let t = props.ui.t;
    let item = |label: &'static str, action: fn() -> Vec<ViewAction>| {
        let view = props.ui.view.clone();
        html! {
            <li><button type="button" class="more-item" onclick={Callback::from(move |_| action().into_iter().for_each(|a| view.dispatch(a)))}>{ label }</button></li>
        }
    };
    html! {
        <nav class="more" aria-label={t.s("view.more")}><ul class="plain">
            { item(t.s("view.consensus"), || vec![ViewAction::Stage(Stage::Consensus)]) }
            { item(t.s("panel.files"), || vec![ViewAction::Pane(Pane::Stage), ViewAction::Panel(Some(Panel::Files))]) }
            { item(t.s("panel.configuration"), || vec![ViewAction::Pane(Pane::Stage), ViewAction::Panel(Some(Panel::Configuration))]) }
            { item(t.s("world.title"), || vec![ViewAction::Pane(Pane::Stage), ViewAction::Panel(Some(Panel::World))]) }
            { item(t.s("help.label"), || vec![ViewAction::Pane(Pane::Stage), ViewAction::Panel(Some(Panel::Help))]) }
        </ul></nav>
    }
}
