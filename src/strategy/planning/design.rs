//! What strategies and the planner speak of: problems, passes, designs. All plain data, which can
//! be compared and printed.

mod registers;

pub(in crate::strategy) use self::registers::{
    MOST_REGISTERS, REGISTERS_OF_UNIT, can_stream, group_of_sub_groups, groups_at_once,
    lack_of_registers, registers, smallest_sub_groups,
};
use super::super::Strategy;
use super::cost::Cost;
use super::tuning::{Tunable, Tuning};
use crate::device::{DeviceInfo, Exchange, Fence, Way};
use crate::lifting::prelude;
use crate::lifting::reach::Reach;
use crate::transform::geometry::Geometry;
use crate::transform::{Region, Transform};
use crate::wavelet::{Direction, Pixels, SampleType, Stencil};
use std::fmt;

/// Bytes of the largest vectors by which kernels access memory without looking at addresses.
pub(crate) const LARGEST_VECTOR: usize = 16;

/// Pairs that a work-item lifts at a time along a line, where it has short runs (cl/core/run.cl).
pub(in crate::strategy) const RUN: usize = 4;

/// Work-items that take the place of a sub-group where there is no exchange.
pub(in crate::strategy) const LANES_ALONE: usize = 32;

/// A transform in one direction on one sample type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub transform: Transform,
    pub sample: SampleType,
    pub direction: Direction,
    /// Where samples and coefficients stand in the caller's arrays, these up to 16 bytes before
    /// where they are: alignment is all that a design takes of offsets.
    pub regions: Regions,
    /// What the caller has instead of samples, if it does.
    pub pixels: Option<Pixels>,
}

/// Where samples and coefficients stand in their arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regions {
    pub signal: Region,
    pub bands: Region,
}

impl Regions {
    /// Both in one piece, at the start of arrays of their own.
    pub fn dense(transform: &Transform) -> Self {
        let region = Region::dense(transform.shape());
        Regions {
            signal: region.clone(),
            bands: region,
        }
    }
}

impl Problem {
    /// The transform of arrays that are in one piece.
    pub fn new(transform: &Transform, sample: SampleType, direction: Direction) -> Self {
        Problem {
            transform: transform.clone(),
            sample,
            direction,
            regions: Regions::dense(transform),
            pixels: None,
        }
    }

    /// Where the results stand.
    pub fn output(&self) -> &Region {
        match self.direction {
            Direction::Forward => &self.regions.bands,
            Direction::Inverse => &self.regions.signal,
        }
    }

    /// The stencils of the lifting steps in the order in which they run.
    pub fn stencils(&self) -> Vec<Stencil> {
        prelude::stencils(self.transform.wavelet(), self.sample, self.direction)
    }
}

/// What a design is for: a device, what was measured on such, and what its compiler allowed so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub device: &'a DeviceInfo,
    pub tuning: &'a Tuning,
    /// Kernels that allow smaller work-groups than the device does.
    pub limits: &'a [(&'static str, usize)],
    /// Kernels that cannot do all that the device says, and the device with what is left to them.
    pub ways: &'a [(&'static str, DeviceInfo)],
}

impl<'a> Target<'a> {
    /// What a kernel that exchanges is designed for.
    pub fn of(self, kernel: &str) -> Target<'a> {
        let own = self.ways.iter().find(|(known, _)| *known == kernel);
        Target {
            device: own.map_or(self.device, |(_, device)| device),
            ..self
        }
    }

    /// How many work-items a work-group of this kernel may have.
    pub fn work_group(&self, kernel: &str) -> usize {
        let device = self
            .device
            .max_work_group
            .min(self.device.max_work_items[0]);
        let limits = self.limits.iter().filter(|(name, _)| *name == kernel);
        limits
            .fold(device, |least, (_, limit)| least.min(*limit))
            .max(1)
    }

    /// The size that was measured for a problem on such a device, if there is a line for it.
    pub fn size(&self, strategy: Strategy, problem: &Problem, tunable: &Tunable) -> Option<usize> {
        self.tuning
            .size(strategy, problem, self.device, tunable.name)
    }
}

/// A macro that the host sets for a kernel.
pub(crate) type Define = (String, String);

/// A [`Define`] of any number or word.
pub(crate) fn define(name: impl Into<String>, value: impl ToString) -> Define {
    (name.into(), value.to_string())
}

/// The type of distances between samples of one picture or volume: of 32 bits where they fit, which
/// takes half the registers.
pub(crate) fn define_distance(fits_32_bits: bool) -> Define {
    define("DISTANCE", if fits_32_bits { "int" } else { "long" })
}

/// What leaves the loops of a kernel made for GPUs as they are, on devices with vectors: CPUs,
/// whose compilers take long over loops that are written out.
pub(crate) fn loops_as_they_are(device: &DeviceInfo) -> Option<Define> {
    device.has_vectors().then(|| define("UNROLL", ""))
}

/// The same for kernels of pairs that a work-item lifts alone, in loops as long as the wavelet
/// reaches: up to VC-2's Fidelity, 14 pairs, CPUs' compilers write them out as well. Of twenty
/// steps that reach 60, PoCL then takes 35 s for a plan in place, and like this 10 s.
pub(crate) fn long_loops_as_they_are(device: &DeviceInfo, reach: &Reach) -> Option<Define> {
    const LONG: usize = 16;
    loops_as_they_are(device).filter(|_| reach.before + reach.after > LONG)
}

/// Pictures of a launch whose work-groups are counted as they arrive, at most.
pub(crate) const MOST_ARRIVALS: usize = 256;

/// A kernel, specialised: which file of cl/, with which sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    /// The kernel's name.
    pub name: &'static str,
    /// Its file in cl/.
    pub file: &'static str,
    /// What the file leaves open.
    pub defines: Vec<Define>,
    /// The size of a work-group.
    pub group: [usize; 2],
}

impl Kernel {
    /// How its work-items exchange values, and among how many, if they do.
    pub fn way(&self) -> Option<Way> {
        let exchange = *Exchange::ALL.get(self.number("EXCHANGE")?)?;
        (exchange != Exchange::None).then_some((exchange, self.number("LANES")?))
    }

    /// By which fence its last work-group to arrive goes on, if one does.
    pub fn fence(&self) -> Fence {
        let known = self
            .number("FENCE")
            .and_then(|number| Fence::ALL.get(number));
        known.copied().unwrap_or(Fence::None)
    }

    fn number(&self, wanted: &str) -> Option<usize> {
        let (_, value) = self.defines.iter().find(|(name, _)| name == wanted)?;
        value.parse().ok()
    }
}

/// An array as a strategy sees it, which does not choose any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// What its take has on the signal side.
    Signal,
    /// What its take has on the sub-band side, with the array of the low band.
    Bands,
    /// One of two arrays, as large as the level at hand, that the passes of a
    /// take have among themselves.
    Temp(usize),
}

/// What a pass works between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    pub signal: Slot,
    pub bands: Slot,
    /// What the pass itself leaves and goes on from, in the place of the low band.
    pub between: Option<Slot>,
}

impl Slots {
    /// What the whole take works between.
    pub const OF_TAKE: Slots = Slots {
        signal: Slot::Signal,
        bands: Slot::Bands,
        between: None,
    };

    /// The same for a pass that goes on from an array of its own, and leaves nothing to others.
    pub const GOING_ON: Slots = Slots {
        between: Some(Slot::Temp(0)),
        ..Slots::OF_TAKE
    };
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pass {
    pub kernel: Kernel,
    pub slots: Slots,
    pub geometry: Geometry,
    /// The kernel's own arguments, in the order of its struct, with their names.
    pub own: Vec<(&'static str, i32)>,
    /// How many work-groups are launched.
    pub groups: usize,
    /// What it costs, counted without a device.
    pub cost: Cost,
}

impl fmt::Display for Pass {
    /// The work-groups, the kernel and its own arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.groups, self.kernel.name)?;
        for (name, value) in &self.own {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}

/// An array that a plan works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Array {
    /// The caller's input, never written.
    Input,
    /// The caller's output.
    Output,
    /// One of the plan's own arrays, for what lies between takes.
    Scratch(usize),
    /// One of the plan's own arrays, for what lies between the passes of one take.
    Temp(usize),
}

/// The arrays of a launch. The forward transform reads the signal and writes the others, the
/// inverse the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrays {
    pub signal: Array,
    pub bands: Array,
    pub low: Option<Array>,
}

/// A pass and what it works on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Launch {
    pub strategy: Strategy,
    pub pass: Pass,
    pub arrays: Arrays,
}

/// Everything that a plan has to build, for one direction, in running order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Design {
    pub launches: Vec<Launch>,
    /// How many samples each scratch array has; 0 where it is not needed.
    pub scratch: [usize; 2],
    /// The same of the arrays within a take.
    pub temps: [usize; 2],
    /// What the user should know of a choice that is slow, and what would be fast.
    pub advice: Option<String>,
}
