//! What an engine shares with its arrays, programs and plans: the OpenCL context, the queue and the programs built
//! so far.

use super::handle::Handle;
use crate::device::Device;
use crate::error::{Error, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::program::Program;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What the arrays of an engine take, in bytes; see `Engine::memory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// What the engine's arrays take, those that plans made for themselves included.
    pub used: u64,
    /// What they may take in all: the device's memory. The engine knows nothing of what other engines and programs take.
    pub limit: u64,
}

/// The OpenCL handles of an engine, which its arrays and plans keep alive.
pub(crate) struct Shared {
    // Released in this order.
    pub programs: Mutex<HashMap<String, Arc<Handle<Program>>>>,
    pub queue: Handle<CommandQueue>,
    pub context: Handle<Context>,
    /// Whether the queue's events record when their work started and ended.
    pub profiling: bool,
    pub device: Device,
    /// Bytes of all arrays.
    pub used: AtomicU64,
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

    /// Checks that the device can hold arrays of these sizes, in bytes, at the same time; `what` names them in errors.
    pub fn check_memory(&self, what: &str, arrays: &[u64]) -> Result<()> {
        let info = self.device.info();
        let largest = arrays.iter().copied().max().unwrap_or(0);
        if largest > info.max_allocation {
            return Err(self.too_large(what, largest, info.max_allocation, None));
        }
        let all = arrays
            .iter()
            .fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
        if all > info.global_memory {
            return Err(self.too_large(what, all, info.global_memory, Some(0)));
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
