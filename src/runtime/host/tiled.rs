//! Transforms between slices of the host that the device cannot hold, tile by tile: `strategy/tiles.rs` says which tiles.
//!
//! A tile is gathered into pinned memory, submitted to an ordinary plan for arrays of its shape as by `Plan::submit`, and what is
//! its own is scattered from there to where it belongs: so a tile goes up while others are computed and come down, and threads
//! copy meanwhile. CPU devices use the gathered tile where it stands. All tiles have the same few shapes, so that there are few
//! plans; slots of pinned memory and arrays on the device are for the largest of them, and of all stages. No command names a
//! slice of the caller's.

use super::array::PinnedArray;
use super::borrowed::stands_at;
use super::pending::Pending;
use super::rows::{Rows, copy_all};
use super::through_ring::host_threads;
use super::transit::Transit;
use crate::error::{Error, Result};
use crate::runtime::builder::Builder;
use crate::runtime::context::Site;
use crate::runtime::lock::lock;
use crate::runtime::plan::Plan;
use crate::strategy::{Cost, Move, Problem, Regions, Stage, Strategy, Tile, stages};
use crate::transform::geometry::View;
use crate::transform::{Region, Transform, zeroed};
use crate::wavelet::{Direction, Sample};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};

/// Bytes of a tile at most: larger ones have less of a halo, but pinned memory takes long to make.
const MOST_BYTES: usize = 128 << 20;

/// How many tiles are on their way at most: one goes up, one is computed, one comes down. A CPU device does one thing at a time,
/// while the next tile is gathered.
const MOST_SLOTS: usize = 3;
const CPU_SLOTS: usize = 2;

/// A tile's input and output.
type Slot<T> = (PinnedArray<T>, PinnedArray<T>);

/// A transform in tiles.
pub(in crate::runtime) struct Tiled<T: Sample> {
    transform: Transform,
    site: Site,
    /// None where there was no memory for others.
    tiles: Mutex<Option<Arc<Tiles<T>>>>,
    /// Made with the first call; calls take turns.
    slots: Mutex<Vec<Slot<T>>>,
}

/// What is built for some choice of tiles.
struct Tiles<T: Sample> {
    stages: Vec<(Stage, Vec<Plan<T>>)>,
    transit: Arc<Transit<T>>,
    /// Samples of the largest tile.
    largest: usize,
    /// Slots.
    most: usize,
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
    fn new(site: &Site, transform: &Transform) -> Result<Self> {
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
            Ok((stage, plans))
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
    fn fill(&self, site: &Site, slots: &mut Vec<Slot<T>>) -> Result<()> {
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

impl<T: Sample> Tiled<T> {
    /// Builds the plans. Tiles are as large as what is left of the engine's memory allows.
    ///
    /// # Errors
    /// `Error::Memory`, with what the smallest tiles need, where that is not left; those of `Engine::plan`.
    pub fn new(site: &Site, transform: &Transform) -> Result<Self> {
        let tiles = Tiles::new(site, transform)?;
        Ok(Tiled {
            transform: transform.clone(),
            site: site.clone(),
            tiles: Mutex::new(Some(Arc::new(tiles))),
            slots: Mutex::default(),
        })
    }

    /// Transforms a slice into another one, both of the transform's length.
    pub fn go(&self, direction: Direction, input: &[T], output: &mut [T]) -> Result<()> {
        let mut slots = lock(&self.slots);
        let tiles = self.with_slots(&mut slots)?;
        match direction {
            Direction::Forward => self.forward(&tiles, &mut slots, input, output),
            Direction::Inverse => self.inverse(&tiles, &mut slots, input, output),
        }
    }

    fn tiles(&self) -> Option<Arc<Tiles<T>>> {
        lock(&self.tiles).clone()
    }

    /// The tiles, with slots for them: others where the memory that was left for these is not there any more.
    fn with_slots(&self, slots: &mut Vec<Slot<T>>) -> Result<Arc<Tiles<T>>> {
        if let Some(tiles) = self.tiles() {
            match tiles.fill(&self.site, slots) {
                Err(error @ Error::Memory { .. }) => {
                    let device = &self.site.shared.device;
                    log::warn!("tiles are chosen anew on {device}: {error}");
                }
                filled => return filled.map(|()| tiles),
            }
        }
        // First, for what its plans have on the device.
        *lock(&self.tiles) = None;
        let tiles = Arc::new(Tiles::new(&self.site, &self.transform)?);
        tiles.fill(&self.site, slots)?;
        Ok(lock(&self.tiles).insert(tiles).clone())
    }

    fn forward(
        &self,
        tiles: &Tiles<T>,
        slots: &mut Vec<Slot<T>>,
        input: &[T],
        output: &mut [T],
    ) -> Result<()> {
        let mut low: Option<Vec<T>> = None;
        for (number, (stage, _)) in tiles.stages.iter().enumerate() {
            let from = low.as_deref().unwrap_or(input);
            let mut next = (!stage.is_last()).then(|| low_of(stage)).transpose()?;
            let place = self.place(tiles, number);
            let dense = Region::dense(stage.transform().shape());
            let of_low = next.is_some().then(|| Region::dense(stage.low()));
            // SAFETY: output and next are borrowed for writing.
            unsafe {
                self.pass(
                    slots,
                    (tiles, number, Direction::Forward),
                    [Rows::of(from), Rows::of(&[])],
                    [
                        Rows::of_mut(output),
                        Rows::of_mut(next.as_deref_mut().unwrap_or_default()),
                    ],
                    |tile, is_source| match is_source {
                        true => tile.samples(&dense, true),
                        false => tile.coefficients(&place, of_low.as_ref(), false),
                    },
                )?
            };
            low = next;
        }
        Ok(())
    }

    fn inverse(
        &self,
        tiles: &Tiles<T>,
        slots: &mut Vec<Slot<T>>,
        input: &[T],
        output: &mut [T],
    ) -> Result<()> {
        let mut low: Option<Vec<T>> = None;
        for (number, (stage, _)) in tiles.stages.iter().enumerate().rev() {
            let mut next = match number.checked_sub(1) {
                Some(finer) => Some(low_of(&tiles.stages[finer].0)?),
                None => None,
            };
            let place = self.place(tiles, number);
            let dense = Region::dense(stage.transform().shape());
            let of_low = low.is_some().then(|| Region::dense(stage.low()));
            // SAFETY: as above.
            unsafe {
                self.pass(
                    slots,
                    (tiles, number, Direction::Inverse),
                    [
                        Rows::of(input),
                        Rows::of(low.as_deref().unwrap_or_default()),
                    ],
                    [
                        Rows::of_mut(next.as_deref_mut().unwrap_or(&mut *output)),
                        Rows::of_mut(&mut []),
                    ],
                    |tile, is_source| match is_source {
                        true => tile.coefficients(&place, of_low.as_ref(), true),
                        false => tile.samples(&dense, false),
                    },
                )?
            };
            low = next;
        }
        Ok(())
    }

    /// Where the coefficients of a stage stand among all.
    fn place(&self, tiles: &Tiles<T>, number: usize) -> Region {
        let done = tiles.stages[..number]
            .iter()
            .map(|(stage, _)| stage.transform().level_count());
        let all = Region::dense(self.transform.shape());
        let view = View::of_level(&self.transform, &all, done.sum::<u32>() + 1);
        Region::dense(view.shape).with_strides(view.strides)
    }

    /// All tiles of a stage, from arrays to arrays: the second of each is that of the low band.
    ///
    /// # Safety
    /// What is written is by `Rows::of_mut`, and nothing else uses it meanwhile.
    unsafe fn pass(
        &self,
        slots: &mut Vec<Slot<T>>,
        (tiles, number, direction): (&Tiles<T>, usize, Direction),
        from: [Rows<T>; 2],
        to: [Rows<T>; 2],
        moves: impl Fn(&Tile, bool) -> Result<Vec<Move>>,
    ) -> Result<()> {
        let threads = host_threads(&self.site, tiles.largest * size_of::<T>());
        let (stage, plans) = &tiles.stages[number];
        let mut flying: VecDeque<(Tile, Pending<T>)> = VecDeque::new();
        let land = |(tile, pending): (Tile, Pending<T>)| -> Result<Slot<T>> {
            let (input, mut output) = pending.wait()?;
            let own = moves(&tile, false)?;
            // SAFETY: `to` may be written, and nothing else uses it; tiles have nothing of their own in common.
            unsafe { copy_all(&own, to, Rows::of_mut(&mut output), false, threads)? };
            Ok((input, output))
        };
        let mut tiles = stage.tiles();
        loop {
            let tile = tiles.next();
            if (tile.is_none() || slots.is_empty())
                && let Some(oldest) = flying.pop_front()
            {
                slots.push(land(oldest)?);
            }
            let Some(tile) = tile else {
                match flying.is_empty() {
                    true => return Ok(()),
                    false => continue,
                }
            };
            let Some((mut input, output)) = slots.pop() else {
                unreachable!("there is a slot for every tile on its way");
            };
            let all = moves(&tile, true)?;
            // SAFETY: the slot is this tile's alone, within which each sample has a place of its own.
            unsafe { copy_all(&all, from, Rows::of_mut(&mut input), true, threads)? };
            let shape = tile.shape();
            let plan = plans.iter().find(|plan| plan.transform().shape() == shape);
            let plan = plan.expect("there is a plan for every shape");
            flying.push_back((tile, plan.submit_part(direction, input, output)?));
        }
    }

    /// The strategy of the first pass, forward, and all.
    pub fn strategies(&self) -> Vec<Strategy> {
        let tiles = self.tiles();
        let stages = tiles.iter().flat_map(|tiles| &tiles.stages);
        let plans = stages.flat_map(|(_, plans)| plans.first());
        let mut all: Vec<Strategy> = plans.flat_map(|plan| plan.strategies().to_vec()).collect();
        all.dedup();
        all
    }

    pub fn scratch_bytes(&self) -> u64 {
        let tiles = self.tiles();
        let stages = tiles.iter().flat_map(|tiles| &tiles.stages);
        stages
            .flat_map(|(_, plans)| plans)
            .map(Plan::scratch_bytes)
            .sum()
    }

    pub fn cost(&self, direction: Direction) -> Cost {
        let of_tile = |plans: &[Plan<T>], tile: Tile| {
            let shape = tile.shape();
            let plan = plans.iter().find(|plan| plan.transform().shape() == shape);
            plan.map(|plan| plan.cost(direction))
        };
        let of_stage = |(stage, plans): &(Stage, Vec<Plan<T>>)| -> Cost {
            stage.tiles().filter_map(|tile| of_tile(plans, tile)).sum()
        };
        let tiles = self.tiles();
        let stages = tiles.iter().flat_map(|tiles| &tiles.stages);
        stages.map(of_stage).sum()
    }
}

fn low_of<T: Sample>(stage: &Stage) -> Result<Vec<T>> {
    zeroed("the low bands", stage.low().iter().product())
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

impl<T: Sample> fmt::Debug for Tiled<T> {
    /// A line for every stage, and the plans of its tiles.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tiles = self.tiles();
        for (stage, plans) in tiles.iter().flat_map(|tiles| &tiles.stages) {
            let (count, levels) = (stage.count(), stage.transform().level_count());
            let shape = stage.transform().shape();
            write!(f, "\n{levels} levels of {shape:?} in {count} tiles, by")?;
            for plan in plans {
                write!(f, "\n{plan:?}")?;
            }
        }
        Ok(())
    }
}
