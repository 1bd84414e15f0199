//! From the crate `ocl` to ours and back: feature `ocl-interop`.

use super::array::DeviceArray;
use super::engine::Engine;
use super::event::Event;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::wavelet::Element;
use ::ocl::OclPrm;
use ::ocl::core;

impl Engine {
    /// Opens an engine on a queue of the crate `ocl`, its context and its device, as
    /// [`Engine::from_raw`] does.
    ///
    /// Needs the feature `ocl-interop`. The OpenCL library is that which `ocl` is linked with: the
    /// environment variable `OPENCL_DYLIB_PATH` must name no other.
    ///
    /// # Errors
    /// As [`Engine::from_raw`].
    pub fn from_ocl(queue: &::ocl::Queue) -> Result<Engine> {
        let (context, device) = (queue.context(), queue.device());
        // SAFETY: objects of `ocl` hold valid handles.
        unsafe { Engine::from_raw(context.as_ptr(), device.as_raw(), queue.as_ptr()) }
    }

    /// Returns the engine's queue for the crate `ocl`, with a reference of its own.
    pub fn to_ocl(&self) -> core::CommandQueue {
        // SAFETY: the handle is valid, and `ocl` retains it.
        unsafe { core::CommandQueue::from_raw_copied_ptr(self.raw_queue()) }
    }
}

impl<T: Element + OclPrm> DeviceArray<T> {
    /// Wraps all samples of a buffer of the crate `ocl`, as [`DeviceArray::from_raw`] does. Needs
    /// the feature `ocl-interop`.
    ///
    /// # Safety
    /// That of [`DeviceArray::from_raw`], but for the handle, which is valid.
    ///
    /// # Errors
    /// As [`DeviceArray::from_raw`].
    pub unsafe fn from_ocl(engine: &Engine, buffer: &::ocl::Buffer<T>) -> Result<Self> {
        // SAFETY: the handle is valid, and the rest is the caller's promise.
        unsafe { DeviceArray::from_raw(engine, buffer.as_ptr(), 0, buffer.len()) }
    }

    /// Returns the array's buffer for the crate `ocl`, with a reference of its own. The array
    /// starts at byte [`raw_offset`](Self::raw_offset) of it.
    pub fn to_ocl(&self) -> core::Mem {
        // SAFETY: the handle is valid, and `ocl` retains it.
        unsafe { core::Mem::from_raw_copied_ptr(self.as_raw()) }
    }
}

impl Event {
    /// Wraps an event of the crate `ocl`, which is retained. Needs the feature `ocl-interop`.
    ///
    /// # Errors
    /// [`Error::Handle`] for an empty event, which stands for nothing; [`Error::OpenCl`]
    /// if it cannot be retained.
    pub fn from_ocl(event: &::ocl::Event) -> Result<Self> {
        let handle = match event.is_valid() {
            // SAFETY: the handle is copied while the event is alive.
            true => unsafe { *core::ClEventPtrRef::as_ptr_ref(&event.as_core()) },
            false => std::ptr::null_mut(),
        };
        // SAFETY: the handle is valid, or null, which is refused.
        unsafe { Event::from_raw(handle) }
    }

    /// Returns the event for the crate `ocl`, with a reference of its own.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if it cannot be retained.
    pub fn to_ocl(&self) -> Result<::ocl::Event> {
        let raw = self.clone().into_raw()?;
        // SAFETY: the handle is valid, and the reference is the new object's.
        Ok(unsafe { core::Event::from_raw_create_ptr(raw) }.into())
    }
}
