//! How GPUs divide a picture: segments, blocks, tiles and levels in one launch.

use super::*;
use wavelift::Fence;

/// Low blocks and high ones, which the picture does not divide into.
#[test]
fn blocks_of_any_height() {
    for device in devices() {
        for rows in [8, 13, 28] {
            let (name, strategy) = (&device.info().name, Strategy::RegisterBlock);
            let line = |sample| format!("{name} | {strategy} | {sample} | BLOCK_ROWS={rows}\n");
            let engine = Engine::new(&device).unwrap();
            let lines = line("f32") + &line("i16");
            let engine = engine.with_tuning(&lines).unwrap();
            for shape in [[131, 257], [56, 120]] {
                check::<f32>(
                    &engine,
                    strategy,
                    &Transform::new(Wavelet::CDF_9_7, shape),
                    4,
                );
                check::<i16>(
                    &engine,
                    strategy,
                    &Transform::new(Wavelet::CDF_5_3, shape),
                    4,
                );
            }
        }
    }
}

/// Few and many segments, that sweep apart and towards each other, with rows loaded
/// long before they are needed.
#[test]
fn segments_that_meet() {
    fn check_sizes<T: RandomSample>(wavelet: Wavelet, all_sizes: &[&str], shapes: &[[usize; 2]]) {
        for device in devices() {
            for sizes in all_sizes {
                let (name, sample) = (&device.info().name, T::TYPE);
                let line = format!("{name} | streamed | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for &shape in shapes {
                    let transform = Transform::new(wavelet.clone(), shape);
                    check::<T>(&engine, Strategy::Streamed, &transform, 3);
                }
            }
        }
    }
    // Segments of a large picture are tuned; small ones have more.
    let sizes = [
        "FILLING=1 PREFETCHED=1",
        "FILLING=2 PREFETCHED=3",
        "FILLING=1 PREFETCHED=4 PAIRS=8",
        "FILLING=64",
    ];
    // Of 104 columns, whole work-items have 4 pairs, not 8.
    let shapes = [[5, 90], [8, 90], [63, 90], [130, 90], [131, 104], [302, 90]];
    check_sizes::<f32>(Wavelet::CDF_9_7, &sizes, &shapes);
    check_sizes::<i16>(Wavelet::VC2_DD_13_7, &sizes, &shapes);
    // Segments must not end so that the one before the last reads beyond the border.
    check_sizes::<i32>(
        Wavelet::VC2_FIDELITY,
        &["FILLING=64", "FILLING=1"],
        &[[129, 40], [130, 40], [301, 40]],
    );
}

/// Two levels in one launch, where sub-groups exchange: few and many segments, that sweep down and
/// up, of heights whose half and quarter are odd.
mod two_levels {
    use super::*;

    fn check_heights<T: RandomSample>(wavelet: Wavelet, layouts: &[Layout], all_sizes: &[&str]) {
        for device in devices() {
            let what = format!("two levels at once of {}", T::TYPE);
            let exchanges = |info: &DeviceInfo| info.exchange != Exchange::None;
            if !can_run(&what, &device, "two-levels", exchanges)
                || !computes(&what, &device, T::TYPE)
            {
                continue;
            }
            for sizes in all_sizes {
                let (name, sample) = (&device.info().name, T::TYPE);
                let line = format!("{name} | streamed | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                // The lowest pictures that can go two levels at once, and one that goes so twice.
                let heights = [29, 30, 38, 41, 63, 203].map(|height| ([2, height, 560], 3));
                let twice = [([2, 150, 576], 4), ([1, 151, 576], 4)];
                let shapes: Vec<_> = heights.into_iter().chain(twice).collect();
                for (layout, (shape, levels)) in layouts
                    .iter()
                    .flat_map(|&layout| shapes.iter().map(move |&shape| (layout, shape)))
                {
                    let transform = Transform::new(wavelet.clone(), shape)
                        .axes([1, 2])
                        .levels(levels)
                        .layout(layout);
                    let plan = engine.plan_with::<T>(&transform, Strategy::Streamed);
                    let plan = format!("{:?}", plan.unwrap());
                    assert!(plan.contains("streamed_two_levels"), "{plan}");
                    check::<T>(&engine, Strategy::Streamed, &transform, 5);
                }
            }
            ran(&what, &device);
        }
    }

    #[test]
    fn floats() {
        let sizes = [
            "TWO_FILLING=1",
            "TWO_FILLING=12",
            "TWO_FILLING=12 TWO_PREFETCHED=1",
            "TWO_FILLING=12 TWO_PREFETCHED=3",
        ];
        check_heights::<f32>(Wavelet::CDF_9_7, Layout::ALL, &sizes);
    }

    #[test]
    fn doubles() {
        check_heights::<f64>(Wavelet::CDF_5_3, &[Layout::Mallat], &["TWO_FILLING=12"]);
    }

    #[test]
    fn shorts_along_y_first() {
        check_heights::<i16>(Wavelet::CDF_5_3, Layout::ALL, &["TWO_FILLING=64"]);
    }

    #[test]
    fn integers_along_x_first() {
        check_heights::<i32>(Wavelet::VC2_DAUB_9_7, &[Layout::Mallat], &["TWO_FILLING=3"]);
    }
}

/// A work-group walks along its rows, tile after tile.
#[test]
fn rows_of_several_tiles() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Gpu);
        let name = &device.info().name;
        let line = format!("{name} | separable | f32 | ROWS_X=4 ROWS_Y=2 wavelet=cdf97");
        let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
        for width in [64, 67, 1029] {
            let transform = Transform::new(Wavelet::CDF_9_7, [300, width]);
            for &layout in Layout::ALL {
                check::<f32>(
                    &engine,
                    Strategy::SEPARABLE,
                    &transform.clone().layout(layout),
                    9,
                );
            }
        }
    }
}

/// One level and several in one launch by windows, which only GPUs prefer: pictures down to single
/// pairs, of one tile and of many.
fn windows<T: RandomSample>(wavelet: Wavelet) {
    let what = format!("windows of {}", T::TYPE);
    for device in devices() {
        let has_groups = |info: &DeviceInfo| info.max_work_group >= 256;
        if !can_run(&what, &device, "work-groups-of-256", has_groups) {
            continue;
        }
        let engine = Engine::new(&device.with_kind(DeviceKind::Gpu)).unwrap();
        for (seed, (shape, y, levels)) in [
            (&[2, 3][..], 0, 1),
            (&[5, 7], 0, 2),
            (&[3, 17, 64], 1, 2),
            (&[3, 19, 62], 1, 1),
            (&[131, 66], 0, 1),
            (&[131, 66], 0, 2),
            (&[61, 127], 0, 4),
            (&[66, 70], 0, 7),
            // Of pixels.
            (&[29, 41, 3], 0, 1),
            (&[37, 44, 3], 0, 3),
            (&[2, 130, 67, 2], 1, 2),
        ]
        .into_iter()
        .enumerate()
        {
            // Forward there are windows of steps that read two neighbours alone.
            let is_far = wavelet == Wavelet::VC2_DD_13_7;
            if is_far && y + 2 < shape.len() {
                continue;
            }
            let axes = [y, y + 1];
            let transform = Transform::new(wavelet.clone(), shape)
                .axes(axes)
                .boundary(Boundary::Symmetric)
                .levels(levels);
            check::<T>(&engine, Strategy::Pyramid, &transform, seed as u64);
            let plan = engine
                .plan_with::<T>(&transform, Strategy::Pyramid)
                .unwrap();
            let kernels = format!("{plan:?}");
            assert!(kernels.contains("pyramid_windows"), "{kernels}");
            let goes_on = kernels.contains("Temp");
            let is_cpu = device.info().kind == DeviceKind::Cpu;
            let has_fence = device.info().atomics != Fence::None;
            let may = is_cpu && has_fence && wavelet != Wavelet::VC2_DD_13_7;
            assert!(goes_on || !may || shape != [66, 70], "{kernels}");
        }
        ran(&what, &device);
    }
}

/// A picture that repeats, of which on CPUs the last work-group of a launch goes on alone after one
/// level.
const GOES_ON: [usize; 2] = [96, 128];

/// The same of pictures that repeat, whole or in tiles, and of pictures of any even size where no step
/// reads beyond its pair.
fn windows_without_mirrors<T: RandomSample>(wavelet: Wavelet, shapes: &[(&[usize], u32)]) {
    let what = format!("windows of {} without mirrors", T::TYPE);
    for device in devices() {
        let has_groups = |info: &DeviceInfo| info.max_work_group >= 256;
        if !can_run(&what, &device, "work-groups-of-256", has_groups) {
            continue;
        }
        let engine = Engine::new(&device.with_kind(DeviceKind::Gpu)).unwrap();
        for (seed, &(shape, levels)) in shapes.iter().enumerate() {
            let y = shape.len() / 4;
            let transform = Transform::new(wavelet.clone(), shape)
                .axes([y, y + 1])
                .boundary(Boundary::Periodic)
                .levels(levels);
            check::<T>(&engine, Strategy::Pyramid, &transform, seed as u64);
            let plan = engine.plan_with::<T>(&transform, Strategy::Pyramid);
            let kernels = format!("{:?}", plan.unwrap());
            assert_eq!(
                kernels.matches(" x pyramid_windows ").count(),
                2,
                "{kernels}"
            );
        }
        ran(&what, &device);
    }
}

mod windows {
    use super::*;
    /// Down to single pairs, which steps go around several times.
    #[test]
    fn closed_floats() {
        let shapes: &[(&[usize], u32)] = &[
            (&[2, 4], 1),
            (&[6, 4], 1),
            (&[6, 32], 1),
            (&[64, 64], 5),
            (&[16, 8, 3], 2),
            (&[3, 50, 32, 1], 1),
        ];
        windows_without_mirrors::<f32>(Wavelet::CDF_9_7, shapes);
    }
    #[test]
    fn closed_floats_by_steps_to_one_side() {
        windows_without_mirrors::<f32>(Wavelet::DAUB_4, &[(&[36, 32], 2), (&[16, 16], 4)]);
    }
    #[test]
    fn closed_integers_with_a_pre_shift() {
        windows_without_mirrors::<i32>(Wavelet::VC2_DD_13_7, &[(&[24, 64], 3), (&[8, 4], 2)]);
    }
    #[test]
    fn closed_shorts() {
        windows_without_mirrors::<i16>(Wavelet::CDF_5_3, &[(&[24, 16], 2)]);
    }
    /// Of an axis that is shorter than its halo, and of rows that end within a vector.
    #[test]
    fn wrapped_floats() {
        let shapes: &[(&[usize], u32)] = &[
            (&[4, 70], 1),
            (&[68, 8], 2),
            (&[132, 100], 2),
            (&GOES_ON, 4),
            (&[80, 4, 5], 1),
            (&[2, 18, 66, 3], 1),
        ];
        windows_without_mirrors::<f32>(Wavelet::CDF_9_7, shapes);
    }
    #[test]
    fn wrapped_floats_by_steps_to_one_side() {
        windows_without_mirrors::<f32>(Wavelet::DAUB_4, &[(&[72, 68], 2), (&[98, 14], 1)]);
    }
    /// Of two taps on one side: a wrong approximation makes more pairs of the next level wrong.
    #[test]
    fn wrapped_integers_by_steps_to_one_side() {
        let steps = [
            IntegerStep::add(Channel::Approximation, 0, &[1, 2], 1, 2),
            IntegerStep::subtract(Channel::Detail, -1, &[1, 1], 1, 1),
        ];
        let own = Wavelet::integer("one-sided", &steps, 0).unwrap();
        windows_without_mirrors::<i32>(own, &[(&[68, 72], 2), (&[24, 136], 3)]);
    }
    #[test]
    fn wrapped_integers_with_a_pre_shift() {
        windows_without_mirrors::<i32>(Wavelet::VC2_DD_13_7, &[(&[70, 4], 1), (&[20, 86], 1)]);
    }
    #[test]
    fn wrapped_shorts() {
        windows_without_mirrors::<i16>(Wavelet::CDF_5_3, &[(&[24, 144], 3), (&[8, 120], 2)]);
    }
    #[test]
    fn floats_within_a_pair() {
        let shapes: &[(&[usize], u32)] = &[(&[2, 6], 1), (&[264, 312], 3), (&[48, 40, 3], 2)];
        windows_without_mirrors::<f32>(Wavelet::HAAR, shapes);
    }
    #[test]
    fn shorts_within_a_pair_with_a_pre_shift() {
        windows_without_mirrors::<i16>(Wavelet::VC2_HAAR_1, &[(&[136, 68], 2)]);
    }
    #[test]
    fn floats() {
        windows::<f32>(Wavelet::CDF_9_7)
    }
    #[test]
    fn shorts() {
        windows::<i16>(Wavelet::CDF_5_3)
    }
    #[test]
    fn integers_with_a_pre_shift() {
        windows::<i32>(Wavelet::VC2_DD_13_7)
    }
    /// Of two neighbours, which the forward transform takes as well.
    #[test]
    fn shorts_with_a_pre_shift() {
        windows::<i16>(Wavelet::VC2_LEGALL_5_3)
    }
}

/// Each on one type of samples: all of them meet every kernel in the matrices.
mod coarse_levels {
    use super::*;

    fn check<T: RandomSample>(wavelet: Wavelet) {
        let transforms = coarse(wavelet);
        for device in devices() {
            check_all::<T>(&device.with_kind(DeviceKind::Gpu), By::Auto, &transforms);
        }
    }

    #[test]
    fn reals() {
        check::<f32>(Wavelet::CDF_9_7);
    }

    #[test]
    fn integers_along_y_first() {
        check::<i32>(Wavelet::CDF_5_3);
    }

    #[test]
    fn integers_along_x_first_with_a_pre_shift() {
        check::<i16>(Wavelet::VC2_DD_13_7);
    }

    #[test]
    fn steps_to_one_side() {
        check::<f64>(Wavelet::DAUB_4);
    }
}

#[test]
fn a_real_picture_size() {
    for device in devices() {
        for &strategy in Strategy::ALL {
            let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(5);
            check_all::<f32>(&device, strategy, &[transform]);
            let transform = Transform::new(Wavelet::VC2_DD_13_7, [1080, 1920]).levels(5);
            check_all::<i16>(&device, strategy, &[transform]);
        }
    }
}
