//! The ring of recent events, and how its capacity follows the load.

use super::Cached;
use crate::storage::EventType;
use sim::{Ctx, Time};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

const LOWER: u64 = 100;
const UPPER: u64 = 100 * 1024;

/// One event.
#[derive(Clone, Debug)]
pub struct RingEvent {
    /// What happened.
    pub kind: EventType,
    /// Key without the path prefix.
    pub key: Rc<str>,
    /// The object now; for a deletion its last state.
    pub object: Option<Cached>,
    /// The object before.
    pub previous: Option<Cached>,
    /// resourceVersion of the event.
    pub revision: u64,
    /// When it was applied.
    pub time: Time,
    /// The write that caused it, if it is traced.
    pub ctx: Option<Ctx>,
}

/// A circular buffer of events.
#[derive(Debug)]
pub struct Ring {
    events: VecDeque<Rc<RingEvent>>,
    capacity: u64,
    upper: u64,
    window: Duration,
    /// Something was dropped since the last load.
    dropped: bool,
    start: u64,
}

impl Ring {
    /// An empty ring for a history of `window`.
    pub fn new(window: Duration) -> Ring {
        let mut upper = UPPER;
        let mut covered = Duration::from_secs(75);
        while covered < window {
            covered *= 2;
            upper *= 2;
        }
        Ring { events: VecDeque::new(), capacity: LOWER, upper, window, dropped: false, start: 0 }
    }

    /// How many events it keeps.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// How many are in it.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Index of the oldest event since the server's start; it only grows.
    pub fn start_index(&self) -> u64 {
        self.start
    }

    /// Length of the history that is kept.
    pub fn window(&self) -> Duration {
        self.window
    }

    /// Events, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Rc<RingEvent>> {
        self.events.iter()
    }

    /// Forgets everything after a load.
    pub fn reset(&mut self) {
        self.start += self.events.len() as u64;
        self.events.clear();
        self.dropped = false;
    }

    /// Adds an event. 1 if the ring grew, -1 if it shrank.
    pub fn push(&mut self, event: Rc<RingEvent>, now: Time) -> i32 {
        let resized = self.resize(now);
        while self.events.len() as u64 >= self.capacity {
            self.events.pop_front();
            self.start += 1;
            self.dropped = true;
        }
        self.events.push_back(event);
        resized
    }

    fn resize(&mut self, now: Time) -> i32 {
        if (self.events.len() as u64) < self.capacity {
            return 0;
        }
        let fresh = |e: &Rc<RingEvent>| now.since(e.time) < self.window;
        if self.events.front().is_some_and(fresh) {
            let wanted = (self.capacity * 2).min(self.upper);
            let grew = wanted > self.capacity;
            self.capacity = wanted;
            return i32::from(grew);
        }
        let quarter = self.events.len() - (self.capacity / 4) as usize;
        if self.events.get(quarter).is_some_and(|e| !fresh(e)) {
            let wanted = (self.capacity / 2).max(LOWER);
            let shrank = wanted < self.capacity;
            self.capacity = wanted;
            while self.events.len() as u64 > self.capacity {
                self.events.pop_front();
                self.start += 1;
                self.dropped = true;
            }
            return -i32::from(shrank);
        }
        0
    }

    /// resourceVersion of the oldest event that can be delivered; `loaded` is that of the last load.
    pub fn oldest(&self, loaded: u64) -> u64 {
        match self.events.front() {
            Some(e) if self.dropped => e.revision,
            _ => loaded + 1,
        }
    }

    /// Events after `revision`, oldest first.
    pub fn after(&self, revision: u64) -> Vec<Rc<RingEvent>> {
        let at = self.events.partition_point(|e| e.revision <= revision);
        self.events.range(at..).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(revision: u64, seconds: u64) -> Rc<RingEvent> {
        Rc::new(RingEvent {
            kind: EventType::Modified,
            key: "/x".into(),
            object: None,
            previous: None,
            revision,
            time: Time(seconds * 1_000_000_000),
            ctx: None,
        })
    }

    #[test]
    fn the_101st_event_within_the_window_doubles_the_ring() {
        let mut ring = Ring::new(Duration::from_secs(75));
        for i in 0..100 {
            assert_eq!(ring.push(event(i + 1, 0), Time(0)), 0);
        }
        assert_eq!(ring.push(event(101, 1), Time(1_000_000_000)), 1);
        assert_eq!((ring.capacity(), ring.len()), (200, 101));
        assert_eq!(ring.oldest(0), 1);
    }

    #[test]
    fn a_quiet_ring_drops_the_oldest_and_shrinks() {
        let mut ring = Ring::new(Duration::from_secs(75));
        for i in 0..200 {
            ring.push(event(i + 1, 0), Time(0));
        }
        assert_eq!(ring.capacity(), 200);
        let late = Time(200 * 1_000_000_000);
        assert_eq!(ring.push(event(201, 200), late), -1);
        assert_eq!((ring.capacity(), ring.len()), (100, 100));
        assert_eq!(ring.oldest(0), 102);
        assert_eq!(ring.after(200).len(), 1);
    }
}
