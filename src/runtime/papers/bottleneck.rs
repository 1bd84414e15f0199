//! Half of what a strategy does, to see which half takes the time (cl/papers/bottlenecks.cl).

use crate::device::DeviceInfo;
use crate::error::{Result, check_length};
use crate::lifting::prelude::prelude;
use crate::runtime::acquire::Enqueued;
use crate::runtime::array::DeviceArray;
use crate::runtime::engine::Engine;
use crate::runtime::launch::{BoundPass, launch_all};
use crate::runtime::program::{PassKernel, source};
use crate::runtime::refused::{Refused, build_kernels};
use crate::runtime::run::Run;
use crate::strategy::{self, Array, Cost, Design, Launch, Problem, Strategy, Target, Tuning};
use crate::transform::Transform;
use crate::wavelet::{Direction, Sample, SampleType, Wavelet};
use opencl3::memory::ClMem;

/// Which half of [`Strategy::RegisterBlock`] runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// Everything is loaded and stored, nothing is lifted.
    Memory,
    /// What was never loaded is lifted, and nothing is stored.
    Arithmetic,
}

/// The kernel's name.
const REGISTER_BLOCK: &str = "register_block";

/// The design of a transform by that strategy, of whose kernel one half runs.
fn half_of(problem: &Problem, target: &Target, half: Bottleneck) -> Result<Design> {
    let mut design = strategy::plan(problem, target, &[Strategy::RegisterBlock])?;
    for launch in &mut design.launches {
        launch.pass.kernel.file = "papers/bottlenecks.cl";
        launch.pass.kernel.name = match half {
            Bottleneck::Memory => "memory_only",
            Bottleneck::Arithmetic => "arithmetic_only",
        };
    }
    Ok(design)
}

/// Every program for such a device: both halves are in one.
pub(super) fn sources(device: &DeviceInfo) -> Result<Vec<(String, String)>> {
    let target = Target {
        device,
        tuning: &Tuning::default(),
        limits: &[],
        ways: &[],
    };
    let cases = [
        (Wavelet::CDF_5_3, SampleType::I16),
        (Wavelet::CDF_9_7, SampleType::F32),
    ];
    let mut sources = Vec::new();
    for (wavelet, sample) in cases {
        let transform = Transform::new(wavelet.clone(), [512, 512]);
        let problem = Problem::new(&transform, sample, Direction::Forward);
        let prelude = prelude(&wavelet, sample, Direction::Forward);
        for launch in half_of(&problem, &target, Bottleneck::Memory)?.launches {
            let kernel = launch.pass.kernel;
            sources.push((kernel.name.to_owned(), source(&prelude, &kernel, "")));
        }
    }
    Ok(sources)
}

/// Runs half of a forward transform by [`Strategy::RegisterBlock`] on arrays of its own. There are
/// no coefficients to be had.
pub struct Probe<T: Sample> {
    engine: Engine,
    launches: Vec<(Launch, PassKernel)>,
    input: DeviceArray<T>,
    output: DeviceArray<T>,
    scratch: [DeviceArray<T>; 2],
}

impl<T: Sample> Probe<T> {
    /// Builds half of a transform of these samples.
    ///
    /// # Errors
    /// As `Engine::plan_with`, and [`Error::Length`](crate::error::Error::Length) of `upload` for
    /// the wrong number of samples.
    pub fn new(
        engine: &Engine,
        transform: &Transform,
        samples: &[T],
        half: Bottleneck,
    ) -> Result<Self> {
        // What the plan refuses, this does.
        engine.plan_with::<T>(transform, Strategy::RegisterBlock)?;
        check_length("the samples", samples.len(), transform.len())?;
        let site = &engine.site;
        let problem = Problem::new(transform, T::TYPE, Direction::Forward);
        let design = |refused: &Refused| {
            let limits = refused.groups.iter();
            let limits: Vec<_> = limits.map(|(_, most)| (REGISTER_BLOCK, *most)).collect();
            let ways = refused.ways.iter();
            let ways: Vec<_> = ways.map(|(_, way)| (REGISTER_BLOCK, way.clone())).collect();
            let target = Target {
                device: engine.device().info(),
                tuning: &site.tuning,
                limits: &limits,
                ways: &ways,
            };
            half_of(&problem, &target, half)
        };
        let prelude = prelude(transform.wavelet(), T::TYPE, Direction::Forward);
        let mut refused = Refused::default();
        let (design, kernels) =
            build_kernels(&site.shared, &prelude, &mut refused, design, |design| {
                design.launches.iter().map(|one| &one.pass.kernel).collect()
            })?;
        let [a, b] = design.scratch;
        let own = |samples| DeviceArray::new(&site.shared, &site.queue, samples);
        Ok(Probe {
            input: engine.upload(samples)?,
            output: engine.zeros(transform.len())?,
            scratch: [own(a)?, own(b)?],
            launches: design.launches.into_iter().zip(kernels).collect(),
            engine: engine.clone(),
        })
    }

    /// What the whole transform costs.
    pub fn cost(&self) -> Cost {
        let launches = self.launches.iter();
        launches.map(|(launch, _)| launch.pass.cost).sum()
    }

    /// Enqueues it.
    ///
    /// # Errors
    /// [`Error::OpenCl`](crate::error::Error::OpenCl).
    pub fn enqueue(&mut self) -> Result<Run> {
        let side = |array| -> (&dyn ClMem, i64) {
            match array {
                Array::Input => (&*self.input.buffer, 0),
                Array::Output => (&*self.output.buffer, 0),
                Array::Scratch(i) | Array::Temp(i) => (&*self.scratch[i].buffer, 0),
            }
        };
        let bound: Vec<BoundPass> = self
            .launches
            .iter()
            .map(|(launch, kernel)| {
                let arrays = launch.arrays;
                let low = arrays.low.unwrap_or(arrays.bands);
                BoundPass {
                    kernel,
                    pass: &launch.pass,
                    sides: [arrays.signal, arrays.bands, low].map(side),
                    arrivals: None,
                }
            })
            .collect();
        let queue = &self.engine.site.queue;
        let work = launch_all(queue, &bound, &[], false)?;
        let released = None;
        Run::of(queue, Enqueued { work, released }, bound.len())
    }
}
