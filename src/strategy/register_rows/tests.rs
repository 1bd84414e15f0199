//! How rows and lines side by side are dealt out, and which of them are preferred here.

use super::*;
use crate::strategy::Strategy;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{Setting, gpu, large_gpu, problem};
use crate::strategy::tests::host::{number, own};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Channel, Direction, RealStep, SampleType, Scale, Wavelet};

fn launches(setting: &Setting, transform: &Transform, sample: SampleType) -> Vec<Launch> {
    let problem = problem(transform, sample, Direction::Forward);
    setting.design(&problem).unwrap().launches
}

fn rows(samples: usize, levels: u32) -> Transform {
    let transform = Transform::new(Wavelet::CDF_9_7, [9, samples]);
    transform.axes([1]).levels(levels)
}

#[test]
fn a_sub_group_has_a_row_or_several() {
    let sizes = |samples, levels| {
        let setting = Setting::of(large_gpu());
        // Short rows by these steps do not stay in registers.
        let far = Transform::new(Wavelet::DAUB_4, [9, samples]);
        let transform = match samples {
            ..=512 => far.axes([1]).levels(levels),
            _ => rows(samples, levels),
        };
        let launch = launches(&setting, &transform, SampleType::F32).remove(0);
        let kernel = &launch.pass.kernel;
        let names = ["ROW_ITEMS", "RUN_PAIRS", "WIDE_LEVELS", "NARROW"];
        assert_eq!(own(&launch, "tiles"), 1);
        names.map(|name| number(kernel, name))
    };
    assert_eq!(sizes(1024, 5), [32, 16, 4, 1]);
    assert_eq!(sizes(1001, 4), [32, 16, 4, 0]);
    assert_eq!(sizes(2048, 9), [64, 16, 4, 1]);
    assert_eq!(sizes(256, 3), [16, 8, 3, 0]);
    assert_eq!(sizes(257, 1), [32, 8, 1, 0]);
    assert_eq!(sizes(64, 2), [8, 4, 2, 0]);
    assert_eq!(sizes(33, 9), [8, 4, 2, 1]);
}

#[test]
fn a_work_group_has_neighbouring_lines_that_stand_side_by_side() {
    let sizes = |shape: [usize; 2], levels, sample| {
        let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
        let columns = Transform::new(Wavelet::CDF_9_7, shape).axes([0]);
        let launches = launches(&setting, &columns.levels(levels), sample);
        let (launch, kernel) = (&launches[0], &launches[0].pass.kernel);
        let names = ["SIDE_BY_SIDE", "GROUP", "ROW_ITEMS", "RUN_PAIRS"];
        let places = number(kernel, "ROW_PLACES");
        assert_eq!(places % 2, 1, "neighbours are in other banks");
        let taken = [own(launch, "tiles"), own(launch, "levels")];
        (names.map(|name| number(kernel, name)), taken)
    };
    let f32 = SampleType::F32;
    assert_eq!(sizes([512, 512], 3, f32), ([1, 256, 16, 16], [1, 3]));
    assert_eq!(sizes([16, 512], 3, f32), ([1, 128, 1, 8], [1, 3]));
    assert_eq!(sizes([2048, 512], 5, f32), ([1, 256, 16, 16], [5, 3]));
    // There are no more neighbours; there is no more local memory.
    assert_eq!(sizes([2048, 7], 3, f32), ([1, 128, 16, 16], [5, 3]));
    let doubles = sizes([512, 512], 3, SampleType::F64);
    assert_eq!(doubles, ([1, 128, 16, 16], [1, 3]));
}

#[test]
fn several_levels_of_lines_side_by_side_are_preferred_and_one_of_few() {
    let names = |shape: [usize; 2], levels| {
        let columns = Transform::new(Wavelet::CDF_9_7, shape).axes([0]);
        let launches = launches(
            &Setting::of(large_gpu()),
            &columns.levels(levels),
            SampleType::F32,
        );
        let kernels = launches.iter().map(|launch| launch.pass.kernel.name);
        kernels.collect::<Vec<_>>()
    };
    assert_eq!(names([512, 512], 1), ["register_columns"]);
    assert_eq!(names([512, 512], 4), [NAME]);
    assert_eq!(names([512, 7], 1), [NAME]);
    assert_eq!(names([2048, 512], 4), [NAME, "register_columns"]);
    // What is short goes otherwise, and what is much.
    assert_eq!(names([15, 900], 2), ["register_columns"; 2]);
    assert_eq!(names([128, 900], 6), [NAME]);
    assert_eq!(names([128, 9000], 6), ["register_lines"]);
    assert_eq!(names([2048, 900], 5), ["register_lines", NAME]);
    assert_eq!(names([300_000, 7], 2), [NAME]);
}

#[test]
fn rows_of_a_few_samples_move_as_one_piece_where_they_follow_one_another() {
    let of = |shape: &[usize], layout, levels| {
        let rows = Transform::new(Wavelet::CDF_9_7, shape).axes([1]);
        let rows = rows.layout(layout).levels(levels);
        let launch = launches(&Setting::of(large_gpu()), &rows, SampleType::F32).remove(0);
        launch.pass.kernel.name
    };
    for &layout in Layout::ALL {
        assert_eq!(of(&[9000, 7], layout, 1), "short_rows");
        assert_eq!(of(&[9000, 7], layout, 3), "short_rows");
        assert_eq!(of(&[9000, 7, 2], layout, 3), "register_lines");
    }
    let rows = Transform::new(Wavelet::CDF_9_7, [9000, 7]).axes([1]);
    let launch = launches(&Setting::of(large_gpu()), &rows, SampleType::F32).remove(0);
    let cost = launch.pass.cost;
    assert_eq!((cost.local_bytes, cost.barriers), (2 * 128 * 7 * 4, 2));
    assert_eq!(of(&[9000, 7, 2], Layout::Mallat, 1), NAME);
    assert_eq!(of(&[900, 7], Layout::Mallat, 3), NAME);
}

#[test]
fn short_rows_that_follow_one_another_stay_in_registers() {
    let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
    let runs = |transform: Transform, sample| {
        let launch = launches(&setting, &transform, sample).remove(0);
        let kernel = &launch.pass.kernel;
        let names = ["ROW_ITEMS", "RUN_PAIRS", "WIDE_LEVELS", "MOVED_TOGETHER"];
        let sizes = || names.map(|name| number(kernel, name));
        (kernel.name == "rows_in_registers").then(sizes)
    };
    let of = |samples, sample| runs(rows(samples, 5), sample);
    assert_eq!(of(256, SampleType::F32), Some([16, 8, 4, 4]));
    assert_eq!(of(512, SampleType::F16), Some([16, 16, 5, 8]));
    assert_eq!(of(102, SampleType::F32), Some([7, 8, 4, 2]));
    assert_eq!(of(256, SampleType::F64), Some([32, 4, 3, 2]));
    // Longer runs of 16 bits.
    let shorts = Transform::new(Wavelet::CDF_5_3, [9, 256]).axes([1]);
    assert_eq!(runs(shorts.levels(5), SampleType::I16), Some([8, 16, 5, 8]));
    // Three rows of nine runs have 27 of 32 work-items, one of seventeen shorter runs would
    // leave half of them without.
    assert_eq!(of(129, SampleType::F32), Some([9, 8, 4, 1]));
    assert_eq!(of(24, SampleType::F32), Some([3, 4, 3, 4]));
    // Longer ones, steps with more neighbours, rows apart.
    assert_eq!(of(513, SampleType::F32), None);
    assert_eq!(of(257, SampleType::F64), None);
    let far = Transform::new(Wavelet::VC2_DD_13_7, [9, 256]).axes([1]);
    assert_eq!(runs(far, SampleType::I16), None);
    let beside = Transform::new(Wavelet::CDF_9_7, [9, 256, 2]).axes([1]);
    assert_eq!(runs(beside, SampleType::F32), None);
    // As many neighbours, but not one on each side.
    let steps = [
        RealStep::new(Channel::Detail, 1, &[0.5, -0.25]),
        RealStep::new(Channel::Approximation, -2, &[0.25, 0.125]),
    ];
    let beside = Wavelet::real("beside", &steps, Scale::NONE).unwrap();
    let beside = Transform::new(beside, [9, 256]).axes([1]);
    assert_eq!(runs(beside, SampleType::F32), None);
}

#[test]
fn long_rows_go_in_tiles_with_a_halo() {
    let cut = |sample, levels| {
        let setting = Setting::of(large_gpu());
        let signal = Transform::new(Wavelet::CDF_5_3, [1 << 20]).levels(levels);
        let launches = launches(&setting, &signal, sample);
        let first = &launches[0];
        let tile =
            2 * number(&first.pass.kernel, "ROW_ITEMS") * number(&first.pass.kernel, "RUN_PAIRS");
        let [levels, halo, length] =
            ["levels", "halo", "tile_samples"].map(|name| own(first, name));
        assert!(length + 2 * halo <= tile as i32);
        (tile, levels, halo, launches.len())
    };
    // Level l reads one pair of 2^l samples on either side.
    assert_eq!(cut(SampleType::F32, 1), (2048, 1, 2, 1));
    assert_eq!(cut(SampleType::F32, 3), (2048, 3, 16, 1));
    assert_eq!(cut(SampleType::I16, 9), (2048, 5, 64, 2));
    assert_eq!(cut(SampleType::F64, 9), (1024, 4, 32, 3));
}

#[test]
fn rows_of_many_levels_without_a_halo_go_in_tiles_too() {
    let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
    let signal = Transform::new(Wavelet::HAAR, [1 << 20]).levels(20);
    let launches = launches(&setting, &signal, SampleType::F32);
    let levels: Vec<_> = launches.iter().map(|one| own(one, "levels")).collect();
    assert_eq!(levels.iter().sum::<i32>(), 20, "{levels:?}");
    assert!(levels.len() <= 4, "{levels:?}");
}

#[test]
fn runs_are_as_short_as_registers_are_few() {
    let pairs = |sample, boundary| {
        let setting = Setting::of(gpu(Exchange::Khr, 16));
        let launch = launches(&setting, &rows(2048, 3).boundary(boundary), sample).remove(0);
        assert_eq!(launch.strategy, Strategy::RegisterRows);
        number(&launch.pass.kernel, "RUN_PAIRS")
    };
    assert_eq!(pairs(SampleType::F32, Boundary::Symmetric), 8);
    assert_eq!(pairs(SampleType::F32, Boundary::Zero), 8);
    assert_eq!(pairs(SampleType::F64, Boundary::Symmetric), 4);
    assert_eq!(pairs(SampleType::F64, Boundary::Zero), 2);
}

#[test]
fn levels_that_go_on_alike_are_taken_together() {
    let taken = |boundary, samples| {
        let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
        let transform = rows(samples, 3).boundary(boundary);
        let launches = launches(&setting, &transform, SampleType::F32);
        let levels = launches.iter().map(|launch| own(launch, "levels"));
        let [restored, by_steps] =
            ["RESTORED", "BY_STEPS"].map(|name| number(&launches[0].pass.kernel, name) as i32);
        let kind = [own(&launches[0], "periodic"), restored, by_steps];
        (levels.collect::<Vec<_>>(), kind)
    };
    assert_eq!(taken(Boundary::Symmetric, 999), (vec![3], [0, 0, 0]));
    assert_eq!(taken(Boundary::Zero, 999), (vec![3], [0, 1, 0]));
    assert_eq!(taken(Boundary::Periodic, 888), (vec![3], [1, 0, 0]));
    // Even rows go on from their other end until one is odd; by steps go all.
    assert_eq!(taken(Boundary::Periodic, 882), (vec![1, 2], [1, 0, 0]));
    assert_eq!(taken(Boundary::Periodic, 999), (vec![3], [0, 0, 1]));
    // Pair by pair even rows repeat, and odd ones are zero beyond their border.
    let haar = Transform::new(Wavelet::HAAR, [100]).levels(4);
    let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
    let launches = launches(&setting, &haar.boundary(Boundary::Zero), SampleType::F32);
    let levels: Vec<_> = launches.iter().map(|one| own(one, "levels")).collect();
    assert_eq!(levels, [2, 2]);
}

#[test]
fn the_ends_of_long_rows_are_joined_where_they_depend_on_each_other() {
    let setting = Setting::of(large_gpu());
    let odd = rows(4099, 3).boundary(Boundary::Periodic);
    let [launch] = &launches(&setting, &odd, SampleType::F32)[..] else {
        panic!("one launch for all tiles and the ends");
    };
    let flags = ["TILED", "BY_STEPS"].map(|name| number(&launch.pass.kernel, name));
    assert_eq!(flags, [1, 1]);
    // Steps reach two pairs, of eight samples at the third level, and at an end the
    // last pair has no detail.
    let names = ["levels", "halo", "end_samples", "gap"];
    assert_eq!(names.map(|name| own(launch, name)), [3, 32, 48, 3904]);
    let rows = number(&launch.pass.kernel, "GROUP") / number(&launch.pass.kernel, "ROW_ITEMS");
    assert_eq!(own(launch, "end_groups") as usize, 9usize.div_ceil(rows));
}

#[test]
fn work_groups_fit_local_memory_and_have_whole_sub_groups() {
    let group = |device: DeviceInfo, samples| {
        let setting = Setting::of(device).only(&[Strategy::RegisterRows]);
        let launch = launches(&setting, &rows(samples, 3), SampleType::F64).remove(0);
        let kernel = &launch.pass.kernel;
        let rows = number(kernel, "GROUP") / number(kernel, "ROW_ITEMS");
        let places = match kernel.name {
            NAME => rows * number(kernel, "ROW_PLACES"),
            _ => 2 * number(kernel, "RUN_PAIRS") * number(kernel, "GROUP"),
        };
        let local = 8 * places;
        assert!(local as u64 <= setting.device.local_memory, "{local}");
        ["GROUP", "LANES", "ROW_ITEMS"].map(|name| number(kernel, name))
    };
    assert_eq!(group(large_gpu(), 256), [128, 32, 32]);
    assert_eq!(group(gpu(Exchange::Khr, 64), 64), [128, 64, 8]);
    assert_eq!(group(DeviceInfo::imaginary(), 9), [128, 32, 32]);
    let small = DeviceInfo {
        max_work_group: 7,
        ..DeviceInfo::imaginary()
    };
    assert_eq!(group(small, 900), [4, 4, 4]);
}

#[test]
fn rows_are_preferred_on_gpus_that_exchange() {
    let first = |device, samples| {
        let setting = Setting::of(device);
        launches(&setting, &rows(samples, 1), SampleType::F32)[0].strategy
    };
    assert_eq!(first(large_gpu(), 2), Strategy::RegisterRows);
    assert_eq!(first(DeviceInfo::imaginary(), 99), Strategy::SEPARABLE);
    let cpu = DeviceInfo {
        kind: DeviceKind::Cpu,
        ..large_gpu()
    };
    assert_eq!(first(cpu, 99), Strategy::Vectors);
}

#[test]
fn there_is_room_for_the_details_of_all_narrow_levels_in_local_memory() {
    let wide = Setting::of(gpu(Exchange::Khr, 32));
    let mut most = 0;
    for (samples, levels) in [(64, 6), (700, 10), (1500, 11)] {
        for (wavelet, sample) in [
            (Wavelet::CDF_5_3, SampleType::I16),
            (Wavelet::CDF_9_7, SampleType::F64),
        ] {
            let transform = Transform::new(wavelet, [9, samples]).axes([1]);
            let transform = transform.levels(levels).boundary(Boundary::Zero);
            for launch in launches(&wide, &transform, sample) {
                let kernel = &launch.pass.kernel;
                if kernel.name != NAME {
                    continue;
                }
                let narrow = own(&launch, "levels") as usize - number(kernel, "WIDE_LEVELS");
                assert!(narrow <= number(kernel, "MOST_NARROW"), "{launch:?}");
                most = most.max(narrow);
            }
        }
    }
    assert!(most > USUAL_NARROW, "{most}");
}
