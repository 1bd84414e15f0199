//! A few small transforms that reach every kernel and every branch in it. `make oclgrind` runs them
//! in Oclgrind, which sees each access to memory: out of bounds, before it was written, or in a
//! race. Everywhere else they are one more test against the reference.
//!
//! Runs on the device that `WAVELIFT_DEVICE` names, else on all.

mod common;

use common::{RandomSample, devices, expected, plans_by, random_samples, wrong};
use half::f16;
use wavelift::{
    Boundary, Coefficients, Device, DeviceKind, DeviceSelector, Direction, Engine, Layout, Rounded,
    Strategy, Transform, Wavelet, reference,
};

fn chosen_devices() -> Vec<Device> {
    let chosen = match std::env::var_os("WAVELIFT_DEVICE") {
        Some(_) => vec![DeviceSelector::from_env().unwrap().pick().unwrap()],
        None => devices(),
    };
    for device in &chosen {
        println!("on {device}");
    }
    chosen
}

/// Runs a plan by each of the wanted strategies once, while nothing was written to its arrays yet.
fn check_on<T: RandomSample>(
    device: &Device,
    transform: &Transform,
    is_wanted: impl Fn(Strategy) -> bool,
) {
    check_tuned::<T>(device, "", transform, is_wanted);
}

fn check_tuned<T: RandomSample>(
    device: &Device,
    tuning: &str,
    transform: &Transform,
    is_wanted: impl Fn(Strategy) -> bool,
) {
    let wanted = Strategy::ALL.iter().copied().filter(|&one| is_wanted(one));
    check_by::<T>(device, tuning, transform, &wanted.collect::<Vec<_>>());
}

fn check_by<T: RandomSample>(
    device: &Device,
    tuning: &str,
    transform: &Transform,
    strategies: &[Strategy],
) {
    let samples = random_samples::<T>(transform.len(), 1);
    let coefficients = Coefficients::from_parts(transform, samples.clone()).unwrap();
    for direction in [Direction::Forward, Direction::Inverse] {
        let expected = expected(transform, direction, &samples).unwrap();
        // A new one, as Oclgrind takes what it knows of a freed array for that
        // of the next in its place.
        let engine = Engine::new(device).unwrap().with_tuning(tuning).unwrap();
        let plans = plans_by::<T>(&engine, transform, strategies.iter().copied());
        assert!(!plans.is_empty(), "no strategy takes {transform:?}");
        // All of them stay: what one frees another would get.
        for plan in &plans {
            let got = match direction {
                Direction::Forward => plan.forward(&samples).map(Coefficients::into_vec),
                Direction::Inverse => plan.inverse(&coefficients),
            };
            let (got, cost) = (got.unwrap(), plan.cost(direction));
            let wrong = wrong(transform, direction, cost, &got, &expected);
            assert!(wrong.is_none(), "{direction:?} {plan:?}: {wrong:?}");
        }
    }
}

fn is_in_vectors(strategy: Strategy) -> bool {
    let loops = [Strategy::SingleLoop, Strategy::ColourLoop];
    loops.contains(&strategy) || strategy == Strategy::Vectors
}

fn check<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu);
        check_on::<T>(&device, transform, |strategy| {
            let apart = [
                Strategy::Pyramid,
                Strategy::RegisterBlock,
                Strategy::RegisterRows,
            ];
            !is_in_vectors(strategy) && !apart.contains(&strategy)
        });
    }
}

/// In work-groups so small that a small array needs many, of several windows each; in kernels whose
/// work-items have to do with each other.
fn check_small_groups<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu).with_max_work_group(16);
        check_on::<T>(&device, transform, |strategy| {
            let others = [
                Strategy::Pyramid,
                Strategy::RegisterBlock,
                Strategy::RegisterRows,
                Strategy::Stepwise,
            ];
            !is_in_vectors(strategy) && !others.contains(&strategy)
        });
    }
}

fn check_streamed<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        check_on::<T>(&device, transform, |strategy| {
            strategy == Strategy::Streamed
        });
    }
}

/// In work-groups of two blocks.
fn check_blocks<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu).with_max_work_group(64);
        check_on::<T>(&device, transform, |strategy| {
            strategy == Strategy::RegisterBlock
        });
    }
}

/// In work-groups of a row each.
fn check_rows<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu).with_max_work_group(32);
        check_on::<T>(&device, transform, |strategy| {
            strategy == Strategy::RegisterRows
        });
    }
}

fn check_lines<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu).with_max_work_group(32);
        check_on::<T>(&device, transform, |strategy| {
            strategy == Strategy::RegisterLines
        });
    }
}

fn check_columns<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu);
        check_on::<T>(&device, transform, |strategy| {
            strategy == Strategy::RegisterColumns
        });
    }
}

fn check_colours<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        check_on::<T>(&device, transform, |strategy| {
            [Strategy::StreamedColours, Strategy::ColourLoop].contains(&strategy)
        });
    }
}

fn check_planes<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        check_on::<T>(&device, transform, |strategy| {
            strategy == Strategy::RegisterPlanes
        });
    }
}

fn check_volumes<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu).with_max_work_group(16);
        check_on::<T>(&device, transform, |strategy| {
            strategy == Strategy::StreamedVolumes
        });
    }
}

/// In several tiles, as devices of several compute units have them, and in one.
fn check_pyramids<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        for units in [1, 6] {
            let device = device.with_max_work_group(64).with_compute_units(units);
            check_on::<T>(&device, transform, |strategy| strategy == Strategy::Pyramid);
        }
    }
}

/// One level and several by windows, which take them in work-groups of this size at least.
fn check_windows<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Gpu).with_max_work_group(128);
        check_on::<T>(&device, transform, |strategy| strategy == Strategy::Pyramid);
        let engine = Engine::new(&device).unwrap();
        let plan = engine.plan_with::<T>(transform, Strategy::Pyramid).unwrap();
        let kernels = format!("{plan:?}");
        assert_eq!(kernels.matches("pyramid_windows").count(), 2, "{kernels}");
    }
}

fn check_vectors<T: RandomSample>(transform: &Transform) {
    for device in chosen_devices() {
        check_on::<T>(&device.with_kind(DeviceKind::Cpu), transform, |strategy| {
            is_in_vectors(strategy)
        });
    }
}

/// In place, cut into as many segments as there can be, and swept line by line.
fn check_in_place<T: RandomSample>(transform: &Transform) {
    let transform = transform.clone().layout(Layout::Interleaved);
    let samples = random_samples::<T>(transform.len(), 1);
    for device in chosen_devices() {
        let device = device.with_max_work_group(16);
        for units in [1, 1000] {
            for direction in [Direction::Forward, Direction::Inverse] {
                let engine = Engine::new(&device.with_compute_units(units)).unwrap();
                let plan = engine.plan_in_place::<T>(&transform).unwrap();
                let mut x = engine.upload(&samples).unwrap();
                let run = match direction {
                    Direction::Forward => plan.enqueue_forward(&mut x),
                    Direction::Inverse => plan.enqueue_inverse(&mut x),
                };
                run.unwrap().wait().unwrap();
                let expected = expected(&transform, direction, &samples).unwrap();
                let (got, cost) = (x.download().unwrap(), plan.cost(direction));
                let wrong = wrong(&transform, direction, cost, &got, &expected);
                assert!(wrong.is_none(), "{direction:?} {plan:?}: {wrong:?}");
            }
        }
    }
}

fn both_layouts(transform: Transform) -> [Transform; 2] {
    [Layout::Mallat, Layout::Interleaved].map(|layout| transform.clone().layout(layout))
}

#[test]
fn reals_in_both_layouts() {
    for picture in both_layouts(Transform::new(Wavelet::CDF_9_7, [33, 43]).levels(2)) {
        check::<f32>(&picture);
    }
}

/// Loaded and stored otherwise than floats, and all else as these.
#[test]
fn samples_that_are_rounded_when_stored() {
    fn by_all<T: RandomSample>() {
        for device in chosen_devices() {
            let picture = Transform::new(Wavelet::CDF_9_7, [18, 33]);
            check_on::<T>(&device.with_kind(DeviceKind::Gpu), &picture, |one| {
                !is_in_vectors(one)
            });
            let rows = Transform::new(Wavelet::CDF_9_7, [2, 40])
                .axes([1])
                .levels(2);
            check_on::<T>(&device, &rows, |one| one == Strategy::RegisterRows);
        }
    }
    by_all::<f16>();
    by_all::<Rounded>();
}

#[test]
fn rows_that_vectors_fit() {
    check::<f32>(&Transform::new(Wavelet::CDF_9_7, [32, 64]));
    check::<i16>(&Transform::new(Wavelet::CDF_5_3, [24, 64]));
}

#[test]
fn every_boundary_in_both_layouts() {
    for &boundary in Boundary::ALL {
        let picture = Transform::new(Wavelet::HAAR, [17, 22]).boundary(boundary);
        // Two levels are one launch of another kernel.
        for levels in [1, 2] {
            for picture in both_layouts(picture.clone().levels(levels)) {
                check::<f32>(&picture);
            }
        }
    }
}

#[test]
fn the_longest_reach() {
    for shape in [[71, 5], [5, 71]] {
        check::<i32>(&Transform::new(Wavelet::VC2_FIDELITY, shape));
    }
}

#[test]
fn periodic_steps_to_one_side() {
    check::<f32>(&Transform::new(Wavelet::DAUB_4, [30, 26]));
}

#[test]
fn volumes_and_batches() {
    check::<i16>(&Transform::new(Wavelet::CDF_5_3, [22, 5, 23]));
    let pictures = Transform::new(Wavelet::CDF_5_3, [2, 25, 23]).axes([1, 2]);
    check::<i16>(&pictures.clone().levels(2));
    check_streamed::<i16>(&pictures);
    let colours = Transform::new(Wavelet::CDF_5_3, [23, 25, 3]).axes([0, 1]);
    check::<i16>(&colours.levels(2));
}

#[test]
fn hardly_any_samples() {
    let vectors = [1, 2, 3].map(|n| vec![n]);
    let pictures = [[1, 1], [1, 9], [9, 1], [2, 3], [1, 40]].map(Vec::from);
    for shape in vectors.into_iter().chain(pictures) {
        check::<f32>(&Transform::new(Wavelet::CDF_9_7, shape).levels(3));
    }
}

#[test]
fn the_last_levels() {
    for picture in both_layouts(Transform::new(Wavelet::CDF_9_7, [24, 30]).levels(4)) {
        check_streamed::<f32>(&picture);
    }
    let pictures = Transform::new(Wavelet::VC2_DD_13_7, [2, 13, 21]).axes([1, 2]);
    for pictures in both_layouts(pictures.levels(3)) {
        check_streamed::<i16>(&pictures);
    }
    for shape in [[1, 40], [40, 1]] {
        check::<i32>(&Transform::new(Wavelet::CDF_5_3, shape).levels(4));
    }
    check_streamed::<i16>(&Transform::new(Wavelet::CDF_5_3, [134, 66]).levels(3));
}

#[test]
fn blocks_in_both_layouts() {
    for picture in both_layouts(Transform::new(Wavelet::CDF_9_7, [33, 61]).levels(2)) {
        check_blocks::<f32>(&picture);
    }
    let pictures = Transform::new(Wavelet::VC2_DD_13_7, [2, 13, 22]).axes([1, 2]);
    for pictures in both_layouts(pictures) {
        check_blocks::<i16>(&pictures);
    }
}

#[test]
fn blocks_beyond_every_border() {
    for &boundary in Boundary::ALL {
        let picture = Transform::new(Wavelet::CDF_5_3, [18, 64]).boundary(boundary);
        check_blocks::<i32>(&picture);
    }
    check_blocks::<i32>(&Transform::new(Wavelet::VC2_FIDELITY, [5, 7]).levels(3));
    check_blocks::<f32>(&Transform::new(Wavelet::HAAR, [17, 3]).boundary(Boundary::Zero));
}

#[test]
fn rows_in_both_layouts() {
    for rows in both_layouts(
        Transform::new(Wavelet::CDF_9_7, [3, 41])
            .axes([1])
            .levels(3),
    ) {
        check_rows::<f32>(&rows);
    }
    // In tiles, of which the last begins with another one's halo.
    check_rows::<i16>(&Transform::new(Wavelet::VC2_LEGALL_5_3, [601]).levels(2));
    check_rows::<i16>(&Transform::new(Wavelet::CDF_5_3, [2, 2]).axes([1]));
    // Side by side, whole and in tiles.
    for samples in [19, 75] {
        let columns = Transform::new(Wavelet::CDF_9_7, [samples, 11]).axes([0]);
        check_rows::<f32>(&columns.levels(2));
    }
}

/// Side by side in tiles, of which the last one reads what another one does, too.
#[test]
fn long_lines_in_registers() {
    let columns = Transform::new(Wavelet::CDF_9_7, [303, 55]).axes([0]);
    for columns in both_layouts(columns) {
        check_lines::<f32>(&columns);
    }
}

#[test]
fn rows_and_columns_beyond_every_border() {
    for boundary in Boundary::ALL {
        let rows = Transform::new(Wavelet::VC2_DD_13_7, [2, 300]).axes([1]);
        check_rows::<i32>(&rows.levels(2).boundary(*boundary));
        let columns = Transform::new(Wavelet::VC2_DD_13_7, [40, 6]).axes([0]);
        check_columns::<i32>(&columns.boundary(*boundary));
    }
    check_columns::<f32>(&Transform::new(Wavelet::CDF_9_7, [2, 33, 3]).axes([1]));
    check_columns::<f32>(
        &Transform::new(Wavelet::CDF_9_7, [34, 8])
            .axes([0])
            .levels(2),
    );
    // Step by step, whole and with both ends joined; columns with their ends apart.
    for samples in [27, 29, 301] {
        let periodic = |shape: [usize; 2], axis| {
            let lines = Transform::new(Wavelet::CDF_9_7, shape).axes([axis]);
            lines.boundary(Boundary::Periodic)
        };
        check_rows::<f32>(&periodic([3, samples], 1));
        check_columns::<f32>(&periodic([samples, 5], 0));
    }
    // A last tile of one sample, and rows of a few samples.
    check_rows::<i32>(&Transform::new(Wavelet::VC2_HAAR_0, [505]));
    let few = Transform::new(Wavelet::CDF_5_3, [4097, 3]).axes([1]);
    check_rows::<i32>(&few.levels(2));
}

/// By the kernels for GPUs and for CPUs, of every rule.
#[test]
fn colours() {
    let picture = |wavelet, shape: [usize; 3]| Transform::new(wavelet, shape).axes([0, 1]);
    for boundary in Boundary::ALL {
        let picture = picture(Wavelet::CDF_5_3, [12, 14, 3]).boundary(*boundary);
        check_colours::<i32>(&picture);
    }
    check_colours::<f32>(&picture(Wavelet::CDF_9_7, [9, 11, 2]).layout(Layout::Interleaved));
    check_colours::<i16>(&picture(Wavelet::VC2_DD_13_7, [7, 20, 4]).levels(2));
    // A vector is one pixel and a rest, of which a row has two: what is read
    // beside these stays in the row.
    check_colours::<i16>(&picture(Wavelet::CDF_5_3, [6, 4, 7]));
    check_planes::<f32>(&picture(Wavelet::CDF_9_7, [5, 18, 3]).levels(2));
    check_planes::<i32>(&picture(Wavelet::CDF_5_3, [4, 5, 33]));
    check_planes::<i16>(&picture(Wavelet::CDF_5_3, [7, 11, 2]).boundary(Boundary::Zero));
    // More than GPUs take.
    let many = picture(Wavelet::CDF_9_7, [7, 22, 9]);
    for device in chosen_devices() {
        let device = device.with_kind(DeviceKind::Cpu);
        check_on::<f32>(&device, &many, |strategy| strategy == Strategy::ColourLoop);
    }
}

/// In tiles that overlap and in one that has whole rows, closed ones, too; of integers in both
/// orders of the axes.
#[test]
fn volumes() {
    let periodic = |shape: [usize; 3]| {
        let volume = Transform::new(Wavelet::CDF_5_3, shape);
        volume.boundary(Boundary::Periodic)
    };
    check_volumes::<f32>(&periodic([4, 6, 32]));
    check_volumes::<f32>(&periodic([4, 6, 72]));
    check_volumes::<f32>(&Transform::new(Wavelet::CDF_9_7, [6, 5, 35]));
    check_volumes::<f32>(&Transform::new(Wavelet::CDF_5_3, [5, 6, 32]).levels(2));
    check_volumes::<f16>(&Transform::new(Wavelet::CDF_5_3, [5, 6, 32]));
    check_volumes::<i16>(&Transform::new(Wavelet::CDF_5_3, [5, 6, 32]));
    check_volumes::<i32>(&Transform::new(Wavelet::VC2_LEGALL_5_3, [3, 5, 19]));
}

#[test]
fn pyramids_in_both_layouts() {
    for picture in both_layouts(Transform::new(Wavelet::CDF_9_7, [33, 45]).levels(3)) {
        check_pyramids::<f32>(&picture);
    }
    let pictures = Transform::new(Wavelet::VC2_DD_13_7, [2, 24, 22]).axes([1, 2]);
    for pictures in both_layouts(pictures.levels(2)) {
        check_pyramids::<i16>(&pictures);
    }
}

#[test]
fn pyramids_in_windows() {
    check_windows::<f32>(&Transform::new(Wavelet::CDF_9_7, [17, 22]));
    check_windows::<f32>(&Transform::new(Wavelet::CDF_9_7, [21, 37]).levels(2));
    // So small that steps reach beyond the mirrored picture.
    let pictures = Transform::new(Wavelet::CDF_9_7, [2, 9, 6]).axes([1, 2]);
    check_windows::<f32>(&pictures.levels(2));
    // Of several tiles in both directions.
    check_windows::<i16>(&Transform::new(Wavelet::CDF_5_3, [12, 70]).levels(2));
    let pixels = Transform::new(Wavelet::CDF_9_7, [19, 26, 3]).axes([0, 1]);
    check_windows::<f32>(&pixels.levels(2));
    let closed = Transform::new(Wavelet::CDF_9_7, [10, 16]).boundary(Boundary::Periodic);
    check_windows::<f32>(&closed);
    let wrapped = Transform::new(Wavelet::CDF_5_3, [12, 76]).boundary(Boundary::Periodic);
    check_windows::<i16>(&wrapped.levels(2));
    check_windows::<f32>(&Transform::new(Wavelet::HAAR, [40, 72]).levels(3));
}

#[test]
fn pyramids_beyond_every_border() {
    for boundary in Boundary::ALL {
        let picture = Transform::new(Wavelet::CDF_5_3, [16, 32]).boundary(*boundary);
        check_pyramids::<i32>(&picture.levels(3));
    }
    check_pyramids::<i32>(&Transform::new(Wavelet::VC2_FIDELITY, [5, 7]).levels(2));
    check_pyramids::<f32>(&Transform::new(Wavelet::HAAR, [17, 3]).boundary(Boundary::Zero));
}

#[test]
fn many_groups_and_windows_of_reals() {
    // As wide as it takes for a work-group of several windows on a device of one compute unit.
    check_small_groups::<f32>(&Transform::new(Wavelet::CDF_9_7, [68, 130]));
}

#[test]
fn many_groups_and_windows_of_integers() {
    check_small_groups::<i16>(&Transform::new(Wavelet::VC2_DD_13_7, [45, 96]).levels(2));
}

#[test]
fn in_place() {
    for &boundary in Boundary::ALL {
        let picture = Transform::new(Wavelet::CDF_9_7, [19, 151]).boundary(boundary);
        check_in_place::<f32>(&picture);
    }
    check_in_place::<i16>(&Transform::new(Wavelet::VC2_DD_13_7, [2, 73, 3]).levels(2));
    check_in_place::<f32>(&Transform::new(Wavelet::DAUB_4, [150]).levels(2));
    check_in_place::<i32>(&Transform::new(Wavelet::VC2_FIDELITY, [201, 1]));
    check_in_place::<f32>(&Transform::new(Wavelet::HAAR, [2, 61]));
}

/// The passes of `separable` that are not its default ones; by programs that the tests of the
/// strategies build as well.
mod passes {
    use super::*;

    fn check<T: RandomSample>(most: usize, transform: &Transform) {
        let passes: Vec<Strategy> = Strategy::each_pass().skip(1).collect();
        for device in chosen_devices() {
            let device = device.with_kind(DeviceKind::Gpu).with_max_work_group(most);
            check_by::<T>(&device, "", transform, &passes);
        }
    }

    #[test]
    fn reals_in_both_layouts() {
        for picture in both_layouts(Transform::new(Wavelet::CDF_9_7, [31, 33])) {
            check::<f32>(256, &picture);
        }
    }

    #[test]
    fn integers_of_the_longest_reach() {
        for shape in [[72, 5], [5, 71]] {
            check::<i32>(256, &Transform::new(Wavelet::VC2_FIDELITY, shape));
        }
    }

    #[test]
    fn volumes_in_groups_of_7() {
        for shape in [[2, 45, 5], [2, 5, 44]] {
            check::<i32>(7, &Transform::new(Wavelet::VC2_DD_13_7, shape).levels(2));
        }
    }

    #[test]
    fn one_work_item_at_a_time() {
        check::<f32>(1, &Transform::new(Wavelet::DAUB_4, [30, 26]));
    }
}

/// Apart from the others: Oclgrind misjudges vectors joined from parts, and crashes on them, where
/// it looks for values that were never written.
mod vectors {
    use super::*;

    #[test]
    fn pixels() {
        check_pixels(&picture_of_pixels(), &[Strategy::SingleLoop]);
        check_pixels(&colours_of_pixels(), &[Strategy::ColourLoop]);
        // By rows in the caches, and by rows and columns.
        for shape in [[18, 40], [9, 300]] {
            let picture = Transform::new(Wavelet::CDF_5_3, shape);
            check_pixels(&picture, &[Strategy::Vectors]);
            check_pixels(&picture.axes([1]).levels(2), &[Strategy::Vectors]);
        }
    }

    #[test]
    fn every_boundary_in_both_layouts() {
        for &boundary in Boundary::ALL {
            let picture = Transform::new(Wavelet::CDF_9_7, [17, 42]).boundary(boundary);
            for picture in both_layouts(picture.levels(2)) {
                check_vectors::<f32>(&picture);
            }
        }
    }

    fn check_boxes<T: RandomSample>(transform: &Transform) {
        for device in chosen_devices() {
            // Of more compute units each would want a vector of boxes.
            let device = device.with_kind(DeviceKind::Cpu).with_compute_units(1);
            check_on::<T>(&device, transform, |one| one == Strategy::Vectors);
        }
    }

    #[test]
    fn boxes_whole_and_cut() {
        let small = Transform::new(Wavelet::CDF_9_7, [35, 4, 5]).axes([1, 2]);
        for pictures in both_layouts(small.levels(2)) {
            check_boxes::<f32>(&pictures);
        }
        let high = Transform::new(Wavelet::CDF_5_3, [5001, 3]);
        check_boxes::<i16>(&high.clone().levels(2));
        for boundary in [Boundary::Symmetric, Boundary::Periodic] {
            check_boxes::<i16>(&high.clone().axes([0]).levels(2).boundary(boundary));
        }
        check_boxes::<i32>(&Transform::new(Wavelet::VC2_DD_13_7, [37, 9, 3]).axes([1]));
    }

    /// Each in the registers of a work-item, or some in its vectors.
    #[test]
    fn many_short_lines_side_by_side() {
        let columns = Transform::new(Wavelet::CDF_9_7, [9, 4099]).axes([0]);
        for columns in both_layouts(columns.levels(2)) {
            check_boxes::<f32>(&columns);
            check_lines::<f32>(&columns);
        }
    }

    /// In strips, and with results past the caches, as wide pictures have them.
    fn check_strips<T: RandomSample>(strip: usize, transform: &Transform) {
        let sample = T::TYPE;
        let line = format!("cpu | single_loop | {sample} | VECTOR=8 CACHED=1 STRIP={strip}");
        for device in chosen_devices() {
            let device = device.with_kind(DeviceKind::Cpu);
            let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
            engine
                .plan_with::<T>(transform, Strategy::SingleLoop)
                .expect("local memory holds so narrow strips");
            check_tuned::<T>(&device, &line, transform, |strategy| {
                strategy == Strategy::SingleLoop
            });
        }
    }

    #[test]
    fn strips_of_every_kind() {
        for strip in [8, 32] {
            for width in [147, 160] {
                check_strips::<f32>(strip, &Transform::new(Wavelet::CDF_9_7, [20, width]));
                check_strips::<i16>(strip, &Transform::new(Wavelet::CDF_5_3, [20, width]));
            }
        }
        check_strips::<i16>(256, &Transform::new(Wavelet::CDF_5_3, [14, 511]));
        check_strips::<i32>(32, &Transform::new(Wavelet::VC2_FIDELITY, [20, 147]));
        let periodic =
            |wavelet, height| Transform::new(wavelet, [height, 159]).boundary(Boundary::Periodic);
        check_strips::<f32>(32, &periodic(Wavelet::CDF_9_7, 6));
        check_strips::<f32>(32, &periodic(Wavelet::CDF_9_7, 21));
        check_strips::<i16>(256, &periodic(Wavelet::CDF_5_3, 6));
        check_strips::<i16>(256, &periodic(Wavelet::CDF_5_3, 13));
    }

    #[test]
    fn several_strips_and_bands() {
        for shape in [[5, 700], [140, 70]] {
            check_vectors::<i32>(&Transform::new(Wavelet::VC2_FIDELITY, shape));
        }
        let pictures = Transform::new(Wavelet::CDF_5_3, [2, 135, 9]).axes([1, 2]);
        check_vectors::<i16>(&pictures);
    }

    #[test]
    fn rows_in_segments() {
        let of_rows = |shape| Transform::new(Wavelet::CDF_9_7, shape).axes([1]);
        for shape in [[1, 4099], [2, 4096]] {
            check_vectors::<f32>(&of_rows(shape));
            check_vectors::<f32>(&of_rows(shape).boundary(Boundary::Periodic));
        }
    }

    #[test]
    fn hardly_any_samples() {
        for shape in [[1, 1], [1, 9], [9, 1], [2, 3], [1, 40]] {
            check_vectors::<f32>(&Transform::new(Wavelet::DAUB_4, shape).levels(3));
            check_vectors::<i16>(&Transform::new(Wavelet::VC2_DD_13_7, shape).levels(3));
        }
    }

    #[test]
    fn volumes_and_batches() {
        let volume = Transform::new(Wavelet::CDF_5_3, [22, 5, 43]).levels(2);
        for volume in both_layouts(volume) {
            check_vectors::<i16>(&volume);
        }
        check_vectors::<f32>(&Transform::new(Wavelet::CDF_9_7, [23, 25, 3]).axes([0, 1]));
        check_vectors::<f32>(
            &Transform::new(Wavelet::DAUB_4, [90, 19]).boundary(Boundary::Periodic),
        );
        for rows in both_layouts(
            Transform::new(Wavelet::CDF_9_7, [11, 29])
                .axes([1])
                .levels(3),
        ) {
            check_vectors::<f32>(&rows);
        }
    }
}

#[test]
fn the_copy() {
    for device in chosen_devices() {
        let engine = Engine::new(&device).unwrap();
        for len in [1, 7, 8, 4099] {
            let samples = random_samples::<i16>(len, 2);
            let from = engine.upload(&samples).unwrap();
            let mut to = engine.zeros::<i16>(len).unwrap();
            engine.enqueue_copy(&from, &mut to).unwrap().wait().unwrap();
            assert_eq!(to.download().unwrap(), samples);
        }
    }
}

/// More pairs of rows are asked for ahead than there are.
#[test]
fn streams_that_look_far_ahead() {
    for device in chosen_devices() {
        let (name, streamed) = (&device.info().name, Strategy::Streamed);
        let line = format!("{name} | {streamed} | i16 | FILLING=1 PREFETCHED=4 wavelet=cdf53");
        for height in [4, 5, 6] {
            for &layout in Layout::ALL {
                let transform = Transform::new(Wavelet::CDF_5_3, [height, 16]).layout(layout);
                check_tuned::<i16>(&device, &line, &transform, |strategy| strategy == streamed);
            }
        }
    }
}

/// Pixels on the signal side, and where a pass converts them: by the programs of tests/pixels.rs,
/// which are compiled once.
fn check_pixels(transform: &Transform, strategies: &[Strategy]) {
    let pixels: Vec<u8> = (0..transform.len()).map(|i| (i * i % 256) as u8).collect();
    let samples: Vec<i16> = pixels.iter().map(|&v| i16::from(v) - 7).collect();
    let expected = reference::forward(transform, &samples).unwrap();
    for device in chosen_devices() {
        // All of them stay: what one frees another would get.
        let engine = Engine::new(&device).unwrap();
        let plan = |&by| engine.plan_from_with::<u8, i16>(transform, 7, by);
        let plans: Vec<_> = strategies.iter().map(|by| plan(by).unwrap()).collect();
        for plan in &plans {
            let coefficients = plan.forward(&pixels).unwrap();
            assert_eq!(coefficients.as_slice(), expected, "{plan:?}");
            assert_eq!(plan.inverse(&coefficients).unwrap(), pixels, "{plan:?}");
        }
    }
}

fn picture_of_pixels() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [22, 40]).levels(2)
}

fn colours_of_pixels() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [10, 16, 3]).axes([0, 1])
}

#[test]
fn pixels_on_gpus() {
    check_pixels(
        &picture_of_pixels(),
        &[
            Strategy::Streamed,
            Strategy::Pyramid,
            Strategy::RegisterBlock,
            Strategy::SEPARABLE,
        ],
    );
    let by = [Strategy::StreamedColours, Strategy::RegisterPlanes];
    check_pixels(&colours_of_pixels(), &by);
}
