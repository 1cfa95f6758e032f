//! Opening a text in the editor.

use crate::state::view::ViewAction;
use crate::ui::Ui;

/// Manifests that are ready: file name, text, key of what is worth seeing in it.
pub const MANIFESTS: [(&str, &str, &str); 4] = [
    ("dnsutils.yaml", include_str!("../../../static/manifests/dnsutils.yaml"), "manifest.dnsutils"),
    ("web.yaml", include_str!("../../../static/manifests/web.yaml"), "manifest.web"),
    ("db-password.yaml", include_str!("../../../static/manifests/db-password.yaml"), "manifest.secret"),
    ("color.yaml", include_str!("../../../static/manifests/color.yaml"), "manifest.color"),
];

pub fn manifest(ui: &Ui, name: &str, text: &str) {
    ui.view.dispatch(ViewAction::Open(format!("~/{name}"), text.into(), None));
}
