//! Arguments in, one line of complaint out.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use std::error::Error;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;
use wavelift::{Boundary, DeviceSelector, Direction, Layout, SampleType, Wavelet};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Reads the arguments and runs the program. Whatever goes wrong, wrong arguments included, is one line
/// on stderr and exit code 2.
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
        // The first paragraph says what is wrong; tips and usage follow.
        Err(usage) => {
            let text = usage.render().to_string();
            let paragraph = text.split("\n\n").next().unwrap_or_default();
            paragraph.trim_start_matches("error: ").to_owned()
        }
    };
    eprintln!("{}: {}", A::command().get_name(), one_line(&complaint));
    ExitCode::from(2)
}

fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// Prints without the panic of `println!` when nobody reads.
pub fn print(text: impl Display) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    Ok(writeln!(stdout, "{text}")?)
}

/// Says which file an error is about.
pub fn about<E: Display>(path: &std::path::Path) -> impl Fn(E) -> Box<dyn Error> + '_ {
    move |error| format!("{}: {error}", path.display()).into()
}

/// The device that the arguments ask for, else the environment, else the best.
pub fn selector(wanted: Option<DeviceSelector>) -> wavelift::Result<DeviceSelector> {
    wanted.map_or_else(DeviceSelector::from_env, Ok)
}

/// Reads one of a list of names; `--help` shows them all.
pub fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = wavelift::Error> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name: String| name.parse::<T>())
}

pub fn wavelet() -> impl TypedValueParser<Value = Wavelet> {
    static ALL: &[Wavelet] = &Wavelet::ALL;
    one_of(ALL.iter().map(Wavelet::name))
}

pub fn sample() -> impl TypedValueParser<Value = SampleType> {
    one_of(SampleType::ALL.map(SampleType::name))
}

pub fn boundary() -> impl TypedValueParser<Value = Boundary> {
    one_of(Boundary::ALL.map(Boundary::name))
}

pub fn layout() -> impl TypedValueParser<Value = Layout> {
    one_of(Layout::ALL.map(Layout::name))
}

pub fn at_least(least: u64) -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(least..)
}

/// A picture's size.
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

/// A direction, by its name.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Way {
    Forward,
    Inverse,
}

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Way::Forward => "forward",
            Way::Inverse => "inverse",
        }
    }

    pub fn direction(self) -> Direction {
        match self {
            Way::Forward => Direction::Forward,
            Way::Inverse => Direction::Inverse,
        }
    }
}
