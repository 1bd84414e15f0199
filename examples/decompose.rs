//! The demo: decomposes pictures into sub-bands with cdf97, reconstructs each picture from the few
//! coefficients that matter most, and proves that cdf53 on integers loses nothing.
//!
//! `cargo run --release --example decompose -- [PICTURE...]`

mod common;

use clap::Parser;
use common::cli::{self, Result, about};
use common::picture::{Picture, psnr, to_byte};
use common::runner::{Runner, Times};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use wavelift::{Coefficients, Device, DeviceSelector, SampleType, Transform, Wavelet};

const BUNDLED: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/astronaut.png"),
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/data/hubble_deep_field.jpg"
    ),
];

/// The shares of the coefficients from which pictures are reconstructed, in percent.
const SHARES: [usize; 2] = [5, 1];

/// Decomposes pictures into sub-bands, and reconstructs them from the few coefficients that matter
/// most. The CPU reference computes if there is no OpenCL device.
#[derive(Parser)]
#[command(name = "decompose", version, allow_negative_numbers = true)]
struct Arguments {
    /// PNG or JPEG files, which are reduced to 8 bits per sample without alpha
    /// [default: two bundled pictures]
    pictures: Vec<PathBuf>,
    /// The folder to which the results are written
    #[arg(long, default_value = "target/demo", value_name = "FOLDER")]
    out: PathBuf,
    /// The number of levels, 0 to 64
    #[arg(long, default_value_t = 5)]
    levels: u32,
    /// The OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and device like
    /// `0:1` [default: the one that WAVELIFT_DEVICE names, or else the best]
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
}

fn main() -> ExitCode {
    env_logger::init();
    cli::run(demo)
}

fn demo(arguments: Arguments) -> Result<()> {
    let device = cli::device_if_any(arguments.device)?;
    std::fs::create_dir_all(&arguments.out).map_err(about(&arguments.out))?;
    let pictures = match arguments.pictures.is_empty() {
        true => BUNDLED.map(PathBuf::from).to_vec(),
        false => arguments.pictures,
    };
    for path in pictures {
        let picture = Picture::open(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        cli::print(format!("\n{name}, {}", picture.size()))?;
        let files = |what: &str| arguments.out.join(format!("{stem}-{what}.png"));
        few_coefficients(&picture, arguments.levels, device.as_ref(), files)?;
        lossless(&picture, arguments.levels, device.as_ref())?;
    }
    Ok(())
}

/// Writes the mosaic of sub-bands, and the picture reconstructed from the largest coefficients.
fn few_coefficients(
    picture: &Picture,
    levels: u32,
    device: Option<&Device>,
    file: impl Fn(&str) -> PathBuf,
) -> Result<()> {
    let transform = picture.transform(Wavelet::CDF_9_7, levels);
    let runner = Runner::<f32, u8>::from_pixels(&transform, device, None, 0)?;
    // Some drivers compile at the first run, so that one is not measured.
    runner.forward(&picture.planes)?;
    let (coefficients, times) = runner.forward(&picture.planes)?;
    let coefficients = Coefficients::from_parts(&transform, coefficients)?;
    cli::print(described(
        "cdf97 from u8 to f32",
        &runner.strategy(),
        &times,
    ))?;

    let path = file("mosaic");
    picture.with(mosaic(&coefficients)?).save(&path)?;
    cli::print(format!("  {:30}{}", "sub-bands", path.display()))?;

    for percent in SHARES {
        let largest = keep_largest(&coefficients, percent)?;
        let (restored, _) = runner.inverse(&largest)?;
        let restored = picture.with(restored);
        let path = file(&format!("{percent}-percent"));
        restored.save(&path)?;
        let psnr = psnr(&picture.planes, &restored.planes);
        let what = format!("largest {percent} %, PSNR {psnr:.2} dB");
        cli::print(format!("  {what:30}{}", path.display()))?;
    }
    Ok(())
}

/// Transforms pixels to integers and back, and compares every one.
fn lossless(picture: &Picture, levels: u32, device: Option<&Device>) -> Result<()> {
    let transform = picture.transform(Wavelet::CDF_5_3, levels);
    let runner = Runner::<i16, u8>::from_pixels(&transform, device, None, 0)?;
    let pixels = &picture.planes;
    runner.forward(pixels)?;
    let (coefficients, times) = runner.forward(pixels)?;
    cli::print(described(
        "cdf53 from u8 to i16",
        &runner.strategy(),
        &times,
    ))?;
    let (restored, _) = runner.inverse(&coefficients)?;
    let pairs = restored.iter().zip(pixels);
    let wrong = pairs.filter(|(a, b)| a != b).count();
    if wrong > 0 {
        return Err(format!("cdf53 did not restore {wrong} of {} samples", pixels.len()).into());
    }
    let [before, after] = [entropy(pixels), entropy(&coefficients)];
    let count = pixels.len();
    cli::print(format!(
        "  lossless: all {count} samples restored\n  \
         entropy {before:.2} bits per sample, {after:.2} bits per coefficient"
    ))
}

fn described(what: &str, strategy: &str, times: &Times) -> String {
    let ms = |time: Duration| 1e3 * time.as_secs_f64();
    format!(
        "{what}, strategy {strategy}: upload {:.2} ms, transform {:.2} ms, download {:.2} ms",
        ms(times.upload),
        ms(times.transform),
        ms(times.download)
    )
}

/// The coefficients as a picture. The low-pass band is shown as it is, because cdf97
/// preserves the mean. Each other band is stretched about mid-grey so far that one
/// coefficient in two hundred saturates.
fn mosaic(coefficients: &Coefficients<f32>) -> Result<Vec<u8>> {
    let mut mosaic = coefficients.clone();
    let transform = coefficients.transform();
    for (level, band) in transform.bands() {
        if band.is_low() {
            continue;
        }
        let mut view = mosaic.band_mut(level, band)?;
        let mut sizes: Vec<f32> = view.iter().map(f32::abs).collect();
        if sizes.is_empty() {
            continue;
        }
        let place = (sizes.len() - 1) * 199 / 200;
        let (_, &mut largest, _) = sizes.select_nth_unstable_by(place, f32::total_cmp);
        let gain = 127.0 / largest.max(1.0);
        view.apply(|v| 128.0 + gain * v);
    }
    let mut bytes: Vec<u8> = mosaic.into_vec().into_iter().map(to_byte).collect();
    draw_borders(transform, &mut bytes);
    Ok(bytes)
}

/// Draws a thin line where the high-pass bands of each level begin.
fn draw_borders(transform: &Transform, planes: &mut [u8]) {
    let [height, width] = [transform.shape()[1], transform.shape()[2]];
    let (mut rows, mut columns) = (height, width);
    for _ in 0..transform.level_count() {
        let (row, column) = (rows.div_ceil(2), columns.div_ceil(2));
        for plane in planes.chunks_exact_mut(height * width) {
            if row < rows {
                plane[row * width..][..columns].fill(255);
            }
            if column < columns {
                plane[..rows * width]
                    .iter_mut()
                    .skip(column)
                    .step_by(width)
                    .for_each(|v| *v = 255);
            }
        }
        (rows, columns) = (row, column);
    }
}

/// The coefficients with all but the largest set to zero. The largest are those that add most to
/// the picture: magnitude is multiplied by the norm of the band's synthesis function.
fn keep_largest(coefficients: &Coefficients<f32>, percent: usize) -> Result<Vec<f32>> {
    let transform = coefficients.transform();
    let mut weights = Coefficients::<f32>::zeros(transform)?;
    for (level, band) in transform.bands() {
        let norm = transform.band_norm(SampleType::F32, level, band)? as f32;
        weights.band_mut(level, band)?.apply(|_| norm);
    }
    let mut values = coefficients.as_slice().to_vec();
    let weight = |i: usize| (values[i] * weights.as_slice()[i]).abs();
    let mut order: Vec<usize> = (0..values.len()).collect();
    let count = (values.len() * percent).div_ceil(100);
    if count < order.len() {
        order.select_nth_unstable_by(count, |&a, &b| weight(b).total_cmp(&weight(a)));
        order[count..].iter().for_each(|&i| values[i] = 0.0);
    }
    Ok(values)
}

/// The number of bits per value of an ideal code that knows how often each value
/// occurs, and nothing else.
fn entropy<T: Eq + std::hash::Hash>(values: &[T]) -> f64 {
    let mut counts = std::collections::HashMap::new();
    for value in values {
        *counts.entry(value).or_insert(0usize) += 1;
    }
    let share = |count: usize| count as f64 / values.len() as f64;
    counts
        .into_values()
        .map(|count| -share(count) * share(count).log2())
        .sum()
}
