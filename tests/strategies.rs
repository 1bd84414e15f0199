//! Every strategy against the reference, on every device: integers for equality, floats within
//! `common::bound` of the f64 reference, outputs poisoned before each run.

mod common;

use common::{
    TestSample, awkward, bound, devices, everywhere, random_samples, relative_error, with_tails,
};
use wavelift::{
    Boundary, Device, DeviceKind, Direction, Engine, Error, Exchange, Layout, SampleType, Strategy,
    Transform, Wavelet, reference,
};

/// What the reference says, in f64: exact for integers.
fn expected<T: TestSample>(transform: &Transform, direction: Direction, input: &[T]) -> Vec<f64> {
    if matches!(T::TYPE, SampleType::I16 | SampleType::I32) {
        let output = match direction {
            Direction::Forward => reference::forward(transform, input),
            Direction::Inverse => reference::inverse(transform, input),
        };
        output.unwrap().into_iter().map(T::to_f64).collect()
    } else {
        let input: Vec<f64> = input.iter().map(|v| v.to_f64()).collect();
        match direction {
            Direction::Forward => reference::forward(transform, &input),
            Direction::Inverse => reference::inverse(transform, &input),
        }
        .unwrap()
    }
}

/// What a strategy is not for.
fn is_refused(strategy: Strategy, transform: &Transform) -> bool {
    let mut axes = transform.axes.clone();
    axes.sort_unstable();
    let count = transform.shape.len();
    let pictures = count >= 2 && axes == [count - 2, count - 1];
    match strategy {
        Strategy::Streamed => !pictures,
        Strategy::SingleLoop => !pictures || transform.boundary == Boundary::Periodic,
        _ => false,
    }
}

fn check<T: TestSample>(engine: &Engine, strategy: Strategy, transform: &Transform, seed: u64) {
    let plan = engine.plan_with::<T>(transform, strategy);
    if is_refused(strategy, transform) {
        assert!(
            matches!(plan, Err(Error::Unsupported { .. })),
            "{transform:?}"
        );
        return;
    }
    let plan = plan.unwrap();
    let samples = random_samples::<T>(transform.len(), seed);
    let poison = vec![T::POISON; transform.len()];
    let input = engine.upload(&samples).unwrap();
    for direction in [Direction::Forward, Direction::Inverse] {
        let mut output = engine.upload(&poison).unwrap();
        let run = match direction {
            Direction::Forward => plan.enqueue_forward(&input, &mut output),
            Direction::Inverse => plan.enqueue_inverse(&input, &mut output),
        };
        run.unwrap().wait().unwrap();
        let got = output.download().unwrap();
        let expected = expected(transform, direction, &samples);
        let error = relative_error(&got, &expected);
        assert!(
            error <= bound(T::TYPE),
            "{strategy} {direction:?} {transform:?} on {} samples, {:?}: error {error:e}",
            T::TYPE,
            engine.device()
        );
        assert_eq!(
            input.download().unwrap(),
            samples,
            "the input was changed: {transform:?}"
        );
    }
}

fn check_all<T: TestSample>(device: &Device, strategy: Strategy, transforms: &[Transform]) {
    let Some(first) = transforms.first() else {
        return;
    };
    let doubles = T::TYPE != SampleType::F64 || device.info().fp64;
    if !T::TYPE.is_served_by(&first.wavelet) || !doubles {
        return;
    }
    let engine = Engine::new(device).unwrap();
    for (seed, transform) in transforms.iter().enumerate() {
        check::<T>(&engine, strategy, transform, seed as u64);
    }
}

fn check_samples(device: &Device, strategy: Strategy, transforms: &[Transform]) {
    check_all::<i16>(device, strategy, transforms);
    check_all::<i32>(device, strategy, transforms);
    check_all::<f32>(device, strategy, transforms);
    check_all::<f64>(device, strategy, transforms);
}

/// The whole matrix for one wavelet.
fn matrix(strategy: Strategy, wavelet: Wavelet) {
    matrix_on(&devices(), strategy, wavelet);
}

/// The passes that `separable` takes on devices of a kind.
fn separable_as_on(kind: DeviceKind, wavelet: Wavelet) {
    let devices: Vec<_> = devices()
        .iter()
        .map(|device| device.with_kind(kind))
        .collect();
    matrix_on(&devices, Strategy::Separable, wavelet);
}

fn matrix_on(devices: &[Device], strategy: Strategy, wavelet: Wavelet) {
    let transforms = everywhere(awkward(wavelet));
    for device in devices {
        check_samples(device, strategy, &transforms);
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
        mod single_loop {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::SingleLoop, Wavelet::$wavelet) })*
        }
        mod separable {
            use super::*;
            $(#[test] fn $name() { separable_as_on(DeviceKind::Gpu, Wavelet::$wavelet) })*
        }
        mod separable_in_vectors {
            use super::*;
            $(#[test] fn $name() { separable_as_on(DeviceKind::Cpu, Wavelet::$wavelet) })*
        }
        #[test]
        fn every_wavelet_is_tested() {
            let tested = [$(Wavelet::$wavelet),*];
            assert!(Wavelet::ALL.iter().all(|wavelet| tested.contains(wavelet)));
        }
    };
}

matrices! {
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

/// Whether a device can exchange in this way among sub-groups of `lanes`.
fn can_exchange(device: &Device, way: Exchange, lanes: usize) -> bool {
    let own = device.info();
    match way {
        // Only these two let a kernel ask for the size of its sub-groups.
        Exchange::Khr => own.exchange == Exchange::Khr,
        Exchange::Intel => [Exchange::Khr, Exchange::Intel].contains(&own.exchange),
        _ => (own.exchange, own.lanes) == (way, lanes),
    }
}

/// Every sample type and way beside the picture, reaches of 1 and 2 pairs to both sides, either axis first, samples that move one by
/// one and by vectors, by as few kernels as that takes: among 64, Intel's compiler needs 145 s for these.
fn exchange(way: Exchange, lanes: usize) {
    let mut tested = 0;
    for device in devices() {
        if !can_exchange(&device, way, lanes) {
            continue;
        }
        let device = device.with_exchange(way, lanes);
        let odd = |wavelet| Transform::new(wavelet, [131, 1029]).levels(2);
        let even = |wavelet| {
            Transform::new(wavelet, [2, 96, 1024])
                .axes([1, 2])
                .levels(2)
        };
        let woven = even(Wavelet::CDF_9_7).layout(Layout::Interleaved);
        let strategy = Strategy::Streamed;
        check_all::<f32>(&device, strategy, &[odd(Wavelet::CDF_9_7), woven]);
        check_all::<f64>(&device, strategy, &[even(Wavelet::CDF_5_3)]);
        // The last work-item of a row has one approximation and no detail.
        let hardly = Transform::new(Wavelet::VC2_DD_13_7, [131, 1025]);
        check_all::<i16>(&device, strategy, &[odd(Wavelet::VC2_DD_13_7), hardly]);
        check_all::<i32>(&device, strategy, &[even(Wavelet::VC2_DD_9_7)]);
        let periodic =
            |width| Transform::new(Wavelet::DAUB_4, [34, width]).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[periodic(1024), periodic(1026)]);
        let zero = |width| Transform::new(Wavelet::CDF_5_3, [35, width]).boundary(Boundary::Zero);
        check_all::<i32>(&device, strategy, &[zero(1024), zero(1029)]);
        println!("exchanged: {way} among {lanes} on {device}");
        tested += 1;
    }
    if tested == 0 {
        eprintln!("not tested: no device exchanges by {way} among {lanes}");
    }
}

macro_rules! exchanges {
    ($($name:ident: $way:ident $lanes:literal;)*) => {
        mod exchange {
            use super::*;
            $(#[test] fn $name() { exchange(Exchange::$way, $lanes) })*
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

/// Wider and higher than one work-item takes.
#[test]
fn several_strips_and_bands_of_vectors() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Cpu);
        for strategy in [Strategy::SingleLoop, Strategy::Separable] {
            let picture = |wavelet| Transform::new(wavelet, [300, 8601]).levels(2);
            check_all::<f32>(&device, strategy, &[picture(Wavelet::CDF_9_7)]);
            check_all::<i16>(&device, strategy, &[picture(Wavelet::CDF_5_3)]);
        }
    }
}

/// As large arrays are, of which results go past the caches: from rows that start anywhere, in strips of any
/// width, some all overlap.
mod past_the_caches {
    use super::*;

    fn check_in_vectors<T: TestSample>(wavelet: Wavelet) {
        for device in devices() {
            let info = device.info();
            if T::TYPE != SampleType::F64 || info.fp64 {
                check_on::<T>(&device.with_kind(DeviceKind::Cpu), wavelet);
            }
        }
    }

    fn check_on<T: TestSample>(device: &Device, wavelet: Wavelet) {
        for (strategy, sizes) in [
            (Strategy::Separable, "VECTOR=8"),
            (Strategy::Separable, "VECTOR=16"),
            (Strategy::SingleLoop, "VECTOR=8 STRIP=32 BAND=8"),
            (Strategy::SingleLoop, "VECTOR=8 STRIP=4096"),
            (Strategy::SingleLoop, "VECTOR=16 STRIP=16"),
            (Strategy::SingleLoop, "VECTOR=16 STRIP=4096"),
        ] {
            // Rows of 4096 samples are for the caches of CPUs: a GPU's local memory is too small.
            if strategy == Strategy::SingleLoop && device.info().local_memory < 64 << 10 {
                continue;
            }
            // As close to the device as what comes with the library.
            let (name, sample) = (&device.info().name, T::TYPE);
            let line =
                format!("{name} | {strategy} | {sample} | STREAMED=1 {sizes} wavelet={wavelet}");
            let engine = Engine::new(device).unwrap().with_tuning(&line).unwrap();
            for width in [450, 481, 488, 490, 495, 496, 1011, 1023, 1025, 1207, 2003] {
                let transform = Transform::new(wavelet, [34, width]).boundary(Boundary::Symmetric);
                for layout in Layout::ALL {
                    check::<T>(&engine, strategy, &transform.clone().layout(layout), 7);
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
}

/// Short segments, many of them, that march apart and towards each other.
#[test]
fn streams_that_meet() {
    fn check_sizes<T: TestSample>(wavelet: Wavelet, all_sizes: &[&str], shapes: &[[usize; 2]]) {
        for device in devices() {
            for sizes in all_sizes {
                let (name, sample) = (&device.info().name, T::TYPE);
                let sizes = format!("FILLING=64 TURNING=1 {sizes}");
                let line = format!("{name} | streamed | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for &shape in shapes {
                    let transform = Transform::new(wavelet, shape);
                    check::<T>(&engine, Strategy::Streamed, &transform, 3);
                }
            }
        }
    }
    // Of 104 columns, whole work-items have 4 pairs, not 8.
    let sizes = [
        "AHEAD=1 SHORTEST=1",
        "AHEAD=3 SHORTEST=1",
        "AHEAD=4 SHORTEST=1",
        "AHEAD=3 SHORTEST=5 PAIRS=8",
    ];
    let shapes = [[5, 90], [8, 90], [63, 90], [70, 90], [70, 104]];
    check_sizes::<f32>(Wavelet::CDF_9_7, &sizes, &shapes);
    check_sizes::<i16>(Wavelet::VC2_DD_13_7, &sizes, &shapes);
    // Eight segments of 9 pairs of rows would leave 2 for the last one, and the one before reads further.
    check_sizes::<i32>(
        Wavelet::VC2_FIDELITY,
        &["SHORTEST=9"],
        &[[129, 40], [130, 40]],
    );
}

/// Two levels in one launch, where sub-groups exchange: few and many segments, that march down and up, of heights whose
/// half and quarter are odd.
mod two_levels {
    use super::*;

    fn check_heights<T: TestSample>(wavelet: Wavelet, all_sizes: &[&str]) {
        for device in devices() {
            let info = device.info();
            if info.exchange == Exchange::None || (T::TYPE == SampleType::F64 && !info.fp64) {
                continue;
            }
            for sizes in all_sizes {
                let (name, sample) = (&info.name, T::TYPE);
                let sizes = format!("TWO_SHORTEST=1 {sizes}");
                let line = format!("{name} | streamed | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                // The lowest pictures that can go two levels at once, and one that goes so twice.
                let heights = [29, 30, 38, 41, 63, 203].map(|height| ([2, height, 560], 3));
                let twice = [([2, 150, 576], 4), ([1, 151, 576], 4)];
                for (shape, levels) in heights.into_iter().chain(twice) {
                    let transform = Transform::new(wavelet, shape).axes([1, 2]).levels(levels);
                    let plan = engine.plan_with::<T>(&transform, Strategy::Streamed);
                    let plan = format!("{:?}", plan.unwrap());
                    assert!(plan.contains("two_levels_2d"), "{plan}");
                    check::<T>(&engine, Strategy::Streamed, &transform, 5);
                }
            }
            println!("two levels at once: on {device}");
        }
    }

    #[test]
    fn floats() {
        check_heights::<f32>(Wavelet::CDF_9_7, &["TWO_FILLING=1", "TWO_AHEAD=3"]);
    }

    #[test]
    fn doubles() {
        check_heights::<f64>(Wavelet::CDF_5_3, &[""]);
    }

    #[test]
    fn shorts_along_y_first() {
        check_heights::<i16>(Wavelet::CDF_5_3, &["TWO_FILLING=64"]);
    }

    #[test]
    fn integers_along_x_first() {
        check_heights::<i32>(Wavelet::VC2_DAUB_9_7, &["TWO_AHEAD=4 TWO_PAIRS=8"]);
    }
}

/// A work-group walks along its rows, tile after tile.
#[test]
fn rows_of_several_tiles() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Gpu);
        let name = &device.info().name;
        let line = format!("{name} | separable | f32 | ROWS_X=4 ROWS_Y=2 FILLING=1 wavelet=cdf97");
        let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
        for width in [64, 67, 1029] {
            let transform = Transform::new(Wavelet::CDF_9_7, [300, width]);
            for layout in Layout::ALL {
                check::<f32>(
                    &engine,
                    Strategy::Separable,
                    &transform.clone().layout(layout),
                    9,
                );
            }
        }
    }
}

/// On CPUs the loop over phases is left to their compilers.
#[test]
fn streamed_written_out() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Gpu);
        let transform = |wavelet| Transform::new(wavelet, [131, 257]).levels(2);
        let strategy = Strategy::Streamed;
        check_all::<f32>(&device, strategy, &[transform(Wavelet::CDF_9_7)]);
        check_all::<i16>(&device, strategy, &[transform(Wavelet::VC2_DD_9_7)]);
    }
}

#[test]
fn no_exchange() {
    for device in devices() {
        let device = device.with_exchange(Exchange::None, 1);
        let transform = Transform::new(Wavelet::VC2_FIDELITY, [131, 1029]).levels(2);
        check_all::<i32>(&device, Strategy::Streamed, &[transform]);
    }
}

/// Devices that allow small work-groups only get smaller tiles, and the same results.
fn small_work_groups<T: TestSample>(limit: usize, wavelet: Wavelet) {
    let transforms = [
        Transform::new(wavelet, [131, 257]).levels(2),
        Transform::new(wavelet, [3, 45, 50, 70]).layout(Layout::Interleaved),
        Transform::new(wavelet, [40, 50]).levels(3),
    ];
    for device in devices() {
        let whole_sub_groups = device.info().lanes <= limit;
        let device = device.with_max_work_group(limit);
        for strategy in Strategy::ALL {
            if strategy != Strategy::Streamed || whole_sub_groups {
                check_all::<T>(&device, strategy, &transforms);
            }
        }
    }
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

mod tail {
    use super::*;

    fn check(wavelet: Wavelet) {
        let transforms = with_tails(wavelet);
        for device in devices() {
            check_samples(&device, Strategy::Streamed, &transforms);
        }
    }

    #[test]
    fn reals() {
        check(Wavelet::CDF_9_7);
    }

    #[test]
    fn reals_and_integers() {
        check(Wavelet::CDF_5_3);
    }

    #[test]
    fn integers_along_x_first_with_a_pre_shift() {
        check(Wavelet::VC2_DD_13_7);
    }

    #[test]
    fn the_longest_reach() {
        check(Wavelet::VC2_FIDELITY);
    }

    #[test]
    fn steps_to_one_side() {
        check(Wavelet::DAUB_4);
    }

    /// Else the tests above test something else.
    #[test]
    fn is_in_use() {
        for device in devices() {
            let engine = Engine::new(&device).unwrap();
            for transform in with_tails(Wavelet::CDF_9_7) {
                // Of larger ones a GPU may allow too few work-items: NVIDIA's say 256 of every kernel.
                let levels_before = (transform.levels - 2).min(63);
                let is_small = |&side: &usize| (side - 1) >> levels_before < 64;
                let may_be_refused = device.info().kind == DeviceKind::Gpu;
                if may_be_refused && !transform.shape.iter().rev().take(2).all(is_small) {
                    continue;
                }
                let plan = engine.plan_with::<f32>(&transform, Strategy::Streamed);
                let plan = format!("{:?}", plan.unwrap());
                assert_eq!(plan.matches("tail_2d").count(), 1, "{plan}");
            }
        }
    }
}

#[test]
fn a_real_picture_size() {
    for device in devices() {
        for strategy in Strategy::ALL {
            let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(5);
            check_all::<f32>(&device, strategy, &[transform]);
            let transform = Transform::new(Wavelet::VC2_DD_13_7, [1080, 1920]).levels(5);
            check_all::<i16>(&device, strategy, &[transform]);
        }
    }
}
