//! The panel of one station: what it was given, what it decided, what it gave. One template; object stages show their
//! changes field by field, byte stages their bytes.

use protocol::window::{Change, Field, Form, Layer, Station};
use yew::prelude::*;

use super::hex::{Hex, LayerRef};
use super::ruler::ruler;
use super::text::Text;
use super::tree::{origin_class, origin_key};
use crate::path;
use crate::sentence;
use crate::state::Ptr;
use crate::state::link::{Hot, LinkAction};
use crate::ui::Ui;
use crate::words::{duration, num};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub station: Ptr<Station>,
    /// Rows of bytes that each side may take.
    pub rows: usize,
    pub wide: usize,
    /// Width that the panel has, px.
    pub room: i32,
}

fn fields(s: &Station) -> &[Field] {
    &s.fields
}

fn side(s: &Station, index: usize) -> Option<&Layer> {
    if index == 0 { s.before.as_ref() } else { s.after.as_ref() }
}

#[component(StationPanel)]
pub fn station_panel(props: &Props) -> Html {
    let t = props.ui.t;
    let Some(hot) = use_context::<Hot>() else { return Html::default() };
    let s = &props.station;
    let stop = &s.stop;
    let took = match stop.end {
        Some(end) => t.f("station.took", &[("time", duration(end.saturating_sub(stop.start)))]),
        None => t.s("station.running").to_string(),
    };
    let place = sentence::place(t, &stop.station);
    let same = match (&s.before, &s.after) {
        (Some(a), Some(b)) => a.data == b.data && a.total == b.total && a.at == b.at,
        _ => false,
    };
    html! {
        <div class="station">
            <div class="head">
                <h2 lang="en">{ path::name(&stop.station) }</h2>
                <span class="ink2 cut">{ t.f(&format!("gloss.{}", stop.station), &[]) }</span>
                <span class="sp" />
                <span class="lab">{ place.map(|p| format!("{p} · ")).unwrap_or_default() }{ took }</span>
            </div>
            <div class="scroll fill" tabindex="0" role="group" aria-label={t.s("station.label")}>
                if let Some(error) = &stop.error {
                    <div class="err" role="alert"><code lang="en">{ error }</code></div>
                }
                <dl class="facts">
                    <div><dt>{ t.s("station.where") }</dt><dd lang="en">{ &stop.process }</dd></div>
                    if stop.attempt > 1 {
                        <div><dt>{ t.s("station.attempt") }</dt><dd>{ stop.attempt }</dd></div>
                    }
                    { for stop.facts.iter().map(|(name, value)| html! {
                        <div><dt lang="en">{ name }</dt><dd lang="en">{ value }</dd></div>
                    }) }
                </dl>
                { super::sample::list(t, stop) }
                if !s.changes.is_empty() { { changes(props, &hot, &s.changes) } }
                if same {
                    { layer(props, 1, t.s("station.unchanged")) }
                } else {
                    { layer(props, 0, t.s("station.before")) }
                    { ruler_section(props, &hot) }
                    { layer(props, 1, t.s("station.after")) }
                }
            </div>
        </div>
    }
}

fn ruler_section(props: &Props, hot: &Hot) -> Html {
    let s = &props.station;
    let bytes = |l: &Option<Layer>| {
        l.as_ref().is_some_and(|l| matches!(l.form, Form::Protobuf | Form::Stored | Form::Message))
    };
    if !bytes(&s.after) || s.before.is_none() {
        return Html::default();
    }
    html! { <div class="sec">{ ruler(props.ui.t, hot, &s.fields, s.before.as_ref(), s.after.as_ref(), f64::from(props.room.clamp(200, 480))) }</div> }
}

fn layer(props: &Props, index: usize, title: &str) -> Html {
    let t = props.ui.t;
    let Some(layer) = side(&props.station, index) else { return Html::default() };
    let at = LayerRef { window: props.station.clone(), fields, layer: side, index };
    let label = format!("{title}, {}", layer.name);
    let is_text = matches!(layer.form, Form::Yaml | Form::Json | Form::Http | Form::Text);
    html! {
        <div class="sec">
            <div class="row under">
                <h3>{ title }</h3><span class="sp" />
                <span class="lab"><span class="mono" lang="en">{ &layer.name }</span>{ " " }{ t.f("bytes", &[("n", num(layer.total))]) }</span>
            </div>
            if is_text {
                <Text<Station> ui={props.ui.clone()} {at} {label} numbers={false} />
            } else {
                <Hex<Station> ui={props.ui.clone()} {at} {label} rows={props.rows} wide={props.wide} text={props.room >= 480 || props.wide == 8} />
            }
        </div>
    }
}

fn changes(props: &Props, hot: &Hot, changes: &[Change]) -> Html {
    let t = props.ui.t;
    html! {
        <div class="sec">
            <div class="row under"><h3>{ t.s("station.changes") }</h3><span class="sp" />
                <span class="lab">{ t.f("station.fields", &[("n", num(changes.len() as u64))]) }</span></div>
            <table class="tbl diffs">
                <thead><tr><th>{ t.s("tree.field") }</th><th>{ t.s("station.before") }</th><th>{ t.s("station.after") }</th><th>{ t.s("station.by") }</th></tr></thead>
                <tbody>
                    { for changes.iter().map(|c| {
                        let (link, path) = (props.ui.link.clone(), c.path.clone());
                        let click = Callback::from(move |_: MouseEvent| link.dispatch(LinkAction::Toggle(path.as_str().into())));
                        html! {
                            <tr class={classes!(hot.is(&c.path).then_some("selr"))} onclick={click}>
                                <td><code lang="en">{ &c.path }</code></td>
                                <td class="v" lang="en">{ c.before.as_deref().unwrap_or("–") }</td>
                                <td class="v" lang="en">{ c.after.as_deref().unwrap_or("–") }</td>
                                <td><span class={classes!("swatch", origin_class(c.origin))} aria-hidden="true" />{ t.s(origin_key(c.origin)) }</td>
                            </tr>
                        }
                    }) }
                </tbody>
            </table>
        </div>
    }
}
