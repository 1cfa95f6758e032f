//! What commands read and write: pipes, files, terminals, all as streams of byte chunks.
//!
//! A pipe holds at most [`PIPE_BYTES`]; a writer waits when it is full, and gets [`Exit`] 141 (as a program killed by
//! SIGPIPE) when nobody reads any more. So `yes | head -1` ends.

use crate::fs::Fs;
use bytes::Bytes;
use core::task::{Poll, Waker};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Linux' default capacity of a pipe.
pub const PIPE_BYTES: usize = 65_536;

/// A command ends here with this status: an error was already printed, or a pipe broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(pub i32);

#[derive(Default)]
struct Pipe {
    chunks: VecDeque<Bytes>,
    size: usize,
    writers: usize,
    reader_gone: bool,
    read_waker: Option<Waker>,
    write_wakers: Vec<Waker>,
}

impl Pipe {
    fn wake_reader(&mut self) {
        if let Some(w) = self.read_waker.take() {
            w.wake();
        }
    }
    fn wake_writers(&mut self) {
        self.write_wakers.drain(..).for_each(Waker::wake);
    }
}

struct PipeReader(Rc<RefCell<Pipe>>);
struct PipeWriter(Rc<RefCell<Pipe>>);

impl Drop for PipeReader {
    fn drop(&mut self) {
        let mut p = self.0.borrow_mut();
        p.reader_gone = true;
        p.chunks.clear();
        p.wake_writers();
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        let mut p = self.0.borrow_mut();
        p.writers -= 1;
        if p.writers == 0 {
            p.wake_reader();
        }
    }
}

/// A connected pair.
pub fn pipe() -> (Output, Input) {
    let p = Rc::new(RefCell::new(Pipe { writers: 1, ..Pipe::default() }));
    let writer = Output(Rc::new(Target::Pipe(PipeWriter(p.clone()))));
    (writer, Input::from(Source::Pipe(PipeReader(p))))
}

enum Source {
    Empty,
    Data(Bytes),
    Zero,
    Pipe(PipeReader),
}

struct Reading {
    source: Source,
    /// Read but given back, as the rest after a line.
    rest: Bytes,
}

/// Where a command reads from. Clones share the position.
#[derive(Clone)]
pub struct Input(Rc<RefCell<Reading>>);

impl From<Source> for Input {
    fn from(source: Source) -> Input {
        Input(Rc::new(RefCell::new(Reading { source, rest: Bytes::new() })))
    }
}

impl Input {
    /// Nothing to read.
    pub fn empty() -> Input {
        Source::Empty.into()
    }

    /// These bytes.
    pub fn data(data: impl Into<Bytes>) -> Input {
        Source::Data(data.into()).into()
    }

    /// Zeros without end.
    pub fn zero() -> Input {
        Source::Zero.into()
    }

    /// The next chunk; `None` at the end.
    pub async fn read(&self) -> Option<Bytes> {
        core::future::poll_fn(|cx| {
            let mut r = self.0.borrow_mut();
            if !r.rest.is_empty() {
                return Poll::Ready(Some(core::mem::take(&mut r.rest)));
            }
            match &mut r.source {
                Source::Empty => Poll::Ready(None),
                Source::Data(d) if d.is_empty() => Poll::Ready(None),
                Source::Data(d) => Poll::Ready(Some(core::mem::take(d))),
                Source::Zero => Poll::Ready(Some(Bytes::from_static(&[0; 4096]))),
                Source::Pipe(p) => {
                    let mut p = p.0.borrow_mut();
                    if let Some(c) = p.chunks.pop_front() {
                        p.size -= c.len();
                        p.wake_writers();
                        return Poll::Ready(Some(c));
                    }
                    if p.writers == 0 {
                        return Poll::Ready(None);
                    }
                    p.read_waker = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Gives bytes back, to be read next.
    pub fn unread(&self, data: Bytes) {
        let mut r = self.0.borrow_mut();
        r.rest = if r.rest.is_empty() { data } else { [data, core::mem::take(&mut r.rest)].concat().into() };
    }

    /// Everything up to the end.
    pub async fn read_all(&self) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(c) = self.read().await {
            all.extend_from_slice(&c);
        }
        all
    }

    /// The next line without its end; `None` at the end of input.
    pub async fn line(&self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        while let Some(c) = self.read().await {
            if let Some(at) = c.iter().position(|b| *b == b'\n') {
                line.extend_from_slice(&c[..at]);
                self.unread(c.slice(at + 1..));
                return Some(line);
            }
            line.extend_from_slice(&c);
        }
        (!line.is_empty()).then_some(line)
    }
}

/// Takes what is written.
type Sink = Box<dyn Fn(&[u8])>;

enum Target {
    Sink(Sink),
    Pipe(PipeWriter),
    File { fs: Fs, path: String },
    Null,
}

/// Where a command writes. Clones write to the same place.
#[derive(Clone)]
pub struct Output(Rc<Target>);

impl Output {
    /// Every chunk is given to `f`.
    pub fn sink(f: impl Fn(&[u8]) + 'static) -> Output {
        Output(Rc::new(Target::Sink(Box::new(f))))
    }

    /// Appends to a file.
    pub fn file(fs: &Fs, path: &str) -> Output {
        Output(Rc::new(Target::File { fs: fs.clone(), path: path.to_owned() }))
    }

    /// Forgets everything.
    pub fn null() -> Output {
        Output(Rc::new(Target::Null))
    }

    /// Writes `data`; waits while a pipe is full.
    pub async fn write(&self, data: impl Into<Bytes>) -> Result<(), Exit> {
        let data = data.into();
        match &*self.0 {
            Target::Sink(f) => f(&data),
            Target::Null => {}
            Target::File { fs, path } => fs.append(path, &data),
            Target::Pipe(w) => {
                core::future::poll_fn(|cx| {
                    let mut p = w.0.borrow_mut();
                    if p.reader_gone {
                        return Poll::Ready(Err(Exit(141)));
                    }
                    if p.size >= PIPE_BYTES {
                        p.write_wakers.push(cx.waker().clone());
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok(()))
                })
                .await?;
                let mut p = w.0.borrow_mut();
                if !data.is_empty() {
                    p.size += data.len();
                    p.chunks.push_back(data);
                    p.wake_reader();
                }
            }
        }
        Ok(())
    }

    /// Writes a text and a line end.
    pub async fn line(&self, text: &str) -> Result<(), Exit> {
        self.write(format!("{text}\n")).await
    }
}

/// The three streams of a command.
#[derive(Clone)]
pub struct Io {
    /// Standard input.
    pub stdin: Input,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
}
