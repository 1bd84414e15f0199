//! Sizes that the kernels leave open: measured ones per device, else the defaults of each strategy.
//!
//! A line of a tuning file names a device, a strategy and a sample type, then sizes, as in
//! `NVIDIA H200 | streamed | f32 | PAIRS=8 FILLING=24`. The device is (part of) a device's name,
//! of its vendor's, or a kind, in small letters or capitals; a closer match wins, and of equal ones
//! the later line. `wavelet=` and `direction=` among the sizes restrict a line further. Sizes that are
//! not named keep their defaults.

use super::super::Strategy;
use super::design::Problem;
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::wavelet::{Direction, SampleType, Wavelet};

/// A size that a strategy leaves open, because devices differ in which one is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tunable {
    /// Its name in a tuning file.
    pub name: &'static str,
    /// The size that is used where no line of tuning names one, unless `says` names
    /// another one for that case.
    pub default: usize,
    /// The sizes that are worth trying, in rising order; empty where the size is not worth varying.
    pub candidates: &'static [usize],
    /// What the size counts, and how it is rounded.
    pub says: &'static str,
}

impl Tunable {
    /// Returns the largest size that a line of tuning may name: 16 times the
    /// largest that is worth trying.
    pub fn largest(&self) -> usize {
        16 * self.candidates.iter().fold(self.default, |a, &b| a.max(b))
    }
}

/// The measured sizes: those that come with the library, and the user's own after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tuning {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// In small letters.
    device: String,
    strategy: Strategy,
    sample: SampleType,
    wavelet: Option<String>,
    direction: Option<Direction>,
    sizes: Vec<(String, usize)>,
}

impl Tuning {
    /// The file named by this variable is laid over what comes with the library.
    const VARIABLE: &str = "WAVELIFT_TUNING";

    /// What comes with the library and the user's file.
    ///
    /// # Errors
    /// [`Error::Tuning`] where the user's file cannot be read.
    pub fn load() -> Result<Self> {
        let library: Self = include_str!("tuned.txt").parse()?;
        if let Some(path) = std::env::var_os(Self::VARIABLE).filter(|path| !path.is_empty()) {
            let own = std::fs::read_to_string(&path).map_err(|error| Error::Tuning {
                line: path.display().to_string(),
                why: error.to_string(),
            })?;
            return library.with(&own).map_err(|error| match error {
                Error::Tuning { line, why } => Error::Tuning {
                    line: format!("{}: {line}", path.display()),
                    why,
                },
                other => other,
            });
        }
        Ok(library)
    }

    /// The same with more lines after them, the user's own.
    ///
    /// # Errors
    /// [`Error::Tuning`] for a line that cannot be read.
    pub fn with(&self, lines: &str) -> Result<Self> {
        let (mut all, own) = (self.clone(), lines.parse::<Self>()?);
        for name in own.foreign_wavelets() {
            log::warn!("tuning for the wavelet `{name}`, which is none of the library's own");
        }
        all.lines.extend(own.lines);
        Ok(all)
    }

    /// Names of wavelets that the library does not have, each once: the
    /// user's own, or mistyped ones.
    fn foreign_wavelets(&self) -> Vec<&str> {
        let named = self.lines.iter().filter_map(|line| line.wavelet.as_deref());
        let mut foreign: Vec<&str> = named
            .filter(|name| name.parse::<Wavelet>().is_err())
            .collect();
        foreign.sort_unstable();
        foreign.dedup();
        foreign
    }

    /// The measured size of this name for a problem on a device.
    pub fn size(
        &self,
        strategy: Strategy,
        problem: &Problem,
        device: &DeviceInfo,
        name: &str,
    ) -> Option<usize> {
        let mut best = (0, None);
        for line in &self.lines {
            let closeness = line.closeness(strategy, problem, device);
            let size = line.sizes.iter().find(|(known, _)| known == name);
            if let (true, Some((_, size))) = (closeness > 0 && closeness >= best.0, size) {
                best = (closeness, Some(*size));
            }
        }
        best.1
    }
}

impl Line {
    /// How closely the line fits; 0 where it does not.
    fn closeness(&self, strategy: Strategy, problem: &Problem, device: &DeviceInfo) -> u32 {
        let wavelet = problem.transform.wavelet().name();
        let direction = self.direction;
        let fits = self.strategy.shares_sizes(strategy)
            && self.sample == problem.sample
            && self.wavelet.as_deref().is_none_or(|name| name == wavelet)
            && direction.is_none_or(|direction| direction == problem.direction);
        let names_it = |name: &str| name.to_lowercase().contains(&self.device);
        let by_device = if names_it(&device.name) {
            3
        } else if names_it(&device.vendor) {
            2
        } else if device.kind.name() == self.device {
            1
        } else {
            0
        };
        if !fits || by_device == 0 {
            return 0;
        }
        4 * by_device + 2 * u32::from(self.wavelet.is_some()) + u32::from(direction.is_some())
    }
}

impl std::str::FromStr for Tuning {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines = lines.map(|line| {
            parse_line(line).map_err(|why| Error::Tuning {
                line: line.to_owned(),
                why,
            })
        });
        Ok(Tuning {
            lines: lines.collect::<Result<_>>()?,
        })
    }
}

fn parse_line(text: &str) -> Result<Line, String> {
    let columns: Vec<&str> = text.split('|').map(str::trim).collect();
    let &[device, strategy, sample, sizes] = columns.as_slice() else {
        return Err("expected: device | strategy | sample | NAME=SIZE ...".to_owned());
    };
    let mut line = Line {
        device: device.to_lowercase(),
        strategy: strategy.parse().map_err(|error: Error| error.to_string())?,
        sample: sample.parse().map_err(|error: Error| error.to_string())?,
        wavelet: None,
        direction: None,
        sizes: Vec::new(),
    };
    if device.is_empty() {
        return Err("no device is named".to_owned());
    }
    for word in sizes.split_whitespace() {
        match word.split_once('=') {
            Some(("wavelet", name)) => line.wavelet = Some(name.to_owned()),
            Some(("direction", "forward")) => line.direction = Some(Direction::Forward),
            Some(("direction", "inverse")) => line.direction = Some(Direction::Inverse),
            Some((name, value)) => line.sizes.push(size(line.strategy, name, value)?),
            None => return Err(format!("`{word}` is not NAME=SIZE")),
        }
    }
    Ok(line)
}

fn size(strategy: Strategy, name: &str, value: &str) -> Result<(String, usize), String> {
    let tunables = strategy.tunables();
    let Some(tunable) = tunables.iter().find(|tunable| tunable.name == name) else {
        let known: Vec<&str> = tunables.iter().map(|tunable| tunable.name).collect();
        let known = known.join(", ");
        return Err(format!(
            "{strategy} has no size `{name}`, its sizes are: {known}"
        ));
    };
    let range = 1..=tunable.largest();
    let size = value.parse().ok().filter(|size| range.contains(size));
    let size = size.ok_or_else(|| {
        let (least, most) = range.into_inner();
        format!("{name} is {least} to {most}, not `{value}`")
    })?;
    Ok((name.to_owned(), size))
}

#[cfg(test)]
mod tests;
