//! One launch for an axis whose lines stand side by side in memory: work-items sweep along a few
//! neighbouring lines each, in registers (cl/register_columns/register_columns.cl). Where the
//! border of lines depends on both ends, other work-groups of the launch lift these
//! (cl/register_columns/columns_and_ends.cl).

use super::planning::cost::Meter;
use super::planning::design::{
    Define, Kernel, Pass, Slots, can_stream, define, groups_at_once, loops_as_they_are,
    smallest_sub_groups,
};
use super::planning::planner::Offer;
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::border::Border;
use super::shared::line_ends;
use super::shared::lines::{Lines, segments, taken};
use super::shared::pixels;
use crate::device::DeviceKind;
use crate::lifting::schedule::Lags;
use crate::transform::geometry::{Geometry, Side};

pub(super) const TUNABLES: &[Tunable] = &[];

/// Neighbouring lines of a work-item at most, of up to 16 bytes together. On an NVIDIA H200
/// one level along the first axis of 256 x 256 x 512 takes 74 us by 4 lines, and by 2, where
/// the copy takes 69; in 16 bits by 5/3, 512 x 512 x 512 takes 189 us by 8 lines, by 4 204,
/// where the copy takes 131.
const LINES: usize = 8;

/// Pairs that are loaded before they are needed, a power of two. With 8 the same takes 74 to 76 us.
const PREFETCHED: usize = 4;

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 64;

/// Registers of a work-item besides its samples.
const OTHER_REGISTERS: usize = 40;

/// Pairs in the ring, at most.
const LONGEST_RING: usize = 16;

/// Pairs in a ring that fits the registers of any GPU.
const SHORT_RING: usize = 4;

/// Registers for the pairs in the ring, at most, and on Intel's GPUs for all pairs: with 48, 5/3 in
/// i32 had some in memory on pvc (`make vendors`).
const RING_REGISTERS: usize = 64;
const FEW_REGISTERS: usize = 40;

/// Pairs of a segment at least, as often as it reads the reach again. On an NVIDIA H100, 64 x 64 x
/// 64 takes 7.9 us by 4, 6.5 by 2 and 5.9 by 1; 1023 x 1023 8.4, 7.6 and 8.4 us; where columns are
/// more, they are longer (f32 by 9/7).
const LEAST_SEGMENT: usize = 2;

pub(super) fn offer(todo: &Todo) -> Offer {
    let lines = Lines::new(todo);
    if lines.are_rows || !lines.stand_side_by_side() {
        return Offer::no("it takes lines that stand side by side");
    }
    let kept = Lags::new(&todo.problem.stencils()).kept;
    if kept > LONGEST_RING {
        return Offer::no(format!("its registers do not hold {kept} pairs"));
    }
    let border = Border::of_lines(todo, &lines);
    let pass = match border.is_apart() && !lines.have_inside() {
        true => line_ends::pass(todo, &lines),
        false => pass(todo, &lines, &border),
    };
    let taken = taken(vec![pass]);
    let device = todo.target.device;
    match device.kind == DeviceKind::Gpu && (kept <= SHORT_RING || can_stream(device)) {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// Whether as many neighbouring lines are a vector everywhere.
fn go_by_vectors(geometry: &Geometry, vector: usize) -> bool {
    let whole = |place: i64| place % vector as i64 == 0;
    let is_whole = |side: &Side| {
        let others = [side.line, side.across[1], side.across[2]];
        side.across[0].stride == 1
            && whole(side.across[0].detail)
            && whole(side.offset)
            && others
                .iter()
                .all(|axis| whole(axis.stride) && whole(axis.detail))
    };
    let extents = [geometry.across[0], geometry.low_across[0]];
    vector == 1 || extents.iter().all(|&n| whole(n.into())) && geometry.sides().all(is_whole)
}

/// What a work-item has in registers.
struct Sizes {
    vector: usize,
    ring: usize,
    /// Work-items that a compute unit runs at once.
    at_once: usize,
    group: usize,
}

impl Sizes {
    fn new(todo: &Todo, geometry: &Geometry, lags: &Lags, border: &Border) -> Self {
        let bytes = todo.problem.sample.size();
        let ring = lags.kept.next_power_of_two();
        let held = |vector: usize, pairs: usize| 2 * vector * pairs * bytes.max(4) / 4;
        let in_all = |vector: usize| held(vector, ring + PREFETCHED);
        let most = LINES.min(16 / bytes);
        // The ends of lines are lifted line by line.
        let most = if border.is_apart() { 1 } else { most };
        let fits = |vector: &usize| {
            *vector <= most
                && held(*vector, ring) <= RING_REGISTERS
                && (can_stream(todo.target.device) || in_all(*vector) <= FEW_REGISTERS)
                && go_by_vectors(geometry, *vector)
        };
        let vector = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
        let group = GROUP.min(todo.target.work_group(name_of(border)));
        let registers = in_all(vector) + OTHER_REGISTERS;
        Sizes {
            vector,
            ring,
            at_once: groups_at_once(group, registers) * group,
            group,
        }
    }

    fn defines(&self, todo: &Todo, lines: &Lines, border: &Border) -> Vec<Define> {
        let mut defines = vec![
            define("GROUP", self.group),
            define("RING", self.ring),
            define("ROUND", self.ring.max(PREFETCHED)),
            define("PREFETCHED", PREFETCHED),
            define("RESTORED", u8::from(border.is_restored())),
            smallest_sub_groups(todo.target.device),
        ];
        if self.vector > 1 {
            defines.push(define("VECTOR", self.vector));
        }
        if border.is_apart() {
            defines.extend(line_ends::defines(todo, lines));
        }
        defines.extend(loops_as_they_are(todo.target.device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

fn name_of(border: &Border) -> &'static str {
    match border.is_apart() {
        true => "columns_and_ends",
        false => "register_columns",
    }
}

fn pass(todo: &Todo, lines: &Lines, border: &Border) -> Pass {
    let Lines {
        geometry, reach, ..
    } = lines;
    let lags = Lags::new(&todo.problem.stencils());
    let sizes = Sizes::new(todo, geometry, &lags, border);
    let count = geometry.lines as usize;
    let (vectors, samples) = (count / sizes.vector, geometry.samples as usize);
    // The ends of lines are other work-groups'.
    let (pairs, border_groups) = match border.is_apart() {
        true => (reach.inner(samples).len(), count.div_ceil(sizes.group)),
        false => (samples.div_ceil(2), 0),
    };
    let at_once = todo.target.device.compute_units * sizes.at_once;
    let overlap = reach.before + lags.last;
    let cuts = segments([vectors, pairs], overlap, at_once, LEAST_SEGMENT * overlap);
    let pairs_each = pairs.div_ceil(cuts);
    let segments = pairs.div_ceil(pairs_each);
    let meter = Meter::new(todo.problem, 1, geometry.shift).with_signal(todo.signal_size());
    let mut own = vec![
        ("segments", segments as i32),
        ("pairs_per_segment", pairs_each as i32),
    ];
    let (file, moved) = match border.is_apart() {
        true => {
            own.push(("border_groups", border_groups as i32));
            let [read, stored] = lines.inner_samples(segments);
            let moved = meter.scaled(read, stored) + meter.borders(geometry, reach);
            ("register_columns/columns_and_ends.cl", moved)
        }
        false => {
            own.push(("vectors", vectors as i32));
            own.push(("periodic", i32::from(border.is_periodic())));
            let around = 2 * (segments - 1) * (reach.before + reach.after);
            let moved = meter.scaled(count * (samples + around), count * samples);
            ("register_columns/register_columns.cl", moved)
        }
    };
    Pass {
        kernel: Kernel {
            name: name_of(border),
            file,
            defines: sizes.defines(todo, lines, border),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own,
        groups: border_groups + (vectors * segments).div_ceil(sizes.group),
        cost: moved + meter.lifted(count * (pairs + segments * overlap)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::planning::design::Launch;
    use crate::strategy::tests::cases::{Setting, large_gpu, problem};
    use crate::strategy::tests::host::{number, own};
    use crate::transform::{Layout, Transform};
    use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

    fn launch(device: DeviceInfo, transform: &Transform, sample: SampleType) -> Launch {
        let problem = problem(transform, sample, Direction::Forward);
        let setting = Setting::of(device);
        setting.design(&problem).unwrap().launches.swap_remove(0)
    }

    /// How many neighbouring lines are a vector, 1 for none.
    fn vector(launch: &Launch) -> usize {
        let mut defines = launch.pass.kernel.defines.iter();
        let vector = defines.find(|(name, _)| name == "VECTOR");
        vector.map_or(1, |(_, size)| size.parse().unwrap())
    }

    #[test]
    fn neighbouring_lines_are_vectors_where_all_of_them_are_aligned() {
        let of = |sample, shape: &[usize], axis| {
            let transform = Transform::new(Wavelet::CDF_5_3, shape).axes([axis]);
            vector(&launch(large_gpu(), &transform, sample))
        };
        assert_eq!(of(SampleType::F32, &[64, 64, 64], 0), 4);
        assert_eq!(of(SampleType::F32, &[64, 64, 64], 1), 4);
        assert_eq!(of(SampleType::F32, &[64, 3, 3], 0), 1);
        assert_eq!(of(SampleType::F32, &[64, 3, 6], 0), 2);
        assert_eq!(of(SampleType::F32, &[5, 64, 6], 1), 2);
        assert_eq!(of(SampleType::F64, &[64, 64, 64], 0), 2);
        assert_eq!(of(SampleType::I16, &[264, 64, 64], 0), 8);
        // Of a low band that is half as wide as the details begin.
        let picture = Transform::new(Wavelet::VC2_LEGALL_5_3, [64, 32, 12]);
        let problem = problem(&picture.levels(2), SampleType::I16, Direction::Forward);
        let design = Setting::of(large_gpu()).design(&problem).unwrap();
        assert_eq!(vector(&design.launches[1]), 2);
    }

    #[test]
    fn long_reaches_take_fewer_lines() {
        let of = |wavelet| {
            let transform = Transform::new(wavelet, [64, 64, 64]).axes([0]);
            let launch = launch(
                large_gpu(),
                &transform.boundary(Boundary::Zero),
                SampleType::I32,
            );
            let kernel = &launch.pass.kernel;
            let sizes = ["RING", "PREFETCHED", "RESTORED"].map(|name| number(kernel, name));
            (vector(&launch), sizes)
        };
        assert_eq!(of(Wavelet::CDF_5_3), (4, [4, 4, 1]));
        assert_eq!(of(Wavelet::VC2_DD_13_7), (4, [8, 4, 1]));
        assert_eq!(of(Wavelet::VC2_FIDELITY), (2, [16, 4, 1]));
    }

    #[test]
    fn segments_end_together() {
        // Of 1000 vectors at once; the last turn is as full as the others.
        assert_eq!(segments([1000, 256], 4, 1000, 16), 1);
        assert_eq!(segments([400, 256], 4, 1000, 16), 5);
        assert_eq!(segments([10, 256], 4, 1000, 16), 16);
        assert_eq!(segments([600, 256], 4, 1000, 16), 5);
        assert_eq!(segments([9, 8], 4, 1000, 16), 1);
    }

    #[test]
    fn columns_are_preferred_on_gpus() {
        let kernel = |device: DeviceInfo, wavelet, samples| {
            let transform = Transform::new(wavelet, [samples, 9]).axes([0]);
            launch(device, &transform, SampleType::F32).pass.kernel.name
        };
        let gpu = DeviceInfo::imaginary;
        assert_eq!(kernel(gpu(), Wavelet::CDF_9_7, 99), "register_columns");
        assert_eq!(kernel(gpu(), Wavelet::HAAR, 98), "register_columns");
        // With the ends of lines, and of those that are nothing else.
        assert_eq!(kernel(gpu(), Wavelet::HAAR, 99), "columns_and_ends");
        assert_eq!(kernel(gpu(), Wavelet::HAAR, 9), "line_ends");
        let cpu = DeviceInfo {
            kind: DeviceKind::Cpu,
            ..gpu()
        };
        assert_eq!(kernel(cpu, Wavelet::CDF_9_7, 99), "column_vectors");
        let interleaved =
            Transform::new(Wavelet::CDF_9_7, [64, 64, 64]).layout(Layout::Interleaved);
        let first = launch(gpu(), &interleaved, SampleType::F32);
        assert_eq!((own(&first, "vectors"), vector(&first)), (1024, 4));
    }
}
