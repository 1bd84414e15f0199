//! The sources of a transform's programs, for checks that need no device.

use super::probe;
use super::program::source;
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lifting::prelude::prelude;
use crate::strategy::{self, Pass, Problem, Strategy, Target, Tuning};
use crate::transform::Transform;
use crate::wavelet::{Direction, PixelType, Pixels, SampleType};

/// The name of the kernel and the source of every program that a plan of this transform builds, in
/// both directions, with one strategy or as the planner composes them. `tuning` are lines as
/// `Engine::with_tuning` takes them. Makes no OpenCL call: the device can be an imaginary one.
///
/// # Errors
/// As for such a plan.
#[doc(hidden)]
pub fn kernel_sources(
    transform: &Transform,
    sample: SampleType,
    strategy: Option<Strategy>,
    device: &DeviceInfo,
    tuning: &str,
) -> Result<Vec<(String, String)>> {
    sources(
        transform,
        sample,
        None,
        device,
        tuning,
        |problem, target| passes(problem, target, strategy),
    )
}

/// The passes with one strategy, or as the planner composes them.
fn passes(problem: &Problem, target: &Target, strategy: Option<Strategy>) -> Result<Vec<Pass>> {
    let strategies = strategy
        .as_ref()
        .map_or(Strategy::ALL, std::slice::from_ref);
    let launches = strategy::plan(problem, target, strategies)?.launches;
    Ok(launches.into_iter().map(|launch| launch.pass).collect())
}

/// The same of a plan that takes pixels, with a level shift to both sides of 0.
///
/// # Errors
/// As for such a plan.
#[doc(hidden)]
pub fn kernel_sources_of_pixels(
    transform: &Transform,
    pixel: PixelType,
    sample: SampleType,
    strategy: Option<Strategy>,
    device: &DeviceInfo,
) -> Result<Vec<(String, String)>> {
    let level_shift = 1 << (8 * pixel.size() - 1);
    let pixels = Some(Pixels { pixel, level_shift });
    sources(transform, sample, pixels, device, "", |problem, target| {
        passes(problem, target, strategy)
    })
}

/// The same of a plan in place.
///
/// # Errors
/// As for such a plan.
#[doc(hidden)]
pub fn kernel_sources_in_place(
    transform: &Transform,
    sample: SampleType,
    device: &DeviceInfo,
) -> Result<Vec<(String, String)>> {
    sources(transform, sample, None, device, "", |problem, target| {
        Ok(strategy::plan_in_place(problem, target)?.passes)
    })
}

/// The names of the kernels and the sources of the programs by which a device proves how it
/// exchanges values, and that its work-groups see what others have stored, if they do.
#[doc(hidden)]
pub fn probe_sources(device: &DeviceInfo) -> Vec<(String, String)> {
    probe::probe_sources(device)
}

fn sources(
    transform: &Transform,
    sample: SampleType,
    pixels: Option<Pixels>,
    device: &DeviceInfo,
    tuning: &str,
    passes: impl Fn(&Problem, &Target) -> Result<Vec<Pass>>,
) -> Result<Vec<(String, String)>> {
    transform.check()?;
    sample.check(transform.wavelet())?;
    let tuning = &Tuning::load()?.with(tuning)?;
    let target = Target {
        device,
        tuning,
        limits: &[],
        ways: &[],
    };
    let mut sources: Vec<(String, String)> = Vec::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        let problem = Problem {
            pixels,
            ..Problem::new(transform, sample, direction)
        };
        let prelude = prelude(transform.wavelet(), sample, direction);
        for pass in passes(&problem, &target)? {
            let source = source(&prelude, &pass.kernel, "");
            if sources.iter().all(|(_, known)| *known != source) {
                sources.push((pass.kernel.name.to_owned(), source));
            }
        }
    }
    Ok(sources)
}
