//! Events: what enqueued work can wait for.

use super::context::opencl;
use super::handle::Handle;
use super::raw;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use opencl3::error_codes::ClError;
use opencl3::event::{self, CL_COMPLETE};
use opencl3::types::cl_event;
use std::ffi::c_void;
use std::sync::Arc;

/// Something that work can wait for on the device: the end of a [`Run`](super::Run), by
/// `Run::event`, or any OpenCL event of the caller's, by [`Event::from_raw`]. Cloning it is cheap,
/// and the clone is the same event.
#[derive(Clone, Debug)]
pub struct Event(Arc<Handle<event::Event>>);

impl Event {
    /// Takes over a reference to an event.
    pub(crate) fn owning(event: cl_event) -> Self {
        Event(Arc::new(event::Event::new(event).into()))
    }

    /// Wraps an OpenCL event of any origin, a user event too. It is retained, and
    /// released with the last clone.
    ///
    /// Its context is checked where it is used: some drivers wait for ever for an
    /// event of another context.
    ///
    /// # Safety
    /// `event` is null, which is refused, or a valid `cl_event` of the OpenCL library that
    /// this process has loaded.
    ///
    /// # Errors
    /// [`Error::Handle`] for null; [`Error::OpenCl`] if it cannot be retained.
    pub unsafe fn from_raw(event: *mut c_void) -> Result<Self> {
        raw::check_not_null("the event", event)?;
        // SAFETY: the event is valid, by the caller's promise.
        unsafe { cl3::event::retain_event(event) }
            .map_err(|code| opencl("clRetainEvent")(ClError(code)))?;
        Ok(Event::owning(event))
    }

    /// Returns the event as a `cl_event`, which stays valid as long as this event or a clone of it
    /// exists; retain it to keep it longer.
    pub fn as_raw(&self) -> *mut c_void {
        self.0.get()
    }

    /// Returns the event as a `cl_event` with a reference of its own, for the caller to release.
    /// Not released, the event is kept for ever, and nothing else happens.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if it cannot be retained.
    pub fn into_raw(self) -> Result<*mut c_void> {
        // SAFETY: the event is valid as long as `self`.
        unsafe { cl3::event::retain_event(self.as_raw()) }
            .map_err(|code| opencl("clRetainEvent")(ClError(code)))?;
        Ok(self.as_raw())
    }

    /// Whether what the event stands for is done, without waiting for it.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if it failed, or asking did.
    pub fn is_done(&self) -> Result<bool> {
        let is_complete = self.is_complete()?;
        if is_complete {
            // Intel's runtime for CPUs calls work complete whose waiting failed, and says so
            // only to who waits for it.
            self.wait()?;
        }
        Ok(is_complete)
    }

    /// Waits until what the event stands for is done. Nothing ends the wait for a user
    /// event that is never set.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if waiting fails, or what the event stands for failed.
    pub fn wait(&self) -> Result<()> {
        self.0.wait().map_err(opencl("clWaitForEvents"))?;
        // NVIDIA's driver says only to who asks that it failed.
        self.is_complete().map(drop)
    }

    /// What its status says.
    fn is_complete(&self) -> Result<bool> {
        let status = self.0.command_execution_status();
        match status.map_err(opencl("clGetEventInfo"))?.0 {
            // The status of work that failed is an error's code.
            failed if failed < 0 => Err(opencl("the enqueued work")(ClError(failed))),
            status => Ok(status == CL_COMPLETE),
        }
    }

    /// Whether what the event stands for may be neither done nor failed; also where asking fails.
    pub(crate) fn is_pending(&self) -> bool {
        let status = self.0.command_execution_status();
        !status.is_ok_and(|status| status.0 <= CL_COMPLETE)
    }

    /// Whether what the event stands for failed, without waiting for it.
    pub(crate) fn has_failed(&self) -> bool {
        let status = self.0.command_execution_status();
        status.is_ok_and(|status| status.0 < 0)
    }

    pub(crate) fn inner(&self) -> &event::Event {
        &self.0
    }
}

/// Events as OpenCL takes them, each once: if one that is twice in a list fails, Intel's runtime
/// for CPUs frees it twice.
pub(crate) struct WaitList(Vec<cl_event>);

impl WaitList {
    pub fn of(events: &[Event]) -> Self {
        let mut handles: Vec<cl_event> = events.iter().map(|event| event.0.get()).collect();
        handles.sort_unstable();
        handles.dedup();
        WaitList(handles)
    }

    pub fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// Where the events stand, as long as this does; null where there are none.
    pub fn first(&self) -> *const cl_event {
        match self.0.as_slice() {
            [] => std::ptr::null(),
            some => some.as_ptr(),
        }
    }
}

/// Waits for all of these, by one call where none fails.
pub(crate) fn wait_for_all(events: &[Event]) -> Result<()> {
    let WaitList(all) = WaitList::of(events);
    if !all.is_empty() && cl3::event::wait_for_events(&all).is_ok() {
        return events
            .iter()
            .try_for_each(|event| event.is_complete().map(drop));
    }
    // Which of them failed, and why.
    events.iter().try_for_each(Event::wait)
}
