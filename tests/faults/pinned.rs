//! Every call and every command of transforms between pinned arrays fails in turn.

use crate::common::{found_devices as devices, random_samples};
use crate::is_clear;
use crate::layer::{Case, Layer, with_layer};
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::time::Duration;
use wavelift::{Coefficients, Direction, Engine, Error, Feeder, Plan, Reader, Transform, Wavelet};

const LIMIT: Duration = Duration::from_secs(300);

/// What outlives every failure.
struct Made {
    plan: Plan<i32>,
    feeder: Feeder<i32>,
    reader: Reader<i32>,
}

impl Made {
    fn by(engine: &Engine, case: &Case) -> Self {
        let plan = engine.plan::<i32>(&case.transform).unwrap();
        let (feeder, reader) = plan.stream(Direction::Forward, 2).unwrap();
        Made {
            plan,
            feeder,
            reader,
        }
    }
}

/// Each kind of call between pinned arrays. An input is never changed, and
/// what does not fail is right.
fn work(case: &Case, engine: &Engine, made: &Made) -> Result<(), Error> {
    let Made {
        plan,
        feeder,
        reader,
    } = made;
    let len = case.samples.len();
    let (mut x, mut y) = (engine.pinned(len)?, engine.pinned(len)?);
    x.copy_from_slice(&case.samples);
    let done = plan.forward_pinned(&x, &mut y);
    assert_eq!(*x, *case.samples);
    done?;
    assert_eq!(*y, *case.expected);
    y.fill(7);
    let submitted = plan.submit(Direction::Forward, x, y);
    let (x, y) = submitted
        .and_then(|pending| pending.wait())
        .map_err(|failed| {
            assert_eq!(*failed.input, *case.samples);
            failed.error
        })?;
    assert_eq!(*y, *case.expected);
    // Nobody asks how this one ended.
    drop(plan.submit(Direction::Inverse, y, x)?);
    for _ in 0..3 {
        let mut frame = feeder.frame()?;
        frame.copy_from_slice(&case.samples);
        frame.submit()?;
        let result = reader.next()?.expect("the feeder is there");
        assert_eq!(*result, *case.expected);
    }
    Ok(())
}

/// Works with a fault in each call or command in turn, and once more without it, by the same
/// engine, plan and stream.
fn outlives_every(layer: &Layer, engine: &Engine, fault: &AtomicI64, counter: &AtomicI64) {
    let case = Case::new();
    layer.reset();
    let made = Made::by(engine, &case);
    work(&case, engine, &made).unwrap();
    let used = engine.memory().used;
    for number in 1.. {
        layer.reset();
        fault.store(number, SeqCst);
        let result = work(&case, engine, &made);
        let what = format!("{number} ({:?}, {})", layer.failed(), layer.record());
        if counter.load(SeqCst) < number {
            assert!(number > 5, "{what}");
            return result.unwrap();
        }
        if let Err(error) = &result {
            assert!(is_clear(error), "{what}: {error:?}");
        }
        layer.reset();
        let result = work(&case, engine, &made);
        result.unwrap_or_else(|error| panic!("after {what}: {error}"));
        assert_eq!(engine.memory().used, used, "after {what}");
    }
}

#[test]
fn one_plan_outlives_every_failure() {
    let name = "pinned::one_plan_outlives_every_failure";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            let engine = Engine::new(&device).unwrap();
            for engine in [engine.with_copy_threads(1), engine] {
                outlives_every(layer, &engine, &layer.call, &layer.calls);
                outlives_every(layer, &engine, &layer.command, &layer.commands);
            }
        }
        layer.check_balance("after every failure");
    });
}

/// From some call on the device is lost: every later call says so, and what it may
/// still use stays where it is.
#[test]
fn a_device_is_lost() {
    with_layer("pinned::a_device_is_lost", LIMIT, &[], |layer| {
        for device in devices() {
            let case = Case::new();
            // Every third call is enough: there are many.
            for number in (1..).step_by(3) {
                layer.reset();
                let engine = Engine::new(&device).unwrap();
                for engine in [engine.with_copy_threads(1), engine] {
                    layer.reset();
                    let made = Made::by(&engine, &case);
                    layer.reset();
                    layer.lost.store(number, SeqCst);
                    let first = work(&case, &engine, &made);
                    if layer.calls.load(SeqCst) < number {
                        first.unwrap();
                        if number > 40 {
                            return;
                        }
                        continue;
                    }
                    for result in [first, work(&case, &engine, &made)] {
                        if let Err(error) = result {
                            assert!(is_clear(&error), "{number}: {error:?}");
                            assert!(error.to_string().contains("CL_DEVICE_NOT_AVAILABLE"));
                        }
                    }
                }
            }
        }
    });
}

/// A picture that goes in stripes, each of which has commands of its own.
#[test]
fn a_picture_in_bands_outlives_failures() {
    let name = "pinned::a_picture_in_bands_outlives_failures";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            // Threads copy ordinary slices.
            let engine = Engine::new(&device).unwrap().with_copy_threads(2);
            let transform = Transform::new(Wavelet::CDF_5_3, [2048, 4096]).levels(2);
            let plan = engine.plan::<i32>(&transform).unwrap();
            let array = || engine.pinned::<i32>(transform.len()).unwrap();
            let (mut samples, mut output, mut back) = (array(), array(), array());
            samples.copy_from_slice(&random_samples(transform.len(), 1));
            let mut ordinary = Coefficients::zeros(&transform).unwrap();
            let mut work = || {
                plan.forward_pinned(&samples, &mut output)?;
                plan.inverse_pinned(&output, &mut back)?;
                assert!(*back == *samples);
                plan.forward_into(&samples, &mut ordinary)?;
                assert!(*ordinary.as_slice() == *output);
                Ok(())
            };
            let result: Result<(), Error> = work();
            result.unwrap();
            let used = engine.memory().used;
            for (fault, counter) in [
                (&layer.call, &layer.calls),
                (&layer.command, &layer.commands),
            ] {
                // Some of them: there are hundreds.
                for number in (1..).step_by(29) {
                    layer.reset();
                    fault.store(number, SeqCst);
                    let result = work();
                    let what = format!("{number} ({:?}, {})", layer.failed(), layer.record());
                    if counter.load(SeqCst) < number {
                        assert!(layer.record().contains('D'), "{what}");
                        result.unwrap();
                        break;
                    }
                    if let Err(error) = &result {
                        assert!(is_clear(error), "{what}: {error:?}");
                    }
                    layer.reset();
                    work().unwrap_or_else(|error| panic!("after {what}: {error}"));
                    assert_eq!(engine.memory().used, used, "after {what}");
                }
            }
        }
        layer.check_balance("after every failure");
    });
}
