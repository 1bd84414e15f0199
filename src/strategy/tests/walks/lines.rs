//! How lines are walked: transposed columns, one row, several levels of rows.

use super::{assert_walks, axis, forward};
use crate::device::DeviceInfo;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{Setting, large_gpu};
use crate::strategy::{ColumnPass, Strategy};
use crate::transform::Transform;
use crate::wavelet::{SampleType, Wavelet};

#[test]
fn columns_are_transposed_and_lifted_as_rows() {
    let transform = Transform::new(Wavelet::CDF_9_7, [600, 400]).levels(2);
    let strategy = Strategy::from(ColumnPass::Transposed);
    let setting = Setting::of(DeviceInfo::imaginary()).only(&[strategy]);
    let [there, back] = assert_walks(
        &setting,
        &transform,
        SampleType::F32,
        &[
            "in transpose X",
            "X row_pairs Y",
            "Y transpose A",
            "A row_pairs out + B",
            "B transpose X",
            "X row_pairs Y",
            "Y transpose A",
            "A row_pairs out",
        ],
        &[
            "in row_pairs A",
            "A transpose Y",
            "Y row_pairs X",
            "X transpose B",
            "in + B row_pairs A",
            "A transpose Y",
            "Y row_pairs X",
            "X transpose out",
        ],
    );
    let mut backwards = back;
    backwards.reverse();
    assert_eq!(backwards, there);
    // Columns of 600 samples, one after the other, in the signal's order and planar.
    let lifted = there[1];
    assert_eq!((lifted.samples, lifted.lines), (600, 400));
    assert_eq!(
        (lifted.signal.line, lifted.bands.line),
        (axis(2, 1), axis(1, 300))
    );
    assert_eq!(lifted.signal.across[0].stride, 600);
    assert_eq!(there[0].signal.line, axis(800, 400));
    let design = forward(&setting, &transform, SampleType::F32);
    assert_eq!(design.scratch, [600 * 400, 300 * 200]);
    assert_eq!(design.temps, [600 * 400; 2]);
}

#[test]
fn one_row_is_a_line() {
    for shape in [vec![1000], vec![1, 1000], vec![1, 1000, 1]] {
        let transform = Transform::new(Wavelet::CDF_5_3, shape).levels(3);
        let [there, _] = assert_walks(
            &Setting::of(DeviceInfo::imaginary()),
            &transform,
            SampleType::I32,
            &[
                "in row_pairs out + A",
                "A row_pairs out + B",
                "B row_pairs out",
            ],
            &[
                "in row_pairs B",
                "in + B row_pairs A",
                "in + A row_pairs out",
            ],
        );
        let lines: Vec<_> = there
            .iter()
            .map(|pass| (pass.samples, pass.lines))
            .collect();
        assert_eq!(lines, [(1000, 1), (500, 1), (250, 1)]);
    }
}

#[test]
fn rows_of_several_levels_are_one_launch() {
    let rows = Transform::new(Wavelet::CDF_9_7, [3, 5, 1024])
        .axes([2])
        .levels(5);
    let setting = Setting::of(large_gpu());
    let one = |transform: &Transform, there: &[&str], back: &[&str]| {
        let [there, mut back] = assert_walks(&setting, transform, SampleType::F32, there, back);
        back.reverse();
        assert_eq!(back, there);
        there
    };
    let all = one(&rows, &["in register_rows out"], &["in register_rows out"]);
    assert_eq!((all[0].samples, all[0].across), (1024, [15, 1, 1]));
    // A long row goes a few levels at a time.
    let signal = Transform::new(Wavelet::CDF_9_7, [1 << 20]).levels(8);
    let there = ["in register_rows out + A", "A register_rows out"];
    let back = ["in register_rows A", "in + A register_rows out"];
    let both = one(&signal, &there, &back);
    assert_eq!((both[0].low.line.stride, both[1].samples), (1, 1 << 16));
    // Of pictures whose columns are used up, rows are left.
    let picture = Transform::new(Wavelet::CDF_9_7, [4, 4096]).levels(4);
    let there = forward(&setting, &picture, SampleType::F32);
    let kernels = ["pyramid_windows", "register_rows"];
    let name = |launch: &Launch| launch.pass.kernel.name;
    let names: Vec<_> = there.launches.iter().map(name).collect();
    assert_eq!(names, kernels);
    assert_eq!(there.launches[1].pass.geometry.bands.line, axis(1, 512));
}
