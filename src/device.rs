//! Finding OpenCL devices, and choosing one.

use crate::device_info::{DeviceInfo, DeviceKind, Exchange};
use crate::error::{Error, Result};
use opencl3::device::{self as cl, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::ClError;
use opencl3::platform::{Platform, get_platforms};
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

/// The variable that [`DeviceSelector::from_env`] reads.
const VARIABLE: &str = "WAVELIFT_DEVICE";

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

/// Which device is wanted.
///
/// In words (see [`FromStr`]): `nvidia`, `cpu`, `pocl:cpu`, `0:1`. Without any wish it picks the best:
/// a graphics processor before an accelerator before a CPU, more compute units before fewer.
///
/// ```no_run
/// use wavelift::{DeviceKind, DeviceSelector};
/// let from_environment = DeviceSelector::from_env()?.pick()?;
/// let by_words = "pocl:cpu".parse::<DeviceSelector>()?.pick()?;
/// let by_kind = DeviceSelector::best().kind(DeviceKind::Gpu).vendor("amd").pick()?;
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSelector {
    wishes: Vec<Wish>,
    preferred: Option<DeviceKind>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wish {
    Index(usize, usize),
    Kind(DeviceKind),
    Vendor(String),
    Name(String),
    /// Matches kind, platform, vendor, version or name.
    Word(String),
}

impl DeviceSelector {
    /// The best device that is there.
    pub fn best() -> Self {
        Self::default()
    }

    /// What the environment variable `WAVELIFT_DEVICE` says, in the words of [`FromStr`]; the best device
    /// where it is not set or empty.
    ///
    /// # Errors
    /// [`Error::Unknown`] where it can not be read as such.
    pub fn from_env() -> Result<Self> {
        match std::env::var(VARIABLE) {
            Ok(words) => words.parse(),
            Err(std::env::VarError::NotPresent) => Ok(Self::best()),
            Err(std::env::VarError::NotUnicode(words)) => Err(Error::Unknown {
                what: VARIABLE,
                expected: "text in Unicode".to_owned(),
                got: format!("{words:?}"),
            }),
        }
    }

    /// Only devices of this kind.
    pub fn kind(self, kind: DeviceKind) -> Self {
        self.with(Wish::Kind(kind))
    }

    /// Only devices whose vendor's name contains this word, in any case.
    pub fn vendor(self, word: &str) -> Self {
        self.with(Wish::Vendor(word.to_lowercase()))
    }

    /// Only devices whose name contains this word, in any case.
    pub fn name(self, word: &str) -> Self {
        self.with(Wish::Name(word.to_lowercase()))
    }

    /// Only this device of this platform, both counted from 0.
    pub fn index(self, platform: usize, device: usize) -> Self {
        self.with(Wish::Index(platform, device))
    }

    /// Of those that match, one of this kind first; another where there is none.
    pub fn prefer(mut self, kind: DeviceKind) -> Self {
        self.preferred = Some(kind);
        self
    }

    fn with(mut self, wish: Wish) -> Self {
        self.wishes.push(wish);
        self
    }

    /// Whether a device fulfils every wish.
    pub fn matches(&self, device: &DeviceInfo) -> bool {
        self.wishes.iter().all(|wish| match wish {
            Wish::Index(platform, number) => device.index == (*platform, *number),
            Wish::Kind(kind) => device.kind == *kind,
            Wish::Vendor(word) => device.vendor.to_lowercase().contains(word),
            Wish::Name(word) => device.name.to_lowercase().contains(word),
            Wish::Word(word) => [
                device.kind.name(),
                &device.platform,
                &device.vendor,
                &device.version,
                &device.name,
            ]
            .iter()
            .any(|text| text.to_lowercase().contains(word)),
        })
    }

    /// The best device that matches.
    ///
    /// # Errors
    /// [`Error::NoRuntime`] where there is no OpenCL; [`Error::NoDevice`], with a list of what was seen,
    /// where nothing matches.
    pub fn pick(&self) -> Result<Device> {
        let devices = Device::all()?;
        let infos: Vec<&DeviceInfo> = devices.iter().map(Device::info).collect();
        match self.best_of(&infos) {
            Some(i) => Ok(devices[i].clone()),
            None => Err(Error::NoDevice {
                wanted: self.to_string(),
                seen: devices.iter().map(Device::to_string).collect(),
            }),
        }
    }

    /// The place of the best device that matches.
    fn best_of(&self, devices: &[&DeviceInfo]) -> Option<usize> {
        let rank = |&i: &usize| {
            let device = devices[i];
            let kind = DeviceKind::ALL.iter().position(|&kind| kind == device.kind);
            (
                self.preferred.is_some_and(|kind| kind != device.kind),
                kind,
                // Emulated devices tend to have neither doubles nor room for large groups.
                Reverse((device.fp64, device.compute_units, device.max_work_group)),
            )
        };
        (0..devices.len())
            .filter(|&i| self.matches(devices[i]))
            .min_by_key(rank)
    }
}

impl fmt::Display for DeviceSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.wishes.is_empty() {
            return f.write_str("any device");
        }
        for (i, wish) in self.wishes.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match wish {
                Wish::Index(platform, device) => write!(f, "index {platform}:{device}")?,
                Wish::Kind(kind) => write!(f, "kind {kind}")?,
                Wish::Vendor(word) => write!(f, "vendor `{word}`")?,
                Wish::Name(word) => write!(f, "name `{word}`")?,
                Wish::Word(word) => write!(f, "`{word}`")?,
            }
        }
        Ok(())
    }
}

impl FromStr for DeviceSelector {
    type Err = Error;

    /// Words separated by colons, all of which must match the device's kind (`gpu`, `cpu`,
    /// `accelerator`), platform, vendor, version or name, in any case; or two numbers, platform and
    /// device; or nothing, for the best device.
    fn from_str(text: &str) -> Result<Self> {
        let mut selector = Self::best();
        if text.trim().is_empty() {
            return Ok(selector);
        }
        let words: Vec<&str> = text.split(':').map(str::trim).collect();
        let numbers: Vec<usize> = words.iter().flat_map(|word| word.parse()).collect();
        if let ([platform, device], 2) = (numbers.as_slice(), words.len()) {
            return Ok(selector.index(*platform, *device));
        }
        for word in words {
            if word.is_empty() || word.parse::<usize>().is_ok() {
                return Err(Error::Unknown {
                    what: "device",
                    expected: "words like `nvidia` or `pocl:cpu`, or two numbers like `0:1`".into(),
                    got: text.to_owned(),
                });
            }
            selector = selector.with(match word.to_lowercase().parse() {
                Ok(kind) => Wish::Kind(kind),
                Err(_) => Wish::Word(word.to_lowercase()),
            });
        }
        Ok(selector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn devices() -> Vec<DeviceInfo> {
        let device = |index, platform: &str, name: &str, kind, compute_units| DeviceInfo {
            index,
            platform: platform.into(),
            name: name.into(),
            kind,
            compute_units,
            ..DeviceInfo::imaginary()
        };
        vec![
            device(
                (0, 0),
                "Portable Computing Language",
                "pthread-EPYC",
                DeviceKind::Cpu,
                64,
            ),
            device((1, 0), "NVIDIA CUDA", "NVIDIA T4", DeviceKind::Gpu, 40),
            device((1, 1), "NVIDIA CUDA", "NVIDIA H200", DeviceKind::Gpu, 132),
        ]
    }

    fn picked(selector: DeviceSelector) -> Option<(usize, usize)> {
        let devices = devices();
        let infos: Vec<&DeviceInfo> = devices.iter().collect();
        selector.best_of(&infos).map(|i| devices[i].index)
    }

    #[test]
    fn the_best_device_matches_every_wish() {
        assert_eq!(picked(DeviceSelector::best()), Some((1, 1)));
        assert_eq!(
            picked(DeviceSelector::best().prefer(DeviceKind::Cpu)),
            Some((0, 0))
        );
        assert_eq!(
            picked(DeviceSelector::best().prefer(DeviceKind::Accelerator)),
            Some((1, 1))
        );
        assert_eq!(picked(DeviceSelector::best().name("t4")), Some((1, 0)));
        assert_eq!(picked(DeviceSelector::best().index(0, 0)), Some((0, 0)));
        assert_eq!(picked(DeviceSelector::best().vendor("amd")), None);
    }

    #[test]
    fn words_are_read() {
        let words = |text: &str| picked(text.parse().unwrap());
        assert_eq!(words(""), Some((1, 1)));
        assert_eq!(words("cpu"), Some((0, 0)));
        assert_eq!(words("Portable:EPYC"), Some((0, 0)));
        assert_eq!(words("nvidia:gpu"), Some((1, 1)));
        assert_eq!(words("1:0"), Some((1, 0)));
        assert_eq!(words("nvidia:cpu"), None);
        for bad in [":", "nvidia:", "1", "1:2:3", "0:cpu"] {
            assert!(bad.parse::<DeviceSelector>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_wish_says_what_it_is() {
        let selector: DeviceSelector = "gpu:Radeon".parse().unwrap();
        assert_eq!(selector.to_string(), "kind gpu, `radeon`");
    }
}
