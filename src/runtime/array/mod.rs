//! Arrays of samples in the memory of a device.

mod contents;

use super::context::{Reservation, Shared, opencl};
use super::handle::Handle;
use super::lock::lock;
use super::queue::{Queue, Uses};
use super::views::{DeviceView, DeviceViewMut};
use crate::error::{Error, Result};
use crate::transform::Region;
use crate::wavelet::Element;
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, ClMem};
use opencl3::types::cl_mem_flags;
use std::sync::{Arc, Mutex, MutexGuard};

/// An array of samples in the memory of an engine's device. `Engine::upload` and `Engine::zeros`
/// make one, `DeviceArray::from_raw` one of an existing OpenCL buffer.
///
/// Every safe call on an array comes after those before it, whatever queue and engine of its
/// context they go through.
///
/// ```no_run
/// use wavelift::{DeviceSelector, Engine};
///
/// let engine = Engine::new(&DeviceSelector::best().pick()?)?;
/// let mut array = engine.upload(&[1i32, 2, 3])?; // copies, and waits for it
/// array.write(&[4, 5, 6])?; // as many samples as before
/// assert_eq!(array.download()?, [4, 5, 6]); // after all that was enqueued
/// println!("{:?}", engine.memory()); // what all arrays of the engine take
/// # Ok::<(), wavelift::Error>(())
/// ```
pub struct DeviceArray<T: Element> {
    // Released in this order.
    pub(crate) buffer: Handle<Buffer<T>>,
    reserved: Reservation,
    len: usize,
    pub(super) memory: Backing,
    uses: Mutex<Uses>,
}

/// Which memory an array is, and what may be done with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backing {
    /// The OpenCL buffer that the memory was allocated as; 0 for memory of the host.
    pub root: usize,
    /// Where the array's buffer starts in it, in bytes; in memory of the host, the address.
    pub start: usize,
    /// Where the array starts in its buffer, in samples.
    pub offset: usize,
    pub flags: cl_mem_flags,
}

impl<T: Element> DeviceArray<T> {
    /// Allocates an array of `len` samples, whose values are undefined. It will be used on `queue`.
    pub(crate) fn new(shared: &Arc<Shared>, queue: &Arc<Queue>, len: usize) -> Result<Self> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let reserved = shared.reserve("an array", bytes)?;
        // SAFETY: no host pointer is passed. OpenCL has no buffers of size 0, so an
        // empty array gets one sample.
        let buffer = unsafe {
            Buffer::create(
                &shared.context,
                CL_MEM_READ_WRITE,
                len.max(1),
                std::ptr::null_mut(),
            )
        };
        let buffer = buffer.map_err(opencl("clCreateBuffer"))?;
        let memory = Backing {
            root: buffer.get() as usize,
            start: 0,
            offset: 0,
            flags: CL_MEM_READ_WRITE,
        };
        let uses = Uses::none(queue);
        Ok(DeviceArray::of_parts(
            buffer.into(),
            reserved,
            len,
            memory,
            uses,
        ))
    }

    pub(super) fn of_parts(
        buffer: Handle<Buffer<T>>,
        reserved: Reservation,
        len: usize,
        memory: Backing,
        uses: Uses,
    ) -> Self {
        DeviceArray {
            buffer,
            reserved,
            len,
            memory,
            uses: Mutex::new(uses),
        }
    }

    /// Returns the number of samples in the array.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no samples.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns a view of a region of the array, to be read.
    ///
    /// # Errors
    /// [`Error::Shape`] for a region that [`Region::check`] refuses, or that ends beyond the array.
    pub fn view(&self, region: &Region) -> Result<DeviceView<'_, T>> {
        self.check_region(region)?;
        Ok(DeviceView::new(self, region.clone()))
    }

    /// Returns a view of a region of the array, to be written.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub fn view_mut(&mut self, region: &Region) -> Result<DeviceViewMut<'_, T>> {
        self.check_region(region)?;
        Ok(DeviceViewMut::new(self, region.clone()))
    }

    /// Returns views of two regions of the array that share no sample, one to be
    /// read and one to be written.
    ///
    /// # Errors
    /// As [`view`](Self::view), and [`Error::Overlap`] if the two overlap, or
    /// if that is hard to tell.
    pub fn view_pair(
        &mut self,
        read: &Region,
        written: &Region,
    ) -> Result<(DeviceView<'_, T>, DeviceViewMut<'_, T>)> {
        self.check_region(read)?;
        self.check_region(written)?;
        if read.meets(written) {
            return Err(overlap("the view to be read", "the view to be written"));
        }
        let array = &*self;
        Ok((
            DeviceView::new(array, read.clone()),
            DeviceViewMut::new(array, written.clone()),
        ))
    }

    /// Returns a view of `len` samples in one piece, from sample `first` on, to be read.
    ///
    /// # Errors
    /// [`Error::Shape`] if they end beyond the array.
    pub fn slice(&self, first: usize, len: usize) -> Result<DeviceView<'_, T>> {
        self.check_end(first.saturating_add(len), || {
            format!("{len} samples from {first} on")
        })?;
        Ok(DeviceView::new(self, Region::dense([len]).at(first)))
    }

    /// Returns a view of `len` samples in one piece, from sample `first` on, to be written.
    ///
    /// # Errors
    /// [`Error::Shape`] if they end beyond the array.
    pub fn slice_mut(&mut self, first: usize, len: usize) -> Result<DeviceViewMut<'_, T>> {
        self.check_end(first.saturating_add(len), || {
            format!("{len} samples from {first} on")
        })?;
        Ok(DeviceViewMut::new(self, Region::dense([len]).at(first)))
    }

    pub(super) fn uses(&self) -> MutexGuard<'_, Uses> {
        lock(&self.uses)
    }

    fn check_region(&self, region: &Region) -> Result<()> {
        region.check()?;
        self.check_end(region.end(), || format!("{region:?}"))
    }

    fn check_end(&self, end: usize, got: impl Fn() -> String) -> Result<()> {
        if end <= self.len {
            return Ok(());
        }
        Err(Error::Shape {
            what: "region",
            expected: format!("one within {} samples", self.len),
            got: got(),
        })
    }

    /// Checks that the array belongs to the context of `shared`; `what` names it in errors.
    pub(crate) fn check_context(&self, shared: &Arc<Shared>, what: &'static str) -> Result<()> {
        if self.reserved.shared.context.get() == shared.context.get() {
            return Ok(());
        }
        Err(Error::ForeignArray { what })
    }

    fn check_flags(&self, what: &'static str, forbidden: cl_mem_flags, wanted: &str) -> Result<()> {
        if self.memory.flags & forbidden == 0 {
            return Ok(());
        }
        Err(Error::Handle {
            what,
            expected: wanted.to_owned(),
            got: format!("one whose flags forbid it ({:#x})", self.memory.flags),
        })
    }

    /// Checks that kernels may read the array, and where `written` write it: what they
    /// write they may read again.
    pub(crate) fn check_use(&self, what: &'static str, written: bool) -> Result<()> {
        match written {
            false => self.check_flags(what, CL_MEM_WRITE_ONLY, "a buffer that kernels may read"),
            true => self.check_flags(
                what,
                CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                "a buffer that kernels may read and write",
            ),
        }
    }
}

pub(super) fn overlap(one: &'static str, other: &'static str) -> Error {
    Error::Overlap { one, other }
}

impl<T: Element> std::fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "DeviceArray<{}>({} on {})",
            T::NAME,
            self.len,
            self.reserved.shared.device
        )
    }
}
