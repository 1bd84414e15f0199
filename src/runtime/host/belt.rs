//! The order of copies through slots of pinned memory, up and down at the same time: threads copy
//! between slots and slices, and one more moves slots to and from the device.
//!
//! Each heading has slots of its own, and job j works in slot j modulo their number. Up, a
//! thread copies into the slot, then the device reads it; down, the device writes the slot,
//! then a thread copies out of it. The device takes the jobs of a heading in their order, and
//! threads begin with them in their order, with none before its slot is theirs: so a thread
//! that has begun waits for nobody.

use super::copies::Heading;
use crate::runtime::lock::{lock, wait};
use std::sync::{Condvar, Mutex};

pub struct Belt {
    /// Slots for each heading.
    slots: usize,
    state: Mutex<State>,
    /// Whether something has been moved, and whether something has been copied.
    moves: Condvar,
    copies: Condvar,
}

struct State {
    headings: [Jobs; 2],
    stopped: bool,
}

/// The jobs of a heading.
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
        let headings = jobs.map(|count| Jobs {
            begun: 0,
            copied: vec![false; count],
            moved: 0,
        });
        let stopped = false;
        Belt {
            slots,
            state: Mutex::new(State { headings, stopped }),
            moves: Condvar::new(),
            copies: Condvar::new(),
        }
    }

    /// The next job for a thread, whose slot is the thread's from now on until it says that it has
    /// copied; none where threads have begun with all, or the belt was stopped.
    pub fn begin(&self) -> Option<(Heading, usize)> {
        let mut state = lock(&self.state);
        loop {
            let [up, down] = &mut state.headings;
            // What the slot held before must have left it; what goes down must have come.
            let ready = [
                (Heading::ToDevice, up, self.slots),
                (Heading::ToHost, down, 0),
            ];
            for (heading, jobs, ahead) in ready {
                let job = jobs.begun;
                if job < jobs.copied.len().min(jobs.moved + ahead) {
                    jobs.begun += 1;
                    return Some((heading, job));
                }
            }
            let is_over = |jobs: &Jobs| jobs.begun == jobs.copied.len();
            if state.stopped || state.headings.iter().all(is_over) {
                return None;
            }
            state = wait(&self.moves, state);
        }
    }

    pub fn has_copied(&self, heading: Heading, job: usize) {
        lock(&self.state).headings[heading as usize].copied[job] = true;
        self.copies.notify_all();
    }

    /// Waits until the device may have the slot of a job; false where the belt was stopped.
    pub fn is_ready(&self, heading: Heading, job: usize) -> bool {
        let awaited = match heading {
            Heading::ToDevice => Some(job),
            Heading::ToHost => job.checked_sub(self.slots),
        };
        let mut state = lock(&self.state);
        while let Some(job) = awaited
            && !state.headings[heading as usize].copied[job]
            && !state.stopped
        {
            state = wait(&self.copies, state);
        }
        !state.stopped
    }

    /// The device is done with one job more.
    pub fn has_moved(&self, heading: Heading) {
        lock(&self.state).headings[heading as usize].moved += 1;
        self.moves.notify_all();
    }

    /// Nobody waits any more.
    pub fn stop(&self) {
        lock(&self.state).stopped = true;
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
