//! All keys, beside the page.

use yew::prelude::*;

use crate::words::T;

/// Keys and the locale key of what they do, as crate::keys handles them.
pub const KEYS: [(&str, &str); 20] = [
    ("→", "key.next"),
    ("←", "key.previous"),
    (".", "key.event"),
    (",", "key.back"),
    ("Ctrl ⏎", "key.primary"),
    ("Space", "key.run"),
    ("Home", "key.first"),
    ("End", "key.last"),
    ("Esc", "key.escape"),
    ("1 2 3", "key.views"),
    ("`", "key.terminal"),
    ("F", "key.field"),
    ("Shift F", "key.field.back"),
    ("↑ ↓ ← →", "key.cursor"),
    ("⏎", "key.pin"),
    ("C", "key.copy"),
    ("\\", "key.even"),
    ("Y", "key.inspector"),
    ("F6", "key.region"),
    ("?", "key.help"),
];

/// The panel's content.
pub fn help(t: T) -> Html {
    html! {
        <>
            <p>{ t.s("help.text") }</p>
            <dl class="keys">
                { for KEYS.iter().map(|(key, what)| html! {
                    <div><dt><kbd>{ *key }</kbd></dt><dd>{ t.f(what, &[]) }</dd></div>
                }) }
            </dl>
            <p class="lab">{ t.s("help.scope") }</p>
        </>
    }
}
