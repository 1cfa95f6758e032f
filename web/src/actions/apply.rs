//! Run and follow: save the script, type its name into a terminal, follow the write it causes, and stop at every
//! station.

use protocol::view::Follow;
use protocol::{Input, Run, View};

use crate::host;
use crate::state::session::SessionAction;
use crate::state::view::{Doc, ViewAction};
use crate::ui::Ui;

/// The terminal that the command is typed into.
const TERMINAL: u32 = 1;

pub fn apply_and_follow(ui: &Ui, doc: &Doc) {
    host::input(Input::WriteFile { path: doc.path.clone(), data: doc.text.as_bytes().to_vec() });
    ui.view.dispatch(ViewAction::FollowNew);
    ui.session.dispatch(SessionAction::Follow(None));
    host::view(View::Follow(Follow::NextWrite(TERMINAL)));
    let name = doc.path.strip_prefix("~/").unwrap_or(&doc.path);
    crate::parts::terminals::run_line(TERMINAL, &format!("source {}", quoted(name)));
    host::run(Run::StepStation);
}

/// A file name as one word of the shell.
pub fn quoted(name: &str) -> String {
    if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/~".contains(c)) {
        name.to_string()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_become_one_word() {
        assert_eq!(quoted("dnsutils.yaml"), "dnsutils.yaml");
        assert_eq!(quoted("my file.yaml"), "'my file.yaml'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
