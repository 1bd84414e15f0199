//! A plan: a transform built for one engine, ready to run.

use super::array::DeviceArray;
use super::context::Shared;
use super::program::PassKernel;
use super::run::Run;
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::lifting::prelude::prelude;
use crate::strategy::Tuning;
use crate::strategy::{Array, Design, Problem, Strategy, Target};
use crate::transform::Transform;
use crate::transform::geometry::Arguments;
use crate::transform::{Band, Coefficients};
use crate::wavelet::Direction;
use crate::wavelet::Sample;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A transform built for one engine and sample type, in both directions.
///
/// Host slices go through two arrays that the plan keeps for them; arrays on the device are used where
/// they are. A plan can be shared between threads; their calls take turns.
pub struct Plan<T: Sample> {
    transform: Transform,
    strategy: Strategy,
    shared: Arc<Shared>,
    routes: Mutex<Routes<T>>,
    /// The arrays that host slices go through, or why they do not fit.
    host: Result<Mutex<[DeviceArray<T>; 2]>>,
}

/// What one thread at a time may use: kernels hold their arguments, and scratch their intermediate results.
struct Routes<T: Sample> {
    forward: Vec<Launch>,
    inverse: Vec<Launch>,
    scratch: [DeviceArray<T>; 2],
}

struct Launch {
    name: &'static str,
    kernel: PassKernel,
    from: Array,
    to: Array,
    corner: Option<Array>,
    arguments: Arguments,
    groups: usize,
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
        let problem = |direction| Problem {
            transform: transform.clone(),
            sample: T::TYPE,
            direction,
        };
        let forward = problem(Direction::Forward);
        let target = Target {
            device: shared.device.info(),
            tuning,
        };
        let strategy = match wanted {
            Some(strategy) => strategy.require(&forward, &target).map(|()| strategy)?,
            None => Strategy::choose(&forward, &target)?,
        };
        let inverse = problem(Direction::Inverse);
        log::debug!(
            "{} {:?} on {} samples: {strategy} on {}",
            transform.wavelet,
            transform.shape,
            T::TYPE,
            shared.device
        );

        // Before anything is built: what the plan and its caller's two arrays take.
        let sizes = |forward: &Design, inverse: &Design| {
            [0, 1].map(|i| forward.scratch[i].max(inverse.scratch[i]))
        };
        let scratch = sizes(
            &strategy.design(&forward, &target),
            &strategy.design(&inverse, &target),
        );
        let bytes = |samples: usize| samples as u64 * size_of::<T>() as u64;
        let array = bytes(transform.len());
        let [a, b] = scratch.map(bytes);
        shared.check_memory("the transform", &[array, array, a, b])?;

        let (forward, forward_scratch) = build(shared, tuning, strategy, &forward)?;
        let (inverse, inverse_scratch) = build(shared, tuning, strategy, &inverse)?;
        let scratch =
            |i: usize| DeviceArray::new(shared, forward_scratch[i].max(inverse_scratch[i]));
        let scratch = [scratch(0)?, scratch(1)?];
        let array = || DeviceArray::new(shared, transform.len());
        let host = array().and_then(|from| Ok(Mutex::new([from, array()?])));
        Ok(Plan {
            transform: transform.clone(),
            strategy,
            shared: shared.clone(),
            routes: Mutex::new(Routes {
                forward,
                inverse,
                scratch,
            }),
            host,
        })
    }

    /// What is computed.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// How it is computed.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Transforms samples (row-major, of the transform's shape) into coefficients.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples; [`Error::Memory`] where the device could not hold
    /// the plan's arrays for host transfers beside its own (arrays on the device can still be used);
    /// [`Error::OpenCl`].
    pub fn forward(&self, samples: &[T]) -> Result<Coefficients<T>> {
        let mut coefficients = Coefficients::zeros(&self.transform)?;
        self.forward_into(samples, &mut coefficients)?;
        Ok(coefficients)
    }

    /// The same into coefficients that are there. Allocates and compiles nothing.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), and [`Error::Shape`] for coefficients of another transform.
    pub fn forward_into(&self, samples: &[T], coefficients: &mut Coefficients<T>) -> Result<()> {
        self.check_transform(coefficients)?;
        let output = coefficients.as_mut_slice();
        self.on_host(samples, output, Direction::Forward)
    }

    /// Transforms coefficients back into samples.
    ///
    /// # Errors
    /// As [`forward_into`](Self::forward_into).
    pub fn inverse(&self, coefficients: &Coefficients<T>) -> Result<Vec<T>> {
        let mut samples = vec![T::zeroed(); self.transform.len()];
        self.inverse_into(coefficients, &mut samples)?;
        Ok(samples)
    }

    /// The same into a slice. Allocates and compiles nothing.
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
            Array::Input => &input.buffer,
            Array::Output => &output.buffer,
            Array::Scratch(i) => &routes.scratch[i].buffer,
        };
        let mut ends = Vec::with_capacity(2);
        for (i, launch) in launches.iter().enumerate() {
            let corner = launch.corner.unwrap_or(launch.from);
            let buffers = [launch.from, launch.to, corner].map(buffer);
            let arguments = &launch.arguments;
            let is_end = i + 1 == launches.len() || (i == 0 && self.shared.profiling);
            let (kernel, groups) = (&launch.kernel, launch.groups);
            ends.extend(kernel.launch(&self.shared, buffers, arguments, groups, is_end)?);
        }
        Ok(Run::of(ends))
    }

    fn on_host(&self, input: &[T], output: &mut [T], direction: Direction) -> Result<()> {
        let mut host = lock(self.host.as_ref().map_err(Clone::clone)?);
        let [from, to] = &mut *host;
        check_length("the input", input.len(), from.len())?;
        check_length("the output", output.len(), to.len())?;
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

/// Builds the launches of a problem. Where a kernel allows fewer work-items than the device does, the
/// whole is designed again for as many.
fn build(
    shared: &Shared,
    tuning: &Tuning,
    strategy: Strategy,
    problem: &Problem,
) -> Result<(Vec<Launch>, [usize; 2])> {
    let prelude = prelude(
        &problem.transform.wavelet,
        problem.sample,
        problem.direction,
    );
    let mut info: DeviceInfo = shared.device.info().clone();
    'smaller: loop {
        let target = Target {
            device: &info,
            tuning,
        };
        let design = strategy.design(problem, &target);
        let mut launches = Vec::with_capacity(design.passes.len());
        for pass in design.passes {
            let (kernel, allowed) = PassKernel::new(shared, &prelude, &pass.kernel)?;
            let wanted: usize = pass.kernel.group.iter().product();
            if allowed < wanted {
                // No smaller design, or none that is small enough.
                if allowed == 0 || allowed >= info.max_work_group {
                    return Err(Error::Unsupported {
                        what: format!("kernel `{}`", pass.kernel.name),
                        why: format!("{} can not run it", shared.device),
                    });
                }
                log::debug!(
                    "`{}` allows {allowed} work-items, not {wanted}",
                    pass.kernel.name
                );
                info.max_work_group = allowed;
                continue 'smaller;
            }
            launches.push(Launch {
                name: pass.kernel.name,
                kernel,
                from: pass.from,
                to: pass.to,
                corner: pass.corner,
                arguments: pass.arguments,
                groups: pass.groups,
            });
        }
        return Ok((launches, design.scratch));
    }
}

/// A thread that panicked leaves nothing half-done in what these locks guard.
fn lock<L>(mutex: &Mutex<L>) -> MutexGuard<'_, L> {
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
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let routes = lock(&self.routes);
        let names = routes.forward.iter().map(|launch| launch.name);
        write!(
            f,
            "Plan<{}>({:?}, {}: {})",
            T::TYPE,
            self.transform,
            self.strategy,
            names.collect::<Vec<_>>().join(", ")
        )
    }
}
