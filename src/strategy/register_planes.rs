//! One launch per level for two axes of planes that stand side by side in memory: each work-item
//! sweeps down a few columns of one plane, both axes in registers
//! (cl/register_planes/register_planes.cl).

use super::planning::cost::{Cost, Meter};
use super::planning::design::{
    Define, Kernel, MOST_REGISTERS, Pass, RUN, Slots, can_stream, define, define_distance,
    groups_at_once, lack_of_registers, loops_as_they_are, smallest_sub_groups,
};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::border::Border;
use super::shared::lines::segments;
use super::shared::pixels;
use crate::device::DeviceKind;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::transform::geometry::Geometry;

pub(super) const TUNABLES: &[Tunable] = &[];

const NAME: &str = "register_planes";

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// Neighbouring planes whose runs a work-group has side by side, at most; the others are
/// neighbouring runs, which read some of the same columns. On NVIDIA H100s, 1000 x 1000 x 45 in f32
/// by 9/7 takes 176 us (inverse 167) by 45 planes, by 23, not all of whose rows begin where a
/// sector of memory does, 356 (367); 300 x 300 x 300 107 (103) and 173 (166). Where all do, 32
/// planes and 128 take the same.
const TOGETHER: usize = 128;

/// Registers of a work-item besides its samples. On an NVIDIA H100, 2048 x 2048 x 32 by 9/7 in f32
/// takes 388 us (inverse 385) with segments for three work-groups at once, 437 (385) for two.
const OTHER_REGISTERS: usize = 60;

/// Pairs of rows in a segment at least. Where planes are so few that not all compute units are
/// full, it is the turns of a segment that take time, those that fill its pipeline as well: 64 x 64
/// x 128 takes 12.8 us by 2, 15.0 by 4, 18.9 by 6, as many as fill it, and three levels of 512 x
/// 512 x 16 39.1 (inverse 40.4) by 2, 37.6 (38.2) by 1 (NVIDIA H100, f32 by 9/7).
const LEAST_SEGMENT: usize = 1;

/// Samples of either axis from which on planes are taken by themselves: of smaller ones work-items
/// have mostly what is beside or above, and a pass per axis has vectors. 5 x 4096 x 256 takes 33 us
/// by that, a copy 17 (NVIDIA H100).
const LEAST_LENGTH: i32 = 8;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some(geometry) = planes(todo) else {
        return Offer::no("it takes two axes of planes that stand side by side in memory");
    };
    let borders = Border::new(todo, geometry.samples)
        .and_then(|x| Ok([x, Border::new(todo, geometry.across[0])?]));
    let [x, y] = match borders {
        Ok(borders) => borders,
        Err(why) => return Offer::No { why },
    };
    let sizes = Sizes::new(todo, &geometry, x.is_restored() || y.is_restored());
    if let Some(why) = lack_of_registers("a run", sizes.numbers(), todo.problem.sample) {
        return Offer::No { why };
    }
    if sizes.group == 0 {
        return Offer::no("local memory does not hold where the columns of a run are");
    }
    let taken = Taken {
        levels: 1,
        axes: 2,
        passes: vec![pass(todo, &geometry, &sizes, [x, y])],
    };
    let device = todo.target.device;
    let is_light = sizes.registers <= MOST_REGISTERS && can_stream(device);
    let is_wide = geometry.samples.min(geometry.across[0]) >= LEAST_LENGTH;
    match device.kind {
        DeviceKind::Gpu if is_light && is_wide => Offer::Preferred(taken),
        _ => Offer::Works(taken),
    }
}

/// The planes of the two axes that are left, where neighbours in memory are in neighbouring planes.
fn planes(todo: &Todo) -> Option<Geometry> {
    let [a, b] = *todo.axes() else {
        return None;
    };
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(1, 2).pictures(a.min(b), a.max(b))
    };
    let stand_side_by_side =
        geometry.across[1] > 1 && geometry.sides().all(|side| side.across[1].stride == 1);
    stand_side_by_side.then_some(geometry)
}

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    reach: Reach,
    lags: Lags,
    group: usize,
    together: usize,
    /// Pairs of rows in the ring.
    ring: usize,
    x_first: bool,
    restored: bool,
    /// Registers of a work-item.
    registers: usize,
}

impl Sizes {
    fn new(todo: &Todo, geometry: &Geometry, restored: bool) -> Self {
        let stencils = todo.problem.stencils();
        let (reach, lags) = (Reach::new(&stencils), Lags::new(&stencils));
        let planes = geometry.across[1] as usize;
        let mut sizes = Sizes {
            group: GROUP.min(todo.target.work_group(NAME)),
            together: planes.div_ceil(planes.div_ceil(TOGETHER)),
            ring: lags.kept,
            // Rounding apart, real steps along different axes commute; along x
            // first, fewer columns wait.
            x_first: todo.x_first() || !todo.problem.sample.is_integer(),
            restored,
            registers: 0,
            reach,
            lags,
        };
        let words = todo.problem.sample.size().div_ceil(4);
        sizes.registers = words * sizes.numbers() + OTHER_REGISTERS;
        let held = todo.target.device.local_memory as usize / sizes.local_bytes(1);
        sizes.group = sizes.group.min(held);
        sizes
    }

    /// Samples of a row that a work-item loads.
    fn loaded(&self) -> usize {
        2 * (self.reach.before + RUN + self.reach.after)
    }

    /// The local memory of so many work-items: where each of them finds its columns.
    fn local_bytes(&self, items: usize) -> usize {
        items * self.loaded() * size_of::<i32>()
    }

    /// Columns that go through the pipeline along y.
    fn held(&self) -> usize {
        if self.x_first { 2 * RUN } else { self.loaded() }
    }

    /// Numbers that a work-item has in registers: those in the ring, and two rows that are loaded.
    fn numbers(&self) -> usize {
        2 * self.ring * self.held() + 2 * self.loaded()
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        let mut defines = vec![
            define("GROUP", self.group),
            define("RING", self.ring),
            define("ROUND", self.ring),
            define("COLUMN_STRIDE", column_stride(geometry)),
            define("X_FIRST", u8::from(self.x_first)),
            define("RESTORED", u8::from(self.restored)),
            define("PLANAR", 0),
            define("SINGLE", 0),
            define("PRE_SHIFT", todo.pre_shift()),
            // CPUs keep the general way under test.
            define_distance(device.kind == DeviceKind::Gpu && geometry.fits_32_bits(2, 0)),
            smallest_sub_groups(device),
        ];
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

/// How far neighbours in a row are apart, where that is the same on the signal side and
/// in every sub-band; else 0.
fn column_stride(geometry: &Geometry) -> i64 {
    let stride = geometry.signal.line.detail;
    let is_same = geometry.band_sides().all(|side| side.line.stride == stride);
    if is_same { stride } else { 0 }
}

fn pass(todo: &Todo, geometry: &Geometry, sizes: &Sizes, [x, y]: [Border; 2]) -> Pass {
    let [width, height] = [geometry.samples, geometry.across[0]].map(|samples| samples as usize);
    let [planes, outer] = [geometry.across[1], geometry.across[2]].map(|count| count as usize);
    let (rows, runs) = (height.div_ceil(2), width.div_ceil(2 * RUN));
    let blocks = planes.div_ceil(sizes.together);
    let items = outer * blocks * runs * sizes.together;
    let groups = todo.target.device.compute_units * groups_at_once(sizes.group, sizes.registers);
    let at_once = groups * sizes.group;
    let overlap = sizes.reach.before + sizes.lags.last;
    // Where planes are restored, only their first segments may read beyond their beginning
    // (cl/core/ring.cl).
    let least = match sizes.restored {
        true => sizes.reach.before.max(LEAST_SEGMENT),
        false => LEAST_SEGMENT,
    };
    let pairs_each = rows.div_ceil(segments([items, rows], overlap, at_once, least));
    let segments = rows.div_ceil(pairs_each);
    let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
    let around = 2 * (sizes.reach.before + sizes.reach.after);
    let read = (height + (segments - 1) * around) * (width + (runs - 1) * around);
    let pairs = outer * planes * runs * (rows + segments * overlap);
    let pairs_along_x = match sizes.x_first {
        true => pairs,
        false => outer * planes * runs * rows,
    };
    Pass {
        kernel: Kernel {
            name: NAME,
            file: "register_planes/register_planes.cl",
            defines: sizes.defines(todo, geometry),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("together", sizes.together as i32),
            ("blocks", blocks as i32),
            ("runs", runs as i32),
            ("segments", segments as i32),
            ("pairs_per_segment", pairs_each as i32),
            // Of two axes that go on in different ways, steps read nothing beyond either.
            ("periodic", i32::from(x.is_periodic() || y.is_periodic())),
        ],
        groups: (items * segments).div_ceil(sizes.group),
        cost: meter.scaled(outer * planes * read, outer * planes * height * width)
            + meter.lifted_alone(2 * pairs_along_x, RUN)
            + meter.lifted(pairs * sizes.held())
            + Cost::of_group(0, sizes.local_bytes(sizes.group)),
    }
}
