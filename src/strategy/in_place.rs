//! Transforms in place: each axis by one sweep over the array (cl/in_place), rows through local
//! memory and all other lines in registers, after van der Laan et al. 2011.
//!
//! Lines are cut into segments, so that even a single one fills a device. A small launch before
//! saves what work-groups read and others overwrite: the pairs around every seam and the border of
//! every line. Lines that are swept as a whole need none.

mod segments;

use self::segments::Segments;
use super::planning::cost::{Cost, Meter};
use super::planning::design::{
    Kernel, Pass, Problem, Slots, Target, define, long_loops_as_they_are, smallest_sub_groups,
};
use super::planning::planner::impossible;
use super::separable::reduced;
use super::shared::line_ends;
use super::shared::lines::fits_32_bits;
use crate::device::DeviceKind;
use crate::error::{Error, Result};
use crate::lifting::reach::Reach;
use crate::transform::geometry::{Geometry, Sides, View};
use crate::transform::{Layout, Level};
use crate::wavelet::{Direction, SampleType};

/// Work-items of a work-group along a row, and its rows. With 32 and 8, 9/7 in f32 takes 1.06 times
/// as long along rows (NVIDIA H200).
const ROWS: [usize; 2] = [64, 4];
/// The same of 16-bit integers, of which NVIDIA's compiler puts some of 13/7 in memory otherwise.
/// It takes as long (8192 x 8192 by 13/7 308 us, inverse 304, with [`ROWS`] 305 and 306; by 5/3 294
/// both, and 296 and 292); 9/7 in f32 would take 1.05 times as long.
const ROWS_OF_SHORTS: [usize; 2] = [32, 4];

/// Work-items in a work-group where each has a line, or a segment of one.
const GROUP: usize = 64;

/// Pairs that a work-item lifts at once.
const PAIRS: usize = 4;

/// How much may be saved: hundredths of the array, or so many bytes where that is more.
const SCRATCH_PERCENT: usize = 3;
const SCRATCH_FLOOR: usize = 64 << 10;

/// Everything that a plan in place has to build, for one direction, in running order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InPlace {
    pub passes: Vec<Pass>,
    /// How many samples are saved at most before an axis is swept; 0 where nothing is.
    pub scratch: usize,
}

/// Designs a transform in place.
///
/// # Errors
/// [`Error::Unsupported`] for the Mallat layout, for doubles on a device without, and for more
/// lines than can be counted.
pub(crate) fn plan_in_place(problem: &Problem, target: &Target) -> Result<InPlace> {
    let refuse = |why: String| {
        let (wavelet, sample) = (problem.transform.wavelet(), problem.sample);
        let what = format!("{wavelet} on {sample} samples in place");
        Err(Error::Unsupported { what, why })
    };
    if problem.transform.coefficient_layout() == Layout::Mallat {
        let why = "the Mallat layout moves coefficients away from where their samples were: ask for \
                   `Layout::Interleaved`, or for a plan between two arrays";
        return refuse(why.to_owned());
    }
    if let Some(why) = impossible(problem, target) {
        return refuse(why);
    }
    let designer = Designer {
        problem,
        target,
        reach: Reach::new(&problem.stencils()),
    };
    let levels = problem.transform.active_levels();
    let axes = levels
        .iter()
        .flat_map(|level| (0..level.axes.len()).map(move |done| (level, done)));
    let mut takes: Vec<InPlace> = axes
        .map(|(level, done)| designer.axis(level, done))
        .collect();
    if problem.direction == Direction::Inverse {
        takes.reverse();
    }
    let scratch = takes.iter().map(|take| take.scratch).max();
    Ok(InPlace {
        scratch: scratch.unwrap_or(0),
        passes: takes.into_iter().flat_map(|take| take.passes).collect(),
    })
}

/// A kernel that sweeps along segments.
struct Sweep {
    kernel: Kernel,
    /// How many segments a work-group sweeps along at once.
    segments: usize,
    /// Pairs that it lifts of each at once.
    unit: usize,
    /// Barriers each time.
    barriers: usize,
    local_bytes: usize,
}

struct Designer<'a> {
    problem: &'a Problem,
    target: &'a Target<'a>,
    reach: Reach,
}

impl Designer<'_> {
    /// One axis of a level, before which so many are done in the order of the forward transform.
    fn axis(&self, level: &Level, done: usize) -> InPlace {
        let geometry = self.geometry(level, done);
        let inner = self.reach.inner(geometry.samples as usize).len();
        if inner == 0 {
            return InPlace {
                passes: vec![self.line_ends(geometry)],
                scratch: 0,
            };
        }
        // Of the array: an axis that is down to one sample in the lattice still has
        // others between its neighbours.
        let behind = &self.problem.transform.shape()[level.axes[done] + 1..];
        let are_rows = behind.iter().all(|&samples| samples == 1);
        // The kernel for rows counts places in 32 bits; in a region neighbours can be far apart.
        let sweep = match are_rows && fits_32_bits(&geometry.signal, geometry.samples) {
            true => self.rows(),
            false => self.columns(),
        };
        let lines = geometry.lines as usize;
        let wanted = (self.filling() * sweep.segments).div_ceil(lines);
        let most = wanted.min(self.most_segments(lines));
        let segments = Segments::new(inner, sweep.unit, most);
        let is_whole = segments.count == 1;
        let items: usize = sweep.kernel.group.iter().product();
        let border_groups = if is_whole { 0 } else { lines.div_ceil(items) };
        let meter = Meter::new(self.problem, 1, geometry.shift);
        let pass = |mut kernel: Kernel, border_groups: usize, groups: usize, cost: Cost| {
            kernel.defines.push(define("BORDER", self.reach.border()));
            let loops = long_loops_as_they_are(self.target.device, &self.reach);
            kernel.defines.extend(loops);
            Pass {
                kernel,
                slots: Slots::OF_TAKE,
                geometry,
                own: segments.own(border_groups),
                groups: border_groups + groups,
                cost,
            }
        };
        let groups = (lines * segments.count).div_ceil(sweep.segments);
        let cost = self.cost(&meter, &geometry, &segments, &sweep);
        let main = pass(sweep.kernel, border_groups, groups, cost);
        if is_whole {
            return InPlace {
                passes: vec![main],
                scratch: 0,
            };
        }
        let save = self.kernel_of_items("save_seams", "in_place/save_seams.cl");
        let saved = lines * (self.ends() + (segments.count - 1) * self.seam());
        let groups = (saved / 2).div_ceil(save.group[0]);
        InPlace {
            passes: vec![pass(save, 0, groups, meter.moved(saved, saved)), main],
            scratch: saved,
        }
    }

    /// Segments read their own pairs and the seam after them; borders are read again.
    fn cost(&self, meter: &Meter, lines: &Geometry, segments: &Segments, sweep: &Sweep) -> Cost {
        let count = lines.lines as usize;
        let read = segments.pairs + segments.count * self.seam() / 2;
        let positions = segments.pairs.div_ceil(sweep.unit);
        let positions_each = segments.pairs_each / sweep.unit;
        meter.scaled(2 * count * read, 2 * count * segments.pairs)
            + meter.lifted_alone(count * positions * sweep.unit / PAIRS, PAIRS)
            + meter.borders(lines, &self.reach)
            + Cost::of_group(positions_each * sweep.barriers, sweep.local_bytes)
    }

    /// Along the axis whose samples are neighbours.
    fn rows(&self) -> Sweep {
        let [x, y] = self.row_group();
        Sweep {
            kernel: Kernel {
                name: "rows_in_place",
                file: "in_place/rows_in_place.cl",
                defines: vec![
                    define("ROWS_X", x),
                    define("ROWS_Y", y),
                    define("PAIRS_LIFTED", PAIRS),
                    define("CONVOLUTION", 0),
                    smallest_sub_groups(self.target.device),
                ],
                group: [x, y],
            },
            segments: y,
            unit: PAIRS * x,
            barriers: 4,
            local_bytes: self.row_bytes([x, y]),
        }
    }

    /// Along any other.
    fn columns(&self) -> Sweep {
        let mut kernel = self.kernel_of_items("columns_in_place", "in_place/columns_in_place.cl");
        kernel.defines.extend([
            define("PAIRS_LIFTED", PAIRS),
            define("CONVOLUTION", 0),
            smallest_sub_groups(self.target.device),
        ]);
        Sweep {
            segments: kernel.group[0],
            unit: PAIRS,
            barriers: 0,
            local_bytes: 0,
            kernel,
        }
    }

    /// Lines that are all border.
    fn line_ends(&self, geometry: Geometry) -> Pass {
        let meter = Meter::new(self.problem, 1, geometry.shift);
        let mut kernel = self.kernel_of_items(line_ends::KERNEL, line_ends::FILE);
        kernel.defines.push(define("BORDER", self.reach.border()));
        Pass {
            groups: (geometry.lines as usize).div_ceil(kernel.group[0]),
            kernel,
            slots: Slots::OF_TAKE,
            geometry,
            own: vec![("unused", 0)],
            cost: meter.line_ends(&geometry, &self.reach),
        }
    }

    /// A kernel whose work-items have nothing to do with each other.
    fn kernel_of_items(&self, name: &'static str, file: &'static str) -> Kernel {
        let group = GROUP.min(self.target.work_group(name));
        Kernel {
            name,
            file,
            defines: vec![define("GROUP", group)],
            group: [group, 1],
        }
    }

    /// The lines of one axis of a level's lattice, the same on both sides.
    fn geometry(&self, level: &Level, done: usize) -> Geometry {
        let transform = &self.problem.transform;
        let lattice = View::of_level(transform, &self.problem.regions.bands, level.number);
        let sides = Sides {
            signal: lattice.clone(),
            bands: lattice,
            low: None,
        };
        let is_shifted = done == 0 && self.problem.sample.is_integer();
        Geometry {
            boundary: transform.boundary_rule().number(),
            shift: i32::from(is_shifted) * transform.wavelet().pre_shift() as i32,
            ..sides.lines(level.axes[done])
        }
    }

    /// The local memory of a work-group of [`rows`](Self::rows).
    fn row_bytes(&self, [x, y]: [usize; 2]) -> usize {
        let samples = 2 * PAIRS * x + self.seam();
        (samples + samples / (2 * PAIRS)) * y * self.problem.sample.local_size()
    }

    /// The wanted work-group, halved until the device can run such ones.
    fn row_group(&self) -> [usize; 2] {
        let size = match self.problem.sample {
            SampleType::I16 => ROWS_OF_SHORTS,
            _ => ROWS,
        };
        let bytes = |size| self.row_bytes(size);
        reduced(size, "rows_in_place", self.target, bytes)
    }

    /// Work-groups that keep the whole device busy. With 32 for each compute unit of an NVIDIA
    /// H200, 8192 x 8192 by 9/7 in f32 takes 1.05 times as long along columns; with 12 to 15, which
    /// leave its rows whole, 1.13 times along rows.
    fn filling(&self) -> usize {
        let each = match self.target.device.kind {
            DeviceKind::Cpu => 4,
            DeviceKind::Gpu | DeviceKind::Accelerator => 16,
        };
        self.target.device.compute_units.max(1) * each
    }

    /// How many segments of each of so many lines have their seams saved in
    /// as much as there may be.
    fn most_segments(&self, lines: usize) -> usize {
        let share = self.problem.transform.len() * SCRATCH_PERCENT / 100;
        let samples = share.max(SCRATCH_FLOOR / self.problem.sample.size());
        match (samples / lines).checked_sub(self.ends()) {
            None => 1,
            Some(left) => left
                .checked_div(self.seam())
                .map_or(usize::MAX, |seams| 1 + seams),
        }
    }

    /// The samples of a line's joined ends.
    fn ends(&self) -> usize {
        4 * self.reach.border()
    }

    /// The samples of a seam; `KEPT_SAMPLES` in cl/in_place/rows_in_place.cl.
    fn seam(&self) -> usize {
        2 * (self.reach.before + self.reach.after)
    }
}

#[cfg(test)]
mod tests;
