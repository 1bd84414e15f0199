//! Columns as rows: cl/separable/transpose.cl, the row pass of four pairs, and
//! cl/separable/transpose.cl back.

use super::{reduced, rows};
use crate::strategy::RowPass;
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::{Kernel, Pass, Slot, Slots, define};
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::lines::Lines;
use crate::transform::geometry::{Axis, Geometry, Side};
use crate::wavelet::Direction;

/// Places along and across a tile, and work-items across it.
const TILE: [usize; 2] = [32, 8];

/// Bytes of a `Line` in cl/core/pass.cl.
const LINE: usize = 32;

/// Transposed lines before they are lifted, in the order of the signal, and after, planar.
const SIGNAL: Slot = Slot::Temp(0);
const BANDS: Slot = Slot::Temp(1);

pub(super) fn passes(todo: &Todo, lines: &Lines) -> Vec<Pass> {
    let outer = lines.geometry;
    let in_order = Axis {
        stride: 2,
        detail: 1,
    };
    let planar = Axis {
        stride: 1,
        detail: i64::from(outer.samples + 1) / 2,
    };
    let (signal, bands) = (in_one_piece(&outer, in_order), in_one_piece(&outer, planar));
    let of_signal = Geometry {
        bands: signal,
        has_low: 0,
        ..outer
    };
    let of_bands = Geometry {
        signal: bands,
        ..outer
    };
    let rows = Lines {
        geometry: Geometry {
            signal,
            bands,
            has_low: 0,
            ..outer
        },
        reach: lines.reach.clone(),
        are_rows: true,
        apart: 1,
        near: true,
    };

    let forward = todo.problem.direction == Direction::Forward;
    let mut passes = vec![
        Pass {
            slots: Slots {
                signal: Slot::Signal,
                bands: SIGNAL,
                between: None,
            },
            ..transpose(todo, of_signal, forward, false)
        },
        Pass {
            slots: Slots {
                signal: SIGNAL,
                bands: BANDS,
                between: None,
            },
            ..rows::pass(todo, &rows, RowPass::FourPairs)
        },
        Pass {
            slots: Slots {
                signal: BANDS,
                bands: Slot::Bands,
                between: None,
            },
            ..transpose(todo, of_bands, !forward, true)
        },
    ];
    if !forward {
        passes.reverse();
    }
    passes
}

/// A dense array of these lines, one after the other.
fn in_one_piece(geometry: &Geometry, line: Axis) -> Side {
    let mut stride = i64::from(geometry.samples);
    let mut side = Side {
        line,
        ..Side::default()
    };
    for (i, axis) in side.across.iter_mut().enumerate() {
        let detail = i64::from(geometry.low_across[i]) * stride;
        *axis = Axis { stride, detail };
        stride *= i64::from(geometry.across[i]);
    }
    side
}

fn transpose(todo: &Todo, geometry: Geometry, from_columns: bool, planar: bool) -> Pass {
    let bytes = todo.problem.sample.size();
    let local = |[x, _]: [usize; 2]| x * (x + 1) * bytes + 2 * x * LINE;
    let [x, y] = reduced(TILE, "transpose", todo.target, local);
    let across = (geometry.lines as usize).div_ceil(x);
    let moved = geometry.lines as usize * geometry.samples as usize;
    Pass {
        kernel: Kernel {
            name: "transpose",
            file: "separable/transpose.cl",
            defines: vec![define("SIDE", x), define("WORK_Y", y)],
            group: [x, y],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![
            ("tiles_across", across as i32),
            ("from_columns", from_columns.into()),
            ("planar", planar.into()),
        ],
        groups: across * (geometry.samples as usize).div_ceil(x),
        cost: Meter::new(todo.problem, 1, 0).moved(moved, moved) + Cost::of_group(2, local([x, y])),
    }
}
