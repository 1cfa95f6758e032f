//! The trace strip: spans over virtual time, a lane for the clients, one for the API server, a thin one a member. What lies
//! right of now is hatched: it has not run. A click goes to a span's station.

use protocol::window::{Strip, StripSpan};
use yew::prelude::*;

use crate::host;
use crate::path;
use crate::state::Ptr;
use crate::ui::Ui;
use crate::words::duration;

const LEFT: f64 = 200.0;
const LABELS: f64 = 184.0;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ui: Ui,
    pub strip: Ptr<Strip>,
    pub width: i32,
    /// Only the axis and the cursor: on a low screen.
    pub low: bool,
    pub past: bool,
    pub even: bool,
    pub following: bool,
    /// Virtual time of the furthest event drawn; when looking back it is right of now.
    pub event: u64,
}

/// Top and height of a span's lane.
fn lane(process: &str, members: &[&str]) -> (f64, f64) {
    match process {
        "kube-apiserver" => (18.0, 12.0),
        p => match members.iter().position(|m| *m == p) {
            Some(i) => (34.0 + 6.0 * i.min(2) as f64, 5.0),
            None => (4.0, 12.0),
        },
    }
}

/// A step of the axis that gives at most about ten labels: 1, 2 or 5 times a power of ten.
fn tick(range: u64) -> u64 {
    let mut step = 1;
    for factor in [2u64, 5, 2].into_iter().map(|f| if f == 5 { (5, 2) } else { (2, 1) }).cycle() {
        if range / step <= 10 {
            break;
        }
        step = step * factor.0 / factor.1;
    }
    step.max(1)
}

#[component(TraceStrip)]
pub fn trace_strip(props: &Props) -> Html {
    let t = props.ui.t;
    let strip = &props.strip;
    let width = f64::from(props.width.max(400));
    let now_x = LEFT + (width - LEFT) * if props.following { 0.62 } else { 0.82 };
    let elapsed = strip.now.saturating_sub(strip.start).max(1);
    // Equal steps: every span's edge is one step from the last.
    let mut edges: Vec<u64> = Vec::new();
    if props.even {
        edges = strip
            .spans
            .iter()
            .flat_map(|s| [s.start, s.end.unwrap_or(strip.now)])
            .chain([strip.start, strip.now])
            .collect();
        edges.sort_unstable();
        edges.dedup();
    }
    let x = |at: u64| -> f64 {
        let part = if props.even {
            edges.partition_point(|e| *e < at) as f64 / (edges.len().max(2) - 1) as f64
        } else {
            at.saturating_sub(strip.start) as f64 / elapsed as f64
        };
        LEFT + (now_x - LEFT) * part
    };
    let mut members: Vec<&str> = strip
        .spans
        .iter()
        .map(|s| s.process.as_str())
        .filter(|p| p.strip_prefix('m').is_some_and(|n| n.parse::<u8>().is_ok()))
        .collect();
    members.sort_unstable();
    members.dedup();
    if members.is_empty() {
        members = vec!["m1", "m2", "m3"];
    }
    let step = tick(elapsed * 2);
    // Counted from the request's start, or at round times when none is followed.
    let first = if props.following { 0 } else { step - strip.start % step };
    let ticks = (0..24u64)
        .map(|i| first + i * step)
        .take_while(|at| !props.even && x(strip.start + at) < width - 40.0);
    let since = if props.following { format!("+{}", duration(elapsed)) } else { duration(strip.now) };
    let label_y = if props.low { "16" } else { "60" };
    html! {
        <section class="trace" id="region-trace" aria-label={t.s("strip.region")} tabindex="-1">
            <svg width={width.to_string()} height="64" role="img" aria-label={t.f("strip.label", &[("n", strip.spans.len().to_string())])}>
                <defs>
                    <pattern id="nyet" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <line x1="0" y1="0" x2="0" y2="6" stroke="var(--line)" stroke-width="1.5" />
                    </pattern>
                </defs>
                <line x1={LABELS.to_string()} x2={LABELS.to_string()} y1="0" y2="64" stroke="var(--line)" />
                if !props.low {
                    <text x="12" y="14" lang="en">{ "kubectl" }</text>
                    <text x="12" y="28" lang="en">{ "kube-apiserver" }</text>
                    <text x="12" y="47" lang="en">{ members.join(" ") }</text>
                }
                { for ticks.map(|at| {
                    let left = x(strip.start + at);
                    let label = if props.following { if at == 0 { "+0".to_string() } else { format!("+{}", duration(at)) } } else { duration(strip.start + at) };
                    html! {
                        <>
                            <line x1={left.to_string()} x2={left.to_string()} y1="0" y2="64" stroke="var(--line)" />
                            if (left - now_x).abs() > 50.0 { <text x={(left + 4.0).to_string()} y={label_y}>{ label }</text> }
                        </>
                    }
                }) }
                <rect x={now_x.to_string()} y="0" width={(width - now_x).to_string()} height="64" fill="url(#nyet)" />
                if !props.low { { for strip.spans.iter().map(|s| span(s, &members, strip.now, &x)) } }
                <path d={format!("M{} 0h10l-5 6z", now_x - 5.0)} fill={if props.past { "var(--ink)" } else { "var(--now)" }} />
                <line x1={now_x.to_string()} x2={now_x.to_string()} y1="0" y2="64" stroke={if props.past { "var(--ink)" } else { "var(--now)" }} stroke-width="1.5" />
                <text class={if props.past { "strong ink" } else { "strong now" }} x={(now_x + 8.0).to_string()} y={if props.low { "16" } else { "14" }}>{ since }</text>
                if width > 900.0 && !props.low {
                    <text x={(now_x + 8.0).to_string()} y="30">{ if props.past { t.s("strip.past") } else { t.s("strip.future") } }</text>
                }
            </svg>
        </section>
    }
}

fn span(s: &StripSpan, members: &[&str], now: u64, x: &impl Fn(u64) -> f64) -> Html {
    let (top, high) = lane(&s.process, members);
    let (left, right) = (x(s.start), x(s.end.unwrap_or(now)));
    let wide = (right - left - 1.0).max(1.5);
    let name = path::name(&s.station);
    let room = high > 8.0 && wide > 10.0 + name.len() as f64 * 6.4;
    let fill = match (s.end.is_none() && !s.waiting, s.waiting, s.process == "kube-apiserver") {
        (true, _, _) => "var(--now)",
        (_, true, _) => "var(--line2)",
        (_, _, true) => "var(--ink2)",
        _ => "var(--ink)",
    };
    let event = s.event;
    let click = Callback::from(move |_: MouseEvent| host::back(event));
    let took = duration(s.end.unwrap_or(now).saturating_sub(s.start));
    html! {
        <g key={s.span.to_string()} onclick={click} class="span">
            <rect x={left.to_string()} y={top.to_string()} width={wide.to_string()} height={high.to_string()} {fill}><title>{ format!("{name} {took}") }</title></rect>
            if room {
                <text x={(left + 5.0).to_string()} y={(top + 10.0).to_string()} lang="en" class="inbar" style={if s.waiting { "fill:var(--ink)" } else { "fill:var(--s0)" }}>{ name }</text>
            }
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(tick(1_000), 100);
        assert_eq!(tick(2_000_000), 200_000);
        assert_eq!(tick(4), 1);
        assert!([1u64, 2, 5].contains(&(tick(1_234_567_890) / 100_000_000)));
    }

    #[test]
    fn members_have_thin_lanes() {
        assert_eq!(lane("m2", &["m1", "m2"]), (40.0, 5.0));
        assert_eq!(lane("kubectl", &["m1"]), (4.0, 12.0));
    }
}
