//! Get, list and the start of a watch: from the watch cache or from etcd, as the resourceVersion asks.

use super::Registry;
use crate::cacher::CacheList;
use crate::errors::ApiError;
use crate::object::Object;
use crate::request::ListQuery;
use crate::selector::{Attributes, Selectors};
use crate::storage::{ListOptions, ListResult, Operation, ReadAt, StorageError};
use sim::Ctx;
use std::rc::Rc;

/// What a list reads.
pub struct ReadOptions<'a> {
    /// The client's options.
    pub query: &'a ListQuery,
    /// Empty for all namespaces.
    pub namespace: &'a str,
    /// Parsed selectors.
    pub selectors: Selectors,
}

/// resourceVersion of a watch.
///
/// # Errors
/// 500 with the parser's text and no reason, as the original answers.
pub fn parse_watch_version(text: &str) -> Result<u64, ApiError> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| {
        ApiError::raw(format!(
            "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
        ))
    })
}

impl Registry {
    fn failed(&self, e: StorageError, op: Operation, name: &str) -> ApiError {
        e.interpret(op, &self.info.group, &self.info.resource, name)
    }

    /// The object `name`, as fresh as `resource_version` asks.
    pub async fn get(
        &self,
        ctx: Option<Ctx>,
        namespace: &str,
        name: &str,
        resource_version: &str,
    ) -> Result<(Rc<Object>, &'static str), ApiError> {
        let key = self.key(namespace, name)?;
        let rv: u64 = if resource_version.is_empty() {
            0
        } else {
            resource_version.parse().map_err(|_| {
                ApiError::bad_request(format!(
                    "invalid resource version: resourceVersion: Invalid value: {resource_version:?}: \
                     strconv.ParseUint: parsing {resource_version:?}: invalid syntax"
                ))
            })?
        };
        if !resource_version.is_empty()
            && let Some(cacher) = self.cacher.as_ref().filter(|c| c.ready())
        {
            cacher.wait_until_fresh(rv).await?;
            let found = cacher.peek(&key);
            return found
                .map(|o| (o, "watch cache"))
                .ok_or_else(|| ApiError::not_found(&self.info.group, &self.info.resource, name));
        }
        let found = self.store.get(ctx, &key).await.map_err(|e| self.failed(e, Operation::Get, name))?;
        let object = found.ok_or_else(|| ApiError::not_found(&self.info.group, &self.info.resource, name))?;
        if rv > object.resource_version() {
            let current = self.store.current_revision(ctx).await.unwrap_or(0).unsigned_abs();
            if rv > current {
                return Err(ApiError::too_large_resource_version(rv, current, 0));
            }
        }
        Ok((object, "etcd"))
    }

    /// The key range of a list or watch: root, or one key if a selector pins the name.
    pub fn scope(&self, namespace: &str, selectors: &Selectors) -> (String, bool) {
        let pinned = selectors.pinned("metadata.namespace").filter(|n| !n.is_empty() && !n.contains('/'));
        let namespace = if namespace.is_empty() { pinned.unwrap_or("") } else { namespace };
        if let Some(name) = selectors.pinned("metadata.name")
            && (!self.info.namespaced || !namespace.is_empty())
            && let Ok(key) = self.key(namespace, name)
        {
            return (key, false);
        }
        (self.root(namespace), true)
    }

    /// Lists. The second value says who served it.
    pub async fn list(
        &self,
        ctx: Option<Ctx>,
        o: ReadOptions<'_>,
    ) -> Result<(ListResult, &'static str), ApiError> {
        let (key, recursive) = self.scope(o.namespace, &o.selectors);
        let full = self.store.full(&key);
        let mut options = ListOptions::from_query(o.query, key, recursive, &full)?;
        if let Some(result) = self.list_cached(ctx, &o, &options).await? {
            return Ok((result, "watch cache"));
        }
        if !o.selectors.is_empty() {
            let (group, resource) = (self.info.group.clone(), self.info.resource.clone());
            let selectors = o.selectors.clone();
            options.predicate =
                Some(Rc::new(move |obj: &Object| selectors.matches(&Attributes::of(obj, &group, &resource))));
        }
        let result = self.store.get_list(ctx, &options).await;
        result.map(|r| (r, "etcd")).map_err(|e| self.failed(e, Operation::List, ""))
    }

    /// `None`: the list goes to etcd.
    async fn list_cached(
        &self,
        ctx: Option<Ctx>,
        o: &ReadOptions<'_>,
        options: &ListOptions,
    ) -> Result<Option<ListResult>, ApiError> {
        let Some(cacher) = &self.cacher else { return Ok(None) };
        let q = o.query;
        if let Some(e) = cacher.not_ready() {
            if q.limit > 0 && o.selectors.is_empty() {
                return Ok(None);
            }
            return Err(e);
        }
        let token_latest = options.from.as_ref().is_some_and(|t| t.revision < 0);
        let mut list = CacheList {
            key: options.key.clone(),
            recursive: options.recursive,
            limit: if q.resource_version == "0" && options.from.is_none() { 0 } else { q.limit },
            from: options
                .from
                .as_ref()
                .map(|t| t.from_key.strip_prefix(&self.store.path_prefix).unwrap_or(&t.from_key).to_owned()),
            exact: None,
            selectors: o.selectors.clone(),
        };
        match options.at {
            ReadAt::Exact(_) if !options.recursive => return Ok(None),
            ReadAt::Exact(rv) => {
                if rv > cacher.resource_version() {
                    cacher.wait_until_fresh(rv).await?;
                }
                list.exact = Some(rv);
            }
            ReadAt::NotOlderThan(rv) => cacher.wait_until_fresh(rv).await?,
            ReadAt::Latest if q.resource_version == "0" && !token_latest => {}
            ReadAt::Latest => match cacher.consistent(ctx).await {
                Ok(()) => {}
                Err(e) if e.code == 504 => return Ok(None),
                Err(e) => return Err(e),
            },
        }
        Ok(cacher.list(&list))
    }
}
