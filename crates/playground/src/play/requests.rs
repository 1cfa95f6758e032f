//! Requests and their stations: what the trace knows, as the page's windows.

use super::{Playground, kebab};
use protocol::window::{
    Form, Layer, Now, Outcome, Part, Path, Request, Station, Stop, Strip, StripSpan, Window,
};
use sim::{SpanId, SpanRecord, TraceId, TraceRecord};

/// Whether a request changes something.
pub(super) fn is_write(t: &TraceRecord) -> bool {
    let (verb, _) = words(t);
    matches!(verb.as_str(), "POST" | "PUT" | "PATCH" | "DELETE" | "put" | "del" | "txn" | "compaction")
}

/// Verb and target of a request's title: `POST /api/…`, or `etcdctl put /a b`.
fn words(t: &TraceRecord) -> (String, String) {
    let title = t.title.strip_prefix("etcdctl ").unwrap_or(&t.title);
    let (verb, target) = title.split_once(' ').unwrap_or((title, ""));
    (verb.to_owned(), target.to_owned())
}

fn attribute<'a>(s: &'a SpanRecord, name: &str) -> Option<&'a str> {
    s.attributes.iter().rev().find(|a| a.0 == name).map(|a| a.1.as_str())
}

fn stop(s: &SpanRecord) -> Stop {
    let length = |p: &Option<bytes::Bytes>| p.as_ref().map(|b| b.len() as u32);
    Stop {
        span: s.id.0,
        station: s.station.map(kebab).unwrap_or_else(|| s.name.to_owned()),
        process: s.process.to_string(),
        attempt: attribute(s, "attempt").and_then(|a| a.parse().ok()).unwrap_or(1),
        event: s.end_event,
        start: s.start.0,
        end: s.end.map(|t| t.0),
        facts: s.attributes.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect(),
        before: length(&s.before),
        after: length(&s.after),
        error: attribute(s, "error").map(str::to_owned),
        sample: Vec::new(),
    }
}

fn stops(t: &TraceRecord) -> Vec<&SpanRecord> {
    t.spans.iter().filter(|s| s.station.is_some()).collect()
}

/// How it ended: the HTTP status that its answer noted.
fn outcome(t: &TraceRecord) -> Option<Outcome> {
    let code = t.spans.iter().rev().find_map(|s| attribute(s, "code")?.parse().ok())?;
    let text = |name| t.spans.iter().rev().find_map(|s| attribute(s, name)).unwrap_or_default().to_owned();
    Some(Outcome { code, reason: text("reason"), message: text("message") })
}

impl Playground {
    fn request(&self, t: &TraceRecord) -> Request {
        let (verb, target) = words(t);
        let open = t.spans.iter().rev().find(|s| s.end.is_none());
        let held = self.world.sim().trace().waiting().iter().any(|(id, _)| *id == t.id);
        Request {
            trace: t.id.0,
            client: t.client.to_string(),
            verb,
            target,
            start: t.start.0,
            event: t.spans.first().map_or(0, |s| s.end_event),
            station: open.map(|s| s.station.map(kebab).unwrap_or_else(|| s.name.to_owned())),
            held,
            outcome: outcome(t),
            write: is_write(t),
        }
    }

    pub(super) fn requests(&self, count: u16, writes: bool) -> Vec<Request> {
        let mut all = Vec::new();
        self.world.sim().trace().for_each(|t| {
            if !writes || is_write(t) {
                all.push(t.id);
            }
        });
        let trace = self.world.sim().trace();
        let newest = all.into_iter().rev().take(usize::from(count));
        newest.filter_map(|id| trace.get(id)).map(|t| self.request(&t)).collect()
    }

    fn wanted(&self, trace: Option<u64>) -> Option<TraceRecord> {
        let id = trace.map(TraceId).or(self.followed)?;
        self.world.sim().trace().get(id)
    }

    pub(super) fn path(&self, trace: Option<u64>) -> Window {
        match self.wanted(trace) {
            Some(t) => Window::Path(Path {
                request: self.request(&t),
                stops: stops(&t).into_iter().map(stop).collect(),
            }),
            None => Window::Gone { why: String::new() },
        }
    }

    pub(super) fn now(&self) -> Now {
        let mut now = Now { revision: self.revision(), ..Now::default() };
        self.world.sim().trace().for_each(|t| now.open += u32::from(t.spans.iter().any(|s| s.end.is_none())));
        let Some(t) = self.wanted(None) else { return now };
        now.trace = Some(t.id.0);
        let passed = stops(&t);
        // In the order in which they were passed: of spans that overlap, the one that ended last comes last.
        let mut in_order: Vec<&&SpanRecord> = passed.iter().filter(|s| s.end.is_some()).collect();
        in_order.sort_by_key(|s| s.end_event);
        let mut ended = in_order.into_iter().rev();
        let current = ended.next();
        now.now = current.map(|s| stop(s));
        let last = ended.next();
        now.last = last.map(|s| stop(s));
        now.back = last.map(|s| s.end_event);
        now.next = current.and_then(|s| {
            let at = sim::Station::ALL.iter().position(|x| Some(*x) == s.station)?;
            sim::Station::ALL.get(at + 1).map(|n| kebab(*n))
        });
        if passed.iter().all(|s| s.end.is_some()) {
            now.ended = outcome(&t);
        }
        now
    }

    pub(super) fn strip(&self, span: u64) -> Strip {
        let end = self.world.sim().now().0;
        let mut strip = Strip { start: end.saturating_sub(span), now: end, spans: Vec::new() };
        let mut add = |t: &TraceRecord, from: u64| {
            for s in t.spans.iter().filter(|s| s.end.is_none_or(|e| e.0 >= from)) {
                strip.spans.push(StripSpan {
                    span: s.id.0,
                    trace: t.id.0,
                    process: s.process.to_string(),
                    station: s.station.map(kebab).unwrap_or_else(|| s.name.to_owned()),
                    event: s.end_event,
                    start: s.start.0,
                    end: s.end.map(|e| e.0),
                    waiting: s.station.is_none(),
                });
            }
        };
        match self.wanted(None) {
            Some(t) => {
                add(&t, 0);
                strip.start = t.start.0;
            }
            None => self.world.sim().trace().for_each(|t| add(t, end.saturating_sub(span))),
        }
        strip.spans.truncate(400);
        strip
    }

    pub(super) fn station(&self, trace: Option<u64>, span: u64, at: u32, len: u32) -> Window {
        let found = self.wanted(trace).and_then(|t| t.spans.into_iter().find(|s| s.id == SpanId(span)));
        let Some(s) = found else { return Window::Gone { why: String::new() } };
        let layer = |p: &Option<bytes::Bytes>| p.as_ref().map(|b| layer(b, at, len));
        Window::Station(Box::new(Station {
            stop: stop(&s),
            fields: Vec::new(),
            before: layer(&s.before),
            after: layer(&s.after),
            changes: Vec::new(),
        }))
    }
}

/// A payload as bytes, named by what its first bytes say.
pub(super) fn layer(b: &[u8], at: u32, len: u32) -> Layer {
    let start = (at as usize).min(b.len());
    let end = start.saturating_add(len as usize).min(b.len());
    let (form, name) = if b.starts_with(b"k8s:enc:") {
        (Form::Stored, "k8s:enc:")
    } else if b.starts_with(b"k8s\0") {
        (Form::Protobuf, "k8s\\0")
    } else if b.first() == Some(&b'{') {
        (Form::Json, "JSON")
    } else if b.starts_with(b"HTTP/") || b.windows(9).take(2048).any(|w| w == b" HTTP/1.1") {
        (Form::Http, "HTTP/1.1")
    } else {
        (Form::Message, "")
    };
    Layer {
        form,
        name: name.to_owned(),
        total: b.len() as u32,
        at: start as u32,
        data: b[start..end].to_vec(),
        marks: Vec::new(),
        parts: vec![Part { name: name.to_owned(), start: 0, end: b.len() as u32 }],
        block: 0,
        block_start: 0,
    }
}
