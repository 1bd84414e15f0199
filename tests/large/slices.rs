//! Slices of the host, under limits of memory.

use super::*;
use crate::common::{computes, devices};
use std::ops::ControlFlow;
use wavelift::{
    Boundary, Device, DeviceKind, Direction, Engine, EngineGroup, Error, Layout, Strategy,
    Transform, Wavelet, reference,
};

/// Under each of these limits, in bytes, and twice as many on devices that
/// have arrays of their own.
fn check_under<T: RandomSample>(device: &Device, transform: &Transform, limits: &[u64]) {
    let whole = Engine::new(device).unwrap();
    let more = match device.info().kind {
        DeviceKind::Cpu => 1,
        _ => 2,
    };
    for (seed, limit) in limits.iter().map(|limit| limit * more).enumerate() {
        let engine = whole.with_memory_limit(limit).unwrap();
        let plan = engine.plan::<T>(transform).unwrap();
        assert!(is_tiled(&plan), "{plan:?}");
        check(&plan, seed as u64);
        if seed == 0 {
            // Copied to arrays on the device, as on those that do not work in memory of the host.
            let copied = whole.with_memory_limit(limit * 2 / more).unwrap();
            let other = copied.with_copy_threads(1).plan::<T>(transform).unwrap();
            assert!(is_tiled(&other), "{other:?}");
            check(&other, 9);
        }
        let memory = engine.memory();
        assert!(memory.limit == limit && memory.used <= limit, "{memory:?}");
        drop(plan);
        assert_eq!(engine.memory().used, 0);
    }
    assert_eq!(whole.memory().used, 0);
}

#[test]
fn pictures_by_every_rule_and_layout() {
    for device in devices() {
        for (i, &boundary) in Boundary::ALL.iter().enumerate() {
            for &layout in Layout::ALL {
                let shape = [[611, 402], [520, 333]][i % 2];
                let transform = Transform::new(Wavelet::CDF_5_3, shape)
                    .boundary(boundary)
                    .layout(layout)
                    .levels(3);
                check_under::<i16>(&device, &transform, &[200_000, 71_000]);
            }
        }
    }
}

#[test]
fn signals() {
    for device in devices() {
        for boundary in [Boundary::Symmetric, Boundary::Periodic] {
            let transform = Transform::new(Wavelet::CDF_9_7, [200_003])
                .boundary(boundary)
                .levels(6);
            check_under::<f32>(&device, &transform, &[300_000, 30_001]);
        }
    }
}

#[test]
fn volumes() {
    for device in devices() {
        let transform = Transform::new(Wavelet::CDF_5_3, [61, 50, 47]).levels(2);
        check_under::<i32>(&device, &transform, &[500_000, 300_000]);
        // By the strategies and the copies of another kind of device.
        let gpu = device.with_kind(DeviceKind::Gpu);
        check_under::<i32>(&gpu, &transform, &[300_000]);
    }
}

#[test]
fn batches_and_colours() {
    for device in devices() {
        if !computes("tiles of doubles", &device, wavelift::SampleType::F64) {
            continue;
        }
        let pictures = Transform::new(Wavelet::CDF_9_7, [5, 130, 121]).axes([1, 2]);
        check_under::<f64>(&device, &pictures.levels(3), &[500_000, 150_000]);
        let colours = Transform::new(Wavelet::CDF_9_7, [211, 190, 3]).axes([0, 1]);
        check_under::<f64>(&device, &colours.levels(2), &[400_000]);
    }
}

/// The largest array is less than the transform's, with memory enough.
#[test]
fn arrays_larger_than_the_largest() {
    for device in devices() {
        let mut limits = device.info().clone();
        limits.max_allocation = 100_000;
        let engine = Engine::new(&device.with_limits(&limits)).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 301]).levels(3);
        let plan = engine.plan::<i16>(&transform).unwrap();
        assert!(is_tiled(&plan));
        check(&plan, 1);
        check(&plan.another().unwrap(), 2);

        limits.max_allocation = 50;
        let engine = Engine::new(&device.with_limits(&limits)).unwrap();
        let refused = engine.plan::<i16>(&transform).map(drop).unwrap_err();
        let Error::Memory {
            needed,
            limit: 50,
            used: None,
            ..
        } = refused
        else {
            panic!("{refused}")
        };
        assert!((51..10_000).contains(&needed), "{refused}");
    }
}

#[test]
fn the_least_limit_is_named_and_is_enough() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 401]).levels(3);
        let plan = |limit| {
            let engine = engine.with_memory_limit(limit).unwrap();
            engine.plan::<i16>(&transform)
        };
        let refused = plan(100).map(drop).unwrap_err();
        let Error::Memory { needed, limit, .. } = refused else {
            panic!("{refused}")
        };
        assert!(limit == 100 && needed > 100, "{refused}");
        println!("{refused}");
        check(&plan(needed).unwrap(), 3);
        // Of a group it is enough for all, whether they copy tiles or not.
        let tiled = |limit| {
            let engine = engine.with_memory_limit(limit).unwrap();
            let group = vec![engine.clone(), engine.with_copy_threads(1)];
            EngineGroup::of(group)
                .unwrap()
                .plan_in_tiles::<i16>(&transform)
        };
        let refused = tiled(100).map(drop).unwrap_err();
        let Error::Memory { needed, .. } = refused else {
            panic!("{refused}")
        };
        let samples = random_samples::<i16>(transform.len(), 4);
        let mut coefficients = vec![i16::POISON; transform.len()];
        let go_on = |_| ControlFlow::Continue(());
        let plan = tiled(needed).unwrap();
        plan.forward(&samples, &mut coefficients, go_on).unwrap();
        let expected = reference::forward(&transform, &samples).unwrap();
        assert_eq!(coefficients, *expected);
    }
}

/// What wants the arrays on the device is refused, what has them on the host is not.
#[test]
fn only_the_host_can_hold_the_arrays() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let small = engine.with_memory_limit(100_000).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 400]).levels(2);
        let plan = small.plan::<i16>(&transform).unwrap();
        let is_memory = |error: &Error| matches!(error, Error::Memory { .. });
        let x = engine.zeros::<i16>(transform.len()).unwrap();
        let mut y = engine.zeros::<i16>(transform.len()).unwrap();
        let refused = plan.enqueue_forward(&x, &mut y).unwrap_err();
        assert!(is_memory(&refused), "{refused}");
        let [mut input, mut output] = [0, 1].map(|_| engine.pinned(transform.len()).unwrap());
        input.copy_from_slice(&random_samples::<i16>(transform.len(), 5));
        plan.forward_pinned(&input, &mut output).unwrap();
        assert_eq!(*output, *reference::forward(&transform, &input).unwrap());
        let refused = plan.submit(Direction::Forward, input, output).unwrap_err();
        assert!(is_memory(&Error::from(refused)));
        // A strategy that is asked for is never left for tiles.
        let forced = small.plan_with::<i16>(&transform, Strategy::Stepwise);
        assert!(is_memory(&forced.map(drop).unwrap_err()));
        // Nor do plans of pixels go in tiles.
        let pixels = small.plan_from::<u8, i16>(&transform);
        assert!(is_memory(&pixels.map(drop).unwrap_err()));
    }
}

/// A plan that fits, whose staging arrays do not, beside what else the engine has by then.
#[test]
fn tiles_are_made_when_memory_runs_out() {
    for device in devices() {
        let whole = Engine::new(&device).unwrap().with_copy_threads(1);
        let engine = whole.with_memory_limit(2_000_000).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 400]).levels(2);
        let plan = engine.plan::<i16>(&transform).unwrap();
        let array = engine.zeros::<i16>(850_000).unwrap();
        assert!(!is_tiled(&plan));
        let cost = plan.cost(Direction::Forward);
        std::thread::scope(|scope| {
            for seed in [0, 1] {
                let plan = &plan;
                scope.spawn(move || check(plan, seed));
            }
        });
        assert!(is_tiled(&plan), "{plan:?}");
        // That of arrays on the device.
        assert_eq!(plan.cost(Direction::Forward), cost);
        assert!(engine.memory().used <= 2_000_000);
        drop(array);
        check(&plan, 2);
        drop(plan);

        let plan = engine.plan::<i16>(&transform).unwrap();
        let _array = engine.zeros::<i16>(850_000).unwrap();
        let [mut input, mut output] = [0, 1].map(|_| whole.pinned(transform.len()).unwrap());
        input.copy_from_slice(&random_samples::<i16>(transform.len(), 5));
        plan.forward_pinned(&input, &mut output).unwrap();
        assert_eq!(*output, *reference::forward(&transform, &input).unwrap());
        assert!(is_tiled(&plan), "{plan:?}");
    }
}

/// What one plan takes for its tiles is not left for another one's, whose were chosen before.
#[test]
fn plans_in_tiles_share_what_memory_there_is() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for engine in [engine.clone(), engine.with_copy_threads(1)] {
            let engine = engine.with_memory_limit(400_000).unwrap();
            let transform = Transform::new(Wavelet::CDF_5_3, [300, 900]).levels(2);
            for taken in [50_000, 100_000] {
                let plan = || engine.plan::<i16>(&transform).unwrap();
                let array = engine.zeros::<i16>(taken).unwrap();
                let one = plan();
                drop(array);
                let other = plan();
                for seed in 0..2 {
                    check(&one, seed);
                    check(&other, seed);
                    assert!(engine.memory().used <= 400_000);
                }
            }
            // None of the slots is left.
            let plan = engine.plan::<i16>(&transform).unwrap();
            let array = engine.zeros::<i16>(160_000).unwrap();
            check(&plan, 1);
            drop(array);
            check(&plan, 2);
            drop(plan);
            assert_eq!(engine.memory().used, 0);
        }
    }
}

/// The same memory for sixteen times the rows.
#[test]
fn memory_does_not_grow_with_rows() {
    for device in devices() {
        for rows in [1000, 16_000] {
            let transform = Transform::new(Wavelet::CDF_5_3, [rows, 100]).levels(2);
            check_under::<i16>(&device, &transform, &[100_000]);
        }
    }
}

/// Where no ring of pinned memory is to be had, or none beside the arrays, the driver copies, in no
/// more memory than where nobody asked for one.
#[test]
fn slices_without_a_ring_take_two_arrays() {
    for device in devices() {
        let transform = Transform::new(Wavelet::CDF_5_3, [2048, 1500]).levels(1);
        let bytes = (transform.len() * size_of::<i32>()) as u64;
        assert!(bytes >= BYTES_FOR_THREADS as u64);
        let whole = Engine::new(&device).unwrap().with_copy_threads(2);
        let scratch = whole.plan::<i32>(&transform).unwrap().scratch_bytes();
        let ring = 64 << 20;
        assert!(3 * bytes + scratch < ring);
        for limit in [3 * bytes + scratch, ring + bytes + scratch] {
            let engine = whole.with_memory_limit(limit).unwrap();
            let plan = engine.plan::<i32>(&transform).unwrap();
            check(&plan, 1);
            assert!(!is_tiled(&plan), "{plan:?}");
            let used = engine.memory().used;
            assert!(used <= 2 * bytes + scratch, "{used} bytes of {limit}");
        }
        // A plan that went without the ring stays without, though there is memory for it again.
        let engine = whole.with_memory_limit(ring + 5 * bytes + scratch).unwrap();
        let plan = engine.plan::<i32>(&transform).unwrap();
        let other = engine.zeros::<i32>(4 * transform.len()).unwrap();
        check(&plan, 1);
        drop(other);
        check(&plan, 2);
        let used = engine.memory().used;
        assert!(used <= 2 * bytes + scratch, "{used} bytes");
    }
}
