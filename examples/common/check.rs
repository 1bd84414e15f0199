//! Random inputs, and what to expect of them.

use super::runner::refer;
use wavelift::{Direction, Result, Sample, Transform};

/// A sample type that inputs can be made of, and results judged.
pub trait RandomSample: Sample + Into<f64> {
    /// What an output holds before the run that is checked.
    const POISON: Self;
    /// How far a result may be from the reference, relative to the largest value.
    const BOUND: f64;

    /// Whether a result may be so far off; not a number is too far.
    fn is_allowed(error: f64) -> bool {
        error <= Self::BOUND
    }

    fn from_bits(bits: u64) -> Self;
    /// What the reference says, of floats in f64.
    fn expected(transform: &Transform, direction: Direction, samples: &[Self]) -> Result<Vec<f64>>;
}

macro_rules! integer {
    ($T:ty) => {
        impl RandomSample for $T {
            const POISON: Self = 0x5A5A;
            const BOUND: f64 = 0.0;

            /// The full range: integers wrap, and must do so everywhere alike.
            fn from_bits(bits: u64) -> Self {
                bits as $T
            }

            fn expected(
                transform: &Transform,
                direction: Direction,
                samples: &[Self],
            ) -> Result<Vec<f64>> {
                let result = refer(transform, direction, samples)?;
                Ok(result.into_iter().map(f64::from).collect())
            }
        }
    };
}

macro_rules! real {
    ($T:ty, $bound:literal) => {
        impl RandomSample for $T {
            const POISON: Self = <$T>::NAN;
            const BOUND: f64 = $bound;

            /// From -1000 to 1000.
            fn from_bits(bits: u64) -> Self {
                (bits as i32) as $T * (1000.0 / 2147483648.0)
            }

            fn expected(
                transform: &Transform,
                direction: Direction,
                samples: &[Self],
            ) -> Result<Vec<f64>> {
                let samples: Vec<f64> = samples.iter().map(|&v| v.into()).collect();
                refer(transform, direction, &samples)
            }
        }
    };
}

integer!(i16);
integer!(i32);
real!(f32, 2e-6);
real!(f64, 1e-14);

/// The same on every machine (xorshift64*). Zeros would flatter a device.
pub fn random_samples<T: RandomSample>(len: usize) -> Vec<T> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let next = |_| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        T::from_bits(state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32)
    };
    (0..len).map(next).collect()
}

/// The largest error relative to the largest value; a NaN is an error as large as can be.
pub fn relative_error<T: RandomSample>(got: &[T], expected: &[f64]) -> f64 {
    let pairs = got.iter().zip(expected);
    let errors = pairs.map(|(&got, expected)| (got.into() - expected).abs());
    let error = errors.fold(0.0, |most: f64, error| match error.is_nan() {
        true => f64::INFINITY,
        false => most.max(error),
    });
    let sizes = expected.iter().map(|value| value.abs());
    error / sizes.fold(f64::MIN_POSITIVE, f64::max)
}
