//! How long a tile of a row is, and how many work-items and pairs of a run it takes.

use super::super::planning::design::{LANES_ALONE, registers};
use super::super::planning::todo::Todo;
use super::super::shared::border::Border;
use super::super::shared::lines::Lines;
use super::{NAME, exchange_among};
use crate::device::{DeviceInfo, Exchange};
use crate::lifting::reach::Reach;

/// Samples of four bytes of the longest row that goes as a whole, and of the tiles of longer ones.
const TILE: usize = 2048;

/// Of lines that stand side by side: how many of them a work-group has at least, samples of a tile,
/// and pairs of a run. On an NVIDIA H100, three levels along the first axis of 2048 x 2048 by 9/7
/// in f32 take 20 and 19 us, by runs of 8 pairs 22 and 21, of 4 31 and 34, by 8 lines of 512 or
/// 1024 samples 21 and 26, by 32 of 256 26 and 29; by a pass of `register_columns` per level 33 and
/// 39. In i16 by 5/3, 512 x 512 x 512 takes 370 and 348 us by 16 lines, 470 and 481 by 32.
pub(super) const TOGETHER: usize = 16;
pub(in crate::strategy) const TILE_SIDE_BY_SIDE: usize = 512;
const RUN_SIDE_BY_SIDE: usize = 16;
/// The lines where devices do not exchange, so that small work-groups have a tile of each.
const TOGETHER_ALONE: usize = 8;

/// Pairs of a run at least; less would be mostly reach.
pub(super) const LEAST_RUN: usize = 4;
const LONGEST_RUN: usize = 32;

/// Pairs of a run in local memory where a row or a tile has so many samples: more of them share the
/// reach, and fewer work-items move samples together. On an NVIDIA H200, 2^24 samples in f32 by 9/7
/// take, forward and inverse: as rows of 64 by 4 pairs 65 and 68 us, by 8 72 and 75; of 256 by 4 47
/// and 57, by 8 48 and 49; of 512 by 8 41 and 49, by 16 45 and 50; of 1024 by 8 59 and 78, by 16 40
/// and 46, by 32 52 and 52.
fn best_run(tile: usize) -> usize {
    (1 << (tile.ilog2() / 2)).max(2 * LEAST_RUN) / 2
}

/// Registers that a work-item needs for each pair of its run and of the reach, of 32 bits each, by
/// what compilers for Intel's GPUs put in memory with fewer (`make vendors`).
const REGISTERS_OF_PAIR: usize = 4;

/// How long a tile is at most, and its work-items and their runs: powers of two.
pub(super) struct Share {
    pub tile: usize,
    pub items: usize,
    pub pairs: usize,
    /// Neighbouring lines of a work-group at least.
    pub together: usize,
}

/// What it depends on besides the rows.
pub(super) struct Way<'a> {
    device: &'a DeviceInfo,
    /// How work-items of a sub-group exchange values; work-items in it, or in what takes its place,
    /// and in a work-group at most.
    pub exchange: Exchange,
    pub lanes: usize,
    most: usize,
    /// Of a sample in local memory.
    pub bytes: usize,
    restored: bool,
    by_steps: bool,
    side_by_side: bool,
}

impl<'a> Way<'a> {
    pub fn new(todo: &Todo<'a>, border: Border, side_by_side: bool) -> Result<Self, String> {
        let device = todo.target.device;
        let most = todo.target.work_group(NAME);
        let exchange = exchange_among(device, side_by_side);
        let lanes = match exchange {
            Exchange::None => LANES_ALONE.min(prev_power_of_two(most)),
            _ => device.lanes,
        };
        if lanes > most {
            return Err(format!("it needs work-groups of {lanes}"));
        }
        Ok(Way {
            device,
            exchange,
            lanes,
            most,
            bytes: todo.problem.sample.local_size(),
            restored: border.is_restored(),
            by_steps: border.is_apart(),
            side_by_side,
        })
    }

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
    pub fn of(way: &Way, lines: &Lines, samples: usize) -> Self {
        match way.side_by_side {
            true => Self::side_by_side(way, lines, samples),
            false => Self::of_rows(way, lines, samples),
        }
    }

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
            let tile = (2 * LEAST_RUN * LANES_ALONE).min(2 * LONGEST_RUN * way.lanes);
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
            let tile = (2 * LEAST_RUN * LANES_ALONE.min(most_items)).max(2 * LONGEST_RUN);
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

pub(super) fn prev_power_of_two(number: usize) -> usize {
    1 << number.ilog2()
}
