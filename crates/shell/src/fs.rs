//! The shell's files: one tree in memory, shared by every terminal and saved with the world.
//!
//! Paths are absolute and clean (`/tmp/a.yaml`); [`Fs::resolve`] makes them so. A file's change counter lets others notice
//! that it was written: saving the API server's static Pod manifest restarts the API server.

use bytes::Bytes;
use core::task::{Poll, Waker};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why a path cannot be used, in the C library's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum FsError {
    #[error("No such file or directory")]
    NotFound,
    #[error("Is a directory")]
    IsDirectory,
    #[error("Not a directory")]
    NotDirectory,
    #[error("File exists")]
    Exists,
    #[error("Directory not empty")]
    NotEmpty,
    #[error("Permission denied")]
    Denied,
}

#[derive(Clone)]
enum Node {
    Dir { mtime: i64 },
    File { data: Rc<RefCell<Vec<u8>>>, mtime: i64, mode: u16 },
}

#[derive(Default)]
struct Tree {
    nodes: BTreeMap<String, Node>,
    changes: u64,
    clock: i64,
    wakers: Vec<Waker>,
}

/// A handle to the tree.
#[derive(Clone, Default)]
pub struct Fs(Rc<RefCell<Tree>>);

/// What `ls -l` shows of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Whether it is a directory.
    pub dir: bool,
    /// Length in bytes (4096 for a directory).
    pub size: u64,
    /// Modification time, nanoseconds since the Unix epoch.
    pub mtime: i64,
    /// Permission bits.
    pub mode: u16,
}

fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(i) => &path[..i],
    }
}

impl Fs {
    /// A tree with `/`, `/dev`, `/etc`, `/root`, `/tmp`.
    pub fn new() -> Fs {
        let fs = Fs::default();
        for dir in ["/", "/dev", "/etc", "/root", "/tmp"] {
            fs.0.borrow_mut().nodes.insert(dir.to_owned(), Node::Dir { mtime: 0 });
        }
        fs
    }

    /// Tells the tree the time that files written from now on bear.
    pub fn set_clock(&self, unix_nanos: i64) {
        self.0.borrow_mut().clock = unix_nanos;
    }

    /// `path` as seen from `cwd`, absolute, without `.`, `..` and double slashes.
    pub fn resolve(cwd: &str, path: &str) -> String {
        let full = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
        let mut parts: Vec<&str> = Vec::new();
        for p in full.split('/') {
            match p {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                p => parts.push(p),
            }
        }
        format!("/{}", parts.join("/"))
    }

    /// What is at `path`.
    pub fn stat(&self, path: &str) -> Result<Stat, FsError> {
        if path == "/dev/null" || path == "/dev/zero" {
            return Ok(Stat { dir: false, size: 0, mtime: 0, mode: 0o666 });
        }
        match self.0.borrow().nodes.get(path) {
            Some(Node::Dir { mtime }) => Ok(Stat { dir: true, size: 4096, mtime: *mtime, mode: 0o755 }),
            Some(Node::File { data, mtime, mode }) => {
                Ok(Stat { dir: false, size: data.borrow().len() as u64, mtime: *mtime, mode: *mode })
            }
            None => Err(self.missing(path)),
        }
    }

    fn missing(&self, path: &str) -> FsError {
        let mut p = parent(path);
        loop {
            match self.0.borrow().nodes.get(p) {
                Some(Node::File { .. }) => return FsError::NotDirectory,
                Some(_) => return FsError::NotFound,
                None => p = parent(p),
            }
        }
    }

    /// Whether `path` is a directory.
    pub fn is_dir(&self, path: &str) -> bool {
        matches!(self.0.borrow().nodes.get(path), Some(Node::Dir { .. }))
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str) -> Result<Bytes, FsError> {
        if path == "/dev/null" {
            return Ok(Bytes::new());
        }
        match self.0.borrow().nodes.get(path) {
            Some(Node::File { data, .. }) => Ok(Bytes::copy_from_slice(&data.borrow())),
            Some(Node::Dir { .. }) => Err(FsError::IsDirectory),
            None => Err(self.missing(path)),
        }
    }

    /// Writes a whole file.
    pub fn write(&self, path: &str, content: &[u8]) -> Result<(), FsError> {
        if path == "/dev/null" {
            return Ok(());
        }
        if self.is_dir(path) {
            return Err(FsError::IsDirectory);
        }
        if !self.is_dir(parent(path)) {
            return Err(self.missing(path));
        }
        let wakers = {
            let mut t = self.0.borrow_mut();
            let clock = t.clock;
            match t.nodes.get_mut(path) {
                Some(Node::File { data, mtime, .. }) => {
                    *data.borrow_mut() = content.to_vec();
                    *mtime = clock;
                }
                _ => {
                    let data = Rc::new(RefCell::new(content.to_vec()));
                    t.nodes.insert(path.to_owned(), Node::File { data, mtime: clock, mode: 0o644 });
                }
            }
            t.changes += 1;
            core::mem::take(&mut t.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Writes a file and makes the directories above it.
    pub fn write_all(&self, path: &str, content: &[u8]) -> Result<(), FsError> {
        self.mkdir_all(parent(path))?;
        self.write(path, content)
    }

    /// Appends to a file that was opened before; nothing if it is gone.
    pub fn append(&self, path: &str, content: &[u8]) {
        let wakers = {
            let mut t = self.0.borrow_mut();
            let clock = t.clock;
            if let Some(Node::File { data, mtime, .. }) = t.nodes.get_mut(path) {
                data.borrow_mut().extend_from_slice(content);
                *mtime = clock;
            }
            t.changes += 1;
            core::mem::take(&mut t.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Makes one directory.
    pub fn mkdir(&self, path: &str) -> Result<(), FsError> {
        if self.stat(path).is_ok() {
            return Err(FsError::Exists);
        }
        if !self.is_dir(parent(path)) {
            return Err(self.missing(path));
        }
        let mut t = self.0.borrow_mut();
        let mtime = t.clock;
        t.nodes.insert(path.to_owned(), Node::Dir { mtime });
        Ok(())
    }

    /// Makes a directory and those above it.
    pub fn mkdir_all(&self, path: &str) -> Result<(), FsError> {
        if self.is_dir(path) {
            return Ok(());
        }
        if self.stat(path).is_ok() {
            return Err(FsError::Exists);
        }
        self.mkdir_all(parent(path))
            .map_err(|e| if e == FsError::Exists { FsError::NotDirectory } else { e })?;
        self.mkdir(path)
    }

    /// Removes a file or an empty directory.
    pub fn remove(&self, path: &str) -> Result<(), FsError> {
        self.stat(path)?;
        if self.is_dir(path) && !self.list(path)?.is_empty() {
            return Err(FsError::NotEmpty);
        }
        let mut t = self.0.borrow_mut();
        t.nodes.remove(path);
        t.changes += 1;
        Ok(())
    }

    /// Removes a path with everything below it.
    pub fn remove_all(&self, path: &str) -> Result<(), FsError> {
        self.stat(path)?;
        let below = format!("{path}/");
        let mut t = self.0.borrow_mut();
        t.nodes.retain(|p, _| p != path && !p.starts_with(&below));
        t.changes += 1;
        Ok(())
    }

    /// Moves a file or a directory.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), FsError> {
        self.stat(from)?;
        if !self.is_dir(parent(to)) {
            return Err(self.missing(to));
        }
        let below = format!("{from}/");
        let mut t = self.0.borrow_mut();
        let moved: Vec<String> =
            t.nodes.keys().filter(|p| *p == from || p.starts_with(&below)).cloned().collect();
        for p in moved {
            if let Some(n) = t.nodes.remove(&p) {
                t.nodes.insert(format!("{to}{}", &p[from.len()..]), n);
            }
        }
        t.changes += 1;
        Ok(())
    }

    /// Sets a file's permission bits.
    pub fn set_mode(&self, path: &str, bits: u16) -> Result<(), FsError> {
        self.stat(path)?;
        if let Some(Node::File { mode, .. }) = self.0.borrow_mut().nodes.get_mut(path) {
            *mode = bits;
        }
        Ok(())
    }

    /// Names in a directory, in byte order.
    pub fn list(&self, path: &str) -> Result<Vec<String>, FsError> {
        if !self.is_dir(path) {
            return Err(if self.stat(path).is_ok() { FsError::NotDirectory } else { self.missing(path) });
        }
        let below = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        let t = self.0.borrow();
        let names = t.nodes.range(below.clone()..).take_while(|(p, _)| p.starts_with(&below));
        let direct =
            names.filter_map(|(p, _)| Some(&p[below.len()..]).filter(|n| !n.is_empty() && !n.contains('/')));
        Ok(direct.map(str::to_owned).collect())
    }

    /// How often anything in the tree was written.
    pub fn changes(&self) -> u64 {
        self.0.borrow().changes
    }

    /// Completes when something was written after [`Fs::changes`] said `seen`.
    pub async fn changed(&self, seen: u64) {
        core::future::poll_fn(|cx| {
            let mut t = self.0.borrow_mut();
            if t.changes != seen {
                return Poll::Ready(());
            }
            t.wakers.push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Every file with its bytes, and every directory (its name ends with `/`), for saving a world.
    pub fn export(&self) -> Vec<(String, Bytes)> {
        let entry = |(p, n): (&String, &Node)| match n {
            Node::Dir { .. } => (format!("{}/", p.trim_end_matches('/')), Bytes::new()),
            Node::File { data, .. } => (p.clone(), Bytes::copy_from_slice(&data.borrow())),
        };
        self.0.borrow().nodes.iter().map(entry).collect()
    }

    /// Replaces the tree by a saved one. Entries that make no sense are left out.
    pub fn import(&self, saved: Vec<(String, Bytes)>) {
        self.0.borrow_mut().nodes.retain(|p, _| p == "/");
        for (p, data) in saved {
            let clean = Fs::resolve("/", &p);
            let _ = if p.ends_with('/') { self.mkdir_all(&clean) } else { self.write_all(&clean, &data) };
        }
    }
}
