//! Command queues, and the order of what uses an array: where one queue
//! does not keep it, events do.

use super::acquire::{Enqueued, GlBuffer, with_acquired};
use super::context::opencl;
use super::event::{Event, WaitList};
use super::handle::Handle;
use super::lock::lock;
use crate::device::Device;
use crate::error::Result;
use opencl3::command_queue::{
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CommandQueue,
};
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::types::cl_command_queue_properties;
use std::sync::{Arc, Mutex};

/// A command queue, the library's own or the caller's.
pub(crate) struct Queue {
    pub handle: Handle<CommandQueue>,
    /// Whether commands run one after the other, in the order in which they were enqueued.
    pub in_order: bool,
    /// Whether events record when their work started and ended.
    pub profiling: bool,
    /// Whether it is the caller's, who may have stopped it by a user event.
    pub foreign: bool,
    /// What earlier work in order waited for and may still fail: what comes
    /// behind must then fail as well.
    awaited: Mutex<Vec<Event>>,
}

impl Queue {
    pub fn new(
        handle: Handle<CommandQueue>,
        properties: cl_command_queue_properties,
        foreign: bool,
    ) -> Self {
        Queue {
            handle,
            in_order: properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0,
            profiling: properties & CL_QUEUE_PROFILING_ENABLE != 0,
            foreign,
            awaited: Mutex::default(),
        }
    }

    /// Whether a transform may go in parts: what is enqueued runs in their order,
    /// and nobody else stops it.
    pub fn takes_parts(&self) -> bool {
        self.in_order && !self.foreign
    }

    /// Makes a queue of the library's own, in order.
    pub fn own(
        context: &Context,
        device: &Device,
        properties: cl_command_queue_properties,
    ) -> Result<Arc<Self>> {
        // Not by opencl3, which asks the device something afterwards, and keeps the queue
        // for ever if that fails. SAFETY: the device belongs to the context: engines are
        // made of such pairs alone.
        let queue = unsafe {
            let device = device.handle.id();
            cl3::command_queue::create_command_queue(context.get(), device, properties)
        };
        let queue = queue.map_err(|code| opencl("clCreateCommandQueue")(ClError(code)))?;
        let queue: Handle<CommandQueue> = CommandQueue::new(queue, 3).into();
        Ok(Arc::new(Queue::new(queue, properties, false)))
    }

    /// Hands everything enqueued so far to the device.
    pub fn flush(&self) -> Result<()> {
        self.handle.flush().map_err(opencl("clFlush"))
    }

    /// An event that is done when these are, or, without any, when everything enqueued so far is.
    pub fn marker(&self, events: &[Event]) -> Result<Event> {
        let waits = WaitList::of(events);
        // SAFETY: the queue is alive, and the list has so many events.
        let marker = unsafe {
            let (count, list) = (waits.count(), waits.first());
            cl3::command_queue::enqueue_marker_with_wait_list(self.handle.get(), count, list)
        };
        let marker = marker.map_err(|code| opencl("clEnqueueMarkerWithWaitList")(ClError(code)))?;
        let marker = Event::owning(marker);
        self.flush()?;
        Ok(marker)
    }

    /// What work must wait for that should wait for `after`.
    fn awaited(&self, after: &[Event]) -> Vec<Event> {
        if !self.in_order {
            return after.to_vec();
        }
        let mut awaited = lock(&self.awaited);
        awaited.retain(Event::is_pending);
        let mut waits = awaited.clone();
        waits.extend_from_slice(after);
        awaited.extend_from_slice(after);
        waits
    }
}

/// How work uses an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The last uses of an array, for which the next must wait. There is nothing to remember where all
/// of them go through one queue that keeps their order.
pub(crate) struct Uses {
    queue: Arc<Queue>,
    written: Vec<Event>,
    read: Vec<Event>,
    /// The events of the last work that wrote the array, which may have failed.
    last_written: Vec<Event>,
    /// The array's buffer if it is shared with OpenGL.
    gl: Option<GlBuffer>,
}

impl Uses {
    /// Of an array that nothing uses yet; the first use is expected on `queue`.
    pub fn none(queue: &Arc<Queue>) -> Self {
        Uses {
            queue: queue.clone(),
            written: Vec::new(),
            read: Vec::new(),
            last_written: Vec::new(),
            gl: None,
        }
    }

    /// The same of an array whose buffer is shared with OpenGL.
    #[cfg(feature = "ocl-interop")]
    pub fn on_gl(self, buffer: GlBuffer) -> Self {
        Uses {
            gl: Some(buffer),
            ..self
        }
    }

    /// The array's buffer if it is shared with OpenGL.
    pub fn gl_buffer(&self) -> Option<GlBuffer> {
        self.gl
    }

    /// The queue that used the array last.
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Remembers the events of new contents of the whole array; none where they are there already.
    pub fn set_up(&mut self, ends: Vec<Event>) {
        self.last_written = ends;
    }

    /// The events of the last work that wrote the array. Where one failed, so
    /// does reading what it wrote.
    pub fn last_written(&self) -> Vec<Event> {
        self.last_written.clone()
    }

    /// Whether the last work that wrote the array is known to have failed.
    pub fn has_failed(&self) -> bool {
        self.last_written.iter().any(Event::has_failed)
    }

    /// What a copy to or from the host must wait for, and the queue that it goes through. The host
    /// waits for its end, and nothing else uses what it writes; but other parts of the array still
    /// have to wait for what this waits for.
    pub fn for_host(&mut self, access: Access) -> Result<(Arc<Queue>, Vec<Event>)> {
        let queue = self.queue.clone();
        let mut waits = queue.awaited(&[]);
        waits.extend(self.before(&queue, access)?);
        Ok((queue, waits))
    }

    /// What a use on `queue` must wait for.
    fn before(&mut self, queue: &Arc<Queue>, access: Access) -> Result<Vec<Event>> {
        if !Arc::ptr_eq(&self.queue, queue) {
            // It waits for what the queue before was handed, not for what that one itself would
            // have waited for: its work may have failed.
            self.written.push(self.queue.marker(&[])?);
            self.queue = queue.clone();
        }
        // An engine goes on after work that failed: what was enqueued meanwhile fails with it,
        // what comes later does not.
        self.written.retain(Event::is_pending);
        self.read.retain(Event::is_pending);
        let mut waits = self.written.clone();
        if access == Access::Write {
            waits.extend_from_slice(&self.read);
        }
        Ok(waits)
    }

    /// Remembers work that could not be enqueued, or not all of it: what comes next must wait for
    /// what this had to wait for, and for what was enqueued.
    fn after_failure(&mut self, access: Access, marker: Option<&Event>) {
        match access {
            Access::Read => self.read.extend(marker.cloned()),
            Access::Write => self.written.extend(marker.cloned()),
        }
    }

    /// Remembers a use that has these events, or has ended already.
    fn after(&mut self, access: Access, events: &[Event]) {
        let end = events.last();
        if access == Access::Write {
            self.last_written = events.to_vec();
        }
        if self.queue.in_order || access == Access::Write {
            self.written.clear();
            self.read.clear();
        }
        if !self.queue.in_order {
            match access {
                Access::Read => self.read.extend(end.cloned()),
                Access::Write => self.written.extend(end.cloned()),
            }
        }
    }
}

/// Enqueues work on a queue, which must wait for the events that it is handed: `after`, and those
/// of the last uses of what it uses. `work` returns its events, the last one that of its end; none
/// where it is done already.
pub(crate) fn enqueue_ordered(
    queue: &Arc<Queue>,
    uses: &mut [(&mut Uses, Access)],
    after: &[Event],
    work: impl FnOnce(&[Event]) -> Result<Vec<Event>>,
) -> Result<Enqueued> {
    let mut waits = queue.awaited(after);
    for (uses, access) in uses.iter_mut() {
        waits.extend(uses.before(queue, *access)?);
    }
    let gl: Vec<GlBuffer> = uses.iter().filter_map(|(uses, _)| uses.gl).collect();
    let done = with_acquired(queue, &gl, &waits, work);
    match &done {
        Ok(done) => {
            let events: Vec<Event> = done.all().cloned().collect();
            for (uses, access) in uses.iter_mut() {
                uses.after(*access, &events);
            }
        }
        Err(_) => {
            // Some of the work may have been enqueued.
            let marker = (!queue.in_order).then(|| queue.marker(&[]).ok()).flatten();
            for (uses, access) in uses.iter_mut() {
                uses.after_failure(*access, marker.as_ref());
            }
        }
    }
    done
}
