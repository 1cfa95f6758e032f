//! Metrics of the storage path, as `/metrics` prints them. Every number comes from an event that happened; virtual time
//! gives the durations.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
use std::time::Duration;

/// Label names and values, in the family's order.
pub type Labels = Vec<(&'static str, String)>;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Counter,
    Gauge,
    Histogram(&'static [f64]),
}

struct Family {
    name: &'static str,
    help: &'static str,
    kind: Kind,
}

const ETCD_BUCKETS: &[f64] = &[
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0,
    20.0, 30.0, 45.0, 60.0,
];
const REQUEST_BUCKETS: &[f64] = &[
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0,
    20.0, 30.0, 45.0, 60.0,
];
const LEASE_BUCKETS: &[f64] = &[10.0, 50.0, 100.0, 500.0, 1000.0, 2500.0, 5000.0];
const WAIT_BUCKETS: &[f64] = &[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0];
const WATCH_SIZE_BUCKETS: &[f64] = &[1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131072.0];
const SEAL_BUCKETS: &[f64] = &[
    5e-06, 1e-05, 2e-05, 4e-05, 8e-05, 0.00016, 0.00032, 0.00064, 0.00128, 0.00256, 0.00512, 0.01024,
    0.02048, 0.04096, 0.08192, 0.16384, 0.32768, 0.65536, 1.31072, 2.62144, 5.24288, 10.48576, 20.97152,
    41.94304, 83.88608,
];

macro_rules! families {
    ($($kind:expr, $name:literal, $help:literal;)*) => {
        const FAMILIES: &[Family] = &[$(Family { name: $name, help: $help, kind: $kind }),*];
    };
}

use Kind::{Counter, Gauge, Histogram};
families! {
    Counter, "apiserver_cache_list_fetched_objects_total", "[ALPHA] Objects looked at by lists from the watch cache";
    Counter, "apiserver_cache_list_returned_objects_total", "[ALPHA] Objects returned by lists from the watch cache";
    Counter, "apiserver_cache_list_total", "[ALPHA] Lists served from the watch cache";
    Gauge, "apiserver_current_inflight_requests", "[STABLE] Requests being handled, by kind";
    Counter, "apiserver_init_events_total", "[ALPHA] Initial events sent to new watchers";
    Gauge, "apiserver_longrunning_requests", "[STABLE] Open watches and the like";
    Histogram(REQUEST_BUCKETS), "apiserver_request_duration_seconds", "[STABLE] Time of requests";
    Counter, "apiserver_request_total", "[STABLE] Requests, by what they asked for and how they were answered";
    Gauge, "apiserver_resource_objects", "[ALPHA] Objects of each resource at the last count; -1 when counting failed";
    Gauge, "apiserver_storage_objects", "[STABLE] (Deprecated since 1.34.0) Objects of each resource at the last count";
    Counter, "apiserver_storage_decode_errors_total", "[ALPHA] Stored values that could not be decoded";
    Counter, "apiserver_storage_events_received_total", "[BETA] Events received from etcd's watches";
    Counter, "apiserver_storage_list_evaluated_objects_total", "[ALPHA] Objects tested against selectors in lists from etcd";
    Counter, "apiserver_storage_list_fetched_objects_total", "[ALPHA] Objects read from etcd for lists";
    Counter, "apiserver_storage_list_returned_objects_total", "[ALPHA] Objects returned by lists from etcd";
    Counter, "apiserver_storage_list_total", "[ALPHA] Lists served from etcd";
    Gauge, "apiserver_storage_size_bytes", "[STABLE] Size of etcd's database file";
    Histogram(SEAL_BUCKETS), "apiserver_storage_transformation_duration_seconds", "[ALPHA] Time of successful transformations";
    Counter, "apiserver_storage_transformation_operations_total", "[ALPHA] Transformations of stored values";
    Counter, "apiserver_terminated_watchers_total", "[ALPHA] Watchers cut because they were too slow";
    Counter, "apiserver_watch_cache_consistent_read_total", "[ALPHA] Consistent lists tried from the watch cache";
    Counter, "apiserver_watch_cache_events_dispatched_total", "[ALPHA] Events handed to watchers";
    Counter, "apiserver_watch_cache_events_received_total", "[ALPHA] Events put into the watch cache";
    Counter, "apiserver_watch_cache_initializations_total", "[ALPHA] Times a watch cache was filled";
    Histogram(WAIT_BUCKETS), "apiserver_watch_cache_read_wait_seconds", "[ALPHA] Time that reads waited for the cache to be fresh";
    Gauge, "apiserver_watch_cache_resource_version", "[ALPHA] resourceVersion of the watch cache, modulo 10^15";
    Histogram(WATCH_SIZE_BUCKETS), "apiserver_watch_events_sizes", "[ALPHA] Size of events sent to clients";
    Counter, "apiserver_watch_events_total", "[ALPHA] Events sent to clients";
    Counter, "etcd_bookmark_total", "[ALPHA] Progress notifications received from etcd";
    Histogram(LEASE_BUCKETS), "etcd_lease_object_counts", "[ALPHA] Objects attached to a lease when it is replaced";
    Histogram(ETCD_BUCKETS), "etcd_request_duration_seconds", "[ALPHA] Time of requests to etcd";
    Counter, "etcd_request_errors_total", "[ALPHA] Requests to etcd that failed";
    Counter, "etcd_requests_total", "[ALPHA] Requests to etcd";
    Gauge, "watch_cache_capacity", "[ALPHA] Events that a watch cache keeps";
    Counter, "watch_cache_capacity_decrease_total", "[ALPHA] Times a watch cache shrank";
    Counter, "watch_cache_capacity_increase_total", "[ALPHA] Times a watch cache grew";
}

#[derive(Clone, Default)]
struct Hist {
    counts: Vec<u64>,
    sum: f64,
    count: u64,
}

#[derive(Default)]
struct Inner {
    values: BTreeMap<&'static str, BTreeMap<Labels, f64>>,
    histograms: BTreeMap<&'static str, BTreeMap<Labels, Hist>>,
}

/// The registry of one API server. Clones share it.
#[derive(Clone, Default)]
pub struct Metrics(Rc<RefCell<Inner>>);

impl Metrics {
    /// Adds to a counter or gauge.
    pub fn add(&self, name: &'static str, labels: Labels, by: f64) {
        *self.0.borrow_mut().values.entry(name).or_default().entry(labels).or_insert(0.0) += by;
    }

    /// Adds one to a counter.
    pub fn inc(&self, name: &'static str, labels: Labels) {
        self.add(name, labels, 1.0);
    }

    /// Sets a gauge.
    pub fn set(&self, name: &'static str, labels: Labels, to: f64) {
        self.0.borrow_mut().values.entry(name).or_default().insert(labels, to);
    }

    /// Puts a value into a histogram.
    pub fn observe(&self, name: &'static str, labels: Labels, value: f64) {
        let Some(Kind::Histogram(buckets)) = FAMILIES.iter().find(|f| f.name == name).map(|f| f.kind) else {
            return;
        };
        let mut inner = self.0.borrow_mut();
        let hist = inner.histograms.entry(name).or_default().entry(labels).or_default();
        hist.counts.resize(buckets.len(), 0);
        if let Some(i) = buckets.iter().position(|b| value <= *b) {
            hist.counts[i] += 1;
        }
        hist.sum += value;
        hist.count += 1;
    }

    /// Puts a duration into a histogram, in seconds.
    pub fn observe_duration(&self, name: &'static str, labels: Labels, d: Duration) {
        self.observe(name, labels, d.as_nanos() as f64 / 1e9);
    }

    /// The value of a counter or gauge; 0 if it has not been touched.
    pub fn get(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let inner = self.0.borrow();
        let Some(series) = inner.values.get(name) else { return 0.0 };
        let matches = |l: &Labels| labels.iter().all(|(n, v)| l.iter().any(|(ln, lv)| ln == n && lv == v));
        series.iter().filter(|(l, _)| matches(l)).map(|(_, v)| *v).sum()
    }

    /// How often a histogram was fed.
    pub fn count(&self, name: &str) -> u64 {
        let inner = self.0.borrow();
        inner.histograms.get(name).map_or(0, |h| h.values().map(|h| h.count).sum())
    }

    /// The text format of `/metrics`.
    pub fn render(&self) -> String {
        let inner = self.0.borrow();
        let mut out = String::with_capacity(16 << 10);
        for f in FAMILIES {
            let head = |out: &mut String, kind: &str| {
                let _ = writeln!(out, "# HELP {} {}\n# TYPE {} {kind}", f.name, f.help, f.name);
            };
            match f.kind {
                Kind::Counter | Kind::Gauge => {
                    let Some(series) = inner.values.get(f.name) else { continue };
                    head(&mut out, if f.kind == Kind::Counter { "counter" } else { "gauge" });
                    for (labels, v) in series {
                        let _ = writeln!(out, "{}{} {}", f.name, braces(labels, None), number(*v));
                    }
                }
                Kind::Histogram(buckets) => {
                    let Some(series) = inner.histograms.get(f.name) else { continue };
                    head(&mut out, "histogram");
                    for (labels, h) in series {
                        let mut sum = 0;
                        for (b, n) in buckets.iter().zip(&h.counts) {
                            sum += n;
                            let le = number(*b);
                            let _ = writeln!(out, "{}_bucket{} {sum}", f.name, braces(labels, Some(&le)));
                        }
                        let _ =
                            writeln!(out, "{}_bucket{} {}", f.name, braces(labels, Some("+Inf")), h.count);
                        let _ = writeln!(out, "{}_sum{} {}", f.name, braces(labels, None), number(h.sum));
                        let _ = writeln!(out, "{}_count{} {}", f.name, braces(labels, None), h.count);
                    }
                }
            }
        }
        out
    }
}

fn braces(labels: &Labels, le: Option<&str>) -> String {
    if labels.is_empty() && le.is_none() {
        return String::new();
    }
    let escape = |v: &str| v.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut parts: Vec<(&str, String)> = labels.iter().map(|(n, v)| (*n, escape(v))).collect();
    if let Some(le) = le {
        parts.push(("le", le.to_owned()));
    }
    let text: Vec<String> = parts.iter().map(|(n, v)| format!("{n}=\"{v}\"")).collect();
    format!("{{{}}}", text.join(","))
}

/// Go's shortest form with exponents below 1e-4 and from 1e21 on.
fn number(v: f64) -> String {
    let plain = v == 0.0 || (1e-4..1e21).contains(&v.abs());
    if plain {
        return format!("{v}");
    }
    let text = format!("{v:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(d) => ('-', d),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Labels `group` and `resource`.
pub fn group_resource(group: &str, resource: &str) -> Labels {
    vec![("group", group.to_owned()), ("resource", resource.to_owned())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_format() {
        let m = Metrics::default();
        m.inc("etcd_requests_total", vec![("operation", "get".into()), ("group", String::new())]);
        m.observe("etcd_lease_object_counts", Labels::new(), 60.0);
        let text = m.render();
        assert!(text.contains(
            "# TYPE etcd_requests_total counter\netcd_requests_total{operation=\"get\",group=\"\"} 1\n"
        ));
        assert!(text.contains(
            "etcd_lease_object_counts_bucket{le=\"50\"} 0\netcd_lease_object_counts_bucket{le=\"100\"} 1\n"
        ));
        assert!(text.contains("etcd_lease_object_counts_sum 60\netcd_lease_object_counts_count 1\n"));
        assert_eq!(number(5e-6), "5e-06");
        assert_eq!(number(0.00016), "0.00016");
    }
}
