//! The passes of `separable` on CPU devices: cl/row_vectors.cl and cl/column_vectors.cl.

use super::vectors::Vectors;
use super::{Kernel, Problem, Strategy, Target};
use crate::lifting::prelude;
use crate::lifting::schedule::Lags;
use crate::transform::geometry::Arguments;

/// Which vectors the passes of a problem work on; none where a step reaches over more than one, or a vector
/// of each kept row is more than local memory holds.
pub(super) fn vectors(problem: &Problem, target: &Target) -> Option<Vectors> {
    let stencils = prelude::stencils(
        &problem.transform.wavelet,
        problem.sample,
        problem.direction,
    );
    let y = Lags::new(&stencils);
    let vectors = Vectors::new(Strategy::Separable, problem, target, y);
    (vectors.hold(problem) && longest_row(&vectors, target) > 0).then_some(vectors)
}

/// Samples of the rows that the column pass keeps: long runs of memory, as long as all rows fit the nearest
/// cache.
fn longest_row(vectors: &Vectors, target: &Target) -> usize {
    let cached = target.device.local_memory.min(32 << 10) as usize;
    let row = cached / (2 * vectors.y.kept * vectors.bytes);
    row.min(1024) / vectors.samples * vectors.samples
}

/// Work-items for each compute unit, so that all end at about the same time.
fn wanted(target: &Target) -> usize {
    4 * target.device.compute_units.max(1)
}

/// `border` pairs at each end of a line are lifted apart.
pub(super) fn row_pass(
    vectors: &Vectors,
    target: &Target,
    arguments: Arguments,
    border: usize,
) -> (Kernel, Arguments, usize) {
    let lines = arguments.lines as usize;
    let lines_each = lines.div_ceil(wanted(target));
    let mut defines = vectors.defines(target);
    defines.push(("BORDER", border));
    let kernel = Kernel {
        name: "row_vectors",
        parts: &[
            "boundary.cl",
            "vectors.cl",
            "border.cl",
            "lanes.cl",
            "pairs.cl",
            "pipeline_x.cl",
            "row_vectors.cl",
        ],
        defines,
        group: [1, 1],
    };
    let arguments = Arguments {
        windows: lines_each as i32,
        ..arguments
    };
    (kernel, arguments, lines.div_ceil(lines_each))
}

/// `inner` pairs of each line, possibly none, are away from borders.
pub(super) fn column_pass(
    vectors: &Vectors,
    target: &Target,
    arguments: Arguments,
    inner: usize,
    border: usize,
) -> (Kernel, Arguments, usize) {
    let longest = longest_row(vectors, target);
    let [row, low] = [arguments.across[0], arguments.low[0]].map(|lines| lines as usize);
    let strips = low.div_ceil(longest) + (row - low).div_ceil(longest);
    let rows = arguments.lines as usize / row;
    let segments = wanted(target).div_ceil(strips * rows);
    let inner = inner.max(1);
    let pairs_each = inner.div_ceil(segments.clamp(1, inner.div_ceil(64)));
    let mut defines = vectors.defines(target);
    defines.extend([("ROW", longest), ("BORDER", border)]);
    let kernel = Kernel {
        name: "column_vectors",
        parts: &[
            "boundary.cl",
            "vectors.cl",
            "border.cl",
            "lanes.cl",
            "pipeline_y.cl",
            "column_vectors.cl",
        ],
        defines,
        group: [1, 1],
    };
    let arguments = Arguments {
        groups: strips as i32,
        windows: pairs_each as i32,
        ..arguments
    };
    (
        kernel,
        arguments,
        strips * rows * inner.div_ceil(pairs_each),
    )
}
