//! Processes: owners of tasks and connections, which can be paused, crash and start again.

use crate::Sim;
use crate::executor::TaskId;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use futures::channel::oneshot;
use std::rc::Rc;

/// Index of a process in the machine's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProcId(pub(crate) u32);

pub(crate) struct ProcState {
    pub(crate) name: Rc<str>,
    pub(crate) alive: bool,
    pub(crate) paused: bool,
    pub(crate) starts: u32,
}

/// A process of the world: an etcd member, the API server, a terminal. Clones refer to the same process.
#[derive(Clone)]
pub struct Process {
    sim: Sim,
    pub(crate) id: ProcId,
    name: Rc<str>,
}

impl Process {
    pub(crate) fn named(sim: &Sim, name: &str) -> Process {
        let mut procs = sim.0.procs.borrow_mut();
        let index = procs.iter().position(|p| &*p.name == name).unwrap_or_else(|| {
            procs.push(ProcState { name: name.into(), alive: true, paused: false, starts: 1 });
            procs.len() - 1
        });
        let name = procs[index].name.clone();
        Process { sim: sim.clone(), id: ProcId(u32::try_from(index).expect("few processes")), name }
    }

    /// The process's name, which is also the name of its host on the network and of its disk.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The machine it runs on.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Starts a task. Dropping the returned [`Task`] lets it go on.
    pub fn spawn<T: 'static>(&self, future: impl Future<Output = T> + 'static) -> Task<T> {
        let (tx, rx) = oneshot::channel();
        let id = self.sim.spawn_in(
            self.id,
            Box::pin(async move {
                let _ = tx.send(future.await); // nobody may be waiting
            }),
        );
        Task { sim: self.sim.clone(), id, rx }
    }

    /// Kills the process at once: its tasks are dropped, its connections break, its listeners and inboxes close, and its
    /// disk loses (or keeps a torn part of) what was not synced.
    pub fn crash(&self) {
        {
            let mut procs = self.sim.0.procs.borrow_mut();
            let p = &mut procs[self.id.0 as usize];
            p.alive = false;
            p.paused = false;
        }
        self.sim.0.parked.borrow_mut().remove(&self.id);
        self.sim.abort_all(self.id);
        self.sim.net().disconnect(self);
        self.sim.disk(&self.name).crash();
    }

    /// Ends the process in order: as [`Process::crash`], but its disk keeps everything.
    pub fn stop(&self) {
        self.sim.disk(&self.name).sync_all();
        self.crash();
    }

    /// Marks a crashed process as running again; what it runs is spawned by its owner.
    pub fn restart(&self) {
        let mut procs = self.sim.0.procs.borrow_mut();
        let p = &mut procs[self.id.0 as usize];
        if !p.alive {
            p.alive = true;
            p.starts += 1;
        }
    }

    /// Freezes the process: its tasks get no turns, messages to it wait, its clock seems to stand still to it.
    pub fn pause(&self) {
        self.sim.0.procs.borrow_mut()[self.id.0 as usize].paused = true;
    }

    /// Undoes [`Process::pause`].
    pub fn resume(&self) {
        self.sim.0.procs.borrow_mut()[self.id.0 as usize].paused = false;
        let wakers = self.sim.0.parked.borrow_mut().remove(&self.id).unwrap_or_default();
        for w in wakers {
            w.wake();
        }
    }

    /// False from a crash until the next restart.
    pub fn alive(&self) -> bool {
        self.sim.0.procs.borrow()[self.id.0 as usize].alive
    }

    /// Whether it is frozen by [`Process::pause`].
    pub fn paused(&self) -> bool {
        self.sim.0.procs.borrow()[self.id.0 as usize].paused
    }

    /// How many times it was started: 1 for a process that never crashed.
    pub fn starts(&self) -> u32 {
        self.sim.0.procs.borrow()[self.id.0 as usize].starts
    }
}

/// A running task. As a future it gives the task's output, or `None` if the task was ended before it finished.
pub struct Task<T> {
    sim: Sim,
    id: TaskId,
    rx: oneshot::Receiver<T>,
}

impl<T> Task<T> {
    /// Ends the task; its future is dropped.
    pub fn abort(&self) {
        self.sim.abort(self.id);
    }
}

impl<T> Future for Task<T> {
    type Output = Option<T>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.rx).poll(cx).map(Result::ok)
    }
}
