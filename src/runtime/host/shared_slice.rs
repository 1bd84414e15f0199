//! Slices that several threads copy from or to.

use crate::wavelet::Sample;
use std::marker::PhantomData;

/// A slice that several threads copy from, or to, each its own part.
pub(super) struct SharedSlice<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

impl<T> Clone for SharedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedSlice<'_, T> {}

// SAFETY: it is no more than an address; who copies says who uses what is there.
unsafe impl<T: Sample> Send for SharedSlice<'_, T> {}

// SAFETY: as above.
unsafe impl<T: Sample> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// A slice to be read only.
    pub fn of(slice: &'a [T]) -> Self {
        SharedSlice {
            start: slice.as_ptr().cast_mut(),
            len: slice.len(),
            slice: PhantomData,
        }
    }

    pub fn of_mut(slice: &'a mut [T]) -> Self {
        SharedSlice {
            start: slice.as_mut_ptr(),
            len: slice.len(),
            slice: PhantomData,
        }
    }

    /// # Safety
    /// So many samples are there as long as anything uses this.
    pub unsafe fn over(start: *mut T, len: usize) -> Self {
        SharedSlice {
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
