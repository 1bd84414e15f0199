//! What engines of one context share with their arrays, programs and plans: the OpenCL context and
//! the programs built so far.

use super::event::Event;
use super::handle::Handle;
use super::host::KeptRing;
use super::lock::lock;
use super::probe;
use super::queue::Queue;
use crate::device::{Device, DeviceInfo, Fence, Way};
use crate::error::{Error, Result};
use crate::strategy::{Kernel, Tuning};
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::program::Program;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What the arrays of an engine take, in bytes; see `Engine::memory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// What the engine's arrays take, those that plans made for themselves included.
    pub used: u64,
    /// What they may take in all: the device's memory, or less by `Engine::with_memory_limit`. The
    /// engine knows nothing of what other engines and programs take.
    pub limit: u64,
}

/// The OpenCL handles of an engine but for its queue, which its arrays and plans keep alive.
pub(crate) struct Shared {
    // Released in this order.
    pub programs: Mutex<HashMap<String, Arc<Handle<Program>>>>,
    /// The queue for what must not wait for the caller, once there is any.
    pub set_up: Mutex<Option<Arc<Queue>>>,
    pub context: Handle<Context>,
    pub device: Device,
    /// Bytes of all arrays.
    pub used: AtomicU64,
    /// Kernels, with their preludes, that exchange in a way that never ran on
    /// hardware, and are right.
    pub right: Mutex<HashSet<(String, Kernel)>>,
}

/// What an engine hands to what it makes: the context, a queue, and how to build.
#[derive(Clone)]
pub(crate) struct Site {
    pub shared: Arc<Shared>,
    pub queue: Arc<Queue>,
    pub tuning: Arc<Tuning>,
    /// Whether every pass has an event.
    pub times_passes: bool,
    /// How many threads copy large host slices, where the caller said so.
    pub copy_threads: Option<usize>,
    /// What they copy through.
    pub ring: Arc<KeptRing>,
}

/// Bytes of an array that count against its engine's memory until this is dropped.
pub(crate) struct Reservation {
    pub shared: Arc<Shared>,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shared.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Makes an [`Error::OpenCl`] that names the failed call.
pub(crate) fn opencl(call: &'static str) -> impl Fn(ClError) -> Error {
    move |error| Error::OpenCl {
        call,
        name: error.to_string(),
        code: error.0,
    }
}

impl Shared {
    /// The device shows first that it exchanges values as it says.
    pub fn new(context: Handle<Context>, device: &Device) -> Result<Arc<Self>> {
        Ok(Arc::new(Shared {
            programs: Mutex::default(),
            set_up: Mutex::default(),
            device: probe::proven(&context, device)?,
            context,
            used: AtomicU64::new(0),
            right: Mutex::default(),
        }))
    }

    /// The same context and device with an account of memory of its own, and with no more of that.
    pub fn with_memory_limit(&self, bytes: u64) -> Result<Arc<Self>> {
        let (context, device) = (self.context.get(), self.device.handle.id());
        // SAFETY: the context is alive.
        unsafe { cl3::context::retain_context(context) }
            .map_err(|code| opencl("clRetainContext")(ClError(code)))?;
        Ok(Arc::new(Shared {
            programs: Mutex::new(lock(&self.programs).clone()),
            set_up: Mutex::default(),
            device: self.device.with_memory_limit(bytes),
            context: Context::new(context, &[device]).into(),
            used: AtomicU64::new(0),
            right: Mutex::new(lock(&self.right).clone()),
        }))
    }

    /// The device with the next of its ways to exchange values after `way`.
    pub fn way_after(&self, way: Way) -> Option<DeviceInfo> {
        let ways = self.device.ways().iter().copied();
        let mut left = ways.skip_while(|&known| known != way).skip(1);
        let next = left.find(|&next| probe::prove(&self.context, &self.device, next).is_ok());
        next.map(|next| self.device.with_ways(vec![next]).info().clone())
    }

    /// Lets the device prove a fence, unless it did so before.
    ///
    /// # Errors
    /// As [`probe::prove_fence`].
    pub fn prove(&self, fence: Fence) -> Result<()> {
        probe::prove_fence(&self.context, &self.device, fence)
    }

    /// A queue for the first contents of an array that `queue` will use: another one where that is
    /// the caller's, who may have stopped it by an event that is set only later.
    pub fn set_up_queue(&self, queue: &Arc<Queue>) -> Result<Arc<Queue>> {
        if !queue.foreign {
            return Ok(queue.clone());
        }
        let mut set_up = lock(&self.set_up);
        match &*set_up {
            Some(queue) => Ok(queue.clone()),
            None => Ok(set_up
                .insert(Queue::own(&self.context, &self.device, 0)?)
                .clone()),
        }
    }

    /// What arrays take, and may take.
    pub fn memory(&self) -> Memory {
        Memory {
            used: self.used.load(Ordering::Relaxed),
            limit: self.device.info().global_memory,
        }
    }

    /// Counts an array of so many bytes; `what` names it in errors.
    pub fn reserve(self: &Arc<Self>, what: &str, bytes: u64) -> Result<Reservation> {
        self.check_memory(what, &[bytes])?;
        let limit = self.memory().limit;
        let more = |used: u64| used.checked_add(bytes).filter(|&all| all <= limit);
        let counted = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        counted.map_err(|used| self.too_large(what, bytes, limit, Some(used)))?;
        Ok(Reservation {
            shared: self.clone(),
            bytes,
        })
    }

    /// Checks that events belong to the context: some drivers wait for ever
    /// for those of another one.
    pub fn check_events(&self, events: &[Event]) -> Result<()> {
        for event in events {
            let context = event.inner().context().map_err(opencl("clGetEventInfo"))?;
            if context != self.context.get() {
                return Err(Error::Handle {
                    what: "the event",
                    expected: "an event of the engine's context".to_owned(),
                    got: "one of another context".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Checks that the device can hold arrays of these sizes, in bytes, at the same time;
    /// `what` names them in errors.
    pub fn check_memory(&self, what: &str, arrays: &[u64]) -> Result<()> {
        let info = self.device.info();
        let largest = arrays.iter().copied().max().unwrap_or(0);
        if largest > info.largest_array() {
            return Err(self.too_large(what, largest, info.largest_array(), None));
        }
        let all = arrays
            .iter()
            .fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
        if all > info.global_memory {
            return Err(self.too_large(what, all, info.global_memory, Some(0)));
        }
        Ok(())
    }

    /// Checks that the engine's memory has so much left; `what` names what needs it in errors.
    pub fn check_left(&self, what: &str, bytes: u64) -> Result<()> {
        let Memory { used, limit } = self.memory();
        match bytes <= limit.saturating_sub(used) {
            true => Ok(()),
            false => Err(self.too_large(what, bytes, limit, Some(used))),
        }
    }

    /// Checks that what ends after so many bytes of a buffer of the caller's has
    /// addresses on the device.
    pub fn check_addresses(&self, what: &str, end: u64) -> Result<()> {
        let last = self.device.info().last_address();
        if end > last {
            return Err(self.too_large(what, end, last, None));
        }
        Ok(())
    }

    fn too_large(&self, what: &str, needed: u64, limit: u64, used: Option<u64>) -> Error {
        Error::Memory {
            what: what.to_owned(),
            device: self.device.to_string(),
            needed,
            limit,
            used,
        }
    }
}
