//! The inverse of several levels, mirrored at their borders, by windows whose sizes are constants of the program
//! (cl/pyramid/windows.cl).

use super::borders;
use crate::device::Exchange;
use crate::lifting::reach::Reach;
use crate::strategy::cost::{Cost, Meter};
use crate::strategy::design::{
    Define, Kernel, LARGEST_VECTOR, Pass, Slots, define, define_distance, loops_as_they_are,
    registers,
};
use crate::strategy::planner::Todo;
use crate::transform::Layout;
use crate::transform::geometry::Geometry;
use crate::wavelet::Direction;

const NAME: &str = "pyramid_windows";

/// Pairs of columns of a work-item, pairs of rows of a block that are no halo, work-items in a work-group, and those side by side
/// in the finest window, among which the cheapest are chosen.
const PAIRS: [usize; 2] = [1, 2];
const HEIGHTS: [usize; 4] = [1, 2, 3, 4];
const GROUPS: [usize; 2] = [128, 256];
const SIDE_BY_SIDE: [usize; 4] = [4, 8, 16, 32];

/// Work-items that take the place of a sub-group where there is no exchange.
const LANES: usize = 32;

/// Levels of a launch (cl/pyramid/windows.cl).
const LEVELS_AT_ONCE: usize = 6;

/// What a launch costs, and a level beside its samples, also for each sample that a work-item holds, in samples that a compute unit
/// loads in that time: on an NVIDIA H200 some 10,000 per us.
const LAUNCH: usize = 35_000;
const LEVEL: usize = 1_000;
const BLOCK: usize = 400;

/// All of them: pairs, rows, group and side by side.
fn all_sizes() -> Vec<[usize; 4]> {
    let mut sizes = Vec::new();
    for pairs in PAIRS {
        for height in HEIGHTS {
            for group in GROUPS {
                sizes.extend(SIDE_BY_SIDE.map(|lanes| [pairs, height, group, lanes]));
            }
        }
    }
    sizes
}

/// What a work-group has of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    rows: usize,
    /// With the halo, in whole work-items.
    columns: usize,
    /// Work-items side by side.
    lanes: usize,
    /// Where its results begin in local memory.
    kept: usize,
}

/// How a picture is shared out, and on what the kernel is specialised.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    levels: usize,
    /// Pairs on which results depend, on both sides together and on the side where they are more.
    around: usize,
    reach: usize,
    x_first: bool,
    /// Samples of the level at hand along y and x.
    shape: [usize; 2],
    pictures: usize,
    /// Whether the device has vectors: a CPU, of which tests build few programs.
    in_one_program: bool,
    /// Whether steps reach beyond the mirrored picture, at the smallest level.
    mirrored_often: bool,
    /// Pairs of columns of a work-item, and pairs of rows that are no halo.
    pairs: usize,
    height: usize,
    group: usize,
    /// Work-items in a sub-group, or in what takes its place.
    lanes: usize,
    /// Pairs of a tile along y and x.
    tile: [usize; 2],
    /// Finest first.
    windows: Vec<Window>,
    /// Samples that local memory holds of all low bands.
    kept: usize,
}

/// The windows that a walk from the finest of `levels` begins with, where all of them take least time.
fn of_least_time(
    levels: usize,
    units: usize,
    cheapest: impl Fn(usize, usize) -> Option<Windows>,
) -> Option<Windows> {
    // From the coarsest level on: the least time of all levels from this one, and how it begins.
    let mut best: Vec<(usize, Option<Windows>)> = vec![(0, None)];
    for first in (0..levels).rev() {
        let least = if first == 0 { 2 } else { 1 };
        let choices = (least..=levels - first).flat_map(|count| {
            let windows = cheapest(first, count)?;
            let rest = best[best.len() - count].0;
            let time = rest.saturating_add(LAUNCH + windows.time(units));
            Some((time, Some(windows)))
        });
        let none = (usize::MAX, None);
        best.push(choices.min_by_key(|(time, _)| *time).unwrap_or(none));
    }
    best.pop()?.1
}

impl Windows {
    /// The cheapest windows, or why there are none.
    pub fn new(todo: &Todo, axes: [usize; 2]) -> Result<Self, String> {
        let (problem, device) = (todo.problem, todo.target.device);
        if problem.direction == Direction::Forward {
            return Err("forward, windows grow from level to level".to_owned());
        }
        if problem.transform.coefficient_layout() == Layout::Interleaved {
            return Err("coefficients are interleaved".to_owned());
        }
        let is_mirrored = |&level: &usize| {
            let next = Todo {
                levels: &todo.levels[level..],
                ..*todo
            };
            let is_mirrored = |border: &super::Border| !border.is_periodic() && !border.restored;
            todo.levels[level].axes == todo.levels[0].axes
                && borders(&next, axes).is_ok_and(|both| both.iter().all(is_mirrored))
        };
        let most = todo.levels.len().min(LEVELS_AT_ONCE);
        let levels = (0..most).take_while(is_mirrored).count();
        if levels < 2 {
            return Err("fewer than two levels go on mirrored".to_owned());
        }
        let reach = Reach::new(&problem.stencils());
        let most_reach = reach.before.max(reach.after);
        let exchanges = device.exchange != Exchange::None;
        let in_one_program = device.float_vector > 1;
        let lanes = if exchanges { device.lanes } else { LANES };
        let whole: usize = todo.levels[0].shape.iter().product();
        let shape_of = |level: usize| axes.map(|axis| todo.levels[level].shape[axis]);
        let pictures = whole / shape_of(0).iter().product::<usize>();
        let of_levels = |first: usize, count: usize| Windows {
            levels: count,
            around: reach.before + reach.after,
            reach: most_reach,
            x_first: todo.x_first() && problem.sample.is_integer(),
            shape: shape_of(first),
            pictures,
            in_one_program,
            mirrored_often: in_one_program
                || shape_of(first + count - 1)
                    .iter()
                    .any(|&n| n < 2 * most_reach + 2),
            pairs: 1,
            height: 1,
            group: 0,
            lanes,
            tile: [0; 2],
            windows: Vec::new(),
            kept: 0,
        };
        let most = todo.target.of(NAME).work_group(NAME);
        // Doubles spill on Intel's skl by three quarters of its registers.
        let words = problem.sample.size().div_ceil(4);
        let most_words = registers(device) * if words > 1 { 5 } else { 6 } / 8;
        let fits = |windows: &Windows| {
            windows.group <= most
                && windows.bytes(todo) <= device.local_memory
                && windows.held() * words <= most_words
        };
        let sizes = match in_one_program {
            true => vec![[2, 2, 256, 16]],
            false => all_sizes(),
        };
        let units = device.compute_units;
        let cheapest = |first: usize, count: usize| {
            let windows = of_levels(first, count);
            let all = sizes.iter().flat_map(|&size| windows.sized(size));
            all.filter(fits).min_by_key(|windows| windows.time(units))
        };
        of_least_time(levels, units, cheapest).ok_or_else(|| "no windows fit".to_owned())
    }

    /// The windows of so many levels, if there are any of this size.
    fn sized(&self, [pairs, height, group, lanes]: [usize; 4]) -> Option<Self> {
        let halo = self.reach.next_multiple_of(pairs);
        let width = (lanes * pairs).checked_sub(2 * halo).filter(|&n| n > 0)?;
        let tile = [height * (group / lanes), width];
        let [of_rows, of_columns] = [0, 1].map(|axis| self.pairs_of(axis, tile[axis]));
        let (mut windows, mut kept) = (Vec::new(), 0);
        for (level, (rows, columns)) in of_rows.into_iter().zip(of_columns).enumerate() {
            let columns = (2 * halo + columns).next_multiple_of(pairs);
            let lanes = (columns / pairs).next_power_of_two();
            if lanes > self.lanes || height * (group / lanes) < rows {
                return None;
            }
            windows.push(Window {
                rows,
                columns,
                lanes,
                kept,
            });
            if level > 0 {
                kept += 4 * rows * columns;
            }
        }
        Some(Windows {
            pairs,
            height,
            group,
            tile,
            windows,
            kept,
            ..self.clone()
        })
    }

    /// The pairs of each level's window along an axis, finest first, for a tile of so many.
    fn pairs_of(&self, axis: usize, tile: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut pairs = tile;
        for level in 0..self.levels {
            // CPUs have one program for all shapes, so that tests build few.
            all.push(match self.in_one_program {
                true => pairs,
                false => pairs.min(self.shape[axis].div_ceil(2 << level)),
            });
            // Of the samples that these pairs depend on, the first may be odd.
            pairs = (pairs + 2 * self.reach + 2) / 2;
        }
        all
    }

    /// Pairs of rows of a block with its halo.
    fn block_pairs(&self) -> usize {
        self.height + self.around
    }

    /// Samples that a work-item holds.
    fn held(&self) -> usize {
        4 * self.pairs * self.block_pairs()
    }

    /// Tiles of a picture along y and x.
    fn tiles(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.shape[axis].div_ceil(2).div_ceil(self.tile[axis]))
    }

    fn groups(&self) -> usize {
        self.pictures * self.tiles().iter().product::<usize>()
    }

    /// Sub-groups that have rows at each level.
    fn busy(&self) -> impl Iterator<Item = usize> {
        let blocks = |window: &Window| window.rows.div_ceil(self.height);
        self.windows
            .iter()
            .map(move |window| (blocks(window) * window.lanes).div_ceil(self.lanes))
    }

    /// What a compute unit takes, in samples that it loads in that time.
    fn time(&self, compute_units: usize) -> usize {
        self.loaded(compute_units) + self.windows.len() * (LEVEL + BLOCK * self.held())
    }

    /// Samples that a compute unit loads.
    pub fn loaded(&self, compute_units: usize) -> usize {
        let waves = self.groups().div_ceil(compute_units.max(1));
        let samples: usize = self.busy().map(|n| n * self.lanes * self.held()).sum();
        waves * samples
    }

    /// Whether a picture is one tile.
    pub fn is_one_tile(&self) -> bool {
        self.tiles() == [1, 1]
    }

    fn bytes(&self, todo: &Todo) -> u64 {
        let rows = if self.x_first {
            self.block_pairs()
        } else {
            self.height
        };
        let shared = match todo.target.device.exchange {
            Exchange::None => 2 * rows * self.group * self.pairs,
            _ => self.group * self.pairs,
        };
        // Steps compute in 32 bits at least.
        ((self.kept + 2 * self.pairs + shared) * todo.problem.sample.size().max(4)) as u64
    }

    pub fn levels(&self) -> usize {
        self.levels
    }

    pub fn pass(&self, todo: &Todo, [y, x]: [usize; 2]) -> Pass {
        let geometry = Geometry {
            boundary: todo.problem.transform.boundary_rule().number(),
            ..todo.sides(self.levels(), 2).pictures(y, x)
        };
        let [tiles_y, tiles_x] = self.tiles();
        let is_short = 2 * self.pairs * todo.problem.sample.size() <= LARGEST_VECTOR;
        let own = [
            ("levels", self.levels()),
            ("tile_x", self.tile[1]),
            ("tile_y", self.tile[0]),
            ("tiles_x", tiles_x),
            ("tiles_y", tiles_y),
            (
                "aligned",
                usize::from(is_short && geometry.signal.is_aligned(2, 2 * self.pairs)),
            ),
        ];
        Pass {
            kernel: Kernel {
                name: NAME,
                file: "pyramid/windows.cl",
                defines: self.defines(todo, &geometry),
                group: [self.group, 1],
            },
            slots: Slots::OF_TAKE,
            geometry,
            own: own.map(|(name, value)| (name, value as i32)).to_vec(),
            groups: self.groups(),
            cost: self.cost(todo),
        }
    }

    fn cost(&self, todo: &Todo) -> Cost {
        let meter = Meter::new(todo.problem, 2, todo.pre_shift());
        let groups = self.groups();
        let (mut read, mut lifted) = (0, Cost::default());
        for (level, window) in self.windows.iter().enumerate() {
            let loaded = 4 * (window.rows + self.around) * window.columns;
            // What the coarser level has left is in local memory.
            read += match level + 1 == self.levels {
                true => loaded,
                false => loaded - loaded / 4,
            };
            let blocks = groups * window.rows.div_ceil(self.height);
            let rows = if self.x_first {
                self.block_pairs()
            } else {
                self.height
            };
            lifted = lifted
                + meter.lifted_alone(2 * blocks * window.columns, self.height)
                + meter.lifted(2 * blocks * rows * window.columns);
        }
        let stored = self.pictures * self.shape[0] * self.shape[1];
        let barriers = match todo.target.device.exchange {
            Exchange::None => 1 + 2 * todo.problem.stencils().len(),
            _ => 1,
        };
        meter.scaled(groups * read, stored)
            + lifted
            + Cost::of_group(barriers * self.levels(), self.bytes(todo) as usize)
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        // CPUs keep the general way under test.
        let single = device.float_vector == 1 && geometry.across[1] * geometry.across[2] == 1;
        let mut defines = vec![
            define("EXCHANGE", device.exchange.number()),
            define("LANES", self.lanes),
            define("GROUP", self.group),
            define("PAIRS", self.pairs),
            define("BLOCK_ROWS", 2 * self.block_pairs()),
            define("X_FIRST", u8::from(self.x_first)),
            define("LEVELS", self.levels()),
            define("PLACES", self.kept),
            define("MIRRORED_OFTEN", u8::from(self.mirrored_often)),
            define_distance(geometry.is_narrow(2, 0)),
            define("PLANAR", 1),
            define("SINGLE", u8::from(single)),
            define("PRE_SHIFT", todo.pre_shift()),
        ];
        for (k, window) in self.windows.iter().enumerate() {
            defines.push(define(format!("ROWS_{k}"), window.rows));
            defines.push(define(format!("COLUMNS_{k}"), window.columns));
            defines.push(define(format!("LANES_{k}"), window.lanes));
            defines.push(define(format!("KEPT_{k}"), window.kept));
        }
        defines.extend(loops_as_they_are(device));
        defines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::Strategy;
    use crate::strategy::design::Launch;
    use crate::strategy::tests::cases::{Setting, gpu, large_gpu, problem};
    use crate::strategy::tests::host::{number, own};
    use crate::transform::Transform;
    use crate::wavelet::{Boundary, SampleType, Wavelet};

    fn launches(device: DeviceInfo, transform: &Transform, sample: SampleType) -> Vec<Launch> {
        let setting = Setting::of(device).only(&[Strategy::Pyramid]);
        let design = setting.design(&problem(transform, sample, Direction::Inverse));
        design.unwrap().launches
    }

    fn kernels(transform: &Transform, sample: SampleType) -> Vec<&'static str> {
        let all = launches(large_gpu(), transform, sample);
        all.iter().map(|launch| launch.pass.kernel.name).collect()
    }

    #[test]
    fn they_take_mirrored_pictures_in_planar_sub_bands() {
        let picture = Transform::new(Wavelet::CDF_9_7, [256, 200]).levels(4);
        assert_eq!(kernels(&picture, SampleType::F32), [NAME]);
        for other in [
            picture.clone().levels(1),
            picture.clone().layout(Layout::Interleaved),
            Transform::new(Wavelet::CDF_9_7, [256, 64])
                .boundary(Boundary::Periodic)
                .levels(4),
            picture.clone().boundary(Boundary::Zero),
            Transform::new(Wavelet::HAAR, [256, 64]).levels(4),
        ] {
            let names = kernels(&other, SampleType::F32);
            assert!(names.iter().all(|&name| name == "pyramid"), "{other:?}");
        }
    }

    #[test]
    fn they_take_these_wavelets() {
        let takes = |wavelet: &&Wavelet| {
            let sample = match wavelet.integer_steps() {
                Some(_) => SampleType::I16,
                None => SampleType::F32,
            };
            let picture = Transform::new((*wavelet).clone(), [256, 256]).levels(3);
            kernels(&picture, sample)[0] == NAME
        };
        let taken: Vec<&str> = Wavelet::ALL
            .iter()
            .filter(takes)
            .map(Wavelet::name)
            .collect();
        assert_eq!(
            taken,
            ["cdf53", "cdf97", "ccsds97m", "vc2-legall53", "vc2-daub97"]
        );
    }

    /// Every tile of every level: what it depends on of the coarser level is in that one's window.
    #[test]
    fn windows_hold_what_the_finer_level_reads() {
        let devices = [large_gpu(), gpu(Exchange::None, 1), gpu(Exchange::Khr, 16)];
        let shapes = [[64, 64], [37, 301], [1024, 77], [9, 12], [1021, 1023]];
        for (device, shape) in devices
            .iter()
            .flat_map(|one| shapes.map(|shape| (one, shape)))
        {
            for wavelet in [Wavelet::CDF_5_3, Wavelet::CDF_9_7] {
                let picture = Transform::new(wavelet, shape).levels(4);
                let all = launches(device.clone(), &picture, SampleType::F32);
                for launch in all.iter().filter(|launch| launch.pass.kernel.name == NAME) {
                    check(launch, &picture, device);
                }
            }
        }
    }

    fn check(launch: &Launch, picture: &Transform, device: &DeviceInfo) {
        let reach = {
            let inverse = problem(picture, SampleType::F32, Direction::Inverse);
            Reach::new(&inverse.stencils()).before as i64
        };
        let kernel = &launch.pass.kernel;
        let of = |name: &str, k: i64| number(kernel, &format!("{name}_{k}")) as i64;
        let [group, pairs] = ["GROUP", "PAIRS"].map(|name| number(kernel, name) as i64);
        let height = number(kernel, "BLOCK_ROWS") as i64 / 2 - 2 * reach;
        let halo = (reach + pairs - 1) / pairs * pairs;
        let geometry = &launch.pass.geometry;
        let lengths = [geometry.across[0], geometry.samples].map(i64::from);
        for (axis, names) in [["tile_y", "tiles_y"], ["tile_x", "tiles_x"]]
            .iter()
            .enumerate()
        {
            let [tile, tiles] = names.map(|name| i64::from(own(launch, name)));
            for begin in (0..tiles).map(|number| number * tile) {
                // The pairs whose results are wanted.
                let (mut lo, mut hi) = (begin, (begin + tile).min((lengths[axis] + 1) / 2));
                for level in 0..i64::from(own(launch, "levels")) {
                    let samples = (lengths[axis] + (1 << level) - 1) >> level;
                    let first = ((begin - ((1 << level) - 1) * reach) >> level).max(0);
                    let count = match axis {
                        0 => of("ROWS", level),
                        _ => of("COLUMNS", level) - 2 * halo,
                    };
                    assert!(
                        first <= lo && hi <= first + count,
                        "{level} {lo}..{hi}: {launch:?}"
                    );
                    (lo, hi) = ((lo - reach).max(0), (hi + reach).min((samples + 1) / 2));
                    (lo, hi) = (lo / 2, (hi + 1) / 2);
                }
            }
        }
        for level in 0..i64::from(own(launch, "levels")) {
            let lanes = of("LANES", level);
            assert!(
                lanes * pairs >= of("COLUMNS", level) && lanes <= number(kernel, "LANES") as i64
            );
            assert!(group / lanes * height >= of("ROWS", level));
        }
        assert!(number(kernel, "PLACES") as u64 * 4 <= device.local_memory);
    }
}
