//! Transforms from slices of the host to slices of the host, wherever these stand.

mod common;

use common::{RandomSample, computes, devices, plans_of, random_samples, relative_error, to_f64};
use wavelift::{
    Coefficients, Engine, Error, Plan, Region, Strategy, Transform, Wavelet, reference,
};

/// Samples before and after a slice, which no call may touch.
const BESIDE: usize = 70;

/// Runs a plan both ways on slices that start so many samples into their memory.
fn check<T: RandomSample>(plan: &Plan<T>, start: usize) {
    let transform = plan.transform();
    let range = start..start + transform.len();
    let memory = random_samples::<T>(range.end + BESIDE, 7);
    let what = format!("{start}: {plan:?}");
    let close = |got: &[T], expected: &[T]| {
        let error = relative_error(got, &to_f64(expected));
        assert!(error <= 2.0 * T::BOUND, "{error} at {what}");
    };
    let expected = reference::forward(transform, &memory[range.clone()]).unwrap();
    let poison = vec![T::POISON; transform.len()];
    let mut coefficients = Coefficients::from_parts(transform, poison).unwrap();
    let before = memory.clone();
    plan.forward_into(&memory[range.clone()], &mut coefficients)
        .unwrap();
    assert!(memory == before, "the input was changed: {what}");
    close(coefficients.as_slice(), &expected);
    assert!(plan.forward(&memory[range.clone()]).unwrap() == coefficients);

    let expected = reference::inverse(transform, coefficients.as_slice()).unwrap();
    let mut samples = vec![T::POISON; memory.len()];
    plan.inverse_into(&coefficients, &mut samples[range.clone()])
        .unwrap();
    close(&samples[range.clone()], &expected);
    // As bytes, since NaN is not equal to itself.
    let bytes = bytemuck::cast_slice::<T, u8>;
    let beside = [&samples[..range.start], &samples[range.end..]].concat();
    let untouched = vec![T::POISON; beside.len()];
    assert!(bytes(&beside) == bytes(&untouched), "{what}");
}

/// By the strategy that the planner chooses, with results past the caches and through them, and by
/// one whose vectors take alignment for granted.
fn check_everywhere<T: RandomSample>(wavelet: Wavelet, shape: [usize; 2]) {
    for device in devices() {
        if !computes("host slices", &device, T::TYPE) {
            continue;
        }
        let engine = Engine::new(&device).unwrap();
        let line = |strategy| format!("cpu | {strategy} | {} | CACHED=1\n", T::TYPE);
        let past_caches = engine
            .with_tuning(&(line("single_loop") + &line("vectors")))
            .unwrap();
        let transform = Transform::new(wavelet.clone(), shape).levels(2);
        let mut plans = vec![
            engine.plan(&transform).unwrap(),
            past_caches.plan(&transform).unwrap(),
        ];
        plans.extend(plans_of(&engine, &transform, |strategy| {
            strategy == Strategy::SEPARABLE
        }));
        for plan in &plans {
            for start in [0, 1, 4, 13, 64] {
                check::<T>(plan, start);
            }
        }
    }
}

#[test]
fn floats_at_any_place() {
    check_everywhere::<f32>(Wavelet::CDF_9_7, [64, 136]);
}

#[test]
fn floats_in_odd_rows_at_any_place() {
    check_everywhere::<f32>(Wavelet::CDF_9_7, [67, 131]);
}

#[test]
fn doubles_at_any_place() {
    check_everywhere::<f64>(Wavelet::CDF_9_7, [67, 132]);
}

#[test]
fn shorts_at_any_place() {
    check_everywhere::<i16>(Wavelet::CDF_5_3, [64, 136]);
}

#[test]
fn integers_at_any_place() {
    check_everywhere::<i32>(Wavelet::CDF_5_3, [67, 132]);
}

/// Through pinned memory as by the driver alone: by as many threads as there are pieces and by
/// more, with less than the ring holds and with more, in whole pieces and not, to and from memory
/// at an odd place; the largest picture goes in stripes, and the batch in parts.
#[test]
fn large_slices_go_through_pinned_memory() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let by_driver = engine.with_copy_threads(1);
        let pictures = [[1024, 2048], [1501, 1500], [3001, 3500]]
            .map(|shape| Transform::new(Wavelet::CDF_5_3, shape).levels(2));
        let batch = Transform::new(Wavelet::CDF_5_3, [19, 700, 701]).axes([1, 2]);
        for transform in pictures.into_iter().chain([batch.levels(2)]) {
            let memory = random_samples::<i32>(transform.len() + 2 * BESIDE, 3);
            let samples = &memory[3..3 + transform.len()];
            let plan = by_driver.plan::<i32>(&transform).unwrap();
            let expected = plan.forward(samples).unwrap();
            let used = engine.memory().used;
            for threads in [2, 5] {
                let engine = engine.with_copy_threads(threads);
                let plan = engine.plan::<i32>(&transform).unwrap();
                let poison = vec![i32::POISON; transform.len()];
                let mut coefficients = Coefficients::from_parts(&transform, poison).unwrap();
                plan.forward_into(samples, &mut coefficients).unwrap();
                assert!(coefficients == expected, "{threads} threads, {plan:?}");
                let mut back = vec![i32::POISON; memory.len()];
                let there = 5..5 + transform.len();
                plan.inverse_into(&coefficients, &mut back[there.clone()])
                    .unwrap();
                assert!(
                    back[there.clone()] == *samples,
                    "{threads} threads, {plan:?}"
                );
                back.drain(there);
                assert!(back.into_iter().all(|sample| sample == i32::POISON));
            }
            // The ring stays, and counts.
            assert!(
                engine.memory().used >= used.max(64 << 20),
                "{:?}",
                engine.memory()
            );
        }
    }
}

#[test]
fn threads_share_pinned_memory() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap().with_copy_threads(2);
        let transform = Transform::new(Wavelet::CDF_5_3, [1501, 1500]);
        let shared = engine.plan::<i32>(&transform).unwrap();
        std::thread::scope(|scope| {
            for seed in 0..3 {
                let (shared, transform) = (&shared, &transform);
                let engine = if seed == 2 {
                    engine.another().unwrap()
                } else {
                    engine.clone()
                };
                scope.spawn(move || {
                    let own = engine.plan::<i32>(transform).unwrap();
                    let samples = random_samples::<i32>(transform.len(), seed);
                    for plan in [&own, shared] {
                        let coefficients = plan.forward(&samples).unwrap();
                        assert!(plan.inverse(&coefficients).unwrap() == samples);
                    }
                });
            }
        });
    }
}

#[test]
fn threads_share_an_engine_and_a_plan() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [67, 132]).levels(2);
        let shared = engine.plan::<i16>(&transform).unwrap();
        std::thread::scope(|scope| {
            for start in 0..4 {
                let (engine, transform, shared) = (&engine, &transform, &shared);
                scope.spawn(move || {
                    let own = engine.plan::<i16>(transform).unwrap();
                    for _ in 0..5 {
                        check(&own, start);
                        check(shared, start);
                    }
                });
            }
        });
    }
}

#[test]
fn slices_of_other_lengths_and_plans_for_regions_are_refused() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [8, 16]);
        let plan = engine.plan::<i16>(&transform).unwrap();
        let short = plan.forward(&[0; 127]).unwrap_err();
        assert!(
            matches!(
                short,
                Error::Length {
                    expected: 128,
                    got: 127,
                    ..
                }
            ),
            "{short}"
        );
        let rows = Region::dense([8, 16]).with_strides([20, 1]);
        let dense = Region::dense([8, 16]);
        let plan = engine
            .plan_regions::<i16>(&transform, &rows, &dense)
            .unwrap();
        let refused = plan.forward(&[0; 128]).unwrap_err();
        assert!(matches!(refused, Error::Unsupported { .. }), "{refused}");
    }
}
