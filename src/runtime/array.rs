//! Arrays in the memory of a device.

use super::context::{Shared, opencl};
use crate::error::{Error, Result};
use crate::wavelet::Sample;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::types::CL_BLOCKING;
use std::sync::Arc;

/// An array of samples in the memory of an engine's device.
pub struct DeviceArray<T: Sample> {
    pub(crate) buffer: Buffer<T>,
    len: usize,
    shared: Arc<Shared>,
}

impl<T: Sample> DeviceArray<T> {
    /// A new array of `len` samples, whatever they are.
    pub(crate) fn new(shared: &Arc<Shared>, len: usize) -> Result<Self> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        shared.check_memory("an array", &[bytes])?;
        // SAFETY: no host pointer is handed over. An array of no samples still needs a byte of memory.
        let buffer = unsafe {
            Buffer::create(
                &shared.context,
                CL_MEM_READ_WRITE,
                len.max(1),
                std::ptr::null_mut(),
            )
        };
        Ok(DeviceArray {
            buffer: buffer.map_err(opencl("clCreateBuffer"))?,
            len,
            shared: shared.clone(),
        })
    }

    /// How many samples it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Replaces all samples. Returns when they are there.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples; [`Error::OpenCl`].
    pub fn write(&mut self, samples: &[T]) -> Result<()> {
        self.check_length("the slice", samples.len())?;
        if samples.is_empty() {
            return Ok(());
        }
        // SAFETY: the slice has as many samples as the array, and the call returns when it is read.
        unsafe {
            let queue = &self.shared.queue;
            queue.enqueue_write_buffer(&mut self.buffer, CL_BLOCKING, 0, samples, &[])
        }
        .map_err(opencl("clEnqueueWriteBuffer"))?;
        Ok(())
    }

    /// Copies all samples to the host, after everything enqueued so far.
    ///
    /// # Errors
    /// [`Error::OpenCl`].
    pub fn download(&self) -> Result<Vec<T>> {
        let mut samples = vec![T::zeroed(); self.len];
        self.download_into(&mut samples)?;
        Ok(samples)
    }

    /// The same into a slice, without allocating.
    ///
    /// # Errors
    /// [`Error::Length`] for a slice of another length; [`Error::OpenCl`].
    pub fn download_into(&self, samples: &mut [T]) -> Result<()> {
        self.check_length("the slice", samples.len())?;
        if samples.is_empty() {
            return Ok(());
        }
        // SAFETY: the slice has as many samples as the array, and the call returns when it is written.
        unsafe {
            let queue = &self.shared.queue;
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

    /// Whether the array belongs to the engine and has this length.
    pub(crate) fn check(
        &self,
        shared: &Arc<Shared>,
        what: &'static str,
        expected: usize,
    ) -> Result<()> {
        if !Arc::ptr_eq(&self.shared, shared) {
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
            self.shared.device
        )
    }
}
