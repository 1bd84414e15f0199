//! Devices that do not do what they say, and devices that have little of everything: both
//! get plans that are right.

#[path = "../common/mod.rs"]
mod common;
mod kernels;
mod lies;
mod limits;

use common::{RandomSample, expected, random_samples, relative_error, run};
use wavelift::{Direction, Engine, Strategy, Transform};

fn check<T: RandomSample>(engine: &Engine, by: Option<Strategy>, transform: &Transform) -> String {
    let plan = match by {
        Some(strategy) => engine.plan_with::<T>(transform, strategy),
        None => engine.plan::<T>(transform),
    };
    let plan = plan.unwrap_or_else(|error| panic!("{by:?} {transform:?}: {error}"));
    let samples = random_samples::<T>(transform.len(), 7);
    for direction in [Direction::Forward, Direction::Inverse] {
        let got = run(engine, &plan, direction, &samples);
        let expected = expected(transform, direction, &samples).unwrap();
        let error = relative_error(&got, &expected);
        assert!(error <= T::BOUND, "{direction:?}: {error}, {plan:?}");
    }
    format!("{plan:?}")
}
