//! Identifiers as etcd derives them: members and clusters by SHA-1, requests and leases from a member's generator
//! (etcd `server/etcdserver/api/membership`, `pkg/idutil`).

use core::cell::Cell;
use sha1::{Digest, Sha1};

/// First eight bytes, big-endian, of a SHA-1.
fn first8(data: &[u8]) -> u64 {
    let sum = Sha1::digest(data);
    let mut b = [0; 8];
    b.copy_from_slice(&sum[..8]);
    u64::from_be_bytes(b)
}

/// Id of a member that a cluster is started with: of its sorted peer URLs and the cluster's token.
pub fn member_id(peer_urls: &[String], token: &str) -> u64 {
    let mut urls = peer_urls.to_vec();
    urls.sort();
    first8(format!("{}{token}", urls.concat()).as_bytes())
}

/// Id of a cluster: of the ids of the members it is started with.
pub fn cluster_id(members: &[u64]) -> u64 {
    let mut ids = members.to_vec();
    ids.sort_unstable();
    first8(&ids.iter().flat_map(|id| id.to_be_bytes()).collect::<Vec<u8>>())
}

/// Makes ids that are unique in a cluster: low 16 bits of the member, 40 bits of the start in milliseconds, 8 bits of count;
/// then one more for each id.
pub struct IdGenerator {
    prefix: u64,
    suffix: Cell<u64>,
}

impl IdGenerator {
    /// A generator of the member `member`, started at `unix_millis`.
    pub fn new(member: u64, unix_millis: u64) -> IdGenerator {
        IdGenerator {
            prefix: (member & 0xffff) << 48,
            suffix: Cell::new((unix_millis & ((1 << 40) - 1)) << 8),
        }
    }

    /// The next id.
    pub fn next_id(&self) -> u64 {
        self.suffix.set(self.suffix.get() + 1);
        self.prefix | (self.suffix.get() & ((1 << 48) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_real_cluster_has_them() {
        let id = member_id(&["http://127.0.0.1:43201".into()], "etcd-cluster");
        assert_eq!(format!("{id:x}"), "63fcec5daa28374c");
        assert_eq!(format!("{:x}", cluster_id(&[id])), "b1f8506b9d4f3ebc");
    }

    #[test]
    fn request_ids() {
        let g = IdGenerator::new(0x12_3456, 0x0100_0000_0000_0005);
        assert_eq!(g.next_id(), 0x3456_0000_0000_0501);
        assert_eq!(g.next_id(), 0x3456_0000_0000_0502);
    }
}
