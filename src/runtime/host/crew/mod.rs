//! Threads that copy between arrays and tiles, kept over all tiles of a transform: one thread makes
//! the OpenCL calls and posts what is to be copied, which all do in its order, line by line.
//!
//! A thread that waits for a copy can help with it, and does where there are no others.

mod copying;

pub(super) use self::copying::{Copying, Moves};
use crate::error::Result;
use crate::runtime::lock::{lock, wait};
use crate::wavelet::Sample;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, Scope};

/// What threads are to copy.
pub(super) struct Crew<'a, T> {
    posted: Mutex<Posted<'a, T>>,
    change: Condvar,
    /// Threads that were started.
    threads: AtomicUsize,
}

struct Posted<'a, T> {
    copies: VecDeque<Arc<Copying<'a, T>>>,
    is_over: bool,
}

impl<'a, T: Sample> Crew<'a, T> {
    pub fn new() -> Self {
        Crew {
            posted: Mutex::new(Posted {
                copies: VecDeque::new(),
                is_over: false,
            }),
            change: Condvar::new(),
            threads: AtomicUsize::new(0),
        }
    }

    /// Starts so many threads, or as many as there are to be had, which end when what
    /// this returns is dropped.
    #[must_use]
    pub fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, threads: usize) -> Over<'s, 'a, T> {
        let over = Over(self);
        for _ in 0..threads {
            let started = thread::Builder::new().spawn_scoped(scope, || self.work());
            if started.is_err() {
                break;
            }
            self.threads.fetch_add(1, Ordering::Relaxed);
        }
        over
    }

    /// Has the threads copy, after what was posted before.
    pub fn post(&self, copying: &Arc<Copying<'a, T>>) {
        lock(&self.posted).copies.push_back(copying.clone());
        self.change.notify_all();
    }

    /// Waits for a copy, and helps only where there are no other threads:
    /// this one has calls to make.
    pub fn wait(&self, copying: &Copying<'a, T>) -> Result<()> {
        match self.threads.load(Ordering::Relaxed) {
            0 => copying.wait(),
            _ => copying.wait_for_others(),
        }
    }

    /// Copies to the end, also after a panic, which is passed on then: there may be no other
    /// thread for what is left.
    fn work(&self) {
        let mut panicked = None;
        while let Some(copying) = self.next() {
            if let Err(why) = catch_unwind(AssertUnwindSafe(|| copying.help())) {
                panicked = Some(why);
            }
        }
        if let Some(why) = panicked {
            resume_unwind(why);
        }
    }

    /// The oldest copy that needs help; none at the end.
    fn next(&self) -> Option<Arc<Copying<'a, T>>> {
        let mut posted = lock(&self.posted);
        while !posted.is_over {
            while posted.copies.front().is_some_and(|one| one.is_taken()) {
                posted.copies.pop_front();
            }
            if let Some(copying) = posted.copies.front() {
                return Some(copying.clone());
            }
            posted = wait(&self.change, posted);
        }
        None
    }
}

/// When dropped, threads begin with nothing new.
pub(super) struct Over<'s, 'a, T>(&'s Crew<'a, T>);

impl<T> Drop for Over<'_, '_, T> {
    fn drop(&mut self) {
        let mut posted = lock(&self.0.posted);
        posted.is_over = true;
        posted.copies.clear();
        self.0.change.notify_all();
    }
}

#[cfg(test)]
mod tests;
