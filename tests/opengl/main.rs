//! Engines on OpenGL's context, and arrays that are its buffers, on a device that the layer of
//! tests/layer plays: `xvfb-run cargo test --features ocl-interop --test opengl`. No driver for
//! CPUs shares with OpenGL.
#![cfg(feature = "ocl-interop")]

#[path = "../common/mod.rs"]
mod common;
mod gl;
#[path = "../layer/mod.rs"]
mod layer;

use common::{can_run, found_devices as devices};
use layer::{Case, Layer, with_layer};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use wavelift::{Device, DeviceArray, DeviceInfo, Engine, Error, Layout, reference};

const LIMIT: Duration = Duration::from_secs(120);

/// A device that shares with OpenGL, as the layer plays it.
fn sharing(layer: &Layer) -> Device {
    layer.sharing.store(1, SeqCst);
    let device = devices().remove(0);
    assert!(device.info().has_extension("cl_khr_gl_sharing"));
    device
}

fn with_gl(device: &Device) -> Result<Engine, Error> {
    // SAFETY: the OpenGL context exists until the process ends.
    unsafe { Engine::with_gl(device) }
}

fn from_gl(
    engine: &Engine,
    buffer: u32,
    offset: usize,
    len: usize,
) -> Result<DeviceArray<i32>, Error> {
    // SAFETY: OpenGL is done with the buffer, and uses it again only when each run is done.
    unsafe { DeviceArray::from_gl(engine, buffer, offset, len) }
}

/// Runs a test as [`with_layer`] does, where there is an X server.
fn with_window(test: &str, body: impl FnOnce(&'static Layer)) {
    let has_server = |_: &DeviceInfo| std::env::var_os("DISPLAY").is_some();
    if can_run(test, &devices()[0], "opengl", has_server) {
        with_layer(test, LIMIT, &[], body);
    }
}

#[test]
fn without_a_current_context_nothing_is_called() {
    let name = "without_a_current_context_nothing_is_called";
    with_layer(name, LIMIT, &[], |layer| {
        let device = sharing(layer);
        layer.reset();
        let refused = with_gl(&device).unwrap_err();
        assert!(matches!(refused, Error::Handle { .. }), "{refused}");
        assert!(refused.to_string().contains("current on this thread"));
        assert_eq!(layer.calls.load(SeqCst), 0);
    });
}

#[test]
fn a_device_that_does_not_share_is_refused() {
    let name = "a_device_that_does_not_share_is_refused";
    with_window(name, |layer| {
        gl::open();
        let buffer = gl::buffer(&[1, 2, 3, 4]);
        for device in devices() {
            let engine = Engine::new(&device).unwrap();
            layer.reset();
            for refused in [
                with_gl(&device).map(drop),
                from_gl(&engine, buffer, 0, 4).map(drop),
            ] {
                let error = refused.unwrap_err();
                assert!(matches!(error, Error::Unsupported { .. }), "{error}");
                assert!(error.to_string().contains("cl_khr_gl_sharing"));
            }
            assert_eq!(layer.calls.load(SeqCst), 0);
        }
    });
}

#[test]
fn buffers_are_acquired_and_released_around_what_uses_them() {
    let name = "buffers_are_acquired_and_released_around_what_uses_them";
    with_window(name, |layer| {
        let device = sharing(layer);
        gl::open();
        let case = Case::new();
        let len = case.samples.len();
        let [from, to] = [&case.samples, &vec![0; len]].map(|samples| gl::buffer(samples));
        {
            let engine = with_gl(&device).unwrap();
            let plan = case.plan(&engine).unwrap();
            let mut x = from_gl(&engine, from, 0, len).unwrap();
            let mut y = from_gl(&engine, to, 0, len).unwrap();

            layer.reset();
            plan.enqueue_forward(&x, &mut y).unwrap().wait().unwrap();
            let record = layer.record();
            let passes = record
                .strip_prefix('A')
                .and_then(|rest| rest.strip_suffix('R'));
            let is_pass = |letter| letter == 'K';
            assert!(
                passes.is_some_and(|passes| passes.len() > 1 && passes.chars().all(is_pass)),
                "{record}"
            );
            assert_eq!(gl::read(to, len), case.expected);

            // One of two arrays shared; in place; copies to and from the host; by a plain kernel.
            let mut own = engine.zeros(len).unwrap();
            plan.enqueue_inverse(&y, &mut own).unwrap().wait().unwrap();
            assert_eq!(own.download().unwrap(), case.samples);
            let zeros = vec![0; len];
            x.write(&zeros).unwrap();
            assert_eq!(gl::read(from, len), zeros);
            engine.enqueue_copy(&own, &mut x).unwrap().wait().unwrap();
            assert_eq!(gl::read(from, len), case.samples);
            let interleaved = case.transform.clone().layout(Layout::Interleaved);
            let in_place = engine.plan_in_place::<i32>(&interleaved).unwrap();
            in_place.enqueue_forward(&mut x).unwrap().wait().unwrap();
            let expected = reference::forward(&interleaved, &case.samples).unwrap();
            assert_eq!(gl::read(from, len), expected);
            layer.reset();
            assert_eq!(x.download().unwrap(), expected);
            assert_eq!(layer.record(), "ATR");

            // OpenGL's part.
            drop((x, y));
            let part = from_gl(&engine, from, 8, len - 2).unwrap();
            assert_eq!(part.download().unwrap(), expected[2..]);
        }
        layer.check_balance("OpenGL's buffers");
    });
}

/// Each call and each command of a run fails in turn.
#[test]
fn buffers_are_released_where_something_fails() {
    let name = "buffers_are_released_where_something_fails";
    with_window(name, |layer| {
        let device = sharing(layer);
        gl::open();
        let case = Case::new();
        let len = case.samples.len();
        let [from, to] = [&case.samples, &vec![0; len]].map(|samples| gl::buffer(samples));
        let engine = with_gl(&device).unwrap();
        let plan = case.plan(&engine).unwrap();
        let x = from_gl(&engine, from, 0, len).unwrap();
        let mut y = from_gl(&engine, to, 0, len).unwrap();
        for (fault, counter, least) in [
            (&layer.call, &layer.calls, 10),
            (&layer.command, &layer.commands, 4),
        ] {
            for number in 1.. {
                layer.reset();
                fault.store(number, SeqCst);
                let run = plan.enqueue_forward(&x, &mut y);
                let done = run.and_then(|run| run.wait());
                let what = format!(
                    "{number} ({:?}): {done:?}, {}",
                    layer.failed(),
                    layer.record()
                );
                let (record, failed) = (layer.record(), layer.failed());
                if counter.load(SeqCst) < number {
                    assert!(done.is_ok() && number > least, "{what}");
                    break;
                }
                // What cannot be released stays OpenCL's.
                let is_acquired = record.contains('A') && !record.contains("A!");
                if is_acquired && failed.is_none_or(|name| !name.contains("Release")) {
                    assert!(record.trim_end_matches('!').ends_with('R'), "{what}");
                }
                if let Err(error) = &done {
                    assert!(matches!(error, Error::OpenCl { .. }), "{what}");
                } else {
                    // No more than giving back an event failed.
                    assert!(
                        failed.is_some_and(|name| name.contains("clRelease")),
                        "{what}"
                    );
                }
                layer.reset();
                plan.enqueue_forward(&x, &mut y).unwrap().wait().unwrap();
                assert_eq!(gl::read(to, len), case.expected, "{what}");
            }
        }
    });
}

#[test]
fn what_is_no_such_buffer_is_refused() {
    let name = "what_is_no_such_buffer_is_refused";
    with_window(name, |layer| {
        let device = sharing(layer);
        gl::open();
        let engine = with_gl(&device).unwrap();
        let buffer = gl::buffer(&[1, 2, 3, 4]);
        let unknown = from_gl(&engine, buffer + 100, 0, 4).unwrap_err();
        assert!(matches!(unknown, Error::OpenCl { .. }), "{unknown}");
        for (offset, len) in [(0, 5), (4, 4), (16, 1), (usize::MAX, 1), (0, usize::MAX)] {
            let small = from_gl(&engine, buffer, offset, len).unwrap_err();
            assert!(matches!(small, Error::Handle { .. }), "{small}");
        }
        let odd = from_gl(&engine, buffer, 2, 3).unwrap_err();
        assert!(matches!(odd, Error::Misaligned { .. }), "{odd}");
        drop(engine);
        layer.check_balance("refused buffers");
    });
}
