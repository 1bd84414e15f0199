//! Row passes: cl/separable/row_pairs.cl and row_exchanged.cl, tile after tile (row_tiles.cl).

use super::{FOUR_PAIRS, filling, reduced};
use crate::strategy::RowPass;
use crate::strategy::design::{Kernel, Pass, define};
use crate::strategy::lines::Lines;
use crate::strategy::planner::Todo;
use crate::strategy::tuning::Tunable;

/// Kucis et al. take work-groups of 256.
pub(super) const ROWS_X: Tunable = Tunable {
    name: "ROWS_X",
    default: 32,
    candidates: &[16, 32, 64, 128],
    says: "work-items of a work-group along a row",
};
pub(super) const ROWS_Y: Tunable = Tunable {
    name: "ROWS_Y",
    default: 8,
    candidates: &[1, 2, 4, 8],
    says: "rows of a work-group",
};

/// What differs from one row pass to the other.
struct Method {
    kernel: &'static str,
    file: &'static str,
    /// Pairs of a tile that each work-item lifts.
    pairs_each: usize,
    /// After how many pairs a place of local memory is unused: neighbouring work-items lift pairs that are so far apart.
    pad_every: usize,
}

impl Method {
    fn of(rows: RowPass) -> Self {
        let (kernel, file, pairs_each, pad_every) = match rows {
            RowPass::FourPairs => (
                "row_pairs",
                "separable/row_pairs.cl",
                FOUR_PAIRS,
                FOUR_PAIRS,
            ),
            RowPass::OnePair | RowPass::Convolution => {
                ("row_pairs", "separable/row_pairs.cl", 1, 0)
            }
            RowPass::Exchanged => ("row_exchanged", "separable/row_exchanged.cl", FOUR_PAIRS, 0),
        };
        Method {
            kernel,
            file,
            pairs_each,
            pad_every,
        }
    }
}

pub(super) fn pass(todo: &Todo, lines: &Lines, rows: RowPass) -> Pass {
    let Lines {
        geometry, reach, ..
    } = lines;
    let Method {
        kernel,
        file,
        pairs_each,
        pad_every,
    } = Method::of(rows);
    let size = |tunable: Tunable| {
        let tuned = todo.target.size(rows.into(), todo.problem, &tunable);
        tuned.unwrap_or(tunable.default)
    };
    let pairs = |x: usize| reach.before + pairs_each * x + reach.after;
    let places = |x: usize| pairs(x) + pairs(x).checked_div(pad_every).unwrap_or(0);
    let bytes = todo.problem.sample.size();
    let local = |[x, y]: [usize; 2]| 2 * y * places(x) * bytes;
    let [x, y] = reduced([size(ROWS_X), size(ROWS_Y)], kernel, todo.target, local);

    let count = geometry.lines as usize;
    let inner = reach.inner(geometry.samples as usize);
    let (groups_of_rows, tiles) = (count.div_ceil(y), inner.len().div_ceil(pairs_each * x));
    let segments = filling(todo.target.device)
        .div_ceil(groups_of_rows)
        .clamp(1, tiles);
    let tiles_each = tiles.div_ceil(segments);
    let segments = tiles.div_ceil(tiles_each);
    let border_groups = count.div_ceil(x * y);
    Pass {
        kernel: Kernel {
            name: kernel,
            file,
            defines: vec![
                define("ROWS_X", x),
                define("ROWS_Y", y),
                define("PAIRS_LIFTED", pairs_each),
                define("TILE_PAIRS", pairs(x)),
                define("PAD_EVERY", pad_every),
                define("BORDER", reach.border()),
            ],
            group: [x, y],
        },
        geometry: *geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("segments", segments as i32),
            ("tiles_per_segment", tiles_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + segments * groups_of_rows,
    }
}
