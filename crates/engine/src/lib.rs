//! The engine as a plain wasm module: bytes in, bytes out, no imports.
//!
//! `host` answers requests around any [`World`]; `export` makes a module's functions of it. The world itself is the
//! playground's.

pub mod export;
mod host;

pub use host::{World, answer};
