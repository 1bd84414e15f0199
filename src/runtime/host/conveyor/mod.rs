//! Tiles to a device that has memory of its own, and back, in pieces
//! through slots of pinned memory.
//!
//! Threads gather one piece and scatter another while the device copies a third one up, and a
//! fourth one down. So few slots stay in the caches of the host, and tiles can be large. All pieces
//! of a tile are up before it is computed; those of the next one go up to another array. No command
//! names a slice of the caller's.
//!
//! A single thread makes all calls, for one piece up and one down in turn, so that neither heading
//! gets far ahead of the other: while a tile is computed only the first few pieces of the next one
//! go up, and the rest as this one comes down.

mod trip;

use self::trip::Trip;
use super::array::PinnedArray;
use super::copies::Heading;
use super::crew::Crew;
use super::sweep::Sweep;
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::Site;
use crate::runtime::queue::Queue;
use crate::wavelet::Sample;
use std::sync::Arc;

/// Bytes of a piece of a large tile, and slots for such up, and as many down: as few as keep 8
/// threads busy, as more do not stay in the caches. On an NVIDIA H200 the inverse of 16384 x 16384
/// takes 40 ms by 12 slots and 48 by 16; 32 take 12 % longer than 16, 64 50 %. On the host of an
/// H100, where it takes 48 to 50, by pieces of 1 MiB it takes 61, by 24 of them 49, and by 16 or 24
/// of 512 KiB, more of them ahead, 68 to 70.
const PIECE_BYTES: usize = 2 << 20;
const SLOTS: usize = 12;

/// Smaller tiles have as many pieces, but none of fewer bytes.
const LEAST_BYTES: usize = 64 << 10;

/// Tiles that have arrays on the device: one goes up while the one before comes down.
pub(super) const TILES: usize = 2;

/// Slots in which tiles of so many samples are on their way, and the device's arrays for them.
pub(super) struct Conveyor<T: Sample> {
    /// Slots that go up, and as many that come down.
    memory: [PinnedArray<T>; 2],
    slots: usize,
    /// Samples of a slot.
    piece: usize,
    /// For uploads and downloads, and the engine's for kernels.
    queues: [Arc<Queue>; 3],
    /// A tile's input and output.
    arrays: Vec<[DeviceArray<T>; 2]>,
    /// Why it is not known what the device still does, which keeps the arrays that were here.
    lost: Option<Error>,
}

/// Samples of a piece of a tile of so many, and slots up and as many down, which
/// are no more than a tile.
fn pieces<T>(tile: usize) -> (usize, usize) {
    let bytes = tile * size_of::<T>() / (2 * SLOTS);
    let piece = bytes.clamp(LEAST_BYTES, PIECE_BYTES) / size_of::<T>();
    // A tile is in two pieces at least, so that small ones are no other case.
    let piece = piece.min(tile / 2).max(1);
    (piece, SLOTS.min(tile / piece))
}

impl<T: Sample> Conveyor<T> {
    /// Samples of the arrays, on the host and on the device, of a conveyor of so many tiles of
    /// at most so many samples.
    pub fn samples(tiles: usize, largest: usize) -> usize {
        let (piece, slots) = pieces::<T>(largest);
        2 * slots * piece + tiles * 2 * largest
    }

    /// With arrays for a single tile.
    pub fn new(site: &Site, largest: usize) -> Result<Self> {
        let (piece, slots) = pieces::<T>(largest);
        let own = || Queue::own(&site.shared.context, &site.shared.device, 0);
        let memory = || PinnedArray::new(site, slots * piece);
        let mut new = Conveyor {
            memory: [memory()?, memory()?],
            slots,
            piece,
            queues: [own()?, own()?, site.queue.clone()],
            arrays: Vec::new(),
            lost: None,
        };
        new.add_tile(site, largest)?;
        Ok(new)
    }

    /// Tiles for which there are arrays.
    pub fn tiles(&self) -> usize {
        self.arrays.len()
    }

    /// Makes arrays for another tile, unless the device is lost.
    pub fn add_tile(&mut self, site: &Site, largest: usize) -> Result<()> {
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let array = || DeviceArray::new(&site.shared, &site.queue, largest);
        self.arrays.push([array()?, array()?]);
        Ok(())
    }

    /// Takes tiles from arrays to arrays as long as there are any, and calls `done` after each.
    pub fn carry<'a>(
        &mut self,
        crew: &Crew<'a, T>,
        sweep: &Sweep<'_, 'a, T>,
        done: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        Trip::new(self, crew, sweep).go(done)
    }

    /// Where the slot of a piece with this heading starts.
    fn slot(&self, heading: Heading, slot: usize) -> *mut T {
        let start = self.memory[heading as usize].start().cast::<T>();
        start.wrapping_add(slot * self.piece)
    }
}
