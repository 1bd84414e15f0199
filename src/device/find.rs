//! Finding OpenCL devices and reading what they report about themselves.

use super::{DeviceInfo, DeviceKind, Exchange};
use crate::error::{Error, Result};
use opencl3::device::{self as cl, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::ClError;
use opencl3::platform::{Platform, get_platforms};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// An existing OpenCL device, found by [`Device::all`] or chosen by a [`DeviceSelector`](super::DeviceSelector).
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) handle: cl::Device,
    info: DeviceInfo,
}

impl Device {
    /// Finds all devices of all platforms, in the order of the platforms. A platform or device that does
    /// not answer is left out, and a warning is logged.
    ///
    /// # Errors
    /// [`Error::NoRuntime`] if this machine has no OpenCL loader, or the loader finds no platform.
    pub fn all() -> Result<Vec<Device>> {
        // Loaders and drivers initialise themselves in the first call, and PoCL crashes if two threads make that
        // call at once.
        static INITIALISATION: Mutex<()> = Mutex::new(());
        let _guard = INITIALISATION
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let no_runtime = |found: String| Error::NoRuntime { found };
        let platforms = get_platforms().map_err(|error| no_runtime(error.to_string()))?;
        if platforms.is_empty() {
            return Err(no_runtime("a loader without any platform".to_owned()));
        }
        let mut devices = Vec::new();
        for (number, platform) in platforms.iter().enumerate() {
            match of_platform(number, platform) {
                Ok(found) => devices.extend(found),
                Err(error) => log::warn!("OpenCL platform {number} is left out: {error}"),
            }
        }
        Ok(devices)
    }

    /// Returns this device, to be used as if it allowed only `work_items` work-items per work-group (at
    /// least one, and at most as many as it really allows). This shows how plans for smaller devices behave.
    pub fn with_max_work_group(&self, work_items: usize) -> Device {
        let mut device = self.clone();
        device.info.max_work_group = work_items.clamp(1, device.info.max_work_group);
        device
    }

    /// Returns this device, to be used as if it were of the given kind. This shows how plans for other
    /// kinds of devices behave.
    pub fn with_kind(&self, kind: DeviceKind) -> Device {
        let mut device = self.clone();
        device.info.kind = kind;
        device
    }

    /// Returns this device, to be used as if it had the given number of compute units (at least one). This shows how plans
    /// for larger and smaller devices behave.
    pub fn with_compute_units(&self, compute_units: usize) -> Device {
        let mut device = self.clone();
        device.info.compute_units = compute_units.max(1);
        device
    }

    /// Returns this device, to be used with the given kind of exchange among sub-groups of `lanes`
    /// work-items, for comparing kinds of exchange. With a kind that the device lacks, building a plan fails
    /// or the plan computes wrong results; [`Exchange::None`] works on every device.
    pub fn with_exchange(&self, exchange: Exchange, lanes: usize) -> Device {
        let mut device = self.clone();
        device.info.exchange = exchange;
        device.info.lanes = lanes.max(1);
        device
    }

    /// Returns what the device reports about itself, as plain data.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}

fn of_platform(number: usize, platform: &Platform) -> Result<Vec<Device>, ClError> {
    let name = platform.name()?;
    let mut devices = Vec::new();
    for (i, id) in platform
        .get_devices(CL_DEVICE_TYPE_ALL)?
        .into_iter()
        .enumerate()
    {
        let handle = cl::Device::new(id);
        match describe(&handle, (number, i), &name) {
            Ok(info) => devices.push(Device { handle, info }),
            Err(error) => log::warn!("OpenCL device {number}:{i} is left out: {error}"),
        }
    }
    Ok(devices)
}

fn describe(
    device: &cl::Device,
    index: (usize, usize),
    platform: &str,
) -> Result<DeviceInfo, ClError> {
    let extensions = device.extensions()?;
    let has = |extension: &str| extensions.split_whitespace().any(|e| e == extension);
    let sizes = device.max_work_item_sizes()?;
    let size = |i: usize| sizes.get(i).copied().unwrap_or(1);
    let kind = match device.dev_type()? {
        t if t & CL_DEVICE_TYPE_GPU != 0 => DeviceKind::Gpu,
        t if t & CL_DEVICE_TYPE_CPU != 0 => DeviceKind::Cpu,
        _ => DeviceKind::Accelerator,
    };
    let (exchange, lanes) = exchange_of(platform, has);
    Ok(DeviceInfo {
        index,
        platform: platform.trim().to_owned(),
        name: device.name()?.trim().to_owned(),
        vendor: device.vendor()?.trim().to_owned(),
        version: format!(
            "{}, driver {}",
            device.version()?.trim(),
            device.driver_version()?.trim()
        ),
        kind,
        compute_units: device.max_compute_units()? as usize,
        max_work_group: device.max_work_group_size()?,
        max_work_items: [size(0), size(1), size(2)],
        local_memory: device.local_mem_size()?,
        global_memory: device.global_mem_size()?,
        max_allocation: device.max_mem_alloc_size()?,
        fp64: has("cl_khr_fp64"),
        sub_groups: has("cl_khr_subgroups") || has("cl_intel_subgroups"),
        float_vector: device.native_vector_width_float()? as usize,
        exchange,
        lanes,
        extensions,
    })
}

/// How the device's work-items can exchange values, and the size of the sub-groups in which they do.
fn exchange_of(platform: &str, has: impl Fn(&str) -> bool) -> (Exchange, usize) {
    // A kernel must know the size of its sub-groups. PoCL lists extensions whose functions it lacks.
    let sized = has("cl_intel_required_subgroup_size") && platform != "Portable Computing Language";
    if platform == "NVIDIA CUDA" {
        (Exchange::Ptx, 32)
    } else if sized && has("cl_khr_subgroup_shuffle_relative") {
        (Exchange::Khr, 16)
    } else if sized && has("cl_intel_subgroups") {
        (Exchange::Intel, 16)
    } else {
        (Exchange::None, 1)
    }
}
