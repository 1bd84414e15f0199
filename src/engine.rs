//! An engine runs on one device: a context, one in-order queue, the programs built so far. Its arrays are
//! device memory.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::program::CopyKernel;
use crate::sample::Sample;
use crate::strategy::Strategy;
use crate::transform::Transform;
use crate::tuning::Tuning;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_command_queue_properties};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What an engine's arrays and plans keep alive.
pub(crate) struct Shared {
    pub context: Context,
    pub queue: CommandQueue,
    /// Whether the queue's events know when their work started and ended.
    pub profiling: bool,
    pub device: Device,
    pub programs: Mutex<HashMap<String, Arc<Program>>>,
    copy: Mutex<Option<CopyKernel>>,
}

/// Names the OpenCL call in an error.
pub(crate) fn opencl(call: &'static str) -> impl Fn(ClError) -> Error {
    move |error| Error::OpenCl {
        call,
        name: error.to_string(),
        code: error.0,
    }
}

impl Shared {
    /// Whether the device can hold arrays of these sizes in bytes at once.
    pub fn check_memory(&self, what: &str, arrays: &[u64]) -> Result<()> {
        let info = self.device.info();
        let refuse = |needed, limit| {
            Err(Error::Memory {
                what: what.to_owned(),
                device: self.device.to_string(),
                needed,
                limit,
            })
        };
        match arrays.iter().max() {
            Some(&largest) if largest > info.max_allocation => {
                return refuse(largest, info.max_allocation);
            }
            _ => {}
        }
        let all = arrays
            .iter()
            .fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
        if all > info.global_memory {
            return refuse(all, info.global_memory);
        }
        Ok(())
    }

    /// A new array of `len` samples, whatever they are.
    pub fn allocate<T: Sample>(self: &Arc<Self>, len: usize) -> Result<DeviceArray<T>> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        self.check_memory("an array", &[bytes])?;
        // SAFETY: no host pointer is handed over. An array of no samples still needs a byte of memory.
        let buffer = unsafe {
            Buffer::create(
                &self.context,
                CL_MEM_READ_WRITE,
                len.max(1),
                std::ptr::null_mut(),
            )
        };
        Ok(DeviceArray {
            buffer: buffer.map_err(opencl("clCreateBuffer"))?,
            len,
            shared: self.clone(),
        })
    }
}

/// Transforms on one device. Cloning is cheap and gives the same engine.
///
/// All work goes through one in-order queue, so what is enqueued later sees what was enqueued before.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    tuning: Arc<Tuning>,
}

impl Engine {
    /// An engine on `device`.
    ///
    /// # Errors
    /// [`Error::OpenCl`] where the device can not be opened; [`Error::Tuning`] where the file that the
    /// variable `WAVELIFT_TUNING` names can not be read.
    pub fn new(device: &Device) -> Result<Self> {
        Self::with_queue(device, 0)
    }

    /// An engine whose [`Run`]s know how long they took on the device.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_profiling(device: &Device) -> Result<Self> {
        Self::with_queue(device, CL_QUEUE_PROFILING_ENABLE)
    }

    fn with_queue(device: &Device, properties: cl_command_queue_properties) -> Result<Self> {
        let context = Context::from_device(&device.handle).map_err(opencl("clCreateContext"))?;
        // SAFETY: the device belongs to the context, which was made for it.
        #[allow(deprecated, reason = "the successor needs OpenCL 2.0")]
        let queue = unsafe { CommandQueue::create(&context, device.handle.id(), properties) }
            .map_err(opencl("clCreateCommandQueue"))?;
        Ok(Engine {
            shared: Arc::new(Shared {
                context,
                queue,
                profiling: properties & CL_QUEUE_PROFILING_ENABLE != 0,
                device: device.clone(),
                programs: Mutex::default(),
                copy: Mutex::default(),
            }),
            tuning: Arc::new(Tuning::load()?),
        })
    }

    /// The same engine with other sizes for the plans that are built with it from now on: lines like those
    /// of the file that `WAVELIFT_TUNING` names, laid over the sizes that it has. Its arrays are this
    /// engine's arrays.
    ///
    /// # Errors
    /// [`Error::Tuning`] for a line that can not be read.
    pub fn with_tuning(&self, lines: &str) -> Result<Self> {
        Ok(Engine {
            shared: self.shared.clone(),
            tuning: Arc::new(self.tuning.with(lines)?),
        })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// Builds everything that `transform` needs, in both directions, with the strategy that suits the
    /// device best; which one is logged at debug level.
    ///
    /// # Errors
    /// What [`Transform::check`] refuses; [`Error::Unsupported`] where the wavelet has no steps for `T` or
    /// the device can not compute it; [`Error::Memory`] where the plan's own arrays do not fit;
    /// [`Error::Build`] where the device's compiler fails.
    pub fn plan<T: Sample>(&self, transform: &Transform) -> Result<Plan<T>> {
        Plan::new(&self.shared, &self.tuning, transform, None)
    }

    /// The same with this strategy, and no other.
    ///
    /// # Errors
    /// As [`Engine::plan`], and [`Error::Unsupported`] where the strategy can not do it.
    pub fn plan_with<T: Sample>(
        &self,
        transform: &Transform,
        strategy: Strategy,
    ) -> Result<Plan<T>> {
        Plan::new(&self.shared, &self.tuning, transform, Some(strategy))
    }

    /// A new array with these samples. Returns when they are there.
    ///
    /// # Errors
    /// [`Error::Memory`] where it does not fit; [`Error::OpenCl`].
    pub fn upload<T: Sample>(&self, samples: &[T]) -> Result<DeviceArray<T>> {
        let mut array = self.shared.allocate(samples.len())?;
        array.write(samples)?;
        Ok(array)
    }

    /// A new array of `len` zeros.
    ///
    /// # Errors
    /// As [`Engine::upload`].
    pub fn zeros<T: Sample>(&self, len: usize) -> Result<DeviceArray<T>> {
        let mut array = self.shared.allocate(len)?;
        let zero = [T::zeroed()];
        let bytes = len * size_of::<T>();
        if bytes > 0 {
            // SAFETY: the array holds `bytes` bytes, a multiple of the pattern's size.
            unsafe {
                self.shared
                    .queue
                    .enqueue_fill_buffer(&mut array.buffer, &zero, 0, bytes, &[])
            }
            .map_err(opencl("clEnqueueFillBuffer"))?;
        }
        Ok(array)
    }

    /// Copies an array with a plain kernel, 16 bytes a work-item: the yardstick for every transform,
    /// which must read and write as much. Does not wait.
    ///
    /// # Errors
    /// [`Error::Length`] where `to` has another length, [`Error::ForeignArray`], [`Error::OpenCl`].
    pub fn enqueue_copy<T: Sample>(
        &self,
        from: &DeviceArray<T>,
        to: &mut DeviceArray<T>,
    ) -> Result<Run> {
        from.check(&self.shared, "the source", from.len)?;
        to.check(&self.shared, "the destination", from.len)?;
        let mut copy = self
            .shared
            .copy
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let kernel = match &*copy {
            Some(kernel) => kernel,
            None => copy.insert(CopyKernel::new(&self.shared)?),
        };
        let bytes = (from.len * size_of::<T>()) as u64;
        let event = kernel.launch(&self.shared, &from.buffer, &to.buffer, bytes)?;
        Ok(Run::of(event))
    }

    /// Waits until everything enqueued so far is done.
    ///
    /// # Errors
    /// [`Error::OpenCl`], also for what failed on the device meanwhile.
    pub fn finish(&self) -> Result<()> {
        self.shared.queue.finish().map_err(opencl("clFinish"))
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Engine({})", self.shared.device)
    }
}

/// An array of samples in the memory of an engine's device.
pub struct DeviceArray<T: Sample> {
    pub(crate) buffer: Buffer<T>,
    len: usize,
    shared: Arc<Shared>,
}

impl<T: Sample> DeviceArray<T> {
    /// How many samples it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Replaces all samples. Returns when they are there.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples; [`Error::OpenCl`].
    pub fn write(&mut self, samples: &[T]) -> Result<()> {
        self.check_length("the slice", samples.len())?;
        if samples.is_empty() {
            return Ok(());
        }
        // SAFETY: the slice has as many samples as the array, and the call returns when it is read.
        unsafe {
            let queue = &self.shared.queue;
            queue.enqueue_write_buffer(&mut self.buffer, CL_BLOCKING, 0, samples, &[])
        }
        .map_err(opencl("clEnqueueWriteBuffer"))?;
        Ok(())
    }

    /// Copies all samples to the host, after everything enqueued so far.
    ///
    /// # Errors
    /// [`Error::OpenCl`].
    pub fn download(&self) -> Result<Vec<T>> {
        let mut samples = vec![T::zeroed(); self.len];
        self.download_into(&mut samples)?;
        Ok(samples)
    }

    /// The same into a slice, without allocating.
    ///
    /// # Errors
    /// [`Error::Length`] for a slice of another length; [`Error::OpenCl`].
    pub fn download_into(&self, samples: &mut [T]) -> Result<()> {
        self.check_length("the slice", samples.len())?;
        if samples.is_empty() {
            return Ok(());
        }
        // SAFETY: the slice has as many samples as the array, and the call returns when it is written.
        unsafe {
            let queue = &self.shared.queue;
            queue.enqueue_read_buffer(&self.buffer, CL_BLOCKING, 0, samples, &[])
        }
        .map_err(opencl("clEnqueueReadBuffer"))?;
        Ok(())
    }

    fn check_length(&self, what: &'static str, got: usize) -> Result<()> {
        if got == self.len {
            return Ok(());
        }
        let expected = self.len;
        Err(Error::Length {
            what,
            expected,
            got,
        })
    }

    /// Whether the array belongs to the engine and has this length.
    pub(crate) fn check(
        &self,
        shared: &Arc<Shared>,
        what: &'static str,
        expected: usize,
    ) -> Result<()> {
        if !Arc::ptr_eq(&self.shared, shared) {
            return Err(Error::ForeignArray { what });
        }
        if self.len != expected {
            return Err(Error::Length {
                what,
                expected,
                got: self.len,
            });
        }
        Ok(())
    }
}

impl<T: Sample> std::fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "DeviceArray<{}>({} on {})",
            T::TYPE,
            self.len,
            self.shared.device
        )
    }
}

/// Work that was enqueued. Dropping it does not stop the work.
#[derive(Debug)]
#[must_use = "the work is only enqueued; wait for it, or use `Engine::finish`"]
pub struct Run {
    ends: Option<(Arc<Event>, Arc<Event>)>,
}

impl Run {
    pub(crate) fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let mut ends = None;
        for event in events {
            let event = Arc::new(event);
            ends = match ends {
                None => Some((event.clone(), event)),
                Some((first, _)) => Some((first, event)),
            };
        }
        Run { ends }
    }

    /// Waits until the work is done.
    ///
    /// # Errors
    /// [`Error::OpenCl`], also where the work itself failed.
    pub fn wait(&self) -> Result<()> {
        match &self.ends {
            Some((_, last)) => last.wait().map_err(opencl("clWaitForEvents")),
            None => Ok(()),
        }
    }

    /// Waits, and says how long the device worked: from the start of the first kernel to the end of the
    /// last.
    ///
    /// # Errors
    /// [`Error::OpenCl`], also where the engine was made without
    /// [`with_profiling`](Engine::with_profiling).
    pub fn device_time(&self) -> Result<Duration> {
        self.wait()?;
        let Some((first, last)) = &self.ends else {
            return Ok(Duration::ZERO);
        };
        let start = first
            .profiling_command_start()
            .map_err(opencl("clGetEventProfilingInfo"))?;
        let end = last
            .profiling_command_end()
            .map_err(opencl("clGetEventProfilingInfo"))?;
        Ok(Duration::from_nanos(end.saturating_sub(start)))
    }
}
