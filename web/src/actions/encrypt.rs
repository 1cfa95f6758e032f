//! Encryption at rest: on with a configuration, or off. The API server reads it when it starts, so it restarts.

use protocol::{Input, Run};

use crate::host;

/// The configuration the switch turns on with: aescbc for Secrets, ConfigMaps and Pods, reading what is plain.
pub const FIRST: &str = include_str!("../../../static/manifests/encryption.yaml");

pub fn turn(config: Option<String>, paused: bool) {
    host::input(Input::Encryption { config });
    if paused {
        host::run(Run::Go { speed: 1000 });
    }
}
