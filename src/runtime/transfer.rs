//! Copies between a region of a buffer and the host: one call where all is in one piece, else
//! one for each box of rows.

use super::context::opencl;
use super::event::Event;
use super::host_copy::{Corner, Heading, HostCopy};
use super::queue::{Access, Queue};
use crate::error::Result;
use crate::transform::Region;
use crate::wavelet::Element;
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::CL_BLOCKING;

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

/// Rows that are one after the other on the host: three axes, innermost first, x
/// of which is in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Box3 {
    /// Samples of a row, rows, and planes of them.
    count: [usize; 3],
    /// From one row and from one plane to the next in the buffer, in samples.
    pitch: [usize; 2],
}

/// The axes of a region that its samples need, outermost first, as lengths and strides: without
/// those of one sample, and with neighbours that are evenly apart taken together.
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

/// The largest boxes that OpenCL copies at once, and the axes outside, each
/// of whose places has one.
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

/// Where the boxes start, of which the first is at `place`. There may be as many as samples.
fn starts(place: usize, outer: &[(usize, usize)]) -> impl Iterator<Item = usize> {
    let count: usize = outer.iter().map(|(n, _)| n).product();
    (0..count).map(move |number| {
        let along = |(start, number), &(n, stride)| (start + number % n * stride, number / n);
        outer.iter().rev().fold((place, number), along).0
    })
}

/// Adds the parts of the box at `place` of a buffer of so many samples, in order, as all drivers
/// take them: NVIDIA's refuses a row that goes past the end of its pitch, a plane whose rows do,
/// and a last row or plane whose pitch goes past the buffer's end.
fn cut(rows: Box3, place: usize, buffer: usize, parts: &mut Vec<(Box3, usize)>) {
    let ([width, height, depth], [row, plane]) = (rows.count, rows.pitch);
    let of = |count| Box3 { count, ..rows };
    if depth > 1 {
        let down = place % plane / row;
        if place % row + width > row || down + height > plane / row {
            for z in 0..depth {
                cut(of([width, height, 1]), place + z * plane, buffer, parts);
            }
            return;
        }
        if (place / plane + depth) * plane > buffer {
            let last = place + (depth - 1) * plane;
            cut(of([width, height, depth - 1]), place, buffer, parts);
            return cut(of([width, height, 1]), last, buffer, parts);
        }
    } else if height > 1 {
        if place % row + width > row {
            let row = |y| (of([width, 1, 1]), place + y * row);
            return parts.extend((0..height).map(row));
        }
        if (place / row + height) * row > buffer {
            let last = place + (height - 1) * row;
            cut(of([width, height - 1, 1]), place, buffer, parts);
            return parts.push((of([width, 1, 1]), last));
        }
    }
    parts.push((rows, place));
}

/// Copies between samples of the host and a region of a buffer that starts at sample `first` of
/// it, after `waits`; done when this returns. The region lies within the buffer, and has as
/// many samples as the host.
pub(super) fn transfer<T: Element>(
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
    let size = buffer.size().map_err(opencl("clGetMemObjectInfo"))?;
    let (mut parts, mut done) = (Vec::new(), 0);
    for start in starts(first + region.offset(), &outer) {
        cut(rows, start, size / size_of::<T>(), &mut parts);
        for (rows, place) in parts.drain(..) {
            let samples = rows.count.iter().product::<usize>();
            let range = done..done + samples;
            done += samples;
            let (host, heading): (*mut u8, Heading) = match &mut what {
                Transfer::ToDevice(all) => {
                    (all[range].as_ptr().cast_mut().cast(), Heading::ToDevice)
                }
                Transfer::ToHost(all) => (all[range].as_mut_ptr().cast(), Heading::ToHost),
            };
            // SAFETY: the region lies within the buffer, by the caller's promise, and the box
            // within the region; the host's samples are as many, and the call returns when all is
            // copied. The host's are only read where they go to the device.
            unsafe { copy_box(queue, buffer, place, rows, host, heading, waits)? };
        }
    }
    Ok(())
}

/// # Safety
/// The box lies within the buffer, and `host` points to as many samples, which can be written
/// where the buffer is read.
unsafe fn copy_box<T: Element>(
    queue: &Queue,
    buffer: &Buffer<T>,
    place: usize,
    rows: Box3,
    host: *mut u8,
    heading: Heading,
    waits: &[Event],
) -> Result<()> {
    let bytes = |samples: usize| samples * size_of::<T>();
    let copy = HostCopy {
        queue,
        buffer,
        heading,
        blocking: CL_BLOCKING,
        waits,
    };
    let event = if rows.count[1..] == [1, 1] {
        // SAFETY: as promised.
        unsafe { copy.bytes(bytes(place), bytes(rows.count[0]), host)? }
    } else {
        // Rows of a single plane are in the first one, however far down.
        let [row, plane] = match rows.count[2] {
            1 => [
                rows.pitch[0],
                (place / rows.pitch[0] + rows.count[1]) * rows.pitch[0],
            ],
            _ => rows.pitch,
        };
        let region = [bytes(rows.count[0]), rows.count[1], rows.count[2]];
        let at = Corner {
            origin: [bytes(place % row), place % plane / row, place / plane],
            row: bytes(row),
            plane: bytes(plane),
        };
        let dense = Corner {
            origin: [0; 3],
            row: region[0],
            plane: region[0] * region[1],
        };
        // SAFETY: as promised.
        unsafe { copy.rows(region, at, host, dense)? }
    };
    // Intel's runtime for CPUs (2026.2) returns early from a blocking call
    // on a queue without order.
    if !queue.in_order
        && let Err(error) = event.wait()
    {
        queue.handle.finish().map_err(opencl("clFinish"))?;
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

    #[test]
    fn no_row_goes_past_its_pitch_no_plane_past_its_own_and_no_pitch_past_the_end() {
        let parts = |region: Region, buffer| {
            let (rows, outer) = boxed(&region);
            let mut parts = Vec::new();
            for start in starts(region.offset(), &outer) {
                cut(rows, start, buffer, &mut parts);
            }
            let plain = |(rows, place): (Box3, usize)| (rows.count, place);
            parts.into_iter().map(plain).collect::<Vec<_>>()
        };
        let picture = |place| Region::dense([3, 5]).with_strides([9, 1]).at(place);
        assert_eq!(parts(picture(0), 27), [([5, 3, 1], 0)]);
        assert_eq!(parts(picture(9004), 100_000), [([5, 3, 1], 9004)]);
        let rows = [5, 14, 23].map(|place| ([5, 1, 1], place));
        assert_eq!(parts(picture(5), 100), rows);
        let but_the_last = [([5, 2, 1], 0), ([5, 1, 1], 18)];
        assert_eq!(parts(picture(0), 26), but_the_last);

        let volume = |place| Region::dense([2, 3, 5]).with_strides([36, 9, 1]).at(place);
        assert_eq!(parts(volume(36 + 9), 200), [([5, 3, 2], 45)]);
        assert_eq!(parts(volume(18), 200), [([5, 3, 1], 18), ([5, 3, 1], 54)]);
        let rows = [5, 14, 23, 41, 50, 59].map(|place| ([5, 1, 1], place));
        assert_eq!(parts(volume(5), 200), rows);
        let but_the_last = [([5, 3, 1], 0), ([5, 2, 1], 36), ([5, 1, 1], 54)];
        assert_eq!(parts(volume(0), 59), but_the_last);
    }
}
