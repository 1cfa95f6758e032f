//! GetList: pages of a prefix, read at one revision, selected after decoding.

use super::{StorageError, Store, continue_token, error, prefix_end};
use crate::errors::ApiError;
use crate::metrics::group_resource;
use crate::object::Object;
use crate::request::{ListQuery, MatchRule};
use bytes::Bytes;
use sim::Ctx;
use std::rc::Rc;
use wire::etcdserverpb::RangeRequest;

/// At which revision to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAt {
    /// The latest.
    Latest,
    /// The latest, which must be at least this.
    NotOlderThan(u64),
    /// Exactly this.
    Exact(u64),
}

/// Which objects are wanted.
pub type Predicate = Rc<dyn Fn(&Object) -> bool>;

/// What to list.
#[derive(Clone)]
pub struct ListOptions {
    /// As `/pods/` or `/pods/default/`, or a whole key if `recursive` is false.
    pub key: String,
    /// A prefix, not one key.
    pub recursive: bool,
    /// At which revision.
    pub at: ReadAt,
    /// At most so many objects; 0 for all.
    pub limit: i64,
    /// Where to go on: etcd key and revision (negative: latest).
    pub from: Option<continue_token::ContinueToken>,
    /// `None` takes everything, and then the remaining number is told.
    pub predicate: Option<Predicate>,
}

/// One object of a list.
pub type Item = Rc<Object>;

/// A page.
#[derive(Clone)]
pub struct ListResult {
    /// In key order.
    pub items: Vec<Item>,
    /// `metadata.resourceVersion` of the list.
    pub revision: i64,
    /// Token of the next page; empty after the last.
    pub continue_token: String,
    /// How many are left, if that is known.
    pub remaining: Option<i64>,
}

const MAX_PAGE: i64 = 10_000;

const EXPIRED: &str = "The resourceVersion for the provided list is too old.";
const INCONSISTENT: &str = "The provided continue parameter is too old to display a consistent list result. You can \
    start a new list without the continue parameter, or use the continue token in this response to retrieve the \
    remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were \
    created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/// `resourceVersion` of a list; empty and `0` are 0.
pub fn parse_resource_version(text: &str) -> Result<u64, ApiError> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        let why = if digits { "value out of range" } else { "invalid syntax" };
        ApiError::bad_request(format!(
            "invalid resource version: resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: {why}"
        ))
    })
}

impl ListOptions {
    /// From the client's options. `prefix` is the list's root with the path prefix, for continue tokens.
    pub fn from_query(
        q: &ListQuery,
        key: String,
        recursive: bool,
        full_prefix: &str,
    ) -> Result<ListOptions, ApiError> {
        let rv = parse_resource_version(&q.resource_version)?;
        let mut out =
            ListOptions { key, recursive, at: ReadAt::Latest, limit: q.limit, from: None, predicate: None };
        if !q.continue_token.is_empty() && recursive {
            let token = continue_token::decode(&q.continue_token, full_prefix)
                .map_err(|e| ApiError::bad_request(format!("invalid continue token: {e}")))?;
            if !["", "0"].contains(&q.resource_version.as_str()) {
                return Err(ApiError::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            if token.revision > 0 {
                out.at = ReadAt::Exact(token.revision.unsigned_abs());
            }
            out.from = Some(token);
            return Ok(out);
        }
        out.at = match q.match_rule {
            _ if rv == 0 => ReadAt::Latest,
            MatchRule::Exact => ReadAt::Exact(rv),
            MatchRule::NotOlderThan => ReadAt::NotOlderThan(rv),
            MatchRule::Unset if recursive && q.limit > 0 => ReadAt::Exact(rv),
            MatchRule::Unset => ReadAt::NotOlderThan(rv),
        };
        Ok(out)
    }
}

impl Store {
    /// Lists from etcd.
    pub async fn get_list(&self, ctx: Option<Ctx>, o: &ListOptions) -> Result<ListResult, StorageError> {
        let prefix = self.full(&o.key);
        let mut key: Bytes = match &o.from {
            Some(t) => t.from_key.clone().into_bytes().into(),
            None => prefix.clone().into_bytes().into(),
        };
        let range_end = if o.recursive { prefix_end(&prefix) } else { Bytes::new() };
        let mut at = match o.at {
            ReadAt::Exact(rv) => i64::try_from(rv).unwrap_or(i64::MAX),
            _ => 0,
        };
        let mut list_revision = at;
        let mut page = if o.recursive { o.limit } else { 0 };
        let mut out =
            ListResult { items: Vec::new(), revision: 0, continue_token: String::new(), remaining: None };
        let (mut fetched, mut evaluated) = (0, 0);
        let mut last_key = Bytes::new();
        let mut more;
        let mut count;
        loop {
            let req = RangeRequest {
                key: key.clone(),
                range_end: range_end.clone(),
                limit: page,
                revision: at,
                ..RangeRequest::default()
            };
            let start = self.env.sim.now();
            let result = self.client.range(ctx, req).await;
            self.measured(if o.recursive { "list" } else { "get" }, start, &result);
            let resp = match result {
                Ok(r) => r,
                Err(s) => return Err(self.list_error(s, o, &key, &prefix, at)),
            };
            let header = resp.header.map_or(0, |h| h.revision);
            if let ReadAt::NotOlderThan(rv) = o.at
                && header.unsigned_abs() < rv
            {
                let current = header.unsigned_abs();
                return Err(StorageError::TooLargeResourceVersion { wanted: rv, current, retry: 0 });
            }
            if list_revision == 0 {
                list_revision = header;
                if o.limit > 0 {
                    at = header;
                }
            }
            more = resp.more;
            count = resp.count;
            fetched += resp.kvs.len();
            let mut cut = false;
            for kv in &resp.kvs {
                if o.limit > 0 && out.items.len() as i64 >= o.limit {
                    more = true;
                    cut = true;
                    break;
                }
                last_key = kv.key.clone();
                let state = self.open(kv).map_err(|e| match e {
                    StorageError::Internal(text) => StorageError::Internal(format!(
                        "unable to transform key {:?}: {text}",
                        String::from_utf8_lossy(&kv.key)
                    )),
                    e => e,
                })?;
                evaluated += 1;
                if let Some(obj) = state.object
                    && o.predicate.as_ref().is_none_or(|p| p(&obj))
                {
                    out.items.push(obj);
                }
            }
            if !more || cut || o.limit == 0 || out.items.len() as i64 >= o.limit {
                break;
            }
            page = (page * 2).min(MAX_PAGE);
            let mut next = last_key.to_vec();
            next.push(0);
            key = next.into();
        }
        let labels = || group_resource(&self.group, &self.resource);
        let m = &self.env.metrics;
        m.inc("apiserver_storage_list_total", labels());
        m.add("apiserver_storage_list_fetched_objects_total", labels(), fetched as f64);
        m.add("apiserver_storage_list_evaluated_objects_total", labels(), f64::from(evaluated));
        m.add("apiserver_storage_list_returned_objects_total", labels(), out.items.len() as f64);
        out.revision = list_revision;
        if more && o.limit > 0 {
            let next = format!("{}\0", String::from_utf8_lossy(&last_key));
            let token_revision = match &o.from {
                Some(t) if t.revision < 0 => list_revision,
                _ => list_revision,
            };
            out.continue_token = continue_token::encode(&next, &prefix, token_revision).unwrap_or_default();
            if o.predicate.is_none() {
                out.remaining = Some(count - o.limit);
            }
        }
        Ok(out)
    }

    fn list_error(
        &self,
        s: wire::rpc::Status,
        o: &ListOptions,
        key: &Bytes,
        prefix: &str,
        at: i64,
    ) -> StorageError {
        if error::is_compacted(&s) {
            if o.from.is_none() {
                return ApiError::expired(EXPIRED).into();
            }
            let key = String::from_utf8_lossy(key);
            let mut e = ApiError::expired(INCONSISTENT);
            e.continue_token = continue_token::encode(&key, prefix, -1);
            if e.continue_token.is_none() {
                e.message = "The provided continue parameter is too old to display a consistent list result. You can \
                    start a new list without the continue parameter."
                    .to_owned();
            }
            return e.into();
        }
        if s.is(wire::rpc::errors::FUTURE_REV) {
            let (wanted, current) = (at.unsigned_abs(), 0);
            return StorageError::TooLargeResourceVersion { wanted, current, retry: 0 };
        }
        s.into()
    }
}
