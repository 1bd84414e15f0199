//! The passes of `separable`: sizes, shares, and what they ask of a device.

use crate::device::{DeviceInfo, Exchange};
use crate::strategy::planning::design::{Launch, Pass};
use crate::strategy::tests::cases::{Setting, gpu, problem, small_gpu};
use crate::strategy::tests::host::{number, own};
use crate::strategy::{ColumnPass, RowPass, Strategy};
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
    // 60 strips of 32 columns; 534 inner pairs are 17 positions of the window, one for each
    // segment, as 32 compute units want 18; and 8 groups of 256 columns for borders.
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
        assert_eq!(names(&launches), ["line_ends"]);
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
        ("line_ends", 1),
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

/// The passes of a picture's columns, or of its rows, by a pass that is not a default one.
fn passes(
    device: DeviceInfo,
    tuning: &str,
    pass: impl Into<Strategy>,
    direction: Direction,
) -> Vec<Pass> {
    let strategy = pass.into();
    let axis = usize::from(is_of_rows(strategy));
    let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).axes([axis]);
    let setting = Setting::of(device).tuned(tuning).only(&[strategy]);
    let problem = problem(&transform, SampleType::F32, direction);
    let launches = setting.design(&problem).unwrap().launches.into_iter();
    launches.map(|launch| launch.pass).collect()
}

fn is_of_rows(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::Separable { rows, .. } if rows != RowPass::FourPairs)
}

fn forward(pass: impl Into<Strategy>) -> Pass {
    passes(DeviceInfo::imaginary(), "", pass, Direction::Forward).swap_remove(0)
}

fn own_of(pass: &Pass, name: &str) -> i32 {
    let argument = pass.own.iter().find(|(known, _)| *known == name);
    argument.unwrap().1
}

#[test]
fn tiles_of_rows_hold_what_their_method_needs() {
    let sizes = |pass: &Pass| {
        ["PAIRS_LIFTED", "TILE_PAIRS", "PAD_EVERY"].map(|name| number(&pass.kernel, name))
    };
    let one_pair = forward(RowPass::OnePair);
    assert_eq!(
        (one_pair.kernel.name, sizes(&one_pair)),
        ("row_pairs", [1, 36, 0])
    );
    assert_eq!(number(&one_pair.kernel, "CONVOLUTION"), 0);
    // 135 rows of groups; 30 tiles of 32 pairs in 8 segments of 4.
    assert_eq!(
        (
            own_of(&one_pair, "segments"),
            own_of(&one_pair, "tiles_per_segment")
        ),
        (8, 4)
    );
    let convolution = forward(RowPass::Convolution);
    assert_eq!(sizes(&convolution), [1, 36, 0]);
    assert_eq!(number(&convolution.kernel, "CONVOLUTION"), 1);
    let exchanged = forward(RowPass::Exchanged);
    assert_eq!(
        (exchanged.kernel.name, sizes(&exchanged)),
        ("row_exchanged", [4, 132, 0])
    );
    let four_pairs = launches(
        DeviceInfo::imaginary(),
        "",
        Transform::new(Wavelet::CDF_9_7, [64, 512]).axes([1]),
    );
    assert_eq!(sizes(&four_pairs[0].pass), [4, 132, 4]);
}

#[test]
fn the_window_of_exchanged_columns_carries_what_is_not_finished() {
    let rows = |direction| {
        let passes = passes(
            DeviceInfo::imaginary(),
            "",
            ColumnPass::Exchanged,
            direction,
        );
        ["WINDOW_s", "WINDOW_d"].map(|name| number(&passes[0].kernel, name))
    };
    // Van der Laan's 20 rows: 16 new ones and 4 that are carried along.
    assert_eq!(
        [rows(Direction::Forward), rows(Direction::Inverse)],
        [[10, 10]; 2]
    );
    // 535 inner pairs are 9 segments of 64 pairs or less, of 8 new pairs a
    // position and 4 around them.
    let columns = forward(ColumnPass::Exchanged);
    let sizes = ["positions_per_segment", "pairs_per_segment"].map(|name| own_of(&columns, name));
    assert_eq!(sizes, [8, 60]);
    assert_eq!(columns.groups, 60 * 9 + 8);
}

#[test]
fn columns_are_convolved_pair_by_pair() {
    let columns = forward(ColumnPass::Convolution);
    let sizes = ["PAIRS_LIFTED", "ITEMS_Y", "WINDOW_PAIRS", "CONVOLUTION"]
        .map(|name| number(&columns.kernel, name));
    assert_eq!(sizes, [1, 8, 12, 1]);
}

#[test]
fn tiles_are_transposed_there_and_back() {
    for direction in [Direction::Forward, Direction::Inverse] {
        let passes = passes(
            DeviceInfo::imaginary(),
            "",
            ColumnPass::Transposed,
            direction,
        );
        let names: Vec<_> = passes.iter().map(|pass| pass.kernel.name).collect();
        assert_eq!(names, ["transpose", "row_pairs", "transpose"]);
        // Tiles of 32 x 32 of 1920 columns of 1080 samples.
        assert_eq!(
            (passes[0].groups, own_of(&passes[0], "tiles_across")),
            (60 * 34, 60)
        );
        let columns_first = [0, 2].map(|i| own_of(&passes[i], "from_columns"));
        assert_eq!(columns_first, [1, 0]);
        // What is on the sub-band side is planar.
        let planar = [0, 2].map(|i| own_of(&passes[i], "planar"));
        let forward = direction == Direction::Forward;
        assert_eq!(planar, if forward { [0, 1] } else { [1, 0] });
    }
}

/// Bytes of local memory that the kernel declares.
fn local_bytes(pass: &Pass) -> usize {
    let number = |name| number(&pass.kernel, name);
    let samples = match pass.kernel.name {
        "row_pairs" | "row_exchanged" => {
            let pairs = number("TILE_PAIRS");
            2 * number("ROWS_Y") * (pairs + pairs.checked_div(number("PAD_EVERY")).unwrap_or(0))
        }
        "column_pairs" => 2 * number("COLUMNS") * number("WINDOW_PAIRS"),
        "column_exchanged" => number("COLUMNS") * (number("WINDOW_s") + number("WINDOW_d")),
        "transpose" => number("SIDE") * (number("SIDE") + 1),
        name => panic!("{name} is not known here"),
    };
    4 * samples
}

#[test]
fn every_pass_fits_small_devices() {
    for strategy in Strategy::each_pass() {
        for (most, local_memory) in [(1024, 48 << 10), (256, 4 << 10), (100, 2000), (7, 1 << 10)] {
            let device = DeviceInfo {
                max_work_group: most,
                local_memory,
                ..DeviceInfo::imaginary()
            };
            for pass in passes(device, "", strategy, Direction::Inverse) {
                let [x, y] = pass.kernel.group;
                let bytes = local_bytes(&pass) as u64;
                assert!(
                    x * y <= most && bytes <= local_memory,
                    "{strategy}: {pass:?}"
                );
                assert!((bytes..=local_memory).contains(&pass.cost.local_bytes));
            }
        }
    }
}

#[test]
fn a_row_pass_has_lines_of_tuning_of_its_own() {
    let tuned = "
        gpu | separable | f32 | ROWS_X=64
        gpu | separable:one_pair+four_pairs | f32 | ROWS_X=128 ROWS_Y=1
    ";
    let group = |rows: RowPass| {
        let passes = passes(DeviceInfo::imaginary(), tuned, rows, Direction::Forward);
        passes[0].kernel.group
    };
    assert_eq!(group(RowPass::OnePair), [128, 1]);
    assert_eq!(group(RowPass::Exchanged), [32, 8]);
}
