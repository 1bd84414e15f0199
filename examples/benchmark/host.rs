//! From slices on the host and back: where the time of a call goes.

use crate::arguments::Arguments;
use crate::bus::{Bus, FRAMES};
use crate::common::check::{RandomSample, random_samples, relative_error};
use crate::common::cli::Result;
use crate::common::pixels::{by_pixel, random_pixels};
use crate::common::timing::median;
use crate::each::print_each;
use crate::problem::Problem;
use half::f16;
use std::time::Instant;
use wavelift::{
    Coefficients, DeviceArray, Direction, Element, Engine, Error, Feeder, PinnedArray, Pixel, Plan,
    Reader, Rounded, Run, SampleType,
};

/// The columns after those that name the problem: a call on ordinary slices and its parts by
/// themselves; a call on pinned arrays; each of many frames of a stream; copies between pinned
/// memory and the device, one way, the other way, and each of many both ways at once. The last two
/// are `bus up` and `bus down` over `call`, and `bus both` over `stream`.
const COLUMNS: [&str; 11] = [
    "call ms",
    "upload ms",
    "kernels ms",
    "download ms",
    "pinned ms",
    "stream ms",
    "bus up ms",
    "bus down ms",
    "bus both ms",
    "of bus",
    "stream of bus",
];

/// Frames on their way at a time, and the most that are timed at once: more than [`FRAMES`] of
/// small ones, since the first one goes up and the last one comes down alone.
const SLOTS: usize = 4;
const MOST_FRAMES: u64 = 64;
const FRAMES_BYTES: u64 = 1 << 30;

/// Prints a row for every problem and device. The strategies are those that the planner composes.
pub fn benchmark(arguments: &Arguments, problems: &[Problem], engines: &[Engine]) -> Result<()> {
    print_each(COLUMNS, problems, engines, |engine, problem| {
        let times = match problem.sample {
            SampleType::I16 => measure::<i16>(engine, problem, arguments),
            SampleType::I32 => measure::<i32>(engine, problem, arguments),
            SampleType::F16 => measure::<f16>(engine, problem, arguments),
            SampleType::Rounded => measure::<Rounded>(engine, problem, arguments),
            SampleType::F32 => measure::<f32>(engine, problem, arguments),
            SampleType::F64 => measure::<f64>(engine, problem, arguments),
            other => Err(format!("cannot make samples of type {other}").into()),
        };
        Ok(times?.cells())
    })
}

/// Nanoseconds of every run, in the order of the columns.
#[derive(Default)]
struct Times([Vec<u64>; 9]);

impl Times {
    fn cells(&self) -> Vec<String> {
        let medians = self.0.each_ref().map(|times| median(times));
        let [call, .., stream, up, down, both] = medians;
        let share = |bus: u64, time: u64| bus as f64 / time.max(1) as f64;
        let mut cells = medians
            .map(|time| format!("{:.3}", time as f64 / 1e6))
            .to_vec();
        for of_bus in [share(up + down, call), share(both, stream)] {
            cells.push(format!("{of_bus:.3}"));
        }
        cells
    }
}

fn measure<T: RandomSample>(
    engine: &Engine,
    problem: &Problem,
    arguments: &Arguments,
) -> Result<Times> {
    let transform = &problem.transform;
    match arguments.pixels.pixels {
        None => {
            let samples = random_samples::<T>(transform.len(), 1);
            let task = Task {
                engine,
                direction: problem.direction.direction(),
                runs: arguments.runs,
                bound: 2.0 * T::BOUND,
            };
            task.measure::<T, T>(&engine.plan(transform)?, samples)
        }
        Some(pixel) => by_pixel!(
            pixel, P => measure_from::<T, P>(engine, problem, arguments), why => Err(why.into())
        ),
    }
}

fn measure_from<T: RandomSample, P: Pixel>(
    engine: &Engine,
    problem: &Problem,
    arguments: &Arguments,
) -> Result<Times> {
    let transform = &problem.transform;
    let plan = engine.plan_from_shifted::<P, T>(transform, arguments.pixels.level_shift)?;
    let direction = problem.direction.direction();
    let bound = match direction {
        Direction::Forward => 2.0 * T::BOUND,
        Direction::Inverse if T::TYPE.is_integer() => 0.0,
        // Some may be rounded the other way; the largest of all may be a little
        // less than a pixel can be.
        Direction::Inverse => 1.5 / (1u64 << (8 * size_of::<P>())) as f64,
    };
    let task = Task {
        engine,
        direction,
        runs: arguments.runs,
        bound,
    };
    task.measure(&plan, random_pixels(transform.len()))
}

struct Task<'a> {
    engine: &'a Engine,
    direction: Direction,
    runs: usize,
    /// How far a result may be from that of another call, relative to the largest value.
    bound: f64,
}

impl Task<'_> {
    fn measure<T: RandomSample, P: Element>(
        &self,
        plan: &Plan<T, P>,
        samples: Vec<P>,
    ) -> Result<Times> {
        let transform = plan.transform();
        match self.direction {
            Direction::Forward => {
                let mut coefficients = Coefficients::zeros(transform)?;
                self.times(Ways {
                    input: &samples,
                    call: &mut || plan.forward_into(&samples, &mut coefficients),
                    result: &|| Ok(plan.forward(&samples)?.into_vec()),
                    enqueue: &|x, y| plan.enqueue_forward(x, y),
                    pinned: &|x, y| plan.forward_pinned(x, y),
                    ends: plan.stream_forward(SLOTS)?,
                })
            }
            Direction::Inverse => {
                // Of others the inverse would go beyond what pixels are.
                let coefficients = plan.forward(&samples)?;
                let mut output = samples;
                self.times(Ways {
                    input: coefficients.as_slice(),
                    call: &mut || plan.inverse_into(&coefficients, &mut output),
                    result: &|| plan.inverse(&coefficients),
                    enqueue: &|x, y| plan.enqueue_inverse(x, y),
                    pinned: &|x, y| plan.inverse_pinned(x, y),
                    ends: plan.stream_inverse(SLOTS)?,
                })
            }
        }
    }

    fn times<I: Element, O: Element>(&self, ways: Ways<I, O>) -> Result<Times> {
        let (engine, len) = (self.engine, ways.input.len());
        let mut output = vec![O::from_sample(77i32, 0); len];
        let mut bus = Bus::of(engine, [len * size_of::<I>(), len * size_of::<O>()])?;
        let (mut pinned, mut result) = (engine.pinned(len)?, engine.pinned(len)?);
        pinned.copy_from_slice(ways.input);
        let (feeder, reader) = &ways.ends;
        let bytes = (len * size_of::<I>().max(size_of::<O>())) as u64;
        let frames = (FRAMES_BYTES / bytes).clamp(FRAMES, MOST_FRAMES);
        let (mut x, mut y) = (engine.upload(ways.input)?, engine.upload(&output)?);
        let mut times = Times::default();
        // Two to warm up.
        for run in 0..self.runs + 2 {
            let call = clock(&mut *ways.call)?;
            let upload = clock(|| x.write(ways.input))?;
            let kernels = (ways.enqueue)(&x, &mut y)?.device_time()?.as_nanos() as u64;
            let download = clock(|| y.download_into(&mut output))?;
            let on_pinned = clock(|| (ways.pinned)(&pinned, &mut result))?;
            if run == 0 {
                // Pictures in stripes may go by another strategy.
                self.check(&output, [&(ways.result)()?, &result])?;
            }
            let stream = clock(|| stream(feeder, reader, frames))?;
            let [up, down] = bus.copy()?;
            let both = bus.copy_frames(frames)?;
            let [frame, both] = [stream / frames, both / frames];
            let all = [
                call, upload, kernels, download, on_pinned, frame, up, down, both,
            ];
            if run >= 2 {
                times
                    .0
                    .iter_mut()
                    .zip(all)
                    .for_each(|(times, time)| times.push(time));
            }
        }
        Ok(times)
    }

    fn check<O: Element>(&self, expected: &[O], results: [&[O]; 2]) -> Result<()> {
        let values = |all: &[O]| -> Vec<f64> { all.iter().map(|one| one.to_sample(0)).collect() };
        let expected = values(expected);
        let mut errors = results
            .map(|got| relative_error(&values(got), &expected))
            .into_iter();
        if errors.any(|error| error > self.bound) {
            return Err("a call's result is another than that of arrays on the device".into());
        }
        Ok(())
    }
}

type Between<'a, From, To, R> = dyn Fn(&From, &mut To) -> wavelift::Result<R> + 'a;

/// The ways of a transform from an input to an output.
struct Ways<'a, I: Element, O: Element> {
    input: &'a [I],
    call: &'a mut dyn FnMut() -> wavelift::Result<()>,
    result: &'a dyn Fn() -> wavelift::Result<Vec<O>>,
    enqueue: &'a Between<'a, DeviceArray<I>, DeviceArray<O>, Run>,
    pinned: &'a Between<'a, PinnedArray<I>, PinnedArray<O>, ()>,
    ends: (Feeder<I, O>, Reader<I, O>),
}

/// Sends frames through a stream that has them already, as many at a time as there are slots.
fn stream<I: Element, O: Element>(
    feeder: &Feeder<I, O>,
    reader: &Reader<I, O>,
    frames: u64,
) -> std::result::Result<(), Error> {
    let slots = SLOTS as u64;
    for number in 0..frames + slots {
        if number >= slots {
            drop(reader.next()?);
        }
        if number < frames {
            feeder.frame()?.submit()?;
        }
    }
    Ok(())
}

fn clock<E>(work: impl FnOnce() -> std::result::Result<(), E>) -> std::result::Result<u64, E> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_nanos() as u64)
}
