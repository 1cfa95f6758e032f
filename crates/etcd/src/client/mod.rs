//! The client side of etcd's API, behaving as Go's `clientv3` does: one connection per endpoint, round robin over those
//! that are up, calls that wait until one is, and retries only where repeating is safe.
//!
//! ```no_run
//! # async fn f(sim: sim::Sim) -> Result<(), wire::rpc::Status> {
//! use wire::etcdserverpb::PutRequest;
//! let c = etcd::Client::new(&sim, &sim.process("etcdctl"), vec!["127.0.0.1:2379".into()]);
//! let c = c.with_timeout(std::time::Duration::from_secs(5));
//! c.put(None, PutRequest { key: "foo".into(), value: "bar".into(), ..Default::default() }).await?;
//! # Ok(()) }
//! ```

mod conn;
mod lease;
mod retry;
mod stream;
mod watch;

pub use lease::KeepAlive;
pub use retry::RetryPolicy;
pub use stream::Stream;
pub use watch::{Watch, WatchOptions, Watcher};

use conn::Endpoints;
use core::time::Duration;
use sim::{Ctx, Process, Sim};
use std::rc::Rc;
use wire::etcdserverpb::*;
use wire::rpc::{Code, Status};

/// Largest message the client sends: 2 MiB, clientv3's default.
pub const MAX_CALL_SEND: usize = 2 * 1024 * 1024;
/// Largest message the client receives: no limit but the format's, clientv3's default.
pub const MAX_CALL_RECV: u32 = i32::MAX as u32;

/// A client of an etcd cluster. Clones are cheap and share their connections; the connections close with the last clone.
#[derive(Clone)]
pub struct Client {
    pub(crate) endpoints: Rc<Endpoints>,
    timeout: Option<Duration>,
    metadata: Rc<[(String, String)]>,
}

impl Client {
    /// A client that runs in `process` and talks to `endpoints` (`host:port`, or URLs of them). Starts to connect to all of
    /// them at once; calls wait until one is connected.
    pub fn new(sim: &Sim, process: &Process, endpoints: Vec<String>) -> Client {
        Client { endpoints: Endpoints::new(sim, process, endpoints), timeout: None, metadata: Rc::new([]) }
    }

    /// The same client with a deadline for every call: Go's `context.WithTimeout`. A call that takes longer fails with
    /// DeadlineExceeded, `context deadline exceeded`. Streams are not affected.
    pub fn with_timeout(&self, timeout: Duration) -> Client {
        Client { timeout: Some(timeout), ..self.clone() }
    }

    /// The same client whose calls fail with `etcdserver: no leader` when the member that gets them knows none
    /// (clientv3's `WithRequireLeader`).
    pub fn require_leader(&self) -> Client {
        let mut metadata = self.metadata.to_vec();
        metadata.push(("hasleader".into(), "true".into()));
        Client { metadata: metadata.into(), ..self.clone() }
    }

    /// The endpoints, as `host:port`, in the order given.
    pub fn endpoints(&self) -> Vec<String> {
        self.endpoints.addresses()
    }

    /// Why the last attempt to connect failed, as grpc-go words it; `None` while some endpoint is connected.
    pub fn connection_error(&self) -> Option<String> {
        self.endpoints.error()
    }

    pub(crate) fn sim(&self) -> &Sim {
        &self.endpoints.sim
    }

    pub(crate) fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// A unary call, with deadline and retries.
    async fn unary<Req: prost::Message, Resp: prost::Message + Default>(
        &self,
        ctx: Option<Ctx>,
        path: &'static str,
        policy: RetryPolicy,
        req: Req,
    ) -> Result<Resp, Status> {
        let deadline = self.timeout.map(|t| self.sim().now() + t);
        let call = retry::unary(self, ctx, path, policy, &req, deadline);
        match self.timeout {
            None => call.await,
            Some(t) => self.sim().timeout(t, call).await.unwrap_or_else(|_| Err(deadline_exceeded())),
        }
    }

    /// KV.Range. Repeated on Unavailable.
    pub async fn range(&self, ctx: Option<Ctx>, req: RangeRequest) -> Result<RangeResponse, Status> {
        self.unary(ctx, "/etcdserverpb.KV/Range", RetryPolicy::Repeatable, req).await
    }

    /// KV.Put. Not repeated once it may have been received.
    pub async fn put(&self, ctx: Option<Ctx>, req: PutRequest) -> Result<PutResponse, Status> {
        self.unary(ctx, "/etcdserverpb.KV/Put", RetryPolicy::NonRepeatable, req).await
    }

    /// KV.DeleteRange. Not repeated once it may have been received.
    pub async fn delete_range(
        &self,
        ctx: Option<Ctx>,
        req: DeleteRangeRequest,
    ) -> Result<DeleteRangeResponse, Status> {
        self.unary(ctx, "/etcdserverpb.KV/DeleteRange", RetryPolicy::NonRepeatable, req).await
    }

    /// KV.Txn. Not repeated once it may have been received.
    pub async fn txn(&self, ctx: Option<Ctx>, req: TxnRequest) -> Result<TxnResponse, Status> {
        self.unary(ctx, "/etcdserverpb.KV/Txn", RetryPolicy::NonRepeatable, req).await
    }

    /// KV.Compact. Not repeated once it may have been received.
    pub async fn compact(
        &self,
        ctx: Option<Ctx>,
        req: CompactionRequest,
    ) -> Result<CompactionResponse, Status> {
        self.unary(ctx, "/etcdserverpb.KV/Compact", RetryPolicy::NonRepeatable, req).await
    }

    /// Opens a Watch stream: the raw messages of the API. [`Client::watcher`] is the comfortable form.
    pub async fn watch(&self, ctx: Option<Ctx>) -> Result<Watch, Status> {
        Watch::open(self, ctx).await
    }

    /// Watches a key or range, going on by itself after a lost connection (clientv3's `Watch`).
    pub fn watcher(&self, ctx: Option<Ctx>, options: WatchOptions) -> Watcher {
        Watcher::new(self.clone(), ctx, options)
    }

    /// Lease.LeaseGrant. Repeated on Unavailable.
    pub async fn lease_grant(
        &self,
        ctx: Option<Ctx>,
        req: LeaseGrantRequest,
    ) -> Result<LeaseGrantResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Lease/LeaseGrant", RetryPolicy::Repeatable, req).await
    }

    /// Lease.LeaseRevoke. Repeated on Unavailable.
    pub async fn lease_revoke(
        &self,
        ctx: Option<Ctx>,
        req: LeaseRevokeRequest,
    ) -> Result<LeaseRevokeResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Lease/LeaseRevoke", RetryPolicy::Repeatable, req).await
    }

    /// Lease.LeaseTimeToLive. Repeated on Unavailable.
    pub async fn lease_time_to_live(
        &self,
        ctx: Option<Ctx>,
        req: LeaseTimeToLiveRequest,
    ) -> Result<LeaseTimeToLiveResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Lease/LeaseTimeToLive", RetryPolicy::Repeatable, req).await
    }

    /// Lease.LeaseLeases. Repeated on Unavailable.
    pub async fn lease_leases(
        &self,
        ctx: Option<Ctx>,
        req: LeaseLeasesRequest,
    ) -> Result<LeaseLeasesResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Lease/LeaseLeases", RetryPolicy::Repeatable, req).await
    }

    /// Renews a lease once (clientv3's `KeepAliveOnce`).
    ///
    /// # Errors
    /// `etcdserver: requested lease not found` when the answer's TTL is not positive.
    pub async fn lease_keep_alive_once(
        &self,
        ctx: Option<Ctx>,
        id: i64,
    ) -> Result<LeaseKeepAliveResponse, Status> {
        lease::keep_alive_once(self, ctx, id).await
    }

    /// Renews a lease every third of its TTL until the [`KeepAlive`] is dropped (clientv3's `KeepAlive`).
    pub fn lease_keep_alive(&self, ctx: Option<Ctx>, id: i64) -> KeepAlive {
        KeepAlive::new(self.clone(), ctx, id)
    }

    /// Cluster.MemberAdd.
    pub async fn member_add(
        &self,
        ctx: Option<Ctx>,
        req: MemberAddRequest,
    ) -> Result<MemberAddResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Cluster/MemberAdd", RetryPolicy::NonRepeatable, req).await
    }

    /// Cluster.MemberRemove.
    pub async fn member_remove(
        &self,
        ctx: Option<Ctx>,
        req: MemberRemoveRequest,
    ) -> Result<MemberRemoveResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Cluster/MemberRemove", RetryPolicy::NonRepeatable, req).await
    }

    /// Cluster.MemberUpdate.
    pub async fn member_update(
        &self,
        ctx: Option<Ctx>,
        req: MemberUpdateRequest,
    ) -> Result<MemberUpdateResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Cluster/MemberUpdate", RetryPolicy::NonRepeatable, req).await
    }

    /// Cluster.MemberPromote.
    pub async fn member_promote(
        &self,
        ctx: Option<Ctx>,
        req: MemberPromoteRequest,
    ) -> Result<MemberPromoteResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Cluster/MemberPromote", RetryPolicy::NonRepeatable, req).await
    }

    /// Cluster.MemberList. Repeated on Unavailable.
    pub async fn member_list(
        &self,
        ctx: Option<Ctx>,
        req: MemberListRequest,
    ) -> Result<MemberListResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Cluster/MemberList", RetryPolicy::Repeatable, req).await
    }

    /// Maintenance.Status. Repeated on Unavailable.
    pub async fn status(&self, ctx: Option<Ctx>, req: StatusRequest) -> Result<StatusResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Maintenance/Status", RetryPolicy::Repeatable, req).await
    }

    /// Maintenance.Alarm. Repeated on Unavailable.
    pub async fn alarm(&self, ctx: Option<Ctx>, req: AlarmRequest) -> Result<AlarmResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Maintenance/Alarm", RetryPolicy::Repeatable, req).await
    }

    /// Maintenance.HashKV. Repeated on Unavailable.
    pub async fn hash_kv(&self, ctx: Option<Ctx>, req: HashKVRequest) -> Result<HashKVResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Maintenance/HashKV", RetryPolicy::Repeatable, req).await
    }

    /// Maintenance.Hash. Repeated on Unavailable.
    pub async fn hash(&self, ctx: Option<Ctx>, req: HashRequest) -> Result<HashResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Maintenance/Hash", RetryPolicy::Repeatable, req).await
    }

    /// Maintenance.Defragment. Not repeated once it may have been received.
    pub async fn defragment(
        &self,
        ctx: Option<Ctx>,
        req: DefragmentRequest,
    ) -> Result<DefragmentResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Maintenance/Defragment", RetryPolicy::NonRepeatable, req).await
    }

    /// Maintenance.MoveLeader. Repeated on Unavailable.
    pub async fn move_leader(
        &self,
        ctx: Option<Ctx>,
        req: MoveLeaderRequest,
    ) -> Result<MoveLeaderResponse, Status> {
        self.unary(ctx, "/etcdserverpb.Maintenance/MoveLeader", RetryPolicy::Repeatable, req).await
    }

    /// Maintenance.Snapshot: a stream of the backend file's bytes.
    pub async fn snapshot(
        &self,
        ctx: Option<Ctx>,
    ) -> Result<Stream<SnapshotRequest, SnapshotResponse>, Status> {
        let s = Stream::open(self, ctx, "/etcdserverpb.Maintenance/Snapshot").await?;
        s.send(&SnapshotRequest {})?;
        s.close_send();
        Ok(s)
    }
}

/// What a call gets when its own deadline passed: the text of Go's `context.DeadlineExceeded`.
pub(crate) fn deadline_exceeded() -> Status {
    Status::new(Code::DeadlineExceeded, "context deadline exceeded")
}
