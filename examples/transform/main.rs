//! Transforms arrays and pictures in files, so that other programs can check this library.
//!
//! `cargo run --release --example transform -- forward in.png out.npy --wavelet cdf53`

#[path = "../common/mod.rs"]
mod common;

mod array;
mod compute;
mod npy;
mod picture;
mod stored;

use array::{Array, Kind};
use clap::Parser;
use common::cli::{self, DirectionArgument, Result, about};
use common::replace::write_temporary;
use compute::Task;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use stored::Stored;
use wavelift::{
    Boundary, DeviceSelector, Direction, Layout, PixelType, SampleType, Strategy, Transform,
    Wavelet,
};

/// Transforms the array or picture in one file, writes the result to another, and prints one line
/// of JSON with the device, the strategy and the times in nanoseconds.
///
/// Files are arrays (.npy, C order, 1 to 4 axes, either byte order) or pictures (.png; .jpg and
/// .jpeg for IN only). A picture is an array of height x width, or of 3 x height x width if it has
/// colours. An alpha channel must be opaque, and is dropped.
///
/// From one .npy to another, arrays of 1 GiB and more that need no conversion go in tiles, from
/// file to file: they may be larger than the memory of this machine. So do files of samples alone,
/// without a header and in the machine's byte order (.raw), and all arrays with --memory. An
/// interrupt (Ctrl-C) then ends the program as an error does.
///
/// Every error is reported as one line on stderr and exit code 2, and leaves OUT unchanged.
#[derive(Parser)]
#[command(name = "transform", version, allow_negative_numbers = true)]
struct Arguments {
    /// From samples to coefficients (forward), or back (inverse)
    direction: DirectionArgument,
    /// The file to transform
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write. A picture, which only an inverse can write, is rounded and clamped to 8
    /// bits per sample, or to 16 if a value is above 383 or `--pixels` says u16; `clipped` in the
    /// JSON line counts the clamped samples
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The wavelet
    #[arg(long, default_value = "cdf97", value_parser = cli::wavelet())]
    wavelet: Wavelet,
    /// The number of levels, 0 to 64, each applied to all chosen axes together
    #[arg(long, default_value_t = 5)]
    levels: u32,
    /// The axes to transform, such as `0,1`; the others are a batch [default: all axes of
    /// an array; the last two if IN or OUT is a picture, so an array made from a picture
    /// with colours needs `1,2`]
    #[arg(long, value_delimiter = ',')]
    axes: Option<Vec<usize>>,
    /// The boundary rule [default: that of the wavelet's standard]
    #[arg(long, value_parser = cli::boundary())]
    boundary: Option<Boundary>,
    /// The layout of the coefficients
    #[arg(long, default_value = "mallat", value_parser = cli::layout())]
    layout: Layout,
    /// Transform samples of this type, to which IN is converted by rounding to nearest (ties to
    /// even) and saturating; `saturated` in the JSON line counts the values beyond its range
    /// [default: an array keeps its type (int16, int32, float16, float32 or float64); pixels become
    /// i16 (8 bits per sample) or i32 (16 bits) if the wavelet has integer steps, or else f32]
    #[arg(long, value_parser = cli::sample())]
    sample: Option<SampleType>,
    /// The shape of a .raw file as IN, outermost axis first, such as `65536x49152`;
    /// `--sample` says what it has
    #[arg(long, value_delimiter = 'x')]
    shape: Option<Vec<usize>>,
    /// Transform from file to file in tiles, with at most so many MiB on the device
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Have the device take pixels of this type from IN (forward), or make them for OUT (inverse),
    /// so that nothing else is copied to or from it [default: forward, a picture's and those of an
    /// array of uint8 or uint16, where every one is a sample exactly; inverse, none]
    #[arg(long, value_parser = cli::pixels())]
    pixels: Option<PixelType>,
    /// What is taken from each pixel, and given back by the inverse, such as 128
    #[arg(long, default_value_t = 0, allow_hyphen_values = true)]
    level_shift: i32,
    /// Bits per sample of a picture as OUT, 8 or 16 [default: those of `--pixels`, or
    /// else as its values need]
    #[arg(long, value_parser = bits)]
    bits: Option<u32>,
    /// `auto` for the strategies that the planner composes, `reference` to compute without OpenCL,
    /// or a single strategy by name, such as streamed or stepwise, or with passes as in
    /// separable:one_pair+exchanged
    #[arg(long, default_value = "auto", value_parser = cli::strategy::<StrategyChoice>())]
    strategy: StrategyChoice,
    /// The OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and
    /// device like `0:1`; the reference needs none [default: the one that
    /// WAVELIFT_DEVICE names, or else the best]
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
                "the name ends neither in .npy or .raw nor in .png, or of IN .jpg or .jpeg",
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
    if arguments.shape.is_some() && input != Format::Raw {
        return Err("`--shape` is that of a .raw file; IN has its own".into());
    }
    if arguments.level_shift != 0 && arguments.pixels.is_none() {
        return Err("a level shift is one of pixels; add `--pixels` u8 or u16".into());
    }
    if arguments.bits.is_some() && output != Format::Png {
        return Err("`--bits` is that of a picture; OUT is none".into());
    }
    if let Some(stored) = Stored::of(&arguments, input, output)? {
        return stored.transform(&arguments, output);
    }
    let array = match input {
        Format::Npy => npy::read(&arguments.input, |own| arguments.kind_of(own)),
        _ => picture::read(&arguments.input, |own| arguments.kind_of_pixels(own)),
    };
    let array = array.map_err(about(&arguments.input))?;
    let is_picture = input != Format::Npy || output != Format::Npy;
    let transform = arguments.transform(&array.shape, is_picture);
    transform.check()?;
    let device = match arguments.strategy {
        StrategyChoice::Reference => None,
        _ => Some(cli::selector(arguments.device.clone())?.pick()?),
    };
    let (shape, saturated) = (array.shape.clone(), array.saturated);
    let task = Task {
        arguments: &arguments,
        transform: &transform,
        device,
    };
    let (samples, mut report) = task.compute(array)?;
    report["saturated"] = json!(saturated);
    let array = Array {
        shape,
        samples,
        saturated: 0,
    };
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

    /// The type of samples that pixels become.
    fn sample_of(&self, pixel: PixelType) -> SampleType {
        let integers = self.wavelet.integer_steps().is_some();
        let default = match pixel {
            _ if !integers => SampleType::F32,
            PixelType::U8 => SampleType::I16,
            _ => SampleType::I32,
        };
        self.sample.unwrap_or(default)
    }

    /// What pixels are read as: what the device takes, or samples.
    fn kind_of_pixels(&self, own: PixelType) -> Kind {
        let sample = self.sample_of(own);
        let takes = self.direction.direction() == Direction::Forward;
        match self.pixels {
            Some(wanted) if takes => Kind::Pixel(wanted),
            None if takes && own.check(sample, self.level_shift).is_ok() => Kind::Pixel(own),
            _ => Kind::Sample(sample),
        }
    }

    /// The same of an array, whose own type may be none.
    fn kind_of(&self, own: Option<Kind>) -> Option<Kind> {
        let takes = self.direction.direction() == Direction::Forward;
        match (own, self.pixels) {
            (_, Some(wanted)) if takes => Some(Kind::Pixel(wanted)),
            (Some(Kind::Pixel(own)), _) if takes => Some(self.kind_of_pixels(own)),
            (Some(Kind::Pixel(_)) | None, _) => self.sample.map(Kind::Sample),
            (own, _) => self.sample.map(Kind::Sample).or(own),
        }
    }
}
