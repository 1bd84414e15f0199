//! Running one transform on an OpenCL device or by the reference, and measuring how long it takes.

use super::check::refer;
use std::time::{Duration, Instant};
use wavelift::{
    Device, DeviceArray, Direction, Element, Engine, Pixel, Plan, Result, Run, Sample, Strategy,
    Transform,
};

/// A transform that is ready to run, on a device or by the reference: between samples of type `T`,
/// or pixels of type `P`, and coefficients.
#[allow(clippy::large_enum_variant, reason = "a program has one of them")]
pub enum Runner<T: Sample, P: Element = T> {
    Device {
        engine: Engine,
        plan: Plan<T, P>,
    },
    Reference {
        transform: Transform,
        level_shift: i32,
    },
}

/// How long the parts of a run took, as the host saw them. The reference
/// needs no upload or download.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub upload: Duration,
    pub transform: Duration,
    pub download: Duration,
    /// The time from the start of the first kernel to the end of the last,
    /// as the device measured it.
    pub device: Option<Duration>,
}

impl<T: Sample> Runner<T> {
    /// Prepares the transform on `device`, with the given strategy or else those that the planner
    /// composes. Without a device the reference computes it.
    pub fn new(
        transform: &Transform,
        device: Option<&Device>,
        strategy: Option<Strategy>,
    ) -> Result<Self> {
        let plan = |engine: &Engine| match strategy {
            Some(strategy) => engine.plan_with(transform, strategy),
            None => engine.plan(transform),
        };
        Self::built(transform, device, 0, plan)
    }

    pub fn run(&self, direction: Direction, input: &[T]) -> Result<(Vec<T>, Times)> {
        match direction {
            Direction::Forward => self.forward(input),
            Direction::Inverse => self.inverse(input),
        }
    }
}

impl<T: Sample, P: Pixel> Runner<T, P> {
    /// The same between pixels, less a level shift, and coefficients.
    pub fn from_pixels(
        transform: &Transform,
        device: Option<&Device>,
        strategy: Option<Strategy>,
        level_shift: i32,
    ) -> Result<Self> {
        let plan = |engine: &Engine| match strategy {
            Some(strategy) => engine.plan_from_with(transform, level_shift, strategy),
            None => engine.plan_from_shifted(transform, level_shift),
        };
        Self::built(transform, device, level_shift, plan)
    }
}

impl<T: Sample, P: Element> Runner<T, P> {
    fn built(
        transform: &Transform,
        device: Option<&Device>,
        level_shift: i32,
        plan: impl FnOnce(&Engine) -> Result<Plan<T, P>>,
    ) -> Result<Self> {
        let Some(device) = device else {
            return Ok(Runner::Reference {
                transform: transform.clone(),
                level_shift,
            });
        };
        let engine = Engine::with_profiling(device)?;
        let plan = plan(&engine)?;
        Ok(Runner::Device { engine, plan })
    }

    /// The name of the plan's first strategy, or `reference`.
    pub fn strategy(&self) -> String {
        match self {
            Runner::Device { plan, .. } => plan.strategy().to_string(),
            Runner::Reference { .. } => "reference".to_owned(),
        }
    }

    /// Transforms samples, or pixels, into coefficients.
    pub fn forward(&self, input: &[P]) -> Result<(Vec<T>, Times)> {
        match self {
            Runner::Device { engine, plan } => {
                on_device(engine, input, |from, to| plan.enqueue_forward(from, to))
            }
            Runner::Reference {
                transform,
                level_shift,
            } => on_reference(|| {
                let samples: Vec<T> = input.iter().map(|v| v.to_sample(*level_shift)).collect();
                refer(transform, Direction::Forward, &samples)
            }),
        }
    }

    /// Transforms coefficients back.
    pub fn inverse(&self, input: &[T]) -> Result<(Vec<P>, Times)> {
        match self {
            Runner::Device { engine, plan } => {
                on_device(engine, input, |from, to| plan.enqueue_inverse(from, to))
            }
            Runner::Reference {
                transform,
                level_shift,
            } => on_reference(|| {
                let samples = refer(transform, Direction::Inverse, input)?;
                let element = |sample: T| P::from_sample(sample, *level_shift);
                Ok(samples.into_iter().map(element).collect())
            }),
        }
    }
}

fn on_device<I: Element, O: Element>(
    engine: &Engine,
    input: &[I],
    enqueue: impl FnOnce(&DeviceArray<I>, &mut DeviceArray<O>) -> Result<Run>,
) -> Result<(Vec<O>, Times)> {
    let (from, upload) = timed(|| engine.upload(input))?;
    let mut to = engine.zeros(input.len())?;
    engine.finish()?;
    let (run, transform) = timed(|| {
        let run = enqueue(&from, &mut to)?;
        run.wait()?;
        Ok(run)
    })?;
    let (output, download) = timed(|| to.download())?;
    let device = Some(run.device_time()?);
    let times = Times {
        upload,
        transform,
        download,
        device,
    };
    Ok((output, times))
}

/// Enqueues a plan in the given direction.
pub fn enqueue<T: Sample>(
    plan: &Plan<T>,
    direction: Direction,
    from: &wavelift::DeviceArray<T>,
    to: &mut wavelift::DeviceArray<T>,
) -> Result<wavelift::Run> {
    match direction {
        Direction::Forward => plan.enqueue_forward(from, to),
        Direction::Inverse => plan.enqueue_inverse(from, to),
    }
}

fn on_reference<O>(work: impl FnOnce() -> Result<Vec<O>>) -> Result<(Vec<O>, Times)> {
    let (output, transform) = timed(work)?;
    let times = Times {
        transform,
        ..Times::default()
    };
    Ok((output, times))
}

fn timed<R>(work: impl FnOnce() -> Result<R>) -> Result<(R, Duration)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}
