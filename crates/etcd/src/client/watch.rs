//! Watching: the raw stream, and a watcher that goes on where it was after a lost connection.

use super::{Client, Stream};
use bytes::Bytes;
use core::time::Duration;
use sim::Ctx;
use wire::etcdserverpb::watch_create_request::FilterType;
use wire::etcdserverpb::watch_request::RequestUnion;
use wire::etcdserverpb::*;
use wire::mvccpb::Event;
use wire::rpc::{Code, Status, errors};

/// Longest wait between attempts to open the stream again (clientv3 `watch.go`).
const MAX_BACKOFF: Duration = Duration::from_millis(100);

/// An open Watch stream: requests and responses as the API has them. One stream may carry many watchers.
pub struct Watch {
    stream: Stream<WatchRequest, WatchResponse>,
}

impl Watch {
    pub(crate) async fn open(client: &Client, ctx: Option<Ctx>) -> Result<Watch, Status> {
        Ok(Watch { stream: Stream::open(client, ctx, "/etcdserverpb.Watch/Watch").await? })
    }

    /// Sends a request.
    ///
    /// # Errors
    /// Unavailable when the connection is gone.
    pub fn send(&self, req: WatchRequest) -> Result<(), Status> {
        self.stream.send(&req)
    }

    /// Sends a create request.
    ///
    /// # Errors
    /// As [`Watch::send`].
    pub fn create(&self, req: WatchCreateRequest) -> Result<(), Status> {
        self.send(WatchRequest { request_union: Some(RequestUnion::CreateRequest(req)) })
    }

    /// Sends a cancel request for one watcher.
    ///
    /// # Errors
    /// As [`Watch::send`].
    pub fn cancel(&self, watch_id: i64) -> Result<(), Status> {
        self.send(WatchRequest {
            request_union: Some(RequestUnion::CancelRequest(WatchCancelRequest { watch_id })),
        })
    }

    /// Asks how far the stream is.
    ///
    /// # Errors
    /// As [`Watch::send`].
    pub fn request_progress(&self) -> Result<(), Status> {
        self.send(WatchRequest {
            request_union: Some(RequestUnion::ProgressRequest(WatchProgressRequest {})),
        })
    }

    /// The next response. Only one task may wait here at a time.
    ///
    /// # Errors
    /// The status with which the stream ended; Unavailable when the connection was lost; Canceled
    /// (`etcdserver: watch canceled`) when the server ended it without an error.
    pub async fn recv(&self) -> Result<WatchResponse, Status> {
        self.stream.recv().await?.ok_or_else(|| errors::WATCH_CANCELED.status())
    }

    /// The trace context of the write whose events came last, when it is being followed.
    pub fn last_ctx(&self) -> Option<Ctx> {
        self.stream.last_ctx()
    }
}

/// What to watch (clientv3's `With…` options of `Watch`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchOptions {
    /// First key of the range, or the only one.
    pub key: Bytes,
    /// End of the range, exclusive; empty: only `key`; one zero byte: everything from `key` on.
    pub range_end: Bytes,
    /// First revision wanted, inclusive; 0: from now on.
    pub start_revision: i64,
    /// Leave put events out.
    pub no_put: bool,
    /// Leave delete events out.
    pub no_delete: bool,
    /// Ask for each pair as it was before, too.
    pub prev_kv: bool,
    /// Ask for an empty response now and then.
    pub progress_notify: bool,
    /// Hand the response that says "created" to the receiver (once; not after a lost connection).
    pub created_notify: bool,
    /// Allow the server to split large responses; they are put together again here.
    pub fragment: bool,
}

/// One watch that survives lost connections: it is opened again after the last revision it has seen.
pub struct Watcher {
    client: Client,
    ctx: Option<Ctx>,
    options: WatchOptions,
    stream: Option<Watch>,
    watch_id: Option<i64>,
    next_revision: i64,
    created: bool,
    ended: bool,
    progress_wanted: bool,
    fragments: Vec<Event>,
    last_ctx: Option<Ctx>,
    backoff: Duration,
}

impl Watcher {
    pub(crate) fn new(client: Client, ctx: Option<Ctx>, options: WatchOptions) -> Watcher {
        Watcher {
            client,
            ctx,
            next_revision: options.start_revision,
            options,
            stream: None,
            watch_id: None,
            created: false,
            ended: false,
            progress_wanted: false,
            fragments: Vec::new(),
            last_ctx: None,
            backoff: Duration::from_millis(1),
        }
    }

    fn create_request(&self) -> WatchCreateRequest {
        let mut filters = Vec::new();
        if self.options.no_put {
            filters.push(FilterType::NoPut as i32);
        }
        if self.options.no_delete {
            filters.push(FilterType::NoDelete as i32);
        }
        WatchCreateRequest {
            key: self.options.key.clone(),
            range_end: self.options.range_end.clone(),
            start_revision: self.next_revision,
            progress_notify: self.options.progress_notify,
            filters,
            prev_kv: self.options.prev_kv,
            watch_id: 0,
            fragment: self.options.fragment,
        }
    }

    /// Asks for a progress response, which arrives as a response without events.
    pub fn request_progress(&mut self) {
        match &self.stream {
            Some(s) => {
                let _ = s.request_progress(); // a lost connection shows when receiving
            }
            None => self.progress_wanted = true,
        }
    }

    /// The trace context of the write whose events came last, when it is being followed.
    pub fn last_ctx(&self) -> Option<Ctx> {
        self.last_ctx
    }

    /// The first revision that was not seen yet.
    pub fn next_revision(&self) -> i64 {
        self.next_revision
    }

    /// The next response with events, progress, or a cancellation (`canceled`, with `compact_revision` when history is gone);
    /// `None` after the last. Dropping the future loses nothing.
    ///
    /// # Errors
    /// What ends a watch for good: `etcdserver: no leader`, and whatever is neither Unavailable nor Internal.
    pub async fn recv(&mut self) -> Option<Result<WatchResponse, Status>> {
        while !self.ended {
            if self.stream.is_none() {
                match Watch::open(&self.client, self.ctx).await {
                    Ok(s) => {
                        self.watch_id = None;
                        self.fragments.clear();
                        let created = s.create(self.create_request());
                        self.stream = Some(s);
                        if created.is_err() {
                            self.reconnect().await;
                            continue;
                        }
                        if core::mem::take(&mut self.progress_wanted) {
                            self.request_progress();
                        }
                    }
                    Err(status) => return Some(Err(self.end(status))),
                }
            }
            let Some(stream) = &self.stream else { continue };
            match stream.recv().await {
                Ok(resp) => {
                    self.last_ctx = stream.last_ctx();
                    if let Some(out) = self.take(resp) {
                        return Some(Ok(out));
                    }
                }
                Err(status) => {
                    let halts = !matches!(status.code, Code::Unavailable | Code::Internal);
                    if halts || status.is(errors::NO_LEADER) {
                        return Some(Err(self.end(status)));
                    }
                    self.reconnect().await;
                }
            }
        }
        None
    }

    async fn reconnect(&mut self) {
        self.stream = None;
        let wait = self.backoff;
        self.backoff = (self.backoff + self.backoff / 4).min(MAX_BACKOFF);
        self.client.sim().sleep(wait).await;
    }

    fn end(&mut self, status: Status) -> Status {
        self.ended = true;
        self.stream = None;
        status
    }

    /// Keeps account of a response; what the receiver shall see comes back.
    fn take(&mut self, mut resp: WatchResponse) -> Option<WatchResponse> {
        let revision = resp.header.as_ref().map_or(0, |h| h.revision);
        if resp.created && !resp.canceled {
            self.watch_id = Some(resp.watch_id);
            self.backoff = Duration::from_millis(1);
            if self.next_revision == 0 {
                self.next_revision = revision + 1;
            }
            let first = !core::mem::replace(&mut self.created, true);
            return (first && self.options.created_notify).then_some(resp);
        }
        if resp.canceled {
            self.ended = true;
            self.stream = None;
            return Some(resp);
        }
        if resp.fragment {
            self.fragments.append(&mut resp.events);
            return None;
        }
        if !self.fragments.is_empty() {
            let mut all = core::mem::take(&mut self.fragments);
            all.append(&mut resp.events);
            resp.events = all;
        }
        match resp.events.last().and_then(|e| e.kv.as_ref()) {
            Some(kv) => self.next_revision = kv.mod_revision + 1,
            // progress: everything up to the header's revision was seen
            None => self.next_revision = self.next_revision.max(revision + 1),
        }
        Some(resp)
    }
}
