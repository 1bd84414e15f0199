//! The passes of `separable`: sizes, shares, and what they ask of a device.

use crate::device::{DeviceInfo, Exchange};
use crate::strategy::Strategy;
use crate::strategy::design::Launch;
use crate::strategy::tests::cases::{Setting, gpu, problem, small_gpu};
use crate::strategy::tests::host::{number, own};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Direction, SampleType, Wavelet};

fn launches(device: DeviceInfo, tuning: &str, transform: Transform) -> Vec<Launch> {
    let setting = Setting::of(device)
        .tuned(tuning)
        .only(&[Strategy::SEPARABLE]);
    let problem = problem(&transform, SampleType::F32, Direction::Forward);
    setting.design(&problem).unwrap().launches
}

fn names(launches: &[Launch]) -> Vec<&'static str> {
    launches
        .iter()
        .map(|launch| launch.pass.kernel.name)
        .collect()
}

#[test]
fn groups_of_a_picture() {
    let picture = Transform::new(Wavelet::CDF_9_7, [1080, 1920]);
    let launches = launches(DeviceInfo::imaginary(), "", picture);
    assert_eq!(names(&launches), ["column_pairs", "row_pairs"]);
    // 60 strips of 32 columns; 534 inner pairs are 17 positions of the window, one for each segment, as 32 compute
    // units want 18; and 8 groups of 256 columns for borders.
    let columns = &launches[0].pass;
    assert_eq!(columns.groups, 60 * 17 + 8);
    assert_eq!(own(&launches[0], "inner_end"), 540 - 2 - 1);
    // 135 rows of groups, each of 8 tiles of 128 pairs, and 5 groups for borders.
    let rows = &launches[1].pass;
    assert_eq!(
        (rows.groups, own(&launches[1], "segments")),
        (135 * 8 + 5, 8)
    );
}

#[test]
fn the_window_of_9_7_is_71_rows_high() {
    let launches = launches(
        DeviceInfo::imaginary(),
        "",
        Transform::new(Wavelet::CDF_9_7, [512, 512]).axes([0]),
    );
    // The paper's 71 rows are samples; the window has pairs, so one row more.
    assert_eq!(2 * number(&launches[0].pass.kernel, "WINDOW_PAIRS"), 72);
}

#[test]
fn lines_that_stand_far_apart_are_columns() {
    let transform = Transform::new(Wavelet::CDF_5_3, [1 << 21, 1 << 11])
        .levels(12)
        .layout(Layout::Interleaved);
    let launches = launches(DeviceInfo::imaginary(), "", transform);
    // 1024 samples are left along y and one along x; neighbours in a channel are 2^23 places apart.
    let last = &launches.last().unwrap().pass;
    assert_eq!(
        (last.geometry.samples, last.kernel.name),
        (1 << 10, "column_pairs")
    );
}

#[test]
fn short_lines_are_all_border() {
    let group = |device| {
        let launches = launches(
            device,
            "",
            Transform::new(Wavelet::CDF_9_7, [50, 7]).axes([1]),
        );
        assert_eq!(names(&launches), ["short_lines"]);
        (
            number(&launches[0].pass.kernel, "GROUP"),
            launches[0].pass.groups,
        )
    };
    assert_eq!(group(DeviceInfo::imaginary()), (64, 1));
    assert_eq!(group(small_gpu()), (16, 4));
}

/// The work-groups of the column pass and of the row pass.
fn groups(device: DeviceInfo, tuning: &str, limits: &[(&'static str, usize)]) -> [[usize; 2]; 2] {
    let transform = Transform::new(Wavelet::CDF_9_7, [512, 512]);
    let problem = problem(&transform, SampleType::F32, Direction::Forward);
    let setting = Setting::of(device)
        .tuned(tuning)
        .only(&[Strategy::SEPARABLE]);
    let launches = setting.design_within(&problem, limits).unwrap().launches;
    [0, 1].map(|i| launches[i].pass.kernel.group)
}

#[test]
fn small_devices_get_small_groups() {
    let of = |most: usize, local_memory: u64| {
        let device = DeviceInfo {
            max_work_group: most,
            local_memory,
            ..DeviceInfo::imaginary()
        };
        groups(device, "", &[])
    };
    assert_eq!(of(1024, 48 << 10), [[32, 8], [32, 8]]);
    assert_eq!(of(128, 48 << 10), [[32, 4], [32, 4]]);
    assert_eq!(of(64, 48 << 10), [[16, 4], [16, 4]]);
    assert_eq!(of(32, 48 << 10), [[16, 2], [16, 2]]);
    assert_eq!(of(1, 48 << 10), [[1, 1], [1, 1]]);
    // A window of 36 pairs of 32 columns takes 9216 bytes.
    assert_eq!(of(1024, 9216)[0], [32, 8]);
    assert_eq!(of(1024, 9215)[0], [32, 4]);
    // Local memory for nothing leaves the smallest.
    assert_eq!(of(1024, 0), [[1, 1], [1, 1]]);
    assert!(
        groups(small_gpu(), "", &[])
            .iter()
            .all(|[x, y]| x * y <= 16 && *y <= 4)
    );
}

#[test]
fn kernels_can_allow_less_than_the_device() {
    let limits = [("row_pairs", 64)];
    assert_eq!(
        groups(DeviceInfo::imaginary(), "", &limits),
        [[32, 8], [16, 4]]
    );
    // Each limit is for one kernel, and the least counts.
    let limits = [
        ("column_pairs", 200),
        ("column_pairs", 100),
        ("short_lines", 1),
    ];
    assert_eq!(
        groups(DeviceInfo::imaginary(), "", &limits),
        [[16, 4], [32, 8]]
    );
}

#[test]
fn rows_are_tuned() {
    let tuned = "gpu | separable | f32 | ROWS_X=64 ROWS_Y=4";
    assert_eq!(
        groups(gpu(Exchange::Ptx, 32), tuned, &[]),
        [[32, 8], [64, 4]]
    );
}
