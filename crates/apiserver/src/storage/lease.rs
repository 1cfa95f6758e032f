//! Leases for objects with a TTL: one lease is shared by what is written close together.
//!
//! A lease is granted for `ttl + reuse`, reuse = min(60 s, 5 % of ttl). It serves a later request if the object would live
//! at least its ttl and at most `reuse` longer, and fewer than 1000 objects hang on it.

use crate::env::Env;
use crate::metrics::Labels;
use etcd::Client;
use sim::{Ctx, Time};
use std::cell::RefCell;
use std::time::Duration;
use wire::etcdserverpb::LeaseGrantRequest;
use wire::rpc::Status;

const MAX_OBJECTS: u64 = 1000;

#[derive(Default)]
struct Previous {
    id: i64,
    expires: Time,
    objects: u64,
}

/// The lease handed out last.
#[derive(Default)]
pub struct LeaseManager(RefCell<Previous>);

impl LeaseManager {
    /// A lease for `ttl` seconds; 0 for no TTL.
    pub async fn get(&self, env: &Env, client: &Client, ctx: Option<Ctx>, ttl: i64) -> Result<i64, Status> {
        if ttl <= 0 {
            return Ok(0);
        }
        let reuse = (ttl / 20).min(env.flags.lease_reuse_duration_seconds).max(0);
        let now = env.sim.now();
        let until = now + Duration::from_secs(ttl.unsigned_abs());
        {
            let mut p = self.0.borrow_mut();
            let slack = Duration::from_secs(reuse.unsigned_abs());
            if p.id != 0 && until < p.expires && until + slack > p.expires && p.objects < MAX_OBJECTS {
                p.objects += 1;
                return Ok(p.id);
            }
        }
        let granted = ttl + reuse;
        let answer = client.lease_grant(ctx, LeaseGrantRequest { ttl: granted, id: 0 }).await?;
        let mut p = self.0.borrow_mut();
        if p.id != 0 {
            env.metrics.observe("etcd_lease_object_counts", Labels::new(), p.objects as f64);
        }
        *p = Previous {
            id: answer.id,
            expires: now + Duration::from_secs(granted.unsigned_abs()),
            objects: 1,
        };
        Ok(answer.id)
    }
}
