//! What the stage says before a request is followed: a whole cluster is running, and what it is made of.

use protocol::window::{Cluster, RaftRole};
use yew::prelude::*;

use crate::actions::open;
use crate::state::Ptr;
use crate::state::view::{Panel, ViewAction};
use crate::ui::Ui;
use crate::words::num;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub cluster: Ptr<Cluster>,
}

/// The locale key of a role's name.
pub fn role_key(role: RaftRole) -> &'static str {
    match role {
        RaftRole::Follower => "role.follower",
        RaftRole::Leader => "role.leader",
        RaftRole::Candidate | RaftRole::PreCandidate => "role.candidate",
        RaftRole::Learner => "role.learner",
        RaftRole::Stopped => "role.stopped",
    }
}

#[component(Start)]
pub fn start(props: &Props) -> Html {
    let t = props.ui.t;
    let view = props.ui.view.clone();
    let configure =
        Callback::from(move |_: MouseEvent| view.dispatch(ViewAction::Panel(Some(Panel::Configuration))));
    html! {
        <div class="station scroll" tabindex="0" role="group" aria-label={t.s("start.label")}>
            <div class="intro">
                <h2>{ t.s("start.title") }</h2>
                <p>{ t.s("start.text") }</p>
            </div>
            <div class="sec wide">
                <h3>{ t.s("start.running") }</h3>
                <table class="tbl">
                    <thead><tr><th>{ t.s("start.process") }</th><th>{ t.s("start.state") }</th><th class="r">{ t.s("start.revision") }</th><th class="r">{ t.s("start.data") }</th></tr></thead>
                    <tbody>
                        { for props.cluster.processes.iter().filter(|p| !props.cluster.members.iter().any(|m| m.name == p.name)).map(|p| html! {
                            <tr><td lang="en"><b>{ &p.name }</b></td><td lang="en">{ if p.paused { t.s("process.paused").to_string() } else { p.state.clone() } }</td><td /><td /></tr>
                        }) }
                        { for props.cluster.members.iter().map(|m| html! {
                            <tr>
                                <td lang="en"><b>{ format!("etcd {}", m.name) }</b>{ " " }<span class="mono dimtext">{ format!("{:x}", m.id) }</span></td>
                                <td>{ t.s(role_key(m.role)) }{ if m.role == RaftRole::Leader { t.f("start.term", &[("n", m.term.to_string())]) } else { String::new() } }</td>
                                <td class="r">{ num(m.revision) }</td>
                                <td class="r">{ t.f("kilobytes", &[("n", num(m.db_size / 1000))]) }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
            <div class="sec wide">
                <h3>{ t.s("encryption.title") }</h3>
                <dl class="facts">
                    { for props.cluster.encryption.iter().map(|(resource, provider)| html! {
                        <div><dt lang="en">{ resource }</dt><dd lang="en">{ provider }</dd></div>
                    }) }
                    <div><dt>{ if props.cluster.encryption.is_empty() { t.s("encryption.everything") } else { t.s("encryption.rest") } }</dt><dd>{ t.s("encryption.plain") }</dd></div>
                </dl>
                <button class="l" onclick={configure}>{ t.s("encryption.open") }</button>
            </div>
            <div class="sec wide">
                <h3>{ t.s("start.other") }</h3>
                <ul class="plain">
                    { for open::SCRIPTS.iter().map(|&(name, text, key)| {
                        let ui = props.ui.clone();
                        html! {
                            <li class="row"><button class="l" lang="en" onclick={Callback::from(move |_| open::script(&ui, name, text))}>{ name }</button>
                                <span class="sp" /><span class="lab">{ t.f(key, &[]) }</span></li>
                        }
                    }) }
                </ul>
            </div>
            <p class="lab pad">{ t.s("start.honest") }</p>
        </div>
    }
}
