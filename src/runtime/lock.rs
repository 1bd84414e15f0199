//! Locks that outlive a panic.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A thread that panicked leaves nothing half-done in what the locks of this library guard.
pub(crate) fn lock<L>(mutex: &Mutex<L>) -> MutexGuard<'_, L> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets go of what a lock guards until another thread says that it has changed, or for no reason.
pub(crate) fn wait<'a, L>(change: &Condvar, guard: MutexGuard<'a, L>) -> MutexGuard<'a, L> {
    change.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
