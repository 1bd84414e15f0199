//! Choosing a device.

use super::{Device, DeviceInfo, DeviceKind};
use crate::error::{Error, Result};
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

/// The variable that [`DeviceSelector::from_env`] reads.
const VARIABLE: &str = "WAVELIFT_DEVICE";

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
