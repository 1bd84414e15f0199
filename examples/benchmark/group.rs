//! A batch, or the tiles of one array, over all devices at once, beside the first of them alone.

use crate::arguments::Arguments;
use crate::common::check::{RandomSample, random_samples, relative_error, to_f64};
use crate::common::cli::{self, Result};
use crate::common::table::{Align, Table};
use crate::common::timing::median;
use crate::problem::Problem;
use half::f16;
use std::ops::ControlFlow;
use std::time::Instant;
use wavelift::{
    Coefficients, Direction, Engine, EngineGroup, Error, GroupArray, GroupPinned, GroupPlan,
    Rounded, SampleType,
};

/// The columns after that which names the problem: how many pictures each device has, none of what
/// goes in tiles; arrays on the devices, arrays in pinned memory of the host, and slices, by the
/// first device alone and by all.
const COLUMNS: [&str; 10] = [
    "pictures",
    "one ms",
    "all ms",
    "one / all",
    "pinned, one ms",
    "pinned, all ms",
    "one / all",
    "call, one ms",
    "call, all ms",
    "one / all",
];

/// Bytes of the largest array that slices are timed with too: it takes long
/// to have two more of them.
const LARGEST_SLICE: usize = 3 << 30;

/// How many pictures of a batch are compared.
const COMPARED: usize = 8;

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

/// What a group takes, by the clock.
struct Measured<T> {
    shares: Vec<usize>,
    /// Nanoseconds: arrays on the devices, pinned arrays, and slices where they are not too large.
    times: [Option<u64>; 3],
    /// Some of the results.
    pictures: Vec<T>,
}

fn measure<T: RandomSample>(
    groups: [&EngineGroup; 2],
    problem: &Problem,
    runs: usize,
) -> Result<Vec<String>> {
    // One after the other: neither needs the other's memory.
    let [one, all] = groups.map(|group| measure_group::<T>(group, problem, runs));
    let (one, all) = (one?, all?);
    if relative_error(&one.pictures, &to_f64(&all.pictures)) > 2.0 * T::BOUND {
        return Err("the devices' results differ".into());
    }
    let mut cells = vec![match all.shares[..] {
        [] => "in tiles".to_owned(),
        _ => format!("{:?}", all.shares),
    }];
    for times in one.times.into_iter().zip(all.times) {
        match times {
            (Some(one), Some(all)) => {
                cells.extend([one, all].map(|time| format!("{:.3}", time as f64 / 1e6)));
                cells.push(format!("{:.2}", one as f64 / all.max(1) as f64));
            }
            _ => cells.extend(["-"; 3].map(str::to_owned)),
        }
    }
    Ok(cells)
}

fn measure_group<T: RandomSample>(
    group: &EngineGroup,
    problem: &Problem,
    runs: usize,
) -> Result<Measured<T>> {
    if problem.transform.chosen_axes().contains(&0) {
        return measure_tiles(group, problem, runs);
    }
    let direction = problem.direction.direction();
    let plan = group.plan::<T>(&problem.transform)?;
    let (mut from, mut to) = (plan.pinned()?, plan.pinned()?);
    fill(&mut from);
    let mut x = plan.zeros()?;
    let mut y = plan.zeros()?;
    for (array, samples) in x.parts_mut().iter_mut().zip(from.parts()) {
        array.write(samples)?;
    }
    let resident = timed(runs, || {
        let run = match direction {
            Direction::Forward => plan.enqueue_forward(&x, &mut y)?,
            Direction::Inverse => plan.enqueue_inverse(&x, &mut y)?,
        };
        run.wait()
    })?;
    log::info!("{:?} resident: {resident} ns", plan.shares());
    let pictures = resident_pictures(&plan, &y)?;
    drop((x, y));
    let pinned = timed(runs, || match direction {
        Direction::Forward => plan.forward_pinned(&from, &mut to),
        Direction::Inverse => plan.inverse_pinned(&from, &mut to),
    })?;
    log::info!("{:?} pinned: {pinned} ns", plan.shares());
    // Pinned arrays go in parts, which other strategies may be the best for.
    if relative_error(&pictures, &to_f64(&pinned_pictures(&plan, &to))) > 2.0 * T::BOUND {
        return Err("pinned arrays give another result than arrays on the devices".into());
    }
    let is_small = from.len() * size_of::<T>() <= LARGEST_SLICE;
    let call = is_small.then(|| {
        let samples: Vec<T> = from.parts().iter().flat_map(|part| part.to_vec()).collect();
        drop((from, to));
        calls(&plan, direction, samples, runs)
    });
    Ok(Measured {
        shares: plan.shares(),
        times: [Some(resident), Some(pinned), call.transpose()?],
        pictures,
    })
}

/// What is no batch, between slices.
fn measure_tiles<T: RandomSample>(
    group: &EngineGroup,
    problem: &Problem,
    runs: usize,
) -> Result<Measured<T>> {
    let plan = group.plan_in_tiles::<T>(&problem.transform)?;
    let len = problem.transform.len();
    let drawn = random_samples::<T>(len.min(DRAWN), 1);
    let from: Vec<T> = drawn.iter().copied().cycle().take(len).collect();
    let mut to = from.clone();
    let go_on = |_| ControlFlow::Continue(());
    let call = timed(runs, || match problem.direction.direction() {
        Direction::Forward => plan.forward(&from, &mut to, go_on),
        Direction::Inverse => plan.inverse(&from, &mut to, go_on),
    })?;
    Ok(Measured {
        shares: Vec::new(),
        times: [None, None, Some(call)],
        pictures: to.into_iter().step_by(997).collect(),
    })
}

/// To draw all samples takes long: there are so many, a number that no row has.
const DRAWN: usize = 16_777_213;

/// Random samples, in turns.
fn fill<T: RandomSample>(array: &mut GroupPinned<T>) {
    let drawn = random_samples::<T>(array.len().min(DRAWN), 1);
    let mut next = 0;
    for part in array.parts_mut() {
        let mut rest = &mut part[..];
        while !rest.is_empty() {
            let count = rest.len().min(drawn.len() - next);
            let (piece, behind) = rest.split_at_mut(count);
            piece.copy_from_slice(&drawn[next..next + count]);
            (rest, next) = (behind, (next + count) % drawn.len());
        }
    }
}

/// The pictures that are compared: the place of each among those of a part.
fn compared<T: RandomSample>(plan: &GroupPlan<T>) -> Vec<(usize, usize)> {
    let shares: Vec<usize> = plan
        .shares()
        .into_iter()
        .filter(|&share| share > 0)
        .collect();
    let last = shares.iter().sum::<usize>() - 1;
    let place = |mut number: usize| {
        let mut part = 0;
        while number >= shares[part] {
            number -= shares[part];
            part += 1;
        }
        (part, number)
    };
    (0..COMPARED)
        .map(|i| place(i * last / (COMPARED - 1)))
        .collect()
}

fn resident_pictures<T: RandomSample>(
    plan: &GroupPlan<T>,
    array: &GroupArray<T>,
) -> std::result::Result<Vec<T>, Error> {
    let picture = plan.transform().len() / plan.transform().shape()[0];
    let mut all = Vec::new();
    for (part, number) in compared(plan) {
        let view = array.parts()[part].slice(number * picture, picture)?;
        all.extend(view.download()?);
    }
    Ok(all)
}

fn pinned_pictures<T: RandomSample>(plan: &GroupPlan<T>, array: &GroupPinned<T>) -> Vec<T> {
    let picture = plan.transform().len() / plan.transform().shape()[0];
    let of = |(part, number): (usize, usize)| {
        let part: &[T] = &array.parts()[part];
        part[number * picture..][..picture].to_vec()
    };
    compared(plan).into_iter().flat_map(of).collect()
}

/// The median time of a call on slices of the host.
fn calls<T: RandomSample>(
    plan: &GroupPlan<T>,
    direction: Direction,
    samples: Vec<T>,
    runs: usize,
) -> std::result::Result<u64, Error> {
    let coefficients = samples.clone();
    let mut coefficients = Coefficients::from_parts(plan.transform(), coefficients)?;
    let mut samples = samples;
    timed(runs, || match direction {
        Direction::Forward => plan.forward_into(&samples, &mut coefficients),
        Direction::Inverse => plan.inverse_into(&coefficients, &mut samples),
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
