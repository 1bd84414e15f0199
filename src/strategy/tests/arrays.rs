//! Which arrays the launches of any design work in, and how much scratch that takes.

use super::cases::{BOTH, Setting, for_all, pictures, problem, settings, transforms};
use super::host::colours;
use crate::device::DeviceInfo;
use crate::strategy::Strategy;
use crate::strategy::planning::design::{Array, Design, Launch};
use crate::transform::Transform;
use crate::wavelet::{Direction, SampleType, Wavelet};
use proptest::prelude::Strategy as Generator;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use proptest::{prop_assert, prop_assert_eq, prop_assert_ne};

/// The takes of a design, each as one launch: those of one take work in the same arrays on the same
/// lines, or hand over to one another what no other sees.
fn takes(design: &Design, direction: Direction) -> Vec<Launch> {
    let is_temp = |array| matches!(array, Array::Temp(_));
    let mut takes: Vec<Launch> = Vec::new();
    for launch in &design.launches {
        let arrays = launch.arrays;
        let (read, written) = match direction {
            Direction::Forward => (arrays.signal, arrays.bands),
            Direction::Inverse => (arrays.bands, arrays.signal),
        };
        let Some(last) = takes.last_mut().filter(|_| is_temp(read)) else {
            takes.push(launch.clone());
            continue;
        };
        let open = match direction {
            Direction::Forward => &mut last.arrays.bands,
            Direction::Inverse => &mut last.arrays.signal,
        };
        assert_eq!(*open, read, "{launch:?}");
        *open = written;
        last.arrays.low = last.arrays.low.or(arrays.low);
    }
    takes.dedup_by_key(|launch| (launch.arrays, launch.pass.geometry));
    takes
}

/// The samples of the box that a launch works on.
fn samples(launch: &Launch) -> usize {
    let geometry = &launch.pass.geometry;
    let across = geometry.across.iter().map(|&n| n as usize);
    geometry.samples as usize * across.product::<usize>() * colours(&launch.pass.kernel)
}

/// The samples that are left for level `number`; none where there is no such level.
fn left(transform: &Transform, number: usize) -> usize {
    let levels = transform.active_levels();
    let level = levels.get(number - 1);
    level.map_or(0, |level| level.shape.iter().product())
}

fn check_arrays(transform: &Transform, design: &Design, direction: Direction) -> TestCaseResult {
    let forward = direction == Direction::Forward;
    let takes = takes(design, direction);
    let whole = transform.len();
    let mut settled = 0;
    for (i, launch) in takes.iter().enumerate() {
        let arrays = launch.arrays;
        prop_assert_ne!(arrays.signal, arrays.bands);
        prop_assert_ne!(arrays.low, Some(arrays.signal));
        prop_assert_ne!(arrays.low, Some(arrays.bands));
        let written = if forward {
            [Some(arrays.bands), arrays.low]
        } else {
            [Some(arrays.signal), None]
        };
        prop_assert!(!written.contains(&Some(Array::Input)), "{launch:?}");
        // Low bands are never kept in the caller's arrays.
        let is_scratch = |array| matches!(array, Array::Scratch(_));
        prop_assert!(arrays.low.is_none_or(is_scratch));
        // What completes a level, and puts its coefficients where they stay,
        // or takes them from there.
        let place = if forward { i } else { takes.len() - 1 - i };
        let completes = arrays.low.is_some() || place == takes.len() - 1;
        let coefficients = if forward { Array::Output } else { Array::Input };
        if completes {
            prop_assert_eq!(arrays.bands, coefficients);
            settled += 1;
        }
        // The output serves as scratch within the finest level alone, where nothing else is in it
        // yet or any more: so the coefficients of other levels are never overwritten.
        let in_output = [arrays.signal, arrays.bands].contains(&Array::Output);
        if in_output && !(forward && completes) {
            prop_assert_eq!(samples(launch), whole);
            prop_assert!(!forward || settled == 0);
        }
    }
    let (first, last) = (&takes[0], &takes[takes.len() - 1]);
    let (read, written) = match direction {
        Direction::Forward => (first.arrays.signal, last.arrays.bands),
        Direction::Inverse => (first.arrays.bands, last.arrays.signal),
    };
    prop_assert_eq!((read, written), (Array::Input, Array::Output));
    Ok(())
}

/// The scratch is what is needed, and no more than this: where the finest level is one take, two
/// low bands of its; where it is several, the whole array and one low band. A low band of even
/// lengths on two axes is a quarter of the array.
fn check_scratch(transform: &Transform, design: &Design, direction: Direction) -> TestCaseResult {
    let takes = takes(design, direction);
    let [low, lower] = [2, 3].map(|number| left(transform, number));
    let whole = transform.len();
    let levels = transform.active_levels().len();
    let in_finest = takes.iter().filter(|launch| samples(launch) == whole);
    let finest = in_finest.count();
    let [a, b] = design.scratch;
    if levels == 0 {
        prop_assert_eq!(design.scratch, [0, 0]);
    } else if finest == 1 && takes.len() <= levels {
        prop_assert!(a <= low && b <= lower, "{:?} for {low} and {lower}", [a, b]);
    } else if finest == 1 {
        prop_assert!(a <= low && b <= low, "{:?} for {low}", [a, b]);
    } else {
        prop_assert!(a == whole && b <= low, "{:?} for {whole} and {low}", [a, b]);
    }
    let even = transform
        .chosen_axes()
        .iter()
        .all(|&axis| transform.shape()[axis].is_multiple_of(2));
    if even && transform.chosen_axes().len() >= 2 {
        prop_assert!(a + b <= whole + whole / 4);
    }
    // No array is larger than the most that is put into it: forward, what a take reads;
    // inverse, what it writes.
    for (i, size) in design.scratch.into_iter().enumerate() {
        let reads = |launch: &&Launch| launch.arrays.signal == Array::Scratch(i);
        let between = takes.iter().filter(reads).map(samples);
        prop_assert_eq!(between.max().unwrap_or(0), size);
    }
    // Within takes, the largest that has arrays of its own.
    for (i, size) in design.temps.into_iter().enumerate() {
        let has = |launch: &&Launch| {
            [launch.arrays.signal, launch.arrays.bands].contains(&Array::Temp(i))
        };
        let largest = design.launches.iter().filter(has).map(samples).max();
        prop_assert_eq!(largest.unwrap_or(0), size);
    }
    Ok(())
}

fn check((transform, setting): (Transform, Setting), sample: SampleType) -> TestCaseResult {
    for direction in BOTH {
        let problem = problem(&transform, sample, direction);
        if let Ok(design) = setting.design(&problem) {
            check_arrays(&transform, &design, direction)?;
            check_scratch(&transform, &design, direction)?;
        }
    }
    Ok(())
}

fn with_settings(
    transforms: impl Generator<Value = Transform>,
) -> impl Generator<Value = (Transform, Setting)> {
    (transforms, select(settings()))
}

#[test]
fn no_launch_reads_what_it_writes_and_scratch_is_bounded() {
    for sample in [SampleType::I16, SampleType::F32] {
        let any = with_settings(transforms(sample, 40 * 40 * 40 * 40));
        for_all(3000, any, |case| check(case, sample));
        for_all(500, with_settings(pictures(sample)), |case| {
            check(case, sample)
        });
    }
}

#[test]
fn scratch_of_known_transforms() {
    let scratch = |device: DeviceInfo, shape: &[usize], axes: &[usize], strategies| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape).axes(axes).levels(5);
        let setting = Setting::of(device).only(strategies);
        BOTH.map(|direction| {
            let problem = problem(&transform, SampleType::F32, direction);
            setting.design(&problem).unwrap().scratch
        })
    };
    let gpu = DeviceInfo::imaginary;
    // Pictures, a launch per level: a third of an array.
    let [forward, inverse] = scratch(gpu(), &[512, 512], &[0, 1], &[Strategy::Streamed]);
    assert_eq!(forward, [256 * 256, 128 * 128]);
    assert_eq!(inverse, forward);
    // An axis after the other: an array and a quarter, an eighth of a volume.
    let alone = &[Strategy::SEPARABLE];
    let [forward, inverse] = scratch(gpu(), &[512, 512], &[0, 1], alone);
    assert_eq!(forward, [512 * 512, 256 * 256]);
    assert_eq!(inverse, forward);
    let [volume, _] = scratch(gpu(), &[64, 64, 64], &[0, 1, 2], Strategy::ALL);
    assert_eq!(volume, [64 * 64 * 64, 32 * 32 * 32]);
    // One axis: half of an array, and a quarter.
    let [lines, _] = scratch(gpu(), &[9, 512], &[1], Strategy::ALL);
    assert_eq!(lines, [9 * 256, 9 * 128]);
    // Odd lengths leave more: of 3 x 3 samples 2 x 2.
    let [odd, _] = scratch(gpu(), &[3, 3], &[0, 1], alone);
    assert_eq!(odd, [9, 4]);
}
