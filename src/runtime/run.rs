//! Handles to enqueued work.

use super::acquire::Enqueued;
use super::context::opencl;
use super::event::Event;
use super::queue::Queue;
use crate::error::{Error, Result};
use std::ffi::c_void;
use std::time::Duration;

/// A handle to enqueued work, with which to wait for it and to ask how long it took.
/// Dropping the handle does not stop the work, which has been handed to the device and
/// starts without being waited for.
#[derive(Debug)]
pub struct Run {
    /// Whether the queue records device times.
    profiling: bool,
    passes: usize,
    /// The events of the first and the last pass, or of all of them, and that of what comes behind.
    done: Enqueued,
}

impl Run {
    /// A run of so many passes with these events, those of every pass or of the first and the last;
    /// what was enqueued so far is handed to the device.
    pub(crate) fn of(queue: &Queue, done: Enqueued, passes: usize) -> Result<Self> {
        queue.flush()?;
        Ok(Run {
            profiling: queue.profiling,
            passes,
            done,
        })
    }

    /// Several runs as one, timed from the start of the first to the end of the last.
    #[cfg(feature = "papers")]
    pub(crate) fn from_first_to_last(queue: &Queue, runs: Vec<Run>) -> Result<Self> {
        let work: Vec<Event> = runs.into_iter().flat_map(|run| run.done.work).collect();
        let (passes, released) = (work.len(), None);
        Run::of(queue, Enqueued { work, released }, passes)
    }

    fn last(&self) -> &Event {
        self.done
            .all()
            .last()
            .expect("every run has an event of its end")
    }

    /// The events of the work, that of its end last.
    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        self.done.all()
    }

    /// Returns the event of the end of the work, for other work to wait for.
    pub fn event(&self) -> Event {
        self.last().clone()
    }

    /// Returns the event of the end of the work as a `cl_event`, which stays valid as long as this
    /// run exists; retain it to keep it longer.
    pub fn as_raw(&self) -> *mut c_void {
        self.last().as_raw()
    }

    /// Whether the work is done, without waiting for it.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the work failed, or asking did.
    pub fn is_done(&self) -> Result<bool> {
        for event in self.done.all() {
            if !event.is_done()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Waits until the work is done, all of it also where some failed.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if waiting fails, or the work itself failed.
    pub fn wait(&self) -> Result<()> {
        // Where an earlier pass failed, the last one need not know.
        self.done.all().map(Event::wait).fold(Ok(()), Result::and)
    }

    /// Waits until the work is done and returns the time from the start of its first kernel to the
    /// end of its last, as the device measured it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the engine's queue records no times (`Engine::with_profiling`
    /// makes one that does); [`Error::OpenCl`] if waiting fails, or the work itself failed.
    pub fn device_time(&self) -> Result<Duration> {
        self.check_profiling("device_time")?;
        let passes = &self.done.work;
        between(&passes[0], &passes[passes.len() - 1])
    }

    /// Waits until the work is done and returns the time that each of its passes took, as the
    /// device measured it, in the order of the passes that a plan's `Debug` shows.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the engine's queue records no times, or of more than two passes
    /// only the first and the last, as it does in order without `Engine::timing_passes`;
    /// [`Error::OpenCl`] if waiting fails, or the work itself failed.
    pub fn pass_times(&self) -> Result<Vec<Duration>> {
        self.check_profiling("pass_times")?;
        let events = &self.done.work;
        if events.len() < self.passes {
            return Err(Error::Unsupported {
                what: "`Run::pass_times`".to_owned(),
                why: "only the first and the last pass were timed; `Engine::timing_passes` gives every pass an event"
                    .to_owned(),
            });
        }
        let passes = events.iter().take(self.passes);
        passes.map(|event| between(event, event)).collect()
    }

    fn check_profiling(&self, what: &str) -> Result<()> {
        if !self.profiling {
            return Err(Error::Unsupported {
                what: format!("`Run::{what}`"),
                why: "this engine records no times; open it with `Engine::with_profiling`"
                    .to_owned(),
            });
        }
        self.wait()
    }
}

/// From the start of one event's work to the end of another's.
fn between(first: &Event, last: &Event) -> Result<Duration> {
    let start = first.inner().profiling_command_start();
    let end = last.inner().profiling_command_end();
    let [start, end] = [start, end].map(|time| time.map_err(opencl("clGetEventProfilingInfo")));
    Ok(Duration::from_nanos(end?.saturating_sub(start?)))
}
