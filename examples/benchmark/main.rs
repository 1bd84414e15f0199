//! Measures how long transforms take in comparison with a plain copy of the same bytes, after checking each result.
//!
//! `cargo run --release --example benchmark -- --sizes 4096,1920x1080 --levels 1,5 --json rows.json`

#[path = "../common/mod.rs"]
mod common;

mod each;
mod group;
mod host;
mod map;
mod pixels;
mod report;
mod tiles;

use clap::Parser;
use common::case::{Case, Verdict, check_memory};
use common::check::RandomSample;
use common::cli::{self, DirectionArgument, Result, Shape, Size, at_least};
use common::pixels::PixelArguments;
use common::runnable::Runnable;
use common::timing::{Effort, Times};
use half::f16;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use wavelift::{
    Boundary, Cost, Device, DeviceSelector, Engine, Error, Layout, Rounded, Sample, SampleType,
    Strategy, Transform, Wavelet,
};

/// Measures how long transforms take on OpenCL devices, in turns with a plain copy kernel over the same bytes.
/// Each result is first compared with the CPU reference: integers must be equal, floats within 2e-6 (f32) or
/// 1e-14 (f64) of the largest value of the f64 reference.
///
/// Every combination of the lists is one row; with --compare the strategies are columns. Times are device
/// times, from the start of the first kernel to the end of the last. `wall` is the time from enqueueing to the
/// end of waiting, which with --queued includes the copies before the transform. `of copy` is the copy's median
/// over the transform's: 1.00 is as fast as copying. `moved GB/s` and `Gop/s` are what all passes together read and
/// write of global memory and calculate, as the plan counts it, over the median. With --pixels a row has the times of plans of
/// pixels, of plans of samples, and of a pass that only converts; with --host as well, of calls of such plans on slices of the host.
/// The exit code is 2 if any check fails.
#[derive(Parser)]
#[command(name = "benchmark", version)]
#[command(mut_arg("pixels", |pixels| {
    pixels.conflicts_with_all(["strategies", "compare", "queued", "json", "group", "map"])
}))]
struct Arguments {
    /// Sizes of pictures, such as `4096` (4096x4096) or `1920x1080` (width x height) [default: 4096, where there is no
    /// --shape]
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<Size>,
    /// The shape of an array of 1 to 4 axes, outermost first, and after a colon the axes that are transformed:
    /// `4096x4096x3:0+1`; without a colon all of them. Can be given several times
    #[arg(long = "shape", value_name = "SHAPE")]
    shapes: Vec<Shape>,
    /// The number of pictures per array
    #[arg(long, default_value_t = 1, value_parser = at_least(1))]
    batch: usize,
    /// Wavelets
    #[arg(long, value_delimiter = ',', default_value = "cdf53,cdf97", value_parser = cli::wavelet())]
    wavelets: Vec<Wavelet>,
    /// Sample types. Combinations with wavelets that have no steps for them are left out
    #[arg(long, value_delimiter = ',', default_value = "i16,f32", value_parser = cli::sample())]
    samples: Vec<SampleType>,
    /// Numbers of levels, each from 0 to 64
    #[arg(long, value_delimiter = ',', default_value = "1,5")]
    levels: Vec<u32>,
    /// Layouts of the coefficients
    #[arg(long, value_delimiter = ',', default_value = "mallat", value_parser = cli::layout())]
    layouts: Vec<Layout>,
    /// Boundary rules [default: each wavelet's own]
    #[arg(long, value_delimiter = ',', value_parser = cli::boundary())]
    boundaries: Vec<Boundary>,
    /// Directions
    #[arg(long, value_delimiter = ',', default_value = "forward,inverse")]
    directions: Vec<DirectionArgument>,
    /// `auto` for the strategies that the planner composes, or single strategies by name: streamed, single_loop,
    /// register_rows, vectors, separable, stepwise, or with passes as in separable:one_pair+exchanged; `in_place` for a plan in
    /// place, which has the interleaved layout alone [default: auto; with --compare, all, separable with its default
    /// passes]
    #[arg(long, value_delimiter = ',', value_parser = cli::strategy::<StrategyChoice>())]
    strategies: Vec<StrategyChoice>,
    /// Show strategies side by side, in one row per device and problem. Slow ones run less often
    #[arg(long)]
    compare: bool,
    /// Use only this OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and device like
    /// `0:1` [default: every device]
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
    /// The number of runs per strategy, after warming up
    #[arg(long, default_value_t = 20, value_parser = at_least(20))]
    runs: usize,
    /// Enqueue each transform behind long copies, so that device times do not include gaps in which the device
    /// waits for the next kernel to be enqueued, and behind one of its own arrays, which leaves them in the caches
    #[arg(long)]
    queued: bool,
    /// Measure calls on slices of the host instead, as in `forward_into`: how long a call takes, an upload, the kernels and
    /// a download by themselves, a call on pinned arrays, a frame of a stream, and copies between pinned memory and the
    /// device, which is the bus's own rate
    #[arg(long, conflicts_with_all = ["strategies", "compare", "queued", "json"])]
    host: bool,
    /// Measure a batch over all devices at once instead, by the clock, beside the first of them alone: arrays that stay on the
    /// devices, and calls on slices of the host. Its outermost axis is shared out; where that is transformed, tiles are, in calls
    #[arg(long, conflicts_with_all = ["strategies", "compare", "queued", "json", "host", "map"])]
    group: bool,
    /// Measure calls on slices of the host under limits of memory instead, each so many MiB, in tiles where these are less than the
    /// arrays need: by the clock, beside a call without a limit and the bus's own rate
    #[arg(long, value_name = "MIB", value_delimiter = ',', conflicts_with_all = ["strategies", "compare", "queued", "json", "host", "group", "map"])]
    tiles: Vec<u64>,
    #[command(flatten)]
    pixels: PixelArguments,
    /// Draw how long a sample takes as a heat map, into this SVG file, and name the worst ten: a sweep of shapes of 1 to 4 axes, or
    /// those of --shape, by all that is asked for otherwise. Results are not checked, and slow ones run less often. Each
    /// cell is the least time over that of the best as many levels along as many axes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "host"])]
    map: Option<PathBuf>,
    /// About how many samples the shapes of the map have
    #[arg(long, default_value_t = 1 << 22, value_parser = at_least(256), requires = "map")]
    map_samples: usize,
    /// Write the measured rows to this file, as a JSON list with one object per row
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Arguments {
    /// The arrays that are transformed: pictures by their sizes, then those given by their shapes.
    fn shapes(&self) -> Vec<Shape> {
        let mut sizes = self.sizes.clone();
        if sizes.is_empty() && self.shapes.is_empty() {
            if self.map.is_some() {
                return map::sweep(self.map_samples);
            }
            sizes.push(Size {
                width: 4096,
                height: 4096,
            });
        }
        let pictures = sizes.into_iter().map(|size| self.pictures(size));
        pictures.chain(self.shapes.iter().cloned()).collect()
    }

    fn pictures(&self, size: Size) -> Shape {
        let mut lengths = vec![size.height, size.width];
        if self.batch > 1 {
            lengths.insert(0, self.batch);
        }
        let axes = (lengths.len() - 2..lengths.len()).collect();
        Shape { lengths, axes }
    }

    fn strategies(&self) -> Vec<StrategyChoice> {
        match (self.strategies.as_slice(), self.compare) {
            ([], true) => Strategy::ALL
                .iter()
                .copied()
                .map(StrategyChoice::Fixed)
                .collect(),
            ([], false) => vec![StrategyChoice::Auto],
            (named, _) => named.to_vec(),
        }
    }
}

/// The strategy that a row asks for.
#[derive(Clone, Copy)]
enum StrategyChoice {
    Auto,
    Fixed(Strategy),
    InPlace,
}

const IN_PLACE: &str = "in_place";

impl StrategyChoice {
    fn name(self) -> String {
        match self {
            StrategyChoice::Auto => "auto".to_owned(),
            StrategyChoice::Fixed(strategy) => strategy.to_string(),
            StrategyChoice::InPlace => IN_PLACE.to_owned(),
        }
    }

    /// What ran, what it costs, and what came of it.
    fn measure<T: RandomSample>(
        self,
        engine: &Engine,
        case: &Case<T>,
        effort: Effort,
    ) -> wavelift::Result<(String, Cost, Verdict)> {
        let transform = &case.transform;
        let plan = match self {
            StrategyChoice::Auto => engine.plan(transform)?,
            StrategyChoice::Fixed(strategy) => engine.plan_with(transform, strategy)?,
            StrategyChoice::InPlace => {
                let plan = engine.plan_in_place(transform)?;
                let verdict = case.measure(engine, Runnable::InPlace(&plan), effort)?;
                return Ok((self.name(), plan.cost(case.direction), verdict));
            }
        };
        let verdict = case.measure(engine, Runnable::Between(&plan), effort)?;
        let strategy = plan.strategy().to_string();
        Ok((strategy, plan.cost(case.direction), verdict))
    }
}

impl FromStr for StrategyChoice {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        match word {
            "auto" => Ok(StrategyChoice::Auto),
            IN_PLACE => Ok(StrategyChoice::InPlace),
            word => cli::strategy_or("auto, in_place", word).map(StrategyChoice::Fixed),
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
    if arguments.host {
        host::benchmark(&arguments, &problems, &engines)?;
        return left_out.iter().try_for_each(cli::print);
    }
    if arguments.group {
        group::benchmark(&arguments, &problems, &engines)?;
        return left_out.iter().try_for_each(cli::print);
    }
    if !arguments.tiles.is_empty() {
        tiles::benchmark(&arguments, &problems, &engines)?;
        return left_out.iter().try_for_each(cli::print);
    }
    if let Some(pixel) = arguments.pixels.pixels {
        pixels::benchmark(&arguments, pixel, &problems, &engines)?;
        return left_out.iter().try_for_each(cli::print);
    }
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
    match (&arguments.map, arguments.compare) {
        (Some(path), _) => {
            map::write(path, &rows)?;
            cli::print(map::worst(&rows))?;
        }
        (None, true) => cli::print(report::comparison(&rows, columns))?,
        (None, false) => cli::print(report::table(&rows))?,
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

/// A transform to measure. One result of the reference serves for all devices and strategies.
struct Problem {
    transform: Transform,
    sample: SampleType,
    direction: DirectionArgument,
}

/// Every combination of the arguments that exists, and a note for each that does not.
fn problems(arguments: &Arguments) -> Result<(Vec<Problem>, Vec<String>)> {
    let (mut problems, mut left_out) = (Vec::new(), Vec::new());
    for wavelet in &arguments.wavelets {
        for &sample in &arguments.samples {
            if sample.is_served_by(wavelet) {
                problems.extend(problems_of(arguments, wavelet.clone(), sample)?);
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
    for Shape { lengths, axes } in arguments.shapes() {
        for &levels in &arguments.levels {
            let transform = Transform::new(wavelet.clone(), lengths.clone());
            let transform = transform.axes(axes.clone()).levels(levels);
            transform.check()?;
            check_memory(&transform)?;
            let boundaries = match arguments.boundaries.as_slice() {
                [] => &[transform.boundary_rule()],
                named => named,
            };
            for (&boundary, &layout) in boundaries.iter().flat_map(|boundary| {
                arguments
                    .layouts
                    .iter()
                    .map(move |layout| (boundary, layout))
            }) {
                problems.extend(arguments.directions.iter().map(|&direction| Problem {
                    transform: transform.clone().boundary(boundary).layout(layout),
                    sample,
                    direction,
                }));
            }
        }
    }
    Ok(problems)
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
    /// The strategy that was asked for. The one that ran is in the outcome.
    strategy: String,
    /// The strategy that `auto` would choose. It is known in a comparison only.
    auto: Option<String>,
    outcome: Outcome,
}

enum Outcome {
    Measured {
        strategy: String,
        /// What the passes of the plan cost.
        cost: Cost,
        times: Times,
    },
    /// The strategy or the device does not support the problem.
    Refused(String),
    /// The result was wrong, or an error occurred.
    Failed(String),
}

struct Session<'a> {
    arguments: &'a Arguments,
    strategies: Vec<StrategyChoice>,
    engines: &'a [Engine],
    bar: &'a ProgressBar,
}

impl<'a> Session<'a> {
    fn rows(&self, problem: &'a Problem) -> Result<Vec<Row<'a>>> {
        match problem.sample {
            SampleType::I16 => self.rows_of::<i16>(problem),
            SampleType::I32 => self.rows_of::<i32>(problem),
            SampleType::F16 => self.rows_of::<f16>(problem),
            SampleType::Rounded => self.rows_of::<Rounded>(problem),
            SampleType::F32 => self.rows_of::<f32>(problem),
            SampleType::F64 => self.rows_of::<f64>(problem),
            other => Err(format!("cannot make samples of type {other}").into()),
        }
    }

    /// The rows of a problem, which share the input and the expected result.
    fn rows_of<T: RandomSample>(&self, problem: &'a Problem) -> Result<Vec<Row<'a>>> {
        let name = problem.name();
        self.bar.set_message(format!("{name} on the reference"));
        let (transform, direction) = (&problem.transform, problem.direction.direction());
        let case = match self.arguments.map {
            Some(_) => Case::<T>::unchecked(transform, direction),
            None => Case::new(transform, direction)?,
        };
        let mut rows = Vec::new();
        for engine in self.engines {
            let auto = self.auto_choice::<T>(engine, problem);
            for &choice in &self.strategies {
                self.bar.set_message(format!("{name} {}", choice.name()));
                rows.push(Row {
                    device: engine.device(),
                    problem,
                    strategy: choice.name(),
                    auto: auto.clone(),
                    outcome: self.outcome(engine, choice, &case),
                });
                self.bar.inc(1);
            }
        }
        Ok(rows)
    }

    /// The strategy that `auto` would choose, if it is going to be shown.
    fn auto_choice<T: Sample>(&self, engine: &Engine, problem: &Problem) -> Option<String> {
        let plan = || engine.plan::<T>(&problem.transform).ok();
        let plan = self.arguments.compare.then(plan).flatten();
        plan.map(|plan| plan.strategy().to_string())
    }

    fn outcome<T: RandomSample>(
        &self,
        engine: &Engine,
        choice: StrategyChoice,
        case: &Case<T>,
    ) -> Outcome {
        let runs = self.arguments.runs;
        let effort = match (&self.arguments.map, self.arguments.compare) {
            (Some(_), _) => Effort::glance(runs),
            (None, true) => Effort::brief(runs),
            (None, false) => Effort::full(runs),
        };
        let queued = self.arguments.queued;
        let effort = Effort { queued, ..effort };
        let measured = || -> wavelift::Result<Outcome> {
            let (strategy, cost, verdict) = choice.measure(engine, case, effort)?;
            Ok(match verdict {
                Verdict::Right(times) => Outcome::Measured {
                    strategy,
                    cost,
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
        let (wavelet, levels) = (self.transform.wavelet(), self.transform.level_count());
        let (sample, direction) = (self.sample, self.direction.name());
        format!("{wavelet} {sample} {direction} {levels} {}", self.shape())
    }

    fn shape(&self) -> String {
        let (shape, axes) = (self.transform.shape(), self.transform.chosen_axes());
        let along = match axes.len() == shape.len() {
            true => String::new(),
            false => format!(" along {axes:?}"),
        };
        let layout = match self.transform.coefficient_layout() {
            Layout::Mallat => String::new(),
            other => format!(" {other}"),
        };
        let boundary = match self.transform.boundary_rule() {
            own if own == self.transform.wavelet().boundary() => String::new(),
            other => format!(" {other}"),
        };
        format!("{shape:?}{along}{layout}{boundary}")
    }
}
