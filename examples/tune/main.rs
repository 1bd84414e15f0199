//! Searches for sizes that make a strategy faster on a device, by measuring variants in
//! comparison with a plain copy.
//!
//! `cargo run --release --example tune -- --strategies streamed --samples f32 --state h200.jsonl`

#[path = "../common/mod.rs"]
mod common;

mod line;
mod report;
mod search;
mod state;
mod tuner;

use clap::Parser;
use common::case::check_memory;
use common::cli::{self, DirectionArgument, Result, Size, at_least};
use common::pixels::PixelArguments;
use search::Grid;
use state::{State, Trial};
use std::path::PathBuf;
use std::process::ExitCode;
use tuner::{Problem, Row, Tuner};
use wavelift::{DeviceKind, DeviceSelector, SampleType, Strategy, Transform, Wavelet};

/// Searches for sizes with which a strategy is faster on a device than with the
/// library's own sizes, and prints lines for src/strategy/planning/tuned.txt or for the
/// file that WAVELIFT_TUNING names.
///
/// The search changes one size at a time. Starting from the defaults, it sets each size in turn
/// to the best of its candidates if that is 2 % better, until a whole round changes nothing. So
/// it measures tens of variants instead of a full grid of hundreds, but can miss sizes that help
/// only together. The result of each variant is first compared with the CPU reference. The
/// variant then runs in turns with a plain copy kernel, and its score is the copy's median time
/// over the transform's. The winner is also checked on a picture of odd sides and measured again
/// after the defaults; a line is printed only if it is still 3 % better. The exit code is 2 if
/// any result is wrong. A line of sizes is for pixels and samples alike: compare both before one
/// that --pixels found is kept.
#[derive(Parser)]
#[command(name = "tune", version)]
struct Arguments {
    /// The OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and device like
    /// `0:1` [default: the one that WAVELIFT_DEVICE names, or else the best]
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
    /// The strategies to tune: streamed, register_block, single_loop, vectors, separable, or
    /// separable with another row pass as in separable:one_pair+four_pairs [default: streamed on
    /// GPUs, single_loop on CPUs]
    #[arg(long, value_delimiter = ',', value_parser = cli::strategy::<Strategy>())]
    strategies: Vec<Strategy>,
    /// Sample types. Combinations with wavelets that have no steps for them are left out
    #[arg(long, value_delimiter = ',', default_value = "i16,f32", value_parser = cli::sample())]
    samples: Vec<SampleType>,
    /// Wavelets
    #[arg(long, value_delimiter = ',', default_value = "cdf53,cdf97", value_parser = cli::wavelet())]
    wavelets: Vec<Wavelet>,
    /// Directions
    #[arg(long, value_delimiter = ',', default_value = "forward,inverse")]
    directions: Vec<DirectionArgument>,
    /// The size of the picture, such as `4096` (4096x4096) or `1920x1080` (width x height)
    #[arg(long, default_value = "4096")]
    size: Size,
    /// The number of levels, 0 to 64
    #[arg(long, default_value_t = 1)]
    levels: u32,
    /// The number of runs per variant, after warming up; slow ones run less often
    #[arg(long, default_value_t = 20, value_parser = at_least(20))]
    runs: usize,
    /// The sizes to vary and their candidates, such as "FILLING=12,16 PAIRS=4,8" [default:
    /// all sizes worth varying]
    #[arg(long, value_name = "GRID")]
    sizes: Option<Grid>,
    #[command(flatten)]
    pixels: PixelArguments,
    /// Keep measurements in this file, one JSON object per line, and do not repeat those that it
    /// has. The file does not record the library's version: take a new file after kernels or
    /// tuned sizes have changed
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

/// The strategies that have sizes worth varying.
fn tunable() -> Vec<Strategy> {
    let varies = |strategy: &Strategy| !grid_of(*strategy).is_empty();
    Strategy::ALL.iter().copied().filter(varies).collect()
}

/// The candidates for each size of a strategy, in the syntax of --sizes.
fn grid_of(strategy: Strategy) -> String {
    let tunables = strategy.tunables().iter();
    let sizes = tunables.filter(|tunable| !tunable.candidates.is_empty());
    let sizes = sizes.map(|tunable| {
        let candidates: Vec<String> = tunable.candidates.iter().map(usize::to_string).collect();
        format!("{}={}", tunable.name, candidates.join(","))
    });
    sizes.collect::<Vec<_>>().join(" ")
}

impl Arguments {
    fn strategies(&self, kind: DeviceKind) -> Vec<Strategy> {
        match (self.strategies.as_slice(), kind) {
            ([], DeviceKind::Gpu) => vec![Strategy::Streamed],
            ([], DeviceKind::Cpu) => vec![Strategy::SingleLoop],
            ([], DeviceKind::Accelerator) => tunable(),
            (named, _) => named.to_vec(),
        }
    }

    /// The candidates for each of these strategies. Strategies that have none of the wanted sizes
    /// are noted in `left_out`.
    fn grids(
        &self,
        strategies: &[Strategy],
        left_out: &mut Vec<String>,
    ) -> Result<Vec<(Strategy, Grid)>> {
        if let Some(fixed) = strategies.iter().find(|one| grid_of(**one).is_empty()) {
            let known: Vec<String> = tunable().iter().map(Strategy::to_string).collect();
            let known = known.join(", ");
            return Err(format!("--strategies: expected some of {known}, found {fixed}").into());
        }
        let all = strategies.iter();
        let all = all.map(|&strategy| Ok((strategy, grid_of(strategy).parse()?)));
        let mut grids = all.collect::<Result<Vec<(Strategy, Grid)>>>()?;
        let Some(wanted) = &self.sizes else {
            return Ok(grids);
        };
        let known: Vec<&str> = grids.iter().flat_map(|(_, grid)| grid.names()).collect();
        if let Some(name) = wanted.names().find(|name| !known.contains(name)) {
            let known = known.join(", ");
            return Err(format!("--sizes: expected some of {known}, found {name}").into());
        }
        grids.retain_mut(|(strategy, grid)| {
            *grid = wanted.of(grid);
            if grid.is_empty() {
                left_out.push(format!("left out: {strategy} has none of --sizes"));
            }
            !grid.is_empty()
        });
        Ok(grids)
    }
}

fn main() -> ExitCode {
    env_logger::init();
    cli::run(tune)
}

fn tune(arguments: Arguments) -> Result<()> {
    let device = cli::selector(arguments.device.clone())?.pick()?;
    let strategies = arguments.strategies(device.info().kind);
    let mut left_out = Vec::new();
    let grids = arguments.grids(&strategies, &mut left_out)?;
    let problems = problems(&arguments, &mut left_out)?;
    let state = match &arguments.state {
        Some(path) => State::open(path)?,
        None => State::default(),
    };
    let mut tuner = Tuner::new(&device, arguments.runs, state, grids.len() * problems.len())?;
    for (strategy, grid) in &grids {
        for problem in &problems {
            tuner.tune(*strategy, problem, grid)?;
        }
    }
    let (rows, findings) = tuner.finish();

    cli::print(&device)?;
    cli::print(report::table(&rows))?;
    left_out.iter().try_for_each(cli::print)?;
    cli::print(report::lines(device.info(), &findings))?;
    let failed = |row: &&Row| matches!(row.trial, Trial::Failed(_));
    match rows.iter().filter(failed).count() {
        0 => Ok(()),
        count => Err(format!("{count} of {} variants failed", rows.len()).into()),
    }
}

/// Every combination of the arguments that exists. Those that do not are noted in `left_out`.
fn problems(arguments: &Arguments, left_out: &mut Vec<String>) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let Size { width, height } = arguments.size;
    let PixelArguments {
        pixels,
        level_shift,
    } = arguments.pixels;
    let pixels = pixels.map(|pixel| (pixel, level_shift));
    for wavelet in &arguments.wavelets {
        let transform = Transform::new(wavelet.clone(), [height, width]).levels(arguments.levels);
        transform.check()?;
        check_memory(&transform)?;
        for &sample in &arguments.samples {
            if !sample.is_served_by(wavelet) {
                left_out.push(format!("left out: {wavelet} has no steps for {sample}"));
                continue;
            }
            if let Some((pixel, level_shift)) = pixels {
                pixel.check(sample, level_shift)?;
            }
            problems.extend(arguments.directions.iter().map(|&direction| Problem {
                transform: transform.clone(),
                sample,
                direction,
                pixels,
            }));
        }
    }
    Ok(problems)
}
