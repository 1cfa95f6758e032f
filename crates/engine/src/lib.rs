//! The engine as a plain wasm module: bytes in, bytes out, no imports.
//!
//! `host` answers requests around any [`World`]; `export` makes a module's functions of it. The world itself is the
//! playground's.

pub mod export;
mod host;

pub use host::{World, answer};

use protocol::host::Boot;
use protocol::{Command, Event, Ran};

impl World for playground::Playground {
    fn boot(boot: Boot) -> Result<Self, String> {
        playground::Playground::boot(boot)
    }
    fn handle(&mut self, command: Command) -> Vec<Event> {
        playground::Playground::handle(self, command);
        self.take_events()
    }
    fn run(&mut self, max: u64, until: u64, pass_stops: bool) -> Ran {
        playground::Playground::run(self, max, until, pass_stops)
    }
    fn ran(&self) -> Ran {
        playground::Playground::ran(self)
    }
    fn take_events(&mut self) -> Vec<Event> {
        playground::Playground::take_events(self)
    }
    fn save(&mut self) -> Vec<u8> {
        playground::Playground::save(self)
    }
}

// Only in the module itself: natively, a function called `free` would take the C library's place.
#[cfg(target_arch = "wasm32")]
export_world!(playground::Playground);
