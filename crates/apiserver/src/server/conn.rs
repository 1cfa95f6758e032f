//! Connections: one task each, requests one after the other.

use super::{Server, chain};
use crate::handlers::Answer;
use sim::{Conn, Ctx, Listener};
use std::rc::Rc;
use wire::http::{Limits, Parser, Request, Response};

pub(super) async fn accept(server: Rc<Server>, listener: Listener) {
    while let Some(conn) = listener.accept().await {
        let process = server.env.process.clone();
        process.spawn(serve(server.clone(), conn));
    }
}

async fn serve(server: Rc<Server>, conn: Conn) {
    let limits = Limits { body: 64 << 20, ..Limits::default() };
    let mut parser = Parser::requests(limits);
    let mut partial: Option<Request> = None;
    let mut ctx: Option<Ctx> = None;
    loop {
        match parser.next_request(&mut partial) {
            Ok(Some(req)) => {
                let title = format!("{} {}", req.method, req.target);
                let ctx = ctx.take().unwrap_or_else(|| server.env.sim.trace().begin(&title, conn.peer()));
                let close = req.header("connection").is_some_and(|c| c.eq_ignore_ascii_case("close"));
                let head = req.method == "HEAD";
                match chain::handle(&server, ctx, req, &conn).await {
                    Answer::Whole(resp) => {
                        let bytes = if head { head_only(&resp) } else { resp.encode() };
                        if conn.send(bytes, Some(ctx)).await.is_err() {
                            return;
                        }
                    }
                    Answer::Streamed => {
                        conn.close();
                        return;
                    }
                }
                if close {
                    conn.close();
                    return;
                }
            }
            Ok(None) => match conn.recv().await {
                Some(frame) => {
                    ctx = frame.ctx.or(ctx);
                    parser.push(&frame.body);
                }
                None => return,
            },
            Err(e) => {
                let resp = Response::new(400)
                    .with_header("Content-Type", "text/plain; charset=utf-8")
                    .with_header("Connection", "close")
                    .with_body(format!("400 Bad Request: {e}"));
                let _ = conn.send(resp.encode(), ctx).await; // it is closed next
                conn.close();
                return;
            }
        }
    }
}

/// The head of a response to HEAD.
fn head_only(resp: &Response) -> bytes::Bytes {
    let full = resp.encode();
    full.slice(..full.len() - resp.body.len())
}
