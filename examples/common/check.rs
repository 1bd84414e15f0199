//! Random samples, what to expect of them, and how far a result is from that: the tests and
//! the programs check alike.

pub use super::rounding::Place;
use super::rounding::roundings;
use half::f16;
use wavelift::{
    Coefficients, Cost, Direction, Result, Rounded, Sample, SampleType, Transform, reference,
};

/// A small generator of pseudo-random numbers (xorshift64*), the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

/// A sample type that inputs can be made of, and results judged.
pub trait RandomSample: Sample {
    /// What an output holds before a run, so that a place that is never written shows.
    const POISON: Self;
    /// The smallest and the largest value that are tried.
    const EXTREMES: [Self; 2];
    /// How far a result may be from what is expected, relative to the largest value; for types that
    /// are rounded wherever an array is written, one rounding ([`allowed`]).
    const BOUND: f64;
    /// What errors are relative to where no value is larger; for rounded samples, whose error does
    /// not depend on values, always.
    const LEAST: f64 = f64::MIN_POSITIVE;

    /// A value between the extremes.
    fn from_bits(bits: u64) -> Self;

    /// Any value, and each extreme as often as one time in sixteen.
    fn random(random: &mut Random) -> Self {
        match random.bits() % 16 {
            0 => Self::EXTREMES[0],
            1 => Self::EXTREMES[1],
            _ => Self::from_bits(random.bits()),
        }
    }
}

macro_rules! integer {
    ($T:ty) => {
        impl RandomSample for $T {
            const POISON: Self = 0x5A5A;
            /// The full range: integers wrap, and must do so everywhere alike.
            const EXTREMES: [Self; 2] = [<$T>::MIN, <$T>::MAX];
            const BOUND: f64 = 0.0;

            fn from_bits(bits: u64) -> Self {
                (bits >> 32) as $T
            }
        }
    };
}

macro_rules! real {
    ($T:ty, $bound:literal) => {
        impl RandomSample for $T {
            const POISON: Self = <$T>::NAN;
            const EXTREMES: [Self; 2] = [-1000.0, 1000.0];
            const BOUND: f64 = $bound;

            fn from_bits(bits: u64) -> Self {
                ((bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0) as $T * 1000.0
            }
        }
    };
}

impl RandomSample for f16 {
    const POISON: Self = f16::NAN;
    const EXTREMES: [Self; 2] = [f16::from_f32_const(-1000.0), f16::from_f32_const(1000.0)];
    const BOUND: f64 = 1.0 / 2048.0;

    fn from_bits(bits: u64) -> Self {
        f16::from_f32(<f32 as RandomSample>::from_bits(bits))
    }
}

impl RandomSample for Rounded {
    /// No result is that large.
    const POISON: Self = Rounded(0x5A5A);
    const EXTREMES: [Self; 2] = [Rounded(-1000), Rounded(1000)];
    /// Half a unit, and what computing in `f32` adds.
    const BOUND: f64 = 0.51 / Self::LEAST;
    const LEAST: f64 = 1000.0;

    fn from_bits(bits: u64) -> Self {
        Rounded((bits % 2001) as i16 - 1000)
    }
}

integer!(i16);
integer!(i32);
real!(f32, 2e-6);
real!(f64, 1e-14);

pub fn random_samples<T: RandomSample>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..len).map(|_| T::random(&mut random)).collect()
}

pub fn to_f64<T: RandomSample>(samples: &[T]) -> Vec<f64> {
    samples.iter().map(|sample| sample.to_f64()).collect()
}

/// The reference in either direction.
pub fn refer<T: Sample>(
    transform: &Transform,
    direction: Direction,
    input: &[T],
) -> Result<Vec<T>> {
    match direction {
        Direction::Forward => reference::forward(transform, input),
        Direction::Inverse => reference::inverse(transform, input),
    }
}

/// What a transform of these samples should give: what the reference does with
/// integers, and with floats in f64.
pub fn expected<T: RandomSample>(
    transform: &Transform,
    direction: Direction,
    samples: &[T],
) -> Result<Vec<f64>> {
    match T::TYPE.is_integer() {
        true => Ok(to_f64(&refer(transform, direction, samples)?)),
        false => refer(transform, direction, &to_f64(samples)),
    }
}

/// The largest error relative to the largest value, over values that are all finite; a NaN is an
/// error as large as can be.
pub fn relative_error<T: RandomSample>(got: &[T], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let pairs = got.iter().zip(expected);
    largest_error(pairs.map(|(got, &expected)| (got.to_f64(), expected))) / unit::<T>(expected)
}

fn largest_error(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let errors = pairs.map(|(got, expected)| (got - expected).abs());
    errors.fold(0.0, |most: f64, error| match error.is_nan() {
        true => f64::INFINITY,
        false => most.max(error),
    })
}

/// What errors are relative to.
fn unit<T: RandomSample>(expected: &[f64]) -> f64 {
    if T::TYPE == SampleType::Rounded {
        return T::LEAST;
    }
    let sizes = expected.iter().map(|value| value.abs());
    sizes.fold(T::LEAST, f64::max)
}

/// How large the [`relative_error`] of a plan's results may be in this place.
pub fn allowed<T: RandomSample>(transform: &Transform, place: Place, cost: Cost) -> f64 {
    match is_rounded::<T>() {
        true => T::BOUND * roundings(transform, place, cost.launches),
        false => T::BOUND,
    }
}

fn is_rounded<T: RandomSample>() -> bool {
    matches!(T::TYPE, SampleType::F16 | SampleType::Rounded)
}

/// What is wrong with the result of a plan that costs so much, if anything is. Where samples
/// are rounded whenever an array is written, a band of which earlier launches are rounded
/// less may be off by less.
pub fn wrong<T: RandomSample>(
    transform: &Transform,
    direction: Direction,
    cost: Cost,
    got: &[T],
    expected: &[f64],
) -> Option<String> {
    if direction == Direction::Inverse || !is_rounded::<T>() {
        let (error, bound) = (
            relative_error(got, expected),
            allowed::<T>(transform, Place::Samples, cost),
        );
        return (error > bound).then(|| format!("error {error:.2e}, allowed {bound:.2e}"));
    }
    let parts = |values: Vec<f64>| Coefficients::from_parts(transform, values).unwrap();
    let (got, all) = (parts(to_f64(got)), parts(expected.to_vec()));
    let unit = unit::<T>(expected);
    transform.bands().into_iter().find_map(|(level, band)| {
        let [got, expected] = [&got, &all].map(|of| of.band(level, band).unwrap());
        let error = largest_error(got.iter().zip(expected.iter())) / unit;
        let bound = allowed::<T>(transform, Place::Band(level, band), cost);
        let what = || format!("error {error:.2e} in {band}{level}, allowed {bound:.2e}");
        (error > bound).then(what)
    })
}
