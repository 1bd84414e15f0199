//! Calls on slices of the host in tiles, under limits of memory, beside a call without one.

use crate::arguments::Arguments;
use crate::bus::{Bus, FRAMES};
use crate::common::check::{RandomSample, random_samples, relative_error, to_f64};
use crate::common::cli::{self, Result};
use crate::common::table::{Align, Table};
use crate::common::timing::median;
use crate::problem::Problem;
use half::f16;
use std::time::Instant;
use wavelift::{Coefficients, Direction, Engine, Error, Rounded, SampleType};

/// The columns after those that name the problem: the limit, a call, copies between
/// pinned memory and the device both ways at once at the rate that many smaller ones
/// have, and these over the call.
const COLUMNS: [&str; 4] = ["MiB", "call ms", "bus both ms", "of bus"];

/// Bytes of a copy that the rate of the bus is measured by.
const BUS_BYTES: usize = 256 << 20;

/// Samples that are compared at once.
const PIECE: usize = 1 << 22;

/// Prints a row for every problem, device and limit as it comes: the whole array first,
/// if the device can hold it.
pub fn benchmark(arguments: &Arguments, problems: &[Problem], engines: &[Engine]) -> Result<()> {
    for engine in engines {
        cli::print(engine.device())?;
        for problem in problems {
            let runs = arguments.runs;
            let table = match problem.sample {
                SampleType::I16 => measure::<i16>(engine, problem, &arguments.tiles, runs),
                SampleType::I32 => measure::<i32>(engine, problem, &arguments.tiles, runs),
                SampleType::F16 => measure::<f16>(engine, problem, &arguments.tiles, runs),
                SampleType::Rounded => measure::<Rounded>(engine, problem, &arguments.tiles, runs),
                SampleType::F32 => measure::<f32>(engine, problem, &arguments.tiles, runs),
                SampleType::F64 => measure::<f64>(engine, problem, &arguments.tiles, runs),
                other => Err(format!("cannot make samples of type {other}").into()),
            };
            cli::print(table?)?;
        }
    }
    Ok(())
}

fn measure<T: RandomSample>(
    engine: &Engine,
    problem: &Problem,
    limits: &[u64],
    runs: usize,
) -> Result<Table> {
    let columns = COLUMNS.map(|name| (name, Align::Right));
    let mut table = Table::new([("problem", Align::Left)].into_iter().chain(columns));
    let len = problem.transform.len();
    let bytes = len * size_of::<T>();
    let part = bytes.min(BUS_BYTES);
    let mut bus = Bus::new(engine, part)?;
    let mut both = Vec::new();
    for _ in 0..5 {
        both.push(bus.copy_both_ways()? / FRAMES);
    }
    drop(bus);
    let both = median(&both) as f64 * bytes as f64 / part as f64;
    let samples = random_samples::<T>(len, 1);
    let coefficients = Coefficients::from_parts(&problem.transform, samples)?;
    let mut whole: Option<Vec<T>> = None;
    let limits = limits
        .iter()
        .map(|mebibytes| mebibytes.saturating_mul(1 << 20));
    for limit in [engine.memory().limit].into_iter().chain(limits) {
        let engine = engine.with_memory_limit(limit)?;
        let (time, result) = call(&engine, problem, &coefficients, runs)?;
        let whole = whole.get_or_insert_with(|| result.clone());
        let mut pieces = whole.chunks(PIECE).zip(result.chunks(PIECE));
        if pieces.any(|(one, other)| relative_error(other, &to_f64(one)) > 2.0 * T::BOUND) {
            return Err("results in tiles are others than those as a whole".into());
        }
        table.row(vec![
            problem.name(),
            (engine.memory().limit >> 20).to_string(),
            format!("{:.3}", time as f64 / 1e6),
            format!("{:.3}", both / 1e6),
            format!("{:.3}", both / time.max(1) as f64),
        ]);
    }
    Ok(table)
}

/// The median time of a call after one to warm up, and its result.
fn call<T: RandomSample>(
    engine: &Engine,
    problem: &Problem,
    coefficients: &Coefficients<T>,
    runs: usize,
) -> std::result::Result<(u64, Vec<T>), Error> {
    let plan = engine.plan::<T>(&problem.transform)?;
    let poison = vec![T::POISON; problem.transform.len()];
    let mut result = Coefficients::from_parts(&problem.transform, poison)?;
    let mut times = Vec::new();
    for run in 0..=runs {
        let start = Instant::now();
        match problem.direction.direction() {
            Direction::Forward => plan.forward_into(coefficients.as_slice(), &mut result)?,
            Direction::Inverse => plan.inverse_into(coefficients, result.as_mut_slice())?,
        }
        if run > 0 {
            times.push(start.elapsed().as_nanos() as u64);
        }
    }
    Ok((median(&times), result.into_vec()))
}
