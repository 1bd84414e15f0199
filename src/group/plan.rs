//! A plan of a batch for several devices.

use crate::error::{Error, Result};
use crate::runtime::{Engine, Plan};
use crate::transform::{Coefficients, Transform, zeroed};
use crate::wavelet::{Direction, Sample};
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread;

/// A transform of a batch, built for the engines of an [`EngineGroup`](super::EngineGroup).
///
/// With slices of the host, each device transforms its share by a thread of its own, and the share of a device that fails is
/// done by another one, with a warning, in this call and in all later ones. [`upload`](Self::upload) makes arrays whose
/// shares stay on their devices.
pub struct GroupPlan<T: Sample> {
    transform: Transform,
    engines: Vec<Engine>,
    pub(super) parts: Vec<Part<T>>,
}

/// Some neighbouring pictures, and who transforms them.
pub(super) struct Part<T: Sample> {
    /// The place of the engine in the group.
    pub engine: usize,
    pub plan: Plan<T>,
    /// On another engine, once this one has failed.
    stand_in: OnceLock<Plan<T>>,
}

/// A part with its samples and its coefficients.
type Piece<'a, T> = (&'a Part<T>, &'a [T], &'a mut [T]);

impl<T: Sample> Part<T> {
    pub fn len(&self) -> usize {
        self.plan.transform().len()
    }

    fn run(&self, input: &[T], output: &mut [T], direction: Direction) -> Result<()> {
        let plan = self.stand_in.get().unwrap_or(&self.plan);
        plan.on_host(input, output, direction)
    }
}

impl<T: Sample> GroupPlan<T> {
    pub(super) fn new(engines: &[Engine], shares: &[usize], transform: &Transform) -> Result<Self> {
        let mut parts = Vec::new();
        for (i, (engine, &share)) in engines.iter().zip(shares).enumerate() {
            if share == 0 {
                continue;
            }
            let mut shape = transform.shape().to_vec();
            shape[0] = share;
            parts.push(Part {
                engine: i,
                plan: engine.plan(&transform.with_shape(shape))?,
                stand_in: OnceLock::new(),
            });
        }
        Ok(GroupPlan {
            transform: transform.clone(),
            engines: engines.to_vec(),
            parts,
        })
    }

    /// The transform that this plan computes.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// How many pictures each device of the group has, in the group's order. They are neighbours: the first device's come
    /// first.
    pub fn shares(&self) -> Vec<usize> {
        let mut shares = vec![0; self.engines.len()];
        for part in &self.parts {
            shares[part.engine] = part.plan.transform().shape()[0];
        }
        shares
    }

    /// The engine that a part was shared out to.
    pub(super) fn engine(&self, part: &Part<T>) -> &Engine {
        &self.engines[part.engine]
    }

    /// Transforms samples (row-major, of the transform's shape) into coefficients.
    ///
    /// # Errors
    /// As [`Plan::forward`], where every device fails.
    pub fn forward(&self, samples: &[T]) -> Result<Coefficients<T>> {
        let mut coefficients = Coefficients::zeros(&self.transform)?;
        self.forward_into(samples, &mut coefficients)?;
        Ok(coefficients)
    }

    /// Transforms samples (row-major, of the transform's shape) into existing coefficients.
    ///
    /// # Errors
    /// As [`Plan::forward_into`], where every device fails.
    pub fn forward_into(&self, samples: &[T], coefficients: &mut Coefficients<T>) -> Result<()> {
        self.transform.check_same(coefficients.transform())?;
        self.on_host(samples, coefficients.as_mut_slice(), Direction::Forward)
    }

    /// Transforms coefficients back into samples (row-major, of the transform's shape).
    ///
    /// # Errors
    /// As [`Plan::inverse`], where every device fails.
    pub fn inverse(&self, coefficients: &Coefficients<T>) -> Result<Vec<T>> {
        let mut samples = zeroed("the samples", self.transform.len())?;
        self.inverse_into(coefficients, &mut samples)?;
        Ok(samples)
    }

    /// Transforms coefficients back into an existing slice of samples.
    ///
    /// # Errors
    /// As [`Plan::inverse_into`], where every device fails.
    pub fn inverse_into(&self, coefficients: &Coefficients<T>, samples: &mut [T]) -> Result<()> {
        self.transform.check_same(coefficients.transform())?;
        self.on_host(coefficients.as_slice(), samples, Direction::Inverse)
    }

    fn on_host(&self, input: &[T], output: &mut [T], direction: Direction) -> Result<()> {
        self.check_length("the input", input.len())?;
        self.check_length("the output", output.len())?;
        let mut pieces = self.pieces(input, output);
        let results: Vec<Result<()>> = thread::scope(|scope| {
            let threads: Vec<_> = pieces
                .iter_mut()
                .map(|(part, from, to)| scope.spawn(|| part.run(from, to, direction)))
                .collect();
            let join = |thread: thread::ScopedJoinHandle<_>| {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        let failed: Vec<usize> = self
            .parts
            .iter()
            .zip(&results)
            .filter(|(_, result)| result.is_err())
            .map(|(part, _)| part.engine)
            .collect();
        for (piece, result) in pieces.into_iter().zip(results) {
            if let Err(error) = result {
                self.stand_in(piece, direction, &failed, error)?;
            }
        }
        Ok(())
    }

    /// Has another engine do the share of one that failed: one that did not fail in this call.
    fn stand_in(
        &self,
        (part, from, to): Piece<T>,
        direction: Direction,
        failed: &[usize],
        error: Error,
    ) -> Result<()> {
        let others = self.engines.iter().enumerate();
        for (_, other) in others.filter(|(i, _)| *i != part.engine && !failed.contains(i)) {
            let plan = other.plan::<T>(part.plan.transform());
            let done = plan.and_then(|plan| {
                plan.on_host(from, to, direction)?;
                Ok(plan)
            });
            if let Ok(plan) = done {
                log::warn!(
                    "{} failed ({error}): its {} pictures are done by {}",
                    self.engine(part).device(),
                    part.plan.transform().shape()[0],
                    other.device()
                );
                // A call beside this one may have found another one.
                let _ = part.stand_in.set(plan);
                return Ok(());
            }
        }
        Err(error)
    }

    fn pieces<'a>(&'a self, mut input: &'a [T], mut output: &'a mut [T]) -> Vec<Piece<'a, T>> {
        let mut pieces = Vec::new();
        for part in &self.parts {
            let (from, rest) = input.split_at(part.len());
            let (to, behind) = output.split_at_mut(part.len());
            (input, output) = (rest, behind);
            pieces.push((part, from, to));
        }
        pieces
    }

    pub(super) fn check_length(&self, what: &'static str, got: usize) -> Result<()> {
        let expected = self.transform.len();
        if got != expected {
            return Err(Error::Length {
                what,
                expected,
                got,
            });
        }
        Ok(())
    }
}

impl<T: Sample> std::fmt::Debug for GroupPlan<T> {
    /// The plan of each device, with its pictures.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GroupPlan<{}>({:?})", T::TYPE, self.transform)?;
        for part in &self.parts {
            write!(f, "\n{}: {:?}", self.engine(part).device(), part.plan)?;
        }
        Ok(())
    }
}
