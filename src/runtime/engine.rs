//! An engine runs on one device: a context, one in-order queue, the programs built so far.

use super::array::DeviceArray;
use super::context::{Shared, opencl};
use super::plan::Plan;
use super::program::CopyKernel;
use super::run::Run;
use crate::device::Device;
use crate::error::Result;
use crate::strategy::{Strategy, Tuning};
use crate::transform::Transform;
use crate::wavelet::Sample;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::types::cl_command_queue_properties;
use std::sync::{Arc, Mutex};

/// Transforms on one device. Cloning is cheap and gives the same engine.
///
/// All work goes through one in-order queue, so what is enqueued later sees what was enqueued before.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    tuning: Arc<Tuning>,
    copy: Arc<Mutex<Option<CopyKernel>>>,
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
            }),
            tuning: Arc::new(Tuning::load()?),
            copy: Arc::default(),
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
            copy: self.copy.clone(),
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
        let mut array = DeviceArray::new(&self.shared, samples.len())?;
        array.write(samples)?;
        Ok(array)
    }

    /// A new array of `len` zeros.
    ///
    /// # Errors
    /// As [`Engine::upload`].
    pub fn zeros<T: Sample>(&self, len: usize) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::new(&self.shared, len)?;
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
        from.check(&self.shared, "the source", from.len())?;
        to.check(&self.shared, "the destination", from.len())?;
        let mut copy = self
            .copy
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let kernel = match &*copy {
            Some(kernel) => kernel,
            None => copy.insert(CopyKernel::new(&self.shared)?),
        };
        let bytes = (from.len() * size_of::<T>()) as u64;
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
