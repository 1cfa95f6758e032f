use crate::*;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::raftpb::{ConfState, Message};

/// Members and the messages between them, delivered in order; everything written is durable at once.
struct Net {
    nodes: BTreeMap<u64, RawNode>,
    storage: BTreeMap<u64, MemoryStorage>,
    cut: Vec<(u64, u64)>,
    applied: BTreeMap<u64, Vec<Bytes>>,
    reads: Vec<(u64, ReadState)>,
}

fn config(id: u64, storage: MemoryStorage, applied: u64) -> Config {
    Config {
        id,
        election_tick: 10,
        heartbeat_tick: 1,
        storage,
        applied,
        max_size_per_msg: 1 << 20,
        max_committed_size_per_ready: 0,
        max_uncommitted_entries_size: 0,
        max_inflight_msgs: 16,
        check_quorum: true,
        pre_vote: true,
        read_only_option: ReadOnlyOption::Safe,
        disable_proposal_forwarding: false,
        random: Box::new(move |n| (id * 3) % n),
        logger: Rc::new(|_, _| {}),
    }
}

impl Net {
    fn new(n: u64) -> Net {
        let mut net = Net {
            nodes: BTreeMap::new(),
            storage: BTreeMap::new(),
            cut: vec![],
            applied: BTreeMap::new(),
            reads: vec![],
        };
        for id in 1..=n {
            let storage = MemoryStorage::new();
            storage.set_conf_state(0, ConfState { voters: (1..=n).collect(), ..ConfState::default() });
            net.nodes.insert(id, RawNode::new(config(id, storage.clone(), 0)));
            net.storage.insert(id, storage);
        }
        net
    }

    fn settle(&mut self) {
        loop {
            let mut mail: Vec<Message> = Vec::new();
            for (id, node) in &mut self.nodes {
                while node.has_ready() {
                    let rd = node.ready();
                    let s = &self.storage[id];
                    s.append(&rd.entries);
                    if let Some(hs) = rd.hard_state {
                        s.set_hard_state(hs);
                    }
                    let data = rd.committed_entries.iter().filter_map(|e| e.data.clone());
                    self.applied.entry(*id).or_default().extend(data);
                    self.reads.extend(rd.read_states.into_iter().map(|r| (*id, r)));
                    mail.extend(rd.messages);
                    node.advance();
                }
            }
            if mail.is_empty() {
                return;
            }
            for m in mail {
                if !self.cut.contains(&(m.from, m.to))
                    && let Some(n) = self.nodes.get_mut(&m.to)
                {
                    let _ = n.step(m);
                }
            }
        }
    }

    fn tick(&mut self, n: u32) {
        for _ in 0..n {
            self.nodes.values_mut().for_each(RawNode::tick);
            self.settle();
        }
    }

    fn isolate(&mut self, id: u64) {
        let others: Vec<u64> = self.nodes.keys().copied().filter(|o| *o != id).collect();
        self.cut = others.iter().flat_map(|o| [(id, *o), (*o, id)]).collect();
    }

    fn leader(&self) -> Vec<u64> {
        let leads =
            |(id, n): (&u64, &RawNode)| (n.status().soft_state.role == StateRole::Leader).then_some(*id);
        self.nodes.iter().filter_map(leads).collect()
    }
}

fn data(s: &'static str) -> Bytes {
    Bytes::from_static(s.as_bytes())
}

#[test]
fn three_members_elect_and_replicate() {
    let mut net = Net::new(3);
    net.nodes.get_mut(&2).unwrap().campaign();
    net.settle();
    assert_eq!(net.leader(), [2]);
    net.nodes.get_mut(&2).unwrap().propose(data("a")).unwrap();
    net.settle();
    // A follower forwards.
    net.nodes.get_mut(&3).unwrap().propose(data("b")).unwrap();
    net.settle();
    net.tick(1);
    for id in 1..=3 {
        assert_eq!(net.applied[&id], [data("a"), data("b")], "member {id}");
        assert_eq!(net.nodes[&id].status().hard_state.commit, 3, "the new leader's empty entry, a, b");
    }
}

#[test]
fn a_leader_without_a_majority_commits_nothing_and_steps_down() {
    let mut net = Net::new(3);
    net.nodes.get_mut(&1).unwrap().campaign();
    net.settle();
    net.isolate(1);
    net.nodes.get_mut(&1).unwrap().propose(data("lost")).unwrap();
    net.settle();
    assert!(!net.applied.values().flatten().any(|d| *d == data("lost")));
    net.tick(40);
    let leaders = net.leader();
    assert_eq!(leaders.len(), 1);
    assert_ne!(leaders[0], 1, "check-quorum made it a follower");
    net.nodes.get_mut(&leaders[0]).unwrap().propose(data("kept")).unwrap();
    net.settle();
    net.cut.clear();
    net.tick(5);
    for id in 1..=3 {
        assert_eq!(net.applied[&id], [data("kept")], "member {id}: the uncommitted entry was replaced");
    }
}

#[test]
fn pre_vote_keeps_the_term_of_a_cut_off_member() {
    let mut net = Net::new(3);
    net.nodes.get_mut(&1).unwrap().campaign();
    net.settle();
    let term = net.nodes[&1].status().hard_state.term;
    net.isolate(3);
    net.tick(60);
    assert_eq!(net.nodes[&3].status().hard_state.term, term);
    net.cut.clear();
    net.tick(3);
    assert_eq!(net.leader(), [1]);
    assert_eq!(net.nodes[&3].status().soft_state.lead, 1);
}

#[test]
fn a_read_waits_for_a_majority() {
    let mut net = Net::new(3);
    net.nodes.get_mut(&1).unwrap().campaign();
    net.settle();
    net.nodes.get_mut(&2).unwrap().read_index(data("r1"));
    net.settle();
    assert_eq!(net.reads, [(2, ReadState { index: 1, context: data("r1") })]);
    net.isolate(1);
    net.nodes.get_mut(&1).unwrap().read_index(data("r2"));
    net.settle();
    assert_eq!(net.reads.len(), 1, "a cut-off leader cannot confirm");
}

#[test]
fn leadership_is_handed_over() {
    let mut net = Net::new(3);
    net.nodes.get_mut(&1).unwrap().campaign();
    net.settle();
    net.nodes.get_mut(&1).unwrap().transfer_leader(3);
    net.settle();
    assert_eq!(net.leader(), [3]);
}

#[test]
fn a_restarted_member_goes_on_from_its_disk() {
    let mut net = Net::new(3);
    net.nodes.get_mut(&1).unwrap().campaign();
    net.settle();
    net.nodes.get_mut(&1).unwrap().propose(data("a")).unwrap();
    net.settle();
    net.tick(1);
    net.nodes.remove(&2);
    net.nodes.get_mut(&1).unwrap().propose(data("b")).unwrap();
    net.settle();
    net.applied.remove(&2);
    let s = net.storage[&2].clone();
    net.nodes.insert(2, RawNode::new(config(2, s, 0)));
    net.tick(5);
    assert_eq!(
        net.applied[&2],
        [data("a"), data("b")],
        "what was committed is applied again, then what was missed"
    );
}

#[test]
fn a_new_cluster_starts_with_one_entry_per_member() {
    let storage = MemoryStorage::new();
    let mut n = RawNode::new(config(1, storage.clone(), 0));
    n.bootstrap(&[(1, data("m1")), (2, data("m2"))]);
    let rd = n.ready();
    assert_eq!(rd.entries.len(), 2);
    assert_eq!(rd.committed_entries, rd.entries);
    assert_eq!(rd.hard_state.map(|h| (h.term, h.vote, h.commit)), Some((1, 0, 2)));
    assert_eq!(n.conf_state().voters, [1, 2]);
}

#[test]
fn a_refused_append_names_where_the_logs_may_agree() {
    // The leader's log has terms 1 1 1 5 5, the follower's 1 1 3 3 3 3: one refusal is enough to find index 2.
    let mut net = Net::new(2);
    let log = |terms: &[u64]| -> Vec<wire::raftpb::Entry> {
        let e = |(i, t): (usize, &u64)| wire::raftpb::Entry {
            term: *t,
            index: i as u64 + 1,
            ..Default::default()
        };
        terms.iter().enumerate().map(e).collect()
    };
    net.storage[&1].append(&log(&[1, 1, 1, 5, 5]));
    net.storage[&2].append(&log(&[1, 1, 3, 3, 3, 3]));
    for id in 1..=2 {
        net.storage[&id].set_hard_state(wire::raftpb::HardState { term: 5, vote: 0, commit: 2 });
        let s = net.storage[&id].clone();
        net.nodes.insert(id, RawNode::new(config(id, s, 0)));
    }
    net.nodes.get_mut(&1).unwrap().campaign();
    net.settle();
    net.tick(1);
    let terms = |s: &MemoryStorage| {
        s.entries(1, s.last_index() + 1, u64::MAX).unwrap().iter().map(|e| e.term).collect::<Vec<_>>()
    };
    assert_eq!(terms(&net.storage[&2]), [1, 1, 1, 5, 5, 6]);
}
