//! Members as rows, their logs aligned by index; what each has committed and applied; links that can be cut; processes
//! that can be stopped.

use protocol::window::{Cluster, Member, RaftRole};
use protocol::{Fault, Input};
use yew::prelude::*;

use super::start::role_key;
use crate::host;
use crate::state::Ptr;
use crate::ui::Ui;
use crate::words::{duration, num};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub cluster: Ptr<Cluster>,
    /// How many log cells have room.
    pub cells: u64,
}

/// The role's shape; the word stands beside it.
fn role_mark(role: RaftRole) -> &'static str {
    match role {
        RaftRole::Follower => "○",
        RaftRole::Leader => "◉",
        RaftRole::Candidate | RaftRole::PreCandidate => "◐",
        RaftRole::Learner => "◇",
        RaftRole::Stopped => "✕",
    }
}

#[component(Consensus)]
pub fn consensus(props: &Props) -> Html {
    let t = props.ui.t;
    let c = &props.cluster;
    let newest = c.members.iter().map(|m| m.last_index).max().unwrap_or(0);
    let oldest = newest.saturating_sub(props.cells - 1);
    html! {
        <div class="cons scroll" tabindex="0" role="group" aria-label={t.s("view.consensus")}>
            <div class="ph"><h2>{ t.f("world.members", &[("n", c.members.len().to_string())]) }</h2>
                <span class="lab">{ t.f("cluster.quorum", &[("n", (c.members.len() / 2 + 1).to_string())]) }</span></div>
            { for c.members.iter().map(|m| member(props, m, oldest, newest)) }
            { links(props) }
            { processes(props) }
        </div>
    }
}

fn fault(fault: Fault) -> Callback<MouseEvent> {
    Callback::from(move |_: MouseEvent| host::input(Input::Fault(fault.clone())))
}

fn member(props: &Props, m: &Member, oldest: u64, newest: u64) -> Html {
    let t = props.ui.t;
    let stopped = m.role == RaftRole::Stopped;
    let vote = props.cluster.members.iter().find(|o| o.id == m.vote).map_or("–", |o| o.name.as_str());
    html! {
        <section class="mem" aria-label={m.name.clone()}>
            <div class="id">
                <div class="nm"><span class="role" aria-hidden="true">{ role_mark(m.role) }</span><span lang="en">{ &m.name }</span>
                    <span class="ink2 plainw">{ t.s(role_key(m.role)) }</span></div>
                <div class="mono dimtext">{ format!("{:x}", m.id) }</div>
                <div class="lab">{ t.f("cluster.term", &[("term", m.term.to_string()), ("vote", vote.to_string())]) }</div>
                if stopped {
                    <button class="btn sm" onclick={fault(Fault::Restart { process: m.name.clone() })}>{ t.s("fault.restart") }</button>
                } else {
                    <button class="btn sm" onclick={fault(Fault::Crash { process: m.name.clone() })} data-do={format!("crash-{}", m.name)}>{ t.s("fault.crash") }</button>
                }
            </div>
            <div class="logs" role="list" aria-label={t.f("cluster.log", &[("name", m.name.clone())])} tabindex="0">
                { for (oldest.max(1)..=newest).map(|index| {
                    let entry = m.log.iter().find(|e| e.index == index);
                    let class = match entry {
                        None => if index < m.first_index { "le gone" } else { "le no" },
                        Some(_) if index > m.commit => "le un",
                        Some(_) => "le",
                    };
                    let state = match entry {
                        None => t.s("cluster.absent"),
                        Some(_) if index > m.commit => t.s("cluster.uncommitted"),
                        Some(_) => "",
                    };
                    html! {
                        <div {class} role="listitem" title={entry.map(|e| e.what.clone())}>
                            <b>{ index }</b>
                            <span lang="en">{ entry.map(|e| short(&e.what)).unwrap_or_default() }</span>
                            <span class="vh">{ state }</span>
                        </div>
                    }
                }) }
                <div class="lab after" role="listitem">{ t.f("cluster.applied", &[("commit", num(m.commit)), ("applied", num(m.applied)), ("revision", num(m.revision))]) }</div>
            </div>
        </section>
    }
}

/// What fits a log cell: the resource of a key, else the first word.
fn short(what: &str) -> String {
    if let Some((_, key)) = what.split_once("/registry/") {
        return key.split('/').next().unwrap_or(key).chars().take(11).collect();
    }
    what.split(' ').next().unwrap_or(what).chars().take(11).collect()
}

fn links(props: &Props) -> Html {
    let t = props.ui.t;
    let links = &props.cluster.links;
    if links.is_empty() {
        return Html::default();
    }
    html! {
        <section class="sec wide" aria-label={t.s("links.title")}>
            <h3>{ t.s("links.title") }</h3>
            <table class="tbl"><thead><tr><th>{ t.s("links.from") }</th><th>{ t.s("links.to") }</th><th class="r">{ t.s("links.latency") }</th><th>{ t.s("start.state") }</th><th><span class="vh">{ t.s("table.actions") }</span></th></tr></thead>
                <tbody>{ for links.iter().map(|l| {
                    let cut = Fault::Cut { from: l.from.clone(), to: l.to.clone(), both: false };
                    let heal = Fault::Heal { from: l.from.clone(), to: l.to.clone(), both: false };
                    html! {
                        <tr><td lang="en">{ &l.from }</td><td lang="en">{ &l.to }</td><td class="r">{ duration(l.latency) }</td>
                            <td>if l.cut { <span class="tag bad">{ "✕ " }{ t.s("links.cut") }</span> } else { { t.s("links.whole") } }</td>
                            <td class="r">if l.cut { <button class="btn sm" onclick={fault(heal)}>{ t.s("fault.heal") }</button> }
                                else { <button class="btn sm" onclick={fault(cut)}>{ t.s("fault.cut") }</button> }</td></tr>
                    }
                }) }</tbody></table>
        </section>
    }
}

fn processes(props: &Props) -> Html {
    let t = props.ui.t;
    let list: Vec<_> = props
        .cluster
        .processes
        .iter()
        .filter(|p| !props.cluster.members.iter().any(|m| m.name == p.name))
        .collect();
    if list.is_empty() {
        return Html::default();
    }
    html! {
        <section class="sec wide" aria-label={t.s("processes.title")}>
            <h3>{ t.s("processes.title") }</h3>
            <table class="tbl"><tbody>{ for list.into_iter().map(|p| {
                let name = || p.name.clone();
                html! {
                    <tr><td lang="en"><b>{ &p.name }</b></td>
                        <td lang="en">{ if p.paused { t.s("process.paused").to_string() } else { p.state.clone() } }</td>
                        <td class="r">
                            if !p.alive { <button class="btn sm" onclick={fault(Fault::Restart { process: name() })}>{ t.s("fault.restart") }</button> }
                            else if p.paused { <button class="btn sm" onclick={fault(Fault::Resume { process: name() })}>{ t.s("fault.resume") }</button> }
                            else {
                                <button class="btn sm" onclick={fault(Fault::Pause { process: name() })}>{ t.s("fault.pause") }</button>{ " " }
                                <button class="btn sm" onclick={fault(Fault::Crash { process: name() })}>{ t.s("fault.crash") }</button>
                            }
                        </td></tr>
                }
            }) }</tbody></table>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_log_cell_names_the_resource() {
        assert_eq!(short("txn /registry/pods/default/dnsutils"), "pods");
        assert_eq!(short("lease grant"), "lease");
        assert_eq!(short("txn /registry/apiregistration.k8s.io/apiservices/v1."), "apiregistra");
    }
}
