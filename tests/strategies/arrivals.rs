//! The last work-group to arrive goes on with the coarse levels, of which there is one: run after
//! run, by several plans at a time.

use super::*;
use crate::layer::with_layer;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use wavelift::{DeviceArray, Fence, Plan, reference};

/// What goes on in one launch on any device that has a fence, whatever its size: of two pictures,
/// so that work-groups of one are not those of the other.
fn pictures() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [2, 130, 150])
        .axes([1, 2])
        .levels(5)
}

/// Devices whose work-groups see what others have stored, taken for GPUs.
fn with_fence(what: &str) -> Vec<Device> {
    let has_groups = |info: &DeviceInfo| info.max_work_group >= 256;
    let has_fence =
        |info: &DeviceInfo| info.atomics != Fence::None || info.exchange == Exchange::Ptx;
    let mut found = devices();
    found.retain(|device| {
        can_run(what, device, "work-groups-of-256", has_groups)
            && can_run(what, device, "fence", has_fence)
    });
    let taken = |device: Device| device.with_kind(DeviceKind::Gpu);
    found.into_iter().map(taken).collect()
}

/// A plan, and whether its last work-groups to arrive go on.
fn planned(engine: &Engine) -> (Plan<i32>, bool) {
    let plan = engine.plan_with::<i32>(&pictures(), Strategy::Pyramid);
    let plan = plan.unwrap();
    let passes = format!("{plan:?}");
    let goes_on = passes.contains("Temp");
    (plan, goes_on)
}

fn plan(engine: &Engine) -> Plan<i32> {
    let (plan, goes_on) = planned(engine);
    assert!(goes_on, "{plan:?}");
    plan
}

/// Four threads: two share a plan, one has another plan on the same queue, one a plan on a queue of
/// its own. Each transforms its own samples from one array to another, a few runs at a time without
/// waiting, and looks at the last result.
#[test]
fn thousands_of_runs_are_right() {
    let runs = std::env::var("WAVELIFT_RUNS").map_or(1000, |text| text.parse().unwrap());
    let what = "runs in which work-groups arrive";
    for device in with_fence(what) {
        let engine = Engine::new(&device).unwrap();
        let shared = plan(&engine);
        let others = [plan(&engine), plan(&engine.another().unwrap())];
        let plans = [&shared, &shared, &others[0], &others[1]];
        std::thread::scope(|scope| {
            for (thread, plan) in plans.into_iter().enumerate() {
                let engine = &engine;
                scope.spawn(move || run_often(engine, plan, thread as u64, runs));
            }
        });
        ran(what, &device);
    }
}

fn run_often(engine: &Engine, plan: &Plan<i32>, thread: u64, runs: usize) {
    let len = pictures().len();
    let cases: Vec<(DeviceArray<i32>, Vec<i32>)> = (0..3)
        .map(|case| {
            let samples = random_samples::<i32>(len, 10 * thread + case);
            let expected = reference::forward(&pictures(), &samples).unwrap();
            (engine.upload(&samples).unwrap(), expected)
        })
        .collect();
    let mut coefficients = engine.zeros::<i32>(len).unwrap();
    let mut got = vec![0; len];
    for run in 0..runs {
        let (samples, expected) = &cases[(run + run / 4) % cases.len()];
        plan.enqueue_forward(samples, &mut coefficients).unwrap();
        if run % 4 == 3 {
            coefficients.download_into(&mut got).unwrap();
            assert!(got == *expected, "run {run} of thread {thread}");
        }
    }
}

/// A launch of which some work-groups never ran, as where a driver cuts it off, whether it says so
/// or not: the next is right.
#[test]
fn after_a_launch_that_was_cut_off_the_next_is_right() {
    let name = "arrivals::after_a_launch_that_was_cut_off_the_next_is_right";
    with_layer(name, Duration::from_secs(300), &[], |layer| {
        let what = "launches that are cut off";
        for device in with_fence(what) {
            let engine = Engine::new(&device).unwrap();
            let plan = plan(&engine);
            let samples = random_samples::<i32>(pictures().len(), 1);
            let expected = reference::forward(&pictures(), &samples).unwrap();
            let x = engine.upload(&samples).unwrap();
            let run = |is_cut| {
                let mut y = engine.zeros::<i32>(samples.len()).unwrap();
                layer.cut.store(is_cut, SeqCst);
                plan.enqueue_forward(&x, &mut y).unwrap();
                layer.cut.store(0, SeqCst);
                y.download().unwrap() == expected
            };
            for round in 0..3 {
                assert!(run(0), "round {round}");
                assert!(!run(1) && !run(1), "they were whole");
            }
            assert!(run(0));
            ran(what, &device);
        }
    });
}

/// A fence that does not build, in the probe or in a kernel alone, or that does not
/// count right, is left out.
#[test]
fn without_a_fence_nobody_goes_on() {
    let what = "devices that lie about their fence";
    let missing = "#define memory_scope_device no_such_scope\n";
    let in_kernel = format!("#ifdef PLACES\n{missing}#endif\n");
    let wrong = "#define atomic_fetch_max_explicit(counter, least, order, scope)\n";
    for device in with_fence(what) {
        let mut limits = device.info().clone();
        (limits.atomics, limits.exchange) = (Fence::None, Exchange::None);
        let portable = Engine::new(&device.with_limits(&limits)).unwrap();
        let (portable, goes_on) = planned(&portable);
        assert!(!goes_on, "{portable:?}");
        if device.info().atomics == Fence::None {
            continue;
        }
        for lie in [missing, &in_kernel, wrong] {
            // SAFETY: they are about how work-groups are counted: at worst
            // none goes on, or several.
            let lying = unsafe { device.with_lie(&[(Exchange::None, 1)], lie) };
            let engine = Engine::new(&lying).unwrap();
            assert_eq!(format!("{:?}", planned(&engine).0), format!("{portable:?}"));
            check::<i32>(&engine, Strategy::Pyramid, &pictures(), 1);
        }
        ran(what, &device);
    }
}
