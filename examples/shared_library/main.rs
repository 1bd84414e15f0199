//! A shared library with a C interface, for programs that are not Rust: they allocate,
//! wavelift transforms, they read. This is an example to copy from, no interface that
//! the crate promises to keep.
//!
//! `cargo build --release --example shared_library` makes
//! `target/release/examples/libshared_library.so`; `examples/shared_library/wavelift.py` calls it
//! from Python, on what PyOpenCL made.
//!
//! Every function returns 0, or 1 and leaves a message for `wavelift_error`. A panic is
//! caught, and is such an error.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use wavelift::{DeviceArray, Engine, Error, Event, Plan, Transform, Wavelet};

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs what a C function does; its error or panic becomes a message of this thread.
fn guarded(work: impl FnOnce() -> Result<(), Error>) -> c_int {
    let message = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error.to_string(),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            format!("a bug in wavelift: {}", text.unwrap_or_default())
        }
    };
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    MESSAGE.set(message);
    1
}

/// The message of the last error of this thread, valid until its next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn wavelift_error() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// Opens an engine on a context, device and queue, which it retains, and leaves it in `engine`.
///
/// # Safety
/// The handles are those of `Engine::from_raw`; `engine` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavelift_open(
    context: *mut c_void,
    device: *mut c_void,
    queue: *mut c_void,
    engine: *mut *mut Engine,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised.
        unsafe {
            let opened = Engine::from_raw(context, device, queue)?;
            engine.write(Box::into_raw(Box::new(opened)));
        }
        Ok(())
    })
}

/// Closes an engine; its plans stay.
///
/// # Safety
/// It was opened by `wavelift_open`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavelift_close(engine: *mut Engine) {
    guarded(|| {
        // SAFETY: as promised.
        drop(unsafe { Box::from_raw(engine) });
        Ok(())
    });
}

/// What a caller says is so long; nothing where that is 0, whatever the pointer is.
///
/// # Safety
/// Unless `count` is 0, `first` points to as many.
unsafe fn slice_of<'a, T>(first: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: as promised.
        _ => unsafe { std::slice::from_raw_parts(first, count) },
    }
}

/// Builds a plan of all axes of `f32` arrays, by the name of a wavelet, and leaves it in `plan`.
///
/// # Safety
/// `engine` was opened by `wavelift_open`, `wavelet` ends with 0, `shape` has so many `axes`,
/// and `plan` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavelift_plan(
    engine: *const Engine,
    wavelet: *const c_char,
    shape: *const usize,
    axes: usize,
    levels: u32,
    plan: *mut *mut Plan<f32>,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised.
        let (engine, name, shape) = unsafe {
            let shape = slice_of(shape, axes);
            (&*engine, CStr::from_ptr(wavelet).to_string_lossy(), shape)
        };
        let transform = Transform::new(name.parse::<Wavelet>()?, shape).levels(levels);
        let built = Box::new(engine.plan::<f32>(&transform)?);
        // SAFETY: as promised.
        unsafe { plan.write(Box::into_raw(built)) };
        Ok(())
    })
}

/// Drops a plan, after which its runs still end as they should.
///
/// # Safety
/// It was built by `wavelift_plan`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavelift_drop_plan(plan: *mut Plan<f32>) {
    guarded(|| {
        // SAFETY: as promised.
        drop(unsafe { Box::from_raw(plan) });
        Ok(())
    });
}

/// Enqueues a transform from a buffer to another on the engine's queue, from byte offsets on,
/// forward or (`inverse` is not 0) back, after so many events. Leaves an event of its end in `end`,
/// for the caller to release, if that is not null.
///
/// # Safety
/// `engine` and `plan` are alive, and the plan is the engine's; the buffers keep the promises of
/// `DeviceArray::from_raw`, the events those of `Event::from_raw`; there are so many of them; `end`
/// can be written if it is not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavelift_enqueue(
    engine: *const Engine,
    plan: *const Plan<f32>,
    inverse: c_int,
    from: *mut c_void,
    from_offset: usize,
    to: *mut c_void,
    to_offset: usize,
    after: *const *mut c_void,
    count: usize,
    end: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised.
        let (plan, from, mut to, after) = unsafe {
            let (engine, plan) = (&*engine, &*plan);
            let len = plan.transform().len();
            let from = DeviceArray::from_raw(engine, from, from_offset, len)?;
            let to = DeviceArray::from_raw(engine, to, to_offset, len)?;
            let after = slice_of(after, count)
                .iter()
                .map(|&event| Event::from_raw(event));
            (plan, from, to, after.collect::<Result<Vec<_>, _>>()?)
        };
        let run = match inverse {
            0 => plan.enqueue_forward_after(&from, &mut to, &after)?,
            _ => plan.enqueue_inverse_after(&from, &mut to, &after)?,
        };
        if !end.is_null() {
            // SAFETY: as promised; a reference for the caller is kept.
            unsafe { end.write(run.event().into_raw()?) };
        }
        Ok(())
    })
}
