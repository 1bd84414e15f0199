//! Transforms between arrays that the device cannot hold, in slices or in files, tile by tile: `strategy/tiles.rs` says which tiles.
//!
//! A tile is gathered, computed by an ordinary plan for arrays of its shape, and what is its own is scattered to where it belongs.
//! CPU devices use the gathered tile where it stands, as by `Plan::submit`, and threads copy others meanwhile: that is here. To
//! devices that have memory of their own tiles go in pieces: that is in `conveyor.rs`. No command names a slice of the caller's.

use super::crew::{Copying, Crew, Moves};
#[cfg(doc)]
use super::file::{SinkFile, SourceFile};
use super::pending::Pending;
use super::rows::Rows;
use super::store::{Owned, Sink, Source, Store};
use super::through_ring::host_threads;
use super::tile_plans::{PlannedStage, Slot, Tiles, Ways};
use crate::error::{Error, Result};
use crate::runtime::context::Site;
use crate::runtime::engine::Engine;
use crate::runtime::lock::lock;
use crate::runtime::plan::{Plan, check_length};
use crate::strategy::{Cost, Strategy, Tile};
use crate::transform::geometry::View;
use crate::transform::{Region, Transform};
use crate::wavelet::{Direction, Sample};
use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::thread;

/// A transform in tiles, in both directions, between arrays that need not fit the device, nor the memory of the host where they are
/// files: by [`Engine::plan_in_tiles`].
///
/// Tiles are as large as what is left of the engine's memory allows, up to 128 MiB, each with its neighbours' samples as far as
/// results depend on them; integers are those of the transform as a whole bit for bit. Calls from several threads take turns.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use wavelift::{DeviceSelector, Engine, SinkFile, SourceFile, Transform, Wavelet};
///
/// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?.with_memory_limit(1 << 30)?;
/// let transform = Transform::new(Wavelet::CDF_9_7, [65536, 49152]).levels(5);
/// let plan = engine.plan_in_tiles::<f32>(&transform)?;
/// let samples = SourceFile::open("samples.raw", 0, transform.len())?; // 12 GiB
/// let mut coefficients = SinkFile::create("coefficients.raw", &[], transform.len())?;
/// plan.forward(&samples, &mut coefficients, |progress| {
///     eprintln!("{} of {}", progress.done, progress.total);
///     ControlFlow::Continue(())
/// })?;
/// coefficients.finish()?;
/// # Ok::<(), wavelift::Error>(())
/// ```
pub struct TiledPlan<T: Sample> {
    transform: Transform,
    site: Site,
    /// None where there was no memory for others.
    tiles: Mutex<Option<Arc<Tiles<T>>>>,
    /// Made with the first call; calls take turns.
    ways: Mutex<Ways<T>>,
}

/// How much of a transform in tiles is done. Samples count once for every stage, which is some levels, that has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Samples of the tiles that are done.
    pub done: u64,
    /// Samples of all tiles.
    pub total: u64,
}

/// What a caller is told after every tile, and whether it goes on.
type Tell<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// The tiles that are on their way: what is here must outlive the threads that copy.
struct Traffic<'t, 'a, T: Sample> {
    /// Those that nothing uses.
    slots: &'t mut Vec<Slot<T>>,
    gathering: Option<Slot<T>>,
    flying: VecDeque<(Tile<'t>, Pending<T>)>,
    scattering: VecDeque<(Arc<Copying<'a, T>>, Slot<T>)>,
}

/// A stage and its arrays: the second of each two is that of the low band.
pub(super) struct Pass<'t, 'a, T: Sample> {
    pub stage: &'t PlannedStage<T>,
    pub direction: Direction,
    pub from: [Store<'a, T>; 2],
    pub to: [Store<'a, T>; 2],
    /// Where the coefficients stand in theirs.
    place: Region,
}

impl<T: Sample> TiledPlan<T> {
    /// Builds the plans. Tiles are as large as what is left of the engine's memory allows.
    ///
    /// # Errors
    /// `Error::Memory`, with what the smallest tiles need, where that is not left; those of `Engine::plan`.
    pub(in crate::runtime) fn new(site: &Site, transform: &Transform) -> Result<Self> {
        let tiles = Tiles::new(site, transform)?;
        Ok(TiledPlan {
            transform: transform.clone(),
            site: site.clone(),
            tiles: Mutex::new(Some(Arc::new(tiles))),
            ways: Mutex::default(),
        })
    }

    /// The transform that this plan computes.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// Transforms samples (row-major, of the transform's shape) into coefficients, in its layout: from a slice or a
    /// [`SourceFile`] to a slice or a [`SinkFile`].
    ///
    /// The low band between two stages stands beside the coefficients: in memory, or in a file that is removed. `progress` is
    /// called now and then, by this thread, and stops the transform by [`ControlFlow::Break`]. It must not use this plan.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::File`]; [`Error::Cancelled`]; [`Error::Memory`] where there is too little of the engine's
    /// memory left even for the smallest tiles; [`Error::HostMemory`]; [`Error::OpenCl`]. The coefficients are any then.
    pub fn forward<'a>(
        &self,
        samples: impl Into<Source<'a, T>>,
        coefficients: impl Into<Sink<'a, T>>,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<()> {
        let (from, to) = (samples.into(), coefficients.into());
        self.go(Direction::Forward, from, to, &mut progress)
    }

    /// Transforms coefficients back into samples, as [`forward`](Self::forward) does samples into coefficients.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn inverse<'a>(
        &self,
        coefficients: impl Into<Source<'a, T>>,
        samples: impl Into<Sink<'a, T>>,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<()> {
        let (from, to) = (coefficients.into(), samples.into());
        self.go(Direction::Inverse, from, to, &mut progress)
    }

    /// Transforms a slice into another one.
    pub(in crate::runtime) fn between_slices(
        &self,
        direction: Direction,
        input: &[T],
        output: &mut [T],
    ) -> Result<()> {
        let go_on = &mut |_| ControlFlow::Continue(());
        self.go(direction, input.into(), output.into(), go_on)
    }

    fn go(&self, direction: Direction, from: Source<T>, to: Sink<T>, tell: Tell) -> Result<()> {
        check_length("the input", from.len(), self.transform.len())?;
        check_length("the output", to.len(), self.transform.len())?;
        let mut ways = lock(&self.ways);
        let tiles = self.with_ways(&mut ways)?;
        let last = tiles.stages.len() - 1;
        let low =
            |one: &PlannedStage<T>| to.another("the low bands", one.stage.low().iter().product());
        let lows = tiles.stages[..last].iter().map(low);
        let mut lows: Vec<Owned<T>> = lows.collect::<Result<_>>()?;
        let lows = lows.iter_mut().map(|low| Store::of_mut(low.as_sink()));
        let lows: Vec<Store<T>> = lows.collect();
        let (from, to) = (Store::of(from), Store::of_mut(to));
        let (samples, coefficients) = match direction {
            Direction::Forward => (from, to),
            Direction::Inverse => (to, from),
        };
        let none = Store::Slice(Rows::of(&[]));
        let pass = |number: usize| {
            let finer = number.checked_sub(1).map(|finer| lows[finer]);
            let signal = [finer.unwrap_or(samples), none];
            let bands = [coefficients, lows.get(number).copied().unwrap_or(none)];
            let (from, to) = match direction {
                Direction::Forward => (signal, bands),
                Direction::Inverse => (bands, signal),
            };
            Pass {
                stage: &tiles.stages[number],
                direction,
                from,
                to,
                place: self.place(&tiles, number),
            }
        };
        let mut passes: Vec<Pass<T>> = (0..=last).map(pass).collect();
        if direction == Direction::Inverse {
            passes.reverse();
        }
        let total = passes.iter().map(Pass::samples).sum();
        let mut progress = Progress { done: 0, total };
        let threads = host_threads(&self.site, tiles.largest * size_of::<T>());
        let crew = Crew::new();
        let Ways { slots, conveyor } = &mut *ways;
        let mut traffic = Traffic::new(slots);
        thread::scope(|scope| {
            // Where this thread makes calls all the time, others copy.
            let others = threads - usize::from(conveyor.is_none());
            let _over = crew.start(scope, others);
            for pass in &passes {
                let before = progress.done;
                let tell = |tiles| {
                    let of = pass.stage.stage.count() as u64;
                    progress.done = before + pass.samples() * tiles / of;
                    match tell(progress) {
                        ControlFlow::Continue(()) => Ok(()),
                        ControlFlow::Break(()) => Err(Error::Cancelled {
                            what: "the transform",
                        }),
                    }
                };
                match conveyor {
                    Some(conveyor) => conveyor.carry(&crew, pass, tell)?,
                    None => traffic.carry(&crew, pass, tell)?,
                }
            }
            Ok(())
        })
    }

    fn tiles(&self) -> Option<Arc<Tiles<T>>> {
        lock(&self.tiles).clone()
    }

    /// The tiles, with ways for them: others where the memory that was left for these is not there any more.
    fn with_ways(&self, ways: &mut Ways<T>) -> Result<Arc<Tiles<T>>> {
        if let Some(tiles) = self.tiles() {
            match tiles.fill(&self.site, ways) {
                Err(error @ Error::Memory { .. }) => {
                    let device = &self.site.shared.device;
                    log::warn!("tiles are chosen anew on {device}: {error}");
                }
                filled => return filled.map(|()| tiles),
            }
        }
        // First, for what its plans have on the device. Ways may be left for smaller tiles, which were chosen while there was less
        // memory and did not come about.
        *lock(&self.tiles) = None;
        *ways = Ways::default();
        let tiles = Arc::new(Tiles::new(&self.site, &self.transform)?);
        tiles.fill(&self.site, ways)?;
        Ok(lock(&self.tiles).insert(tiles).clone())
    }

    /// Where the coefficients of a stage stand among all.
    fn place(&self, tiles: &Tiles<T>, number: usize) -> Region {
        let done = tiles.stages[..number]
            .iter()
            .map(|one| one.stage.transform().level_count());
        let all = Region::dense(self.transform.shape());
        let view = View::of_level(&self.transform, &all, done.sum::<u32>() + 1);
        Region::dense(view.shape).with_strides(view.strides)
    }

    /// The strategies of the forward transform's passes, stage by stage, of one shape of tiles.
    pub(in crate::runtime) fn strategies(&self) -> Vec<Strategy> {
        let mut all = Vec::new();
        if let Some(tiles) = self.tiles() {
            let plans = tiles.stages.iter().flat_map(|one| one.plans.first());
            all.extend(plans.flat_map(|plan| plan.strategies().to_vec()));
        }
        all.dedup();
        all
    }

    /// How many bytes of device memory the plans of tiles have for intermediate results.
    pub(in crate::runtime) fn scratch_bytes(&self) -> u64 {
        let of = |tiles: &Tiles<T>| {
            let plans = tiles.stages.iter().flat_map(|one| &one.plans);
            plans.map(Plan::scratch_bytes).sum()
        };
        self.tiles().map_or(0, |tiles| of(&tiles))
    }

    /// What the transform costs in one direction, all tiles together.
    pub(in crate::runtime) fn cost(&self, direction: Direction) -> Cost {
        let of = |one: &PlannedStage<T>| -> Cost {
            let tiles = one.stage.tiles();
            tiles.map(|tile| one.plan_of(&tile).cost(direction)).sum()
        };
        let tiles = self.tiles();
        tiles.iter().flat_map(|tiles| &tiles.stages).map(of).sum()
    }
}

impl<'a, T: Sample> Pass<'_, 'a, T> {
    fn samples(&self) -> u64 {
        self.stage.stage.transform().len() as u64
    }

    /// What moves of a tile, to the device or back.
    pub fn moves(&self, tile: &Tile, is_source: bool) -> Result<Arc<Moves<'a, T>>> {
        let stage = &self.stage.stage;
        let moves = if (self.direction == Direction::Forward) == is_source {
            tile.samples(&Region::dense(stage.transform().shape()), is_source)?
        } else {
            let low = (!stage.is_last()).then(|| Region::dense(stage.low()));
            tile.coefficients(&self.place, low.as_ref(), is_source)?
        };
        let arrays = if is_source { self.from } else { self.to };
        Moves::new(&moves, arrays, tile.shape().iter().product())
    }
}

impl<'t, 'a, T: Sample> Traffic<'t, 'a, T> {
    fn new(slots: &'t mut Vec<Slot<T>>) -> Self {
        Traffic {
            slots,
            gathering: None,
            flying: VecDeque::new(),
            scattering: VecDeque::new(),
        }
    }

    /// Takes all tiles of a stage from arrays to arrays, and says after each how many are done.
    fn carry(
        &mut self,
        crew: &Crew<'a, T>,
        pass: &Pass<'t, 'a, T>,
        mut tell: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let mut tiles = pass.stage.stage.tiles();
        let mut done = 0;
        loop {
            let tile = tiles.next();
            while tile.is_none() || self.slots.is_empty() {
                if !self.scattering.is_empty() {
                    self.settle()?;
                    done += 1;
                    tell(done)?;
                } else if !self.land(crew, pass)? {
                    return Ok(());
                }
            }
            let Some(tile) = tile else {
                unreachable!("the last tile has landed");
            };
            let gathering = self.gather(crew, pass, &tile)?;
            // Meanwhile the device has another one.
            while self.flying.len() > 1 {
                self.land(crew, pass)?;
            }
            gathering.wait()?;
            if let Some((input, output)) = self.gathering.take() {
                let plan = pass.stage.plan_of(&tile);
                let pending = plan.submit_part(pass.direction, input, output)?;
                self.flying.push_back((tile, pending));
            }
        }
    }

    /// Has a tile gathered into a slot that nothing uses.
    fn gather(
        &mut self,
        crew: &Crew<'a, T>,
        pass: &Pass<'t, 'a, T>,
        tile: &Tile,
    ) -> Result<Arc<Copying<'a, T>>> {
        self.gathering = self.slots.pop();
        let Some((input, _)) = &self.gathering else {
            unreachable!("there is a slot that nothing uses");
        };
        let moves = pass.moves(tile, true)?;
        assert!(moves.tile <= input.len(), "slots have the largest tile");
        // SAFETY: the slot has so many samples, is this tile's alone, within which each sample has a place of its own, and outlives
        // the threads.
        let copying = unsafe {
            let rows = Rows::over(input.start().cast(), moves.tile);
            Copying::new(&moves, 0..moves.tile, rows, true)
        };
        crew.post(&copying);
        Ok(copying)
    }

    /// Waits for the oldest tile on the device, and has it scattered; false where there is none.
    fn land(&mut self, crew: &Crew<'a, T>, pass: &Pass<'t, 'a, T>) -> Result<bool> {
        let Some((tile, pending)) = self.flying.pop_front() else {
            return Ok(false);
        };
        let (input, output) = pending.wait()?;
        let moves = pass.moves(&tile, false)?;
        assert!(moves.tile <= output.len(), "slots have the largest tile");
        // SAFETY: the slot has so many samples, is this tile's alone, and outlives the threads. What it goes to is borrowed for
        // writing, and nothing else uses it in this stage; tiles have nothing of their own in common.
        let copying = unsafe {
            let rows = Rows::over(output.start().cast(), moves.tile);
            Copying::new(&moves, 0..moves.tile, rows, false)
        };
        crew.post(&copying);
        self.scattering.push_back((copying, (input, output)));
        Ok(true)
    }

    /// Waits until the oldest tile that is scattered is where it belongs: its slot is free then.
    fn settle(&mut self) -> Result<()> {
        if let Some((copying, _)) = self.scattering.front() {
            copying.wait()?;
        }
        let settled = self.scattering.pop_front();
        self.slots.extend(settled.map(|(_, slot)| slot));
        Ok(())
    }
}

impl Engine {
    /// Builds a plan of `transform` for samples of type `T`, in both directions, that goes in tiles whether the device can hold the
    /// arrays or not: for files, and for slices where the device's memory is for others.
    ///
    /// # Errors
    /// As [`Engine::plan`].
    pub fn plan_in_tiles<T: Sample>(&self, transform: &Transform) -> Result<TiledPlan<T>> {
        transform.check()?;
        T::TYPE.check(transform.wavelet())?;
        TiledPlan::new(&self.site, transform)
    }
}

impl<T: Sample> fmt::Debug for TiledPlan<T> {
    /// A line for every stage, and the plans of its tiles.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tiles = self.tiles();
        for PlannedStage { stage, plans } in tiles.iter().flat_map(|tiles| &tiles.stages) {
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
