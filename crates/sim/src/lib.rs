//! Virtual clock, seeded randomness, deterministic executor, network, disk and trace.
