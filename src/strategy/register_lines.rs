//! One launch for several levels of lines that stand side by side: each of them, or a tile of it,
//! is in the registers of one work-item (cl/register_lines/register_lines.cl).

mod tile;

use self::tile::Tile;
use super::planning::cost::{Cost, Meter};
use super::planning::design::{
    Define, Kernel, Pass, Slots, define, loops_as_they_are, registers, smallest_sub_groups,
};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::register_rows::{MOST_BESIDE, TILE_SIDE_BY_SIDE};
use super::shared::border::Border;
use super::shared::lines::{Lines, are_even, levels_alone, short_line};
use super::shared::pixels;
use crate::device::{DeviceKind, Exchange};
use crate::transform::geometry::{Geometry, Side};

pub(super) const TUNABLES: &[Tunable] = &[];

const NAME: &str = "register_lines";

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// Numbers of 32 bits that a work-item has at most, and registers that it takes for each pair of
/// reach besides one and a half for each number: with more, compilers put lines of 64 by Fidelity
/// in memory on Intel's pvc (`make vendors`).
const LONGEST: usize = 128;
const REGISTERS_OF_REACH: usize = 4;

/// The same on CPUs, where other strategies are faster and compilers take long.
const LONGEST_ON_CPUS: usize = 64;

/// Samples of all lines at least, or programs for each length would not be worth their while.
const LEAST: usize = 1 << 14;

/// Samples of all lines, of which more are best in tiles, and lines at least.
const MUCH: usize = 1 << 20;
const FEW: usize = 16;

/// Samples that tiles load at most for each of their lines': of lines that are little longer than a
/// tile two overlap by most of it.
const MOST_LOADED: f64 = 2.1;

/// Samples of lines that are best taken one by one wherever they stand.
const TINY: i32 = 4;

/// Neighbouring lines that have their tiles together at most.
const TOGETHER: usize = 128;

/// Samples in the longest vectors of `register_columns`, of four bytes.
const VECTOR: i64 = 4;

pub(super) fn offer(todo: &Todo) -> Offer {
    let lines = Lines::new(todo);
    let own = match RegisterLines::new(todo, &lines) {
        Ok(own) => own,
        Err(why) => return Offer::No { why },
    };
    let taken = Taken {
        levels: own.tile.levels,
        axes: 1,
        passes: vec![own.pass(todo)],
    };
    match own.is_best(todo, &lines) {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// What each work-item has, and how many are in a work-group.
struct RegisterLines {
    tile: Tile,
    /// Tiles of a line, and neighbouring lines whose tiles follow one another.
    tiles: usize,
    together: usize,
    group: usize,
    groups: usize,
}

/// Numbers of 32 bits that a work-item has the registers for.
fn most_words(todo: &Todo, lines: &Lines) -> usize {
    let device = todo.target.device;
    let reach = REGISTERS_OF_REACH * (lines.reach.before + lines.reach.after);
    let fitting = registers(device).saturating_sub(reach) * 2 / 3;
    let longest = match device.kind {
        DeviceKind::Cpu => LONGEST_ON_CPUS,
        _ => LONGEST,
    };
    fitting.min(longest)
}

impl RegisterLines {
    fn new(todo: &Todo, lines: &Lines) -> Result<Self, String> {
        let geometry = &lines.geometry;
        let (samples, count) = (geometry.samples as usize, geometry.lines as usize);
        let levels = levels_alone(todo, &todo.axes()[..1]);
        let follow_one_another = Lines::of_levels(todo, levels).follow_one_another();
        let is_known = lines.known_length().is_some() && !follow_one_another;
        if !(lines.near && (lines.stand_side_by_side() || is_known)) {
            return Err("it takes lines that stand side by side, whose places fit 32 bits".into());
        }
        if !is_known && samples * count < LEAST {
            return Err(format!(
                "it takes lines that have at least {LEAST} samples in all, here are {}",
                samples * count
            ));
        }
        let most = most_words(todo, lines) / todo.problem.sample.local_size().div_ceil(4);
        let tile = match is_known || samples <= most {
            true => Tile::whole(samples, levels),
            false => Tile::of(todo.problem, samples, most, levels)
                .ok_or_else(|| format!("tiles of {most} samples are all halo"))?,
        };
        let tiles = tile.count(samples);
        // As many blocks of neighbours as there must be, of equal size.
        let together = count.div_ceil(count.div_ceil(TOGETHER));
        let group = GROUP.min(todo.target.work_group(NAME));
        let groups = (count.next_multiple_of(together) * tiles).div_ceil(group);
        if i32::try_from(groups * group).is_err() {
            return Err(format!("{count} lines have too many tiles"));
        }
        Ok(RegisterLines {
            tile,
            tiles,
            together,
            group,
            groups,
        })
    }

    fn is_best(&self, todo: &Todo, lines: &Lines) -> bool {
        let side_by_side = lines.stand_side_by_side() && lines.are_near();
        let goes_well = match self.tile.is_whole() {
            true => self.short_lines_are_best(todo, lines),
            false => self.tiles_are_best(todo, lines),
        };
        todo.target.device.kind == DeviceKind::Gpu
            && (self.few_samples_are_best(lines) || side_by_side && goes_well)
    }

    /// Whether lines are of so few samples that their program knows them in any case, and stand
    /// apart, are lifted by several levels, or are tiny.
    fn few_samples_are_best(&self, lines: &Lines) -> bool {
        let is_apart = lines.apart > MOST_BESIDE || self.tile.levels > 1;
        let known = lines.known_length();
        known.is_some_and(|samples| is_apart || samples <= TINY)
    }

    /// Several levels of many lines, and one where `register_columns` has no vectors of four bytes a
    /// sample. On an NVIDIA H200, along the first axis, us forward and inverse:
    ///
    /// | lines | here | otherwise |
    /// |---|---|---|
    /// | five levels of 24 x 1080 x 1920 | 108, 109 | 314, 351 in local memory |
    /// | the same in i16 by 5/3 | 69, 68 | 219, 232 in local memory |
    /// | five levels of 128 x 524288 | 144, 148 | 170, 186 in local memory |
    /// | one level of 16 x 4194304 | 141, 139 | 136, 137 by `register_columns` |
    /// | the same in i16 by 5/3 | 80, 78 | 107, 105 by `register_columns` |
    /// | one level of 63 x 65537, by no vectors | 12, 12 | 15, 15 by `register_columns` |
    fn short_lines_are_best(&self, todo: &Todo, lines: &Lines) -> bool {
        let by_vectors = lines.apart % VECTOR == 0 && !Border::of_lines(todo, lines).is_apart();
        let is_small = !by_vectors || todo.problem.sample.size() < 4;
        lines.are_many() && (self.tile.levels > 1 || is_small)
    }

    /// Several levels of much that is long. `register_rows` takes what is left of the levels, and
    /// otherwise all of them, those of shorter lines in one launch. A launch of tiles takes 10 us for
    /// its instructions alone. On an NVIDIA H200, along the first axis, us forward and inverse:
    ///
    /// | lines | here | otherwise |
    /// |---|---|---|
    /// | two levels of 2048 x 2048 | 12.7, 12.4 | 16.4, 16.2 |
    /// | three of them | 16.1, 15.7 | 18.3, 17.5 |
    /// | five of them | 23.6, 27.6 | 25.3, 28.7 |
    /// | five, periodic | 23.6, 26.1 | 26.8, 32.1 |
    /// | five of 1024 x 1024 x 3 | 20.0, 23.0 | 24.5, 27.9 |
    /// | three of 512 x 512 x 512 | 369, 332 | 364, 344 |
    /// | the same in i16 by 5/3 | 247, 239 | 341, 308 |
    /// | five of 9000 x 1000 x 4 | 139, 141 | 135, 121 |
    /// | five of 256 x 16384 | 24, 31 | 17, 17 |
    /// | five of 300 x 100 x 100 x 4, which stay there | 45, 47 | 52, 53 |
    /// | three of 1024 x 1024 | 9.6, 9.0 | 9.7, 10.9 |
    /// | one of 599186 x 7 | 25, 25 | 13, 14 |
    /// | three of 16384 x 256 in f64 | 33, 36 | 30, 32 |
    ///
    /// They were not tried on other GPUs.
    fn tiles_are_best(&self, todo: &Todo, lines: &Lines) -> bool {
        let samples = lines.geometry.samples as usize;
        let count = lines.geometry.lines as usize;
        let loads_little = (self.tiles * self.tile.samples) as f64 <= MOST_LOADED * samples as f64;
        let in_one_launch = self.tile.levels == levels_alone(todo, &todo.axes()[..1]);
        todo.target.device.exchange == Exchange::Ptx
            && todo.problem.sample.local_size() <= 4
            && self.tile.levels > 1
            && count >= FEW
            && samples * count > MUCH
            && loads_little
            && (in_one_launch || samples > TILE_SIDE_BY_SIDE)
    }

    fn pass(&self, todo: &Todo) -> Pass {
        let geometry = Lines::of_levels(todo, self.tile.levels).geometry;
        Pass {
            kernel: Kernel {
                name: NAME,
                file: "register_lines/register_lines.cl",
                defines: self.defines(todo, &geometry),
                group: [self.group, 1],
            },
            slots: Slots::OF_TAKE,
            geometry,
            own: vec![
                ("tiles", self.tiles as i32),
                ("together", self.together as i32),
                ("gap", geometry.samples - self.tile.samples as i32),
            ],
            groups: self.groups,
            cost: self.cost(todo, geometry.lines as usize, geometry.samples as usize),
        }
    }

    fn cost(&self, todo: &Todo, lines: usize, samples: usize) -> Cost {
        let meter = Meter::new(todo.problem, 1, todo.pre_shift()).with_signal(todo.signal_size());
        let tiles = lines * self.tiles;
        let lifted = (0..self.tile.levels).map(|level| {
            let of_level = tiles * self.tile.samples.div_ceil(1 << level);
            let pairs = tiles * self.tile.samples.div_ceil(2 << level);
            meter.scaling(of_level, of_level) + meter.lifted(pairs)
        });
        meter.moved(tiles * self.tile.samples, lines * samples) + lifted.sum::<Cost>()
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        let in_one_piece = |side: &Side| side.line.stride == 1;
        let low = geometry.has_low == 0 || in_one_piece(&geometry.low);
        let tile = &self.tile;
        let mut defines = vec![
            define("GROUP", self.group),
            define("EVEN_ROWS", u8::from(are_even(geometry))),
            define("INTERLEAVED", u8::from(geometry.is_interleaved())),
            define("PLANAR", u8::from(in_one_piece(&geometry.bands) && low)),
            define("TILED", u8::from(!tile.is_whole())),
            smallest_sub_groups(device),
        ];
        defines.extend(short_line(geometry, tile.samples, self.tile.levels));
        if !tile.is_whole() {
            defines.extend([
                define("HEAD", tile.head),
                define("HEAD_RESULTS", tile.head_results),
                define("BEFORE", tile.before),
                define("RESULTS", tile.results),
            ]);
        }
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

#[cfg(test)]
mod tests;
