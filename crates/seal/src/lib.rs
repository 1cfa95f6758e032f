//! Encryption at rest: configuration and transformers.
