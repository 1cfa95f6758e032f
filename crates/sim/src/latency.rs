//! The one table of virtual latencies: links, fsync, and the time each station takes.
//!
//! The figures are assumptions of the right order of magnitude, not measurements: they decide in which order things happen
//! and what a drawing's axis shows, and nothing else may be concluded from them. A world may put another table in force
//! (zero everywhere when real clients are served).

use crate::Station;
use core::time::Duration;

/// What takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// One way between a client and the API server.
    ClientLink,
    /// One way between the API server (or etcdctl) and an etcd member.
    EtcdLink,
    /// One way between two etcd members.
    PeerLink,
    /// One fsync of a WAL.
    Fsync,
    /// The work of one station.
    Station(Station),
}

/// A table of latencies. See the module's text for where the figures come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// See [`Latency::ClientLink`].
    pub client_link: Duration,
    /// See [`Latency::EtcdLink`].
    pub etcd_link: Duration,
    /// See [`Latency::PeerLink`].
    pub peer_link: Duration,
    /// See [`Latency::Fsync`].
    pub fsync: Duration,
    /// Multiplies the stations' own figures, in thousandths: 1000 as assumed, 0 none.
    pub stations: u32,
}

impl Latencies {
    /// The table a world starts with. See the module's text: nothing in it was measured.
    pub fn assumed() -> Latencies {
        Latencies {
            client_link: Duration::from_micros(100),
            etcd_link: Duration::from_micros(80),
            peer_link: Duration::from_micros(150),
            fsync: Duration::from_micros(800),
            stations: 1000,
        }
    }

    /// No virtual latency anywhere; what takes no time still happens in order.
    pub fn zero() -> Latencies {
        Latencies {
            client_link: Duration::ZERO,
            etcd_link: Duration::ZERO,
            peer_link: Duration::ZERO,
            fsync: Duration::ZERO,
            stations: 0,
        }
    }

    /// The latency of `what`.
    pub fn of(&self, what: Latency) -> Duration {
        match what {
            Latency::ClientLink => self.client_link,
            Latency::EtcdLink => self.etcd_link,
            Latency::PeerLink => self.peer_link,
            Latency::Fsync => self.fsync,
            Latency::Station(s) => Duration::from_nanos(station_nanos(s) * u64::from(self.stations) / 1000),
        }
    }
}

/// Nanoseconds of work a station takes, as assumed. Stations whose time is a link's or a disk's have none of their own.
fn station_nanos(s: Station) -> u64 {
    match s {
        Station::Kubectl => 90_000,
        Station::Http => 40_000,
        Station::Authn => 12_000,
        Station::Authz => 15_000,
        Station::Decode => 60_000,
        Station::Default => 20_000,
        Station::Mutate => 70_000,
        Station::Strategy => 18_000,
        Station::Validate => 80_000,
        Station::Admit => 25_000,
        Station::Storage => 10_000,
        Station::Convert => 22_000,
        Station::Codec => 35_000,
        Station::Transformer => 30_000,
        Station::ClientTxn => 15_000,
        Station::Propose => 10_000,
        Station::Append | Station::Quorum | Station::Commit => 0,
        Station::Apply => 12_000,
        Station::Mvcc => 18_000,
        Station::DbPage => 0,
        Station::TxnResponse => 10_000,
        Station::Answer => 45_000,
        Station::EtcdWatch => 15_000,
        Station::Reflector => 30_000,
        Station::WatchCache => 12_000,
        Station::Watcher => 20_000,
    }
}
