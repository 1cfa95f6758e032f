//! The messages of one watch stream: create, cancel and progress requests in, responses out.

use super::{INVALID_WATCH_ID, Key, Stream, StreamId, Watcher, WatcherState, header};
use crate::range::KeyRange;
use crate::store::Store;
use bytes::Bytes;
use prost::Message;
use prost::encoding::encoded_len_varint;
use wire::etcdserverpb::watch_create_request::FilterType;
use wire::etcdserverpb::watch_request::RequestUnion;
use wire::etcdserverpb::{ResponseHeader, WatchCreateRequest, WatchRequest, WatchResponse};
use wire::rpc::errors;

/// Why a stream refuses a watcher, in etcd's words.
const EMPTY_WATCHER_RANGE: &str = "mvcc: watcher range is empty";
const DUPLICATE_WATCH_ID: &str = "mvcc: duplicate watch ID provided on the WatchStream";

impl Store {
    /// Opens a watch stream.
    pub fn new_watch_stream(&mut self) -> StreamId {
        let id = StreamId(self.watchers.next_stream);
        self.watchers.next_stream += 1;
        self.watchers.streams.insert(id, Stream::default());
        id
    }

    /// Closes a watch stream with all its watchers; what waits in it is dropped.
    pub fn close_watch_stream(&mut self, stream: StreamId) {
        let ids: Vec<i64> = match self.watchers.streams.get(&stream) {
            Some(s) => s.watchers.keys().copied().collect(),
            None => return,
        };
        for id in ids {
            self.remove_watcher((stream, id));
        }
        self.watchers.streams.remove(&stream);
        self.watchers.ready.remove(&stream);
    }

    /// Open watch streams.
    pub fn watch_streams(&self) -> u32 {
        self.watchers.streams.len() as u32
    }

    /// Handles one message of the client. Answers wait in the stream. Messages that ask for nothing are passed over.
    pub fn watch_request(&mut self, stream: StreamId, r: &WatchRequest) {
        if !self.watchers.streams.contains_key(&stream) {
            return;
        }
        match &r.request_union {
            Some(RequestUnion::CreateRequest(r)) => self.create_watcher(stream, r),
            Some(RequestUnion::CancelRequest(r)) => self.cancel_watcher(stream, r.watch_id),
            Some(RequestUnion::ProgressRequest(_)) => self.progress_all(stream),
            None => {}
        }
    }

    fn create_watcher(&mut self, stream: StreamId, r: &WatchCreateRequest) {
        let refuse = |s: &mut Store, reason: String| {
            let response = WatchResponse {
                header: header(s.current_rev),
                watch_id: INVALID_WATCH_ID,
                created: true,
                canceled: true,
                cancel_reason: reason,
                ..WatchResponse::default()
            };
            s.watchers.queue(stream, response, false, true);
        };
        // The smallest key there is stands for none.
        let key = if r.key.is_empty() { Bytes::from_static(&[0]) } else { r.key.clone() };
        if r.start_revision < 0 {
            return refuse(self, errors::COMPACTED.text.into());
        }
        let range = KeyRange::new(&key, &r.range_end);
        if matches!(&range, KeyRange::Until(k, e) if k >= e) {
            return refuse(self, EMPTY_WATCHER_RANGE.into());
        }
        let Some(s) = self.watchers.streams.get_mut(&stream) else { return };
        let id = if r.watch_id == 0 {
            while s.watchers.contains_key(&s.next_id) {
                s.next_id += 1;
            }
            s.next_id += 1;
            s.next_id - 1
        } else if s.watchers.contains_key(&r.watch_id) {
            return refuse(self, DUPLICATE_WATCH_ID.into());
        } else {
            r.watch_id
        };
        let synced = r.start_revision == 0 || r.start_revision > self.current_rev;
        let filter = |f: FilterType| r.filters.contains(&(f as i32));
        let w = Watcher {
            start_rev: r.start_revision,
            min_rev: if synced { r.start_revision.max(self.current_rev + 1) } else { r.start_revision },
            no_put: filter(FilterType::NoPut),
            no_delete: filter(FilterType::NoDelete),
            prev_kv: r.prev_kv,
            fragment: r.fragment,
            progress: r.progress_notify.then_some(true),
            state: if synced { WatcherState::Synced } else { WatcherState::Unsynced },
            range,
        };
        if synced {
            self.watchers.synced.add(&w.range, (stream, id));
        } else {
            self.watchers.unsynced.insert((stream, id));
        }
        s.watchers.insert(id, w);
        let response = WatchResponse {
            header: header(self.current_rev),
            watch_id: id,
            created: true,
            ..WatchResponse::default()
        };
        self.watchers.queue(stream, response, false, true);
    }

    /// Canceling an id that is not there is not answered.
    fn cancel_watcher(&mut self, stream: StreamId, watch_id: i64) {
        if self.remove_watcher((stream, watch_id)) {
            let header = header(self.current_rev);
            let response = WatchResponse { header, watch_id, canceled: true, ..WatchResponse::default() };
            self.watchers.queue(stream, response, false, true);
        }
    }

    fn remove_watcher(&mut self, key: Key) -> bool {
        let Some(s) = self.watchers.streams.get_mut(&key.0) else { return false };
        let Some(w) = s.watchers.remove(&key.1) else { return false };
        match w.state {
            WatcherState::Synced => self.watchers.synced.remove(&w.range, key),
            WatcherState::Unsynced => {
                self.watchers.unsynced.remove(&key);
            }
            WatcherState::Compacted => {}
        }
        true
    }

    /// A progress request: answered only when all watchers of the stream are synced and none waits for a revision to
    /// come.
    fn progress_all(&mut self, stream: StreamId) {
        let Some(s) = self.watchers.streams.get(&stream) else { return };
        let all = s.watchers.values().all(|w| self.in_step(w));
        if all && !s.watchers.is_empty() {
            self.send_progress(stream, INVALID_WATCH_ID);
        }
    }

    fn in_step(&self, w: &Watcher) -> bool {
        w.state == WatcherState::Synced && w.start_rev <= self.current_rev
    }

    fn send_progress(&mut self, stream: StreamId, watch_id: i64) {
        if self.watchers.has_room(stream, self.config.watch_buffer) {
            let response =
                WatchResponse { header: header(self.current_rev), watch_id, ..WatchResponse::default() };
            self.watchers.queue(stream, response, false, false);
        }
    }

    /// The stream's progress interval has passed (10 minutes and a little in etcd): watchers that asked for it and got no
    /// event since the last time are told the revision.
    pub fn progress_tick(&mut self, stream: StreamId) {
        let Some(s) = self.watchers.streams.get_mut(&stream) else { return };
        let mut due = Vec::new();
        for (id, w) in &mut s.watchers {
            if let Some(p) = &mut w.progress
                && std::mem::replace(p, true)
            {
                due.push(*id);
            }
        }
        for id in due {
            let s = &self.watchers.streams[&stream];
            if self.in_step(&s.watchers[&id]) {
                self.send_progress(stream, id);
            }
        }
    }

    /// Streams that have got something to send since this was last asked.
    pub fn take_ready_watch_streams(&mut self) -> Vec<StreamId> {
        std::mem::take(&mut self.watchers.ready).into_iter().collect()
    }

    /// Takes what waits in a stream, in order. `member` fills in who answers: its cluster, member and term are used.
    pub fn take_watch_responses(&mut self, stream: StreamId, member: &ResponseHeader) -> Vec<WatchResponse> {
        let Some(s) = self.watchers.streams.get_mut(&stream) else { return Vec::new() };
        self.watchers.ready.remove(&stream);
        let mut out = Vec::with_capacity(s.out.len());
        for o in std::mem::take(&mut s.out) {
            s.queued -= u32::from(!o.control);
            let mut response = o.response;
            let revision = response.header.map_or(0, |h| h.revision);
            response.header = Some(ResponseHeader { revision, ..*member });
            if o.fragment {
                fragments(response, self.config.watch_fragment_bytes, &mut out);
            } else {
                out.push(response);
            }
        }
        out
    }
}

/// Cuts a response that is too large into several, all but the last marked.
fn fragments(mut response: WatchResponse, max: u64, out: &mut Vec<WatchResponse>) {
    if (response.encoded_len() as u64) < max || response.events.len() < 2 {
        out.push(response);
        return;
    }
    let events = std::mem::take(&mut response.events);
    response.fragment = true;
    let empty = response.encoded_len() as u64;
    let mut current = response.clone();
    let mut size = empty;
    for e in events {
        let len = e.encoded_len() as u64;
        let len = 1 + encoded_len_varint(len) as u64 + len;
        if !current.events.is_empty() && size + len >= max {
            out.push(std::mem::replace(&mut current, response.clone()));
            size = empty;
        }
        size += len;
        current.events.push(e);
    }
    current.fragment = false;
    out.push(current);
}
