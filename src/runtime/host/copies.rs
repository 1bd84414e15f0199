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

/// Rows of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    pub count: usize,
    pub bytes: usize,
}

/// Where rows stand in an array or on the host: the first one, and how far they are apart, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub first: usize,
    pub pitch: usize,
}

impl At {
    /// As OpenCL has it: the origin, and the pitches of rows and planes. NVIDIA's driver refuses a plane that ends before its rows.
    fn corner(self, rows: Rows) -> ([usize; 3], usize, usize) {
        let At { first, pitch } = self;
        debug_assert!(first % pitch + rows.bytes <= pitch, "{self:?}, {rows:?}");
        let down = first / pitch;
        ([first % pitch, down, 0], pitch, (down + rows.count) * pitch)
    }

    /// Whether rows are in one piece.
    pub fn is_dense(self, rows: Rows) -> bool {
        self.pitch == rows.bytes || rows.count == 1
    }
}

/// Enqueues a copy of rows between the host, where its memory starts at `host`, and an array.
///
/// # Safety
/// As for [`copy`], of the rows; no row goes past its pitch.
pub unsafe fn copy_rows<T>(
    queue: &Queue,
    rows: Rows,
    (array, at): (&Buffer<T>, At),
    (host, host_at): (*mut u8, At),
    way: Way,
    waits: &[Event],
) -> Result<Event> {
    if at.is_dense(rows) && host_at.is_dense(rows) {
        let place = (array, at.first, rows.count * rows.bytes);
        // SAFETY: by the caller's promise.
        return unsafe { copy(queue, place, host.wrapping_add(host_at.first), way, waits) };
    }
    let waits = handles(waits);
    let (count, list) = match waits.as_slice() {
        [] => (0, std::ptr::null()),
        some => (some.len() as u32, some.as_ptr()),
    };
    let region = [rows.bytes, rows.count, 1];
    let ((from, row, plane), (host_from, host_row, host_plane)) =
        (at.corner(rows), host_at.corner(rows));
    let (queue, array) = (queue.handle.get(), array.get());
    let host: *mut c_void = host.cast();
    let (from, host_from, region) = (from.as_ptr(), host_from.as_ptr(), region.as_ptr());
    // SAFETY: queue, array and events are alive, origins and regions have three numbers each, and the rest is the caller's
    // promise.
    let (call, event) = unsafe {
        match way {
            Way::ToDevice => (
                "clEnqueueWriteBufferRect",
                cl::enqueue_write_buffer_rect(
                    queue,
                    array,
                    CL_NON_BLOCKING,
                    from,
                    host_from,
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
            Way::ToHost => (
                "clEnqueueReadBufferRect",
                cl::enqueue_read_buffer_rect(
                    queue,
                    array,
                    CL_NON_BLOCKING,
                    from,
                    host_from,
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

/// Enqueues a copy of rows from one array to another.
///
/// # Safety
/// Both arrays have these rows, none of which goes past its pitch; nothing else writes them, nor reads the copy, until the event
/// is done.
pub unsafe fn move_rows<T>(
    queue: &Queue,
    rows: Rows,
    (from, from_at): (&Buffer<T>, At),
    (to, to_at): (&Buffer<T>, At),
    waits: &[Event],
) -> Result<Event> {
    let waits = handles(waits);
    let (count, list) = match waits.as_slice() {
        [] => (0, std::ptr::null()),
        some => (some.len() as u32, some.as_ptr()),
    };
    let region = [rows.bytes, rows.count, 1];
    let ((first, row, plane), (to_first, to_row, to_plane)) =
        (from_at.corner(rows), to_at.corner(rows));
    let (queue, from, to) = (queue.handle.get(), from.get(), to.get());
    // SAFETY: queue, arrays and events are alive, origins and regions have three numbers each, and the rest is the caller's
    // promise.
    let (call, event) = unsafe {
        if from_at.is_dense(rows) && to_at.is_dense(rows) {
            let bytes = rows.count * rows.bytes;
            let (at, to_at) = (from_at.first, to_at.first);
            (
                "clEnqueueCopyBuffer",
                cl::enqueue_copy_buffer(queue, from, to, at, to_at, bytes, count, list),
            )
        } else {
            (
                "clEnqueueCopyBufferRect",
                cl::enqueue_copy_buffer_rect(
                    queue,
                    from,
                    to,
                    first.as_ptr(),
                    to_first.as_ptr(),
                    region.as_ptr(),
                    row,
                    plane,
                    to_row,
                    to_plane,
                    count,
                    list,
                ),
            )
        }
    };
    let event = event.map_err(|code| opencl(call)(ClError(code)))?;
    Ok(Event::owning(event))
}
