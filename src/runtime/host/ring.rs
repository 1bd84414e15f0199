//! Pinned memory, cut into slots: what devices copy from and to at the speed of the bus.

use super::copies::{Way, copy};
use super::pages::Pages;
use crate::error::{Error, Result};
use crate::runtime::context::Site;
use crate::runtime::event::Event;
use crate::runtime::queue::Queue;
use opencl3::memory::Buffer;

/// Slots of one size.
pub struct Ring {
    memory: Pages,
    pub slots: usize,
    pub slot_bytes: usize,
    /// Why the device may still use the memory, which is then never given back.
    pub lost: Option<Error>,
}

impl Ring {
    /// Allocates a ring, which counts against the engine's memory.
    pub fn new(site: &Site, slots: usize, slot_bytes: usize) -> Result<Self> {
        Ok(Ring {
            memory: Pages::pinned(site, "the ring of host copies", slots * slot_bytes)?,
            slots,
            slot_bytes,
            lost: None,
        })
    }

    /// Where the first slot starts.
    pub fn start(&self) -> *mut u8 {
        self.memory.start()
    }

    /// Never uses the ring again, nor gives its memory back.
    pub fn lose(&mut self, why: Error) {
        self.memory.lose();
        self.lost = Some(why);
    }

    /// Enqueues a copy between the slot of a job and an array, from this byte on.
    ///
    /// # Safety
    /// The array has so many bytes there, and a slot has as many. Nothing else uses the slot until the event is done, and nothing
    /// writes it where the copy goes up.
    pub(super) unsafe fn copy<T>(
        &self,
        queue: &Queue,
        job: usize,
        place: (&Buffer<T>, usize, usize),
        way: Way,
        waits: &[Event],
    ) -> Result<Event> {
        let slot = self
            .start()
            .wrapping_add(job % self.slots * self.slot_bytes);
        // SAFETY: the ring outlives the copy, and the rest is the caller's promise.
        unsafe { copy(queue, place, slot, way, waits) }
    }
}
