//! The trace: what every request did at every station, with the payloads before and after.
//!
//! Payloads are shared slices, never copies. The budget is bounded: when it is used up, the payloads of the oldest traces
//! go first, then the traces themselves, so a bulk load keeps summaries and the last requests keep everything.
//!
//! A station's event (what stepping stops at, what a breakpoint waits for) is the *end* of its span: by then its decision
//! and its payload after it can be seen, and the next station has not begun.

mod station;

pub use station::Station;

use crate::{Latency, Sim, Time};
use bytes::Bytes;
use core::task::{Poll, Waker};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Number of a trace: one request from its client to its answer, and what it caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct TraceId(pub u64);

/// Number of a span, unique in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct SpanId(pub u64);

/// Where in a trace something happens; handed down every call and beside every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ctx {
    /// The request.
    pub trace: TraceId,
    /// The span that caused what comes next.
    pub span: SpanId,
}

/// How much is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Spans with attributes and payloads.
    #[default]
    Full,
    /// Spans without payloads.
    Summary,
    /// Nothing.
    Off,
}

/// One stay of a request at a station, or another named piece of work.
#[derive(Clone, Debug)]
pub struct SpanRecord {
    /// Its number.
    pub id: SpanId,
    /// The span that caused it.
    pub parent: Option<SpanId>,
    /// The station's name, or the name of the work.
    pub name: &'static str,
    /// The station, if it is one.
    pub station: Option<Station>,
    /// Name of the process that did it.
    pub process: Rc<str>,
    /// When it began.
    pub start: Time,
    /// When it ended; `None` while it runs.
    pub end: Option<Time>,
    /// Index of the event in which it ended.
    pub end_event: u64,
    /// What it decided, as name and value, in the order noted.
    pub attributes: Vec<(&'static str, String)>,
    /// What came in.
    pub before: Option<Bytes>,
    /// What went out.
    pub after: Option<Bytes>,
}

/// A request with all its spans, in the order in which they began.
#[derive(Clone, Debug)]
pub struct TraceRecord {
    /// Its number.
    pub id: TraceId,
    /// What it is (`POST /api/v1/namespaces/default/pods`).
    pub title: String,
    /// Name of the process that sent it.
    pub client: Rc<str>,
    /// When it began.
    pub start: Time,
    /// Its spans.
    pub spans: Vec<SpanRecord>,
    cost: usize,
}

/// A station that was just passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageEvent {
    /// Index of the event.
    pub event: u64,
    /// The request.
    pub trace: TraceId,
    /// Its span.
    pub span: SpanId,
    /// The station.
    pub station: Station,
}

/// Where requests stop or wait. Fields that are `None` match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// Only this request.
    pub trace: Option<TraceId>,
    /// Only before this station.
    pub station: Option<Station>,
}

impl Hold {
    fn matches(&self, trace: TraceId, station: Station) -> bool {
        self.trace.is_none_or(|t| t == trace) && self.station.is_none_or(|s| s == station)
    }
}

/// Bytes of payload and records that a world's trace may hold.
const BUDGET: usize = 48 << 20;
/// Traces that are kept even when the budget is used up.
const KEPT: usize = 8;
/// What a record costs beside its payload, about.
const RECORD_COST: usize = 256;

#[derive(Default)]
pub(crate) struct TraceState {
    detail: Detail,
    next_trace: u64,
    next_span: u64,
    traces: BTreeMap<TraceId, TraceRecord>,
    open: BTreeMap<SpanId, TraceId>,
    cost: usize,
    last: Option<StageEvent>,
    stages: u64,
    breakpoints: Vec<Hold>,
    holds: Vec<Hold>,
    waiting: Vec<(TraceId, Station, Waker)>,
    links: BTreeMap<u64, Ctx>,
}

/// A handle to the trace. Clones refer to the same trace.
#[derive(Clone)]
pub struct Trace(pub(crate) Sim);

impl Trace {
    fn with<T>(&self, f: impl FnOnce(&mut TraceState) -> T) -> T {
        f(&mut self.0.0.trace.borrow_mut())
    }

    /// How much is recorded.
    pub fn detail(&self) -> Detail {
        self.with(|t| t.detail)
    }

    /// Records more or less from now on.
    pub fn set_detail(&self, detail: Detail) {
        self.with(|t| t.detail = detail);
    }

    /// Begins a trace: a request called `title`, sent by `client`. Its context has no span yet.
    pub fn begin(&self, title: &str, client: &str) -> Ctx {
        let now = self.0.now();
        self.with(|t| {
            t.next_trace += 1;
            let id = TraceId(t.next_trace);
            if t.detail != Detail::Off {
                let cost = RECORD_COST + title.len();
                let record = TraceRecord {
                    id,
                    title: title.to_owned(),
                    client: client.into(),
                    start: now,
                    spans: Vec::new(),
                    cost,
                };
                t.traces.insert(id, record);
                t.cost += cost;
                t.trim();
            }
            Ctx { trace: id, span: SpanId(0) }
        })
    }

    /// Opens a span that is not a station (or one whose waiting and latency the caller does itself).
    pub fn span(&self, ctx: &Ctx, name: &'static str, station: Option<Station>, process: &str) -> Span {
        let now = self.0.now();
        let id = self.with(|t| {
            t.next_span += 1;
            let id = SpanId(t.next_span);
            if let Some(record) = t.traces.get_mut(&ctx.trace) {
                record.spans.push(SpanRecord {
                    id,
                    parent: (ctx.span.0 != 0).then_some(ctx.span),
                    name,
                    station,
                    process: process.into(),
                    start: now,
                    end: None,
                    end_event: 0,
                    attributes: Vec::new(),
                    before: None,
                    after: None,
                });
                record.cost += RECORD_COST;
                t.cost += RECORD_COST;
                t.open.insert(id, ctx.trace);
            }
            id
        });
        Span {
            trace: self.clone(),
            ctx: Ctx { trace: ctx.trace, span: id },
            station,
            ended: Cell::new(false),
        }
    }

    /// Remembers which request an identifier of a protocol belongs to (etcd: the id in a request's Raft entry).
    pub fn link(&self, id: u64, ctx: Ctx) {
        self.with(|t| {
            t.links.insert(id, ctx);
            while t.links.len() > 4096 {
                t.links.pop_first();
            }
        });
    }

    /// The request that [`Trace::link`] remembered for `id`.
    pub fn linked(&self, id: u64) -> Option<Ctx> {
        self.with(|t| t.links.get(&id).copied())
    }

    /// Numbers of the traces that are still held, oldest first.
    pub fn ids(&self) -> Vec<TraceId> {
        self.with(|t| t.traces.keys().copied().collect())
    }

    /// A trace, if it is still held.
    pub fn get(&self, id: TraceId) -> Option<TraceRecord> {
        self.with(|t| t.traces.get(&id).cloned())
    }

    /// Looks at every trace held, oldest first, without copying.
    pub fn for_each(&self, mut f: impl FnMut(&TraceRecord)) {
        self.with(|t| t.traces.values().for_each(&mut f));
    }

    /// The station passed last.
    pub fn last_stage(&self) -> Option<StageEvent> {
        self.with(|t| t.last.clone())
    }

    /// How many stations were passed so far, by all requests.
    pub fn stages(&self) -> u64 {
        self.with(|t| t.stages)
    }

    /// Stops the run after a station that matches was passed.
    pub fn set_breakpoints(&self, points: Vec<Hold>) {
        self.with(|t| t.breakpoints = points);
    }

    /// The breakpoints in force.
    pub fn breakpoints(&self) -> Vec<Hold> {
        self.with(|t| t.breakpoints.clone())
    }

    /// Requests that match wait before the station while the world goes on.
    pub fn hold(&self, hold: Hold) {
        self.with(|t| t.holds.push(hold));
    }

    /// Ends a hold; what waited goes on.
    pub fn release(&self, hold: &Hold) {
        let wakers: Vec<Waker> = self.with(|t| {
            t.holds.retain(|h| h != hold);
            let holds = t.holds.clone();
            let (stay, go): (Vec<_>, Vec<_>) = core::mem::take(&mut t.waiting)
                .into_iter()
                .partition(|(trace, station, _)| holds.iter().any(|h| h.matches(*trace, *station)));
            t.waiting = stay;
            go.into_iter().map(|(_, _, w)| w).collect()
        });
        wakers.into_iter().for_each(Waker::wake);
    }

    /// The holds in force.
    pub fn holds(&self) -> Vec<Hold> {
        self.with(|t| t.holds.clone())
    }

    /// Requests that wait at a hold, with the station before which they wait.
    pub fn waiting(&self) -> Vec<(TraceId, Station)> {
        self.with(|t| t.waiting.iter().map(|(t, s, _)| (*t, *s)).collect())
    }
}

impl TraceState {
    /// Keeps within the budget: payloads of old traces first, then the traces.
    fn trim(&mut self) {
        if self.cost <= BUDGET {
            return;
        }
        let last = self.traces.len().saturating_sub(KEPT);
        for record in self.traces.values_mut().take(last) {
            let mut freed = 0;
            for s in &mut record.spans {
                freed += s.before.take().map_or(0, |b| b.len()) + s.after.take().map_or(0, |b| b.len());
            }
            record.cost -= freed.min(record.cost);
            self.cost -= freed.min(self.cost);
            if self.cost <= BUDGET / 4 * 3 {
                return;
            }
        }
        while self.cost > BUDGET / 4 * 3 && self.traces.len() > KEPT {
            let Some((_, gone)) = self.traces.pop_first() else { break };
            for s in &gone.spans {
                self.open.remove(&s.id);
            }
            self.cost -= gone.cost.min(self.cost);
        }
    }

    fn record(&mut self, ctx: Ctx) -> Option<&mut SpanRecord> {
        self.traces.get_mut(&ctx.trace)?.spans.iter_mut().rev().find(|s| s.id == ctx.span)
    }
}

/// An open span. It ends when it is dropped, or by [`Span::end`].
pub struct Span {
    trace: Trace,
    ctx: Ctx,
    station: Option<Station>,
    ended: Cell<bool>,
}

impl Span {
    /// The context for what this span causes.
    pub fn ctx(&self) -> Ctx {
        self.ctx
    }

    /// Notes what was decided. The same name may be noted several times.
    pub fn set(&self, name: &'static str, value: impl Into<String>) {
        let value = value.into();
        self.trace.with(|t| {
            let cost = value.len() + 32;
            if let Some(r) = t.record(self.ctx) {
                r.attributes.push((name, value));
                t.cost += cost;
                if let Some(trace) = t.traces.get_mut(&self.ctx.trace) {
                    trace.cost += cost;
                }
            }
        });
    }

    /// Notes the payload that came in.
    pub fn before(&self, payload: Bytes) {
        self.payload(payload, true);
    }

    /// Notes the payload that went out.
    pub fn after(&self, payload: Bytes) {
        self.payload(payload, false);
    }

    /// [`Span::before`] for a payload that is only made if it will be kept.
    pub fn before_with(&self, payload: impl FnOnce() -> Bytes) {
        if self.trace.detail() == Detail::Full {
            self.payload(payload(), true);
        }
    }

    /// [`Span::after`] for a payload that is only made if it will be kept.
    pub fn after_with(&self, payload: impl FnOnce() -> Bytes) {
        if self.trace.detail() == Detail::Full {
            self.payload(payload(), false);
        }
    }

    fn payload(&self, payload: Bytes, before: bool) {
        self.trace.with(|t| {
            if t.detail != Detail::Full {
                return;
            }
            let cost = payload.len();
            if let Some(r) = t.record(self.ctx) {
                *(if before { &mut r.before } else { &mut r.after }) = Some(payload);
                t.cost += cost;
                if let Some(trace) = t.traces.get_mut(&self.ctx.trace) {
                    trace.cost += cost;
                }
            }
        });
    }

    /// Ends the span now.
    pub fn end(self) {
        drop(self);
    }

    fn finish(&self) {
        if self.ended.replace(true) {
            return;
        }
        let (now, event) = (self.trace.0.now(), self.trace.0.event());
        let stop = self.trace.with(|t| {
            t.open.remove(&self.ctx.span);
            if let Some(r) = t.record(self.ctx) {
                r.end = Some(now);
                r.end_event = event;
            }
            let Some(station) = self.station else { return false };
            t.stages += 1;
            t.last = Some(StageEvent { event, trace: self.ctx.trace, span: self.ctx.span, station });
            t.breakpoints.iter().any(|b| b.matches(self.ctx.trace, station))
        });
        if stop {
            self.trace.0.request_stop();
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Sim {
    /// Arrives at a station: waits if the request is held there, takes the station's virtual time, and opens its span.
    /// The span's end is the station's event.
    pub async fn station(&self, ctx: &Ctx, station: Station, process: &str) -> Span {
        let trace = self.trace();
        core::future::poll_fn(|cx| {
            trace.with(|t| {
                if !t.holds.iter().any(|h| h.matches(ctx.trace, station)) {
                    return Poll::Ready(());
                }
                t.waiting.retain(|(id, s, _)| (*id, *s) != (ctx.trace, station));
                t.waiting.push((ctx.trace, station, cx.waker().clone()));
                Poll::Pending
            })
        })
        .await;
        let span = trace.span(ctx, station.name(), Some(station), process);
        let took = self.with_latencies(|l| l.of(Latency::Station(station)));
        self.sleep(took).await;
        span
    }
}
