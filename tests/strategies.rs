//! Every strategy against the reference, on every device: integers for equality, floats within
//! `RandomSample::BOUND` of the f64 reference, outputs poisoned before each run.

mod common;

use common::{
    RandomSample, allowed, awkward, can_run, coarse, computes, devices, everywhere, expected, ran,
    random_samples, relative_error, run,
};
use half::f16;
use wavelift::{
    Boundary, ColumnPass, Device, DeviceInfo, DeviceKind, Direction, Engine, Error, Exchange,
    Layout, Rounded, RowPass, SampleType, Strategy, Transform, Wavelet,
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

/// What a strategy is not for: every level must be one of pictures, whose inner axis is in one piece; or samples must be
/// real.
fn is_refused(strategy: Strategy, transform: &Transform, sample: SampleType) -> bool {
    let mut shape = transform.shape().to_vec();
    let (mut pictures, mut coloured, mut rows, mut columns) = (true, true, true, true);
    let most_colours = match strategy {
        // More do not fit its registers.
        Strategy::StreamedColours if *transform.wavelet() == Wavelet::VC2_FIDELITY => 5,
        Strategy::StreamedColours => 8,
        _ => 4,
    };
    let (mut levels, mut goes_on, mut volumes) = (0, true, true);
    let mut odd_columns = false;
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
        pictures &= axes.len() == 2 && in_one_piece;
        volumes &= axes.len() == 3 && in_one_piece;
        let behind = shape[inner + 1..].iter().filter(|&&samples| samples > 1);
        let is_pixel = behind.clone().count() == 1 && behind.sum::<usize>() <= most_colours;
        coloured &= axes.len() == 2 && is_pixel;
        let apart = |axis: &usize| shape[axis + 1..].iter().product::<usize>();
        rows &= axes.iter().all(|axis| apart(axis) <= 4);
        let stands_behind = |axis: &usize| shape[axis + 1..].iter().any(|&samples| samples > 1);
        columns &= axes.iter().all(stands_behind);
        odd_columns |= shape[axes[0]] % 2 == 1;
        for axis in axes {
            goes_on &= goes_on_beyond(transform, shape[axis]);
            shape[axis] = shape[axis].div_ceil(2);
        }
    }
    match strategy {
        Strategy::Pyramid | Strategy::RegisterBlock => !pictures || !goes_on,
        Strategy::RegisterRows => !rows || !goes_on,
        Strategy::RegisterColumns => !columns || !goes_on,
        Strategy::Streamed => !pictures,
        Strategy::StreamedColours => !coloured || !goes_on,
        Strategy::StreamedVolumes => {
            let steps = [Wavelet::CDF_5_3, Wavelet::CDF_9_7].contains(transform.wavelet());
            let reads_elsewhere = goes_on && transform.boundary_rule() != Boundary::Zero;
            let planar = transform.coefficient_layout() == Layout::Mallat;
            let integers = [Wavelet::VC2_LEGALL_5_3, Wavelet::VC2_DAUB_9_7];
            let streams = match sample {
                SampleType::F32 | SampleType::F64 => steps,
                _ => sample.is_integer() && (steps || integers.contains(transform.wavelet())),
            };
            levels > 0 && !(volumes && reads_elsewhere && planar && streams)
        }
        Strategy::SingleLoop | Strategy::ColourLoop => {
            let fits = match strategy {
                Strategy::SingleLoop => pictures,
                _ => coloured,
            };
            !fits || (transform.boundary_rule() == Boundary::Periodic && odd_columns)
        }
        Strategy::Separable { .. } => cannot_round(strategy, sample) && levels > 0,
        _ => false,
    }
}

/// Whether a line can be extended beyond its border once, or anew at each step by its outermost samples or by zeros, so that
/// the results are those of its boundary rule.
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
    if let By::One(strategy) = by
        && is_refused(strategy, transform, T::TYPE)
    {
        assert!(
            matches!(plan, Err(Error::Unsupported { .. })),
            "{strategy}: {transform:?}"
        );
        return;
    }
    // Local memory does not hold them everywhere.
    let long = transform
        .shape()
        .last()
        .is_some_and(|&samples| samples > 2000);
    if by == By::One(Strategy::SingleLoop)
        && long
        && transform.boundary_rule() == Boundary::Periodic
        && let Err(Error::Unsupported { why, .. }) = &plan
    {
        assert!(why.contains("too long for a strip"), "{why}");
        return;
    }
    let plan = plan.unwrap_or_else(|error| panic!("{by:?} {transform:?}: {error}"));
    let samples = random_samples::<T>(transform.len(), seed);
    for direction in [Direction::Forward, Direction::Inverse] {
        let got = run(engine, &plan, direction, &samples);
        let expected = expected(transform, direction, &samples).unwrap();
        let error = relative_error(&got, &expected);
        assert!(
            error <= allowed::<T>(plan.cost(direction)),
            "{direction:?}, {:?}: error {error:e} of {plan:?}",
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

/// The whole matrix for one wavelet.
fn matrix(by: impl Into<By>, wavelet: Wavelet) {
    matrix_on(&devices(), by, wavelet);
}

/// The same on all devices as if they were of this kind, which decides what the planner prefers.
fn matrix_as_on(kind: DeviceKind, by: impl Into<By>, wavelet: Wavelet) {
    let devices = devices();
    let devices: Vec<_> = devices
        .iter()
        .map(|device| device.with_kind(kind))
        .collect();
    matrix_on(&devices, by, wavelet);
}

fn matrix_on(devices: &[Device], by: impl Into<By>, wavelet: Wavelet) {
    let (by, transforms) = (by.into(), everywhere(awkward(wavelet)));
    for device in devices {
        check_samples(device, by, &transforms);
    }
}

/// What a strategy refuses, as the planner composes it on devices of the kind on which it prefers that strategy.
fn composed(preferred: Strategy, kind: DeviceKind, wavelet: Wavelet) {
    let mut transforms = everywhere(awkward(wavelet));
    transforms.retain(|transform| is_refused(preferred, transform, SampleType::F32));
    for device in devices() {
        check_samples(&device.with_kind(kind), By::Auto, &transforms);
    }
}

/// What the planner makes of `streamed` and others where work-items exchange values, on a device of few compute units, so that
/// small pictures are large ones.
mod composed_with_streamed {
    use super::*;

    /// As a GPU whose work-items have registers enough to stream. Where kernels may ask for the size of their sub-groups, as on
    /// Intel's, the planner takes them to have fewer, and prefers blocks.
    fn streaming(device: &Device) -> Device {
        let (exchange, lanes) = (device.info().exchange, device.info().lanes);
        let mut limits = device.info().clone();
        limits.sub_groups = false;
        let device = device.with_limits(&limits).with_compute_units(1);
        // SAFETY: this is how the device exchanges.
        let device = unsafe { device.with_exchange(exchange, lanes) };
        device.unwrap().with_kind(DeviceKind::Gpu)
    }

    fn check_beside<T: RandomSample>(transforms: &[(Transform, &[Strategy])]) {
        let what = format!("`streamed` of {} beside others", T::TYPE);
        for device in devices() {
            let exchanges = |info: &DeviceInfo| info.exchange != Exchange::None;
            if !can_run(&what, &device, "two-levels", exchanges) {
                continue;
            }
            let engine = Engine::new(&streaming(&device)).unwrap();
            for (seed, (transform, strategies)) in transforms.iter().enumerate() {
                let plan = engine.plan::<T>(transform).unwrap();
                let used = plan.strategies();
                assert!(
                    strategies.iter().all(|one| used.contains(one)),
                    "{used:?}: {plan:?}"
                );
                check::<T>(&engine, By::Auto, transform, seed as u64);
            }
            ran(&what, &device);
        }
    }

    const COLUMNS: Strategy = Strategy::RegisterColumns;
    const BLOCK: Strategy = Strategy::RegisterBlock;
    const STREAMED: Strategy = Strategy::Streamed;
    const PYRAMID: Strategy = Strategy::Pyramid;

    #[test]
    fn floats() {
        let volume = Transform::new(Wavelet::CDF_9_7, [9, 141, 150]).levels(2);
        let picture = Transform::new(Wavelet::CDF_9_7, [421, 560]).levels(4);
        check_beside::<f32>(&[
            (volume.clone(), &[COLUMNS, STREAMED, BLOCK]),
            (
                volume.layout(Layout::Interleaved),
                &[COLUMNS, STREAMED, BLOCK],
            ),
            (picture, &[STREAMED, BLOCK]),
        ]);
    }

    #[test]
    fn shorts_along_y_first() {
        let volume = Transform::new(Wavelet::CDF_5_3, [5, 131, 150]);
        let picture = Transform::new(Wavelet::CDF_5_3, [203, 402]).levels(4);
        check_beside::<i16>(&[
            (volume, &[COLUMNS, STREAMED]),
            (picture, &[STREAMED, PYRAMID]),
        ]);
    }

    #[test]
    fn integers_along_x_first() {
        let volume = Transform::new(Wavelet::VC2_DD_13_7, [5, 131, 150]);
        // By zeros there is a frame, which only large pictures are worth.
        let zero = Transform::new(Wavelet::VC2_DD_13_7, [2, 331, 370]).boundary(Boundary::Zero);
        check_beside::<i32>(&[(volume, &[STREAMED, COLUMNS]), (zero, &[STREAMED, COLUMNS])]);
    }
}

/// One test per strategy and wavelet, so that a test runner can spread them over processes.
macro_rules! matrices {
    ($($name:ident: $wavelet:ident;)*) => {
        mod stepwise {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::Stepwise, Wavelet::$wavelet) })*
        }
        mod streamed {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::Streamed, Wavelet::$wavelet) })*
        }
        mod register_block {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::RegisterBlock, Wavelet::$wavelet) })*
        }
        mod register_rows {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::RegisterRows, Wavelet::$wavelet) })*
        }
        mod register_columns {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::RegisterColumns, Wavelet::$wavelet) })*
        }
        mod pyramid {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::Pyramid, Wavelet::$wavelet) })*
        }
        mod single_loop {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::SingleLoop, Wavelet::$wavelet) })*
        }
        mod separable {
            use super::*;
            $(#[test] fn $name() { matrix_as_on(DeviceKind::Gpu, Strategy::SEPARABLE, Wavelet::$wavelet) })*
        }
        mod vectors {
            use super::*;
            $(#[test] fn $name() { matrix_as_on(DeviceKind::Cpu, Strategy::Vectors, Wavelet::$wavelet) })*
        }
        mod composed_as_on_gpus {
            use super::*;
            $(#[test] fn $name() { composed(Strategy::Streamed, DeviceKind::Gpu, Wavelet::$wavelet) })*
        }
        mod composed_as_on_cpus {
            use super::*;
            $(#[test] fn $name() { composed(Strategy::SingleLoop, DeviceKind::Cpu, Wavelet::$wavelet) })*
        }
        #[test]
        fn every_wavelet_is_tested() {
            let tested = [$(Wavelet::$wavelet),*];
            assert!(Wavelet::ALL.iter().all(|wavelet| tested.contains(wavelet)));
        }
    };
}

common::for_every_wavelet!(matrices);

/// Every pass of `separable` but the default ones, each beside the default one for the other axes: as the matrices, but with
/// each type of samples once, and the wavelets that differ most. Programs take long to build, and steps are what all
/// kernels share.
macro_rules! passes {
    ($($name:ident: $pass:expr;)*) => {
        mod passes {
            use super::*;
            $(mod $name {
                use super::*;
                #[test] fn floats() { pass_on::<f32>($pass, Wavelet::CDF_9_7) }
                #[test] fn halves() { pass_on::<f16>($pass, Wavelet::CDF_9_7) }
                #[test] fn doubles_to_one_side() { pass_on::<f64>($pass, Wavelet::DAUB_4) }
                #[test] fn shorts() { pass_on::<i16>($pass, Wavelet::CDF_5_3) }
                #[test] fn shorts_with_a_pre_shift() { pass_on::<i16>($pass, Wavelet::VC2_DD_13_7) }
                #[test] fn integers_of_a_long_reach() { pass_on::<i32>($pass, Wavelet::VC2_FIDELITY) }
            })*
            #[test]
            fn every_pass_is_tested() {
                let tested: Vec<Strategy> = vec![Strategy::SEPARABLE, $(Strategy::from($pass)),*];
                assert!(Strategy::each_pass().all(|one| tested.contains(&one)));
            }
        }
    };
}

/// Samples of 16 bits that compute in reals: every strategy, and the wavelets that differ most. All share their steps with
/// floats, so one wavelet sees how a kernel loads and stores.
macro_rules! rounded_when_stored {
    ($($name:ident: $kind:ident $by:expr;)*) => {
        mod rounded_when_stored {
            use super::*;
            $(mod $name {
                use super::*;
                fn check<T: RandomSample>(wavelet: Wavelet) {
                    let transforms = everywhere(awkward(wavelet));
                    for device in devices() {
                        check_all::<T>(&device.with_kind(DeviceKind::$kind), $by, &transforms);
                    }
                }
                #[test] fn halves() { check::<f16>(Wavelet::CDF_9_7) }
                #[test] fn rounded() { check::<Rounded>(Wavelet::CDF_9_7) }
            })*
        }
    };
}

rounded_when_stored! {
    stepwise: Gpu Strategy::Stepwise;
    streamed: Gpu Strategy::Streamed;
    register_block: Gpu Strategy::RegisterBlock;
    register_rows: Gpu Strategy::RegisterRows;
    register_columns: Gpu Strategy::RegisterColumns;
    pyramid: Gpu Strategy::Pyramid;
    separable: Gpu Strategy::SEPARABLE;
    single_loop: Cpu Strategy::SingleLoop;
    vectors: Cpu Strategy::Vectors;
}

passes! {
    one_pair_in_rows: RowPass::OnePair;
    exchanged_in_rows: RowPass::Exchanged;
    convolution_in_rows: RowPass::Convolution;
    exchanged_in_columns: ColumnPass::Exchanged;
    convolution_in_columns: ColumnPass::Convolution;
    transposed_columns: ColumnPass::Transposed;
}

fn pass_on<T: RandomSample>(pass: impl Into<Strategy>, wavelet: Wavelet) {
    let strategy: Strategy = pass.into();
    let mut transforms = everywhere(awkward(wavelet));
    if cannot_round(strategy, T::TYPE) {
        // They are refused: a few show it.
        transforms.truncate(8);
    }
    for device in devices() {
        check_all::<T>(&device.with_kind(DeviceKind::Gpu), strategy, &transforms);
    }
}

/// Lines so short and so many that kernels know their length.
mod many_short_lines {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet, lengths: [usize; 2]) {
        let lines = |length| {
            let shapes = [[length, 4099], [length, 4100]];
            shapes.map(|shape| Transform::new(wavelet.clone(), shape).axes([0]))
        };
        let transforms = everywhere(lengths.map(lines).concat());
        for device in devices() {
            check_all::<T>(&device, Strategy::RegisterColumns, &transforms);
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7, [3, 8])
    }
    #[test]
    fn shorts() {
        check::<i16>(Wavelet::VC2_DD_13_7, [2, 7])
    }
}

/// Pictures whose pixels have several samples, small ones first, and what goes by lines as it has too many. All boundary rules
/// and layouts for three colours, as all wavelets compose them; for others those of the wavelet.
fn coloured(wavelet: Wavelet) -> Vec<Transform> {
    let picture = |shape: &[usize], levels| {
        let axes = [shape.len() - 3, shape.len() - 2];
        let transform = Transform::new(wavelet.clone(), shape).axes(axes);
        transform.levels(levels)
    };
    let three = [
        picture(&[2, 3, 3], 1),
        picture(&[9, 2, 3], 1),
        picture(&[37, 53, 3], 2),
        picture(&[64, 256, 3], 1),
        picture(&[1, 5, 3], 1),
    ];
    let others = [
        picture(&[2, 2, 2], 1),
        picture(&[31, 130, 2], 2),
        picture(&[41, 67, 4], 3),
        picture(&[2, 18, 72, 4], 1),
        picture(&[31, 67, 5], 2),
        picture(&[20, 72, 8], 1),
        picture(&[9, 8, 9], 1),
        picture(&[9, 8, 7, 2], 1),
    ];
    let mut all = everywhere(three.to_vec());
    all.extend(others);
    all
}

/// Volumes in one tile and in several, with rows that go by vectors and that do not, thin ones and batches.
fn volumes(wavelet: Wavelet) -> Vec<Transform> {
    let volume = |shape: &[usize], levels| {
        let first = shape.len() - 3;
        let axes: Vec<usize> = (first..shape.len()).collect();
        let transform = Transform::new(wavelet.clone(), shape).axes(axes);
        transform.levels(levels)
    };
    let all = [
        volume(&[2, 2, 2], 1),
        volume(&[3, 2, 5], 1),
        volume(&[5, 6, 7], 2),
        volume(&[33, 18, 35], 3),
        volume(&[34, 20, 64], 2),
        volume(&[2, 12, 10, 72], 1),
    ];
    let mut all = everywhere(all.to_vec());
    // Rows of several tiles, and axes that are not transformed between and before.
    all.extend([volume(&[4, 6, 1031], 1), volume(&[9, 4, 1040], 1)]);
    all.push(Transform::new(wavelet.clone(), [6, 2, 5, 40]).axes([0, 2, 3]));
    all.push(Transform::new(wavelet, [7, 3, 5, 40]).axes([0, 1, 2, 3]));
    all
}

mod in_volumes {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet) {
        for device in devices() {
            check_all::<T>(
                &device,
                Strategy::StreamedVolumes,
                &volumes(wavelet.clone()),
            );
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7)
    }
    #[test]
    fn floats_of_short_reach() {
        check::<f32>(Wavelet::CDF_5_3)
    }
    #[test]
    fn doubles() {
        check::<f64>(Wavelet::CDF_5_3)
    }
    #[test]
    fn shorts() {
        check::<i16>(Wavelet::CDF_5_3)
    }
    #[test]
    fn integers_with_a_pre_shift() {
        check::<i32>(Wavelet::VC2_DAUB_9_7)
    }
}

/// The wavelets that differ most; `composed_as_on_cpus` has the others.
macro_rules! colours {
    ($($name:ident: $strategy:ident;)*) => {
        mod colours {
            use super::*;
            $(mod $name {
                use super::*;
                fn check<T: RandomSample>(wavelet: Wavelet) {
                    for device in devices() {
                        check_all::<T>(&device, Strategy::$strategy, &coloured(wavelet.clone()));
                    }
                }
                #[test] fn floats() { check::<f32>(Wavelet::CDF_9_7) }
                #[test] fn halves() { check::<f16>(Wavelet::CDF_9_7) }
                #[test] fn rounded() { check::<Rounded>(Wavelet::CDF_9_7) }
                #[test] fn shorts_with_a_pre_shift() { check::<i16>(Wavelet::VC2_DD_13_7) }
                #[test] fn integers_of_a_long_reach() { check::<i32>(Wavelet::VC2_FIDELITY) }
            })*
        }
    };
}

colours! {
    in_sub_groups: StreamedColours;
    in_a_loop: ColourLoop;
}

/// Whether a device can exchange in this way among sub-groups of `lanes`.
fn can_exchange(own: &DeviceInfo, way: Exchange, lanes: usize) -> bool {
    match way {
        // Only these two let a kernel ask for the size of its sub-groups.
        Exchange::Khr => own.exchange == Exchange::Khr,
        Exchange::Intel => [Exchange::Khr, Exchange::Intel].contains(&own.exchange),
        _ => (own.exchange, own.lanes) == (way, lanes),
    }
}

/// The devices found that can exchange in this way among sub-groups of `lanes`, set to do so.
fn exchanging(what: &str, way: Exchange, lanes: usize) -> Vec<Device> {
    let need = match way {
        Exchange::Ptx => way.to_string(),
        _ => format!("{way}-{lanes}"),
    };
    let mut found = devices();
    found.retain(|device| can_run(what, device, &need, |own| can_exchange(own, way, lanes)));
    // SAFETY: `can_exchange` knows of the device that it can.
    let set = |device: Device| unsafe { device.with_exchange(way, lanes) }.unwrap();
    found.into_iter().map(set).collect()
}

/// Every sample type and way beside the picture, reaches of 1 and 2 pairs to both sides, either axis first, samples that move one by
/// one and by vectors, by as few kernels as that takes: among 64, Intel's compiler needs 145 s for these.
fn exchange(way: Exchange, lanes: usize) {
    let what = format!("exchange by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let odd = |wavelet| Transform::new(wavelet, [131, 1029]).levels(2);
        let even = |wavelet| {
            Transform::new(wavelet, [2, 96, 1024])
                .axes([1, 2])
                .levels(2)
        };
        let interleaved = even(Wavelet::CDF_9_7).layout(Layout::Interleaved);
        let strategy = Strategy::Streamed;
        check_all::<f32>(&device, strategy, &[odd(Wavelet::CDF_9_7), interleaved]);
        // Rows beyond the border mirror what is mirrored itself.
        let low = [2, 3, 4, 5, 6].map(|height| Transform::new(Wavelet::CDF_9_7, [height, 1029]));
        check_all::<f32>(&device, strategy, &low);
        check_all::<f64>(&device, strategy, &[even(Wavelet::CDF_5_3)]);
        // The last work-item of a row has one approximation and no detail.
        let hardly = Transform::new(Wavelet::VC2_DD_13_7, [131, 1025]);
        check_all::<i16>(&device, strategy, &[odd(Wavelet::VC2_DD_13_7), hardly]);
        check_all::<i32>(&device, strategy, &[even(Wavelet::VC2_DD_9_7)]);
        let periodic =
            |width| Transform::new(Wavelet::DAUB_4, [34, width]).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[periodic(1024), periodic(1026)]);
        // Pictures whose rows a sub-group holds exactly.
        let whole = |wavelet| Transform::new(wavelet, [3, 34, 8 * lanes]).axes([1, 2]);
        check_all::<f32>(&device, strategy, &[whole(Wavelet::CDF_9_7)]);
        check_all::<i16>(&device, strategy, &[whole(Wavelet::VC2_DD_13_7)]);
        let zero = |width| Transform::new(Wavelet::CDF_5_3, [35, width]).boundary(Boundary::Zero);
        check_all::<i32>(&device, strategy, &[zero(1024), zero(1029)]);
        ran(&what, &device);
    }
}

/// The same for blocks: every sample type, aligned rows and others, pictures that go on in each way and those whose border is
/// set anew at every step.
fn exchange_in_blocks(way: Exchange, lanes: usize) {
    let what = format!("exchange in blocks by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let strategy = Strategy::RegisterBlock;
        let odd = |wavelet| Transform::new(wavelet, [131, 1029]);
        let even = |wavelet| Transform::new(wavelet, [96, 1024]).levels(2);
        let batch = |wavelet| Transform::new(wavelet, [2, 67, 258]).axes([1, 2]).levels(2);
        let zero = |transform: Transform| transform.boundary(Boundary::Zero);
        let interleaved = even(Wavelet::CDF_9_7).layout(Layout::Interleaved);
        check_all::<f32>(&device, strategy, &[odd(Wavelet::CDF_9_7), interleaved]);
        check_all::<f64>(&device, strategy, &[batch(Wavelet::CDF_5_3)]);
        let clamped = [odd(Wavelet::VC2_DD_13_7), even(Wavelet::VC2_DD_13_7)];
        check_all::<i16>(&device, strategy, &clamped);
        check_all::<i32>(&device, strategy, &[zero(batch(Wavelet::VC2_DD_9_7))]);
        let periodic = even(Wavelet::DAUB_4).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[periodic, zero(odd(Wavelet::DAUB_4))]);
        ran(&what, &device);
    }
}

/// The same for rows, where sub-groups wait for their own work-items alone: several rows in a sub-group, a row in each, rows
/// for several sub-groups, tiles; aligned and not, with levels left for one pair of each work-item.
fn exchange_in_rows(way: Exchange, lanes: usize) {
    let what = format!("exchange in rows by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let strategy = Strategy::RegisterRows;
        let rows = |wavelet, samples: usize, levels| {
            Transform::new(wavelet, [37, samples])
                .axes([1])
                .levels(levels)
        };
        let zero = |transform: Transform| transform.boundary(Boundary::Zero);
        let cdf97 = |samples, levels| rows(Wavelet::CDF_9_7, samples, levels);
        let interleaved = cdf97(1024, 3).layout(Layout::Interleaved);
        let batch = Transform::new(Wavelet::CDF_9_7, [3, 130, 5, 1]).axes([1]);
        let long = Transform::new(Wavelet::CDF_9_7, [3, 20_003])
            .axes([1])
            .levels(7);
        check_all::<f32>(
            &device,
            strategy,
            &[cdf97(1024, 5), cdf97(1001, 5), interleaved],
        );
        check_all::<f32>(&device, strategy, &[cdf97(2048, 9), cdf97(63, 2), long]);
        check_all::<f32>(&device, Strategy::RegisterColumns, &[batch]);
        let periodic = Transform::new(Wavelet::DAUB_4, [5, 4096])
            .axes([1])
            .levels(2);
        check_all::<f64>(&device, strategy, &[periodic]);
        let clamped = [
            rows(Wavelet::VC2_DD_13_7, 500, 3),
            rows(Wavelet::VC2_DD_13_7, 3000, 3),
        ];
        check_all::<i16>(&device, strategy, &clamped);
        check_all::<i32>(
            &device,
            strategy,
            &[zero(rows(Wavelet::VC2_FIDELITY, 77, 3))],
        );
        ran(&what, &device);
    }
}

/// The same for pixels of several samples: aligned rows and others, pictures that go on in each way.
fn exchange_in_colours(way: Exchange, lanes: usize) {
    let what = format!("exchange in colours by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let strategy = Strategy::StreamedColours;
        let picture = |wavelet, shape: [usize; 3]| Transform::new(wavelet, shape).axes([0, 1]);
        let cdf97 = |shape| picture(Wavelet::CDF_9_7, shape);
        let interleaved = cdf97([34, 1024, 3]).layout(Layout::Interleaved);
        let zero = cdf97([34, 300, 3]).boundary(Boundary::Zero);
        let wide = cdf97([67, 1024, 3]).levels(2);
        check_all::<f32>(&device, strategy, &[wide, interleaved, zero]);
        let periodic = picture(Wavelet::DAUB_4, [34, 1026, 2]).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[periodic, cdf97([35, 1029, 2])]);
        // The last work-item of a row has one, all, two or three of its pixels.
        let clamped = [1029, 1024, 1030, 1031, 3, 2]
            .map(|width| picture(Wavelet::VC2_DD_13_7, [35, width, 4]));
        check_all::<i16>(&device, strategy, &clamped);
        check_all::<i32>(
            &device,
            strategy,
            &[picture(Wavelet::CDF_5_3, [35, 1024, 3])],
        );
        ran(&what, &device);
    }
}

macro_rules! exchanges {
    ($($name:ident: $way:ident $lanes:literal;)*) => {
        mod exchange {
            use super::*;
            $(#[test] fn $name() { exchange(Exchange::$way, $lanes) })*
        }
        mod exchange_in_blocks {
            use super::*;
            $(#[test] fn $name() { exchange_in_blocks(Exchange::$way, $lanes) })*
        }
        mod exchange_in_colours {
            use super::*;
            $(#[test] fn $name() { exchange_in_colours(Exchange::$way, $lanes) })*
        }
        mod exchange_in_rows {
            use super::*;
            $(#[test] fn $name() { exchange_in_rows(Exchange::$way, $lanes) })*
        }
    };
}

exchanges! {
    ptx_among_32: Ptx 32;
    khr_among_8: Khr 8;
    khr_among_16: Khr 16;
    khr_among_32: Khr 32;
    khr_among_64: Khr 64;
    intel_among_8: Intel 8;
    intel_among_16: Intel 16;
    intel_among_32: Intel 32;
    intel_among_64: Intel 64;
}

/// Low blocks and high ones, which the picture does not divide into.
#[test]
fn blocks_of_any_height() {
    for device in devices() {
        for rows in [8, 13, 28] {
            let (name, strategy) = (&device.info().name, Strategy::RegisterBlock);
            let line = |sample| format!("{name} | {strategy} | {sample} | BLOCK_ROWS={rows}\n");
            let engine = Engine::new(&device).unwrap();
            let lines = line("f32") + &line("i16");
            let engine = engine.with_tuning(&lines).unwrap();
            for shape in [[131, 257], [56, 120]] {
                check::<f32>(
                    &engine,
                    strategy,
                    &Transform::new(Wavelet::CDF_9_7, shape),
                    4,
                );
                check::<i16>(
                    &engine,
                    strategy,
                    &Transform::new(Wavelet::CDF_5_3, shape),
                    4,
                );
            }
        }
    }
}

/// Wider and higher than one work-item takes.
#[test]
fn several_strips_and_bands_of_vectors() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Cpu);
        for strategy in [Strategy::SingleLoop, Strategy::Vectors] {
            let picture = |wavelet| Transform::new(wavelet, [300, 8601]).levels(2);
            check_all::<f32>(&device, strategy, &[picture(Wavelet::CDF_9_7)]);
            check_all::<i16>(&device, strategy, &[picture(Wavelet::CDF_5_3)]);
        }
    }
}

/// Lines that are lifted in the caches level by level: more and fewer than a vector has elements, of all lengths that go there,
/// beside others in volumes, and with results past the caches.
mod rows_in_the_caches {
    use super::*;

    fn check_rows<T: RandomSample>(wavelet: Wavelet) {
        let rows = |shape: &[usize], axes: &[usize], levels| {
            let transform = Transform::new(wavelet.clone(), shape);
            transform.axes(axes.to_vec()).levels(levels)
        };
        let transforms = everywhere(vec![
            rows(&[100, 5], &[1], 2),
            rows(&[37, 61], &[1], 3),
            rows(&[16, 128], &[1], 64),
            rows(&[17, 511], &[1], 4),
            rows(&[33, 512], &[1], 5),
            rows(&[20, 1001], &[1], 3),
            rows(&[5, 21, 70], &[0, 2], 3),
            // Lines with few neighbours.
            rows(&[17, 50, 3], &[1], 2),
            rows(&[12, 9, 8], &[1, 2], 2),
        ]);
        for device in devices() {
            let device = device.with_kind(DeviceKind::Cpu);
            if !computes("rows in the caches", &device, T::TYPE) {
                continue;
            }
            let (name, sample) = (&device.info().name, T::TYPE);
            for sizes in ["VECTOR=8", "VECTOR=16 CACHED=1"] {
                let line = format!("{name} | vectors | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for (seed, transform) in transforms.iter().enumerate() {
                    check::<T>(&engine, Strategy::Vectors, transform, seed as u64);
                }
            }
        }
    }

    #[test]
    fn floats() {
        check_rows::<f32>(Wavelet::CDF_9_7);
    }

    #[test]
    fn doubles_to_one_side() {
        check_rows::<f64>(Wavelet::DAUB_4);
    }

    #[test]
    fn shorts_with_a_pre_shift() {
        check_rows::<i16>(Wavelet::VC2_DD_13_7);
    }

    #[test]
    fn integers_of_a_long_reach() {
        check_rows::<i32>(Wavelet::VC2_FIDELITY);
    }
}

/// As large arrays are, of which results go past the caches: from rows that start anywhere, in strips of any
/// width, some all overlap.
mod past_the_caches {
    use super::*;

    fn check_in_vectors<T: RandomSample>(wavelet: Wavelet) {
        for device in devices() {
            if computes("f64 past the caches", &device, T::TYPE) {
                check_on::<T>(&device.with_kind(DeviceKind::Cpu), wavelet.clone());
            }
        }
    }

    fn check_on<T: RandomSample>(device: &Device, wavelet: Wavelet) {
        for (strategy, sizes) in [
            (Strategy::Vectors, "VECTOR=8"),
            (Strategy::Vectors, "VECTOR=16"),
            (Strategy::SingleLoop, "VECTOR=8 STRIP=32"),
            (Strategy::SingleLoop, "VECTOR=8 STRIP=4096"),
            (Strategy::SingleLoop, "VECTOR=16 STRIP=16"),
            (Strategy::SingleLoop, "VECTOR=16 STRIP=4096"),
        ] {
            // Rows of 4096 samples are for the caches of CPUs: a GPU's local memory is too small.
            let what = format!("{strategy} of {} past the caches, {sizes}", T::TYPE);
            let has_memory = |info: &DeviceInfo| info.local_memory >= 64 << 10;
            if strategy == Strategy::SingleLoop
                && !can_run(&what, device, "local-memory", has_memory)
            {
                continue;
            }
            // As close to the device as what comes with the library.
            let (name, sample) = (&device.info().name, T::TYPE);
            let line =
                format!("{name} | {strategy} | {sample} | CACHED=1 {sizes} wavelet={wavelet}");
            let engine = Engine::new(device).unwrap().with_tuning(&line).unwrap();
            // Nothing below a KiB stays in the caches; of 140 rows there are several blocks.
            let pictures = [450, 481, 488, 490, 495, 496, 1011, 1023, 1025, 1207, 2003]
                .map(|width| [34, width]);
            for shape in pictures.into_iter().chain([[140, 495]]) {
                let transform =
                    Transform::new(wavelet.clone(), shape).boundary(Boundary::Symmetric);
                for &layout in Layout::ALL {
                    check::<T>(&engine, strategy, &transform.clone().layout(layout), 7);
                }
            }
            // Periodic rows end in a strip that is not narrow.
            if strategy == Strategy::SingleLoop && !sizes.ends_with("STRIP=16") {
                for shape in [[4, 505], [34, 512], [140, 511]] {
                    let transform = Transform::new(wavelet.clone(), shape);
                    check::<T>(
                        &engine,
                        strategy,
                        &transform.boundary(Boundary::Periodic),
                        7,
                    );
                }
            }
        }
    }

    #[test]
    fn floats() {
        check_in_vectors::<f32>(Wavelet::CDF_9_7);
    }

    #[test]
    fn doubles() {
        check_in_vectors::<f64>(Wavelet::CDF_9_7);
    }

    #[test]
    fn integers_of_a_long_reach() {
        check_in_vectors::<i32>(Wavelet::VC2_FIDELITY);
    }

    #[test]
    fn shorts_along_y_first() {
        check_in_vectors::<i16>(Wavelet::CDF_5_3);
    }

    #[test]
    fn shorts_along_x_first() {
        check_in_vectors::<i16>(Wavelet::VC2_DD_13_7);
    }

    /// Strips of 6 pairs and of 20 end within a vector of memory.
    fn check_pixels<T: RandomSample>(wavelet: Wavelet, sizes: &str) {
        let is_cpu = |device: &Device| device.info().kind == DeviceKind::Cpu;
        for device in devices().into_iter().filter(is_cpu) {
            let (name, sample) = (&device.info().name, T::TYPE);
            let line = format!("{name} | colour_loop | {sample} | CACHED=1 {sizes}");
            let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
            for shape in [[34, 161, 3], [35, 164, 3], [34, 167, 3], [140, 172, 3]] {
                let transform = Transform::new(wavelet.clone(), shape).axes([0, 1]);
                for &layout in Layout::ALL {
                    let transform = transform.clone().layout(layout);
                    check::<T>(&engine, Strategy::ColourLoop, &transform, 7);
                }
            }
        }
    }

    #[test]
    fn three_floats_in_a_pixel() {
        check_pixels::<f32>(Wavelet::CDF_9_7, "VECTOR=8 STRIP=6");
        check_pixels::<f32>(Wavelet::CDF_9_7, "VECTOR=16 STRIP=40");
    }

    #[test]
    fn three_shorts_in_a_pixel() {
        check_pixels::<i16>(Wavelet::VC2_DD_13_7, "VECTOR=16 STRIP=20");
    }
}

/// Few and many segments, that sweep apart and towards each other, with rows loaded long before they are needed.
#[test]
fn segments_that_meet() {
    fn check_sizes<T: RandomSample>(wavelet: Wavelet, all_sizes: &[&str], shapes: &[[usize; 2]]) {
        for device in devices() {
            for sizes in all_sizes {
                let (name, sample) = (&device.info().name, T::TYPE);
                let line = format!("{name} | streamed | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for &shape in shapes {
                    let transform = Transform::new(wavelet.clone(), shape);
                    check::<T>(&engine, Strategy::Streamed, &transform, 3);
                }
            }
        }
    }
    // Segments of a large picture are tuned; small ones have more.
    let sizes = [
        "FILLING=1 PREFETCHED=1",
        "FILLING=2 PREFETCHED=3",
        "FILLING=1 PREFETCHED=4 PAIRS=8",
        "FILLING=64",
    ];
    // Of 104 columns, whole work-items have 4 pairs, not 8.
    let shapes = [[5, 90], [8, 90], [63, 90], [130, 90], [131, 104], [302, 90]];
    check_sizes::<f32>(Wavelet::CDF_9_7, &sizes, &shapes);
    check_sizes::<i16>(Wavelet::VC2_DD_13_7, &sizes, &shapes);
    // Segments must not end so that the one before the last reads beyond the border.
    check_sizes::<i32>(
        Wavelet::VC2_FIDELITY,
        &["FILLING=64", "FILLING=1"],
        &[[129, 40], [130, 40], [301, 40]],
    );
}

/// Two levels in one launch, where sub-groups exchange: few and many segments, that sweep down and up, of heights whose
/// half and quarter are odd.
mod two_levels {
    use super::*;

    fn check_heights<T: RandomSample>(wavelet: Wavelet, layouts: &[Layout], all_sizes: &[&str]) {
        for device in devices() {
            let what = format!("two levels at once of {}", T::TYPE);
            let exchanges = |info: &DeviceInfo| info.exchange != Exchange::None;
            if !can_run(&what, &device, "two-levels", exchanges)
                || !computes(&what, &device, T::TYPE)
            {
                continue;
            }
            for sizes in all_sizes {
                let (name, sample) = (&device.info().name, T::TYPE);
                let line = format!("{name} | streamed | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                // The lowest pictures that can go two levels at once, and one that goes so twice.
                let heights = [29, 30, 38, 41, 63, 203].map(|height| ([2, height, 560], 3));
                let twice = [([2, 150, 576], 4), ([1, 151, 576], 4)];
                let shapes: Vec<_> = heights.into_iter().chain(twice).collect();
                for (layout, (shape, levels)) in layouts
                    .iter()
                    .flat_map(|&layout| shapes.iter().map(move |&shape| (layout, shape)))
                {
                    let transform = Transform::new(wavelet.clone(), shape)
                        .axes([1, 2])
                        .levels(levels)
                        .layout(layout);
                    let plan = engine.plan_with::<T>(&transform, Strategy::Streamed);
                    let plan = format!("{:?}", plan.unwrap());
                    assert!(plan.contains("streamed_two_levels"), "{plan}");
                    check::<T>(&engine, Strategy::Streamed, &transform, 5);
                }
            }
            ran(&what, &device);
        }
    }

    #[test]
    fn floats() {
        let sizes = ["TWO_FILLING=1", "TWO_FILLING=12"];
        check_heights::<f32>(Wavelet::CDF_9_7, Layout::ALL, &sizes);
    }

    #[test]
    fn doubles() {
        check_heights::<f64>(Wavelet::CDF_5_3, &[Layout::Mallat], &["TWO_FILLING=12"]);
    }

    #[test]
    fn shorts_along_y_first() {
        check_heights::<i16>(Wavelet::CDF_5_3, Layout::ALL, &["TWO_FILLING=64"]);
    }

    #[test]
    fn integers_along_x_first() {
        check_heights::<i32>(Wavelet::VC2_DAUB_9_7, &[Layout::Mallat], &["TWO_FILLING=3"]);
    }
}

/// A work-group of a CPU, which wants few, goes on for several tiles or windows.
#[test]
fn passes_of_several_tiles_and_windows() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Cpu);
        for strategy in Strategy::each_pass() {
            for &layout in Layout::ALL {
                let picture = Transform::new(Wavelet::CDF_9_7, [301, 1030]).layout(layout);
                check_all::<f32>(&device, strategy, &[picture]);
            }
        }
    }
}

/// A work-group walks along its rows, tile after tile.
#[test]
fn rows_of_several_tiles() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Gpu);
        let name = &device.info().name;
        let line = format!("{name} | separable | f32 | ROWS_X=4 ROWS_Y=2 wavelet=cdf97");
        let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
        for width in [64, 67, 1029] {
            let transform = Transform::new(Wavelet::CDF_9_7, [300, width]);
            for &layout in Layout::ALL {
                check::<f32>(
                    &engine,
                    Strategy::SEPARABLE,
                    &transform.clone().layout(layout),
                    9,
                );
            }
        }
    }
}

#[test]
fn no_exchange() {
    for device in devices() {
        let device = device.without_exchange();
        let transform = Transform::new(Wavelet::VC2_FIDELITY, [131, 1029]).levels(2);
        check_all::<i32>(&device, Strategy::Streamed, &[transform]);
    }
}

/// Several levels in one launch by windows, which only GPUs prefer: pictures down to single pairs, of one tile and of many.
fn windows<T: RandomSample>(wavelet: Wavelet) {
    for device in devices() {
        let engine = Engine::new(&device.with_kind(DeviceKind::Gpu)).unwrap();
        for (seed, (shape, levels)) in [
            (&[2, 3][..], 1),
            (&[5, 7], 2),
            (&[3, 17, 64], 2),
            (&[131, 66], 2),
            (&[61, 127], 4),
            (&[66, 70], 7),
        ]
        .into_iter()
        .enumerate()
        {
            let axes = [shape.len() - 2, shape.len() - 1];
            let transform = Transform::new(wavelet.clone(), shape)
                .axes(axes)
                .boundary(Boundary::Symmetric)
                .levels(levels);
            check::<T>(&engine, Strategy::Pyramid, &transform, seed as u64);
            let plan = engine
                .plan_with::<T>(&transform, Strategy::Pyramid)
                .unwrap();
            let kernels = format!("{plan:?}");
            assert_eq!(kernels.contains("pyramid_windows"), levels > 1, "{kernels}");
        }
    }
}

mod windows {
    use super::*;
    #[test]
    fn floats() {
        windows::<f32>(Wavelet::CDF_9_7)
    }
    #[test]
    fn shorts() {
        windows::<i16>(Wavelet::CDF_5_3)
    }
    #[test]
    fn integers_with_a_pre_shift() {
        windows::<i32>(Wavelet::VC2_DD_13_7)
    }
    /// Of two neighbours, which the forward transform takes as well.
    #[test]
    fn shorts_with_a_pre_shift() {
        windows::<i16>(Wavelet::VC2_LEGALL_5_3)
    }
}

/// Devices that allow small work-groups only get smaller tiles, and the same results.
fn small_work_groups<T: RandomSample>(limit: usize, wavelet: Wavelet) {
    let transforms = [
        Transform::new(wavelet.clone(), [131, 257]).levels(2),
        Transform::new(wavelet.clone(), [3, 45, 50, 70]).layout(Layout::Interleaved),
        Transform::new(wavelet, [40, 50]).levels(3),
    ];
    for device in devices() {
        let device = device.with_max_work_group(limit);
        for &strategy in Strategy::ALL {
            let what = format!("{strategy} in work-groups of {limit}");
            let has_whole_sub_groups = |info: &DeviceInfo| info.lanes <= limit;
            let has_sub_groups = [
                Strategy::Streamed,
                Strategy::StreamedColours,
                Strategy::RegisterBlock,
                Strategy::RegisterRows,
            ]
            .contains(&strategy);
            if !has_sub_groups || can_run(&what, &device, "small-sub-groups", has_whole_sub_groups)
            {
                check_all::<T>(&device, strategy, &transforms);
            }
        }
    }
}

/// The same of every pass of `separable` but the default ones.
fn passes_in_small_work_groups<T: RandomSample>(limit: usize, wavelet: Wavelet) {
    let transforms = [
        Transform::new(wavelet.clone(), [131, 257]).levels(2),
        Transform::new(wavelet, [3, 45, 50, 70]).layout(Layout::Interleaved),
    ];
    for device in devices() {
        let device = device.with_max_work_group(limit);
        for strategy in Strategy::each_pass().skip(1) {
            check_all::<T>(&device, strategy, &transforms);
        }
    }
}

#[test]
fn passes_in_work_groups_of_7() {
    passes_in_small_work_groups::<i32>(7, Wavelet::VC2_DD_13_7);
}

#[test]
fn passes_in_work_groups_of_1() {
    passes_in_small_work_groups::<f32>(1, Wavelet::DAUB_4);
}

#[test]
fn work_groups_of_64() {
    small_work_groups::<f32>(64, Wavelet::CDF_9_7);
    small_work_groups::<i16>(64, Wavelet::VC2_FIDELITY);
}

#[test]
fn work_groups_of_7() {
    small_work_groups::<i32>(7, Wavelet::VC2_DD_13_7);
}

#[test]
fn work_groups_of_1() {
    small_work_groups::<f32>(1, Wavelet::DAUB_4);
}

/// Each on one type of samples: all of them meet every kernel in the matrices.
mod coarse_levels {
    use super::*;

    fn check<T: RandomSample>(wavelet: Wavelet) {
        let transforms = coarse(wavelet);
        for device in devices() {
            check_all::<T>(&device.with_kind(DeviceKind::Gpu), By::Auto, &transforms);
        }
    }

    #[test]
    fn reals() {
        check::<f32>(Wavelet::CDF_9_7);
    }

    #[test]
    fn integers_along_y_first() {
        check::<i32>(Wavelet::CDF_5_3);
    }

    #[test]
    fn integers_along_x_first_with_a_pre_shift() {
        check::<i16>(Wavelet::VC2_DD_13_7);
    }

    #[test]
    fn steps_to_one_side() {
        check::<f64>(Wavelet::DAUB_4);
    }
}

#[test]
fn a_real_picture_size() {
    for device in devices() {
        for &strategy in Strategy::ALL {
            let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(5);
            check_all::<f32>(&device, strategy, &[transform]);
            let transform = Transform::new(Wavelet::VC2_DD_13_7, [1080, 1920]).levels(5);
            check_all::<i16>(&device, strategy, &[transform]);
        }
    }
}
