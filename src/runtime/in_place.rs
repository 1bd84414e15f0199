//! A plan that transforms an array where it stands.

use super::array::DeviceArray;
use super::context::Shared;
#[cfg(doc)]
use super::plan::Plan;
use super::plan::lock;
use super::program::{PassKernel, build_kernels};
use super::run::Run;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::lifting::prelude::prelude;
use crate::strategy::{Cost, InPlace, Pass, Problem, Target, Tuning, plan_in_place};
#[cfg(doc)]
use crate::transform::Layout;
use crate::transform::Transform;
use crate::wavelet::{Direction, Sample};
use std::sync::{Arc, Mutex};

/// A transform built for one engine and sample type, in both directions, that needs no second array: the coefficients
/// replace the samples, each where its sample was, in [`Layout::Interleaved`].
///
/// It takes every wavelet, boundary rule, shape, choice of axes and number of levels, and gives what a [`Plan`]
/// in that layout gives: integers bit for bit. Lines are swept as segments that a device has work-items for, and the plan
/// keeps a small array in which it saves what these read of their neighbours:
/// [`scratch_bytes`](Self::scratch_bytes) is at most 3 % of the array, or 64 KiB where that is more. Where there is memory
/// for a second array a [`Plan`] is faster: it lifts both axes of a picture at once, and its coarse levels are dense.
///
/// ```no_run
/// use wavelift::{DeviceSelector, Engine, Layout, Transform, Wavelet};
///
/// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
/// let transform = Transform::new(Wavelet::CDF_5_3, [8192, 8192])
///     .levels(5)
///     .layout(Layout::Interleaved);
/// let plan = engine.plan_in_place::<i16>(&transform)?;
/// let mut x = engine.upload(&vec![1i16; transform.len()])?;
/// let _run = plan.enqueue_forward(&mut x)?; // x holds the coefficients now,
/// let run = plan.enqueue_inverse(&mut x)?; // and now its samples again
/// run.wait()?;
/// # Ok::<(), wavelift::Error>(())
/// ```
pub struct InPlacePlan<T: Sample> {
    transform: Transform,
    shared: Arc<Shared>,
    routes: Mutex<Routes<T>>,
}

/// What one thread at a time may use: kernels keep their arguments, and scratch what was saved.
struct Routes<T: Sample> {
    forward: Vec<(Pass, PassKernel)>,
    inverse: Vec<(Pass, PassKernel)>,
    saved: DeviceArray<T>,
}

impl<T: Sample> InPlacePlan<T> {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        tuning: &Tuning,
        transform: &Transform,
    ) -> Result<Self> {
        transform.check()?;
        T::TYPE.check(&transform.wavelet)?;
        let design = |direction, limits: &[(&'static str, usize)]| {
            let problem = Problem::new(transform, T::TYPE, direction);
            let device = shared.device.info();
            let target = Target {
                device,
                tuning,
                limits,
            };
            plan_in_place(&problem, &target)
        };
        let check_memory = |scratch: usize| {
            let bytes = |samples: usize| samples as u64 * size_of::<T>() as u64;
            shared.check_memory("the transform", &[bytes(transform.len()), bytes(scratch)])
        };
        // Before anything is built.
        check_memory(design(Direction::Forward, &[])?.scratch)?;

        let build = |direction| {
            let prelude = prelude(&transform.wavelet, T::TYPE, direction);
            build_kernels(
                shared,
                &prelude,
                |limits| design(direction, limits),
                |design: &InPlace| design.passes.iter().map(|pass| &pass.kernel).collect(),
            )
        };
        let (forward, forward_kernels) = build(Direction::Forward)?;
        let (inverse, inverse_kernels) = build(Direction::Inverse)?;
        let saved = DeviceArray::new(shared, forward.scratch.max(inverse.scratch))?;
        let plan = InPlacePlan {
            transform: transform.clone(),
            shared: shared.clone(),
            routes: Mutex::new(Routes {
                forward: forward.passes.into_iter().zip(forward_kernels).collect(),
                inverse: inverse.passes.into_iter().zip(inverse_kernels).collect(),
                saved,
            }),
        };
        log::debug!("{plan:?} on {}", shared.device);
        Ok(plan)
    }

    /// The transform that this plan computes.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// How many bytes of device memory the plan has beside the caller's array.
    pub fn scratch_bytes(&self) -> u64 {
        (lock(&self.routes).saved.len() * size_of::<T>()) as u64
    }

    /// What the transform costs in one direction, all passes together, as [`Plan::cost`] counts it.
    pub fn cost(&self, direction: Direction) -> Cost {
        let routes = lock(&self.routes);
        let passes = match direction {
            Direction::Forward => &routes.forward,
            Direction::Inverse => &routes.inverse,
        };
        passes.iter().map(|(pass, _)| pass.cost).sum()
    }

    /// Enqueues the transform of the samples `x` (row-major, of the transform's shape), which their coefficients replace.
    /// Does not wait; allocates and compiles nothing.
    ///
    /// # Errors
    /// [`Error::Length`] for an array of another length; [`Error::ForeignArray`] for one of another engine;
    /// [`Error::OpenCl`]. After the last, `x` may be half transformed.
    pub fn enqueue_forward(&self, x: &mut DeviceArray<T>) -> Result<Run> {
        self.enqueue(x, Direction::Forward)
    }

    /// Enqueues the transform of the coefficients `x` back into samples, which replace them. Does not wait; allocates and
    /// compiles nothing.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward).
    pub fn enqueue_inverse(&self, x: &mut DeviceArray<T>) -> Result<Run> {
        self.enqueue(x, Direction::Inverse)
    }

    fn enqueue(&self, x: &mut DeviceArray<T>, direction: Direction) -> Result<Run> {
        x.check(&self.shared, "the array", self.transform.len())?;
        let routes = lock(&self.routes);
        let passes = match direction {
            Direction::Forward => &routes.forward,
            Direction::Inverse => &routes.inverse,
        };
        let (whole, saved) = (&*x.buffer, &*routes.saved.buffer);
        let mut ends = Vec::with_capacity(2);
        for (i, (pass, kernel)) in passes.iter().enumerate() {
            let is_end = i + 1 == passes.len() || (i == 0 && self.shared.profiling);
            ends.extend(kernel.launch(&self.shared, [whole, whole, saved], pass, is_end)?);
        }
        Run::of(&self.shared, ends)
    }
}

impl<T: Sample> std::fmt::Debug for InPlacePlan<T> {
    /// The transform, and a line for every pass.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let routes = lock(&self.routes);
        write!(f, "InPlacePlan<{}>({:?})", T::TYPE, self.transform)?;
        for (name, passes) in [("forward", &routes.forward), ("inverse", &routes.inverse)] {
            for (pass, _) in passes {
                write!(f, "\n{name}: {pass}")?;
            }
        }
        Ok(())
    }
}
