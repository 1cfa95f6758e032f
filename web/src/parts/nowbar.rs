//! Transport, clock, just happened, now, next, and the one button that does Next. The same place on every view.

use protocol::Mode;
use yew::prelude::*;

use crate::actions::{apply, step};
use crate::path;
use crate::sentence;
use crate::state::session::Session;
use crate::state::view::View;
use crate::ui::{Ui, icon};
use crate::words::{T, num};

/// What the primary button does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primary {
    ReturnToNow,
    Step,
    LetGo,
    Apply,
    /// A step is under way.
    Busy,
    /// The engine is not there yet.
    Loading,
}

pub fn primary(s: &Session) -> Primary {
    if !s.ready {
        return Primary::Loading;
    }
    if s.stepping() {
        return Primary::Busy;
    }
    if s.looking_back() {
        return Primary::ReturnToNow;
    }
    match (s.now.now.is_some(), s.now.ended.is_some(), s.paused()) {
        (true, false, true) => Primary::Step,
        (_, true, true) => Primary::LetGo,
        _ => Primary::Apply,
    }
}

/// Does what the primary button says.
pub fn press(ui: &Ui, s: &Session, v: &View) {
    match primary(s) {
        Primary::ReturnToNow => step::return_to_now(ui, s),
        Primary::Step => step::next_station(ui),
        Primary::LetGo => step::let_go(ui, v),
        Primary::Apply => apply::apply_and_follow(ui, &v.doc),
        Primary::Busy | Primary::Loading => {}
    }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub session: UseReducerHandle<Session>,
    pub view: UseReducerHandle<View>,
}

/// `00:13.080` and the microseconds.
pub fn clock(ns: u64) -> (String, String) {
    let (us, ms, s) = (ns / 1_000 % 1_000, ns / 1_000_000 % 1_000, ns / 1_000_000_000);
    let main = if s >= 3600 {
        format!("{}:{:02}:{:02}.{ms:03}", s / 3600, s / 60 % 60, s % 60)
    } else {
        format!("{:02}:{:02}.{ms:03}", s / 60, s % 60)
    };
    (main, format!("{us:03}"))
}

/// Label and sentence of the current cell, and its class.
fn now_cell(t: T, s: &Session) -> (String, String, &'static str) {
    if !s.ready {
        return (t.s("now.label").into(), t.s("now.loading").into(), "cur");
    }
    let sentence = |s: &Session| match (&s.now.now, &s.now.ended) {
        (_, Some(end)) if end.code >= 400 => format!("{} {}: {}", end.code, end.reason, end.message),
        (_, Some(end)) => t.f("now.ended", &[("code", end.code.to_string()), ("reason", end.reason.clone())]),
        (Some(stop), None) => sentence::about(t, "now", stop),
        (None, None) => t.f("now.idle", &[("revision", num(s.now.revision.max(s.ran.revision)))]),
    };
    let at = s.now.now.as_ref().map(|stop| path::name(&stop.station));
    if s.looking_back() {
        let label = t.f("now.past", &[("event", num(s.ran.event)), ("newest", num(s.newest))]);
        return (label, sentence(s), "cur past");
    }
    let refused = s.now.ended.as_ref().is_some_and(|end| end.code >= 400);
    let error = s.now.now.as_ref().and_then(|stop| stop.error.clone());
    match (at, error) {
        (Some(at), Some(error)) if s.now.ended.is_none() => {
            (t.f("now.stopped", &[("station", at)]), error, "cur bad")
        }
        (Some(at), _) if refused => (t.f("now.stopped", &[("station", at)]), sentence(s), "cur bad"),
        (Some(at), _) => (t.f("now.at", &[("station", at)]), sentence(s), "cur"),
        (None, _) => (t.s("now.label").into(), sentence(s), "cur"),
    }
}

fn next_sentence(t: T, s: &Session) -> String {
    if s.looking_back() {
        return t.s("then.return").into();
    }
    match (primary(s), &s.now.next) {
        (Primary::Loading, _) => String::new(),
        (Primary::Apply, _) => t.s("then.apply").into(),
        (Primary::LetGo, _) => t.s("then.letgo").into(),
        (_, Some(station)) => sentence::next(t, station),
        _ => t.s("then.unknown").into(),
    }
}

/// What the button says, and its key.
fn button(t: T, s: &Session) -> (String, &'static str) {
    match primary(s) {
        Primary::ReturnToNow => (t.s("do.return").into(), "Esc"),
        Primary::Step => match &s.now.next {
            Some(next) => (t.f("do.step", &[("station", path::name(next))]), "→"),
            None => (t.s("do.next").into(), "→"),
        },
        Primary::LetGo => (t.s("do.letgo").into(), "Ctrl ⏎"),
        Primary::Apply => (t.s("do.apply").into(), "Ctrl ⏎"),
        Primary::Busy => (t.s("do.busy").into(), ""),
        Primary::Loading => (t.s("do.loading").into(), ""),
    }
}

#[component(NowBar)]
pub fn now_bar(props: &Props) -> Html {
    let t = props.ui.t;
    let s = &*props.session;
    let (main, us) = clock(s.ran.now);
    let mode = match (s.ran.mode, s.looking_back()) {
        (_, true) => t.s("clock.past"),
        (Mode::Paused, _) => t.s("clock.paused"),
        (Mode::Going { speed: 1000 }, _) => t.s("clock.running"),
        (Mode::Going { .. }, _) => t.s("clock.running"),
        (Mode::Fast, _) => t.s("clock.stepping"),
    };
    let just = match &s.now.last {
        Some(stop) => sentence::about(t, "did", stop),
        None if s.ready => t.s("did.nothing").into(),
        None => String::new(),
    };
    let (label, sentence, class) = now_cell(t, s);
    let (text, key) = button(t, s);
    let act = {
        let (ui, session, view) = (props.ui.clone(), props.session.clone(), props.view.clone());
        Callback::from(move |_: MouseEvent| press(&ui, &session, &view))
    };
    let idle = matches!(primary(s), Primary::Busy | Primary::Loading);
    html! {
        <section class="now" id="region-now" aria-label={t.s("now.region")}>
            { transport(props) }
            <div class="clock">
                <div class="t">{ main }<span>{ "\u{202f}" }{ us }</span></div>
                <div class="row"><span class="lab">{ mode }</span><span class="sp" />{ speed(props) }</div>
            </div>
            <div class="cell just"><div class="lab">{ t.s("did.label") }</div><p>{ just }</p></div>
            <div class={classes!("cell", class)} aria-live="polite" data-cell="now">
                <div class="lab">if class == "cur bad" { { icon("cross") } }{ label }</div><p title={sentence.clone()}>{ sentence }</p>
            </div>
            <div class="cell nxt"><div class="lab">{ t.s("next.label") }</div><p>{ next_sentence(t, s) }</p></div>
            <div class="prim">
                <button class="btn primary" onclick={act} disabled={idle} id="primary">{ text }if !key.is_empty() { <kbd aria-hidden="true">{ key }</kbd> }</button>
            </div>
        </section>
    }
}

/// How fast time runs.
fn speed(props: &Props) -> Html {
    let (ui, session) = (props.ui.clone(), props.session.clone());
    let choose = Callback::from(move |e: Event| {
        if let Some(select) = e.target_dyn_into::<web_sys::HtmlSelectElement>()
            && let Ok(speed) = select.value().parse()
        {
            step::speed(&ui, &session, speed);
        }
    });
    html! {
        <select class="speed" aria-label={props.ui.t.s("clock.speed")} onchange={choose}>
            { for step::SPEEDS.iter().map(|(speed, name)| html! {
                <option value={speed.to_string()} selected={*speed == props.view.speed}>{ *name }</option>
            }) }
        </select>
    }
}

fn transport(props: &Props) -> Html {
    let t = props.ui.t;
    let s = &props.session;
    let begin = s.ran.event == 0 || !s.ready;
    let call = |f: fn(&Ui, &Session, &View)| {
        let (ui, session, view) = (props.ui.clone(), props.session.clone(), props.view.clone());
        Callback::from(move |_: MouseEvent| f(&ui, &session, &view))
    };
    let button = |name: &'static str, label: &'static str, f: fn(&Ui, &Session, &View), disabled: bool| {
        html! { <button type="button" aria-label={label} title={label} {disabled} onclick={call(f)} data-do={name}>{ icon(name) }</button> }
    };
    let running = !s.paused();
    html! {
        <div class="transport" role="group" aria-label={t.s("transport.label")}>
            { button("first", t.s("transport.first"), |ui, s, _| step::previous_station(ui, s), begin) }
            { button("back", t.s("transport.back"), |ui, s, _| step::previous_event(ui, s), begin) }
            { button(if running { "pause" } else { "run" }, if running { t.s("transport.pause") } else { t.s("transport.run") },
                |_, s, v| step::toggle_run(s, v), !s.ready) }
            { button("forward", t.s("transport.forward"), |ui, _, _| step::next_event(ui), !s.ready) }
            { button("last", t.s("transport.last"), |ui, _, _| step::next_station(ui), !s.ready) }
        </div>
    }
}

/// The row at thumb height on a phone.
#[component(StepRow)]
pub fn step_row(props: &Props) -> Html {
    let t = props.ui.t;
    let s = &*props.session;
    let (text, _) = button(t, s);
    let begin = s.ran.event == 0 || !s.ready;
    let act = {
        let (ui, session, view) = (props.ui.clone(), props.session.clone(), props.view.clone());
        Callback::from(move |_: MouseEvent| press(&ui, &session, &view))
    };
    let call = |f: fn(&Ui, &Session, &View)| {
        let (ui, session, view) = (props.ui.clone(), props.session.clone(), props.view.clone());
        Callback::from(move |_: MouseEvent| f(&ui, &session, &view))
    };
    let idle = matches!(primary(s), Primary::Busy | Primary::Loading);
    let running = !s.paused();
    html! {
        <section class="steps" aria-label={t.s("transport.label")}>
            <button class="btn" disabled={begin} aria-label={t.s("transport.first")} onclick={call(|ui, s, _| step::previous_station(ui, s))}>{ icon("first") }</button>
            <button class="btn" disabled={begin} aria-label={t.s("transport.back")} onclick={call(|ui, s, _| step::previous_event(ui, s))}>{ icon("back") }</button>
            <button class="btn primary" disabled={idle} onclick={act}>{ text }</button>
            <button class="btn" disabled={!s.ready} aria-label={if running { t.s("transport.pause") } else { t.s("transport.run") }}
                onclick={call(|_, s, v| step::toggle_run(s, v))}>{ icon(if running { "pause" } else { "run" }) }</button>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Ptr;
    use protocol::Ran;
    use protocol::window::{Now, Outcome, Stop};

    fn session(now: Now, mode: Mode) -> Session {
        Session { ready: true, now: Ptr::new(now), ran: Ran { mode, ..Ran::default() }, ..Session::default() }
    }

    #[test]
    fn the_button_does_what_next_says() {
        let going = Mode::Going { speed: 1000 };
        assert_eq!(primary(&Session::default()), Primary::Loading);
        assert_eq!(primary(&session(Now::default(), going)), Primary::Apply);
        let at = Now { now: Some(Stop::default()), next: Some("codec".into()), ..Now::default() };
        assert_eq!(primary(&session(at.clone(), Mode::Paused)), Primary::Step);
        assert_eq!(primary(&session(at.clone(), Mode::Fast)), Primary::Busy);
        let ended = Now { ended: Some(Outcome::default()), ..at.clone() };
        assert_eq!(primary(&session(ended, Mode::Paused)), Primary::LetGo);
        let past = Session { newest: 5, ..session(at, Mode::Paused) };
        assert_eq!(primary(&past), Primary::ReturnToNow);
    }

    #[test]
    fn the_clock_has_minutes_and_microseconds() {
        assert_eq!(clock(13_080_414_000), ("00:13.080".into(), "414".into()));
        assert_eq!(clock(3_661_000_000_000), ("1:01:01.000".into(), "000".into()));
    }
}
