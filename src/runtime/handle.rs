//! OpenCL objects that are released without a panic.

use cl3::types::cl_int;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, ClMem};
use opencl3::program::Program;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// An OpenCL object. Where it cannot be released, because its device is lost for example, that is
/// logged: opencl3 panics, and a panic during another one aborts the program.
#[derive(Debug)]
pub(crate) struct Handle<O: Release>(ManuallyDrop<O>);

/// What [`Handle`] can release.
///
/// # Safety
/// `release` gives back the one reference that the object holds.
pub(crate) unsafe trait Release {
    /// The OpenCL function that releases.
    const CALL: &'static str;

    /// # Safety
    /// The object is not used afterwards, and not dropped.
    unsafe fn release(&self) -> Result<(), cl_int>;
}

macro_rules! release {
    ($($call:literal $Object:ty, $($function:ident)::+;)*) => {$(
        // SAFETY: each object of opencl3 holds one reference, which its own `Drop`
        // gives back by this function.
        unsafe impl Release for $Object {
            const CALL: &'static str = $call;

            unsafe fn release(&self) -> Result<(), cl_int> {
                // SAFETY: the reference is the object's own, by the caller's
                // promise for the last time.
                unsafe { $($function)::+(self.get()) }
            }
        }
    )*};
}

release! {
    "clReleaseContext" Context, cl3::context::release_context;
    "clReleaseCommandQueue" CommandQueue, cl3::command_queue::release_command_queue;
    "clReleaseProgram" Program, cl3::program::release_program;
    "clReleaseKernel" Kernel, cl3::kernel::release_kernel;
    "clReleaseEvent" Event, cl3::event::release_event;
}

// SAFETY: as above.
unsafe impl<T> Release for Buffer<T> {
    const CALL: &'static str = "clReleaseMemObject";

    unsafe fn release(&self) -> Result<(), cl_int> {
        // SAFETY: the reference is the buffer's own, by the caller's promise for the last time.
        unsafe { cl3::memory::release_mem_object(self.get()) }
    }
}

impl<O: Release> From<O> for Handle<O> {
    fn from(object: O) -> Self {
        Handle(ManuallyDrop::new(object))
    }
}

impl<O: Release> Deref for Handle<O> {
    type Target = O;

    fn deref(&self) -> &O {
        &self.0
    }
}

impl<O: Release> Drop for Handle<O> {
    fn drop(&mut self) {
        // SAFETY: the object is never used again, and its own `Drop` never runs.
        if let Err(code) = unsafe { self.0.release() } {
            log::warn!("{} failed: {}", O::CALL, ClError(code));
        }
    }
}
