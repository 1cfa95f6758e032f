//! Language and theme: the choices that belong to the person, kept by the browser.

use std::rc::Rc;

use yew::Reducible;

use crate::host;
use crate::words::Lang;

/// Which surfaces are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Theme; 3] = [Theme::Auto, Theme::Light, Theme::Dark];

    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefs {
    pub lang: Lang,
    pub theme: Theme,
}

impl Prefs {
    /// What was chosen before, else what the browser prefers.
    pub fn load() -> Prefs {
        let browser = web_sys::window().and_then(|w| w.navigator().language());
        let lang = host::pref("lang").or(browser).and_then(|tag| Lang::from_tag(&tag)).unwrap_or_default();
        let theme = host::pref("theme").unwrap_or_default();
        let theme = Theme::ALL.into_iter().find(|t| t.name() == theme).unwrap_or_default();
        let prefs = Prefs { lang, theme };
        prefs.show();
        prefs
    }

    /// Puts language and theme on the document.
    pub fn show(&self) {
        let Some(window) = web_sys::window() else { return };
        let Some(root) = window.document().and_then(|d| d.document_element()) else { return };
        let dark = match self.theme {
            Theme::Light => false,
            Theme::Dark => true,
            Theme::Auto => {
                window.match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|m| m.matches())
            }
        };
        let _ = root.set_attribute("lang", self.lang.tag());
        let _ = root.set_attribute("data-theme", if dark { "dark" } else { "light" });
    }
}

pub enum PrefsAction {
    Lang(Lang),
    Theme(Theme),
}

impl Reducible for Prefs {
    type Action = PrefsAction;

    fn reduce(self: Rc<Self>, action: PrefsAction) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            PrefsAction::Lang(lang) => {
                next.lang = lang;
                host::set_pref("lang", lang.tag());
            }
            PrefsAction::Theme(theme) => {
                next.theme = theme;
                host::set_pref("theme", theme.name());
            }
        }
        next.show();
        next.into()
    }
}
