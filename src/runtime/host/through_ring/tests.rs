use super::passage::AHEAD;
use super::*;
use crate::device::devices_if_any;
use crate::runtime::Engine;
use crate::runtime::host::route::Parts;
use crate::runtime::host::stripes::Stripes;
use crate::transform::{Transform, reference};
use crate::wavelet::{Boundary, Wavelet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Carries samples through a ring by three threads, between arrays of which some may be missing;
/// none where that panicked.
fn carried<T: Sample>(
    engine: &Engine,
    ring: &mut Ring,
    route: &Route<T>,
    lens: &[usize],
    input: &[T],
) -> (Option<Result<bool>>, Vec<T>) {
    let own = || Queue::own(&engine.site.shared.context, engine.device(), 0).unwrap();
    let mut output = vec![T::from_f64(-77.0); input.len()];
    let poisoned = |&len: &usize| engine.upload(&vec![T::from_f64(99.0); len]).unwrap();
    let mut arrays = RouteArrays {
        pixels: None,
        samples: lens.iter().map(poisoned).collect(),
    };
    let slices = Slices {
        input: bytemuck::cast_slice(input),
        output: bytemuck::cast_slice_mut(&mut output),
    };
    let queues = [own(), own()];
    let done = catch_unwind(AssertUnwindSafe(|| {
        carry(ring, 3, route, &mut arrays, queues, slices)
    }));
    assert!(ring.lost.is_none());
    (done.ok(), output)
}

#[test]
fn slices_of_any_length_are_carried_also_after_errors_and_panics() {
    for device in devices_if_any() {
        let engine = Engine::new(&device).unwrap();
        for slots in [AHEAD + 1, AHEAD + 4] {
            let mut ring = Ring::new(&engine.site, slots, 64).unwrap();
            for len in [1, 32, 33, 160, 161, 1000] {
                let transform = Transform::new(Wavelet::CDF_5_3, [len]).levels(0);
                let plan = engine.plan::<i16>(&transform).unwrap();
                let route = Route {
                    plan: &plan,
                    direction: Direction::Forward,
                    parts: Parts::Whole,
                };
                let input: Vec<i16> = (0..len as i16).collect();
                let untouched = vec![-77; len];
                let mut by = |arrays: &[usize]| carried(&engine, &mut ring, &route, arrays, &input);
                assert_eq!(by(&[len, len]), (Some(Ok(true)), input.clone()));
                // The output is too short, and is not there: both show behind the uploads.
                let (failed, output) = by(&[len, len - 1]);
                assert!(matches!(failed, Some(Err(_))), "{failed:?}");
                assert_eq!(output, untouched);
                assert_eq!(by(&[len]), (None, untouched));
                assert_eq!(by(&[len, len]), (Some(Ok(true)), input.clone()));
            }
        }
    }
}

/// Stripes whose rows are longer than a slot, or of which a slot has several.
#[test]
fn stripes_come_down_while_others_go_up() {
    for device in devices_if_any() {
        let engine = Engine::new(&device).unwrap();
        for (shape, pairs, levels) in [([67, 40], 8, 1), ([100, 33], 12, 3), ([64, 35], 4, 2)] {
            let transform = Transform::new(Wavelet::CDF_5_3, shape)
                .boundary(Boundary::Symmetric)
                .levels(levels);
            let plan = engine.plan::<i32>(&transform).unwrap();
            let stripes = Stripes::new(&engine.site, &transform, None, pairs).unwrap();
            let stripes = Parts::Stripes(Arc::new(stripes));
            let samples: Vec<i32> = (0..transform.len())
                .map(|i| (i * i % 1009) as i32 - 500)
                .collect();
            let coefficients = reference::forward(&transform, &samples).unwrap();
            for slot_bytes in [64, 100, 600] {
                let mut ring = Ring::new(&engine.site, AHEAD + 1, slot_bytes).unwrap();
                for (direction, from, to) in [
                    (Direction::Forward, &samples, &coefficients),
                    (Direction::Inverse, &coefficients, &samples),
                ] {
                    let route = Route {
                        plan: &plan,
                        direction,
                        parts: stripes.clone(),
                    };
                    let lens = route.arrays().1;
                    let (done, output) = carried(&engine, &mut ring, &route, &lens, from);
                    assert_eq!(done, Some(Ok(true)));
                    assert!(output == **to, "{transform:?} {direction:?} {slot_bytes}");
                }
            }
        }
    }
}
