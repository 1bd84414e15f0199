//! A batch over all devices at once, beside the first of them alone.

use crate::common::check::{RandomSample, random_samples, relative_error, to_f64};
use crate::common::cli::{self, Result};
use crate::common::table::{Align, Table};
use crate::common::timing::median;
use crate::{Arguments, Problem};
use half::f16;
use std::time::Instant;
use wavelift::{
    Coefficients, Direction, Engine, EngineGroup, Error, GroupPlan, Rounded, SampleType,
};

/// The columns after that which names the problem: how many pictures each device has; arrays on the devices, and slices of the
/// host, by the first device alone and by all.
const COLUMNS: [&str; 7] = [
    "pictures",
    "one ms",
    "all ms",
    "one / all",
    "call, one ms",
    "call, all ms",
    "one / all",
];

/// Samples that are compared at once.
const PIECE: usize = 1 << 22;

/// Prints a row for every problem. The strategies are those that the planner composes.
pub fn benchmark(arguments: &Arguments, problems: &[Problem], engines: &[Engine]) -> Result<()> {
    let names = [("problem", Align::Left)];
    let columns = COLUMNS.map(|name| (name, Align::Right));
    let mut table = Table::new(names.into_iter().chain(columns));
    let all = EngineGroup::of(engines.to_vec())?;
    let one = EngineGroup::of(engines[..1].to_vec())?;
    for problem in problems {
        let cells = match problem.sample {
            SampleType::I16 => measure::<i16>([&one, &all], problem, arguments.runs),
            SampleType::I32 => measure::<i32>([&one, &all], problem, arguments.runs),
            SampleType::F16 => measure::<f16>([&one, &all], problem, arguments.runs),
            SampleType::Rounded => measure::<Rounded>([&one, &all], problem, arguments.runs),
            SampleType::F32 => measure::<f32>([&one, &all], problem, arguments.runs),
            SampleType::F64 => measure::<f64>([&one, &all], problem, arguments.runs),
            other => Err(format!("cannot make samples of type {other}").into()),
        }?;
        table.row([vec![problem.name()], cells].concat());
    }
    for engine in engines {
        cli::print(engine.device())?;
    }
    cli::print(table)
}

fn measure<T: RandomSample>(
    groups: [&EngineGroup; 2],
    problem: &Problem,
    runs: usize,
) -> Result<Vec<String>> {
    let direction = problem.direction.direction();
    let samples = many_samples::<T>(problem.transform.len());
    let plans = groups.map(|group| group.plan::<T>(&problem.transform));
    let [one, all] = plans;
    let plans = [one?, all?];
    let mut cells = vec![format!("{:?}", plans[1].shares())];
    let [one, all] = plans
        .each_ref()
        .map(|plan| resident(plan, direction, &samples, runs));
    let [one, all] = [one?, all?];
    // Piece by piece, since as f64 a large batch takes much of the host's memory.
    let pieces = one.1.chunks(PIECE).zip(all.1.chunks(PIECE));
    let mut errors = pieces.map(|(one, all)| relative_error(one, &to_f64(all)));
    if errors.any(|error| error > 2.0 * T::BOUND) {
        return Err("the devices' results differ".into());
    }
    let mut add = |one: u64, all: u64| {
        cells.extend([one, all].map(|time| format!("{:.3}", time as f64 / 1e6)));
        cells.push(format!("{:.2}", one as f64 / all.max(1) as f64));
    };
    add(one.0, all.0);
    let [one, all] = plans
        .each_ref()
        .map(|plan| calls(plan, direction, &samples, runs));
    add(one?, all?);
    Ok(cells)
}

/// Random samples, the same ones again after a number that no row has, since to draw all takes long.
fn many_samples<T: RandomSample>(len: usize) -> Vec<T> {
    const DRAWN: usize = 16_777_213;
    let mut samples = Vec::with_capacity(len);
    samples.extend(random_samples::<T>(len.min(DRAWN), 1));
    while samples.len() < len {
        let more = (len - samples.len()).min(DRAWN);
        samples.extend_from_within(..more);
    }
    samples
}

/// The median time of a transform between arrays on the devices, and its result.
fn resident<T: RandomSample>(
    plan: &GroupPlan<T>,
    direction: Direction,
    samples: &[T],
    runs: usize,
) -> std::result::Result<(u64, Vec<T>), Error> {
    let x = plan.upload(samples)?;
    let mut y = plan.zeros()?;
    let time = timed(runs, || {
        let run = match direction {
            Direction::Forward => plan.enqueue_forward(&x, &mut y)?,
            Direction::Inverse => plan.enqueue_inverse(&x, &mut y)?,
        };
        run.wait()
    })?;
    Ok((time, y.download()?))
}

/// The median time of a call on slices of the host.
fn calls<T: RandomSample>(
    plan: &GroupPlan<T>,
    direction: Direction,
    samples: &[T],
    runs: usize,
) -> std::result::Result<u64, Error> {
    let mut coefficients = Coefficients::from_parts(plan.transform(), samples.to_vec())?;
    let mut output = samples.to_vec();
    timed(runs, || match direction {
        Direction::Forward => plan.forward_into(samples, &mut coefficients),
        Direction::Inverse => plan.inverse_into(&coefficients, &mut output),
    })
}

/// The median of so many runs, after two to warm up.
fn timed<E>(
    runs: usize,
    mut work: impl FnMut() -> std::result::Result<(), E>,
) -> std::result::Result<u64, E> {
    let mut times = Vec::new();
    for run in 0..runs + 2 {
        let start = Instant::now();
        work()?;
        if run >= 2 {
            times.push(start.elapsed().as_nanos() as u64);
        }
    }
    Ok(median(&times))
}
