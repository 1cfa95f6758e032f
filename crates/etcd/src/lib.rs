//! An etcd member (raft, mvcc, disk), the cluster and its client API.
