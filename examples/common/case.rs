//! A transform with random input and what the reference makes of it: plans are checked, then timed.

use super::check::{RandomSample, expected, random_samples, wrong};
use super::runnable::Runnable;
use super::timing::{Bench, Effort, Times};
use wavelift::{DeviceArray, Direction, Engine, Result, Transform};

pub struct Case<T> {
    pub transform: Transform,
    pub direction: Direction,
    samples: Vec<T>,
    /// What the reference makes of it, if it was asked.
    expected: Option<Vec<f64>>,
}

/// What came of a plan that could be built.
pub enum Verdict {
    Right(Times),
    Wrong(String),
}

impl<T: RandomSample> Case<T> {
    pub fn new(transform: &Transform, direction: Direction) -> Result<Self> {
        let case = Self::unchecked(transform, direction);
        let expected = expected(transform, direction, &case.samples)?;
        Ok(Case {
            expected: Some(expected),
            ..case
        })
    }

    /// One that does not ask the reference, and takes every result for right.
    pub fn unchecked(transform: &Transform, direction: Direction) -> Self {
        Case {
            transform: transform.clone(),
            direction,
            samples: random_samples::<T>(transform.len(), 1),
            expected: None,
        }
    }

    /// Runs a plan of the same transform once: what is wrong with the result, and the arrays.
    fn try_once(&self, engine: &Engine, plan: Runnable<T>) -> Result<(Option<String>, Arrays<T>)> {
        let input = engine.upload(&self.samples)?;
        let mut output = plan.output(engine, &self.samples, T::POISON)?;
        plan.enqueue(self.direction, &input, &mut output)?.wait()?;
        let wrong = match &self.expected {
            Some(expected) => {
                let (got, cost) = (output.download()?, plan.cost(self.direction));
                let wrong = wrong(&self.transform, self.direction, cost, &got, expected);
                wrong.map(|why| format!("WRONG: {why}"))
            }
            None => None,
        };
        Ok((wrong, (input, output)))
    }

    /// What is wrong with a plan's result, if anything is.
    pub fn check(&self, engine: &Engine, plan: Runnable<T>) -> Result<Option<String>> {
        Ok(self.try_once(engine, plan)?.0)
    }

    /// Checks a plan's result, and times it where it is right.
    pub fn measure(&self, engine: &Engine, plan: Runnable<T>, effort: Effort) -> Result<Verdict> {
        let (wrong, (input, output)) = self.try_once(engine, plan)?;
        if let Some(wrong) = wrong {
            return Ok(Verdict::Wrong(wrong));
        }
        let mut bench = Bench {
            engine,
            plan,
            direction: self.direction,
            input,
            output,
        };
        Ok(Verdict::Right(bench.measure(effort)?))
    }
}

type Arrays<T> = (DeviceArray<T>, DeviceArray<T>);

/// Whether the host can hold a case's input and result; asked before anything is made.
pub fn check_memory(transform: &Transform) -> super::cli::Result<()> {
    let samples = transform.len().saturating_mul(4);
    let probe = Vec::<f64>::new().try_reserve_exact(samples);
    probe.map_err(|_| format!("{:?} samples do not fit into memory", transform.shape()).into())
}
