//! The engine, which runs transforms on one device: a context, a queue and
//! the programs built so far.

mod plans;

use super::array::DeviceArray;
use super::context::{Memory, Shared, Site, opencl};
use super::handle::Handle;
use super::host::MOST_ASKED_FOR;
use super::lock::lock;
#[cfg(doc)]
use super::plan::Plan;
use super::probe;
use super::program::CopyKernel;
use super::queue::{Queue, enqueue_ordered};
use super::run::Run;
use super::views::{BothUses, DeviceView, DeviceViewMut, Planned, check_apart};
#[cfg(doc)]
use crate::device::DeviceInfo;
use crate::device::{Device, described};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::strategy::Tuning;
use crate::transform::Region;
use crate::wavelet::Element;
use opencl3::command_queue::CL_QUEUE_PROFILING_ENABLE;
use opencl3::context::Context;
use opencl3::types::cl_command_queue_properties;
use std::sync::{Arc, Mutex};

/// An engine runs transforms on one device. Cloning it is cheap, and the clone is the same engine.
///
/// All work of an engine goes through one queue, in order, so that work enqueued later sees the
/// results of work enqueued earlier. On a queue of the caller's ([`Engine::from_raw`]) that keeps
/// no order, what uses the same array or the same plan is kept in order by events.
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
    pub(super) site: Site,
    copy: Arc<Mutex<Option<CopyKernel>>>,
}

impl Engine {
    /// Opens an engine on `device`. If the environment variable `WAVELIFT_TUNING` names a file, its
    /// sizes override the library's own.
    ///
    /// Where work-items can exchange values, the first engine of a process on a device lets it
    /// prove that it does so as it says. A way that it does not prove is left out, with a warning
    /// by every engine, for the next one, at last none. Where a call of OpenCL's failed in the
    /// proof, or no thread was to be had for it, the next engine asks for it again.
    /// [`DeviceInfo::exchange`] of the engine's device says which it is, and the environment
    /// variable `WAVELIFT_EXCHANGE` chooses one (`none`, `khr`, `intel:32`).
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device cannot be opened; [`Error::Tuning`] if the file that
    /// `WAVELIFT_TUNING` names, or a line of it, cannot be read; [`Error::Unknown`] or
    /// [`Error::Unsupported`] if the way that `WAVELIFT_EXCHANGE` chooses is none, or not there, or
    /// disproved; [`Error::Unsupported`] for a big-endian device.
    pub fn new(device: &Device) -> Result<Self> {
        Self::with_queue(device, 0)
    }

    /// Opens an engine on `device` as [`Engine::new`] does, but one that records device times, so
    /// that [`Run::device_time`] can report them.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_profiling(device: &Device) -> Result<Self> {
        Self::with_queue(device, CL_QUEUE_PROFILING_ENABLE)
    }

    fn with_queue(device: &Device, properties: cl_command_queue_properties) -> Result<Self> {
        let context: Handle<_> = Context::from_device(&device.handle)
            .map_err(opencl("clCreateContext"))?
            .into();
        let queue = Queue::own(&context, device, properties)?;
        Engine::on(Shared::new(context, device)?, queue)
    }

    pub(super) fn on(shared: Arc<Shared>, queue: Arc<Queue>) -> Result<Self> {
        Ok(Engine {
            site: Site {
                shared,
                queue,
                tuning: Arc::new(Tuning::load()?),
                times_passes: false,
                copy_threads: None,
                ring: Arc::default(),
            },
            copy: Arc::default(),
        })
    }

    fn with_site(&self, site: Site) -> Self {
        Engine {
            site,
            copy: self.copy.clone(),
        }
    }

    /// Returns an engine with an in-order queue of its own in the context of this one. Arrays of
    /// the two can be used by both, also while the other one works: what uses one array is kept in
    /// order. Built programs and the account of memory are common to the two. So several threads
    /// can have plans that run at the same time.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the queue cannot be made.
    pub fn another(&self) -> Result<Self> {
        let Site { shared, queue, .. } = &self.site;
        let profiling = if queue.profiling {
            CL_QUEUE_PROFILING_ENABLE
        } else {
            0
        };
        let queue = Queue::own(&shared.context, &shared.device, profiling)?;
        // Kernels keep their arguments: the copy has one of its own.
        Ok(Engine {
            site: Site {
                queue,
                ..self.site.clone()
            },
            copy: Arc::default(),
        })
    }

    /// Returns this engine, of whose plans every pass is timed, for [`Run::pass_times`]. This
    /// needs an event between any two passes, with which the second starts later (on an
    /// NVIDIA H200, by 2.7 us).
    pub fn timing_passes(&self) -> Self {
        self.with_site(Site {
            times_passes: true,
            ..self.site.clone()
        })
    }

    /// Returns this engine, whose plans have so many threads copy large host slices, 64 at most.
    ///
    /// Without this they are as many as the system says can run at a time, at most 8; and none for
    /// CPU devices, most of which use host slices where they stand. With less than two the driver
    /// copies. Threads copy slices of 8 MiB and more, through 64 MiB of pinned memory, which the
    /// engine allocates with the first such call and keeps, with its own and other engines' plans
    /// that stem from it; it counts as [`Engine::memory`]. Calls that copy through it take turns.
    /// On queues of the caller's ([`Engine::from_raw`]) the driver always copies.
    pub fn with_copy_threads(&self, threads: usize) -> Self {
        self.with_site(Site {
            copy_threads: Some(threads.min(MOST_ASKED_FOR)),
            ..self.site.clone()
        })
    }

    /// Returns an engine on the queue of this one whose arrays, pinned memory and plans take at
    /// most so many bytes in all, and no more than the device has. It has an account of its own
    /// ([`Engine::memory`]), which counts what is made with it from now on, and with engines that
    /// stem from it. Arrays and plans of the two engines can be used together.
    ///
    /// Host slices ([`Plan::forward_into`]) that do not fit are transformed in tiles that do.
    ///
    /// ```no_run
    /// use wavelift::{Coefficients, DeviceSelector, Engine, Transform, Wavelet};
    ///
    /// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?.with_memory_limit(64 << 20)?;
    /// let transform = Transform::new(Wavelet::CDF_9_7, [16384, 12288]).levels(5);
    /// let plan = engine.plan::<f32>(&transform)?; // of 768 MiB: in tiles
    /// let coefficients = plan.forward(&vec![1.0; transform.len()])?;
    /// assert!(engine.memory().used <= 64 << 20);
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the context cannot be retained.
    pub fn with_memory_limit(&self, bytes: u64) -> Result<Self> {
        Ok(self.with_site(Site {
            shared: self.site.shared.with_memory_limit(bytes)?,
            ring: Arc::default(),
            ..self.site.clone()
        }))
    }

    /// Returns this engine with other sizes for the plans that the returned engine builds. The
    /// sizes in `lines`, which are written as in the file that `WAVELIFT_TUNING` names, override
    /// those that this engine uses. Arrays and plans of the two engines can be used together.
    ///
    /// # Errors
    /// [`Error::Tuning`] for a line that cannot be read.
    pub fn with_tuning(&self, lines: &str) -> Result<Self> {
        Ok(self.with_site(Site {
            tuning: Arc::new(self.site.tuning.with(lines)?),
            ..self.site.clone()
        }))
    }

    /// Returns the device that the engine runs on.
    pub fn device(&self) -> &Device {
        &self.site.shared.device
    }

    /// Returns how many bytes the engine's arrays take, and how many they may take in all. A
    /// request that goes over the limit is refused with [`Error::Memory`].
    pub fn memory(&self) -> Memory {
        self.site.shared.memory()
    }

    /// Allocates an array on the device with these samples, and waits until they are copied.
    ///
    /// # Errors
    /// [`Error::Memory`] if the array does not fit; [`Error::OpenCl`] if
    /// allocating or copying fails.
    pub fn upload<T: Element>(&self, samples: &[T]) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::new(&self.site.shared, &self.site.queue, samples.len())?;
        array.set_up(samples)?;
        Ok(array)
    }

    /// Allocates an array on the device with `len` samples that are zero.
    ///
    /// # Errors
    /// [`Error::Memory`] if the array does not fit; [`Error::OpenCl`] if
    /// allocating or filling it fails.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<DeviceArray<T>> {
        let Site { shared, queue, .. } = &self.site;
        let array = DeviceArray::new(shared, queue, len)?;
        array.set_up_zeros()?;
        Ok(array)
    }

    /// Enqueues a copy of an array by a plain kernel, which copies 16 bytes per work-item,
    /// and does not wait for it. This is the yardstick for transforms, every one of which
    /// must read and write as much.
    ///
    /// # Errors
    /// [`Error::Length`] if `to` has another length than `from`; [`Error::ForeignArray`] if one of
    /// them belongs to another OpenCL context; [`Error::Misaligned`] if one does not start at a
    /// multiple of 16 bytes; [`Error::Overlap`] if they share memory; [`Error::Handle`] for a
    /// buffer that kernels may not read or write; [`Error::Build`] or [`Error::OpenCl`] if building
    /// or enqueueing the kernel fails.
    pub fn enqueue_copy<T: Element>(
        &self,
        from: &DeviceArray<T>,
        to: &mut DeviceArray<T>,
    ) -> Result<Run> {
        let Site { shared, queue, .. } = &self.site;
        let place = Planned::new::<T>(&Region::dense([from.len()]), false);
        let (from, to) = (DeviceView::from(from), DeviceViewMut::from(to));
        let to = to.as_view();
        let from_start = place.offset_of(&from, shared, "the source", false)?;
        let to_start = place.offset_of(&to, shared, "the destination", true)?;
        check_apart(&from, &to)?;
        let mut copy = lock(&self.copy);
        let kernel = match &*copy {
            Some(kernel) => kernel,
            None => copy.insert(CopyKernel::new(shared)?),
        };
        let bytes = |samples: usize| (samples * size_of::<T>()) as u64;
        let from_start = (&*from.array().buffer, bytes(from_start as usize));
        let to_start = (&*to.array().buffer, bytes(to_start as usize));
        let length = bytes(from.region().len());
        let mut both = BothUses::of(&from, &to);
        let done = enqueue_ordered(queue, &mut both.list(), &[], |waits| {
            let event = kernel.launch(queue, from_start, to_start, length, waits)?;
            Ok(event.into_iter().collect())
        })?;
        Run::of(queue, done, 1)
    }

    /// Waits until all work enqueued so far is done.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if waiting fails, or some of the work failed.
    pub fn finish(&self) -> Result<()> {
        self.site.queue.handle.finish().map_err(opencl("clFinish"))
    }
}

impl std::fmt::Debug for Engine {
    /// The device, and how its work-items exchange values, as it proved in so much time when the
    /// first engine was opened on it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let device = &self.site.shared.device;
        let info = device.info();
        let way = described((info.exchange, info.lanes));
        write!(f, "Engine({device}, exchange {way}")?;
        if let Some(time) = probe::time_of_proof(device) {
            write!(f, ", proven in {time:.1?}")?;
        }
        write!(f, ")")
    }
}
