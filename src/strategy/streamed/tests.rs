//! What `streamed` is specialised on for which pictures and devices.

use crate::device::{DeviceInfo, Exchange};
use crate::strategy::Strategy;
use crate::strategy::planning::design::Kernel;
use crate::strategy::tests::cases::{BOTH, Setting, gpu, large_gpu, problem};
use crate::strategy::tests::host::number;
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

/// The kernel of the first launch of `streamed`.
fn kernel(setting: Setting, transform: &Transform, sample: SampleType) -> Kernel {
    let problem = problem(transform, sample, Direction::Forward);
    let design = setting.only(&[Strategy::Streamed]).design(&problem);
    design.unwrap().launches.swap_remove(0).pass.kernel
}

#[test]
fn odd_tunings_still_give_whole_vectors_and_sub_groups() {
    let setting = Setting::of(gpu(Exchange::Khr, 32)).tuned("gpu | streamed | f32 | PAIRS=3");
    let picture = Transform::new(Wavelet::CDF_9_7, [512, 512]);
    let of = |most: usize| {
        let mut setting = setting.clone();
        setting.device.max_work_group = most;
        let kernel = kernel(setting, &picture, SampleType::F32);
        ["PAIRS", "GROUP", "STRIP"].map(|name| number(&kernel, name))
    };
    // Of 32 work-items 30 store what they have.
    assert_eq!(of(1024), [4, 128, 30 * 4]);
    assert_eq!(of(100), [4, 96, 30 * 4]);
    assert_eq!(of(32), [4, 32, 30 * 4]);
}

#[test]
fn work_groups_have_no_more_sub_groups_than_a_picture_has_shares() {
    let group = |shape: [usize; 3]| {
        let pictures = Transform::new(Wavelet::CDF_9_7, shape).axes([1, 2]);
        number(
            &kernel(Setting::of(large_gpu()), &pictures, SampleType::F32),
            "GROUP",
        )
    };
    assert_eq!(group([16384, 64, 64]), 32);
    // Five strips are three and two.
    assert_eq!(group([1024, 256, 1200]), 96);
    // A frame has whole work-groups.
    let zero = Transform::new(Wavelet::CDF_9_7, [64, 64]).boundary(Boundary::Zero);
    let kernel = kernel(Setting::of(large_gpu()), &zero, SampleType::F32);
    assert_eq!(number(&kernel, "GROUP"), 128);
}

#[test]
fn narrow_pictures_are_left_to_a_pass_per_axis() {
    let takes = |width: usize| {
        let volumes = Transform::new(Wavelet::CDF_9_7, [64, 256, 64, width]).axes([1, 2, 3]);
        let problem = problem(&volumes, SampleType::F64, Direction::Forward);
        let design = Setting::of(large_gpu()).design(&problem).unwrap();
        let strategies = design.launches.iter().map(|launch| launch.strategy);
        strategies.collect::<Vec<_>>().contains(&Strategy::Streamed)
    };
    assert!(takes(64));
    assert!(!takes(32));
}

#[test]
fn work_items_without_exchange_load_what_they_need() {
    let picture = Transform::new(Wavelet::CDF_9_7, [512, 512]);
    let kernel = kernel(
        Setting::of(DeviceInfo::imaginary()),
        &picture,
        SampleType::F32,
    );
    let names = ["LANES", "HALO_LO", "HALO_HI", "OVERLAP_LO", "STRIP"];
    assert_eq!(names.map(|name| number(&kernel, name)), [1, 2, 2, 0, 4]);
}

#[test]
fn fewer_pairs_let_rows_go_by_vectors() {
    let setting = Setting::of(gpu(Exchange::Khr, 32)).tuned("gpu | streamed | i16 | PAIRS=8");
    let pairs = |width: usize, layout| {
        let transform = Transform::new(Wavelet::CDF_5_3, [64, width]).layout(layout);
        let kernel = kernel(setting.clone(), &transform, SampleType::I16);
        ["PAIRS", "WIDE"].map(|name| number(&kernel, name))
    };
    for (width, expected) in [
        (1024, [8, 1]),
        (1000, [4, 1]),
        (1004, [8, 0]),
        (1001, [8, 0]),
    ] {
        assert_eq!(pairs(width, Layout::Mallat), expected, "{width}");
    }
    assert_eq!(pairs(1000, Layout::Interleaved), [4, 1]);
    assert_eq!(pairs(1004, Layout::Interleaved), [8, 0]);
}

/// What `make vendors` saw in memory otherwise, and what was timed by all pairs.
#[test]
fn what_holds_much_goes_by_few_pairs() {
    let pairs = |wavelet: Wavelet, sample| {
        let transform = Transform::new(wavelet, [512, 512]);
        number(
            &kernel(Setting::of(gpu(Exchange::Amd, 32)), &transform, sample),
            "PAIRS",
        )
    };
    assert_eq!(pairs(Wavelet::VC2_DD_13_7, SampleType::I16), 2);
    assert_eq!(pairs(Wavelet::CDF_9_7, SampleType::F64), 2);
    assert_eq!(pairs(Wavelet::CDF_9_7, SampleType::F32), 4);
    assert_eq!(pairs(Wavelet::CDF_9_7, SampleType::F16), 4);
    assert_eq!(pairs(Wavelet::CDF_5_3, SampleType::I16), 4);
}

#[test]
fn distances_are_narrow_where_a_picture_has_less_than_2_to_31_samples() {
    let distance = |device, side: usize, layout| {
        let transform = Transform::new(Wavelet::CDF_5_3, [side, side]).layout(layout);
        let kernel = kernel(Setting::of(device), &transform, SampleType::I16);
        let mut defines = kernel.defines.into_iter();
        defines.find(|(name, _)| name == "DISTANCE").unwrap().1
    };
    for &layout in Layout::ALL {
        let exchange = || gpu(Exchange::Khr, 32);
        assert_eq!(distance(exchange(), 46_000, layout), "int");
        assert_eq!(distance(exchange(), 47_000, layout), "long");
        assert_eq!(distance(DeviceInfo::imaginary(), 64, layout), "long");
    }
}

#[test]
fn borders_go_on_as_their_rule_allows_or_have_a_frame() {
    let extension = |wavelet: Wavelet, boundary, shape: [usize; 2]| {
        let transform = Transform::new(wavelet.clone(), shape).boundary(boundary);
        let sample = match wavelet.integer_steps() {
            Some(_) => SampleType::I32,
            None => SampleType::F32,
        };
        let problem = problem(&transform, sample, Direction::Forward);
        let setting = Setting::of(gpu(Exchange::Khr, 32)).only(&[Strategy::Streamed]);
        let launch = setting.design(&problem).unwrap().launches.swap_remove(0);
        let tiles = launch
            .pass
            .own
            .iter()
            .filter(|(name, _)| name.starts_with("frame"));
        let tiles: i32 = tiles.map(|(_, tiles)| tiles).sum();
        let extension = number(&launch.pass.kernel, "EXTENSION");
        let has_frame = launch
            .pass
            .kernel
            .defines
            .iter()
            .any(|(name, _)| name == "FRAME_TILE");
        assert_eq!((extension == 0, extension == 0), (has_frame, tiles > 0));
        extension
    };
    let sides = [300, 301];
    assert_eq!(extension(Wavelet::CDF_9_7, Boundary::Symmetric, sides), 1);
    assert_eq!(extension(Wavelet::CDF_9_7, Boundary::Clamp, sides), 1);
    assert_eq!(extension(Wavelet::VC2_DD_13_7, Boundary::Clamp, sides), 3);
    assert_eq!(extension(Wavelet::CDF_9_7, Boundary::Zero, sides), 0);
    // Both axes have to go on in the same way.
    assert_eq!(extension(Wavelet::CDF_9_7, Boundary::Periodic, sides), 0);
    assert_eq!(
        extension(Wavelet::CDF_9_7, Boundary::Periodic, [300, 302]),
        2
    );
}

#[test]
fn where_registers_are_few_less_is_loaded_ahead() {
    let first = |wavelet: Wavelet, wavefront: usize| {
        let picture = Transform::new(wavelet, [8192, 8192]);
        let device = DeviceInfo {
            wavefront,
            ..gpu(Exchange::Amd, 32)
        };
        let problem = problem(&picture, SampleType::I32, Direction::Forward);
        let mut design = Setting::of(device).design(&problem).unwrap();
        let launch = design.launches.swap_remove(0);
        let sizes = ["PREFETCHED", "RING", "ROUND"];
        let is_streamed = launch.strategy == Strategy::Streamed;
        is_streamed.then(|| sizes.map(|name| number(&launch.pass.kernel, name)))
    };
    assert_eq!(first(Wavelet::CDF_5_3, 32), Some([2, 4, 4]));
    assert_eq!(first(Wavelet::CDF_5_3, 64), Some([2, 4, 4]));
    // A round is half of the ring.
    assert_eq!(first(Wavelet::VC2_FIDELITY, 32), Some([1, 12, 6]));
    assert_eq!(first(Wavelet::VC2_FIDELITY, 64), None);
}

#[test]
fn the_ring_holds_whole_rounds_of_what_is_prefetched() {
    let picture = Transform::new(Wavelet::CDF_9_7, [8192, 8192]);
    for prefetched in 1..=4 {
        let tuning = format!("gpu | streamed | f32 | PREFETCHED={prefetched} FILLING=2");
        let setting = Setting::of(gpu(Exchange::Ptx, 32)).tuned(&tuning);
        for direction in BOTH {
            let problem = problem(&picture, SampleType::F32, direction);
            let design = setting.design(&problem).unwrap();
            let kernel = &design.launches[0].pass.kernel;
            assert_eq!(number(kernel, "PREFETCHED"), prefetched);
            assert_eq!(number(kernel, "RING") % prefetched, 0);
            assert!(number(kernel, "RING") >= 3);
        }
    }
}

#[test]
fn launches_of_two_levels_prefetch_as_tuned() {
    let picture = Transform::new(Wavelet::CDF_9_7, [8192, 8192]).levels(2);
    for prefetched in 1..=4 {
        let tuning = format!(
            "gpu | streamed | f32 | PREFETCHED=2 TWO_PREFETCHED={prefetched} TWO_FILLING=12"
        );
        let setting = Setting::of(gpu(Exchange::Ptx, 32)).tuned(&tuning);
        for direction in BOTH {
            let problem = problem(&picture, SampleType::F32, direction);
            let design = setting.design(&problem).unwrap();
            let kernel = &design.launches[0].pass.kernel;
            assert_eq!(kernel.name, "streamed_two_levels");
            assert_eq!(number(kernel, "PREFETCHED"), prefetched);
            assert_eq!(number(kernel, "RING") % prefetched, 0);
        }
    }
}
