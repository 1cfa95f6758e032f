//! The stations of the one path, in order.

use core::fmt;

/// A station: one module of the path that a request passes. The first 22 lead down to the disk, the others back up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)] // the names are the documentation; ARCHITECTURE.md describes each station
pub enum Station {
    Kubectl,
    Http,
    Authn,
    Authz,
    Decode,
    Default,
    Mutate,
    Strategy,
    Validate,
    Admit,
    Storage,
    Convert,
    Codec,
    Transformer,
    ClientTxn,
    Propose,
    Append,
    Quorum,
    Commit,
    Apply,
    Mvcc,
    DbPage,
    TxnResponse,
    Answer,
    EtcdWatch,
    Reflector,
    WatchCache,
    Watcher,
}

impl Station {
    /// Every station in the order of the path.
    pub const ALL: [Station; 28] = [
        Station::Kubectl,
        Station::Http,
        Station::Authn,
        Station::Authz,
        Station::Decode,
        Station::Default,
        Station::Mutate,
        Station::Strategy,
        Station::Validate,
        Station::Admit,
        Station::Storage,
        Station::Convert,
        Station::Codec,
        Station::Transformer,
        Station::ClientTxn,
        Station::Propose,
        Station::Append,
        Station::Quorum,
        Station::Commit,
        Station::Apply,
        Station::Mvcc,
        Station::DbPage,
        Station::TxnResponse,
        Station::Answer,
        Station::EtcdWatch,
        Station::Reflector,
        Station::WatchCache,
        Station::Watcher,
    ];

    /// The station's name as the page and the trace print it. It is never translated.
    pub fn name(self) -> &'static str {
        match self {
            Station::Kubectl => "kubectl",
            Station::Http => "HTTP",
            Station::Authn => "authn",
            Station::Authz => "authz",
            Station::Decode => "decode",
            Station::Default => "default",
            Station::Mutate => "mutate",
            Station::Strategy => "strategy",
            Station::Validate => "validate",
            Station::Admit => "admit",
            Station::Storage => "storage",
            Station::Convert => "convert",
            Station::Codec => "codec",
            Station::Transformer => "transformer",
            Station::ClientTxn => "client txn",
            Station::Propose => "propose",
            Station::Append => "append",
            Station::Quorum => "quorum",
            Station::Commit => "commit",
            Station::Apply => "apply",
            Station::Mvcc => "mvcc",
            Station::DbPage => "db page",
            Station::TxnResponse => "txn response",
            Station::Answer => "answer",
            Station::EtcdWatch => "etcd watch",
            Station::Reflector => "reflector",
            Station::WatchCache => "watch cache",
            Station::Watcher => "client watcher",
        }
    }

    /// The station of that name.
    pub fn from_name(name: &str) -> Option<Station> {
        Station::ALL.into_iter().find(|s| s.name() == name)
    }
}

impl fmt::Display for Station {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
