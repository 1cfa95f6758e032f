//! What every part gets: the words and the ways to change what is open, selected and linked; and the small shared pieces.

use yew::prelude::*;

use crate::state::link::Link;
use crate::state::session::Session;
use crate::state::view::View;
use crate::words::T;

/// Handed down as one property; equal as long as the language is.
#[derive(Clone, PartialEq)]
pub struct Ui {
    pub t: T,
    pub view: UseReducerDispatcher<View>,
    pub link: UseReducerDispatcher<Link>,
    pub session: UseReducerDispatcher<Session>,
}

/// The icons: 16 × 16, one line 1.5 wide.
pub fn icon(name: &str) -> Html {
    let d = match name {
        "first" => "M3 3v10M13 3 7 8l6 5z",
        "back" => "M11 3 5 8l6 5z",
        "run" => "M4 2.5 13 8l-9 5.5z",
        "pause" => "M5 3v10M11 3v10",
        "forward" => "M5 3l6 5-6 5z",
        "last" => "M13 3v10M3 3l6 5-6 5z",
        "files" => "M4 2h5l3 3v9H4zM9 2v3h3",
        "config" => {
            "M2 5h6M12 5h2M2 11h2M8 11h6M8.2 5a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0M4.2 11a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0"
        }
        "world" => "M2 5l6-3 6 3-6 3zM2 8l6 3 6-3M2 11l6 3 6-3",
        "light" => {
            "M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1M5 8a3 3 0 1 0 6 0 3 3 0 1 0-6 0"
        }
        "cross" => "M4 4l8 8M12 4l-8 8",
        "check" => "M3 8.5 6.5 12 13 4.5",
        "lock" => "M4 7h8v6H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
        _ => "",
    };
    html! { <svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d={d} /></svg> }
}

/// The mark: a step down and up, the square is the time cursor.
pub fn mark() -> Html {
    html! {
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M2 4.5h5.5v11H18" fill="none" stroke="currentColor" stroke-width="2" />
            <rect x="12" y="2.5" width="6" height="4" fill="var(--now)" />
        </svg>
    }
}

/// A group of buttons of which one is pressed. Arrow keys move within it.
#[derive(Properties, PartialEq)]
pub struct SegProps {
    pub label: AttrValue,
    pub options: Vec<AttrValue>,
    pub chosen: usize,
    pub choose: Callback<usize>,
}

#[component(Seg)]
pub fn seg(props: &SegProps) -> Html {
    let count = props.options.len();
    let keys = {
        let (choose, chosen) = (props.choose.clone(), props.chosen);
        Callback::from(move |e: KeyboardEvent| {
            let next = match e.key().as_str() {
                "ArrowRight" => (chosen + 1) % count,
                "ArrowLeft" => (chosen + count - 1) % count,
                _ => return,
            };
            e.prevent_default();
            choose.emit(next);
            // The chosen button is the group's tab stop.
            if let Some(group) = e.target_dyn_into::<web_sys::Element>().and_then(|b| b.parent_element())
                && let Some(button) = group.children().item(next as u32)
            {
                let _ = wasm_bindgen::JsCast::unchecked_into::<web_sys::HtmlElement>(button).focus();
            }
        })
    };
    html! {
        <span class="seg" role="group" aria-label={props.label.clone()} onkeydown={keys}>
            { for props.options.iter().enumerate().map(|(i, option)| {
                let choose = props.choose.clone();
                html! {
                    <button type="button" aria-pressed={(i == props.chosen).to_string()}
                        tabindex={if i == props.chosen { "0" } else { "-1" }}
                        onclick={Callback::from(move |_| choose.emit(i))}>{ option.clone() }</button>
                }
            }) }
        </span>
    }
}

/// A key of etcd as text: what is printable stays, the rest is `\x` and two digits, as etcdctl prints with `-w simple`
/// quoted by Go's `%q` would.
pub fn key_text(key: &[u8]) -> String {
    let mut out = String::new();
    for chunk in key.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                out.extend(c.escape_default());
            } else {
                out.push(c);
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_are_printable() {
        assert_eq!(super::key_text(b"/registry/pods/a"), "/registry/pods/a");
        assert_eq!(super::key_text(&[b'a', 0, 0xff]), "a\\u{0}\\xff");
    }
}
