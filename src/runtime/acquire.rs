//! Work on buffers that are shared with OpenGL: acquired before it and released behind
//! it, also where it fails.

use super::context::opencl;
use super::event::{Event, WaitList};
use super::queue::Queue;
use crate::error::Result;
use cl3::gl::{enqueue_acquire_gl_objects, enqueue_release_gl_objects};
use opencl3::error_codes::ClError;
use opencl3::types::{cl_event, cl_int, cl_mem};

/// A `cl_mem` made of a buffer of OpenGL, alive as long as the array that it is of. As a
/// number threads may have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GlBuffer(pub usize);

/// The events of enqueued work.
#[derive(Debug)]
pub(crate) struct Enqueued {
    /// Those of the work itself, the last one that of its end; none where it is done already.
    pub work: Vec<Event>,
    /// Where buffers are shared, the event of their release behind it.
    pub released: Option<Event>,
}

impl Enqueued {
    /// All events, that of the end last.
    pub fn all(&self) -> impl Iterator<Item = &Event> {
        self.work.iter().chain(&self.released)
    }
}

/// Enqueues work, which must wait for the events that it is handed, on buffers
/// some of which are shared.
pub(crate) fn with_acquired(
    queue: &Queue,
    buffers: &[GlBuffer],
    waits: &[Event],
    work: impl FnOnce(&[Event]) -> Result<Vec<Event>>,
) -> Result<Enqueued> {
    if buffers.is_empty() {
        let work = work(waits)?;
        let released = None;
        return Ok(Enqueued { work, released });
    }
    let memory: Vec<cl_mem> = buffers.iter().map(|buffer| buffer.0 as cl_mem).collect();
    let acquired = enqueue(
        "clEnqueueAcquireGLObjects",
        &memory,
        waits,
        |count, memory, waiting, waits| {
            // SAFETY: queue, buffers and events are alive, and there are as many as said.
            unsafe { enqueue_acquire_gl_objects(queue.handle.get(), count, memory, waiting, waits) }
        },
    )?;
    let done = work(&[acquired]);
    // A queue in order needs no event: with one, nothing would be released where the work fails.
    let behind = match &done {
        _ if queue.in_order => None,
        Ok(events) => events.last().cloned(),
        // Some of it may have been enqueued.
        Err(_) => queue.marker(&[]).ok(),
    };
    let released = enqueue(
        "clEnqueueReleaseGLObjects",
        &memory,
        behind.as_slice(),
        |count, memory, waiting, waits| {
            // SAFETY: as above.
            unsafe { enqueue_release_gl_objects(queue.handle.get(), count, memory, waiting, waits) }
        },
    );
    let work = done?;
    let released = Some(released?);
    Ok(Enqueued { work, released })
}

/// Acquires or releases.
fn enqueue(
    call: &'static str,
    memory: &[cl_mem],
    waits: &[Event],
    function: impl FnOnce(
        u32,
        *const cl_mem,
        u32,
        *const cl_event,
    ) -> std::result::Result<cl_event, cl_int>,
) -> Result<Event> {
    let waits = WaitList::of(waits);
    let event = function(
        memory.len() as u32,
        memory.as_ptr(),
        waits.count(),
        waits.first(),
    );
    let event = event.map_err(|code| opencl(call)(ClError(code)))?;
    Ok(Event::owning(event))
}
