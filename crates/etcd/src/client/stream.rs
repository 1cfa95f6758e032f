//! A streaming call: messages both ways until either side ends it.

use super::conn::{Call, Incoming};
use super::{Client, MAX_CALL_RECV};
use core::cell::RefCell;
use core::marker::PhantomData;
use futures::StreamExt;
use sim::Ctx;
use wire::grpc::{Messages, encode_message, request_headers};
use wire::rpc::{Code, Status};

/// An open streaming call. Dropping it cancels it at the server.
pub struct Stream<Req, Resp> {
    call: RefCell<Call>,
    messages: RefCell<Messages>,
    ctx: Option<Ctx>,
    last_ctx: core::cell::Cell<Option<Ctx>>,
    /// Keeps the connections up while the stream is in use.
    _client: Client,
    _types: PhantomData<fn(Req) -> Resp>,
}

impl<Req: prost::Message, Resp: prost::Message + Default> Stream<Req, Resp> {
    /// Opens a call of `path` on the next connection; waits until there is one.
    pub(crate) async fn open(
        client: &Client,
        ctx: Option<Ctx>,
        path: &'static str,
    ) -> Result<Stream<Req, Resp>, Status> {
        loop {
            let channel = client.endpoints.pick().await;
            let headers = request_headers(path, channel.authority(), None, client.metadata());
            let Some(call) = channel.open(headers, None, ctx) else { continue };
            return Ok(Stream {
                call: RefCell::new(call),
                messages: RefCell::new(Messages::new(MAX_CALL_RECV)),
                ctx,
                last_ctx: core::cell::Cell::new(None),
                _client: client.clone(),
                _types: PhantomData,
            });
        }
    }

    /// Sends one message.
    ///
    /// # Errors
    /// Unavailable when the connection is gone.
    pub fn send(&self, req: &Req) -> Result<(), Status> {
        self.call.borrow().send(encode_message(req), self.ctx)
    }

    /// Says that no more messages follow.
    pub fn close_send(&self) {
        self.call.borrow().close_send();
    }

    /// The next message; `None` when the server ended the call without an error. Only one task may wait here at a time.
    ///
    /// # Errors
    /// The status with which the call ended.
    pub async fn recv(&self) -> Result<Option<Resp>, Status> {
        loop {
            if let Some(m) = self.messages.borrow_mut().next_message()? {
                return wire::grpc::decode(m).map(Some);
            }
            let next = core::future::poll_fn(|cx| self.call.borrow_mut().incoming.poll_next_unpin(cx)).await;
            match next {
                Some(Incoming::Data(data, ctx)) => {
                    self.last_ctx.set(ctx);
                    self.messages.borrow_mut().push(data);
                }
                Some(Incoming::End(status)) => {
                    self.call.borrow().ended.set(true);
                    return status.map(|()| None);
                }
                None => return Err(Status::new(Code::Unavailable, "error reading from server: EOF")),
            }
        }
    }

    /// The trace context that came beside the message received last.
    pub fn last_ctx(&self) -> Option<Ctx> {
        self.last_ctx.get()
    }
}
