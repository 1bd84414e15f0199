//! The calls by which OpenCL copies between memory of the host and a buffer.

use super::context::opencl;
use super::event::{Event, WaitList};
use super::queue::Queue;
use crate::error::Result;
use cl3::command_queue as cl;
use opencl3::error_codes::ClError;
use opencl3::memory::ClMem;
use opencl3::types::cl_bool;
use std::ffi::c_void;

/// Where a copy heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    ToDevice,
    ToHost,
}

/// Where a box of rows stands, in bytes: its first byte in a row, its first row and its first
/// plane, and how far rows and planes are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub origin: [usize; 3],
    pub row: usize,
    pub plane: usize,
}

/// A copy between the host and a buffer, of what follows by one call.
pub(super) struct HostCopy<'a, B: ?Sized> {
    pub queue: &'a Queue,
    pub buffer: &'a B,
    pub heading: Heading,
    /// `CL_BLOCKING` where all is to be copied when the call returns.
    pub blocking: cl_bool,
    pub waits: &'a [Event],
}

impl<B: ClMem + ?Sized> HostCopy<'_, B> {
    /// Enqueues it for bytes in one piece, from byte `first` of the buffer on.
    ///
    /// # Safety
    /// The buffer has so many bytes there, and the host as many. Until the event is done nothing
    /// else uses the host's, but that they may be read where they go to the device.
    pub unsafe fn bytes(self, first: usize, bytes: usize, host: *mut u8) -> Result<Event> {
        let waits = WaitList::of(self.waits);
        let (queue, buffer, blocking) = (self.queue.handle.get(), self.buffer.get(), self.blocking);
        let (host, count, list): (*mut c_void, _, _) = (host.cast(), waits.count(), waits.first());
        // SAFETY: queue, buffer and events are alive, and the rest is the caller's promise.
        let (call, event) = unsafe {
            match self.heading {
                Heading::ToDevice => (
                    "clEnqueueWriteBuffer",
                    cl::enqueue_write_buffer(
                        queue, buffer, blocking, first, bytes, host, count, list,
                    ),
                ),
                Heading::ToHost => (
                    "clEnqueueReadBuffer",
                    cl::enqueue_read_buffer(
                        queue, buffer, blocking, first, bytes, host, count, list,
                    ),
                ),
            }
        };
        let event = event.map_err(|code| opencl(call)(ClError(code)))?;
        Ok(Event::owning(event))
    }

    /// Enqueues it for a box: so many bytes of a row, rows, and planes. The host's
    /// memory starts at `host`.
    ///
    /// # Safety
    /// As for [`bytes`](Self::bytes), of the box; no row goes past its pitch.
    pub unsafe fn rows(
        self,
        region: [usize; 3],
        at: Corner,
        host: *mut u8,
        host_at: Corner,
    ) -> Result<Event> {
        let waits = WaitList::of(self.waits);
        let (queue, buffer, blocking) = (self.queue.handle.get(), self.buffer.get(), self.blocking);
        let (host, count, list): (*mut c_void, _, _) = (host.cast(), waits.count(), waits.first());
        let (origin, host_origin) = (at.origin.as_ptr(), host_at.origin.as_ptr());
        let region = region.as_ptr();
        let (row, plane, host_row, host_plane) = (at.row, at.plane, host_at.row, host_at.plane);
        // SAFETY: queue, buffer and events are alive, origins and regions have three numbers each,
        // and the rest is the caller's promise.
        let (call, event) = unsafe {
            match self.heading {
                Heading::ToDevice => (
                    "clEnqueueWriteBufferRect",
                    cl::enqueue_write_buffer_rect(
                        queue,
                        buffer,
                        blocking,
                        origin,
                        host_origin,
                        region,
                        row,
                        plane,
                        host_row,
                        host_plane,
                        host,
                        count,
                        list,
                    ),
                ),
                Heading::ToHost => (
                    "clEnqueueReadBufferRect",
                    cl::enqueue_read_buffer_rect(
                        queue,
                        buffer,
                        blocking,
                        origin,
                        host_origin,
                        region,
                        row,
                        plane,
                        host_row,
                        host_plane,
                        host,
                        count,
                        list,
                    ),
                ),
            }
        };
        let event = event.map_err(|code| opencl(call)(ClError(code)))?;
        Ok(Event::owning(event))
    }
}
