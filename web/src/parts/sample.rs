//! Core samples: how many bytes a station gave, and who put them there. In a row a thin bar on one scale for the whole
//! path; in the panel the same as words and numbers.

use protocol::window::{Origin, Path, Stop};
use yew::prelude::*;

use super::tree::{origin_class, origin_key};
use crate::words::{T, num};

/// Width of the longest bar, px.
const WIDTH: u32 = 112;

/// The bytes that the longest bar of a path stands for.
pub fn scale(path: &Path) -> u32 {
    path.stops.iter().filter_map(|s| s.after).max().unwrap_or(0)
}

/// The bar of a row; without a sample one plain stretch.
pub fn bar(stop: &Stop, longest: u32) -> Html {
    let Some(after) = stop.after.filter(|_| longest > 0) else { return Html::default() };
    let px = |bytes: u32| (u64::from(bytes) * u64::from(WIDTH)).div_ceil(u64::from(longest.max(1))).max(1);
    let plain = [(Origin::Unknown, after)];
    let parts: &[(Origin, u32)] = if stop.sample.is_empty() { &plain } else { &stop.sample };
    html! {
        <span class="core" aria-hidden="true">
            { for parts.iter().filter(|(_, n)| *n > 0).map(|(origin, n)| html! {
                <i class={classes!(origin_class(*origin))} style={format!("width:{}px", px(*n))} />
            }) }
        </span>
    }
}

/// The same as a list, for the station's panel.
pub fn list(t: T, stop: &Stop) -> Html {
    if stop.sample.is_empty() {
        return Html::default();
    }
    html! {
        <ul class="plain sample" aria-label={t.s("sample.label")}>
            { for stop.sample.iter().filter(|(_, n)| *n > 0).map(|(origin, n)| html! {
                <li><span class={classes!("swatch", origin_class(*origin))} aria-hidden="true" />{ t.s(origin_key(*origin)) }{ " " }
                    <span class="dimtext">{ t.f("bytes", &[("n", num(*n))]) }</span></li>
            }) }
        </ul>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_scale_for_the_whole_path() {
        let stop = |after| Stop { after, ..Stop::default() };
        let path = Path { stops: vec![stop(Some(724)), stop(None), stop(Some(1815))], ..Path::default() };
        assert_eq!(scale(&path), 1815);
        assert_eq!(scale(&Path::default()), 0);
    }
}
