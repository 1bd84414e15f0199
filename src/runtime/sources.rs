//! The sources of a transform's programs, for checks that need no device.

use super::program::source;
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lifting::prelude::prelude;
use crate::strategy::{self, Problem, Strategy, Target, Tuning};
use crate::transform::Transform;
use crate::wavelet::{Direction, SampleType};

/// The name of the kernel and the source of every program that a plan of this transform builds, in both directions, with one strategy
/// or as the planner composes them.
/// `tuning` are lines as `Engine::with_tuning` takes them. Makes no OpenCL call: the device can be an imaginary one.
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
    transform.check()?;
    sample.check(&transform.wavelet)?;
    let tuning = &Tuning::load()?.with(tuning)?;
    let target = Target {
        device,
        tuning,
        limits: &[],
    };
    let strategies = strategy
        .as_ref()
        .map_or(Strategy::ALL, std::slice::from_ref);
    let mut sources: Vec<(String, String)> = Vec::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        let problem = Problem {
            transform: transform.clone(),
            sample,
            direction,
        };
        let prelude = prelude(&transform.wavelet, sample, direction);
        for launch in strategy::plan(&problem, &target, strategies)?.launches {
            let source = source(&prelude, &launch.pass.kernel);
            if sources.iter().all(|(_, known)| *known != source) {
                sources.push((launch.pass.kernel.name.to_owned(), source));
            }
        }
    }
    Ok(sources)
}
