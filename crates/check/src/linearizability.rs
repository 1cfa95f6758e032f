//! The search for a sequential order of a concurrent history.
//!
//! Calls and returns stand in one list, ordered by time. The search takes a call whose operation may come next, removes it
//! with its return and goes on from the list's beginning; at a return nothing more can be taken, so it puts the last one back
//! and tries the next. A set of (operations taken, state) pairs keeps it from trying the same twice. It is a loop with a stack
//! of its own, so that long histories cost no call stack.

use core::fmt::Debug;
use std::collections::BTreeSet;

/// What one operation at a time may do.
pub trait Model {
    /// The state between operations.
    type State: Clone + Ord;
    /// What is asked.
    type Input: Debug;
    /// What is answered.
    type Output: Debug;

    /// The state at the beginning.
    fn init(&self) -> Self::State;

    /// The state after `input` was answered with `output` (`None`: the answer is not known, any will do); `None` if the model
    /// cannot answer so.
    fn step(
        &self,
        state: &Self::State,
        input: &Self::Input,
        output: Option<&Self::Output>,
    ) -> Option<Self::State>;
}

/// One operation of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation<I, O> {
    /// Who asked.
    pub client: u32,
    /// What was asked.
    pub input: I,
    /// When.
    pub call: u64,
    /// The answer; `None` if it is not known whether and how the operation took place.
    pub output: Option<O>,
    /// When it came; what is not known may take effect at any later time, so this is not looked at then.
    pub ret: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An order, as indexes into the history.
    Linearizable(Vec<usize>),
    /// There is none. The longest beginning of an order that was found, and the operation whose return came before it could be
    /// placed.
    Violation {
        /// Indexes of the operations that could be ordered.
        longest: Vec<usize>,
        /// Index of the one that then fits nowhere.
        stuck: usize,
    },
    /// The search was given up after so many steps.
    Unknown(u64),
}

impl Verdict {
    /// Whether an order was found.
    pub fn is_ok(&self) -> bool {
        matches!(self, Verdict::Linearizable(_))
    }
}

const NIL: usize = usize::MAX;

/// A list of calls (`op`) and returns (`op + n`), linked both ways, with a head at the end of the arrays.
struct List {
    next: Vec<usize>,
    prev: Vec<usize>,
    head: usize,
}

impl List {
    fn new(order: &[usize]) -> List {
        let head = order.len();
        let mut l = List { next: vec![NIL; head + 1], prev: vec![NIL; head + 1], head };
        let mut last = head;
        for &e in order {
            l.next[last] = e;
            l.prev[e] = last;
            last = e;
        }
        l
    }

    fn first(&self) -> usize {
        self.next[self.head]
    }

    fn unlink(&mut self, e: usize) {
        let (p, n) = (self.prev[e], self.next[e]);
        self.next[p] = n;
        if n != NIL {
            self.prev[n] = p;
        }
    }

    /// Puts an element back where it was; the reverse of the last [`List::unlink`].
    fn relink(&mut self, e: usize) {
        let (p, n) = (self.prev[e], self.next[e]);
        self.next[p] = e;
        if n != NIL {
            self.prev[n] = e;
        }
    }
}

/// Looks for an order of `history`, for at most `max_steps` steps.
pub fn check<M: Model>(model: &M, history: &[Operation<M::Input, M::Output>], max_steps: u64) -> Verdict {
    let n = history.len();
    let mut order: Vec<usize> = (0..2 * n).collect();
    let time = |e: usize| {
        let op = &history[e % n.max(1)];
        // Of things at the same time calls come first: they overlap then.
        if e < n {
            (op.call, 0)
        } else if op.output.is_none() {
            (u64::MAX, 1)
        } else {
            (op.ret, 1)
        }
    };
    order.sort_by_key(|e| time(*e));
    let mut list = List::new(&order);
    let mut state = model.init();
    let mut taken = vec![0u64; n.div_ceil(64)];
    let mut seen = BTreeSet::new();
    let mut stack: Vec<(usize, M::State)> = Vec::new();
    let (mut longest, mut stuck) = (Vec::new(), 0);
    let mut at = list.first();
    let mut steps = 0;
    while at != NIL {
        steps += 1;
        if steps > max_steps {
            return Verdict::Unknown(max_steps);
        }
        if at < n {
            let op = &history[at];
            if let Some(next) = model.step(&state, &op.input, op.output.as_ref()) {
                taken[at / 64] |= 1 << (at % 64);
                if seen.insert((taken.clone(), next.clone())) {
                    stack.push((at, core::mem::replace(&mut state, next)));
                    list.unlink(at);
                    list.unlink(at + n);
                    at = list.first();
                    continue;
                }
                taken[at / 64] &= !(1 << (at % 64));
            }
            at = list.next[at];
            continue;
        }
        // Only what is not known is left to return: it need not have happened.
        if history[at - n].output.is_none() {
            break;
        }
        if stack.len() >= longest.len() {
            longest = stack.iter().map(|(op, _)| *op).collect();
            stuck = at - n;
        }
        let Some((op, before)) = stack.pop() else { return Verdict::Violation { longest, stuck } };
        state = before;
        taken[op / 64] &= !(1 << (op % 64));
        list.relink(op + n);
        list.relink(op);
        at = list.next[op];
    }
    Verdict::Linearizable(stack.into_iter().map(|(op, _)| op).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Register, RegisterInput as In, RegisterOutput as Out};

    type Op = Operation<In, Out>;

    fn op(client: u32, input: In, call: u64, output: Option<Out>, ret: u64) -> Op {
        Operation { client, input, call, output, ret }
    }

    fn w(client: u32, v: &'static str, call: u64, ret: u64) -> Op {
        op(client, In::Write(v.into()), call, Some(Out::Done), ret)
    }

    fn r(client: u32, v: Option<&'static str>, call: u64, ret: u64) -> Op {
        op(client, In::Read, call, Some(Out::Value(v.map(Into::into))), ret)
    }

    fn verdict(h: &[Op]) -> Verdict {
        check(&Register, h, 1_000_000)
    }

    #[test]
    fn one_after_the_other() {
        assert!(verdict(&[]).is_ok());
        assert_eq!(verdict(&[w(1, "a", 0, 1), r(1, Some("a"), 2, 3)]), Verdict::Linearizable(vec![0, 1]));
        let lost = [w(1, "a", 0, 1), r(1, None, 2, 3)];
        assert_eq!(verdict(&lost), Verdict::Violation { longest: vec![0], stuck: 1 });
    }

    #[test]
    fn overlapping_operations_may_take_either_order() {
        let h = [w(1, "a", 0, 10), w(2, "b", 0, 10), r(3, Some("a"), 11, 12)];
        assert_eq!(verdict(&h), Verdict::Linearizable(vec![1, 0, 2]));
        // but two readers must agree
        let h = [w(1, "a", 0, 100), r(2, Some("a"), 1, 2), r(3, None, 3, 4)];
        assert!(matches!(verdict(&h), Verdict::Violation { .. }));
    }

    #[test]
    fn what_is_not_known_may_have_happened_or_not_but_only_later() {
        let lost = |seen| [op(1, In::Write("a".into()), 5, None, 0), r(2, seen, 10, 11)];
        assert!(verdict(&lost(Some("a"))).is_ok());
        assert!(verdict(&lost(None)).is_ok());
        let early = [r(2, Some("a"), 0, 1), op(1, In::Write("a".into()), 5, None, 0)];
        assert!(!verdict(&early).is_ok());
        // once it was seen it stays
        let h = [op(1, In::Write("a".into()), 0, None, 0), r(2, Some("a"), 1, 2), r(2, None, 3, 4)];
        assert!(!verdict(&h).is_ok());
    }

    #[test]
    fn compare_and_swap() {
        let cas = |c, old: Option<&'static str>, new: &'static str, ok, call, ret| {
            let swap = In::Cas { expected: old.map(Into::into), new: new.into() };
            op(c, swap, call, Some(Out::Swapped(ok)), ret)
        };
        let h = [cas(1, None, "a", true, 0, 10), cas(2, None, "b", true, 0, 10)];
        assert!(!verdict(&h).is_ok(), "only one may win");
        let h = [cas(1, None, "a", true, 0, 10), cas(2, None, "b", false, 0, 10), r(1, Some("a"), 11, 12)];
        assert!(verdict(&h).is_ok());
    }

    #[test]
    fn long_histories_end() {
        let mut h = Vec::new();
        for i in 0..2000u64 {
            h.push(w((i % 4) as u32, if i % 2 == 0 { "a" } else { "b" }, i * 10, i * 10 + 25));
        }
        assert!(verdict(&h).is_ok());
        assert_eq!(check(&Register, &h, 100), Verdict::Unknown(100));
    }
}
