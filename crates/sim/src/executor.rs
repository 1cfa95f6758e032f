//! The deterministic executor: tasks, timers and the step that moves the world by one event.

use crate::process::{ProcId, ProcState};
use crate::{
    Disk, Latencies, Net, Process, Rng, Time, Trace, disk::DiskState, net::NetState, trace::TraceState,
};
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::Wake;

pub(crate) type LocalFuture = Pin<Box<dyn Future<Output = ()>>>;

/// A task's place in the table and the generation of that place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId {
    index: u32,
    generation: u32,
}

struct Slot {
    generation: u32,
    task: Option<TaskState>,
}

struct TaskState {
    proc: ProcId,
    /// Taken out while it is being polled.
    future: Option<LocalFuture>,
    waker: Waker,
}

/// What a timer does when it fires.
enum Alarm {
    Wake(Waker),
    Call(Box<dyn FnOnce(&Sim)>),
}

/// Wakes a task by pushing its id onto the ready queue, once until it is polled.
struct TaskWaker {
    id: TaskId,
    queued: std::sync::atomic::AtomicBool,
    ready: Arc<Mutex<VecDeque<Arc<TaskWaker>>>>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, std::sync::atomic::Ordering::Relaxed) {
            let ready = self.ready.clone();
            lock(&ready).push_back(self);
        }
    }
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

pub(crate) struct Inner {
    seed: u64,
    now: Cell<Time>,
    event: Cell<u64>,
    sequence: Cell<u64>,
    tasks: RefCell<Vec<Slot>>,
    free: RefCell<Vec<u32>>,
    ready: Arc<Mutex<VecDeque<Arc<TaskWaker>>>>,
    timers: RefCell<BTreeMap<(Time, u64), Alarm>>,
    rngs: RefCell<BTreeMap<String, Rng>>,
    pub(crate) procs: RefCell<Vec<ProcState>>,
    pub(crate) parked: RefCell<BTreeMap<ProcId, Vec<Waker>>>,
    pub(crate) net: RefCell<NetState>,
    pub(crate) disks: RefCell<BTreeMap<String, DiskState>>,
    pub(crate) trace: RefCell<TraceState>,
    latencies: RefCell<Latencies>,
    stop: Cell<bool>,
}

/// A handle to the simulated machine. Clones are cheap and refer to the same machine.
#[derive(Clone)]
pub struct Sim(pub(crate) Rc<Inner>);

impl Sim {
    /// A machine whose randomness comes from `seed`, at virtual time 0, with nothing running.
    pub fn new(seed: u64) -> Sim {
        Sim(Rc::new(Inner {
            seed,
            now: Cell::new(Time::ZERO),
            event: Cell::new(0),
            sequence: Cell::new(0),
            tasks: RefCell::default(),
            free: RefCell::default(),
            ready: Arc::default(),
            timers: RefCell::default(),
            rngs: RefCell::default(),
            procs: RefCell::default(),
            parked: RefCell::default(),
            net: RefCell::default(),
            disks: RefCell::default(),
            trace: RefCell::default(),
            latencies: RefCell::new(Latencies::assumed()),
            stop: Cell::new(false),
        }))
    }

    /// The seed this machine was made with.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// The present moment of virtual time.
    pub fn now(&self) -> Time {
        self.0.now.get()
    }

    /// The wall clock: nanoseconds since the Unix epoch.
    pub fn unix_nanos(&self) -> i64 {
        self.now().unix_nanos()
    }

    /// Index of the event that ran last; 0 before the first.
    pub fn event(&self) -> u64 {
        self.0.event.get()
    }

    /// The random stream of `component`. Asking twice continues the same stream.
    pub fn rng(&self, component: &str) -> Rng {
        let mut rngs = self.0.rngs.borrow_mut();
        if let Some(r) = rngs.get(component) {
            return r.clone();
        }
        let r = Rng::new(self.0.seed, component);
        rngs.insert(component.to_owned(), r.clone());
        r
    }

    /// The process called `name`, made (alive, with nothing running) if there is none yet.
    pub fn process(&self, name: &str) -> Process {
        Process::named(self, name)
    }

    /// The disk called `name`, made empty if there is none yet. A process's own disk bears its name.
    pub fn disk(&self, name: &str) -> Disk {
        Disk::named(self, name)
    }

    /// The network.
    pub fn net(&self) -> Net {
        Net(self.clone())
    }

    /// The trace.
    pub fn trace(&self) -> Trace {
        Trace(self.clone())
    }

    /// The table of virtual latencies in force.
    pub fn latencies(&self) -> Latencies {
        self.0.latencies.borrow().clone()
    }

    /// Puts another table of latencies in force.
    pub fn set_latencies(&self, table: Latencies) {
        *self.0.latencies.borrow_mut() = table;
    }

    pub(crate) fn with_latencies<T>(&self, f: impl FnOnce(&Latencies) -> T) -> T {
        f(&self.0.latencies.borrow())
    }

    /// Completes after `d` of virtual time; a zero `d` still gives every ready task a turn first.
    pub fn sleep(&self, d: Duration) -> Sleep {
        self.sleep_until(self.now() + d)
    }

    /// Completes at `t`; at once (after one turn of the queue) if `t` is past.
    pub fn sleep_until(&self, t: Time) -> Sleep {
        Sleep { sim: self.clone(), at: t, key: None }
    }

    /// Lets every task that is ready now run before going on.
    pub fn yield_now(&self) -> Yield {
        Yield(false)
    }

    /// `f`'s output, or [`Elapsed`] if it takes `d` or longer. `f` is dropped then.
    pub async fn timeout<F: Future>(&self, d: Duration, f: F) -> Result<F::Output, Elapsed> {
        let mut f = core::pin::pin!(f);
        let mut sleep = core::pin::pin!(self.sleep(d));
        core::future::poll_fn(move |cx| {
            if let Poll::Ready(v) = f.as_mut().poll(cx) {
                return Poll::Ready(Ok(v));
            }
            sleep.as_mut().poll(cx).map(|()| Err(Elapsed))
        })
        .await
    }

    /// Runs `f` when the clock reaches `at`, as an event of its own.
    pub(crate) fn call_at(&self, at: Time, f: impl FnOnce(&Sim) + 'static) {
        let key = (at.max(self.now()), self.next_sequence());
        self.0.timers.borrow_mut().insert(key, Alarm::Call(Box::new(f)));
    }

    pub(crate) fn next_sequence(&self) -> u64 {
        let s = self.0.sequence.get() + 1;
        self.0.sequence.set(s);
        s
    }

    pub(crate) fn spawn_in(&self, proc: ProcId, future: LocalFuture) -> TaskId {
        let mut tasks = self.0.tasks.borrow_mut();
        let index = self.0.free.borrow_mut().pop().unwrap_or_else(|| {
            tasks.push(Slot { generation: 0, task: None });
            u32::try_from(tasks.len() - 1).expect("fewer than 2^32 tasks at once")
        });
        let slot = &mut tasks[index as usize];
        slot.generation = slot.generation.wrapping_add(1);
        let id = TaskId { index, generation: slot.generation };
        let waker = Arc::new(TaskWaker { id, queued: false.into(), ready: self.0.ready.clone() });
        slot.task = Some(TaskState { proc, future: Some(future), waker: waker.clone().into() });
        waker.wake();
        id
    }

    /// Ends a task; its future is dropped now, or after its present poll.
    pub(crate) fn abort(&self, id: TaskId) {
        let task = {
            let mut tasks = self.0.tasks.borrow_mut();
            match tasks.get_mut(id.index as usize) {
                Some(slot) if slot.generation == id.generation && slot.task.is_some() => {
                    self.0.free.borrow_mut().push(id.index);
                    slot.task.take()
                }
                _ => None,
            }
        };
        drop(task);
    }

    /// Ends every task of `proc`.
    pub(crate) fn abort_all(&self, proc: ProcId) {
        let ids: Vec<TaskId> = {
            let tasks = self.0.tasks.borrow();
            let of_proc = |(i, s): (usize, &Slot)| {
                let t = s.task.as_ref()?;
                (t.proc == proc).then_some(TaskId { index: i as u32, generation: s.generation })
            };
            tasks.iter().enumerate().filter_map(of_proc).collect()
        };
        for id in ids {
            self.abort(id);
        }
    }

    /// Runs one event. False if there is nothing left to do: no task is ready and no timer is set.
    pub fn step(&self) -> bool {
        loop {
            let next = lock(&self.0.ready).pop_front();
            if let Some(waker) = next {
                waker.queued.store(false, std::sync::atomic::Ordering::Relaxed);
                if self.poll_task(waker.id) {
                    return true;
                }
                continue;
            }
            let first = self.0.timers.borrow_mut().pop_first();
            let Some(((at, _), alarm)) = first else { return false };
            self.0.now.set(at.max(self.now()));
            match alarm {
                Alarm::Wake(w) => w.wake(),
                Alarm::Call(f) => {
                    self.count_event();
                    f(self);
                    return true;
                }
            }
        }
    }

    /// Polls a task once. False if it is gone or its process is paused, which is no event.
    fn poll_task(&self, id: TaskId) -> bool {
        let taken = {
            let mut tasks = self.0.tasks.borrow_mut();
            let Some(slot) = tasks.get_mut(id.index as usize) else { return false };
            if slot.generation != id.generation {
                return false;
            }
            let Some(task) = slot.task.as_mut() else { return false };
            if self.0.procs.borrow()[task.proc.0 as usize].paused {
                self.0.parked.borrow_mut().entry(task.proc).or_default().push(task.waker.clone());
                return false;
            }
            task.future.take().map(|f| (f, task.waker.clone()))
        };
        let Some((mut future, waker)) = taken else { return false };
        self.count_event();
        let done = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        let leftover = {
            let mut tasks = self.0.tasks.borrow_mut();
            let slot = &mut tasks[id.index as usize];
            if done {
                if slot.generation == id.generation && slot.task.take().is_some() {
                    self.0.free.borrow_mut().push(id.index);
                }
                Some(future)
            } else if slot.generation == id.generation
                && let Some(task) = slot.task.as_mut()
            {
                task.future = Some(future);
                None
            } else {
                Some(future) // aborted while it ran
            }
        };
        drop(leftover);
        true
    }

    fn count_event(&self) {
        self.0.event.set(self.0.event.get() + 1);
    }

    /// Runs up to `n` events; fewer if nothing is left or a stop was requested. How many ran.
    pub fn run(&self, n: u64) -> u64 {
        let mut ran = 0;
        while ran < n && !self.stop_requested() && self.step() {
            ran += 1;
        }
        ran
    }

    /// Runs while `go_on` says so and something is left to do. How many events ran.
    pub fn run_while(&self, mut go_on: impl FnMut(&Sim) -> bool) -> u64 {
        let mut ran = 0;
        while go_on(self) && self.step() {
            ran += 1;
        }
        ran
    }

    /// Runs every event up to and including virtual time `t`, and leaves the clock at `t`.
    pub fn run_until_time(&self, t: Time) -> u64 {
        let mut ran = 0;
        while self.next_event_at().is_some_and(|at| at <= t) && self.step() {
            ran += 1;
        }
        self.0.now.set(t.max(self.now()));
        ran
    }

    /// Runs until `future` completes; `None` if the world came to rest first.
    pub fn block_on<T: 'static>(&self, future: impl Future<Output = T> + 'static) -> Option<T> {
        let out = Rc::new(RefCell::new(None));
        let slot = out.clone();
        self.process("host").spawn(async move {
            let v = future.await;
            *slot.borrow_mut() = Some(v);
        });
        while out.borrow().is_none() && self.step() {}
        out.borrow_mut().take()
    }

    /// When the next event happens: now if a task is ready, else at the first timer; `None` if the world is at rest.
    pub fn next_event_at(&self) -> Option<Time> {
        if !lock(&self.0.ready).is_empty() {
            return Some(self.now());
        }
        self.0.timers.borrow().first_key_value().map(|((at, _), _)| *at)
    }

    /// Asks [`Sim::run`] to return after the present event (a breakpoint was reached).
    pub fn request_stop(&self) {
        self.0.stop.set(true);
    }

    /// Whether a stop was requested since the last [`Sim::clear_stop`].
    pub fn stop_requested(&self) -> bool {
        self.0.stop.get()
    }

    /// Forgets a requested stop, so that [`Sim::run`] goes on.
    pub fn clear_stop(&self) {
        self.0.stop.set(false);
    }
}

/// The time given to [`Sim::timeout`] passed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("deadline has elapsed")]
pub struct Elapsed;

/// Future of [`Sim::sleep`].
pub struct Sleep {
    sim: Sim,
    at: Time,
    key: Option<(Time, u64)>,
}

impl Future for Sleep {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.key {
            Some(key) => {
                let mut timers = self.sim.0.timers.borrow_mut();
                match timers.get_mut(&key) {
                    Some(alarm) => {
                        *alarm = Alarm::Wake(cx.waker().clone());
                        Poll::Pending
                    }
                    None => Poll::Ready(()),
                }
            }
            None => {
                let key = (self.at.max(self.sim.now()), self.sim.next_sequence());
                self.sim.0.timers.borrow_mut().insert(key, Alarm::Wake(cx.waker().clone()));
                self.key = Some(key);
                Poll::Pending
            }
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.sim.0.timers.borrow_mut().remove(&key);
        }
    }
}

/// Future of [`Sim::yield_now`].
pub struct Yield(bool);

impl Future for Yield {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
