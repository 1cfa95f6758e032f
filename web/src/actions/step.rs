//! Going on, stopping, and going back.

use protocol::view::Follow;
use protocol::{Run, View};

use crate::host;
use crate::state::session::{Session, SessionAction};
use crate::state::view::ViewAction;
use crate::ui::Ui;

/// Follow the wall clock.
const REAL_TIME: u32 = 1000;

pub fn toggle_run(session: &Session) {
    if session.paused() { host::run(Run::Go { speed: REAL_TIME }) } else { host::run(Run::Pause) }
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
pub fn let_go(ui: &Ui) {
    ui.view.dispatch(ViewAction::Trace(None));
    ui.session.dispatch(SessionAction::Follow(None));
    host::view(View::Follow(Follow::Nothing));
    host::run(Run::Go { speed: REAL_TIME });
}

/// Looks at another request; stepping is about it from now on.
pub fn follow(ui: &Ui, trace: u64) {
    ui.view.dispatch(ViewAction::FollowNew);
    ui.session.dispatch(SessionAction::Follow(Some(trace)));
    host::view(View::Follow(Follow::Trace(trace)));
}
