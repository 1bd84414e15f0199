//! One launch per level for two axes on CPU devices: one work-item per strip, rows in
//! cache, explicit vectors (cl/single_loop/single_loop.cl). `colour_loop` is the same for
//! pixels of several samples.

mod sizes;

use self::sizes::{STRIP, Sizes};
use super::Strategy;
use super::planning::cost::{Cost, Meter};
use super::planning::design::{Kernel, Pass, Slots, lack_of_registers};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::cpu::{CACHED, VECTOR};
use crate::device::DeviceKind;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Boundary, SampleType};

pub(super) const TUNABLES: &[Tunable] = &[VECTOR, CACHED, STRIP];

/// About how many pairs of rows a block has at least.
const ROW_BLOCK: usize = 64;

/// Rows that go step by step which are preferred all the same: by `vectors` too few of them do not
/// fill a vector with boxes, and go by a pass per axis, whose launch takes some 8 us. Here each takes
/// 0.1 us, however narrow it is: by 9/7 in f32 128 x 8 takes 14 us, 1024 x 4 109, 8192 x 2 842, by
/// `vectors` 6, 20 and 39 (PoCL 3.1, one core with AVX-512).
const MOST_BY_STEPS: usize = 128;

/// Samples of other narrow pictures, and of low ones, that are preferred for the same reason: 200 x
/// 65 by 5/3 in i16 takes 21 us, inverse 17, by a pass per axis 32.
const MOST_IN_NARROW: usize = 1 << 14;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some([y, x]) = todo.picture() else {
        return Offer::no("it takes two axes of which the inner one is in one piece");
    };
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(1, 2).pictures(y, x)
    };
    offer_of(todo, Strategy::SingleLoop, geometry, 1)
}

/// The same for pictures whose pixels have `colours` samples.
pub(super) fn offer_of(
    todo: &Todo,
    strategy: Strategy,
    geometry: Geometry,
    colours: usize,
) -> Offer {
    let is_periodic = todo.problem.transform.boundary_rule() == Boundary::Periodic;
    let sizes = Sizes::new(todo, strategy, &geometry, colours);
    if is_periodic && !sizes.close_rows(geometry.samples as usize) {
        return Offer::no(format!(
            "a periodic row of {} samples is too long for a strip of {} pairs, and its strips do not see both of its ends",
            geometry.samples, sizes.strip
        ));
    }
    // CPUs have a cache for what does not fit. An NVIDIA H200's compiler is not done with twenty
    // steps after 48 s. Counted as of 32 bits, so that doubles by 9/7 stay.
    if todo.target.device.kind != DeviceKind::Cpu
        && let kept = 2 * sizes.vectors.kept_x()
        && let Some(why) = lack_of_registers("a pair of rows", kept, SampleType::F32)
    {
        return Offer::No { why };
    }
    let needed = sizes.local_bytes() as u64;
    let available = todo.target.device.local_memory;
    if needed > available {
        return Offer::no(format!(
            "its rows need {needed} bytes of local memory, there are {available}"
        ));
    }
    let taken = Taken {
        levels: 1,
        axes: 2,
        passes: vec![pass(todo, &sizes, geometry)],
    };
    let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
    let rows = height * (geometry.across[1] * geometry.across[2]) as usize;
    let by_steps = sizes.goes_by_steps(width) && rows > MOST_BY_STEPS;
    let narrow = colours == 1 && !sizes.is_best(todo.problem, &geometry);
    // Pictures whose pairs of rows are all near a border, or near the missing detail of a periodic one
    // of an odd height, go step by step as well. Of 16 rows large ones gain here, small ones do not. In
    // ns per sample here and by a pass per axis, forward / inverse (PoCL 3.1, one core of Zen 4):
    //
    // | picture | here | a pass per axis |
    // |---|---|---|
    // | f32 `cdf97`, 3 x 349525 | 0.68 / 0.62 | 0.26 / 0.24 |
    // | 8 x 131072 | 0.55 / 0.43 | 0.33 / 0.25 |
    // | 16 x 65536 | 0.42 / 0.35 | 0.33 / 0.31 |
    // | 16 x 1048576 | 0.70 / 1.0 | 1.1 / 0.88 |
    // | i16 `cdf53`, 3 x 349525 | 0.55 / 0.37 | 0.25 / 0.24 |
    // | 8 x 131072 | 0.36 / 0.22 | 0.43 / 0.42 |
    // | f32 `cdf97`, 3 x 116508 x 3 | 0.90 / 0.87 | 0.58 / 0.57 |
    // | 8 x 43690 x 3 | 0.73 / 0.58 | 0.85 / 0.63 |
    // | f32 `cdf97` periodic, 15 x 69904, forward | 1.3 | 1.1 |
    // | 31 x 33824 | 0.8 | 0.9 |
    let has_gap = is_periodic && height % 2 == 1;
    let near = sizes.vectors.y.kept / if colours == 1 || has_gap { 1 } else { 2 };
    let low = height.div_ceil(2) <= near;
    let many = rows * width * colours > MOST_IN_NARROW;
    match todo.target.device.kind {
        DeviceKind::Cpu if by_steps || (narrow || low) && many => Offer::Yields(taken),
        DeviceKind::Cpu => Offer::Preferred(taken),
        _ => Offer::Works(taken),
    }
}

fn pass(todo: &Todo, sizes: &Sizes, geometry: Geometry) -> Pass {
    let rows = (geometry.across[0] as usize).div_ceil(2);
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;

    let [strips, strip] = sizes.strips(geometry.samples as usize);
    // Some row blocks for each compute unit, so that all end at about the same time.
    let wanted = (4 * todo.target.device.compute_units).div_ceil(strips * pictures);
    let blocks = wanted.clamp(1, rows.div_ceil(ROW_BLOCK));
    let block = rows.div_ceil(blocks);
    let blocks = rows.div_ceil(block);
    Pass {
        kernel: Kernel {
            name: "single_loop",
            file: "single_loop/single_loop.cl",
            defines: sizes.defines(todo),
            group: [1, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![
            ("strips", strips as i32),
            ("row_blocks", blocks as i32),
            ("strip", strip as i32),
            ("row_block", block as i32),
            ("extension", sizes.extension),
        ],
        groups: strips * blocks * pictures,
        cost: cost(todo, sizes, &geometry, [strips, blocks]),
    }
}

/// Strips and row blocks read their halos again, and rows below those that wait to be stored. Rows
/// are lifted as whole vectors, and their borders once more, or one more vector at either end.
fn cost(todo: &Todo, sizes: &Sizes, geometry: &Geometry, [strips, blocks]: [usize; 2]) -> Cost {
    let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
    let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    let late_rows = sizes.vectors.y.last;
    // What has less than two borders goes step by step.
    let extension = match sizes.goes_by_steps(width) {
        true => 0,
        false => sizes.extension,
    };
    let columns = 2 * (strips - 1) * (sizes.halo.0 + sizes.halo.1) + width;
    let is_periodic = todo.problem.transform.boundary_rule() == Boundary::Periodic;
    let seams = blocks - usize::from(!is_periodic);
    let rows = 2 * seams * (sizes.halo_top + late_rows) + height;
    let ends = match extension {
        0 => 4 * sizes.border,
        _ => 2 * sizes.vectors.pixels,
    };
    // Where y is first, rows are lifted along it with what they go on with.
    let beyond = match sizes.x_first || extension == 0 {
        true => 0,
        false => 4 * sizes.vectors.pixels,
    };
    let pictures = pictures * sizes.vectors.colours;
    let pairs_x = columns.div_ceil(2) + ends;
    let pairs_y = rows.div_ceil(2) + late_rows;
    meter.scaled(pictures * rows * columns, pictures * height * width)
        + meter.lifted(pictures * rows * pairs_x)
        + meter.lifted(pictures * (columns + beyond) * pairs_y)
        + Cost::of_group(0, sizes.local_bytes())
}

#[cfg(test)]
mod tests;
