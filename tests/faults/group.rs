//! A device of a group is lost: the others do its share.

use crate::common::{found_devices as devices, random_samples};
use crate::is_clear;
use crate::layer::with_layer;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use wavelift::{Coefficients, Engine, EngineGroup, Transform, Wavelet, reference};

#[test]
fn the_others_do_the_share_of_a_lost_device() {
    let name = "group::the_others_do_the_share_of_a_lost_device";
    // PoCL's other driver for CPUs, `basic`, waits for itself in some of these plans.
    let three = [("POCL_DEVICES", "pthread pthread pthread")];
    with_layer(name, Duration::from_secs(120), &three, |layer| {
        let mut devices = devices();
        devices.retain(|device| device.info().platform.contains("Portable"));
        assert!(devices.len() >= 3 || devices.is_empty(), "{devices:?}");
        let Some(devices) = devices.get(..3) else {
            println!("not run: this needs PoCL");
            return;
        };
        let transform = Transform::new(Wavelet::CDF_5_3, [6, 6, 7]).axes([1, 2]);
        let samples = random_samples::<i32>(transform.len(), 1);
        let expected = reference::forward(&transform, &samples).unwrap();
        // Copied by the driver: slices that stand where a lost device may still write end the process.
        let engines: Vec<Engine> = devices
            .iter()
            .map(|device| Engine::new(device).unwrap().with_copy_threads(1))
            .collect();
        for order in [[0, 1, 2], [2, 0, 1]] {
            let group = EngineGroup::of(engines.clone()).unwrap();
            let group = group.with_shares(&[2, 3, 1]).unwrap();
            let plan = group.plan::<i32>(&transform).unwrap();
            assert_eq!(plan.shares(), [2, 3, 1]);
            let mut coefficients = Coefficients::zeros(&transform).unwrap();
            plan.forward_into(&samples, &mut coefficients).unwrap();
            let (mut x, mut y) = (plan.pinned().unwrap(), plan.pinned().unwrap());
            let mut rest = &samples[..];
            for part in x.parts_mut() {
                let piece = rest.split_off(..part.len());
                part.copy_from_slice(piece.unwrap());
            }

            // One, and then the one that may do its share.
            for lost in &order[..2] {
                layer.reset();
                let device = engines[*lost].raw_device() as usize;
                layer.device.store(device, SeqCst);
                layer.lost.store(1, SeqCst);
                for _ in 0..2 {
                    coefficients.as_mut_slice().fill(77);
                    plan.forward_into(&samples, &mut coefficients).unwrap();
                    assert!(coefficients.as_slice() == expected);
                    assert!(plan.inverse(&coefficients).unwrap() == samples);
                }
                // Those who stand in take memory that the lost one has pinned.
                y.parts_mut().iter_mut().for_each(|part| part.fill(77));
                plan.forward_pinned(&x, &mut y).unwrap();
                let parts = y.parts().iter().flat_map(|part| part.to_vec());
                assert!(parts.eq(expected.iter().copied()));
            }
            // Nobody is left.
            layer.reset();
            layer.lost.store(1, SeqCst);
            let error = plan.forward_into(&samples, &mut coefficients).unwrap_err();
            assert!(is_clear(&error), "{error:?}");
            layer.reset();
        }
        drop(engines);
        layer.check_balance("devices of a group");
    });
}
