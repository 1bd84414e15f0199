//! One launch for several levels of rows: the work-items of a row bring it into local memory, and lift it level by level
//! (cl/register_rows/register_rows.cl). Rows that are too long go in tiles, short ones can stay in registers
//! (cl/register_rows/rows_in_registers.cl).

use super::border::Border;
use super::cost::{Cost, Meter};
use super::design::{
    Define, Kernel, Pass, Slots, can_stream, define, loops_as_they_are, registers,
};
use super::lines::Lines;
use super::pixels;
use super::planner::{Offer, Taken, Todo};
use super::tuning::Tunable;
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::lifting::extension::are_near;
use crate::lifting::reach::Reach;
use crate::transform::geometry::{Geometry, Side};
use crate::wavelet::SampleType;

pub(super) const TUNABLES: &[Tunable] = &[];

/// Rows of an inner batch that stand sample by sample beside one another, at most. On an NVIDIA H200, one level along the middle
/// axis of 1024 x 1024 x 2 takes 12 us, of 3 17, of 4 24, by `register_columns` 23, 28 and 25; of 1024 x 512 x 5 21 and 19, of
/// 8 44 and 15.
const MOST_BESIDE: i64 = 4;

/// Samples of four bytes of the longest row that goes as a whole, and of the tiles of longer ones.
const TILE: usize = 2048;

/// Of lines that stand side by side: how many of them a work-group has at least, samples of a tile, and pairs of a run. On an NVIDIA
/// H100, three levels along the first axis of 2048 x 2048 by 9/7 in f32 take 20 and 19 us, by runs of 8 pairs 22 and 21, of 4 31
/// and 34, by 8 lines of 512 or 1024 samples 21 and 26, by 32 of 256 26 and 29; by a pass of `register_columns` per level
/// 33 and 39. In i16 by 5/3, 512 x 512 x 512 takes 370 and 348 us by 16 lines, 470 and 481 by 32.
const TOGETHER: usize = 16;
const TILE_SIDE_BY_SIDE: usize = 512;
const RUN_SIDE_BY_SIDE: usize = 16;
/// The lines where devices do not exchange, so that small work-groups have a tile of each.
const TOGETHER_ALONE: usize = 8;

/// Samples of the shortest lines side by side that are best done here: on the same card three levels of 262144 lines of 16
/// take 20 and 25 us, by a pass per level 28 and 31, of 1398101 lines of 3 57 and 74, by passes that know their length 43 and 40.
const LEAST_SIDE_BY_SIDE: usize = 16;

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// Work-items that take the place of a sub-group where there is no exchange.
const LANES: usize = 32;

/// Pairs of a run at least; less would be mostly reach.
const LEAST_RUN: usize = 4;
const LONGEST_RUN: usize = 32;

/// Pairs of a run in local memory where a row or a tile has so many samples: more of them share the reach, and fewer work-items
/// move samples together. On an NVIDIA H200, 2^24 samples in f32 by 9/7 take, forward and inverse: as rows of 64 by 4 pairs 65 and 68 us, by
/// 8 72 and 75; of 256 by 4 47 and 57, by 8 48 and 49; of 512 by 8 41 and 49, by 16 45 and 50; of 1024 by 8 59 and 78, by
/// 16 40 and 46, by 32 52 and 52.
fn best_run(tile: usize) -> usize {
    (1 << (tile.ilog2() / 2)).max(2 * LEAST_RUN) / 2
}

/// Bytes in memory of a run that stays in registers, the second where rows do not end with the first. On an NVIDIA H200, three levels of
/// 2^24 samples in rows of 256 by 9/7 in f32 take 36 us by the first, 44 by the second, as by runs in local memory; two levels of
/// 131072 rows of 100, of which the first is none, 32 instead of 44.
const WHOLE_RUNS: [usize; 2] = [32, 16];

/// Registers that a work-item needs for each pair of its run and of the reach, of 32 bits each, by what compilers for Intel's GPUs
/// put in memory with fewer (`make vendors`).
const REGISTERS_OF_PAIR: usize = 4;

/// Pairs of reach on both sides, in words of 32 bits, with which the shortest runs fit the registers of any GPU.
const SHORT_REACH: usize = 8;

/// Places for the margins of a channel in local memory (MARGIN in cl/register_rows/level.cl), of which the first that hold the
/// reach are taken, and the reach that the last ones hold.
const MARGINS: [usize; 3] = [8, 16, 32];
const LONGEST_REACH: usize = MARGINS[2] / 2 - 1;

/// Levels in which work-items have a pair at most, for which there is room where they are fewer, too: so programs are few.
const USUAL_NARROW: usize = 8;

/// After how many places in local memory one is unused (PLACE_IN there).
const BANKS: usize = 32;

const NAME: &str = "register_rows";
const IN_REGISTERS: &str = "rows_in_registers";

pub(super) fn offer(todo: &Todo) -> Offer {
    let todo = &Todo {
        target: &todo.target.of(NAME),
        ..*todo
    };
    let lines = Lines::new(todo);
    let beside = (2..=MOST_BESIDE).contains(&lines.apart);
    let in_turn = lines.are_rows && lines.apart == 1 || lines.near && beside;
    if !(in_turn || lines.near && lines.stand_side_by_side()) {
        return Offer::no(
            "it takes rows in one piece, or lines that stand side by side, whose places fit 32 bits",
        );
    }
    let offer = Row::new(todo, &lines, !in_turn).map(|row| {
        let taken = Taken {
            levels: row.levels,
            axes: 1,
            passes: vec![row.pass(todo)],
        };
        let device = todo.target.device;
        let is_for_rows = in_turn || is_best_side_by_side(device, &row, &lines.geometry);
        match is_for_rows && is_best_for(device, todo.problem.sample, &lines) {
            true => Offer::Preferred(taken),
            false => Offer::Works(taken),
        }
    });
    offer.unwrap_or_else(|why| Offer::No { why })
}

/// On an NVIDIA H200, three levels of 2^20 rows of 16 take 137 us by runs in local memory, inverse 165, by `separable` 427 and 340; one level of 2^22
/// samples in rows of 7 takes 17 and 14, by `separable` 42 and 41, in rows of 3 29 and 32, and 35 both.
fn is_best_for(device: &DeviceInfo, sample: SampleType, lines: &Lines) -> bool {
    let reach = (lines.reach.before + lines.reach.after) * sample.size().div_ceil(4);
    let has_registers = can_stream(device) || reach <= SHORT_REACH;
    device.kind == DeviceKind::Gpu && device.exchange != Exchange::None && has_registers
}

/// How rows exchange values. Lines side by side exchange nothing, and only NVIDIA's GPUs have programs made for them: of those that
/// take as long runs Intel's compiler for CPUs crashes.
fn exchange_among(device: &DeviceInfo, side_by_side: bool) -> Exchange {
    match device.exchange {
        Exchange::Ptx => Exchange::Ptx,
        _ if side_by_side => Exchange::None,
        other => other,
    }
}

/// Lines side by side are best done by `register_columns` a level at a time, unless they are few: on an NVIDIA H100 one level of 7
/// lines of 599186 samples takes 16 us, by that one 26 (inverse 23). Batches of few neighbours were not tried, nor other GPUs: of
/// AMD's compute units local memory holds one such work-group.
fn is_best_side_by_side(device: &DeviceInfo, row: &Row, geometry: &Geometry) -> bool {
    let (lines, neighbours) = (geometry.lines as usize, geometry.across[0] as usize);
    let is_long = geometry.samples as usize >= LEAST_SIDE_BY_SIDE;
    let are_near = lines == neighbours || 2 * neighbours >= TOGETHER;
    let are_best = row.levels > 1 || lines < TOGETHER;
    device.exchange == Exchange::Ptx && is_long && are_near && are_best
}

fn prev_power_of_two(number: usize) -> usize {
    1 << number.ilog2()
}

/// The next levels that have no other axis and go on beyond their border in the same way, and this way. The level at hand is
/// one of them even where it has more axes.
fn levels_of_rows(todo: &Todo) -> Result<(usize, Border), String> {
    let axis = todo.axes()[0];
    let border = |level: usize| Border::new(todo, todo.levels[level].shape[axis] as i32);
    let first = border(0)?;
    let alone = |level: usize| todo.levels[level].axes == [axis];
    let same = |level: &usize| {
        let kind = |border: &Border| (border.is_periodic(), border.restored);
        alone(*level) && border(*level).is_ok_and(|border| kind(&border) == kind(&first))
    };
    let more = match todo.done == 0 && alone(0) {
        true => (1..todo.levels.len()).take_while(same).count(),
        false => 0,
    };
    Ok((1 + more, first))
}

/// Whether each row starts as far after the one before on either side.
fn are_even(geometry: &Geometry) -> bool {
    geometry.across[1] * geometry.across[2] == 1 && geometry.low_across[0] == geometry.across[0]
}

/// How a row, or a tile of it, is dealt out.
struct Row {
    reach: Reach,
    border: Border,
    levels: usize,
    /// Work-items of a row, and pairs that each of them has in the first level: powers of two.
    items: usize,
    pairs: usize,
    /// How work-items of a sub-group exchange values; work-items in it, or in what takes its place; in a work-group.
    exchange: Exchange,
    lanes: usize,
    group: usize,
    /// Tiles of a row, samples from one to the next, and those before and after each.
    tiles: usize,
    tile_samples: usize,
    halo: usize,
    bytes: usize,
    /// Whether neighbouring work-items have neighbouring rows.
    side_by_side: bool,
    /// Whether runs stay in registers (cl/register_rows/rows_in_registers.cl).
    in_registers: bool,
}

impl Row {
    /// The shares for a device, or why it cannot run them.
    fn new(todo: &Todo, lines: &Lines, side_by_side: bool) -> Result<Self, String> {
        let (target, problem) = (todo.target, todo.problem);
        let (levels, border) = levels_of_rows(todo)?;
        let samples = lines.geometry.samples as usize;
        let bytes = problem.sample.local_size();
        let reach = lines.reach.before.max(lines.reach.after);
        if reach > LONGEST_REACH {
            return Err(format!("its margins hold no reach of {reach} pairs"));
        }
        let most = target.work_group(NAME);
        let exchange = exchange_among(target.device, side_by_side);
        let alone = exchange == Exchange::None;
        let lanes = match alone {
            true => LANES.min(prev_power_of_two(most)),
            false => target.device.lanes,
        };
        if lanes > most {
            return Err(format!("it needs work-groups of {lanes}"));
        }
        let words = bytes.div_ceil(4);
        // To set doubles beyond a border anew takes two more.
        let [more, least] = match border.restored {
            true => [2 * (words - 1), LEAST_RUN / words],
            false => [0, LEAST_RUN],
        };
        let fitting = registers(target.device) / (REGISTERS_OF_PAIR * words + more);
        let fitting = fitting.saturating_sub(lines.reach.before + lines.reach.after);
        let longest_run = prev_power_of_two(fitting.max(least));
        // A line has at least four work-items, or tiles would be all halo.
        let neighbours = match (side_by_side, alone) {
            (false, _) => 1,
            (true, true) => TOGETHER_ALONE,
            (true, false) => TOGETHER.min((lines.geometry.lines as usize).next_power_of_two()),
        };
        let together = neighbours.min((prev_power_of_two(most) / 4).max(1));
        let most_items = prev_power_of_two(most) / together;
        let longest = match side_by_side {
            true => TILE_SIDE_BY_SIDE.min(2 * RUN_SIDE_BY_SIDE.min(longest_run) * most_items),
            false => (TILE * 4 / bytes.max(4)).min(2 * LONGEST_RUN * most_items),
        };
        let longest = longest.max(2 * LEAST_RUN);
        let tile = match (alone, side_by_side) {
            // Programs for rows of all lengths.
            (true, false) => (2 * LEAST_RUN * LANES).min(2 * LONGEST_RUN * lanes),
            (true, true) => 2 * LEAST_RUN * LANES.min(most_items),
            (false, _) => samples.next_power_of_two().clamp(2 * LEAST_RUN, longest),
        };
        let best = match (alone, side_by_side) {
            // Compilers for CPUs take long over long runs.
            (true, _) => LEAST_RUN,
            (false, true) => RUN_SIDE_BY_SIDE,
            (false, false) => best_run(tile),
        };
        let best = best.min(longest_run);
        let shortest = tile / 2 / most_items;
        let pairs = best.max(shortest).min(tile / 2);
        let items = tile / 2 / pairs;
        let mut row = Row {
            reach: lines.reach.clone(),
            border,
            levels,
            items,
            pairs,
            exchange,
            lanes,
            group: 0,
            tiles: 1,
            tile_samples: samples,
            halo: 0,
            bytes,
            side_by_side,
            in_registers: false,
        };
        let mut most = most;
        if let Some(pairs) = row.in_registers(todo, samples) {
            row.in_registers = true;
            most = target.work_group(IN_REGISTERS);
            row.pairs = pairs;
            row.items = (samples / 2 / pairs).next_power_of_two();
        } else if samples > tile {
            row.cut(samples, tile)?;
        }
        let items = row.items;
        let wanted = GROUP.min(most).max(items);
        let fitting = target.device.local_memory as usize / row.local_bytes(1);
        let rows = (wanted / items).max(together).min(fitting);
        // Neighbours side by side are loaded in whole pieces of memory.
        let rows = match side_by_side && rows > 0 {
            true => prev_power_of_two(rows),
            false => rows,
        };
        // Whole rows and whole sub-groups.
        let unit = if alone { items } else { lanes.max(items) };
        row.group = rows * items / unit * unit;
        if row.group == 0 {
            let needed = row.local_bytes(unit / items);
            let have = target.device.local_memory;
            return Err(format!(
                "rows of {} work-items need {needed} bytes of local memory, there are {have}",
                unit
            ));
        }
        Ok(row)
    }

    /// Cuts rows into tiles, for as many levels as leave most of a tile to results.
    fn cut(&mut self, samples: usize, tile: usize) -> Result<(), String> {
        let reach = self.reach.before.max(self.reach.after);
        // Level l depends on the reach in its own pairs, of 2^l samples.
        let halo = |levels: usize| (reach * ((2 << levels) - 2)).next_multiple_of(1 << levels);
        // On an NVIDIA H200 eight levels of a signal of 2^26 take 156 us (inverse 159) by four and four, by five and three 169 (166).
        // Without any reach the halo is none, but a tile still has whole pairs of the coarsest level.
        let beside = |levels: usize| halo(levels).max(1 << levels);
        // A launch of columns is as much worth as a longer halo.
        let share = if self.side_by_side { 16 } else { 32 };
        let is_small = |levels: &usize| *levels == 1 || share * beside(*levels) <= tile;
        self.levels = (1..=self.levels).take_while(is_small).count();
        self.halo = halo(self.levels);
        let unit = 1 << self.levels;
        let most = tile.saturating_sub(2 * self.halo) / unit * unit;
        if most == 0 {
            return Err(format!("tiles of {tile} samples are all halo"));
        }
        // All tiles but the outermost are as long as can be: those load without conditions.
        self.tile_samples = most;
        self.tiles = samples.div_ceil(most);
        Ok(())
    }

    /// The pairs of a run that stays in registers, where mirrored rows end with one, in a sub-group, and go by vectors.
    fn in_registers(&self, todo: &Todo, samples: usize) -> Option<usize> {
        let geometry = Lines::of_levels(todo, self.levels).geometry;
        let mirrored = !self.border.is_periodic() && !self.border.restored;
        let target = todo.target.of(IN_REGISTERS);
        let can = !self.side_by_side
            && target.device.exchange == todo.target.device.exchange
            && target.device.exchange != Exchange::None
            && self.lanes <= target.work_group(IN_REGISTERS)
            && are_near(&todo.problem.stencils())
            && are_even(&geometry);
        let is_whole = |pairs: &usize| {
            let mut bands = geometry.band_sides();
            samples.is_multiple_of(2 * pairs)
                && samples <= 2 * pairs * self.lanes
                && geometry.signal.is_aligned(2, 2 * pairs)
                && bands.all(|side| side.is_aligned(1, *pairs))
        };
        let pairs_of = |bytes: usize| bytes / 2 / todo.problem.sample.size();
        let mut runs = WHOLE_RUNS.map(pairs_of).into_iter();
        runs.find(|pairs| can && mirrored && is_whole(pairs))
    }

    /// Levels in which runs have several pairs, or stay in registers; in all others work-items have one pair at most.
    fn wide_levels(&self) -> usize {
        let wide = self.pairs.ilog2() as usize + usize::from(self.in_registers);
        self.levels.min(wide)
    }

    fn narrow_levels(&self) -> usize {
        self.levels - self.wide_levels()
    }

    fn tile(&self) -> usize {
        2 * self.pairs * self.items
    }

    /// Places of local memory for a row.
    fn places(&self) -> usize {
        if self.in_registers {
            return self.items;
        }
        let levels = match self.levels > self.wide_levels() {
            true => self.tile().ilog2() as usize,
            false => self.wide_levels(),
        };
        let reach = self.reach.before.max(self.reach.after);
        let holds = |margin: &usize| 2 * reach + 2 <= *margin;
        let margin = MARGINS.into_iter().find(holds).unwrap_or(MARGINS[2]);
        let samples = self.tile() + (levels + 2) * margin;
        // Rows side by side begin in other banks each.
        (samples + samples.div_ceil(BANKS)) | usize::from(self.side_by_side)
    }

    fn local_bytes(&self, rows: usize) -> usize {
        rows * self.places() * self.bytes
    }

    fn pass(&self, todo: &Todo) -> Pass {
        let geometry = Lines::of_levels(todo, self.levels).geometry;
        let interleaved = geometry.bands.line.stride == 2 * geometry.bands.line.detail;
        let lines = geometry.lines as usize;
        let rows = self.group / self.items;
        let groups = match self.side_by_side {
            true => lines.div_ceil(rows) * self.tiles,
            false => (lines * self.tiles).div_ceil(rows),
        };
        let (name, file) = match self.in_registers {
            true => (IN_REGISTERS, "register_rows/rows_in_registers.cl"),
            false => (NAME, "register_rows/register_rows.cl"),
        };
        Pass {
            kernel: Kernel {
                name,
                file,
                defines: self.defines(todo, &geometry),
                group: [self.group, 1],
            },
            slots: Slots::OF_TAKE,
            geometry,
            own: vec![
                ("levels", self.levels as i32),
                ("tiles", self.tiles as i32),
                ("tile_samples", self.tile_samples as i32),
                ("halo", self.halo as i32),
                ("periodic", i32::from(self.border.is_periodic())),
                ("interleaved", i32::from(interleaved)),
            ],
            groups,
            cost: self.cost(todo, lines, geometry.samples as usize),
        }
    }

    /// Every level lifts whole runs, those in local memory with the reach around them.
    fn cost(&self, todo: &Todo, lines: usize, samples: usize) -> Cost {
        let meter = Meter::new(todo.problem, 1, todo.pre_shift()).with_signal(todo.signal_size());
        let rows = lines * self.tiles;
        let halo = 2 * self.halo * (self.tiles - 1) * lines;
        let levels = (0..self.levels).map(|level| {
            let of_level = lines * samples.div_ceil(1 << level) + (halo >> level);
            let pairs = (self.pairs >> level).max(1);
            let runs = rows * samples.div_ceil(self.tiles << level).div_ceil(2 * pairs);
            let lifted = match self.in_registers {
                true => meter.lifted(runs * pairs),
                false => meter.lifted_alone(runs, pairs),
            };
            meter.scaling(of_level, of_level) + lifted
        });
        let alone = self.exchange == Exchange::None || self.items > self.lanes;
        let barriers = if alone || self.side_by_side {
            1 + 3 * self.levels
        } else {
            0
        };
        let local = self.local_bytes(self.group / self.items);
        meter.moved(lines * samples + halo, lines * samples)
            + levels.sum()
            + Cost::of_group(barriers, local)
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        let in_one_piece = |side: &Side| side.line.stride == 1;
        let low = geometry.has_low == 0 || in_one_piece(&geometry.low);
        // Without exchange the general way stays under test, and programs are fewer.
        let special = self.exchange != Exchange::None;
        let even = special && are_even(geometry);
        let planar = special && in_one_piece(&geometry.bands) && low;
        let tiled = !special || self.tiles > 1;
        let mut defines = vec![
            define("EXCHANGE", self.exchange.number()),
            define("LANES", self.lanes),
            define("GROUP", self.group),
            define("ROW_ITEMS", self.items),
            define("RUN_PAIRS", self.pairs),
            define("WIDE_LEVELS", self.wide_levels()),
            define("NARROW", u8::from(self.narrow_levels() > 0)),
            define("MOST_NARROW", self.narrow_levels().max(USUAL_NARROW)),
            define("SIDE_BY_SIDE", u8::from(self.side_by_side)),
            define("TILED", u8::from(tiled)),
            define("EVEN_ROWS", u8::from(even)),
            define("PLANAR_ROWS", u8::from(planar)),
        ];
        if !self.in_registers {
            let signal = special && geometry.signal.line.detail == 1;
            defines.extend([
                define("ROW_PLACES", self.places()),
                define("SIGNAL_ROWS", u8::from(signal)),
                define("RESTORED", u8::from(self.border.restored)),
            ]);
        }
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Strategy;
    use crate::strategy::design::Launch;
    use crate::strategy::tests::cases::{Setting, gpu, large_gpu, problem};
    use crate::strategy::tests::host::{number, own};
    use crate::transform::Transform;
    use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

    fn launches(setting: &Setting, transform: &Transform, sample: SampleType) -> Vec<Launch> {
        let problem = problem(transform, sample, Direction::Forward);
        setting.design(&problem).unwrap().launches
    }

    fn rows(samples: usize, levels: u32) -> Transform {
        let transform = Transform::new(Wavelet::CDF_9_7, [9, samples]);
        transform.axes([1]).levels(levels)
    }

    #[test]
    fn a_sub_group_has_a_row_or_several() {
        let sizes = |samples, levels| {
            let setting = Setting::of(large_gpu());
            let launch = launches(&setting, &rows(samples, levels), SampleType::F32).remove(0);
            let kernel = &launch.pass.kernel;
            let names = ["ROW_ITEMS", "RUN_PAIRS", "WIDE_LEVELS", "NARROW"];
            assert_eq!(own(&launch, "tiles"), 1);
            names.map(|name| number(kernel, name))
        };
        assert_eq!(sizes(1024, 5), [32, 16, 4, 1]);
        assert_eq!(sizes(1001, 4), [32, 16, 4, 0]);
        assert_eq!(sizes(2048, 9), [64, 16, 4, 1]);
        assert_eq!(sizes(256, 3), [32, 4, 3, 0]);
        assert_eq!(sizes(257, 1), [32, 8, 1, 0]);
        assert_eq!(sizes(64, 2), [8, 4, 2, 0]);
        assert_eq!(sizes(33, 9), [8, 4, 2, 1]);
    }

    #[test]
    fn a_work_group_has_neighbouring_lines_that_stand_side_by_side() {
        let sizes = |shape: [usize; 2], levels, sample| {
            let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
            let columns = Transform::new(Wavelet::CDF_9_7, shape).axes([0]);
            let launches = launches(&setting, &columns.levels(levels), sample);
            let (launch, kernel) = (&launches[0], &launches[0].pass.kernel);
            let names = ["SIDE_BY_SIDE", "GROUP", "ROW_ITEMS", "RUN_PAIRS"];
            let places = number(kernel, "ROW_PLACES");
            assert_eq!(places % 2, 1, "neighbours are in other banks");
            let taken = [own(launch, "tiles"), own(launch, "levels")];
            (names.map(|name| number(kernel, name)), taken)
        };
        let f32 = SampleType::F32;
        assert_eq!(sizes([512, 512], 3, f32), ([1, 256, 16, 16], [1, 3]));
        assert_eq!(sizes([16, 512], 3, f32), ([1, 128, 1, 8], [1, 3]));
        assert_eq!(sizes([2048, 512], 5, f32), ([1, 256, 16, 16], [5, 3]));
        // There are no more neighbours; there is no more local memory.
        assert_eq!(sizes([2048, 7], 3, f32), ([1, 128, 16, 16], [5, 3]));
        let doubles = sizes([512, 512], 3, SampleType::F64);
        assert_eq!(doubles, ([1, 128, 16, 16], [1, 3]));
    }

    #[test]
    fn several_levels_of_lines_side_by_side_are_preferred_and_one_of_few() {
        let names = |shape: [usize; 2], levels| {
            let columns = Transform::new(Wavelet::CDF_9_7, shape).axes([0]);
            let launches = launches(
                &Setting::of(large_gpu()),
                &columns.levels(levels),
                SampleType::F32,
            );
            let kernels = launches.iter().map(|launch| launch.pass.kernel.name);
            kernels.collect::<Vec<_>>()
        };
        assert_eq!(names([512, 512], 1), ["register_columns"]);
        assert_eq!(names([512, 512], 4), [NAME]);
        assert_eq!(names([512, 7], 1), [NAME]);
        assert_eq!(names([2048, 512], 4), [NAME, "register_columns"]);
        // What is short goes otherwise.
        assert_eq!(names([15, 9000], 2), ["register_columns"; 2]);
    }

    #[test]
    fn short_mirrored_rows_that_end_with_a_run_stay_in_registers() {
        let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
        let runs = |transform: Transform, sample| {
            let launch = launches(&setting, &transform, sample).remove(0);
            let kernel = &launch.pass.kernel;
            kernel
                .file
                .contains("in_registers")
                .then(|| ["ROW_ITEMS", "RUN_PAIRS", "WIDE_LEVELS"].map(|name| number(kernel, name)))
        };
        let of = |samples, sample| runs(rows(samples, 5), sample);
        assert_eq!(of(256, SampleType::F32), Some([32, 4, 3]));
        assert_eq!(of(100, SampleType::F32), Some([32, 2, 2]));
        assert_eq!(of(512, SampleType::F16), Some([32, 8, 4]));
        assert_eq!(of(128, SampleType::F64), Some([32, 2, 2]));
        // An end within a run, another sub-group, another border, steps with more neighbours.
        assert_eq!(of(102, SampleType::F32), None);
        assert_eq!(of(264, SampleType::F32), None);
        let periodic = rows(256, 3).boundary(Boundary::Periodic);
        assert_eq!(runs(periodic, SampleType::F32), None);
        let far = Transform::new(Wavelet::VC2_DD_13_7, [9, 256]).axes([1]);
        assert_eq!(runs(far, SampleType::I16), None);
    }

    #[test]
    fn long_rows_go_in_tiles_with_a_halo() {
        let cut = |sample, levels| {
            let setting = Setting::of(large_gpu());
            let signal = Transform::new(Wavelet::CDF_5_3, [1 << 20]).levels(levels);
            let launches = launches(&setting, &signal, sample);
            let first = &launches[0];
            let tile = 2
                * number(&first.pass.kernel, "ROW_ITEMS")
                * number(&first.pass.kernel, "RUN_PAIRS");
            let [levels, halo, length] =
                ["levels", "halo", "tile_samples"].map(|name| own(first, name));
            assert!(length + 2 * halo <= tile as i32);
            (tile, levels, halo, launches.len())
        };
        // Level l reads one pair of 2^l samples on either side.
        assert_eq!(cut(SampleType::F32, 1), (2048, 1, 2, 1));
        assert_eq!(cut(SampleType::F32, 3), (2048, 3, 16, 1));
        assert_eq!(cut(SampleType::I16, 9), (2048, 5, 64, 2));
        assert_eq!(cut(SampleType::F64, 9), (1024, 4, 32, 3));
    }

    #[test]
    fn rows_of_many_levels_without_a_halo_go_in_tiles_too() {
        let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
        let signal = Transform::new(Wavelet::HAAR, [1 << 20]).levels(20);
        let launches = launches(&setting, &signal, SampleType::F32);
        let levels: Vec<_> = launches.iter().map(|one| own(one, "levels")).collect();
        assert_eq!(levels.iter().sum::<i32>(), 20, "{levels:?}");
        assert!(levels.len() <= 4, "{levels:?}");
    }

    #[test]
    fn runs_are_as_short_as_registers_are_few() {
        let pairs = |sample, boundary| {
            let setting = Setting::of(gpu(Exchange::Khr, 16));
            let launch = launches(&setting, &rows(2048, 3).boundary(boundary), sample).remove(0);
            assert_eq!(launch.strategy, Strategy::RegisterRows);
            number(&launch.pass.kernel, "RUN_PAIRS")
        };
        assert_eq!(pairs(SampleType::F32, Boundary::Symmetric), 8);
        assert_eq!(pairs(SampleType::F32, Boundary::Zero), 8);
        assert_eq!(pairs(SampleType::F64, Boundary::Symmetric), 4);
        assert_eq!(pairs(SampleType::F64, Boundary::Zero), 2);
    }

    #[test]
    fn levels_that_go_on_alike_are_taken_together() {
        let taken = |boundary, samples| {
            let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
            let transform = rows(samples, 3).boundary(boundary);
            let launches = launches(&setting, &transform, SampleType::F32);
            let levels = launches.iter().map(|launch| own(launch, "levels"));
            let restored = number(&launches[0].pass.kernel, "RESTORED") as i32;
            let kind = [own(&launches[0], "periodic"), restored];
            (levels.collect::<Vec<_>>(), kind)
        };
        assert_eq!(taken(Boundary::Symmetric, 99), (vec![3], [0, 0]));
        assert_eq!(taken(Boundary::Zero, 99), (vec![3], [0, 1]));
        assert_eq!(taken(Boundary::Periodic, 88), (vec![3], [1, 0]));
        // Pair by pair even rows repeat, and odd ones are zero beyond their border.
        let haar = Transform::new(Wavelet::HAAR, [100]).levels(4);
        let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
        let launches = launches(&setting, &haar.boundary(Boundary::Zero), SampleType::F32);
        let levels: Vec<_> = launches.iter().map(|one| own(one, "levels")).collect();
        assert_eq!(levels, [2, 2]);
    }

    #[test]
    fn work_groups_fit_local_memory_and_have_whole_sub_groups() {
        let group = |device: DeviceInfo, samples| {
            let setting = Setting::of(device).only(&[Strategy::RegisterRows]);
            let launch = launches(&setting, &rows(samples, 3), SampleType::F64).remove(0);
            let kernel = &launch.pass.kernel;
            let rows = number(kernel, "GROUP") / number(kernel, "ROW_ITEMS");
            let places = match kernel.name {
                NAME => rows * number(kernel, "ROW_PLACES"),
                _ => number(kernel, "GROUP"),
            };
            let local = 8 * places;
            assert!(local as u64 <= setting.device.local_memory, "{local}");
            ["GROUP", "LANES", "ROW_ITEMS"].map(|name| number(kernel, name))
        };
        assert_eq!(group(large_gpu(), 256), [128, 32, 16]);
        assert_eq!(group(gpu(Exchange::Khr, 64), 64), [128, 64, 16]);
        assert_eq!(group(DeviceInfo::imaginary(), 9), [128, 32, 32]);
        let small = DeviceInfo {
            max_work_group: 7,
            ..DeviceInfo::imaginary()
        };
        assert_eq!(group(small, 900), [4, 4, 4]);
    }

    #[test]
    fn rows_are_preferred_on_gpus_that_exchange() {
        let first = |device, samples| {
            let setting = Setting::of(device);
            launches(&setting, &rows(samples, 1), SampleType::F32)[0].strategy
        };
        assert_eq!(first(large_gpu(), 2), Strategy::RegisterRows);
        assert_eq!(first(DeviceInfo::imaginary(), 99), Strategy::SEPARABLE);
        let cpu = DeviceInfo {
            kind: DeviceKind::Cpu,
            ..large_gpu()
        };
        assert_eq!(first(cpu, 99), Strategy::Vectors);
    }

    #[test]
    fn there_is_room_for_the_details_of_all_narrow_levels() {
        let wide = Setting::of(gpu(Exchange::Khr, 32));
        let mut most = 0;
        for (samples, levels) in [(64, 6), (700, 10), (1500, 11)] {
            for (wavelet, sample) in [
                (Wavelet::CDF_5_3, SampleType::I16),
                (Wavelet::CDF_9_7, SampleType::F64),
            ] {
                let transform = Transform::new(wavelet, [9, samples]).axes([1]);
                let transform = transform.levels(levels).boundary(Boundary::Zero);
                for launch in launches(&wide, &transform, sample) {
                    let kernel = &launch.pass.kernel;
                    let narrow = own(&launch, "levels") as usize - number(kernel, "WIDE_LEVELS");
                    assert!(narrow <= number(kernel, "MOST_NARROW"), "{launch:?}");
                    most = most.max(narrow);
                }
            }
        }
        assert!(most > USUAL_NARROW, "{most}");
    }
}
