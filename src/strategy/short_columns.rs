//! Short lines that stand side by side, through all their levels in the registers of CPUs
//! (cl/vectors/short_columns.cl).

use super::planning::cost::Meter;
use super::planning::design::{Kernel, Pass, Slots};
use super::planning::planner::Taken;
use super::planning::todo::Todo;
use super::shared::cpu::{CACHE_LINE, Vectors, stored_size, wanted};
use super::shared::lines::{Lines, levels_alone, short_line};
use super::shared::pixels;
use crate::transform::geometry::{Geometry, Side};

/// Numbers of four bytes of the longest lines by several levels, and by one. In us, one level and
/// three, forward, and otherwise (PoCL 3.1, one core of Zen 4):
///
/// | lines | one | otherwise | three | otherwise |
/// |---|---|---|---|---|
/// | f32 by 9/7, 20 x 250 x 250 | 140 | 490 | 470 | 930 |
/// | 48 x 300 x 256 | 1390 | 2260 | 2450 | 5350 |
/// | 100 x 50 x 128 | 227 | 244 | 344 | 436 |
/// | f64, 32 x 200 x 256 | 1050 | 2130 | 1830 | 4670 |
/// | i16 by 5/3, 20 x 250 x 250 | 126 | 360 | 425 | 627 |
/// | 100 x 101 x 64 | 86 | 145 | 267 | 284 |
const LONGEST: usize = 128;
const LONGEST_ONCE: usize = 96;

/// Neighbours in a line that are so far apart have the same place in the second cache, or in the
/// nearest. Of those of the second, lines that it does not hold wait for memory: 48 x 256 x 256 in f32
/// takes 1.6 times as long as by the column pass, 32 x 256 x 256 0.6 times. Of those of the nearest,
/// vectors of half a line of the caches come twice for each: 20 x 128 x 128 in i16 takes 1.3 times as
/// long by three levels, 100 x 64 x 64 1.4 by one.
const SECOND_CACHE: usize = 128 << 10;
const NEAREST_CACHE: usize = 4 << 10;
const LONGEST_IN_SECOND: usize = 32;

/// Neighbours of a work-item at most.
const STRIP: usize = 1024;

/// The next axis, where it is short, through all levels that have no other.
pub(super) fn taken(todo: &Todo, vectors: &Vectors) -> Option<Taken> {
    let levels = levels_alone(todo, &todo.axes()[..1]);
    let lines = Lines::of_levels(todo, levels);
    let geometry = lines.geometry;
    let apart = lines.apart as usize * todo.signal_size();
    let words = vectors.bytes / 4;
    let longest = match levels {
        _ if !are_lines(todo, vectors) && apart.is_multiple_of(NEAREST_CACHE) => 0,
        _ if apart.is_multiple_of(SECOND_CACHE) => LONGEST_IN_SECOND,
        1 => LONGEST_ONCE / words,
        _ => LONGEST / words,
    };
    let is_short = lines.are_many() && geometry.samples as usize <= longest;
    (is_short && are_dense(&geometry, vectors.samples)).then(|| Taken {
        levels,
        axes: 1,
        passes: vec![pass(todo, vectors, geometry, levels)],
    })
}

/// Whether vectors of results are whole lines of the caches.
fn are_lines(todo: &Todo, vectors: &Vectors) -> bool {
    vectors.samples * stored_size(todo) >= CACHE_LINE
}

/// Whether neighbours are neighbours in memory, low-pass and not, and each are a vector at least.
fn are_dense(geometry: &Geometry, vector: usize) -> bool {
    let [row, low] = [geometry.across[0], geometry.low_across[0]].map(|lines| lines as usize);
    let is_dense = |side: &Side| side.across[0].stride == 1;
    let Geometry { signal, bands, .. } = geometry;
    [low, row - low]
        .iter()
        .all(|&lines| lines == 0 || lines >= vector)
        && [signal, bands].into_iter().all(is_dense)
        && (geometry.has_low == 0 || is_dense(&geometry.low))
}

fn pass(todo: &Todo, vectors: &Vectors, geometry: Geometry, levels: usize) -> Pass {
    let [samples, lines, row, low] = [
        geometry.samples,
        geometry.lines,
        geometry.across[0],
        geometry.low_across[0],
    ]
    .map(|number| number as usize);
    let rows = lines / row;
    let each = row.div_ceil(wanted(todo.target).div_ceil(rows));
    let each = each.next_multiple_of(vectors.samples).min(STRIP);
    // The last strip, too, has a vector at least.
    let fits = |strip: &usize| {
        [low, row - low]
            .iter()
            .all(|&lines| lines <= *strip || (lines - 1) % strip + 1 >= vectors.samples)
    };
    let mut strips = (each..).step_by(vectors.samples);
    let strip = strips.find(fits).expect("one that has all lines");
    let strips = low.div_ceil(strip) + (row - low).div_ceil(strip);
    let mut defines = vectors
        .past_the_caches_if(are_lines(todo, vectors))
        .defines();
    defines.extend(short_line(&geometry, samples, levels));
    defines.extend(pixels::defines(todo.pixels()));
    let meter = Meter::new(todo.problem, 1, geometry.shift).with_signal(todo.signal_size());
    let of_level = |level: usize| {
        let samples = samples.div_ceil(1 << level);
        meter.scaling(lines * samples, lines * samples) + meter.lifted(lines * samples.div_ceil(2))
    };
    Pass {
        kernel: Kernel {
            name: "short_columns",
            file: "vectors/short_columns.cl",
            defines,
            group: [1, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![
            ("strips", strips as i32),
            ("strip", strip as i32),
            ("levels", levels as i32),
            ("interleaved", i32::from(geometry.is_interleaved())),
        ],
        groups: strips * rows,
        cost: meter.moved(lines * samples, lines * samples) + (0..levels).map(of_level).sum(),
    }
}
