//! How to compute a transform: strategies turn a problem into a list of passes, plain data that can be
//! compared, printed and counted without a device.

mod levels;
mod separable;
mod single_loop;
mod stepwise;
mod streamed;
mod tail;
mod tuning;
mod vector_passes;
mod vectors;

pub(crate) use tuning::Tuning;

use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::names::named;
use crate::transform::Transform;
use crate::transform::geometry::{Arguments, View, lines, most_lines};
use crate::wavelet::Direction;
use crate::wavelet::SampleType;

/// A way to compute a transform on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// One pass over memory for a level of pictures, or for two levels of large ones: sub-groups march along
    /// strips of columns, both axes in registers. The last levels, those that fit local memory, take one launch
    /// together.
    Streamed,
    /// The same for CPU devices: one work-item a strip, rows in cache, explicit vectors (Barina and Zemcik).
    SingleLoop,
    /// A pass over memory for each axis: rows by Blazewicz's four pairs a work-item, other axes by the
    /// sliding window of Kucis et al.; on CPU devices both in vectors.
    Separable,
    /// One launch per lifting step, in place in global memory. Slow, and right for everything.
    Stepwise,
}

impl Strategy {
    /// All strategies, in the order in which the planner asks them.
    pub const ALL: [Strategy; 4] = [
        Strategy::Streamed,
        Strategy::SingleLoop,
        Strategy::Separable,
        Strategy::Stepwise,
    ];

    /// The name, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Streamed => "streamed",
            Strategy::SingleLoop => "single_loop",
            Strategy::Separable => "separable",
            Strategy::Stepwise => "stepwise",
        }
    }

    /// Whether this strategy can solve a problem on a device, there and back, and whether it should.
    pub(crate) fn fit(self, problem: &Problem, target: &Target) -> Fit {
        if problem.sample == SampleType::F64 && !target.device.fp64 {
            return Fit::No {
                why: format!("{} has no double precision", target.device),
            };
        }
        if most_lines(&problem.transform) > i32::MAX as usize {
            return Fit::No {
                why: "the array has more than 2^31 lines along one axis".to_owned(),
            };
        }
        let one_way = |problem: &Problem| match self {
            Strategy::Streamed => streamed::fit(problem, target),
            Strategy::SingleLoop => single_loop::fit(problem, target),
            Strategy::Separable => Fit::Preferred,
            Strategy::Stepwise => Fit::Works,
        };
        match one_way(&problem.back()) {
            Fit::No { why } => Fit::No { why },
            Fit::Works | Fit::Preferred => one_way(problem),
        }
    }

    /// The passes that solve a problem on a device.
    pub(crate) fn design(self, problem: &Problem, target: &Target) -> Design {
        if problem.transform.active_levels().is_empty() {
            return stepwise::copy_only(problem, target);
        }
        match self {
            Strategy::Streamed => streamed::design(problem, target),
            Strategy::SingleLoop => single_loop::design(problem, target),
            Strategy::Separable => separable::design(problem, target),
            Strategy::Stepwise => stepwise::design(problem, target),
        }
    }

    /// The first strategy that is preferred for the problem, else the first that works.
    pub(crate) fn choose(problem: &Problem, target: &Target) -> Result<Strategy> {
        let mut reasons = Vec::new();
        let mut works = None;
        for strategy in Self::ALL {
            match strategy.fit(problem, target) {
                Fit::Preferred => return Ok(strategy),
                Fit::Works => works = works.or(Some(strategy)),
                Fit::No { why } => reasons.push(why),
            }
        }
        reasons.dedup();
        works.ok_or_else(|| Error::Unsupported {
            what: format!(
                "{} on {} samples",
                problem.transform.wavelet, problem.sample
            ),
            why: reasons.join("; "),
        })
    }

    /// An error where this strategy can not solve the problem on the device.
    pub(crate) fn require(self, problem: &Problem, target: &Target) -> Result<()> {
        match self.fit(problem, target) {
            Fit::Preferred | Fit::Works => Ok(()),
            Fit::No { why } => Err(Error::Unsupported {
                what: format!("strategy `{self}` for this transform"),
                why,
            }),
        }
    }
}

named!(Strategy, "strategy");

/// A transform in one direction on one sample type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub transform: Transform,
    pub sample: SampleType,
    pub direction: Direction,
}

impl Problem {
    /// The same in the other direction.
    fn back(&self) -> Problem {
        Problem {
            direction: match self.direction {
                Direction::Forward => Direction::Inverse,
                Direction::Inverse => Direction::Forward,
            },
            ..self.clone()
        }
    }
}

/// What a design is for: a device, and what was measured on such.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub device: &'a DeviceInfo,
    pub tuning: &'a Tuning,
}

/// A strategy's answer to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Preferred,
    Works,
    No { why: String },
}

/// An array that a pass reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Array {
    /// The caller's input, never written.
    Input,
    /// The caller's output.
    Output,
    /// One of the plan's own arrays.
    Scratch(usize),
}

/// A kernel, specialised: which sources, with which sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    /// The kernel's name.
    pub name: &'static str,
    /// The files in cl/ that follow the prelude and common.cl.
    pub parts: &'static [&'static str],
    /// Sizes that the sources leave open.
    pub defines: Vec<(&'static str, usize)>,
    /// The size of a work-group.
    pub group: [usize; 2],
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pass {
    pub kernel: Kernel,
    pub from: Array,
    pub to: Array,
    /// Where the approximations of the low corner stand, if apart.
    pub corner: Option<Array>,
    pub arguments: Arguments,
    /// How many work-groups are launched.
    pub groups: usize,
}

/// Everything that a plan has to build.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Design {
    pub passes: Vec<Pass>,
    /// How many samples each scratch array holds; 0 where it is not needed.
    pub scratch: [usize; 2],
}

/// Copies an array from one view of it to another, dimension by dimension in channel order.
fn move_lines(axis: usize, from: (&View, Array), to: (&View, Array), group: usize) -> Pass {
    let arguments = lines(axis, from.0, to.0);
    stepwise::pass("move", from.1, to.1, arguments, group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavelet::Wavelet;

    fn problem(sample: SampleType) -> Problem {
        Problem {
            transform: Transform::new(Wavelet::CDF_9_7, [64, 64]),
            sample,
            direction: Direction::Forward,
        }
    }

    #[test]
    fn names_round_trip() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.name().parse(), Ok(strategy));
        }
    }

    #[test]
    fn doubles_need_a_device_that_has_them() {
        let device = DeviceInfo {
            fp64: false,
            ..DeviceInfo::imaginary()
        };
        let target = Target {
            device: &device,
            tuning: &Tuning::default(),
        };
        assert_eq!(
            Strategy::choose(&problem(SampleType::F32), &target),
            Ok(Strategy::Streamed)
        );
        let refused = Strategy::choose(&problem(SampleType::F64), &target).unwrap_err();
        assert!(refused.to_string().contains("double precision"));
        assert!(
            Strategy::Stepwise
                .require(&problem(SampleType::F64), &target)
                .is_err()
        );
    }
}
