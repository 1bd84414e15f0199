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

    /// Returns this device, to be used as if it had the given number of compute units, 1 to 65,536. This shows how plans for
    /// larger and smaller devices behave.
    pub fn with_compute_units(&self, compute_units: usize) -> Device {
        let mut device = self.clone();
        device.info.compute_units = compute_units.clamp(1, 1 << 16);
        device
    }

    /// Returns this device, to be used as if it had only so many bytes of memory, and no more than it really has. Engines
    /// refuse what goes beyond.
    pub fn with_memory_limit(&self, bytes: u64) -> Device {
        let mut device = self.clone();
        device.info.global_memory = bytes.min(device.info.global_memory);
        device
    }

    /// Returns this device, to be used without exchange of values between work-items, as one that offers none.
    pub fn without_exchange(&self) -> Device {
        let mut device = self.clone();
        (device.info.exchange, device.info.lanes) = (Exchange::None, 1);
        device
    }

    /// Returns this device, to be used with the given kind of exchange among sub-groups of `lanes`
    /// work-items, for comparing kinds of exchange.
    ///
    /// # Safety
    /// The kernels' sub-groups have `lanes` work-items on this device, and exchange values among just these. Otherwise
    /// kernels compute wrong results and can write beyond local memory.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for what the device is known to lack: the kind of exchange itself, or sub-groups that large.
    pub unsafe fn with_exchange(&self, exchange: Exchange, lanes: usize) -> Result<Device, Error> {
        let info = &self.info;
        let ways = exchanges_of(&info.platform, |extension| info.has_extension(extension));
        let sizes = match exchange {
            Exchange::None => 1..=1,
            Exchange::Ptx => 32..=32,
            Exchange::Khr | Exchange::Intel | Exchange::Amd => 2..=info.max_work_group,
        };
        if !ways.contains(&exchange) || !sizes.contains(&lanes) {
            return Err(Error::Unsupported {
                what: format!("exchange by {exchange} among {lanes} work-items"),
                why: format!(
                    "{info} offers {}, among at most {} work-items",
                    ways.iter()
                        .map(|way| way.name())
                        .collect::<Vec<_>>()
                        .join(", "),
                    info.max_work_group
                ),
            });
        }
        let mut device = self.clone();
        (device.info.exchange, device.info.lanes) = (exchange, lanes);
        Ok(device)
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
    // AMD's way was never tried on its hardware.
    let ways = exchanges_of(platform.trim(), has);
    let exchange = *ways
        .iter()
        .find(|way| **way != Exchange::Amd)
        .unwrap_or(&Exchange::None);
    let lanes = match exchange {
        Exchange::None => 1,
        Exchange::Ptx => 32,
        Exchange::Khr | Exchange::Intel | Exchange::Amd => 16,
    };
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

/// The ways in which a device's work-items can exchange values, the best first. A kernel must know the size of its
/// sub-groups. PoCL lists extensions whose functions it lacks.
fn exchanges_of(platform: &str, has: impl Fn(&str) -> bool) -> Vec<Exchange> {
    let sized = has("cl_intel_required_subgroup_size") && platform != "Portable Computing Language";
    let ways = [
        (Exchange::Ptx, platform == "NVIDIA CUDA"),
        (
            Exchange::Khr,
            sized && has("cl_khr_subgroup_shuffle_relative"),
        ),
        (Exchange::Intel, sized && has("cl_intel_subgroups")),
        (
            Exchange::Amd,
            platform == "AMD Accelerated Parallel Processing",
        ),
        (Exchange::None, true),
    ];
    let ways = ways.into_iter().filter(|(_, offered)| *offered);
    ways.map(|(way, _)| way).collect()
}
