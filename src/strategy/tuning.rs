//! Sizes that the kernels leave open: measured ones per device, else defaults from a device's limits.
//!
//! A line of a tuning file names a device, a strategy and a sample type, then sizes:
//! `NVIDIA H200 | streamed | f32 | GROUP=128 PAIRS=4`. The device is (part of) a device's name, of its
//! vendor's, or a kind; a closer match wins, and of equal ones the later line. `wavelet=` and `direction=`
//! among the sizes restrict a line further. Sizes not named are left at their defaults.

use crate::device::{DeviceInfo, DeviceKind};
use crate::error::{Error, Result};
use crate::strategy::{Problem, Strategy};
use crate::wavelet::Direction;
use crate::wavelet::SampleType;

/// The sizes that a strategy leaves open. Launches of `streamed` that do two levels have those that begin with `TWO_`.
fn names(strategy: Strategy) -> &'static [&'static str] {
    match strategy {
        Strategy::Streamed => &[
            "PAIRS",
            "AHEAD",
            "MANY_AHEAD",
            "GROUP",
            "FILLING",
            "MANY_FILLING",
            "SHORTEST",
            "TURNING",
            "TAIL_GROUP",
            "TWO_PAIRS",
            "TWO_AHEAD",
            "TWO_GROUP",
            "TWO_FILLING",
            "TWO_SHORTEST",
        ],
        Strategy::SingleLoop => &["VECTOR", "STREAMED", "STRIP", "BAND"],
        Strategy::Separable => &[
            "ROWS_X", "ROWS_Y", "COLUMNS", "WINDOW_Y", "FILLING", "VECTOR", "STREAMED",
        ],
        Strategy::Stepwise => &[],
    }
}

/// The measured sizes: those that come with the library, and the user's own after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tuning {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
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
    /// [`Error::Tuning`] where the user's file can not be read.
    pub fn load() -> Result<Self> {
        let mut text = include_str!("tuned.txt").to_owned();
        if let Some(path) = std::env::var_os(Self::VARIABLE).filter(|path| !path.is_empty()) {
            let own = std::fs::read_to_string(&path).map_err(|error| Error::Tuning {
                line: path.display().to_string(),
                why: error.to_string(),
            })?;
            text.push_str(&own);
        }
        text.parse()
    }

    /// The same with more lines after them.
    ///
    /// # Errors
    /// [`Error::Tuning`] for a line that can not be read.
    pub fn with(&self, lines: &str) -> Result<Self> {
        let mut all = self.clone();
        all.lines.extend(lines.parse::<Self>()?.lines);
        Ok(all)
    }

    /// A size for a problem on a device, or `default`.
    pub fn size(
        &self,
        name: &str,
        strategy: Strategy,
        problem: &Problem,
        device: &DeviceInfo,
        default: usize,
    ) -> usize {
        debug_assert!(names(strategy).contains(&name), "{name} of {strategy}");
        let mut best = (0, default);
        for line in &self.lines {
            let closeness = line.closeness(strategy, problem, device);
            let size = line.sizes.iter().find(|(known, _)| known == name);
            if let (true, Some((_, size))) = (closeness > 0 && closeness >= best.0, size) {
                best = (closeness, *size);
            }
        }
        best.1
    }
}

impl Line {
    /// How closely the line fits; 0 where it does not.
    fn closeness(&self, strategy: Strategy, problem: &Problem, device: &DeviceInfo) -> u32 {
        let wavelet = problem.transform.wavelet.name();
        let fits = self.strategy == strategy
            && self.sample == problem.sample
            && self.wavelet.as_deref().is_none_or(|name| name == wavelet)
            && self
                .direction
                .is_none_or(|direction| direction == problem.direction);
        let by_device = if device.name.contains(&self.device) {
            3
        } else if device.vendor.contains(&self.device) {
            2
        } else if device.kind.name() == self.device {
            1
        } else {
            0
        };
        if !fits || by_device == 0 {
            return 0;
        }
        4 * by_device + 2 * u32::from(self.wavelet.is_some()) + u32::from(self.direction.is_some())
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
        device: device.to_owned(),
        strategy: strategy.parse().map_err(|error: Error| error.to_string())?,
        sample: sample.parse().map_err(|error: Error| error.to_string())?,
        wavelet: None,
        direction: None,
        sizes: Vec::new(),
    };
    if device.is_empty() {
        return Err("no device is named".to_owned());
    }
    for size in sizes.split_whitespace() {
        match size.split_once('=') {
            Some(("wavelet", name)) => line.wavelet = Some(name.to_owned()),
            Some(("direction", "forward")) => line.direction = Some(Direction::Forward),
            Some(("direction", "inverse")) => line.direction = Some(Direction::Inverse),
            Some((name, value)) => {
                let value = value
                    .parse()
                    .ok()
                    .filter(|value| (1..1 << 20).contains(value));
                let value = value.ok_or_else(|| format!("`{size}` is no size"))?;
                let known = names(line.strategy);
                if !known.contains(&name) {
                    let known = known.join(", ");
                    return Err(format!(
                        "{strategy} has no size `{name}`, its sizes are: {known}"
                    ));
                }
                line.sizes.push((name.to_owned(), value));
            }
            None => return Err(format!("`{size}` is not NAME=SIZE")),
        }
    }
    Ok(line)
}

/// Work-group sizes (x, y) of the kernels, and how many work-groups fill the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    /// Row pass: work-items along a row, rows.
    pub row: [usize; 2],
    /// Column pass: columns, work-items down a column.
    pub column: [usize; 2],
    /// Kernels with one work-item a line or a pair.
    pub linear: usize,
    /// Work-groups that keep the whole device busy.
    pub filling: usize,
}

impl Tiles {
    /// Sizes for kernels without local memory.
    pub fn of(device: &DeviceInfo) -> Self {
        Self::new(device, |_, papers| papers, |_| 0, |_| 0)
    }

    /// The sizes that the papers found best, or those `tuned` instead, reduced to what the device allows.
    /// `row_bytes` and `column_bytes` say how much local memory a work-group of that size needs.
    pub fn new(
        device: &DeviceInfo,
        tuned: impl Fn(&str, usize) -> usize,
        row_bytes: impl Fn([usize; 2]) -> usize,
        column_bytes: impl Fn([usize; 2]) -> usize,
    ) -> Self {
        // Kucis: groups of 256, strips of 32 columns.
        Tiles {
            row: reduced([tuned("ROWS_X", 32), tuned("ROWS_Y", 8)], device, row_bytes),
            column: reduced(
                [tuned("COLUMNS", 32), tuned("WINDOW_Y", 8)],
                device,
                column_bytes,
            ),
            linear: 64
                .min(device.max_work_group)
                .min(device.max_work_items[0])
                .max(1),
            filling: device.compute_units.max(1)
                * match device.kind {
                    DeviceKind::Cpu => 4,
                    DeviceKind::Gpu | DeviceKind::Accelerator => tuned("FILLING", 32),
                },
        }
    }
}

/// Halves a work-group, keeping x about four times y, until the device can run it.
fn reduced(
    mut size: [usize; 2],
    device: &DeviceInfo,
    bytes: impl Fn([usize; 2]) -> usize,
) -> [usize; 2] {
    let fits = |size: [usize; 2]| {
        size[0] * size[1] <= device.max_work_group
            && size[0] <= device.max_work_items[0]
            && size[1] <= device.max_work_items[1]
            && bytes(size) as u64 <= device.local_memory
    };
    while !fits(size) && size != [1, 1] {
        let narrower = size[0] > 4 * size[1] || size[1] == 1;
        size[usize::from(!narrower)] /= 2;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::Transform;
    use crate::wavelet::Wavelet;

    #[test]
    fn the_closest_line_wins() {
        let tuning: Tuning = "
            # a comment
            gpu              | streamed | f32 | PAIRS=2 AHEAD=1
            Nobody           | streamed | f32 | PAIRS=3
            Imaginary 9000   | streamed | i16 | PAIRS=8
            Nobody           | streamed | f32 | PAIRS=4 wavelet=cdf97
            Nobody           | streamed | f32 | PAIRS=5 wavelet=cdf97 direction=inverse
        "
        .parse()
        .unwrap();
        let size = |name, sample, wavelet| {
            let problem = Problem {
                transform: Transform::new(wavelet, [8, 8]),
                sample,
                direction: Direction::Forward,
            };
            tuning.size(
                name,
                Strategy::Streamed,
                &problem,
                &DeviceInfo::imaginary(),
                99,
            )
        };
        assert_eq!(size("PAIRS", SampleType::F32, Wavelet::CDF_9_7), 4);
        assert_eq!(size("PAIRS", SampleType::F32, Wavelet::CDF_5_3), 3);
        assert_eq!(size("AHEAD", SampleType::F32, Wavelet::CDF_9_7), 1);
        assert_eq!(size("PAIRS", SampleType::I16, Wavelet::CDF_5_3), 8);
        assert_eq!(size("GROUP", SampleType::I16, Wavelet::CDF_5_3), 99);
        assert_eq!(size("PAIRS", SampleType::F64, Wavelet::CDF_9_7), 99);
    }

    #[test]
    fn lines_that_come_later_win() {
        let problem = Problem {
            transform: Transform::new(Wavelet::HAAR, [8, 8]),
            sample: SampleType::F32,
            direction: Direction::Forward,
        };
        let device = DeviceInfo::imaginary();
        let size =
            |tuning: &Tuning, name| tuning.size(name, Strategy::Streamed, &problem, &device, 99);
        let first: Tuning = "gpu | streamed | f32 | PAIRS=2 AHEAD=1".parse().unwrap();
        let both = first.with("gpu | streamed | f32 | PAIRS=8").unwrap();
        assert_eq!([size(&first, "PAIRS"), size(&first, "AHEAD")], [2, 1]);
        assert_eq!([size(&both, "PAIRS"), size(&both, "AHEAD")], [8, 1]);
        assert!(first.with("gpu").is_err());
    }

    #[test]
    fn bad_lines_are_refused_and_named() {
        for bad in [
            "x",
            "a|streamed|f32",
            "a|fast|f32|PAIRS=1",
            "a|streamed|u8|PAIRS=1",
            "a|streamed|f32|PAIRS=0",
            "a|streamed|f32|PAIRS",
            "a|streamed|f32|ROWS_X=1",
            "a|stepwise|f32|PAIRS=1",
            "|streamed|f32|PAIRS=1",
        ] {
            let refused = bad.parse::<Tuning>().unwrap_err().to_string();
            assert!(refused.contains(bad), "{refused}");
        }
    }

    #[test]
    fn what_comes_with_the_library_can_be_read() {
        include_str!("tuned.txt").parse::<Tuning>().unwrap();
    }

    fn column(limit: usize, local_memory: u64) -> [usize; 2] {
        let device = DeviceInfo {
            max_work_group: limit,
            local_memory,
            ..DeviceInfo::imaginary()
        };
        Tiles::new(&device, |_, papers| papers, |_| 0, |[x, y]| 64 * x * y).column
    }

    #[test]
    fn small_devices_get_small_groups() {
        assert_eq!(column(1024, 48 << 10), [32, 8]);
        assert_eq!(column(128, 48 << 10), [32, 4]);
        assert_eq!(column(64, 48 << 10), [16, 4]);
        assert_eq!(column(32, 48 << 10), [16, 2]);
        assert_eq!(column(1, 48 << 10), [1, 1]);
        assert_eq!(column(1024, 8 << 10), [32, 4]);
    }
}
