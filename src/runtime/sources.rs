//! The sources of a transform's programs, for checks that need no device.

use super::program::source;
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lifting::prelude::prelude;
use crate::strategy::{Problem, Strategy, Target, Tuning};
use crate::transform::Transform;
use crate::wavelet::{Direction, SampleType};

/// The name of the kernel and the source of every program that a plan of this transform builds, in both directions.
/// `tuning` are lines as `Engine::with_tuning` takes them. Makes no OpenCL call: the device can be an imaginary one.
///
/// # Errors
/// As for such a plan.
#[doc(hidden)]
pub fn kernel_sources(
    transform: &Transform,
    sample: SampleType,
    strategy: Strategy,
    device: &DeviceInfo,
    tuning: &str,
) -> Result<Vec<(String, String)>> {
    transform.check()?;
    sample.check(&transform.wavelet)?;
    let tuning = &Tuning::load()?.with(tuning)?;
    let target = Target { device, tuning };
    let mut sources: Vec<(String, String)> = Vec::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        let problem = Problem {
            transform: transform.clone(),
            sample,
            direction,
        };
        strategy.require(&problem, &target)?;
        let prelude = prelude(&transform.wavelet, sample, direction);
        for pass in strategy.design(&problem, &target).passes {
            let source = source(&prelude, &pass.kernel);
            if sources.iter().all(|(_, known)| *known != source) {
                sources.push((pass.kernel.name.to_owned(), source));
            }
        }
    }
    Ok(sources)
}
