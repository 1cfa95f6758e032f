//! A member's side of its connections: gRPC calls and HTTP endpoints on the client URL, peer endpoints on the peer URL.
//!
//! One port serves both protocols, as in etcd: what begins like an HTTP/1.1 request is one.

mod cluster;
mod http;
mod kv;
mod lease;
mod maintenance;
mod watch;

use crate::client::deadline_exceeded;
use crate::cluster::Shared;
use crate::http2;
use crate::member::Member;
use bytes::Bytes;
use core::time::Duration;
use futures::StreamExt;
use futures::channel::mpsc;
use prost::Message;
use sim::{Conn, Ctx, Listener, Task};
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::grpc::{
    self, Frame, Headers, Messages, PREFIX_LEN, decode_timeout, encode_message, header, response_headers,
    trailers,
};
use wire::rpc::{Code, Status, errors};

/// Largest message a member takes: `--max-request-bytes` and 512 KiB.
const MAX_RECV: u32 = (mvcc::check::MAX_REQUEST_BYTES + mvcc::check::GRPC_OVERHEAD_BYTES) as u32;
/// Election timeouts without a leader after which streams that require one are cut.
const MAX_NO_LEADER: u32 = 3;

/// The open ports of a member: for clients, for other members.
pub(crate) struct Ports {
    clients: Listener,
    peers: Listener,
}

/// Listens on the member's URLs. Connections wait until [`serve`] takes them.
pub(crate) fn listen(shared: &Shared, index: usize) -> Ports {
    let peer = &shared.peers[index];
    let addr = |url: &str| url.strip_prefix("http://").unwrap_or(url).to_owned();
    let net = shared.sim.net();
    Ports {
        clients: net.listen(&peer.process, &addr(&peer.client_url)),
        peers: net.listen(&peer.process, &addr(&peer.peer_url)),
    }
}

/// Serves the connections that come to a member's ports.
pub(crate) fn serve(m: &Rc<Member>, ports: Ports) {
    let (c, p) = (m.clone(), m.clone());
    m.process.spawn(async move {
        while let Some(conn) = ports.clients.accept().await {
            c.process.spawn(connection(c.clone(), conn));
        }
    });
    m.process.spawn(async move {
        while let Some(conn) = ports.peers.accept().await {
            p.process.spawn(http::peer_connection(p.clone(), conn));
        }
    });
}

/// One message of a call with the trace context beside it.
pub(crate) struct Incoming {
    body: Bytes,
    ctx: Option<Ctx>,
}

/// The server's end of a call.
pub(crate) struct Call {
    pub m: Rc<Member>,
    conn: Conn,
    stream: u32,
    path: String,
    requires_leader: bool,
    incoming: mpsc::UnboundedReceiver<Result<Incoming, Status>>,
    started: bool,
}

struct Open {
    tx: mpsc::UnboundedSender<Result<Incoming, Status>>,
    messages: Messages,
    task: Task<()>,
}

async fn connection(m: Rc<Member>, conn: Conn) {
    let mut calls: BTreeMap<u32, Open> = BTreeMap::new();
    let mut first = true;
    while let Some(frame) = conn.recv().await {
        if core::mem::take(&mut first) && http::looks_like_http(&frame.body) {
            return http::client_connection(m, conn, frame.body).await;
        }
        m.metrics.client_received.add(frame.body.len() as u64);
        let Ok(frames) = http2::split(frame.body) else { break };
        for f in frames {
            match f {
                Frame::Headers { stream, headers, .. } => {
                    calls.insert(stream, open(&m, &conn, stream, &headers));
                }
                Frame::Data { stream, data, end_stream } => {
                    if let Some(call) = calls.get_mut(&stream) {
                        feed(call, data, frame.ctx);
                        if end_stream {
                            call.tx.close_channel();
                        }
                    }
                }
                Frame::Reset { stream, .. } => {
                    if let Some(call) = calls.remove(&stream) {
                        call.task.abort();
                    }
                }
            }
        }
        calls.retain(|_, c| !c.tx.is_closed());
    }
    conn.close();
    for call in calls.into_values() {
        call.task.abort();
    }
}

fn feed(call: &mut Open, data: Bytes, ctx: Option<Ctx>) {
    call.messages.push(data);
    loop {
        let next = match call.messages.next_message() {
            Ok(None) => return,
            Ok(Some(body)) => Ok(Incoming { body, ctx }),
            Err(s) => Err(s),
        };
        let failed = next.is_err();
        let _ = call.tx.unbounded_send(next); // the call may be over
        if failed {
            return;
        }
    }
}

fn open(m: &Rc<Member>, conn: &Conn, stream: u32, headers: &Headers) -> Open {
    let (tx, incoming) = mpsc::unbounded();
    let path = header(headers, ":path").unwrap_or_default().to_owned();
    let timeout = header(headers, "grpc-timeout").and_then(decode_timeout);
    let requires_leader = header(headers, "hasleader") == Some("true");
    let call =
        Call { m: m.clone(), conn: conn.clone(), stream, path, requires_leader, incoming, started: false };
    let task = m.process.spawn(run(call, timeout));
    Open { tx, messages: Messages::new(MAX_RECV), task }
}

/// Runs a call to its end and answers.
async fn run(mut call: Call, timeout: Option<Duration>) {
    let m = call.m.clone();
    let requires_leader = call.requires_leader;
    let status = {
        let work = async {
            if requires_leader && m.raft.lead.get() == raft::NONE {
                return Err(errors::NO_LEADER.into());
            }
            dispatch(&mut call).await
        };
        match timeout {
            None => work.await,
            Some(t) => m.sim.timeout(t, work).await.unwrap_or_else(|_| Err(deadline_exceeded())),
        }
    };
    call.end(status);
}

async fn dispatch(call: &mut Call) -> Result<(), Status> {
    let path = call.path.clone();
    let m = call.m.clone();
    match path.as_str() {
        "/etcdserverpb.KV/Range" => call.unary(|ctx, r| kv::range(&m, ctx, r)).await,
        "/etcdserverpb.KV/Put" => call.unary(|ctx, r| kv::put(&m, ctx, r)).await,
        "/etcdserverpb.KV/DeleteRange" => call.unary(|ctx, r| kv::delete_range(&m, ctx, r)).await,
        "/etcdserverpb.KV/Txn" => call.unary(|ctx, r| kv::txn(&m, ctx, r)).await,
        "/etcdserverpb.KV/Compact" => call.unary(|ctx, r| kv::compact(&m, ctx, r)).await,
        "/etcdserverpb.Watch/Watch" => {
            let lost = no_leader_for_long(&m, call.requires_leader);
            futures::pin_mut!(lost);
            let stream = watch::serve(call);
            futures::pin_mut!(stream);
            match futures::future::select(stream, lost).await {
                futures::future::Either::Left((r, _)) => r,
                futures::future::Either::Right(_) => Err(errors::NO_LEADER.into()),
            }
        }
        "/etcdserverpb.Lease/LeaseGrant" => call.unary(|ctx, r| lease::grant(&m, ctx, r)).await,
        "/etcdserverpb.Lease/LeaseRevoke" => call.unary(|ctx, r| lease::revoke(&m, ctx, r)).await,
        "/etcdserverpb.Lease/LeaseKeepAlive" => lease::keep_alive(call).await,
        "/etcdserverpb.Lease/LeaseTimeToLive" => call.unary(|_, r| lease::time_to_live(&m, r)).await,
        "/etcdserverpb.Lease/LeaseLeases" => call.unary(|_, r| lease::leases(&m, r)).await,
        "/etcdserverpb.Cluster/MemberList" => call.unary(|_, r| cluster::member_list(&m, r)).await,
        "/etcdserverpb.Cluster/MemberAdd" => not_modelled("adding a member"),
        "/etcdserverpb.Cluster/MemberRemove" => not_modelled("removing a member"),
        "/etcdserverpb.Cluster/MemberUpdate" => not_modelled("updating a member"),
        "/etcdserverpb.Cluster/MemberPromote" => not_modelled("promoting a learner"),
        "/etcdserverpb.Maintenance/Status" => call.unary(|_, r| maintenance::status(&m, r)).await,
        "/etcdserverpb.Maintenance/Alarm" => call.unary(|_, r| maintenance::alarm(&m, r)).await,
        "/etcdserverpb.Maintenance/HashKV" => call.unary(|_, r| maintenance::hash_kv(&m, r)).await,
        "/etcdserverpb.Maintenance/Hash" => call.unary(|_, r| maintenance::hash(&m, r)).await,
        "/etcdserverpb.Maintenance/Defragment" => call.unary(|_, r| maintenance::defragment(&m, r)).await,
        "/etcdserverpb.Maintenance/MoveLeader" => call.unary(|_, r| maintenance::move_leader(&m, r)).await,
        "/etcdserverpb.Maintenance/Snapshot" => not_modelled("snapshots"),
        "/etcdserverpb.Maintenance/Downgrade" => not_modelled("downgrades"),
        p if p.starts_with("/etcdserverpb.Auth/") => not_modelled("authentication"),
        p => {
            let (service, method) = p.trim_start_matches('/').rsplit_once('/').unwrap_or((p, ""));
            let known = grpc::METHODS.iter().any(|m| m.path.trim_start_matches('/').starts_with(service));
            Err(Status::new(
                Code::Unimplemented,
                if known {
                    format!("unknown method {method} for service {service}")
                } else {
                    format!("unknown service {service}")
                },
            ))
        }
    }
}

fn not_modelled(what: &str) -> Result<(), Status> {
    Err(Status::new(Code::Unimplemented, format!("not modelled here: {what}")))
}

/// Ends when the member has known no leader for three election timeouts; never if the call does not require one.
async fn no_leader_for_long(m: &Member, required: bool) {
    let mut without = 0;
    loop {
        if !required {
            core::future::pending::<()>().await;
        }
        m.sim.sleep(crate::member::TICK * crate::member::ELECTION_TICKS).await;
        without = if m.raft.lead.get() == raft::NONE { without + 1 } else { 0 };
        if without >= MAX_NO_LEADER {
            return;
        }
    }
}

impl Call {
    /// The next message of the client; `None` after its last.
    ///
    /// # Errors
    /// A message that is too large or malformed.
    pub(crate) async fn next<Req: Message + Default>(
        &mut self,
    ) -> Result<Option<(Req, Option<Ctx>)>, Status> {
        match self.incoming.next().await {
            None => Ok(None),
            Some(Err(s)) => Err(s),
            Some(Ok(i)) => Ok(Some((grpc::decode(i.body)?, i.ctx))),
        }
    }

    /// Sends a message of a streamed answer.
    pub(crate) fn send<Resp: Message>(&mut self, resp: &Resp, ctx: Option<Ctx>) {
        let mut frames = self.opening();
        frames.extend(Frame::data(self.stream, encode_message(resp), false));
        self.write(&frames, ctx);
    }

    fn opening(&mut self) -> Vec<Frame> {
        if core::mem::replace(&mut self.started, true) {
            return Vec::new();
        }
        vec![Frame::Headers { stream: self.stream, headers: response_headers(), end_stream: false }]
    }

    fn write(&self, frames: &[Frame], ctx: Option<Ctx>) {
        let bytes = http2::join(frames);
        self.m.metrics.client_sent.add(bytes.len() as u64);
        let _ = self.conn.send_now(bytes, ctx); // a lost connection ends the call from the other side
    }

    /// A call of one request and one answer.
    async fn unary<Req, Resp, F>(&mut self, f: impl FnOnce(Option<Ctx>, Req) -> F) -> Result<(), Status>
    where
        Req: Message + Default,
        Resp: Message,
        F: Future<Output = Result<Resp, Status>>,
    {
        let Some((req, ctx)) = self.next::<Req>().await? else {
            return Err(Status::new(Code::Internal, "grpc: no message received"));
        };
        let resp = f(ctx, req).await?;
        let mut frames = self.opening();
        let message = encode_message(&resp);
        let ctx = self.answer_station(ctx, &message).await;
        frames.extend(Frame::data(self.stream, message, false));
        let end = Frame::Headers { stream: self.stream, headers: trailers(&Ok(()), false), end_stream: true };
        frames.push(end);
        self.note_handled("OK");
        self.incoming.close();
        self.write(&frames, ctx);
        self.stream = 0;
        Ok(())
    }

    /// The station of the answer on its way back.
    async fn answer_station(&self, ctx: Option<Ctx>, message: &Bytes) -> Option<Ctx> {
        let ctx = ctx?;
        let span = self.m.sim.station(&ctx, sim::Station::TxnResponse, self.m.name()).await;
        span.after(message.slice(PREFIX_LEN..));
        span.set("method", self.path.clone());
        Some(ctx)
    }

    fn note_handled(&self, code: &'static str) {
        let (service, method) = self.path.trim_start_matches('/').split_once('/').unwrap_or((&self.path, ""));
        let key = (service.to_owned(), method.to_owned(), code);
        *self.m.metrics.handled.borrow_mut().entry(key).or_default() += 1;
    }

    /// Ends the call with a status; nothing if it has ended.
    fn end(&mut self, status: Result<(), Status>) {
        if self.stream == 0 {
            return;
        }
        self.note_handled(status.as_ref().map_or_else(|s| s.code.name(), |()| "OK"));
        let headers = trailers(&status, !self.started);
        self.incoming.close();
        self.write(&[Frame::Headers { stream: self.stream, headers, end_stream: true }], None);
        self.stream = 0;
    }
}
