//! What a pass works on that lifts the lines of one axis.

use super::super::planning::design::{Define, Pass, define};
use super::super::planning::planner::Taken;
use super::super::planning::todo::Todo;
use crate::lifting::reach::Reach;
use crate::transform::Level;
use crate::transform::geometry::{Geometry, Side};

/// Samples of lines that are but a few.
const SHORT: i32 = 8;

/// Lines so many that it is worth while to make a kernel for their length.
const MANY: i32 = 4096;

/// Neighbours that fill what memory gives at once.
const NEIGHBOURS: i32 = 8;

/// The lines of the next axis that is left.
pub(in crate::strategy) struct Lines {
    pub geometry: Geometry,
    pub reach: Reach,
    /// Whether no axis that has more than one sample is behind theirs, so that in an array in one
    /// piece they are rows, and places of a line fit 32 bits.
    pub are_rows: bool,
    /// How far neighbours in a line are apart on the signal side.
    pub apart: i64,
    /// Whether places of a line fit 32 bits.
    pub near: bool,
}

impl Lines {
    pub fn new(todo: &Todo) -> Self {
        Self::of_levels(todo, 1)
    }

    /// The same for a take of several whole levels, which have no other axis.
    pub fn of_levels(todo: &Todo, levels: usize) -> Self {
        let axis = todo.axes()[0];
        let geometry = Geometry {
            boundary: todo.problem.transform.boundary_rule().number(),
            shift: todo.pre_shift(),
            ..todo.sides(levels, 1).lines(axis)
        };
        let behind = &todo.levels[0].shape[axis + 1..];
        let contiguous = behind.iter().all(|&samples| samples == 1);
        // Row passes count places of a line in 32 bits: coefficients can be far apart
        // where they stay in place.
        let sides = [&geometry.signal, &geometry.bands, &geometry.low];
        let near = sides
            .iter()
            .all(|side| fits_32_bits(side, geometry.samples));
        Lines {
            reach: Reach::new(&todo.problem.stencils()),
            are_rows: contiguous && near,
            apart: geometry.signal.line.detail,
            near,
            geometry,
        }
    }

    /// Whether lines have anything between their ends (line_ends.rs).
    pub fn have_inside(&self) -> bool {
        !self.reach.inner(self.geometry.samples as usize).is_empty()
    }

    /// The samples of lines that are so short and so many that any kernel for them is made for this
    /// length.
    pub fn known_length(&self) -> Option<i32> {
        let is_known = self.geometry.samples <= SHORT && self.are_many();
        is_known.then_some(self.geometry.samples)
    }

    /// Whether they are so many that it is worth while to make a kernel for their length.
    pub fn are_many(&self) -> bool {
        self.geometry.lines >= MANY
    }

    /// Whether they are rows that follow one another in memory on both sides, each in one piece.
    pub fn follow_one_another(&self) -> bool {
        let samples = i64::from(self.geometry.samples);
        let interleaved = self.geometry.is_interleaved();
        let is_whole =
            |side: &Side, step: i64| side.line.stride == step && side.across[0].stride == samples;
        are_even(&self.geometry)
            && self.geometry.has_low == 0
            && is_whole(&self.geometry.signal, 2)
            && self.geometry.signal.line.detail == 1
            && is_whole(&self.geometry.bands, if interleaved { 2 } else { 1 })
    }

    /// Whether neighbouring lines are neighbours in memory, on one side at least.
    pub fn stand_side_by_side(&self) -> bool {
        let sides = [&self.geometry.signal, &self.geometry.bands];
        sides.iter().any(|side| side.across[0].stride == 1)
    }

    /// Whether so many stand side by side that what is loaded of them is mostly theirs.
    pub fn are_near(&self) -> bool {
        let neighbours = self.geometry.across[0];
        self.geometry.lines == neighbours || neighbours >= NEIGHBOURS
    }

    /// How many samples are read and stored of the inside of all lines, which depends on no border,
    /// where each of so many tiles or segments of a line reads the reach around it as well.
    pub fn inner_samples(&self, overlaps: usize) -> [usize; 2] {
        let lines = self.geometry.lines as usize;
        let inner = self.reach.inner(self.geometry.samples as usize).len();
        let around = overlaps * (self.reach.before + self.reach.after);
        [2 * lines * (inner + around), 2 * lines * inner]
    }
}

/// How many of the next levels have these axes and no others, none of which is lifted
/// yet; else the one at hand.
pub(in crate::strategy) fn levels_alone(todo: &Todo, axes: &[usize]) -> usize {
    let alone = |level: &&Level| todo.done == 0 && level.axes == axes;
    todo.levels.iter().take_while(alone).count().max(1)
}

/// Whether each line starts as far after the one before on either side.
pub(in crate::strategy) fn are_even(geometry: &Geometry) -> bool {
    geometry.across[1] * geometry.across[2] == 1 && geometry.low_across[0] == geometry.across[0]
}

/// What cl/core/short_line.cl wants to know of lines of so many samples.
pub(in crate::strategy) fn short_line(
    geometry: &Geometry,
    samples: usize,
    levels: usize,
) -> [Define; 4] {
    [
        define("JOINED_SAMPLES", samples),
        // What core/ends.cl has room for: as many pairs as there are, half of them at each end.
        define("BORDER", samples.div_ceil(4)),
        define("LEVELS", levels),
        define("RULE", geometry.boundary),
    ]
}

/// One axis of the level at hand, by these passes.
pub(in crate::strategy) fn taken(passes: Vec<Pass>) -> Taken {
    Taken {
        levels: 1,
        axes: 1,
        passes,
    }
}

/// Whether places of a line in an array fit 32 bits.
pub(in crate::strategy) fn fits_32_bits(side: &Side, samples: i32) -> bool {
    let pairs = (i64::from(samples) + 1) / 2;
    side.line.stride.saturating_mul(pairs) <= i64::from(i32::MAX)
}

/// In how many turns segments run at most: more of them are as well balanced as they can be.
const MOST_TURNS: usize = 64;

/// Into how many segments `lines` of so many pairs each are cut, of which each takes
/// `overlap` pairs more and has at least `least` pairs of its own: so that the last of all
/// that run at once ends soonest.
pub(in crate::strategy) fn segments(
    [lines, pairs]: [usize; 2],
    overlap: usize,
    at_once: usize,
    least: usize,
) -> usize {
    let time = |count: &usize| {
        let turns = (lines * count).div_ceil(at_once);
        turns * (pairs.div_ceil(*count) + overlap)
    };
    let most = (pairs / least.max(1)).max(1);
    // As many as so many turns have room for: fewer take as many turns of longer segments.
    let counts = (0..=MOST_TURNS).map(|turns| (turns * at_once / lines.max(1)).clamp(1, most));
    counts.min_by_key(time).unwrap_or(1)
}
