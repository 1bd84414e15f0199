//! Several levels of two axes in one launch: each work-group stores a tile of every level, and computes by itself all that
//! this takes (cl/pyramid/pyramid.cl).

use super::border::Border;
use super::cost::{Cost, Meter};
use super::design::{Define, Kernel, Pass, Slots, define, lack_of_registers, loops_as_they_are};
use super::planner::{Offer, Taken, Todo};
use super::tuning::Tunable;
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::lifting::reach::Reach;
use crate::transform::Layout;
use crate::transform::geometry::Geometry;
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
    let is_best = is_best_for(todo.target.device, &sizes);
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

/// Whether pictures are so small that it is launches and waiting that take time, and not memory. CPUs hardly wait, and take
/// long to compile this.
fn is_best_for(device: &DeviceInfo, sizes: &Sizes) -> bool {
    let is_small = sizes.tiles() == [1, 1] || sizes.loaded <= MOST_LOADED;
    device.kind == DeviceKind::Gpu && sizes.levels > 1 && is_small
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
        let meter = Meter::new(todo.problem, 2, todo.pre_shift());
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
        let [height, width] = self.shape;
        let low = (geometry.has_low == 1).then_some(&geometry.low);
        let sides = [Some(&geometry.signal), Some(&geometry.bands), low];
        let mut sides = sides.into_iter().flatten();
        let is_narrow = sides.all(|side| side.is_narrow(height, width));
        // CPUs keep the general way under test.
        let single = device.float_vector == 1 && geometry.across[1] * geometry.across[2] == 1;
        let mut defines = vec![
            define("GROUP", self.group),
            define("PLACES", self.local.places),
            define("SAMPLES", self.local.samples),
            define("X_FIRST", u8::from(self.x_first)),
            define("ZEROED", u8::from(device.exchange == Exchange::None)),
            define("DISTANCE", if is_narrow { "int" } else { "long" }),
            define("PLANAR", 0),
            define("SINGLE", u8::from(single)),
            define("RESTORED", u8::from(self.restored)),
            define("PRE_SHIFT", todo.pre_shift()),
        ];
        defines.extend(loops_as_they_are(device));
        defines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Exchange;
    use crate::strategy::Strategy;
    use crate::strategy::design::Launch;
    use crate::strategy::tests::cases::{BOTH, Setting, cpu, gpu, large_gpu, problem, small_gpu};
    use crate::strategy::tests::host::{number, own};
    use crate::transform::Transform;
    use crate::wavelet::{Boundary, Wavelet};

    fn launches(
        device: DeviceInfo,
        transform: &Transform,
        sample: SampleType,
        direction: Direction,
    ) -> Vec<Launch> {
        let setting = Setting::of(device).only(&[Strategy::Pyramid]);
        let design = setting.design(&problem(transform, sample, direction));
        design.unwrap().launches
    }

    /// How many levels each launch takes, finest first.
    fn levels(device: DeviceInfo, transform: &Transform, direction: Direction) -> Vec<i32> {
        let mut launches = launches(device, transform, SampleType::F32, direction);
        if direction == Direction::Inverse {
            launches.reverse();
        }
        launches.iter().map(|one| own(one, "levels")).collect()
    }

    #[test]
    fn the_inverse_is_one_launch_and_forward_the_halo_decides() {
        let of = |side: usize| {
            let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).levels(5);
            BOTH.map(|direction| levels(large_gpu(), &transform, direction))
        };
        assert_eq!(of(64), [vec![5], vec![5]]);
        assert_eq!(of(256), [vec![2, 3], vec![5]]);
        assert_eq!(of(1024), [vec![2, 3], vec![5]]);
        // Haar has no halo.
        let haar = Transform::new(Wavelet::HAAR, [768, 768]).levels(4);
        assert_eq!(levels(large_gpu(), &haar, Direction::Forward), [4]);
    }

    #[test]
    fn pictures_are_shared_out_in_at_most_one_wave_where_that_is_cheapest() {
        let groups = |side: usize| {
            let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).levels(5);
            let all = launches(large_gpu(), &transform, SampleType::F32, Direction::Inverse);
            all[0].pass.groups
        };
        for side in [128, 256, 512] {
            let groups = groups(side);
            assert!((64..=132).contains(&groups), "{side}: {groups}");
        }
        // No more fit local memory.
        assert!((133..=264).contains(&groups(1024)));
    }

    #[test]
    fn levels_that_go_on_in_another_way_are_another_launch() {
        let of = |wavelet, boundary, shape: [usize; 2]| {
            let transform = Transform::new(wavelet, shape).boundary(boundary).levels(3);
            levels(large_gpu(), &transform, Direction::Inverse)
        };
        assert_eq!(of(Wavelet::CDF_9_7, Boundary::Zero, [44, 50]), [3]);
        assert_eq!(of(Wavelet::CDF_9_7, Boundary::Periodic, [48, 40]), [3]);
        // No step reads beyond the border of an even number of samples; 25 of them go on by zeros.
        assert_eq!(of(Wavelet::HAAR, Boundary::Zero, [48, 50]), [1, 2]);
    }

    #[test]
    fn it_is_preferred_for_small_pictures_on_gpus() {
        let is_preferred = |device: &DeviceInfo, shape: [usize; 2]| {
            let transform = Transform::new(Wavelet::CDF_9_7, shape).levels(5);
            let problem = problem(&transform, SampleType::F32, Direction::Inverse);
            let design = Setting::of(device.clone()).design(&problem).unwrap();
            let all = design.launches.iter();
            all.filter(|one| one.strategy == Strategy::Pyramid).count()
        };
        assert_eq!(is_preferred(&large_gpu(), [1024, 1024]), 1);
        assert_eq!(is_preferred(&gpu(Exchange::None, 1), [512, 512]), 1);
        assert_eq!(is_preferred(&large_gpu(), [1, 1024]), 0);
        assert_eq!(is_preferred(&cpu(), [64, 64]), 0);
    }

    /// What the kernel has of a level along an axis: `extent_of` in cl/pyramid/extent.cl.
    fn has(sizes: &Sizes, axis: usize, level: usize, number: usize) -> Extent {
        let (finest, levels) = (sizes.shape[axis] as i64, sizes.levels);
        let [before, after] = [sizes.reach.before, sizes.reach.after].map(|n| n as i64);
        let tile = sizes.tile[axis] as i64;
        let begin = number as i64 * tile;
        let (mut lo, mut hi) = if sizes.forward {
            let finer = levels - 1 - level;
            let end = (begin + tile).min((finest + (1 << levels) - 1) >> levels);
            let around = (2 << finer) - 2;
            (
                (begin << finer) - around * before,
                (end << finer) + around * after,
            )
        } else {
            let end = (begin + tile).min((finest + 1) / 2);
            let around = (1 << level) - 1;
            (
                (begin - around * before) >> level,
                (end + around * (after + 1)) >> level,
            )
        };
        if !sizes.periodic[axis] {
            let samples = (finest + (1 << level) - 1) >> level;
            (lo, hi) = (lo.max(0), hi.min((samples + 1) / 2));
        }
        let run = RUN as i64;
        let first = if axis == 1 {
            lo.div_euclid(run) * run
        } else {
            lo
        };
        let lifted = 2 * ((hi - first) as usize).next_multiple_of(RUN);
        Extent {
            loaded: (2 * (hi + after - lo + before)) as usize,
            read: (2 * (hi + after - first + before + run)) as usize,
            lifted,
            kept: if sizes.forward { lifted / 2 } else { lifted },
        }
    }

    #[test]
    fn no_tile_has_more_than_its_share_of_local_memory() {
        let reals = [
            Wavelet::CDF_9_7,
            Wavelet::HAAR,
            Wavelet::DAUB_4,
            Wavelet::CDF_5_3,
        ];
        for (wavelet, shape) in reals
            .into_iter()
            .zip([[300, 77], [31, 1000], [96, 64], [9, 7]])
        {
            for (boundary, direction) in [Boundary::Zero, Boundary::Periodic]
                .into_iter()
                .flat_map(|boundary| BOTH.map(|direction| (boundary, direction)))
            {
                let transform = Transform::new(wavelet.clone(), shape)
                    .boundary(boundary)
                    .levels(3);
                let problem = problem(&transform, SampleType::F64, direction);
                let local_memory = 8 << 10;
                let device = DeviceInfo {
                    local_memory,
                    ..small_gpu()
                };
                let setting = Setting::of(device);
                let target = crate::strategy::Target {
                    device: &setting.device,
                    tuning: &setting.tuning,
                    limits: &[],
                    ways: &[],
                };
                let all = transform.active_levels();
                let todo = Todo {
                    problem: &problem,
                    target: &target,
                    levels: &all,
                    done: 0,
                };
                let Ok(borders) = borders(&todo, [0, 1]) else {
                    continue;
                };
                let sizes = Sizes::new(&todo, [0, 1], borders).unwrap();
                assert!(sizes.local.bytes(SampleType::F64) as u64 <= local_memory);
                for axis in [0, 1] {
                    let bounds = extents(&sizes, axis, sizes.levels, sizes.tile[axis]);
                    for (level, most) in bounds.iter().enumerate() {
                        for number in 0..sizes.tiles()[axis] {
                            let has = has(&sizes, axis, level, number);
                            assert!(has.loaded <= most.loaded && has.lifted <= most.lifted);
                            assert!(has.kept <= most.kept && has.read <= most.read);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn work_groups_are_as_large_as_the_device_allows() {
        let group = |most| {
            let device = DeviceInfo {
                max_work_group: most,
                ..DeviceInfo::imaginary()
            };
            let transform = Transform::new(Wavelet::CDF_9_7, [64, 64]);
            let all = launches(device, &transform, SampleType::F32, Direction::Forward);
            number(&all[0].pass.kernel, "GROUP")
        };
        assert_eq!([group(1024), group(100), group(1)], [GROUP, 100, 1]);
    }
}
