//! Pinned memory, cut into slots: what devices copy from and to at the speed of the bus.

use crate::error::{Error, Result};
use crate::runtime::context::{Reservation, Site, opencl};
use crate::runtime::event::{Event, handles};
use crate::runtime::handle::Handle;
use crate::runtime::queue::Queue;
use opencl3::error_codes::ClError;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem,
};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// Slots of one size in memory that the driver allocated and that stays mapped.
pub struct Ring {
    buffer: ManuallyDrop<Handle<Buffer<u8>>>,
    memory: *mut c_void,
    /// For mapping and unmapping: the caller's queue may be in any state by then.
    queue: Arc<Queue>,
    _reserved: Reservation,
    pub slots: usize,
    pub slot_bytes: usize,
    /// Why the device may still use the memory, which is then never given back.
    pub lost: Option<Error>,
}

// SAFETY: the memory belongs to the process, not to a thread.
unsafe impl Send for Ring {}
// SAFETY: shared, a ring gives out no more than addresses.
unsafe impl Sync for Ring {}

impl Ring {
    /// Allocates a ring, which counts against the engine's memory: drivers take as much on the device.
    pub fn new(site: &Site, slots: usize, slot_bytes: usize) -> Result<Self> {
        let shared = &site.shared;
        let bytes = slots * slot_bytes;
        let reserved = shared.reserve("the ring of host copies", bytes as u64)?;
        let queue = Queue::own(&shared.context, &shared.device, 0)?;
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        // SAFETY: no host pointer is passed.
        let buffer =
            unsafe { Buffer::<u8>::create(&shared.context, flags, bytes, std::ptr::null_mut()) };
        let buffer: Handle<_> = buffer.map_err(opencl("clCreateBuffer"))?.into();
        let mut memory = std::ptr::null_mut();
        // SAFETY: queue and buffer are alive, and the buffer has so many bytes.
        let mapped = unsafe {
            cl3::command_queue::enqueue_map_buffer(
                queue.handle.get(),
                buffer.get(),
                CL_BLOCKING,
                CL_MAP_READ | CL_MAP_WRITE,
                0,
                bytes,
                &mut memory,
                0,
                std::ptr::null(),
            )
        };
        let mapped = mapped.map_err(|code| opencl("clEnqueueMapBuffer")(ClError(code)))?;
        drop(Event::owning(mapped));
        Ok(Ring {
            buffer: ManuallyDrop::new(buffer),
            memory,
            queue,
            _reserved: reserved,
            slots,
            slot_bytes,
            lost: None,
        })
    }

    /// Where the first slot starts.
    pub fn start(&self) -> *mut u8 {
        self.memory.cast()
    }

    /// Enqueues a copy between the slot of a job and an array, from this byte on, and hands it to the device.
    ///
    /// # Safety
    /// The array has so many bytes there, and a slot has as many. Nothing else uses the slot until the event is done, and nothing
    /// writes it where the copy goes up.
    pub unsafe fn copy<T>(
        &self,
        queue: &Queue,
        job: usize,
        (array, first, bytes): (&Buffer<T>, usize, usize),
        goes_up: bool,
        waits: &[Event],
    ) -> Result<Event> {
        use cl3::command_queue as cl;
        let waits = handles(waits);
        let (count, list) = match waits.as_slice() {
            [] => (0, std::ptr::null()),
            some => (some.len() as u32, some.as_ptr()),
        };
        let (to, array) = (queue.handle.get(), array.get());
        let slot = self
            .start()
            .wrapping_add(job % self.slots * self.slot_bytes)
            .cast();
        // SAFETY: queue, array and events are alive, the ring outlives the copy, and the rest is the caller's promise.
        let (call, event) = unsafe {
            match goes_up {
                true => (
                    "clEnqueueWriteBuffer",
                    cl::enqueue_write_buffer(
                        to,
                        array,
                        CL_NON_BLOCKING,
                        first,
                        bytes,
                        slot,
                        count,
                        list,
                    ),
                ),
                false => (
                    "clEnqueueReadBuffer",
                    cl::enqueue_read_buffer(
                        to,
                        array,
                        CL_NON_BLOCKING,
                        first,
                        bytes,
                        slot,
                        count,
                        list,
                    ),
                ),
            }
        };
        Ok(Event::owning(
            event.map_err(|code| opencl(call)(ClError(code)))?,
        ))
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.lost.is_some() {
            return;
        }
        // SAFETY: the buffer is alive, and what is unmapped is what was mapped of it; nothing uses either any more.
        let unmapped = unsafe {
            cl3::command_queue::enqueue_unmap_mem_object(
                self.queue.handle.get(),
                self.buffer.get(),
                self.memory,
                0,
                std::ptr::null(),
            )
        };
        let unmapped = unmapped.map(|event| Event::owning(event).wait());
        if !matches!(unmapped, Ok(Ok(()))) {
            log::warn!("pinned memory cannot be unmapped: {unmapped:?}");
        }
        // SAFETY: it is never used again.
        unsafe { ManuallyDrop::drop(&mut self.buffer) }
    }
}
