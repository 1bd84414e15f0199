//! Engines, arrays that stay on the device, plans that share one queue: on every device.

mod common;

use common::{Random, RandomSample, computes, devices, plans, random_samples, run};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wavelift::{
    Band, BandView, BandViewMut, Coefficients, ColumnPass, Device, DeviceArray, DeviceInfo,
    DeviceSelector, Direction, Engine, Error, InPlacePlan, Layout, Plan, Run, Sample, SampleType,
    Strategy, Transform, Wavelet, reference,
};

fn on_every_device(check: impl Fn(&Engine)) {
    for device in devices() {
        check(&Engine::new(&device).unwrap());
    }
}

/// The strategies that take this transform.
fn strategies<T: Sample>(device: &Device, transform: &Transform) -> Vec<Strategy> {
    let engine = Engine::new(device).unwrap();
    let plans = plans::<T>(&engine, transform);
    plans.iter().map(Plan::strategy).collect()
}

/// Two levels over both axes, with scratch arrays between the passes of every strategy.
fn picture() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [67, 90]).levels(2)
}

#[test]
fn everything_can_be_sent_to_and_shared_by_threads() {
    fn check<T: Send + Sync>() {}
    fn check_sample<T: Sample>() {
        check::<Plan<T>>();
        check::<InPlacePlan<T>>();
        check::<DeviceArray<T>>();
        check::<Coefficients<T>>();
        check::<BandView<'_, T>>();
        check::<BandViewMut<'_, T>>();
    }
    check_sample::<i16>();
    check_sample::<i32>();
    check_sample::<f32>();
    check_sample::<f64>();
    check::<Engine>();
    check::<Run>();
    check::<Device>();
    check::<DeviceInfo>();
    check::<DeviceSelector>();
    check::<Transform>();
    check::<Error>();
}

#[test]
fn a_chain_is_enqueued_without_waiting() {
    let transform = picture();
    let samples = random_samples::<i32>(transform.len(), 1);
    let once = reference::forward(&transform, &samples).unwrap();
    let twice = reference::forward(&transform, &once).unwrap();
    on_every_device(|engine| {
        for plan in plans::<i32>(engine, &transform) {
            let poison = vec![i32::POISON; transform.len()];
            let [mut a, mut b, mut c, mut d] = [0; 4].map(|_| engine.upload(&poison).unwrap());
            let x = engine.upload(&samples).unwrap();
            let runs = [
                plan.enqueue_forward(&x, &mut a),
                plan.enqueue_forward(&a, &mut b),
                plan.enqueue_inverse(&b, &mut c),
                plan.enqueue_inverse(&c, &mut d),
            ];
            engine.finish().unwrap();
            assert!(runs.iter().all(Result::is_ok));
            assert_eq!(a.download().unwrap(), once);
            assert_eq!(b.download().unwrap(), twice);
            assert_eq!(c.download().unwrap(), once);
            assert_eq!(d.download().unwrap(), samples);
            assert_eq!(x.download().unwrap(), samples);
        }
    });
}

#[test]
fn a_download_comes_after_what_was_enqueued_before() {
    let transform = picture();
    let samples = random_samples::<i16>(transform.len(), 2);
    let expected = reference::forward(&transform, &samples).unwrap();
    on_every_device(|engine| {
        let plan = engine.plan::<i16>(&transform).unwrap();
        let mut x = engine.upload(&samples).unwrap();
        let mut y = engine.zeros(transform.len()).unwrap();
        let mut z = engine.zeros(transform.len()).unwrap();
        for _ in 0..20 {
            let _ = plan.enqueue_forward(&x, &mut y).unwrap();
            // The next input must not overtake the work that still reads this one.
            x.write(&vec![0; transform.len()]).unwrap();
            let _ = plan.enqueue_forward(&x, &mut z).unwrap();
            x.write(&samples).unwrap();
            assert_eq!(y.download().unwrap(), expected);
            assert!(z.download().unwrap().iter().all(|&v| v == 0));
            y.write(&vec![i16::POISON; transform.len()]).unwrap();
        }
    });
}

#[test]
fn an_upload_has_read_its_slice_when_it_returns() {
    let transform = Transform::new(Wavelet::CDF_5_3, [700, 800]).levels(4);
    let samples = random_samples::<i32>(transform.len(), 11);
    on_every_device(|engine| {
        let plan = engine
            .plan_with::<i32>(&transform, Strategy::Stepwise)
            .unwrap();
        let mut x = engine.upload(&samples).unwrap();
        let mut y = engine.zeros(transform.len()).unwrap();
        for _ in 0..5 {
            // Work that the queue has to do first.
            let _ = plan.enqueue_forward(&x, &mut y).unwrap();
            let mut passing = samples.clone();
            x.write(&passing).unwrap();
            passing.fill(i32::POISON);
            assert_eq!(x.download().unwrap(), samples);
        }
    });
}

#[test]
fn two_threads_share_a_plan_and_an_engine() {
    let transform = picture();
    let inputs: Vec<Vec<i32>> = (0..8)
        .map(|seed| random_samples(transform.len(), seed))
        .collect();
    let outputs: Vec<Vec<i32>> = inputs
        .iter()
        .map(|input| reference::forward(&transform, input).unwrap())
        .collect();
    on_every_device(|engine| {
        for plan in plans::<i32>(engine, &transform) {
            let resident = || {
                for (input, output) in inputs.iter().zip(&outputs).cycle().take(100) {
                    let x = engine.upload(input).unwrap();
                    let mut y = engine.upload(&vec![i32::POISON; input.len()]).unwrap();
                    let mut z = engine.upload(&vec![i32::POISON; input.len()]).unwrap();
                    let _ = plan.enqueue_forward(&x, &mut y).unwrap();
                    let _ = plan.enqueue_inverse(&y, &mut z).unwrap();
                    assert_eq!(&z.download().unwrap(), input);
                    assert_eq!(&y.download().unwrap(), output);
                }
            };
            let from_host = || {
                for (input, output) in inputs.iter().zip(&outputs).rev().cycle().take(100) {
                    let coefficients = plan.forward(input).unwrap();
                    assert_eq!(coefficients.as_slice(), output);
                    assert_eq!(&plan.inverse(&coefficients).unwrap(), input);
                }
            };
            std::thread::scope(|scope| {
                scope.spawn(resident);
                scope.spawn(from_host);
                scope.spawn(from_host);
            });
        }
    });
}

#[test]
fn threads_build_plans_while_another_runs_one() {
    let transform = picture();
    let samples = random_samples::<i16>(transform.len(), 3);
    let expected = reference::forward(&transform, &samples).unwrap();
    on_every_device(|engine| {
        let built = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for len in 100..140 {
                    let transform = Transform::new(Wavelet::CDF_5_3, [len, 50]);
                    let samples = random_samples::<i16>(transform.len(), len as u64);
                    let plan = engine.plan::<i16>(&transform).unwrap();
                    let got = plan.forward(&samples).unwrap().into_vec();
                    assert_eq!(got, reference::forward(&transform, &samples).unwrap());
                }
                built.store(true, Ordering::Relaxed);
            });
            let plan = engine.plan::<i16>(&transform).unwrap();
            while !built.load(Ordering::Relaxed) && !std::thread::panicking() {
                assert_eq!(plan.forward(&samples).unwrap().as_slice(), expected);
            }
        });
    });
}

#[test]
fn plans_of_different_transforms_take_turns_on_one_engine() {
    let a = picture();
    let b = Transform::new(Wavelet::CDF_9_7, [5, 123])
        .axes([1])
        .levels(3)
        .layout(Layout::Interleaved);
    let integers = random_samples::<i32>(a.len(), 4);
    let reals = random_samples::<f32>(b.len(), 5);
    on_every_device(|engine| {
        for strategy in [Strategy::SEPARABLE, Strategy::Stepwise] {
            let plan_a = engine.plan_with::<i32>(&a, strategy).unwrap();
            let plan_b = engine.plan_with::<f32>(&b, strategy).unwrap();
            let alone_a = run(engine, &plan_a, Direction::Forward, &integers);
            let alone_b = run(engine, &plan_b, Direction::Forward, &reals);
            let x_a = engine.upload(&integers).unwrap();
            let x_b = engine.upload(&reals).unwrap();
            let outputs = |_| {
                let y_a = engine.upload(&vec![i32::POISON; a.len()]).unwrap();
                let y_b = engine.upload(&vec![f32::POISON; b.len()]).unwrap();
                (y_a, y_b)
            };
            let mut outputs: Vec<_> = (0..10).map(outputs).collect();
            for (y_a, y_b) in &mut outputs {
                let _ = plan_a.enqueue_forward(&x_a, y_a).unwrap();
                let _ = plan_b.enqueue_forward(&x_b, y_b).unwrap();
            }
            engine.finish().unwrap();
            for (y_a, y_b) in &outputs {
                assert_eq!(y_a.download().unwrap(), alone_a);
                assert_eq!(y_b.download().unwrap(), alone_b);
            }
        }
    });
}

#[test]
fn results_on_the_host_are_reused() {
    let transform = picture();
    on_every_device(|engine| {
        let plan = engine.plan::<i16>(&transform).unwrap();
        let poison = vec![i16::POISON; transform.len()];
        let mut coefficients = Coefficients::from_parts(&transform, poison).unwrap();
        let mut restored = vec![i16::POISON; transform.len()];
        for seed in 0..5 {
            let samples = random_samples::<i16>(transform.len(), seed);
            plan.forward_into(&samples, &mut coefficients).unwrap();
            let expected = reference::forward(&transform, &samples).unwrap();
            assert_eq!(coefficients.as_slice(), expected);
            plan.inverse_into(&coefficients, &mut restored).unwrap();
            assert_eq!(restored, samples);
        }
    });
}

#[test]
fn coefficients_changed_on_the_host_change_the_picture() {
    let transform = picture();
    let samples = random_samples::<i32>(transform.len(), 6);
    on_every_device(|engine| {
        let plan = engine.plan::<i32>(&transform).unwrap();
        let mut coefficients = plan.forward(&samples).unwrap();
        let before = coefficients.clone();
        coefficients.band_mut(1, Band::HH).unwrap().apply(|_| 0);
        let mut low = coefficients.band_mut(2, Band::LL).unwrap();
        *low.get_mut(&[3, 4]).unwrap() += 1000;
        let expected = reference::inverse(&transform, coefficients.as_slice()).unwrap();
        let changed = plan.inverse(&coefficients).unwrap();
        assert_eq!(changed, expected);
        assert_ne!(changed, samples);

        // Band by band back to what they were.
        for (level, band) in transform.bands() {
            let values = before.band(level, band).unwrap().to_vec();
            let mut place = coefficients.band_mut(level, band).unwrap();
            place.copy_from_slice(&values).unwrap();
        }
        assert_eq!(coefficients, before);
        assert_eq!(plan.inverse(&coefficients).unwrap(), samples);
    });
}

#[test]
fn arrays_and_plans_may_be_dropped_while_they_are_at_work() {
    let transform = Transform::new(Wavelet::CDF_5_3, [700, 800]).levels(4);
    let samples = random_samples::<i32>(transform.len(), 7);
    let once = reference::forward(&transform, &samples).unwrap();
    let expected = reference::forward(&transform, &once).unwrap();
    for device in devices() {
        for strategy in strategies::<i32>(&device, &transform) {
            let last = {
                let engine = Engine::new(&device).unwrap();
                let plan = engine.plan_with::<i32>(&transform, strategy).unwrap();
                let x = engine.upload(&samples).unwrap();
                let mut y = engine.zeros(transform.len()).unwrap();
                let mut z = engine.zeros(transform.len()).unwrap();
                let _ = plan.enqueue_forward(&x, &mut y).unwrap();
                drop(x);
                let _ = plan.enqueue_forward(&y, &mut z).unwrap();
                drop((y, plan, engine));
                z
            };
            // The array alone keeps the engine alive.
            assert_eq!(last.download().unwrap(), expected);
        }
    }
}

#[test]
fn a_dropped_engine_finishes_nothing_halfway() {
    let transform = Transform::new(Wavelet::CDF_5_3, [700, 800]).levels(4);
    let samples = random_samples::<i32>(transform.len(), 8);
    for device in devices() {
        for strategy in strategies::<i32>(&device, &transform) {
            for _ in 0..5 {
                let engine = Engine::new(&device).unwrap();
                let plan = engine.plan_with::<i32>(&transform, strategy).unwrap();
                let x = engine.upload(&samples).unwrap();
                let mut y = engine.zeros(transform.len()).unwrap();
                let run = plan.enqueue_forward(&x, &mut y).unwrap();
                drop((x, y, plan, engine));
                run.wait().unwrap();
            }
        }
    }
}

#[test]
fn device_time_needs_profiling() {
    let transform = picture();
    let samples = random_samples::<i16>(transform.len(), 9);
    for device in devices() {
        let timed = |engine: &Engine, strategy| {
            let plan = engine.plan_with::<i16>(&transform, strategy).unwrap();
            let x = engine.upload(&samples).unwrap();
            let mut y = engine.zeros(transform.len()).unwrap();
            let start = Instant::now();
            let run = plan.enqueue_forward(&x, &mut y).unwrap();
            (run.device_time(), start.elapsed())
        };
        for strategy in strategies::<i16>(&device, &transform) {
            let (time, elapsed) = timed(&Engine::with_profiling(&device).unwrap(), strategy);
            let time = time.unwrap();
            assert!(
                Duration::ZERO < time && time <= elapsed,
                "{time:?} {elapsed:?}"
            );

            let (time, _) = timed(&Engine::new(&device).unwrap(), strategy);
            let message = time.as_ref().unwrap_err().to_string();
            assert!(matches!(time, Err(Error::Unsupported { .. })), "{message}");
            assert!(message.contains("with_profiling"), "{message}");
        }
    }
}

#[test]
fn runs_start_by_themselves_and_say_when_they_are_done() {
    let transform = picture();
    let samples = random_samples::<i16>(transform.len(), 9);
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let plan = engine.plan::<i16>(&transform).unwrap();
        let x = engine.upload(&samples).unwrap();
        let mut y = engine.zeros(transform.len()).unwrap();
        let run = plan.enqueue_forward(&x, &mut y).unwrap();
        let start = Instant::now();
        while !run.is_done().unwrap() {
            assert!(start.elapsed() < Duration::from_secs(60), "it never ended");
            std::thread::yield_now();
        }
        run.wait().unwrap();
        assert!(run.is_done().unwrap());
    }
}

#[test]
fn arrays_are_counted_and_refused_where_they_are_too_many() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let memory = engine.memory();
        assert_eq!(
            (memory.used, memory.limit),
            (0, device.info().global_memory)
        );
        let transform = Transform::new(Wavelet::CDF_5_3, [100, 100]).levels(3);
        let plan = engine.plan::<i16>(&transform).unwrap();
        assert_eq!(engine.memory().used, plan.scratch_bytes());
        let array = engine.zeros::<f32>(1000).unwrap();
        assert_eq!(engine.memory().used, plan.scratch_bytes() + 4000);
        drop((array, plan));
        assert_eq!(engine.memory().used, 0);

        let device = device.with_memory_limit(1 << 20);
        let engine = Engine::new(&device).unwrap();
        let array = || engine.zeros::<f32>(100_000);
        let (first, second) = (array().unwrap(), array().unwrap());
        let error = array().unwrap_err();
        assert!(matches!(
            error,
            Error::Memory {
                needed: 400_000,
                used: Some(800_000),
                ..
            }
        ));
        assert!(
            error.to_string().contains("of which 800000 are in use"),
            "{error}"
        );
        drop(first);
        let third = array().unwrap();
        assert_eq!(engine.memory().used, 800_000);
        drop((second, third));
        assert_eq!(engine.memory().used, 0);
    }
}

#[test]
fn the_time_of_many_launches_is_more_than_that_of_one() {
    for device in devices() {
        let engine = Engine::with_profiling(&device).unwrap();
        let time = |levels| {
            let transform = Transform::new(Wavelet::CDF_5_3, [512, 512]).levels(levels);
            let plan = engine
                .plan_with::<i16>(&transform, Strategy::Stepwise)
                .unwrap();
            let x = engine.zeros(transform.len()).unwrap();
            let mut y = engine.zeros(transform.len()).unwrap();
            let one = || {
                plan.enqueue_forward(&x, &mut y)
                    .unwrap()
                    .device_time()
                    .unwrap()
            };
            std::iter::repeat_with(one).take(5).min().unwrap()
        };
        // A copy against nine levels of two axes of two steps.
        assert!(time(9) > time(0));
    }
}

#[test]
fn work_can_be_waited_for_twice() {
    on_every_device(|engine| {
        let transform = picture();
        let plan = engine.plan::<f32>(&transform).unwrap();
        let x = engine.zeros(transform.len()).unwrap();
        let mut y = engine.upload(&vec![f32::POISON; transform.len()]).unwrap();
        let run = plan.enqueue_forward(&x, &mut y).unwrap();
        run.wait().unwrap();
        run.wait().unwrap();
        assert!(y.download().unwrap().iter().all(|&v| v == 0.0));
    });
}

fn copies<T: RandomSample>(engine: &Engine) {
    if !computes("copies of f64", engine.device(), T::TYPE) {
        return;
    }
    for len in (0..40).chain([63, 64, 65, 4095, 4096, 4097, 100_003]) {
        let samples = random_samples::<T>(len, len as u64);
        let from = engine.upload(&samples).unwrap();
        let mut to = engine.upload(&vec![T::POISON; len]).unwrap();
        engine.enqueue_copy(&from, &mut to).unwrap().wait().unwrap();
        assert_eq!(to.download().unwrap(), samples, "{len} {}", T::TYPE);
        assert_eq!(from.download().unwrap(), samples, "{len} {}", T::TYPE);
    }
}

#[test]
fn the_copy_kernel_copies_every_byte() {
    on_every_device(|engine| {
        copies::<i16>(engine);
        copies::<i32>(engine);
        copies::<f32>(engine);
        copies::<f64>(engine);
    });
}

#[test]
fn small_work_groups_copy_as_well() {
    for device in devices() {
        for limit in [1, 3, 100] {
            copies::<i16>(&Engine::new(&device.with_max_work_group(limit)).unwrap());
        }
    }
}

/// The bits of a sample, which NaN has too.
fn bits<T: Sample>(samples: &[T]) -> &[u8] {
    bytemuck::cast_slice(samples)
}

fn transfers<T: RandomSample>(engine: &Engine) {
    for len in [0, 1, 2, 3, 1000, 65_537] {
        let samples = random_samples::<T>(len, len as u64);
        let mut array = engine.upload(&samples).unwrap();
        assert_eq!((array.len(), array.is_empty()), (len, len == 0));
        assert_eq!(array.download().unwrap(), samples);

        let poison = vec![T::POISON; len];
        array.write(&poison).unwrap();
        let mut back = samples.clone();
        array.download_into(&mut back).unwrap();
        assert_eq!(bits(&back), bits(&poison));

        let zeros = engine.zeros::<T>(len).unwrap().download().unwrap();
        assert!(zeros.len() == len && zeros.iter().all(|v| v.to_f64() == 0.0));
    }
}

#[test]
fn samples_go_to_the_device_and_come_back() {
    on_every_device(|engine| {
        transfers::<i16>(engine);
        transfers::<i32>(engine);
        transfers::<f32>(engine);
        transfers::<f64>(engine);
    });
}

#[test]
fn a_clone_is_the_same_engine() {
    on_every_device(|engine| {
        let transform = picture();
        let samples = random_samples::<i16>(transform.len(), 10);
        let clone = engine.clone();
        let plan = clone.plan::<i16>(&transform).unwrap();
        let x = engine.upload(&samples).unwrap();
        let mut y = clone.zeros(transform.len()).unwrap();
        let _ = plan.enqueue_forward(&x, &mut y).unwrap();
        let mut copy = engine.zeros(transform.len()).unwrap();
        let _ = engine.enqueue_copy(&y, &mut copy).unwrap();
        drop(clone);
        let expected = reference::forward(&transform, &samples).unwrap();
        assert_eq!(copy.download().unwrap(), expected);
    });
}

#[test]
fn other_sizes_give_the_same_results_on_the_same_arrays() {
    on_every_device(|engine| {
        let transform = picture();
        let samples = random_samples::<i32>(transform.len(), 11);
        let expected = reference::forward(&transform, &samples).unwrap();
        let kind = engine.device().info().kind;
        let lines = format!(
            "{kind} | streamed | i32 | PAIRS=8 PREFETCHED=1\n\
             {kind} | single_loop | i32 | VECTOR=16 STRIP=32"
        );
        let tuned = engine.with_tuning(&lines).unwrap();
        let x = engine.upload(&samples).unwrap();
        for plan in plans::<i32>(&tuned, &transform) {
            let mut y = engine.zeros(transform.len()).unwrap();
            let _ = plan.enqueue_forward(&x, &mut y).unwrap();
            assert_eq!(y.download().unwrap(), expected, "{}", plan.strategy());
        }
    });
}

#[test]
fn engines_on_one_device_work_side_by_side() {
    let transform = picture();
    for device in devices() {
        std::thread::scope(|scope| {
            for seed in 0..2 {
                let (device, transform) = (&device, &transform);
                scope.spawn(move || {
                    let engine = Engine::new(device).unwrap();
                    let plan = engine.plan::<i32>(transform).unwrap();
                    let mut random = Random::new(seed);
                    for _ in 0..30 {
                        let samples = random_samples::<i32>(transform.len(), random.bits());
                        let coefficients = plan.forward(&samples).unwrap();
                        assert_eq!(plan.inverse(&coefficients).unwrap(), samples);
                    }
                });
            }
        });
    }
}

#[test]
fn arrays_between_transpositions_are_scratch() {
    on_every_device(|engine| {
        let transform = picture();
        let bytes = |strategy: Strategy| {
            let plan = engine.plan_with::<i16>(&transform, strategy).unwrap();
            let text = format!("{plan:?}");
            let transposed = strategy == ColumnPass::Transposed.into();
            assert_eq!(text.contains("Temp(1)"), transposed, "{text}");
            plan.scratch_bytes()
        };
        let two_arrays = 2 * 2 * transform.len() as u64;
        let transposed = bytes(ColumnPass::Transposed.into());
        assert_eq!(transposed, bytes(Strategy::SEPARABLE) + two_arrays);
    });
}

#[test]
fn a_plan_says_what_it_does() {
    on_every_device(|engine| {
        let transform = picture();
        for strategy in strategies::<i16>(engine.device(), &transform) {
            let plan = engine.plan_with::<i16>(&transform, strategy).unwrap();
            assert_eq!(plan.transform(), &transform);
            assert_eq!(plan.strategy(), strategy);
            let text = format!("{plan:?}");
            assert!(
                text.contains("i16") && text.contains(strategy.name()),
                "{text}"
            );
            let norm = transform.band_norm(SampleType::I16, 2, Band::HL);
            assert_eq!(plan.band_norm(2, Band::HL), norm);
        }
    });
}
