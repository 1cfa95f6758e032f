//! What clients asked and got: a client that notes it, and what etcd's revisions promise about it.

use crate::linearizability::{self, Operation, Verdict};
use crate::register::{Register, RegisterInput, RegisterOutput};
use bytes::Bytes;
use etcd::Client;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::etcdserverpb::compare::{CompareResult, CompareTarget, TargetUnion};
use wire::etcdserverpb::*;
use wire::rpc::{Code, Status};

/// One noted operation on one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The key.
    pub key: Bytes,
    /// The operation. Its times count calls and returns of the whole history, so that no two are the same.
    pub op: Operation<RegisterInput, RegisterOutput>,
    /// The revision in the answer's header; 0 if there was no answer.
    pub revision: i64,
    /// Whether it changed the store.
    pub wrote: bool,
}

/// What several clients asked and got, in the order of their calls.
#[derive(Clone, Default)]
pub struct History(Rc<RefCell<Notes>>);

#[derive(Default)]
struct Notes {
    all: Vec<Noted>,
    clock: u64,
}

impl Notes {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

/// A revision that breaks etcd's promises.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// Two acknowledged writes have the same revision.
    #[error("operations {0} and {1} both wrote revision {2}")]
    Twice(usize, usize, i64),
    /// An operation began after another had returned, and is at an earlier revision.
    #[error(
        "operation {later} at revision {later_revision} began after operation {earlier} had returned with revision {earlier_revision}"
    )]
    Backwards {
        /// Index of the one that returned first.
        earlier: usize,
        /// Its revision.
        earlier_revision: i64,
        /// Index of the one that began later.
        later: usize,
        /// Its revision.
        later_revision: i64,
    },
}

impl History {
    /// Nothing noted yet.
    pub fn new() -> History {
        History::default()
    }

    /// A client whose operations are noted here as those of client `number`.
    pub fn client(&self, number: u32, client: Client) -> NotingClient {
        NotingClient { history: self.clone(), number, client }
    }

    /// Everything noted, in the order of the calls.
    pub fn noted(&self) -> Vec<Noted> {
        self.0.borrow().all.clone()
    }

    /// Whether the operations on each key could have happened one after the other. The first key for which they could not
    /// comes back with the verdict.
    ///
    /// # Errors
    /// The key and what was found.
    pub fn check_linearizable(&self, max_steps: u64) -> Result<(), (Bytes, Verdict)> {
        let mut keys: BTreeMap<Bytes, Vec<Operation<RegisterInput, RegisterOutput>>> = BTreeMap::new();
        for n in &self.0.borrow().all {
            // A read without an answer says nothing.
            if n.op.output.is_some() || n.op.input != RegisterInput::Read {
                keys.entry(n.key.clone()).or_default().push(n.op.clone());
            }
        }
        for (key, ops) in keys {
            let v = linearizability::check(&Register, &ops, max_steps);
            if !v.is_ok() {
                return Err((key, v));
            }
        }
        Ok(())
    }

    /// What the revisions in the answers promise: every write has its own, and none goes back in time.
    ///
    /// # Errors
    /// The first that breaks it.
    pub fn check_revisions(&self) -> Result<(), RevisionError> {
        let all = &self.0.borrow().all;
        let mut by_revision: BTreeMap<i64, usize> = BTreeMap::new();
        for (i, n) in all.iter().enumerate().filter(|(_, n)| n.wrote) {
            if let Some(other) = by_revision.insert(n.revision, i) {
                return Err(RevisionError::Twice(other, i, n.revision));
            }
        }
        let answered: Vec<usize> = (0..all.len()).filter(|i| all[*i].revision > 0).collect();
        let mut by_return = answered.clone();
        by_return.sort_by_key(|i| all[*i].op.ret);
        let mut by_call = answered;
        by_call.sort_by_key(|i| all[*i].op.call);
        let (mut done, mut highest) = (by_return.iter().peekable(), None::<usize>);
        for later in by_call {
            while let Some(i) = done.next_if(|i| all[**i].op.ret < all[later].op.call) {
                if highest.is_none_or(|h| all[h].revision < all[*i].revision) {
                    highest = Some(*i);
                }
            }
            if let Some(earlier) = highest
                && (all[later].revision < all[earlier].revision
                    || all[later].wrote && all[later].revision == all[earlier].revision)
            {
                return Err(RevisionError::Backwards {
                    earlier,
                    earlier_revision: all[earlier].revision,
                    later,
                    later_revision: all[later].revision,
                });
            }
        }
        Ok(())
    }
}

/// See [`History::client`].
#[derive(Clone)]
pub struct NotingClient {
    history: History,
    number: u32,
    client: Client,
}

impl NotingClient {
    fn begin(&self, key: &Bytes, input: RegisterInput) -> usize {
        let mut notes = self.history.0.borrow_mut();
        let call = notes.tick();
        let op = Operation { client: self.number, input, call, output: None, ret: call };
        notes.all.push(Noted { key: key.clone(), op, revision: 0, wrote: false });
        notes.all.len() - 1
    }

    fn end(&self, i: usize, output: RegisterOutput, header: Option<ResponseHeader>, wrote: bool) {
        let mut notes = self.history.0.borrow_mut();
        let ret = notes.tick();
        let n = &mut notes.all[i];
        n.op.ret = ret;
        n.op.output = Some(output);
        n.revision = header.map_or(0, |h| h.revision);
        n.wrote = wrote;
    }

    /// An operation that surely did not happen is taken out of account.
    fn refused(&self, i: usize, status: &Status) {
        let surely = !matches!(
            status.code,
            Code::Unavailable | Code::DeadlineExceeded | Code::Canceled | Code::Unknown
        );
        if surely {
            self.history.0.borrow_mut().all[i].op.input = RegisterInput::Read;
        }
    }

    /// Reads a key, linearizably.
    ///
    /// # Errors
    /// The call's.
    pub async fn read(&self, key: &Bytes) -> Result<Option<Bytes>, Status> {
        self.range(key, false).await
    }

    /// Reads a key from whichever member answers, perhaps stale; noted as if it were a linearizable read.
    ///
    /// # Errors
    /// The call's.
    pub async fn read_serializable(&self, key: &Bytes) -> Result<Option<Bytes>, Status> {
        self.range(key, true).await
    }

    async fn range(&self, key: &Bytes, serializable: bool) -> Result<Option<Bytes>, Status> {
        let i = self.begin(key, RegisterInput::Read);
        let req = RangeRequest { key: key.clone(), serializable, ..Default::default() };
        let r = self.client.range(None, req).await?;
        let value = r.kvs.first().map(|kv| kv.value.clone());
        self.end(i, RegisterOutput::Value(value.clone()), r.header, false);
        Ok(value)
    }

    /// Writes a key.
    ///
    /// # Errors
    /// The call's.
    pub async fn write(&self, key: &Bytes, value: Bytes) -> Result<(), Status> {
        let i = self.begin(key, RegisterInput::Write(value.clone()));
        let req = PutRequest { key: key.clone(), value, ..Default::default() };
        let r = self.client.put(None, req).await.inspect_err(|s| self.refused(i, s))?;
        self.end(i, RegisterOutput::Done, r.header, true);
        Ok(())
    }

    /// Deletes a key.
    ///
    /// # Errors
    /// The call's.
    pub async fn delete(&self, key: &Bytes) -> Result<(), Status> {
        let i = self.begin(key, RegisterInput::Delete);
        let req = DeleteRangeRequest { key: key.clone(), ..Default::default() };
        let r = self.client.delete_range(None, req).await.inspect_err(|s| self.refused(i, s))?;
        self.end(i, RegisterOutput::Done, r.header, r.deleted > 0);
        Ok(())
    }

    /// Puts `new` if the value is `expected`, in one transaction.
    ///
    /// # Errors
    /// The call's.
    pub async fn compare_and_swap(
        &self,
        key: &Bytes,
        expected: Option<Bytes>,
        new: Bytes,
    ) -> Result<bool, Status> {
        let i = self.begin(key, RegisterInput::Cas { expected: expected.clone(), new: new.clone() });
        let compare = match expected {
            Some(v) => Compare {
                result: CompareResult::Equal as i32,
                target: CompareTarget::Value as i32,
                key: key.clone(),
                target_union: Some(TargetUnion::Value(v)),
                ..Default::default()
            },
            None => Compare {
                result: CompareResult::Equal as i32,
                target: CompareTarget::Version as i32,
                key: key.clone(),
                target_union: Some(TargetUnion::Version(0)),
                ..Default::default()
            },
        };
        let put = PutRequest { key: key.clone(), value: new, ..Default::default() };
        let put = RequestOp { request: Some(request_op::Request::RequestPut(put)) };
        let txn = TxnRequest { compare: vec![compare], success: vec![put], failure: vec![] };
        let r = self.client.txn(None, txn).await.inspect_err(|s| self.refused(i, s))?;
        self.end(i, RegisterOutput::Swapped(r.succeeded), r.header, r.succeeded);
        Ok(r.succeeded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(h: &History, call: u64, ret: u64, revision: i64, wrote: bool) {
        let input = if wrote { RegisterInput::Write("x".into()) } else { RegisterInput::Read };
        let output = Some(if wrote { RegisterOutput::Done } else { RegisterOutput::Value(None) });
        let op = Operation { client: 0, input, call, output, ret };
        h.0.borrow_mut().all.push(Noted { key: "k".into(), op, revision, wrote });
    }

    #[test]
    fn revisions_tell_of_the_order() {
        let h = History::new();
        note(&h, 0, 10, 2, true);
        note(&h, 5, 20, 3, true);
        note(&h, 11, 12, 2, false);
        note(&h, 21, 22, 3, false);
        assert_eq!(h.check_revisions(), Ok(()));
        note(&h, 23, 24, 2, false);
        assert!(matches!(h.check_revisions(), Err(RevisionError::Backwards { later: 4, .. })));
        let h = History::new();
        note(&h, 0, 10, 2, true);
        note(&h, 5, 20, 2, true);
        assert_eq!(h.check_revisions(), Err(RevisionError::Twice(0, 1, 2)));
    }
}
