//! Which lines stay in registers, whole or in tiles, and where that is preferred.

use super::*;
use crate::device::DeviceInfo;
use crate::strategy::Strategy;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{Setting, gpu, large_gpu, problem};
use crate::strategy::tests::host::{number, own};
use crate::transform::Transform;
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

fn launches(setting: &Setting, transform: &Transform, sample: SampleType) -> Vec<Launch> {
    let problem = problem(transform, sample, Direction::Forward);
    setting.design(&problem).unwrap().launches
}

#[test]
fn long_lines_side_by_side_go_in_tiles() {
    let sizes = |shape: [usize; 2], levels, sample| {
        let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterLines]);
        let columns = Transform::new(Wavelet::CDF_9_7, shape).axes([0]);
        let launch = launches(&setting, &columns.levels(levels), sample).remove(0);
        assert_eq!(launch.pass.kernel.name, NAME);
        let names = [
            "JOINED_SAMPLES",
            "HEAD",
            "HEAD_RESULTS",
            "BEFORE",
            "RESULTS",
        ];
        let taken = ["tiles", "together", "gap"].map(|name| own(&launch, name));
        let levels = number(&launch.pass.kernel, "LEVELS");
        (
            names.map(|name| number(&launch.pass.kernel, name)),
            levels,
            taken,
        )
    };
    let f32 = SampleType::F32;
    // Both ends have 72 samples of results, as each tile inside.
    let tile = [128, 64, 40, 32, 72];
    assert_eq!(sizes([512, 512], 3, f32), (tile, 3, [8, 128, 384]));
    assert_eq!(sizes([2048, 512], 5, f32), (tile, 3, [29, 128, 1920]));
    assert_eq!(
        sizes([129, 130], 3, f32),
        ([121, 56, 32, 32, 64], 3, [2, 65, 8])
    );
    let two = [128, 64, 52, 12, 104];
    assert_eq!(sizes([2048, 12], 2, f32), (two, 2, [20, 12, 1920]));
    let doubles = sizes([512, 512], 3, SampleType::F64);
    assert_eq!(doubles, ([64, 32, 20, 12, 40], 2, [13, 128, 448]));
}

#[test]
fn many_short_lines_and_much_of_long_ones_are_preferred() {
    let first = |device: DeviceInfo, shape: [usize; 2], levels| {
        let columns = Transform::new(Wavelet::CDF_9_7, shape).axes([0]);
        let setting = Setting::of(device);
        let launch = launches(&setting, &columns.levels(levels), SampleType::F32).remove(0);
        launch.pass.kernel.name == NAME
    };
    let on_nvidia = |shape, levels| first(large_gpu(), shape, levels);
    for (shape, levels, expected) in [
        ([15, 9000], 3, true),
        ([128, 9000], 6, true),
        ([129, 9000], 3, true),
        ([129, 9000], 6, false),
        ([129, 9000], 1, false),
        ([9, 9000], 1, false),
        ([7, 9000], 1, true),
        ([7, 9001], 1, true),
        ([1024, 1024], 3, false),
        ([1024, 1025], 3, true),
        // Two tiles overlap by most of them.
        ([140, 9000], 3, false),
        ([300, 9000], 3, true),
        // Local memory has all levels of them.
        ([512, 9000], 3, true),
        ([512, 9000], 5, false),
        ([513, 9000], 5, true),
        ([90_000, 16], 2, true),
        ([90_000, 15], 2, false),
    ] {
        assert_eq!(on_nvidia(shape, levels), expected, "{shape:?} {levels}");
    }
    let others = |shape| first(gpu(Exchange::Khr, 16), shape, 3);
    assert!(others([30, 9000]));
    assert!(!others([2048, 2048]));
}

#[test]
fn lines_side_by_side_stay_in_a_work_item_as_far_as_its_registers_hold_them() {
    let is_short = |device, samples, sample, rule| {
        let columns = Transform::new(Wavelet::CDF_9_7, [samples, 9000]).axes([0]);
        let launch = launches(&Setting::of(device), &columns.boundary(rule), sample).remove(0);
        let kernel = &launch.pass.kernel;
        kernel.name == NAME && number(kernel, "TILED") == 0
    };
    let symmetric = Boundary::Symmetric;
    // One level of vectors of four bytes is a pass of columns, but where both ends meet.
    assert!(!is_short(large_gpu(), 64, SampleType::F32, symmetric));
    assert!(!is_short(
        large_gpu(),
        64,
        SampleType::F32,
        Boundary::Periodic
    ));
    assert!(is_short(
        large_gpu(),
        63,
        SampleType::F32,
        Boundary::Periodic
    ));
    for (device, most) in [(large_gpu(), 128), (gpu(Exchange::Intel, 16), 32)] {
        assert!(is_short(device.clone(), most, SampleType::F16, symmetric));
        assert!(!is_short(device, most + 1, SampleType::F16, symmetric));
    }
    // What is loaded of few neighbours is mostly not theirs.
    for (neighbours, expected) in [(7, false), (8, true)] {
        let few = Transform::new(Wavelet::CDF_9_7, [900, 64, neighbours]).axes([1]);
        let setting = Setting::of(large_gpu());
        let launch = launches(&setting, &few.levels(3), SampleType::F32).remove(0);
        assert_eq!(launch.pass.kernel.name == NAME, expected);
    }
}
