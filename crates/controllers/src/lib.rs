//! Scheduler, kubelet model, workload controllers: ordinary API clients.
