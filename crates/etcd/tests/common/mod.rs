//! What the tests of a cluster share.
#![allow(dead_code)] // each test file uses a part

use etcd::{Client, Cluster, ClusterConfig};
use sim::{Duration, Sim, Time};
use wire::etcdserverpb::*;

/// A world with a cluster that has elected and agreed on its version, and a client process.
pub struct World {
    pub sim: Sim,
    pub cluster: Cluster,
    pub client: Client,
}

impl World {
    pub fn new(seed: u64, members: u32) -> World {
        let sim = Sim::new(seed);
        let cluster = Cluster::start(&sim, ClusterConfig { members, ..ClusterConfig::default() });
        let client = cluster.client(&sim.process("client"));
        let w = World { sim, cluster, client };
        w.settle();
        w
    }

    /// Runs until there is a leader and everybody has applied what is committed, at most 20 s.
    pub fn settle(&self) {
        let end = self.sim.now() + Duration::from_secs(20);
        loop {
            self.run(Duration::from_millis(50));
            let all = self.cluster.statuses(0);
            let running: Vec<_> = all.iter().flatten().filter(|s| s.alive && !s.paused).collect();
            let commit = running.iter().map(|s| s.commit).max().unwrap_or(0);
            let quiet = running.iter().all(|s| s.applied == commit && s.lead != 0);
            let fresh = 2 * self.cluster.len() as u64 + 2;
            if self.cluster.leader().is_some() && quiet && commit >= fresh {
                return;
            }
            assert!(self.sim.now() < end, "the cluster did not settle: {all:#?}");
        }
    }

    pub fn run(&self, d: Duration) {
        self.sim.run_until_time(self.sim.now() + d);
    }

    pub fn run_to(&self, t: Time) {
        self.sim.run_until_time(t);
    }

    /// Runs `f` as the client process.
    pub fn block<T: 'static>(&self, f: impl Future<Output = T> + 'static) -> T {
        self.sim.block_on(f).expect("the world came to rest")
    }

    pub fn put(&self, k: &str, v: &str) -> PutResponse {
        let (c, r) = (self.client.clone(), put(k, v));
        self.block(async move { c.put(None, r).await }).unwrap()
    }

    pub fn get(&self, k: &str) -> RangeResponse {
        let (c, r) = (self.client.clone(), get(k));
        self.block(async move { c.range(None, r).await }).unwrap()
    }
}

pub fn put(k: &str, v: &str) -> PutRequest {
    PutRequest {
        key: k.as_bytes().to_vec().into(),
        value: v.as_bytes().to_vec().into(),
        ..Default::default()
    }
}

pub fn get(k: &str) -> RangeRequest {
    RangeRequest { key: k.as_bytes().to_vec().into(), ..Default::default() }
}

pub fn op_put(k: &str, v: &str) -> RequestOp {
    RequestOp { request: Some(request_op::Request::RequestPut(put(k, v))) }
}
