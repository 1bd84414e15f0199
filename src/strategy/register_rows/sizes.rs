//! How a row, a tile of it or lines that stand side by side are dealt out to the work-items of a work-group.

use super::super::border::Border;
use super::super::design::registers;
use super::super::lines::Lines;
use super::super::planner::Todo;
use super::{NAME, are_even, exchange_among, levels_of_rows};
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::lifting::extension::are_near;
use crate::lifting::reach::Reach;

/// Samples of four bytes of the longest row that goes as a whole, and of the tiles of longer ones.
const TILE: usize = 2048;

/// Of lines that stand side by side: how many of them a work-group has at least, samples of a tile, and pairs of a run. On an NVIDIA
/// H100, three levels along the first axis of 2048 x 2048 by 9/7 in f32 take 20 and 19 us, by runs of 8 pairs 22 and 21, of 4 31
/// and 34, by 8 lines of 512 or 1024 samples 21 and 26, by 32 of 256 26 and 29; by a pass of `register_columns` per level
/// 33 and 39. In i16 by 5/3, 512 x 512 x 512 takes 370 and 348 us by 16 lines, 470 and 481 by 32.
pub(super) const TOGETHER: usize = 16;
const TILE_SIDE_BY_SIDE: usize = 512;
const RUN_SIDE_BY_SIDE: usize = 16;
/// The lines where devices do not exchange, so that small work-groups have a tile of each.
const TOGETHER_ALONE: usize = 8;

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// Work-items that take the place of a sub-group where there is no exchange.
const LANES: usize = 32;

/// Samples in the longest vectors of `register_columns`, of four bytes.
const VECTOR: i64 = 4;

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
pub(super) const SHORT_REACH: usize = 8;

/// Places for the margins of a channel in local memory (MARGIN in cl/register_rows/level.cl), of which the first that hold the
/// reach are taken, and the reach that the last ones hold.
const MARGINS: [usize; 3] = [8, 16, 32];
const LONGEST_REACH: usize = MARGINS[2] / 2 - 1;

/// Levels in which work-items have a pair at most, for which there is room where they are fewer, too: so programs are few.
pub(super) const USUAL_NARROW: usize = 8;

/// After how many places in local memory one is unused (PLACE_IN there).
const BANKS: usize = 32;

fn prev_power_of_two(number: usize) -> usize {
    1 << number.ilog2()
}

/// What lifts rows, by where they are meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKernel {
    /// Local memory, for each level.
    Local,
    /// The registers of several work-items, which exchange what others read.
    Registers,
    /// Those of one work-item.
    Short,
}

impl RowKernel {
    pub fn name(self) -> &'static str {
        match self {
            RowKernel::Local => NAME,
            RowKernel::Registers => "rows_in_registers",
            RowKernel::Short => "short_rows",
        }
    }

    pub fn file(self) -> &'static str {
        match self {
            RowKernel::Local => "register_rows/register_rows.cl",
            RowKernel::Registers => "register_rows/rows_in_registers.cl",
            RowKernel::Short => "register_rows/short_rows.cl",
        }
    }
}

/// How a row, or a tile of it, is dealt out.
pub(super) struct Row {
    pub reach: Reach,
    pub border: Border,
    pub levels: usize,
    /// Work-items of a row, and pairs that each of them has in the first level: powers of two.
    pub items: usize,
    pub pairs: usize,
    /// How work-items of a sub-group exchange values; work-items in it, or in what takes its place; in a work-group.
    pub exchange: Exchange,
    pub lanes: usize,
    pub group: usize,
    /// Tiles of a row, samples from one to the next, and those before and after each.
    pub tiles: usize,
    pub tile_samples: usize,
    pub halo: usize,
    /// Samples that are left out between both ends of a row.
    pub gap: usize,
    pub bytes: usize,
    /// Whether neighbouring work-items have neighbouring rows.
    pub side_by_side: bool,
    pub kernel: RowKernel,
}

impl Row {
    /// The shares for a device, or why it cannot run them.
    pub fn new(
        todo: &Todo,
        lines: &Lines,
        border: Border,
        side_by_side: bool,
    ) -> Result<Self, String> {
        let samples = lines.geometry.samples as usize;
        let (mut row, share) = Self::whole(todo, lines, border, side_by_side, samples)?;
        if let Some(pairs) = row.in_registers(todo, samples) {
            row.kernel = RowKernel::Registers;
            row.pairs = pairs;
            row.items = (samples / 2 / pairs).next_power_of_two();
        } else if row.is_short(todo, lines) {
            row.kernel = RowKernel::Short;
            row.levels = levels_of_rows(todo, None);
            (row.items, row.pairs) = (1, samples.div_ceil(2).next_power_of_two());
        } else if samples > share.tile {
            row.cut(samples, share.tile, lines.geometry.is_interleaved())?;
        }
        row.group = row.work_group(todo, share.together)?;
        Ok(row)
    }

    /// Whether margins are filled anew before each step, from both ends of the row.
    pub fn by_steps(&self) -> bool {
        self.kernel == RowKernel::Local && self.tiles == 1 && self.border.is_apart()
    }

    /// What lifts the ends of rows that are cut, where no tile has what they depend on: both ends, joined to a short row.
    pub fn of_ends(&self, todo: &Todo, lines: &Lines) -> Result<Option<Self>, String> {
        match self.tiles > 1 && self.border.is_apart() {
            true => self.joined_ends(todo, lines).map(Some),
            false => Ok(None),
        }
    }

    fn joined_ends(&self, todo: &Todo, lines: &Lines) -> Result<Self, String> {
        let samples = lines.geometry.samples as usize;
        let gap = samples.saturating_sub(4 * self.halo) >> self.levels << self.levels;
        let joined = samples - gap;
        let (mut row, share) = Self::whole(todo, lines, self.border, self.side_by_side, joined)?;
        if joined > share.tile {
            return Err(format!(
                "tiles of {} samples do not hold both ends of a row",
                share.tile
            ));
        }
        row.levels = self.levels;
        row.tile_samples = samples;
        (row.halo, row.gap) = (self.halo, gap);
        row.group = row.work_group(todo, share.together)?;
        Ok(row)
    }

    /// A row of so many samples as a whole, before it is cut, and how it is shared out.
    fn whole(
        todo: &Todo,
        lines: &Lines,
        border: Border,
        side_by_side: bool,
        samples: usize,
    ) -> Result<(Self, Share), String> {
        let reach = lines.reach.before.max(lines.reach.after);
        if reach > LONGEST_REACH {
            return Err(format!("its margins hold no reach of {reach} pairs"));
        }
        let device = todo.target.device;
        let most = todo.target.work_group(NAME);
        let exchange = exchange_among(device, side_by_side);
        let way = Way {
            device,
            exchange,
            lanes: match exchange {
                Exchange::None => LANES.min(prev_power_of_two(most)),
                _ => device.lanes,
            },
            most,
            bytes: todo.problem.sample.local_size(),
            restored: border.is_restored(),
            by_steps: border.is_apart(),
        };
        if way.lanes > most {
            return Err(format!("it needs work-groups of {}", way.lanes));
        }
        let share = match side_by_side {
            true => Share::side_by_side(&way, lines, samples),
            false => Share::of_rows(&way, lines, samples),
        };
        let row = Row {
            reach: lines.reach.clone(),
            border,
            levels: levels_of_rows(todo, (!border.is_apart()).then_some(border)),
            items: share.items,
            pairs: share.pairs,
            exchange,
            lanes: way.lanes,
            group: 0,
            tiles: 1,
            tile_samples: samples,
            halo: 0,
            gap: 0,
            bytes: way.bytes,
            side_by_side,
            kernel: RowKernel::Local,
        };
        Ok((row, share))
    }

    /// Work-items of a work-group: whole rows and whole sub-groups, as many as local memory holds.
    fn work_group(&self, todo: &Todo, together: usize) -> Result<usize, String> {
        let most = todo.target.work_group(self.kernel.name());
        let wanted = GROUP.min(most).max(self.items);
        let have = todo.target.device.local_memory;
        let fitting = have as usize / self.local_bytes(1).max(1);
        let rows = (wanted / self.items).max(together).min(fitting);
        let rows = match self.kernel {
            RowKernel::Short => wanted,
            _ => rows,
        };
        // Neighbours side by side are loaded in whole pieces of memory.
        let rows = match self.side_by_side && rows > 0 {
            true => prev_power_of_two(rows),
            false => rows,
        };
        let unit = match self.exchange {
            _ if self.kernel == RowKernel::Short => 1,
            Exchange::None => self.items,
            _ => self.lanes.max(self.items),
        };
        let group = rows * self.items / unit * unit;
        if group == 0 {
            let needed = self.local_bytes(unit / self.items);
            return Err(format!(
                "rows of {unit} work-items need {needed} bytes of local memory, there are {have}"
            ));
        }
        Ok(group)
    }

    /// Cuts rows into tiles, for as many levels as leave most of a tile to results.
    fn cut(&mut self, samples: usize, tile: usize, interleaved: bool) -> Result<(), String> {
        // The last pair of an odd line has no detail.
        let reach = self.reach.before.max(self.reach.after) + usize::from(self.border.is_apart());
        // Level l depends on the reach in its own pairs, of 2^l samples.
        let halo = |levels: usize| (reach * ((2 << levels) - 2)).next_multiple_of(1 << levels);
        // On an NVIDIA H200 eight levels of a signal of 2^26 take 156 us (inverse 159) by four and four, by five and three 169 (166).
        // Without any reach the halo is none, but a tile still has whole pairs of the coarsest level.
        let beside = |levels: usize| halo(levels).max(1 << levels);
        // A launch of columns is as much worth as a longer halo, or one whose coefficients are far apart.
        let share = if self.side_by_side || interleaved {
            16
        } else {
            32
        };
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

    /// Whether a work-item does best with a row by itself: several levels, or what would fill half a tile at most, and where rows stand side
    /// by side what does not go by vectors. On an NVIDIA H100, in f32 by 9/7, three levels of 599186 x 7 along its last axis take 21 us
    /// (inverse 21), in local memory 32 (36), one level 20 (20) and 19 (16); one level of 1398101 x 3 13 (14) and 31 (33), of 3 x 1398101
    /// along its first 14 (14), by `register_columns` 25 (21), of 8 x 524288 27 (27) and 13 (13).
    fn is_short(&self, todo: &Todo, lines: &Lines) -> bool {
        let Some(samples) = lines.known_length() else {
            return false;
        };
        // Intel's compiler for GPUs keeps such rows in memory (`make vendors`), and AMD's GPUs were not tried.
        let device = todo.target.device;
        if device.kind == DeviceKind::Gpu && device.exchange != Exchange::Ptx {
            return false;
        }
        let alone = match self.side_by_side {
            true => lines.apart % VECTOR != 0,
            false => samples as usize <= LEAST_RUN,
        };
        alone || levels_of_rows(todo, None) > 1
    }

    /// The pairs of a run that stays in registers, where mirrored rows end with one, in a sub-group, and go by vectors. Of steps that
    /// are near, those that mirror rows read a neighbour on each side.
    fn in_registers(&self, todo: &Todo, samples: usize) -> Option<usize> {
        let geometry = Lines::of_levels(todo, self.levels).geometry;
        let name = RowKernel::Registers.name();
        let target = todo.target.of(name);
        let can = !self.side_by_side
            && target.device.exchange == todo.target.device.exchange
            && target.device.exchange != Exchange::None
            && self.lanes <= target.work_group(name)
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
        runs.find(|pairs| can && self.border == Border::Mirrored && is_whole(pairs))
    }

    /// Levels in which runs have several pairs, or stay in registers; in all others work-items have one pair at most.
    pub fn wide_levels(&self) -> usize {
        let stays = self.kernel == RowKernel::Registers;
        let wide = self.pairs.ilog2() as usize + usize::from(stays);
        self.levels.min(wide)
    }

    pub fn narrow_levels(&self) -> usize {
        self.levels - self.wide_levels()
    }

    fn tile(&self) -> usize {
        2 * self.pairs * self.items
    }

    /// Places of local memory for a row.
    pub fn places(&self) -> usize {
        match self.kernel {
            RowKernel::Local => {}
            RowKernel::Registers => return self.items,
            RowKernel::Short => return 0,
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

    pub fn local_bytes(&self, rows: usize) -> usize {
        rows * self.places() * self.bytes
    }
}

/// How long a tile is at most, and its work-items and their runs: powers of two.
struct Share {
    tile: usize,
    items: usize,
    pairs: usize,
    /// Neighbouring lines of a work-group at least.
    together: usize,
}

/// What it depends on besides the rows.
struct Way<'a> {
    device: &'a DeviceInfo,
    exchange: Exchange,
    /// Work-items in a sub-group, or in what takes its place, and in a work-group at most.
    lanes: usize,
    most: usize,
    bytes: usize,
    restored: bool,
    by_steps: bool,
}

impl Way<'_> {
    fn is_alone(&self) -> bool {
        self.exchange == Exchange::None
    }

    /// Pairs of the longest run whose reach a work-item has the registers for.
    fn longest_run(&self, reach: &Reach) -> usize {
        let words = self.bytes.div_ceil(4);
        // To set doubles beyond a border anew takes two more.
        let [more, least] = match self.restored {
            true => [2 * (words - 1), LEAST_RUN / words],
            false => [0, LEAST_RUN],
        };
        // Step by step a run is held twice.
        let of_pair = REGISTERS_OF_PAIR * words * if self.by_steps { 2 } else { 1 };
        let fitting = registers(self.device) / (of_pair + more);
        let fitting = fitting.saturating_sub(reach.before + reach.after);
        prev_power_of_two(fitting.max(least))
    }
}

impl Share {
    /// A tile holds whole runs of so many pairs at best, as many as there are work-items for.
    fn new(tile: usize, best: usize, most_items: usize, together: usize) -> Self {
        let shortest = tile / 2 / most_items;
        let pairs = best.max(shortest).min(tile / 2);
        Share {
            tile,
            items: tile / 2 / pairs,
            pairs,
            together,
        }
    }

    fn of_rows(way: &Way, lines: &Lines, samples: usize) -> Self {
        let longest_run = way.longest_run(&lines.reach);
        let most_items = prev_power_of_two(way.most);
        if way.is_alone() {
            // Programs for rows of all lengths; compilers for CPUs take long over long runs.
            let tile = (2 * LEAST_RUN * LANES).min(2 * LONGEST_RUN * way.lanes);
            return Share::new(tile, LEAST_RUN.min(longest_run), most_items, 1);
        }
        let longest = (TILE * 4 / way.bytes.max(4)).min(2 * LONGEST_RUN * most_items);
        let tile = tile_of(samples, longest);
        Share::new(tile, best_run(tile).min(longest_run), most_items, 1)
    }

    fn side_by_side(way: &Way, lines: &Lines, samples: usize) -> Self {
        let longest_run = way.longest_run(&lines.reach);
        let neighbours = match way.is_alone() {
            true => TOGETHER_ALONE,
            false => TOGETHER.min((lines.geometry.lines as usize).next_power_of_two()),
        };
        // A line has at least sixteen work-items, or tiles would be all halo.
        let most = prev_power_of_two(way.most);
        let together = neighbours.min((most / 16).max(1));
        let most_items = most / together;
        if way.is_alone() {
            // Small work-groups have longer runs, so that a tile holds both ends of a line.
            let tile = (2 * LEAST_RUN * LANES.min(most_items)).max(2 * LONGEST_RUN);
            return Share::new(tile, LEAST_RUN.min(longest_run), most_items, together);
        }
        let best = RUN_SIDE_BY_SIDE.min(longest_run);
        let tile = tile_of(samples, TILE_SIDE_BY_SIDE.min(2 * best * most_items));
        Share::new(tile, best, most_items, together)
    }
}

/// Samples of a tile: all of a short row.
fn tile_of(samples: usize, longest: usize) -> usize {
    let longest = longest.max(2 * LEAST_RUN);
    samples.next_power_of_two().clamp(2 * LEAST_RUN, longest)
}
