//! The storage half of a kube-apiserver.
