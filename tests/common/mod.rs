//! What several test files share: devices, random samples, awkward shapes.
#![allow(dead_code, reason = "each test file uses its own part of this")]

#[path = "../../examples/common/check.rs"]
mod check;
mod required;
#[path = "../../examples/common/rounding.rs"]
mod rounding;

pub use check::*;
use proptest::strategy::Strategy as Generator;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};
pub use required::*;
use std::sync::OnceLock;
use wavelift::{
    Boundary, Device, Direction, Engine, Error, Layout, Plan, Sample, SampleType, Strategy,
    Transform, Wavelet,
};

/// Hands every wavelet to a macro of tests, with the name that its tests have.
#[allow(unused_macros)]
macro_rules! for_every_wavelet {
    ($tests:ident) => {
        $tests! {
            cdf53: CDF_5_3;
            cdf97: CDF_9_7;
            haar: HAAR;
            daub4: DAUB_4;
            ccsds97m: CCSDS_9_7_M;
            vc2_dd97: VC2_DD_9_7;
            vc2_legall53: VC2_LEGALL_5_3;
            vc2_dd137: VC2_DD_13_7;
            vc2_haar0: VC2_HAAR_0;
            vc2_haar1: VC2_HAAR_1;
            vc2_fidelity: VC2_FIDELITY;
            vc2_daub97: VC2_DAUB_9_7;
        }
    };
}
#[allow(unused_imports)]
pub(crate) use for_every_wavelet;

/// Every OpenCL device. Missing devices fail a test; they are never skipped in silence.
pub fn found_devices() -> Vec<Device> {
    let devices = Device::all().expect("the tests need an OpenCL device, PoCL for example");
    assert!(
        !devices.is_empty(),
        "the tests need an OpenCL device, PoCL for example"
    );
    devices
}

/// Every OpenCL device. An engine on each stays open until the process ends: PoCL forgets
/// its library of functions with the last context, and reading it again for the next
/// program takes half a second.
pub fn devices() -> Vec<Device> {
    static OPEN: OnceLock<Vec<Engine>> = OnceLock::new();
    let devices = found_devices();
    let open = || devices.iter().filter_map(|one| Engine::new(one).ok());
    OPEN.get_or_init(|| open().collect());
    devices
}

/// Shapes, axes and levels that go wrong first: single samples, thin ones, primes, longer than any
/// window, levels beyond what fits, batches before, between and behind the transformed axes. Of
/// those with several levels some are small enough for one launch, some not.
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
        (&[300, 3], &[0, 1], 3),
        (&[5, 6, 7], &[0, 1, 2], 2),
        (&[5, 33, 34], &[2, 0, 1], 3),
        (&[65, 2, 34], &[0], 2),
        (&[2, 67, 66], &[1, 2], 2),
        (&[38, 52, 3], &[0, 1], 2),
        (&[2, 26, 3, 47], &[1, 3], 2),
        (&[3, 4, 5, 6], &[0, 1, 2, 3], 2),
        (&[3, 41, 42], &[1], 3),
        (&[13, 8], &[1], 0),
    ];
    all.iter()
        .map(|(shape, axes, levels)| {
            Transform::new(wavelet.clone(), *shape)
                .axes(*axes)
                .levels(*levels)
        })
        .collect()
}

/// Pictures small enough for the coarse levels of others, lines among them, down to single samples:
/// each by the rules of its wavelet, and with another boundary rule and layout.
pub fn coarse(wavelet: Wavelet) -> Vec<Transform> {
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
    let transforms = all
        .into_iter()
        .enumerate()
        .flat_map(|(i, (shape, levels))| {
            let axes = [shape.len() - 2, shape.len() - 1];
            let transform = Transform::new(wavelet.clone(), shape)
                .axes(axes)
                .levels(levels);
            let boundary = Boundary::ALL[i % Boundary::ALL.len()];
            let layout = Layout::ALL[i / 2 % Layout::ALL.len()];
            [
                transform.clone(),
                transform.boundary(boundary).layout(layout),
            ]
        });
    transforms.collect()
}

/// Each with every boundary rule and layout.
pub fn everywhere(transforms: Vec<Transform>) -> Vec<Transform> {
    let mut all = Vec::new();
    for transform in transforms {
        for &boundary in Boundary::ALL {
            for &layout in Layout::ALL {
                all.push(transform.clone().boundary(boundary).layout(layout));
            }
        }
    }
    all
}

/// Whether a device computes on samples of this type; where it does not, the case is not run there.
pub fn computes(what: &str, device: &Device, sample: SampleType) -> bool {
    sample != SampleType::F64 || can_run(what, device, "fp64", |info| info.fp64)
}

/// A plan by every strategy that takes the transform, of which the two that take everything must,
/// and the one that the planner composes.
pub fn plans<T: Sample>(engine: &Engine, transform: &Transform) -> Vec<Plan<T>> {
    let mut plans = plans_of(engine, transform, |_| true);
    plans.push(engine.plan(transform).unwrap());
    plans
}

/// A plan by each of the wanted strategies that takes the transform.
pub fn plans_of<T: Sample>(
    engine: &Engine,
    transform: &Transform,
    is_wanted: impl Fn(Strategy) -> bool,
) -> Vec<Plan<T>> {
    let all = Strategy::ALL.iter().copied();
    plans_by(engine, transform, all.filter(|&one| is_wanted(one)))
}

/// A plan by each of these strategies that takes the transform.
pub fn plans_by<T: Sample>(
    engine: &Engine,
    transform: &Transform,
    strategies: impl Iterator<Item = Strategy>,
) -> Vec<Plan<T>> {
    let mut plans = Vec::new();
    for strategy in strategies {
        let must = [Strategy::SEPARABLE, Strategy::Stepwise].contains(&strategy);
        match engine.plan_with(transform, strategy) {
            Ok(plan) => plans.push(plan),
            Err(Error::Unsupported { .. }) if !must => {}
            Err(error) => panic!("{strategy} refuses {transform:?}: {error}"),
        }
    }
    plans
}

/// Runs a plan on the device into an array that held poison, and checks that
/// the input stays as it was.
pub fn run<T: RandomSample>(
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
    // As bytes, since NaN is not equal to itself.
    let bytes = bytemuck::cast_slice::<T, u8>;
    let after = from.download().unwrap();
    assert!(
        bytes(input) == bytes(&after),
        "the input was changed: {plan:?}"
    );
    to.download().unwrap()
}

/// Checks a property on `cases` random inputs, the same ones on every machine, and makes what
/// fails as simple as can be.
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
