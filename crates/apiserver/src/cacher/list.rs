//! Lists from the cache: fresh enough, at an exact resourceVersion from the ring's past, or not at all (then from etcd).

use super::{Cached, Cacher};
use crate::errors::ApiError;
use crate::selector::Selectors;
use crate::storage::{EventType, ListResult, continue_token};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What to list from the cache.
#[derive(Clone, Debug)]
pub struct CacheList {
    /// As `/pods/` or `/pods/default/`, or a whole key.
    pub key: String,
    /// A prefix, not one key.
    pub recursive: bool,
    /// At most so many; 0 for all.
    pub limit: i64,
    /// Key to begin at, without the path prefix.
    pub from: Option<String>,
    /// Exactly at this resourceVersion; `None`: as the cache is now.
    pub exact: Option<u64>,
    /// What is selected.
    pub selectors: Selectors,
}

impl Cacher {
    /// Lists. `None` if an exact list lies before the ring's past.
    pub fn list(&self, o: &CacheList) -> Option<ListResult> {
        let state = self.state.borrow();
        let past: BTreeMap<Rc<str>, Cached>;
        let (objects, revision) = match o.exact {
            Some(rv) if rv < state.resource_version => {
                if rv + 1 < state.ring.oldest(state.list_resource_version) {
                    return None;
                }
                let mut objects = state.objects.clone();
                let newer: Vec<_> =
                    state.ring.iter().rev().take_while(|e| e.revision > rv).cloned().collect();
                for e in newer {
                    match &e.previous {
                        Some(p) => objects.insert(e.key.clone(), p.clone()),
                        None => objects.remove(&e.key),
                    };
                }
                past = objects;
                (&past, rv)
            }
            Some(rv) => (&state.objects, rv),
            None => (&state.objects, state.resource_version),
        };
        let mut out = ListResult {
            items: Vec::new(),
            revision: i64::try_from(revision).ok()?,
            continue_token: String::new(),
            remaining: None,
        };
        let begin = o.from.clone().unwrap_or_else(|| o.key.clone());
        let in_scope: Vec<(&Rc<str>, &Cached)> = if o.recursive {
            objects.range::<str, _>(super::from(&begin)).take_while(|(k, _)| k.starts_with(&o.key)).collect()
        } else {
            objects.get_key_value(o.key.as_str()).into_iter().collect()
        };
        let mut taken: Vec<Cached> = Vec::new();
        let mut last: Option<Rc<str>> = None;
        let mut looked = 0usize;
        for (key, c) in &in_scope {
            if o.limit > 0 && taken.len() as i64 >= o.limit {
                let prefix = o.key.trim_end_matches('/');
                let next = format!("{}\0", last.as_deref().unwrap_or_default());
                out.continue_token = continue_token::encode(&next, prefix, out.revision).unwrap_or_default();
                if o.selectors.is_empty() {
                    out.remaining = Some(in_scope.len() as i64 - o.limit);
                }
                break;
            }
            looked += 1;
            last = Some((*key).clone());
            if o.selectors.matches(&c.attributes) {
                taken.push((*c).clone());
            }
        }
        drop(state);
        out.items = taken.iter().map(|c| self.object(c)).collect();
        let m = &self.env.metrics;
        let mut indexed = self.labels();
        indexed.insert(1, ("index", String::new()));
        m.inc("apiserver_cache_list_total", indexed.clone());
        m.add("apiserver_cache_list_fetched_objects_total", indexed, looked as f64);
        m.add("apiserver_cache_list_returned_objects_total", self.labels(), out.items.len() as f64);
        Some(out)
    }

    /// For an empty resourceVersion: asks etcd for the present revision and waits for it.
    ///
    /// # Errors
    /// 504 if the cache does not get there in three seconds; then the list is done on etcd.
    pub async fn consistent(&self, ctx: Option<sim::Ctx>) -> Result<(), ApiError> {
        let current = self.store.current_revision(ctx).await.map_err(|e| {
            e.interpret(crate::storage::Operation::List, &self.store.group, &self.store.resource, "")
        })?;
        let fresh = self.wait_until_fresh(current.unsigned_abs()).await;
        let mut labels = self.labels();
        labels.push(("success", fresh.is_ok().to_string()));
        labels.push(("fallback", fresh.is_err().to_string()));
        self.env.metrics.inc("apiserver_watch_cache_consistent_read_total", labels);
        fresh
    }

    /// Number of deletions in the ring, for the page.
    pub fn recent_deletions(&self) -> usize {
        self.state.borrow().ring.iter().filter(|e| e.kind == EventType::Deleted).count()
    }
}
