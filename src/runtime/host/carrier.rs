//! What takes the tiles of a device to it and back: slots where it takes them where they stand, a
//! conveyor where it does not.

use super::array::PinnedArray;
use super::borrowed::stands_at;
use super::conveyor::Conveyor;
use crate::error::Result;
use crate::runtime::context::Site;
use crate::wavelet::Sample;

/// How many tiles are on their way at most where the device takes them where they stand: it does
/// one thing at a time, while the next tile is gathered.
pub(super) const SLOTS: usize = 2;

/// A tile's input and output where the device takes them where they stand.
pub(super) type Slot<T> = (PinnedArray<T>, PinnedArray<T>);

/// What tiles are on their way in: slots where the device takes them where they stand, a
/// conveyor where it does not.
pub(super) struct Carrier<T: Sample> {
    pub slots: Vec<Slot<T>>,
    pub conveyor: Option<Conveyor<T>>,
}

impl<T: Sample> Carrier<T> {
    /// How many tiles can be on their way.
    pub fn tiles(&self) -> usize {
        let conveyor = self.conveyor.as_ref();
        conveyor.map_or(self.slots.len(), Conveyor::tiles)
    }

    /// Makes what one more tile takes.
    pub fn add_tile(&mut self, site: &Site, largest: usize) -> Result<()> {
        let array = || PinnedArray::new(site, largest);
        match &mut self.conveyor {
            Some(conveyor) => conveyor.add_tile(site, largest)?,
            none if is_copied(site) => *none = Some(Conveyor::new(site, largest)?),
            _ => self.slots.push((array()?, array()?)),
        }
        Ok(())
    }
}

impl<T: Sample> Default for Carrier<T> {
    fn default() -> Self {
        Carrier {
            slots: Vec::new(),
            conveyor: None,
        }
    }
}

/// Whether tiles are copied to arrays on the device, not used where they stand.
pub(super) fn is_copied(site: &Site) -> bool {
    stands_at(site.shared.device.info()).is_none() || site.copy_threads.is_some()
}
