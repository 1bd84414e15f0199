//! A plan that transforms an array where it stands.

use super::array::DeviceArray;
use super::context::Site;
use super::event::Event;
use super::launch::{BoundPass, launch_all};
use super::lock::lock;
#[cfg(doc)]
use super::plan::Plan;
use super::program::PassKernel;
use super::queue::{Access, Uses, enqueue_ordered};
use super::refused::{Refused, build_kernels};
use super::run::Run;
use super::views::{DeviceViewMut, Planned};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::lifting::prelude::prelude;
use crate::strategy::{Cost, InPlace, Pass, Problem, Regions, Target, plan_in_place};
#[cfg(doc)]
use crate::transform::Layout;
use crate::transform::{Region, Transform};
use crate::wavelet::{Direction, Sample};
use opencl3::memory::ClMem;
use std::sync::Mutex;

/// A transform built for one engine and sample type, in both directions, that needs no second
/// array: the coefficients replace the samples, each where its sample was, in
/// [`Layout::Interleaved`].
///
/// It takes every wavelet, boundary rule, shape, choice of axes and number of levels, and gives
/// what a [`Plan`] in that layout gives: integers bit for bit. Lines are swept as segments that a
/// device has work-items for, and the plan keeps a small array in which it saves what these read of
/// their neighbours: [`scratch_bytes`](Self::scratch_bytes) is at most 3 % of the array, or 64 KiB
/// where that is more. Where there is memory for a second array a [`Plan`] is faster: it lifts both
/// axes of a picture at once, and its coarse levels are dense.
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
    site: Site,
    place: Planned,
    kernels: Mutex<Kernels<T>>,
}

/// What one thread at a time may use: kernels keep their arguments, and scratch what was saved.
struct Kernels<T: Sample> {
    forward: Vec<(Pass, PassKernel)>,
    inverse: Vec<(Pass, PassKernel)>,
    saved: DeviceArray<T>,
    saved_uses: Uses,
}

impl<T: Sample> InPlacePlan<T> {
    pub(crate) fn new(site: &Site, transform: &Transform, region: &Region) -> Result<Self> {
        transform.check()?;
        T::TYPE.check(transform.wavelet())?;
        let shared = &site.shared;
        let design = |direction, refused: &Refused| {
            let designed = Planned::designed::<T>(region);
            let problem = Problem {
                regions: Regions {
                    signal: designed.clone(),
                    bands: designed,
                },
                ..Problem::new(transform, T::TYPE, direction)
            };
            let target = Target {
                device: shared.device.info(),
                tuning: &site.tuning,
                limits: &refused.groups,
                ways: &refused.ways,
            };
            plan_in_place(&problem, &target)
        };
        let check_memory = |scratch: usize| {
            let bytes = |samples: usize| samples as u64 * size_of::<T>() as u64;
            shared.check_memory("the transform", &[bytes(transform.len()), bytes(scratch)])
        };
        // Before anything is built; and what no device holds is not designed: its costs may be
        // too large to be counted.
        check_memory(0)?;
        for direction in [Direction::Forward, Direction::Inverse] {
            check_memory(design(direction, &Refused::default())?.scratch)?;
        }

        let build = |direction| {
            let prelude = prelude(transform.wavelet(), T::TYPE, direction);
            build_kernels(
                shared,
                &prelude,
                &mut Refused::default(),
                |refused| design(direction, refused),
                |design: &InPlace| design.passes.iter().map(|pass| &pass.kernel).collect(),
            )
        };
        let (forward, forward_kernels) = build(Direction::Forward)?;
        let (inverse, inverse_kernels) = build(Direction::Inverse)?;
        let scratch = forward.scratch.max(inverse.scratch);
        let plan = InPlacePlan {
            transform: transform.clone(),
            site: site.clone(),
            // Its kernels access memory sample by sample.
            place: Planned::new::<T>(region, true),
            kernels: Mutex::new(Kernels {
                forward: forward.passes.into_iter().zip(forward_kernels).collect(),
                inverse: inverse.passes.into_iter().zip(inverse_kernels).collect(),
                saved: DeviceArray::new(shared, &site.queue, scratch)?,
                saved_uses: Uses::none(&site.queue),
            }),
        };
        log::debug!("{plan:?} on {}", shared.device);
        Ok(plan)
    }

    /// Builds the same plan again, with kernels and scratch of its own, as [`Plan::another`] does.
    ///
    /// # Errors
    /// As `Engine::plan_in_place`.
    pub fn another(&self) -> Result<Self> {
        InPlacePlan::new(&self.site, &self.transform, self.place.region())
    }

    /// The transform that this plan computes.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// How many bytes of device memory the plan has beside the caller's array.
    pub fn scratch_bytes(&self) -> u64 {
        (lock(&self.kernels).saved.len() * size_of::<T>()) as u64
    }

    /// What the transform costs in one direction, all passes together, as [`Plan::cost`] counts it.
    pub fn cost(&self, direction: Direction) -> Cost {
        let kernels = lock(&self.kernels);
        let passes = match direction {
            Direction::Forward => &kernels.forward,
            Direction::Inverse => &kernels.inverse,
        };
        passes.iter().map(|(pass, _)| pass.cost).sum()
    }

    /// Enqueues the transform of the samples `x` (row-major, of the transform's shape), which their
    /// coefficients replace: an array, or a view where the plan was made for a region. Does not
    /// wait; allocates and compiles nothing.
    ///
    /// # Errors
    /// [`Error::Length`] for an array of another length; [`Error::Shape`] for a view of
    /// another shape or with other strides than the plan was made for; [`Error::ForeignArray`]
    /// for an array of another OpenCL context; [`Error::Handle`] for a foreign buffer that
    /// kernels may not both read and write; [`Error::OpenCl`] where a call fails, after which
    /// `x` may be half transformed.
    pub fn enqueue_forward<'a>(&self, x: impl Into<DeviceViewMut<'a, T>>) -> Result<Run>
    where
        T: 'a,
    {
        self.enqueue(x.into(), Direction::Forward, &[])
    }

    /// Enqueues the transform as [`enqueue_forward`](Self::enqueue_forward) does, to start after
    /// these events, as [`Plan::enqueue_forward_after`] does.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward), and [`Error::Handle`] for an
    /// event of another context.
    pub fn enqueue_forward_after<'a>(
        &self,
        x: impl Into<DeviceViewMut<'a, T>>,
        after: &[Event],
    ) -> Result<Run>
    where
        T: 'a,
    {
        self.enqueue(x.into(), Direction::Forward, after)
    }

    /// Enqueues the transform of the coefficients `x` back into samples, which replace them. Does
    /// not wait; allocates and compiles nothing.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward).
    pub fn enqueue_inverse<'a>(&self, x: impl Into<DeviceViewMut<'a, T>>) -> Result<Run>
    where
        T: 'a,
    {
        self.enqueue(x.into(), Direction::Inverse, &[])
    }

    /// Enqueues the transform as [`enqueue_inverse`](Self::enqueue_inverse) does, to
    /// start after these events.
    ///
    /// # Errors
    /// As [`enqueue_forward_after`](Self::enqueue_forward_after).
    pub fn enqueue_inverse_after<'a>(
        &self,
        x: impl Into<DeviceViewMut<'a, T>>,
        after: &[Event],
    ) -> Result<Run>
    where
        T: 'a,
    {
        self.enqueue(x.into(), Direction::Inverse, after)
    }

    fn enqueue(&self, x: DeviceViewMut<T>, direction: Direction, after: &[Event]) -> Result<Run> {
        let Site { shared, queue, .. } = &self.site;
        let x = x.as_view();
        let place = self.place.offset_of(&x, shared, "the array", true)?;
        shared.check_events(after)?;
        let mut kernels = lock(&self.kernels);
        let Kernels {
            forward,
            inverse,
            saved,
            saved_uses,
        } = &mut *kernels;
        let passes = match direction {
            Direction::Forward => forward,
            Direction::Inverse => inverse,
        };
        let whole: (&dyn ClMem, i64) = (&*x.array().buffer, place);
        let saved: (&dyn ClMem, i64) = (&*saved.buffer, 0);
        let bound: Vec<BoundPass> = passes
            .iter()
            .map(|(pass, kernel)| BoundPass {
                kernel,
                pass,
                sides: [whole, whole, saved],
                arrivals: None,
            })
            .collect();
        let mut x_uses = x.array().uses();
        let mut uses = [(&mut *x_uses, Access::Write), (saved_uses, Access::Write)];
        let every_pass = self.site.times_passes;
        let done = enqueue_ordered(queue, &mut uses, after, |waits| {
            launch_all(queue, &bound, waits, every_pass)
        })?;
        Run::of(queue, done, bound.len())
    }
}

impl<T: Sample> std::fmt::Debug for InPlacePlan<T> {
    /// The transform, and a line for every pass.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kernels = lock(&self.kernels);
        write!(f, "InPlacePlan<{}>({:?})", T::TYPE, self.transform)?;
        for (name, passes) in [("forward", &kernels.forward), ("inverse", &kernels.inverse)] {
            for (pass, _) in passes {
                write!(f, "\n{name}: {pass}")?;
            }
        }
        Ok(())
    }
}
