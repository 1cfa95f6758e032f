//! Single messages between members: lossy, and held by rule when somebody wants to look.
//!
//! ```text
//!   send ─▶ cut? lost ─▶ hold rule? held ─▶ lost by chance? ─▶ arrives after latency (once, or twice)
//!                              │ deliver / drop / duplicate, by hand
//! ```

use super::Net;
use crate::{Ctx, Process, Time};
use bytes::Bytes;
use core::task::{Poll, Waker};
use std::collections::{BTreeMap, VecDeque};

/// How many messages the log for drawings remembers.
const LOG_LIMIT: usize = 4096;

/// One message between two members.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Name of the sender's process.
    pub from: String,
    /// Name of the receiver's process.
    pub to: String,
    /// What it is, in the protocol's own words (`MsgApp`).
    pub kind: &'static str,
    /// Its bytes on the wire.
    pub body: Bytes,
    /// Trace context, out of band.
    pub ctx: Option<Ctx>,
}

/// Holds what matches: an empty `kind` matches every kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldRule {
    /// Name of the sender's process.
    pub from: String,
    /// Name of the receiver's process.
    pub to: String,
    /// Message type, or empty for all.
    pub kind: String,
}

impl HoldRule {
    fn matches(&self, p: &Packet) -> bool {
        self.from == p.from && self.to == p.to && (self.kind.is_empty() || self.kind == p.kind)
    }
}

/// A message that a rule holds back.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its number in the message log.
    pub id: u64,
    /// The message.
    pub packet: Packet,
    /// When it was sent.
    pub sent: Time,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFate {
    /// On its way until the given time, then delivered.
    Arrives(Time),
    /// Lost on a cut or lossy link, or because nobody was there.
    Lost,
    /// Held back by a rule.
    Held,
    /// Dropped by hand.
    Dropped,
}

/// One line of the message log.
#[derive(Clone, Debug)]
pub struct MessageRecord {
    /// Running number.
    pub id: u64,
    /// Name of the sender's process.
    pub from: String,
    /// Name of the receiver's process.
    pub to: String,
    /// Message type.
    pub kind: &'static str,
    /// Bytes on the wire (shared with the message).
    pub body: Bytes,
    /// When it was sent.
    pub sent: Time,
    /// What became of it.
    pub fate: MessageFate,
}

#[derive(Default)]
pub(super) struct Packets {
    inboxes: BTreeMap<String, InboxState>,
    rules: Vec<HoldRule>,
    held: BTreeMap<u64, Held>,
    log: VecDeque<MessageRecord>,
    count: u64,
    /// Per link: nothing sent later arrives before this, unless it is reordered.
    not_before: BTreeMap<(String, String), Time>,
}

struct InboxState {
    process: Process,
    id: u64,
    queue: VecDeque<Packet>,
    waker: Option<Waker>,
}

/// Where a process receives messages. Dropping it stops receiving.
pub struct Inbox {
    net: Net,
    addr: String,
    id: u64,
}

impl Net {
    /// Receives the messages sent to `addr` from now on.
    pub fn bind(&self, process: &Process, addr: &str) -> Inbox {
        let id = self.0.next_sequence();
        let state = InboxState { process: process.clone(), id, queue: VecDeque::new(), waker: None };
        self.0.0.net.borrow_mut().packets.inboxes.insert(addr.to_owned(), state);
        Inbox { net: self.clone(), addr: addr.to_owned(), id }
    }

    /// Sends a message. What happens to it depends on the link and the hold rules.
    pub fn send(&self, from: &str, to: &str, kind: &'static str, body: Bytes, ctx: Option<Ctx>) {
        let packet = Packet { from: from.to_owned(), to: to.to_owned(), kind, body, ctx };
        let link = self.link(from, to);
        let held = {
            let mut net = self.0.0.net.borrow_mut();
            let p = &mut net.packets;
            p.count += 1;
            let id = p.count;
            let held = !link.cut && p.rules.iter().any(|r| r.matches(&packet));
            let fate = if held { MessageFate::Held } else { MessageFate::Lost };
            let record = MessageRecord {
                id,
                from: packet.from.clone(),
                to: packet.to.clone(),
                kind,
                body: packet.body.clone(),
                sent: self.0.now(),
                fate,
            };
            p.log.push_back(record);
            if p.log.len() > LOG_LIMIT {
                p.log.pop_front();
            }
            if held {
                p.held.insert(id, Held { id, packet: packet.clone(), sent: self.0.now() });
            }
            (held, id)
        };
        if held.0 || link.cut {
            return;
        }
        let chance = |millionths| millionths > 0 && self.0.rng("net").chance(millionths);
        if chance(link.loss) {
            return;
        }
        self.carry(held.1, packet.clone(), chance(link.reorder));
        if chance(link.duplicate) {
            self.carry(held.1, packet, false);
        }
    }

    fn carry(&self, id: u64, packet: Packet, reorder: bool) {
        let mut at = self.0.now() + self.latency(&packet.from, &packet.to);
        if reorder {
            at = at + self.latency(&packet.from, &packet.to) * 4;
        }
        {
            let mut net = self.0.0.net.borrow_mut();
            let p = &mut net.packets;
            if !reorder {
                let bar = p.not_before.entry((packet.from.clone(), packet.to.clone())).or_default();
                at = at.max(*bar);
                *bar = at;
            }
            set_fate(p, id, MessageFate::Arrives(at));
        }
        self.0.call_at(at, move |sim| {
            let waker = {
                let mut net = sim.0.net.borrow_mut();
                let p = &mut net.packets;
                match p.inboxes.get_mut(&packet.to) {
                    Some(inbox) => {
                        inbox.queue.push_back(packet);
                        inbox.waker.take()
                    }
                    None => {
                        set_fate(p, id, MessageFate::Lost);
                        None
                    }
                }
            };
            if let Some(w) = waker {
                w.wake();
            }
        });
    }

    /// Holds every message that matches `rule` from now on.
    pub fn hold(&self, rule: HoldRule) {
        self.0.0.net.borrow_mut().packets.rules.push(rule);
    }

    /// Ends a rule and delivers what it held, in order.
    pub fn release(&self, rule: &HoldRule) {
        let ids: Vec<u64> = {
            let mut net = self.0.0.net.borrow_mut();
            net.packets.rules.retain(|r| r != rule);
            net.packets.held.values().filter(|h| rule.matches(&h.packet)).map(|h| h.id).collect()
        };
        for id in ids {
            self.deliver(id);
        }
    }

    /// The rules in force.
    pub fn hold_rules(&self) -> Vec<HoldRule> {
        self.0.0.net.borrow().packets.rules.clone()
    }

    /// What is held, oldest first.
    pub fn held(&self) -> Vec<Held> {
        self.0.0.net.borrow().packets.held.values().cloned().collect()
    }

    /// Sends a held message on. False if no such message is held.
    pub fn deliver(&self, id: u64) -> bool {
        let held = self.0.0.net.borrow_mut().packets.held.remove(&id);
        let Some(h) = held else { return false };
        self.carry(id, h.packet, false);
        true
    }

    /// Throws a held message away. False if no such message is held.
    pub fn drop_held(&self, id: u64) -> bool {
        let mut net = self.0.0.net.borrow_mut();
        let gone = net.packets.held.remove(&id);
        if gone.is_some() {
            set_fate(&mut net.packets, id, MessageFate::Dropped);
        }
        gone.is_some()
    }

    /// Sends a copy of a held message on and keeps holding it. False if no such message is held.
    pub fn duplicate_held(&self, id: u64) -> bool {
        let copy = self.0.0.net.borrow().packets.held.get(&id).map(|h| h.packet.clone());
        let Some(packet) = copy else { return false };
        self.carry(id, packet, false);
        true
    }

    /// The last messages, oldest first, from running number `after` on.
    pub fn message_log(&self, after: u64) -> Vec<MessageRecord> {
        let net = self.0.0.net.borrow();
        net.packets.log.iter().filter(|m| m.id > after).cloned().collect()
    }

    pub(super) fn unbind_all(&self, process: &Process) {
        let gone: Vec<InboxState> = {
            let mut net = self.0.0.net.borrow_mut();
            let inboxes = &mut net.packets.inboxes;
            let of: Vec<String> =
                inboxes.iter().filter(|(_, i)| i.process.id == process.id).map(|(a, _)| a.clone()).collect();
            of.iter().filter_map(|a| inboxes.remove(a)).collect()
        };
        for mut inbox in gone {
            if let Some(w) = inbox.waker.take() {
                w.wake();
            }
        }
    }
}

fn set_fate(p: &mut Packets, id: u64, fate: MessageFate) {
    let first = p.log.front().map_or(0, |m| m.id);
    if let Some(m) = id.checked_sub(first).and_then(|i| p.log.get_mut(i as usize)) {
        m.fate = fate;
    }
}

impl Inbox {
    /// The next message; `None` once the inbox was replaced or its process crashed.
    pub async fn recv(&self) -> Option<Packet> {
        core::future::poll_fn(|cx| {
            let mut net = self.net.0.0.net.borrow_mut();
            match net.packets.inboxes.get_mut(&self.addr) {
                Some(i) if i.id == self.id => match i.queue.pop_front() {
                    Some(p) => Poll::Ready(Some(p)),
                    None => {
                        i.waker = Some(cx.waker().clone());
                        Poll::Pending
                    }
                },
                _ => Poll::Ready(None),
            }
        })
        .await
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let gone = {
            let mut net = self.net.0.0.net.borrow_mut();
            match net.packets.inboxes.get(&self.addr) {
                Some(i) if i.id == self.id => net.packets.inboxes.remove(&self.addr),
                _ => None,
            }
        };
        drop(gone);
    }
}
