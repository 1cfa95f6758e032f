//! What a member counts, under etcd's metric names, as Prometheus text.

use core::cell::{Cell, RefCell};
use core::fmt::Write;
use core::time::Duration;
use std::collections::BTreeMap;

/// A count that goes up, or a level.
#[derive(Default)]
pub struct Counter(Cell<u64>);

impl Counter {
    /// Adds `n`.
    pub fn add(&self, n: u64) {
        self.0.set(self.0.get() + n);
    }

    /// Adds one.
    pub fn inc(&self) {
        self.add(1);
    }

    /// Takes one away.
    pub fn dec(&self) {
        self.0.set(self.0.get().saturating_sub(1));
    }

    /// The value.
    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

/// Durations in buckets of 0.001 s × 2ⁿ, 14 of them, as etcd has them for its disks.
#[derive(Default)]
pub struct Histogram {
    buckets: RefCell<[u64; 14]>,
    count: Cell<u64>,
    nanos: Cell<u64>,
}

impl Histogram {
    /// Notes one duration.
    pub fn observe(&self, d: Duration) {
        let nanos = u64::try_from(d.as_nanos()).unwrap_or(u64::MAX);
        for (i, b) in self.buckets.borrow_mut().iter_mut().enumerate() {
            *b += u64::from(nanos <= 1_000_000 << i);
        }
        self.count.set(self.count.get() + 1);
        self.nanos.set(self.nanos.get().saturating_add(nanos));
    }

    fn write(&self, out: &mut String, name: &str) {
        for (i, b) in self.buckets.borrow().iter().enumerate() {
            let le = seconds(1_000_000 << i);
            let _ = writeln!(out, "{name}_bucket{{le=\"{le}\"}} {b}"); // strings take writes
        }
        let (n, sum) = (self.count.get(), seconds(self.nanos.get()));
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {n}\n{name}_sum {sum}\n{name}_count {n}");
    }
}

/// Nanoseconds as decimal seconds without trailing zeros.
fn seconds(nanos: u64) -> String {
    let text = format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The counts of one member since its start.
#[derive(Default)]
pub struct Metrics {
    pub(crate) leader_changes: Counter,
    pub(crate) proposals_pending: Counter,
    pub(crate) proposals_failed: Counter,
    pub(crate) read_indexes_failed: Counter,
    pub(crate) slow_read_indexes: Counter,
    pub(crate) lease_expired: Counter,
    pub(crate) lease_granted: Counter,
    pub(crate) lease_revoked: Counter,
    pub(crate) lease_renewed: Counter,
    pub(crate) wal_fsync: Histogram,
    pub(crate) wal_bytes: Counter,
    pub(crate) backend_commit: Histogram,
    pub(crate) client_received: Counter,
    pub(crate) client_sent: Counter,
    pub(crate) peer_sent: RefCell<BTreeMap<u64, u64>>,
    pub(crate) peer_received: RefCell<BTreeMap<u64, u64>>,
    pub(crate) handled: RefCell<BTreeMap<(String, String, &'static str), u64>>,
}

/// One level or count with its name and type, for [`Metrics::text`].
pub struct Sample {
    /// Name.
    pub name: &'static str,
    /// `counter` or `gauge`.
    pub kind: &'static str,
    /// Labels as Prometheus writes them, with braces; may be empty.
    pub labels: String,
    /// Value.
    pub value: i64,
}

impl Metrics {
    /// Prometheus text: the samples given, and what was counted here, ordered by name.
    pub fn text(&self, samples: Vec<Sample>) -> String {
        let gauge =
            |name, value: u64| Sample { name, kind: "gauge", labels: String::new(), value: value as i64 };
        let counter = |name, value: u64| Sample { kind: "counter", ..gauge(name, value) };
        let mut all = samples;
        all.push(counter("etcd_server_leader_changes_seen_total", self.leader_changes.get()));
        all.push(gauge("etcd_server_proposals_pending", self.proposals_pending.get()));
        all.push(counter("etcd_server_proposals_failed_total", self.proposals_failed.get()));
        all.push(counter("etcd_server_read_indexes_failed_total", self.read_indexes_failed.get()));
        all.push(counter("etcd_server_slow_read_indexes_total", self.slow_read_indexes.get()));
        all.push(counter("etcd_debugging_server_lease_expired_total", self.lease_expired.get()));
        all.push(counter("etcd_debugging_lease_granted_total", self.lease_granted.get()));
        all.push(counter("etcd_debugging_lease_revoked_total", self.lease_revoked.get()));
        all.push(counter("etcd_debugging_lease_renewed_total", self.lease_renewed.get()));
        all.push(gauge("etcd_disk_wal_write_bytes_total", self.wal_bytes.get()));
        all.push(counter("etcd_network_client_grpc_received_bytes_total", self.client_received.get()));
        all.push(counter("etcd_network_client_grpc_sent_bytes_total", self.client_sent.get()));
        for (id, n) in self.peer_sent.borrow().iter() {
            let labels = format!("{{To=\"{id:x}\"}}");
            all.push(Sample { labels, ..counter("etcd_network_peer_sent_bytes_total", *n) });
        }
        for (id, n) in self.peer_received.borrow().iter() {
            let labels = format!("{{From=\"{id:x}\"}}");
            all.push(Sample { labels, ..counter("etcd_network_peer_received_bytes_total", *n) });
        }
        for ((service, method, code), n) in self.handled.borrow().iter() {
            let labels =
                format!("{{grpc_code=\"{code}\",grpc_method=\"{method}\",grpc_service=\"{service}\"}}");
            all.push(Sample { labels, ..counter("grpc_server_handled_total", *n) });
        }
        all.sort_by(|a, b| (a.name, &a.labels).cmp(&(b.name, &b.labels)));
        let mut out = String::new();
        let mut last = "";
        for s in &all {
            if s.name != last {
                let _ = writeln!(out, "# TYPE {} {}", s.name, s.kind); // strings take writes
                last = s.name;
            }
            let _ = writeln!(out, "{}{} {}", s.name, s.labels, s.value);
        }
        for (name, h) in [
            ("etcd_disk_backend_commit_duration_seconds", &self.backend_commit),
            ("etcd_disk_wal_fsync_duration_seconds", &self.wal_fsync),
        ] {
            let _ = writeln!(out, "# TYPE {name} histogram");
            h.write(&mut out, name);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_and_counters_as_prometheus_text() {
        let m = Metrics::default();
        m.wal_fsync.observe(Duration::from_micros(800));
        m.wal_fsync.observe(Duration::from_micros(1500));
        m.leader_changes.inc();
        let t = m.text(vec![]);
        assert!(t.contains(
            "# TYPE etcd_server_leader_changes_seen_total counter\netcd_server_leader_changes_seen_total 1\n"
        ));
        assert!(t.contains("etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.001\"} 1\n"));
        assert!(t.contains("etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.002\"} 2\n"));
        assert!(t.contains("etcd_disk_wal_fsync_duration_seconds_sum 0.0023\n"));
        assert!(t.contains("etcd_disk_wal_fsync_duration_seconds_bucket{le=\"8.192\"} 2\n"));
    }
}
