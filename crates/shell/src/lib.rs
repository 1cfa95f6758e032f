//! The terminal's language, its tools, kubectl and etcdctl.
