//! Transforms arrays and pictures in files, so that other programs can check this library.
//!
//! `cargo run --release --example transform -- forward picture.png coefficients.npy --wavelet cdf53`

#[path = "../common/mod.rs"]
mod common;

mod array;
mod npy;
mod picture;
mod stored;

use array::{Array, Samples};
use clap::Parser;
use common::cli::{self, DirectionArgument, Result, about};
use common::replace::write_temporary;
use common::runner::Runner;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};
use stored::Stored;
use wavelift::{
    Boundary, Device, DeviceSelector, Layout, Sample, SampleType, Strategy, Transform, Wavelet,
};

/// Transforms the array or picture in one file, writes the result to another, and prints one line of JSON with the
/// device, the strategy and the times in nanoseconds.
///
/// Files are arrays (.npy, C order, 1 to 4 axes, either byte order) or pictures (.png; .jpg and .jpeg for IN only).
/// A picture is an array of height x width, or of 3 x height x width if it has colours. An alpha channel must be
/// opaque, and is dropped.
///
/// From one .npy to another, arrays of 1 GiB and more that need no conversion go in tiles, from file to file: they may be larger
/// than the memory of this machine. So do files of samples alone, without a header and in the machine's byte order (.raw), and
/// all arrays with --memory. An interrupt (Ctrl-C) then ends the program as an error does.
///
/// Every error is reported as one line on stderr and exit code 2, and leaves OUT unchanged.
#[derive(Parser)]
#[command(name = "transform", version)]
struct Arguments {
    /// From samples to coefficients (forward), or back (inverse)
    direction: DirectionArgument,
    /// The file to transform
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write. A picture, which only an inverse can write, is rounded and clamped to 8 bits per
    /// sample, or to 16 if a value is above 383; `clipped` in the JSON line counts the clamped samples
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The wavelet
    #[arg(long, default_value = "cdf97", value_parser = cli::wavelet())]
    wavelet: Wavelet,
    /// The number of levels, 0 to 64, each applied to all chosen axes together
    #[arg(long, default_value_t = 5)]
    levels: u32,
    /// The axes to transform, such as `0,1`; the others are a batch [default: all axes of an array; the last two
    /// if IN or OUT is a picture, so an array made from a picture with colours needs `1,2`]
    #[arg(long, value_delimiter = ',')]
    axes: Option<Vec<usize>>,
    /// The boundary rule [default: that of the wavelet's standard]
    #[arg(long, value_parser = cli::boundary())]
    boundary: Option<Boundary>,
    /// The layout of the coefficients
    #[arg(long, default_value = "mallat", value_parser = cli::layout())]
    layout: Layout,
    /// Convert IN to this type, by rounding to nearest (ties to even) and saturating [default: an array keeps its
    /// type (int16, int32, float32 or float64); a picture becomes i16 (8 bits per sample) or i32 (16 bits) if the
    /// wavelet has integer steps, or else f32]
    #[arg(long, value_parser = cli::sample())]
    sample: Option<SampleType>,
    /// The shape of a .raw file as IN, outermost axis first, such as `65536x49152`; `--sample` says what it has
    #[arg(long, value_delimiter = 'x')]
    shape: Option<Vec<usize>>,
    /// Transform from file to file in tiles, with at most so many MiB on the device
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Bits per sample of a picture as OUT, 8 or 16 [default: as its values need]
    #[arg(long, value_parser = bits)]
    bits: Option<u32>,
    /// `auto` for the strategies that the planner composes, `reference` to compute without OpenCL, or a single
    /// strategy by name: streamed, single_loop, vectors, separable, stepwise, or with passes as in
    /// separable:one_pair+exchanged
    #[arg(long, default_value = "auto", value_parser = cli::strategy::<StrategyChoice>())]
    strategy: StrategyChoice,
    /// The OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and device like `0:1`; the
    /// reference needs none [default: the one that WAVELIFT_DEVICE names, or else the best]
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
}

/// What computes the transform.
#[derive(Clone, Copy, PartialEq)]
enum StrategyChoice {
    Auto,
    Reference,
    Fixed(Strategy),
}

impl FromStr for StrategyChoice {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        match word {
            "auto" => Ok(StrategyChoice::Auto),
            "reference" => Ok(StrategyChoice::Reference),
            word => cli::strategy_or("auto, reference", word).map(StrategyChoice::Fixed),
        }
    }
}

fn bits(word: &str) -> std::result::Result<u32, &'static str> {
    match word {
        "8" => Ok(8),
        "16" => Ok(16),
        _ => Err("expected 8 or 16"),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Npy,
    Raw,
    Png,
    Jpeg,
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("npy") => Ok(Format::Npy),
            Some("raw") => Ok(Format::Raw),
            Some("png") => Ok(Format::Png),
            Some("jpg" | "jpeg") => Ok(Format::Jpeg),
            _ => Err(about(path)(
                "the name ends neither in .npy or .raw nor in .png, .jpg or .jpeg",
            )),
        }
    }
}

fn main() -> ExitCode {
    env_logger::init();
    cli::run(transform)
}

fn transform(arguments: Arguments) -> Result<()> {
    let input = Format::of(&arguments.input)?;
    let output = Format::of(&arguments.output)?;
    refuse_loss(&arguments, output)?;
    if let Some(stored) = Stored::of(&arguments, input, output)? {
        return stored.transform(&arguments, output);
    }
    let array = match input {
        Format::Npy => npy::read(&arguments.input, arguments.sample),
        _ => picture::read(&arguments.input, arguments.sample, &arguments.wavelet),
    };
    let array = array.map_err(about(&arguments.input))?;
    let is_picture = input != Format::Npy || output != Format::Npy;
    let transform = arguments.transform(&array.shape, is_picture);
    transform.check()?;
    let device = match arguments.strategy {
        StrategyChoice::Reference => None,
        _ => Some(cli::selector(arguments.device.clone())?.pick()?),
    };
    let (samples, mut report) = match array.samples {
        Samples::I16(v) => compute(&arguments, &transform, device, v, Samples::I16)?,
        Samples::I32(v) => compute(&arguments, &transform, device, v, Samples::I32)?,
        Samples::F16(v) => compute(&arguments, &transform, device, v, Samples::F16)?,
        Samples::Rounded(v) => compute(&arguments, &transform, device, v, Samples::Rounded)?,
        Samples::F32(v) => compute(&arguments, &transform, device, v, Samples::F32)?,
        Samples::F64(v) => compute(&arguments, &transform, device, v, Samples::F64)?,
    };
    let shape = array.shape;
    let array = Array { shape, samples };
    let complete = write_temporary(&arguments.output, |file| {
        if output == Format::Npy {
            return npy::write(file, &array);
        }
        let written = picture::write(file, &array, arguments.bits)?;
        report["bits"] = json!(written.bits);
        report["clipped"] = json!(written.clipped);
        Ok(())
    })?;
    // Renamed last, because a report that cannot be printed is an error too.
    cli::print(report)?;
    complete.rename()
}

/// Refuses an output that would silently lose coefficients or samples.
fn refuse_loss(arguments: &Arguments, output: Format) -> Result<()> {
    let path = &arguments.output;
    if output == Format::Jpeg {
        return Err(about(path)(
            "a JPEG would not keep the samples; write a .png or a .npy",
        ));
    }
    if output == Format::Png && arguments.direction == DirectionArgument::Forward {
        return Err(about(path)(
            "a picture cannot hold coefficients; write a .npy",
        ));
    }
    Ok(())
}

impl Arguments {
    fn transform(&self, shape: &[usize], is_picture: bool) -> Transform {
        let first = if is_picture {
            shape.len().saturating_sub(2)
        } else {
            0
        };
        let axes = self.axes.clone().unwrap_or((first..shape.len()).collect());
        Transform::new(self.wavelet.clone(), shape)
            .axes(axes)
            .levels(self.levels)
            .boundary(self.boundary.unwrap_or(self.wavelet.boundary()))
            .layout(self.layout)
    }
}

/// Computes the transform, and reports how and how long that took.
fn compute<T: Sample>(
    arguments: &Arguments,
    transform: &Transform,
    device: Option<Device>,
    samples: Vec<T>,
    wrap: fn(Vec<T>) -> Samples,
) -> Result<(Samples, Value)> {
    let start = Instant::now();
    let strategy = match arguments.strategy {
        StrategyChoice::Fixed(strategy) => Some(strategy),
        StrategyChoice::Auto | StrategyChoice::Reference => None,
    };
    let runner = Runner::new(transform, device.as_ref(), strategy)?;
    let build = start.elapsed();
    let (result, times) = runner.run(arguments.direction.direction(), &samples)?;

    let mut report = report(arguments, transform, device.as_ref(), T::TYPE, build);
    report["strategy"] = json!(runner.strategy());
    // Some drivers compile at the first launch; that time is part of `transform_ns`.
    for (name, time) in [
        ("upload_ns", Some(times.upload)),
        ("transform_ns", Some(times.transform)),
        ("device_ns", times.device),
        ("download_ns", Some(times.download)),
    ] {
        report[name] = json!(time.map(nanoseconds));
    }
    Ok((wrap(result), report))
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

/// What was asked for, on which device, and how long the plan took to build.
fn report(
    arguments: &Arguments,
    transform: &Transform,
    device: Option<&Device>,
    sample: SampleType,
    build: Duration,
) -> Value {
    let info = device.map(Device::info);
    json!({
        "platform": info.map(|info| &info.platform),
        "device": info.map(|info| &info.name),
        "wavelet": transform.wavelet().name(),
        "sample": sample.name(),
        "direction": arguments.direction.name(),
        "levels": transform.level_count(),
        "shape": transform.shape(),
        "axes": transform.chosen_axes(),
        "boundary": transform.boundary_rule().name(),
        "layout": transform.coefficient_layout().name(),
        "build_ns": nanoseconds(build),
    })
}
