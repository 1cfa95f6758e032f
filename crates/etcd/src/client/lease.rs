//! Renewing leases (clientv3 `lease.go`): once, or every third of the TTL while somebody holds the [`KeepAlive`].

use super::{Client, Stream};
use core::time::Duration;
use sim::{Ctx, Time};
use wire::etcdserverpb::{LeaseKeepAliveRequest, LeaseKeepAliveResponse};
use wire::rpc::{Code, Status, errors};

const PATH: &str = "/etcdserverpb.Lease/LeaseKeepAlive";
/// Wait before the stream is opened again (clientv3 `retryConnWait`), and the shortest time between renewals.
const RETRY_WAIT: Duration = Duration::from_millis(500);
/// TTL that is assumed until the first answer (clientv3 `defaultTTL`).
const FIRST_TTL: i64 = 5;

type LeaseStream = Stream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>;

pub(crate) async fn keep_alive_once(
    client: &Client,
    ctx: Option<Ctx>,
    id: i64,
) -> Result<LeaseKeepAliveResponse, Status> {
    loop {
        match once(client, ctx, id).await {
            Ok(r) if r.ttl <= 0 => return Err(errors::LEASE_NOT_FOUND.status()),
            Ok(r) => return Ok(r),
            Err(s) if s.code == Code::Unavailable => client.sim().sleep(RETRY_WAIT).await,
            Err(s) => return Err(s),
        }
    }
}

async fn once(client: &Client, ctx: Option<Ctx>, id: i64) -> Result<LeaseKeepAliveResponse, Status> {
    let stream: LeaseStream = Stream::open(client, ctx, PATH).await?;
    stream.send(&LeaseKeepAliveRequest { id })?;
    stream.close_send();
    stream.recv().await?.ok_or_else(|| Status::new(Code::Unavailable, "error reading from server: EOF"))
}

/// A lease kept alive: [`KeepAlive::recv`] sends the renewals as it waits and hands out their answers.
pub struct KeepAlive {
    client: Client,
    ctx: Option<Ctx>,
    id: i64,
    stream: Option<LeaseStream>,
    next: Time,
    /// When the lease is given up for lost.
    deadline: Time,
    ended: bool,
}

impl KeepAlive {
    pub(crate) fn new(client: Client, ctx: Option<Ctx>, id: i64) -> KeepAlive {
        let now = client.sim().now();
        let deadline = now + Duration::from_secs(FIRST_TTL as u64);
        KeepAlive { client, ctx, id, stream: None, next: now, deadline, ended: false }
    }

    /// The answer to the next renewal; `None` once the lease is gone or no answer came within its TTL.
    pub async fn recv(&mut self) -> Option<LeaseKeepAliveResponse> {
        while !self.ended {
            let sim = self.client.sim().clone();
            if sim.now() >= self.deadline {
                break;
            }
            sim.sleep_until(self.next).await;
            let left = self.deadline.since(sim.now());
            match sim.timeout(left, self.renew()).await {
                Ok(Ok(r)) if r.ttl > 0 => {
                    let now = sim.now();
                    self.next = now + (Duration::from_secs(r.ttl as u64) / 3).max(RETRY_WAIT);
                    self.deadline = now + Duration::from_secs(r.ttl as u64);
                    return Some(r);
                }
                Ok(Ok(_)) => break,
                Ok(Err(s)) if s.code == Code::Unavailable || s.code == Code::Internal => {
                    self.stream = None;
                    self.next = sim.now() + RETRY_WAIT;
                }
                Ok(Err(_)) | Err(_) => break,
            }
        }
        self.ended = true;
        self.stream = None;
        None
    }

    async fn renew(&mut self) -> Result<LeaseKeepAliveResponse, Status> {
        if self.stream.is_none() {
            self.stream = Some(Stream::open(&self.client, self.ctx, PATH).await?);
        }
        let lost = || Status::new(Code::Unavailable, "error reading from server: EOF");
        let stream = self.stream.as_ref().ok_or_else(lost)?;
        stream.send(&LeaseKeepAliveRequest { id: self.id })?;
        stream.recv().await?.ok_or_else(lost)
    }
}
