use super::*;
use crate::backend::Backend;
use crate::store::Config;
use wire::etcdserverpb::{LeaseCheckpoint, PutRequest};

const S: u64 = 1_000_000_000;

fn store() -> Store {
    let mut s = Store::new(Config::default());
    s.lessor_mut().promote(0, 0);
    s
}

fn grant(s: &mut Store, id: i64, ttl: i64, now: u64) -> Result<i64, Status> {
    s.lease_grant(&LeaseGrantRequest { ttl, id }, now).map(|r| r.ttl)
}

fn put(s: &mut Store, key: &'static str, lease: i64) {
    s.put(&PutRequest { key: key.into(), lease, ..Default::default() }).unwrap();
}

#[test]
fn grants_and_their_errors() {
    let mut s = store();
    assert_eq!([1, 0, -5, 60].map(|ttl| grant(&mut s, ttl + 100, ttl, 0).unwrap()), [2, 2, 2, 60]);
    assert_eq!(grant(&mut s, 160, 60, 0).unwrap_err(), errors::LEASE_EXIST.status());
    assert_eq!(grant(&mut s, 1, 9_000_000_001, 0).unwrap_err(), errors::LEASE_TTL_TOO_LARGE.status());
    assert_eq!(grant(&mut s, 1, 9_000_000_000, 0), Ok(9_000_000_000));
    assert_eq!(s.revision(), 1);
    assert_eq!(s.lease_revoke(&LeaseRevokeRequest { id: 5 }).unwrap_err(), errors::LEASE_NOT_FOUND.status());
}

#[test]
fn a_revoke_deletes_all_keys_in_one_revision_in_order() {
    let mut s = store();
    grant(&mut s, 7, 60, 0).unwrap();
    for k in ["c", "a", "b"] {
        put(&mut s, k, 7);
    }
    put(&mut s, "d", 7);
    put(&mut s, "d", 0);
    let r = s.lease_revoke(&LeaseRevokeRequest { id: 7 }).unwrap();
    assert_eq!(r.header.unwrap().revision, 7);
    let rows: Vec<String> = s
        .rows_from(crate::Revision::new(7, 0))
        .map(|(r, row)| format!("{r} {} {}", String::from_utf8_lossy(&row.kv.key), row.tombstone))
        .collect();
    assert_eq!(rows, ["7_0 a true", "7_1 b true", "7_2 c true"]);
    assert!(!s.lessor().contains(7));
    // Without keys the revision stays.
    grant(&mut s, 8, 60, 0).unwrap();
    assert_eq!(s.lease_revoke(&LeaseRevokeRequest { id: 8 }).unwrap().header.unwrap().revision, 7);
}

#[test]
fn time_on_the_primary() {
    let mut s = store();
    grant(&mut s, 1, 5, 0).unwrap();
    grant(&mut s, 2, 3, 0).unwrap();
    let l = s.lessor_mut();
    assert_eq!(l.next_expiry(), Some(3 * S));
    assert_eq!(l.expired(3 * S - 1, EXPIRED_PER_SCAN, EXPIRED_RETRY_NANOS), [0i64; 0]);
    assert_eq!(l.renew(2, 2 * S), Renewal::Ttl(3));
    assert_eq!(l.get(2).unwrap().remaining(4 * S), S as i64);
    assert_eq!(l.expired(5 * S, EXPIRED_PER_SCAN, EXPIRED_RETRY_NANOS), [1, 2]);
    // Not again until the retry, and not renewable.
    assert_eq!(l.expired(6 * S, EXPIRED_PER_SCAN, EXPIRED_RETRY_NANOS), [0i64; 0]);
    assert_eq!(l.renew(1, 6 * S), Renewal::Expired);
    assert_eq!(l.expired(12 * S, 1, EXPIRED_RETRY_NANOS), [1]);
    assert_eq!(l.renew(9, 6 * S), Renewal::NotFound);
    l.demote();
    assert_eq!(l.renew(1, 6 * S), Renewal::NotPrimary);
    assert_eq!((l.get(1).unwrap().remaining(9), l.next_expiry()), (i64::MAX, None));
    // A new leader gives every lease its full time, and an election timeout more.
    l.promote(100 * S, S);
    assert_eq!(l.get(1).unwrap().remaining(100 * S), 6 * S as i64);
    assert_eq!(l.leases().iter().map(|l| l.id()).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn many_leases_are_spread_after_an_election() {
    let mut s = Store::new(Config::default());
    for id in 1..=3000 {
        grant(&mut s, id, 10, 0).unwrap();
    }
    s.lessor_mut().promote(0, 0);
    let mut per_second = [0; 20];
    for l in s.lessor().leases() {
        per_second[(l.remaining(0) / SECOND) as usize] += 1;
    }
    assert!(per_second.iter().all(|n| *n <= 1000), "{per_second:?}");
}

#[test]
fn leases_survive_a_restart() {
    let mut s = store();
    grant(&mut s, 7, 60, 0).unwrap();
    grant(&mut s, 8, 60, 0).unwrap();
    put(&mut s, "a", 7);
    put(&mut s, "b", 8);
    s.lease_checkpoint(&LeaseCheckpointRequest {
        checkpoints: vec![LeaseCheckpoint { id: 7, remaining_ttl: 20 }],
    })
    .unwrap();
    s.lease_revoke(&LeaseRevokeRequest { id: 8 }).unwrap();
    let mut b = Backend::new();
    b.commit(s.take_writes());
    let mut r = Store::restore(Config::default(), &b);
    assert!(r.lessor().contains(7) && !r.lessor().contains(8));
    assert_eq!(r.lessor().get(7).unwrap().keys().collect::<Vec<_>>(), ["a"]);
    r.lessor_mut().promote(0, 0);
    assert_eq!(r.lessor().get(7).unwrap().remaining(0), 20 * SECOND);
    assert_eq!(r.lessor().get(7).unwrap().ttl(), 60);
}
