//! One launch per level for two axes: sub-groups sweep along strips of columns, both axes in
//! registers (cl/streamed/one_level.cl). Two levels of a large picture are one launch
//! (cl/streamed/two_levels.cl). Where a picture cannot simply go on beyond its border
//! (lifting/extension.rs), other work-groups of the launch lift the border (cl/streamed/frame.cl).

mod cost;
mod launch;
mod picture;
mod segments;
mod sizes;

use self::launch::pass;
use self::picture::Picture;
use super::planning::design::can_stream;
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use crate::device::DeviceKind;
use crate::transform::geometry::Geometry;

pub(super) const TUNABLES: &[Tunable] = &[PAIRS, PREFETCHED, FILLING, TWO_PREFETCHED, TWO_FILLING];

const PAIRS: Tunable = Tunable {
    name: "PAIRS",
    default: 4,
    candidates: &[4, 8],
    says: "pairs of columns of a work-item, rounded up to a power of two, 16 at most",
};
const PREFETCHED: Tunable = Tunable {
    name: "PREFETCHED",
    default: 2,
    candidates: &[1, 2, 3, 4],
    says: "pairs of rows that are loaded before they are needed, in pictures of many segments",
};
const FILLING: Tunable = Tunable {
    name: "FILLING",
    default: 48,
    candidates: &[12, 16, 20, 24, 32, 40, 48],
    says: "segments for each compute unit of large pictures; best is a multiple of the sub-groups that it runs at once",
};
const TWO_PREFETCHED: Tunable = Tunable {
    name: "TWO_PREFETCHED",
    default: 2,
    candidates: &[2, 3],
    says: "pairs of rows that are loaded before they are needed in launches of two levels",
};
const TWO_FILLING: Tunable = Tunable {
    name: "TWO_FILLING",
    default: 12,
    candidates: &[8, 12, 16, 24],
    says: "segments for each compute unit in launches of two levels",
};

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some(axes) = todo.picture() else {
        return Offer::no("it takes two axes of which the inner one is in one piece");
    };
    let levels = if has_two_levels(todo) { 2 } else { 1 };
    let taken = (1..=levels).rev().find_map(|levels| {
        let pass = pass(todo, axes, levels);
        (levels == 1 || pass.is_ok()).then_some((levels, pass))
    });
    let (levels, found) = taken.expect("there is an answer for one level");
    let (pass, is_empty) = match found {
        Ok(found) => found,
        Err(why) => return Offer::No { why },
    };
    let taken = Taken {
        levels,
        axes: 2,
        passes: vec![pass],
    };
    let device = todo.target.device;
    // Each work-item loading the halo itself takes five times as long as `register_block`, and
    // much more on wider halos.
    let exchanges = taken.passes[0].kernel.way().is_some();
    match device.kind == DeviceKind::Gpu && can_stream(device) && exchanges {
        true if is_empty => Offer::Yields(taken),
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// Whether the rows of one level go sample by sample: they are not aligned, or
/// their coefficients are apart.
pub(super) fn rows_are_no_vectors(todo: &Todo, geometry: Geometry) -> bool {
    let todo = &Todo {
        target: &todo.target.of("streamed_one_level"),
        ..*todo
    };
    Picture::new(todo, geometry, 1).is_ok_and(|picture| !picture.wide)
}

/// Whether this level and the next lift the same two axes, and nothing else.
fn has_two_levels(todo: &Todo) -> bool {
    let axes = &todo.levels[0].axes;
    let next = todo.levels.get(1);
    todo.done == 0 && axes.len() == 2 && next.is_some_and(|next| next.axes == *axes)
}

#[cfg(test)]
mod tests;
