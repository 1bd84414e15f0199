//! One launch per lifting step, in place in global memory (cl/stepwise.cl).

use super::{Array, Design, Kernel, Pass, Problem, Target, move_lines};
use crate::lifting::prelude;
use crate::strategy::tuning::Tiles;
use crate::transform::Layout;
use crate::transform::geometry::{Arguments, Order, View, lines};
use crate::wavelet::{Direction, Scale};

/// A launch of one of the kernels of cl/stepwise.cl, a work-item for each pair of each line.
pub(super) fn pass(
    name: &'static str,
    from: Array,
    to: Array,
    arguments: Arguments,
    group: usize,
) -> Pass {
    let pairs = (arguments.samples as usize).div_ceil(2);
    Pass {
        kernel: Kernel {
            name,
            parts: &["boundary.cl", "stepwise.cl"],
            defines: vec![("GROUP", group)],
            group: [group, 1],
        },
        from,
        to,
        corner: None,
        arguments,
        groups: (pairs * arguments.lines as usize).div_ceil(group),
    }
}

/// A transform without any level: the output is the input.
pub(super) fn copy_only(problem: &Problem, target: &Target) -> Design {
    let whole = View::dense(&problem.transform.shape);
    let last = whole.shape.len() - 1;
    let group = Tiles::of(target.device).linear;
    Design {
        passes: vec![move_lines(
            last,
            (&whole, Array::Input),
            (&whole, Array::Output),
            group,
        )],
        scratch: [0; 2],
    }
}

/// All levels run in place in an array in which the coefficients stay where their samples were. For the
/// Mallat layout they are moved there first (inverse) or from there last (forward), level by level:
/// each level's low corner is overwritten by the next one's.
pub(super) fn design(problem: &Problem, target: &Target) -> Design {
    let Problem {
        transform,
        direction,
        ..
    } = problem;
    let group = Tiles::of(target.device).linear;
    let mallat = transform.layout == Layout::Mallat;
    let forward = *direction == Direction::Forward;
    let levels = transform.active_levels();
    let woven = transform.clone().layout(Layout::Interleaved);
    let last = transform.shape.len() - 1;

    let work = if mallat && forward {
        Array::Scratch(0)
    } else {
        Array::Output
    };
    // Between the two layouts, the whole of every level at once.
    let moves = levels.iter().map(|level| {
        let planar = View::of_level(transform, level.number).with_order(&level.axes, Order::Planar);
        let woven =
            View::of_level(&woven, level.number).with_order(&level.axes, Order::Interleaved);
        if forward {
            move_lines(last, (&woven, work), (&planar, Array::Output), group)
        } else {
            move_lines(last, (&planar, Array::Input), (&woven, work), group)
        }
    });
    let copy = || {
        let whole = View::dense(&transform.shape);
        move_lines(last, (&whole, Array::Input), (&whole, work), group)
    };

    let mut steps = Vec::new();
    for level in &levels {
        for (i, &axis) in level.axes.iter().enumerate() {
            let view = View::of_level(&woven, level.number);
            let arguments = lines(axis, &view, &view);
            let shift = if i == 0 {
                transform.wavelet.pre_shift()
            } else {
                0
            };
            steps.push(on_axis(problem, work, arguments, shift as i32, group));
        }
    }
    if !forward {
        steps.reverse();
    }
    let steps = steps.into_iter().flatten();

    let passes = match (mallat, forward) {
        (false, _) => std::iter::once(copy()).chain(steps).collect(),
        (true, true) => std::iter::once(copy()).chain(steps).chain(moves).collect(),
        (true, false) => moves.chain(steps).collect(),
    };
    let scratch = if mallat && forward {
        transform.len()
    } else {
        0
    };
    Design {
        passes,
        scratch: [scratch, 0],
    }
}

/// The launches for one axis of one level: scaling and steps.
fn on_axis(
    problem: &Problem,
    work: Array,
    arguments: Arguments,
    shift: i32,
    group: usize,
) -> Vec<Pass> {
    let Problem {
        transform,
        sample,
        direction,
    } = problem;
    let mut arguments = Arguments {
        boundary: transform.boundary.number(),
        ..arguments
    };
    let forward = *direction == Direction::Forward;
    let scaled = !sample.is_integer() && transform.wavelet.scale() != Scale::NONE;
    let shifted = sample.is_integer() && shift > 0;
    if forward {
        arguments.shift_in = shift;
    } else {
        arguments.shift_out = shift;
    }

    let pass = |name, arguments| pass(name, work, work, arguments, group);
    let mut passes = Vec::new();
    if forward && shifted || !forward && scaled {
        passes.push(pass("load", arguments));
    }
    let steps = prelude::stencils(&transform.wavelet, *sample, *direction).len();
    passes.extend((0..steps as i32).map(|step| pass("lift", Arguments { step, ..arguments })));
    if forward && scaled || !forward && shifted {
        passes.push(pass("store", arguments));
    }
    passes
}
