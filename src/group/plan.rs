//! A plan of a batch for several devices.

use crate::error::{Error, Result, check_length};
use crate::runtime::lock::lock;
use crate::runtime::{Engine, PinnedArray, Plan};
use crate::transform::{Coefficients, Transform, zeroed};
use crate::wavelet::{Direction, Sample};
use std::sync::{Arc, Mutex};
use std::thread;

/// A transform of a batch, built for the engines of an [`EngineGroup`](super::EngineGroup).
///
/// With slices of the host, each device transforms its share by a thread of its own, and the
/// share of a device that fails is done by another one, with a warning, in this call and in all
/// later ones; so it is between arrays of pinned memory, which [`pinned`](Self::pinned) makes
/// and devices copy at the full speed of the bus. [`upload`](Self::upload) makes arrays whose
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
    /// Who does it instead, once the engine has failed: another one, by its place, and its plan.
    stand_in: Mutex<Option<(usize, Arc<Plan<T>>)>>,
}

/// The input and the output of a part.
pub(super) enum Ends<'a, T: Sample> {
    Slices(&'a [T], &'a mut [T]),
    Pinned(&'a PinnedArray<T>, &'a mut PinnedArray<T>),
}

impl<T: Sample> Ends<'_, T> {
    /// By the part's own engine, or by a stand-in, for whose device memory that another one
    /// has pinned is any memory.
    fn go(&mut self, plan: &Plan<T>, direction: Direction) -> Result<()> {
        match self {
            Ends::Slices(from, to) => plan.between_slices(from, to, direction),
            Ends::Pinned(from, to) => plan.between_pinned(direction, from, to),
        }
    }

    /// Pins an output of so many samples where a lost device may still write the old one,
    /// which has none any more.
    fn replace_lost(&mut self, engine: &Engine, len: usize) -> Result<()> {
        match self {
            Ends::Pinned(_, to) if to.len() != len => **to = engine.pinned(len)?,
            _ => {}
        }
        Ok(())
    }
}

/// A part with its input and its output.
type Piece<'a, T> = (&'a Part<T>, Ends<'a, T>);

impl<T: Sample> Part<T> {
    pub fn len(&self) -> usize {
        self.plan.transform().len()
    }

    fn stand_in(&self) -> Option<(usize, Arc<Plan<T>>)> {
        lock(&self.stand_in).clone()
    }

    /// What came of it, or whose engine failed, and how.
    fn run(&self, ends: &mut Ends<T>, direction: Direction) -> Result<(), Failure> {
        let (engine, result) = match self.stand_in() {
            Some((other, plan)) => (other, ends.go(&plan, direction)),
            None => (self.engine, ends.go(&self.plan, direction)),
        };
        result.map_err(|error| Failure { engine, error })
    }
}

/// An engine's failure to do a part.
struct Failure {
    engine: usize,
    error: Error,
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
                stand_in: Mutex::new(None),
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

    /// How many pictures each device of the group has, in the group's order. They are neighbours:
    /// the first device's come first.
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
        check_length("the input", input.len(), self.transform.len())?;
        check_length("the output", output.len(), self.transform.len())?;
        self.go(self.pieces(input, output), direction)
    }

    /// Has each device do its part, all at once.
    pub(super) fn go(&self, mut pieces: Vec<Piece<T>>, direction: Direction) -> Result<()> {
        let mut results: Vec<Result<(), Failure>> = Vec::new();
        results.resize_with(pieces.len(), || Ok(()));
        let jobs = Mutex::new(pieces.iter_mut().zip(&mut results));
        let next = || lock(&jobs).next();
        let work = || {
            while let Some(((part, ends), result)) = next() {
                *result = part.run(ends, direction);
            }
        };
        thread::scope(|scope| {
            // Where there is no thread to be had, the others do more.
            for _ in 1..self.parts.len() {
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let failed: Vec<usize> = results
            .iter()
            .filter_map(|result| result.as_ref().err())
            .map(|failure| failure.engine)
            .collect();
        // Where nobody can do one share, the others are done all the same.
        let mut done = Ok(());
        for (piece, result) in pieces.into_iter().zip(results) {
            match result {
                Err(failure) if failure.error.is_of_device() => {
                    done = done.and(self.stand_in(piece, direction, &failed, failure));
                }
                Err(failure) => done = done.and(Err(failure.error)),
                Ok(()) => {}
            }
        }
        done
    }

    /// Has another engine do the share of one that failed: one that did not fail in this call.
    fn stand_in(
        &self,
        (part, mut ends): Piece<T>,
        direction: Direction,
        failed: &[usize],
        failure: Failure,
    ) -> Result<()> {
        let others = self.engines.iter().enumerate();
        for (i, other) in others.filter(|(i, _)| !failed.contains(i)) {
            let plan = other.plan::<T>(part.plan.transform());
            let done = plan.and_then(|plan| {
                ends.replace_lost(other, part.len())?;
                ends.go(&plan, direction)?;
                Ok(Arc::new(plan))
            });
            match done {
                Ok(plan) => {
                    log::warn!(
                        "{} failed ({}): its {} pictures are done by {}",
                        self.engines[failure.engine].device(),
                        failure.error,
                        part.plan.transform().shape()[0],
                        other.device()
                    );
                    *lock(&part.stand_in) = Some((i, plan));
                    return Ok(());
                }
                Err(error) => log::warn!(
                    "{} does not stand in for {}: {error}",
                    other.device(),
                    self.engines[failure.engine].device()
                ),
            }
        }
        Err(failure.error)
    }

    fn pieces<'a>(&'a self, mut input: &'a [T], mut output: &'a mut [T]) -> Vec<Piece<'a, T>> {
        let mut pieces = Vec::new();
        for part in &self.parts {
            let (from, rest) = input.split_at(part.len());
            let (to, behind) = output.split_at_mut(part.len());
            (input, output) = (rest, behind);
            pieces.push((part, Ends::Slices(from, to)));
        }
        pieces
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
