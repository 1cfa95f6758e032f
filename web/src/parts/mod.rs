//! The parts of the page, one file each.

pub mod consensus;
pub mod editor;
pub mod help;
pub mod hex;
pub mod inspector;
pub mod keyspace;
pub mod nowbar;
pub mod panels;
pub mod pipeline;
pub mod ruler;
pub mod sample;
pub mod start;
pub mod station;
pub mod strip;
pub mod terminals;
pub mod text;
pub mod top;
pub mod tree;
