//! What a watch promises (etcd's API guarantees): events come in the order of their revisions, each once, none is left out, and
//! all of one revision come together.

use mvcc::{KeyRange, Revision, Store};
use wire::etcdserverpb::WatchResponse;
use wire::mvccpb::event::EventType;

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Ordered, unique: an event is not after the one before it.
    #[error("event {index} of revision {revision} comes after revision {after}")]
    Order {
        /// Its number.
        index: usize,
        /// Its revision.
        revision: i64,
        /// The revision before it.
        after: i64,
    },
    /// Atomic: events of one revision are in two responses.
    #[error("revision {0} is split between two responses")]
    Split(i64),
    /// Reliable: an event is missing, or is not what happened.
    #[error("event {index} is {got}, should be {want}")]
    Differs {
        /// Its number.
        index: usize,
        /// What came (`nothing`, or an event in short).
        got: String,
        /// What the store knows.
        want: String,
    },
}

/// Compares what a watcher of `range` got with the store's history from `start` up to the last revision it got. Responses are
/// those of one watcher, without filters, in the order of their arrival.
///
/// # Errors
/// The first broken promise.
pub fn check(
    store: &Store,
    range: &KeyRange,
    start: i64,
    responses: &[WatchResponse],
) -> Result<usize, Broken> {
    let mut got = Vec::new();
    let mut last_response = 0;
    for r in responses {
        let mut first = true;
        for e in &r.events {
            let Some(kv) = &e.kv else { continue };
            if first && kv.mod_revision == last_response {
                return Err(Broken::Split(kv.mod_revision));
            }
            first = false;
            let deleted = e.r#type == EventType::Delete as i32;
            got.push((kv.mod_revision, deleted, kv.key.clone(), kv.value.clone()));
        }
        if let Some((revision, ..)) = got.last()
            && !r.events.is_empty()
            && !r.fragment
        {
            last_response = *revision;
        }
    }
    for (index, pair) in got.windows(2).enumerate() {
        let (after, revision) = (pair[0].0, pair[1].0);
        if revision < after {
            return Err(Broken::Order { index: index + 1, revision, after });
        }
    }
    let Some(end) = got.last().map(|e| e.0) else { return Ok(0) };
    let want = store
        .rows_from(Revision::new(start, 0))
        .take_while(|(rev, _)| rev.main <= end)
        .filter(|(_, row)| range.contains(&row.kv.key))
        .map(|(rev, row)| (rev.main, row.tombstone, row.kv.key.clone(), row.kv.value.clone()));
    let text = |e: Option<&(i64, bool, bytes::Bytes, bytes::Bytes)>| match e {
        None => "nothing".to_owned(),
        Some((rev, deleted, key, _)) => {
            let kind = if *deleted { "DELETE" } else { "PUT" };
            format!("{kind} {} at {rev}", String::from_utf8_lossy(key))
        }
    };
    let want: Vec<_> = want.collect();
    for index in 0..want.len().max(got.len()) {
        if want.get(index) != got.get(index) {
            return Err(Broken::Differs { index, got: text(got.get(index)), want: text(want.get(index)) });
        }
    }
    Ok(got.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::etcdserverpb::PutRequest;
    use wire::mvccpb::{Event, KeyValue};

    fn event(rev: i64) -> Event {
        let kv = KeyValue {
            key: "k".into(),
            value: rev.to_string().into(),
            mod_revision: rev,
            ..Default::default()
        };
        Event { r#type: 0, kv: Some(kv), prev_kv: None }
    }

    fn responses(revs: &[&[i64]]) -> Vec<WatchResponse> {
        revs.iter()
            .map(|r| WatchResponse { events: r.iter().map(|r| event(*r)).collect(), ..Default::default() })
            .collect()
    }

    #[test]
    fn promises() {
        let mut s = Store::new(mvcc::Config::default());
        for rev in 2..=5 {
            let value = rev.to_string().into();
            s.put(&PutRequest { key: "k".into(), value, ..Default::default() }).unwrap();
            if rev == 3 {
                s.put(&PutRequest { key: "other".into(), ..Default::default() }).unwrap();
            }
        }
        // "other" took revision 4, so the values 4 and 5 are at 5 and 6
        let range = KeyRange::Single("k".into());
        assert_eq!(check(&s, &range, 2, &responses(&[&[2], &[3]])), Ok(2));
        assert_eq!(
            check(&s, &range, 2, &responses(&[&[3]])),
            Err(Broken::Differs { index: 0, got: "PUT k at 3".into(), want: "PUT k at 2".into() })
        );
        assert_eq!(
            check(&s, &range, 2, &responses(&[&[2, 3], &[2]])),
            Err(Broken::Order { index: 2, revision: 2, after: 3 })
        );
        assert_eq!(check(&s, &range, 2, &responses(&[&[2], &[2]])), Err(Broken::Split(2)));
        assert_eq!(check(&s, &range, 2, &[]), Ok(0));
    }
}
