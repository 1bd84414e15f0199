//! A plan: a transform built for one engine, ready to run.

mod slices;

use self::slices::warn_of_tiles;
use super::array::DeviceArray;
use super::arrivals::Arrivals;
use super::builder::{Builder, Scratch, advice_of};
use super::context::Site;
use super::event::Event;
use super::host::{TiledPlan, Transit, ask_for_huge_pages};
use super::launch::{Step, launch_all};
use super::lock::lock;
use super::program::PassKernel;
use super::queue::{Access, Uses, enqueue_ordered};
use super::refused::Refused;
use super::run::Run;
use super::views::{BothUses, DeviceView, DeviceViewMut, Planned, check_apart};
use crate::device::Fence;
use crate::error::{Error, Result, check_length};
use crate::strategy::{Array, Arrays, Cost, Launch, Problem, Regions, Strategy};
use crate::transform::{Band, Coefficients, Transform, zeroed};
use crate::wavelet::{Direction, Element, Pixels, Sample};
use opencl3::memory::ClMem;
use std::sync::{Arc, Mutex};

/// A transform built for one engine and sample type, in both directions.
///
/// CPU devices of PoCL and of Intel's runtime use host slices where they stand, if they take their alignment (16 bytes always do). Elsewhere host slices go
/// through two staging arrays, which the plan makes with the first such call and keeps, and large ones to and from these by
/// several threads, pictures and batches in pieces; see [`Engine::with_copy_threads`](super::Engine::with_copy_threads) and
/// [`forward_pinned`](Self::forward_pinned). Between pinned arrays ([`Engine::pinned`](super::Engine::pinned)) copies go at the full
/// speed of the bus. Host slices that the device cannot hold as a
/// whole, or not beside what the engine has there already, go in tiles, in memory that does not grow with them; see
/// [`Engine::with_memory_limit`](super::Engine::with_memory_limit). Arrays on the device are used where they
/// are, whole or views of them. A plan can be shared between threads; their calls take turns, and so do
/// their runs on the device: [`another`](Self::another) plan has kernels and intermediate results of its own.
///
/// ```no_run
/// use wavelift::{DeviceSelector, Engine, Transform, Wavelet};
///
/// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
/// let transform = Transform::new(Wavelet::CDF_5_3, [512, 512]).levels(3);
/// let plan = engine.plan::<i16>(&transform)?; // compiles kernels, so keep it
/// println!("{plan:?}"); // every pass, and by which strategy
///
/// // From a slice on the host to coefficients on the host, and back.
/// let samples = vec![7i16; transform.len()];
/// let coefficients = plan.forward(&samples)?;
/// assert_eq!(plan.inverse(&coefficients)?, samples);
///
/// // The same with arrays on the device. Calls do not wait; later ones see what earlier ones wrote.
/// let mut x = engine.upload(&samples)?;
/// let mut y = engine.zeros::<i16>(transform.len())?;
/// plan.enqueue_forward(&x, &mut y)?;
/// plan.enqueue_inverse(&y, &mut x)?.wait()?;
/// assert_eq!(x.download()?, samples);
/// # Ok::<(), wavelift::Error>(())
/// ```
pub struct Plan<T: Sample, P: Element = T> {
    transform: Transform,
    pub(super) site: Site,
    pub(super) wanted: Option<Strategy>,
    /// Where samples and coefficients stand.
    signal: Planned,
    bands: Planned,
    /// What the signal side has instead of samples.
    pixels: Option<Pixels>,
    strategies: Vec<Strategy>,
    routes: Mutex<Routes<T>>,
    staging: Mutex<Option<Staging<P, T>>>,
    pub(super) transit: Arc<Transit<T, P>>,
    /// Why the device does not hold the arrays of the transform, where it does not.
    too_large: Option<Error>,
    /// How host slices are transformed all the same.
    tiled: Mutex<Option<Arc<TiledPlan<T>>>>,
}

/// Arrays for slices of the host: of the samples, and of the coefficients.
type Staging<P, T> = (DeviceArray<P>, DeviceArray<T>);

/// What one thread at a time may use: kernels keep their arguments, and scratch their intermediate results.
struct Routes<T: Sample> {
    forward: Vec<(Launch, PassKernel)>,
    inverse: Vec<(Launch, PassKernel)>,
    scratch: Scratch<DeviceArray<T>>,
    scratch_uses: Uses,
    /// Where kernels count work-groups, if one does.
    arrivals: Option<Arrivals>,
}

impl<T: Sample> Plan<T> {
    /// Transforms a slice into another one: samples into coefficients, or back.
    pub(crate) fn between_slices(
        &self,
        input: &[T],
        output: &mut [T],
        direction: Direction,
    ) -> Result<()> {
        match direction {
            Direction::Forward => self.there(input, output),
            Direction::Inverse => self.back(input, output),
        }
    }
}

impl<T: Sample, P: Element> Plan<T, P> {
    /// Builds a plan; where the device cannot hold the arrays, one for host slices alone, if it may go in tiles.
    pub(crate) fn new(
        site: &Site,
        transform: &Transform,
        regions: &Regions,
        pixels: Option<Pixels>,
        wanted: Option<Strategy>,
    ) -> Result<Self> {
        let is_dense = regions.signal.is_dense() && regions.bands.is_dense();
        match Plan::built(site, transform, regions, pixels, wanted, None) {
            Err(error @ Error::Memory { .. })
                if wanted.is_none() && pixels.is_none() && is_dense =>
            {
                Plan::in_tiles(site, transform, regions, error)
            }
            built => built,
        }
    }

    /// Builds a plan for host slices alone.
    fn in_tiles(site: &Site, transform: &Transform, regions: &Regions, why: Error) -> Result<Self> {
        warn_of_tiles(site, &why);
        let tiled = TiledPlan::new(site, transform)?;
        let none = || DeviceArray::new(&site.shared, &site.queue, 0);
        let scratch = [none()?, none()?, none()?, none()?];
        let routes = Routes {
            forward: Vec::new(),
            inverse: Vec::new(),
            scratch,
            scratch_uses: Uses::none(&site.queue),
            arrivals: None,
        };
        let plan = Plan {
            strategies: tiled.strategies(),
            too_large: Some(why),
            tiled: Mutex::new(Some(Arc::new(tiled))),
            ..Plan::of(site, transform, regions, routes, false)
        };
        log::debug!("{plan:?} on {}", site.shared.device);
        Ok(plan)
    }

    /// A plan of samples that goes by these routes.
    fn of(
        site: &Site,
        transform: &Transform,
        regions: &Regions,
        routes: Routes<T>,
        takes_any_offset: bool,
    ) -> Self {
        let launches = routes.forward.iter();
        let mut strategies: Vec<Strategy> = launches.map(|(launch, _)| launch.strategy).collect();
        strategies.dedup();
        Plan {
            transform: transform.clone(),
            site: site.clone(),
            wanted: None,
            signal: Planned::new::<P>(&regions.signal, takes_any_offset),
            bands: Planned::new::<T>(&regions.bands, takes_any_offset),
            pixels: None,
            strategies,
            routes: Mutex::new(routes),
            staging: Mutex::new(None),
            transit: Transit::new(None),
            too_large: None,
            tiled: Mutex::new(None),
        }
    }

    /// Builds a plan, on trial if what the compiler refused before is handed over: then its kernels need no trial.
    pub(super) fn built(
        site: &Site,
        transform: &Transform,
        regions: &Regions,
        pixels: Option<Pixels>,
        wanted: Option<Strategy>,
        on_trial: Option<&Refused>,
    ) -> Result<Self> {
        transform.check()?;
        T::TYPE.check(transform.wavelet())?;
        if let Some(Pixels { pixel, level_shift }) = pixels {
            pixel.check(T::TYPE, level_shift)?;
        }
        let builder = Builder {
            site,
            wanted: wanted.as_ref(),
            on_trial,
        };
        let problem = |direction| Problem {
            regions: Regions {
                signal: Planned::designed::<P>(&regions.signal),
                bands: Planned::designed::<T>(&regions.bands),
            },
            pixels,
            ..Problem::new(transform, T::TYPE, direction)
        };
        let [forward, inverse] = [Direction::Forward, Direction::Inverse].map(problem);
        // Before anything is built: what the plan and its caller's two arrays take.
        let shared = &site.shared;
        let bytes = |samples: usize| samples as u64 * size_of::<T>() as u64;
        let signal = transform.len() as u64 * size_of::<P>() as u64;
        let largest = |a: Scratch<usize>, b: Scratch<usize>| [0, 1, 2, 3].map(|i| a[i].max(b[i]));
        let check_memory = |scratch: Scratch<usize>| {
            let what = match pixels {
                Some(_) => "the transform of pixels, which does not go in tiles,",
                None => "the transform",
            };
            let [a, b, c, d] = scratch.map(bytes);
            shared.check_memory(what, &[signal, bytes(transform.len()), a, b, c, d])
        };
        // What no device holds is not designed: its costs may be too large to be counted.
        check_memory([0; 4])?;
        check_memory(largest(
            builder.scratch(&forward)?,
            builder.scratch(&inverse)?,
        ))?;

        let (forward, inverse) = (
            builder.route::<T, P>(&forward)?,
            builder.route::<T, P>(&inverse)?,
        );
        let any_offset = forward.takes_any_offset && inverse.takes_any_offset;
        for advice in advice_of([&forward, &inverse]) {
            log::warn!("{advice}");
        }
        let [a, b, c, d] = largest(forward.scratch, inverse.scratch);
        let own = |samples| DeviceArray::new(shared, &site.queue, samples);
        let mut launches = forward.launches.iter().chain(&inverse.launches);
        let counts = launches.any(|(launch, _)| launch.pass.kernel.fence() != Fence::None);
        let routes = Routes {
            arrivals: counts.then(|| Arrivals::new(site)).transpose()?,
            forward: forward.launches,
            inverse: inverse.launches,
            scratch: [own(a)?, own(b)?, own(c)?, own(d)?],
            scratch_uses: Uses::none(&site.queue),
        };
        let plan = Plan {
            wanted,
            pixels,
            ..Plan::of(site, transform, regions, routes, any_offset)
        };
        log::debug!("{plan:?} on {}", shared.device);
        Ok(plan)
    }

    /// Builds the same plan again, with kernels and intermediate results of its own, so that runs of the two can overlap where
    /// the engine's queue allows it. The programs are not compiled again.
    ///
    /// # Errors
    /// As `Engine::plan`.
    pub fn another(&self) -> Result<Self> {
        let regions = Regions {
            signal: self.signal.region().clone(),
            bands: self.bands.region().clone(),
        };
        Plan::new(
            &self.site,
            &self.transform,
            &regions,
            self.pixels,
            self.wanted,
        )
    }

    /// The transform that this plan computes.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The strategy of the first pass of the finest level, forward.
    pub fn strategy(&self) -> Strategy {
        self.strategies[0]
    }

    /// The strategies of the forward transform's passes, in order of use, each named once where it is used several times in
    /// a row. Of a plan in tiles they are those of the tiles that it was made with; it may choose others when memory runs out.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    /// How many bytes of device memory the plan has for intermediate results of the transform as a whole, or of its tiles. What
    /// calls on slices, pinned arrays and streams have on the device beside it, arrays and the plans of bands and parts of a batch,
    /// is not counted here but in [`Engine::memory`](super::Engine::memory).
    pub fn scratch_bytes(&self) -> u64 {
        let tiled = self.tiled().map_or(0, |tiled| tiled.scratch_bytes());
        let scratch = &lock(&self.routes).scratch;
        let own: u64 = scratch
            .iter()
            .map(|array| (array.len() * size_of::<T>()) as u64)
            .sum();
        own + tiled
    }

    /// What the transform costs in one direction, all passes together: global memory that is read and written, arithmetic,
    /// barriers, local memory, launches. Over the time that it takes, this is how much of a device's bandwidth and
    /// arithmetic it uses. Counted from the sizes of the passes; nothing is run.
    pub fn cost(&self, direction: Direction) -> Cost {
        if self.too_large.is_some()
            && let Some(tiled) = self.tiled()
        {
            return tiled.cost(direction);
        }
        let routes = lock(&self.routes);
        let launches = match direction {
            Direction::Forward => &routes.forward,
            Direction::Inverse => &routes.inverse,
        };
        launches.iter().map(|(launch, _)| launch.pass.cost).sum()
    }

    /// Transforms samples (row-major, of the transform's shape) into coefficients. Integers that are too large wrap, and the inverse
    /// may not restore them: [`Transform::check_range`] says whether samples leave the wavelet enough bits.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples; [`Error::Memory`] where the device cannot hold the staging arrays of
    /// host slices beside the plan's own, and not even those of tiles; [`Error::HostMemory`] where the host cannot
    /// hold the coefficients, or the low band of a level in tiles; [`Error::Unsupported`] for a plan of regions that are not each
    /// in one piece; those of [`Engine::plan`](super::Engine::plan) where plans of tiles or pieces are built, as
    /// [`forward_into`](Self::forward_into) says; [`Error::OpenCl`].
    pub fn forward(&self, samples: &[P]) -> Result<Coefficients<T>> {
        let mut coefficients = Coefficients::zeros(&self.transform)?;
        ask_for_huge_pages(coefficients.as_mut_slice());
        self.forward_into(samples, &mut coefficients)?;
        Ok(coefficients)
    }

    /// Transforms samples (row-major, of the transform's shape) into existing coefficients. The first call with host slices
    /// allocates the plan's staging arrays, on CPU devices only if it needs them, and where several threads copy large pictures and
    /// batches to a device it builds the plans of their pieces, as [`forward_pinned`](Self::forward_pinned) says; where there is too
    /// little memory left for the arrays, or for the tiles of a plan in tiles, it builds plans for tiles that fit, with a warning.
    /// Otherwise nothing is compiled, unless by the driver: PoCL finishes its compiling when a kernel first runs, so that the first
    /// run in each direction takes seconds there.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), and [`Error::Shape`] for coefficients of another transform.
    pub fn forward_into(&self, samples: &[P], coefficients: &mut Coefficients<T>) -> Result<()> {
        self.transform.check_same(coefficients.transform())?;
        self.there(samples, coefficients.as_mut_slice())
    }

    /// Transforms coefficients back into samples (row-major, of the transform's shape).
    ///
    /// # Errors
    /// As [`forward_into`](Self::forward_into), and [`Error::HostMemory`] where the host cannot hold the samples.
    pub fn inverse(&self, coefficients: &Coefficients<T>) -> Result<Vec<P>> {
        let mut samples = zeroed("the samples", self.transform.len())?;
        ask_for_huge_pages(&mut samples);
        self.inverse_into(coefficients, &mut samples)?;
        Ok(samples)
    }

    /// Transforms coefficients back into an existing slice of samples. The first call with host slices is as that of
    /// [`forward_into`](Self::forward_into).
    ///
    /// # Errors
    /// As [`forward_into`](Self::forward_into).
    pub fn inverse_into(&self, coefficients: &Coefficients<T>, samples: &mut [P]) -> Result<()> {
        self.transform.check_same(coefficients.transform())?;
        self.back(coefficients.as_slice(), samples)
    }

    /// Enqueues the transform of `samples` (row-major, of the transform's shape) into `coefficients`, in the transform's layout. Both
    /// are on the device: arrays, or views where the plan was made for regions. The call neither waits nor compiles. It allocates
    /// nothing, but for 1 KiB of counters on the device each time that a kernel which counts its work-groups has counted 2^31.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples or coefficients; [`Error::Shape`] for a view of another shape or with other
    /// strides than the plan was made for; [`Error::Misaligned`] for one that starts where the vectors of the plan's kernels cannot;
    /// [`Error::ForeignArray`] for an array of another OpenCL context; [`Error::Handle`] for a foreign buffer that kernels may not
    /// read, or not write where they must; [`Error::Overlap`] where the two share memory; [`Error::Memory`] where the plan is for
    /// host slices in tiles alone, or the device has no memory left for counters; [`Error::OpenCl`] where a call fails.
    pub fn enqueue_forward<'a>(
        &self,
        samples: impl Into<DeviceView<'a, P>>,
        coefficients: impl Into<DeviceViewMut<'a, T>>,
    ) -> Result<Run>
    where
        T: 'a,
        P: 'a,
    {
        self.enqueue_forward_after(samples, coefficients, &[])
    }

    /// Enqueues the transform as [`enqueue_forward`](Self::enqueue_forward) does, to start after these events, which may be those
    /// of runs on other queues, and of the caller's own work. If one of them fails, so does the run.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward), and [`Error::Handle`] for an event of another context.
    pub fn enqueue_forward_after<'a>(
        &self,
        samples: impl Into<DeviceView<'a, P>>,
        coefficients: impl Into<DeviceViewMut<'a, T>>,
        after: &[Event],
    ) -> Result<Run>
    where
        T: 'a,
        P: 'a,
    {
        self.enqueue(
            samples.into(),
            coefficients.into(),
            Direction::Forward,
            after,
        )
    }

    /// Enqueues the transform of `coefficients` back into `samples`, both on the device. Does not wait;
    /// allocates and compiles nothing.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward).
    pub fn enqueue_inverse<'a>(
        &self,
        coefficients: impl Into<DeviceView<'a, T>>,
        samples: impl Into<DeviceViewMut<'a, P>>,
    ) -> Result<Run>
    where
        T: 'a,
        P: 'a,
    {
        self.enqueue_inverse_after(coefficients, samples, &[])
    }

    /// Enqueues the transform as [`enqueue_inverse`](Self::enqueue_inverse) does, to start after these events.
    ///
    /// # Errors
    /// As [`enqueue_forward_after`](Self::enqueue_forward_after).
    pub fn enqueue_inverse_after<'a>(
        &self,
        coefficients: impl Into<DeviceView<'a, T>>,
        samples: impl Into<DeviceViewMut<'a, P>>,
        after: &[Event],
    ) -> Result<Run>
    where
        T: 'a,
        P: 'a,
    {
        self.enqueue(
            coefficients.into(),
            samples.into(),
            Direction::Inverse,
            after,
        )
    }

    /// The L2 norm of the synthesis function of a band's coefficients; see [`Transform::band_norm`].
    ///
    /// # Errors
    /// As [`Transform::band_norm`].
    pub fn band_norm(&self, level: u32, band: Band) -> Result<f64> {
        self.transform.band_norm(T::TYPE, level, band)
    }

    /// Enqueues the transform from samples to coefficients, or the other way round, which are of these types.
    pub(super) fn enqueue<I: Element, O: Element>(
        &self,
        input: DeviceView<I>,
        output: DeviceViewMut<O>,
        direction: Direction,
        after: &[Event],
    ) -> Result<Run> {
        self.check_whole()?;
        let Site { shared, queue, .. } = &self.site;
        let output = output.as_view();
        let (from, to) = self.sides(direction);
        let from = from.offset_of(&input, shared, "the input", false)?;
        let to = to.offset_of(&output, shared, "the output", true)?;
        check_apart(&input, &output)?;
        shared.check_events(after)?;

        let mut routes = lock(&self.routes);
        let Routes {
            forward,
            inverse,
            scratch,
            scratch_uses,
            arrivals,
        } = &mut *routes;
        let launches = match direction {
            Direction::Forward => forward,
            Direction::Inverse => inverse,
        };
        let side = |array| -> (&dyn ClMem, i64) {
            match array {
                Array::Input => (&*input.array().buffer, from),
                Array::Output => (&*output.array().buffer, to),
                Array::Scratch(i) => (&*scratch[i].buffer, 0),
                Array::Temp(i) => (&*scratch[2 + i].buffer, 0),
            }
        };
        let sides = |arrays: Arrays| {
            let low = arrays.low.unwrap_or(arrays.bands);
            [arrays.signal, arrays.bands, low].map(side)
        };
        // One launch of a direction at most: it takes all levels that are left.
        let counting = |(launch, _): &&(Launch, _)| launch.pass.kernel.fence() != Fence::None;
        let before = match (launches.iter().find(counting), &mut *arrivals) {
            (Some((launch, _)), Some(arrivals)) => {
                arrivals.count(&self.site, launch.pass.groups)?
            }
            _ => 0,
        };
        let steps: Vec<Step> = launches
            .iter()
            .map(|(launch, kernel)| Step {
                kernel,
                pass: &launch.pass,
                sides: sides(launch.arrays),
                arrivals: arrivals
                    .as_ref()
                    .filter(|_| launch.pass.kernel.fence() != Fence::None)
                    .map(|arrivals| (&*arrivals.places.buffer as &dyn ClMem, before)),
            })
            .collect();
        let mut both = BothUses::of(&input, &output);
        let mut uses = both.list();
        uses.push((scratch_uses, Access::Write));
        let every_pass = self.site.times_passes;
        let done = enqueue_ordered(queue, &mut uses, after, |waits| {
            launch_all(queue, &steps, waits, every_pass)
        })?;
        Run::of(queue, done, steps.len())
    }

    /// Refuses what is to have the transform's arrays on the device as a whole, where these do not fit.
    pub(super) fn check_whole(&self) -> Result<()> {
        let mut why = self.too_large.clone();
        if let Some(Error::Memory { what, .. }) = &mut why {
            *what += ", whose plan takes slices of the host alone,";
        }
        why.map_or(Ok(()), Err)
    }

    /// Checks that the plan goes from one slice on the host to another, of so many elements each.
    pub(super) fn check_host(&self, input: usize, output: usize) -> Result<()> {
        check_length("the input", input, self.transform.len())?;
        check_length("the output", output, self.transform.len())?;
        self.check_dense()
    }

    /// Refuses plans for regions of arrays.
    pub(super) fn check_dense(&self) -> Result<()> {
        if !self.signal.region().is_dense() || !self.bands.region().is_dense() {
            return Err(Error::Unsupported {
                what: "a slice on the host".to_owned(),
                why: "this plan was made for regions of arrays on the device".to_owned(),
            });
        }
        Ok(())
    }

    /// Whether the signal side is pixels. Where it is not, `P` is `T`: no engine builds another such plan.
    pub(super) fn is_of_pixels(&self) -> bool {
        self.pixels.is_some()
    }

    /// What the signal side has instead of samples.
    pub(super) fn pixels(&self) -> Option<Pixels> {
        self.pixels
    }

    /// Bytes of the input and of the output on the host.
    pub(super) fn host_bytes(&self, direction: Direction) -> [usize; 2] {
        let [signal, bands] =
            [size_of::<P>(), size_of::<T>()].map(|bytes| bytes * self.transform.len());
        match direction {
            Direction::Forward => [signal, bands],
            Direction::Inverse => [bands, signal],
        }
    }

    /// Whether kernels take an input and an output that start here where they stand.
    pub(super) fn takes_both(&self, direction: Direction, [input, output]: [*const u8; 2]) -> bool {
        let (from, to) = self.sides(direction);
        from.takes_address(input as usize) && to.takes_address(output as usize)
    }

    /// Where the input and the output stand.
    fn sides(&self, direction: Direction) -> (&Planned, &Planned) {
        match direction {
            Direction::Forward => (&self.signal, &self.bands),
            Direction::Inverse => (&self.bands, &self.signal),
        }
    }
}

impl<T: Sample, P: Element> std::fmt::Debug for Plan<T, P> {
    /// The transform, and a line for every pass.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let routes = lock(&self.routes);
        match self.pixels {
            None => write!(f, "Plan<{}>({:?})", T::TYPE, self.transform)?,
            Some(_) => write!(f, "Plan<{}, {}>({:?})", T::TYPE, P::NAME, self.transform)?,
        }
        if let Some(tiled) = self.tiled() {
            write!(f, "{tiled:?}")?;
        }
        for (name, launches) in [("forward", &routes.forward), ("inverse", &routes.inverse)] {
            for (
                Launch {
                    strategy,
                    pass,
                    arrays,
                },
                _,
            ) in launches
            {
                write!(f, "\n{name}: {strategy}: {pass} on {arrays:?}")?;
            }
        }
        Ok(())
    }
}
