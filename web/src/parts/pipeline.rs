//! The path: every station in its row, what has been done, where the followed request is, what is next. Position means
//! depth: down is a write, up the answer and the watch.

use std::rc::Rc;

use protocol::window::{Now, Path, Request, Station, Stop};
use yew::prelude::*;

use super::sample;
use super::start::Start;
use super::station::StationPanel;
use crate::actions::{hold, step};
use crate::path::{self, READ, WRITE};
use crate::sentence;
use crate::state::Ptr;
use crate::state::view::ViewAction;
use crate::ui::Ui;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub path: Ptr<Path>,
    pub now: Ptr<Now>,
    pub station: Option<Ptr<Station>>,
    pub requests: Ptr<Vec<Request>>,
    pub cluster: Ptr<protocol::window::Cluster>,
    /// A station chosen by hand.
    pub chosen: Option<u64>,
    pub past: bool,
    pub rows: usize,
    pub wide: usize,
    /// Width that the station panel has, px.
    pub room: i32,
    /// A station that has not run, chosen by hand.
    pub ahead: Option<&'static str>,
    pub holds: Vec<&'static str>,
}

/// What a row's station has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Done,
    Current,
    Next,
    Todo,
    Refused,
}

fn stops_of<'a>(path: &'a Path, station: &str) -> Vec<&'a Stop> {
    path.stops.iter().filter(|s| s.station == station).collect()
}

fn state(props: &Props, station: &str, stops: &[&Stop]) -> State {
    let current = props.now.now.as_ref().filter(|_| props.now.ended.is_none());
    if let Some(now) = current
        && now.station == station
    {
        return State::Current;
    }
    match stops.last() {
        Some(stop) if stop.error.is_some() => State::Refused,
        Some(_) => State::Done,
        None if current.is_some() && props.now.next.as_deref() == Some(station) => State::Next,
        None => State::Todo,
    }
}

#[component(Pipeline)]
pub fn pipeline(props: &Props) -> Html {
    let t = props.ui.t;
    let following = !props.path.stops.is_empty();
    // The current row is kept in sight.
    use_effect_with(props.now.now.as_ref().map(|stop| stop.span), |_| crate::keys::reveal(".st.cur,.rd.cur"));
    html! {
        <div class="pipe">
            <div class="path">
                <div class="hd"><span /><span /><span>{ t.s("path.write") }</span><span /><span>{ t.s("path.read") }</span></div>
                <div class="scroll">{ rows(props) }</div>
                <Requests ui={props.ui.clone()} requests={props.requests.clone()} trace={following.then_some(props.path.request.trace)} />
            </div>
            if let Some(station) = props.ahead {
                { ahead(props, station, following) }
            } else if let (Some(station), true) = (&props.station, following) {
                <StationPanel ui={props.ui.clone()} station={station.clone()} rows={props.rows} wide={props.wide} room={props.room} />
            } else if following {
                <div class="station"><div class="head"><h2 lang="en">{ props.path.stops.last().map(|s| path::name(&s.station)).unwrap_or_default() }</h2></div></div>
            } else {
                <Start ui={props.ui.clone()} cluster={props.cluster.clone()} />
            }
        </div>
    }
}

fn rows(props: &Props) -> Html {
    let t = props.ui.t;
    let groups: Vec<_> = [path::Group::Client, path::Group::ApiServer, path::Group::Etcd].into();
    let onkeydown = Callback::from(|e: KeyboardEvent| {
        let step = match e.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            _ => return,
        };
        // Plain arrows move among the rows; the rows themselves are buttons.
        if crate::keys::move_focus(&e, "button.st", step) {
            e.prevent_default();
        }
    });
    html! {
        <div class="rows" role="group" aria-label={t.s("path.label")} {onkeydown}>
            { for groups.into_iter().map(|group| html! {
                <ol class="grp" aria-label={group.name()}>
                    { for WRITE.iter().enumerate().filter(|(_, (_, g))| *g == group).enumerate().map(|(i, (n, (station, _)))| {
                        row(props, station, n, (i == 0).then(|| group.name()))
                    }) }
                </ol>
            }) }
        </div>
    }
}

fn row(props: &Props, station: &'static str, n: usize, group: Option<&'static str>) -> Html {
    let t = props.ui.t;
    let stops = stops_of(&props.path, station);
    let state = state(props, station, &stops);
    let chosen = props.chosen.is_some_and(|span| stops.iter().any(|s| s.span == span));
    let class = match state {
        State::Done => "done",
        State::Current if props.past => "cur past",
        State::Current => "cur",
        State::Next => "todo next",
        State::Todo => "todo",
        State::Refused => "done refused",
    };
    let outcome = match (state, props.path.stops.is_empty()) {
        (State::Todo | State::Next, false) => String::new(),
        (_, true) => t.f(&format!("row.{station}"), &[]),
        _ => sentence::outcome(t, &stops),
    };
    let read = READ.iter().find(|(_, row)| *row == station).map(|(s, _)| *s);
    let read_stops = read.map(|s| stops_of(&props.path, s)).unwrap_or_default();
    let said = match state {
        State::Done => t.s("path.done"),
        State::Current => t.s("path.current"),
        State::Next => t.s("path.next"),
        State::Todo => t.s("path.todo"),
        State::Refused => t.s("path.refused"),
    };
    let (view, span) = (props.ui.view.clone(), stops.last().map(|s| s.span));
    let click = Callback::from(move |_: MouseEvent| {
        view.dispatch(match span {
            Some(span) => ViewAction::Span(Some(span)),
            None => ViewAction::Ahead(station),
        });
    });
    let held = props.holds.contains(&station);
    let longest = sample::scale(&props.path);
    html! {
        <li class="line">
            <button type="button" class={classes!("st", class, (n == 0).then_some("first"), (n + 1 == WRITE.len()).then_some("last"), (chosen || props.ahead == Some(station)).then_some("sel"), held.then_some("held"))}
                aria-current={(state == State::Current).then_some("step")}
                data-station={station} onclick={click}>
                <span class="p">{ group.unwrap_or("") }</span>
                <span class="d w" />
                <span class="n" lang="en">{ path::name(station) }</span>
                <span class="vh">{ said }</span>
                if held { <span class="vh">{ t.s("hold.on") }</span> }
                <span class="o" title={stops.last().and_then(|s| s.error.clone())}>{ outcome }</span>
                { for stops.last().map(|stop| sample::bar(stop, longest)) }
            </button>
            { read_cell(props, read, &read_stops) }
        </li>
    }
}

/// The panel of a station that has not run: what it will do, and how to get there.
fn ahead(props: &Props, station: &'static str, following: bool) -> Html {
    let t = props.ui.t;
    let held = props.holds.contains(&station);
    let (ui, hold_ui) = (props.ui.clone(), props.ui.clone());
    html! {
        <div class="station">
            <div class="head"><h2 lang="en">{ path::name(station) }</h2><span class="ink2 cut">{ t.f(&format!("gloss.{station}"), &[]) }</span>
                <span class="sp" /><span class="lab">{ sentence::place(t, station).unwrap_or_default() }</span></div>
            <div class="pad">
                <p class="ink2">{ sentence::next(t, station) }</p>
                <div class="row gap wrap">
                    if following && props.now.ended.is_none() {
                        <button class="btn" onclick={Callback::from(move |_| step::until(&ui, station))}>{ t.f("do.step", &[("station", path::name(station))]) }</button>
                    }
                    <button class="btn" aria-pressed={held.to_string()} data-do="hold"
                        onclick={Callback::from(move |_| hold::toggle(&hold_ui, station, held))}>{ if held { t.s("hold.release") } else { t.s("hold.hold") } }</button>
                </div>
                <p class="lab">{ t.s("hold.text") }</p>
            </div>
        </div>
    }
}

fn read_cell(props: &Props, station: Option<&'static str>, stops: &[&Stop]) -> Html {
    let Some(station) = station else { return html! { <span class="rd"><span class="d r gap" /></span> } };
    let done = !stops.is_empty();
    let current =
        props.now.now.as_ref().is_some_and(|now| now.station == station) && props.now.ended.is_none();
    let (view, span) = (props.ui.view.clone(), stops.last().map(|s| s.span));
    let click = Callback::from(move |_: MouseEvent| {
        if let Some(span) = span {
            view.dispatch(ViewAction::Span(Some(span)));
        }
    });
    let class = classes!("rd", done.then_some("done"), current.then_some("cur"));
    html! {
        <button type="button" {class} aria-disabled={(!done).to_string()} aria-current={current.then_some("step")} data-station={station} onclick={click}>
            <span class="d r" /><span class="rn" lang="en">{ path::name(station) }</span>
        </button>
    }
}

#[derive(Properties, PartialEq)]
struct RequestsProps {
    ui: Ui,
    requests: Ptr<Vec<Request>>,
    /// The one that is followed.
    trace: Option<u64>,
}

/// The newest requests, folded to one line: each can be followed.
#[component(Requests)]
fn requests(props: &RequestsProps) -> Html {
    let t = props.ui.t;
    let open = use_state(|| false);
    if props.requests.is_empty() {
        return Html::default();
    }
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <section class="reqs" aria-label={t.s("requests.label")}>
            <button type="button" class="ph" aria-expanded={open.to_string()} onclick={toggle}>
                <span class="tw" aria-hidden="true">{ if *open { "▾" } else { "▸" } }</span>
                <b>{ t.s("requests.title") }</b><span class="lab">{ t.f("requests.count", &[("n", props.requests.len().to_string())]) }</span>
                <span class="sp" /><span class="lab">{ t.s("requests.hint") }</span></button>
            if *open { <div class="scroll">{ for props.requests.iter().map(|r| request_row(props, r)) }</div> }
        </section>
    }
}

fn request_row(props: &RequestsProps, r: &Request) -> Html {
    let t = props.ui.t;
    let on = props.trace == Some(r.trace);
    let (ui, trace) = (props.ui.clone(), r.trace);
    let click = Callback::from(move |_: MouseEvent| step::follow(&ui, trace));
    let (class, end): (_, Rc<str>) = match (&r.outcome, &r.station) {
        (Some(outcome), _) => {
            (if outcome.code >= 400 { "bad" } else { "ok" }, outcome.code.to_string().into())
        }
        (None, Some(station)) => ("at", path::name(station).into()),
        (None, None) => ("", "".into()),
    };
    let mark = match class {
        "bad" => "✕ ",
        "ok" => "✓ ",
        _ => "",
    };
    html! {
        <button type="button" class={classes!("req", on.then_some("on"))} aria-pressed={on.to_string()} key={r.trace.to_string()} onclick={click}
            title={format!("{} {}", r.verb, r.target)}>
            <span class="mono verb" lang="en">{ &r.verb }</span>
            <span class="mono cut" lang="en">{ &r.target }</span>
            <span class="lab cut" lang="en">{ &r.client }</span>
            <span class={classes!("lab", class)} lang="en">{ mark }{ end }{ if r.held { format!(" {}", t.s("requests.held")) } else { String::new() } }</span>
        </button>
    }
}
