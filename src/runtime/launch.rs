//! Launches: kernels with their arguments, one after the other on a queue.

use super::context::opencl;
use super::event::{Event, WaitList};
use super::program::PassKernel;
use super::queue::Queue;
use crate::error::Result;
use crate::strategy::Pass;
use cl3::kernel::set_kernel_arg;
use opencl3::error_codes::{CL_SUCCESS, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE};
use opencl3::kernel::Kernel as ClKernel;
use opencl3::memory::ClMem;

/// A pass, bound to what it runs on.
pub(crate) struct BoundPass<'a> {
    pub kernel: &'a PassKernel,
    pub pass: &'a Pass,
    /// The buffers of its sides, with how many samples later these start than designed.
    pub sides: [(&'a dyn ClMem, i64); 3],
    /// Where its kernel counts the work-groups that have arrived, if it does, and how
    /// many were counted before.
    pub arrivals: Option<(&'a dyn ClMem, i32)>,
}

/// Enqueues passes one after the other, after `waits`. Returns an event of the end, and before it
/// those of other passes: of all where `every_pass` is asked for or the queue keeps no order, of
/// the first where the queue records times.
pub(crate) fn launch_all(
    queue: &Queue,
    passes: &[BoundPass],
    waits: &[Event],
    every_pass: bool,
) -> Result<Vec<Event>> {
    if passes.is_empty() {
        return Ok(vec![queue.marker(waits)?]);
    }
    let mut events: Vec<Event> = Vec::new();
    for (i, pass) in passes.iter().enumerate() {
        let (is_first, is_last) = (i == 0, i + 1 == passes.len());
        let chained = !queue.in_order;
        let sync = Sync {
            waits: match events.last() {
                Some(_) if chained && !is_first => &events[events.len() - 1..],
                // The last one as well: if one of the events fails, so does it, and
                // that is what a run reports.
                _ if is_first || is_last => waits,
                _ => &[],
            },
            wants_event: is_last || chained || every_pass || (is_first && queue.profiling),
        };
        let event = pass.kernel.launch(queue, pass, sync)?;
        events.extend(event);
    }
    Ok(events)
}

/// What a launch waits for, and whether it has an event, which is made only where one is wanted: on
/// an NVIDIA H200 the next kernel starts 2.7 us later for it.
#[derive(Clone, Copy)]
pub(crate) struct Sync<'a> {
    pub waits: &'a [Event],
    pub wants_event: bool,
}

/// Sets a kernel's arguments, some buffers and then some values, and enqueues it.
///
/// # Safety
/// The kernel takes exactly these arguments, and accesses no more of the buffers than there is.
pub(super) unsafe fn enqueue<M: ClMem + ?Sized, const BUFFERS: usize, const DIMENSIONS: usize>(
    queue: &Queue,
    kernel: &ClKernel,
    buffers: [&M; BUFFERS],
    values: &[&[u8]],
    global: [usize; DIMENSIONS],
    group: [usize; DIMENSIONS],
    sync: Sync,
) -> Result<Option<Event>> {
    let mut event = std::ptr::null_mut();
    let wanted = if sync.wants_event {
        &raw mut event
    } else {
        std::ptr::null_mut()
    };
    let waits = WaitList::of(sync.waits);
    // SAFETY: the arguments are the caller's promise; both sizes have a number for each dimension;
    // queue, kernel and events are alive, and `wanted` is null or points to a local. The calls copy
    // the values, and OpenCL keeps buffers and kernel, released or not, until the launch is done.
    unsafe {
        for (i, buffer) in buffers.into_iter().enumerate() {
            kernel
                .set_arg(i as u32, &buffer.get())
                .map_err(opencl("clSetKernelArg"))?;
        }
        for (i, value) in values.iter().enumerate() {
            let index = (BUFFERS + i) as u32;
            set_kernel_arg(kernel.get(), index, value.len(), value.as_ptr().cast())
                .map_err(|code| opencl("clSetKernelArg")(ClError(code)))?;
        }
        let (offset, dimensions) = (std::ptr::null(), DIMENSIONS as u32);
        let (global, group) = (global.as_ptr(), group.as_ptr());
        let (count, list) = (waits.count(), waits.first());
        let (queue, kernel) = (queue.handle.get(), kernel.get());
        let status = cl3::load_library().as_ref().ok().and_then(|runtime| {
            runtime.clEnqueueNDRangeKernel(
                queue, kernel, dimensions, offset, global, group, count, list, wanted,
            )
        });
        let status = status.unwrap_or(DLOPEN_FUNCTION_NOT_AVAILABLE);
        if status != CL_SUCCESS {
            return Err(opencl("clEnqueueNDRangeKernel")(ClError(status)));
        }
    }
    Ok(sync.wants_event.then(|| Event::owning(event)))
}
