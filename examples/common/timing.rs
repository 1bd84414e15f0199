//! Measuring how long plans take, in turns with plain copies.

use super::runnable::Runnable;
use std::time::{Duration, Instant};
use wavelift::{DeviceArray, Direction, Engine, Result, Sample};

/// The nanoseconds that each run took: on the device, as the host saw it, and for
/// a copy of the same bytes.
#[derive(Default)]
pub struct Times {
    pub device: Vec<u64>,
    pub wall: Vec<u64>,
    pub copy: Vec<u64>,
}

impl Times {
    pub fn least(&self) -> u64 {
        self.device.iter().copied().min().unwrap_or(0)
    }

    /// The copy's median time over the transform's: 1 is as fast as copying.
    pub fn of_copy(&self) -> Option<f64> {
        match median(&self.device) {
            0 => None,
            time => Some(median(&self.copy) as f64 / time as f64),
        }
    }
}

/// How much time to spend on a measurement.
#[derive(Clone, Copy)]
pub struct Effort {
    pub runs: usize,
    /// How long to run before anything counts.
    pub warm_up: Duration,
    /// After this time, and at least [`LEAST_RUNS`], no more runs are started.
    pub patience: Duration,
    /// Whether each transform, but not the copy that it is compared with, is enqueued behind long
    /// copies and one like that, so that the device is never idle between its kernels.
    pub queued: bool,
}

/// How many samples a long copy has.
const LONG: usize = 1 << 26;
/// How many long copies each transform is enqueued behind.
const LONG_COPIES: usize = 3;

/// The smallest number of runs for a median.
const LEAST_RUNS: usize = 3;

impl Effort {
    /// Makes all runs, however long they take.
    pub fn full(runs: usize) -> Self {
        let patience = Duration::MAX;
        Effort {
            runs,
            warm_up: Duration::from_millis(100),
            patience,
            queued: false,
        }
    }

    /// Makes fewer runs if they are slow, for measuring many variants.
    pub fn brief(runs: usize) -> Self {
        let patience = Duration::from_secs(2);
        Effort {
            patience,
            ..Effort::full(runs)
        }
    }

    /// Hardly longer than a few runs take, for maps of many problems.
    pub fn glance(runs: usize) -> Self {
        Effort {
            warm_up: Duration::from_millis(5),
            patience: Duration::from_millis(150),
            ..Effort::full(runs)
        }
    }

    /// One run after another one, to see that it works.
    pub fn once() -> Self {
        Effort {
            warm_up: Duration::ZERO,
            patience: Duration::ZERO,
            ..Effort::full(1)
        }
    }

    /// Warms up, then calls `run` as often as this effort allows, each of which adds what it took.
    pub fn measure(self, mut run: impl FnMut(&mut Times) -> Result<()>) -> Result<Times> {
        let start = Instant::now();
        for i in 0.. {
            run(&mut Times::default())?;
            let warm = i >= 2 && start.elapsed() > self.warm_up;
            if warm || start.elapsed() > self.patience {
                break;
            }
        }
        let start = Instant::now();
        let mut times = Times::default();
        for i in 0..self.runs {
            if i >= LEAST_RUNS && start.elapsed() > self.patience {
                break;
            }
            run(&mut times)?;
        }
        Ok(times)
    }
}

/// A plan, and the arrays on which it is measured.
pub struct Bench<'a, T: Sample> {
    pub engine: &'a Engine,
    pub plan: Runnable<'a, T>,
    pub direction: Direction,
    pub input: DeviceArray<T>,
    pub output: DeviceArray<T>,
}

impl<T: Sample> Bench<'_, T> {
    /// Warms up, then runs copy and transform in turns, so that a drift of the machine's
    /// speed affects both alike.
    pub fn measure(&mut self, effort: Effort) -> Result<Times> {
        let mut long = match effort.queued {
            true => Some([self.engine.zeros::<T>(LONG)?, self.engine.zeros(LONG)?]),
            false => None,
        };
        effort.measure(|times| self.run(times, long.as_mut()))
    }

    /// The copy is also what a transform in place works on.
    fn run(&mut self, times: &mut Times, long: Option<&mut [DeviceArray<T>; 2]>) -> Result<()> {
        let copy = self.engine.enqueue_copy(&self.input, &mut self.output)?;
        times.copy.push(nanoseconds(copy.device_time()?));
        if let Some([from, to]) = long {
            for _ in 0..LONG_COPIES {
                drop(self.engine.enqueue_copy(from, to)?);
            }
            // Leaves in the device's caches what a run that is not queued finds there, too.
            drop(self.engine.enqueue_copy(&self.input, &mut self.output)?);
        }
        let start = Instant::now();
        let run = self
            .plan
            .enqueue(self.direction, &self.input, &mut self.output)?;
        self.engine.finish()?;
        times.wall.push(nanoseconds(start.elapsed()));
        times.device.push(nanoseconds(run.device_time()?));
        Ok(())
    }
}

pub fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

/// The median: the middle value, or the mean of the two in the middle. It is
/// 0 if there are no values.
pub fn median(times: &[u64]) -> u64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    let middle = times.len() / 2;
    match times.len() % 2 {
        _ if times.is_empty() => 0,
        0 => (times[middle - 1] + times[middle]) / 2,
        _ => times[middle],
    }
}
