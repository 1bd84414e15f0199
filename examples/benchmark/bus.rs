//! How fast the bus is by itself: copies between pinned memory and the device.

use crate::common::cli::Result;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::event::Event;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE,
};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};
use std::time::Instant;
use wavelift::Engine;

/// Copies each way, or frames of a stream, that are timed at once.
pub const FRAMES: u64 = 8;

/// Pinned memory and as much on the device, for each way: how long copies between them
/// take is the bus's own rate.
pub struct Bus([OneWay; 2]);

struct OneWay {
    queue: CommandQueue,
    device: Buffer<u8>,
    pinned: &'static mut [u8],
    // The memory's owner, released last.
    _owner: Buffer<u8>,
    _context: Context,
}

impl OneWay {
    fn new(engine: &Engine, bytes: usize) -> Result<Self> {
        let device = Device::new(engine.raw_device());
        let context = Context::from_device(&device)?;
        let none = std::ptr::null_mut();
        // SAFETY: the device is the context's; no host pointer is passed; the buffer has so many
        // bytes, stays mapped as long as the slice is used, and drivers fill what they map.
        unsafe {
            #[allow(deprecated, reason = "the successor needs OpenCL 2.0")]
            let queue = CommandQueue::create(&context, device.id(), 0)?;
            let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
            let owner = Buffer::create(&context, flags, bytes, none)?;
            let on_device = Buffer::create(&context, CL_MEM_READ_WRITE, bytes, none)?;
            let (access, mut start) = (CL_MAP_READ | CL_MAP_WRITE, none);
            queue.enqueue_map_buffer(&owner, CL_BLOCKING, access, 0, bytes, &mut start, &[])?;
            start.cast::<u8>().write_bytes(1, bytes);
            Ok(OneWay {
                queue,
                device: on_device,
                pinned: std::slice::from_raw_parts_mut(start.cast(), bytes),
                _owner: owner,
                _context: context,
            })
        }
    }

    fn copy(&mut self, goes_up: bool) -> Result<Event> {
        let (queue, buffer, pinned) = (&self.queue, &mut self.device, &mut *self.pinned);
        // SAFETY: the buffer is as long as the slice. Nothing reads or writes that but copies,
        // which are all waited for.
        let event = unsafe {
            match goes_up {
                true => queue.enqueue_write_buffer(buffer, CL_NON_BLOCKING, 0, pinned, &[])?,
                false => queue.enqueue_read_buffer(buffer, CL_NON_BLOCKING, 0, pinned, &[])?,
            }
        };
        queue.flush()?;
        Ok(event)
    }
}

impl Drop for OneWay {
    fn drop(&mut self) {
        // Copies may still be on their way after an error.
        let _ = self.queue.finish();
    }
}

impl Bus {
    pub fn new(engine: &Engine, bytes: usize) -> Result<Self> {
        Bus::of(engine, [bytes; 2])
    }

    /// For so many bytes to the device, and so many back.
    pub fn of(engine: &Engine, [up, down]: [usize; 2]) -> Result<Self> {
        Ok(Bus([OneWay::new(engine, up)?, OneWay::new(engine, down)?]))
    }

    /// The nanoseconds of a copy to the device, and of one back.
    pub fn copy(&mut self) -> Result<[u64; 2]> {
        let Bus([up, down]) = self;
        let one = |way: &mut OneWay, goes_up| -> Result<u64> {
            let start = Instant::now();
            way.copy(goes_up)?.wait()?;
            Ok(start.elapsed().as_nanos() as u64)
        };
        Ok([one(up, true)?, one(down, false)?])
    }

    /// The nanoseconds of some copies each way, both ways at once.
    pub fn copy_both_ways(&mut self) -> Result<u64> {
        self.copy_frames(FRAMES)
    }

    /// The same of so many copies each way.
    pub fn copy_frames(&mut self, frames: u64) -> Result<u64> {
        let Bus([up, down]) = self;
        let start = Instant::now();
        let mut last = Vec::new();
        for _ in 0..frames {
            last = vec![up.copy(true)?, down.copy(false)?];
        }
        for event in last {
            event.wait()?;
        }
        Ok(start.elapsed().as_nanos() as u64)
    }
}
