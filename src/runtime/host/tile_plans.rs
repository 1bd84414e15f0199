//! Which tiles an engine's memory allows, the plans for them, and the slots in which they are on their way.
//!
//! All tiles of a stage have the same few shapes, so that there are few plans; slots of pinned memory and arrays on the device are
//! for the largest tile of all stages.

use super::array::PinnedArray;
use super::borrowed::stands_at;
use super::transit::Transit;
use crate::error::{Error, Result};
use crate::runtime::builder::Builder;
use crate::runtime::context::Site;
use crate::runtime::plan::Plan;
use crate::strategy::{Problem, Regions, Stage, Tile, stages};
use crate::transform::Transform;
use crate::wavelet::{Direction, Sample};
use std::sync::Arc;

/// Bytes of a tile at most: larger ones have less of a halo, but pinned memory takes long to make.
const MOST_BYTES: usize = 128 << 20;

/// How many tiles are on their way at most: one goes up, one is computed, one comes down. A CPU device does one thing at a time,
/// while the next tile is gathered.
const MOST_SLOTS: usize = 3;
const CPU_SLOTS: usize = 2;

/// A tile's input and output.
pub(super) type Slot<T> = (PinnedArray<T>, PinnedArray<T>);

/// What is built for some choice of tiles.
pub(super) struct Tiles<T: Sample> {
    pub stages: Vec<PlannedStage<T>>,
    transit: Arc<Transit<T>>,
    /// Samples of the largest tile.
    pub largest: usize,
    /// Slots.
    most: usize,
}

/// A stage, and a plan for every shape of its tiles.
pub(super) struct PlannedStage<T: Sample> {
    pub stage: Stage,
    pub plans: Vec<Plan<T>>,
}

impl<T: Sample> PlannedStage<T> {
    pub fn plan_of(&self, tile: &Tile) -> &Plan<T> {
        let shape = tile.shape();
        let plan = |plan: &&Plan<T>| plan.transform().shape() == shape;
        let found = self.plans.iter().find(plan);
        found.expect("there is a plan for every shape")
    }
}

/// Which tiles, and what they take.
struct Choice {
    stages: Vec<Stage>,
    largest: usize,
    slots: usize,
    bytes: u64,
}

impl<T: Sample> Tiles<T> {
    /// Builds the plans of tiles that are as large as what is left of the engine's memory allows.
    pub fn new(site: &Site, transform: &Transform) -> Result<Self> {
        let choice = choose::<T>(site, transform)?;
        let transit = Transit::of_tiles(choice.slots, choice.largest);
        let with_plans = |stage: Stage| {
            let plan = |shape| {
                let part = stage.transform().with_shape(shape);
                let mut plan = Plan::built(site, &part, &Regions::dense(&part), None, None, None)?;
                plan.transit = transit.clone();
                Ok(plan)
            };
            let plans = stage
                .shapes()
                .into_iter()
                .map(plan)
                .collect::<Result<_>>()?;
            Ok(PlannedStage { stage, plans })
        };
        let stages = choice.stages.into_iter().map(with_plans);
        Ok(Tiles {
            stages: stages.collect::<Result<_>>()?,
            transit,
            largest: choice.largest,
            most: choice.slots,
        })
    }

    /// Makes the slots that are missing, with their arrays on the device; fewer, but one at least, where there is no memory for all.
    pub fn fill(&self, site: &Site, slots: &mut Vec<Slot<T>>) -> Result<()> {
        while slots.len() < self.most {
            let array = || PinnedArray::new(site, self.largest);
            let slot = || {
                let slot = (array()?, array()?);
                if is_copied(site) {
                    self.transit.prepare(site, slots.len() + 1)?;
                }
                Ok(slot)
            };
            match slot() {
                Ok(slot) => slots.push(slot),
                Err(Error::Memory { .. }) if !slots.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Whether tiles are copied to arrays on the device, not used where they stand.
fn is_copied(site: &Site) -> bool {
    stands_at(site.shared.device.info()).is_none() || site.copy_threads.is_some()
}

/// The largest tiles for which there is memory.
fn choose<T: Sample>(site: &Site, transform: &Transform) -> Result<Choice> {
    let shared = &site.shared;
    let memory = shared.memory();
    let free = memory.limit.saturating_sub(memory.used);
    let (arrays, slots) = if is_copied(site) {
        (4, MOST_SLOTS)
    } else {
        (2, CPU_SLOTS)
    };
    let largest_array = shared.device.info().largest_array();
    // Of what the smallest tiles need, and their largest arrays.
    let (mut least, mut least_array) = (None, 0);
    for slots in [slots, 1] {
        let mut most = (MOST_BYTES / size_of::<T>()).min(transform.len());
        // Some transforms have no tiles as small as that.
        while most < transform.len() && stages(transform, T::TYPE, most).is_none() {
            most = transform.len().min(2 * most);
        }
        while let Some(stages) = stages(transform, T::TYPE, most) {
            let choice = Choice::of::<T>(site, stages, slots, arrays)?;
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
        Some(needed) => (needed, memory.limit, Some(memory.used)),
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
    fn of<T: Sample>(site: &Site, stages: Vec<Stage>, slots: usize, arrays: usize) -> Result<Self> {
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
        let samples = slots * arrays * largest + scratch;
        Ok(Choice {
            stages,
            largest,
            slots,
            bytes: samples as u64 * size_of::<T>() as u64,
        })
    }
}
