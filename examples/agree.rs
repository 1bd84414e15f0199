//! Runs the same transforms on whatever device there is, and prints a line for each and a number
//! that can be compared with those of other devices: scripts/agree does that.

mod common;

use clap::Parser;
use common::check::{RandomSample, expected, random_samples, relative_error};
use common::cli::{self, Result};
use std::process::ExitCode;
use wavelift::{
    Boundary, Device, DeviceSelector, Direction, Engine, Error, SampleType, Strategy, Transform,
    Wavelet,
};

/// Prints what a device makes of a fixed list of transforms: of integers a checksum, of floats the
/// largest error, as a share of the largest value.
#[derive(Parser)]
#[command(name = "agree", version)]
struct Arguments {
    /// The device [default: the one that WAVELIFT_DEVICE names, or else the best]
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
    /// The strategy [default: as the planner composes them]. Sums do not depend on it
    #[arg(long, value_name = "NAME")]
    strategy: Option<Strategy>,
}

fn main() -> ExitCode {
    env_logger::init();
    cli::run(|arguments: Arguments| {
        let strategy = arguments.strategy;
        let device = cli::selector(arguments.device)?.pick()?;
        cli::print(format!("device: {device}, {}", device.info().version))?;
        for (wavelet, sample) in WAVELETS {
            for transform in transforms(&wavelet) {
                match sample {
                    SampleType::I16 => compare::<i16>(&device, strategy, &transform)?,
                    SampleType::I32 => compare::<i32>(&device, strategy, &transform)?,
                    SampleType::F32 => compare::<f32>(&device, strategy, &transform)?,
                    SampleType::F64 if !device.info().fp64 => {}
                    _ => compare::<f64>(&device, strategy, &transform)?,
                }
            }
        }
        Ok(())
    })
}

const WAVELETS: [(Wavelet, SampleType); 6] = [
    (Wavelet::CDF_5_3, SampleType::I16),
    (Wavelet::VC2_DD_13_7, SampleType::I16),
    (Wavelet::VC2_DAUB_9_7, SampleType::I32),
    (Wavelet::CDF_9_7, SampleType::F32),
    (Wavelet::DAUB_4, SampleType::F32),
    (Wavelet::CDF_9_7, SampleType::F64),
];

/// A picture of odd sides, rows, and a volume.
fn transforms(wavelet: &Wavelet) -> [Transform; 3] {
    let of = |shape: &[usize]| Transform::new(wavelet.clone(), shape);
    [
        of(&[131, 203]).levels(3).boundary(Boundary::Symmetric),
        of(&[7, 1000]).axes([1]).levels(4).boundary(Boundary::Zero),
        of(&[12, 25, 40]).levels(2).boundary(Boundary::Clamp),
    ]
}

/// One line for each direction. Random samples are the same everywhere, and the inverse
/// is of random samples too.
fn compare<T: RandomSample>(
    device: &Device,
    strategy: Option<Strategy>,
    transform: &Transform,
) -> Result<()> {
    let engine = Engine::new(device)?;
    let plan = match strategy {
        Some(strategy) => engine.plan_with::<T>(transform, strategy),
        None => engine.plan::<T>(transform),
    };
    let plan = match plan {
        // No strategy takes everything but two.
        Err(Error::Unsupported { what, .. }) if strategy.is_some() => {
            return cli::print(format!("refused: {what}"));
        }
        plan => plan?,
    };
    let input = random_samples::<T>(transform.len(), 16);
    let x = engine.upload(&input)?;
    for direction in [Direction::Forward, Direction::Inverse] {
        let mut y = engine.upload(&vec![T::POISON; transform.len()])?;
        match direction {
            Direction::Forward => plan.enqueue_forward(&x, &mut y)?,
            Direction::Inverse => plan.enqueue_inverse(&x, &mut y)?,
        };
        let output = y.download()?;
        let result = match T::TYPE.is_integer() {
            true => format!("sum {:016x}", checksum(&output)),
            false => {
                let error = relative_error(&output, &expected(transform, direction, &input)?);
                let verdict = if error <= T::BOUND {
                    "within"
                } else {
                    "beyond"
                };
                format!("error {error:.1e}, {verdict} {:.0e}", T::BOUND)
            }
        };
        let shape: Vec<String> = transform.shape().iter().map(ToString::to_string).collect();
        let (wavelet, shape) = (transform.wavelet().name(), shape.join("x"));
        cli::print(format!(
            "{wavelet} {} {shape} {direction:?}: {result}",
            T::TYPE
        ))?;
    }
    Ok(())
}

/// By FNV-1a.
fn checksum<T: RandomSample>(samples: &[T]) -> u64 {
    let bytes: &[u8] = bytemuck::cast_slice(samples);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
