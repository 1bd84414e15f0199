//! Handles of other programs: checked and retained where they come in, lent where they go out.

use super::array::{Backing, DeviceArray};
use super::context::{Shared, opencl};
use super::engine::Engine;
use super::handle::Handle;
use super::queue::{Queue, Uses};
use super::views::check_alignment;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::wavelet::Element;
use cl3::command_queue::CL_QUEUE_ON_DEVICE;
use cl3::context::CL_CONTEXT_DEVICES;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::memory::{Buffer, CL_MEM_OBJECT_BUFFER, CL_MEM_USE_HOST_PTR, ClMem};
use opencl3::types::cl_device_id;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;

pub(super) fn check_not_null(what: &'static str, handle: *mut c_void) -> Result<()> {
    if handle.is_null() {
        return Err(refused(what, "a handle", "null"));
    }
    Ok(())
}

fn refused(what: &'static str, expected: impl Into<String>, got: impl Into<String>) -> Error {
    Error::Handle {
        what,
        expected: expected.into(),
        got: got.into(),
    }
}

/// An OpenCL call by its name.
fn called<T>(call: &'static str, result: std::result::Result<T, i32>) -> Result<T> {
    result.map_err(|code| opencl(call)(ClError(code)))
}

/// A reference to a device; only sub-devices count them.
struct DeviceReference(Device);

impl Drop for DeviceReference {
    fn drop(&mut self) {
        // SAFETY: the reference was retained for this.
        if let Err(code) = unsafe { cl3::device::release_device(self.0.handle.id()) } {
            log::warn!("clReleaseDevice failed: {}", ClError(code));
        }
    }
}

/// Retains a device and describes it.
///
/// # Safety
/// It is a valid `cl_device_id`.
unsafe fn device_of(device: *mut c_void) -> Result<Device> {
    let found = Device::of_handle(device).map_err(opencl("clGetDeviceInfo"))?;
    let expected = "one that its platform lists, or a part of one";
    let found = found.ok_or_else(|| refused("the device", expected, "one that is not listed"))?;
    // SAFETY: the device is valid, by the caller's promise.
    called("clRetainDevice", unsafe {
        cl3::device::retain_device(device)
    })?;
    let reference = Arc::new(DeviceReference(found.clone()));
    Ok(found.kept_by(reference))
}

impl Engine {
    /// Opens an engine on an existing OpenCL context, device and command queue, whatever library
    /// made them. The context may have several devices, and the device may be a sub-device. All
    /// three are retained, and released with the last of the engine, its plans and its arrays.
    ///
    /// All work on arrays goes through the queue. If that runs commands out of order, what uses one
    /// array or one plan is kept in order by events; if it records times,
    /// [`Run::device_time`](super::Run::device_time) reports them. The first contents of new arrays
    /// go through a queue of the engine's own, as the caller's may be waiting for a user event.
    ///
    /// # Safety
    /// Each of the three is null, which is refused, or a valid `cl_context`, `cl_device_id` and
    /// `cl_command_queue` of the OpenCL library that this process has loaded.
    ///
    /// # Errors
    /// [`Error::Handle`] for null, a device that its platform does not list or that is not the
    /// context's, a queue of another context or device, and a queue on the device;
    /// [`Error::Tuning`], [`Error::Unknown`] and [`Error::Unsupported`] as [`Engine::new`];
    /// [`Error::OpenCl`] if asking or retaining fails.
    pub unsafe fn from_raw(
        context: *mut c_void,
        device: *mut c_void,
        queue: *mut c_void,
    ) -> Result<Engine> {
        check_not_null("the context", context)?;
        check_not_null("the device", device)?;
        check_not_null("the queue", queue)?;
        // SAFETY: the three are valid, by the caller's promise.
        let (context, queue, device) = unsafe {
            called("clRetainContext", cl3::context::retain_context(context))?;
            let context: Handle<Context> = Context::new(context, &[device]).into();
            called(
                "clRetainCommandQueue",
                cl3::command_queue::retain_command_queue(queue),
            )?;
            let queue: Handle<CommandQueue> = CommandQueue::new(queue, 3).into();
            let devices = context.get_data(CL_CONTEXT_DEVICES);
            let devices = devices.map_err(opencl("clGetContextInfo"))?;
            // PoCL lists the device that a sub-device is part of.
            let mut known = Device::with_parents(device);
            let is_listed = |id: cl_device_id| {
                let mut ids = devices.chunks_exact(size_of::<usize>());
                ids.any(|listed| listed == (id as usize).to_ne_bytes())
            };
            if !known.any(is_listed) {
                let expected = "a device of the context";
                return Err(refused("the device", expected, "another device"));
            }
            (context, queue, device_of(device)?)
        };
        let asked = opencl("clGetCommandQueueInfo");
        if queue.context().map_err(&asked)? != context.get() {
            let expected = "a queue of the context";
            return Err(refused("the queue", expected, "one of another context"));
        }
        if queue.device().map_err(&asked)? != device.handle.id() {
            let expected = "a queue of the device";
            return Err(refused("the queue", expected, "one of another device"));
        }
        let properties = queue.properties().map_err(&asked)?;
        if properties & CL_QUEUE_ON_DEVICE != 0 {
            let expected = "a queue of the host";
            return Err(refused("the queue", expected, "one on the device"));
        }
        let queue = Arc::new(Queue::new(queue, properties, true));
        Engine::on(Shared::new(context, &device)?, queue)
    }

    /// Returns the engine's context as a `cl_context`, which stays valid as long as the engine
    /// exists; retain it to keep it longer.
    pub fn raw_context(&self) -> *mut c_void {
        self.site.shared.context.get()
    }

    /// Returns the engine's device as a `cl_device_id`, which stays valid as
    /// long as the engine exists.
    pub fn raw_device(&self) -> *mut c_void {
        self.site.shared.device.handle.id()
    }

    /// Returns the engine's queue as a `cl_command_queue`, which stays valid as long as the engine
    /// exists; retain it to keep it longer. Work that is enqueued on it comes after that of the
    /// engine's runs so far if it is in order.
    pub fn raw_queue(&self) -> *mut c_void {
        self.site.queue.handle.get()
    }
}

impl<T: Element> DeviceArray<T> {
    /// Wraps `len` samples of an existing OpenCL buffer, from byte `offset` of it on. The buffer
    /// may be a sub-buffer, and one over memory of the host. It is retained, and released with the
    /// array; the engine does not count it as its own memory.
    ///
    /// The engine's calls on the array are in order with one another. The caller's own work on the
    /// buffer is ordered by the caller: through the engine's queue if that is in order, else by
    /// events. The caller acquires and releases a buffer that is shared with OpenGL.
    ///
    /// # Safety
    /// - `buffer` is null, which is refused, or a valid `cl_mem` of the OpenCL library that
    ///   this process has loaded.
    /// - What the buffer holds of the samples has been written before they are read: every bit
    ///   pattern is a sample, but memory that was never written has none.
    /// - As long as runs of the engine use the array, nothing else writes its samples, and nothing
    ///   else reads those that runs write: also no other array made of the same memory, but for
    ///   those that one queue, if in order, or events keep apart. Memory of the host under
    ///   `CL_MEM_USE_HOST_PTR` outlives the buffer.
    ///
    /// # Errors
    /// [`Error::Handle`] for null, what is no buffer (an image, a pipe), and a buffer of another
    /// context or too small; [`Error::Misaligned`] if the first sample is not where samples of this
    /// type can be, counting the offset, that of a sub-buffer and the address of the host's memory;
    /// [`Error::Memory`] for samples at or past 2^32 bytes where addresses have 32 bits;
    /// [`Error::OpenCl`] if asking or retaining fails.
    pub unsafe fn from_raw(
        engine: &Engine,
        buffer: *mut c_void,
        offset: usize,
        len: usize,
    ) -> Result<Self> {
        check_not_null("the buffer", buffer)?;
        // SAFETY: the buffer is valid, by the caller's promise.
        called("clRetainMemObject", unsafe {
            cl3::memory::retain_mem_object(buffer)
        })?;
        let buffer: Handle<Buffer<T>> = Buffer::new(buffer).into();
        DeviceArray::of_buffer(engine, buffer, offset, len, Uses::none(&engine.site.queue))
    }

    /// Checks that an existing buffer can be an array, and makes it one.
    pub(super) fn of_buffer(
        engine: &Engine,
        buffer: Handle<Buffer<T>>,
        offset: usize,
        len: usize,
        uses: Uses,
    ) -> Result<Self> {
        let shared = &engine.site.shared;
        let asked = opencl("clGetMemObjectInfo");
        let kind = buffer.mem_type().map_err(&asked)?;
        if kind != CL_MEM_OBJECT_BUFFER {
            let got = format!("a memory object of type {kind:#x}");
            return Err(refused("the buffer", "a buffer", got));
        }
        if buffer.context().map_err(&asked)? != shared.context.get() {
            let expected = "a buffer of the engine's context";
            return Err(refused("the buffer", expected, "one of another context"));
        }
        let size = buffer.size().map_err(&asked)?;
        let bytes = len.checked_mul(size_of::<T>());
        if bytes
            .and_then(|bytes| bytes.checked_add(offset))
            .is_none_or(|end| end > size)
        {
            let expected = format!("{len} samples of {} from byte {offset} on", T::NAME);
            return Err(refused("the buffer", expected, format!("{size} bytes")));
        }
        // What `size` allows, addresses must too.
        let end = (offset + len * size_of::<T>()) as u64;
        shared.check_addresses("the buffer", end)?;
        let memory = memory_of(&buffer, offset / size_of::<T>()).map_err(&asked)?;
        let address = memory.start.wrapping_add(offset);
        check_alignment("the array", address | offset, size_of::<T>())?;
        let reserved = shared.reserve("a foreign array", 0)?;
        Ok(DeviceArray::of_parts(buffer, reserved, len, memory, uses))
    }

    /// Returns the array's buffer as a `cl_mem`, which stays valid as long as the array
    /// exists; retain it to keep it longer. The array starts at byte
    /// [`raw_offset`](Self::raw_offset) of it.
    pub fn as_raw(&self) -> *mut c_void {
        self.buffer.get()
    }

    /// Returns the byte of the buffer at which the array starts; 0 but for an array made of
    /// another's buffer, as by [`from_raw`](Self::from_raw).
    pub fn raw_offset(&self) -> usize {
        self.memory.offset * size_of::<T>()
    }
}

/// Which memory a buffer is, from the sample `offset` on.
fn memory_of<T>(buffer: &Buffer<T>, offset: usize) -> std::result::Result<Backing, ClError> {
    let flags = buffer.flags()?;
    let parent = buffer.associated_memobject()?;
    let (root, origin) = match parent.is_null() {
        true => (buffer.get(), 0),
        false => (parent, buffer.offset()?),
    };
    // Not dropped: the parent lives as long as the sub-buffer, and this is no reference to it.
    let whole = ManuallyDrop::new(Buffer::<T>::new(root));
    let (root, start) = if whole.flags()? & CL_MEM_USE_HOST_PTR != 0 {
        (0, (whole.host_ptr()? as usize).wrapping_add(origin))
    } else {
        (root as usize, origin)
    };
    Ok(Backing {
        root,
        start,
        offset,
        flags,
    })
}
