//! Bytes as rows of sixteen, linked to their fields. One tab stop: arrows move a byte cursor, Enter pins the field under
//! it. Only the rows in sight are drawn, whatever the length.

use std::rc::Rc;

use protocol::window::{Field, Layer, Mark, Role};
use yew::prelude::*;

use crate::state::Ptr;
use crate::state::link::{Hot, LinkAction};
use crate::ui::Ui;

/// Height of a row, px: larger where fingers are and eight bytes make a row.
fn row_height(wide: usize) -> i32 {
    if wide == 8 { 24 } else { 20 }
}

/// Where the layer of a window lies: the component holds the window and looks into it, so that nothing is copied.
pub struct LayerRef<W: 'static> {
    pub window: Ptr<W>,
    pub fields: fn(&W) -> &[Field],
    pub layer: fn(&W, usize) -> Option<&Layer>,
    pub index: usize,
}

impl<W> Clone for LayerRef<W> {
    fn clone(&self) -> Self {
        LayerRef { window: self.window.clone(), fields: self.fields, layer: self.layer, index: self.index }
    }
}

impl<W> PartialEq for LayerRef<W> {
    fn eq(&self, other: &Self) -> bool {
        self.window == other.window && self.index == other.index
    }
}

#[derive(Properties)]
pub struct Props<W: 'static> {
    pub ui: Ui,
    pub at: LayerRef<W>,
    pub label: AttrValue,
    /// Rows to show at most; the rest is scrolled.
    pub rows: usize,
    /// Bytes in a row.
    #[prop_or(16)]
    pub wide: usize,
    /// The bytes as text beside them, where there is room.
    #[prop_or(true)]
    pub text: bool,
}

impl<W> PartialEq for Props<W> {
    fn eq(&self, other: &Self) -> bool {
        self.ui == other.ui
            && self.at == other.at
            && self.label == other.label
            && self.rows == other.rows
            && self.wide == other.wide
            && self.text == other.text
    }
}

/// What one byte belongs to.
#[derive(Clone, Copy, Default)]
struct Cell<'a> {
    /// The innermost field whose value or tag it is.
    field: Option<&'a Field>,
    tag: bool,
    hot: bool,
    chain: bool,
    copy: bool,
}

/// Looks every byte of a stretch up once.
fn cells<'a>(layer: &Layer, fields: &'a [Field], hot: &Hot, from: usize, to: usize) -> Vec<Cell<'a>> {
    let mut cells = vec![Cell::default(); to.saturating_sub(from)];
    for mark in &layer.marks {
        let (start, end) = (mark.start as usize, mark.end as usize);
        if end <= from || start >= to {
            continue;
        }
        let Some(field) = fields.get(mark.field as usize) else { continue };
        let is_hot = hot.is(&field.path);
        for cell in &mut cells[start.max(from) - from..end.min(to) - from] {
            match mark.role {
                Role::Value | Role::Tag | Role::Covers => {
                    // Inner fields come after the ones that hold them.
                    // The field that is looked at wins where several share a cipher block.
                    if (field.leaf && !cell.hot) || cell.field.is_none() || (is_hot && field.leaf) {
                        cell.field = Some(field);
                        cell.tag = mark.role == Role::Tag;
                    }
                    cell.hot |= is_hot;
                }
                Role::Chain => cell.chain |= is_hot,
                Role::Copy => cell.copy |= is_hot,
            }
        }
    }
    cells
}

/// The first byte of a field in a layer.
fn first_byte(layer: &Layer, fields: &[Field], path: &str) -> Option<usize> {
    layer
        .marks
        .iter()
        .filter(|m| matches!(m.role, Role::Value | Role::Tag | Role::Covers))
        .filter(|m| fields.get(m.field as usize).is_some_and(|f| f.path == path))
        .map(|m: &Mark| m.start as usize)
        .min()
}

#[component(Hex)]
pub fn hex<W: 'static>(props: &Props<W>) -> Html {
    let node = use_node_ref();
    let top = use_state(|| 0usize);
    let cursor = use_state(|| None::<usize>);
    let hot = use_context::<Hot>();
    let window = &props.at.window;
    let fields = (props.at.fields)(window);
    let layer = (props.at.layer)(window, props.at.index);
    let wide = props.wide;
    let high = row_height(wide);

    // A pinned field, or one that is followed from another part, is brought into sight.
    {
        let path = hot.as_ref().and_then(|h| h.link.pinned.clone());
        let (node, at) = (node.clone(), props.at.clone());
        let rows = props.rows;
        use_effect_with((path, props.at.clone()), move |(path, _)| {
            let fields = (at.fields)(&at.window);
            if let (Some(path), Some(layer)) = (path, (at.layer)(&at.window, at.index))
                && let Some(byte) = first_byte(layer, fields, path)
                && let Some(element) = node.cast::<web_sys::Element>()
            {
                let row = ((byte - (layer.at as usize).min(byte)) / wide) as i32;
                let (first, shown) = (element.scroll_top() / high, rows as i32);
                if row < first || row >= first + shown - 1 {
                    element.set_scroll_top((row - shown / 3).max(0) * high);
                }
            }
        });
    }

    let (Some(layer), Some(hot)) = (layer, hot) else { return Html::default() };
    let base = layer.at as usize;
    let len = layer.data.len();
    let total_rows = len.div_ceil(wide);
    let shown = props.rows.min(total_rows.max(1));
    let first = (*top).min(total_rows.saturating_sub(1));
    let last = (first + shown + 2).min(total_rows);
    let cells = cells(layer, fields, &hot, base + first * wide, base + (last * wide).min(len));

    let onscroll = {
        let top = top.clone();
        Callback::from(move |e: Event| {
            if let Some(element) = e.target_dyn_into::<web_sys::Element>() {
                top.set((element.scroll_top() / high).max(0) as usize);
            }
        })
    };
    let go = {
        let (cursor, link, node) = (cursor.clone(), props.ui.link.clone(), node.clone());
        let at = props.at.clone();
        let rows = props.rows as i32;
        move |byte: usize| {
            cursor.set(Some(byte));
            let fields = (at.fields)(&at.window);
            if let Some(layer) = (at.layer)(&at.window, at.index) {
                link.dispatch(LinkAction::Over(field_at(layer, fields, base + byte)));
            }
            if let Some(element) = node.cast::<web_sys::Element>() {
                let row = (byte / wide) as i32;
                let first = element.scroll_top() / high;
                if row < first {
                    element.set_scroll_top(row * high);
                } else if row >= first + rows {
                    element.set_scroll_top((row - rows + 1) * high);
                }
            }
        }
    };
    let onkeydown = {
        let (go, cursor, at, link) = (go.clone(), cursor.clone(), props.at.clone(), props.ui.link.clone());
        let page = props.rows * wide;
        Callback::from(move |e: KeyboardEvent| {
            if e.alt_key() || e.ctrl_key() || e.meta_key() {
                return;
            }
            let here = (*cursor).unwrap_or(0);
            let end = len.saturating_sub(1);
            let next = match e.key().as_str() {
                "ArrowRight" => here + usize::from(cursor.is_some()),
                "ArrowLeft" => here.saturating_sub(1),
                "ArrowDown" => here + wide,
                "ArrowUp" => here.checked_sub(wide).unwrap_or(here),
                "PageDown" => here + page,
                "PageUp" => here.saturating_sub(page),
                "Home" => 0,
                "End" => end,
                "Enter" => {
                    let fields = (at.fields)(&at.window);
                    let layer = (at.layer)(&at.window, at.index);
                    if let Some(path) = layer.and_then(|l| field_at(l, fields, base + here)) {
                        link.dispatch(LinkAction::Toggle(path));
                    }
                    e.prevent_default();
                    return;
                }
                _ => return,
            };
            e.prevent_default();
            go(next.min(end));
        })
    };
    let active = cursor.map(|byte| format!("b{}-{byte}", props.at.index));
    html! {
        <div class="hexbox" ref={node} style={format!("height:{}px", shown as i32 * high)} {onscroll} tabindex="0" role="grid"
            aria-label={props.label.clone()} aria-rowcount={total_rows.to_string()} aria-activedescendant={active} {onkeydown}>
            <div class="hex" role="presentation" style={format!("height:{}px;padding-top:{}px", total_rows as i32 * high, first as i32 * high)}>
                { for (first..last).map(|row| {
                    let from = row * wide;
                    let to = (from + wide).min(len);
                    let slice = &cells[from - first * wide..to - first * wide];
                    html! {
                        <div class="hx" role="row" aria-rowindex={(row + 1).to_string()} key={row}>
                            <span class="off" role="rowheader">{ format!("{:04x}", base + from) }</span>
                            { for (from..to).zip(slice).map(|(i, cell)| {
                                byte_cell(props, &hot, i, wide, layer.data[i], cell, *cursor == Some(i), &go)
                            }) }
                            { for (to..from + wide).map(|i| html! {
                                <span class={classes!("b", (i % wide == 8).then_some("mid"))} role="gridcell" />
                            }) }
                            if props.text { <span class="asc" role="gridcell">{ for (from..to).zip(slice).map(|(i, cell)| {
                                let c = layer.data[i];
                                let shown = if (0x20..0x7f).contains(&c) { char::from(c) } else { '·' };
                                let (hue, _) = cell.field.map_or((0, 0), |f| hot.look(&f.path));
                                html! { <i class={classes!(cell.hot.then_some("hot"))} data-h={(hue > 0).then(|| hue.to_string())}>{ shown }</i> }
                            }) }</span> }
                        </div>
                    }
                }) }
            </div>
        </div>
    }
}

/// The path of the innermost field that a byte belongs to.
pub fn field_at(layer: &Layer, fields: &[Field], byte: usize) -> Option<Rc<str>> {
    layer
        .marks
        .iter()
        .filter(|m| matches!(m.role, Role::Value | Role::Tag | Role::Covers))
        .filter(|m| (m.start as usize..m.end as usize).contains(&byte))
        .filter_map(|m| fields.get(m.field as usize))
        .max_by_key(|f| (f.leaf, f.depth))
        .map(|f| f.path.as_str().into())
}

#[allow(clippy::too_many_arguments)]
fn byte_cell<W: 'static>(
    props: &Props<W>,
    hot: &Hot,
    i: usize,
    wide: usize,
    byte: u8,
    cell: &Cell,
    at_cursor: bool,
    go: &(impl Fn(usize) + Clone + 'static),
) -> Html {
    let (hue, pattern) = cell.field.map_or((0, 0), |f| hot.look(&f.path));
    let origin = cell.field.filter(|f| f.leaf).map(|f| crate::parts::tree::origin_class(f.origin));
    let classes = classes!(
        "b",
        (i % wide == 8).then_some("mid"),
        cell.tag.then_some("t"),
        (byte == 0 && cell.field.is_none()).then_some("zero"),
        cell.hot.then_some("hot"),
        (cell.chain && !cell.hot).then_some("chain"),
        (cell.copy && !cell.hot).then_some("copy"),
        at_cursor.then_some("cur"),
        (hue == 0).then_some(origin).flatten(),
    );
    let path: Option<Rc<str>> = cell.field.map(|f| f.path.as_str().into());
    let (link, over) = (props.ui.link.clone(), path.clone());
    let enter = Callback::from(move |_: MouseEvent| link.dispatch(LinkAction::Over(over.clone())));
    let (link, go) = (props.ui.link.clone(), go.clone());
    let click = Callback::from(move |_: MouseEvent| {
        go(i);
        if let Some(path) = &path {
            link.dispatch(LinkAction::Toggle(path.clone()));
        }
    });
    html! {
        <span class={classes} id={format!("b{}-{i}", props.at.index)} role="gridcell" data-h={(hue > 0).then(|| hue.to_string())}
            data-p={(hue > 0).then(|| pattern.to_string())} data-f={cell.field.map(|f| f.path.clone())}
            onmouseenter={enter} onclick={click}>{ format!("{byte:02x}") }</span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::window::Origin;

    fn layer() -> (Vec<Field>, Layer) {
        let field = |path: &str, depth, leaf| Field {
            path: path.into(),
            depth,
            leaf,
            origin: Origin::You,
            ..Field::default()
        };
        let fields = vec![field("spec", 0, false), field("spec.image", 1, true)];
        let mark = |field, start, end, role| Mark { field, start, end, role };
        let marks = vec![
            mark(0, 0, 2, Role::Tag),
            mark(0, 2, 9, Role::Value),
            mark(1, 2, 4, Role::Tag),
            mark(1, 4, 9, Role::Value),
        ];
        (fields, Layer { total: 10, data: vec![0; 10], marks, ..Layer::default() })
    }

    #[test]
    fn a_byte_belongs_to_its_innermost_field() {
        let (fields, layer) = layer();
        assert_eq!(field_at(&layer, &fields, 1).as_deref(), Some("spec"));
        assert_eq!(field_at(&layer, &fields, 5).as_deref(), Some("spec.image"));
        assert_eq!(field_at(&layer, &fields, 9), None);
        assert_eq!(first_byte(&layer, &fields, "spec.image"), Some(2));
    }

    #[test]
    fn tag_bytes_are_told_from_the_value() {
        let (fields, layer) = layer();
        let hot = Hot { link: Default::default(), slots: Ptr::default() };
        let cells = cells(&layer, &fields, &hot, 0, 10);
        let tags: Vec<bool> = cells.iter().map(|c| c.tag).collect();
        assert_eq!(tags, [true, true, true, true, false, false, false, false, false, false]);
    }
}
