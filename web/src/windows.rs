//! Which windows the page wants open, from what is shown; and the subscribing that follows.

use protocol::WindowId;
use protocol::view::View as Ask;
use protocol::window::{Source, WindowSpec};

use crate::host;
use crate::parts::keyspace::COUNT;
use crate::state::session::{Session, id};
use crate::state::view::{Panel, Stage, View};

/// Virtual time that the strip shows when no request is followed.
const STRIP: u64 = 12_000_000_000;
/// Bytes of a payload that are sent at once.
const BYTES: u32 = 65_536;

/// The windows that what is shown needs.
pub fn wanted(s: &Session, v: &View) -> Vec<(WindowId, WindowSpec)> {
    let following = v.trace.or(s.now.trace).is_some();
    let mut list = vec![
        (id::NOW, WindowSpec::Now),
        (id::STRIP, WindowSpec::Strip { span: STRIP }),
        (id::CLUSTER, WindowSpec::Cluster),
        (
            id::TEXT,
            WindowSpec::Value { source: Source::Text { text: v.doc.text.to_string() }, at: 0, len: BYTES },
        ),
    ];
    if v.stage == Stage::Pipeline {
        list.push((id::REQUESTS, WindowSpec::Requests { count: 12, writes: true }));
    }
    if following {
        list.push((id::PATH, WindowSpec::Path { trace: v.trace }));
        let span =
            v.span.or(s.now.now.as_ref().map(|stop| stop.span)).or(s.path.stops.last().map(|stop| stop.span));
        if let (Some(span), Stage::Pipeline) = (span, v.stage) {
            list.push((id::STATION, WindowSpec::Station { trace: v.trace, span, at: 0, len: BYTES }));
        }
    }
    match (&v.key, v.stage) {
        (Some(key), Stage::Keyspace) => {
            let source = Source::Stored { key: key.to_vec(), revision: v.revision };
            list.push((id::VALUE, WindowSpec::Value { source, at: 0, len: BYTES }));
            list.push((id::KEY, WindowSpec::Key { key: key.to_vec() }));
        }
        _ if following => {
            let source = Source::Request { trace: v.trace };
            list.push((id::VALUE, WindowSpec::Value { source, at: 0, len: BYTES }));
        }
        _ => {}
    }
    if v.stage == Stage::Keyspace {
        list.push((
            id::KEYS,
            WindowSpec::Keys { prefix: v.prefix.clone(), first: v.first_key, count: COUNT },
        ));
    }
    if v.panel == Some(Panel::Files) {
        list.push((id::FILES, WindowSpec::Files { dir: v.folder.clone() }));
    }
    if let Some(path) = &v.opening {
        list.push((id::FILE, WindowSpec::File { path: path.clone() }));
    }
    list
}

/// Tells the engine what has changed between two lists.
pub fn subscribe(old: &[(WindowId, WindowSpec)], new: &[(WindowId, WindowSpec)]) {
    for (id, _) in old {
        if !new.iter().any(|(other, _)| other == id) {
            host::view(Ask::Unsubscribe { id: *id });
        }
    }
    for (id, spec) in new {
        if !old.iter().any(|(other, had)| other == id && had == spec) {
            host::view(Ask::Subscribe { id: *id, spec: spec.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_view_asks_for_nothing() {
        let view = View::new("~/a.yaml", "kind: Pod\n");
        let ids: Vec<u32> = wanted(&Session::default(), &view).iter().map(|(id, _)| id.0).collect();
        assert_eq!(ids, [1, 2, 9, 12, 3]);
        let keys = View { stage: Stage::Keyspace, key: Some(b"/a".as_slice().into()), ..view };
        let ids: Vec<u32> = wanted(&Session::default(), &keys).iter().map(|(id, _)| id.0).collect();
        assert_eq!(ids, [1, 2, 9, 12, 8, 7, 6]);
    }
}
