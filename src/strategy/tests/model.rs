//! Designs, carried out on the host by their geometry, give what the reference gives: the
//! planner's arrays, strides, axis orders and pre-shifts are right on any device that runs the
//! kernels as they are written.

use super::cases::{
    BOTH, Setting, TWO_LEVELS, coloured, cpu, for_all, large_gpu, pictures, problem, settings,
    transforms, volumes,
};
use super::host::run;
use crate::strategy::Strategy;
use crate::strategy::planning::design::Regions;
use crate::transform::{Region, Transform, reference};
use crate::wavelet::{Boundary, Direction, Sample, SampleType, Wavelet};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy as Generator, any, prop_oneof};
use proptest::prop_assert_eq;
use proptest::sample::select;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Numbers that look random (SplitMix64).
fn numbers(count: usize, seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
    .take(count)
}

/// Which kernels were carried out.
type Seen = RefCell<BTreeSet<&'static str>>;

/// Checks both directions of a transform; strategies that do not offer it are passed over.
fn check<T: Sample>(
    seen: &Seen,
    transform: &Transform,
    regions: Option<&Regions>,
    setting: &Setting,
    input: &[T],
    garbage: T,
    same: impl Fn(&[T], &[T]) -> TestCaseResult,
) -> TestCaseResult {
    for direction in BOTH {
        let mut problem = problem(transform, T::TYPE, direction);
        if let Some(regions) = regions {
            problem.regions = regions.clone();
        }
        let Ok(design) = setting.design(&problem) else {
            continue;
        };
        let expected = match direction {
            Direction::Forward => reference::forward(transform, input),
            Direction::Inverse => reference::inverse(transform, input),
        };
        let names = design.launches.iter().map(|launch| launch.pass.kernel.name);
        seen.borrow_mut().extend(names);
        let (from, to) = match direction {
            Direction::Forward => (&problem.regions.signal, &problem.regions.bands),
            Direction::Inverse => (&problem.regions.bands, &problem.regions.signal),
        };
        let input = in_region(from, input, garbage);
        let expected = in_region(to, &expected.unwrap(), garbage);
        same(&run(&problem, &design, &input, garbage), &expected)?;
    }
    Ok(())
}

/// An array with samples in a region, and garbage elsewhere.
fn in_region<T: Sample>(region: &Region, samples: &[T], garbage: T) -> Vec<T> {
    let mut array = vec![garbage; region.end()];
    for (place, sample) in region.places().into_iter().zip(samples) {
        array[place] = *sample;
    }
    array
}

fn equal<T: Sample>(got: &[T], expected: &[T]) -> TestCaseResult {
    let differs = got
        .iter()
        .zip(expected)
        .position(|(got, expected)| got != expected);
    prop_assert_eq!(differs, None, "the first place that differs");
    prop_assert_eq!(got.len(), expected.len());
    Ok(())
}

/// Rounding apart: a kernel may lift the axes of reals in another order.
fn close(got: &[f64], expected: &[f64]) -> TestCaseResult {
    let largest = expected.iter().fold(1.0f64, |most, v| most.max(v.abs()));
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        // Not a number is not close.
        let is_close = (got - expected).abs() <= 1e-12 * largest;
        if !is_close {
            let what = format!("coefficient {i} is {got}, not {expected}");
            return Err(TestCaseError::fail(what));
        }
    }
    Ok(())
}

type Case = (Transform, Setting, u64);

fn check_i32(seen: &Seen, (transform, setting, seed): Case) -> TestCaseResult {
    let samples: Vec<i32> = numbers(transform.len(), seed).map(|v| v as i32).collect();
    check(seen, &transform, None, &setting, &samples, 0x5EED, equal)
}

fn check_i16(seen: &Seen, (transform, setting, seed): Case) -> TestCaseResult {
    let samples: Vec<i16> = numbers(transform.len(), seed).map(|v| v as i16).collect();
    check(seen, &transform, None, &setting, &samples, 0x5EE, equal)
}

fn check_f64(seen: &Seen, (transform, setting, seed): Case) -> TestCaseResult {
    let number = |v: u64| v as i64 as f64 / i64::MAX as f64;
    let samples: Vec<f64> = numbers(transform.len(), seed).map(number).collect();
    check(seen, &transform, None, &setting, &samples, f64::NAN, close)
}

/// Transforms on any of the devices.
fn on_devices(transforms: impl Generator<Value = Transform>) -> impl Generator<Value = Case> {
    (transforms, select(settings()), any::<u64>())
}

/// A region of a shape: axes nested in any order, with unused places between
/// neighbours along any of them.
fn region(shape: Vec<usize>) -> impl Generator<Value = Region> {
    let axes: Vec<usize> = (0..shape.len()).collect();
    let order = prop_oneof![1 => Just(axes.clone()).prop_shuffle(), 2 => Just(axes)];
    let gaps = vec(prop_oneof![Just(0), 1..=5usize, Just(16)], shape.len());
    let offset = prop_oneof![Just(0), 1..=20usize, Just(16)];
    let first = prop_oneof![3 => Just(1), 1 => 2..=4usize];
    (order, gaps, offset, first).prop_map(move |(order, gaps, offset, first)| {
        let (mut strides, mut next) = (vec![1; shape.len()], first);
        for (&axis, gap) in order.iter().rev().zip(gaps) {
            strides[axis] = next;
            next = next * shape[axis] + gap;
        }
        Region::dense(shape.as_slice())
            .with_strides(strides)
            .at(offset)
    })
}

/// Transforms between regions, one of which is in one piece now and then.
fn in_regions(cases: impl Generator<Value = Case>) -> impl Generator<Value = (Case, Regions)> {
    cases.prop_flat_map(|case| {
        let regions = [(), ()].map(|()| {
            let shape = case.0.shape();
            let dense = Just(Region::dense(shape));
            prop_oneof![1 => dense, 3 => region(shape.to_vec())]
        });
        let [signal, bands] = regions;
        let regions = (signal, bands).prop_map(|(signal, bands)| Regions { signal, bands });
        (Just(case), regions)
    })
}

/// Transforms on any of the devices, often where two levels go at once, or blocks.
fn on_large_gpus(transforms: impl Generator<Value = Transform>) -> impl Generator<Value = Case> {
    let two_levels = Setting::of(large_gpu())
        .tuned(TWO_LEVELS)
        .only(&[Strategy::Streamed, Strategy::SEPARABLE]);
    let blocks = Setting::of(large_gpu()).only(&[Strategy::RegisterBlock, Strategy::SEPARABLE]);
    let setting = prop_oneof![
        2 => select(settings()),
        2 => Just(two_levels),
        1 => Just(blocks)
    ];
    (transforms, setting, any::<u64>())
}

/// All kernels but those of two levels, which need larger pictures.
const ONE_LEVEL: [&str; 18] = [
    "boxes_in_cache",
    "column_exchanged",
    "column_pairs",
    "column_vectors",
    "columns_and_ends",
    "lift",
    "line_ends",
    "move",
    "pyramid",
    "register_block",
    "register_columns",
    "register_rows",
    "row_exchanged",
    "row_pairs",
    "row_vectors",
    "single_loop",
    "streamed_one_level",
    "transpose",
];

#[track_caller]
fn assert_seen(seen: &Seen, expected: &[&str]) {
    let seen = seen.borrow();
    for name in expected {
        assert!(
            seen.contains(name),
            "{name} was never carried out: {seen:?}"
        );
    }
}

#[test]
fn rows_of_a_few_samples_and_rows_that_are_cut_are_those_of_the_reference() {
    let seen = Seen::default();
    let few = [
        ([4097, 3], 1),
        ([7, 4099], 0),
        ([5, 4100], 0),
        ([61, 4100], 0),
        ([4097, 5], 1),
    ];
    let cut = [([3, 4099], 1), ([2, 2050], 1), ([1031, 17], 0)];
    for (shape, axis) in few.into_iter().chain(cut) {
        for boundary in Boundary::ALL {
            let rows = Transform::new(Wavelet::VC2_DD_13_7, shape).axes([axis]);
            let rows = rows.levels(4).boundary(*boundary);
            check_i32(&seen, (rows, Setting::of(large_gpu()), 7)).unwrap();
        }
    }
    // Boxes of axes behind which another one stands.
    let pictures = Transform::new(Wavelet::CDF_5_3, [2, 2, 32]).axes([0, 1]);
    let vectors = Setting::of(cpu()).only(&[Strategy::Vectors]);
    check_i32(&seen, (pictures, vectors, 9)).unwrap();
    for (shape, levels) in [([17, 4099], 1), ([41, 4100], 3)] {
        let columns = Transform::new(Wavelet::VC2_DD_13_7, shape).axes([0]);
        check_i32(&seen, (columns.levels(levels), Setting::of(cpu()), 8)).unwrap();
    }
    let expected = [
        "boxes_in_cache",
        "short_columns",
        "short_rows",
        "register_lines",
    ];
    assert_seen(&seen, &expected);
}

#[test]
fn any_transform_of_integers_is_that_of_the_reference() {
    let seen = Seen::default();
    let cases = on_devices(transforms(SampleType::I32, 4000));
    for_all(2000, cases, |case| check_i32(&seen, case));
    assert_seen(&seen, &ONE_LEVEL);
    assert_seen(&seen, &["load", "store"]);
}

#[test]
fn any_transform_of_reals_is_that_of_the_reference() {
    let seen = Seen::default();
    let cases = on_devices(transforms(SampleType::F64, 4000));
    for_all(1000, cases, |case| check_f64(&seen, case));
    assert_seen(&seen, &ONE_LEVEL);
}

#[test]
fn pictures_are_those_of_the_reference() {
    let expected = [
        "streamed_one_level",
        "streamed_two_levels",
        "single_loop",
        "register_block",
        "pyramid",
    ];
    let seen = Seen::default();
    let cases = on_large_gpus(pictures(SampleType::I32));
    for_all(500, cases, |case| check_i32(&seen, case));
    assert_seen(&seen, &expected);

    let seen = Seen::default();
    let cases = on_large_gpus(pictures(SampleType::I16));
    for_all(500, cases, |case| check_i16(&seen, case));
    assert_seen(&seen, &expected);

    let seen = Seen::default();
    let cases = on_large_gpus(pictures(SampleType::F64));
    for_all(400, cases, |case| check_f64(&seen, case));
    assert_seen(&seen, &expected);
}

#[test]
fn colours_are_those_of_the_reference() {
    let expected = ["streamed_colours", "single_loop"];
    let seen = Seen::default();
    let cases = on_devices(coloured(SampleType::I32));
    for_all(500, cases, |case| check_i32(&seen, case));
    assert_seen(&seen, &expected);

    let seen = Seen::default();
    let cases = in_regions(on_devices(coloured(SampleType::I32)));
    for_all(500, cases, |((transform, setting, seed), regions)| {
        let samples: Vec<i32> = numbers(transform.len(), seed).map(|v| v as i32).collect();
        let regions = Some(&regions);
        check(
            &seen, &transform, regions, &setting, &samples, 0x5EED, equal,
        )
    });
    assert_seen(&seen, &expected);
}

#[test]
fn volumes_are_those_of_the_reference() {
    let seen = Seen::default();
    let alone = Setting::of(large_gpu()).only(&[Strategy::StreamedVolumes]);
    let cases = |sample| (volumes(sample), Just(alone.clone()), any::<u64>());
    for_all(150, cases(SampleType::F64), |case| check_f64(&seen, case));
    for_all(150, cases(SampleType::I32), |case| check_i32(&seen, case));
    for_all(150, cases(SampleType::I16), |case| check_i16(&seen, case));
    assert_seen(&seen, &["streamed_volumes"]);
}

#[test]
fn regions_of_larger_arrays_are_transformed_and_nothing_else() {
    let seen = Seen::default();
    let check = |((transform, setting, seed), regions): (Case, Regions)| {
        let samples: Vec<i32> = numbers(transform.len(), seed).map(|v| v as i32).collect();
        check(
            &seen,
            &transform,
            Some(&regions),
            &setting,
            &samples,
            0x5EED,
            equal,
        )
    };
    for_all(
        1000,
        in_regions(on_devices(transforms(SampleType::I32, 2000))),
        check,
    );
    for_all(
        500,
        in_regions(on_large_gpus(pictures(SampleType::I32))),
        check,
    );
    assert_seen(&seen, &ONE_LEVEL);
    assert_seen(&seen, &["load", "store", "streamed_two_levels"]);
}
