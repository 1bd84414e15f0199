//! Every strategy against the reference, on every device: integers for equality, floats within
//! `RandomSample::BOUND` of the f64 reference, outputs poisoned before each run.

mod arrivals;
mod caches;
#[path = "../common/mod.rs"]
mod common;
mod composed_with_streamed;
mod exchange;
#[allow(dead_code, reason = "other tests use the rest of this")]
#[path = "../layer/mod.rs"]
mod layer;
mod matrices;
mod segments;
mod shapes;
mod work_groups;

use common::{
    RandomSample, awkward, can_run, coarse, computes, devices, everywhere, expected, ran,
    random_samples, run, wrong,
};
use half::f16;
use wavelift::{
    Boundary, Channel, ColumnPass, Device, DeviceInfo, DeviceKind, Direction, Engine, Error,
    Exchange, IntegerStep, Layout, RealStep, Rounded, RowPass, SampleType, Scale, Strategy,
    Transform, Wavelet,
};

/// Whether a strategy cannot round these samples at every step.
fn cannot_round(strategy: Strategy, sample: SampleType) -> bool {
    let is_integer = matches!(sample, SampleType::I16 | SampleType::I32);
    let convolves = match strategy {
        Strategy::Separable { rows, columns } => {
            rows == RowPass::Convolution || columns == ColumnPass::Convolution
        }
        _ => false,
    };
    is_integer && convolves
}

/// What a strategy is not for: every level must be one of pictures, whose inner axis is in one
/// piece; or samples must be real.
fn is_refused(
    strategy: Strategy,
    kind: DeviceKind,
    transform: &Transform,
    sample: SampleType,
) -> bool {
    let mut shape = transform.shape().to_vec();
    let (mut pictures, mut coloured, mut planes, mut columns) = (true, true, true, true);
    let most_colours = match strategy {
        // More do not fit its registers.
        Strategy::StreamedColours if *transform.wavelet() == Wavelet::VC2_FIDELITY => 5,
        Strategy::StreamedColours => 8,
        Strategy::ColourLoop if kind == DeviceKind::Cpu => 16,
        _ => 4,
    };
    let (mut levels, mut goes_on, mut volumes) = (0, true, true);
    let (mut boxes, mut lifted) = (true, None);
    let mut lines = true;
    for _ in 0..transform.level_count() {
        let is_long = |axis: &&usize| shape[**axis] > 1;
        let axes: Vec<usize> = transform
            .chosen_axes()
            .iter()
            .filter(is_long)
            .copied()
            .collect();
        let Some(&inner) = axes.last() else {
            break;
        };
        levels += 1;
        let in_one_piece = shape[inner + 1..].iter().all(|&samples| samples == 1);
        boxes &= axes.len() <= 3 && *lifted.get_or_insert(axes.clone()) == axes;
        pictures &= axes.len() == 2 && in_one_piece;
        volumes &= axes.len() == 3 && in_one_piece;
        let behind = shape[inner + 1..].iter().filter(|&&samples| samples > 1);
        let is_pixel = behind.clone().count() == 1 && behind.sum::<usize>() <= most_colours;
        coloured &= axes.len() == 2 && is_pixel;
        planes &= axes.len() == 2 && !in_one_piece;
        let stands_behind = |axis: &usize| shape[axis + 1..].iter().any(|&samples| samples > 1);
        columns &= axes.iter().all(stands_behind);
        let samples = shape.iter().product::<usize>();
        let are_many = |axis: &usize| {
            let of_a_few = shape[*axis] <= 8 && samples / shape[*axis] >= 4096;
            stands_behind(axis) && (of_a_few || samples >= 1 << 14)
        };
        lines &= axes.iter().all(are_many);
        for axis in axes {
            goes_on &= goes_on_beyond(transform, shape[axis]);
            shape[axis] = shape[axis].div_ceil(2);
        }
    }
    match strategy {
        Strategy::Pyramid | Strategy::RegisterBlock => !pictures || !goes_on,
        Strategy::WholeBoxes => {
            let planar = transform.coefficient_layout() == Layout::Mallat;
            levels > 0 && !(boxes && goes_on && planar)
        }
        Strategy::RegisterColumns => !columns,
        Strategy::RegisterLines => levels > 0 && !lines,
        Strategy::Streamed => !pictures,
        Strategy::StreamedColours => !coloured || !goes_on,
        Strategy::RegisterPlanes => !planes || !goes_on,
        Strategy::StreamedVolumes => {
            let steps = [Wavelet::CDF_5_3, Wavelet::CDF_9_7].contains(transform.wavelet());
            let reads_elsewhere = goes_on && transform.boundary_rule() != Boundary::Zero;
            let integers = [Wavelet::VC2_LEGALL_5_3, Wavelet::VC2_DAUB_9_7];
            let streams = steps || (sample.is_integer() && integers.contains(transform.wavelet()));
            levels > 0 && !(volumes && reads_elsewhere && streams)
        }
        Strategy::SingleLoop => !pictures,
        Strategy::ColourLoop => !coloured,
        Strategy::Separable { .. } => cannot_round(strategy, sample) && levels > 0,
        _ => false,
    }
}

/// Whether a line can be extended beyond its border once, or anew at each step by its outermost
/// samples or by zeros, so that the results are those of its boundary rule.
fn goes_on_beyond(transform: &Transform, samples: usize) -> bool {
    let is_even = samples.is_multiple_of(2);
    let pair_by_pair = [Wavelet::HAAR, Wavelet::VC2_HAAR_0, Wavelet::VC2_HAAR_1];
    match transform.boundary_rule() {
        Boundary::Zero => true,
        Boundary::Periodic => is_even,
        _ if pair_by_pair.contains(transform.wavelet()) => is_even,
        _ => *transform.wavelet() != Wavelet::DAUB_4,
    }
}

/// What computes: a strategy by name, or those that the planner composes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    One(Strategy),
    Auto,
}

impl From<Strategy> for By {
    fn from(strategy: Strategy) -> Self {
        By::One(strategy)
    }
}

fn check<T: RandomSample>(engine: &Engine, by: impl Into<By>, transform: &Transform, seed: u64) {
    let by = by.into();
    let plan = match by {
        By::Auto => engine.plan::<T>(transform),
        By::One(strategy) => engine.plan_with::<T>(transform, strategy),
    };
    // Of pixels `pyramid` takes what it has windows for, on GPUs.
    let inner = transform.chosen_axes().iter().max().map_or(0, |&last| {
        let behind = transform.shape()[last + 1..].iter();
        behind.product::<usize>()
    });
    let may_take = by == By::One(Strategy::Pyramid)
        && engine.device().info().kind == DeviceKind::Gpu
        && inner > 1
        && plan.is_ok();
    if let By::One(strategy) = by
        && is_refused(strategy, engine.device().info().kind, transform, T::TYPE)
        && !may_take
    {
        assert!(
            matches!(plan, Err(Error::Unsupported { .. })),
            "{strategy}: {transform:?}"
        );
        return;
    }
    // Local memory does not hold them everywhere; on GPUs, for which these strategies
    // are not made, it holds few.
    let long = transform
        .shape()
        .last()
        .is_some_and(|&samples| samples > 2000);
    let loops = [Strategy::SingleLoop, Strategy::ColourLoop].map(By::One);
    if loops.contains(&by)
        && (long || engine.device().info().kind != DeviceKind::Cpu)
        && transform.boundary_rule() == Boundary::Periodic
        && let Err(Error::Unsupported { why, .. }) = &plan
    {
        assert!(why.contains("too long for a strip"), "{why}");
        println!(
            "not run: {by:?} {transform:?} on {}: {why}",
            engine.device()
        );
        return;
    }
    // Work-groups of 64 have as many runs, of a few pairs each.
    let in_a_box = transform.chosen_axes().iter();
    let in_a_box: usize = in_a_box.map(|&axis| transform.shape()[axis]).product();
    if by == By::One(Strategy::WholeBoxes)
        && in_a_box > 120
        && let Err(Error::Unsupported { why, .. }) = &plan
    {
        assert!(why.contains("too large for a work-group"), "{why}");
        println!(
            "not run: {by:?} {transform:?} on {}: {why}",
            engine.device()
        );
        return;
    }
    // Beyond a border that is set anew, rows of a long reach do not fit its registers.
    if by == By::One(Strategy::RegisterPlanes)
        && *transform.wavelet() == Wavelet::VC2_DD_13_7
        && [Boundary::Clamp, Boundary::Zero].contains(&transform.boundary_rule())
        && let Err(Error::Unsupported { why, .. }) = &plan
    {
        assert!(why.contains("registers"), "{why}");
        return;
    }
    let plan = plan.unwrap_or_else(|error| panic!("{by:?} {transform:?}: {error}"));
    let samples = random_samples::<T>(transform.len(), seed);
    for direction in [Direction::Forward, Direction::Inverse] {
        let got = run(engine, &plan, direction, &samples);
        let expected = expected(transform, direction, &samples).unwrap();
        let wrong = wrong(transform, direction, plan.cost(direction), &got, &expected);
        assert!(
            wrong.is_none(),
            "{direction:?}, {:?}: {wrong:?} of {plan:?}",
            engine.device()
        );
    }
}

fn check_all<T: RandomSample>(device: &Device, by: impl Into<By>, transforms: &[Transform]) {
    let by = by.into();
    let Some(first) = transforms.first() else {
        return;
    };
    let what = format!("{by:?} of {}", T::TYPE);
    if !T::TYPE.is_served_by(first.wavelet()) || !computes(&what, device, T::TYPE) {
        return;
    }
    let engine = Engine::new(device).unwrap();
    for (seed, transform) in transforms.iter().enumerate() {
        check::<T>(&engine, by, transform, seed as u64);
    }
}

fn check_samples(device: &Device, by: impl Into<By>, transforms: &[Transform]) {
    let by = by.into();
    check_all::<i16>(device, by, transforms);
    check_all::<i32>(device, by, transforms);
    check_all::<f32>(device, by, transforms);
    check_all::<f64>(device, by, transforms);
}
