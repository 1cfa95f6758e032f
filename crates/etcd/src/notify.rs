//! Waking tasks of one process when something changed.

use core::cell::{Cell, RefCell};
use core::task::{Poll, Waker};

/// A counter that tasks can wait on. It never loses a change: whoever waits says which count it has seen.
#[derive(Default)]
pub struct Notify {
    count: Cell<u64>,
    waiting: RefCell<Vec<Waker>>,
}

impl Notify {
    /// How many changes there were.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// Counts a change and wakes everybody who waits.
    pub fn notify(&self) {
        self.count.set(self.count.get() + 1);
        let waiting = core::mem::take(&mut *self.waiting.borrow_mut());
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Waits until there were more than `seen` changes; how many there are then.
    pub async fn past(&self, seen: u64) -> u64 {
        core::future::poll_fn(|cx| {
            if self.count.get() > seen {
                return Poll::Ready(self.count.get());
            }
            self.waiting.borrow_mut().push(cx.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Waits until `done` says so, asking again after every change.
    pub async fn until(&self, mut done: impl FnMut() -> bool) {
        let mut seen = self.count();
        while !done() {
            seen = self.past(seen).await;
        }
    }
}
