//! Every call and every command of a small transform fails in turn.

use crate::common::devices;
use crate::is_clear;
use crate::layer::{Case, Layer, with_layer};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::time::Duration;
use wavelift::{Device, Engine, Error, Plan};

const LIMIT: Duration = Duration::from_secs(300);

/// Opens an engine and works with it, each time with another `fault` number, until no number is left that fails. `counter` counts
/// what can fail. Returns how often something did.
fn with_every(
    layer: &Layer,
    device: &Device,
    fault: &AtomicI64,
    counter: &AtomicI64,
    then: impl Fn(&str, Option<(Engine, Option<Plan<i32>>)>),
) -> i64 {
    let case = Case::new();
    for number in 1.. {
        layer.reset();
        fault.store(number, SeqCst);

        let engine = Engine::with_profiling(device);
        let mut plan = None;
        let result = engine
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|engine| case.work(engine, &mut plan));
        let counted = counter.load(SeqCst);
        let what = format!("number {number} ({:?})", layer.failed());
        if let Err(error) = &result {
            assert!(is_clear(error), "{what}: {error:?}");
        }
        then(&what, engine.ok().map(|engine| (engine, plan)));
        layer.reset();
        layer.check_balance(&what);
        if counted < number {
            result.unwrap();
            return number - 1;
        }
    }
    unreachable!()
}

/// The same engine, and the same plan where it was made, are as good as before.
fn goes_on(layer: &Layer, what: &str, made: Option<(Engine, Option<Plan<i32>>)>) {
    layer.reset();
    if let Some((engine, mut plan)) = made {
        let result = Case::new().work(&engine, &mut plan);
        result.unwrap_or_else(|error| panic!("after {what}: {error}"));
    }
}

#[test]
fn a_call_fails() {
    with_layer("failures::a_call_fails", LIMIT, &[], |layer| {
        for device in devices() {
            let calls = with_every(layer, &device, &layer.call, &layer.calls, |what, made| {
                goes_on(layer, what, made);
            });
            assert!(calls > 50, "only {calls} calls");
            println!("each of {calls} calls failed on {device}");
        }
    });
}

#[test]
fn a_command_fails() {
    with_layer("failures::a_command_fails", LIMIT, &[], |layer| {
        for device in devices() {
            let fault = &layer.command;
            let commands = with_every(layer, &device, fault, &layer.commands, |what, made| {
                goes_on(layer, what, made);
            });
            assert!(commands > 10, "only {commands} commands");
            println!("each of {commands} commands failed on {device}");
        }
    });
}

#[test]
fn a_device_is_lost() {
    with_layer("failures::a_device_is_lost", LIMIT, &[], |layer| {
        for device in devices() {
            let calls = with_every(layer, &device, &layer.lost, &layer.calls, |what, made| {
                if let Some((engine, mut plan)) =
                    made.filter(|_| layer.calls.load(SeqCst) >= layer.lost.load(SeqCst))
                {
                    // It says so.
                    let error = Case::new().work(&engine, &mut plan).unwrap_err();
                    assert!(is_clear(&error), "{what}: {error:?}");
                    assert!(error.to_string().contains("CL_DEVICE_NOT_AVAILABLE"));
                    // Released while it is lost.
                }
            });
            assert!(calls > 50, "only {calls} calls");
            println!("a device was lost in each of {calls} calls on {device}");
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
