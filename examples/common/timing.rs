//! Taking times.

use super::runner::enqueue;
use std::time::{Duration, Instant};
use wavelift::{DeviceArray, Direction, Engine, Plan, Result, Sample};

/// Nanoseconds of each run.
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

    /// How close to copying: 1 is as fast.
    pub fn of_copy(&self) -> Option<f64> {
        match median(&self.device) {
            0 => None,
            time => Some(median(&self.copy) as f64 / time as f64),
        }
    }
}

/// How much a measurement is worth.
#[derive(Clone, Copy)]
pub struct Effort {
    pub runs: usize,
    /// No more runs are begun after this time, once there are [`LEAST_RUNS`].
    pub patience: Duration,
    /// Whether transforms (not the copies they are compared with) wait behind long copies, so that the device is never
    /// idle between their kernels.
    pub queued: bool,
}

/// Samples of the long copies, of which there are [`LONG_COPIES`].
const LONG: usize = 1 << 26;
const LONG_COPIES: usize = 3;

/// What a median needs at least.
const LEAST_RUNS: usize = 3;

impl Effort {
    /// All the runs, as long as they may take.
    pub fn full(runs: usize) -> Self {
        let patience = Duration::MAX;
        Effort {
            runs,
            patience,
            queued: false,
        }
    }

    /// For variants of which many are slow: fewer runs of those that take long.
    pub fn brief(runs: usize) -> Self {
        let patience = Duration::from_secs(2);
        Effort {
            patience,
            ..Effort::full(runs)
        }
    }
}

/// A plan with arrays to run on.
pub struct Bench<'a, T: Sample> {
    pub engine: &'a Engine,
    pub plan: &'a Plan<T>,
    pub direction: Direction,
    pub input: DeviceArray<T>,
    pub output: DeviceArray<T>,
}

impl<T: Sample> Bench<'_, T> {
    /// Warms up, then runs copy and transform in turns, so that a machine whose speed drifts does the
    /// same to both.
    pub fn measure(&mut self, effort: Effort) -> Result<Times> {
        let mut long = match effort.queued {
            true => Some([self.engine.zeros::<T>(LONG)?, self.engine.zeros(LONG)?]),
            false => None,
        };
        let start = Instant::now();
        for i in 0.. {
            self.run(&mut Times::default(), long.as_mut())?;
            let warm = i >= 2 && start.elapsed() > Duration::from_millis(100);
            if warm || start.elapsed() > effort.patience {
                break;
            }
        }
        let start = Instant::now();
        let mut times = Times::default();
        for i in 0..effort.runs {
            if i >= LEAST_RUNS && start.elapsed() > effort.patience {
                break;
            }
            self.run(&mut times, long.as_mut())?;
        }
        Ok(times)
    }

    fn run(&mut self, times: &mut Times, long: Option<&mut [DeviceArray<T>; 2]>) -> Result<()> {
        let copy = self.engine.enqueue_copy(&self.input, &mut self.output)?;
        times.copy.push(nanoseconds(copy.device_time()?));
        if let Some([from, to]) = long {
            for _ in 0..LONG_COPIES {
                drop(self.engine.enqueue_copy(from, to)?);
            }
        }
        let start = Instant::now();
        let run = enqueue(self.plan, self.direction, &self.input, &mut self.output)?;
        self.engine.finish()?;
        times.wall.push(nanoseconds(start.elapsed()));
        times.device.push(nanoseconds(run.device_time()?));
        Ok(())
    }
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

/// The middle value, or the mean of the two in the middle.
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
