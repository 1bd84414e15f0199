//! Running one transform on an OpenCL device or by the reference, and measuring how long it takes.

use super::check::refer;
use std::time::{Duration, Instant};
use wavelift::{Device, Direction, Engine, Plan, Result, Sample, Strategy, Transform};

/// A transform that is ready to run, on a device or by the reference.
#[allow(clippy::large_enum_variant, reason = "a program has one of them")]
pub enum Runner<T: Sample> {
    Device { engine: Engine, plan: Plan<T> },
    Reference(Transform),
}

/// How long the parts of a run took, as the host saw them. The reference needs no upload or download.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub upload: Duration,
    pub transform: Duration,
    pub download: Duration,
    /// The time from the start of the first kernel to the end of the last, as the device measured it.
    pub device: Option<Duration>,
}

impl<T: Sample> Runner<T> {
    /// Prepares the transform on `device`, with the given strategy or else those that the planner composes.
    /// Without a device the reference computes it.
    pub fn new(
        transform: &Transform,
        device: Option<&Device>,
        strategy: Option<Strategy>,
    ) -> Result<Self> {
        let Some(device) = device else {
            return Ok(Runner::Reference(transform.clone()));
        };
        let engine = Engine::with_profiling(device)?;
        let plan = match strategy {
            Some(strategy) => engine.plan_with(transform, strategy)?,
            None => engine.plan(transform)?,
        };
        Ok(Runner::Device { engine, plan })
    }

    /// The name of the plan's first strategy, or `reference`.
    pub fn strategy(&self) -> String {
        match self {
            Runner::Device { plan, .. } => plan.strategy().to_string(),
            Runner::Reference(_) => "reference".to_owned(),
        }
    }

    pub fn run(&self, direction: Direction, input: &[T]) -> Result<(Vec<T>, Times)> {
        match self {
            Runner::Device { engine, plan } => on_device(engine, plan, direction, input),
            Runner::Reference(transform) => on_reference(transform, direction, input),
        }
    }
}

fn on_device<T: Sample>(
    engine: &Engine,
    plan: &Plan<T>,
    direction: Direction,
    input: &[T],
) -> Result<(Vec<T>, Times)> {
    let (from, upload) = timed(|| engine.upload(input))?;
    let mut to = engine.zeros(input.len())?;
    engine.finish()?;
    let (run, transform) = timed(|| {
        let run = enqueue(plan, direction, &from, &mut to)?;
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

fn on_reference<T: Sample>(
    transform: &Transform,
    direction: Direction,
    input: &[T],
) -> Result<(Vec<T>, Times)> {
    let (output, transform) = timed(|| refer(transform, direction, input))?;
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
