//! Copies between a region of a buffer and the host: one call where all is in one piece, else one for each box of rows.

use super::context::opencl;
use super::event::{Event, handles};
use super::queue::{Access, Queue};
use crate::error::Result;
use crate::transform::Region;
use crate::wavelet::Sample;
use opencl3::error_codes::ClError;
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::CL_BLOCKING;
use std::ffi::c_void;

/// Samples of the host, in row-major order, and where to they go.
pub(super) enum Transfer<'a, T> {
    ToDevice(&'a [T]),
    ToHost(&'a mut [T]),
}

impl<T> Transfer<'_, T> {
    pub fn access(&self) -> Access {
        match self {
            Transfer::ToDevice(_) => Access::Write,
            Transfer::ToHost(_) => Access::Read,
        }
    }
}

/// Rows that are one after the other on the host: three axes, innermost first, x of which is in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Box3 {
    /// Samples of a row, rows, and planes of them.
    count: [usize; 3],
    /// From one row and from one plane to the next in the buffer, in samples.
    pitch: [usize; 2],
}

/// The axes of a region that its samples need, outermost first, as lengths and strides: without those of one sample, and with
/// neighbours that are evenly apart taken together.
fn merged(region: &Region) -> Vec<(usize, usize)> {
    let mut axes: Vec<(usize, usize)> = Vec::new();
    let steps = region.shape().iter().zip(region.strides());
    for (&n, &stride) in steps.filter(|(n, _)| **n > 1) {
        match axes.last_mut() {
            Some(outer) if outer.1 == n * stride => *outer = (outer.0 * n, stride),
            _ => axes.push((n, stride)),
        }
    }
    axes
}

/// The largest boxes that OpenCL copies at once, and the axes outside, each of whose places has one.
fn boxed(region: &Region) -> (Box3, Vec<(usize, usize)>) {
    let mut outer = merged(region);
    let row = match outer.last() {
        Some(&(n, 1)) => {
            outer.pop();
            n
        }
        _ => 1,
    };
    let mut found = Box3 {
        count: [row, 1, 1],
        pitch: [row, row],
    };
    if let Some(&(n, stride)) = outer.last().filter(|(_, stride)| *stride >= row) {
        outer.pop();
        (found.count[1], found.pitch) = (n, [stride, n * stride]);
        // OpenCL wants planes whole rows apart.
        let is_plane = |&&(_, apart): &&(usize, usize)| apart >= n * stride && apart % stride == 0;
        if let Some(&(n, stride)) = outer.last().filter(is_plane) {
            outer.pop();
            (found.count[2], found.pitch[1]) = (n, stride);
        }
    }
    (found, outer)
}

/// Copies between samples of the host and a region of a buffer that starts at sample `first` of it, after `waits`; done when this
/// returns. The region lies within the buffer, and has as many samples as the host.
pub(super) fn transfer<T: Sample>(
    queue: &Queue,
    buffer: &Buffer<T>,
    first: usize,
    region: &Region,
    mut what: Transfer<T>,
    waits: &[Event],
) -> Result<()> {
    if region.is_empty() {
        return Ok(());
    }
    let (rows, outer) = boxed(region);
    let samples = rows.count.iter().product::<usize>();
    let boxes: usize = outer.iter().map(|(n, _)| n).product();
    for number in 0..boxes {
        let (mut place, mut rest) = (first + region.offset(), number);
        for (n, stride) in outer.iter().rev() {
            place += rest % n * stride;
            rest /= n;
        }
        let range = number * samples..(number + 1) * samples;
        let host: *mut c_void = match &mut what {
            Transfer::ToDevice(all) => all[range].as_ptr().cast_mut().cast(),
            Transfer::ToHost(all) => all[range].as_mut_ptr().cast(),
        };
        // SAFETY: the region lies within the buffer, by the caller's promise, and the box within the region; the host's
        // samples are as many, and the call returns when all is copied. The host's are only read where they go to the device.
        unsafe { copy_box(queue, buffer, place, rows, host, what.access(), waits)? };
    }
    Ok(())
}

/// # Safety
/// The box lies within the buffer, and `host` points to as many samples, which can be written where the buffer is read.
unsafe fn copy_box<T: Sample>(
    queue: &Queue,
    buffer: &Buffer<T>,
    place: usize,
    rows: Box3,
    host: *mut c_void,
    access: Access,
    waits: &[Event],
) -> Result<()> {
    use cl3::command_queue as cl;
    let bytes = |samples: usize| samples * size_of::<T>();
    let waits = handles(waits);
    let list = if waits.is_empty() {
        std::ptr::null()
    } else {
        waits.as_ptr()
    };
    let (called_queue, in_order) = (&queue.handle, queue.in_order);
    let (queue, memory, count) = (queue.handle.get(), buffer.get(), waits.len() as u32);
    let (call, event) = if rows.count[1..] == [1, 1] {
        let (at, size) = (bytes(place), bytes(rows.count[0]));
        // SAFETY: as promised.
        unsafe {
            match access {
                Access::Read => (
                    "clEnqueueReadBuffer",
                    cl::enqueue_read_buffer(
                        queue,
                        memory,
                        CL_BLOCKING,
                        at,
                        size,
                        host,
                        count,
                        list,
                    ),
                ),
                Access::Write => (
                    "clEnqueueWriteBuffer",
                    cl::enqueue_write_buffer(
                        queue,
                        memory,
                        CL_BLOCKING,
                        at,
                        size,
                        host,
                        count,
                        list,
                    ),
                ),
            }
        }
    } else {
        // The place as one within rows and planes: some drivers check that its parts are within the pitches.
        let [row, plane] = rows.pitch.map(bytes);
        let origin = [bytes(place), 0, 0];
        let zero = [0; 3];
        let region = [bytes(rows.count[0]), rows.count[1], rows.count[2]];
        let (host_row, host_plane) = (region[0], region[0] * region[1]);
        let (origin, zero, region) = (origin.as_ptr(), zero.as_ptr(), region.as_ptr());
        // SAFETY: as promised; origins and regions have three numbers each.
        unsafe {
            match access {
                Access::Read => (
                    "clEnqueueReadBufferRect",
                    cl::enqueue_read_buffer_rect(
                        queue,
                        memory,
                        CL_BLOCKING,
                        origin,
                        zero,
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
                Access::Write => (
                    "clEnqueueWriteBufferRect",
                    cl::enqueue_write_buffer_rect(
                        queue,
                        memory,
                        CL_BLOCKING,
                        origin,
                        zero,
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
        }
    };
    let event = event.map_err(|code| opencl(call)(ClError(code)))?;
    let event = Event::owning(event);
    // Intel's runtime for CPUs (2026.2) returns early from a blocking call on a queue without order.
    if !in_order && let Err(error) = event.wait() {
        called_queue.finish().map_err(opencl("clFinish"))?;
        return Err(error);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_cut_into_as_few_boxes_as_opencl_takes() {
        let cut = |region: Region| {
            let (rows, outer) = boxed(&region);
            (rows.count, rows.pitch, outer)
        };
        let none = Vec::new;
        assert_eq!(
            cut(Region::dense([4, 5, 6])),
            ([120, 1, 1], [120, 120], none())
        );
        let picture = Region::dense([4, 5]).with_strides([9, 1]);
        assert_eq!(cut(picture), ([5, 4, 1], [9, 36], none()));
        let volume = Region::dense([3, 4, 5]).with_strides([90, 9, 1]);
        assert_eq!(cut(volume), ([5, 4, 3], [9, 90], none()));
        // Planes that are not whole rows apart, a fourth axis, colours, and the other way round.
        let odd = Region::dense([3, 4, 5]).with_strides([91, 9, 1]);
        assert_eq!(cut(odd), ([5, 4, 1], [9, 36], vec![(3, 91)]));
        let four = Region::dense([2, 3, 4, 5]).with_strides([900, 90, 9, 1]);
        assert_eq!(cut(four), ([5, 4, 3], [9, 90], vec![(2, 900)]));
        let colour = Region::dense([4, 5]).with_strides([15, 3]);
        assert_eq!(cut(colour), ([1, 20, 1], [3, 60], none()));
        let padded = Region::dense([4, 5]).with_strides([18, 3]);
        assert_eq!(cut(padded), ([1, 5, 4], [3, 18], none()));
        let transposed = Region::dense([4, 5]).with_strides([1, 4]);
        assert_eq!(cut(transposed), ([1, 5, 1], [4, 20], vec![(4, 1)]));
    }
}
