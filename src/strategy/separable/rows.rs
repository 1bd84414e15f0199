//! Row passes: cl/separable/row_pairs.cl and row_exchanged.cl, tile after tile (row_tiles.cl).

use super::{FOUR_PAIRS, filling, in_registers, reduced};
use crate::strategy::RowPass;
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::{
    Kernel, Pass, Slots, define, long_loops_as_they_are, smallest_sub_groups,
};
use crate::strategy::planning::todo::Todo;
use crate::strategy::planning::tuning::Tunable;
use crate::strategy::shared::lines::Lines;

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
    /// Whether its kernel has taps in place of steps, where the kernel can do either.
    convolution: Option<bool>,
    /// After how many pairs a place of local memory is unused: neighbouring work-items lift
    /// pairs that are so far apart.
    pad_every: usize,
}

impl Method {
    fn of(rows: RowPass) -> Self {
        let in_registers = Method {
            kernel: "row_pairs",
            file: "separable/row_pairs.cl",
            pairs_each: 1,
            convolution: Some(false),
            pad_every: 0,
        };
        match rows {
            RowPass::FourPairs => Method {
                pairs_each: FOUR_PAIRS,
                pad_every: FOUR_PAIRS,
                ..in_registers
            },
            RowPass::OnePair => in_registers,
            RowPass::Convolution => Method {
                convolution: Some(true),
                ..in_registers
            },
            RowPass::Exchanged => Method {
                kernel: "row_exchanged",
                file: "separable/row_exchanged.cl",
                pairs_each: FOUR_PAIRS,
                convolution: None,
                ..in_registers
            },
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
        convolution,
        pad_every,
    } = Method::of(rows);
    let size = |tunable: Tunable| {
        let tuned = todo.target.size(rows.into(), todo.problem, &tunable);
        tuned.unwrap_or(tunable.default)
    };
    let pairs = |x: usize| reach.before + pairs_each * x + reach.after;
    let places = |x: usize| pairs(x) + pairs(x).checked_div(pad_every).unwrap_or(0);
    let bytes = todo.problem.sample.local_size();
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
    let (cost, barriers) = cost(todo, lines, tiles, [pairs_each, x], convolution);
    let mut defines = vec![
        define("ROWS_X", x),
        define("ROWS_Y", y),
        define("PAIRS_LIFTED", pairs_each),
        define("TILE_PAIRS", pairs(x)),
        define("PAD_EVERY", pad_every),
        define("BORDER", reach.border()),
    ];
    defines.extend(long_loops_as_they_are(todo.target.device, reach));
    if let Some(convolution) = convolution {
        defines.push(define("CONVOLUTION", u8::from(convolution)));
        defines.push(smallest_sub_groups(todo.target.device));
    }
    Pass {
        kernel: Kernel {
            name: kernel,
            file,
            defines,
            group: [x, y],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("segments", segments as i32),
            ("tiles_per_segment", tiles_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + segments * groups_of_rows,
        cost: cost + Cost::of_group(barriers * tiles_each, local([x, y])),
    }
}

/// What lines cost in so many tiles, each of so many pairs for each of `x` work-items;
/// and the barriers of a tile.
fn cost(
    todo: &Todo,
    lines: &Lines,
    tiles: usize,
    [pairs_each, x]: [usize; 2],
    convolution: Option<bool>,
) -> (Cost, usize) {
    let meter = Meter::new(todo.problem, 1, lines.geometry.shift);
    let all_tiles = lines.geometry.lines as usize * tiles;
    let (runs, barriers) = match convolution {
        Some(_) => ([all_tiles * x, pairs_each], 4),
        None => ([all_tiles, pairs_each * x], lines.reach.steps.len() + 2),
    };
    let convolution = convolution == Some(true);
    let cost = in_registers(&meter, lines, tiles, runs, convolution);
    (cost, barriers)
}
