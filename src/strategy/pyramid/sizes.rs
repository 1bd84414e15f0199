//! How the kernel `pyramid` shares a picture out: levels, tiles and local memory.

use super::borders;
use crate::device::{DeviceInfo, Exchange};
use crate::lifting::reach::Reach;
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::{
    Define, RUN, define, define_distance, loops_as_they_are, smallest_sub_groups,
};
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::border::Border;
use crate::strategy::shared::pixels;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Direction, SampleType};

/// Work-items in a work-group, where the device allows as many. On an NVIDIA H200, 128 take up
/// to 1.5 times as long and 1024 up to 1.2 times, 512 as long: what each sub-group does for
/// itself counts for all of them.
pub(super) const GROUP: usize = 256;

/// Pairs of a tile along an axis, whole runs, among which the cheapest ones are chosen.
const TILES: [usize; 16] = [
    4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 80, 96, 128,
];

/// Samples in local memory that a work-group may have, in steps, so that programs are few.
const PLACES: [usize; 9] = [
    1 << 8,
    1 << 9,
    1 << 10,
    2 << 10,
    3 << 10,
    4 << 10,
    6 << 10,
    8 << 10,
    10 << 10,
];

/// Samples of a level along an axis, the same.
const SAMPLES: [usize; 3] = [96, 160, 256];

/// Bytes in local memory for each of them, on both axes.
const BYTES_OF_SAMPLE: usize = 16;

/// What a launch, and a level in a launch, cost beside their samples, in samples that a compute
/// unit lifts in that time: on an NVIDIA H200 3.5 us, or 8 where the queue runs empty, 1.5 us,
/// and 2400 samples per us.
const LAUNCH: usize = 16_000;
const LEVEL: usize = 3_500;

/// Levels of a launch, and the bytes of local memory that each of them takes at most (`Level`
/// in cl/pyramid/pyramid.cl).
const MOST_LEVELS: usize = 8;
const BYTES_OF_LEVEL: usize = 224;

/// What a work-group has of a level along one axis, at most.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Samples on which the results depend.
    pub loaded: usize,
    /// The same in whole runs.
    pub read: usize,
    /// Results, in whole runs.
    pub lifted: usize,
    /// The places that the low band takes which the next level reads.
    pub kept: usize,
}

/// The extents of all levels of a tile along one axis, finest first.
pub(super) fn extents(sizes: &Sizes, axis: usize, levels: usize, tile: usize) -> Vec<Extent> {
    let around = sizes.reach.before + sizes.reach.after;
    let extent = |level: usize, pairs: usize| {
        // What lies beyond the border of a picture that is mirrored is not lifted.
        let pairs = match sizes.periodic[axis] {
            true => pairs,
            false => pairs.min(sizes.shape[axis].div_ceil(2 << level)),
        };
        // Runs along x begin up to so many pairs before.
        let before = if axis == 1 { RUN - 1 } else { 0 };
        let lifted = 2 * (pairs + before).next_multiple_of(RUN);
        Extent {
            loaded: 2 * (pairs + around),
            read: 2 * (pairs + before + around + RUN),
            lifted,
            kept: if sizes.forward { lifted / 2 } else { lifted },
        }
    };
    let mut pairs = tile;
    let mut all = Vec::new();
    for i in 0..levels {
        let level = if sizes.forward { levels - 1 - i } else { i };
        all.push(extent(level, pairs));
        pairs = match sizes.forward {
            true => 2 * (pairs + around),
            false => (pairs + around) / 2 + 1,
        };
    }
    if sizes.forward {
        all.reverse();
    }
    all
}

/// How local memory is shared out: a low band, then the results of the first axis.
#[derive(Clone, Copy, Default)]
pub(super) struct Local {
    pub kept_row: usize,
    pub lifted_row: usize,
    pub lifted: usize,
    /// Samples in all, in one of the steps.
    places: usize,
    /// Samples of a level along an axis, in one of the steps.
    samples: usize,
}

impl Local {
    /// Enough for all levels. Rows are an odd number of places long, so that no two rows are in the
    /// same banks. None where they are more than any kernel has.
    fn new(y: &[Extent], x: &[Extent], sizes: &Sizes) -> Option<Self> {
        let most = |of: &dyn Fn(usize) -> usize| (0..y.len()).map(of).max().unwrap_or(0);
        // The level that is lifted last keeps nothing.
        let last = if sizes.forward { y.len() - 1 } else { 0 };
        let keeps = |level: usize, length: usize| if level == last { 0 } else { length };
        // The second axis is read in whole runs.
        let (rows, row) = match sizes.x_first {
            true => (most(&|l| y[l].loaded) + 2 * RUN, most(&|l| x[l].lifted)),
            false => (most(&|l| y[l].lifted), most(&|l| x[l].loaded)),
        };
        let (kept_row, lifted_row) = (most(&|l| keeps(l, x[l].kept)) | 1, row | 1);
        let kept = most(&|l| keeps(l, y[l].kept)) * kept_row;
        let lifted = kept.max(2 * RUN);
        let all = lifted + rows * lifted_row + 2 * RUN;
        let samples = most(&|l| y[l].read.max(x[l].read));
        // CPUs have one program for all, so that tests build few.
        let step = |steps: &[usize], least: usize| {
            let mut large = steps.iter().copied().filter(|&step| step >= least);
            if sizes.in_one_program {
                large.next_back()
            } else {
                large.next()
            }
        };
        Some(Local {
            kept_row,
            lifted_row,
            lifted,
            places: step(&PLACES, all)?,
            samples: step(&SAMPLES, samples)?,
        })
    }

    pub fn bytes(&self, sample: SampleType) -> usize {
        // Steps compute in 32 bits at least.
        self.places * sample.size().max(4)
            + self.samples * BYTES_OF_SAMPLE
            + MOST_LEVELS * BYTES_OF_LEVEL
    }
}

/// What the kernel is specialised on besides the prelude, and how the picture is shared out.
#[derive(Clone)]
pub(super) struct Sizes {
    pub reach: Reach,
    pub forward: bool,
    pub x_first: bool,
    /// Samples of the level at hand along y and x, and whether they go on by repetition.
    pub shape: [usize; 2],
    pub periodic: [bool; 2],
    /// Whether what is beyond a border must be set anew before every step.
    pub restored: bool,
    /// Levels that are taken.
    pub levels: usize,
    /// Pairs of a tile along y and x: forward of the coarsest of these
    /// levels, inverse of the finest.
    pub tile: [usize; 2],
    /// Samples that a compute unit loads, those of all levels.
    pub loaded: usize,
    pub local: Local,
    in_one_program: bool,
    pub group: usize,
}

impl Sizes {
    /// The levels and tiles that are cheapest where all levels that can be taken so are; none where
    /// local memory is too small for any.
    pub fn new(todo: &Todo, axes: [usize; 2], borders: [Border; 2]) -> Option<Self> {
        let (problem, device) = (todo.problem, todo.target.device);
        let most = todo.target.work_group("pyramid");
        let at_level = |level: usize| Sizes {
            reach: Reach::new(&problem.stencils()),
            forward: problem.direction == Direction::Forward,
            // Rounding apart, real steps along different axes commute; along y first,
            // loads are of whole rows.
            x_first: todo.x_first() && problem.sample.is_integer(),
            shape: axes.map(|axis| todo.levels[level].shape[axis]),
            periodic: borders.map(|border| border.is_periodic()),
            restored: borders.iter().any(|border| border.is_restored()),
            levels: 0,
            tile: [0; 2],
            loaded: 0,
            local: Local::default(),
            in_one_program: device.has_vectors(),
            group: GROUP.min(most),
        };
        let is_alike = |&level: &usize| {
            let next = Todo {
                levels: &todo.levels[level..],
                ..*todo
            };
            let same_axes = todo.levels[level].axes == todo.levels[0].axes;
            same_axes && self::borders(&next, axes) == Ok(borders)
        };
        let levels = (0..todo.levels.len()).take_while(is_alike).count();
        let pictures: usize = todo.levels[0].shape.iter().product::<usize>()
            / axes
                .map(|axis| todo.levels[0].shape[axis])
                .iter()
                .product::<usize>();
        let fits = |local: &Local| local.bytes(problem.sample) as u64 <= device.local_memory;

        // From the coarsest level on: the least cost of all levels from
        // this one, and how it begins.
        let mut best: Vec<(usize, Option<Sizes>)> = vec![(0, None)];
        for level in (0..levels).rev() {
            let choices = (1..=MOST_LEVELS.min(levels - level)).flat_map(|count| {
                let (cost, sizes) = at_level(level).cheapest(count, pictures, device, fits)?;
                let rest = best[best.len() - count].0;
                Some((cost.saturating_add(rest), Some(sizes)))
            });
            best.push(
                choices
                    .min_by_key(|(cost, _)| *cost)
                    .unwrap_or((usize::MAX, None)),
            );
        }
        best.pop()?.1
    }

    /// The cheapest tiles for so many levels of so many pictures.
    fn cheapest(
        &self,
        levels: usize,
        pictures: usize,
        device: &DeviceInfo,
        fits: impl Fn(&Local) -> bool,
    ) -> Option<(usize, Sizes)> {
        let of_axis =
            [0, 1].map(|axis| TILES.map(|tile| (tile, extents(self, axis, levels, tile))));
        let around = self.reach.before + self.reach.after;
        let (mut least, mut best) = (None, None);
        for (tile_y, y) in &of_axis[0] {
            for (tile_x, x) in &of_axis[1] {
                let Some(local) = Local::new(y, x, self).filter(&fits) else {
                    continue;
                };
                let sizes = Sizes {
                    levels,
                    tile: [*tile_y, *tile_x],
                    local,
                    ..self.clone()
                };
                let groups = sizes.tiles().iter().product::<usize>() * pictures;
                let waves = groups.div_ceil(device.compute_units.max(1));
                // In whole runs.
                let length = |of: &Extent| of.lifted + 2 * around;
                let samples: usize = y.iter().zip(x).map(|(y, x)| length(y) * length(x)).sum();
                let loaded = waves * samples;
                let sizes = Sizes { loaded, ..sizes };
                let cost = LAUNCH + levels * LEVEL + loaded;
                if least.is_none_or(|least| (cost, groups) < least) {
                    least = Some((cost, groups));
                    best = Some((cost, sizes));
                }
            }
        }
        best
    }

    /// Tiles of a picture along y and x.
    pub fn tiles(&self) -> [usize; 2] {
        let level = if self.forward { self.levels } else { 1 };
        [0, 1].map(|axis| {
            self.shape[axis]
                .div_ceil(1 << level)
                .div_ceil(self.tile[axis])
        })
    }

    pub fn cost(&self, todo: &Todo, pictures: usize) -> Cost {
        let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
        let [y, x] = [0, 1].map(|axis| extents(self, axis, self.levels, self.tile[axis]));
        let groups = pictures * self.tiles().iter().product::<usize>();
        let stored = pictures * self.shape.iter().product::<usize>();
        let (mut read, mut lifted) = (0, Cost::default());
        for (level, (y, x)) in y.iter().zip(&x).enumerate() {
            let loaded = y.loaded * x.loaded;
            // What the level before has left is in local memory.
            read += match (self.forward, level) {
                (true, 0) => loaded,
                (true, _) => 0,
                (false, level) if level + 1 == self.levels => loaded,
                (false, _) => loaded - loaded / 4,
            };
            let (first, second) = match self.x_first {
                true => (y.loaded * x.lifted, x.lifted * y.lifted),
                false => (x.loaded * y.lifted, y.lifted * x.lifted),
            };
            let runs = groups * (first + second).div_ceil(2 * RUN);
            lifted = lifted + meter.lifted_alone(runs, RUN);
        }
        let bytes = self.local.bytes(todo.problem.sample);
        meter.scaled(groups * read, stored) + lifted + Cost::of_group(2 * self.levels, bytes)
    }

    pub fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        // CPUs keep the general way under test.
        let single = !device.has_vectors() && geometry.across[1] * geometry.across[2] == 1;
        let mut defines = vec![
            define("GROUP", self.group),
            define("MOST_LEVELS", MOST_LEVELS),
            define("PLACES", self.local.places),
            define("SAMPLES", self.local.samples),
            define("X_FIRST", u8::from(self.x_first)),
            define("ZEROED", u8::from(device.exchange == Exchange::None)),
            define_distance(geometry.fits_32_bits(2, 0)),
            define("PLANAR", 0),
            define("SINGLE", u8::from(single)),
            define("RESTORED", u8::from(self.restored)),
            define("PRE_SHIFT", todo.pre_shift()),
            smallest_sub_groups(device),
        ];
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}
