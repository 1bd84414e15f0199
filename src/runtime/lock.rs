//! Locks that outlive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A thread that panicked leaves nothing half-done in what the locks of this library guard.
pub(crate) fn lock<L>(mutex: &Mutex<L>) -> MutexGuard<'_, L> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
