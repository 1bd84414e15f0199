//! Transforms in place: each axis by one sweep over the array (cl/in_place), rows through local memory and all other lines
//! in registers, after van der Laan et al. 2011.
//!
//! Lines are cut into segments, so that even a single one fills a device. A small launch before saves what segments read
//! of their neighbours, which overwrite it. Lines that are swept as a whole need none.

use super::design::{Kernel, Pass, Problem, Target, define};
use super::planner::impossible;
use crate::device::DeviceKind;
use crate::error::{Error, Result};
use crate::lifting::reach::Reach;
use crate::transform::geometry::{Geometry, Sides, View};
use crate::transform::{Layout, Level};
use crate::wavelet::Direction;

/// Work-items of a work-group along a row, and its rows.
const ROWS: [usize; 2] = [32, 8];

/// Work-items in a work-group where each has a line, or a segment of one.
const GROUP: usize = 64;

/// Pairs that a work-item lifts at once; `PAIRS_LIFTED` in cl/separable/four_pairs.cl.
const PAIRS: usize = 4;

/// How much is saved at most: hundredths of the array, or so many bytes where that is more.
const SCRATCH_PERCENT: usize = 3;
const SCRATCH_FLOOR: usize = 64 << 10;

/// Everything that a plan in place has to build, for one direction, in running order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InPlace {
    pub passes: Vec<Pass>,
    /// How many samples the array has that seams are saved in; 0 where it is not needed.
    pub scratch: usize,
}

/// Designs a transform in place.
///
/// # Errors
/// [`Error::Unsupported`] for the Mallat layout, for doubles on a device without, and for more lines than can be counted.
pub(crate) fn plan_in_place(problem: &Problem, target: &Target) -> Result<InPlace> {
    let refuse = |why: String| {
        let (wavelet, sample) = (&problem.transform.wavelet, problem.sample);
        let what = format!("{wavelet} on {sample} samples in place");
        Err(Error::Unsupported { what, why })
    };
    if problem.transform.layout == Layout::Mallat {
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

/// How the pairs of a line that depend on no border are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segments {
    count: usize,
    /// But for the last one.
    pairs_each: usize,
    pairs: usize,
}

impl Segments {
    /// Cuts `pairs` into segments of a multiple of `unit` pairs, at most `most` of them.
    ///
    /// The launch that saves the seams between them also stores the border, so no seam reaches so far.
    fn new(pairs: usize, unit: usize, most: usize, reach: &Reach) -> Self {
        let cut = |count: usize| {
            let pairs_each = pairs.div_ceil(count).next_multiple_of(unit);
            Segments {
                count: pairs.div_ceil(pairs_each),
                pairs_each,
                pairs,
            }
        };
        let is_clear = |cut: &Segments| {
            let last = pairs - (cut.count - 1) * cut.pairs_each;
            cut.pairs_each >= reach.before && last >= reach.after
        };
        let several = (2..=most).rev().map(cut);
        several
            .filter(|cut| cut.count > 1)
            .find(is_clear)
            .unwrap_or_else(|| cut(1))
    }

    /// As the kernels' arguments.
    fn own(&self) -> Vec<(&'static str, i32)> {
        vec![
            ("segments", self.count as i32),
            ("pairs_per_segment", self.pairs_each as i32),
            ("pairs", self.pairs as i32),
        ]
    }
}

/// A kernel that sweeps along segments.
struct Sweep {
    kernel: Kernel,
    /// How many segments a work-group sweeps along at once.
    segments: usize,
    /// Pairs that it lifts of each at once.
    unit: usize,
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
                passes: vec![self.short_lines(geometry)],
                scratch: 0,
            };
        }
        let behind = &level.shape[level.axes[done] + 1..];
        let sweep = match behind.iter().all(|&samples| samples == 1) {
            true => self.rows(),
            false => self.columns(),
        };
        let lines = geometry.lines as usize;
        let wanted = (self.filling() * sweep.segments).div_ceil(lines);
        let most = wanted.min(self.most_segments(lines));
        let segments = Segments::new(inner, sweep.unit, most, &self.reach);
        let pass = |mut kernel: Kernel, each: usize| {
            kernel.defines.push(define("BORDER", self.reach.border()));
            Pass {
                kernel,
                geometry,
                own: segments.own(),
                groups: (lines * segments.count).div_ceil(each),
            }
        };
        let main = pass(sweep.kernel, sweep.segments);
        if segments.count == 1 {
            return InPlace {
                passes: vec![main],
                scratch: 0,
            };
        }
        let save = self.kernel_of_items("save_seams", "in_place/save_seams.cl");
        let each = save.group[0];
        InPlace {
            passes: vec![pass(save, each), main],
            scratch: (segments.count + 1) * lines * self.seam(),
        }
    }

    /// Along the axis whose samples are neighbours.
    fn rows(&self) -> Sweep {
        let [x, y] = self.row_group();
        Sweep {
            kernel: Kernel {
                name: "rows_in_place",
                file: "in_place/rows_in_place.cl",
                defines: vec![define("ROWS_X", x), define("ROWS_Y", y)],
                group: [x, y],
            },
            segments: y,
            unit: PAIRS * x,
        }
    }

    /// Along any other.
    fn columns(&self) -> Sweep {
        let kernel = self.kernel_of_items("columns_in_place", "in_place/columns_in_place.cl");
        Sweep {
            segments: kernel.group[0],
            unit: PAIRS,
            kernel,
        }
    }

    /// Lines that are all border.
    fn short_lines(&self, geometry: Geometry) -> Pass {
        let mut kernel = self.kernel_of_items("short_lines", "separable/short_lines.cl");
        kernel.defines.push(define("BORDER", self.reach.border()));
        Pass {
            groups: (geometry.lines as usize).div_ceil(kernel.group[0]),
            kernel,
            geometry,
            own: vec![("unused", 0)],
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
        let lattice = View::of_level(transform, level.number);
        let sides = Sides {
            signal: lattice.clone(),
            bands: lattice,
            low: None,
        };
        let is_shifted = done == 0 && self.problem.sample.is_integer();
        Geometry {
            boundary: transform.boundary.number(),
            shift: i32::from(is_shifted) * transform.wavelet.pre_shift() as i32,
            ..sides.lines(level.axes[done])
        }
    }

    /// [`ROWS`], halved until the device can run such work-groups.
    fn row_group(&self) -> [usize; 2] {
        let device = self.target.device;
        let most = self.target.work_group("rows_in_place");
        let bytes = |[x, y]: [usize; 2]| {
            let samples = 2 * PAIRS * x + self.seam();
            (samples + samples / (2 * PAIRS)) * y * self.problem.sample.size()
        };
        let fits = |size: [usize; 2]| {
            let is_small = size[0] * size[1] <= most && size[1] <= device.max_work_items[1];
            is_small && bytes(size) as u64 <= device.local_memory
        };
        let mut size = ROWS;
        while !fits(size) && size != [1, 1] {
            let narrower = size[0] > 4 * size[1] || size[1] == 1;
            size[usize::from(!narrower)] /= 2;
        }
        size
    }

    /// Work-groups that keep the whole device busy.
    fn filling(&self) -> usize {
        let each = match self.target.device.kind {
            DeviceKind::Cpu => 4,
            DeviceKind::Gpu | DeviceKind::Accelerator => 32,
        };
        self.target.device.compute_units.max(1) * each
    }

    /// How many segments of each of so many lines have their seams saved in as much as there may be.
    fn most_segments(&self, lines: usize) -> usize {
        let share = self.problem.transform.len() * SCRATCH_PERCENT / 100;
        let samples = share.max(SCRATCH_FLOOR / self.problem.sample.size());
        match lines * self.seam() {
            0 => usize::MAX,
            seams => (samples / seams).saturating_sub(1),
        }
    }

    /// The samples of a seam; `KEPT_SAMPLES` in cl/in_place/rows_in_place.cl.
    fn seam(&self) -> usize {
        2 * (self.reach.before + self.reach.after)
    }
}
