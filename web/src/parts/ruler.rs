//! Before and after on one scale of bytes: what the parts are, and where the hot field lies in both.

use protocol::window::{Field, Layer, Part, Role};
use yew::prelude::*;

use crate::state::link::Hot;
use crate::words::T;

/// Left and right edge of a stretch, px.
fn span(layer: &Layer, start: u32, end: u32, longest: u32, width: f64) -> (f64, f64) {
    let scale = width / f64::from(longest.max(1));
    let total = layer.total.max(1);
    (f64::from(start.min(total)) * scale, f64::from(end.min(total)) * scale)
}

/// The smallest stretch that holds the hot field, of some roles.
fn stretch(layer: &Layer, fields: &[Field], hot: &Hot, roles: &[Role]) -> Option<(u32, u32)> {
    let mine = || {
        layer
            .marks
            .iter()
            .filter(|m| roles.contains(&m.role))
            .filter(|m| fields.get(m.field as usize).is_some_and(|f| hot.is(&f.path)))
    };
    Some((mine().map(|m| m.start).min()?, mine().map(|m| m.end).max()?))
}

const OWN: [Role; 3] = [Role::Value, Role::Tag, Role::Covers];

/// Draws nothing when a side is missing.
pub fn ruler(
    t: T,
    hot: &Hot,
    fields: &[Field],
    before: Option<&Layer>,
    after: Option<&Layer>,
    width: f64,
) -> Html {
    let (Some(before), Some(after)) = (before, after) else { return Html::default() };
    let longest = before.total.max(after.total);
    let a = stretch(before, fields, hot, &OWN);
    let b = stretch(after, fields, hot, &OWN);
    let chain = stretch(after, fields, hot, &[Role::Chain]);
    let hue = hot.link.hot().map_or(0, |path| hot.look(path).0);
    let fill = if hue > 0 { format!("var(--f{hue})") } else { "var(--ink2)".to_string() };
    let join = a.zip(b).map(|(a, b)| {
        let (a, b) = (span(before, a.0, a.1, longest, width), span(after, b.0, b.1, longest, width));
        format!("M{:.1} 18 L{:.1} 18 L{:.1} 54 L{:.1} 54 Z", a.0, a.1.max(a.0 + 2.0), b.1.max(b.0 + 2.0), b.0)
    });
    let name = hot.link.hot().and_then(|path| path.rsplit('.').next().map(str::to_string));
    let label = match (a, &name) {
        (Some((from, to)), Some(name)) => format!("{name} {from:03x}–{:03x}", to.saturating_sub(1)),
        _ => String::new(),
    };
    let covered = b.filter(|_| after.block > 0).map(|(from, to)| {
        let block = |byte: u32| (byte.saturating_sub(after.block_start)) / u32::from(after.block);
        t.f(
            "ruler.blocks",
            &[
                ("n", (a.map_or(0, |a| a.1 - a.0)).to_string()),
                ("from", block(from).to_string()),
                ("to", block(to.saturating_sub(1)).to_string()),
            ],
        )
    });
    // The label stands where there is room: left of the field when that is far right.
    let x = a.map_or(0.0, |a| span(before, a.0, a.1, longest, width).0);
    let (anchor, at) = if x > width / 2.0 { ("end", x - 4.0) } else { ("start", x + 12.0) };
    html! {
        <svg class="ruler" width={width.to_string()} height="74" role="img" aria-label={t.f("ruler.label", &[
            ("before", crate::words::num(before.total)), ("after", crate::words::num(after.total))])}>
            <defs>
                <pattern id="chain" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <line x1="0" y1="0" x2="0" y2="5" stroke={fill.clone()} stroke-width="1.4" />
                </pattern>
            </defs>
            { bar(before, 0.0, longest, width, a) }
            { bar(after, 54.0, longest, width, b) }
            if let Some(d) = join { <path {d} fill={fill.clone()} fill-opacity="0.16" /> }
            { for [(before, a, 0.0), (after, b, 54.0)].into_iter().filter_map(|(layer, range, y)| range.map(|r| {
                let (from, to) = span(layer, r.0, r.1, longest, width);
                html! { <rect x={from.to_string()} y={y.to_string()} width={(to - from).max(2.0).to_string()} height="18" fill={fill.clone()} /> }
            })) }
            if let Some((from, to)) = chain {
                { { let (from, to) = span(after, from, to, longest, width);
                    html! { <rect x={from.to_string()} y="54" width={(to - from).max(1.0).to_string()} height="18" fill="url(#chain)" /> } } }
            }
            <text x={at.to_string()} y="32" text-anchor={anchor} class="strong" style={format!("fill:{fill}")} lang="en">{ label }</text>
            <text x={at.to_string()} y="47" text-anchor={anchor}>{ covered.unwrap_or_default() }</text>
        </svg>
    }
}

fn bar(layer: &Layer, y: f64, longest: u32, width: f64, hot: Option<(u32, u32)>) -> Html {
    let (_, right) = span(layer, 0, layer.total, longest, width);
    html! {
        <g>
            <rect x="0.5" y={(y + 0.5).to_string()} width={(right - 1.0).max(1.0).to_string()} height="17" fill="var(--s1)" stroke="var(--line3)" />
            { for layer.parts.iter().map(|part: &Part| {
                let (from, to) = span(layer, part.start, part.end, longest, width);
                // A label that the hot field would cover is left out.
                let covered = hot.is_some_and(|(a, b)| {
                    let (a, b) = span(layer, a, b, longest, width);
                    b > from && a < from + 8.0 + part.name.len() as f64 * 6.2
                });
                let room = !covered && to - from > 8.0 + part.name.len() as f64 * 6.2;
                html! {
                    <>
                        <line x1={from.to_string()} x2={from.to_string()} y1={y.to_string()} y2={(y + 18.0).to_string()} stroke="var(--line3)" />
                        if room { <text x={(from + 5.0).to_string()} y={(y + 13.0).to_string()} lang="en">{ &part.name }</text> }
                    </>
                }
            }) }
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bars_share_one_scale() {
        const WIDTH: f64 = 480.0;
        let short = Layer { total: 100, ..Layer::default() };
        assert_eq!(span(&short, 0, 100, 200, WIDTH), (0.0, WIDTH / 2.0));
        assert_eq!(span(&short, 50, 999, 200, WIDTH), (WIDTH / 4.0, WIDTH / 2.0));
    }
}
