//! Measuring on one device: times of plans and of anything else that runs, beside
//! a copy of the same array.

use super::common::check::{RandomSample, random_samples};
use super::common::runnable::Runnable;
use super::common::timing::{Bench, Effort, median};
use super::figures::{Figure, Section, rounded};
use indicatif::ProgressBar;
use std::time::{Duration, Instant};
use wavelift::{
    Cost, Device, DeviceArray, DeviceKind, Direction, Engine, Error, Plan, Result, Run, Sample,
    Strategy, Transform, arithmetic_rate,
};

pub struct Session {
    pub engine: Engine,
    pub quick: bool,
    once: bool,
    /// 32-bit operations per second of floats and of integers.
    pub rates: [f64; 2],
    pub bar: ProgressBar,
}

/// How long something took, and what it cost.
pub struct Timed {
    pub seconds: f64,
    /// The same array, copied.
    copied: f64,
    bytes: f64,
    cost: Cost,
    /// The device's arithmetic rate for such samples.
    rate: f64,
}

impl Session {
    pub fn new(device: &Device, quick: bool, once: bool, bar: ProgressBar) -> Result<Self> {
        let engine = Engine::with_profiling(device)?;
        let rate = |sample| arithmetic_rate(&engine, sample);
        let rates = [rate(f32::TYPE)?, rate(i32::TYPE)?];
        Ok(Session {
            engine,
            quick,
            once,
            rates,
            bar,
        })
    }

    pub fn is_cpu(&self) -> bool {
        self.engine.device().info().kind == DeviceKind::Cpu
    }

    /// One of two lists: what is quick, and all.
    pub fn cases<C>(&self, quick: C, all: C) -> C {
        if self.quick { quick } else { all }
    }

    pub fn effort(&self) -> Effort {
        if self.once {
            return Effort::once();
        }
        Effort {
            warm_up: Duration::from_millis(10),
            patience: Duration::from_millis(self.cases(300, 1500)),
            ..Effort::full(self.cases(7, 21))
        }
    }

    /// Times a transform by a strategy, or as the planner composes it. None where the device cannot
    /// run it, which the section then says.
    pub fn time<T: RandomSample>(
        &self,
        section: &mut Section,
        transform: &Transform,
        direction: Direction,
        strategy: Option<Strategy>,
    ) -> Result<Option<Timed>> {
        self.time_on::<T>(&self.engine, section, transform, direction, strategy)
    }

    /// The same on another engine of the device.
    pub fn time_on<T: RandomSample>(
        &self,
        engine: &Engine,
        section: &mut Section,
        transform: &Transform,
        direction: Direction,
        strategy: Option<Strategy>,
    ) -> Result<Option<Timed>> {
        let name = strategy.map_or("auto".to_owned(), |strategy| strategy.to_string());
        let shape = transform.shape();
        let message = format!("{} {} {name} {shape:?}", transform.wavelet(), T::TYPE);
        self.bar.set_message(message.clone());
        let timed = || {
            let plan: Plan<T> = match strategy {
                Some(strategy) => engine.plan_with(transform, strategy)?,
                None => engine.plan(transform)?,
            };
            let input = random_array::<T>(engine, transform.len())?;
            let output = engine.zeros(transform.len())?;
            let mut bench = Bench {
                engine,
                plan: Runnable::Between(&plan),
                direction,
                input,
                output,
            };
            let times = bench.measure(self.effort())?;
            let cost = plan.cost(direction);
            Ok(self.timed::<T>(
                median(&times.device),
                median(&times.copy),
                transform.len(),
                cost,
            ))
        };
        unless_refused(section, &message, timed())
    }

    /// Times anything that works on arrays of so many samples, in turns with a copy.
    pub fn time_runs<T: RandomSample>(
        &self,
        samples: usize,
        cost: Cost,
        mut run: impl FnMut() -> Result<Run>,
    ) -> Result<Timed> {
        let from = random_array::<T>(&self.engine, samples)?;
        let mut to = self.engine.zeros(samples)?;
        let (mut times, mut copies) = (Vec::new(), Vec::new());
        let effort = self.effort();
        let start = Instant::now();
        for i in 0..=effort.runs {
            let copy = self.engine.enqueue_copy(&from, &mut to)?.device_time()?;
            let time = run()?.device_time()?;
            // The first warms up.
            if i > 0 {
                copies.push(copy.as_nanos() as u64);
                times.push(time.as_nanos() as u64);
            }
            if i >= 3 && start.elapsed() > effort.patience {
                break;
            }
        }
        Ok(self.timed::<T>(median(&times), median(&copies), samples, cost))
    }

    fn timed<T: Sample>(&self, time: u64, copy: u64, samples: usize, cost: Cost) -> Timed {
        Timed {
            seconds: time.max(1) as f64 / 1e9,
            copied: copy.max(1) as f64 / 1e9,
            bytes: (2 * samples * T::TYPE.size()) as f64,
            cost,
            rate: self.rates[usize::from(T::TYPE.is_integer())],
        }
    }
}

impl Timed {
    /// A figure whose value is the time in seconds multiplied by `scale`.
    pub fn figure(&self, work: &str, method: &str, x: f64, scale: f64) -> Figure {
        let moved = (self.cost.bytes_read + self.cost.bytes_written) as f64;
        let operations = self.cost.operations as f64;
        let of_copy = moved / self.seconds / (self.bytes / self.copied);
        let of_arithmetic = operations / self.seconds / self.rate;
        Figure {
            work: work.to_owned(),
            method: method.to_owned(),
            x,
            value: Some(rounded(self.seconds * scale)),
            published: Vec::new(),
            of_copy: (moved > 0.0).then_some(rounded(of_copy)),
            of_arithmetic: (operations > 0.0).then_some(rounded(of_arithmetic)),
        }
    }
}

/// What a device cannot run is noted; other errors remain errors.
pub fn unless_refused<R>(
    section: &mut Section,
    what: &str,
    result: Result<R>,
) -> Result<Option<R>> {
    match result {
        Ok(timed) => Ok(Some(timed)),
        Err(error @ (Error::Unsupported { .. } | Error::Memory { .. } | Error::OpenCl { .. })) => {
            section.note(format!("{what}: {error}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// So many random samples, of which a block repeats: making them all takes the
/// host longer than the rest.
pub fn many_random_samples<T: RandomSample>(len: usize) -> Vec<T> {
    const BLOCK: usize = (1 << 20) + 7;
    let block = random_samples::<T>(len.min(BLOCK), 1);
    let mut samples = Vec::with_capacity(len);
    while samples.len() < len {
        let rest = block.len().min(len - samples.len());
        samples.extend_from_slice(&block[..rest]);
    }
    samples
}

/// The same on the device.
pub fn random_array<T: RandomSample>(engine: &Engine, len: usize) -> Result<DeviceArray<T>> {
    engine.upload(&many_random_samples(len))
}
