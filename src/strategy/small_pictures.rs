//! All levels that are left of pictures that fit local memory, in one launch: a work-group per picture
//! (cl/small_pictures/small_pictures.cl).

use super::design::{Kernel, Pass, define};
use super::planner::{Offer, Taken, Todo};
use super::tuning::Tunable;
use crate::device::DeviceKind;
use crate::transform::geometry::Geometry;

pub(super) const TUNABLES: &[Tunable] = &[];

/// Work-items in a work-group; NVIDIA's driver allows a kernel no more.
const GROUP: usize = 256;

/// Samples of the largest picture: a work-group takes longer over more of them than launches for each level do.
const LARGEST: usize = 64 * 64;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some([y, x]) = todo.picture() else {
        return Offer::no("it takes two axes of which the inner one is in one piece");
    };
    let axes = &todo.levels[0].axes;
    if todo.done > 0 || axes.len() != 2 {
        return Offer::no("it takes whole levels of two axes");
    }
    let levels = todo
        .levels
        .iter()
        .take_while(|level| level.axes == *axes)
        .count();
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary.number(),
        ..todo.sides(levels, 2).pictures(y, x)
    };
    let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
    if width * height > LARGEST {
        return Offer::no(format!("pictures of more than {LARGEST} samples"));
    }
    // An odd number of places, so that a column does not stay in one bank of local memory.
    let row = width | 1;
    let needed = (row * height * todo.problem.sample.size()) as u64;
    let available = todo.target.device.local_memory;
    if needed > available {
        return Offer::no(format!(
            "a picture needs {needed} bytes of local memory, there are {available}"
        ));
    }
    let taken = Taken {
        levels,
        axes: 2,
        passes: vec![pass(todo, geometry, levels, row)],
    };
    // One level is better off with more work-groups.
    match todo.target.device.kind {
        DeviceKind::Gpu if levels > 1 => Offer::Preferred(taken),
        _ => Offer::Works(taken),
    }
}

fn pass(todo: &Todo, geometry: Geometry, levels: usize, row: usize) -> Pass {
    let group = GROUP.min(todo.target.work_group("small_pictures"));
    let height = geometry.across[0] as usize;
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    Pass {
        kernel: Kernel {
            name: "small_pictures",
            file: "small_pictures/small_pictures.cl",
            defines: vec![
                define("GROUP", group),
                define("X_FIRST", u8::from(todo.x_first())),
                define("TILE_SAMPLES", row * height),
                define("TILE_ROW", row),
                define("SINGLE", u8::from(pictures == 1)),
                define("PRE_SHIFT", todo.pre_shift()),
                define("PLANAR", 0),
                define("DISTANCE", "long"),
            ],
            group: [group, 1],
        },
        geometry,
        own: vec![("levels", levels as i32)],
        groups: pictures,
    }
}
