//! Unary calls and when they are repeated (clientv3 `retry_interceptor.go`).
//!
//! A read is repeated while the answer is Unavailable; a write is not, since it may have happened. Either is repeated when
//! the *server's* own deadline passed but the caller's has not. After every quorum of attempts the client waits 25 ms ± 10 %.

use super::conn::Incoming;
use super::{Client, MAX_CALL_RECV, MAX_CALL_SEND, deadline_exceeded};
use core::time::Duration;
use futures::StreamExt;
use sim::{Ctx, Time};
use wire::grpc::{Messages, encode_message, request_headers};
use wire::rpc::{Code, Status, errors};

/// Attempts of one call (clientv3 `defaultUnaryMaxRetries`).
const MAX_ATTEMPTS: u32 = 100;
/// Wait between rounds of attempts (clientv3 `defaultBackoffWaitBetween`).
const WAIT_BETWEEN: Duration = Duration::from_millis(25);

/// Whether a call may be repeated after it may have been received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// Reading, or doing it twice is as good as once.
    Repeatable,
    /// Writing.
    NonRepeatable,
}

pub(crate) async fn unary<Req: prost::Message, Resp: prost::Message + Default>(
    client: &Client,
    ctx: Option<Ctx>,
    path: &'static str,
    policy: RetryPolicy,
    req: &Req,
    deadline: Option<Time>,
) -> Result<Resp, Status> {
    let size = req.encoded_len();
    if size > MAX_CALL_SEND {
        let text = format!("trying to send message larger than max ({size} vs. {MAX_CALL_SEND})");
        return Err(Status::new(Code::ResourceExhausted, text));
    }
    let message = encode_message(req);
    let quorum = client.endpoints.len() as u32 / 2 + 1;
    let mut last = deadline_exceeded();
    for attempt in 0..MAX_ATTEMPTS {
        if attempt > 0 && attempt % quorum == 0 {
            client.sim().sleep(jittered(client, WAIT_BETWEEN)).await;
        }
        match once(client, ctx, path, &message, deadline).await {
            Ok(resp) => return Ok(resp),
            Err(status) => last = status,
        }
        let of_a_context = matches!(last.code, Code::DeadlineExceeded | Code::Canceled);
        if of_a_context {
            if deadline.is_some_and(|d| client.sim().now() >= d) {
                return Err(last);
            }
        } else if !safe(client, policy, &last) {
            return Err(last);
        }
    }
    Err(last)
}

/// ± 10 %.
fn jittered(client: &Client, d: Duration) -> Duration {
    d * (900 + client.endpoints.rng.below(201) as u32) / 1000
}

fn safe(client: &Client, policy: RetryPolicy, status: &Status) -> bool {
    if status.is(errors::NOT_SUPPORTED_FOR_LEARNER) && client.endpoints.len() > 1 {
        return true;
    }
    policy == RetryPolicy::Repeatable && status.code == Code::Unavailable
}

/// One attempt. A call that did not reach the wire goes to the next connection (gRPC's transparent retry).
async fn once<Resp: prost::Message + Default>(
    client: &Client,
    ctx: Option<Ctx>,
    path: &'static str,
    message: &bytes::Bytes,
    deadline: Option<Time>,
) -> Result<Resp, Status> {
    let mut call = loop {
        let channel = client.endpoints.pick().await;
        let left = deadline.map(|d| d.since(client.sim().now()));
        let headers = request_headers(path, channel.authority(), left, client.metadata());
        if let Some(call) = channel.open(headers, Some(message.clone()), ctx) {
            break call;
        }
    };
    let mut messages = Messages::new(MAX_CALL_RECV);
    let mut answer = None;
    loop {
        match call.incoming.next().await {
            Some(Incoming::Data(data, _)) => {
                messages.push(data);
                while let Some(m) = messages.next_message()? {
                    answer = Some(wire::grpc::decode(m)?);
                }
            }
            Some(Incoming::End(status)) => {
                call.ended.set(true);
                status?;
                return answer.ok_or_else(|| {
                    Status::new(
                        Code::Internal,
                        "cardinality violation: received no response message from non-server-streaming RPC",
                    )
                });
            }
            None => return Err(Status::new(Code::Unavailable, "error reading from server: EOF")),
        }
    }
}
