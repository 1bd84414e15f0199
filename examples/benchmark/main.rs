//! Measures how long transforms take in comparison with a plain copy of the same bytes,
//! after checking each result.
//!
//! `cargo run --release --example benchmark -- --sizes 4096,1920x1080 --levels 1,5`

#[path = "../common/mod.rs"]
mod common;

mod arguments;
mod bus;
mod choice;
mod each;
mod group;
mod host;
mod map;
mod pixels;
mod problem;
mod report;
mod session;
mod tiles;

use arguments::Arguments;
use common::cli::{self, Result};
use indicatif::{ProgressBar, ProgressStyle};
use problem::problems;
use session::{Outcome, Row, Session};
use std::process::ExitCode;
use wavelift::{Device, DeviceSelector, Engine};

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
