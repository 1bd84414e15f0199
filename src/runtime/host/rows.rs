//! Rows of what moves between an array and a tile, and slices that several threads copy from or to.

use crate::transform::Region;
use crate::wavelet::Sample;
use std::marker::PhantomData;

/// Longer rows are copied in parts, so that every thread has some.
const LONGEST: usize = 1 << 16;

/// A slice that several threads copy from, or to, each its own part.
pub(super) struct Rows<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Rows<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Rows<'_, T> {}

// SAFETY: it is no more than an address; who copies says who uses what is there.
unsafe impl<T: Sample> Send for Rows<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sample> Sync for Rows<'_, T> {}

impl<'a, T> Rows<'a, T> {
    /// A slice to be read only.
    pub fn of(slice: &'a [T]) -> Self {
        Rows {
            start: slice.as_ptr().cast_mut(),
            len: slice.len(),
            slice: PhantomData,
        }
    }

    pub fn of_mut(slice: &'a mut [T]) -> Self {
        Rows {
            start: slice.as_mut_ptr(),
            len: slice.len(),
            slice: PhantomData,
        }
    }

    /// # Safety
    /// So many samples are there as long as anything uses this.
    pub unsafe fn over(start: *mut T, len: usize) -> Self {
        Rows {
            start,
            len,
            slice: PhantomData,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn at(self, place: usize) -> *mut T {
        self.start.wrapping_add(place)
    }
}

/// The rows of a move: axes outside of the innermost as a length and two strides, and the innermost.
pub(super) struct Lines {
    starts: [usize; 2],
    outer: Vec<(usize, [usize; 2])>,
    pub row: (usize, [usize; 2]),
}

impl Lines {
    /// With neighbouring axes taken together where both sides allow it.
    pub fn of(array: &Region, tile: &Region) -> Self {
        let mut axes: Vec<(usize, [usize; 2])> = Vec::new();
        let strides = array.strides().iter().zip(tile.strides());
        for (&n, (&one, &other)) in array.shape().iter().zip(strides) {
            match axes.last_mut() {
                Some(outer) if outer.1 == [n * one, n * other] => {
                    *outer = (outer.0 * n, [one, other])
                }
                _ if n == 1 => {}
                _ => axes.push((n, [one, other])),
            }
        }
        let row = axes.pop().unwrap_or((1, [1, 1]));
        Lines {
            starts: [array.offset(), tile.offset()],
            outer: axes,
            row,
        }
    }

    fn parts(&self) -> usize {
        self.row.0.div_ceil(LONGEST)
    }

    pub fn count(&self) -> usize {
        self.outer.iter().map(|(n, _)| n).product::<usize>() * self.parts()
    }

    /// Where a part of a row starts on either side, and its samples.
    pub fn at(&self, number: usize) -> ([usize; 2], usize) {
        let first = number % self.parts() * LONGEST;
        let mut number = number / self.parts();
        let mut at = [0, 1].map(|side| self.starts[side] + first * self.row.1[side]);
        for (n, strides) in self.outer.iter().rev() {
            let index = number % n;
            number /= n;
            at = [0, 1].map(|side| at[side] + index * strides[side]);
        }
        (at, LONGEST.min(self.row.0 - first))
    }
}
