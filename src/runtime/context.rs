//! What an engine's arrays, programs and plans share: the OpenCL context, the queue, the programs built so far.

use crate::device::Device;
use crate::error::{Error, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::program::Program;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What an engine's arrays and plans keep alive.
pub(crate) struct Shared {
    pub context: Context,
    pub queue: CommandQueue,
    /// Whether the queue's events know when their work started and ended.
    pub profiling: bool,
    pub device: Device,
    pub programs: Mutex<HashMap<String, Arc<Program>>>,
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
}
