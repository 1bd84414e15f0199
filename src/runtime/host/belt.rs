//! The order of copies through a ring of slots: some threads copy between slots and slices, one moves slots to and from the
//! device.
//!
//! Job j works in slot j modulo their number. Of one that goes up a thread copies into the slot, then the device reads it; of one
//! that goes down the device writes the slot, then a thread copies out of it. The device takes the jobs in their order; threads
//! take those of either way in their order, and none that they would have to wait for.

use super::copies::Way;
use crate::runtime::plan::lock;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

const WAYS: [Way; 2] = [Way::ToDevice, Way::ToHost];

pub struct Belt {
    /// Which way each job goes.
    ways: Vec<Way>,
    slots: usize,
    progress: Mutex<Progress>,
    /// For threads: something has been moved, or copied. For the one that moves: something has been copied.
    moves: Condvar,
    copies: Condvar,
}

struct Progress {
    /// The next jobs for threads, up and down.
    next: [usize; 2],
    copied: Vec<bool>,
    /// Jobs that the device is done with.
    moved: usize,
    stopped: bool,
}

impl Belt {
    pub fn new(ways: Vec<Way>, slots: usize) -> Self {
        let copied = vec![false; ways.len()];
        let belt = Belt {
            ways,
            slots,
            progress: Mutex::new(Progress {
                next: [0, 0],
                copied,
                moved: 0,
                stopped: false,
            }),
            moves: Condvar::new(),
            copies: Condvar::new(),
        };
        lock(&belt.progress).next = WAYS.map(|way| belt.next(way, 0));
        belt
    }

    /// The first job of a way from this one on.
    fn next(&self, way: Way, from: usize) -> usize {
        let found = self.ways[from..].iter().position(|&one| one == way);
        found.map_or(self.ways.len(), |found| from + found)
    }

    /// The next job for a thread, whose slot is the thread's from now on until it says that it has copied.
    pub fn begin(&self) -> Option<usize> {
        let mut progress = lock(&self.progress);
        while !progress.stopped && progress.next != [self.ways.len(); 2] {
            let [up, down] = progress.next;
            // What came down first: that leaves a slot free.
            if down < progress.moved {
                progress.next[1] = self.next(Way::ToHost, down + 1);
                return Some(down);
            }
            if up < self.ways.len() && self.is_free(&progress, up) {
                progress.next[0] = self.next(Way::ToDevice, up + 1);
                return Some(up);
            }
            progress = self
                .moves
                .wait(progress)
                .unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Whether nothing is in the slot of a job any more.
    fn is_free(&self, progress: &Progress, job: usize) -> bool {
        job.checked_sub(self.slots).is_none_or(|former| {
            let is_read = self.ways[former] == Way::ToDevice || progress.copied[former];
            former < progress.moved && is_read
        })
    }

    pub fn has_copied(&self, job: usize) {
        lock(&self.progress).copied[job] = true;
        self.copies.notify_all();
        self.moves.notify_all();
    }

    /// The job whose thread must have copied before the device may have the slot of this one. What went to the device from there
    /// before has done so: it is done with so many jobs that at most one of each slot is left.
    fn awaited(&self, job: usize) -> Option<usize> {
        match self.ways[job] {
            Way::ToDevice => Some(job),
            Way::ToHost => job
                .checked_sub(self.slots)
                .filter(|&former| self.ways[former] == Way::ToHost),
        }
    }

    /// Whether the device may have the slot of a job, or never will.
    pub fn is_ready(&self, job: usize) -> bool {
        let progress = lock(&self.progress);
        progress.stopped || self.awaited(job).is_none_or(|job| progress.copied[job])
    }

    /// Waits until the device may have the slot of a job; false where the belt was stopped.
    pub fn wait_for(&self, job: usize) -> bool {
        let awaited = self.awaited(job);
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
