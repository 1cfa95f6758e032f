//! The engine as a plain wasm module: bytes in, bytes out, no imports.
