//! Memory of the host that copies to and from a device go through: pinned, where the driver
//! has such memory to give.

use crate::error::{Error, Result};
use crate::runtime::context::{Reservation, Site, opencl};
use crate::runtime::event::Event;
use crate::runtime::handle::Handle;
use crate::runtime::queue::Queue;
use opencl3::error_codes::ClError;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem,
};
use opencl3::types::CL_BLOCKING;
use std::alloc::Layout;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where ordinary memory starts, which is good for every sample and vector.
pub(super) const PAGE: usize = 4096;

/// Memory that stays where it is until this is dropped.
pub struct Pages {
    start: *mut u8,
    owner: Owner,
    /// Of memory that is lost it is never given back, either.
    reserved: Option<Reservation>,
    /// Whether a device may use the memory for ever, which is then never given back.
    lost: AtomicBool,
}

enum Owner {
    /// A buffer that the driver allocated on the host and that stays mapped. No kernel and no
    /// copy has it as an argument.
    Driver {
        buffer: ManuallyDrop<Handle<Buffer<u8>>>,
        /// For mapping and unmapping: the caller's queue may be in any state by then.
        queue: Arc<Queue>,
    },
    Process(Layout),
}

// SAFETY: the memory belongs to the process, not to a thread.
unsafe impl Send for Pages {}
// SAFETY: shared, pages give out no more than an address.
unsafe impl Sync for Pages {}

impl Pages {
    /// Pinned memory, whose contents are undefined. It counts against the engine's memory: drivers
    /// take as much on the device.
    pub fn pinned(site: &Site, what: &str, bytes: usize) -> Result<Self> {
        let shared = &site.shared;
        let reserved = shared.reserve(what, bytes as u64)?;
        let queue = Queue::own(&shared.context, &shared.device, 0)?;
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        let none = std::ptr::null_mut();
        // SAFETY: no host pointer is passed.
        let buffer = unsafe { Buffer::<u8>::create(&shared.context, flags, bytes, none) };
        let buffer: Handle<_> = buffer.map_err(opencl("clCreateBuffer"))?.into();
        let mut start: *mut c_void = none;
        // SAFETY: queue and buffer are alive, and the buffer has so many bytes.
        let mapped = unsafe {
            cl3::command_queue::enqueue_map_buffer(
                queue.handle.get(),
                buffer.get(),
                CL_BLOCKING,
                CL_MAP_READ | CL_MAP_WRITE,
                0,
                bytes,
                &mut start,
                0,
                std::ptr::null(),
            )
        };
        let mapped = mapped.map_err(|code| opencl("clEnqueueMapBuffer")(ClError(code)))?;
        drop(Event::owning(mapped));
        let buffer = ManuallyDrop::new(buffer);
        Ok(Pages {
            start: start.cast(),
            owner: Owner::Driver { buffer, queue },
            reserved: Some(reserved),
            lost: AtomicBool::new(false),
        })
    }

    /// Ordinary memory, all zeros, which counts just as well.
    pub fn ordinary(site: &Site, what: &'static str, bytes: usize) -> Result<Self> {
        let reserved = site.shared.reserve(what, bytes as u64)?;
        let full = || Error::HostMemory {
            what,
            needed: bytes as u64,
        };
        let layout = Layout::from_size_align(bytes.max(1), PAGE).map_err(|_| full())?;
        // SAFETY: the layout has a size other than 0.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        if start.is_null() {
            return Err(full());
        }
        Ok(Pages {
            start,
            owner: Owner::Process(layout),
            reserved: Some(reserved),
            lost: AtomicBool::new(false),
        })
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Never gives the memory back, as a device may still use it.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if *self.lost.get_mut() {
            std::mem::forget(self.reserved.take());
            return;
        }
        let (buffer, queue) = match &mut self.owner {
            // SAFETY: it was allocated like this, and is never used again.
            Owner::Process(layout) => return unsafe { std::alloc::dealloc(self.start, *layout) },
            Owner::Driver { buffer, queue } => (buffer, queue),
        };
        // SAFETY: the buffer is alive, and what is unmapped is what was mapped of it;
        // nothing uses either any more.
        let unmapped = unsafe {
            cl3::command_queue::enqueue_unmap_mem_object(
                queue.handle.get(),
                buffer.get(),
                self.start.cast(),
                0,
                std::ptr::null(),
            )
        };
        let unmapped = unmapped.map(|event| Event::owning(event).wait());
        if !matches!(unmapped, Ok(Ok(()))) {
            log::warn!("pinned memory cannot be unmapped: {unmapped:?}");
        }
        // SAFETY: it is never used again.
        unsafe { ManuallyDrop::drop(buffer) }
    }
}
