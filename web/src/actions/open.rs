//! Opening a text in the editor.

use crate::state::view::ViewAction;
use crate::ui::Ui;

/// Scripts that are ready: file name, text, key of what is worth seeing in it.
pub const SCRIPTS: [(&str, &str, &str); 3] = [
    ("piyo.sh", include_str!("../../../static/scripts/piyo.sh"), "script.piyo"),
    ("history.sh", include_str!("../../../static/scripts/history.sh"), "script.history"),
    ("txn.sh", include_str!("../../../static/scripts/txn.sh"), "script.txn"),
];

pub fn script(ui: &Ui, name: &str, text: &str) {
    ui.view.dispatch(ViewAction::Open(format!("~/{name}"), text.into(), None));
}
