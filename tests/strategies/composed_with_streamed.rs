//! What the planner makes of `streamed` and others where work-items exchange values, on a device of
//! few compute units, so that small pictures are large ones.

use super::*;

/// As a GPU whose work-items have registers enough to stream. Where kernels may ask for the size of
/// their sub-groups, as on Intel's, the planner takes them to have fewer, and prefers blocks.
fn streaming(device: &Device) -> Device {
    let (exchange, lanes) = (device.info().exchange, device.info().lanes);
    let mut limits = device.info().clone();
    limits.sub_groups = false;
    let device = device.with_limits(&limits).with_compute_units(1);
    // SAFETY: this is how the device exchanges.
    let device = unsafe { device.with_exchange(exchange, lanes) };
    device.unwrap().with_kind(DeviceKind::Gpu)
}

fn check_beside<T: RandomSample>(transforms: &[(Transform, &[Strategy])]) {
    let what = format!("`streamed` of {} beside others", T::TYPE);
    for device in devices() {
        let exchanges = |info: &DeviceInfo| info.exchange != Exchange::None;
        if !can_run(&what, &device, "two-levels", exchanges) {
            continue;
        }
        let engine = Engine::new(&streaming(&device)).unwrap();
        for (seed, (transform, strategies)) in transforms.iter().enumerate() {
            let plan = engine.plan::<T>(transform).unwrap();
            let used = plan.strategies();
            // NVIDIA's devices take several coarse levels by windows, which others do not
            // all have the exchange for.
            let by_windows = device.info().exchange == Exchange::Ptx && used.contains(&PYRAMID);
            let is_used = |one| used.contains(one) || *one == BLOCK && by_windows;
            assert!(strategies.iter().all(is_used), "{used:?}: {plan:?}");
            check::<T>(&engine, By::Auto, transform, seed as u64);
        }
        ran(&what, &device);
    }
}

const COLUMNS: Strategy = Strategy::RegisterColumns;
const BLOCK: Strategy = Strategy::RegisterBlock;
const STREAMED: Strategy = Strategy::Streamed;
const PYRAMID: Strategy = Strategy::Pyramid;

#[test]
fn floats() {
    // Rows are vectors in the first level alone.
    let volume = Transform::new(Wavelet::CDF_9_7, [9, 141, 152]).levels(2);
    let picture = Transform::new(Wavelet::CDF_9_7, [421, 560]).levels(4);
    check_beside::<f32>(&[
        (volume.clone(), &[COLUMNS, STREAMED, BLOCK]),
        (
            volume.clone().levels(1).layout(Layout::Interleaved),
            &[COLUMNS, STREAMED],
        ),
        // Not in the first one of two, as half of the planes have an array of
        // their own for their low band.
        (volume.layout(Layout::Interleaved), &[COLUMNS, BLOCK]),
        (picture, &[STREAMED, BLOCK]),
    ]);
}

#[test]
fn shorts_along_y_first() {
    let volume = Transform::new(Wavelet::CDF_5_3, [5, 131, 160]);
    let picture = Transform::new(Wavelet::CDF_5_3, [203, 416]).levels(4);
    check_beside::<i16>(&[
        (volume, &[COLUMNS, STREAMED]),
        (picture, &[STREAMED, PYRAMID]),
    ]);
}

#[test]
fn integers_along_x_first() {
    let volume = Transform::new(Wavelet::VC2_DD_13_7, [5, 131, 160]);
    // By zeros there is a frame, which only large pictures are worth.
    let zero = Transform::new(Wavelet::VC2_DD_13_7, [2, 331, 372]).boundary(Boundary::Zero);
    check_beside::<i32>(&[(volume, &[STREAMED, COLUMNS]), (zero, &[STREAMED, COLUMNS])]);
}
