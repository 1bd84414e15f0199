//! The probe is built and runs on a device, which has so long for it.

use super::source::{probe_kernel, probe_prelude};
use super::{GROUPS, Probe, ROUNDS, TOLD};
use crate::device::{Device, Fence, described};
use crate::error::{Error, Result};
use crate::runtime::context::opencl;
use crate::runtime::handle::Handle;
use crate::runtime::launch::{Sync, enqueue};
use crate::runtime::program::{compile, source};
use crate::runtime::queue::Queue;
use crate::runtime::sub_groups::check_sub_groups;
use opencl3::context::Context;
use opencl3::kernel::Kernel as ClKernel;
use opencl3::memory::{Buffer, CL_MEM_COPY_HOST_PTR, CL_MEM_READ_WRITE};
use std::sync::mpsc;
use std::time::Duration;

/// How long a device may take to run the probe, which takes microseconds. A kernel that does
/// nothing runs before it, for as long as it takes: some drivers finish compiling when a kernel
/// first runs, and NVIDIA's compiles one program at a time for all processes of a machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a result is before the device writes it.
const POISON: i32 = 0x5EED_F00D_u32 as i32;

impl Probe {
    /// Builds and runs the probe, and returns what the work-items tell.
    pub(super) fn run(&self, context: &Context, device: &Device) -> Result<Vec<i32>> {
        if self.group == 0 {
            return Err(Error::Unsupported {
                what: format!("exchange by {}", described(self.way)),
                why: format!(
                    "work-groups have {} work-items",
                    device.info().max_work_group
                ),
            });
        }
        let kernel = probe_kernel(self.way, self.group);
        let text = source(&probe_prelude(device.info()), &kernel, device.lie());
        let program = compile(context, device, &text, Fence::None)?;
        let made = |name| -> Result<Handle<_>> {
            let made = ClKernel::create(&program, name);
            Ok(made.map_err(opencl("clCreateKernel"))?.into())
        };
        let (built, ready) = (made(kernel.name)?, made("ready")?);
        check_sub_groups(device, &built, &kernel, self.way)?;
        let queue = Queue::own(context, device, 0)?;
        let mut poison = vec![POISON; GROUPS * self.group * TOLD];
        let mut own = self.bits.clone();
        let given = array(context, &mut own)?;
        let told = array(context, &mut poison)?;
        let sync = Sync {
            waits: &[],
            wants_event: true,
        };
        // SAFETY: the kernel takes one buffer, the first number of which it writes.
        let event = unsafe { enqueue(&queue, &ready, [&*told], &[], [1], [1], sync) }?;
        if let Some(event) = event {
            event.wait()?;
        }
        let (buffers, rounds) = ([&*given, &*told], (ROUNDS as i32).to_ne_bytes());
        let (global, group) = ([GROUPS * self.group], [self.group]);
        // SAFETY: the kernel takes two buffers and an `int`; of each work-item it reads two
        // numbers and writes TOLD.
        let event = unsafe { enqueue(&queue, &built, buffers, &[&rounds], global, group, sync) }?;
        queue.flush()?;
        if let Some(event) = event
            && !ends(PATIENCE, move || event.wait())?
        {
            // Releasing what a kernel uses that never ends would wait for it.
            std::mem::forget((given, told, program, built, queue));
            return Err(Error::Unsupported {
                what: "the probe".to_owned(),
                why: format!("it was not done after {PATIENCE:?}"),
            });
        }
        read(&queue, &told, &mut poison)?;
        Ok(poison)
    }
}

/// A buffer of these numbers.
pub(super) fn array(context: &Context, from: &mut [i32]) -> Result<Handle<Buffer<i32>>> {
    let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    // SAFETY: the call copies as many numbers as there are.
    let buffer = unsafe { Buffer::create(context, flags, from.len(), from.as_mut_ptr().cast()) };
    Ok(buffer.map_err(opencl("clCreateBuffer"))?.into())
}

/// Waits for what was enqueued, and reads a buffer of [`array`], of as many numbers.
pub(super) fn read(queue: &Queue, from: &Buffer<i32>, to: &mut [i32]) -> Result<()> {
    // SAFETY: the queue and the buffer are alive, which has as many numbers; the call waits.
    let read = unsafe { queue.handle.enqueue_read_buffer(from, 1, 0, to, &[]) };
    let _released: Handle<_> = read.map_err(opencl("clEnqueueReadBuffer"))?.into();
    Ok(())
}

/// Whether a wait ends, well, before `patience` does.
fn ends(patience: Duration, wait: impl FnOnce() -> Result<()> + Send + 'static) -> Result<bool> {
    let (tell, told) = mpsc::channel();
    let thread = std::thread::Builder::new().spawn(move || tell.send(wait()));
    let thread = thread.map_err(|error| Error::Thread {
        what: "the probe of the device",
        why: format!("no thread can wait for it: {error}"),
    })?;
    match told.recv_timeout(patience) {
        Ok(ended) => {
            // It gives back its reference to the event.
            let _ = thread.join();
            ended.map(|()| true)
        }
        Err(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() {
        let (end, wait) = mpsc::channel::<()>();
        let forever = move || {
            let _ = wait.recv();
            Ok(())
        };
        assert_eq!(ends(Duration::from_millis(20), forever), Ok(false));
        drop(end);
        assert_eq!(ends(PATIENCE, || Ok(())), Ok(true));
        let failed = Error::Unsupported {
            what: "the wait".to_owned(),
            why: "it failed".to_owned(),
        };
        let fails = failed.clone();
        assert_eq!(ends(PATIENCE, || Err(fails)), Err(failed));
    }
}
