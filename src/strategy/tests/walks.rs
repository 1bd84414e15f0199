//! How the planner composes known transforms: which kernels, between which arrays, on which lines.

mod advice;
mod lines;
mod pictures;

use super::cases::{Setting, problem};
use super::host::number;
use crate::device::DeviceInfo;
use crate::strategy::Strategy;
use crate::strategy::planning::design::{Array, Design, Launch};
use crate::transform::Transform;
use crate::transform::geometry::{Axis, Geometry};
use crate::wavelet::{Direction, SampleType, Wavelet};

fn forward(setting: &Setting, transform: &Transform, sample: SampleType) -> Design {
    let problem = problem(transform, sample, Direction::Forward);
    setting.design(&problem).unwrap()
}

fn inverse(setting: &Setting, transform: &Transform, sample: SampleType) -> Design {
    let problem = problem(transform, sample, Direction::Inverse);
    setting.design(&problem).unwrap()
}

/// The arrays and kernels of a design, a line for each launch: what is read, the kernel, what is
/// written. A and B are the scratch arrays, X and Y those within a take.
fn walk(design: &Design, direction: Direction) -> Vec<String> {
    let name = |array| match array {
        Array::Input => "in",
        Array::Output => "out",
        Array::Scratch(0) => "A",
        Array::Scratch(_) => "B",
        Array::Temp(0) => "X",
        Array::Temp(_) => "Y",
    };
    let line = |launch: &Launch| {
        let (arrays, kernel) = (launch.arrays, launch.pass.kernel.name);
        let low = arrays
            .low
            .map_or(String::new(), |low| format!(" + {}", name(low)));
        let (signal, bands) = (name(arrays.signal), name(arrays.bands));
        match direction {
            Direction::Forward => format!("{signal} {kernel} {bands}{low}"),
            Direction::Inverse => format!("{bands}{low} {kernel} {signal}"),
        }
    };
    design.launches.iter().map(line).collect()
}

#[track_caller]
fn assert_walks(
    setting: &Setting,
    transform: &Transform,
    sample: SampleType,
    there: &[&str],
    back: &[&str],
) -> [Vec<Geometry>; 2] {
    let designs = [
        forward(setting, transform, sample),
        inverse(setting, transform, sample),
    ];
    assert_eq!(walk(&designs[0], Direction::Forward), there);
    assert_eq!(walk(&designs[1], Direction::Inverse), back);
    designs.map(|design| {
        design
            .launches
            .iter()
            .map(|launch| launch.pass.geometry)
            .collect()
    })
}

fn axis(stride: i64, detail: i64) -> Axis {
    Axis { stride, detail }
}

#[test]
fn a_volume_is_columns_and_then_pictures() {
    let transform = Transform::new(Wavelet::CDF_5_3, [64, 64, 2]).levels(3);
    let [there, back] = assert_walks(
        &Setting::of(DeviceInfo::imaginary()),
        &transform,
        SampleType::I16,
        &[
            "in register_columns A",
            "A register_block out + B",
            "B pyramid out",
        ],
        &[
            "in pyramid B",
            "in + B register_block A",
            "A register_columns out",
        ],
    );
    // Along z, all 128 lines of a plane are neighbours; 32 planes of low bands follow one another.
    let columns = there[0];
    assert_eq!(
        (columns.samples, columns.lines, columns.across),
        (64, 128, [128, 1, 1])
    );
    assert_eq!(
        (columns.signal.line, columns.bands.line),
        (axis(256, 128), axis(128, 32 * 128))
    );
    // 64 pictures of 64 x 2, of which the first 32 have a low band that the next level reads.
    let pictures = there[1];
    assert_eq!((pictures.samples, pictures.across), (2, [64, 64, 1]));
    assert_eq!((pictures.has_low, pictures.low_across[1]), (1, 32));
    assert_eq!(
        (pictures.low.across[0].stride, pictures.low.across[1].stride),
        (1, 32)
    );
    assert_eq!(pictures.bands.across[0], axis(2, 64));
    // x is gone: one picture of 32 x 32 samples, whose sub-bands stand two apart in the
    // volume of the first level.
    let picture = there[2];
    assert_eq!((picture.samples, picture.across), (32, [32, 1, 1]));
    assert_eq!(
        (picture.bands.line, picture.bands.across[0]),
        (axis(2, 32), axis(128, 16 * 128))
    );
    assert_eq!(
        (picture.signal.line, picture.signal.across[0]),
        (axis(2, 1), axis(64, 32))
    );
    assert_eq!(picture.has_low, 0);
    // The inverse is the same backwards.
    let mut backwards = back;
    backwards.reverse();
    assert_eq!(backwards, there);
}

#[test]
fn vc2_takes_the_innermost_axes_first_and_shifts_once_per_level() {
    let transform = Transform::new(Wavelet::VC2_LEGALL_5_3, [64, 64, 2]).levels(2);
    let setting = Setting::of(DeviceInfo::imaginary());
    let [there, back] = assert_walks(
        &setting,
        &transform,
        SampleType::I16,
        &[
            "in register_block A",
            "A register_columns out + B",
            "B register_block out",
        ],
        &[
            "in register_block B",
            "in + B register_columns A",
            "A register_block out",
        ],
    );
    let [pictures, columns, picture] = there[..] else {
        panic!("{there:?}");
    };
    assert_eq!((pictures.samples, pictures.across), (2, [64, 64, 1]));
    // Only lines that are low along both x and y have a low band: the two stay apart.
    assert_eq!(
        (columns.samples, columns.across, columns.low_across),
        (64, [2, 64, 1], [1, 32, 1])
    );
    assert_eq!(picture.across, [32, 1, 1]);
    assert_eq!(back, [picture, columns, pictures]);
    // Pictures are shifted by a macro, lines by an argument.
    let shifts = |design: Design| {
        let shift = |launch: &Launch| match launch.pass.kernel.name {
            "register_block" => number(&launch.pass.kernel, "PRE_SHIFT") as i32,
            _ => launch.pass.geometry.shift,
        };
        design.launches.iter().map(shift).collect::<Vec<_>>()
    };
    assert_eq!(
        shifts(forward(&setting, &transform, SampleType::I16)),
        [1, 0, 1]
    );
    assert_eq!(
        shifts(inverse(&setting, &transform, SampleType::I16)),
        [1, 0, 1]
    );
    // An axis after the other, the first pass of a level shifts forward, the last one inverse.
    for strategy in [Strategy::SEPARABLE, Strategy::Stepwise] {
        let alone = setting.clone().only(&[strategy]);
        let mut there = shifts(forward(&alone, &transform, SampleType::I16));
        there.dedup();
        assert_eq!(there, [1, 0, 1, 0], "{strategy}");
        let mut back = shifts(inverse(&alone, &transform, SampleType::I16));
        back.dedup();
        assert_eq!(back, [0, 1, 0, 1], "{strategy}");
    }
}

#[test]
fn a_transform_without_levels_is_a_copy() {
    let none = Transform::new(Wavelet::CDF_9_7, [5, 7]).levels(0);
    let one_sample = Transform::new(Wavelet::CDF_9_7, [5, 1]).axes([1]).levels(9);
    for transform in [none, one_sample] {
        let setting = Setting::of(DeviceInfo::imaginary()).only(&[Strategy::Streamed]);
        assert_walks(
            &setting,
            &transform,
            SampleType::F32,
            &["in move out"],
            &["in move out"],
        );
    }
}
