//! One write transaction: all its changes share a main revision (etcd `server/storage/mvcc/kvstore_txn.go`).

use crate::backend::Write;
use crate::range::KeyRange;
use crate::revision::{BucketKey, Revision};
use crate::store::{Found, Row, Store};
use bytes::Bytes;
use std::rc::Rc;
use wire::mvccpb::KeyValue;
use wire::rpc::Error;

/// A change of the transaction.
#[derive(Debug)]
pub(crate) struct Change {
    pub kv: Rc<KeyValue>,
    pub tombstone: bool,
}

/// An open write transaction. Without changes it leaves no trace.
pub(crate) struct WriteTxn<'a> {
    pub(crate) s: &'a mut Store,
    begin: i64,
    changes: Vec<Change>,
    puts: u64,
    deletes: u64,
    ranges: u64,
}

impl<'a> WriteTxn<'a> {
    pub(crate) fn begin(s: &'a mut Store) -> WriteTxn<'a> {
        let begin = s.current_rev;
        WriteTxn { s, begin, changes: Vec::new(), puts: 0, deletes: 0, ranges: 0 }
    }

    /// The revision reads see: with changes, the transaction's own.
    fn read_rev(&self) -> i64 {
        self.begin + i64::from(!self.changes.is_empty())
    }

    pub(crate) fn range(
        &mut self,
        range: &KeyRange,
        rev: i64,
        limit: i64,
        count_only: bool,
    ) -> Result<Found, Error> {
        self.ranges += 1;
        self.s.range_keys(range, self.read_rev(), rev, limit, count_only)
    }

    /// Puts a key; answers with the transaction's revision.
    pub(crate) fn put(&mut self, key: &Bytes, value: Bytes, lease: i64) -> i64 {
        self.puts += 1;
        let main = self.begin + 1;
        let rev = Revision::new(main, self.changes.len() as i64);
        let before = self.s.index.put(key, rev);
        self.s.counters.put_bytes += (key.len() + value.len()) as u64;
        let kv = Rc::new(KeyValue {
            key: key.clone(),
            create_revision: before.map_or(main, |f| f.created.main),
            mod_revision: main,
            version: before.map_or(0, |f| f.version) + 1,
            value,
            lease,
        });
        if before.is_none() {
            self.s.counters.keys += 1;
        }
        self.write(rev, &kv, false);
        let old = if before.is_some() { self.s.lessor.lease_of(&kv.key) } else { 0 };
        if old != lease {
            if old != 0 {
                self.s.lessor.detach(old, &kv.key);
            }
            if lease != 0 {
                self.s.lessor.attach(lease, &kv.key);
            }
        }
        self.changes.push(Change { kv, tombstone: false });
        main
    }

    /// Deletes a range; answers with the number of keys and the revision to report.
    pub(crate) fn delete_range(&mut self, range: &KeyRange) -> (i64, i64) {
        self.deletes += 1;
        let keys = self.s.index.keys_at(range, self.read_rev());
        for key in &keys {
            self.delete(key);
        }
        (keys.len() as i64, self.read_rev())
    }

    fn delete(&mut self, key: &Bytes) {
        let rev = Revision::new(self.begin + 1, self.changes.len() as i64);
        let Some(ki) = self.s.index.get_mut(key) else { return };
        if !ki.tombstone(rev) {
            return;
        }
        self.s.counters.keys -= 1;
        let kv = Rc::new(KeyValue { key: key.clone(), ..KeyValue::default() });
        self.write(rev, &kv, true);
        let old = self.s.lessor.lease_of(key);
        if old != 0 {
            self.s.lessor.detach(old, key);
        }
        self.changes.push(Change { kv, tombstone: true });
    }

    fn write(&mut self, rev: Revision, kv: &Rc<KeyValue>, tombstone: bool) {
        self.s.rows.insert(rev, Row { kv: kv.clone(), tombstone });
        self.s.tx.push(Write::Row(BucketKey { rev, tombstone }, kv.clone()));
    }

    /// Ends the transaction: the revision moves if there were changes, and watchers are told. Answers with the store's
    /// revision.
    pub(crate) fn end(self) -> i64 {
        let WriteTxn { s, begin, changes, puts, deletes, ranges } = self;
        let c = &mut s.counters;
        c.puts += puts;
        c.deletes += deletes;
        c.ranges += ranges;
        c.txns += u64::from(puts + deletes + ranges > 1);
        if changes.is_empty() {
            return begin;
        }
        s.current_rev = begin + 1;
        s.notify(begin + 1, &changes);
        begin + 1
    }
}
