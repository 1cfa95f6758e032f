//! One file per thing a person can do.

pub mod apply;
pub mod edit;
pub mod encrypt;
pub mod hold;
pub mod open;
pub mod step;
pub mod world;
