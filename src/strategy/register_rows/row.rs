//! How a row, a tile of it or lines that stand side by side are dealt out to the
//! work-items of a work-group.

use super::super::planning::design::registers;
use super::super::planning::todo::Todo;
use super::super::shared::border::Border;
use super::super::shared::lines::Lines;
use super::share::{LEAST_RUN, Share, Way, prev_power_of_two};
use super::{NAME, are_short, follow_one_another, levels_of_rows};
use crate::device::Exchange;
use crate::lifting::extension::are_between;
use crate::lifting::reach::Reach;

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// Pairs of a run of 32-bit numbers that stays in registers: of those that leave the fewest
/// places of a sub-group empty the longest that takes no more than RUN_BYTES of memory for each
/// channel. On an NVIDIA H100, 2^22 samples in f32 by 9/7 in rows of 24 take 13.7 us by 4, 15.0
/// by 8; three levels in rows of 129 22.7, 16.6, and 16.4 by 16, of 256 15.3, 14.4 and 14.2;
/// five levels of 2^26 samples in i16 by 5/3 in rows of 256 154 us, 127 and 107 to 119, three
/// of rounded samples 125, 113 and 104. But by 16 a work-group has 17 KiB of local memory, of
/// which there are GPUs with 64.
const RUNS: [usize; 3] = [4, 8, 16];
const RUN_BYTES: usize = 32;

/// Registers that a work-item needs for each pair of such a run, and number of 32 bits: where it
/// has 64, compilers for Intel's GPUs put runs of 16 pairs in memory.
const REGISTERS_OF_RUN: usize = 5;

/// Samples of the longest row of 32-bit numbers in registers for each work-item of a sub-group. On
/// the same card, three levels of 2^22 samples in rows of 1001 take 15.0 us (inverse 13.6), in
/// local memory 13.6 and 14.5.
const LONGEST: usize = 16;

/// Pairs of reach on both sides, in words of 32 bits, with which the shortest runs fit
/// the registers of any GPU.
pub(super) const SHORT_REACH: usize = 8;

/// Places for the margins of a channel in local memory (ROW_MARGIN in cl/register_rows/places.cl),
/// of which the first that hold the reach are taken, and the reach that the last ones hold.
const MARGINS: [usize; 3] = [8, 16, 32];
const LONGEST_REACH: usize = MARGINS[2] / 2 - 1;

/// Levels in which work-items have a pair at most, for which there is room where they are fewer,
/// too: so programs are few.
pub(super) const USUAL_NARROW: usize = 8;

/// After how many places in local memory one is unused (PLACE_IN there).
const BANKS: usize = 32;

/// What lifts rows, by where they are meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKernel {
    /// Local memory, for each level.
    Local,
    /// The registers of several work-items, which exchange what others read, and
    /// local memory on the way.
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

/// Both ends of a row, joined to a short one.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// Samples of each end that are lifted there; as many more are joined, on which these depend.
    pub samples: usize,
    /// Samples that are left out between both.
    pub gap: usize,
}

/// How a row, or a tile of it, is dealt out.
pub(super) struct Row {
    pub reach: Reach,
    pub border: Border,
    pub levels: usize,
    /// Work-items of a row, a power of two but in registers, and pairs that each of them has in the
    /// first level, a power of two.
    pub items: usize,
    pub pairs: usize,
    /// How work-items of a sub-group exchange values; work-items in it, or in what takes
    /// its place; in a work-group.
    pub exchange: Exchange,
    pub lanes: usize,
    pub group: usize,
    /// Tiles of a row, samples from one to the next, and those before and after each.
    pub tiles: usize,
    pub tile_samples: usize,
    pub halo: usize,
    /// What lifts the ends of rows that are cut, where no tile has what they depend on.
    pub ends: Option<Ends>,
    pub bytes: usize,
    /// Whether neighbouring work-items have neighbouring rows.
    pub side_by_side: bool,
    /// The local memory of a short row that is moved with its neighbours; else 0.
    pub moved_bytes: usize,
    pub kernel: RowKernel,
}

/// Samples that so many levels depend on, on one side: level l on the reach in its
/// own pairs, of 2^l samples.
fn halo(reach: usize, levels: usize) -> usize {
    (reach * ((2 << levels) - 2)).next_multiple_of(1 << levels)
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
            row.levels = levels_of_rows(todo, None);
            (row.items, row.pairs) = (samples.div_ceil(2 * pairs), pairs);
        } else if are_short(todo, lines) {
            row.kernel = RowKernel::Short;
            row.levels = levels_of_rows(todo, None);
            // As it is loaded and as it is stored.
            row.moved_bytes = samples * (todo.signal_size() + todo.problem.sample.size());
            (row.items, row.pairs) = (1, samples.div_ceil(2).next_power_of_two());
        } else if samples > share.tile {
            row.cut(samples, share.tile, lines.geometry.is_interleaved())?;
        }
        row.group = row.work_group(todo, share.together)?;
        Ok(row)
    }

    /// Whether rows go step by step, with margins that are filled anew before each: of rows in
    /// tiles, their joined ends do.
    pub fn by_steps(&self) -> bool {
        self.kernel == RowKernel::Local && self.border.is_apart()
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
        let way = Way::new(todo, border, side_by_side)?;
        let share = Share::of(&way, lines, samples);
        let row = Row {
            reach: lines.reach.clone(),
            border,
            levels: levels_of_rows(todo, (!border.is_apart()).then_some(border)),
            items: share.items,
            pairs: share.pairs,
            exchange: way.exchange,
            lanes: way.lanes,
            group: 0,
            tiles: 1,
            tile_samples: samples,
            halo: 0,
            ends: None,
            bytes: way.bytes,
            side_by_side,
            moved_bytes: 0,
            kernel: RowKernel::Local,
        };
        Ok((row, share))
    }

    /// Work-items of a work-group: whole rows and whole sub-groups, as many as local memory holds.
    fn work_group(&self, todo: &Todo, together: usize) -> Result<usize, String> {
        let (unit, together) = match (self.kernel, self.exchange) {
            (RowKernel::Short, _) => (1, 1),
            (_, Exchange::None) => (self.items, together),
            _ => (self.lanes.max(self.items), together),
        };
        let most = todo.target.work_group(self.kernel.name());
        let sharing = self.sharing();
        let wanted = GROUP.min(most).max(sharing);
        let have = todo.target.device.local_memory;
        let fitting = have as usize / self.local_bytes(sharing).max(1);
        let rows = (wanted / sharing).max(together).min(fitting);
        // Neighbours side by side are loaded in whole pieces of memory.
        let rows = match self.side_by_side && rows > 0 {
            true => prev_power_of_two(rows),
            false => rows,
        };
        let group = rows * sharing / unit * unit;
        if group == 0 {
            let needed = self.local_bytes(unit);
            return Err(format!(
                "rows of {unit} work-items need {needed} bytes of local memory, there are {have}"
            ));
        }
        Ok(group)
    }

    /// Cuts rows into tiles, for as many levels as leave most of a tile to results.
    fn cut(&mut self, samples: usize, tile: usize, interleaved: bool) -> Result<(), String> {
        let reach = self.reach.before.max(self.reach.after);
        // On an NVIDIA H200 eight levels of a signal of 2^26 take 156 us (inverse 159) by four and
        // four, by five and three 169 (166). Without any reach the halo is none, but a tile still
        // has whole pairs of the coarsest level.
        let beside = |levels: usize| halo(reach, levels).max(1 << levels);
        // A launch of columns is as much worth as a longer halo, or one whose
        // coefficients are far apart.
        let share = if self.side_by_side || interleaved {
            16
        } else {
            32
        };
        let is_small = |levels: &usize| *levels == 1 || share * beside(*levels) <= tile;
        self.levels = (1..=self.levels).take_while(is_small).count();
        self.halo = halo(reach, self.levels);
        let unit = 1 << self.levels;
        let most = tile.saturating_sub(2 * self.halo) / unit * unit;
        if most == 0 {
            return Err(format!("tiles of {tile} samples are all halo"));
        }
        // All tiles but the outermost are as long as can be: those load without conditions.
        self.tile_samples = most;
        self.tiles = samples.div_ceil(most);
        if self.border.is_apart() {
            self.ends = Some(self.joined_ends(samples, tile)?);
        }
        Ok(())
    }

    fn joined_ends(&self, samples: usize, tile: usize) -> Result<Ends, String> {
        // The last pair of an odd line has no detail.
        let reach = self.reach.before.max(self.reach.after) + 1;
        let of_end = halo(reach, self.levels);
        let gap = samples.saturating_sub(4 * of_end) >> self.levels << self.levels;
        match samples - gap <= tile {
            true => Ok(Ends {
                samples: of_end,
                gap,
            }),
            false => Err(format!(
                "tiles of {tile} samples do not hold both ends of a row"
            )),
        }
    }

    /// The pairs of a run that stays in registers, where rows follow one another in memory and each
    /// step reads a neighbour on each side.
    fn in_registers(&self, todo: &Todo, samples: usize) -> Option<usize> {
        let name = RowKernel::Registers.name();
        let target = todo.target.of(name);
        let can = !self.side_by_side
            && samples >= 2 * LEAST_RUN
            && target.device.exchange == todo.target.device.exchange
            && target.device.exchange != Exchange::None
            && self.lanes <= target.work_group(name)
            && are_between(&todo.problem.stencils())
            && follow_one_another(todo);
        let words = self.bytes.div_ceil(4);
        let fits = |pairs: &usize| {
            samples <= (2 * pairs).min(LONGEST / words) * self.lanes
                && pairs * words * REGISTERS_OF_RUN <= registers(todo.target.device)
        };
        // Samples of a sub-group over pairs of a run, in sixteenths: how full its places are.
        let held = |pairs: usize| {
            let rows = self.lanes / samples.div_ceil(2 * pairs);
            rows * samples * 16 / pairs
        };
        let runs = RUNS.map(|pairs| pairs / words).into_iter();
        let runs = runs.filter(|pairs| can && fits(pairs));
        runs.max_by_key(|&pairs| (held(pairs), pairs * todo.problem.sample.size() <= RUN_BYTES))
    }

    /// Work-items that have places in local memory together: those of a row, or all of a sub-group.
    fn sharing(&self) -> usize {
        match self.kernel {
            RowKernel::Registers => self.lanes,
            _ => self.items,
        }
    }

    /// Rows of a work-group.
    pub fn rows_of_group(&self) -> usize {
        self.group / self.sharing() * (self.sharing() / self.items)
    }

    /// Levels in which runs have several pairs, or stay in registers; in all others
    /// work-items have one pair at most.
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

    /// Places of local memory for a row, or for all of a sub-group.
    pub fn places(&self) -> usize {
        match self.kernel {
            RowKernel::Local => {}
            // And for the ends of each row.
            RowKernel::Registers => {
                let samples = 2 * self.pairs * self.lanes;
                return samples + samples / BANKS + 2 * (self.lanes / self.items);
            }
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

    /// Bytes of local memory of so many work-items.
    pub fn local_bytes(&self, group: usize) -> usize {
        group / self.sharing() * (self.places() * self.bytes + self.moved_bytes)
    }
}
