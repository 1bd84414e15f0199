//! Work that was enqueued.

use super::context::opencl;
use crate::error::Result;
use opencl3::event::Event;
use std::sync::Arc;
use std::time::Duration;

/// Work that was enqueued. Dropping it does not stop the work.
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
    /// [`Error::OpenCl`], also where the work itself failed.
    pub fn wait(&self) -> Result<()> {
        match &self.ends {
            Some((_, last)) => last.wait().map_err(opencl("clWaitForEvents")),
            None => Ok(()),
        }
    }

    /// Waits, and says how long the device worked: from the start of the first kernel to the end of the
    /// last.
    ///
    /// # Errors
    /// [`Error::OpenCl`], also where the engine was made without
    /// [`with_profiling`](Engine::with_profiling).
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
