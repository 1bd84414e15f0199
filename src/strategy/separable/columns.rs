//! Column passes that slide a window down strips of columns: cl/separable/column_pairs.cl
//! and column_exchanged.cl.

use super::{FOUR_PAIRS, filling, in_registers, reduced};
use crate::lifting::schedule::Lags;
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::{
    Kernel, Pass, Slots, define, long_loops_as_they_are, smallest_sub_groups,
};
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::lines::Lines;

/// The columns and the work-items down a column that Kucis et al. found best, and
/// van der Laan et al. have.
const WINDOW: [usize; 2] = [32, 8];

/// How many pairs a segment of `exchanged` has at least, so that it does not re-read too much.
const SEGMENT: usize = 64;

/// Four pairs of each work-item by lifting, or one by convolution.
pub(super) fn pairs(todo: &Todo, lines: &Lines, convolution: bool) -> Pass {
    let pairs_each = if convolution { 1 } else { FOUR_PAIRS };
    let Lines {
        geometry, reach, ..
    } = lines;
    let bytes = todo.problem.sample.local_size();
    let pairs = |y: usize| reach.before + pairs_each * y + reach.after;
    let local = |[x, y]: [usize; 2]| 2 * x * pairs(y) * bytes;
    let [x, y] = reduced(WINDOW, "column_pairs", todo.target, local);

    let count = geometry.lines as usize;
    let strips = count.div_ceil(x);
    let inner = reach.inner(geometry.samples as usize);
    let positions = inner.len().div_ceil(pairs_each * y);
    let segments = filling(todo.target.device)
        .div_ceil(strips)
        .clamp(1, positions);
    let positions_each = positions.div_ceil(segments);
    let segments = positions.div_ceil(positions_each);
    let border_groups = count.div_ceil(x * y);
    let meter = Meter::new(todo.problem, 1, geometry.shift);
    let runs = [count * positions * y, pairs_each];
    let mut defines = vec![
        define("COLUMNS", x),
        define("ITEMS_Y", y),
        define("PAIRS_LIFTED", pairs_each),
        define("CONVOLUTION", u8::from(convolution)),
        smallest_sub_groups(todo.target.device),
        define("WINDOW_PAIRS", pairs(y)),
        define("BORDER", reach.border()),
    ];
    defines.extend(long_loops_as_they_are(todo.target.device, reach));
    Pass {
        kernel: Kernel {
            name: "column_pairs",
            file: "separable/column_pairs.cl",
            defines,
            group: [x, y],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("strips", strips as i32),
            ("positions_per_segment", positions_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + strips * segments,
        cost: in_registers(&meter, lines, segments, runs, convolution)
            + Cost::of_group(2 * positions_each, local([x, y])),
    }
}

pub(super) fn exchanged(todo: &Todo, lines: &Lines) -> Pass {
    let Lines {
        geometry, reach, ..
    } = lines;
    let lags = Lags::new(&todo.problem.stencils());
    let bytes = todo.problem.sample.local_size();
    // Of each channel the new rows, and those between the first and the
    // last step that touches them.
    let rows = |channel: usize, y: usize| y + lags.oldest[channel] - lags.newest[channel];
    let local = |[x, y]: [usize; 2]| x * (rows(0, y) + rows(1, y)) * bytes;
    let [x, y] = reduced(WINDOW, "column_exchanged", todo.target, local);

    let count = geometry.lines as usize;
    let strips = count.div_ceil(x);
    let inner = reach.inner(geometry.samples as usize);
    let segments = filling(todo.target.device)
        .div_ceil(strips)
        .clamp(1, inner.len().div_ceil(SEGMENT));
    // Before the first results of a segment the reach is read, and the last ones are done
    // when newer pairs are there.
    let around = reach.before + lags.last;
    let positions = (inner.len().div_ceil(segments) + around).div_ceil(y);
    let pairs_each = positions * y - around;
    let segments = inner.len().div_ceil(pairs_each);
    let border_groups = count.div_ceil(x * y);
    let meter = Meter::new(todo.problem, 1, geometry.shift);
    // Every row that is loaded is lifted.
    let rows_lifted = count * (inner.len() + segments * around);
    let barriers = 1 + positions * (lags.steps.len() + 2);
    Pass {
        kernel: Kernel {
            name: "column_exchanged",
            file: "separable/column_exchanged.cl",
            defines: vec![
                define("COLUMNS", x),
                define("ITEMS_Y", y),
                define("WINDOW_s", rows(0, y)),
                define("WINDOW_d", rows(1, y)),
                define("NEWEST_s", lags.newest[0]),
                define("NEWEST_d", lags.newest[1]),
                define("BORDER", reach.border()),
            ],
            group: [x, y],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("strips", strips as i32),
            ("positions_per_segment", positions as i32),
            ("pairs_per_segment", pairs_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + strips * segments,
        cost: meter.scaled(2 * rows_lifted, 2 * count * inner.len())
            + meter.lifted(rows_lifted)
            + meter.borders(geometry, reach)
            + Cost::of_group(barriers, local([x, y])),
    }
}
