//! Copies between memory of the host and arrays, which do not wait.

use crate::error::Result;
use crate::runtime::context::opencl;
use crate::runtime::event::{Event, handles};
use crate::runtime::queue::Queue;
use cl3::command_queue as cl;
use opencl3::error_codes::ClError;
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::CL_NON_BLOCKING;
use std::ffi::c_void;

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    ToDevice,
    ToHost,
}

/// Enqueues a copy between memory of the host and an array, from this byte on.
///
/// # Safety
/// The array has so many bytes there, and the host as many. Until the event is done nothing else uses the host's, but that they
/// may be read where they go to the device.
pub unsafe fn copy<T>(
    queue: &Queue,
    (array, first, bytes): (&Buffer<T>, usize, usize),
    host: *mut u8,
    way: Way,
    waits: &[Event],
) -> Result<Event> {
    let waits = handles(waits);
    let (count, list) = match waits.as_slice() {
        [] => (0, std::ptr::null()),
        some => (some.len() as u32, some.as_ptr()),
    };
    let (queue, array) = (queue.handle.get(), array.get());
    let host: *mut c_void = host.cast();
    // SAFETY: queue, array and events are alive, and the rest is the caller's promise.
    let (call, event) = unsafe {
        match way {
            Way::ToDevice => (
                "clEnqueueWriteBuffer",
                cl::enqueue_write_buffer(
                    queue,
                    array,
                    CL_NON_BLOCKING,
                    first,
                    bytes,
                    host,
                    count,
                    list,
                ),
            ),
            Way::ToHost => (
                "clEnqueueReadBuffer",
                cl::enqueue_read_buffer(
                    queue,
                    array,
                    CL_NON_BLOCKING,
                    first,
                    bytes,
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
