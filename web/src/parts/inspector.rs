//! The inspector: the manifest or the value as text above, the tree or the bytes below, and the field that is looked at.

use protocol::Diagnostic;
use protocol::window::{Field, Form, Layer, Role, Value};
use yew::prelude::*;

use super::editor::{EditorBar, ManifestEditor};
use super::hex::{Hex, LayerRef};
use super::text::Text;
use super::tree::{Tree, count, encoded, origin_key};
use crate::state::Ptr;
use crate::state::link::{Hot, LinkAction};
use crate::state::view::{Lower, Upper, View, ViewAction};
use crate::ui::{Seg, Ui, icon};
use crate::words::num;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub view: UseReducerHandle<View>,
    pub text: Option<Ptr<Value>>,
    pub value: Option<Ptr<Value>>,
    pub gone: Option<String>,
    pub diagnostics: Ptr<Vec<Diagnostic>>,
    pub rows: usize,
    pub wide: usize,
}

fn fields(v: &Value) -> &[Field] {
    &v.fields
}

fn layer(v: &Value, index: usize) -> Option<&Layer> {
    v.layers.get(index)
}

/// The number of the layer that a person reads.
fn readable(v: &Value) -> Option<usize> {
    v.layers
        .iter()
        .position(|l| l.form == Form::Yaml)
        .or_else(|| v.layers.iter().position(|l| l.form == Form::Json))
}

#[component(Inspector)]
pub fn inspector(props: &Props) -> Html {
    let t = props.ui.t;
    let v = &props.view;
    // Below: what is stored or on its way, else what the manifest says.
    let subject = props.value.as_ref().or(props.text.as_ref());
    let choose_upper = {
        let view = props.ui.view.clone();
        Callback::from(move |i| {
            view.dispatch(ViewAction::Upper(if i == 0 { Upper::Manifest } else { Upper::Value }))
        })
    };
    let choose_lower = {
        let view = props.ui.view.clone();
        Callback::from(move |i| {
            view.dispatch(ViewAction::Lower(if i == 0 { Lower::Tree } else { Lower::Bytes }))
        })
    };
    let name = v.doc.path.strip_prefix("~/").unwrap_or(&v.doc.path).to_string();
    let title = match (v.upper, &props.value) {
        (Upper::Value, Some(value)) => value.title.clone(),
        _ => name.clone(),
    };
    html! {
        <section class="insp" id="region-inspector" aria-label={t.s("inspector.label")}>
            <div class="ph">
                <b class="cut mono" lang="en" title={title.clone()}>{ title }</b>
                if let (Upper::Value, Some(revision)) = (v.upper, props.value.as_ref().and_then(|v| v.revision)) {
                    <span class="lab">{ t.f("inspector.revision", &[("n", num(revision as u64))]) }</span>
                }
                <span class="sp" />
                <Seg label={t.s("inspector.which")} options={vec![t.s("inspector.manifest").into(), t.s("inspector.value").into()] as Vec<AttrValue>}
                    chosen={usize::from(v.upper == Upper::Value)} choose={choose_upper} />
            </div>
            <div class={classes!("upper", (v.upper == Upper::Value).then_some("vh-keep"))}>
                <ManifestEditor ui={props.ui.clone()} doc={v.doc.clone()} text={props.text.clone()} diagnostics={props.diagnostics.clone()} label={name} />
                { problems(props) }
                <EditorBar ui={props.ui.clone()} doc={v.doc.clone()} />
            </div>
            if v.upper == Upper::Value { <div class="upper">{ value_text(props) }</div> }
            <div class="lower">
                <div class="ph under lowerhead">
                    <Seg label={t.s("inspector.below")} options={vec![t.s("inspector.tree").into(), t.s("inspector.bytes").into()] as Vec<AttrValue>}
                        chosen={usize::from(v.lower == Lower::Bytes)} choose={choose_lower} />
                    <span class="sp" />
                    { for subject.map(|value| match v.lower {
                        Lower::Bytes => layers(props, value),
                        Lower::Tree => {
                            let (yours, added) = count(value);
                            html! { <span class="lab cut" title={t.s("tree.order")}>{ t.f("tree.count", &[("yours", num(yours)), ("added", num(added))]) }</span> }
                        }
                    }) }
                </div>
                if let Some(value) = subject {
                    if v.lower == Lower::Tree {
                        <Tree ui={props.ui.clone()} value={value.clone()} />
                    } else {
                        { bytes(props, value) }
                    }
                } else {
                    <p class="pad ink2">{ t.s("inspector.empty") }</p>
                }
            </div>
            <Footer ui={props.ui.clone()} subject={subject.cloned()} />
        </section>
    }
}

/// The first problems of the manifest in words, for those who do not see the marks.
fn problems(props: &Props) -> Html {
    let t = props.ui.t;
    if props.diagnostics.is_empty() {
        return Html::default();
    }
    html! {
        <ul class="problems plain" aria-label={t.s("editor.problems")} aria-live="polite">
            { for props.diagnostics.iter().take(3).map(|d| html! {
                <li>{ icon("cross") }<span>{ t.f("editor.line", &[("n", d.line.to_string())]) }{ " " }<code lang="en">{ &d.message }</code></span></li>
            }) }
            if props.diagnostics.len() > 3 { <li class="lab">{ t.f("editor.more", &[("n", (props.diagnostics.len() - 3).to_string())]) }</li> }
        </ul>
    }
}

fn value_text(props: &Props) -> Html {
    let t = props.ui.t;
    match (&props.value, &props.gone) {
        (Some(value), _) => match readable(value) {
            Some(index) => {
                let at = LayerRef { window: value.clone(), fields, layer, index };
                html! {
                    <>
                        if let Some(error) = &value.error { <div class="err"><code lang="en">{ error }</code></div> }
                        <Text<Value> ui={props.ui.clone()} {at} label={value.title.clone()} numbers={true} />
                    </>
                }
            }
            None => {
                html! { <div class="err"><code lang="en">{ value.error.clone().unwrap_or_default() }</code><p>{ t.s("inspector.unreadable") }</p></div> }
            }
        },
        (None, Some(why)) => html! { <div class="err"><code lang="en">{ why }</code></div> },
        (None, None) => html! { <p class="pad ink2">{ t.s("inspector.empty") }</p> },
    }
}

fn layer_key(form: Form) -> &'static str {
    match form {
        Form::Yaml => "layer.yaml",
        Form::Json => "layer.json",
        Form::Http => "layer.http",
        Form::Protobuf => "layer.protobuf",
        Form::Stored => "layer.stored",
        Form::Message => "layer.message",
        Form::Text => "layer.text",
    }
}

/// The layer that is shown when none was chosen: the deepest that is encoded.
fn shown_layer(value: &Value, wanted: usize) -> usize {
    let first = value.layers.iter().position(|l| l.form == Form::Protobuf).unwrap_or(0);
    if wanted == 0 { first } else { wanted.min(value.layers.len().saturating_sub(1)) }
}

fn layers(props: &Props, value: &Ptr<Value>) -> Html {
    let t = props.ui.t;
    let chosen = shown_layer(value, props.view.layer);
    let view = props.ui.view.clone();
    let numbers: Vec<usize> =
        (0..value.layers.len()).filter(|&i| !matches!(value.layers[i].form, Form::Yaml)).collect();
    let at = numbers.iter().position(|&i| i == chosen).unwrap_or(0);
    let options: Vec<AttrValue> =
        numbers.iter().map(|&i| t.s(layer_key(value.layers[i].form)).into()).collect();
    let choose = Callback::from(move |i: usize| view.dispatch(ViewAction::Layer(numbers[i])));
    html! { <Seg label={t.s("inspector.layer")} {options} chosen={at} {choose} /> }
}

fn bytes(props: &Props, value: &Ptr<Value>) -> Html {
    let t = props.ui.t;
    let index = shown_layer(value, props.view.layer);
    let Some(layer_data) = value.layers.get(index) else {
        return html! { <p class="pad ink2">{ t.s("inspector.empty") }</p> };
    };
    let at = LayerRef { window: value.clone(), fields, layer, index };
    let label = format!("{}, {}", t.s(layer_key(layer_data.form)), layer_data.name);
    html! {
        <div class="pad8">
            <div class="lab"><span class="mono" lang="en">{ &layer_data.name }</span>{ " " }{ t.f("bytes", &[("n", num(layer_data.total))]) }</div>
            <Hex<Value> ui={props.ui.clone()} {at} {label} rows={props.rows} wide={props.wide} />
            <ul class="plain parts">
                { for layer_data.parts.iter().map(|p| html! { <li><span lang="en">{ &p.name }</span>{ " " }<span class="mono dimtext">{ format!("{:x}–{:x}", p.start, p.end.saturating_sub(1)) }</span></li> }) }
            </ul>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct FooterProps {
    ui: Ui,
    subject: Option<Ptr<Value>>,
}

/// The field that is looked at: path, type, where it is, who put it there; and the arrows for fingers.
#[component(Footer)]
fn footer(props: &FooterProps) -> Html {
    let t = props.ui.t;
    let Some(hot) = use_context::<Hot>() else { return Html::default() };
    let path = hot.link.hot().cloned();
    let field = path.as_ref().and_then(|p| props.subject.as_ref()?.fields.iter().position(|f| f.path == **p));
    let step = |by: i32| {
        let (link, subject, path) = (props.ui.link.clone(), props.subject.clone(), path.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(next) = subject.as_ref().and_then(|v| neighbour(v, path.as_deref(), by)) {
                link.dispatch(LinkAction::Pin(Some(next.into())));
            }
        })
    };
    let (hue, pattern) = path.as_ref().map_or((0, 0), |p| hot.look(p));
    html! {
        <div class="foot" aria-live="polite">
            <div class="row">
                if let Some(path) = &path {
                    <span class={classes!("mono", "cut", "strong", "u", "hot")} data-h={(hue > 0).then(|| hue.to_string())} data-p={(hue > 0).then(|| pattern.to_string())} lang="en">{ path.to_string() }</span>
                } else {
                    <span class="ink2">{ t.s("footer.none") }</span>
                }
                <span class="sp" />
                if hot.link.pinned.is_some() { <span class="lab">{ t.s("footer.pinned") }</span> }
                <button class="tool sm" aria-label={t.s("footer.previous")} onclick={step(-1)} data-do="field-back">{ icon("back") }</button>
                <button class="tool sm" aria-label={t.s("footer.next")} onclick={step(1)} data-do="field-next">{ icon("forward") }</button>
            </div>
            <div class="lab cut" data-cell="field">{ field.and_then(|i| props.subject.as_ref().map(|v| describe(props, v, i))).unwrap_or_else(|| "\u{a0}".into()) }</div>
        </div>
    }
}

/// The leaf after (or before) a path among those a person wrote, or among all leaves when there are none.
pub fn neighbour(value: &Value, path: Option<&str>, by: i32) -> Option<String> {
    let yours: Vec<&Field> =
        value.fields.iter().filter(|f| f.leaf && f.origin == protocol::window::Origin::You).collect();
    let list: Vec<&Field> =
        if yours.is_empty() { value.fields.iter().filter(|f| f.leaf).collect() } else { yours };
    let count = i32::try_from(list.len()).ok().filter(|n| *n > 0)?;
    let at = path.and_then(|p| list.iter().position(|f| f.path == p));
    let next = match at {
        Some(at) => (at as i32 + by).rem_euclid(count),
        None if by < 0 => count - 1,
        None => 0,
    };
    list.get(next as usize).map(|f| f.path.clone())
}

/// One line about a field.
fn describe(props: &FooterProps, value: &Value, index: usize) -> String {
    let t = props.ui.t;
    let field = &value.fields[index];
    let mut parts = Vec::new();
    if field.number > 0 {
        parts.push(t.f("footer.number", &[("kind", field.kind.clone()), ("n", field.number.to_string())]));
    } else if !field.kind.is_empty() {
        parts.push(field.kind.clone());
    }
    if let Some(layer) = encoded(value) {
        let mine = || {
            layer
                .marks
                .iter()
                .filter(|m| m.field as usize == index && matches!(m.role, Role::Value | Role::Tag))
        };
        if let (Some(a), Some(b)) = (mine().map(|m| m.start).min(), mine().map(|m| m.end).max()) {
            parts.push(t.f("footer.range", &[("n", (b - a).to_string()), ("from", format!("{a:x}"))]));
        }
    }
    if let Some(stored) = value.layers.iter().find(|l| l.block > 0) {
        let mine = || stored.marks.iter().filter(|m| m.field as usize == index && m.role == Role::Covers);
        if let (Some(a), Some(b)) = (mine().map(|m| m.start).min(), mine().map(|m| m.end).max()) {
            let block =
                |byte: u32| (byte.saturating_sub(stored.block_start) / u32::from(stored.block)).to_string();
            parts.push(t.f("footer.blocks", &[("from", block(a)), ("to", block(b.saturating_sub(1)))]));
        }
    }
    parts.push(t.s(origin_key(field.origin)).to_string());
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::window::Origin;

    #[test]
    fn the_neighbours_are_the_persons_own_leaves() {
        let field = |path: &str, leaf, origin| Field { path: path.into(), leaf, origin, ..Field::default() };
        let value = Value {
            fields: vec![
                field("kind", true, Origin::You),
                field("spec", false, Origin::You),
                field("spec.dnsPolicy", true, Origin::Defaults),
                field("spec.image", true, Origin::You),
            ],
            ..Value::default()
        };
        assert_eq!(neighbour(&value, None, 1).as_deref(), Some("kind"));
        assert_eq!(neighbour(&value, Some("kind"), 1).as_deref(), Some("spec.image"));
        assert_eq!(neighbour(&value, Some("spec.image"), 1).as_deref(), Some("kind"));
        assert_eq!(neighbour(&value, None, -1).as_deref(), Some("spec.image"));
        assert_eq!(neighbour(&Value::default(), None, 1), None);
    }
}
