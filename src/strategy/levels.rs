//! What strategies share that do both of the last two axes of a level in one launch.

use super::tail::Tail;
use super::{Array, Design, Pass, Problem};
use crate::geometry::{Arguments, Order, View, planes};
use crate::transform::{Layout, Transform};
use crate::wavelet::{AxisOrder, Direction};

/// Why a transform is not one of pictures; `None` where it is.
pub(super) fn no_picture(transform: &Transform) -> Option<String> {
    let axes = transform.shape.len();
    let mut chosen = transform.axes.clone();
    chosen.sort_unstable();
    let pictures = axes >= 2 && chosen == [axes - 2, axes - 1];
    (!pictures).then(|| "it transforms exactly the last two axes".to_owned())
}

/// Whether a kernel lifts along x before y.
pub(super) fn x_first(problem: &Problem) -> bool {
    let innermost = problem.transform.wavelet.axis_order() == AxisOrder::InnermostFirst;
    innermost == (problem.direction == Direction::Forward)
}

/// A launch for each level.
pub(super) fn design(
    problem: &Problem,
    launch: impl FnMut(Arguments, (Array, Array, Option<Array>)) -> Pass,
) -> Design {
    with_tail(problem, None, launch)
}

/// A launch for each level, and one for the last levels that the tail takes. The low band goes to a dense
/// array, where the next launch takes it from: two arrays in turn, as small as the bands.
pub(super) fn with_tail(
    problem: &Problem,
    tail: Option<&Tail>,
    mut launch: impl FnMut(Arguments, (Array, Array, Option<Array>)) -> Pass,
) -> Design {
    let transform = &problem.transform;
    let forward = problem.direction == Direction::Forward;
    let settled = match transform.layout {
        Layout::Mallat => Order::Planar,
        Layout::Interleaved => Order::Woven,
    };
    let (signal, coefficients) = if forward {
        (Array::Input, Array::Output)
    } else {
        (Array::Output, Array::Input)
    };
    let low_band = |number: u32| Array::Scratch((number as usize - 1) % 2);

    let levels = transform.active_levels();
    let in_tail = tail.map_or(0, |tail| tail.levels(&levels));
    let alone = levels.len() - in_tail;
    let launches = alone + usize::from(in_tail > 0);
    let mut scratch = [0; 2];
    let mut passes = Vec::new();
    for (i, level) in levels[..launches].iter().enumerate() {
        let near_array = if i == 0 {
            signal
        } else {
            low_band(level.number - 1)
        };
        let near = View::dense(&level.shape);
        let far = View::of_level(transform, level.number).with_order(&level.axes, settled);
        let low = View::dense(&transform.shape_after(level.number));
        let corner = (i + 1 < launches).then_some(low);
        if let Some(corner) = &corner {
            let samples: usize = corner.shape.iter().product();
            let held = &mut scratch[i % 2];
            *held = samples.max(*held);
        }
        let (from, to) = if forward {
            (&near, &far)
        } else {
            (&far, &near)
        };
        let mut arguments = planes(from, to, corner.as_ref());
        arguments.boundary = transform.boundary.number();
        let (from, to) = if forward {
            (near_array, coefficients)
        } else {
            (coefficients, near_array)
        };
        let corner = corner.map(|_| low_band(level.number));
        passes.push(match tail {
            Some(tail) if i == alone => tail.launch(in_tail, arguments, (from, to)),
            _ => launch(arguments, (from, to, corner)),
        });
    }
    if !forward {
        passes.reverse();
    }
    Design { passes, scratch }
}
