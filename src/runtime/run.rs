//! Handles to enqueued work.

use super::context::{Shared, opencl};
use super::handle::Handle;
use crate::error::{Error, Result};
use opencl3::error_codes::ClError;
use opencl3::event::{CL_COMPLETE, Event};
use std::sync::Arc;
use std::time::Duration;

/// A handle to enqueued work, with which to wait for it and to ask how long it took. Dropping the handle does not
/// stop the work, which has been handed to the device and starts without being waited for.
#[derive(Debug)]
pub struct Run {
    /// Whether the engine records device times.
    profiling: bool,
    /// The events of the first and the last launch.
    ends: Option<[Arc<Handle<Event>>; 2]>,
}

impl Run {
    /// A run that begins and ends with these events; what was enqueued so far is handed to the device.
    pub(crate) fn of(
        shared: &Shared,
        events: impl IntoIterator<Item = Handle<Event>>,
    ) -> Result<Self> {
        let mut ends: Option<[Arc<_>; 2]> = None;
        for event in events {
            let event = Arc::new(event);
            ends = match ends {
                None => Some([event.clone(), event]),
                Some([first, _]) => Some([first, event]),
            };
        }
        shared.queue.flush().map_err(opencl("clFlush"))?;
        let profiling = shared.profiling;
        Ok(Run { profiling, ends })
    }

    /// Whether the work is done, without waiting for it.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the work failed, or asking did.
    pub fn is_done(&self) -> Result<bool> {
        let Some([_, last]) = &self.ends else {
            return Ok(true);
        };
        let status = last
            .command_execution_status()
            .map_err(opencl("clGetEventInfo"))?
            .0;
        // The status of work that failed is an error's code.
        if status < 0 {
            return Err(opencl("the enqueued work")(ClError(status)));
        }
        Ok(status == CL_COMPLETE)
    }

    /// Waits until the work is done.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if waiting fails, or the work itself failed.
    pub fn wait(&self) -> Result<()> {
        match &self.ends {
            Some([_, last]) => last.wait().map_err(opencl("clWaitForEvents")),
            None => Ok(()),
        }
    }

    /// Waits until the work is done and returns the time from the start of its first kernel to the end of its
    /// last, as the device measured it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the engine was not opened with `Engine::with_profiling`; [`Error::OpenCl`] if
    /// waiting fails, or the work itself failed.
    pub fn device_time(&self) -> Result<Duration> {
        if !self.profiling {
            return Err(Error::Unsupported {
                what: "`Run::device_time`".to_owned(),
                why: "this engine records no times; open it with `Engine::with_profiling`"
                    .to_owned(),
            });
        }
        self.wait()?;
        let Some([first, last]) = &self.ends else {
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
