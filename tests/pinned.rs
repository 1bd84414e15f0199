//! Pinned arrays, and transforms between them that nobody waits for.

mod common;

use common::{RandomSample, devices, random_samples};
use std::mem;
use wavelift::{Direction, Engine, Error, PinnedArray, Plan, Region, Transform, Wavelet};

/// How many submitted transforms of a plan are on their way at most.
const MOST: usize = 3;

fn transform() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [67, 132]).levels(2)
}

/// Of every device one that uses memory of the host where it can, and one that copies.
fn engines() -> Vec<Engine> {
    let both = |device| {
        let engine = Engine::new(&device).unwrap();
        [engine.with_copy_threads(1), engine]
    };
    devices().into_iter().flat_map(both).collect()
}

/// Pinned arrays of random samples and of poison.
fn arrays(engine: &Engine, seed: u64) -> (PinnedArray<i32>, PinnedArray<i32>) {
    let len = transform().len();
    let [mut input, mut output] = [0, 1].map(|_| engine.pinned(len).unwrap());
    input.copy_from_slice(&random_samples::<i32>(len, seed));
    output.fill(i32::POISON);
    (input, output)
}

fn submitted(
    plan: &Plan<i32>,
    (input, output): (PinnedArray<i32>, PinnedArray<i32>),
) -> wavelift::Pending<i32> {
    plan.submit(Direction::Forward, input, output).unwrap()
}

#[test]
fn from_one_pinned_array_to_another() {
    for engine in engines() {
        let before = engine.memory().used;
        let plan = engine.plan::<i32>(&transform()).unwrap();
        let used = engine.memory().used;
        let zeros = engine.pinned::<i32>(transform().len()).unwrap();
        assert!(zeros.iter().all(|&sample| sample == 0));
        let bytes = size_of_val::<[i32]>(&zeros) as u64;
        assert_eq!(engine.memory().used, used + bytes);
        for seed in 0..3 {
            let (samples, mut coefficients) = arrays(&engine, seed);
            let expected = random_samples::<i32>(samples.len(), seed);
            plan.forward_pinned(&samples, &mut coefficients).unwrap();
            assert!(*samples == *expected, "the input was changed");
            assert!(*coefficients == *plan.forward(&samples).unwrap().as_slice());
            let mut back = arrays(&engine, 9).1;
            plan.inverse_pinned(&coefficients, &mut back).unwrap();
            assert!(*back == *expected);
        }
        drop((zeros, plan));
        assert_eq!(engine.memory().used, before, "{engine:?}");
        assert!(engine.pinned::<i16>(0).unwrap().is_empty());
    }
}

#[test]
fn so_many_are_submitted_at_a_time() {
    for engine in engines() {
        let plan = engine.plan::<i32>(&transform()).unwrap();
        for round in 0..4 {
            let pending: Vec<_> = (0..MOST)
                .map(|i| submitted(&plan, arrays(&engine, i as u64)))
                .collect();
            let (input, output) = arrays(&engine, 100);
            let refused = plan.submit(Direction::Forward, input, output).unwrap_err();
            let is_busy = matches!(refused.error, Error::Busy { most: MOST, .. });
            assert!(is_busy, "{refused}");
            assert!(*refused.input == *random_samples::<i32>(transform().len(), 100));
            // Blocking calls go on, and those on their way are none of their business.
            let mut output = refused.output;
            plan.forward_pinned(&refused.input, &mut output).unwrap();
            let expected = plan.forward(&refused.input).unwrap();
            assert!(*output == *expected.as_slice());
            for (i, pending) in pending.into_iter().enumerate() {
                if round == i {
                    continue; // Dropped, which waits for it.
                }
                let (samples, coefficients) = pending.wait().unwrap();
                assert!(*samples == *random_samples::<i32>(samples.len(), i as u64));
                let expected = plan.forward(&samples).unwrap();
                assert!(*coefficients == *expected.as_slice());
                let back = plan.submit(Direction::Inverse, coefficients, samples);
                let (coefficients, samples) = back.unwrap().wait().unwrap();
                assert!(*samples == *random_samples::<i32>(samples.len(), i as u64));
                assert!(*coefficients == *expected.as_slice());
            }
        }
        // Another plan has places of its own. What is forgotten keeps its place.
        let other = plan.another().unwrap();
        for _ in 0..MOST {
            mem::forget(submitted(&plan, arrays(&engine, 1)));
        }
        let (input, output) = arrays(&engine, 1);
        let refused = plan.submit(Direction::Forward, input, output).unwrap_err();
        let pending = submitted(&other, (refused.input, refused.output));
        drop((plan, other)); // Not what is on its way.
        while !pending.is_done() {
            std::thread::yield_now();
        }
        pending.wait().unwrap();
    }
}

#[test]
fn what_is_refused_is_given_back() {
    for engine in engines() {
        let plan = engine.plan::<i32>(&transform()).unwrap();
        let len = transform().len();
        let (input, _) = arrays(&engine, 3);
        let short = engine.pinned(len - 1).unwrap();
        let refused = plan.submit(Direction::Forward, input, short).unwrap_err();
        assert!(matches!(refused.error, Error::Length { .. }), "{refused}");
        assert_eq!((refused.input.len(), refused.output.len()), (len, len - 1));
        let (input, mut short) = (refused.input, refused.output);
        let refused = plan.forward_pinned(&input, &mut short).unwrap_err();
        assert!(matches!(refused, Error::Length { .. }), "{refused}");
        let rows = Region::dense([67, 132]).with_strides([140, 1]);
        let dense = Region::dense([67, 132]);
        let plan = engine
            .plan_regions::<i32>(&transform(), &rows, &dense)
            .unwrap();
        let (input, output) = arrays(&engine, 3);
        let refused = plan.submit(Direction::Forward, input, output).unwrap_err();
        let is_unsupported = matches!(Error::from(refused), Error::Unsupported { .. });
        assert!(is_unsupported);
        let too_many = engine.pinned::<i32>(usize::MAX / 8).unwrap_err();
        let is_memory = matches!(too_many, Error::Memory { .. } | Error::HostMemory { .. });
        assert!(is_memory, "{too_many}");
    }
}

#[test]
fn threads_share_a_plan() {
    for engine in engines() {
        let plan = engine.plan::<i32>(&transform()).unwrap();
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let (engine, plan) = (&engine, &plan);
                scope.spawn(move || {
                    let (mut samples, mut output) = arrays(engine, seed);
                    let expected = plan.forward(&samples).unwrap();
                    for _ in 0..5 {
                        plan.forward_pinned(&samples, &mut output).unwrap();
                        assert!(*output == *expected.as_slice());
                        output.fill(i32::POISON);
                        match plan.submit(Direction::Forward, samples, output) {
                            Ok(pending) => (samples, output) = pending.wait().unwrap(),
                            Err(busy) => {
                                assert!(matches!(busy.error, Error::Busy { .. }), "{busy}");
                                (samples, output) = (busy.input, busy.output);
                                continue;
                            }
                        }
                        assert!(*output == *expected.as_slice());
                    }
                });
            }
        });
    }
}

/// Large pictures go in stripes and batches in parts, one of which goes up while another one comes
/// down, where they are copied.
#[test]
fn large_arrays_are_the_same_as_by_other_calls() {
    for engine in engines() {
        let picture = Transform::new(Wavelet::CDF_5_3, [3001, 3501]).levels(3);
        let batch = Transform::new(Wavelet::CDF_5_3, [19, 700, 701]).axes([1, 2]);
        for transform in [picture, batch.levels(2)] {
            same_as_by_other_calls(&engine, &transform);
        }
    }
}

fn same_as_by_other_calls(engine: &Engine, transform: &Transform) {
    let plan = engine.plan::<i32>(transform).unwrap();
    let len = transform.len();
    let arrays = |seed| {
        let [mut input, mut output] = [0, 1].map(|_| engine.pinned(len).unwrap());
        input.copy_from_slice(&random_samples::<i32>(len, seed));
        output.fill(i32::POISON);
        (input, output)
    };
    let (samples, output) = arrays(1);
    let (others, mut other_output) = arrays(2);
    let pending = plan.submit(Direction::Forward, samples, output).unwrap();
    plan.forward_pinned(&others, &mut other_output).unwrap();
    let (samples, coefficients) = pending.wait().unwrap();
    let mut back = others;
    for (input, output, seed) in [(samples, coefficients, 1), (arrays(2).0, other_output, 2)] {
        assert!(*input == *random_samples::<i32>(len, seed));
        assert!(*output == *plan.forward(&input).unwrap().as_slice());
        back.fill(i32::POISON);
        plan.inverse_pinned(&output, &mut back).unwrap();
        assert!(*back == *input, "{plan:?}");
    }
}

/// Of pixels one side is smaller than the other.
#[test]
fn batches_of_pixels_are_the_same_as_by_other_calls() {
    for engine in engines() {
        let transform = Transform::new(Wavelet::CDF_5_3, [19, 700, 701]).axes([1, 2]);
        let plan = engine.plan_from::<u8, i16>(&transform.levels(2)).unwrap();
        let len = plan.transform().len();
        let mut pixels = engine.pinned::<u8>(len).unwrap();
        let mut coefficients = engine.pinned::<i16>(len).unwrap();
        let samples = random_samples::<i16>(len, 3);
        let drawn: Vec<u8> = samples.iter().map(|&sample| sample as u8).collect();
        pixels.copy_from_slice(&drawn);
        coefficients.fill(i16::POISON);
        plan.forward_pinned(&pixels, &mut coefficients).unwrap();
        assert!(*coefficients == *plan.forward(&pixels).unwrap().as_slice());
        pixels.fill(77);
        plan.inverse_pinned(&coefficients, &mut pixels).unwrap();
        assert!(*pixels == *drawn, "{plan:?}");
    }
}
