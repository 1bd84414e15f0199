//! What can be measured: plans between two arrays, and plans in place.

use super::runner::enqueue;
use wavelift::{Cost, DeviceArray, Direction, Engine, InPlacePlan, Plan, Result, Run, Sample};

#[derive(Clone, Copy)]
pub enum Runnable<'a, T: Sample> {
    Between(&'a Plan<T>),
    InPlace(&'a InPlacePlan<T>),
}

impl<T: Sample> Runnable<'_, T> {
    pub fn cost(&self, direction: Direction) -> Cost {
        match self {
            Runnable::Between(plan) => plan.cost(direction),
            Runnable::InPlace(plan) => plan.cost(direction),
        }
    }

    /// An array for the result: of poison, or in place of what is to be transformed.
    pub fn output(&self, engine: &Engine, samples: &[T], poison: T) -> Result<DeviceArray<T>> {
        match self {
            Runnable::Between(_) => engine.upload(&vec![poison; samples.len()]),
            Runnable::InPlace(_) => engine.upload(samples),
        }
    }

    /// Enqueues the transform of `from`, of which a plan in place expects a copy in `to`.
    pub fn enqueue(
        &self,
        direction: Direction,
        from: &DeviceArray<T>,
        to: &mut DeviceArray<T>,
    ) -> Result<Run> {
        match (self, direction) {
            (Runnable::Between(plan), _) => enqueue(plan, direction, from, to),
            (Runnable::InPlace(plan), Direction::Forward) => plan.enqueue_forward(to),
            (Runnable::InPlace(plan), Direction::Inverse) => plan.enqueue_inverse(to),
        }
    }
}
