//! The passes of `separable` on CPU devices: cl/vectors/row_vectors.cl and cl/vectors/column_vectors.cl.

use super::Strategy;
use super::design::{Kernel, Pass, Problem, Target, define};
use super::vectors::Vectors;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::transform::geometry::Geometry;

/// Pairs of rows in a segment of columns, at least.
const SEGMENT: usize = 64;

/// Bytes of the nearest cache, which should hold all rows that the column pass keeps.
const NEAREST_CACHE: u64 = 32 << 10;

/// Which vectors the passes of a problem work on; none where a step reaches over more than one, or a vector of each kept
/// row is more than local memory holds.
pub(super) fn vectors(problem: &Problem, target: &Target) -> Option<Vectors> {
    let y = Lags::new(&problem.stencils());
    let vectors = Vectors::new(Strategy::Separable, problem, target, y);
    (vectors.hold(problem) && longest_row(&vectors, target) > 0).then_some(vectors)
}

/// Numbers of a row that the column pass keeps: long runs of memory, as long as all rows fit the nearest cache.
fn longest_row(vectors: &Vectors, target: &Target) -> usize {
    let cached = target.device.local_memory.min(NEAREST_CACHE) as usize;
    let row = cached / (2 * vectors.y.kept * vectors.bytes);
    row.min(1024) / vectors.samples * vectors.samples
}

/// Work-items for each compute unit, so that all end at about the same time.
fn wanted(target: &Target) -> usize {
    4 * target.device.compute_units.max(1)
}

pub(super) fn row_pass(
    vectors: &Vectors,
    reach: &Reach,
    target: &Target,
    geometry: Geometry,
) -> Pass {
    let lines = geometry.lines as usize;
    let lines_each = lines.div_ceil(wanted(target));
    let mut defines = vectors.defines();
    defines.extend(vectors.pipeline_x());
    defines.push(define("BORDER", reach.border()));
    Pass {
        kernel: Kernel {
            name: "row_vectors",
            file: "vectors/row_vectors.cl",
            defines,
            group: [1, 1],
        },
        geometry,
        own: vec![("lines_per_group", lines_each as i32)],
        groups: lines.div_ceil(lines_each),
    }
}

pub(super) fn column_pass(
    vectors: &Vectors,
    reach: &Reach,
    target: &Target,
    geometry: Geometry,
) -> Pass {
    let longest = longest_row(vectors, target);
    let [row, low] = [geometry.across[0], geometry.low_across[0]].map(|lines| lines as usize);
    let strips = low.div_ceil(longest) + (row - low).div_ceil(longest);
    let rows = geometry.lines as usize / row;
    let segments = wanted(target).div_ceil(strips * rows);
    let inner = reach.inner(geometry.samples as usize).len().max(1);
    let pairs_each = inner.div_ceil(segments.clamp(1, inner.div_ceil(SEGMENT)));
    let mut defines = vectors.defines();
    defines.extend(vectors.pipeline_y(longest));
    defines.push(define("BORDER", reach.border()));
    Pass {
        kernel: Kernel {
            name: "column_vectors",
            file: "vectors/column_vectors.cl",
            defines,
            group: [1, 1],
        },
        geometry,
        own: vec![
            ("strips", strips as i32),
            ("pairs_per_segment", pairs_each as i32),
        ],
        groups: strips * rows * inner.div_ceil(pairs_each),
    }
}
