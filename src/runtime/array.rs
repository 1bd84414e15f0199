//! Arrays of samples in the memory of a device.

use super::context::{Reservation, Shared, opencl};
use super::handle::Handle;
use crate::error::{Error, Result};
use crate::transform::zeroed;
use crate::wavelet::Sample;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::types::CL_BLOCKING;
use std::sync::Arc;

/// An array of samples in the memory of an engine's device. `Engine::upload` and `Engine::zeros` make
/// one.
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
pub struct DeviceArray<T: Sample> {
    // Released in this order.
    pub(crate) buffer: Handle<Buffer<T>>,
    reserved: Reservation,
    len: usize,
}

impl<T: Sample> DeviceArray<T> {
    /// Allocates an array of `len` samples, whose values are undefined.
    pub(crate) fn new(shared: &Arc<Shared>, len: usize) -> Result<Self> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let reserved = shared.reserve("an array", bytes)?;
        // SAFETY: no host pointer is passed. OpenCL has no buffers of size 0, so an empty array gets one sample.
        let buffer = unsafe {
            Buffer::create(
                &shared.context,
                CL_MEM_READ_WRITE,
                len.max(1),
                std::ptr::null_mut(),
            )
        };
        Ok(DeviceArray {
            buffer: buffer.map_err(opencl("clCreateBuffer"))?.into(),
            reserved,
            len,
        })
    }

    /// Returns the number of samples in the array.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no samples.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Replaces all samples of the array, after everything enqueued so far, and waits until they are copied.
    ///
    /// # Errors
    /// [`Error::Length`] if `samples` has another length than the array; [`Error::OpenCl`] if copying fails.
    pub fn write(&mut self, samples: &[T]) -> Result<()> {
        self.check_length("the slice", samples.len())?;
        if samples.is_empty() {
            return Ok(());
        }
        // SAFETY: the slice has as many samples as the array, and the blocking call returns after reading it.
        unsafe {
            let queue = &self.reserved.shared.queue;
            queue.enqueue_write_buffer(&mut self.buffer, CL_BLOCKING, 0, samples, &[])
        }
        .map_err(opencl("clEnqueueWriteBuffer"))?;
        Ok(())
    }

    /// Copies all samples of the array to the host, after everything enqueued so far, and waits for them.
    ///
    /// # Errors
    /// [`Error::HostMemory`] if the host cannot hold them; [`Error::OpenCl`] if copying fails.
    pub fn download(&self) -> Result<Vec<T>> {
        let mut samples = zeroed("the samples", self.len)?;
        self.download_into(&mut samples)?;
        Ok(samples)
    }

    /// Copies all samples of the array into an existing slice on the host, after everything enqueued so far, and
    /// waits for them. Allocates nothing.
    ///
    /// # Errors
    /// [`Error::Length`] if `samples` has another length than the array; [`Error::OpenCl`] if copying fails.
    pub fn download_into(&self, samples: &mut [T]) -> Result<()> {
        self.check_length("the slice", samples.len())?;
        if samples.is_empty() {
            return Ok(());
        }
        // SAFETY: the slice has as many samples as the array, and the blocking call returns after writing it.
        unsafe {
            let queue = &self.reserved.shared.queue;
            queue.enqueue_read_buffer(&self.buffer, CL_BLOCKING, 0, samples, &[])
        }
        .map_err(opencl("clEnqueueReadBuffer"))?;
        Ok(())
    }

    fn check_length(&self, what: &'static str, got: usize) -> Result<()> {
        if got == self.len {
            return Ok(());
        }
        let expected = self.len;
        Err(Error::Length {
            what,
            expected,
            got,
        })
    }

    /// Checks that the array belongs to the engine of `shared` and has the expected length; `what` names it in errors.
    pub(crate) fn check(
        &self,
        shared: &Arc<Shared>,
        what: &'static str,
        expected: usize,
    ) -> Result<()> {
        if !Arc::ptr_eq(&self.reserved.shared, shared) {
            return Err(Error::ForeignArray { what });
        }
        if self.len != expected {
            return Err(Error::Length {
                what,
                expected,
                got: self.len,
            });
        }
        Ok(())
    }
}

impl<T: Sample> std::fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "DeviceArray<{}>({} on {})",
            T::TYPE,
            self.len,
            self.reserved.shared.device
        )
    }
}
