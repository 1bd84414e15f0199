//! A plan: a transform built for one engine, ready to run.

use super::array::DeviceArray;
use super::context::Shared;
use super::program::{PassKernel, build_kernels};
use super::run::Run;
use crate::error::{Error, Result};
use crate::lifting::prelude::prelude;
use crate::strategy::{self, Array, Cost, Design, Launch, Problem, Strategy, Target, Tuning};
use crate::transform::{Band, Coefficients, Transform, zeroed};
use crate::wavelet::{Direction, Sample};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A transform built for one engine and sample type, in both directions.
///
/// Host slices go through two staging arrays, which the plan makes with the first such call and keeps; arrays on the device
/// are used where they are. A plan can be shared between threads; their calls take turns.
pub struct Plan<T: Sample> {
    transform: Transform,
    shared: Arc<Shared>,
    strategies: Vec<Strategy>,
    routes: Mutex<Routes<T>>,
    staging: Mutex<Option<[DeviceArray<T>; 2]>>,
}

/// What one thread at a time may use: kernels keep their arguments, and scratch their intermediate results.
struct Routes<T: Sample> {
    forward: Vec<(Launch, PassKernel)>,
    inverse: Vec<(Launch, PassKernel)>,
    scratch: Scratch<DeviceArray<T>>,
}

/// The arrays of a plan's own, or how many samples each has: two between takes, then two within them.
type Scratch<A> = [A; 4];

/// One direction of a plan.
struct Route {
    launches: Vec<(Launch, PassKernel)>,
    scratch: Scratch<usize>,
    advice: Option<String>,
}

fn scratch_of(design: &Design) -> Scratch<usize> {
    let ([a, b], [c, d]) = (design.scratch, design.temps);
    [a, b, c, d]
}

impl<T: Sample> Plan<T> {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        tuning: &Tuning,
        transform: &Transform,
        wanted: Option<Strategy>,
    ) -> Result<Self> {
        transform.check()?;
        T::TYPE.check(&transform.wavelet)?;
        let builder = Builder {
            shared,
            tuning,
            strategies: wanted.as_ref().map_or(Strategy::ALL, std::slice::from_ref),
        };
        let problem = |direction| Problem::new(transform, T::TYPE, direction);
        let [forward, inverse] = [Direction::Forward, Direction::Inverse].map(problem);
        // Before anything is built: what the plan and its caller's two arrays take.
        let bytes = |samples: usize| samples as u64 * size_of::<T>() as u64;
        let array = bytes(transform.len());
        let largest = |a: Scratch<usize>, b: Scratch<usize>| [0, 1, 2, 3].map(|i| a[i].max(b[i]));
        let scratch = largest(builder.scratch(&forward)?, builder.scratch(&inverse)?);
        let [a, b, c, d] = scratch.map(bytes);
        shared.check_memory("the transform", &[array, array, a, b, c, d])?;

        let (forward, inverse) = (builder.route(&forward)?, builder.route(&inverse)?);
        if let Some(advice) = &forward.advice {
            log::warn!("{advice}");
        }
        let [a, b, c, d] = largest(forward.scratch, inverse.scratch);
        let own = |samples| DeviceArray::new(shared, samples);
        let mut strategies: Vec<Strategy> = forward
            .launches
            .iter()
            .map(|(launch, _)| launch.strategy)
            .collect();
        strategies.dedup();
        let plan = Plan {
            transform: transform.clone(),
            shared: shared.clone(),
            strategies,
            routes: Mutex::new(Routes {
                forward: forward.launches,
                inverse: inverse.launches,
                scratch: [own(a)?, own(b)?, own(c)?, own(d)?],
            }),
            staging: Mutex::new(None),
        };
        log::debug!("{plan:?} on {}", shared.device);
        Ok(plan)
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
    /// a row.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    /// How many bytes of device memory the plan has for intermediate results. The staging arrays of host slices are not
    /// counted.
    pub fn scratch_bytes(&self) -> u64 {
        let scratch = &lock(&self.routes).scratch;
        scratch
            .iter()
            .map(|array| (array.len() * size_of::<T>()) as u64)
            .sum()
    }

    /// What the transform costs in one direction, all passes together: global memory that is read and written, arithmetic,
    /// barriers, local memory, launches. Over the time that it takes, this is how much of a device's bandwidth and
    /// arithmetic it uses. Counted from the sizes of the passes; nothing is run.
    pub fn cost(&self, direction: Direction) -> Cost {
        let routes = lock(&self.routes);
        let launches = match direction {
            Direction::Forward => &routes.forward,
            Direction::Inverse => &routes.inverse,
        };
        launches.iter().map(|(launch, _)| launch.pass.cost).sum()
    }

    /// Transforms samples (row-major, of the transform's shape) into coefficients.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples; [`Error::Memory`] where the device cannot hold the staging arrays of
    /// host slices beside the plan's own (arrays on the device can still be used); [`Error::HostMemory`] where the host cannot
    /// hold the coefficients; [`Error::OpenCl`].
    pub fn forward(&self, samples: &[T]) -> Result<Coefficients<T>> {
        let mut coefficients = Coefficients::zeros(&self.transform)?;
        self.forward_into(samples, &mut coefficients)?;
        Ok(coefficients)
    }

    /// Transforms samples (row-major, of the transform's shape) into existing coefficients. The first call with host slices
    /// allocates the plan's staging arrays; nothing is compiled.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), and [`Error::Shape`] for coefficients of another transform.
    pub fn forward_into(&self, samples: &[T], coefficients: &mut Coefficients<T>) -> Result<()> {
        self.check_transform(coefficients)?;
        let output = coefficients.as_mut_slice();
        self.on_host(samples, output, Direction::Forward)
    }

    /// Transforms coefficients back into samples (row-major, of the transform's shape).
    ///
    /// # Errors
    /// As [`forward_into`](Self::forward_into), and [`Error::HostMemory`] where the host cannot hold the samples.
    pub fn inverse(&self, coefficients: &Coefficients<T>) -> Result<Vec<T>> {
        let mut samples = zeroed("the samples", self.transform.len())?;
        self.inverse_into(coefficients, &mut samples)?;
        Ok(samples)
    }

    /// Transforms coefficients back into an existing slice of samples. The first call with host slices allocates the plan's
    /// staging arrays; nothing is compiled.
    ///
    /// # Errors
    /// As [`forward_into`](Self::forward_into).
    pub fn inverse_into(&self, coefficients: &Coefficients<T>, samples: &mut [T]) -> Result<()> {
        self.check_transform(coefficients)?;
        self.on_host(coefficients.as_slice(), samples, Direction::Inverse)
    }

    /// Enqueues the transform of `samples` into `coefficients`, both on the device, in the transform's
    /// layout. Does not wait; allocates and compiles nothing.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::ForeignArray`], [`Error::OpenCl`].
    pub fn enqueue_forward(
        &self,
        samples: &DeviceArray<T>,
        coefficients: &mut DeviceArray<T>,
    ) -> Result<Run> {
        self.enqueue(samples, coefficients, Direction::Forward)
    }

    /// Enqueues the transform of `coefficients` back into `samples`, both on the device. Does not wait;
    /// allocates and compiles nothing.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward).
    pub fn enqueue_inverse(
        &self,
        coefficients: &DeviceArray<T>,
        samples: &mut DeviceArray<T>,
    ) -> Result<Run> {
        self.enqueue(coefficients, samples, Direction::Inverse)
    }

    /// The L2 norm of the synthesis function of a band's coefficients; see [`Transform::band_norm`].
    ///
    /// # Errors
    /// As [`Transform::band_norm`].
    pub fn band_norm(&self, level: u32, band: Band) -> Result<f64> {
        self.transform.band_norm(T::TYPE, level, band)
    }

    fn enqueue(
        &self,
        input: &DeviceArray<T>,
        output: &mut DeviceArray<T>,
        direction: Direction,
    ) -> Result<Run> {
        input.check(&self.shared, "the input", self.transform.len())?;
        output.check(&self.shared, "the output", self.transform.len())?;
        let routes = lock(&self.routes);
        let launches = match direction {
            Direction::Forward => &routes.forward,
            Direction::Inverse => &routes.inverse,
        };
        let buffer = |array| match array {
            Array::Input => &*input.buffer,
            Array::Output => &*output.buffer,
            Array::Scratch(i) => &*routes.scratch[i].buffer,
            Array::Temp(i) => &*routes.scratch[2 + i].buffer,
        };
        let mut ends = Vec::with_capacity(2);
        for (i, (launch, kernel)) in launches.iter().enumerate() {
            let arrays = launch.arrays;
            let low = arrays.low.unwrap_or(arrays.bands);
            let buffers = [arrays.signal, arrays.bands, low].map(buffer);
            let is_end = i + 1 == launches.len() || (i == 0 && self.shared.profiling);
            ends.extend(kernel.launch(&self.shared, buffers, &launch.pass, is_end)?);
        }
        Run::of(&self.shared, ends)
    }

    fn on_host(&self, input: &[T], output: &mut [T], direction: Direction) -> Result<()> {
        check_length("the input", input.len(), self.transform.len())?;
        check_length("the output", output.len(), self.transform.len())?;
        let mut staging = lock(&self.staging);
        let [from, to] = match &mut *staging {
            Some(arrays) => arrays,
            None => {
                let array = || DeviceArray::new(&self.shared, self.transform.len());
                staging.insert([array()?, array()?])
            }
        };
        from.write(input)?;
        let _run = self.enqueue(from, to, direction)?;
        to.download_into(output)
    }

    fn check_transform(&self, coefficients: &Coefficients<T>) -> Result<()> {
        if coefficients.transform() == &self.transform {
            return Ok(());
        }
        Err(Error::Shape {
            what: "coefficients",
            expected: format!("those of {:?}", self.transform),
            got: format!("those of {:?}", coefficients.transform()),
        })
    }
}

/// What designs and builds.
struct Builder<'a> {
    shared: &'a Shared,
    tuning: &'a Tuning,
    strategies: &'a [Strategy],
}

impl Builder<'_> {
    fn target<'a>(&'a self, limits: &'a [(&'static str, usize)]) -> Target<'a> {
        Target {
            device: self.shared.device.info(),
            tuning: self.tuning,
            limits,
        }
    }

    /// The samples of the scratch arrays that a problem takes.
    fn scratch(&self, problem: &Problem) -> Result<Scratch<usize>> {
        let design = strategy::plan(problem, &self.target(&[]), self.strategies)?;
        Ok(scratch_of(&design))
    }

    /// Builds the launches of a problem.
    fn route(&self, problem: &Problem) -> Result<Route> {
        let Problem {
            transform,
            sample,
            direction,
            ..
        } = problem;
        let prelude = prelude(&transform.wavelet, *sample, *direction);
        let (design, kernels) = build_kernels(
            self.shared,
            &prelude,
            |limits| strategy::plan(problem, &self.target(limits), self.strategies),
            |design| {
                design
                    .launches
                    .iter()
                    .map(|launch| &launch.pass.kernel)
                    .collect()
            },
        )?;
        Ok(Route {
            scratch: scratch_of(&design),
            advice: design.advice,
            launches: design.launches.into_iter().zip(kernels).collect(),
        })
    }
}

/// A thread that panicked leaves nothing half-done in what these locks guard.
pub(super) fn lock<L>(mutex: &Mutex<L>) -> MutexGuard<'_, L> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check_length(what: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(Error::Length {
        what,
        expected,
        got,
    })
}

impl<T: Sample> std::fmt::Debug for Plan<T> {
    /// The transform, and a line for every pass.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let routes = lock(&self.routes);
        write!(f, "Plan<{}>({:?})", T::TYPE, self.transform)?;
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
