//! Streams of frames: order, and what becomes of frames that are dropped, forgotten, or held.

mod common;

use common::{devices, random_samples};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;
use wavelift::{
    Direction, Engine, Error, Pixel, Plan, Reader, Region, Sample, Transform, Wavelet, WriteFrame,
};

fn transform() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [67, 132]).levels(2)
}

/// Of every device one that uses memory of the host where it can, and one that copies.
fn plans() -> Vec<Plan<i32>> {
    let both = |device| {
        let engine = Engine::new(&device).unwrap();
        [engine.with_copy_threads(1), engine].map(|engine| engine.plan(&transform()).unwrap())
    };
    devices().into_iter().flat_map(both).collect()
}

fn samples(number: u64) -> Vec<i32> {
    random_samples(transform().len(), number)
}

fn feed(mut frame: WriteFrame<i32>, number: u64) {
    frame.copy_from_slice(&samples(number));
    frame.submit().unwrap();
}

/// Reads the result of this frame.
#[track_caller]
fn read(plan: &Plan<i32>, reader: &Reader<i32>, number: u64) {
    let result = reader.next().unwrap().unwrap();
    let expected = plan.forward(&samples(number)).unwrap();
    assert!(*result == *expected.as_slice(), "frame {number}");
}

#[track_caller]
fn is_busy<R>(result: Result<R, Error>, slots: usize) {
    let Err(error) = result else {
        panic!("a slot is free")
    };
    assert!(
        matches!(error, Error::Busy { most, .. } if most == slots),
        "{error}"
    );
}

#[test]
fn results_come_in_the_order_of_frames() {
    for plan in plans() {
        for slots in [2, 4] {
            let (feeder, reader) = plan.stream(Direction::Forward, slots).unwrap();
            let (back, samples_again) = plan.stream(Direction::Inverse, slots).unwrap();
            thread::scope(|scope| {
                scope.spawn(move || (0..20).for_each(|i| feed(feeder.frame().unwrap(), i)));
                scope.spawn(move || {
                    while let Some(coefficients) = reader.next().unwrap() {
                        let mut frame = back.frame().unwrap();
                        frame.copy_from_slice(&coefficients);
                        frame.submit().unwrap();
                    }
                });
                for i in 0..20 {
                    let result = samples_again.next().unwrap().unwrap();
                    assert!(*result == *samples(i), "frame {i}");
                }
                assert!(samples_again.next().unwrap().is_none());
            });
        }
    }
}

#[test]
fn a_frame_that_is_not_submitted_gives_its_slot_back() {
    for plan in plans() {
        let (feeder, reader) = plan.stream(Direction::Forward, 2).unwrap();
        for _ in 0..5 {
            drop(feeder.frame().unwrap());
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                let _frame = feeder.frame().unwrap();
                panic!("a test");
            }));
            assert!(panicked.is_err());
        }
        feed(feeder.frame().unwrap(), 1);
        read(&plan, &reader, 1);
    }
}

#[test]
fn where_all_slots_are_held_or_forgotten_the_stream_is_busy() {
    for plan in plans() {
        let (feeder, reader) = plan.stream(Direction::Forward, 3).unwrap();
        let held = [0, 1, 2].map(|_| feeder.frame().unwrap());
        is_busy(feeder.frame(), 3);
        is_busy(feeder.try_frame(), 3);
        is_busy(reader.next(), 3);
        held.into_iter().zip(0..).for_each(|(one, i)| feed(one, i));
        is_busy(feeder.try_frame(), 3);
        let results = [0, 1, 2].map(|_| reader.next().unwrap());
        is_busy(feeder.frame(), 3);
        drop(results);
        // One of the three is lost for good; the others go on.
        mem::forget(feeder.frame().unwrap());
        for i in 0..4 {
            feed(feeder.frame().unwrap(), i);
            read(&plan, &reader, i);
        }
        feed(feeder.frame().unwrap(), 1);
        feed(feeder.frame().unwrap(), 2);
        mem::forget(reader.next().unwrap());
        read(&plan, &reader, 2);
        mem::forget(feeder.frame().unwrap());
        is_busy(feeder.frame(), 3);
        is_busy(reader.next(), 3);
    }
}

#[test]
fn each_end_can_go_first() {
    for plan in plans() {
        let (feeder, reader) = plan.stream(Direction::Forward, 3).unwrap();
        (0..3).for_each(|i| feed(feeder.frame().unwrap(), i));
        drop(feeder);
        (0..3).for_each(|i| read(&plan, &reader, i));
        assert!(reader.next().unwrap().is_none());

        let (feeder, reader) = plan.stream(Direction::Forward, 2).unwrap();
        drop(reader);
        (0..9).for_each(|i| feed(feeder.frame().unwrap(), i));
        let frame = feeder.frame().unwrap();
        drop((feeder, plan));
        feed(frame, 1);
    }
}

#[test]
fn threads_that_feed_without_a_reader_have_slots_of_each_other() {
    for plan in plans() {
        let (feeder, reader) = plan.stream(Direction::Forward, 3).unwrap();
        drop(reader);
        thread::scope(|scope| {
            for thread in 0..2 {
                let feeder = &feeder;
                scope.spawn(move || (0..20).for_each(|_| feed(feeder.frame().unwrap(), thread)));
            }
        });
        // Nothing is lost on the way.
        let _frames = [0, 1, 2].map(|_| feeder.frame().unwrap());
        is_busy(feeder.frame(), 3);
    }
}

#[test]
fn a_stream_does_not_end_while_somebody_holds_a_frame_to_be_filled() {
    for plan in plans() {
        let (feeder, reader) = plan.stream(Direction::Forward, 3).unwrap();
        let [late, dropped] = [0, 1].map(|_| feeder.frame().unwrap());
        drop(feeder);
        thread::scope(|scope| {
            scope.spawn(move || {
                // By then the reader asks.
                thread::sleep(Duration::from_millis(50));
                feed(late, 1);
                thread::sleep(Duration::from_millis(50));
                drop(dropped);
            });
            read(&plan, &reader, 1);
            assert!(reader.next().unwrap().is_none());
        });
    }
}

#[test]
fn too_few_or_too_many_slots_and_plans_for_regions_are_refused() {
    for plan in plans() {
        // Refused before any is made.
        for slots in [usize::MAX, 1 << 50, 1 << 32] {
            let refused = plan.stream(Direction::Forward, slots).err();
            assert!(matches!(refused, Some(Error::Memory { .. })), "{refused:?}");
        }
        let refused = plan.stream(Direction::Forward, 1).unwrap_err();
        assert!(matches!(refused, Error::Unsupported { .. }), "{refused}");
    }
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let rows = Region::dense([67, 132]).with_strides([140, 1]);
        let dense = Region::dense([67, 132]);
        let plan = engine.plan_regions::<i32>(&transform(), &rows, &dense);
        let refused = plan.unwrap().stream(Direction::Forward, 3).unwrap_err();
        assert!(matches!(refused, Error::Unsupported { .. }), "{refused}");
    }
}

/// The bus carries pixels up, and brings pixels back: streams and submitted transforms
/// between arrays of two types.
#[test]
fn pixels_go_up_and_come_back() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for engine in [engine.with_copy_threads(1), engine] {
            there_and_back::<u8, i16>(&engine, 0);
            there_and_back::<u16, i16>(&engine, 1 << 15);
            there_and_back::<u8, f32>(&engine, 0);
            there_and_back::<u16, i32>(&engine, 0);
        }
    }
}

fn there_and_back<P: Pixel, T: Sample>(engine: &Engine, level_shift: i32) {
    // One of tests/pixels.rs, which has some of these kernels.
    let transform = Transform::new(Wavelet::CDF_5_3, [67, 85]).levels(3);
    let len = transform.len();
    let plan = engine.plan_from_shifted::<P, T>(&transform, level_shift);
    let plan = plan.unwrap();
    let mask = (1 << (8 * size_of::<P>())) - 1;
    let pixels = |number: u64| -> Vec<P> {
        let samples = random_samples::<i32>(len, number).into_iter();
        samples
            .map(|sample| P::from_sample(sample & mask, 0))
            .collect()
    };
    let coefficients = |number| plan.forward(&pixels(number)).unwrap().into_vec();
    let expected = coefficients(9);
    let used = engine.memory().used;
    let (feeder, reader) = plan.stream_forward(3).unwrap();
    let (back, pixels_again) = plan.stream_inverse(3).unwrap();
    // Three are on their way at a time, each in a slot of its own.
    for first in [0, 3] {
        let numbers = first..first + 3;
        for number in numbers.clone() {
            let mut frame = feeder.frame().unwrap();
            frame.copy_from_slice(&pixels(number));
            frame.submit().unwrap();
        }
        for number in numbers.clone() {
            let result = reader.next().unwrap().unwrap();
            assert!(*result == coefficients(number), "frame {number}");
            let mut frame = back.frame().unwrap();
            frame.copy_from_slice(&result);
            frame.submit().unwrap();
        }
        for number in numbers {
            let result = pixels_again.next().unwrap().unwrap();
            assert!(*result == pixels(number), "frame {number}");
        }
    }
    drop((feeder, reader, back, pixels_again));
    assert_eq!(engine.memory().used, used, "{engine:?}");

    let poison = P::from_sample(77i32, 0);
    let (mut from, to) = (engine.pinned(len).unwrap(), engine.pinned(len).unwrap());
    from.copy_from_slice(&pixels(9));
    let (mut from, to) = plan.submit_forward(from, to).unwrap().wait().unwrap();
    assert!(*to == expected);
    from.fill(poison);
    let (to, mut from) = plan.submit_inverse(to, from).unwrap().wait().unwrap();
    assert!(*from == pixels(9));
    let mut again = engine.pinned(len).unwrap();
    plan.forward_pinned(&from, &mut again).unwrap();
    assert!(*again == *to);
    from.fill(poison);
    plan.inverse_pinned(&to, &mut from).unwrap();
    assert!(*from == pixels(9));
    let short = engine.pinned::<T>(len - 1).unwrap();
    let refused = plan.submit_forward(from, short).unwrap_err();
    assert!(matches!(refused.error, Error::Length { .. }), "{refused}");
    assert_eq!((refused.input.len(), refused.output.len()), (len, len - 1));
}
