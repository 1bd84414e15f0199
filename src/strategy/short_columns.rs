//! Short lines that stand side by side, through all their levels in the registers of CPUs
//! (cl/vectors/short_columns.cl).

use super::planning::cost::Meter;
use super::planning::design::{Kernel, Pass, Slots, define};
use super::planning::planner::Taken;
use super::planning::todo::Todo;
use super::shared::cpu::{CACHE_LINE, Vectors, stored_size, wanted};
use super::shared::lines::{Lines, levels_alone};
use super::shared::pixels;
use crate::transform::geometry::{Geometry, Side};

/// Samples of the longest lines that go by several levels, and by one, whose vectors must then be
/// whole lines of the caches. In ms, forward, five levels and one, and otherwise, in f32 by 9/7 (PoCL
/// 3.1, two cores of Zen 4):
///
/// | lines | five levels | otherwise | one | otherwise |
/// |---|---|---|---|---|
/// | 16 x 512 x 512 | 1.0 | 3.3 | 0.6 | 1.8 |
/// | 48 x 256 x 384 | 1.5 | 3.4 | 1.0 | 1.6 |
/// | 64 x 252 x 260 | 1.9 | 3.0 | 1.3 | 1.2 |
/// | 100 x 200 x 208 | 1.6 | 2.7 | 0.9 | 1.1 |
/// | i16 by 5/3, 16 x 512 x 512 | 1.0 | 1.2 | 1.0 | 0.6 |
const LONGEST: usize = 128;
const LONGEST_ONCE: usize = 48;

/// Neighbours of a work-item at most.
const STRIP: usize = 1024;

/// The next axis, where it is short, through all levels that have no other.
pub(super) fn taken(todo: &Todo, vectors: &Vectors) -> Option<Taken> {
    let levels = levels_alone(todo, &todo.axes()[..1]);
    let lines = Lines::of_levels(todo, levels);
    let geometry = lines.geometry;
    let longest = match levels {
        1 if are_lines(todo, vectors) => LONGEST_ONCE,
        1 => 0,
        _ => LONGEST,
    };
    let is_short = lines.are_many() && geometry.samples as usize <= longest;
    (is_short && are_dense(&geometry, vectors.samples)).then(|| Taken {
        levels,
        axes: 1,
        passes: vec![pass(todo, vectors, geometry, levels)],
    })
}

/// Whether vectors are whole lines of the caches. Where they are halves, and rows far apart that have
/// the same places in a cache, the other half may be gone before its turn.
pub(super) fn are_lines(todo: &Todo, vectors: &Vectors) -> bool {
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
    let strip = each.next_multiple_of(vectors.samples).min(STRIP);
    let strips = low.div_ceil(strip) + (row - low).div_ceil(strip);
    let mut defines = vectors.defines();
    defines.extend([
        define("JOINED_SAMPLES", samples),
        // What core/border.cl has room for: as many pairs as there are, half of them at each end.
        define("BORDER", samples.div_ceil(4)),
        define("LEVELS", levels),
        define("RULE", geometry.boundary),
    ]);
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
