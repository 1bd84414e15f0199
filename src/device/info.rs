//! What a device can do, as plain data.

use crate::names::named;
use std::fmt;

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// A graphics processor.
    Gpu,
    /// The host's processor.
    Cpu,
    /// Anything else that computes.
    Accelerator,
}

impl DeviceKind {
    /// All kinds, the one usually fastest first.
    pub const ALL: [DeviceKind; 3] = [DeviceKind::Gpu, DeviceKind::Accelerator, DeviceKind::Cpu];

    /// The name, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Cpu => "cpu",
            DeviceKind::Accelerator => "accelerator",
        }
    }
}

named!(DeviceKind, "device kind");

/// How work-items of a sub-group hand values to their neighbours; see cl/exchange.cl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exchange {
    /// Not at all: every work-item loads what it would have got.
    None,
    /// NVIDIA: `shfl.sync` in inline PTX.
    Ptx,
    /// `cl_khr_subgroup_shuffle_relative`.
    Khr,
    /// `cl_intel_subgroups`.
    Intel,
    /// AMD: the builtin `ds_bpermute`.
    Amd,
}

impl Exchange {
    /// All ways; a way's place here is its number in the kernels.
    pub const ALL: [Exchange; 5] = [
        Exchange::None,
        Exchange::Ptx,
        Exchange::Khr,
        Exchange::Intel,
        Exchange::Amd,
    ];

    /// The name, as [`FromStr`](std::str::FromStr) reads it.
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
        Self::ALL.iter().position(|&way| way == self).unwrap()
    }
}

named!(Exchange, "exchange");

/// What a device says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Which platform it belongs to, and which of its devices it is, both from 0.
    pub index: (usize, usize),
    /// The name of the platform, such as `NVIDIA CUDA`.
    pub platform: String,
    /// The device's own name.
    pub name: String,
    /// The device's vendor.
    pub vendor: String,
    /// The version of OpenCL and of the driver.
    pub version: String,
    /// Graphics processor, host processor or other.
    pub kind: DeviceKind,
    /// How many compute units it has.
    pub compute_units: usize,
    /// How many work-items a work-group may have.
    pub max_work_group: usize,
    /// How many of them along each dimension.
    pub max_work_items: [usize; 3],
    /// Bytes of local memory a work-group may use.
    pub local_memory: u64,
    /// Bytes of global memory.
    pub global_memory: u64,
    /// Bytes that one array may have.
    pub max_allocation: u64,
    /// Whether it computes in double precision.
    pub fp64: bool,
    /// Whether work-items can form sub-groups (`cl_khr_subgroups` or Intel's).
    pub sub_groups: bool,
    /// How many `float`s a vector register of the device holds.
    pub float_vector: usize,
    /// How neighbouring work-items can hand values to each other without local memory.
    pub exchange: Exchange,
    /// How many work-items such a sub-group has; 1 without exchange.
    pub lanes: usize,
    /// All its extensions, separated by spaces.
    pub extensions: String,
}

impl DeviceInfo {
    /// Whether the device has this OpenCL extension.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extensions.split_whitespace().any(|e| e == extension)
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
    /// A device for tests that need none.
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
            float_vector: 1,
            exchange: Exchange::None,
            lanes: 1,
            extensions: "cl_khr_fp64".into(),
        }
    }
}
