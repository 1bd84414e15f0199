//! A pass over memory per axis: cl/separable/row_four_pairs.cl along contiguous lines, column_four_pairs.cl along all
//! others, both with cl/core/border.cl for the ends of lines. On CPU devices the passes are those of vector_passes.rs.

use super::Strategy;
use super::design::{Kernel, Pass, Target, define};
use super::planner::{Offer, Taken, Todo};
use super::tuning::Tunable;
use super::{vector_passes, vectors};
use crate::device::{DeviceInfo, DeviceKind};
use crate::lifting::reach::Reach;
use crate::transform::geometry::{Geometry, Side};

pub(super) const TUNABLES: &[Tunable] = &[ROWS_X, ROWS_Y, vectors::VECTOR, vectors::CACHED];

/// Kucis et al. take work-groups of 256.
const ROWS_X: Tunable = Tunable {
    name: "ROWS_X",
    default: 32,
    candidates: &[16, 32, 64, 128],
    says: "work-items of a work-group along a row",
};
const ROWS_Y: Tunable = Tunable {
    name: "ROWS_Y",
    default: 8,
    candidates: &[1, 2, 4, 8],
    says: "rows of a work-group",
};

/// The columns and the work-items down a column that Kucis et al. found best.
const WINDOW: [usize; 2] = [32, 8];

/// Work-items in a work-group where each has a line.
const GROUP: usize = 64;

/// Pairs that one work-item lifts; `PAIRS_LIFTED` in cl/separable/four_pairs.cl.
const PAIRS: usize = 4;

/// One axis.
pub(super) fn offer(todo: &Todo) -> Offer {
    let axis = todo.axes()[0];
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary.number(),
        shift: todo.pre_shift(),
        ..todo.sides(1, 1).lines(axis)
    };
    let reach = Reach::new(&todo.problem.stencils());
    let contiguous = todo.levels[0].shape[axis + 1..]
        .iter()
        .all(|&samples| samples == 1);
    // The row pass counts places of a line in 32 bits: coefficients can be far apart where they stay in place.
    let by_rows = contiguous && sides(&geometry).all(|side| fits_32_bits(side, geometry.samples));
    let is_cpu = todo.target.device.kind == DeviceKind::Cpu;
    let in_vectors = is_cpu
        .then(|| vector_passes::vectors(todo.problem, todo.target))
        .flatten();
    let pass = match (in_vectors, by_rows) {
        (Some(vectors), true) => vector_passes::row_pass(&vectors, &reach, todo.target, geometry),
        (Some(vectors), false) => {
            vector_passes::column_pass(&vectors, &reach, todo.target, geometry)
        }
        (None, _) if reach.inner(geometry.samples as usize).is_empty() => {
            short_lines(todo, &reach, geometry)
        }
        (None, true) => row_pass(todo, &reach, geometry),
        (None, false) => column_pass(todo, &reach, geometry),
    };
    Offer::Preferred(Taken {
        levels: 1,
        axes: 1,
        passes: vec![pass],
    })
}

fn sides(geometry: &Geometry) -> impl Iterator<Item = &Side> {
    [&geometry.signal, &geometry.bands, &geometry.low].into_iter()
}

fn fits_32_bits(side: &Side, samples: i32) -> bool {
    let pairs = (i64::from(samples) + 1) / 2;
    side.line.stride.saturating_mul(pairs) <= i64::from(i32::MAX)
}

/// Work-groups that keep the whole device busy.
fn filling(device: &DeviceInfo) -> usize {
    let each = match device.kind {
        DeviceKind::Cpu => 4,
        DeviceKind::Gpu | DeviceKind::Accelerator => 32,
    };
    device.compute_units.max(1) * each
}

fn row_pass(todo: &Todo, reach: &Reach, geometry: Geometry) -> Pass {
    let size = |tunable: Tunable| {
        let tuned = todo
            .target
            .size(Strategy::Separable, todo.problem, &tunable);
        tuned.unwrap_or(tunable.default)
    };
    let bytes = todo.problem.sample.size();
    let pairs = |x: usize| reach.before + PAIRS * x + reach.after;
    // One unused place after every four.
    let local = |[x, y]: [usize; 2]| 2 * y * (pairs(x) + pairs(x) / 4) * bytes;
    let [x, y] = reduced(
        [size(ROWS_X), size(ROWS_Y)],
        "row_four_pairs",
        todo.target,
        local,
    );

    let lines = geometry.lines as usize;
    let inner = reach.inner(geometry.samples as usize);
    let (rows, tiles) = (lines.div_ceil(y), inner.len().div_ceil(PAIRS * x));
    let segments = filling(todo.target.device).div_ceil(rows).clamp(1, tiles);
    let tiles_each = tiles.div_ceil(segments);
    let segments = tiles.div_ceil(tiles_each);
    let border_groups = lines.div_ceil(x * y);
    Pass {
        kernel: Kernel {
            name: "row_four_pairs",
            file: "separable/row_four_pairs.cl",
            defines: vec![
                define("ROWS_X", x),
                define("ROWS_Y", y),
                define("TILE_PAIRS", pairs(x)),
                define("BORDER", reach.border()),
            ],
            group: [x, y],
        },
        geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("segments", segments as i32),
            ("tiles_per_segment", tiles_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + segments * rows,
    }
}

fn column_pass(todo: &Todo, reach: &Reach, geometry: Geometry) -> Pass {
    let bytes = todo.problem.sample.size();
    let pairs = |y: usize| reach.before + PAIRS * y + reach.after;
    let local = |[x, y]: [usize; 2]| 2 * x * pairs(y) * bytes;
    let [x, y] = reduced(WINDOW, "column_four_pairs", todo.target, local);

    let lines = geometry.lines as usize;
    let strips = lines.div_ceil(x);
    let inner = reach.inner(geometry.samples as usize);
    let positions = inner.len().div_ceil(PAIRS * y);
    let segments = filling(todo.target.device)
        .div_ceil(strips)
        .clamp(1, positions);
    let positions_each = positions.div_ceil(segments);
    let border_groups = lines.div_ceil(x * y);
    Pass {
        kernel: Kernel {
            name: "column_four_pairs",
            file: "separable/column_four_pairs.cl",
            defines: vec![
                define("COLUMNS", x),
                define("WINDOW_Y", y),
                define("WINDOW_PAIRS", pairs(y)),
                define("BORDER", reach.border()),
            ],
            group: [x, y],
        },
        geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("strips", strips as i32),
            ("positions_per_segment", positions_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + strips * positions.div_ceil(positions_each),
    }
}

/// Lines that are all border.
fn short_lines(todo: &Todo, reach: &Reach, geometry: Geometry) -> Pass {
    let group = GROUP.min(todo.target.work_group("short_lines"));
    Pass {
        kernel: Kernel {
            name: "short_lines",
            file: "separable/short_lines.cl",
            defines: vec![define("GROUP", group), define("BORDER", reach.border())],
            group: [group, 1],
        },
        geometry,
        own: vec![("unused", 0)],
        groups: (geometry.lines as usize).div_ceil(group),
    }
}

/// Halves a work-group, keeping x about four times y, until the device can run it.
fn reduced(
    mut size: [usize; 2],
    kernel: &str,
    target: &Target,
    local_bytes: impl Fn([usize; 2]) -> usize,
) -> [usize; 2] {
    let most = target.work_group(kernel);
    let fits = |size: [usize; 2]| {
        size[0] * size[1] <= most
            && size[1] <= target.device.max_work_items[1]
            && local_bytes(size) as u64 <= target.device.local_memory
    };
    while !fits(size) && size != [1, 1] {
        let narrower = size[0] > 4 * size[1] || size[1] == 1;
        size[usize::from(!narrower)] /= 2;
    }
    size
}
