//! Command-line arguments, and errors as one line of text.

use clap::builder::{
    PossibleValuesParser, RangedU64ValueParser, StringValueParser, TypedValueParser,
};
use clap::{Parser, ValueEnum};
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;
use wavelift::{
    Boundary, Device, DeviceSelector, Direction, Error, Layout, PixelType, SampleType, Strategy,
    Wavelet,
};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Reads the arguments and runs the program. Every error, including wrong arguments, is reported as
/// one line on stderr and exit code 2.
pub fn run<A: Parser>(program: impl FnOnce(A) -> Result<()>) -> ExitCode {
    let complaint = match A::try_parse() {
        Ok(arguments) => match program(arguments) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(error) => error.to_string(),
        },
        Err(help) if help.exit_code() == 0 => {
            let _ = help.print();
            return ExitCode::SUCCESS;
        }
        // The first paragraph says what is wrong; a tip may follow, then the usage.
        Err(usage) => {
            let text = usage.render().to_string();
            let (wrong, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
            let mut tips = rest.split("\n\n").map(str::trim);
            let tip = tips.find(|paragraph| paragraph.starts_with("tip:"));
            let wrong = wrong.trim_start_matches("error: ");
            tip.map_or(wrong.to_owned(), |tip| format!("{wrong}; {tip}"))
        }
    };
    eprintln!("{}: {}", A::command().get_name(), one_line(&complaint));
    ExitCode::from(2)
}

fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// Prints a line. Unlike `println!` it returns an error, and does not panic, when stdout is closed.
pub fn print(text: impl Display) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    Ok(writeln!(stdout, "{text}")?)
}

/// Makes an error that says which file it is about.
pub fn about<E: Display>(path: &std::path::Path) -> impl Fn(E) -> Box<dyn std::error::Error> + '_ {
    move |error| format!("{}: {error}", path.display()).into()
}

/// The selector from the arguments, or else from the environment, or else for the best device.
pub fn selector(wanted: Option<DeviceSelector>) -> wavelift::Result<DeviceSelector> {
    wanted.map_or_else(DeviceSelector::from_env, Ok)
}

/// The device to run on, or none if there is no OpenCL device at all, which is reported. It is an
/// error if there are devices and none is the wanted one: nothing then runs elsewhere.
pub fn device_if_any(wanted: Option<DeviceSelector>) -> Result<Option<Device>> {
    let none = match Device::all() {
        Ok(devices) if !devices.is_empty() => {
            let device = selector(wanted)?.pick()?;
            print(format!("device: {device}"))?;
            return Ok(Some(device));
        }
        Ok(_) => "no platform has a device".to_owned(),
        Err(error @ Error::NoRuntime { .. }) => error.to_string(),
        Err(error) => return Err(error.into()),
    };
    print(format!(
        "device: none, so the CPU reference computes: {none}"
    ))?;
    Ok(None)
}

/// A parser for one of the given names, which `--help` lists.
pub fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = wavelift::Error> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name: String| name.parse::<T>())
}

/// A parser for the name of a strategy, with passes or without, or what else a `T` can be.
pub fn strategy<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Into<Box<dyn std::error::Error + Send + Sync>>>,
    T: Clone + Send + Sync + 'static,
{
    StringValueParser::new().try_map(|name: String| name.parse::<T>())
}

/// Reads a strategy; the error for another word lists `others`, which could stand there too.
pub fn strategy_or(others: &str, word: &str) -> std::result::Result<Strategy, String> {
    word.parse().map_err(|error| match error {
        wavelift::Error::Unknown {
            what,
            expected,
            got,
            ..
        } => format!("unknown {what} `{got}`, expected {others} or {expected}"),
        other => other.to_string(),
    })
}

pub fn wavelet() -> impl TypedValueParser<Value = Wavelet> {
    one_of(Wavelet::ALL.iter().map(Wavelet::name))
}

pub fn sample() -> impl TypedValueParser<Value = SampleType> {
    one_of(SampleType::ALL.iter().map(|sample| sample.name()))
}

pub fn pixels() -> impl TypedValueParser<Value = PixelType> {
    one_of(PixelType::ALL.iter().map(|pixel| pixel.name()))
}

pub fn boundary() -> impl TypedValueParser<Value = Boundary> {
    one_of(Boundary::ALL.iter().map(|boundary| boundary.name()))
}

pub fn layout() -> impl TypedValueParser<Value = Layout> {
    one_of(Layout::ALL.iter().map(|layout| layout.name()))
}

pub fn at_least(least: u64) -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(least..)
}

/// The size of a picture in samples.
#[derive(Clone, Copy)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(word: &str) -> std::result::Result<Self, Self::Err> {
        let (width, height) = word.split_once('x').unwrap_or((word, word));
        match (width.parse(), height.parse()) {
            (Ok(width @ 1..), Ok(height @ 1..)) => Ok(Size { width, height }),
            _ => Err("expected a size like 4096 or 1920x1080"),
        }
    }
}

/// The shape of an array, outermost axis first, and the axes that are transformed.
#[derive(Clone)]
pub struct Shape {
    pub lengths: Vec<usize>,
    pub axes: Vec<usize>,
}

impl FromStr for Shape {
    type Err = &'static str;

    fn from_str(word: &str) -> std::result::Result<Self, Self::Err> {
        let numbers = |words: &str, separator: char| {
            let numbers = words.split(separator).map(str::parse::<usize>);
            let numbers: std::result::Result<Vec<usize>, _> = numbers.collect();
            numbers.map_err(|_| "expected a shape like 65536x1024:1 or 4096x4096x3:0+1")
        };
        let (lengths, axes) = match word.split_once(':') {
            Some((lengths, axes)) => (lengths, Some(numbers(axes, '+')?)),
            None => (word, None),
        };
        let lengths = numbers(lengths, 'x')?;
        let axes = axes.unwrap_or_else(|| (0..lengths.len()).collect());
        Ok(Shape { lengths, axes })
    }
}

/// A direction as an argument.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum DirectionArgument {
    Forward,
    Inverse,
}

impl DirectionArgument {
    pub fn name(self) -> &'static str {
        match self {
            DirectionArgument::Forward => "forward",
            DirectionArgument::Inverse => "inverse",
        }
    }

    pub fn direction(self) -> Direction {
        match self {
            DirectionArgument::Forward => Direction::Forward,
            DirectionArgument::Inverse => Direction::Inverse,
        }
    }
}
