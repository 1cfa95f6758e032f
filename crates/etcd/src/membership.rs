//! Who the cluster's members are, as every member knows it from the Raft log (etcd `server/etcdserver/api/membership`).
//!
//! Initial members come as configuration changes whose context is the member as JSON; their names and client URLs follow as
//! requests when they have started. The rows of buckets `members` and `cluster` hold the same.

use bytes::Bytes;
use mvcc::{Backend, Bucket};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wire::etcdserverpb::Member;

/// A member as JSON, with etcd's field names and order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberInfo {
    /// Id.
    pub id: u64,
    /// Where Raft reaches it.
    #[serde(rename = "peerURLs")]
    pub peer_urls: Vec<String>,
    /// Receives the log, does not vote.
    #[serde(rename = "isLearner", default, skip_serializing_if = "core::ops::Not::not")]
    pub is_learner: bool,
    /// Human name; empty until it has started once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where clients reach it.
    #[serde(rename = "clientURLs", default, skip_serializing_if = "Vec::is_empty")]
    pub client_urls: Vec<String>,
}

impl MemberInfo {
    /// The JSON.
    pub fn to_json(&self) -> Bytes {
        serde_json::to_vec(self).unwrap_or_default().into()
    }

    /// Reads the JSON.
    pub fn from_json(json: &[u8]) -> Option<MemberInfo> {
        serde_json::from_slice(json).ok()
    }

    /// The row's key in bucket `members`: the id in hexadecimal without padding.
    pub fn row_key(&self) -> Bytes {
        format!("{:x}", self.id).into()
    }

    /// The message of the client API.
    pub fn to_member(&self) -> Member {
        Member {
            id: self.id,
            name: self.name.clone(),
            peer_urls: self.peer_urls.clone(),
            client_urls: self.client_urls.clone(),
            is_learner: self.is_learner,
        }
    }
}

/// The members and the version they agreed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    /// By id.
    pub members: BTreeMap<u64, MemberInfo>,
    /// `3.6.0` once the first leader has set it.
    pub cluster_version: Option<String>,
}

impl Membership {
    /// What a backend says.
    pub fn restore(backend: &Backend) -> Membership {
        let members = backend
            .bucket(Bucket::Members)
            .filter_map(|(_, json)| MemberInfo::from_json(json))
            .map(|m| (m.id, m))
            .collect();
        let cluster_version =
            backend.get(Bucket::Cluster, b"clusterVersion").map(|v| String::from_utf8_lossy(v).into_owned());
        Membership { members, cluster_version }
    }

    /// The members in the order of their ids, as MemberList answers.
    pub fn list(&self) -> Vec<Member> {
        self.members.values().map(MemberInfo::to_member).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_as_etcd_stores_it() {
        let m = MemberInfo {
            id: 7,
            peer_urls: vec!["http://127.0.0.1:2380".into()],
            name: "m1".into(),
            client_urls: vec!["http://127.0.0.1:2379".into()],
            ..MemberInfo::default()
        };
        let json = r#"{"id":7,"peerURLs":["http://127.0.0.1:2380"],"name":"m1","clientURLs":["http://127.0.0.1:2379"]}"#;
        assert_eq!(m.to_json(), json);
        assert_eq!(MemberInfo::from_json(json.as_bytes()), Some(m));
        assert_eq!(MemberInfo::from_json(b"{"), None);
    }
}
