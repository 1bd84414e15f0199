//! Times transforms next to a plain copy of the same bytes, and checks each result first.
//!
//! `cargo run --release --example benchmark -- --sizes 4096,1920x1080 --levels 1,5 --json rows.json`

#[path = "../common/mod.rs"]
mod common;

mod report;

use clap::Parser;
use common::case::{Case, Verdict, check_memory};
use common::check::RandomSample;
use common::cli::{self, Result, Size, Way, at_least};
use common::timing::{Effort, Times};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use wavelift::{
    Device, DeviceSelector, Engine, Error, Plan, Sample, SampleType, Strategy, Transform, Wavelet,
};

/// Times transforms on OpenCL devices next to a plain copy kernel over the same bytes, run in turns with
/// them. Each result is compared with the CPU reference first: integers must be equal, floats within
/// 2e-6 (f32) or 1e-14 (f64) of the largest value of the f64 reference.
///
/// Every combination of the lists is one row; with --compare strategies are columns. Times are device times,
/// from the start of the first kernel to the end of the last; `wall` is from enqueueing to the end of
/// waiting, which with --queued is also for the copies before it. `of copy` is the copy's median over the
/// transform's: 1.00 is as fast as copying. The exit code is 2 where any check fails.
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
    /// `auto` for what suits the device best, or strategies by name [default: auto; with --compare all]
    #[arg(long, value_delimiter = ',', value_parser = cli::one_of::<How>(How::names()))]
    strategies: Vec<How>,
    /// Strategies side by side, a row for each device and problem; slow ones run less often
    #[arg(long)]
    compare: bool,
    /// Only this OpenCL device, in words like `nvidia` or `pocl:cpu`, or platform and device like `0:1`;
    /// without it every device
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
    /// Runs of each strategy, after warming up
    #[arg(long, default_value_t = 20, value_parser = at_least(20))]
    runs: usize,
    /// Let each transform wait behind long copies: gaps in which the device waits for the next kernel to be
    /// enqueued do not count then, in device times
    #[arg(long)]
    queued: bool,
    /// Write a list with one object a row to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Arguments {
    fn strategies(&self) -> Vec<How> {
        match (self.strategies.as_slice(), self.compare) {
            ([], true) => Strategy::ALL.map(How::With).to_vec(),
            ([], false) => vec![How::Auto],
            (named, _) => named.to_vec(),
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
    let strategies = arguments.strategies();
    let columns = strategies.len();
    let count = problems.len() * engines.len() * columns;
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {msg}")?;
    let bar = ProgressBar::new(count as u64).with_style(style);
    let session = Session {
        arguments: &arguments,
        strategies,
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
    match arguments.compare {
        true => cli::print(report::comparison(&rows, columns))?,
        false => cli::print(report::table(&rows))?,
    }
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
    /// What `auto` would take; known in a comparison only.
    auto: Option<Strategy>,
    outcome: Outcome,
}

enum Outcome {
    Measured {
        strategy: Strategy,
        times: Times,
    },
    /// A combination that the strategy or the device does not offer.
    Refused(String),
    /// A wrong result, or an error on the way.
    Failed(String),
}

struct Session<'a> {
    arguments: &'a Arguments,
    strategies: Vec<How>,
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
        let case = Case::<T>::new(&problem.transform, problem.direction.direction())?;
        let mut rows = Vec::new();
        for engine in self.engines {
            let auto = self.choice_of_auto::<T>(engine, problem);
            for &how in &self.strategies {
                self.bar.set_message(format!("{name} {}", how.name()));
                rows.push(Row {
                    device: engine.device(),
                    problem,
                    strategy: how.name(),
                    auto,
                    outcome: self.outcome(engine, how, &case),
                });
                self.bar.inc(1);
            }
        }
        Ok(rows)
    }

    /// What `auto` would take, asked only where it is shown.
    fn choice_of_auto<T: Sample>(&self, engine: &Engine, problem: &Problem) -> Option<Strategy> {
        let plan = || engine.plan::<T>(&problem.transform).ok();
        let plan = self.arguments.compare.then(plan).flatten();
        plan.map(|plan| plan.strategy())
    }

    fn outcome<T: RandomSample>(&self, engine: &Engine, how: How, case: &Case<T>) -> Outcome {
        let runs = self.arguments.runs;
        let effort = match self.arguments.compare {
            true => Effort::brief(runs),
            false => Effort::full(runs),
        };
        let queued = self.arguments.queued;
        let effort = Effort { queued, ..effort };
        let measured = || -> wavelift::Result<Outcome> {
            let plan = how.plan::<T>(engine, &case.transform)?;
            Ok(match case.measure(engine, &plan, effort)? {
                Verdict::Right(times) => Outcome::Measured {
                    strategy: plan.strategy(),
                    times,
                },
                Verdict::Wrong(why) => Outcome::Failed(why),
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
