//! Finding OpenCL devices, and what they say of themselves.

use super::{DeviceInfo, DeviceKind, Exchange};
use crate::error::{Error, Result};
use opencl3::device::{self as cl, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::ClError;
use opencl3::platform::{Platform, get_platforms};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// An OpenCL device that is there.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) handle: cl::Device,
    info: DeviceInfo,
}

impl Device {
    /// All devices of all platforms, in the order of the platforms. A platform or device that does not
    /// answer is left out, with a warning in the log.
    ///
    /// # Errors
    /// [`Error::NoRuntime`] where there is no OpenCL at all.
    pub fn all() -> Result<Vec<Device>> {
        // Loaders and drivers set themselves up in the first call; PoCL crashes where two threads are first.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// The same device, used as if it allowed only this many work-items in a work-group (at least one):
    /// for trying out what smaller devices will do.
    pub fn with_max_work_group(&self, work_items: usize) -> Device {
        let mut device = self.clone();
        device.info.max_work_group = work_items.clamp(1, device.info.max_work_group);
        device
    }

    /// The same device, used as if it were of this kind: for trying out what other devices will do.
    pub fn with_kind(&self, kind: DeviceKind) -> Device {
        let mut device = self.clone();
        device.info.kind = kind;
        device
    }

    /// The same device, used with this way of exchange among sub-groups of `lanes` work-items: for
    /// comparing ways. One that the device does not have makes plans fail, or go wrong; [`Exchange::None`]
    /// always works.
    pub fn with_exchange(&self, exchange: Exchange, lanes: usize) -> Device {
        let mut device = self.clone();
        device.info.exchange = exchange;
        device.info.lanes = lanes.max(1);
        device
    }

    /// What the device can do.
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

/// How the device's work-items can exchange values, and how many of them do so.
fn exchange_of(platform: &str, has: impl Fn(&str) -> bool) -> (Exchange, usize) {
    // A kernel must know how large its sub-groups are. PoCL lists functions that it does not have.
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
