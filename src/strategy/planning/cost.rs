//! What passes cost: the bytes that they move, their arithmetic, barriers and local memory. A
//! strategy says how much its kernel reads, stores and lifts; a [`Meter`] makes a [`Cost`] of that.

use super::design::Problem;
use crate::lifting::filters::filters;
use crate::lifting::reach::Reach;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Direction, SampleType};
use std::iter::Sum;
use std::ops::Add;

/// What a transform, or a part of it, costs on a device, counted without running it.
///
/// The counts are those of the kernels as they are written: exact away from borders, and an
/// estimate near them, where lines end within a tile or a strip. That is within a few per cent of
/// the whole, unless a picture is so small that it is mostly border.
///
/// Costs can be added: all counts add up, but for [`local_bytes`](Self::local_bytes), of
/// which the largest remains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// Bytes of global memory that are read. What several work-groups or sub-groups read, because
    /// their tiles, strips or segments overlap, counts for each of them, even where a cache has it.
    /// What stands in for samples beyond a border counts where a strategy has blocks, tiles or strips
    /// of one size.
    pub bytes_read: u64,
    /// Bytes of global memory that are written.
    pub bytes_written: u64,
    /// Additions, multiplications and shifts of samples, one each, also of results that several
    /// work-items compute. A step takes an addition per tap, and a multiplication per tap, or
    /// per two taps where they are symmetric; none for factors of 1 and -1. A step of integers
    /// adds its bias and shifts, if it has any. Scaling and the pre-shift count; arithmetic on
    /// places in memory does not, nor what reduces integers to their width. CDF 9/7 takes 12
    /// operations per pair of samples and axis to lift and at most two to scale; CDF 5/3 6 in
    /// reals and 8 in integers.
    pub operations: u64,
    /// Barriers that a work-item passes at most on its way through each launch.
    pub barriers: u64,
    /// Bytes of local memory per work-group, of the launch that has most.
    pub local_bytes: u64,
    /// Kernels that are launched.
    pub launches: u64,
}

impl Cost {
    /// What a work-group has besides its arithmetic.
    pub(in crate::strategy) fn of_group(barriers: usize, local_bytes: usize) -> Self {
        Cost {
            barriers: barriers as u64,
            local_bytes: local_bytes as u64,
            ..Cost::default()
        }
    }

    fn of_operations(operations: u64) -> Self {
        Cost {
            operations,
            ..Cost::default()
        }
    }

    /// The same work so many times over, one time after the other.
    pub(crate) fn times(self, times: u64) -> Self {
        Cost {
            bytes_read: self.bytes_read * times,
            bytes_written: self.bytes_written * times,
            operations: self.operations * times,
            barriers: self.barriers * times,
            local_bytes: self.local_bytes,
            launches: self.launches * times,
        }
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            bytes_read: self.bytes_read + other.bytes_read,
            bytes_written: self.bytes_written + other.bytes_written,
            operations: self.operations + other.operations,
            barriers: self.barriers + other.barriers,
            local_bytes: self.local_bytes.max(other.local_bytes),
            launches: self.launches + other.launches,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), Add::add)
    }
}

/// Counts what passes do that lift one axis, or two or three at once.
pub(in crate::strategy) struct Meter<'a> {
    problem: &'a Problem,
    /// The bytes of a sample, or of a pixel, on the signal side.
    signal_size: usize,
    axes: u32,
    /// The pre-shift that the pass applies.
    shift: i32,
    /// In running order: the operations of a step on a pair, and on how many more pairs it runs
    /// than those whose results are wanted.
    steps: Vec<(u64, usize)>,
}

impl<'a> Meter<'a> {
    pub fn new(problem: &'a Problem, axes: u32, shift: i32) -> Self {
        let reach = Reach::new(&problem.stencils());
        let around = reach.steps.iter().map(|(before, after)| before + after);
        Meter {
            problem,
            signal_size: problem.sample.size(),
            axes,
            shift,
            steps: operations_of_steps(problem)
                .into_iter()
                .zip(around)
                .collect(),
        }
    }

    /// The same of a pass with samples, or pixels, of so many bytes on its signal side.
    pub fn with_signal(self, signal_size: usize) -> Self {
        Meter {
            signal_size,
            ..self
        }
    }

    /// A launch that reads and stores so many samples.
    pub fn moved(&self, read: usize, stored: usize) -> Cost {
        let sides = [self.signal_size, self.problem.sample.size()];
        let [from, to] = match self.problem.direction {
            Direction::Forward => sides,
            Direction::Inverse => [sides[1], sides[0]],
        };
        Cost {
            bytes_read: (read * from) as u64,
            bytes_written: (stored * to) as u64,
            launches: 1,
            ..Cost::default()
        }
    }

    /// The same where samples are scaled, or shifted, on their way.
    pub fn scaled(&self, read: usize, stored: usize) -> Cost {
        self.moved(read, stored) + self.scaling(read, stored)
    }

    /// How many samples are read and stored where so many approximations have an array of their own
    /// and places among all other coefficients `again`: they are stored in both, and rows are
    /// loaded with those places.
    pub fn with_lows_again(&self, read: usize, stored: usize, again: usize) -> [usize; 2] {
        match self.problem.direction {
            Direction::Forward => [read, stored + again],
            Direction::Inverse => [read + again, stored],
        }
    }

    /// The arithmetic of it: forward, samples are shifted as they come and scaled as they go; the
    /// inverse scales first, and rounds when it shifts.
    pub fn scaling(&self, read: usize, stored: usize) -> Cost {
        let shifted = u64::from(self.shift > 0);
        let (factors, shifts) = match self.problem.direction {
            Direction::Forward => (stored, read as u64 * shifted),
            Direction::Inverse => (read, stored as u64 * shifted * 2),
        };
        Cost::of_operations(((factors as u64 * self.factors()) >> self.axes) + shifts)
    }

    /// How many of the channels of all axes, two for one axis, four for two and eight for three,
    /// have a factor other than 1.
    fn factors(&self) -> u64 {
        let sample = self.problem.sample;
        let scale = self.problem.transform.wavelet().scale();
        let (s, d) = (scale.approximation, scale.detail);
        let factors = match self.axes {
            1 => vec![s, d],
            2 => vec![s * s, s * d, s * d, d * d],
            _ => {
                let (low, high) = (s * s * d, s * d * d);
                vec![s * s * s, low, low, low, high, high, high, d * d * d]
            }
        };
        let is_factor = |factor: &&f64| match sample {
            SampleType::F16 | SampleType::Rounded | SampleType::F32 => **factor as f32 != 1.0,
            SampleType::F64 => **factor != 1.0,
            SampleType::I16 | SampleType::I32 => false,
        };
        factors.iter().filter(is_factor).count() as u64
    }

    /// All steps, each on so many pairs along one axis.
    pub fn lifted(&self, pairs: usize) -> Cost {
        let steps = self.steps.iter().map(|(operations, _)| operations);
        Cost::of_operations(pairs as u64 * steps.sum::<u64>())
    }

    /// All steps on `runs` runs of so many pairs that have nothing in common: each step runs on the
    /// pairs around them, too, that later ones depend on.
    pub fn lifted_alone(&self, runs: usize, pairs: usize) -> Cost {
        let steps = self.steps.iter();
        let steps = steps.map(|(operations, around)| operations * (pairs + around) as u64);
        Cost::of_operations(runs as u64 * steps.sum::<u64>())
    }

    /// The operations of one step on so many of its targets.
    pub fn step(&self, step: usize, targets: usize) -> Cost {
        Cost::of_operations(self.steps[step].0 * targets as u64)
    }

    /// So many pairs by the taps of both filters, which include the scaling.
    pub fn convolved(&self, pairs: usize) -> Cost {
        let filters = filters(self.problem.transform.wavelet(), self.problem.direction);
        let operations = filters.iter().flatten().map(|taps| {
            let multiplied = taps.iter().filter(|tap| tap.factor.abs() != 1.0).count();
            (taps.len() - 1 + multiplied) as u64
        });
        Cost::of_operations(pairs as u64 * operations.sum::<u64>())
    }

    /// The borders of lines by cl/core/border.cl, in a launch that does the inside as well: the
    /// ends of each line, joined; of a line that is all border, the whole line.
    pub fn borders(&self, lines: &Geometry, reach: &Reach) -> Cost {
        let (count, samples) = (lines.lines as usize, lines.samples as usize);
        let read = samples.min(4 * reach.border());
        let stored = samples - 2 * reach.inner(samples).len();
        let cost = self.scaled(count * read, count * stored);
        Cost {
            launches: 0,
            ..cost + self.lifted(count * read.div_ceil(2))
        }
    }

    /// A launch for the borders alone.
    pub fn line_ends(&self, lines: &Geometry, reach: &Reach) -> Cost {
        Cost {
            launches: 1,
            ..self.borders(lines, reach)
        }
    }
}

/// The operations of each step on a pair, in running order.
fn operations_of_steps(problem: &Problem) -> Vec<u64> {
    let wavelet = problem.transform.wavelet();
    let mut steps: Vec<u64> = if problem.sample.is_integer() {
        let steps = wavelet.integer_steps().unwrap_or_default().iter();
        let rounding = |bias: i32, shift: u32| u64::from(bias != 0) + u64::from(shift != 0);
        steps
            .map(|step| of_taps(step.taps(), [1, -1]) + rounding(step.bias(), step.shift()))
            .collect()
    } else {
        let steps = wavelet.real_steps().unwrap_or_default().iter();
        steps
            .map(|step| of_taps(step.taps(), [1.0, -1.0]))
            .collect()
    };
    if problem.direction == Direction::Inverse {
        steps.reverse();
    }
    steps
}

/// An addition for each tap; a multiplication for each, or for two that are symmetric
/// (lifting/prelude.rs writes them so), unless the factor is a unit.
fn of_taps<T: PartialEq>(taps: &[T], units: [T; 2]) -> u64 {
    let is_symmetric = taps.iter().eq(taps.iter().rev());
    let factors = match is_symmetric {
        true => &taps[..taps.len().div_ceil(2)],
        false => taps,
    };
    let multiplied = factors.iter().filter(|&factor| !units.contains(factor));
    (taps.len() + multiplied.count()) as u64
}
