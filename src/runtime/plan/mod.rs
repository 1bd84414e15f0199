//! A plan: a transform built for one engine, ready to run.

mod building;
mod enqueueing;
mod slices;

use super::array::DeviceArray;
use super::arrivals::Arrivals;
use super::builder::Scratch;
use super::context::Site;
use super::host::{TiledPlan, Transit};
use super::lock::lock;
use super::program::PassKernel;
use super::queue::Uses;
use super::views::Planned;
use crate::error::{Error, Result, check_length};
use crate::strategy::{Cost, Launch, Strategy};
use crate::transform::{Band, Transform};
use crate::wavelet::{Direction, Element, Pixels, Sample};
use std::sync::{Arc, Mutex};

/// A transform built for one engine and sample type, in both directions.
///
/// `T` is the type of the coefficients, `P` what the signal side has: `T` itself, or the pixels of
/// a plan by [`Engine::plan_from`](super::Engine::plan_from), which names them the other way round:
/// `plan_from::<u8, i16>` makes a `Plan<i16, u8>`.
///
/// CPU devices of PoCL and of Intel's runtime use host slices where they stand, if they take their
/// alignment (16 bytes always do). Elsewhere host slices go through two staging arrays, which the
/// plan makes with the first such call and keeps, and large ones to and from these by several
/// threads, pictures and batches in parts; see
/// [`Engine::with_copy_threads`](super::Engine::with_copy_threads) and
/// [`forward_pinned`](Self::forward_pinned). Between pinned arrays
/// ([`Engine::pinned`](super::Engine::pinned)) copies go at the full speed of the bus. Host slices
/// that the device cannot hold as a whole, or not beside what the engine has there already, go in
/// tiles, in memory that does not grow with them; see
/// [`Engine::with_memory_limit`](super::Engine::with_memory_limit). Arrays on the device are used
/// where they are, whole or views of them. A plan can be shared between threads; their calls take
/// turns, and so do their runs on the device: [`another`](Self::another) plan has kernels and
/// intermediate results of its own.
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
    kernels: Mutex<Kernels<T>>,
    staging: Mutex<Option<Staging<P, T>>>,
    pub(super) transit: Arc<Transit<T, P>>,
    /// Why the device does not hold the arrays of the transform, where it does not.
    too_large: Option<Error>,
    /// How host slices are transformed all the same.
    tiled: Mutex<Option<Arc<TiledPlan<T>>>>,
}

/// Arrays for slices of the host: of the samples, and of the coefficients.
type Staging<P, T> = (DeviceArray<P>, DeviceArray<T>);

/// What one thread at a time may use: kernels keep their arguments, and scratch
/// their intermediate results.
struct Kernels<T: Sample> {
    forward: Vec<(Launch, PassKernel)>,
    inverse: Vec<(Launch, PassKernel)>,
    scratch: Scratch<DeviceArray<T>>,
    scratch_uses: Uses,
    /// Where kernels count work-groups, if one does.
    arrivals: Option<Arrivals>,
}

impl<T: Sample, P: Element> Plan<T, P> {
    /// The transform that this plan computes.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The strategy of the first pass of the finest level, forward.
    pub fn strategy(&self) -> Strategy {
        self.strategies[0]
    }

    /// The strategies of the forward transform's passes, in order of use, each named once where it
    /// is used several times in a row. Of a plan in tiles they are those of the tiles that it was
    /// made with; it may choose others when memory runs out.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    /// How many bytes of device memory the plan has for intermediate results of the transform as a
    /// whole, or of its tiles. What calls on slices, pinned arrays and streams have on the device
    /// beside it, arrays and the plans of stripes and parts of a batch, is not counted here but in
    /// [`Engine::memory`](super::Engine::memory).
    pub fn scratch_bytes(&self) -> u64 {
        let tiled = self.tiled().map_or(0, |tiled| tiled.scratch_bytes());
        let scratch = &lock(&self.kernels).scratch;
        let own: u64 = scratch
            .iter()
            .map(|array| (array.len() * size_of::<T>()) as u64)
            .sum();
        own + tiled
    }

    /// What the transform costs in one direction, all passes together: global memory that is read
    /// and written, arithmetic, barriers, local memory, launches. Over the time that it takes,
    /// this is how much of a device's bandwidth and arithmetic it uses. Counted from the sizes of
    /// the passes; nothing is run.
    pub fn cost(&self, direction: Direction) -> Cost {
        if self.too_large.is_some()
            && let Some(tiled) = self.tiled()
        {
            return tiled.cost(direction);
        }
        let kernels = lock(&self.kernels);
        let launches = match direction {
            Direction::Forward => &kernels.forward,
            Direction::Inverse => &kernels.inverse,
        };
        launches.iter().map(|(launch, _)| launch.pass.cost).sum()
    }

    /// The L2 norm of the synthesis function of a band's coefficients; see
    /// [`Transform::band_norm`].
    ///
    /// # Errors
    /// As [`Transform::band_norm`].
    pub fn band_norm(&self, level: u32, band: Band) -> Result<f64> {
        self.transform.band_norm(T::TYPE, level, band)
    }

    /// Refuses what is to have the transform's arrays on the device as a
    /// whole, where these do not fit.
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

    /// Whether the signal side is pixels. Where it is not, `P` is `T`: no engine
    /// builds another such plan.
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
        let kernels = lock(&self.kernels);
        match self.pixels {
            None => write!(f, "Plan<{}>({:?})", T::TYPE, self.transform)?,
            Some(_) => write!(f, "Plan<{}, {}>({:?})", T::TYPE, P::NAME, self.transform)?,
        }
        if let Some(tiled) = self.tiled() {
            write!(f, "{tiled:?}")?;
        }
        for (name, launches) in [("forward", &kernels.forward), ("inverse", &kernels.inverse)] {
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
