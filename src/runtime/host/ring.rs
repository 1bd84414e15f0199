//! Pinned memory, cut into slots: what devices copy from and to at the speed of the bus.

use super::copies::Heading;
use super::pages::Pages;
use crate::error::{Error, Result};
use crate::runtime::context::Site;
use crate::runtime::lock::lock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Slots of a ring for each heading, and the bytes of each. Slices of 8192 x 8192 in f32 take 11.8
/// to 13.3 ms, on the host of an NVIDIA H100; by 8 slots 14.1 to 14.8, by 12 12.2 to 13.4, by 24
/// 13.8 to 14.9 and by 32 16, and by slots of 1 MiB 11.8 to 12.2, of 4 MiB 16.2 to 16.6.
const SLOTS: usize = 16;
const SLOT_BYTES: usize = 2 << 20;

/// Slots of one size, as many for what goes up as for what comes down.
pub struct Ring {
    memory: Pages,
    /// Slots for each heading.
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

    /// Where the slot of a job with this heading starts.
    pub fn slot(&self, heading: Heading, job: usize) -> *mut u8 {
        let number = heading as usize * self.slots + job % self.slots;
        self.memory.start().wrapping_add(number * self.slot_bytes)
    }

    /// Never uses the ring again, nor gives its memory back.
    pub fn lose(&mut self, why: Error) {
        self.memory.lose();
        self.lost = Some(why);
    }
}

/// The ring of an engine, made with the first call that needs one.
#[derive(Default)]
pub(crate) struct KeptRing {
    ring: Mutex<Option<Ring>>,
    /// Whether somebody was told that there is none.
    has_warned: AtomicBool,
}

impl KeptRing {
    /// The ring, if there is one, for this call alone.
    pub fn lock(&self) -> MutexGuard<'_, Option<Ring>> {
        lock(&self.ring)
    }

    /// Makes the ring if there is none yet, and says once where none is to be had.
    pub fn is_there(&self, site: &Site) -> bool {
        let mut kept = lock(&self.ring);
        if kept.is_none() {
            match Ring::new(site, SLOTS, SLOT_BYTES) {
                Ok(ring) => *kept = Some(ring),
                Err(error) if !self.has_warned.swap(true, Ordering::Relaxed) => {
                    log::warn!("host slices are copied by the driver: {error}");
                }
                Err(_) => {}
            }
        }
        kept.is_some()
    }

    /// Frees the ring, unless the device may still use it.
    pub fn free(&self) {
        let mut kept = lock(&self.ring);
        if kept.as_ref().is_some_and(|ring| ring.lost.is_none()) {
            *kept = None;
        }
    }
}
