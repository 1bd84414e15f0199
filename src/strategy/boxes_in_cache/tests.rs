//! Which rows, columns and pictures go as boxes on CPUs, and how they are cut.

use crate::device::DeviceInfo;
use crate::strategy::planning::design::{Launch, Pass};
use crate::strategy::tests::cases::{Setting, cpu, problem};
use crate::strategy::tests::host::own;
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

fn launches(device: DeviceInfo, transform: &Transform) -> Vec<Launch> {
    let problem = problem(transform, SampleType::F32, Direction::Forward);
    Setting::of(device).design(&problem).unwrap().launches
}

fn pass(device: DeviceInfo, wavelet: Wavelet, shape: &[usize], axis: usize) -> Pass {
    let transform = Transform::new(wavelet, shape).axes([axis]);
    launches(device, &transform).swap_remove(0).pass
}

#[test]
fn short_rows_are_lifted_in_the_caches_level_by_level() {
    let passes = |device: DeviceInfo, shape: [usize; 2], levels| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape).axes([1]);
        let transform = transform.levels(levels);
        let name = |launch: &Launch| launch.pass.kernel.name;
        launches(device, &transform)
            .iter()
            .map(name)
            .collect::<Vec<_>>()
    };
    assert_eq!(passes(cpu(), [100, 250], 5), ["boxes_in_cache"]);
    assert_eq!(passes(cpu(), [100, 60], 1), ["boxes_in_cache"]);
    // Long rows go by passes until they are short; rows too few for a vector go so throughout.
    let long = ["row_vectors", "row_vectors", "boxes_in_cache"];
    assert_eq!(passes(cpu(), [100, 1000], 5), long);
    assert_eq!(passes(cpu(), [100, 70], 1), ["row_vectors"]);
    assert_eq!(passes(cpu(), [3, 60], 2), ["row_vectors"; 2]);
    let transform = Transform::new(Wavelet::CDF_9_7, [100, 2000])
        .axes([1])
        .levels(5);
    // Those whose borders are lifted apart are longer before they do.
    let apart = launches(cpu(), &transform.clone().boundary(Boundary::Zero));
    assert_eq!(apart.len(), 3);
    let interleaved = launches(cpu(), &transform.layout(Layout::Interleaved));
    assert_eq!((interleaved.len(), own(&interleaved[0], "levels")), (1, 5));
    let little = DeviceInfo {
        local_memory: 10 << 10,
        ..cpu()
    };
    assert_eq!(
        passes(little, [100, 200], 3),
        ["row_vectors", "boxes_in_cache"]
    );
}

#[test]
fn lines_with_few_neighbours_are_lifted_in_the_caches() {
    let name = |shape: &[usize], axis| pass(cpu(), Wavelet::CDF_9_7, shape, axis).kernel.name;
    assert_eq!(name(&[20, 500, 3], 1), "boxes_in_cache");
    assert_eq!(name(&[20, 500, 16], 1), "column_vectors");
    // Or that are short.
    assert_eq!(name(&[100, 16, 32], 1), "boxes_in_cache");
    assert_eq!(name(&[80, 16, 48], 1), "column_vectors");
    assert_eq!(name(&[100, 64, 32], 1), "column_vectors");
    // Many stay in registers.
    assert_eq!(name(&[100, 16, 48], 1), "short_columns");
    // In tiles, several levels at once, which start with pairs of the last one
    // and end as the lines do.
    assert_eq!(name(&[20, 4100, 3], 1), "boxes_in_cache");
    let high = |boundary| {
        let transform = Transform::new(Wavelet::CDF_9_7, [60_005, 7]).axes([0]);
        let cut = launches(cpu(), &transform.levels(3).boundary(boundary));
        ["levels", "rows", "halo"].map(|name| own(&cut[0], name))
    };
    let [levels, rows, halo] = high(Boundary::Symmetric);
    assert_eq!((levels, rows % 8, halo), (3, 60_005 % 8, 32));
    assert_eq!(high(Boundary::Periodic)[0], 1);
    // As many levels as tiles have room for, whatever local memory holds. Haar's have no halo.
    let roomy = DeviceInfo {
        local_memory: 1 << 20,
        ..cpu()
    };
    let high = Transform::new(Wavelet::HAAR, [81_920, 5]).axes([0]);
    let cut = launches(roomy, &high.levels(11));
    let [levels, rows] = ["levels", "rows"].map(|name| own(&cut[0], name));
    assert_eq!((levels, rows), (10, 1024));
    // In tiles for both compute units, unless those are mostly halo.
    assert_eq!(name(&[640, 3], 0), "boxes_in_cache");
    assert_eq!(name(&[320, 3], 0), "column_vectors");
}

#[test]
fn narrow_pictures_are_boxes_and_what_is_high_is_cut() {
    let launch = |shape: &[usize], axes: [usize; 2], levels, boundary| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape).axes(axes);
        let transform = transform.levels(levels).boundary(boundary);
        launches(cpu(), &transform).swap_remove(0)
    };
    let sizes = |launch: &Launch| ["levels", "rows", "tiles"].map(|name| own(launch, name));
    let small = launch(&[4000, 8, 8], [1, 2], 3, Boundary::Symmetric);
    assert_eq!(sizes(&small), [3, 8, 1]);
    // 1024 places are 146 rows, of which 8 are halo. The height is odd, so that one more is.
    let high = launch(&[30_001, 7], [0, 1], 2, Boundary::Symmetric);
    assert_eq!(sizes(&high), [1, 145, 221]);
    assert_eq!(own(&high, "halo"), 4);
    // Tiles for both compute units are shorter, two vectors of them.
    let [levels, rows, tiles] = sizes(&launch(&[2000, 7], [0, 1], 2, Boundary::Symmetric));
    assert_eq!((levels, rows, tiles), (1, 72, 32));
    // Periodic ones axis by axis, and the ends of columns apart.
    let transform = Transform::new(Wavelet::CDF_9_7, [30_001, 7]).boundary(Boundary::Periodic);
    let around = launches(cpu(), &transform);
    let names: Vec<_> = around.iter().map(|one| one.pass.kernel.name).collect();
    assert_eq!(names, ["boxes_in_cache", "line_ends", "boxes_in_cache"]);
    let lifted = [0, 2].map(|i| ["lifts_y", "lifts_x"].map(|name| own(&around[i], name)));
    assert_eq!(lifted, [[1, 0], [0, 1]]);
    // Of pictures that are side by side, but not in rows, only what is whole.
    let across = |shape: &[usize]| launch(shape, [0, 2], 2, Boundary::Symmetric);
    let whole = across(&[32, 5, 32, 32]);
    assert_eq!(sizes(&whole), [2, 32, 1]);
    for (column, name) in [
        ([32, 5, 32, 40], "short_columns"),
        ([300, 5, 32, 48], "column_vectors"),
        ([20, 5, 129, 32], "short_columns"),
    ] {
        assert_eq!(across(&column).pass.kernel.name, name);
    }
    // Of what `single_loop` leaves, pictures that local memory holds.
    let zeros = |shape: &[usize]| launch(shape, [1, 2], 1, Boundary::Zero).pass.kernel.name;
    assert_eq!(zeros(&[100, 40, 70]), "boxes_in_cache");
    assert_ne!(zeros(&[100, 128, 70]), "boxes_in_cache");
    assert_eq!(zeros(&[100, 128, 96]), "single_loop");
}
