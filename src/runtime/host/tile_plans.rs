//! Which tiles the memory of engines allows, the plans for them, and the slots in which they are on their way.
//!
//! All tiles of a stage have the same few shapes, so that there are few plans; slots and arrays are for the largest tile of all
//! stages.

use super::array::PinnedArray;
use super::borrowed::stands_at;
use super::conveyor::{self, Conveyor};
use super::threads::LEAST_BYTES;
use crate::error::{Error, Result};
use crate::runtime::builder::Builder;
use crate::runtime::context::Site;
use crate::runtime::plan::Plan;
use crate::strategy::{Problem, Regions, Stage, Tile, stages};
use crate::transform::Transform;
use crate::wavelet::{Direction, Sample};
use std::sync::Arc;

/// Bytes of a tile at most: larger ones have less of a halo, but while the first one is gathered, and the last one scattered,
/// there is nothing to compute.
const MOST_BYTES: usize = 128 << 20;

/// Where several devices share tiles out, there are about so many for each. Fewer end farther apart, more have more of a halo: of
/// five levels of 8192 x 8192 floats, the busier of two equal devices moves 0.60 of what one alone would by 8 for each, 0.65 by 4
/// and 0.61 by 16. For that they are not cut so small that a single thread would copy one.
const FOR_EACH: usize = 8;
const LEAST_FOR_EACH: usize = 2 * LEAST_BYTES;

/// How many tiles are on their way at most where the device takes them where they stand: it does one thing at a time, while the
/// next tile is gathered.
const SLOTS: usize = 2;

/// A tile's input and output where the device takes them where they stand.
pub(super) type Slot<T> = (PinnedArray<T>, PinnedArray<T>);

/// What tiles are on their way in: slots where the device takes them where they stand, a conveyor where it does not.
pub(super) struct Ways<T: Sample> {
    pub slots: Vec<Slot<T>>,
    pub conveyor: Option<Conveyor<T>>,
}

/// What is built for some choice of tiles.
pub(super) struct Tiles<T: Sample> {
    pub stages: Vec<PlannedStage<T>>,
    /// Samples of the largest tile.
    pub largest: usize,
    /// How many are on their way at most, on each device.
    most: Vec<usize>,
}

/// A stage, and of each device a plan for every shape of its tiles.
pub(super) struct PlannedStage<T: Sample> {
    pub stage: Stage,
    pub plans: Vec<Vec<Plan<T>>>,
}

impl<T: Sample> PlannedStage<T> {
    fn new(sites: &[Option<&Site>], stage: Stage) -> Result<Self> {
        let plans = sites.iter().map(|site| {
            let Some(site) = site else {
                return Ok(Vec::new());
            };
            let plan = |shape| {
                let part = stage.transform().with_shape(shape);
                Plan::built(site, &part, &Regions::dense(&part), None, None, None)
            };
            stage.shapes().into_iter().map(plan).collect()
        });
        let plans = plans.collect::<Result<_>>()?;
        Ok(PlannedStage { stage, plans })
    }

    pub fn plan_of(&self, device: usize, tile: &Tile) -> &Plan<T> {
        let shape = tile.shape();
        let plan = |plan: &&Plan<T>| plan.transform().shape() == shape;
        let found = self.plans[device].iter().find(plan);
        found.expect("there is a plan for every shape")
    }
}

/// Which tiles of at most so many samples, and what they take on a device.
struct Choice {
    most: usize,
    stages: Vec<Stage>,
    largest: usize,
    /// How many are on their way at most.
    tiles: usize,
    bytes: u64,
}

impl<T: Sample> Tiles<T> {
    /// Builds the plans of tiles that are as large as what is left of the memory of every engine allows; none for devices that are
    /// left out.
    pub fn new(sites: &[Option<&Site>], transform: &Transform) -> Result<Self> {
        let able: Vec<&Site> = sites.iter().copied().flatten().collect();
        let mut choices = choose_for_all::<T>(&able, transform)?;
        let mut tiles = choices.iter().map(|choice| choice.tiles);
        let most = sites
            .iter()
            .map(|site| site.map_or(0, |_| tiles.next().unwrap_or(0)))
            .collect();
        // All are the same.
        let Choice {
            stages, largest, ..
        } = choices.swap_remove(0);
        let stages = stages
            .into_iter()
            .map(|stage| PlannedStage::new(sites, stage));
        Ok(Tiles {
            stages: stages.collect::<Result<_>>()?,
            largest,
            most,
        })
    }

    /// Whether there are plans for all of these devices.
    pub fn serve(&self, sites: &[Option<&Site>]) -> bool {
        let mut both = self.most.iter().zip(sites);
        both.all(|(&most, site)| most > 0 || site.is_none())
    }

    /// Makes what is missing for tiles to be on their way on a device; for fewer, but one at least, where there is no memory for all.
    pub fn fill(&self, device: usize, site: &Site, ways: &mut Ways<T>) -> Result<()> {
        while ways.tiles() < self.most[device] {
            match ways.add_tile(site, self.largest) {
                Err(Error::Memory { .. }) if ways.tiles() > 0 => break,
                added => added?,
            }
        }
        Ok(())
    }
}

impl<T: Sample> Ways<T> {
    fn tiles(&self) -> usize {
        let conveyor = self.conveyor.as_ref();
        conveyor.map_or(self.slots.len(), Conveyor::tiles)
    }

    fn add_tile(&mut self, site: &Site, largest: usize) -> Result<()> {
        let array = || PinnedArray::new(site, largest);
        match &mut self.conveyor {
            Some(conveyor) => conveyor.add_tile(site, largest)?,
            none if is_copied(site) => *none = Some(Conveyor::new(site, largest)?),
            _ => self.slots.push((array()?, array()?)),
        }
        Ok(())
    }
}

impl<T: Sample> Default for Ways<T> {
    fn default() -> Self {
        Ways {
            slots: Vec::new(),
            conveyor: None,
        }
    }
}

/// Whether tiles are copied to arrays on the device, not used where they stand.
fn is_copied(site: &Site) -> bool {
    stands_at(site.shared.device.info()).is_none() || site.copy_threads.is_some()
}

/// The largest tiles for which every device has memory: the same stages for each.
fn choose_for_all<T: Sample>(sites: &[&Site], transform: &Transform) -> Result<Vec<Choice>> {
    let bytes = transform.len() * size_of::<T>();
    let bytes = match sites.len() {
        1 => MOST_BYTES,
        devices => (bytes / (FOR_EACH * devices)).clamp(LEAST_FOR_EACH, MOST_BYTES),
    };
    let mut most = bytes / size_of::<T>();
    loop {
        let choice = |site: &&Site| {
            let is_same = |other: &&&Site| Arc::ptr_eq(&other.shared, &site.shared);
            choose::<T>(site, sites.iter().filter(is_same).count(), transform, most)
        };
        let choices: Vec<Choice> = sites.iter().map(choice).collect::<Result<_>>()?;
        let least = choices.iter().map(|choice| choice.most).min();
        if choices.iter().all(|choice| Some(choice.most) == least) {
            return Ok(choices);
        }
        most = least.unwrap_or(most);
    }
}

/// The largest tiles of at most so many samples for which there is memory, where so many engines have the same.
fn choose<T: Sample>(
    site: &Site,
    engines: usize,
    transform: &Transform,
    most: usize,
) -> Result<Choice> {
    let shared = &site.shared;
    let memory = shared.memory();
    let free = memory.limit.saturating_sub(memory.used) / engines as u64;
    let (tiles, samples): (_, fn(usize, usize) -> usize) = match is_copied(site) {
        true => (conveyor::TILES, Conveyor::<T>::samples),
        false => (SLOTS, |tiles, largest| 2 * tiles * largest),
    };
    let largest_array = shared.device.info().largest_array();
    // Of what the smallest tiles need, and their largest arrays.
    let (mut least, mut least_array) = (None, 0);
    for tiles in [tiles, 1] {
        let mut most = most.min(transform.len());
        // Some transforms have no tiles as small as that.
        while most < transform.len() && stages(transform, T::TYPE, most).is_none() {
            most = transform.len().min(2 * most);
        }
        while let Some(stages) = stages(transform, T::TYPE, most) {
            let choice = Choice::of::<T>(site, most, stages, tiles, samples)?;
            let largest = (choice.largest * size_of::<T>()) as u64;
            if largest > largest_array {
                least_array = largest;
            } else if choice.bytes > free {
                let known = least.unwrap_or(choice.bytes);
                least = Some(choice.bytes.min(known));
            } else {
                return Ok(choice);
            }
            most = choice.largest.min(most) * 3 / 4;
        }
    }
    let (needed, limit, used) = match least {
        Some(needed) => (needed * engines as u64, memory.limit, Some(memory.used)),
        None => (least_array, largest_array, None),
    };
    Err(Error::Memory {
        what: "the transform in the smallest tiles".to_owned(),
        device: shared.device.to_string(),
        needed,
        limit,
        used,
    })
}

impl Choice {
    fn of<T: Sample>(
        site: &Site,
        most: usize,
        stages: Vec<Stage>,
        tiles: usize,
        samples: fn(usize, usize) -> usize,
    ) -> Result<Self> {
        let builder = Builder {
            site,
            wanted: None,
            on_trial: None,
        };
        let (mut largest, mut scratch) = (0, 0);
        for stage in &stages {
            for shape in stage.shapes() {
                let part = stage.transform().with_shape(shape);
                largest = largest.max(part.len());
                let of = |direction| builder.scratch(&Problem::new(&part, T::TYPE, direction));
                let (forward, inverse) = (of(Direction::Forward)?, of(Direction::Inverse)?);
                let both = forward.into_iter().zip(inverse);
                scratch += both.map(|(one, other)| one.max(other)).sum::<usize>();
            }
        }
        let samples = samples(tiles, largest) + scratch;
        Ok(Choice {
            most,
            stages,
            largest,
            tiles,
            bytes: samples as u64 * size_of::<T>() as u64,
        })
    }
}
