//! Searches on a device, one after the other, and a record of all variants that they tried.

use crate::common::case::{Case, Verdict};
use crate::common::check::RandomSample;
use crate::common::cli::{DirectionArgument, Result};
use crate::common::pixels::{PixelCase, by_pixel};
use crate::common::runnable::Runnable;
use crate::common::timing::{Effort, nanoseconds};
use crate::line::{device_column, line};
use crate::search::{Grid, Sizes, search};
use crate::state::{State, Trial};
use half::f16;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use wavelift::{
    Device, Direction, Engine, Error, Pixel, PixelType, Rounded, SampleType, Strategy, Transform,
};

/// A transform for which sizes are searched.
pub struct Problem {
    pub transform: Transform,
    pub sample: SampleType,
    pub direction: DirectionArgument,
    /// The pixels that it takes or gives instead of samples, and what is taken from each.
    pub pixels: Option<(PixelType, i32)>,
}

/// The names of strategy, sample type, wavelet and direction.
pub type Names = [String; 4];

/// A variant and its outcome.
pub struct Row {
    pub names: Names,
    pub sizes: Sizes,
    /// Whether this is the second measurement, which compares the defaults with the winner.
    pub again: bool,
    pub trial: Trial,
}

/// The result of a search.
pub struct Finding {
    pub names: Names,
    pub outcome: Outcome,
}

pub enum Outcome {
    /// The score of the defaults; if other sizes won, also those sizes and the scores of the
    /// defaults and of them when measured again.
    Searched {
        defaults: f64,
        best: Option<(Sizes, [f64; 2])>,
    },
    /// Why the defaults have no score to compare others with.
    LeftOut(String),
}

pub struct Tuner<'a> {
    device: &'a Device,
    runs: usize,
    state: State,
    bar: ProgressBar,
    rows: Vec<Row>,
    findings: Vec<Finding>,
}

impl<'a> Tuner<'a> {
    pub fn new(device: &'a Device, runs: usize, state: State, searches: usize) -> Result<Self> {
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {msg}")?;
        Ok(Tuner {
            device,
            runs,
            state,
            bar: ProgressBar::new(searches as u64).with_style(style),
            rows: Vec::new(),
            findings: Vec::new(),
        })
    }

    pub fn tune(&mut self, strategy: Strategy, problem: &Problem, grid: &Grid) -> Result<()> {
        match problem.sample {
            SampleType::I16 => self.tune_of::<i16>(strategy, problem, grid),
            SampleType::I32 => self.tune_of::<i32>(strategy, problem, grid),
            SampleType::F16 => self.tune_of::<f16>(strategy, problem, grid),
            SampleType::Rounded => self.tune_of::<Rounded>(strategy, problem, grid),
            SampleType::F32 => self.tune_of::<f32>(strategy, problem, grid),
            SampleType::F64 => self.tune_of::<f64>(strategy, problem, grid),
            other => Err(format!("cannot make samples of type {other}").into()),
        }
    }

    fn tune_of<T: RandomSample>(
        &mut self,
        strategy: Strategy,
        problem: &Problem,
        grid: &Grid,
    ) -> Result<()> {
        let mut subject = Subject::<T> {
            strategy,
            problem,
            engine: Engine::with_profiling(self.device)?,
            runs: self.runs,
            case: None,
        };
        let mut trial = |sizes: &Sizes, again| self.trial(&mut subject, sizes, again);
        let defaults = Sizes::default();
        let outcome = match trial(&defaults, false)? {
            Trial::Refused(why) | Trial::Failed(why) => Outcome::LeftOut(why),
            measured => {
                let score = |sizes: &Sizes| -> Result<f64> { Ok(trial(sizes, false)?.of_copy()) };
                let best = search(grid, score)?;
                let best = match best == defaults {
                    true => None,
                    false => {
                        let again = [trial(&defaults, true)?, trial(&best, true)?];
                        Some((best, again.map(|trial| trial.of_copy())))
                    }
                };
                Outcome::Searched {
                    defaults: measured.of_copy(),
                    best,
                }
            }
        };
        self.findings.push(Finding {
            names: subject.names(),
            outcome,
        });
        self.bar.inc(1);
        Ok(())
    }

    /// The outcome of a variant, which is measured unless the state already has it.
    fn trial<T: RandomSample>(
        &mut self,
        subject: &mut Subject<T>,
        sizes: &Sizes,
        again: bool,
    ) -> Result<Trial> {
        let names = subject.names();
        let name = format!("{} {sizes}", names.join(" "));
        self.bar
            .set_message(format!("{name} after {} variants", self.rows.len()));
        let key = subject.key(sizes, again);
        let trial = match self.state.get(&key) {
            Some(known) => known.clone(),
            None => {
                let measured = subject.measure(sizes, again);
                let trial = match &measured {
                    Ok(trial) => trial.clone(),
                    Err(error) => Trial::Failed(error.to_string()),
                };
                self.state.add(&key, trial.clone())?;
                // A device that failed once may not be usable any more.
                measured.map_err(|error| {
                    format!("{name}: {error}; with --state, a rerun continues after it")
                })?;
                trial
            }
        };
        let same = |row: &Row| row.names == names && row.sizes == *sizes && row.again == again;
        if !self.rows.iter().any(same) {
            self.rows.push(Row {
                names,
                sizes: sizes.clone(),
                again,
                trial: trial.clone(),
            });
        }
        Ok(trial)
    }

    pub fn finish(self) -> (Vec<Row>, Vec<Finding>) {
        self.bar.finish_and_clear();
        (self.rows, self.findings)
    }
}

/// A strategy and a problem to measure it on. It has an engine of its own, so that the kernels that
/// it builds are freed with it.
struct Subject<'a, T> {
    strategy: Strategy,
    problem: &'a Problem,
    engine: Engine,
    runs: usize,
    /// Made when the first variant is measured, because a rerun may not need it.
    case: Option<Case<T>>,
}

impl<T: RandomSample> Subject<'_, T> {
    fn names(&self) -> Names {
        [
            self.strategy.to_string(),
            self.problem.sample.to_string(),
            self.problem.transform.wavelet().name().to_owned(),
            self.problem.direction.name().to_owned(),
        ]
    }

    /// The key of a variant in the state.
    fn key(&self, sizes: &Sizes, again: bool) -> Value {
        let info = self.engine.device().info();
        let [strategy, sample, wavelet, direction] = self.names();
        json!({
            "device": info.name,
            "version": info.version,
            "strategy": strategy,
            "sample": sample,
            "wavelet": wavelet,
            "direction": direction,
            "levels": self.problem.transform.level_count(),
            "shape": self.problem.transform.shape(),
            "pixels": self.problem.pixels.map(|(pixel, shift)| json!([pixel.name(), shift])),
            "sizes": sizes.to_string(),
            "again": again,
        })
    }

    /// Measures a variant. An error is returned only if the device may not be usable any more.
    fn measure(&mut self, sizes: &Sizes, again: bool) -> wavelift::Result<Trial> {
        match self.try_to_measure(sizes, again) {
            Err(error @ (Error::Unsupported { .. } | Error::Memory { .. })) => {
                Ok(Trial::Refused(error.to_string()))
            }
            Err(Error::Build { log, .. }) => {
                log::debug!("{log}");
                Ok(Trial::Refused(
                    "the device's compiler rejects a kernel".to_owned(),
                ))
            }
            other => other,
        }
    }

    fn try_to_measure(&mut self, sizes: &Sizes, again: bool) -> wavelift::Result<Trial> {
        let info = self.engine.device().info();
        let device = device_column(&info.name, info.kind.name());
        let engine = self
            .engine
            .with_tuning(&line(device, &self.names(), sizes))?;
        if let Some((pixel, shift)) = self.problem.pixels {
            return by_pixel!(
                pixel, P => self.measure_of::<P>(&engine, shift, again), why => Ok(Trial::Refused(why))
            );
        }
        let (transform, direction) = (&self.problem.transform, self.problem.direction.direction());
        if again && let Some(wrong) = self.wrong_on_odd(&engine, direction)? {
            return Ok(Trial::Failed(wrong));
        }
        let case = match &mut self.case {
            Some(case) => case,
            none => none.insert(Case::new(transform, direction)?),
        };
        let plan = engine.plan_with::<T>(transform, self.strategy)?;
        Ok(
            match case.measure(&engine, Runnable::Between(&plan), Effort::brief(self.runs))? {
                Verdict::Right(times) => Trial::of(&times),
                Verdict::Wrong(why) => Trial::Failed(why),
            },
        )
    }

    /// Measures plans of pixels beside copies of as many samples.
    fn measure_of<P: Pixel>(
        &self,
        engine: &Engine,
        shift: i32,
        again: bool,
    ) -> wavelift::Result<Trial> {
        let direction = self.problem.direction.direction();
        let case_of = |transform: &Transform| -> wavelift::Result<_> {
            let plan = engine.plan_from_with::<P, T>(transform, shift, self.strategy)?;
            let case = PixelCase::<T, P>::new(transform, direction, shift)?;
            let (wrong, arrays) = case.try_once(engine, &plan)?;
            Ok((plan, case, arrays, on_shape(wrong, transform)))
        };
        if again && let (.., Some(wrong)) = case_of(&self.odd())? {
            return Ok(Trial::Failed(wrong));
        }
        let (plan, case, mut arrays, wrong) = case_of(&self.problem.transform)?;
        if let Some(wrong) = wrong {
            return Ok(Trial::Failed(wrong));
        }
        let x = engine.upload(&case.samples)?;
        let mut y = engine.zeros::<T>(case.samples.len())?;
        let times = Effort::brief(self.runs).measure(|times| {
            let copy = engine.enqueue_copy(&x, &mut y)?.device_time()?;
            times.copy.push(nanoseconds(copy));
            let run = case.enqueue(&plan, &mut arrays)?.device_time()?;
            times.device.push(nanoseconds(run));
            Ok(())
        })?;
        Ok(Trial::of(&times))
    }

    /// What is wrong with the result, if anything is, on a picture whose sides are odd.
    fn wrong_on_odd(
        &self,
        engine: &Engine,
        direction: Direction,
    ) -> wavelift::Result<Option<String>> {
        let odd = self.odd();
        let plan = engine.plan_with::<T>(&odd, self.strategy)?;
        let wrong = Case::<T>::new(&odd, direction)?.check(engine, Runnable::Between(&plan))?;
        Ok(on_shape(wrong, &odd))
    }

    /// The same transform of a picture whose sides are odd and not a multiple of any size.
    fn odd(&self) -> Transform {
        let transform = &self.problem.transform;
        let sides = transform.shape().iter().zip([3, 1]);
        let odd_sides = sides.map(|(side, less)| side.saturating_sub(less).max(1) | 1);
        Transform::new(transform.wavelet().clone(), odd_sides.collect::<Vec<_>>())
            .levels(transform.level_count())
    }
}

/// What is wrong, and with which shape.
fn on_shape(wrong: Option<String>, transform: &Transform) -> Option<String> {
    wrong.map(|wrong| format!("{wrong} on {:?}", transform.shape()))
}
