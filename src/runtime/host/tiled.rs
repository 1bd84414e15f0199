//! Transforms between arrays that the device cannot hold, in slices or in files, tile by tile:
//! `strategy/tiles.rs` says which tiles.
//!
//! A tile is gathered, computed by an ordinary plan for arrays of its shape, and what is its own is
//! scattered to where it belongs. CPU devices use the gathered tile where it stands: `traffic.rs`.
//! To devices that have memory of their own tiles go in pieces: `conveyor/`. Several devices take
//! tiles of the same stage: `members.rs`. No command names a slice of the caller's.

#[cfg(doc)]
use super::file::{SinkFile, SourceFile};
use super::members::Members;
use super::pile::Pile;
use super::shared_slice::SharedSlice;
use super::store::{Owned, Sink, Source, Store};
use super::sweep::Sweep;
use super::tile_plans::{PlannedStage, Tiles};
use crate::error::{Error, Result, check_length};
use crate::runtime::context::Site;
use crate::runtime::engine::Engine;
use crate::runtime::lock::{Turns, lock};
use crate::runtime::plan::Plan;
use crate::strategy::{Cost, Strategy};
use crate::transform::geometry::View;
use crate::transform::{Region, Transform};
use crate::wavelet::{Direction, Sample};
use std::fmt;
use std::ops::ControlFlow;
use std::slice;
use std::sync::{Arc, Mutex};

/// A transform in tiles, in both directions, between arrays that need not fit the device, nor the
/// memory of the host where they are files: by [`Engine::plan_in_tiles`], or by the devices of a
/// group, with `EngineGroup::plan_in_tiles`.
///
/// Tiles are as large as what is left of the engine's memory allows, up to 128 MiB, each with its
/// neighbours' samples as far as results depend on them; integers are those of the transform as a
/// whole bit for bit. Calls from several threads take turns.
///
/// The devices of a group take tiles from one pile, as fast as each is, or in fixed shares. A
/// device that fails is left out from then on, with a warning, and others do its tiles; where all
/// have failed the first error is returned, and the next call tries all.
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
    /// Of each device.
    sites: Vec<Site>,
    /// In which proportions devices have tiles, where that is fixed.
    shares: Option<Vec<u32>>,
    /// None where there was no memory for others.
    tiles: Mutex<Option<Arc<Tiles<T>>>>,
    /// What they have is made with the first call; calls take turns.
    members: Turns<Members<T>>,
}

/// How much of a transform in tiles is done. Samples count once for every stage, which is
/// some levels, that has them.
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

impl<T: Sample> TiledPlan<T> {
    /// Builds the plans. Tiles are as large as what is left of the engine's memory allows.
    ///
    /// # Errors
    /// `Error::Memory`, with what the smallest tiles need, where that is not left;
    /// those of `Engine::plan`.
    pub(in crate::runtime) fn new(site: &Site, transform: &Transform) -> Result<Self> {
        TiledPlan::of(vec![site.clone()], None, transform)
    }

    /// The same for several engines, whose devices take tiles in these
    /// proportions where they are fixed.
    pub(crate) fn of_engines(
        engines: &[Engine],
        shares: Option<&[u32]>,
        transform: &Transform,
    ) -> Result<Self> {
        transform.check()?;
        T::TYPE.check(transform.wavelet())?;
        let share = |device: usize| shares.map_or(1, |shares| shares[device]);
        let used = |device: &usize| share(*device) > 0;
        let devices: Vec<usize> = (0..engines.len()).filter(used).collect();
        let sites = devices.iter().map(|&device| engines[device].site.clone());
        let fixed: Vec<u32> = devices.iter().map(|&device| share(device)).collect();
        TiledPlan::of(sites.collect(), shares.and(Some(&fixed)), transform)
    }

    fn of(sites: Vec<Site>, shares: Option<&[u32]>, transform: &Transform) -> Result<Self> {
        let all: Vec<Option<&Site>> = sites.iter().map(Some).collect();
        let tiles = Tiles::new(&all, transform)?;
        Ok(TiledPlan {
            transform: transform.clone(),
            members: Turns::new(Members::new(&sites)),
            sites,
            shares: shares.map(<[u32]>::to_vec),
            tiles: Mutex::new(Some(Arc::new(tiles))),
        })
    }

    /// The transform that this plan computes.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// Transforms samples (row-major, of the transform's shape) into coefficients, in its layout:
    /// from a slice or a [`SourceFile`] to a slice or a [`SinkFile`].
    ///
    /// The low band between two stages stands beside the coefficients: in memory, or in a file that
    /// is removed. `progress` is called now and then, by this thread, and stops the transform by
    /// [`ControlFlow::Break`]. It cannot use this plan.
    ///
    /// # Errors
    /// [`Error::Length`] where samples or coefficients are not as many as those of the transform;
    /// [`Error::File`] where a file cannot be read or written; [`Error::Cancelled`] where
    /// `progress` said so; [`Error::Memory`] where an engine has too little memory left even for
    /// the smallest tiles; [`Error::HostMemory`] where the host has too little for the low band
    /// between two stages; [`Error::OpenCl`] where a copy or a kernel fails, of a group on every
    /// device. The coefficients may then have any values. [`Error::Busy`] where `progress` calls
    /// the plan that called it.
    pub fn forward<'a>(
        &self,
        samples: impl Into<Source<'a, T>>,
        coefficients: impl Into<Sink<'a, T>>,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<()> {
        let (from, to) = (samples.into(), coefficients.into());
        self.go(Direction::Forward, from, to, &mut progress)
    }

    /// Transforms coefficients back into samples, as [`forward`](Self::forward) does
    /// samples into coefficients.
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

    fn go(&self, direction: Direction, from: Source<T>, mut to: Sink<T>, tell: Tell) -> Result<()> {
        check_length("the input", from.len(), self.transform.len())?;
        check_length("the output", to.len(), self.transform.len())?;
        let mut turn = self.members.take().ok_or(Error::Busy {
            what: "a plan in tiles whose own call this thread is in",
            most: 1,
        })?;
        let members = &mut *turn.guarded;
        members.begin();
        let tiles = self.with_carriers(members)?;
        let last = tiles.stages.len() - 1;
        let low =
            |one: &PlannedStage<T>| to.another("the low bands", one.stage.low().iter().product());
        let lows = tiles.stages[..last].iter().map(low);
        let mut lows: Vec<Owned<T>> = lows.collect::<Result<_>>()?;
        to.set_torn(true);
        self.sweep(
            direction,
            &tiles,
            members,
            (from, to.lend()),
            &mut lows,
            tell,
        )?;
        to.set_torn(false);
        Ok(())
    }

    /// All stages, one after the other, with the low bands between them.
    fn sweep(
        &self,
        direction: Direction,
        tiles: &Tiles<T>,
        members: &mut Members<T>,
        (from, to): (Source<T>, Sink<T>),
        lows: &mut [Owned<T>],
        tell: Tell,
    ) -> Result<()> {
        let last = tiles.stages.len() - 1;
        let lows = lows.iter_mut().map(|low| Store::of_mut(low.as_sink()));
        let lows: Vec<Store<T>> = lows.collect();
        let (from, to) = (Store::of(from), Store::of_mut(to));
        let (samples, coefficients) = match direction {
            Direction::Forward => (from, to),
            Direction::Inverse => (to, from),
        };
        let none = Store::Slice(SharedSlice::of(&[]));
        let pile = |one: &PlannedStage<T>| {
            Pile::new(one.stage.count(), self.sites.len(), self.shares.as_deref())
        };
        let piles: Vec<Pile> = tiles.stages.iter().map(pile).collect();
        let sweep = |number: usize| {
            let finer = number.checked_sub(1).map(|finer| lows[finer]);
            let signal = [finer.unwrap_or(samples), none];
            let bands = [coefficients, lows.get(number).copied().unwrap_or(none)];
            let (from, to) = match direction {
                Direction::Forward => (signal, bands),
                Direction::Inverse => (bands, signal),
            };
            Sweep {
                stage: &tiles.stages[number],
                direction,
                from,
                to,
                place: self.place(tiles, number),
                pile: &piles[number],
                device: 0,
            }
        };
        let mut sweeps: Vec<Sweep<T>> = (0..=last).map(sweep).collect();
        if direction == Direction::Inverse {
            sweeps.reverse();
        }
        let total = sweeps.iter().map(Sweep::samples).sum();
        let mut progress = Progress { done: 0, total };
        for sweep in &sweeps {
            let before = progress.done;
            members.carry(sweep, tiles.largest, |tiles| {
                let of = sweep.stage.stage.count() as u64;
                progress.done = before + sweep.samples() * tiles / of;
                match tell(progress) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(Error::Cancelled {
                        what: "the transform",
                    }),
                }
            })?;
        }
        Ok(())
    }

    fn tiles(&self) -> Option<Arc<Tiles<T>>> {
        lock(&self.tiles).clone()
    }

    /// The tiles, with carriers for them: others where the memory that was left for
    /// these is not there any more.
    fn with_carriers(&self, members: &mut Members<T>) -> Result<Arc<Tiles<T>>> {
        if let Some(tiles) = self.tiles()
            && tiles.serve(&members.able())
        {
            match members.fill(&tiles) {
                Err(error @ Error::Memory { .. }) => log::warn!("tiles are chosen anew: {error}"),
                filled => return filled.map(|()| tiles),
            }
        }
        // First, for what its plans have on the device. Carriers may be left for smaller tiles,
        // which were chosen while there was less memory and did not come about.
        *lock(&self.tiles) = None;
        members.clear();
        let tiles = Arc::new(Tiles::new(&members.able(), &self.transform)?);
        members.fill(&tiles)?;
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
            let plans = tiles.stages.iter().flat_map(|one| one.plans[0].first());
            all.extend(plans.flat_map(|plan| plan.strategies().to_vec()));
        }
        all.dedup();
        all
    }

    /// How many bytes of device memory the plans of tiles have for intermediate results.
    pub(in crate::runtime) fn scratch_bytes(&self) -> u64 {
        let of = |tiles: &Tiles<T>| {
            let plans = tiles.stages.iter().flat_map(|one| &one.plans).flatten();
            plans.map(Plan::scratch_bytes).sum()
        };
        self.tiles().map_or(0, |tiles| of(&tiles))
    }

    /// What the transform costs in one direction, all tiles together.
    pub(in crate::runtime) fn cost(&self, direction: Direction) -> Cost {
        let of = |one: &PlannedStage<T>| one.cost(0, direction);
        let tiles = self.tiles();
        tiles.iter().flat_map(|tiles| &tiles.stages).map(of).sum()
    }
}

impl Engine {
    /// Builds a plan of `transform` for samples of type `T`, in both directions, that goes in
    /// tiles whether the device can hold the arrays or not: for files, and for slices where the
    /// device's memory is for others.
    ///
    /// The first transform takes up to what the engine's memory ([`Engine::memory`]) has left, and
    /// the plan keeps it for the next, until it is dropped: other plans and arrays that are needed
    /// later should be made before.
    ///
    /// # Errors
    /// As [`Engine::plan`].
    pub fn plan_in_tiles<T: Sample>(&self, transform: &Transform) -> Result<TiledPlan<T>> {
        TiledPlan::of_engines(slice::from_ref(self), None, transform)
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
            for (site, plans) in self.sites.iter().zip(plans) {
                if self.sites.len() > 1 {
                    write!(f, "\n{}", site.shared.device)?;
                }
                for plan in plans {
                    write!(f, "\n{plan:?}")?;
                }
            }
        }
        Ok(())
    }
}
