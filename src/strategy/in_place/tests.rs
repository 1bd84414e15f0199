//! How lines are cut, what is saved before a sweep, and in which order axes are swept.

use super::*;
use crate::device::DeviceInfo;
use crate::strategy::planning::design::Regions;
use crate::strategy::tests::cases::{
    BOTH, Setting, cpu, for_all, large_gpu, problem, small_gpu, transforms,
};
use crate::strategy::tests::host::number;
use crate::transform::{Region, Transform};
use crate::wavelet::{SampleType, Wavelet};
use proptest::prelude::{Strategy as Generator, prop_assert, prop_assert_eq, prop_oneof};
use proptest::sample::select;

fn design(device: DeviceInfo, problem: &Problem) -> InPlace {
    Setting::of(device).design_in_place(problem).unwrap()
}

fn interleaved(wavelet: Wavelet, shape: &[usize]) -> Transform {
    Transform::new(wavelet, shape).layout(Layout::Interleaved)
}

fn forward(device: DeviceInfo, transform: &Transform, sample: SampleType) -> InPlace {
    design(device, &problem(transform, sample, Direction::Forward))
}

/// The kernels, their work-groups and the segments of each line.
fn outline(design: &InPlace) -> Vec<(&'static str, usize, i32)> {
    let of = |pass: &Pass| (pass.kernel.name, pass.groups, pass.own[0].1);
    design.passes.iter().map(of).collect()
}

#[test]
fn a_large_picture_is_cut_along_both_axes() {
    let picture = interleaved(Wavelet::CDF_9_7, &[8192, 8192]);
    let design = forward(large_gpu(), &picture, SampleType::F32);
    // 4096 pairs. Columns: 1024 work-items for each of 132 compute units are 17 segments. Rows:
    // 2112 groups of 4 are two segments, each of whole tiles of 256 pairs. Saved are the border's 7
    // pairs at both ends and 4 at each seam. Borders: a work-item for each of 8192 lines.
    assert_eq!(
        outline(&design),
        [
            ("save_seams", 128 * (14 + 16 * 4), 17),
            ("columns_in_place", 128 * 17 + 128, 17),
            ("save_seams", 128 * (14 + 4), 2),
            ("rows_in_place", 2048 * 2 + 32, 2)
        ]
    );
    let pairs_each = [0, 2].map(|i| design.passes[i].own[1]);
    assert_eq!(
        pairs_each,
        [("pairs_per_segment", 244), ("pairs_per_segment", 2048)]
    );
    assert_eq!(design.scratch, 2 * (14 + 16 * 4) * 8192);
}

#[test]
fn one_signal_fills_a_device() {
    let signal = interleaved(Wavelet::CDF_9_7, &[1 << 26]);
    let design = forward(large_gpu(), &signal, SampleType::F32);
    // 8448 segments are wanted; of sixteen tiles each there are 8192. Saved are 14
    // pairs and 4 at each seam.
    assert_eq!(
        outline(&design),
        [("save_seams", 513, 8192), ("rows_in_place", 2049, 8192)]
    );
}

#[test]
fn lines_that_are_many_or_short_stay_whole() {
    let volume = interleaved(Wavelet::CDF_5_3, &[100, 512, 512]);
    let design = forward(large_gpu(), &volume, SampleType::I16);
    // Of lines of 256 pairs 3 % are less than their borders.
    assert_eq!(
        outline(&design),
        [
            ("columns_in_place", 512 * 512 / 64, 1),
            ("columns_in_place", 512 * 100 / 64, 1),
            ("rows_in_place", 512 * 100 / 4, 1)
        ]
    );
    assert_eq!(
        outline(&forward(
            cpu(),
            &interleaved(Wavelet::CDF_9_7, &[28, 64]),
            SampleType::F32
        ))[0]
            .0,
        "line_ends"
    );
}

#[test]
fn rows_are_neighbours_in_memory() {
    let transform = interleaved(Wavelet::CDF_5_3, &[1 << 21, 1 << 11]).levels(12);
    let design = forward(large_gpu(), &transform, SampleType::F32);
    // 1024 samples are left along y and one along x, 2^23 places apart: too far for 32 bits.
    let last = design.passes.last().unwrap();
    assert_eq!(
        (last.geometry.samples, last.kernel.name),
        (1 << 10, "columns_in_place")
    );
    // One of four channels, whose last sample is as far from the first.
    let signal = interleaved(Wavelet::CDF_5_3, &[600_000_000]);
    let channel = Region::dense([600_000_000]).with_strides([4]);
    let mut problem = problem(&signal, SampleType::I16, Direction::Forward);
    problem.regions = Regions {
        signal: channel.clone(),
        bands: channel,
    };
    let of_channel = Setting::of(large_gpu()).design_in_place(&problem).unwrap();
    let last = of_channel.passes.last().unwrap();
    assert_eq!(last.kernel.name, "columns_in_place");
}

#[test]
fn the_inverse_undoes_the_axes_backwards() {
    let picture = interleaved(Wavelet::VC2_LEGALL_5_3, &[3000, 3000]).levels(2);
    let [there, back] =
        BOTH.map(|direction| design(large_gpu(), &problem(&picture, SampleType::I16, direction)));
    let lines = |design: &InPlace| -> Vec<_> {
        let sweeps = design
            .passes
            .iter()
            .filter(|pass| pass.kernel.name != "save_seams");
        sweeps
            .map(|pass| (pass.kernel.name, pass.geometry))
            .collect()
    };
    let mut backwards = lines(&back);
    backwards.reverse();
    assert_eq!(lines(&there), backwards);
    let shifts: Vec<i32> = lines(&there).iter().map(|(_, lines)| lines.shift).collect();
    assert_eq!(shifts, [1, 0, 1, 0]);
    for design in [there, back] {
        for two in design.passes.windows(2) {
            assert!(two[0].kernel.name != "save_seams" || two[1].own[..3] == two[0].own[..3]);
        }
    }
}

#[test]
fn small_devices_get_small_groups() {
    let rows = |device, sample| {
        let design = forward(device, &interleaved(Wavelet::CDF_5_3, &[1 << 20]), sample);
        design.passes[1].kernel.group
    };
    assert_eq!(rows(DeviceInfo::imaginary(), SampleType::F64), [64, 4]);
    assert_eq!(rows(small_gpu(), SampleType::F64), [8, 2]);
    let little = DeviceInfo {
        local_memory: 0,
        ..DeviceInfo::imaginary()
    };
    assert_eq!(rows(little, SampleType::I16), [1, 1]);
}

#[test]
fn segments_share_the_pairs_of_a_line() {
    let cases = (1..3000usize, select(vec![4usize, 8, 32, 128]), 0..200usize);
    for_all(3000, cases, |(pairs, unit, most)| {
        let cut = Segments::new(pairs, unit, most);
        prop_assert!(cut.count <= most.max(1));
        prop_assert_eq!((cut.pairs, cut.pairs_each % unit), (pairs, 0));
        // None has nothing to do.
        prop_assert!((cut.count - 1) * cut.pairs_each < pairs);
        prop_assert!(pairs <= cut.count * cut.pairs_each);
        Ok(())
    });
}

#[test]
fn what_is_saved_is_at_most_three_hundredths_of_the_array() {
    let sizes = prop_oneof![1..=64usize, 1..=5000usize];
    let large = (transforms(SampleType::F32, 1 << 20), sizes).prop_map(|(transform, size)| {
        let mut shape = transform.shape().to_vec();
        shape[0] = size * 7;
        Transform::new(transform.wavelet().clone(), shape)
            .axes(transform.chosen_axes())
            .levels(transform.level_count())
            .boundary(transform.boundary_rule())
    });
    for_all(500, large, |transform| {
        let transform = transform.layout(Layout::Interleaved);
        for device in [large_gpu(), cpu(), small_gpu()] {
            for direction in BOTH {
                let design = design(
                    device.clone(),
                    &problem(&transform, SampleType::F32, direction),
                );
                let most = (transform.len() * 3 / 100).max((64 << 10) / 4);
                prop_assert!(
                    design.scratch <= most,
                    "{} of {}",
                    design.scratch,
                    transform.len()
                );
                for pass in &design.passes {
                    let group: usize = pass.kernel.group.iter().product();
                    prop_assert!(group <= device.max_work_group && pass.groups > 0);
                    if pass.kernel.name == "rows_in_place" {
                        prop_assert_eq!(
                            pass.own[1].1 as usize % (PAIRS * number(&pass.kernel, "ROWS_X")),
                            0
                        );
                    }
                }
            }
        }
        Ok(())
    });
}
