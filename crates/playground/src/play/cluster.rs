//! Members, processes and links.

use super::Playground;
use protocol::window::{Cluster, Entry, Link, Member, Process, RaftRole};
use raft::StateRole;

/// Entries of a member's log that are sent.
const LOG: u64 = 40;

impl Playground {
    pub(super) fn cluster(&self) -> Cluster {
        let cluster = self.world.cluster();
        let sim = self.world.sim();
        let mut out = Cluster::default();
        for i in 0..cluster.len() {
            let process = cluster.process(i);
            let state = match (process.alive(), process.paused()) {
                (false, _) => "stopped",
                (true, true) => "paused",
                (true, false) => "ready",
            };
            out.processes.push(Process {
                name: process.name().to_owned(),
                alive: process.alive(),
                paused: process.paused(),
                state: state.to_owned(),
            });
            let Some(s) = cluster.status(i, LOG) else {
                let gone = Member {
                    name: process.name().to_owned(),
                    id: cluster.member_id(i),
                    role: RaftRole::Stopped,
                    ..Member::default()
                };
                out.members.push(gone);
                continue;
            };
            let role = match s.role {
                _ if !process.alive() => RaftRole::Stopped,
                StateRole::Follower => RaftRole::Follower,
                StateRole::Candidate => RaftRole::Candidate,
                StateRole::PreCandidate => RaftRole::PreCandidate,
                StateRole::Leader => RaftRole::Leader,
            };
            let entry = |e: &etcd::EntryView| Entry {
                index: e.index,
                term: e.term,
                what: e.summary.clone(),
                size: e.bytes as u32,
            };
            out.members.push(Member {
                name: s.name,
                id: s.id,
                role,
                term: s.term,
                vote: s.vote,
                first_index: s.first_index,
                last_index: s.last_index,
                commit: s.commit,
                applied: s.applied,
                revision: s.revision.max(0) as u64,
                db_size: s.db_size.0,
                log: s.log.iter().map(entry).collect(),
            });
        }
        let names: Vec<String> = out.members.iter().map(|m| m.name.clone()).collect();
        let latency = sim.latencies().peer_link.as_nanos() as u64;
        for from in &names {
            for to in names.iter().filter(|t| *t != from) {
                let cut = sim.net().link(from, to).cut;
                out.links.push(Link { from: from.clone(), to: to.clone(), cut, latency });
            }
        }
        out
    }
}
