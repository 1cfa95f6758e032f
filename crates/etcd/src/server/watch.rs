//! Service Watch: one stream of a client is one watch stream of the store (etcd `server/etcdserver/api/v3rpc/watch.go`).

use super::Call;
use crate::notify::Notify;
use core::time::Duration;
use futures::FutureExt;
use sim::{Ctx, Station};
use std::rc::Rc;
use wire::etcdserverpb::{WatchRequest, WatchResponse};
use wire::rpc::Status;

/// Watchers that asked for it are told the revision when nothing happened for so long, and up to a tenth longer.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(600);
/// Followed writes of one response that get a span each.
const FOLLOWED: usize = 16;

/// Closes the store's stream however the call ends.
struct StoreStream {
    m: Rc<crate::member::Member>,
    id: mvcc::StreamId,
}

impl Drop for StoreStream {
    fn drop(&mut self) {
        self.m.watch_streams.borrow_mut().remove(&self.id);
        self.m.store.borrow_mut().close_watch_stream(self.id);
    }
}

pub(super) async fn serve(call: &mut Call) -> Result<(), Status> {
    let m = call.m.clone();
    let id = m.store.borrow_mut().new_watch_stream();
    let stream = StoreStream { m: m.clone(), id };
    let ready = Rc::new(Notify::default());
    m.watch_streams.borrow_mut().insert(id, ready.clone());
    let jitter = m.sim.rng(&format!("watch/{}", m.name())).below(PROGRESS_INTERVAL.as_millis() as u64 / 10);
    let interval = PROGRESS_INTERVAL + Duration::from_millis(jitter);
    let mut progress_at = m.sim.now() + interval;
    let mut seen = 0;
    let mut open = true;
    loop {
        let responses = m.store.borrow_mut().take_watch_responses(stream.id, &m.member_header());
        for r in responses {
            let ctx = station(call, &r).await;
            call.send(&r, ctx);
        }
        let more = ready.past(seen).fuse();
        let tick = m.sim.sleep_until(progress_at).fuse();
        let listening = open;
        let request = async {
            if listening { call.next::<WatchRequest>().await } else { core::future::pending().await }
        }
        .fuse();
        futures::pin_mut!(more, tick, request);
        futures::select_biased! {
            r = request => match r? {
                None => open = false, // the server keeps sending after the client has half-closed
                Some((req, _)) => {
                    m.store.borrow_mut().watch_request(id, &req);
                    m.sync_wake.notify();
                }
            },
            n = more => seen = n,
            () = tick => {
                m.store.borrow_mut().progress_tick(id);
                progress_at = m.sim.now() + interval;
            }
        }
    }
}

/// The station of followed writes whose events are about to be sent. The context of the last goes beside the message.
async fn station(call: &Call, r: &WatchResponse) -> Option<Ctx> {
    let m = &call.m;
    let mut last = None;
    let mut revision = 0;
    for e in r.events.iter().take(FOLLOWED) {
        let Some(kv) = &e.kv else { continue };
        if kv.mod_revision == revision {
            continue;
        }
        revision = kv.mod_revision;
        let Some(ctx) = m.shared.revision_ctx(revision) else { continue };
        let span = m.sim.station(&ctx, Station::EtcdWatch, m.name()).await;
        span.set("watch id", r.watch_id.to_string());
        span.set("revision", revision.to_string());
        span.after_with(|| prost::Message::encode_to_vec(e).into());
        last = Some(span.ctx());
    }
    last
}
