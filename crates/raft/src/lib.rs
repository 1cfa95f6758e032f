//! Consensus as a pure state machine, shaped like etcd's RawNode and Ready.
