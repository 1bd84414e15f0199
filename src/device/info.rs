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

/// How the work-items of a sub-group pass values to their neighbours. The file cl/core/exchange.cl implements each kind.
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
    /// The builtin `ds_bpermute`, on AMD devices.
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
}

named!(Exchange, "exchange");

/// What a device reports about itself, as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The number of the device's platform and the number of the device within it, both counted from 0.
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
    /// The device's native vector width: how many `float`s one of its vectors holds.
    pub float_vector: usize,
    /// How the work-items of a sub-group exchange values without local memory.
    pub exchange: Exchange,
    /// The number of work-items per sub-group in which values are exchanged; 1 without exchange.
    pub lanes: usize,
    /// The names of all OpenCL extensions of the device, separated by spaces.
    pub extensions: String,
}

impl DeviceInfo {
    /// Whether the device has the OpenCL extension of this name.
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
            float_vector: 1,
            exchange: Exchange::None,
            lanes: 1,
            extensions: "cl_khr_fp64".into(),
        }
    }
}
