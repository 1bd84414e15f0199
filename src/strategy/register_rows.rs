//! One launch for several levels of rows: the work-items of a row bring it into local memory, and
//! lift it level by level (cl/register_rows/register_rows.cl). Rows that are too long go in tiles,
//! and their ends in work-groups of their own where they depend on each other. Short ones that
//! follow one another stay in registers (cl/register_rows/rows_in_registers.cl), those of a few
//! samples in a work-item's (cl/register_rows/short_rows.cl).

mod row;
mod share;

use self::row::{Ends, Row, RowKernel, SHORT_REACH, USUAL_NARROW};
pub(super) use self::share::TILE_SIDE_BY_SIDE;
use self::share::TOGETHER;
use super::planning::cost::{Cost, Meter};
use super::planning::design::{Define, Kernel, Pass, Slots, can_stream, define, loops_as_they_are};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::border::Border;
use super::shared::lines::{Lines, are_even, short_line};
use super::shared::pixels;
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::transform::geometry::{Geometry, Side};
use crate::wavelet::{Direction, SampleType};

pub(super) const TUNABLES: &[Tunable] = &[];

/// Rows of an inner batch that stand sample by sample beside one another, at most. On an NVIDIA
/// H200, one level along the middle axis of 1024 x 1024 x 2 takes 12 us, of 3 17, of 4 24, by
/// `register_columns` 23, 28 and 25; of 1024 x 512 x 5 21 and 19, of 8 44 and 15.
pub(super) const MOST_BESIDE: i64 = 4;

/// Samples of the shortest lines side by side that are best done in local memory: on the same card
/// three levels of 262144 lines of 16 took 20 and 25 us so, by a pass per level 28 and 31. (So many
/// are `register_lines`'.)
const LEAST_SIDE_BY_SIDE: usize = 16;

const NAME: &str = "register_rows";

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
    let device = todo.target.device;
    let is_best = is_best_for(device, todo.problem.sample, &lines);
    let border = Border::of_lines(todo, &lines);
    let row = match Row::new(todo, &lines, border, !in_turn) {
        Ok(row) => row,
        Err(why) => return Offer::No { why },
    };
    let is_short = row.kernel == RowKernel::Short && device.kind == DeviceKind::Gpu;
    let is_for_rows = in_turn || is_best_side_by_side(device, &row, &lines);
    let taken = Taken {
        levels: row.levels,
        axes: 1,
        passes: vec![row.pass(todo)],
    };
    match is_short || is_best && is_for_rows {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// On an NVIDIA H200, three levels of 2^20 rows of 16 take 137 us by runs in local memory, inverse
/// 165, by `separable` 427 and 340; one level of 2^22 samples in rows of 7 takes 17 and 14, by
/// `separable` 42 and 41, in rows of 3 29 and 32, and 35 both.
fn is_best_for(device: &DeviceInfo, sample: SampleType, lines: &Lines) -> bool {
    let reach = (lines.reach.before + lines.reach.after) * sample.size().div_ceil(4);
    let has_registers = can_stream(device) || reach <= SHORT_REACH;
    device.kind == DeviceKind::Gpu && device.exchange != Exchange::None && has_registers
}

/// How rows exchange values. Lines side by side exchange nothing; on NVIDIA's GPUs they have the
/// program of rows that do all the same. Elsewhere they have the other one: on long runs in that of
/// rows Intel's compiler for CPUs crashes.
fn exchange_among(device: &DeviceInfo, side_by_side: bool) -> Exchange {
    match device.exchange {
        Exchange::Ptx => Exchange::Ptx,
        _ if side_by_side => Exchange::None,
        other => other,
    }
}

/// Lines side by side are best done by `register_columns` a level at a time, unless they are few:
/// on an NVIDIA H100 one level of 7 lines of 599186 samples takes 16 us, by that one 26 (inverse
/// 23). Batches of few neighbours were not tried, nor other GPUs: of AMD's compute units local
/// memory holds one such work-group.
fn is_best_side_by_side(device: &DeviceInfo, row: &Row, lines: &Lines) -> bool {
    let is_long = lines.geometry.samples as usize >= LEAST_SIDE_BY_SIDE;
    let are_best = row.levels > 1 || (lines.geometry.lines as usize) < TOGETHER;
    device.exchange == Exchange::Ptx && is_long && lines.are_near() && are_best
}

/// Whether a work-item does best with a row by itself: one of a few samples, which a work-group
/// moves with those that follow it as one piece of memory, through all its levels. On an NVIDIA
/// H100, in f32 by 9/7, us forward and inverse:
///
/// | rows | here | in local memory |
/// |---|---|---|
/// | three levels of 599186 x 7, last axis | 13, 12 | 32, 36 |
/// | one level of them | 13, 12 | 19, 16 |
/// | one level of 1398101 x 3, last axis | 13, 14 | 31, 33 |
fn are_short(todo: &Todo, lines: &Lines) -> bool {
    lines.known_length().is_some() && follow_one_another(todo)
}

/// Whether rows follow one another in memory on both sides, by all their levels.
fn follow_one_another(todo: &Todo) -> bool {
    Lines::of_levels(todo, levels_of_rows(todo, None)).follow_one_another()
}

/// How many of the next levels have no other axis and go on beyond their border in the same way, if
/// only some ways will do. The level at hand is one of them even where it has more axes.
fn levels_of_rows(todo: &Todo, way: Option<Border>) -> usize {
    let axis = todo.axes()[0];
    let border = |level: usize| Border::new(todo, todo.levels[level].shape[axis] as i32);
    let alone = |level: usize| todo.levels[level].axes == [axis];
    let same = |level: &usize| alone(*level) && way.is_none_or(|way| border(*level) == Ok(way));
    let more = match todo.done == 0 && alone(0) {
        true => (1..todo.levels.len()).take_while(same).count(),
        false => 0,
    };
    1 + more
}

/// Neighbours that move as a vector of 16 bytes at most: so many of which rows are multiples.
fn moved_together(todo: &Todo, geometry: &Geometry) -> usize {
    let bytes = todo.signal_size().max(todo.problem.sample.size()) as i64;
    let starts = [
        geometry.samples.into(),
        geometry.signal.offset,
        geometry.bands.offset,
    ];
    let are_aligned = |count: &i64| starts.iter().all(|start| start % count == 0);
    let counts = [8, 4, 2].into_iter().filter(|count| count * bytes <= 16);
    counts.into_iter().find(are_aligned).unwrap_or(1) as usize
}

impl Row {
    /// The arguments of a kernel besides the geometry.
    fn own(&self, end_groups: usize) -> Vec<(&'static str, i32)> {
        let ends = self.ends.unwrap_or(Ends { samples: 0, gap: 0 });
        match self.kernel {
            RowKernel::Short => vec![("levels", self.levels as i32)],
            _ => vec![
                ("levels", self.levels as i32),
                ("tiles", self.tiles as i32),
                ("tile_samples", self.tile_samples as i32),
                ("halo", self.halo as i32),
                ("periodic", i32::from(self.border.is_periodic())),
                ("end_groups", end_groups as i32),
                ("end_samples", ends.samples as i32),
                ("gap", ends.gap as i32),
            ],
        }
    }

    fn pass(&self, todo: &Todo) -> Pass {
        let geometry = Lines::of_levels(todo, self.levels).geometry;
        let lines = geometry.lines as usize;
        let rows = self.rows_of_group();
        let end_groups = match self.ends {
            Some(_) => lines.div_ceil(rows),
            None => 0,
        };
        let of_tiles = match self.side_by_side {
            true => lines.div_ceil(rows) * self.tiles,
            false => (lines * self.tiles).div_ceil(rows),
        };
        Pass {
            kernel: Kernel {
                name: self.kernel.name(),
                file: self.kernel.file(),
                defines: self.defines(todo, &geometry),
                group: [self.group, 1],
            },
            slots: Slots::OF_TAKE,
            geometry,
            own: self.own(end_groups),
            groups: end_groups + of_tiles,
            cost: self.cost(todo, &geometry),
        }
    }

    /// Every level lifts whole runs, those in local memory with the reach around them.
    fn cost(&self, todo: &Todo, geometry: &Geometry) -> Cost {
        let (lines, samples) = (geometry.lines as usize, geometry.samples as usize);
        let meter = Meter::new(todo.problem, 1, todo.pre_shift()).with_signal(todo.signal_size());
        let halo = 2 * self.halo * (self.tiles - 1) * lines;
        // Whole rows, and all where work-items do not exchange; else of rows in tiles
        // their joined ends alone.
        let all_by_steps =
            self.by_steps() && (self.ends.is_none() || self.exchange == Exchange::None);
        let mut lifted = self.lifted(&meter, lines, self.tiles, samples, all_by_steps);
        let mut joined = 0;
        if let Some(ends) = self.ends {
            joined = samples - ends.gap;
            lifted = lifted + self.lifted(&meter, lines, 1, joined, true);
        }
        let alone = self.exchange == Exchange::None || self.items > self.lanes;
        // Where work-groups differ, those of tiles.
        let fences = match all_by_steps {
            true => 2 + 2 * todo.problem.stencils().len(),
            false => 3,
        };
        let waits = self.kernel == RowKernel::Local && (alone || self.side_by_side);
        let barriers = match self.moved_bytes {
            0 if waits => 1 + fences * self.levels,
            0 => 0,
            // Around all levels.
            _ => 2,
        };
        let local = self.local_bytes(self.group);
        // Approximations that have an array of their own go out with all others as well
        // (IN_ONE_PIECE in channel.cl).
        let in_one_piece =
            geometry.is_interleaved() && self.items * todo.problem.sample.size() >= 32;
        let forward = todo.problem.direction == Direction::Forward;
        let again = match forward && in_one_piece && geometry.has_low == 1 {
            true => (lines * samples) >> self.levels,
            false => 0,
        };
        meter.moved(lines * (samples + joined) + halo, lines * samples + again)
            + lifted
            + Cost::of_group(barriers, local)
    }

    /// What it takes to lift rows of so many samples, each in so many tiles.
    fn lifted(
        &self,
        meter: &Meter,
        lines: usize,
        tiles: usize,
        samples: usize,
        by_steps: bool,
    ) -> Cost {
        let halo = 2 * self.halo * (tiles - 1) * lines;
        let levels = (0..self.levels).map(|level| {
            let of_level = lines * samples.div_ceil(1 << level) + (halo >> level);
            let pairs = (self.pairs >> level).max(1);
            let runs = lines * tiles * samples.div_ceil(tiles << level).div_ceil(2 * pairs);
            let lifted = match self.kernel {
                RowKernel::Local if !by_steps => meter.lifted_alone(runs, pairs),
                RowKernel::Short => meter.lifted(lines * samples.div_ceil(2 << level)),
                _ => meter.lifted(runs * pairs),
            };
            meter.scaling(of_level, of_level) + lifted
        });
        levels.sum()
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        let in_one_piece = |side: &Side| side.line.stride == 1;
        let low = geometry.has_low == 0 || in_one_piece(&geometry.low);
        // Without exchange the general way stays under test, and programs are fewer.
        let special = self.exchange != Exchange::None;
        let even = special && are_even(geometry);
        let planar = special && in_one_piece(&geometry.bands) && low;
        let tiled = self.tiles > 1 || !special && !self.by_steps();
        let mut defines = vec![
            define("GROUP", self.group),
            define("EVEN_ROWS", u8::from(even)),
            define("INTERLEAVED", u8::from(geometry.is_interleaved())),
        ];
        if self.kernel != RowKernel::Short {
            defines.extend([
                define("ROW_ITEMS", self.items),
                define("RUN_PAIRS", self.pairs),
                define("WIDE_LEVELS", self.wide_levels()),
                define("NARROW", u8::from(self.narrow_levels() > 0)),
                define("EXCHANGE", self.exchange.number()),
                define("LANES", self.lanes),
            ]);
        }
        match self.kernel {
            RowKernel::Registers => defines.extend([
                define("RULE", geometry.boundary),
                define("MOVED_TOGETHER", moved_together(todo, geometry)),
            ]),
            RowKernel::Short => {
                defines.extend(short_line(geometry, geometry.samples as usize, self.levels))
            }
            RowKernel::Local => {
                let signal = special && geometry.signal.line.detail == 1;
                defines.extend([
                    define("SIDE_BY_SIDE", u8::from(self.side_by_side)),
                    define("TILED", u8::from(tiled)),
                    define("PLANAR", u8::from(planar)),
                    define("BY_STEPS", u8::from(self.by_steps())),
                    define("ROW_PLACES", self.places()),
                    define("MOST_NARROW", self.narrow_levels().max(USUAL_NARROW)),
                    define("SIGNAL_ROWS", u8::from(signal)),
                    define("RESTORED", u8::from(self.border.is_restored())),
                ]);
                if self.by_steps() {
                    defines.push(define("RULE", geometry.boundary));
                }
            }
        }
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

#[cfg(test)]
mod tests;
