//! Pinned memory, cut into slots: what devices copy from and to at the speed of the bus.

use super::pages::Pages;
use crate::error::{Error, Result};
use crate::runtime::context::Site;

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

    /// Where the slot of a job starts.
    pub fn slot(&self, job: usize) -> *mut u8 {
        self.start()
            .wrapping_add(job % self.slots * self.slot_bytes)
    }
}
