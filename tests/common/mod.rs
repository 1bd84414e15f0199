//! What several test files share: devices, random samples, awkward shapes.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use proptest::strategy::Strategy as Generator;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};
use wavelift::{
    Boundary, Device, Direction, Engine, Error, Layout, Plan, Sample, SampleType, Strategy,
    Transform, Wavelet,
};

/// Every OpenCL device. Missing devices fail a test; they are never skipped in silence.
pub fn devices() -> Vec<Device> {
    let devices = Device::all().expect("the tests need an OpenCL device, PoCL for example");
    assert!(
        !devices.is_empty(),
        "the tests need an OpenCL device, PoCL for example"
    );
    devices
}

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

/// Samples that the tests make up: over the full range, extremes included.
pub trait TestSample: Sample {
    fn random(random: &mut Random) -> Self;
    /// Small enough for the headroom that a pre-shift needs, over `levels` levels.
    fn modest(random: &mut Random, levels: u32) -> Self;
    /// What an output holds before a run, so that a place never written shows.
    const POISON: Self;
    /// The smallest and the largest value that are tried.
    const EXTREMES: [Self; 2];
    fn to_f64(self) -> f64;
}

macro_rules! integer {
    ($T:ty) => {
        impl TestSample for $T {
            const POISON: Self = 0x5A5A;
            const EXTREMES: [Self; 2] = [<$T>::MIN, <$T>::MAX];

            fn random(random: &mut Random) -> Self {
                match random.bits() % 16 {
                    0 => <$T>::MIN,
                    1 => <$T>::MAX,
                    _ => (random.bits() >> 32) as $T,
                }
            }

            fn modest(random: &mut Random, levels: u32) -> Self {
                let bits = (<$T>::BITS - 4).saturating_sub(levels).max(1);
                let limit = 1i64 << (bits - 1);
                ((random.bits() >> 33) as i64 % (2 * limit) - limit) as $T
            }

            fn to_f64(self) -> f64 {
                self.into()
            }
        }
    };
}

macro_rules! real {
    ($T:ty) => {
        impl TestSample for $T {
            const POISON: Self = <$T>::NAN;
            const EXTREMES: [Self; 2] = [-1000.0, 1000.0];

            fn random(random: &mut Random) -> Self {
                match random.bits() % 16 {
                    0 => -1000.0,
                    1 => 1000.0,
                    _ => ((random.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) as $T * 1000.0,
                }
            }

            fn modest(random: &mut Random, _: u32) -> Self {
                Self::random(random)
            }

            fn to_f64(self) -> f64 {
                self.into()
            }
        }
    };
}

integer!(i16);
integer!(i32);
real!(f32);
real!(f64);

pub fn random_samples<T: TestSample>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..len).map(|_| T::random(&mut random)).collect()
}

/// Shapes, axes and levels that go wrong first: single samples, thin ones, primes, longer than any
/// window, levels beyond what fits, batches before, between and behind the transformed axes. Of those with
/// several levels some are small enough for one launch, some not.
pub fn awkward(wavelet: Wavelet) -> Vec<Transform> {
    let all: &[(&[usize], &[usize], u32)] = &[
        (&[1], &[0], 1),
        (&[2], &[0], 1),
        (&[3], &[0], 2),
        (&[16], &[0], 3),
        (&[31], &[0], 5),
        (&[101], &[0], 2),
        (&[5000], &[0], 5),
        (&[1, 1], &[0, 1], 3),
        (&[1, 9], &[0, 1], 1),
        (&[9, 1], &[0, 1], 2),
        (&[2, 3], &[0, 1], 1),
        (&[5, 7], &[0, 1], 64),
        (&[64, 64], &[0, 1], 3),
        (&[63, 71], &[0, 1], 2),
        (&[127, 129], &[0, 1], 4),
        (&[2, 5000], &[0, 1], 1),
        (&[1400, 3], &[0, 1], 3),
        (&[5, 6, 7], &[0, 1, 2], 2),
        (&[33, 65, 34], &[2, 0, 1], 3),
        (&[3, 67, 66], &[1, 2], 2),
        (&[70, 52, 3], &[0, 1], 2),
        (&[2, 50, 3, 47], &[1, 3], 2),
        (&[3, 4, 5, 6], &[0, 1, 2, 3], 2),
        (&[40, 41, 42], &[1], 3),
        (&[13, 8], &[1], 0),
    ];
    all.iter()
        .map(|(shape, axes, levels)| Transform::new(wavelet, *shape).axes(*axes).levels(*levels))
        .collect()
}

/// Transforms whose last levels are one launch: from the first level on, or after others; of pictures, of
/// lines, down to single samples.
pub fn with_tails(wavelet: Wavelet) -> Vec<Transform> {
    let all: [(&[usize], u32); 13] = [
        (&[64, 64], 5),
        (&[33, 47], 6),
        (&[1, 50], 4),
        (&[50, 1], 4),
        (&[2, 3], 64),
        (&[3, 40, 50], 3),
        (&[2, 70, 131], 4),
        (&[128, 128], 2),
        (&[127, 128], 3),
        (&[128, 97], 7),
        (&[100, 128], 3),
        (&[65, 127], 4),
        (&[3, 256, 254], 3),
    ];
    let transforms = all.map(|(shape, levels)| {
        let axes = [shape.len() - 2, shape.len() - 1];
        Transform::new(wavelet, shape).axes(axes).levels(levels)
    });
    everywhere(transforms.into())
}

/// Each with every boundary rule and layout.
pub fn everywhere(transforms: Vec<Transform>) -> Vec<Transform> {
    let mut all = Vec::new();
    for transform in transforms {
        for boundary in Boundary::ALL {
            for layout in Layout::ALL {
                all.push(transform.clone().boundary(boundary).layout(layout));
            }
        }
    }
    all
}

/// The largest error relative to the largest value, over values that are all finite.
pub fn relative_error<T: TestSample>(got: &[T], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let mut error = 0f64;
    let mut largest = f64::MIN_POSITIVE;
    for (got, expected) in got.iter().zip(expected) {
        let difference = (got.to_f64() - expected).abs();
        // A NaN is an error as large as can be.
        error = if difference.is_nan() {
            f64::INFINITY
        } else {
            error.max(difference)
        };
        largest = largest.max(expected.abs());
    }
    error / largest
}

/// How far a strategy may be from the f64 reference, relative to the largest value.
pub fn bound(sample: SampleType) -> f64 {
    match sample {
        SampleType::F32 => 2e-6,
        SampleType::F64 => 1e-14,
        SampleType::I16 | SampleType::I32 => 0.0,
    }
}

/// Whether a device computes on samples of this type.
pub fn computes(device: &Device, sample: SampleType) -> bool {
    sample != SampleType::F64 || device.info().fp64
}

/// A plan by every strategy that takes the transform; the two that take everything must.
pub fn plans<T: Sample>(engine: &Engine, transform: &Transform) -> Vec<Plan<T>> {
    let mut plans = Vec::new();
    for strategy in Strategy::ALL {
        let must = [Strategy::Separable, Strategy::Stepwise].contains(&strategy);
        match engine.plan_with(transform, strategy) {
            Ok(plan) => plans.push(plan),
            Err(Error::Unsupported { .. }) if !must => {}
            Err(error) => panic!("{strategy} refuses {transform:?}: {error}"),
        }
    }
    plans
}

/// Runs a plan on the device into an array that held poison.
pub fn run<T: TestSample>(
    engine: &Engine,
    plan: &Plan<T>,
    direction: Direction,
    input: &[T],
) -> Vec<T> {
    let from = engine.upload(input).unwrap();
    let mut to = engine.upload(&vec![T::POISON; input.len()]).unwrap();
    let run = match direction {
        Direction::Forward => plan.enqueue_forward(&from, &mut to),
        Direction::Inverse => plan.enqueue_inverse(&from, &mut to),
    };
    run.unwrap().wait().unwrap();
    to.download().unwrap()
}

/// Checks a property on `cases` random inputs, the same ones on every machine, and makes what fails as
/// simple as can be.
pub fn for_all<G: Generator>(cases: u32, inputs: G, property: impl Fn(G::Value) -> TestCaseResult) {
    let config = Config {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5EED),
        ..Config::with_cases(cases)
    };
    if let Err(failure) = TestRunner::new(config).run(&inputs, property) {
        panic!("{failure}");
    }
}
