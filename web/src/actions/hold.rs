//! Holding requests at a station while the world goes on, and letting them go: how a conflict is made by hand.

use protocol::Input;

use crate::host;
use crate::state::view::ViewAction;
use crate::ui::Ui;

/// Begins or ends a hold of every request at a station.
pub fn toggle(ui: &Ui, station: &'static str, held: bool) {
    let station_name = station.to_string();
    host::input(if held {
        Input::Release { trace: None, station: station_name }
    } else {
        Input::Hold { trace: None, station: station_name }
    });
    ui.view.dispatch(ViewAction::Hold(station));
}
