//! One world: what runs in it, and how a script is run to its end.

use crate::save::Saved;
use bytes::Bytes;
use etcd::{Cluster, ClusterConfig};
use protocol::Config;
use shell::{Commands, Fs, Host, NoHost, Session, SessionEvent};
use sim::{Duration, Process, Sim, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Virtual time after which a world that has no leader, or a script that does not end, is given up.
const PATIENCE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long a start may take: an election, and the API server's own start.
const START: Duration = Duration::from_secs(60);

/// How a script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Status(i32),
    /// It was still running after 30 virtual days.
    StillRunning,
}

/// A running world.
pub struct World {
    sim: Sim,
    config: Config,
    cluster: Cluster,
    fs: Fs,
    commands: Rc<Commands>,
}

/// Every command of a terminal.
fn commands() -> Commands {
    let mut c = shell::tools::commands();
    shell::etcdctl::register(&mut c);
    c
}

impl World {
    /// Starts a world and runs it until it is ready for commands. With `saved`, its disks and files are those of an earlier
    /// world, as after a restart of every process.
    ///
    /// # Errors
    /// A configuration that makes no sense, in words for the reader.
    pub fn start(config: Config, saved: Option<Saved>) -> Result<World, String> {
        let world = World::boot(config, saved)?;
        let deadline = world.sim.now() + START;
        while !world.ready() && world.sim.next_event_at().is_some_and(|t| t <= deadline) {
            world.sim.step();
        }
        Ok(world)
    }

    /// [`World::start`] without running anything yet.
    pub fn boot(config: Config, saved: Option<Saved>) -> Result<World, String> {
        if ![1, 3, 5].contains(&config.members) {
            return Err(format!("{} members: a cluster here has 1, 3 or 5", config.members));
        }
        if config.kube {
            return Err("not modelled here: --world kube (the API server is not part of this version; use --world etcd)".to_owned());
        }
        if !config.etcd_flags.trim().is_empty() {
            return Err(format!("not modelled here: etcd flags ({})", config.etcd_flags.trim()));
        }
        let sim = Sim::new(config.seed);
        let fs = Fs::new();
        if let Some(saved) = saved {
            sim.run_until_time(saved.now);
            for (process, files) in saved.disks {
                sim.disk(&process).import(files);
            }
            fs.import(saved.files);
        }
        let members = u32::from(config.members);
        let cluster = Cluster::start(&sim, ClusterConfig { members, ..ClusterConfig::default() });
        Ok(World { sim, config, cluster, fs, commands: Rc::new(commands()) })
    }

    /// Whether commands can be answered: there is a leader, and every running member has told the cluster its client URLs.
    pub fn ready(&self) -> bool {
        self.cluster.leader().is_some_and(|l| {
            let status = self.cluster.status(l, 0);
            status.is_some_and(|s| s.applied > 2 * u64::from(self.config.members))
        })
    }

    /// The machine it runs on.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Its etcd cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The files of its terminals.
    pub fn files(&self) -> &Fs {
        &self.fs
    }

    /// What it was started with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Opens a terminal called `name`.
    pub fn terminal(
        &self,
        name: &str,
        host: Rc<dyn Host>,
        emit: impl Fn(SessionEvent) + 'static,
    ) -> Rc<Session> {
        let process: Process = self.sim.process(name);
        Rc::new(Session::new(&process, &self.fs, self.commands.clone(), host, emit))
    }

    /// Runs a script in a terminal of its own; `print` gets standard output and standard error in the order written.
    pub fn run_script(&self, text: &str, print: impl Fn(&[u8]) + 'static) -> Ended {
        let emit = move |e: SessionEvent| {
            if let SessionEvent::Output(d) = e {
                print(&d);
            }
        };
        let session = self.terminal("terminal", Rc::new(NoHost), emit);
        let done: Rc<Cell<Option<i32>>> = Rc::default();
        let (d, text) = (done.clone(), text.to_owned());
        self.sim.process("terminal").spawn(async move {
            let status = session.script(&text).await;
            d.set(Some(status));
        });
        let deadline = self.sim.now() + PATIENCE;
        while done.get().is_none() && self.sim.next_event_at().is_some_and(|t| t <= deadline) {
            self.sim.step();
        }
        done.get().map_or(Ended::StillRunning, Ended::Status)
    }

    /// [`World::run_script`] with everything printed as one text.
    pub fn script_output(&self, text: &str) -> (String, Ended) {
        let out: Rc<RefCell<Vec<u8>>> = Rc::default();
        let o = out.clone();
        let ended = self.run_script(text, move |d| o.borrow_mut().extend_from_slice(d));
        let text = String::from_utf8_lossy(&out.borrow()).into_owned();
        (text, ended)
    }

    /// Everything that survives a restart of every process.
    pub fn save(&self) -> Saved {
        let names = (0..self.cluster.len()).map(|i| self.cluster.process(i).name().to_owned());
        let disks = names.map(|n| (n.clone(), self.sim.disk(&n).export())).collect();
        Saved { config: self.config.clone(), now: self.sim.now(), disks, files: self.fs.export() }
    }
}

/// A file with its bytes.
pub(crate) type FileBytes = (String, Bytes);

/// A moment of virtual time, for the saved form.
pub(crate) type Moment = Time;
