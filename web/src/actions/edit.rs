//! The editor's text: checked while it is typed, saved as a file, or given to the command that asked for it.

use protocol::view::Form;
use protocol::{Input, View};

use crate::host;
use crate::state::view::{Doc, ViewAction};
use crate::ui::Ui;

/// What the text is read as, from what it says of itself.
pub fn form(text: &str) -> Form {
    if text.lines().any(|line| line.trim_end() == "kind: EncryptionConfiguration") {
        Form::Encryption
    } else {
        Form::Manifest
    }
}

/// Asks for diagnostics.
pub fn check(ask: u32, text: &str) {
    host::view(View::Check { ask, text: text.to_string(), form: form(text) });
}

/// Ctrl-S: writes the file, or answers `kubectl edit`.
pub fn save(ui: &Ui, doc: &Doc) {
    match doc.effect {
        Some(effect) => {
            host::input(Input::Edited { effect, text: Some(doc.text.to_string()) });
            ui.view.dispatch(ViewAction::EffectDone);
        }
        None => host::input(Input::WriteFile { path: doc.path.clone(), data: doc.text.as_bytes().to_vec() }),
    }
}

/// Closes without saving: the command goes on as after an editor that changed nothing.
pub fn give_up(ui: &Ui, effect: u64) {
    host::input(Input::Edited { effect, text: None });
    ui.view.dispatch(ViewAction::EffectDone);
}
