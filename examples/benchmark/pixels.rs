//! Plans that take pixels, beside those that take samples and a pass that only converts.

use crate::common::check::{Random, RandomSample, allowed, expected, refer, relative_error};
use crate::common::cli::{self, Result};
use crate::common::table::{Align, Table};
use crate::common::timing::median;
use crate::{Arguments, Problem};
use half::f16;
use wavelift::{Direction, Engine, Error, Pixel, PixelType, Rounded, Run, SampleType};

/// The columns after those that name the problem: the transform of pixels, of samples, and pixels that become samples (forward)
/// or the other way round (inverse), medians of microseconds; and the last of these over the first, 1 is as fast.
const COLUMNS: [&str; 4] = ["pixels us", "samples us", "convert us", "of convert"];

/// Runs before any that counts.
const WARM_UP: usize = 10;

/// Prints a row for every problem and device. The strategies are those that the planner composes.
pub fn benchmark(
    arguments: &Arguments,
    pixel: PixelType,
    problems: &[Problem],
    engines: &[Engine],
) -> Result<()> {
    let names = ["device", "problem"].map(|name| (name, Align::Left));
    let columns = COLUMNS.map(|name| (name, Align::Right));
    let mut table = Table::new(names.into_iter().chain(columns));
    for problem in problems {
        for engine in engines {
            let (platform, device) = engine.device().info().index;
            let mut cells = vec![
                format!("{platform}:{device}"),
                format!("{pixel} {}", problem.name()),
            ];
            let task = Task {
                engine,
                problem,
                level_shift: arguments.level_shift,
                runs: arguments.runs,
            };
            match task.measure(pixel) {
                Ok([pixels, samples, convert]) => {
                    cells.extend(
                        [pixels, samples, convert].map(|n| format!("{:.1}", n as f64 / 1e3)),
                    );
                    cells.push(format!("{:.2}", convert as f64 / pixels.max(1) as f64));
                }
                Err(error) => match error.downcast_ref() {
                    Some(Error::Unsupported { .. } | Error::Memory { .. }) => {
                        cells.push(error.to_string());
                    }
                    _ => return Err(error),
                },
            }
            table.row(cells);
        }
    }
    for engine in engines {
        cli::print(engine.device())?;
    }
    cli::print(table)
}

pub fn random_pixels<P: Pixel>(len: usize) -> Vec<P> {
    let mut random = Random::new(1);
    let largest = (1 << (8 * size_of::<P>())) - 1;
    let mut pixel = || P::from_sample((random.bits() >> 40) as i32 & largest, 0);
    (0..len).map(|_| pixel()).collect()
}

struct Task<'a> {
    engine: &'a Engine,
    problem: &'a Problem,
    level_shift: i32,
    runs: usize,
}

impl Task<'_> {
    fn measure(&self, pixel: PixelType) -> Result<[u64; 3]> {
        match pixel {
            PixelType::U8 => self.measure_from::<u8>(),
            PixelType::U16 => self.measure_from::<u16>(),
            other => Err(format!("cannot make pixels of type {other}").into()),
        }
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
        let plan = engine.plan_from_shifted::<P, T>(transform, shift)?;
        let of_samples = engine.plan::<T>(transform)?;
        let convert = engine.plan_from_shifted::<P, T>(&transform.clone().levels(0), shift)?;
        let pixels = random_pixels::<P>(transform.len());
        let samples: Vec<T> = pixels.iter().map(|v| v.to_sample(shift)).collect();
        let mut x = engine.upload(&pixels)?;
        let mut z = engine.upload(&samples)?;
        let direction = self.problem.direction.direction();
        let mut times = [(); 3].map(|()| Vec::new());
        let mut note = |i: usize, run: usize, done: Run| -> Result<()> {
            let time = done.device_time()?.as_nanos() as u64;
            if run >= WARM_UP {
                times[i].push(time);
            }
            Ok(())
        };
        match direction {
            Direction::Forward => {
                let mut y = engine.upload(&vec![T::POISON; transform.len()])?;
                plan.enqueue_forward(&x, &mut y)?.wait()?;
                let wanted = expected(transform, direction, &samples)?;
                let error = relative_error(&y.download()?, &wanted);
                let bound = allowed::<T>(plan.cost(direction));
                if error > bound {
                    return Err(format!("WRONG: error {error:.1e}, allowed {bound:.0e}").into());
                }
                for run in 0..WARM_UP + self.runs {
                    note(0, run, plan.enqueue_forward(&x, &mut y)?)?;
                    note(1, run, of_samples.enqueue_forward(&z, &mut y)?)?;
                    note(2, run, convert.enqueue_forward(&x, &mut y)?)?;
                }
            }
            Direction::Inverse => {
                let y = engine.upload(&refer(transform, Direction::Forward, &samples)?)?;
                x.write(&vec![P::from_sample(0, 0); transform.len()])?;
                plan.enqueue_inverse(&y, &mut x)?.wait()?;
                // Of halves and rounded samples coefficients are off by more than results may be.
                let is_rounded = matches!(T::TYPE, SampleType::F16 | SampleType::Rounded);
                if !is_rounded && x.download()? != pixels {
                    return Err("WRONG: the pixels did not come back".into());
                }
                for run in 0..WARM_UP + self.runs {
                    note(0, run, plan.enqueue_inverse(&y, &mut x)?)?;
                    note(1, run, of_samples.enqueue_inverse(&y, &mut z)?)?;
                    note(2, run, convert.enqueue_inverse(&y, &mut x)?)?;
                }
            }
        }
        Ok(times.map(|times| median(&times)))
    }
}
