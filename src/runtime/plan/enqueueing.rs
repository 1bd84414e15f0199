//! How a plan enqueues its passes between arrays on the device.

use super::{Kernels, Plan};
use crate::device::Fence;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::runtime::context::Site;
use crate::runtime::event::Event;
use crate::runtime::launch::{BoundPass, launch_all};
use crate::runtime::lock::lock;
use crate::runtime::queue::{Access, enqueue_ordered};
use crate::runtime::run::Run;
use crate::runtime::views::{BothUses, DeviceView, DeviceViewMut, check_apart};
use crate::strategy::{Array, Arrays, Launch};
use crate::wavelet::{Direction, Element, Sample};
use opencl3::memory::ClMem;

impl<T: Sample, P: Element> Plan<T, P> {
    /// Enqueues the transform of `samples` (row-major, of the transform's shape) into
    /// `coefficients`, in the transform's layout. Both are on the device: arrays, or views where
    /// the plan was made for regions. The call neither waits nor compiles. It allocates nothing,
    /// but for 1 KiB of counters on the device each time that a kernel which counts its
    /// work-groups has counted 2^31.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples or coefficients; [`Error::Shape`] for a view
    /// of another shape or with other strides than the plan was made for; [`Error::Misaligned`] for
    /// one that starts where the vectors of the plan's kernels cannot; [`Error::ForeignArray`] for
    /// an array of another OpenCL context; [`Error::Handle`] for a foreign buffer that kernels may
    /// not read, or not write where they must; [`Error::Overlap`] where the two share memory;
    /// [`Error::Memory`] where the plan is for host slices in tiles alone, or the device has no
    /// memory left for counters; [`Error::OpenCl`] where a call fails.
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

    /// Enqueues the transform as [`enqueue_forward`](Self::enqueue_forward) does, to start after
    /// these events, which may be those of runs on other queues, and of the caller's own work. If
    /// one of them fails, so does the run.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward), and [`Error::Handle`] for an
    /// event of another context.
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

    /// Enqueues the transform of `coefficients` back into `samples`, both on the device. Does not
    /// wait; allocates and compiles nothing.
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

    /// Enqueues the transform as [`enqueue_inverse`](Self::enqueue_inverse) does, to
    /// start after these events.
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

    /// Enqueues the transform from samples to coefficients, or the other way round,
    /// which are of these types.
    pub(in crate::runtime) fn enqueue<I: Element, O: Element>(
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

        let mut kernels = lock(&self.kernels);
        let Kernels {
            forward,
            inverse,
            scratch,
            scratch_uses,
            arrivals,
        } = &mut *kernels;
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
        let bound: Vec<BoundPass> = launches
            .iter()
            .map(|(launch, kernel)| BoundPass {
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
            launch_all(queue, &bound, waits, every_pass)
        })?;
        Run::of(queue, done, bound.len())
    }
}
