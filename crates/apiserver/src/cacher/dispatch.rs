//! The dispatcher: hands each event to the watchers whose scope it lies in; a watcher that does not read in time is cut.

use super::Cacher;
use super::reflector::Incoming;
use super::watcher::WatcherState;
use futures::StreamExt;
use futures::channel::mpsc;
use sim::Time;
use std::rc::Rc;
use std::time::Duration;

const REFRESH: Duration = Duration::from_millis(50);
const MOST: Duration = Duration::from_millis(100);

/// Time that may be spent on slow watchers: grows by 50 ms a second, up to 100 ms.
struct Budget {
    left: Duration,
    since: Time,
}

impl Budget {
    fn take(&mut self, now: Time) -> Duration {
        let whole = now.since(self.since).as_secs();
        self.since = self.since + Duration::from_secs(whole);
        let grown = REFRESH.checked_mul(u32::try_from(whole.min(2)).unwrap_or(2)).unwrap_or(MOST);
        let all = (self.left + grown).min(MOST);
        self.left = Duration::ZERO;
        all
    }

    fn give_back(&mut self, unused: Duration) {
        self.left = (self.left + unused).min(MOST);
    }
}

pub(super) async fn run(cacher: Rc<Cacher>, mut events: mpsc::Receiver<Incoming>) {
    let mut budget = Budget { left: MOST, since: cacher.env.sim.now() };
    while let Some(event) = events.next().await {
        let candidates: Vec<Rc<WatcherState>> =
            cacher.watchers.borrow().values().filter(|w| w.wants(&event)).cloned().collect();
        cacher.env.metrics.inc("apiserver_watch_cache_events_dispatched_total", cacher.labels());
        let blocked: Vec<_> = candidates.into_iter().filter(|w| !w.try_add(&event)).collect();
        if !blocked.is_empty() {
            let now = cacher.env.sim.now();
            let deadline = now + budget.take(now);
            for w in blocked {
                let left = deadline.since(cacher.env.sim.now());
                let _ = cacher.env.sim.timeout(left, w.room()).await; // then it has room, or it is too late
                if !w.try_add(&event) {
                    w.terminate();
                    cacher.watchers.borrow_mut().remove(&w.id);
                    cacher.env.metrics.inc("apiserver_terminated_watchers_total", cacher.labels());
                }
            }
            budget.give_back(deadline.since(cacher.env.sim.now()));
        }
        cacher.dispatched.set(event.revision);
    }
}
