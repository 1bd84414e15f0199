//! Copies between memory of the host and arrays, which do not wait.

use crate::error::Result;
use crate::runtime::context::opencl;
use crate::runtime::event::{Event, WaitList};
pub(super) use crate::runtime::host_copy::Heading;
use crate::runtime::host_copy::{Corner, HostCopy};
use crate::runtime::queue::Queue;
use cl3::command_queue as cl;
use opencl3::error_codes::ClError;
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::CL_NON_BLOCKING;

/// Enqueues a copy between memory of the host and an array, from this byte on.
///
/// # Safety
/// The array has so many bytes there, and the host as many. Until the event is done nothing else
/// uses the host's, but that they may be read where they go to the device.
pub unsafe fn copy<B: ClMem + ?Sized>(
    queue: &Queue,
    (buffer, first, bytes): (&B, usize, usize),
    host: *mut u8,
    heading: Heading,
    waits: &[Event],
) -> Result<Event> {
    let copy = HostCopy {
        queue,
        buffer,
        heading,
        blocking: CL_NON_BLOCKING,
        waits,
    };
    // SAFETY: by the caller's promise.
    unsafe { copy.bytes(first, bytes, host) }
}

/// Rows of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    pub count: usize,
    pub bytes: usize,
}

/// Where rows stand in an array or on the host: the first one, and how far
/// they are apart, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub first: usize,
    pub pitch: usize,
}

impl At {
    /// As OpenCL has it: the origin, and the pitches of rows and planes. NVIDIA's driver refuses a
    /// plane that ends before its rows.
    fn corner(self, rows: Rows) -> Corner {
        let At { first, pitch } = self;
        debug_assert!(first % pitch + rows.bytes <= pitch, "{self:?}, {rows:?}");
        let down = first / pitch;
        Corner {
            origin: [first % pitch, down, 0],
            row: pitch,
            plane: (down + rows.count) * pitch,
        }
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
pub unsafe fn copy_rows<B: ClMem + ?Sized>(
    queue: &Queue,
    rows: Rows,
    (buffer, at): (&B, At),
    (host, host_at): (*mut u8, At),
    heading: Heading,
    waits: &[Event],
) -> Result<Event> {
    if at.is_dense(rows) && host_at.is_dense(rows) {
        let place = (buffer, at.first, rows.count * rows.bytes);
        // SAFETY: by the caller's promise.
        return unsafe {
            copy(
                queue,
                place,
                host.wrapping_add(host_at.first),
                heading,
                waits,
            )
        };
    }
    let copy = HostCopy {
        queue,
        buffer,
        heading,
        blocking: CL_NON_BLOCKING,
        waits,
    };
    let region = [rows.bytes, rows.count, 1];
    // SAFETY: by the caller's promise.
    unsafe { copy.rows(region, at.corner(rows), host, host_at.corner(rows)) }
}

/// Enqueues a copy of rows from one array to another.
///
/// # Safety
/// Both arrays have these rows, none of which goes past its pitch; nothing else writes them, nor
/// reads the copy, until the event is done.
pub unsafe fn copy_rows_on_device<T>(
    queue: &Queue,
    rows: Rows,
    (from, from_at): (&Buffer<T>, At),
    (to, to_at): (&Buffer<T>, At),
    waits: &[Event],
) -> Result<Event> {
    let waits = WaitList::of(waits);
    let (count, list) = (waits.count(), waits.first());
    let region = [rows.bytes, rows.count, 1];
    let (corner, to_corner) = (from_at.corner(rows), to_at.corner(rows));
    let (queue, from, to) = (queue.handle.get(), from.get(), to.get());
    // SAFETY: queue, arrays and events are alive, origins and regions have three numbers each, and
    // the rest is the caller's promise.
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
                    corner.origin.as_ptr(),
                    to_corner.origin.as_ptr(),
                    region.as_ptr(),
                    corner.row,
                    corner.plane,
                    to_corner.row,
                    to_corner.plane,
                    count,
                    list,
                ),
            )
        }
    };
    let event = event.map_err(|code| opencl(call)(ClError(code)))?;
    Ok(Event::owning(event))
}
