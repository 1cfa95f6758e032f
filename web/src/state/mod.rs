//! Three owners of state, and one for the field that is looked at: `session` is what the engine said, `view` what is open
//! and selected, `prefs` language and theme, `link` the field under the pointer or pinned.

pub mod link;
pub mod prefs;
pub mod session;
pub mod view;

use std::ops::Deref;
use std::rc::Rc;

/// A shared value compared by identity: a component draws again when it is replaced, not when something equal is.
#[derive(Debug, Default)]
pub struct Ptr<T>(Rc<T>);

impl<T> Ptr<T> {
    pub fn new(value: T) -> Self {
        Ptr(Rc::new(value))
    }
}

impl<T> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        Ptr(self.0.clone())
    }
}

impl<T> PartialEq for Ptr<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Ptr<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
