//! Going on, stopping, and going back.

use protocol::view::Follow;
use protocol::{Run, View as Ask};

use crate::host;
use crate::state::session::{Session, SessionAction};
use crate::state::view::{View, ViewAction};
use crate::ui::Ui;

/// Speeds a person can choose, times 1000, with how they are written.
pub const SPEEDS: [(u32, &str); 6] =
    [(10, "×0.01"), (100, "×0.1"), (1_000, "×1"), (10_000, "×10"), (100_000, "×100"), (1_000_000, "×1000")];

pub fn toggle_run(session: &Session, view: &View) {
    if session.paused() { host::run(Run::Go { speed: view.speed }) } else { host::run(Run::Pause) }
}

/// Another speed, at once when time runs.
pub fn speed(ui: &Ui, session: &Session, speed: u32) {
    ui.view.dispatch(ViewAction::Speed(speed));
    if !session.paused() && !session.stepping() {
        host::run(Run::Go { speed });
    }
}

/// Until the followed request enters a station that lies ahead.
pub fn until(ui: &Ui, station: &str) {
    ui.view.dispatch(ViewAction::Span(None));
    host::run(Run::UntilStation { station: station.to_string() });
}

pub fn next_station(ui: &Ui) {
    ui.view.dispatch(ViewAction::Span(None));
    host::run(Run::StepStation);
}

pub fn next_event(ui: &Ui) {
    ui.view.dispatch(ViewAction::Span(None));
    host::run(Run::StepEvent);
}

pub fn previous_event(ui: &Ui, session: &Session) {
    ui.view.dispatch(ViewAction::Span(None));
    host::back(session.ran.event.saturating_sub(1));
}

/// To the entering of the station before the current one.
pub fn previous_station(ui: &Ui, session: &Session) {
    ui.view.dispatch(ViewAction::Span(None));
    let here = session.ran.event;
    let before = session.path.stops.iter().rev().map(|stop| stop.event).find(|event| *event < here);
    if let Some(event) = session.now.back.or(before) {
        host::back(event);
    }
}

/// Where the followed request began.
pub fn first(ui: &Ui, session: &Session) {
    ui.view.dispatch(ViewAction::Span(None));
    host::back(session.path.stops.first().map_or(0, |stop| stop.event));
}

/// The furthest event that has happened.
pub fn return_to_now(ui: &Ui, session: &Session) {
    ui.view.dispatch(ViewAction::Span(None));
    host::back(session.newest);
}

/// Lets time pass and follows nothing.
pub fn let_go(ui: &Ui, view: &View) {
    ui.view.dispatch(ViewAction::Trace(None));
    ui.session.dispatch(SessionAction::Follow(None));
    host::view(Ask::Follow(Follow::Nothing));
    host::run(Run::Go { speed: view.speed });
}

/// Looks at another request; stepping is about it from now on.
pub fn follow(ui: &Ui, trace: u64) {
    ui.view.dispatch(ViewAction::FollowNew);
    ui.session.dispatch(SessionAction::Follow(Some(trace)));
    host::view(Ask::Follow(Follow::Trace(trace)));
}
