//! Handles to enqueued work.

use super::context::opencl;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use opencl3::event::Event;
use std::sync::Arc;
use std::time::Duration;

/// A handle to enqueued work, with which to wait for it and to ask how long it took. Dropping the handle does not
/// stop the work.
#[derive(Debug)]
#[must_use = "the work is only enqueued; wait for it, or use `Engine::finish`"]
pub struct Run {
    ends: Option<(Arc<Event>, Arc<Event>)>,
}

impl Run {
    pub(crate) fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let mut ends = None;
        for event in events {
            let event = Arc::new(event);
            ends = match ends {
                None => Some((event.clone(), event)),
                Some((first, _)) => Some((first, event)),
            };
        }
        Run { ends }
    }

    /// Waits until the work is done.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if waiting fails, or the work itself failed.
    pub fn wait(&self) -> Result<()> {
        match &self.ends {
            Some((_, last)) => last.wait().map_err(opencl("clWaitForEvents")),
            None => Ok(()),
        }
    }

    /// Waits until the work is done and returns the time from the start of its first kernel to the end of its
    /// last, as the device measured it.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the engine was not opened with `Engine::with_profiling`, if waiting fails, or if
    /// the work itself failed.
    pub fn device_time(&self) -> Result<Duration> {
        self.wait()?;
        let Some((first, last)) = &self.ends else {
            return Ok(Duration::ZERO);
        };
        let start = first
            .profiling_command_start()
            .map_err(opencl("clGetEventProfilingInfo"))?;
        let end = last
            .profiling_command_end()
            .map_err(opencl("clGetEventProfilingInfo"))?;
        Ok(Duration::from_nanos(end.saturating_sub(start)))
    }
}
