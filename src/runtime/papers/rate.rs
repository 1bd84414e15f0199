//! How many operations a second a device can do (cl/papers/arithmetic.cl).

use crate::device::DeviceKind;
use crate::error::Result;
use crate::runtime::engine::Engine;
use crate::strategy::Kernel;
use crate::wavelet::SampleType;

/// Vectors of 16 numbers that a work-item has.
const CHAINS: usize = 4;
/// Operations of each of two kinds on each number.
const ROUNDS: usize = 256;
/// Work-items in a work-group.
const GROUP: usize = 64;
/// How often it runs; the fastest counts.
const RUNS: usize = 5;

/// The operations per second that a device does at most, of 32 bits: of floats, as multiply-adds of
/// two operations, or of integers.
///
/// # Errors
/// [`Error::Unsupported`](crate::error::Error::Unsupported) for an engine that records no
/// times; else as `Engine::plan`.
pub fn arithmetic_rate(engine: &Engine, sample: SampleType) -> Result<f64> {
    let info = engine.device().info();
    let each = match info.kind {
        DeviceKind::Cpu => 64,
        _ => 256,
    };
    let (groups, group) = (info.compute_units * each, GROUP.min(info.max_work_group));
    let kernel = kernel(!sample.is_integer(), group);
    let kernel = super::PaperKernel::new(engine, "", &kernel)?;
    let sink = engine.zeros::<i32>(1)?;
    let operations = (groups * group * 16 * CHAINS * ROUNDS * 2) as f64;
    let mut best: f64 = 0.0;
    for _ in 0..RUNS {
        // SAFETY: the kernel takes one buffer, and stores at most its first number.
        let run = unsafe { kernel.enqueue(engine, [&sink.buffer], &[], groups) }?;
        best = best.max(operations / run.device_time()?.as_secs_f64());
    }
    Ok(best)
}

pub(super) fn kernel(reals: bool, group: usize) -> Kernel {
    let numbers = if reals { "float16" } else { "int16" };
    let defines = [
        ("NUMBERS_16", numbers.to_owned()),
        ("REALS", u8::from(reals).to_string()),
        ("CHAINS", CHAINS.to_string()),
        ("ROUNDS", ROUNDS.to_string()),
    ];
    super::kernel_of("papers/arithmetic.cl", "arithmetic", &defines, group)
}
