//! The engine, which runs transforms on one device: a context, one in-order queue and the programs built so far.

use super::array::DeviceArray;
use super::context::{Memory, Shared, opencl};
use super::in_place::InPlacePlan;
use super::plan::Plan;
use super::program::CopyKernel;
use super::run::Run;
use crate::device::Device;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::strategy::{Strategy, Tuning};
#[cfg(doc)]
use crate::transform::Layout;
use crate::transform::Transform;
use crate::wavelet::Sample;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::types::cl_command_queue_properties;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

/// An engine runs transforms on one device. Cloning it is cheap, and the clone is the same engine.
///
/// All work of an engine goes through one in-order queue, so that work enqueued later sees the results of work
/// enqueued earlier.
///
/// ```no_run
/// use wavelift::{DeviceSelector, Engine, Transform, Wavelet};
///
/// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
/// println!("{}", engine.device());
/// let transform = Transform::new(Wavelet::HAAR, [1 << 20]).levels(20);
/// let plan = engine.plan::<f32>(&transform)?;
/// let coefficients = plan.forward(&vec![1.0; transform.len()])?;
/// println!("{}", coefficients.as_slice()[0]);
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    tuning: Arc<Tuning>,
    copy: Arc<Mutex<Option<CopyKernel>>>,
}

impl Engine {
    /// Opens an engine on `device`. If the environment variable `WAVELIFT_TUNING` names a file, its sizes
    /// override the library's own.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device cannot be opened; [`Error::Tuning`] if the file that
    /// `WAVELIFT_TUNING` names, or a line of it, cannot be read.
    pub fn new(device: &Device) -> Result<Self> {
        Self::with_queue(device, 0)
    }

    /// Opens an engine on `device` as [`Engine::new`] does, but one that records device times, so that
    /// [`Run::device_time`] can report them.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device cannot be opened; [`Error::Tuning`] if the file that
    /// `WAVELIFT_TUNING` names, or a line of it, cannot be read.
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
                programs: Mutex::default(),
                queue: queue.into(),
                context: context.into(),
                profiling: properties & CL_QUEUE_PROFILING_ENABLE != 0,
                device: device.clone(),
                used: AtomicU64::new(0),
            }),
            tuning: Arc::new(Tuning::load()?),
            copy: Arc::default(),
        })
    }

    /// Returns this engine with other sizes for the plans that the returned engine builds. The sizes in
    /// `lines`, which are written as in the file that `WAVELIFT_TUNING` names, override those that this
    /// engine uses. Arrays and plans of the two engines can be used together.
    ///
    /// # Errors
    /// [`Error::Tuning`] for a line that cannot be read.
    pub fn with_tuning(&self, lines: &str) -> Result<Self> {
        Ok(Engine {
            shared: self.shared.clone(),
            tuning: Arc::new(self.tuning.with(lines)?),
            copy: self.copy.clone(),
        })
    }

    /// Returns the device that the engine runs on.
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// Returns how many bytes the engine's arrays take, and how many they may take in all. A request that goes over the
    /// limit is refused with [`Error::Memory`].
    pub fn memory(&self) -> Memory {
        self.shared.memory()
    }

    /// Builds a plan of `transform` for samples of type `T`, in both directions, with the strategy that suits
    /// the device best. The choice is logged at debug level, and as a warning where it is a slow one that another shape
    /// would make fast, such as colours innermost.
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`Transform::check`] refuses; [`Error::Unsupported`] if the
    /// wavelet has no steps for `T` or no strategy can compute the transform on the device;
    /// [`Error::Memory`] if the plan's arrays do not fit beside the caller's input and output; [`Error::Build`]
    /// if the device's compiler rejects a kernel; [`Error::OpenCl`] if another OpenCL call fails.
    pub fn plan<T: Sample>(&self, transform: &Transform) -> Result<Plan<T>> {
        Plan::new(&self.shared, &self.tuning, transform, None)
    }

    /// Builds a plan of `transform` for samples of type `T`, in both directions, with the given strategy and no
    /// other.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the strategy cannot compute the transform on the device; all other errors
    /// are those of [`Engine::plan`].
    pub fn plan_with<T: Sample>(
        &self,
        transform: &Transform,
        strategy: Strategy,
    ) -> Result<Plan<T>> {
        Plan::new(&self.shared, &self.tuning, transform, Some(strategy))
    }

    /// Builds a plan of `transform` for samples of type `T`, in both directions, that transforms an array where it stands.
    /// The transform's layout must be [`Layout::Interleaved`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] for the Mallat layout, which moves coefficients; all other errors are those of
    /// [`Engine::plan`].
    pub fn plan_in_place<T: Sample>(&self, transform: &Transform) -> Result<InPlacePlan<T>> {
        InPlacePlan::new(&self.shared, &self.tuning, transform)
    }

    /// Allocates an array on the device with these samples, and waits until they are copied.
    ///
    /// # Errors
    /// [`Error::Memory`] if the array does not fit; [`Error::OpenCl`] if allocating or copying fails.
    pub fn upload<T: Sample>(&self, samples: &[T]) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::new(&self.shared, samples.len())?;
        array.write(samples)?;
        Ok(array)
    }

    /// Allocates an array on the device with `len` samples that are zero.
    ///
    /// # Errors
    /// [`Error::Memory`] if the array does not fit; [`Error::OpenCl`] if allocating or filling it fails.
    pub fn zeros<T: Sample>(&self, len: usize) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::new(&self.shared, len)?;
        let zero = [T::zeroed()];
        let bytes = len * size_of::<T>();
        if bytes > 0 {
            // SAFETY: the array holds `bytes` bytes, a multiple of the pattern's size, and the call copies the pattern.
            unsafe {
                self.shared
                    .queue
                    .enqueue_fill_buffer(&mut array.buffer, &zero, 0, bytes, &[])
            }
            .map_err(opencl("clEnqueueFillBuffer"))?;
        }
        Ok(array)
    }

    /// Enqueues a copy of an array by a plain kernel, which copies 16 bytes per work-item, and does not wait
    /// for it. This is the yardstick for transforms, every one of which must read and write as much.
    ///
    /// # Errors
    /// [`Error::Length`] if `to` has another length than `from`; [`Error::ForeignArray`] if one of them
    /// belongs to another engine; [`Error::Build`] or [`Error::OpenCl`] if building or enqueueing the kernel
    /// fails.
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
        Run::of(&self.shared, event)
    }

    /// Waits until all work enqueued so far is done.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if waiting fails, or some of the work failed.
    pub fn finish(&self) -> Result<()> {
        self.shared.queue.finish().map_err(opencl("clFinish"))
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Engine({})", self.shared.device)
    }
}
