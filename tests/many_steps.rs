//! Wavelets of twenty steps, as the orthogonal families have them: every strategy computes what the
//! reference does, or refuses them and says why.

mod common;

use common::{Random, RandomSample, devices, expected, random_samples, relative_error, run};
use wavelift::{
    Channel, ColumnPass, DeviceKind, Direction, Engine, Error, IntegerStep, Layout, Plan, RealStep,
    RowPass, Scale, Strategy, Transform, Wavelet,
};

const STEPS: usize = 20;

/// Real steps that read one neighbour on each side.
fn near() -> Wavelet {
    let mut random = Random::new(20);
    let steps = (0..STEPS).map(|k| {
        let tap = (random.bits() >> 40) as f64 / (1 << 25) as f64 - 0.25;
        match k % 2 {
            0 => RealStep::new(Channel::Detail, 0, &[tap, tap]),
            _ => RealStep::new(Channel::Approximation, -1, &[tap, tap]),
        }
    });
    let scale = Scale {
        approximation: 1.25,
        detail: 0.75,
    };
    Wavelet::real("near", &steps.collect::<Vec<_>>(), scale).unwrap()
}

/// Integer steps to one side or the other, of three taps or four, which together reach
/// almost as far as is allowed.
fn lopsided() -> Wavelet {
    let mut random = Random::new(21);
    let mut below = |n: u64| (random.bits() % n) as i32;
    let steps = (0..STEPS).map(|k| {
        let target = [Channel::Detail, Channel::Approximation][k % 2];
        let taps = [(); 4].map(|_| below(7) - 3);
        let (bias, shift) = (below(9), 2 + below(3) as u32);
        match k % 4 {
            0 => IntegerStep::add(target, -3, &taps, bias, shift),
            1 => IntegerStep::subtract(target, 1, &taps[..3], bias, shift),
            2 => IntegerStep::subtract(target, 0, &taps, bias, shift),
            _ => IntegerStep::add(target, -3, &taps[..3], bias, shift),
        }
    });
    Wavelet::integer("lopsided", &steps.collect::<Vec<_>>(), 0).unwrap()
}

/// Both directions of a picture large enough that it is not all border, on every device as if it
/// were a GPU; by `single_loop` on CPUs. Where `why` says so, the strategy refuses it instead.
fn check<T: RandomSample>(wavelet: Wavelet, strategy: Strategy, why: Option<&str>) {
    let transform = Transform::new(wavelet, [290, 300]);
    for device in devices() {
        let device = match strategy {
            Strategy::SingleLoop if device.info().kind != DeviceKind::Cpu => continue,
            Strategy::SingleLoop => device,
            _ => device.with_kind(DeviceKind::Gpu),
        };
        let engine = Engine::new(&device).unwrap();
        let plan = match (engine.plan_with::<T>(&transform, strategy), why) {
            (Err(Error::Unsupported { why: found, .. }), Some(why)) => {
                assert!(found.contains(why), "{found}");
                continue;
            }
            (plan, _) => plan.unwrap(),
        };
        assert!(why.is_none(), "{strategy} should refuse it");
        for direction in [Direction::Forward, Direction::Inverse] {
            check_plan::<T>(&engine, &plan, &transform, direction);
        }
    }
}

fn check_plan<T: RandomSample>(
    engine: &Engine,
    plan: &Plan<T>,
    transform: &Transform,
    direction: Direction,
) {
    let samples = random_samples::<T>(transform.len(), 1);
    let got = run(engine, plan, direction, &samples);
    let expected = expected(transform, direction, &samples).unwrap();
    let error = relative_error(&got, &expected);
    let shape = transform.shape();
    assert!(error <= T::BOUND, "{direction:?} of {shape:?}: {error:e}");
}

/// Sixteen steps reach as far as a vector of eight pairs does, which is all that rows go on for
/// beyond their ends; of an odd number of samples, with whole vectors before the last one. The
/// inverse goes along x first, and changes approximations last. Of integers, as what comes from so
/// far is lost in rounding else.
#[test]
fn rows_are_extended_as_far_as_steps_reach() {
    for device in devices() {
        if device.info().kind != DeviceKind::Cpu {
            continue;
        }
        let engine = Engine::new(&device).unwrap();
        let engine = engine.with_tuning("cpu | single_loop | i32 | VECTOR=8");
        let engine = engine.unwrap();
        let steps: Vec<_> = (0..16)
            .map(|k| match k % 2 {
                0 => IntegerStep::add(Channel::Approximation, -1, &[1, 1], 0, 0),
                _ => IntegerStep::subtract(Channel::Detail, 0, &[1, 1], 0, 0),
            })
            .collect();
        let wavelet = Wavelet::integer("far", &steps, 0).unwrap();
        for width in [304, 305] {
            let transform = Transform::new(wavelet.clone(), [64, width]);
            let plan = engine.plan_with::<i32>(&transform, Strategy::SingleLoop);
            check_plan(&engine, &plan.unwrap(), &transform, Direction::Inverse);
        }
    }
}

/// Steps that read past the vectors beside their own, of which those of pixels have fewer pairs.
#[test]
fn steps_read_past_the_neighbouring_vectors() {
    let steps = [
        IntegerStep::add(Channel::Detail, 7, &[1, -2, 1], 1, 1),
        IntegerStep::subtract(Channel::Approximation, -17, &[1, 3], 2, 2),
    ];
    let wavelet = Wavelet::integer("far", &steps, 0).unwrap();
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let by_eight = ["single_loop", "colour_loop", "vectors"]
            .map(|strategy| format!("cpu | {strategy} | i32 | VECTOR=8\n"));
        let engine = engine.with_tuning(&by_eight.concat()).unwrap();
        for (strategy, transform) in [
            (
                Strategy::SingleLoop,
                Transform::new(wavelet.clone(), [64, 201]),
            ),
            (
                Strategy::Vectors,
                Transform::new(wavelet.clone(), [20, 301]).axes([1]),
            ),
            (
                Strategy::ColourLoop,
                Transform::new(wavelet.clone(), [64, 301, 3]).axes([0, 1]),
            ),
        ] {
            if device.info().kind == DeviceKind::Cpu {
                let plan = engine.plan_with::<i32>(&transform, strategy).unwrap();
                for direction in [Direction::Forward, Direction::Inverse] {
                    check_plan(&engine, &plan, &transform, direction);
                }
            }
        }
    }
}

/// There and back in place.
fn check_in_place<T: RandomSample>(wavelet: Wavelet) {
    let transform = Transform::new(wavelet, [290, 300]).layout(Layout::Interleaved);
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let plan = engine.plan_in_place::<T>(&transform).unwrap();
        let samples = random_samples::<T>(transform.len(), 1);
        let mut array = engine.upload(&samples).unwrap();
        for direction in [Direction::Forward, Direction::Inverse] {
            let before = array.download().unwrap();
            let run = match direction {
                Direction::Forward => plan.enqueue_forward(&mut array),
                Direction::Inverse => plan.enqueue_inverse(&mut array),
            };
            run.unwrap().wait().unwrap();
            let expected = expected(&transform, direction, &before).unwrap();
            let error = relative_error(&array.download().unwrap(), &expected);
            assert!(error <= T::BOUND, "{direction:?}: {error:e}");
        }
    }
}

/// For each strategy, why it refuses twenty steps, if it does: real steps that reach 10 pairs to
/// either side, and integer steps that reach 30.
macro_rules! strategies {
    ($($name:ident: $strategy:expr, $near:expr, $lopsided:expr;)*) => {
        $(mod $name {
            use super::*;
            #[test] fn reals() { check::<f32>(near(), $strategy.into(), $near) }
            #[test] fn integers() { check::<i32>(lopsided(), $strategy.into(), $lopsided) }
        })*
        #[test]
        fn every_strategy_is_tested() {
            let tested: Vec<Strategy> = vec![$($strategy.into()),*];
            let mut all = Strategy::ALL.iter().copied().chain(Strategy::each_pass());
            assert!(all.all(|strategy| tested.contains(&strategy)));
        }
    };
}

const NO_BORDER: Option<&str> = Some("do not go on beyond a symmetric border");
const ALL_HALO: Option<&str> = Some("are all halo");
const REGISTERS: Option<&str> = Some("registers, a work-item of a GPU has 255");
const LARGE_BOXES: Option<&str> = Some("boxes too large for a work-group");
const NO_COLUMNS: Option<&str> = Some("it takes lines that stand side by side");
const NO_PIXELS: Option<&str> = Some("it takes two axes before an inner batch");
const NO_PLANES: Option<&str> = Some("it takes two axes of planes");
const NO_VOLUME: Option<&str> = Some("it takes three axes");
const LONG_REACH: Option<&str> = Some("its margins hold no reach");
const LONG_RING: Option<&str> = Some("its registers do not hold");
const ROUNDING: Option<&str> = Some("convolution cannot round");

strategies! {
    pyramid: Strategy::Pyramid, None, NO_BORDER;
    register_block: Strategy::RegisterBlock, None, ALL_HALO;
    streamed: Strategy::Streamed, None, REGISTERS;
    whole_boxes: Strategy::WholeBoxes, LARGE_BOXES, NO_BORDER;
    register_lines: Strategy::RegisterLines, NO_COLUMNS, ALL_HALO;
    register_rows: Strategy::RegisterRows, None, LONG_REACH;
    register_columns: Strategy::RegisterColumns, NO_COLUMNS, LONG_RING;
    single_loop: Strategy::SingleLoop, None, None;
    streamed_colours: Strategy::StreamedColours, NO_PIXELS, NO_PIXELS;
    register_planes: Strategy::RegisterPlanes, NO_PLANES, NO_PLANES;
    streamed_volumes: Strategy::StreamedVolumes, NO_VOLUME, NO_VOLUME;
    colour_loop: Strategy::ColourLoop, NO_PIXELS, NO_PIXELS;
    vectors: Strategy::Vectors, None, None;
    separable: Strategy::SEPARABLE, None, None;
    stepwise: Strategy::Stepwise, None, None;
    one_pair_in_rows: RowPass::OnePair, None, None;
    exchanged_in_rows: RowPass::Exchanged, None, None;
    convolution_in_rows: RowPass::Convolution, None, ROUNDING;
    exchanged_in_columns: ColumnPass::Exchanged, None, None;
    convolution_in_columns: ColumnPass::Convolution, None, ROUNDING;
    transposed_columns: ColumnPass::Transposed, None, None;
}

mod in_place {
    use super::*;

    #[test]
    fn reals() {
        check_in_place::<f32>(near());
    }

    #[test]
    fn integers() {
        check_in_place::<i32>(lopsided());
    }
}
