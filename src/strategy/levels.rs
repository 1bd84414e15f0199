//! What strategies share that do both of the last two axes of a level in one launch.

use super::tail::Tail;
use super::{Array, Design, Pass, Problem};
use crate::transform::geometry::{Arguments, Order, View, planes};
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
    mut launch: impl FnMut(Arguments, (Array, Array, Option<Array>)) -> Pass,
) -> Design {
    with_tail(problem, 1, None, |_, arguments, arrays| {
        Some(launch(arguments, arrays))
    })
}

/// Launches for as many levels as `launch` takes at once, at most `most`, and one for the last levels that the tail
/// takes. `launch` must take one. The low band goes to a dense array, where the next launch takes it from: two
/// arrays in turn, as small as the bands.
pub(super) fn with_tail(
    problem: &Problem,
    most: usize,
    tail: Option<&Tail>,
    mut launch: impl FnMut(usize, Arguments, (Array, Array, Option<Array>)) -> Option<Pass>,
) -> Design {
    let transform = &problem.transform;
    let forward = problem.direction == Direction::Forward;
    let settled = match transform.layout {
        Layout::Mallat => Order::Planar,
        Layout::Interleaved => Order::Interleaved,
    };
    let (signal, coefficients) = if forward {
        (Array::Input, Array::Output)
    } else {
        (Array::Output, Array::Input)
    };
    let low_band = |launches: usize| Array::Scratch((launches - 1) % 2);

    let levels = transform.active_levels();
    let in_tail = tail.map_or(0, |tail| tail.levels(&levels));
    let alone = levels.len() - in_tail;
    let mut scratch = [0; 2];
    let mut passes = Vec::new();
    let mut done = 0;
    while done < levels.len() {
        let finest = &levels[done];
        let near_array = match passes.len() {
            0 => signal,
            launches => low_band(launches),
        };
        let near = View::dense(&finest.shape);
        let far = View::of_level(transform, finest.number).with_order(&finest.axes, settled);
        let low_array = low_band(passes.len() + 1);
        let mut attempt = |count: usize| {
            let low = View::dense(&transform.shape_after(levels[done + count - 1].number));
            let corner = (done + count < levels.len()).then_some(low);
            let (from, to, from_array, to_array) = if forward {
                (&near, &far, near_array, coefficients)
            } else {
                (&far, &near, coefficients, near_array)
            };
            let mut arguments = planes(from, to, corner.as_ref());
            arguments.boundary = transform.boundary.number();
            let pass = match tail {
                Some(tail) if done == alone => {
                    Some(tail.launch(count, arguments, (from_array, to_array)))
                }
                _ => {
                    let corner = corner.is_some().then_some(low_array);
                    launch(count, arguments, (from_array, to_array, corner))
                }
            };
            let samples = corner.map_or(0, |low| low.shape.iter().product());
            pass.map(|pass| (count, pass, samples))
        };
        let taken = if done == alone {
            attempt(in_tail)
        } else {
            (1..=most.min(alone - done)).rev().find_map(attempt)
        };
        let (count, pass, samples) = taken.expect("a launch for one level");
        let held = &mut scratch[passes.len() % 2];
        *held = samples.max(*held);
        passes.push(pass);
        done += count;
    }
    if !forward {
        passes.reverse();
    }
    Design { passes, scratch }
}
