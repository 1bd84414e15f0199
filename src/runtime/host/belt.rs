//! The order of copies through slots of pinned memory, up and down at the same time: threads copy between slots and slices, and one
//! more moves slots to and from the device.
//!
//! Each way has slots of its own, and job j works in slot j modulo their number. Up, a thread copies into the slot, then the device
//! reads it; down, the device writes the slot, then a thread copies out of it. The device takes the jobs of a way in their order, and
//! threads begin with them in their order, with none before its slot is theirs: so a thread that has begun waits for nobody.

use super::copies::Way;
use crate::runtime::lock::{lock, wait};
use std::sync::{Condvar, Mutex};

pub struct Belt {
    /// Slots each way.
    slots: usize,
    progress: Mutex<Progress>,
    /// Whether something has been moved, and whether something has been copied.
    moves: Condvar,
    copies: Condvar,
}

struct Progress {
    ways: [Jobs; 2],
    stopped: bool,
}

/// The jobs of a way.
struct Jobs {
    /// With how many threads have begun.
    begun: usize,
    copied: Vec<bool>,
    /// With how many the device is done.
    moved: usize,
}

impl Belt {
    /// For so many jobs up, and so many down.
    pub fn new(jobs: [usize; 2], slots: usize) -> Self {
        let ways = jobs.map(|count| Jobs {
            begun: 0,
            copied: vec![false; count],
            moved: 0,
        });
        let stopped = false;
        Belt {
            slots,
            progress: Mutex::new(Progress { ways, stopped }),
            moves: Condvar::new(),
            copies: Condvar::new(),
        }
    }

    /// The next job for a thread, whose slot is the thread's from now on until it says that it has copied; none where threads have
    /// begun with all, or the belt was stopped.
    pub fn begin(&self) -> Option<(Way, usize)> {
        let mut progress = lock(&self.progress);
        loop {
            let [up, down] = &mut progress.ways;
            // What the slot held before must have left it; what goes down must have come.
            let ready = [(Way::ToDevice, up, self.slots), (Way::ToHost, down, 0)];
            for (way, jobs, ahead) in ready {
                let job = jobs.begun;
                if job < jobs.copied.len().min(jobs.moved + ahead) {
                    jobs.begun += 1;
                    return Some((way, job));
                }
            }
            let is_over = |jobs: &Jobs| jobs.begun == jobs.copied.len();
            if progress.stopped || progress.ways.iter().all(is_over) {
                return None;
            }
            progress = wait(&self.moves, progress);
        }
    }

    pub fn has_copied(&self, way: Way, job: usize) {
        lock(&self.progress).ways[way as usize].copied[job] = true;
        self.copies.notify_all();
    }

    /// Waits until the device may have the slot of a job; false where the belt was stopped.
    pub fn is_ready(&self, way: Way, job: usize) -> bool {
        let awaited = match way {
            Way::ToDevice => Some(job),
            Way::ToHost => job.checked_sub(self.slots),
        };
        let mut progress = lock(&self.progress);
        while let Some(job) = awaited
            && !progress.ways[way as usize].copied[job]
            && !progress.stopped
        {
            progress = wait(&self.copies, progress);
        }
        !progress.stopped
    }

    /// The device is done with one job more.
    pub fn has_moved(&self, way: Way) {
        lock(&self.progress).ways[way as usize].moved += 1;
        self.moves.notify_all();
    }

    /// Nobody waits any more.
    pub fn stop(&self) {
        lock(&self.progress).stopped = true;
        self.moves.notify_all();
        self.copies.notify_all();
    }
}

/// Stops the belt when dropped, so that no thread waits for one that gave up.
pub struct Stop<'a>(pub &'a Belt);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
