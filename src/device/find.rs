//! Finding OpenCL devices and reading what they report about themselves.

use super::ways::{NO_WAY, Way, atomics_of, listed, ways_of};
use super::{DeviceInfo, DeviceKind, Exchange};
use crate::error::{Error, Result};
use opencl3::device::{self as cl, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::{CL_INVALID_VALUE, ClError};
use opencl3::platform::{Platform, get_platforms};
use opencl3::types::{cl_device_id, cl_device_info};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// An existing OpenCL device, found by [`Device::all`] or chosen by a
/// [`DeviceSelector`](super::DeviceSelector).
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) handle: cl::Device,
    info: DeviceInfo,
    /// How its work-items may exchange values, the best first; the first is the one in `info`.
    ways: Vec<Way>,
    /// What tests put into every program, to see what becomes of a device that lies.
    lie: String,
    /// What keeps a sub-device alive.
    _keeper: Option<Arc<dyn Any + Send + Sync>>,
}

impl Device {
    /// Describes a device by its handle, a sub-device too, which has the index of the device that
    /// it is part of; none where that is not among those that platforms list, and has no index.
    pub(crate) fn of_handle(id: cl_device_id) -> Result<Option<Device>, ClError> {
        let handle = cl::Device::new(id);
        let root = Device::with_parents(id)
            .last()
            .map_or(handle, cl::Device::new);
        let of = Platform::new(handle.platform()?);
        let platforms = get_platforms()?;
        let number = platforms.iter().position(|one| one.id() == of.id());
        let devices = of.get_devices(CL_DEVICE_TYPE_ALL)?;
        let place = devices.iter().position(|&one| one == root.id());
        match number.zip(place) {
            Some(index) => Device::described(handle, index, &of.name()?).map(Some),
            None => Ok(None),
        }
    }

    fn described(
        handle: cl::Device,
        index: (usize, usize),
        platform: &str,
    ) -> Result<Device, ClError> {
        let info = describe(&handle, index, platform)?;
        let device = Device {
            handle,
            ways: Vec::new(),
            lie: String::new(),
            info,
            _keeper: None,
        };
        let ways = ways_of(&device.info);
        Ok(device.with_ways(ways))
    }

    /// Returns this device with these ways to exchange values, the best
    /// first; there is at least one.
    pub(crate) fn with_ways(&self, ways: Vec<Way>) -> Device {
        let mut device = self.clone();
        (device.info.exchange, device.info.lanes) = ways[0];
        device.ways = ways;
        device
    }

    pub(crate) fn ways(&self) -> &[Way] {
        &self.ways
    }

    pub(crate) fn lie(&self) -> &str {
        &self.lie
    }

    /// Returns this device, with these ways to exchange values and with `lie` in every program,
    /// behind its sizes: for tests of what becomes of a device that lies.
    ///
    /// # Safety
    /// There is a way, and `lie` is OpenCL C that lets no kernel access what it should not.
    #[doc(hidden)]
    pub unsafe fn with_lie(&self, ways: &[(Exchange, usize)], lie: &str) -> Device {
        let mut device = self.with_ways(ways.to_vec());
        device.lie = lie.to_owned();
        device
    }

    /// A device, what it is a part of, and so on.
    pub(crate) fn with_parents(id: cl_device_id) -> impl Iterator<Item = cl_device_id> {
        let parent = |id: &cl_device_id| cl::Device::new(*id).parent_device().ok();
        std::iter::successors(Some(id), move |id| parent(id).filter(|id| !id.is_null()))
    }

    /// Returns this device, alive as long as `keeper`.
    pub(crate) fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Device {
        Device {
            _keeper: Some(keeper),
            ..self
        }
    }

    /// Finds all devices of all platforms, in the order of the platforms. A platform or device that
    /// does not answer is left out, and a warning is logged.
    ///
    /// # Errors
    /// [`Error::NoRuntime`] if this machine has no OpenCL loader, or the loader finds no platform.
    pub fn all() -> Result<Vec<Device>> {
        // Loaders and drivers initialise themselves in the first call, and PoCL crashes if two
        // threads make that call at once.
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

    /// Returns this device, to be used as if it allowed only `work_items` work-items per
    /// work-group (at least one, and at most as many as it really allows). This shows how plans
    /// for smaller devices behave.
    pub fn with_max_work_group(&self, work_items: usize) -> Device {
        let mut device = self.clone();
        device.info.max_work_group = work_items.clamp(1, device.info.max_work_group);
        device
    }

    /// Returns this device, to be used as if it were of the given kind. This shows how plans for
    /// other kinds of devices behave.
    pub fn with_kind(&self, kind: DeviceKind) -> Device {
        let mut device = self.clone();
        device.info.kind = kind;
        device
    }

    /// Returns this device, to be used as if it had the given number of compute units, 1 to 65,536.
    /// This shows how plans for larger and smaller devices behave.
    pub fn with_compute_units(&self, compute_units: usize) -> Device {
        let mut device = self.clone();
        device.info.compute_units = compute_units.clamp(1, 1 << 16);
        device
    }

    /// Returns this device, to be used as if it had only so many bytes of memory, and no
    /// more than it really has. Engines refuse arrays that go beyond, and transform host
    /// slices in tiles that do not.
    pub fn with_memory_limit(&self, bytes: u64) -> Device {
        let mut device = self.clone();
        device.info.global_memory = bytes.min(device.info.global_memory);
        device
    }

    /// Returns this device, to be used without exchange of values between work-items,
    /// as one that offers none.
    pub fn without_exchange(&self) -> Device {
        self.with_ways(vec![NO_WAY])
    }

    /// Returns this device, to be used as if it had no more of anything than `limits` says: compute
    /// units, work-items per work-group, local and global memory, largest array, bits of an
    /// address, vectors, doubles, sub-groups, exchange. What `limits` has more of than the device
    /// changes nothing. This shows how plans for smaller devices behave.
    ///
    /// ```no_run
    /// # let device = wavelift::DeviceSelector::best().pick()?;
    /// let mut limits = device.info().clone();
    /// limits.local_memory = 16 << 10;
    /// limits.fp64 = false;
    /// let small = device.with_limits(&limits);
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    pub fn with_limits(&self, limits: &DeviceInfo) -> Device {
        let mut device = self.clone();
        device.info = self.info.within(limits);
        if device.info.exchange == Exchange::None {
            device.ways = vec![NO_WAY];
        }
        device
    }

    /// Returns this device, to be used with the given kind of exchange among sub-groups of `lanes`
    /// work-items, for comparing kinds of exchange.
    ///
    /// # Safety
    /// The kernels' sub-groups have `lanes` work-items on this device, and exchange values among
    /// just these. Otherwise kernels compute wrong results and can write beyond local memory.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for what the device is known to lack: the kind of exchange itself,
    /// or sub-groups that large.
    pub unsafe fn with_exchange(&self, exchange: Exchange, lanes: usize) -> Result<Device, Error> {
        let ways = ways_of(&self.info);
        let sizes = 2..=self.info.max_work_group;
        let is_offered = ways.iter().any(|way| match exchange {
            Exchange::Khr | Exchange::Intel => way.0 == exchange && sizes.contains(&lanes),
            _ => *way == (exchange, lanes),
        });
        if !is_offered {
            return Err(Error::Unsupported {
                what: format!("exchange by {exchange} among {lanes} work-items"),
                why: format!("{} offers {}", self.info, listed(&ways)),
            });
        }
        Ok(self.with_ways(vec![(exchange, lanes)]))
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
        match Device::described(handle, (number, i), name.trim()) {
            Ok(device) => devices.push(device),
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
    let sub_group_sizes = match has("cl_intel_required_subgroup_size") {
        true => numbers(&device.get_data(CL_DEVICE_SUB_GROUP_SIZES_INTEL)?),
        false => Vec::new(),
    };
    let wavefront = match has("cl_amd_device_attribute_query") {
        true => device.wavefront_width_amd()? as usize,
        false => 0,
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
        sub_group_sizes,
        wavefront,
        address_bits: device.address_bits()?,
        little_endian: device.endian_little()?,
        exchange: Exchange::None,
        lanes: 1,
        extensions,
        atomics: atomics_of(&device.version()?, atomic_capabilities(device)?),
    })
}

/// The devices for the few tests of the library's own that need some: none where there is no
/// OpenCL, where those in tests/ fail.
#[cfg(test)]
pub(crate) fn devices_if_any() -> Vec<Device> {
    match Device::all() {
        Err(Error::NoRuntime { .. }) => {
            println!("not run: there is no OpenCL");
            Vec::new()
        }
        found => found.unwrap(),
    }
}

/// `CL_DEVICE_SUB_GROUP_SIZES_INTEL`, of the extension `cl_intel_required_subgroup_size`.
const CL_DEVICE_SUB_GROUP_SIZES_INTEL: cl_device_info = 0x4108;

/// `CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES` and `CL_DEVICE_ATOMIC_FENCE_CAPABILITIES`, of OpenCL 3.0.
const CL_DEVICE_ATOMIC_CAPABILITIES: [cl_device_info; 2] = [0x1063, 0x1064];

/// What both atomic operations and fences of a device can do; nothing where it
/// does not know the question.
fn atomic_capabilities(device: &cl::Device) -> Result<u64, ClError> {
    let ask = |what| match device.get_data(what) {
        Ok(bytes) => Ok(bytes.try_into().map_or(0, u64::from_ne_bytes)),
        Err(ClError(CL_INVALID_VALUE)) => Ok(0),
        Err(error) => Err(error),
    };
    let [memory, fence] = CL_DEVICE_ATOMIC_CAPABILITIES;
    Ok(ask(memory)? & ask(fence)?)
}

/// Numbers of the type `size_t`.
fn numbers(bytes: &[u8]) -> Vec<usize> {
    let (numbers, _) = bytes.as_chunks();
    numbers
        .iter()
        .map(|&bytes| usize::from_ne_bytes(bytes))
        .collect()
}
