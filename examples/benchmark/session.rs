//! One problem after the other, on every device and by every strategy that is asked for.

use crate::arguments::Arguments;
use crate::choice::StrategyChoice;
use crate::common::case::{Case, Verdict};
use crate::common::check::RandomSample;
use crate::common::cli::Result;
use crate::common::timing::{Effort, Times};
use crate::problem::Problem;
use half::f16;
use indicatif::ProgressBar;
use wavelift::{Cost, Device, Engine, Error, Rounded, Sample, SampleType};

/// One line of the table.
pub struct Row<'a> {
    pub device: &'a Device,
    pub problem: &'a Problem,
    /// The strategy that was asked for. The one that ran is in the outcome.
    pub strategy: String,
    /// The strategy that `auto` would choose. It is known in a comparison only.
    pub auto: Option<String>,
    pub outcome: Outcome,
}

pub enum Outcome {
    Measured {
        strategy: String,
        /// What the passes of the plan cost.
        cost: Cost,
        times: Times,
    },
    /// The strategy or the device does not support the problem.
    Refused(String),
    /// The result was wrong, or an error occurred.
    Failed(String),
}

pub struct Session<'a> {
    pub arguments: &'a Arguments,
    pub strategies: Vec<StrategyChoice>,
    pub engines: &'a [Engine],
    pub bar: &'a ProgressBar,
}

impl<'a> Session<'a> {
    pub fn rows(&self, problem: &'a Problem) -> Result<Vec<Row<'a>>> {
        match problem.sample {
            SampleType::I16 => self.rows_of::<i16>(problem),
            SampleType::I32 => self.rows_of::<i32>(problem),
            SampleType::F16 => self.rows_of::<f16>(problem),
            SampleType::Rounded => self.rows_of::<Rounded>(problem),
            SampleType::F32 => self.rows_of::<f32>(problem),
            SampleType::F64 => self.rows_of::<f64>(problem),
            other => Err(format!("cannot make samples of type {other}").into()),
        }
    }

    /// The rows of a problem, which share the input and the expected result.
    fn rows_of<T: RandomSample>(&self, problem: &'a Problem) -> Result<Vec<Row<'a>>> {
        let name = problem.name();
        self.bar.set_message(format!("{name} on the reference"));
        let (transform, direction) = (&problem.transform, problem.direction.direction());
        let case = match self.arguments.map {
            Some(_) => Case::<T>::unchecked(transform, direction),
            None => Case::new(transform, direction)?,
        };
        let mut rows = Vec::new();
        for engine in self.engines {
            let auto = self.auto_choice::<T>(engine, problem);
            for &choice in &self.strategies {
                self.bar.set_message(format!("{name} {}", choice.name()));
                rows.push(Row {
                    device: engine.device(),
                    problem,
                    strategy: choice.name(),
                    auto: auto.clone(),
                    outcome: self.outcome(engine, choice, &case),
                });
                self.bar.inc(1);
            }
        }
        Ok(rows)
    }

    /// The strategy that `auto` would choose, if it is going to be shown.
    fn auto_choice<T: Sample>(&self, engine: &Engine, problem: &Problem) -> Option<String> {
        let plan = || engine.plan::<T>(&problem.transform).ok();
        let plan = self.arguments.compare.then(plan).flatten();
        plan.map(|plan| plan.strategy().to_string())
    }

    fn outcome<T: RandomSample>(
        &self,
        engine: &Engine,
        choice: StrategyChoice,
        case: &Case<T>,
    ) -> Outcome {
        let runs = self.arguments.runs;
        let effort = match (&self.arguments.map, self.arguments.compare) {
            (Some(_), _) => Effort::glance(runs),
            (None, true) => Effort::brief(runs),
            (None, false) => Effort::full(runs),
        };
        let queued = self.arguments.queued;
        let effort = Effort { queued, ..effort };
        let measured = || -> wavelift::Result<Outcome> {
            let (strategy, cost, verdict) = choice.measure(engine, case, effort)?;
            Ok(match verdict {
                Verdict::Right(times) => Outcome::Measured {
                    strategy,
                    cost,
                    times,
                },
                Verdict::Wrong(why) => Outcome::Failed(why),
            })
        };
        match measured() {
            Ok(outcome) => outcome,
            Err(error @ (Error::Unsupported { .. } | Error::Memory { .. })) => {
                Outcome::Refused(error.to_string())
            }
            Err(error) => Outcome::Failed(error.to_string().replace('\n', " ")),
        }
    }
}
