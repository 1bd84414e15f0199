//! Several levels of two axes in one launch: each work-group stores a tile of every level, and computes by itself all that
//! this takes (cl/pyramid/pyramid.cl).

mod windows;

use super::border::Border;
use super::cost::{Cost, Meter};
use super::design::{
    Define, Kernel, Pass, Slots, define, define_distance, lack_of_registers, loops_as_they_are,
    smallest_sub_groups,
};
use super::pixels;
use super::planner::{Offer, Taken, Todo};
use super::tuning::Tunable;
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::lifting::reach::Reach;
use crate::transform::Layout;
use crate::transform::geometry::{Geometry, Side};
use crate::wavelet::{Direction, SampleType};

pub(super) const TUNABLES: &[Tunable] = &[];

/// Work-items in a work-group, where the device allows as many. On an NVIDIA H200, 128 take up to 1.5 times as long and 1024 up
/// to 1.2 times, 512 as long: what each sub-group does for itself counts for all of them.
const GROUP: usize = 256;

/// Samples that a compute unit loads, halos and coarser levels included, up to which several levels of pictures of many tiles
/// are best done by this strategy. On an NVIDIA H200, in f32 by 9/7, five levels of 1024 x 1024 (19 Ki of them) take 22.0 us
/// (inverse 16.4), by `register_block` 22.7 (25.0); of 2048 x 2048 (38 Ki) 37.8 (39.4) and 32.2 (34.2); one level takes longer in
/// any case. A picture that is one tile is best done so however many there are: three levels of 4096 of 64 x 64 take 84 us
/// (108), by `register_block` 139 (136).
const MOST_LOADED: usize = 24 << 10;

/// Pairs of halo, both sides of a run together, from which on this strategy is best for single levels, too, and for larger
/// ones: each segment of `streamed` lifts such a halo before its first result. On an NVIDIA H200, three levels of VC-2's
/// Fidelity (14 pairs) in 16 bits of 256 x 256 take 27.4 us (inverse 16.9), by `streamed` 56.1 (58.2); of 1024 x 1024
/// (41 Ki samples) 38.6 (29.0) and 61.1 (63.1). With 13/7 (6 pairs) one level gains nothing.
const LONG_REACH: usize = 12;
const MOST_LOADED_LONG: usize = 42 << 10;

/// The same by windows, which load more and take less time for it. On an NVIDIA H200, five levels of 2048 x 2048 in f32 by 9/7
/// (154 Ki of them) take 25.2 us inverse, by `register_block` 34.2.
const MOST_IN_WINDOWS: usize = 200 << 10;

/// The same forward, of four bytes each. On an NVIDIA H200 five levels of 1024 x 1024 (35 Ki) take 22.9 us by windows and 26.6 by
/// the kernel `pyramid`; of 2048 x 2048 (112 Ki) 27.5, with a first level by `register_block` 30. Doubles in as many take longer:
/// four levels of 2048 x 2048 48 us instead of 36.
const MOST_IN_WINDOWS_FORWARD: usize = 128 << 10;

/// Samples of a row, up to which most of a strip or a block is beyond the picture: of such pictures this strategy is best for
/// single levels, too, where a work-group has so many results and a compute unit so many samples. On an NVIDIA H200, in f32 by
/// 9/7, one level of 262144 x 16 takes 22 us (inverse 22), of 599186 x 7 32 (28), of 4096 of 32 x 32 28 (31); by
/// `register_block` 38 (37), 79 (76), 33 (32), by `streamed` 51 (62), 253 (284), 44 (51). Low pictures are
/// `streamed`'s: 4 x 1048576 takes 36 us (35) here and 15 (15) there. 65536 of 8 x 8, a work-group each, take 271 (331), by a
/// pass per axis 60 (59).
const NARROW: usize = 32;
const LEAST_IN_NARROW: usize = 3 << 8;
const LEAST_SAMPLES: usize = 8 << 10;

/// Samples of pictures that are tiny, and how many of these there are for each compute unit from which on they are too many.
const TINY: usize = 1 << 9;
const MOST_TINY: usize = 16;

/// Samples of a picture from which on its coarse levels are left to the strategies of finer ones. On an NVIDIA H200 five levels of
/// 8192 x 8192 take 187 us (inverse 176) with windows for the last two and three, 190 (182) without, but the first plan takes 1.85 s
/// instead of 1.24.
const LARGE: usize = 1 << 25;

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

/// What a launch, and a level in a launch, cost beside their samples, in samples that a compute unit lifts in that time: on an
/// NVIDIA H200 3.5 us, or 8 where the queue runs empty, 1.5 us, and 2400 samples per us.
const LAUNCH: usize = 16_000;
const LEVEL: usize = 3_500;

/// Samples of an axis, up to which places in it and in the halo around fit 32 bits.
const MOST_LENGTH: usize = 1 << 28;

/// Levels of a launch (cl/pyramid/pyramid.cl), and the bytes of local memory that each of them takes.
const LEVELS: usize = 8;
const BYTES_OF_LEVEL: usize = 224;

/// Pairs of a run (cl/pyramid/extent.cl).
const RUN: usize = 4;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some(axes) = todo.picture() else {
        return Offer::no("it takes two axes of which the inner one is in one piece");
    };
    if todo.done > 0 || todo.levels[0].axes.len() > 2 {
        return Offer::no("it takes whole levels of two axes");
    }
    if todo.levels[0].shape.iter().any(|&n| n > MOST_LENGTH) {
        return Offer::no(format!("it takes axes of at most {MOST_LENGTH} samples"));
    }
    let borders = match borders(todo, axes) {
        Ok(borders) => borders,
        Err(why) => return Offer::No { why },
    };
    match offer_of_windows(todo, axes) {
        Some(offer @ Offer::Preferred(_)) => offer,
        windows => match (offer_of_tiles(todo, axes, borders), windows) {
            (offer @ Offer::Preferred(_), _) | (offer, None) => offer,
            (_, Some(windows)) => windows,
        },
    }
}

/// What the kernel `pyramid` takes.
fn offer_of_tiles(todo: &Todo, axes: [usize; 2], borders: [Border; 2]) -> Offer {
    let reach = Reach::new(&todo.problem.stencils());
    let loaded = 2 * (reach.before + RUN + reach.after);
    if let Some(why) = lack_of_registers("a run with its halo", loaded, todo.problem.sample) {
        return Offer::No { why };
    }
    let Some(sizes) = Sizes::new(todo, axes, borders) else {
        let have = todo.target.device.local_memory;
        return Offer::no(format!(
            "{have} bytes of local memory hold no tile with its halo"
        ));
    };
    let pass = pass(todo, axes, borders, &sizes);
    let is_best = is_best_for(todo.target.device, &sizes)
        && !is_of_a_large_picture(todo)
        && !is_of_many_tiny(todo, axes)
        || is_best_of_narrow(todo, &sizes);
    let taken = Taken {
        levels: sizes.levels,
        axes: 2,
        passes: vec![pass],
    };
    match is_best {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// What windows take, which win wherever pictures are small. CPUs take long to compile them.
fn offer_of_windows(todo: &Todo, axes: [usize; 2]) -> Option<Offer> {
    let device = todo.target.device;
    if device.kind != DeviceKind::Gpu {
        return None;
    }
    let todo = &Todo {
        target: &todo.target.of("pyramid_windows"),
        ..*todo
    };
    let windows = windows::cheapest(todo, axes).ok()?;
    let pass = windows.pass(todo, axes);
    let is_dense = |side: &Side| side.line.stride == 1;
    if !pass.geometry.band_sides().all(is_dense) {
        return None;
    }
    let most = match todo.problem.direction {
        Direction::Forward => MOST_IN_WINDOWS_FORWARD / todo.problem.sample.size().div_ceil(4),
        Direction::Inverse => MOST_IN_WINDOWS,
    };
    let is_small = windows.is_one_tile() || windows.loaded(device.compute_units) <= most;
    let taken = Taken {
        levels: windows.levels(),
        axes: 2,
        passes: vec![pass],
    };
    Some(
        match is_small && !is_of_a_large_picture(todo) && !is_of_many_tiny(todo, axes) {
            true => Offer::Preferred(taken),
            false => Offer::Works(taken),
        },
    )
}

/// Whether pictures are so small that it is launches and waiting that take time, and not memory. CPUs hardly wait, and take
/// long to compile this.
fn is_best_for(device: &DeviceInfo, sizes: &Sizes) -> bool {
    let is_long = sizes.reach.before + sizes.reach.after >= LONG_REACH;
    let most = if is_long {
        MOST_LOADED_LONG
    } else {
        MOST_LOADED
    };
    let is_small = sizes.tiles() == [1, 1] || sizes.loaded <= most;
    device.kind == DeviceKind::Gpu && (sizes.levels > 1 || is_long) && is_small
}

/// Whether pictures are so narrow that other strategies are mostly beyond them, and fill work-groups.
fn is_best_of_narrow(todo: &Todo, sizes: &Sizes) -> bool {
    let device = todo.target.device;
    let [_, width] = sizes.shape;
    let results = (0..2).map(|axis| sizes.shape[axis].min(2 * sizes.tile[axis]));
    let results: usize = results.product();
    let samples: usize = todo.levels[0].shape.iter().product();
    device.kind == DeviceKind::Gpu
        && device.exchange != Exchange::None
        && width <= NARROW
        && results >= LEAST_IN_NARROW
        && samples >= LEAST_SAMPLES * device.compute_units
}

/// Whether there are so many pictures that a work-group for each takes longer than passes per axis, which are the best for the
/// levels of tiny ones: on an NVIDIA H200, in f32 by 9/7, three levels of 65536 of 8 x 8 take 561 us (inverse 347), of 4096 of
/// 32 x 32, as many samples, 45 (32).
fn is_of_many_tiny(todo: &Todo, axes: [usize; 2]) -> bool {
    let shape = &todo.levels[0].shape;
    let picture: usize = axes.iter().map(|&axis| shape[axis]).product();
    let pictures = shape.iter().product::<usize>() / picture.max(1);
    picture < TINY && pictures > MOST_TINY * todo.target.device.compute_units
}

/// Whether levels of a large picture are left, which has the programs of its finer levels already.
fn is_of_a_large_picture(todo: &Todo) -> bool {
    let transform = &todo.problem.transform;
    let chosen = transform.chosen_axes().iter();
    chosen
        .map(|&axis| transform.shape()[axis])
        .product::<usize>()
        >= LARGE
}

/// How the level at hand goes on beyond its border along y and x.
fn borders(todo: &Todo, [y, x]: [usize; 2]) -> Result<[Border; 2], String> {
    let shape = &todo.levels[0].shape;
    Ok([
        Border::new(todo, shape[y] as i32)?,
        Border::new(todo, shape[x] as i32)?,
    ])
}

/// Whether two levels go on in the same way, so that one launch can do both.
fn go_on_alike(one: [Border; 2], other: [Border; 2]) -> bool {
    let ways = |borders: [Border; 2]| borders.map(|border| (border.is_periodic(), border.restored));
    ways(one) == ways(other)
}

fn pass(todo: &Todo, [y, x]: [usize; 2], borders: [Border; 2], sizes: &Sizes) -> Pass {
    let transform = &todo.problem.transform;
    let geometry = Geometry {
        boundary: transform.boundary_rule().number(),
        ..todo.sides(sizes.levels, 2).pictures(y, x)
    };
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    let [tiles_y, tiles_x] = sizes.tiles();
    let [by_y, by_x] = borders;
    let own = [
        ("levels", sizes.levels),
        ("tile_x", sizes.tile[1]),
        ("tile_y", sizes.tile[0]),
        ("tiles_x", tiles_x),
        ("tiles_y", tiles_y),
        ("periodic_x", usize::from(by_x.is_periodic())),
        ("periodic_y", usize::from(by_y.is_periodic())),
        (
            "interleaved",
            usize::from(transform.coefficient_layout() == Layout::Interleaved),
        ),
        ("kept_row", sizes.local.kept_row),
        ("lifted_row", sizes.local.lifted_row),
        ("lifted", sizes.local.lifted),
    ];
    Pass {
        kernel: Kernel {
            name: "pyramid",
            file: "pyramid/pyramid.cl",
            defines: sizes.defines(todo, &geometry),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: own.map(|(name, value)| (name, value as i32)).to_vec(),
        groups: tiles_y * tiles_x * pictures,
        cost: sizes.cost(todo, pictures),
    }
}

/// What a work-group has of a level along one axis, at most.
#[derive(Clone, Copy)]
struct Extent {
    /// Samples on which the results depend.
    loaded: usize,
    /// The same in whole runs.
    read: usize,
    /// Results, in whole runs.
    lifted: usize,
    /// The places that the low band takes which the next level reads.
    kept: usize,
}

/// The extents of all levels of a tile along one axis, finest first.
fn extents(sizes: &Sizes, axis: usize, levels: usize, tile: usize) -> Vec<Extent> {
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
struct Local {
    kept_row: usize,
    lifted_row: usize,
    lifted: usize,
    /// Samples in all, in one of the steps.
    places: usize,
    /// Samples of a level along an axis, in one of the steps.
    samples: usize,
}

impl Local {
    /// Enough for all levels. Rows are an odd number of places long, so that no two rows are in the same banks.
    /// None where they are more than any kernel has.
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

    fn bytes(&self, sample: SampleType) -> usize {
        // Steps compute in 32 bits at least.
        self.places * sample.size().max(4)
            + self.samples * BYTES_OF_SAMPLE
            + LEVELS * BYTES_OF_LEVEL
    }
}

/// What the kernel is specialised on besides the prelude, and how the picture is shared out.
#[derive(Clone)]
struct Sizes {
    reach: Reach,
    forward: bool,
    x_first: bool,
    /// Samples of the level at hand along y and x, and whether they go on by repetition.
    shape: [usize; 2],
    periodic: [bool; 2],
    /// Whether what is beyond a border must be set anew before every step.
    restored: bool,
    /// Levels that are taken.
    levels: usize,
    /// Pairs of a tile along y and x: forward of the coarsest of these levels, inverse of the finest.
    tile: [usize; 2],
    /// Samples that a compute unit loads, those of all levels.
    loaded: usize,
    local: Local,
    in_one_program: bool,
    group: usize,
}

impl Sizes {
    /// The levels and tiles that are cheapest where all levels that can be taken so are; none where local memory is too small
    /// for any.
    fn new(todo: &Todo, axes: [usize; 2], borders: [Border; 2]) -> Option<Self> {
        let (problem, device) = (todo.problem, todo.target.device);
        let most = todo.target.work_group("pyramid");
        let at_level = |level: usize| Sizes {
            reach: Reach::new(&problem.stencils()),
            forward: problem.direction == Direction::Forward,
            // Rounding apart, real steps along different axes commute; along y first, loads are of whole rows.
            x_first: todo.x_first() && problem.sample.is_integer(),
            shape: axes.map(|axis| todo.levels[level].shape[axis]),
            periodic: borders.map(|border| border.is_periodic()),
            restored: borders.iter().any(|border| border.restored),
            levels: 0,
            tile: [0; 2],
            loaded: 0,
            local: Local::default(),
            in_one_program: device.float_vector > 1,
            group: GROUP.min(most),
        };
        let is_alike = |&level: &usize| {
            let next = Todo {
                levels: &todo.levels[level..],
                ..*todo
            };
            let same_axes = todo.levels[level].axes == todo.levels[0].axes;
            same_axes && self::borders(&next, axes).is_ok_and(|other| go_on_alike(borders, other))
        };
        let levels = (0..todo.levels.len()).take_while(is_alike).count();
        let pictures: usize = todo.levels[0].shape.iter().product::<usize>()
            / axes
                .map(|axis| todo.levels[0].shape[axis])
                .iter()
                .product::<usize>();
        let fits = |local: &Local| local.bytes(problem.sample) as u64 <= device.local_memory;

        // From the coarsest level on: the least cost of all levels from this one, and how it begins.
        let mut best: Vec<(usize, Option<Sizes>)> = vec![(0, None)];
        for level in (0..levels).rev() {
            let choices = (1..=LEVELS.min(levels - level)).flat_map(|count| {
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
    fn tiles(&self) -> [usize; 2] {
        let level = if self.forward { self.levels } else { 1 };
        [0, 1].map(|axis| {
            self.shape[axis]
                .div_ceil(1 << level)
                .div_ceil(self.tile[axis])
        })
    }

    fn cost(&self, todo: &Todo, pictures: usize) -> Cost {
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

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        // CPUs keep the general way under test.
        let single = device.float_vector == 1 && geometry.across[1] * geometry.across[2] == 1;
        let mut defines = vec![
            define("GROUP", self.group),
            define("PLACES", self.local.places),
            define("SAMPLES", self.local.samples),
            define("X_FIRST", u8::from(self.x_first)),
            define("ZEROED", u8::from(device.exchange == Exchange::None)),
            define_distance(geometry.is_narrow(2, 0)),
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

#[cfg(test)]
mod tests;
