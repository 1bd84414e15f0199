//! Choosing a device by kind, vendor, name or index.

use super::{Device, DeviceInfo, DeviceKind};
use crate::error::{Error, Result};
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

/// The environment variable that [`DeviceSelector::from_env`] reads.
const VARIABLE: &str = "WAVELIFT_DEVICE";

/// The least number among words that is taken for part of a name: smaller ones may
/// be meant to count devices.
const LEAST_IN_NAMES: usize = 100;

/// Describes which device is wanted, and picks it.
///
/// A selector is a list of criteria, all of which the device must meet. It can be written in words,
/// such as `nvidia`, `cpu`, `pocl:cpu` or `nvidia:4090`. Two numbers, such as `0:1`, are a platform
/// and a device of it; any other number is part of the device's name, and 100 or more (see
/// [`from_str`](Self::from_str)). Among the devices that match, it picks the best: a graphics
/// processor before an accelerator before a CPU, and more compute units before fewer. Without any
/// criteria every device matches.
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
    criteria: Vec<Criterion>,
    preferred: Option<DeviceKind>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Criterion {
    Index(usize, usize),
    Kind(DeviceKind),
    Vendor(String),
    Name(String),
    /// Part of the device's kind, platform, vendor, version or name.
    Word(String),
}

impl DeviceSelector {
    /// Selects the best of all existing devices.
    pub fn best() -> Self {
        Self::default()
    }

    /// Reads a selector from the environment variable `WAVELIFT_DEVICE`, in the words that
    /// [`FromStr`] understands. Selects the best device if the variable is unset or empty.
    ///
    /// # Errors
    /// [`Error::Unknown`] if the variable cannot be read as a selector.
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

    /// Adds a criterion: only devices of this kind match.
    pub fn kind(self, kind: DeviceKind) -> Self {
        self.with(Criterion::Kind(kind))
    }

    /// Adds a criterion: only devices whose vendor's name contains `word`, in any case, match.
    pub fn vendor(self, word: &str) -> Self {
        self.with(Criterion::Vendor(word.to_lowercase()))
    }

    /// Adds a criterion: only devices whose name contains `word`, in any case, match.
    pub fn name(self, word: &str) -> Self {
        self.with(Criterion::Name(word.to_lowercase()))
    }

    /// Adds a criterion: only this device of this platform matches, both counted from 0.
    pub fn index(self, platform: usize, device: usize) -> Self {
        self.with(Criterion::Index(platform, device))
    }

    /// Prefers devices of this kind among those that match, without excluding other kinds.
    pub fn prefer(mut self, kind: DeviceKind) -> Self {
        self.preferred = Some(kind);
        self
    }

    fn with(mut self, criterion: Criterion) -> Self {
        self.criteria.push(criterion);
        self
    }

    /// Whether a device meets every criterion.
    pub fn matches(&self, device: &DeviceInfo) -> bool {
        self.criteria.iter().all(|criterion| match criterion {
            Criterion::Index(platform, number) => device.index == (*platform, *number),
            Criterion::Kind(kind) => device.kind == *kind,
            Criterion::Vendor(word) => device.vendor.to_lowercase().contains(word),
            Criterion::Name(word) => device.name.to_lowercase().contains(word),
            Criterion::Word(word) => [
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

    /// Picks the best of the existing devices that match.
    ///
    /// # Errors
    /// [`Error::NoRuntime`] if this machine has no OpenCL; [`Error::NoDevice`], with a list of the
    /// existing devices, if none matches.
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

    /// The position of the best matching device in `devices`.
    fn best_of(&self, devices: &[&DeviceInfo]) -> Option<usize> {
        let rank = |&i: &usize| {
            let device = devices[i];
            let kind = DeviceKind::ALL.iter().position(|&kind| kind == device.kind);
            (
                self.preferred.is_some_and(|kind| kind != device.kind),
                kind,
                // Emulated devices tend to lack doubles and to allow only small work-groups.
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
        if self.criteria.is_empty() {
            return f.write_str("any device");
        }
        for (i, criterion) in self.criteria.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match criterion {
                Criterion::Index(platform, device) => write!(f, "index {platform}:{device}")?,
                Criterion::Kind(kind) => write!(f, "kind {kind}")?,
                Criterion::Vendor(word) => write!(f, "vendor `{word}`")?,
                Criterion::Name(word) => write!(f, "name `{word}`")?,
                Criterion::Word(word) => write!(f, "`{word}`")?,
            }
        }
        Ok(())
    }
}

impl FromStr for DeviceSelector {
    type Err = Error;

    /// Reads one of three forms: words separated by colons, each of which must be the device's kind
    /// (`gpu`, `cpu`, `accelerator`) or part of its platform, vendor, version or name, in any case;
    /// two numbers separated by a colon, the platform and the device, both counted from 0; or an
    /// empty text, for the best device.
    ///
    /// A number among words, as in `nvidia:4090`, must be part of the name: those of drivers and
    /// versions do not count. One below 100 is refused, as in `nvidia:1`, which would not be the
    /// second of NVIDIA's devices but any with a 1 in its name.
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
            let number = word.parse::<usize>().ok();
            if word.is_empty() || number.is_some_and(|number| number < LEAST_IN_NAMES) {
                return Err(Error::Unknown {
                    what: "device",
                    expected: format!(
                        "words joined by colons like `nvidia`, `pocl:cpu` or `nvidia:4090`, or a platform \
                         and a device like `0:1`; a number in a name is {LEAST_IN_NAMES} or more"
                    ),
                    got: text.to_owned(),
                });
            }
            let word = word.to_lowercase();
            selector = selector.with(match word.parse() {
                Ok(kind) => Criterion::Kind(kind),
                Err(_) if number.is_some() => Criterion::Name(word),
                Err(_) => Criterion::Word(word),
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
            version: "OpenCL 3.0, driver 580.4090".into(),
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
            device(
                (1, 2),
                "NVIDIA CUDA",
                "NVIDIA GeForce RTX 4090",
                DeviceKind::Gpu,
                128,
            ),
        ]
    }

    fn picked(selector: DeviceSelector) -> Option<(usize, usize)> {
        let devices = devices();
        let infos: Vec<&DeviceInfo> = devices.iter().collect();
        selector.best_of(&infos).map(|i| devices[i].index)
    }

    #[test]
    fn the_best_device_matches_every_criterion() {
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
        assert_eq!(words("driver"), Some((1, 1)));
        // Numbers are those of names, and not of drivers.
        for text in ["nvidia:4090", "4090", "4090:GPU", "rtx 4090"] {
            assert_eq!(words(text), Some((1, 2)), "{text}");
        }
        assert_eq!(words("nvidia:200"), Some((1, 1)));
        assert_eq!(words("nvidia:580"), None);
        // Two numbers are a platform and a device.
        assert_eq!(words("1:2"), Some((1, 2)));
        assert_eq!(words("1:4090"), None);
        for bad in [
            ":",
            "nvidia:",
            "1",
            "1:2:3",
            "0:cpu",
            "nvidia:1",
            "nvidia:90",
            "+10",
        ] {
            assert!(bad.parse::<DeviceSelector>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_selector_prints_its_criteria() {
        let selector: DeviceSelector = "gpu:Radeon".parse().unwrap();
        assert_eq!(selector.to_string(), "kind gpu, `radeon`");
        let selector: DeviceSelector = "gpu:7900".parse().unwrap();
        assert_eq!(selector.to_string(), "kind gpu, name `7900`");
    }
}
