//! What an engine shares with its arrays, programs and plans: the OpenCL context, the queue and the programs built
//! so far.

use crate::device::Device;
use crate::error::{Error, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::program::Program;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The OpenCL handles of an engine, which its arrays and plans keep alive.
pub(crate) struct Shared {
    pub context: Context,
    pub queue: CommandQueue,
    /// Whether the queue's events record when their work started and ended.
    pub profiling: bool,
    pub device: Device,
    pub programs: Mutex<HashMap<String, Arc<Program>>>,
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
    /// Checks that the device can hold arrays of these sizes, in bytes, at the same time; `what` names them in errors.
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
}
