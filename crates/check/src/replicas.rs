//! Members whose stores are equal, by the hash etcd itself compares (`Maintenance.HashKV`).

use etcd::Cluster;
use mvcc::KeyValueHash;

/// Two members that differ at the same revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {second} differ at revision {revision}: hashes {first_hash} and {second_hash}")]
pub struct Differ {
    /// Name of a member.
    pub first: String,
    /// Its hash.
    pub first_hash: u32,
    /// Name of another.
    pub second: String,
    /// Its hash.
    pub second_hash: u32,
    /// The revision.
    pub revision: i64,
}

/// Compares the running members with one another at the highest revision that all of them have. The hashes, by member.
///
/// # Errors
/// Two members that differ. Members that are compacted differently cannot be compared and are passed over, as etcd does.
pub fn compare(cluster: &Cluster) -> Result<Vec<(String, KeyValueHash)>, Differ> {
    let members: Vec<usize> = (0..cluster.len()).filter(|i| cluster.process(*i).alive()).collect();
    let revision = members.iter().filter_map(|i| cluster.with_store(*i, mvcc::Store::revision)).min();
    let Some(revision) = revision else { return Ok(Vec::new()) };
    let mut out: Vec<(String, KeyValueHash)> = Vec::new();
    for i in members {
        let name = cluster.process(i).name().to_owned();
        let Some(Ok((hash, _))) = cluster.with_store(i, |s| s.hash_by_rev(revision)) else { continue };
        let same = |(_, h): &&(String, KeyValueHash)| h.compact_revision == hash.compact_revision;
        if let Some((first, h)) = out.iter().find(same)
            && h.hash != hash.hash
        {
            return Err(Differ {
                first: first.clone(),
                first_hash: h.hash,
                second: name,
                second_hash: hash.hash,
                revision,
            });
        }
        out.push((name, hash));
    }
    Ok(out)
}
