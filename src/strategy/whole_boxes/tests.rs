//! How many boxes a work-group has, and which arrays go in boxes.

use crate::device::DeviceInfo;
use crate::strategy::Strategy;
use crate::strategy::tests::cases::{Setting, large_gpu, problem};
use crate::strategy::tests::host::number;
use crate::transform::Transform;
use crate::wavelet::{Direction, SampleType, Wavelet};

fn of(shape: &[usize], axes: &[usize], levels: u32) -> Transform {
    let transform = Transform::new(Wavelet::CDF_9_7, shape);
    transform.axes(axes.to_vec()).levels(levels)
}

#[test]
fn a_work_group_has_as_many_boxes_as_fill_it() {
    let sizes = |transform: &Transform, device: DeviceInfo| {
        let setting = Setting::of(device).only(&[Strategy::WholeBoxes]);
        let problem = problem(transform, SampleType::F32, Direction::Forward);
        let design = setting.design(&problem).unwrap();
        let pass = &design.launches[0].pass;
        let names = ["GROUP", "BOXES", "SIDE_BY_SIDE"].map(|name| number(&pass.kernel, name));
        (names, pass.groups, design.launches.len())
    };
    let gpu = |shape: &[usize], axes: &[usize]| sizes(&of(shape, axes, 2), large_gpu());
    assert_eq!(gpu(&[1000, 8, 8], &[1, 2]), ([256, 32, 0], 32, 1));
    assert_eq!(gpu(&[9, 9, 1000], &[0, 1]), ([576, 32, 1], 32, 1));
    assert_eq!(gpu(&[5, 16, 16, 16], &[1, 2, 3]), ([512, 1, 0], 5, 1));
    assert_eq!(gpu(&[1000, 3, 8, 8], &[2, 3]), ([256, 32, 0], 94, 1));
    assert_eq!(gpu(&[2, 1000, 7], &[2]), ([256, 256, 0], 8, 1));
    let little = DeviceInfo {
        max_work_group: 96,
        ..large_gpu()
    };
    let tiny = sizes(&of(&[1000, 8, 8], &[1, 2], 2), little);
    assert_eq!(tiny, ([96, 12, 0], 84, 1));
}

#[test]
fn what_is_tiny_or_would_take_many_launches_goes_in_boxes() {
    let goes_in_boxes = |transform: &Transform, direction| {
        let problem = problem(transform, SampleType::F32, direction);
        let design = Setting::of(large_gpu()).design(&problem).unwrap();
        let strategies = design.launches.iter().map(|launch| launch.strategy);
        strategies.eq([Strategy::WholeBoxes])
    };
    let both = |transform: Transform| {
        [Direction::Forward, Direction::Inverse].map(|way| goes_in_boxes(&transform, way))
    };
    let all: &[(&[usize], &[usize], u32, bool)] = &[
        (&[65536, 8, 8], &[1, 2], 1, true),
        (&[16, 8, 8], &[1, 2], 1, true),
        (&[16384, 16, 16], &[1, 2], 1, false),
        (&[16384, 16, 16], &[1, 2], 3, true),
        (&[32, 32, 32, 32], &[0, 2], 1, true),
        (&[64, 64, 128], &[0, 1], 1, false),
        (&[64, 64, 128], &[0, 1], 2, true),
        (&[128, 64, 128], &[0, 1], 2, false),
        (&[16, 16, 16], &[0, 1, 2], 3, true),
        (&[1024, 16, 16, 16], &[1, 2, 3], 1, false),
        (&[1024, 16, 16, 16], &[1, 2, 3], 2, true),
        (&[16, 16, 16, 1024], &[0, 1, 2], 2, false),
        (&[3, 1398101], &[0], 2, false),
        (&[3, 1401], &[0], 2, true),
        (&[3, 1398101], &[0], 1, false),
        (&[599186, 7], &[1], 3, false),
        (&[65536, 16, 16], &[1, 2], 3, false),
    ];
    for &(shape, axes, levels, expected) in all {
        let found = both(of(shape, axes, levels));
        assert_eq!(found, [expected; 2], "{shape:?} {axes:?} {levels}");
    }
}
