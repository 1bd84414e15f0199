//! One launch per level for three axes: work-groups sweep along z with a tile of columns and rows,
//! all axes in one pass (cl/streamed_volumes/streamed_volumes.cl).

mod sizes;

use self::sizes::{OWN_ROWS, Sizes};
use super::planning::cost::{Cost, Meter};
use super::planning::design::{Kernel, Pass, Slots};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::border::Border;
use super::shared::lines::segments;
use crate::device::{DeviceKind, Exchange};
use crate::transform::geometry::Geometry;
use crate::wavelet::SampleType;

const NAME: &str = "streamed_volumes";

pub(super) const TUNABLES: &[Tunable] = &[];

/// Samples from which on it is preferred. On an NVIDIA H200 128 x 128 x 128 takes 15 us (inverse
/// 16.5), by pictures and columns 29 (27), 64 x 64 x 64 10.4 (11.0) and 22 (24); in halves these
/// took 15.5 (18.5) and 27 (28), 11 (12) and 24 (25). Other GPUs were not tried; AMD's compute
/// units have local memory for one work-group.
const LARGE: usize = 1 << 18;

pub(super) fn offer(todo: &Todo) -> Offer {
    let todo = &Todo {
        target: &todo.target.of(NAME),
        ..*todo
    };
    let Some(axes) = todo.volume() else {
        return Offer::no("it takes three axes of which the inner one is in one piece");
    };
    let (sizes, pass) = match take(todo, axes) {
        Ok(found) => found,
        Err(why) => return Offer::No { why },
    };
    let geometry = &pass.geometry;
    let samples = samples(geometry);
    // As many as were timed: 96 work-items of which 64 store have the forward transform of 512 x
    // 512 x 512 integers of 32 bits in 403 us, two launches in 595.
    let stored = 3 * sizes.strip >= 2 * sizes.items_x;
    let device = todo.target.device;
    let was_timed = device.kind == DeviceKind::Gpu && device.exchange == Exchange::Ptx;
    let is_fast = match todo.problem.sample {
        SampleType::F16 | SampleType::Rounded | SampleType::F32 => true,
        // Pipelines of two steps alone were timed. On an NVIDIA H200, 511 x 511 x 511 by 5/3 took 395
        // us in 16 bits (inverse 361), two launches 507 (554); periodic rows that do not go by vectors
        // were as slow as two launches, or slower.
        sample => sample.is_integer() && sizes.steps == 2 && (sizes.wide || !sizes.is_periodic),
    };
    let taken = Taken {
        levels: 1,
        axes: 3,
        passes: vec![pass],
    };
    match was_timed && is_fast && stored && samples >= LARGE {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

fn samples(geometry: &Geometry) -> usize {
    let across = geometry.across.map(|n| n as usize);
    geometry.samples as usize * across.iter().product::<usize>()
}

fn take(todo: &Todo, [z, y, x]: [usize; 3]) -> Result<(Sizes, Pass), String> {
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(1, 3).volumes(z, y, x)
    };
    let [width, height, depth] = [geometry.samples, geometry.across[0], geometry.across[1]];
    let border = |samples| Border::new(todo, samples);
    let (on_x, on_y, on_z) = (border(width)?, border(height)?, border(depth)?);
    if on_x.is_restored() || [on_y, on_z] != [on_x; 2] {
        return Err("it takes volumes that go on beyond their border by reading elsewhere".into());
    }
    let sizes = Sizes::new(todo, &geometry, on_x)?;
    let rows = OWN_ROWS * sizes.group / sizes.items_x;
    let tiles_y = (2 * sizes.pairs_along(height)).div_ceil(rows);
    let volumes = geometry.across[2] as usize;
    let at_once = todo.target.device.compute_units * (sizes.at_once / sizes.group).max(1);
    let tiles = sizes.tiles_x * tiles_y * volumes;
    let planes = sizes.pairs_along(depth);
    let cut = segments([tiles, planes], sizes.steps, at_once, sizes.least);
    let each = planes.div_ceil(cut);
    let segments = planes.div_ceil(each);
    let pass = Pass {
        kernel: Kernel {
            name: NAME,
            file: "streamed_volumes/streamed_volumes.cl",
            defines: sizes.defines(todo, &geometry),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        own: vec![
            ("tiles_x", sizes.tiles_x as i32),
            ("tiles_y", tiles_y as i32),
            ("overlap", sizes.overlap as i32),
            ("strip", (sizes.strip * sizes.pairs) as i32),
            ("segments", segments as i32),
            ("pairs_per_segment", each as i32),
        ],
        groups: tiles * segments,
        cost: cost(todo, &sizes, &geometry, [tiles_y, segments, each]),
        geometry,
    };
    Ok((sizes, pass))
}

fn cost(todo: &Todo, sizes: &Sizes, geometry: &Geometry, shares: [usize; 3]) -> Cost {
    let [tiles_y, segments, each] = shares;
    let tiles_x = sizes.tiles_x;
    let [width, height, depth] = [geometry.samples, geometry.across[0], geometry.across[1]];
    let volumes = geometry.across[2] as usize;
    let meter = Meter::new(todo.problem, 3, todo.pre_shift()).with_signal(todo.signal_size());
    let warm_up = sizes.steps;
    let turns = segments * (each + warm_up);
    // Each work-item reads the rows in reach of its own again.
    let strips = tiles_y * sizes.group / sizes.items_x;
    let columns = width as usize + 4 * (tiles_x - 1) * sizes.pairs;
    let lines = height as usize + (strips - 1) * (2 * warm_up - 1);
    let planes = depth as usize + (segments - 1) * (2 * warm_up - 1);
    let items = volumes * tiles_x * strips * sizes.items_x;
    let barriers = if sizes.has_seams(todo) {
        sizes.rows.along_x() / 2
    } else {
        0
    };
    let along_y = items * turns * 2 * 2 * sizes.pairs * sizes.rows.turns;
    let along_z = items * turns * sizes.rows.along_z() * 2 * sizes.pairs;
    // Approximations that have an array of their own have places in interleaved rows as well.
    let again = usize::from(sizes.low_apart) * (samples(geometry) / 8);
    let (read, stored) = (volumes * columns * lines * planes, samples(geometry));
    let [read, stored] = meter.with_lows_again(read, stored, again);
    meter.scaled(read, stored)
        + meter.lifted(along_y + along_z)
        + meter.lifted_alone(items * turns * 2 * sizes.rows.along_x(), sizes.pairs)
        + Cost::of_group(
            (each + warm_up) * barriers,
            sizes.rows.local_bytes(todo, sizes.group),
        )
}

#[cfg(test)]
mod tests;
