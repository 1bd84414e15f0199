//! Pinned memory, cut into slots: what devices copy from and to at the speed of the bus.

use super::copies::Way;
use super::pages::Pages;
use crate::error::{Error, Result};
use crate::runtime::context::Site;

/// Slots of one size, as many for what goes up as for what comes down.
pub struct Ring {
    memory: Pages,
    /// Slots each way.
    pub slots: usize,
    pub slot_bytes: usize,
    /// Why the device may still use the memory, which is then never given back.
    pub lost: Option<Error>,
}

impl Ring {
    /// Allocates a ring, which counts against the engine's memory.
    pub fn new(site: &Site, slots: usize, slot_bytes: usize) -> Result<Self> {
        Ok(Ring {
            memory: Pages::pinned(site, "the ring of host copies", 2 * slots * slot_bytes)?,
            slots,
            slot_bytes,
            lost: None,
        })
    }

    /// Where the slot of a job that goes this way starts.
    pub fn slot(&self, way: Way, job: usize) -> *mut u8 {
        let number = way as usize * self.slots + job % self.slots;
        self.memory.start().wrapping_add(number * self.slot_bytes)
    }

    /// Never uses the ring again, nor gives its memory back.
    pub fn lose(&mut self, why: Error) {
        self.memory.lose();
        self.lost = Some(why);
    }
}
