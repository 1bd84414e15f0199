//! The order of copies through a ring of slots: some threads copy between slots and slices, one moves slots to and from the
//! device.
//!
//! Job j works in slot j modulo their number. The first jobs go up: a thread copies into the slot, then the device reads it. The
//! others go down: the device writes the slot, then a thread copies out of it. The device takes the jobs in their order; threads
//! begin with them in their order.

use crate::runtime::lock::lock;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub struct Belt {
    /// Jobs that go up, before those that go down.
    uploads: usize,
    slots: usize,
    progress: Mutex<Progress>,
    /// Whether something has been moved, and whether something has been copied.
    moves: Condvar,
    copies: Condvar,
}

struct Progress {
    /// Jobs that threads have begun with.
    begun: usize,
    copied: Vec<bool>,
    /// Jobs that the device is done with.
    moved: usize,
    stopped: bool,
}

impl Belt {
    pub fn new(uploads: usize, downloads: usize, slots: usize) -> Self {
        Belt {
            uploads,
            slots,
            progress: Mutex::new(Progress {
                begun: 0,
                copied: vec![false; uploads + downloads],
                moved: 0,
                stopped: false,
            }),
            moves: Condvar::new(),
            copies: Condvar::new(),
        }
    }

    pub fn uploads(&self) -> usize {
        self.uploads
    }

    /// The next job for a thread, whose slot is the thread's from now on until it says that it has copied.
    pub fn begin(&self) -> Option<usize> {
        let mut progress = lock(&self.progress);
        let job = progress.begun;
        if job == progress.copied.len() {
            return None;
        }
        progress.begun += 1;
        // What the slot held before must have left it; what goes down must have come.
        let needed = match job < self.uploads {
            true => (job + 1).saturating_sub(self.slots),
            false => job + 1,
        };
        wait(&self.moves, progress, |progress| progress.moved >= needed).then_some(job)
    }

    pub fn has_copied(&self, job: usize) {
        lock(&self.progress).copied[job] = true;
        self.copies.notify_all();
    }

    /// Waits until the device may have the slot of a job; false where the belt was stopped.
    pub fn is_ready(&self, job: usize) -> bool {
        let awaited = match job < self.uploads {
            true => Some(job),
            // What went up from the slot does so in front of what comes down to it.
            false => job
                .checked_sub(self.slots)
                .filter(|&former| former >= self.uploads),
        };
        let ready = |progress: &Progress| awaited.is_none_or(|job| progress.copied[job]);
        wait(&self.copies, lock(&self.progress), ready)
    }

    /// The device is done with one job more.
    pub fn has_moved(&self) {
        lock(&self.progress).moved += 1;
        self.moves.notify_all();
    }

    /// Nobody waits any more.
    pub fn stop(&self) {
        lock(&self.progress).stopped = true;
        self.moves.notify_all();
        self.copies.notify_all();
    }
}

/// Waits for a condition; false where the belt was stopped.
fn wait(
    change: &Condvar,
    mut progress: MutexGuard<Progress>,
    is_met: impl Fn(&Progress) -> bool,
) -> bool {
    while !progress.stopped && !is_met(&progress) {
        progress = change
            .wait(progress)
            .unwrap_or_else(PoisonError::into_inner);
    }
    !progress.stopped
}

/// Stops the belt when dropped, so that no thread waits for one that gave up.
pub struct Stop<'a>(pub &'a Belt);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
