//! Transforms files, so that other programs can check this library.
//!
//! `cargo run --release --example transform -- forward picture.png coefficients.npy --wavelet cdf53`

#[path = "../common/mod.rs"]
mod common;

mod array;
mod npy;
mod picture;

use array::{Array, Samples};
use clap::Parser;
use common::cli::{self, Result, Way, about};
use common::replace::beside;
use common::runner::Runner;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};
use wavelift::{
    Boundary, Device, DeviceSelector, Error, Layout, Sample, SampleType, Strategy, Transform,
    Wavelet,
};

/// Transforms the array or picture in one file into another file, and prints one line of JSON: device,
/// strategy, nanoseconds.
///
/// Files are arrays (.npy, C order, 1 to 4 axes, either byte order) or pictures (.png; .jpg and .jpeg for IN
/// only). A picture is an array of height x width, with colours of 3 x height x width; an alpha channel
/// must be opaque, and is dropped.
///
/// Any failure is one line on stderr and exit code 2, and leaves OUT as it was.
#[derive(Parser)]
#[command(name = "transform", version)]
struct Arguments {
    /// From samples to coefficients, or back
    direction: Way,
    /// The file to transform
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write. A picture, of an inverse only, is rounded and clamped to 8 bits a sample, or to 16
    /// where a value is above 383; `clipped` in the JSON line counts the clamped samples
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[arg(long, default_value = "cdf97", value_parser = cli::wavelet())]
    wavelet: Wavelet,
    /// 0 to 64, applied to all chosen axes together
    #[arg(long, default_value_t = 5)]
    levels: u32,
    /// The axes to transform, such as `0,1`; the others are a batch. Without it all of an array, the last two
    /// where IN or OUT is a picture (so an array from a picture in colour needs `1,2`)
    #[arg(long, value_delimiter = ',')]
    axes: Option<Vec<usize>>,
    /// What lies beyond the borders; without it what the wavelet's standard says
    #[arg(long, value_parser = cli::boundary())]
    boundary: Option<Boundary>,
    #[arg(long, default_value = "mallat", value_parser = cli::layout())]
    layout: Layout,
    /// Convert IN to this type, by rounding to nearest (ties to even) and saturating. Without it an array
    /// keeps its type (int16, int32, float32 or float64), and a picture becomes i16 (8 bits a sample) or i32
    /// (16 bits) where the wavelet has integer steps, else f32
    #[arg(long, value_parser = cli::sample())]
    sample: Option<SampleType>,
    /// Bits a sample of a picture as OUT, 8 or 16, instead of by its values
    #[arg(long, value_parser = bits)]
    bits: Option<u32>,
    /// `auto` for what suits the device best, `reference` to compute without OpenCL, or a strategy by name
    #[arg(long, default_value = "auto", value_parser = cli::one_of::<How>(How::names()))]
    strategy: How,
    /// The OpenCL device, in words like `nvidia` or `pocl:cpu`, or platform and device like `0:1`; else what
    /// WAVELIFT_DEVICE says, else the best. The reference needs none
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
}

/// What computes.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Auto,
    Reference,
    With(Strategy),
}

impl How {
    fn names() -> impl Iterator<Item = &'static str> {
        ["auto", "reference"]
            .into_iter()
            .chain(Strategy::ALL.map(Strategy::name))
    }
}

impl FromStr for How {
    type Err = Error;

    fn from_str(word: &str) -> wavelift::Result<Self> {
        match word {
            "auto" => Ok(How::Auto),
            "reference" => Ok(How::Reference),
            name => name.parse().map(How::With),
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
    Png,
    Jpeg,
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("npy") => Ok(Format::Npy),
            Some("png") => Ok(Format::Png),
            Some("jpg" | "jpeg") => Ok(Format::Jpeg),
            _ => Err(about(path)(
                "the name ends neither in .npy nor in .png, .jpg or .jpeg",
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
    let array = match input {
        Format::Npy => npy::read(&arguments.input, arguments.sample),
        _ => picture::read(&arguments.input, arguments.sample, &arguments.wavelet),
    };
    let array = array.map_err(about(&arguments.input))?;
    let is_picture = input != Format::Npy || output != Format::Npy;
    let transform = arguments.transform(&array.shape, is_picture);
    transform.check()?;
    let device = match arguments.strategy {
        How::Reference => None,
        _ => Some(cli::selector(arguments.device.clone())?.pick()?),
    };
    let (samples, mut report) = match array.samples {
        Samples::I16(v) => compute(&arguments, &transform, device, v, Samples::I16)?,
        Samples::I32(v) => compute(&arguments, &transform, device, v, Samples::I32)?,
        Samples::F32(v) => compute(&arguments, &transform, device, v, Samples::F32)?,
        Samples::F64(v) => compute(&arguments, &transform, device, v, Samples::F64)?,
    };
    let shape = array.shape;
    let array = Array { shape, samples };
    let written = beside(&arguments.output, |file| {
        if output == Format::Npy {
            return npy::write(file, &array);
        }
        let written = picture::write(file, &array, arguments.bits)?;
        report["bits"] = json!(written.bits);
        report["clipped"] = json!(written.clipped);
        Ok(())
    })?;
    // Renamed last: a line that nobody gets is a failure too.
    cli::print(report)?;
    written.rename()
}

/// What would silently lose coefficients or samples.
fn refuse_loss(arguments: &Arguments, output: Format) -> Result<()> {
    let path = &arguments.output;
    if output == Format::Jpeg {
        return Err(about(path)(
            "a JPEG would not keep the samples; write a .png or a .npy",
        ));
    }
    if output == Format::Png && arguments.direction == Way::Forward {
        return Err(about(path)(
            "a picture can not hold coefficients; write a .npy",
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
        Transform::new(self.wavelet, shape)
            .axes(axes)
            .levels(self.levels)
            .boundary(self.boundary.unwrap_or(self.wavelet.boundary()))
            .layout(self.layout)
    }
}

/// Transforms, and says how, and how long it took.
fn compute<T: Sample>(
    arguments: &Arguments,
    transform: &Transform,
    device: Option<Device>,
    samples: Vec<T>,
    wrap: fn(Vec<T>) -> Samples,
) -> Result<(Samples, Value)> {
    let start = Instant::now();
    let strategy = match arguments.strategy {
        How::With(strategy) => Some(strategy),
        How::Auto | How::Reference => None,
    };
    let runner = Runner::new(transform, device.as_ref(), strategy)?;
    let build = start.elapsed();
    let (result, times) = runner.run(arguments.direction.direction(), &samples)?;

    let info = device.as_ref().map(Device::info);
    let nanoseconds = |time: Duration| time.as_nanos() as u64;
    // What some drivers compile at the first launch only is part of `transform_ns`.
    let report = json!({
        "platform": info.map(|info| &info.platform),
        "device": info.map(|info| &info.name),
        "strategy": runner.strategy(),
        "wavelet": transform.wavelet.name(),
        "sample": T::TYPE.name(),
        "direction": arguments.direction.name(),
        "levels": transform.levels,
        "shape": transform.shape,
        "axes": transform.axes,
        "boundary": transform.boundary.name(),
        "layout": transform.layout.name(),
        "build_ns": nanoseconds(build),
        "upload_ns": nanoseconds(times.upload),
        "transform_ns": nanoseconds(times.transform),
        "device_ns": times.device.map(nanoseconds),
        "download_ns": nanoseconds(times.download),
    });
    Ok((wrap(result), report))
}
