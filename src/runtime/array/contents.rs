//! What is in an array: written by the host, copied to it, or set to zero.

use super::DeviceArray;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::runtime::acquire::{GlBuffer, with_acquired};
use crate::runtime::context::opencl;
use crate::runtime::event::Event;
use crate::runtime::queue::{Access, Queue};
use crate::runtime::transfer::{Transfer, transfer};
use crate::runtime::views::{DeviceView, DeviceViewMut};
use crate::transform::Region;
use crate::wavelet::Element;
use opencl3::error_codes::ClError;
use opencl3::memory::{
    CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, ClMem,
};
use std::sync::Arc;

impl<T: Element> DeviceArray<T> {
    /// Replaces all samples of the array, after everything enqueued so far, and
    /// waits until they are copied.
    ///
    /// # Errors
    /// [`Error::Length`] if `samples` has another length than the array; [`Error::Handle`] for a
    /// foreign buffer that the host may not write; [`Error::OpenCl`] if copying fails.
    pub fn write(&mut self, samples: &[T]) -> Result<()> {
        DeviceViewMut::from(self).write(samples)
    }

    /// Copies all samples of the array to the host, after everything enqueued so
    /// far, and waits for them.
    ///
    /// # Errors
    /// [`Error::HostMemory`] if the host cannot hold them; [`Error::Handle`] for a foreign
    /// buffer that the host may not read; [`Error::OpenCl`] if copying fails, or the last run
    /// that wrote the array did.
    pub fn download(&self) -> Result<Vec<T>> {
        DeviceView::from(self).download()
    }

    /// Copies all samples of the array into an existing slice on the host, after everything
    /// enqueued so far, and waits for them. Allocates nothing.
    ///
    /// # Errors
    /// [`Error::Length`] if `samples` has another length than the array; [`Error::Handle`] for a
    /// foreign buffer that the host may not read; [`Error::OpenCl`] if copying fails, or the last
    /// run that wrote the array did.
    pub fn download_into(&self, samples: &mut [T]) -> Result<()> {
        DeviceView::from(self).download_into(samples)
    }

    /// Sets the samples of a new array to zero, not waiting for what the
    /// caller's own queue waits for.
    pub(crate) fn set_up_zeros(&self) -> Result<()> {
        // Of NVIDIA's driver it is said that it never ends a fill of 2 GiB or more
        // (<https://github.com/inducer/pyopencl/issues/395>).
        self.set_up_zeros_by((1 << 30) / size_of::<T>())
    }

    /// By fills of at most so many samples.
    fn set_up_zeros_by(&self, most: usize) -> Result<()> {
        let mut uses = self.uses();
        let queue = self.reserved.shared.set_up_queue(uses.queue())?;
        let starts = (0..self.len).step_by(most);
        let fill = |start| self.fill_zeros(&queue, start, most.min(self.len - start));
        let fills = starts.map(fill).collect::<Result<Vec<_>>>()?;
        if !Arc::ptr_eq(&queue, uses.queue()) {
            fills.iter().try_for_each(Event::wait)?;
        }
        uses.set_up(fills);
        Ok(())
    }

    /// Sets `len` samples from `start` on, which are within the array, to zero.
    fn fill_zeros(&self, queue: &Queue, start: usize, len: usize) -> Result<Event> {
        let zero = T::zeroed();
        let bytes = |samples: usize| samples * size_of::<T>();
        // SAFETY: the array holds these bytes, multiples of the pattern's size, and the
        // call copies the pattern.
        let filled = unsafe {
            cl3::command_queue::enqueue_fill_buffer(
                queue.handle.get(),
                self.buffer.get(),
                (&raw const zero).cast(),
                size_of::<T>(),
                bytes(start),
                bytes(len),
                0,
                std::ptr::null(),
            )
        };
        let filled = filled.map_err(|code| opencl("clEnqueueFillBuffer")(ClError(code)))?;
        Ok(Event::owning(filled))
    }

    /// Replaces the samples of a new array, not waiting for what the caller's own queue waits for.
    pub(crate) fn set_up(&mut self, samples: &[T]) -> Result<()> {
        let queue = self.reserved.shared.set_up_queue(self.uses().queue())?;
        let whole = Region::dense([self.len]);
        let from = Transfer::ToDevice(samples);
        transfer(&queue, &self.buffer, 0, &whole, from, &[])
    }

    /// Copies between a region of the array and the host.
    pub(in crate::runtime) fn transfer(&self, region: &Region, what: Transfer<T>) -> Result<()> {
        if region.is_empty() {
            return Ok(());
        }
        let (forbidden, why) = match what {
            Transfer::ToDevice(_) => (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, "written"),
            Transfer::ToHost(_) => (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, "read"),
        };
        self.check_flags(
            "the array",
            forbidden,
            &format!("a buffer that the host may have {why}"),
        )?;
        // Nothing else writes the array meanwhile, and reads need not wait for one another: the
        // lock is not held while the host waits.
        let (access, mut uses) = (what.access(), self.uses());
        let written = match access {
            Access::Read => uses.last_written(),
            Access::Write => Vec::new(),
        };
        let gl: Vec<GlBuffer> = uses.gl_buffer().into_iter().collect();
        let (queue, waits) = uses.for_host(access)?;
        drop(uses);
        let done = with_acquired(&queue, &gl, &waits, |waits| {
            let first = self.memory.offset;
            transfer(&queue, &self.buffer, first, region, what, waits)?;
            Ok(Vec::new())
        })?;
        let mut released = done.released.iter();
        released.try_for_each(Event::wait)?;
        if access == Access::Write && region.len() == self.len {
            // Whatever failed before, all of it is known now.
            self.uses().set_up(Vec::new());
        }
        let mut written = written.iter();
        written.try_for_each(|event| event.is_done().map(drop))
    }
}

#[cfg(test)]
mod tests {
    use crate::device::devices_if_any;
    use crate::runtime::engine::Engine;

    #[test]
    fn zeros_come_in_fills_of_any_length() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            for most in [1, 3, 7, 8] {
                let array = engine.upload(&[-1i16; 7]).unwrap();
                array.set_up_zeros_by(most).unwrap();
                assert_eq!(array.download().unwrap(), [0; 7]);
            }
        }
    }
}
