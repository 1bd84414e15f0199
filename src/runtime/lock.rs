//! Locks that outlive a panic.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// A thread that panicked leaves nothing half-done in what the locks of this library guard.
pub(crate) fn lock<L>(mutex: &Mutex<L>) -> MutexGuard<'_, L> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets go of what a lock guards until another thread says that it has changed, or for no reason.
pub(crate) fn wait<'a, L>(change: &Condvar, guard: MutexGuard<'a, L>) -> MutexGuard<'a, L> {
    change.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// What calls take turns with, where a call may call the caller back, who
/// must not wait for himself.
pub(crate) struct Turns<L> {
    guarded: Mutex<L>,
    caller: Mutex<Option<ThreadId>>,
}

/// A call's turn.
pub(crate) struct Turn<'a, L> {
    pub guarded: MutexGuard<'a, L>,
    caller: &'a Mutex<Option<ThreadId>>,
}

impl<L> Turns<L> {
    pub fn new(guarded: L) -> Self {
        Turns {
            guarded: Mutex::new(guarded),
            caller: Mutex::new(None),
        }
    }

    /// Waits for those of other threads; none where it is this thread's already.
    pub fn take(&self) -> Option<Turn<'_, L>> {
        let this = Some(thread::current().id());
        if *lock(&self.caller) == this {
            return None;
        }
        let guarded = lock(&self.guarded);
        *lock(&self.caller) = this;
        Some(Turn {
            guarded,
            caller: &self.caller,
        })
    }
}

impl<L> Drop for Turn<'_, L> {
    fn drop(&mut self) {
        *lock(self.caller) = None;
    }
}
