//! The world: composes the machine, etcd, the API server, controllers and terminals; saves it; answers the page.
//!
//! ```text
//!   Config ─▶ World { Sim, Cluster, files, terminals } ─▶ script (command line) or Playground (page)
//! ```

mod otlp;
mod play;
mod save;
mod world;

pub use otlp::traces_data;
pub use play::Playground;
pub use save::{Saved, SavedError};
pub use world::{Ended, World};

#[cfg(test)]
mod tests;
