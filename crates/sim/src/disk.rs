//! Disks: files whose unsynced end may be lost or torn when the process that wrote them crashes.
//!
//! A file is a rope of shared byte slices, so a value written to three members' disks is held once in memory.
//!
//! ```text
//!   append ──▶ │ synced ........... │ unsynced ... │        fsync moves the bar to the end
//!   crash  ──▶ │ synced ........... │ a torn part of it, by the seed: none, some bytes, or all
//! ```

use crate::{Latency, Sim};
use bytes::{Bytes, BytesMut};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Default)]
pub(crate) struct DiskState {
    files: BTreeMap<String, File>,
    fsyncs: u64,
}

#[derive(Clone, Default)]
struct File {
    parts: Vec<Bytes>,
    len: u64,
    synced: u64,
}

impl File {
    fn keep(&mut self, len: u64) {
        while self.len > len {
            let Some(last) = self.parts.pop() else { break };
            let before = self.len - last.len() as u64;
            if before < len {
                self.parts.push(last.slice(..(len - before) as usize));
                self.len = len;
            } else {
                self.len = before;
            }
        }
        self.synced = self.synced.min(self.len);
    }
}

/// A handle to one disk. Clones refer to the same disk.
#[derive(Clone)]
pub struct Disk {
    sim: Sim,
    name: Rc<str>,
}

impl Disk {
    pub(crate) fn named(sim: &Sim, name: &str) -> Disk {
        sim.0.disks.borrow_mut().entry(name.to_owned()).or_default();
        Disk { sim: sim.clone(), name: name.into() }
    }

    fn with<T>(&self, f: impl FnOnce(&mut DiskState) -> T) -> T {
        f(self.sim.0.disks.borrow_mut().entry(self.name.to_string()).or_default())
    }

    /// Appends `data` to `file`, making it if need be. Durable only after [`Disk::fsync`].
    pub fn append(&self, file: &str, data: Bytes) {
        if data.is_empty() {
            return;
        }
        self.with(|d| {
            let f = d.files.entry(file.to_owned()).or_default();
            f.len += data.len() as u64;
            f.parts.push(data);
        });
    }

    /// Replaces the whole of `file` at once and durably (write to a temporary file, fsync, rename).
    pub fn replace(&self, file: &str, data: Bytes) {
        let len = data.len() as u64;
        let parts = if data.is_empty() { Vec::new() } else { vec![data] };
        self.with(|d| d.files.insert(file.to_owned(), File { parts, len, synced: len }));
    }

    /// Makes everything appended to `file` so far durable. Takes the disk's fsync latency.
    pub async fn fsync(&self, file: &str) {
        let upto = self.len(file);
        self.sim.sleep(self.sim.with_latencies(|l| l.of(Latency::Fsync))).await;
        self.with(|d| {
            d.fsyncs += 1;
            if let Some(f) = d.files.get_mut(file) {
                f.synced = f.synced.max(upto.min(f.len));
            }
        });
    }

    /// The bytes of `file`; empty if there is none.
    pub fn read(&self, file: &str) -> Bytes {
        self.with(|d| {
            let Some(f) = d.files.get(file) else { return Bytes::new() };
            match f.parts.as_slice() {
                [] => Bytes::new(),
                [one] => one.clone(),
                parts => {
                    let mut all = BytesMut::with_capacity(f.len as usize);
                    parts.iter().for_each(|p| all.extend_from_slice(p));
                    all.freeze()
                }
            }
        })
    }

    /// Length of `file` in bytes; 0 if there is none.
    pub fn len(&self, file: &str) -> u64 {
        self.with(|d| d.files.get(file).map_or(0, |f| f.len))
    }

    /// How many bytes of `file` are durable.
    pub fn synced_len(&self, file: &str) -> u64 {
        self.with(|d| d.files.get(file).map_or(0, |f| f.synced))
    }

    /// Whether the disk holds no file.
    pub fn is_empty(&self) -> bool {
        self.with(|d| d.files.is_empty())
    }

    /// Cuts `file` to its first `len` bytes.
    pub fn truncate(&self, file: &str, len: u64) {
        self.with(|d| {
            if let Some(f) = d.files.get_mut(file) {
                f.keep(len);
            }
        });
    }

    /// Removes `file`.
    pub fn remove(&self, file: &str) {
        self.with(|d| d.files.remove(file));
    }

    /// Names of the files, in order.
    pub fn list(&self) -> Vec<String> {
        self.with(|d| d.files.keys().cloned().collect())
    }

    /// How many fsyncs were done.
    pub fn fsyncs(&self) -> u64 {
        self.with(|d| d.fsyncs)
    }

    pub(crate) fn sync_all(&self) {
        self.with(|d| d.files.values_mut().for_each(|f| f.synced = f.len));
    }

    /// What a power cut leaves: of each file's unsynced end nothing, a part, or all, by the disk's random stream.
    pub(crate) fn crash(&self) {
        let rng = self.sim.rng(&format!("disk/{}", self.name));
        self.with(|d| {
            for f in d.files.values_mut() {
                let unsynced = f.len - f.synced;
                if unsynced > 0 {
                    let kept = match rng.below(3) {
                        0 => 0,
                        1 => rng.below(unsynced),
                        _ => unsynced,
                    };
                    f.keep(f.synced + kept);
                    f.synced = f.len;
                }
            }
        });
    }

    /// Every file with its bytes, durable or not, for saving a world.
    pub fn export(&self) -> Vec<(String, Bytes)> {
        self.list().into_iter().map(|f| (f.clone(), self.read(&f))).collect()
    }

    /// Replaces the disk's content by saved files, all durable.
    pub fn import(&self, files: Vec<(String, Bytes)>) {
        self.with(|d| d.files.clear());
        for (name, data) in files {
            self.replace(&name, data);
        }
    }
}
