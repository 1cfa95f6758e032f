//! The one path of DESIGN.md as rows: which stations there are, in which process, and which of the way back share a row.

/// The way down: a station and the group it belongs to. Position means depth: clients at the top, the disk at the bottom.
pub const WRITE: &[(&str, Group)] = &[
    ("kubectl", Group::Client),
    ("http", Group::ApiServer),
    ("authn", Group::ApiServer),
    ("authz", Group::ApiServer),
    ("decode", Group::ApiServer),
    ("default", Group::ApiServer),
    ("mutate", Group::ApiServer),
    ("strategy", Group::ApiServer),
    ("validate", Group::ApiServer),
    ("admit", Group::ApiServer),
    ("storage", Group::ApiServer),
    ("convert", Group::ApiServer),
    ("codec", Group::ApiServer),
    ("transformer", Group::ApiServer),
    ("client-txn", Group::ApiServer),
    ("propose", Group::Etcd),
    ("append", Group::Etcd),
    ("quorum", Group::Etcd),
    ("commit", Group::Etcd),
    ("apply", Group::Etcd),
    ("mvcc", Group::Etcd),
    ("db-page", Group::Etcd),
];

/// The way back: a station and the row of the way down that it shares.
pub const READ: &[(&str, &str)] = &[
    ("watcher", "kubectl"),
    ("answer", "http"),
    ("watch-cache", "storage"),
    ("reflector", "codec"),
    ("txn-response", "client-txn"),
    ("etcd-watch", "propose"),
];

/// Where a station runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Client,
    ApiServer,
    Etcd,
}

impl Group {
    /// Its name; the same in every language.
    pub fn name(self) -> &'static str {
        match self {
            Group::Client => "kubectl",
            Group::ApiServer => "apiserver",
            Group::Etcd => "etcd",
        }
    }
}

/// A station's name as it is written: `client txn`, `HTTP`.
pub fn name(station: &str) -> String {
    match station {
        "http" => "HTTP".to_string(),
        other => other.replace('-', " "),
    }
}

/// Its number on the way down, from 1.
pub fn number(station: &str) -> Option<usize> {
    WRITE.iter().position(|(s, _)| *s == station).map(|i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformer_is_the_fourteenth_of_twenty_two() {
        assert_eq!(WRITE.len(), 22);
        assert_eq!(number("transformer"), Some(14));
        assert_eq!(number("answer"), None);
    }

    #[test]
    fn the_way_back_shares_rows_that_exist() {
        for (_, row) in READ {
            assert!(number(row).is_some(), "{row}");
        }
    }
}
