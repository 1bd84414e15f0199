//! Devices that allow small work-groups only get smaller tiles, and the same results.

use super::*;

/// Devices that allow small work-groups only get smaller tiles, and the same results.
fn small_work_groups<T: RandomSample>(limit: usize, wavelet: Wavelet) {
    let transforms = [
        Transform::new(wavelet.clone(), [131, 257]).levels(2),
        Transform::new(wavelet.clone(), [3, 45, 50, 70]).layout(Layout::Interleaved),
        Transform::new(wavelet, [40, 50]).levels(3),
    ];
    for device in devices() {
        let device = device.with_max_work_group(limit);
        for &strategy in Strategy::ALL {
            let what = format!("{strategy} in work-groups of {limit}");
            let has_whole_sub_groups = |info: &DeviceInfo| info.lanes <= limit;
            let has_sub_groups = [
                Strategy::Streamed,
                Strategy::StreamedColours,
                Strategy::RegisterBlock,
                Strategy::RegisterRows,
            ]
            .contains(&strategy);
            if !has_sub_groups || can_run(&what, &device, "small-sub-groups", has_whole_sub_groups)
            {
                check_all::<T>(&device, strategy, &transforms);
            }
        }
    }
}

/// The same of every pass of `separable` but the default ones.
fn passes_in_small_work_groups<T: RandomSample>(limit: usize, wavelet: Wavelet) {
    let transforms = [
        Transform::new(wavelet.clone(), [131, 257]).levels(2),
        Transform::new(wavelet, [3, 45, 50, 70]).layout(Layout::Interleaved),
    ];
    for device in devices() {
        let device = device.with_max_work_group(limit);
        for strategy in Strategy::each_pass().skip(1) {
            check_all::<T>(&device, strategy, &transforms);
        }
    }
}

#[test]
fn passes_in_work_groups_of_7() {
    passes_in_small_work_groups::<i32>(7, Wavelet::VC2_DD_13_7);
}

#[test]
fn passes_in_work_groups_of_1() {
    passes_in_small_work_groups::<f32>(1, Wavelet::DAUB_4);
}

#[test]
fn work_groups_of_64() {
    small_work_groups::<f32>(64, Wavelet::CDF_9_7);
    small_work_groups::<i16>(64, Wavelet::VC2_FIDELITY);
}

#[test]
fn work_groups_of_7() {
    small_work_groups::<i32>(7, Wavelet::VC2_DD_13_7);
}

#[test]
fn work_groups_of_1() {
    small_work_groups::<f32>(1, Wavelet::DAUB_4);
}
