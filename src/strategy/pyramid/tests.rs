//! Which levels, tiles and local memory `pyramid` takes on which devices.

use super::sizes::{Extent, GROUP, extents};
use super::*;
use crate::device::Exchange;
use crate::strategy::Strategy;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{BOTH, Setting, cpu, gpu, large_gpu, problem, small_gpu};
use crate::strategy::tests::host::{levels_of, number};
use crate::transform::Transform;
use crate::wavelet::{Boundary, SampleType, Wavelet};

/// What `pyramid` alone launches for a transform, here and in the tests of its windows.
pub(super) fn launches(
    device: DeviceInfo,
    transform: &Transform,
    sample: SampleType,
    direction: Direction,
) -> Vec<Launch> {
    let setting = Setting::of(device).only(&[Strategy::Pyramid]);
    let design = setting.design(&problem(transform, sample, direction));
    design.unwrap().launches
}

/// How many levels each launch takes, finest first.
fn levels(device: DeviceInfo, transform: &Transform, direction: Direction) -> Vec<i32> {
    let mut launches = launches(device, transform, SampleType::F32, direction);
    if direction == Direction::Inverse {
        launches.reverse();
    }
    launches.iter().map(levels_of).collect()
}

#[test]
fn small_pictures_are_one_launch() {
    let of = |side: usize| {
        let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).levels(5);
        BOTH.map(|direction| levels(large_gpu(), &transform, direction))
    };
    assert_eq!(of(64), [vec![5], vec![5]]);
    assert_eq!(of(256), [vec![5], vec![5]]);
    assert_eq!(of(1024), [vec![5], vec![5]]);
    // Haar has no halo.
    let haar = Transform::new(Wavelet::HAAR, [768, 768]).levels(4);
    assert_eq!(levels(large_gpu(), &haar, Direction::Forward), [4]);
}

#[test]
fn small_pictures_are_shared_out_in_one_wave() {
    let groups = |side: usize| {
        let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).levels(5);
        let all = launches(large_gpu(), &transform, SampleType::F32, Direction::Inverse);
        all[0].pass.groups
    };
    for side in [128, 256] {
        let groups = groups(side);
        assert!((32..=132).contains(&groups), "{side}: {groups}");
    }
}

#[test]
fn levels_that_go_on_in_another_way_are_another_launch() {
    let of = |wavelet, boundary, shape: [usize; 2]| {
        let transform = Transform::new(wavelet, shape).boundary(boundary).levels(3);
        levels(large_gpu(), &transform, Direction::Inverse)
    };
    assert_eq!(of(Wavelet::CDF_9_7, Boundary::Zero, [44, 50]), [3]);
    assert_eq!(of(Wavelet::CDF_9_7, Boundary::Periodic, [48, 40]), [3]);
    // No step reads beyond the border of an even number of samples; 25 of them go on by zeros.
    assert_eq!(of(Wavelet::HAAR, Boundary::Zero, [48, 50]), [1, 2]);
}

#[test]
fn it_is_preferred_for_small_pictures_on_gpus() {
    let is_preferred = |device: &DeviceInfo, shape: [usize; 2]| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape).levels(5);
        let problem = problem(&transform, SampleType::F32, Direction::Inverse);
        let design = Setting::of(device.clone()).design(&problem).unwrap();
        let all = design.launches.iter();
        all.filter(|one| one.strategy == Strategy::Pyramid).count()
    };
    assert_eq!(is_preferred(&large_gpu(), [1024, 1024]), 1);
    assert_eq!(is_preferred(&large_gpu(), [4096, 4096]), 1);
    assert_eq!(is_preferred(&large_gpu(), [8192, 8192]), 1);
    assert_eq!(is_preferred(&gpu(Exchange::None, 1), [512, 512]), 1);
    assert_eq!(is_preferred(&large_gpu(), [1, 1024]), 0);
    assert_eq!(is_preferred(&cpu(), [64, 64]), 0);
}

#[test]
fn it_is_preferred_for_single_levels_where_the_halo_is_long() {
    let first = |wavelet: Wavelet, side: usize| {
        let transform = Transform::new(wavelet, [side, side]).levels(3);
        BOTH.map(|direction| {
            let problem = problem(&transform, SampleType::I16, direction);
            let design = Setting::of(large_gpu()).design(&problem).unwrap();
            let mut launches = design.launches;
            if direction == Direction::Inverse {
                launches.reverse();
            }
            launches[0].strategy
        })
    };
    assert_eq!(first(Wavelet::VC2_FIDELITY, 1024), [Strategy::Pyramid; 2]);
    assert_eq!(first(Wavelet::VC2_FIDELITY, 4096), [Strategy::Streamed; 2]);
    let forward_is_not = [Strategy::Streamed, Strategy::Pyramid];
    assert_eq!(first(Wavelet::VC2_DD_13_7, 1024), forward_is_not);
}

/// What the kernel has of a level along an axis: `extent_of` in cl/pyramid/extent.cl.
#[test]
fn it_is_preferred_for_narrow_pictures_and_other_passes_for_tiny_ones() {
    let kernels_with = |layout, shape: &[usize], axes: [usize; 2], levels| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape)
            .axes(axes)
            .levels(levels)
            .layout(layout);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let design = Setting::of(large_gpu()).design(&problem).unwrap();
        assert_eq!(design.advice, None, "{shape:?}");
        let names = design.launches.iter().map(|one| one.pass.kernel.name);
        names.collect::<Vec<_>>()
    };
    let kernels_of =
        |shape: &[usize], axes, levels| kernels_with(Layout::Mallat, shape, axes, levels);
    let kernels = |shape: &[usize], axes| kernels_of(shape, axes, 1);
    for (shape, axes) in [(&[262144, 16][..], [0, 1]), (&[4096, 32, 32], [1, 2])] {
        assert_eq!(kernels(shape, axes), ["pyramid_windows"]);
        let others = kernels_with(Layout::Interleaved, shape, axes, 1);
        assert_eq!(others, ["pyramid"]);
    }
    assert_eq!(kernels(&[65536, 8, 8], [1, 2]), ["whole_boxes"]);
    assert_eq!(kernels_of(&[65536, 8, 8], [1, 2], 3), ["whole_boxes"]);
    assert_eq!(kernels(&[3, 1398101], [0, 1]), ["register_block"]);
    assert_eq!(kernels(&[7, 599186], [0, 1]), ["register_block"]);
    let left = ["register_block", "register_rows"];
    assert_eq!(kernels_of(&[3, 1398101], [0, 1], 3)[1..], left);
    // One launch where there is little to do.
    assert_eq!(kernels(&[16, 9, 9], [1, 2]), ["register_block"]);
    assert_eq!(kernels(&[16, 262144], [0, 1]), ["register_block"]);
    assert_eq!(kernels(&[4, 2048, 2048], [1, 2]), ["streamed_one_level"]);
    // One level of what is no wider than a window.
    assert_eq!(kernels(&[16384, 64, 64], [1, 2]), ["pyramid_windows"]);
    assert_eq!(kernels(&[4096, 128, 128], [1, 2]), ["pyramid_windows"]);
    assert_eq!(kernels(&[132, 64, 64], [1, 2]), ["pyramid_windows"]);
    assert_eq!(kernels(&[64, 64, 64], [1, 2]), ["register_block"]);
    assert_eq!(kernels(&[1024, 1024], [0, 1]), ["register_block"]);
    assert_eq!(kernels(&[512, 256, 256], [1, 2]), ["streamed_one_level"]);
}

#[test]
fn it_is_preferred_for_shorts_in_rows_that_are_no_vectors() {
    let kernel = |sample, shape: [usize; 2]| {
        let transform = Transform::new(Wavelet::CDF_5_3, shape);
        let problem = problem(&transform, sample, Direction::Forward);
        let design = Setting::of(large_gpu()).design(&problem).unwrap();
        design.launches[0].pass.kernel.name
    };
    let shorts = |shape| kernel(SampleType::I16, shape);
    assert_eq!(shorts([2048, 1500]), "pyramid_windows");
    assert_eq!(shorts([2047, 2049]), "pyramid_windows");
    assert_eq!(shorts([2048, 2048]), "streamed_one_level");
    assert_eq!(shorts([4095, 4095]), "register_block");
    let floats = kernel(SampleType::F32, [2047, 2049]);
    assert_eq!(floats, "register_block");
}

#[test]
fn it_is_preferred_for_narrow_pictures_backwards_too() {
    for shape in [[262144, 16], [262144, 32], [599186, 7], [1000000, 8]] {
        for levels in 1..4 {
            let transform = Transform::new(Wavelet::CDF_9_7, shape).levels(levels);
            let problem = problem(&transform, SampleType::F32, Direction::Inverse);
            let design = Setting::of(large_gpu()).design(&problem).unwrap();
            let finest = design.launches.last().unwrap();
            let name = finest.pass.kernel.name;
            assert!(name.starts_with("pyramid"), "{shape:?} {levels}: {name}");
        }
    }
}

fn has(sizes: &Sizes, axis: usize, level: usize, number: usize) -> Extent {
    let (finest, levels) = (sizes.shape[axis] as i64, sizes.levels);
    let [before, after] = [sizes.reach.before, sizes.reach.after].map(|n| n as i64);
    let tile = sizes.tile[axis] as i64;
    let begin = number as i64 * tile;
    let (mut lo, mut hi) = if sizes.forward {
        let finer = levels - 1 - level;
        let end = (begin + tile).min((finest + (1 << levels) - 1) >> levels);
        let around = (2 << finer) - 2;
        (
            (begin << finer) - around * before,
            (end << finer) + around * after,
        )
    } else {
        let end = (begin + tile).min((finest + 1) / 2);
        let around = (1 << level) - 1;
        (
            (begin - around * before) >> level,
            (end + around * (after + 1)) >> level,
        )
    };
    if !sizes.periodic[axis] {
        let samples = (finest + (1 << level) - 1) >> level;
        (lo, hi) = (lo.max(0), hi.min((samples + 1) / 2));
    }
    let run = RUN as i64;
    let first = if axis == 1 {
        lo.div_euclid(run) * run
    } else {
        lo
    };
    let lifted = 2 * ((hi - first) as usize).next_multiple_of(RUN);
    Extent {
        loaded: (2 * (hi + after - lo + before)) as usize,
        read: (2 * (hi + after - first + before + run)) as usize,
        lifted,
        kept: if sizes.forward { lifted / 2 } else { lifted },
    }
}

#[test]
fn no_tile_has_more_than_its_share_of_local_memory() {
    let reals = [
        Wavelet::CDF_9_7,
        Wavelet::HAAR,
        Wavelet::DAUB_4,
        Wavelet::CDF_5_3,
    ];
    for (wavelet, shape) in reals
        .into_iter()
        .zip([[300, 77], [31, 1000], [96, 64], [9, 7]])
    {
        for (boundary, direction) in [Boundary::Zero, Boundary::Periodic]
            .into_iter()
            .flat_map(|boundary| BOTH.map(|direction| (boundary, direction)))
        {
            let transform = Transform::new(wavelet.clone(), shape)
                .boundary(boundary)
                .levels(3);
            let problem = problem(&transform, SampleType::F64, direction);
            let local_memory = 8 << 10;
            let device = DeviceInfo {
                local_memory,
                ..small_gpu()
            };
            let setting = Setting::of(device);
            let target = crate::strategy::Target {
                device: &setting.device,
                tuning: &setting.tuning,
                limits: &[],
                ways: &[],
            };
            let all = transform.active_levels();
            let todo = Todo {
                problem: &problem,
                target: &target,
                levels: &all,
                done: 0,
                converted: false,
            };
            let Ok(borders) = borders(&todo, [0, 1]) else {
                continue;
            };
            let sizes = Sizes::new(&todo, [0, 1], borders).unwrap();
            assert!(sizes.local.bytes(SampleType::F64) as u64 <= local_memory);
            for axis in [0, 1] {
                let bounds = extents(&sizes, axis, sizes.levels, sizes.tile[axis]);
                for (level, most) in bounds.iter().enumerate() {
                    for number in 0..sizes.tiles()[axis] {
                        let has = has(&sizes, axis, level, number);
                        assert!(has.loaded <= most.loaded && has.lifted <= most.lifted);
                        assert!(has.kept <= most.kept && has.read <= most.read);
                    }
                }
            }
        }
    }
}

#[test]
fn work_groups_are_as_large_as_the_device_allows() {
    let group = |most| {
        let device = DeviceInfo {
            max_work_group: most,
            ..DeviceInfo::imaginary()
        };
        let transform = Transform::new(Wavelet::CDF_9_7, [64, 64]).layout(Layout::Interleaved);
        let all = launches(device, &transform, SampleType::F32, Direction::Forward);
        number(&all[0].pass.kernel, "GROUP")
    };
    assert_eq!([group(1024), group(100), group(1)], [GROUP, 100, 1]);
}

#[test]
fn small_pictures_of_pixels_go_by_windows() {
    let names = |shape: &[usize], levels| {
        let axes = [shape.len() - 3, shape.len() - 2];
        let transform = Transform::new(Wavelet::CDF_9_7, shape).axes(axes);
        BOTH.map(|direction| {
            let problem = problem(
                &transform.clone().levels(levels),
                SampleType::F32,
                direction,
            );
            let design = Setting::of(large_gpu()).design(&problem).unwrap();
            let mut names = design.launches.iter().map(|one| one.pass.kernel.name);
            let first = names.next().unwrap();
            assert!(
                names
                    .clone()
                    .all(|name| name.contains("colours") || name.contains("windows"))
            );
            (first, names.len() + 1)
        })
    };
    let windows = |launches| ("pyramid_windows", launches);
    assert_eq!(names(&[64, 64, 3], 5), [windows(1); 2]);
    assert_eq!(names(&[512, 512, 3], 5), [windows(2), windows(1)]);
    // The first level is another strategy's, as are single ones and those of many pictures.
    assert_eq!(names(&[1024, 1024, 3], 5)[0], ("streamed_colours", 3));
    assert_eq!(names(&[64, 64, 3], 1), [("streamed_colours", 1); 2]);
    assert_eq!(names(&[4096, 64, 64, 3], 2)[0].0, "streamed_colours");
}

#[test]
fn coarse_levels_of_planes_side_by_side_go_by_windows() {
    let kernels = |shape: [usize; 3], levels, direction| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape).axes([0, 1]);
        let problem = problem(&transform.levels(levels), SampleType::F32, direction);
        let design = Setting::of(large_gpu()).design(&problem).unwrap();
        let kernels = design.launches.iter().map(|one| one.pass.kernel.name);
        kernels.collect::<Vec<_>>()
    };
    let (windows, planes) = ("pyramid_windows", "register_planes");
    for direction in BOTH {
        assert_eq!(kernels([64, 64, 16], 2, direction), [windows]);
        assert_eq!(kernels([64, 32, 128], 3, direction), [windows]);
        // Each sample of the first level takes a sector of memory.
        assert_eq!(kernels([128, 64, 128], 4, direction).len(), 2);
        assert!(kernels([128, 64, 128], 4, direction).contains(&planes));
    }
    assert_eq!(kernels([128, 128, 16], 3, Direction::Inverse), [windows]);
}
