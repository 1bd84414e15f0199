//! Removes noise from pictures: small details are noise, and large ones are the picture.
//!
//! The noise is estimated from the finest diagonal band, which has little else in it: its median
//! magnitude over 0.6745 is the standard deviation of normal noise (Donoho and Johnstone, 1994).
//! Each band has a threshold of some such deviations, over the band's norm, so that one threshold
//! means the same in every band.
//!
//! - `cargo run --release --example denoise -- PICTURE [--clean PICTURE]`
//! - `cargo run --release --example denoise -- --sigma 20` adds noise to a bundled picture first

mod common;

use clap::Parser;
use common::check::Random;
use common::cli::{self, Result, about};
use common::picture::{Picture, psnr, to_byte};
use common::runner::Runner;
use std::path::PathBuf;
use std::process::ExitCode;
use wavelift::{Band, Coefficients, DeviceSelector, Direction, SampleType, Wavelet};

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/astronaut.png");

/// The median magnitude of normal noise of deviation 1.
const MEDIAN_OF_NOISE: f32 = 0.6745;

/// Removes noise from a picture by thresholds on its wavelet coefficients. The CPU reference
/// computes if there is no OpenCL device.
#[derive(Parser)]
#[command(name = "denoise", version, allow_negative_numbers = true)]
struct Arguments {
    /// A PNG or JPEG file, which is reduced to 8 bits per sample without alpha
    /// [default: a bundled picture]
    picture: Option<PathBuf>,
    /// Adds normal noise of this standard deviation to the picture first; samples are 0 to 255
    #[arg(long, default_value_t = 0.0)]
    sigma: f32,
    /// The picture without noise, to which the results are compared; with --sigma it is the
    /// picture before
    #[arg(long, value_name = "PICTURE", conflicts_with = "sigma")]
    clean: Option<PathBuf>,
    /// The folder to which the results are written
    #[arg(long, default_value = "target/denoise", value_name = "FOLDER")]
    out: PathBuf,
    /// The number of levels, 1 to 64
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=64))]
    levels: u32,
    /// The OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and device like
    /// `0:1` [default: the one that WAVELIFT_DEVICE names, or else the best]
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
}

/// What becomes of a coefficient below and above a threshold.
struct Rule {
    name: &'static str,
    /// The threshold in standard deviations of the noise.
    deviations: f32,
    shrink: fn(f32, f32) -> f32,
}

/// Soft thresholds leave no edge between what is kept and what is not, and so may be lower.
const RULES: [Rule; 2] = [
    Rule {
        name: "soft",
        deviations: 1.5,
        shrink: |value, threshold| value.signum() * (value.abs() - threshold).max(0.0),
    },
    Rule {
        name: "hard",
        deviations: 3.0,
        shrink: |value, threshold| if value.abs() > threshold { value } else { 0.0 },
    },
];

fn main() -> ExitCode {
    env_logger::init();
    cli::run(denoise)
}

fn denoise(arguments: Arguments) -> Result<()> {
    if !(0.0..=255.0).contains(&arguments.sigma) {
        return Err(format!("--sigma {} is not from 0 to 255", arguments.sigma).into());
    }
    let device = cli::device_if_any(arguments.device)?;
    let path = arguments.picture.unwrap_or(BUNDLED.into());
    let mut picture = Picture::open(&path)?;
    let mut clean = arguments.clean.as_deref().map(Picture::open).transpose()?;
    if let Some(clean) = clean
        .as_ref()
        .filter(|clean| clean.size() != picture.size())
    {
        let (size, clean) = (picture.size(), clean.size());
        return Err(format!(
            "the size of the picture, {size}, is not that of the clean one, {clean}"
        )
        .into());
    }
    std::fs::create_dir_all(&arguments.out).map_err(about(&arguments.out))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    cli::print(format!("{name}, {}", picture.size()))?;
    let report = |what: &str, result: &Picture, clean: Option<&Picture>| {
        let path = arguments.out.join(format!("{stem}-{what}.png"));
        result.save(&path)?;
        let psnr = clean.map_or(String::new(), |clean| {
            format!("PSNR {:.2} dB", psnr(&clean.planes, &result.planes))
        });
        cli::print(format!("  {what:8}{psnr:16}{}", path.display()))
    };
    if arguments.sigma > 0.0 {
        let noisy = picture.with(noisy(&picture.planes, arguments.sigma));
        clean = Some(std::mem::replace(&mut picture, noisy));
        report("noisy", &picture, clean.as_ref())?;
    } else if let Some(clean) = &clean {
        cli::print(format!(
            "  PSNR {:.2} dB",
            psnr(&clean.planes, &picture.planes)
        ))?;
    }

    let transform = picture.transform(Wavelet::CDF_9_7, arguments.levels);
    let runner = Runner::new(&transform, device.as_ref(), None)?;
    let samples: Vec<f32> = picture.planes.iter().map(|&v| v.into()).collect();
    let (coefficients, _) = runner.run(Direction::Forward, &samples)?;
    let coefficients = Coefficients::from_parts(&transform, coefficients)?;
    let sigma = estimate(&coefficients)?;
    cli::print(format!(
        "  noise of standard deviation {sigma:.2} estimated"
    ))?;
    for rule in RULES {
        let mut kept = coefficients.clone();
        threshold(&mut kept, &rule, sigma)?;
        let (restored, _) = runner.run(Direction::Inverse, kept.as_slice())?;
        let restored = picture.with(restored.into_iter().map(to_byte).collect());
        report(rule.name, &restored, clean.as_ref())?;
    }
    Ok(())
}

/// The standard deviation of the noise, from the finest diagonal band.
fn estimate(coefficients: &Coefficients<f32>) -> Result<f32> {
    let norm = coefficients
        .transform()
        .band_norm(SampleType::F32, 1, Band::HH)? as f32;
    let finest = coefficients.band(1, Band::HH)?;
    let mut sizes: Vec<f32> = finest.iter().map(f32::abs).collect();
    if sizes.is_empty() {
        return Err(
            "a picture of one row or column has no diagonal band to estimate noise from".into(),
        );
    }
    let middle = sizes.len() / 2;
    let (_, &mut median, _) = sizes.select_nth_unstable_by(middle, f32::total_cmp);
    Ok(median * norm / MEDIAN_OF_NOISE)
}

/// Applies a rule to every band but the low-pass one. A coefficient times the norm of its band is
/// what it adds to the picture.
fn threshold(coefficients: &mut Coefficients<f32>, rule: &Rule, sigma: f32) -> Result<()> {
    let transform = coefficients.transform().clone();
    for (level, band) in transform.bands() {
        if band.is_low() {
            continue;
        }
        let norm = transform.band_norm(SampleType::F32, level, band)? as f32;
        let threshold = rule.deviations * sigma / norm;
        let mut view = coefficients.band_mut(level, band)?;
        view.apply(|value| (rule.shrink)(value, threshold));
    }
    Ok(())
}

/// The samples with normal noise, the same on every machine (Box and Muller, 1958).
fn noisy(samples: &[u8], sigma: f32) -> Vec<u8> {
    let mut random = Random::new(1);
    let mut uniform = || (random.bits() >> 40) as f32 / (1u32 << 24) as f32;
    let mut normal = || {
        let (size, angle) = (1.0 - uniform(), std::f32::consts::TAU * uniform());
        (-2.0 * size.ln()).sqrt() * angle.cos()
    };
    let noise = |&sample: &u8| to_byte(f32::from(sample) + sigma * normal());
    samples.iter().map(noise).collect()
}
