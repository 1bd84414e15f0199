//! What a device can do, as plain data.

use crate::names::named;
use std::fmt;

/// The kind of a device, as OpenCL reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// A graphics processor.
    Gpu,
    /// The host's own processor.
    Cpu,
    /// Any other device.
    Accelerator,
}

impl DeviceKind {
    /// All kinds of devices, the usually fastest first.
    pub const ALL: &'static [DeviceKind] =
        &[DeviceKind::Gpu, DeviceKind::Accelerator, DeviceKind::Cpu];

    /// Returns the name of the kind, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Cpu => "cpu",
            DeviceKind::Accelerator => "accelerator",
        }
    }
}

named!(DeviceKind, "device kind");

/// How the work-items of a sub-group pass values to their neighbours. The file
/// cl/core/exchange.cl implements each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exchange {
    /// No exchange: every work-item loads the values itself.
    None,
    /// `shfl.sync` in inline PTX, on NVIDIA devices.
    Ptx,
    /// The extension `cl_khr_subgroup_shuffle_relative`.
    Khr,
    /// The extension `cl_intel_subgroups`.
    Intel,
    /// The builtin `ds_bpermute`, on AMD devices, among sub-groups of 32 whatever
    /// the size of a wavefront.
    Amd,
}

impl Exchange {
    /// All kinds of exchange. The kernels number them in this order, from 0.
    pub const ALL: &'static [Exchange] = &[
        Exchange::None,
        Exchange::Ptx,
        Exchange::Khr,
        Exchange::Intel,
        Exchange::Amd,
    ];

    /// Returns the name of this kind of exchange, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Exchange::None => "none",
            Exchange::Ptx => "ptx",
            Exchange::Khr => "khr",
            Exchange::Intel => "intel",
            Exchange::Amd => "amd",
        }
    }

    pub(crate) fn number(self) -> usize {
        Self::ALL.iter().position(|&kind| kind == self).unwrap()
    }

    /// Whether this way ran on hardware that it is made for before it was published.
    /// AMD's was compiled only.
    pub(crate) fn is_tried(self) -> bool {
        self != Exchange::Amd
    }
}

named!(Exchange, "exchange");

/// How a work-group sees what others of its launch have stored. The file
/// cl/core/arrivals.cl implements each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fence {
    /// Not at all.
    None,
    /// `fence.acq_rel.gpu` in inline PTX, on NVIDIA devices.
    Ptx,
    /// The atomic operations of OpenCL C 2.0.
    Cl20,
    /// Those of OpenCL C 3.0, on devices that have their acquiring and releasing order and
    /// the scope of the device.
    Cl30,
}

impl Fence {
    /// All kinds of fences. The kernels number them in this order, from 0.
    pub const ALL: &'static [Fence] = &[Fence::None, Fence::Ptx, Fence::Cl20, Fence::Cl30];

    /// Returns the name of this kind of fence, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Fence::None => "none",
            Fence::Ptx => "ptx",
            Fence::Cl20 => "cl20",
            Fence::Cl30 => "cl30",
        }
    }

    pub(crate) fn number(self) -> usize {
        Self::ALL.iter().position(|&kind| kind == self).unwrap()
    }

    /// Whether it is of a version of OpenCL C, as which programs that use it must be built.
    pub(crate) fn is_of_c(self) -> bool {
        matches!(self, Fence::Cl20 | Fence::Cl30)
    }
}

named!(Fence, "fence");

/// What a device reports about itself, as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The number of the device's platform and the number of the device within
    /// it, both counted from 0.
    pub index: (usize, usize),
    /// The name of the platform, such as `NVIDIA CUDA`.
    pub platform: String,
    /// The name of the device.
    pub name: String,
    /// The vendor of the device.
    pub vendor: String,
    /// The versions of OpenCL and of the driver.
    pub version: String,
    /// Whether the device is a graphics processor, the host's own processor or another device.
    pub kind: DeviceKind,
    /// The number of compute units.
    pub compute_units: usize,
    /// The largest number of work-items per work-group.
    pub max_work_group: usize,
    /// The largest number of work-items per work-group along each dimension.
    pub max_work_items: [usize; 3],
    /// Bytes of local memory per work-group.
    pub local_memory: u64,
    /// Bytes of global memory.
    pub global_memory: u64,
    /// The largest size of one array, in bytes.
    pub max_allocation: u64,
    /// Whether the device computes in double precision.
    pub fp64: bool,
    /// Whether the device offers sub-groups (`cl_khr_subgroups` or `cl_intel_subgroups`).
    pub sub_groups: bool,
    /// The sizes that a kernel may ask its sub-groups to have; none where it cannot ask.
    pub sub_group_sizes: Vec<usize>,
    /// The number of work-items that the hardware runs together, where the device tells it
    /// (`cl_amd_device_attribute_query`); else 0.
    pub wavefront: usize,
    /// How many bits an address has on the device: 32 or 64.
    pub address_bits: u32,
    /// Whether the least significant byte of a number comes first. Engines refuse
    /// devices on which it does not.
    pub little_endian: bool,
    /// The device's native vector width: how many `float`s one of its vectors holds.
    pub float_vector: usize,
    /// How the work-items of a sub-group exchange values without local memory.
    /// [`Device::all`](super::Device::all) and selectors give what the device says; the device of
    /// an engine has what it was seen to do.
    pub exchange: Exchange,
    /// The number of work-items per sub-group in which values are exchanged; 1 without exchange.
    pub lanes: usize,
    /// The names of all OpenCL extensions of the device, separated by spaces.
    pub extensions: String,
    /// The fence of OpenCL C, if the device says that it has one, by which a work-group sees what
    /// other work-groups of its launch have stored. The fence of PTX is not listed here: it comes
    /// with PTX as the [`exchange`](Self::exchange).
    pub atomics: Fence,
}

impl DeviceInfo {
    /// How a work-group sees what others of its launch have stored.
    pub(crate) fn fence(&self) -> Fence {
        match self.exchange {
            Exchange::Ptx => Fence::Ptx,
            _ => self.atomics,
        }
    }

    /// Whether the device has the OpenCL extension of this name.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extensions.split_whitespace().any(|e| e == extension)
    }

    /// Whether two or more of the sub-groups in which values are exchanged share what the hardware
    /// runs together, and have no scalar registers of their own.
    pub(crate) fn shares_wavefronts(&self) -> bool {
        self.exchange != Exchange::None && self.lanes < self.wavefront
    }

    /// Whether a work-item has the hardware's vectors, as on CPUs. Their compilers take long over
    /// programs, so that tests build few for them.
    pub(crate) fn has_vectors(&self) -> bool {
        self.float_vector > 1
    }

    /// The largest array, in bytes: all of it has addresses.
    pub(crate) fn largest_array(&self) -> u64 {
        self.max_allocation.min(self.last_address())
    }

    /// The last byte that has an address.
    pub(crate) fn last_address(&self) -> u64 {
        match self.address_bits {
            bits @ 1..=63 => (1 << bits) - 1,
            _ => u64::MAX,
        }
    }

    /// The same device with no more of anything than `limits` has.
    pub(super) fn within(&self, limits: &DeviceInfo) -> DeviceInfo {
        let mut lower = self.clone();
        lower.compute_units = self.compute_units.min(limits.compute_units).max(1);
        lower.max_work_group = self.max_work_group.min(limits.max_work_group).max(1);
        lower.max_work_items = [0, 1, 2].map(|i| {
            let least = self.max_work_items[i].min(limits.max_work_items[i]);
            least.max(1)
        });
        lower.local_memory = self.local_memory.min(limits.local_memory);
        lower.global_memory = self.global_memory.min(limits.global_memory);
        lower.max_allocation = self.max_allocation.min(limits.max_allocation);
        lower.fp64 = self.fp64 && limits.fp64;
        lower.address_bits = self.address_bits.min(limits.address_bits);
        lower.little_endian = self.little_endian && limits.little_endian;
        lower.float_vector = self.float_vector.min(limits.float_vector).max(1);
        if self.sub_groups && !limits.sub_groups {
            lower.sub_groups = false;
            lower.sub_group_sizes.clear();
        }
        if limits.atomics == Fence::None {
            lower.atomics = Fence::None;
        }
        // NVIDIA's devices exchange without having sub-groups.
        if limits.exchange == Exchange::None || lower.sub_groups != self.sub_groups {
            (lower.exchange, lower.lanes) = (Exchange::None, 1);
        }
        lower
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (platform, device) = self.index;
        write!(
            f,
            "{platform}:{device} {} ({}, {})",
            self.name, self.platform, self.kind
        )
    }
}

impl DeviceInfo {
    /// An invented device, for tests that need no real one.
    #[doc(hidden)]
    pub fn imaginary() -> Self {
        DeviceInfo {
            index: (0, 0),
            platform: "Imaginary Platform".into(),
            name: "Imaginary 9000".into(),
            vendor: "Nobody".into(),
            version: "OpenCL 3.0".into(),
            kind: DeviceKind::Gpu,
            compute_units: 32,
            max_work_group: 1024,
            max_work_items: [1024, 1024, 64],
            local_memory: 48 << 10,
            global_memory: 8 << 30,
            max_allocation: 2 << 30,
            fp64: true,
            sub_groups: false,
            sub_group_sizes: Vec::new(),
            wavefront: 0,
            address_bits: 64,
            little_endian: true,
            float_vector: 1,
            exchange: Exchange::None,
            lanes: 1,
            extensions: "cl_khr_fp64".into(),
            atomics: Fence::None,
        }
    }
}
