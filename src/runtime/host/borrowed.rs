//! Slices of the host as arrays of a device that works in the host's memory: nothing is copied.
//!
//! Commands name memory that is only borrowed, so none may outlive the call. Where that cannot be
//! made sure the program ends.

use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Result;
use crate::runtime::array::{Backing, DeviceArray};
use crate::runtime::context::{Site, opencl};
use crate::runtime::event::{Event, WaitList};
use crate::runtime::queue::{Queue, Uses};
use crate::runtime::run::Run;
use crate::wavelet::Element;
use opencl3::error_codes::ClError;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, ClMem,
};
use opencl3::types::{CL_NON_BLOCKING, cl_mem_flags};

/// Runtimes for CPUs that are known to use memory of the host where it stands, and at multiples
/// of how many bytes they do: in buffers that start elsewhere Intel's works on a copy, which
/// takes it ten times as long.
const WHERE_IT_STANDS: [(&str, usize); 2] =
    [("Portable Computing Language", 1), ("Intel(R) OpenCL", 128)];

/// At multiples of how many bytes the device uses memory of the host
/// without copying it, if it does.
pub(in crate::runtime) fn stands_at(device: &DeviceInfo) -> Option<usize> {
    let mut known = WHERE_IT_STANDS.into_iter();
    let found = known.find(|(platform, _)| device.platform == *platform);
    found
        .filter(|_| device.kind == DeviceKind::Cpu)
        .map(|(_, multiple)| multiple)
}

/// Has `work` enqueue a run from one slice to another, and waits for it. Both lie where the
/// run's kernels take them, on a device that uses memory of the host where it stands, at a
/// multiple of so many bytes.
pub(in crate::runtime) fn where_they_stand<I: Element, O: Element>(
    site: &Site,
    multiple: usize,
    input: &[I],
    output: &mut [O],
    work: impl FnOnce(&DeviceArray<I>, &mut DeviceArray<O>) -> Result<Run>,
) -> Result<()> {
    let read = (input.as_ptr().cast_mut(), input.len());
    let written = (output.as_mut_ptr(), output.len());
    // SAFETY: the slices outlive the arrays and, by the guard, all commands that name them, of
    // which `work` enqueues none that writes the input. Only commands use the output meanwhile.
    let (from, mut to) = unsafe { over_both(site, multiple, read, written)? };
    let guard = FinishedOrAborted(&site.queue);
    let run = work(&from, &mut to)?;
    let [_, unmapped] = seen_by_host(&site.queue, &to, &run.event())?;
    unmapped.wait()?;
    // That was the last command of a chain, each of which waited for the one before.
    std::mem::forget(guard);
    Ok(())
}

/// Waits for the end of all commands of a queue, in order not to return what they may still use.
struct FinishedOrAborted<'a>(&'a Queue);

impl Drop for FinishedOrAborted<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.handle.finish() {
            log::error!("a device may still use memory that it was lent: clFinish failed: {error}");
            std::process::abort();
        }
    }
}

/// Makes arrays over the input and the output of a run, which start here and have so many samples.
///
/// # Safety
/// Both are there as long as the arrays and every command that names them, of which none
/// writes the input. As long as such commands run nothing else writes the input, and
/// nothing else uses the output.
pub(super) unsafe fn over_both<I: Element, O: Element>(
    site: &Site,
    multiple: usize,
    (read, read_len): (*mut I, usize),
    (written, written_len): (*mut O, usize),
) -> Result<(DeviceArray<I>, DeviceArray<O>)> {
    // SAFETY: by the caller's promise.
    unsafe {
        Ok((
            array_over(site, multiple, read, read_len, CL_MEM_READ_ONLY)?,
            array_over(site, multiple, written, written_len, CL_MEM_READ_WRITE)?,
        ))
    }
}

/// Makes an array of samples of the host. The buffer starts with what lies before them, back to a
/// multiple of so many bytes.
///
/// # Safety
/// The samples are there as long as the array and every command that names it; as long as such
/// commands run nothing else writes them, nor reads what commands write. The device uses what
/// starts there without copying it.
unsafe fn array_over<T: Element>(
    site: &Site,
    multiple: usize,
    samples: *mut T,
    len: usize,
    access: cl_mem_flags,
) -> Result<DeviceArray<T>> {
    let flags = access | CL_MEM_USE_HOST_PTR;
    let reserved = site.shared.reserve("a slice on the host", 0)?;
    let before = samples as usize % multiple / size_of::<T>();
    let start = samples.wrapping_sub(before);
    // SAFETY: so many samples are there, by the caller's promise. What lies before them is in the
    // same page of memory, and the device, which copies nothing, touches only what commands name:
    // kernels and maps begin with the first of the samples.
    let buffer = unsafe { Buffer::create(&site.shared.context, flags, before + len, start.cast()) };
    let buffer = buffer.map_err(opencl("clCreateBuffer"))?;
    let memory = Backing {
        root: 0,
        start: start as usize,
        offset: before,
        flags,
    };
    let uses = Uses::none(&site.queue);
    Ok(DeviceArray::of_parts(
        buffer.into(),
        reserved,
        len,
        memory,
        uses,
    ))
}

/// Enqueues what lets the host see what was written up to an event, as a device may keep results to
/// itself until they are mapped: the events of mapping and unmapping. One wait for both is enough:
/// with one for each command small pictures take half as long again.
pub(super) fn seen_by_host<T: Element>(
    queue: &Queue,
    array: &DeviceArray<T>,
    end: &Event,
) -> Result<[Event; 2]> {
    let (called, memory) = (queue.handle.get(), array.buffer.get());
    let [first, bytes] = [array.memory.offset, array.len()].map(|samples| samples * size_of::<T>());
    let mut mapped = std::ptr::null_mut();
    let after = |event: &Event| WaitList::of(std::slice::from_ref(event));
    // SAFETY: queue, buffer and events are alive, and the buffer has so many bytes. What is
    // mapped is only unmapped again.
    unsafe {
        let map = cl3::command_queue::enqueue_map_buffer(
            called,
            memory,
            CL_NON_BLOCKING,
            CL_MAP_READ,
            first,
            bytes,
            &mut mapped,
            1,
            after(end).first(),
        );
        let map = Event::owning(map.map_err(|code| opencl("clEnqueueMapBuffer")(ClError(code)))?);
        let unmap = cl3::command_queue::enqueue_unmap_mem_object(
            called,
            memory,
            mapped,
            1,
            after(&map).first(),
        );
        let unmap = unmap.map_err(|code| opencl("clEnqueueUnmapMemObject")(ClError(code)))?;
        Ok([map, Event::owning(unmap)])
    }
}
