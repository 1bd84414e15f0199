//! Times transforms next to a plain copy of the same bytes, and checks each result first.
//!
//! `cargo run --release --example benchmark -- --sizes 4096,1920x1080 --levels 1,5 --json rows.json`

#[path = "../common/mod.rs"]
mod common;

mod check;
mod report;
mod timing;

use check::{RandomSample, random_samples, relative_error};
use clap::Parser;
use clap::builder::{RangedU64ValueParser, TypedValueParser};
use common::cli::{self, Result, Way};
use common::runner::enqueue;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use timing::{Bench, Times};
use wavelift::{
    Device, DeviceSelector, Engine, Error, Plan, Sample, SampleType, Strategy, Transform, Wavelet,
};

/// Times transforms on OpenCL devices next to a plain copy kernel over the same bytes, run in turns with
/// them. Each result is compared with the CPU reference first: integers must be equal, floats within
/// 2e-6 (f32) or 1e-14 (f64) of the largest value of the f64 reference.
///
/// Every combination of the lists is one row. Times are device times, from the start of the first kernel to
/// the end of the last; `wall` is from enqueueing to the end of waiting. `of copy` is the copy's median over
/// the transform's: 1.00 is as fast as copying. The exit code is 2 where any check fails.
#[derive(Parser)]
#[command(name = "benchmark", version)]
struct Arguments {
    /// Pictures, such as `4096` (4096x4096) or `1920x1080` (width x height)
    #[arg(long, value_delimiter = ',', default_value = "4096")]
    sizes: Vec<Size>,
    /// How many pictures make up an array
    #[arg(long, default_value_t = 1, value_parser = at_least(1))]
    batch: usize,
    #[arg(long, value_delimiter = ',', default_value = "cdf53,cdf97", value_parser = cli::wavelet())]
    wavelets: Vec<Wavelet>,
    #[arg(long, value_delimiter = ',', default_value = "i16,f32", value_parser = cli::sample())]
    samples: Vec<SampleType>,
    /// Numbers of levels, each 0 to 64
    #[arg(long, value_delimiter = ',', default_value = "1,5")]
    levels: Vec<u32>,
    #[arg(long, value_delimiter = ',', default_value = "forward,inverse")]
    directions: Vec<Way>,
    /// `auto` for what suits the device best, or strategies by name
    #[arg(long, value_delimiter = ',', default_value = "auto", value_parser = cli::one_of::<How>(How::names()))]
    strategies: Vec<How>,
    /// Only this OpenCL device, in words like `nvidia` or `pocl:cpu`, or platform and device like `0:1`;
    /// without it every device
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
    /// Runs a row, after warming up
    #[arg(long, default_value_t = 20, value_parser = at_least(20))]
    runs: usize,
    /// Write a list with one object a row to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn at_least(least: u64) -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(least..)
}

/// A picture's size.
#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
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

/// What computes.
#[derive(Clone, Copy)]
enum How {
    Auto,
    With(Strategy),
}

impl How {
    fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once("auto").chain(Strategy::ALL.map(Strategy::name))
    }

    fn name(self) -> &'static str {
        match self {
            How::Auto => "auto",
            How::With(strategy) => strategy.name(),
        }
    }

    fn plan<T: Sample>(self, engine: &Engine, transform: &Transform) -> wavelift::Result<Plan<T>> {
        match self {
            How::Auto => engine.plan(transform),
            How::With(strategy) => engine.plan_with(transform, strategy),
        }
    }
}

impl FromStr for How {
    type Err = Error;

    fn from_str(word: &str) -> wavelift::Result<Self> {
        match word {
            "auto" => Ok(How::Auto),
            name => name.parse().map(How::With),
        }
    }
}

fn main() -> ExitCode {
    env_logger::init();
    cli::run(benchmark)
}

fn benchmark(arguments: Arguments) -> Result<()> {
    let (problems, left_out) = problems(&arguments)?;
    let engines = engines(arguments.device.clone())?;
    let count = problems.len() * engines.len() * arguments.strategies.len();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {msg}")?;
    let bar = ProgressBar::new(count as u64).with_style(style);
    let session = Session {
        arguments: &arguments,
        engines: &engines,
        bar: &bar,
    };
    let mut rows = Vec::new();
    for problem in &problems {
        rows.extend(session.rows(problem)?);
    }
    bar.finish_and_clear();

    for engine in &engines {
        cli::print(engine.device())?;
    }
    cli::print(report::table(&rows))?;
    left_out.iter().try_for_each(cli::print)?;
    if let Some(path) = &arguments.json {
        report::write_json(path, &rows)?;
    }
    let failed = |row: &&Row| matches!(row.outcome, Outcome::Failed(_));
    match rows.iter().filter(failed).count() {
        0 => Ok(()),
        count => Err(format!("{count} of {} rows failed", rows.len()).into()),
    }
}

/// What one reference result serves: all devices and strategies compute the same.
struct Problem {
    transform: Transform,
    sample: SampleType,
    direction: Way,
}

/// Every combination that there is, and a note for each that there is not.
fn problems(arguments: &Arguments) -> Result<(Vec<Problem>, Vec<String>)> {
    let (mut problems, mut left_out) = (Vec::new(), Vec::new());
    for &wavelet in &arguments.wavelets {
        for &sample in &arguments.samples {
            if sample.is_served_by(&wavelet) {
                problems.extend(problems_of(arguments, wavelet, sample)?);
            } else {
                left_out.push(format!("left out: {wavelet} has no steps for {sample}"));
            }
        }
    }
    Ok((problems, left_out))
}

fn problems_of(
    arguments: &Arguments,
    wavelet: Wavelet,
    sample: SampleType,
) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for size in &arguments.sizes {
        for &levels in &arguments.levels {
            let transform = transform(wavelet, size, arguments.batch).levels(levels);
            transform.check()?;
            check_memory(&transform)?;
            problems.extend(arguments.directions.iter().map(|&direction| Problem {
                transform: transform.clone(),
                sample,
                direction,
            }));
        }
    }
    Ok(problems)
}

/// Whether the host can hold the reference's input and result; asked before anything is made.
fn check_memory(transform: &Transform) -> Result<()> {
    let samples = transform.len().saturating_mul(4);
    let probe = Vec::<f64>::new().try_reserve_exact(samples);
    probe.map_err(|_| format!("{:?} samples do not fit into memory", transform.shape).into())
}

fn transform(wavelet: Wavelet, size: &Size, batch: usize) -> Transform {
    match batch {
        1 => Transform::new(wavelet, [size.height, size.width]),
        _ => Transform::new(wavelet, [batch, size.height, size.width]).axes([1, 2]),
    }
}

fn engines(selector: Option<DeviceSelector>) -> Result<Vec<Engine>> {
    let devices = match selector {
        Some(selector) => vec![selector.pick()?],
        None => Device::all()?,
    };
    if devices.is_empty() {
        return Err("there is no OpenCL device".into());
    }
    let engines: wavelift::Result<Vec<Engine>> =
        devices.iter().map(Engine::with_profiling).collect();
    Ok(engines?)
}

/// One line of the table.
struct Row<'a> {
    device: &'a Device,
    problem: &'a Problem,
    /// What was asked for; what ran is in the outcome.
    strategy: &'static str,
    outcome: Outcome,
}

enum Outcome {
    Measured {
        strategy: &'static str,
        times: Times,
    },
    /// A combination that the strategy or the device does not offer.
    Refused(String),
    /// A wrong result, or an error on the way.
    Failed(String),
}

struct Session<'a> {
    arguments: &'a Arguments,
    engines: &'a [Engine],
    bar: &'a ProgressBar,
}

impl<'a> Session<'a> {
    fn rows(&self, problem: &'a Problem) -> Result<Vec<Row<'a>>> {
        match problem.sample {
            SampleType::I16 => self.rows_of::<i16>(problem),
            SampleType::I32 => self.rows_of::<i32>(problem),
            SampleType::F32 => self.rows_of::<f32>(problem),
            SampleType::F64 => self.rows_of::<f64>(problem),
        }
    }

    /// The rows of a problem, which share the input and the result to expect.
    fn rows_of<T: RandomSample>(&self, problem: &'a Problem) -> Result<Vec<Row<'a>>> {
        let name = problem.name();
        self.bar.set_message(format!("{name} on the reference"));
        let samples = random_samples::<T>(problem.transform.len());
        let direction = problem.direction.direction();
        let expected = T::expected(&problem.transform, direction, &samples)?;
        let mut rows = Vec::new();
        for engine in self.engines {
            for &how in &self.arguments.strategies {
                self.bar.set_message(format!("{name} {}", how.name()));
                let outcome = self.outcome::<T>(engine, how, problem, &samples, &expected);
                rows.push(Row {
                    device: engine.device(),
                    problem,
                    strategy: how.name(),
                    outcome,
                });
                self.bar.inc(1);
            }
        }
        Ok(rows)
    }

    fn outcome<T: RandomSample>(
        &self,
        engine: &Engine,
        how: How,
        problem: &Problem,
        samples: &[T],
        expected: &[f64],
    ) -> Outcome {
        let measured = || -> wavelift::Result<Outcome> {
            let plan = how.plan::<T>(engine, &problem.transform)?;
            let input = engine.upload(samples)?;
            // Poisoned, so that a place never written shows.
            let mut output = engine.upload(&vec![T::POISON; samples.len()])?;
            let direction = problem.direction.direction();
            enqueue(&plan, direction, &input, &mut output)?.wait()?;
            let error = relative_error(&output.download()?, expected);
            if !T::is_allowed(error) {
                let bound = T::BOUND;
                let wrong = format!("WRONG: error {error:.1e}, allowed {bound:.0e}");
                return Ok(Outcome::Failed(wrong));
            }
            let mut bench = Bench {
                engine,
                plan: &plan,
                direction,
                input,
                output,
            };
            Ok(Outcome::Measured {
                strategy: plan.strategy().name(),
                times: bench.measure(self.arguments.runs)?,
            })
        };
        match measured() {
            Ok(outcome) => outcome,
            Err(error @ (Error::Unsupported { .. } | Error::Memory { .. })) => {
                Outcome::Refused(error.to_string())
            }
            Err(error) => Outcome::Failed(error.to_string().replace('\n', " ")),
        }
    }
}

impl Problem {
    fn name(&self) -> String {
        let (wavelet, levels) = (self.transform.wavelet, self.transform.levels);
        let (sample, direction) = (self.sample, self.direction.name());
        format!("{wavelet} {sample} {direction} {levels} {}", self.shape())
    }

    fn shape(&self) -> String {
        format!("{:?}", self.transform.shape)
    }
}
