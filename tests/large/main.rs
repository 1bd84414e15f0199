//! Transforms between host slices that the device cannot hold: the same results, in less memory.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod programs;
mod slices;

use common::{RandomSample, random_samples, relative_error, to_f64};
use wavelift::{Coefficients, Plan, reference};

/// Of fewer bytes one thread copies all.
const BYTES_FOR_THREADS: usize = 8 << 20;

/// What a plan says of itself where it goes in tiles.
fn is_tiled<T: RandomSample>(plan: &Plan<T>) -> bool {
    format!("{plan:?}").contains(" tiles, by")
}

/// Both ways, against the reference.
fn check<T: RandomSample>(plan: &Plan<T>, seed: u64) {
    let transform = plan.transform();
    let samples = random_samples::<T>(transform.len(), seed);
    let close = |got: &[T], expected: &[T]| {
        let error = relative_error(got, &to_f64(expected));
        assert!(error <= 2.0 * T::BOUND, "{error} of {plan:?}");
    };
    let expected = reference::forward(transform, &samples).unwrap();
    let poison = vec![T::POISON; transform.len()];
    let mut coefficients = Coefficients::from_parts(transform, poison.clone()).unwrap();
    plan.forward_into(&samples, &mut coefficients).unwrap();
    close(coefficients.as_slice(), &expected);

    // Any coefficients, not only those of some samples.
    let coefficients = Coefficients::from_parts(transform, samples).unwrap();
    let expected = reference::inverse(transform, coefficients.as_slice()).unwrap();
    let mut back = poison;
    plan.inverse_into(&coefficients, &mut back).unwrap();
    close(&back, &expected);
}
