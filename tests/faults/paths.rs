//! Every call and every command fails in turn of plans in place, and of slices of the host by
//! each way that they take.

use crate::common::{found_devices as devices, random_samples};
use crate::failures::outlives_every;
use crate::is_clear;
use crate::layer::{Layer, with_layer};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use wavelift::{
    Coefficients, Engine, Error, InPlacePlan, Layout, Plan, Strategy, Transform, Wavelet, reference,
};

const LIMIT: Duration = Duration::from_secs(300);

/// A plan in place, and what it is to give.
struct InPlace {
    transform: Transform,
    samples: Vec<i32>,
    expected: Vec<i32>,
    plan: Option<InPlacePlan<i32>>,
}

impl InPlace {
    fn new() -> Self {
        let transform = Transform::new(Wavelet::CDF_5_3, [5, 6]).layout(Layout::Interleaved);
        let samples = random_samples(transform.len(), 1);
        let expected = reference::forward(&transform, &samples).unwrap();
        InPlace {
            transform,
            samples,
            expected,
            plan: None,
        }
    }

    fn work(&mut self, engine: &Engine) -> Result<(), Error> {
        let plan = match &self.plan {
            Some(plan) => plan,
            None => self.plan.insert(engine.plan_in_place(&self.transform)?),
        };
        let mut x = engine.upload(&self.samples)?;
        plan.enqueue_forward(&mut x)?.wait()?;
        assert_eq!(x.download()?, self.expected);
        plan.enqueue_inverse(&mut x)?;
        assert_eq!(x.download()?, self.samples);
        // With a plan and scratch of its own.
        plan.another()?.enqueue_forward(&mut x)?.wait()
    }
}

/// Whether work came to its end before the call of this number, which was to fail; otherwise
/// its error must be clear.
fn is_last(layer: &Layer, number: i64, result: Result<(), Error>) -> bool {
    if let Err(error) = &result {
        assert!(is_clear(error), "{:?}: {error:?}", layer.failed());
    }
    let ended = layer.calls.load(SeqCst) < number;
    assert!(
        !ended || number > 30 && result.is_ok(),
        "only {number} calls: {result:?}"
    );
    ended
}

#[test]
fn plans_in_place_outlive_every_failure() {
    let name = "paths::plans_in_place_outlive_every_failure";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            let engine = Engine::new(&device).unwrap();
            let mut case = InPlace::new();
            outlives_every(layer, [30, 8], "in place", || case.work(&engine));
            // Building fails as well, and what was built is given back.
            for number in 1.. {
                layer.reset();
                layer.call.store(number, SeqCst);
                let result = InPlace::new().work(&engine);
                if is_last(layer, number, result) {
                    break;
                }
            }
        }
        layer.reset();
        layer.check_balance("after every failure in place");
    });
}

#[test]
fn a_device_is_lost_in_place() {
    with_layer("paths::a_device_is_lost_in_place", LIMIT, &[], |layer| {
        for device in devices() {
            for number in 1.. {
                layer.reset();
                let engine = Engine::new(&device).unwrap();
                let mut case = InPlace::new();
                layer.reset();
                layer.lost.store(number, SeqCst);
                let result = case.work(&engine);
                let is_last = is_last(layer, number, result);
                drop((engine, case));
                let failed = layer.failed();
                layer.reset();
                layer.check_balance(&format!("lost at call {number} ({failed:?})"));
                if is_last {
                    break;
                }
            }
        }
    });
}

/// A plan whose slices take the way that their length and the engine's threads lead to.
struct Slices {
    plan: Plan<i32>,
    samples: Vec<i32>,
    expected: Coefficients<i32>,
    coefficients: Coefficients<i32>,
    back: Vec<i32>,
}

impl Slices {
    fn new(engine: &Engine, shape: [usize; 2], strategy: Strategy) -> Self {
        let transform = Transform::new(Wavelet::CDF_5_3, shape);
        Slices::of(engine.plan_with(&transform, strategy).unwrap())
    }

    fn of(plan: Plan<i32>) -> Self {
        let transform = plan.transform().clone();
        let samples = random_samples::<i32>(transform.len(), 1);
        let expected = reference::forward(&transform, &samples).unwrap();
        Slices {
            plan,
            expected: Coefficients::from_parts(&transform, expected).unwrap(),
            coefficients: Coefficients::zeros(&transform).unwrap(),
            back: vec![0; samples.len()],
            samples,
        }
    }

    fn there(&mut self) -> Result<(), Error> {
        self.plan
            .forward_into(&self.samples, &mut self.coefficients)?;
        assert!(self.coefficients == self.expected);
        Ok(())
    }

    fn there_and_back(&mut self) -> Result<(), Error> {
        self.there()?;
        self.plan.inverse_into(&self.coefficients, &mut self.back)?;
        assert!(self.back == self.samples);
        Ok(())
    }
}

fn slices_outlive_every_failure(layer: &Layer, engine: &Engine, shape: [usize; 2], what: &str) {
    let mut slices = Slices::new(engine, shape, Strategy::Stepwise);
    outlives_every(layer, [15, 8], what, || slices.there_and_back());
}

#[test]
fn slices_of_the_host_outlive_every_failure() {
    let name = "paths::slices_of_the_host_outlive_every_failure";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            let engine = Engine::new(&device).unwrap();
            // CPUs take them where they stand.
            slices_outlive_every_failure(layer, &engine, [5, 6], "where they stand");
            assert!(layer.record().contains("PU"), "{}", layer.record());
            let by_driver = engine.with_copy_threads(1);
            slices_outlive_every_failure(layer, &by_driver, [5, 6], "by the driver");
        }
        layer.check_balance("after every failure of slices");
    });
}

/// Slices so large that they go in tiles, of which several are on their way.
fn in_tiles(engine: &Engine) -> Slices {
    tiles_of(&engine.with_memory_limit(7000).unwrap(), [60, 17])
}

fn tiles_of(engine: &Engine, shape: [usize; 2]) -> Slices {
    let transform = Transform::new(Wavelet::CDF_5_3, shape).levels(2);
    let slices = Slices::of(engine.plan(&transform).unwrap());
    let text = format!("{:?}", slices.plan);
    assert!(text.contains(" tiles, by"), "{text}");
    slices
}

/// To the device's arrays in pieces, and where they stand.
#[test]
fn tiles_outlive_every_failure() {
    let name = "paths::tiles_outlive_every_failure";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            let engine = Engine::new(&device).unwrap();
            for (engine, what) in [
                (engine.with_copy_threads(1), "copied"),
                (engine, "gathered"),
            ] {
                let mut slices = in_tiles(&engine);
                outlives_every(layer, [15, 8], what, || slices.there_and_back());
            }
        }
        layer.check_balance("after every failure of tiles");
    });
}

/// Tiles are chosen anew where others have taken the memory, and again when it is back and this
/// failed in between: what was made for the smaller tiles is not used for larger ones.
#[test]
fn tiles_chosen_anew_outlive_failures() {
    let name = "paths::tiles_chosen_anew_outlive_failures";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            let engine = Engine::new(&device).unwrap().with_copy_threads(2);
            let engine = engine.with_memory_limit(20000).unwrap();
            for number in 1.. {
                layer.reset();
                let mut slices = tiles_of(&engine, [180, 17]);
                let others = engine.zeros::<i32>(2600).unwrap();
                layer.reset();
                layer.call.store(number, SeqCst);
                let result = slices.there();
                let what = format!("{number} ({:?})", layer.failed());
                if let Err(error) = &result {
                    assert!(is_clear(error), "{what}: {error:?}");
                }
                drop(others);
                let is_beyond = result.is_err() && layer.record().contains('F');
                layer.reset();
                slices
                    .there()
                    .unwrap_or_else(|error| panic!("after {what}: {error}"));
                // Behind that no call makes anything.
                if is_beyond {
                    assert!(number > 8, "{what}");
                    break;
                }
            }
        }
        layer.check_balance("after every failure of tiles chosen anew");
    });
}

/// Slices so large that threads copy them through pinned memory, with the fastest kernels that take
/// all shapes: what fails are the calls around them.
fn large(engine: &Engine) -> Slices {
    Slices::new(engine, [1024, 2056], Strategy::Vectors)
}

#[test]
fn pinned_memory_outlives_every_failure() {
    let name = "paths::pinned_memory_outlives_every_failure";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            let engine = Engine::new(&device).unwrap().with_copy_threads(2);
            let mut slices = large(&engine);
            outlives_every(layer, [15, 8], "through pinned memory", || slices.there());
        }
        layer.check_balance("after every failure of pinned memory");
    });
}

/// The first call of a plan makes the slots of pinned memory as well.
#[test]
fn a_device_is_lost_while_threads_copy() {
    let name = "paths::a_device_is_lost_while_threads_copy";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            // Tiles do the same again and again, by twos and fours.
            for (slices_of, step) in [(large as fn(&Engine) -> Slices, 1), (in_tiles, 5)] {
                let mut kept = 0;
                for number in (1..).step_by(step) {
                    layer.reset();
                    let engine = Engine::new(&device).unwrap().with_copy_threads(2);
                    let mut slices = slices_of(&engine);
                    layer.reset();
                    layer.lost.store(number, SeqCst);
                    let result = slices.there();
                    if is_last(layer, number, result) {
                        break;
                    }
                    // What the device may still use is never used again,
                    // although nothing fails any more.
                    layer.reset();
                    let again = slices.there();
                    if let Err(error) = again {
                        let text = error.to_string();
                        let expected = "clFinish failed: CL_DEVICE_NOT_AVAILABLE";
                        assert!(text.contains(expected), "{number}: {text}");
                        kept += 1;
                    }
                }
                assert!(kept > 20, "{kept}");
            }
        }
    });
}
