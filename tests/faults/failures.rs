//! Every call and every command of a small transform fails in turn.

use crate::common::found_devices as devices;
use crate::foreign::{OUT_OF_ORDER, PROFILING, Program, set};
use crate::is_clear;
use crate::layer::{Case, Layer, with_layer};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::time::Duration;
use wavelift::{Device, Direction, Engine, Error, Event, Plan};

const LIMIT: Duration = Duration::from_secs(300);

/// What a fault leaves: an engine, and a plan, if they came about.
type Made = Option<(Engine, Option<Plan<i32>>)>;

/// Opens an engine and works with it, each time with a `fault` in the next call, until no
/// call is left that fails.
fn with_every_call(layer: &Layer, device: &Device, fault: &AtomicI64, then: impl Fn(&str, Made)) {
    let case = Case::new();
    for number in 1.. {
        layer.reset();
        fault.store(number, SeqCst);
        let engine = Engine::with_profiling(device);
        let mut plan = None;
        let result = engine.as_ref().map_err(Clone::clone);
        let result = result.and_then(|engine| case.work(engine, &mut plan));
        let calls = layer.calls.load(SeqCst);
        let what = format!("call {number} ({:?})", layer.failed());
        if let Err(error) = &result {
            assert!(is_clear(error), "{what}: {error:?}");
        }
        then(&what, engine.ok().map(|engine| (engine, plan)));
        layer.reset();
        layer.check_balance(&what);
        if calls < number {
            result.unwrap();
            assert!(number > 50, "only {calls} calls");
            println!("{calls} calls failed on {device}");
            return;
        }
    }
}

#[test]
fn devices_are_found_as_they_are_or_not_at_all() {
    let name = "failures::devices_are_found_as_they_are_or_not_at_all";
    with_layer(name, LIMIT, &[], |layer| {
        let known: Vec<String> = devices()
            .iter()
            .map(|one| format!("{:?}", one.info()))
            .collect();
        for number in 1.. {
            layer.reset();
            layer.call.store(number, SeqCst);
            let found = Device::all();
            let (calls, failed) = (layer.calls.load(SeqCst), layer.failed());
            match found {
                Ok(devices) => {
                    for device in &devices {
                        let info = format!("{:?}", device.info());
                        assert!(known.contains(&info), "{failed:?}: {info}");
                    }
                    if calls < number {
                        assert_eq!(devices.len(), known.len());
                        break;
                    }
                }
                Err(error) => assert!(is_clear(&error), "{failed:?}: {error:?}"),
            }
        }
    });
}

#[test]
fn a_call_fails() {
    with_layer("failures::a_call_fails", LIMIT, &[], |layer| {
        for device in devices() {
            with_every_call(layer, &device, &layer.call, |what, made| {
                layer.reset();
                if let Some((engine, mut plan)) = made {
                    // The same engine, and the same plan where it came
                    // about, are as good as before.
                    let result = Case::new().work(&engine, &mut plan);
                    result.unwrap_or_else(|error| panic!("after {what}: {error}"));
                }
            });
        }
    });
}

#[test]
fn a_device_is_lost() {
    with_layer("failures::a_device_is_lost", LIMIT, &[], |layer| {
        for device in devices() {
            with_every_call(layer, &device, &layer.lost, |what, made| {
                let is_lost = layer.calls.load(SeqCst) >= layer.lost.load(SeqCst);
                if let Some((engine, mut plan)) = made.filter(|_| is_lost) {
                    // It says so, and is released while it is lost.
                    let error = Case::new().work(&engine, &mut plan).unwrap_err();
                    assert!(is_clear(&error), "{what}: {error:?}");
                    assert!(error.to_string().contains("CL_DEVICE_NOT_AVAILABLE"));
                }
            });
        }
    });
}

/// Works with one engine and one plan.
fn outlives_every_failure(layer: &Layer, engine: &Engine, what: &str) {
    let case = Case::new();
    let mut plan = None;
    outlives_every(layer, [50, 10], what, || case.work(engine, &mut plan));
}

/// Works, each time with a fault in the next call or command, of which there are more than so
/// many, and once more without.
pub fn outlives_every(
    layer: &Layer,
    least: [i64; 2],
    what: &str,
    mut work: impl FnMut() -> Result<(), Error>,
) {
    layer.reset();
    work().unwrap();
    for (fault, counter, least) in [
        (&layer.call, &layer.calls, least[0]),
        (&layer.command, &layer.commands, least[1]),
    ] {
        for number in 1.. {
            layer.reset();
            fault.store(number, SeqCst);
            let result = work();
            let counted = counter.load(SeqCst);
            let place = format!(
                "{what}, {number} ({:?}, {})",
                layer.failed(),
                layer.record()
            );
            if counted < number {
                result.unwrap();
                assert!(number > least, "{place}");
                println!("{counted} calls or commands failed, {what}");
                break;
            }
            if let Err(error) = &result {
                assert!(is_clear(error), "{place}: {error:?}");
            }
            layer.reset();
            work().unwrap_or_else(|error| panic!("after {place}: {error}"));
        }
    }
}

#[test]
fn one_engine_outlives_every_failure() {
    let name = "failures::one_engine_outlives_every_failure";
    with_layer(name, LIMIT, &[], |layer| {
        for device in &devices() {
            outlives_every_failure(layer, &Engine::new(device).unwrap(), "plain");
            outlives_every_failure(layer, &Engine::with_profiling(device).unwrap(), "profiling");
            let program = Program::on(device, OUT_OF_ORDER | PROFILING);
            let open = || {
                // SAFETY: the handles are valid.
                unsafe { Engine::from_raw(program.context.raw, program.device, program.queue.raw) }
            };
            outlives_every_failure(layer, &open().unwrap(), "another program's, out of order");
            for number in 1.. {
                layer.reset();
                layer.call.store(number, SeqCst);
                match open() {
                    Err(error) => assert!(is_clear(&error), "{:?}: {error:?}", layer.failed()),
                    Ok(_) if layer.calls.load(SeqCst) < number => break,
                    Ok(_) => {}
                }
            }
            layer.reset();
        }
        layer.check_balance("after every failure");
    });
}

#[test]
fn what_comes_after_a_call_that_failed_still_waits_for_what_came_before() {
    let name = "failures::what_comes_after_a_call_that_failed_still_waits_for_what_came_before";
    with_layer(name, LIMIT, &[], |layer| {
        for device in &devices() {
            for properties in [0, OUT_OF_ORDER] {
                for direction in [Direction::Forward, Direction::Inverse] {
                    for elsewhere in [false, true] {
                        order_is_kept(layer, device, properties, direction, elsewhere);
                    }
                }
            }
        }
    });
}

/// Through one queue an array is written, behind a gate; every call of work on it through another
/// queue fails in turn. The same work once more, or through a third queue, then waits for the gate.
fn order_is_kept(
    layer: &Layer,
    device: &Device,
    properties: u64,
    direction: Direction,
    elsewhere: bool,
) {
    let case = Case::new();
    let len = case.samples.len();
    let program = Program::on(device, 0);
    let queue = program.another_queue(properties);
    let engine = program.engine();
    let first = case.plan(&engine).unwrap();
    let second = case.plan(&program.engine_on(&queue)).unwrap();
    let another = program.another_queue(properties);
    let third = case.plan(&program.engine_on(&another)).unwrap();
    let x = engine.upload(&case.samples).unwrap();
    let [mut y, mut z] = [(), ()].map(|()| engine.zeros(len).unwrap());
    for number in 1.. {
        layer.reset();
        y.write(&vec![0; len]).unwrap();
        let gate = program.user_event();
        // SAFETY: the event is valid.
        let event = unsafe { Event::from_raw(gate.raw) }.unwrap();
        first.enqueue_forward_after(&x, &mut y, &[event]).unwrap();
        let mut work = |plan: &Plan<i32>| match direction {
            Direction::Forward => plan.enqueue_forward(&x, &mut y),
            Direction::Inverse => plan.enqueue_inverse(&y, &mut z),
        };
        layer.reset();
        layer.call.store(number, SeqCst);
        let result = work(&second);
        let failed = layer.failed();
        layer.reset();
        let run = work(if elsewhere { &third } else { &second }).unwrap();
        std::thread::sleep(Duration::from_millis(10));
        let is_done = run.is_done();
        set(&gate, 0);
        run.wait().unwrap();
        let place =
            format!("{direction:?}, {properties}, elsewhere {elsewhere}, {number} ({failed:?})");
        assert_eq!(is_done, Ok(false), "{place}");
        assert_eq!(y.download().unwrap(), case.expected, "{place}");
        if direction == Direction::Inverse {
            assert_eq!(z.download().unwrap(), case.samples, "{place}");
        }
        if failed.is_none() {
            result.unwrap();
            assert!(number > 3, "{place}");
            return;
        }
    }
}

#[test]
fn a_failure_lasts_until_the_whole_array_is_written() {
    let name = "failures::a_failure_lasts_until_the_whole_array_is_written";
    with_layer(name, LIMIT, &[], |layer| {
        for device in devices() {
            let case = Case::new();
            let engine = Engine::new(&device).unwrap();
            let plan = case.plan(&engine).unwrap();
            let x = engine.upload(&case.samples).unwrap();
            let mut y = engine.zeros(case.samples.len()).unwrap();
            layer.reset();
            layer.command.store(1, SeqCst);
            plan.enqueue_forward(&x, &mut y)
                .unwrap()
                .wait()
                .unwrap_err();
            layer.reset();
            y.slice_mut(0, 1).unwrap().write(&[1]).unwrap();
            assert!(is_clear(&y.download().unwrap_err()));
            y.write(&case.samples).unwrap();
            assert_eq!(y.download().unwrap(), case.samples);
        }
    });
}

#[test]
fn one_device_of_two_is_lost() {
    let two = [("POCL_DEVICES", "pthread basic")];
    with_layer(
        "failures::one_device_of_two_is_lost",
        LIMIT,
        &two,
        |layer| {
            let devices = devices();
            let [one, other] = &devices[..] else {
                println!(
                    "not run: this needs two devices of PoCL, not {}",
                    devices.len()
                );
                return;
            };
            let case = Case::new();
            let engines = [one, other].map(|device| Engine::with_profiling(device).unwrap());
            let mut plans = [None, None];
            for (engine, plan) in engines.iter().zip(&mut plans) {
                case.work(engine, plan).unwrap();
            }
            for lost in 0..2 {
                layer.reset();
                layer
                    .device
                    .store(engines[lost].raw_device() as usize, SeqCst);
                layer.lost.store(1, SeqCst);
                let error = case.work(&engines[lost], &mut plans[lost]).unwrap_err();
                assert!(is_clear(&error), "{error:?}");
                case.work(&engines[1 - lost], &mut plans[1 - lost]).unwrap();
                assert!(layer.calls.load(SeqCst) > 0);
            }
            drop((engines, plans));
            layer.check_balance("one device of two");
        },
    );
}

#[test]
fn what_does_not_build_says_so_and_leaves_no_file() {
    const NAME: &str = "failures::what_does_not_build_says_so_and_leaves_no_file";
    with_layer(NAME, LIMIT, &[], |layer| {
        rejected(layer);
        assert!(programs_here().is_empty());
    });
}

#[test]
fn what_does_not_build_is_written_where_a_folder_is_named() {
    const NAME: &str = "failures::what_does_not_build_is_written_where_a_folder_is_named";
    with_layer(NAME, LIMIT, &[("WAVELIFT_DUMP", ".")], |layer| {
        let (log, program) = rejected(layer);
        let [file] = &programs_here()[..] else {
            panic!("one file was expected");
        };
        let text = fs::read_to_string(file).unwrap();
        assert!(text.starts_with(&program) && text.contains(log.trim()));
    });
}

/// The programs in the working folder, which is the test's own.
fn programs_here() -> Vec<PathBuf> {
    let files = fs::read_dir(".").unwrap().map(|file| file.unwrap().path());
    let is_program = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "cl");
    files.filter(is_program).collect()
}

/// The log and the program of what does not build.
fn rejected(layer: &Layer) -> (String, String) {
    let engine = Engine::new(&devices()[0]).unwrap();
    layer.spoil.store(1, SeqCst);
    let error = Case::new().plan(&engine).unwrap_err();
    let text = error.to_string();
    let Error::Build { log, program, .. } = error else {
        panic!("{error:?}")
    };
    assert!(log.contains("spoiled"), "{log}");
    assert!(
        text.contains(&log) && !text.contains("kernel void"),
        "{text}"
    );
    assert!(
        program.contains("kernel void") && program.contains("#define"),
        "{program}"
    );
    // The engine goes on.
    layer.spoil.store(0, SeqCst);
    Case::new()
        .work(&Engine::with_profiling(engine.device()).unwrap(), &mut None)
        .unwrap();
    Case::new().plan(&engine).unwrap();
    (log, program)
}
