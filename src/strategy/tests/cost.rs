//! What passes cost, by hand and for whole designs.

use super::cases::{
    BOTH, Setting, for_all, gpu, large_gpu, pictures, problem, settings, transforms,
};
use crate::device::{DeviceInfo, Exchange};
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::Design;
use crate::strategy::{ColumnPass, RowPass, Strategy};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Direction, SampleType, Wavelet};
use proptest::prelude::{prop_assert, prop_assert_eq, prop_oneof};
use proptest::test_runner::TestCaseResult;

use SampleType::{F32, F64, I16, I32};

fn sum(design: &Design) -> Cost {
    design.launches.iter().map(|launch| launch.pass.cost).sum()
}

/// The cost of a transform by one strategy alone.
fn cost(
    device: DeviceInfo,
    strategy: Strategy,
    transform: &Transform,
    sample: SampleType,
    direction: Direction,
) -> Cost {
    let setting = Setting::of(device).only(&[strategy]);
    let problem = problem(transform, sample, direction);
    sum(&setting.design(&problem).unwrap())
}

fn forward(
    device: DeviceInfo,
    strategy: Strategy,
    transform: &Transform,
    sample: SampleType,
) -> Cost {
    cost(device, strategy, transform, sample, Direction::Forward)
}

#[test]
fn operations_of_a_pair() {
    let of = |wavelet: Wavelet, sample, direction, count: fn(&Meter) -> Cost| {
        let problem = problem(&Transform::new(wavelet.clone(), [8]), sample, direction);
        count(&Meter::new(&problem, 1, wavelet.pre_shift() as i32)).operations
    };
    for direction in BOTH {
        let lifted = |wavelet, sample| of(wavelet, sample, direction, |meter| meter.lifted(1));
        // A step of two equal taps: a + b, times the factor, added.
        assert_eq!(lifted(Wavelet::CDF_5_3, F32), 2 * 3);
        assert_eq!(lifted(Wavelet::CDF_9_7, F64), 4 * 3);
        // a + b + bias, shifted, added.
        assert_eq!(lifted(Wavelet::CDF_5_3, I16), 2 * 4);
        // (9 * (b + c) - a - d + bias) >> 4, added.
        assert_eq!(lifted(Wavelet::VC2_DD_13_7, I32), 2 * 7);
        // d - s, s + d / 2.
        assert_eq!(lifted(Wavelet::HAAR, F32), 1 + 2);

        // Steps of 9/7 run on 4, 3, 2 and 1 pairs for one pair, on 7 to 4 for four.
        let alone = |count| of(Wavelet::CDF_9_7, F32, direction, count);
        assert_eq!(alone(|meter| meter.lifted_alone(1, 1)), 10 * 3);
        assert_eq!(alone(|meter| meter.lifted_alone(5, 4)), 5 * 22 * 3);
        // 9 and 7 taps, and what adds them.
        assert_eq!(alone(|meter| meter.convolved(1)), 9 + 8 + 7 + 6);
        // Both channels are scaled.
        assert_eq!(alone(|meter| meter.scaled(2, 2)), 2);
    }
    let shifted = |direction| {
        of(Wavelet::VC2_LEGALL_5_3, I16, direction, |meter| {
            meter.scaled(20, 10)
        })
    };
    // To the left, and to the right with rounding.
    assert_eq!(BOTH.map(shifted), [20, 10 * 2]);
    let picture = problem(
        &Transform::new(Wavelet::CDF_9_7, [8, 8]),
        F32,
        Direction::Forward,
    );
    // Of two axes at once the two factors cancel in every other sample.
    assert_eq!(Meter::new(&picture, 2, 0).scaled(9, 4).operations, 2);
}

#[test]
fn rows_in_tiles() {
    // 261 pairs, of which 256 depend on no border: two tiles of 128. Borders are
    // the 7 pairs at either end.
    let transform = Transform::new(Wavelet::CDF_9_7, [64, 522]).axes([1]);
    let of = |rows: RowPass| forward(DeviceInfo::imaginary(), rows.into(), &transform, F32);
    let four_pairs = Cost {
        bytes_read: 64 * 4 * (2 * (256 + 2 * 4) + 28),
        bytes_written: 64 * 4 * 522,
        // 64 work-items lift four pairs each; 14 pairs of borders; scaling.
        operations: 64 * (64 * 22 * 3 + 14 * 12 + 522),
        // Each tile is a segment of its own.
        barriers: 4,
        local_bytes: 4 * 2 * 8 * (132 + 33),
        launches: 1,
    };
    assert_eq!(of(RowPass::FourPairs), four_pairs);
    let exchanged = Cost {
        // Two tiles of 128 pairs, in which steps run on 3, 2, 1 and 0 pairs more.
        operations: 64 * (2 * (4 * 128 + 6) * 3 + 14 * 12 + 522),
        barriers: 4 + 2,
        local_bytes: 4 * 2 * 8 * 132,
        ..four_pairs
    };
    assert_eq!(of(RowPass::Exchanged), exchanged);
    let one_pair = of(RowPass::OnePair);
    // Eight tiles of 32 pairs.
    assert_eq!(one_pair.bytes_read, 64 * 4 * (2 * (256 + 8 * 4) + 28));
    assert_eq!(one_pair.operations, 64 * (256 * 10 * 3 + 14 * 12 + 522));
    // The taps include the scaling, but for borders, of 10 samples.
    assert_eq!(
        of(RowPass::Convolution).operations,
        64 * (256 * 30 + 14 * 12 + 10)
    );
}

#[test]
fn columns_in_windows() {
    // 64 columns of 65 pairs, 62 of them inner ones: two strips, each in two positions of 32 pairs,
    // a segment each. Borders are the 5 pairs at either end.
    let transform = Transform::new(Wavelet::CDF_5_3, [130, 64]).axes([0]);
    let of =
        |columns: ColumnPass| forward(DeviceInfo::imaginary(), columns.into(), &transform, I16);
    let four_pairs = Cost {
        bytes_read: 64 * 2 * (2 * (62 + 2 * 2) + 20),
        bytes_written: 64 * 2 * 130,
        // Steps run on five pairs and on four.
        operations: 64 * (2 * 8 * 9 * 4 + 10 * 8),
        barriers: 2,
        local_bytes: 2 * 2 * 32 * 34,
        launches: 1,
    };
    assert_eq!(of(ColumnPass::FourPairs), four_pairs);
    let transposed = of(ColumnPass::Transposed);
    assert_eq!(transposed.launches, 3);
    assert_eq!(transposed.bytes_written, 3 * 64 * 2 * 130);
    // One segment: the pair before it, and the one that is loaded until its last results are done.
    let exchanged = of(ColumnPass::Exchanged);
    assert_eq!(exchanged.operations, 64 * ((62 + 2) * 8 + 10 * 8));
}

#[test]
fn strips_and_segments_of_streamed() {
    // Two strips of 120 pairs, which sub-groups of 32 x 4 load with 4 more on either side; 32
    // segments of one pair of rows.
    let picture = Transform::new(Wavelet::CDF_5_3, [64, 480]);
    let expected = Cost {
        bytes_read: 2 * 4 * (240 + 2 * 8) * (32 + 32 * 2),
        bytes_written: 2 * 64 * 480,
        // In three turns a sub-group lifts 128 pairs of two rows along x,
        // and of 256 columns along y.
        operations: 2 * 32 * 3 * (2 * 128 + 256) * 8,
        launches: 1,
        ..Cost::default()
    };
    assert_eq!(
        forward(large_gpu(), Strategy::Streamed, &picture, I16),
        expected
    );
    // Steps of reals take three operations, where those of integers take four.
    let reals = forward(large_gpu(), Strategy::Streamed, &picture, F32);
    assert_eq!(reals.operations * 8, expected.operations * 6);
}

#[test]
fn tiles_of_lines_in_registers_overlap() {
    let lines = Transform::new(Wavelet::CDF_9_7, [2048, 128]).axes([0]);
    let cost = forward(large_gpu(), Strategy::RegisterLines, &lines.levels(3), F32);
    // 29 tiles of 128 samples, of which 64, 32 and 16 pairs are lifted; two operations scale a pair.
    let pairs = 128 * 29 * (64 + 32 + 16);
    let expected = Cost {
        bytes_read: 4 * 128 * 29 * 128,
        bytes_written: 4 * 128 * 2048,
        operations: pairs * (4 * 3 + 2),
        barriers: 0,
        local_bytes: 0,
        launches: 1,
    };
    assert_eq!(cost, expected);
}

#[test]
fn two_levels_in_one_launch_move_less() {
    let picture = Transform::new(Wavelet::CDF_9_7, [8192, 8192]).levels(2);
    let [once, twice] = ["", "gpu | streamed | f32 | TWO_FILLING=384"].map(|tuning| {
        BOTH.map(|direction| {
            let setting = Setting::of(large_gpu()).tuned(tuning);
            let problem = problem(&picture, F32, direction);
            sum(&setting.design(&problem).unwrap())
        })
    });
    let samples = 8192 * 8192;
    for cost in once {
        assert_eq!((cost.launches, cost.bytes_written), (1, 4 * samples));
    }
    // Overlaps of a segment count more than the level that is saved.
    for cost in twice {
        assert!(cost.bytes_read > 2 * 4 * samples, "{cost:?}");
    }
    // The inverse reads details of the finer level only once.
    assert!(once[1].bytes_read < once[0].bytes_read);
    let ratio = once[0].bytes_read as f64 / (4 * samples) as f64;
    assert!((1.1..1.5).contains(&ratio), "{ratio}");
}

#[test]
fn blocks_read_their_halo() {
    let picture = Transform::new(Wavelet::CDF_9_7, [6 * 600, 56 * 100]);
    let device = gpu(Exchange::Khr, 32);
    let cost = forward(device, Strategy::RegisterBlock, &picture, F32);
    // Of 64 x 14 samples 56 x 6 are stored. Along y steps run on 6 to 3 pairs of
    // rows, along x on all lanes.
    let blocks = 600 * 100;
    assert_eq!(cost.bytes_read, blocks * 4 * 64 * 14);
    assert_eq!(cost.bytes_written, blocks * 4 * 56 * 6);
    let along_y = 64 * (6 + 5 + 4 + 3) * 3;
    let along_x = 6 * 32 * 12;
    let scaling = 56 * 6 / 2;
    assert_eq!(cost.operations, blocks * (along_y + along_x + scaling));
    assert_eq!((cost.barriers, cost.local_bytes), (0, 0));

    let alone = forward(
        DeviceInfo::imaginary(),
        Strategy::RegisterBlock,
        &picture,
        F32,
    );
    assert_eq!((alone.barriers, alone.local_bytes), (8, 4 * 6 * 128));
}

#[test]
fn stepwise_launches_every_step() {
    let picture = Transform::new(Wavelet::CDF_9_7, [64, 32]);
    for direction in BOTH {
        let cost = cost(
            DeviceInfo::imaginary(),
            Strategy::Stepwise,
            &picture,
            F32,
            direction,
        );
        // Along each axis: a move, four steps that change half of the samples, scaling.
        let samples = 64 * 32;
        let expected = Cost {
            bytes_read: 2 * 4 * samples * 6,
            bytes_written: 2 * 4 * samples * 4,
            operations: 2 * (samples / 2 * 12 + samples),
            launches: 2 * 6,
            ..Cost::default()
        };
        assert_eq!(cost, expected);
    }
}

#[test]
fn levels_add_up() {
    let of = |levels| {
        let picture = Transform::new(Wavelet::CDF_5_3, [256, 256]).levels(levels);
        forward(DeviceInfo::imaginary(), Strategy::SEPARABLE, &picture, F32)
    };
    let (one, three) = (of(1), of(3));
    let samples = 256 * 256;
    assert_eq!(one.bytes_written, 2 * 4 * samples);
    assert_eq!(
        three.bytes_written,
        2 * 4 * (samples + samples / 4 + samples / 16)
    );
    assert_eq!([one.launches, three.launches], [2, 6]);
    assert_eq!(three.local_bytes, one.local_bytes);
    assert!(three.operations > one.operations && three.barriers > one.barriers);
    // Nothing to do is a copy.
    let copy = of(0);
    assert_eq!((copy.bytes_read, copy.operations), (4 * samples, 0));
}

/// Whether every sample is read and written at least once, and lifted.
fn check(cost: Cost, launches: usize, transform: &Transform, sample: SampleType) -> TestCaseResult {
    let bytes = (transform.len() * sample.size()) as u64;
    prop_assert_eq!(cost.launches, launches as u64);
    prop_assert!(cost.bytes_read >= bytes, "{:?}", cost);
    prop_assert!(cost.bytes_written >= bytes, "{:?}", cost);
    prop_assert!(cost.operations > 0 || transform.active_levels().is_empty());
    Ok(())
}

#[test]
fn every_design_reads_and_writes_all_samples() {
    let settings = settings();
    for sample in [I16, F32] {
        let inputs = prop_oneof![transforms(sample, 4000), pictures(sample)];
        for_all(150, inputs, |transform| {
            for setting in &settings {
                for direction in BOTH {
                    let problem = problem(&transform, sample, direction);
                    let Ok(design) = setting.design(&problem) else {
                        continue;
                    };
                    check(sum(&design), design.launches.len(), &transform, sample)?;
                }
            }
            Ok(())
        });
    }
}

#[test]
fn in_place_every_axis_is_read_and_written_once() {
    let transform = Transform::new(Wavelet::CDF_9_7, [8192, 8192]).layout(Layout::Interleaved);
    let problem = problem(&transform, F32, Direction::Forward);
    let design = Setting::of(large_gpu()).design_in_place(&problem).unwrap();
    let cost: Cost = design.passes.iter().map(|pass| pass.cost).sum();
    // Columns in 17 segments, rows in two: beside the array seams and borders
    // are read, and saved before.
    let samples = 8192 * 8192;
    let saved = 2 * 8192 * ((14 + 16 * 4) + (14 + 4));
    let read = 2 * 8192 * ((4091 + 17 * 4 + 14) + (4091 + 2 * 4 + 14));
    assert_eq!(cost.bytes_read, 4 * (read + saved));
    assert_eq!(cost.bytes_written, 4 * (2 * samples + saved));
    // 2048 pairs in a segment are eight tiles of a work-group.
    assert_eq!((cost.launches, cost.barriers), (4, 8 * 4));
    assert_eq!(cost.local_bytes, 4 * 4 * (520 + 65));
}
