//! Traces in OTLP's file format: one `TracesData` object in JSON a line (opentelemetry.io/docs/specs/otel/protocol/file-exporter).
//!
//! Ids are the world's own numbers, zero-padded; times are virtual, as nanoseconds since the Unix epoch.

use serde_json::{Value, json};
use sim::{Sim, SpanRecord, TraceRecord};

fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

/// One span. Payloads are given by their lengths and, up to 4 KiB, as base64.
fn span(t: &TraceRecord, s: &SpanRecord) -> Value {
    let mut attributes = vec![attribute("process", &s.process)];
    attributes.extend(s.attributes.iter().map(|(k, v)| attribute(k, v)));
    for (name, payload) in [("before", &s.before), ("after", &s.after)] {
        if let Some(p) = payload {
            attributes
                .push(json!({"key": format!("{name}.bytes"), "value": {"intValue": p.len().to_string()}}));
            if p.len() <= 4096 {
                attributes.push(attribute(name, &kube::codec::base64_encode(p)));
            }
        }
    }
    let mut v = json!({
        "traceId": format!("{:032x}", t.id.0),
        "spanId": format!("{:016x}", s.id.0),
        "name": s.name,
        "kind": 1,
        "startTimeUnixNano": s.start.unix_nanos().to_string(),
        "attributes": attributes,
    });
    if let Some(end) = s.end {
        v["endTimeUnixNano"] = json!(end.unix_nanos().to_string());
    }
    if let Some(p) = s.parent {
        v["parentSpanId"] = json!(format!("{:016x}", p.0));
    }
    v
}

/// Every trace that the machine still holds, a line each, oldest first.
pub fn traces_data(sim: &Sim) -> String {
    let mut out = String::new();
    sim.trace().for_each(|t| {
        let spans: Vec<Value> = t.spans.iter().map(|s| span(t, s)).collect();
        let line = json!({"resourceSpans": [{
            "resource": {"attributes": [attribute("service.name", &t.client), attribute("request", &t.title)]},
            "scopeSpans": [{"scope": {"name": "etcdscope"}, "spans": spans}],
        }]});
        out += &line.to_string();
        out.push('\n');
    });
    out
}
