//! A layer that is text (YAML, JSON, an HTTP message), with its fields underlined. Lines are those of the text.

use std::rc::Rc;

use protocol::window::{Field, Layer, Role};
use yew::prelude::*;

use super::hex::LayerRef;
use crate::state::link::{Hot, LinkAction};
use crate::ui::Ui;

/// Longer texts are shown up to here and say so.
const LINES: usize = 400;

#[derive(Properties)]
pub struct Props<W: 'static> {
    pub ui: Ui,
    pub at: LayerRef<W>,
    pub label: AttrValue,
    pub numbers: bool,
}

impl<W> PartialEq for Props<W> {
    fn eq(&self, other: &Self) -> bool {
        self.ui == other.ui
            && self.at == other.at
            && self.label == other.label
            && self.numbers == other.numbers
    }
}

/// A stretch of a line: its text and the field it belongs to.
struct Piece<'a> {
    text: String,
    field: Option<&'a Field>,
    tag: bool,
}

/// Cuts a layer's text into lines of pieces. Marks of inner fields win over those around them.
fn lines<'a>(layer: &Layer, fields: &'a [Field]) -> Vec<Vec<Piece<'a>>> {
    let base = layer.at as usize;
    let mut owner: Vec<Option<(&Field, bool)>> = vec![None; layer.data.len()];
    for mark in layer.marks.iter().filter(|m| matches!(m.role, Role::Value | Role::Tag)) {
        let Some(field) = fields.get(mark.field as usize).filter(|f| f.leaf) else { continue };
        let start = (mark.start as usize).clamp(base, base + owner.len()) - base;
        let end = (mark.end as usize).clamp(base, base + owner.len()) - base;
        for slot in owner.get_mut(start..end).unwrap_or_default() {
            *slot = Some((field, mark.role == Role::Tag));
        }
    }
    let mut lines = vec![Vec::new()];
    let mut from = 0;
    for i in 0..=layer.data.len() {
        let ends = i == layer.data.len() || layer.data[i] == b'\n';
        let changes = i > from
            && i < layer.data.len()
            && owner[i].map(|(f, t)| (&f.path, t)) != owner[from].map(|(f, t)| (&f.path, t));
        if (ends || changes) && i > from {
            let (field, tag) = owner[from].map_or((None, false), |(f, t)| (Some(f), t));
            let text = String::from_utf8_lossy(&layer.data[from..i]).into_owned();
            lines.last_mut().expect("never empty").push(Piece { text, field, tag });
            from = i;
        }
        if ends && i < layer.data.len() {
            lines.push(Vec::new());
            from = i + 1;
        }
    }
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

#[component(Text)]
pub fn text<W: 'static>(props: &Props<W>) -> Html {
    let Some(hot) = use_context::<Hot>() else { return Html::default() };
    let window = &props.at.window;
    let Some(layer) = (props.at.layer)(window, props.at.index) else { return Html::default() };
    let lines = lines(layer, (props.at.fields)(window));
    let more = lines.len().saturating_sub(LINES);
    html! {
        <div class="yaml scroll" role="region" tabindex="0" aria-label={props.label.clone()} lang="en">
            { for lines.iter().take(LINES).enumerate().map(|(n, pieces)| {
                let hot_piece = pieces.iter().find_map(|p| p.field.filter(|f| hot.is(&f.path)));
                let hue = hot_piece.map_or(0, |f| hot.look(&f.path).0);
                html! {
                    <div class={classes!("yl", hot_piece.is_some().then_some("hot"))} data-h={(hue > 0).then(|| hue.to_string())} key={n}>
                        if props.numbers { <span class="g" aria-hidden="true">{ n + 1 }</span> }
                        { for pieces.iter().map(|piece| self::piece(props, &hot, piece)) }
                    </div>
                }
            }) }
            if more > 0 {
                <div class="lab">{ props.ui.t.f("text.more", &[("n", crate::words::num(more as u64))]) }</div>
            }
        </div>
    }
}

fn piece<W>(props: &Props<W>, hot: &Hot, piece: &Piece) -> Html {
    let Some(field) = piece.field.filter(|_| !piece.tag) else {
        return html! { <span class="k">{ &piece.text }</span> };
    };
    let (hue, pattern) = hot.look(&field.path);
    let path: Rc<str> = field.path.as_str().into();
    let (link, over) = (props.ui.link.clone(), path.clone());
    let enter = Callback::from(move |_: MouseEvent| link.dispatch(LinkAction::Over(Some(over.clone()))));
    let link = props.ui.link.clone();
    let leave = Callback::from(move |_: MouseEvent| link.dispatch(LinkAction::Over(None)));
    let link = props.ui.link.clone();
    let click = Callback::from(move |_: MouseEvent| link.dispatch(LinkAction::Toggle(path.clone())));
    let origin = (hue == 0).then(|| super::tree::origin_class(field.origin));
    html! {
        <span class={classes!(if hue > 0 { "u" } else { "u0" }, origin, hot.is(&field.path).then_some("hot"))}
            data-f={field.path.clone()} data-h={(hue > 0).then(|| hue.to_string())} data-p={(hue > 0).then(|| pattern.to_string())}
            onmouseenter={enter} onmouseleave={leave} onclick={click}>{ &piece.text }</span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::window::Mark;

    #[test]
    fn a_text_is_cut_at_its_fields_and_lines() {
        let fields = [Field { path: "kind".into(), leaf: true, ..Field::default() }];
        let data = b"kind: Pod\nspec:\n".to_vec();
        let marks = vec![
            Mark { field: 0, start: 0, end: 4, role: Role::Tag },
            Mark { field: 0, start: 6, end: 9, role: Role::Value },
        ];
        let layer = Layer { total: 16, data, marks, ..Layer::default() };
        let lines = lines(&layer, &fields);
        assert_eq!(lines.len(), 2);
        let texts: Vec<&str> = lines[0].iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, ["kind", ": ", "Pod"]);
        assert!(lines[0][2].field.is_some() && !lines[0][2].tag);
    }
}
