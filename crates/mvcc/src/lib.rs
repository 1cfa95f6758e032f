//! etcd's multi-version store: revisions, key index, transactions, watch, leases.
