//! The world as a whole: a new one, a file of it, one from a file.

use protocol::Config;
use protocol::host::Boot;

use crate::host;

/// Begins a new world with this configuration; the saved one is forgotten.
pub fn reset(config: Config) {
    host::reset(&protocol::encode(&Boot { config, saved: None }));
}

/// Gives the world as a file.
pub fn export() {
    host::export();
}

/// Asks for a file and goes on with its world.
pub fn import() {
    host::then(host::pick(), |value| {
        if !value.is_null() {
            host::import(&js_sys::Uint8Array::new(&value).to_vec());
        }
    });
}
