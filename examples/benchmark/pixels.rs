//! Plans that take pixels, beside those that take samples and a pass that only converts.

use crate::arguments::Arguments;
use crate::common::check::RandomSample;
use crate::common::cli::Result;
use crate::common::pixels::{PixelCase, by_pixel};
use crate::common::runner::enqueue;
use crate::common::timing::{median, nanoseconds};
use crate::each::print_each;
use crate::problem::Problem;
use half::f16;
use wavelift::{Direction, Engine, Pixel, PixelType, Rounded, SampleType};

/// Runs before any that counts.
const WARM_UP: usize = 10;

/// Prints a row for every problem and device: the transform of pixels, of samples, and pixels that
/// become samples (forward) or the other way round (inverse), medians of microseconds; and the last
/// of these over the first, 1 is as fast. The strategies are those that the planner composes.
pub fn benchmark(
    arguments: &Arguments,
    pixel: PixelType,
    problems: &[Problem],
    engines: &[Engine],
) -> Result<()> {
    let ours = format!("{pixel} us");
    let columns = [&ours, "samples us", "convert us", "of convert"];
    print_each(columns, problems, engines, |engine, problem| {
        let task = Task {
            engine,
            problem,
            level_shift: arguments.pixels.level_shift,
            runs: arguments.runs,
        };
        let [pixels, samples, convert] = task.measure(pixel)?;
        let microseconds = [pixels, samples, convert].map(|n| format!("{:.1}", n as f64 / 1e3));
        let of_convert = format!("{:.2}", convert as f64 / pixels.max(1) as f64);
        Ok(microseconds.into_iter().chain([of_convert]).collect())
    })
}

struct Task<'a> {
    engine: &'a Engine,
    problem: &'a Problem,
    level_shift: i32,
    runs: usize,
}

impl Task<'_> {
    fn measure(&self, pixel: PixelType) -> Result<[u64; 3]> {
        by_pixel!(pixel, P => self.measure_from::<P>(), why => Err(why.into()))
    }

    fn measure_from<P: Pixel>(&self) -> Result<[u64; 3]> {
        match self.problem.sample {
            SampleType::I16 => self.times::<P, i16>(),
            SampleType::I32 => self.times::<P, i32>(),
            SampleType::F16 => self.times::<P, f16>(),
            SampleType::Rounded => self.times::<P, Rounded>(),
            SampleType::F32 => self.times::<P, f32>(),
            SampleType::F64 => self.times::<P, f64>(),
            other => Err(format!("cannot make samples of type {other}").into()),
        }
    }

    /// Checks the result, then runs all three in turns. What they work on is the same in every run.
    fn times<P: Pixel, T: RandomSample>(&self) -> Result<[u64; 3]> {
        let (engine, transform, shift) = (self.engine, &self.problem.transform, self.level_shift);
        let direction = self.problem.direction.direction();
        let plan = engine.plan_from_shifted::<P, T>(transform, shift)?;
        let of_samples = engine.plan::<T>(transform)?;
        let convert = engine.plan_from_shifted::<P, T>(&transform.clone().levels(0), shift)?;
        let case = PixelCase::<T, P>::new(transform, direction, shift)?;
        let (wrong, mut arrays) = case.try_once(engine, &plan)?;
        if let Some(wrong) = wrong {
            return Err(wrong.into());
        }
        let x = engine.upload(match direction {
            Direction::Forward => &case.samples,
            Direction::Inverse => &case.coefficients,
        })?;
        let mut y = engine.zeros::<T>(transform.len())?;
        let mut times = [(); 3].map(|()| Vec::new());
        for run in 0..WARM_UP + self.runs {
            let done = [
                case.enqueue(&plan, &mut arrays)?.device_time()?,
                enqueue(&of_samples, direction, &x, &mut y)?.device_time()?,
                case.enqueue(&convert, &mut arrays)?.device_time()?,
            ];
            if run >= WARM_UP {
                let all = times.iter_mut().zip(done);
                all.for_each(|(times, time)| times.push(nanoseconds(time)));
            }
        }
        Ok(times.map(|times| median(&times)))
    }
}
