//! One launch per level for three axes on CPU devices: `single_loop` for the rows of a block of planes, which stay in cache until
//! they are lifted along the third axis (cl/single_loop/volume_loop.cl).

use super::Strategy;
use super::cost::{Cost, Meter};
use super::design::{Kernel, Pass, Slots, define};
use super::planner::{Offer, Taken, Todo};
use super::single_loop::Sizes;
use crate::device::DeviceKind;
use crate::lifting::extension::Extension;
use crate::transform::geometry::Geometry;
use crate::wavelet::Boundary;

/// Bytes of a cache of the second level that the planes of a block should fit.
const SECOND_CACHE: usize = 768 << 10;

/// Pairs of columns of the widest rows.
const WIDEST: usize = 512;

/// Pairs of rows in a block at least: of eight 9/7 reads half as many again.
const LEAST_ROWS: usize = 8;

/// About how many pairs of planes a block has at least.
const PLANES: usize = 32;

/// Pairs of planes from which on it is preferred: of sixteen 9/7 reads a quarter again. Fewer were not timed.
const LEAST_PLANES: usize = 16;

pub(super) fn offer(todo: &Todo, [z, y, x]: [usize; 3]) -> Offer {
    let transform = &todo.problem.transform;
    let geometry = Geometry {
        boundary: transform.boundary_rule().number(),
        ..todo.sides(1, 3).volumes(z, y, x)
    };
    if todo.problem.sample.is_integer() {
        return Offer::no("steps on integers do not commute along different axes");
    }
    let is_periodic = transform.boundary_rule() == Boundary::Periodic;
    let depth = geometry.across[1] as usize;
    let extension = Extension::new(
        transform.wavelet(),
        todo.problem.sample,
        transform.boundary_rule(),
        depth,
    );
    let planes = match extension {
        Some(extension @ (Extension::Mirrored | Extension::Periodic))
            if !(is_periodic && geometry.across[0] % 2 == 1) =>
        {
            extension
        }
        _ => return Offer::no("the planes of a volume would not go on as they begin"),
    };
    let columns = (geometry.samples as usize).div_ceil(2);
    let available = SECOND_CACHE.min(todo.target.device.local_memory as usize);
    let sizes = Sizes::new(todo, Strategy::SingleLoop, &geometry, 1).of_volumes(WIDEST, available);
    let held = sizes.rows_of_planes(columns);
    if columns > WIDEST || held < LEAST_ROWS {
        return Offer::no(format!(
            "{LEAST_ROWS} pairs of rows, of {columns} pairs each, of all planes that are kept do not fit {available} bytes, or are more than {WIDEST} pairs wide"
        ));
    }
    let taken = Taken {
        levels: 1,
        axes: 3,
        passes: vec![pass(todo, &sizes, geometry, held, planes)],
    };
    // Without a vector inside, rows go step by step.
    let narrow = (geometry.samples as usize) < 2 * sizes.border;
    match todo.target.device.kind {
        DeviceKind::Cpu if narrow || depth < 2 * LEAST_PLANES => Offer::Yields(taken),
        DeviceKind::Cpu => Offer::Preferred(taken),
        _ => Offer::Works(taken),
    }
}

fn pass(todo: &Todo, sizes: &Sizes, geometry: Geometry, held: usize, extension: Extension) -> Pass {
    let [rows, planes] = [geometry.across[0], geometry.across[1]].map(|n| (n as usize).div_ceil(2));
    let volumes = geometry.across[2] as usize;
    let row_block = rows.div_ceil(rows.div_ceil(held));
    let row_blocks = rows.div_ceil(row_block);
    // Some blocks for each compute unit, so that all end at about the same time.
    let wanted = (4 * todo.target.device.compute_units).div_ceil(row_blocks * volumes);
    let plane_block = planes.div_ceil(wanted.clamp(1, planes.div_ceil(PLANES)));
    let plane_blocks = planes.div_ceil(plane_block);
    let mut defines = sizes.defines(todo);
    defines.push(define("PLANES", sizes.planes));
    Pass {
        kernel: Kernel {
            name: "volume_loop",
            file: "single_loop/volume_loop.cl",
            defines,
            group: [1, 1],
        },
        slots: Slots::OF_TAKE,
        own: vec![
            ("row_blocks", row_blocks as i32),
            ("plane_blocks", plane_blocks as i32),
            ("row_block", row_block as i32),
            ("plane_block", plane_block as i32),
            ("row_extension", sizes.extension(todo, &geometry)),
            ("plane_extension", extension as i32),
        ],
        groups: row_blocks * plane_blocks * volumes,
        cost: cost(todo, sizes, &geometry, [row_blocks, plane_blocks]),
        geometry,
    }
}

/// Blocks read their halos again, and rows and planes below those that wait to be stored.
fn cost(todo: &Todo, sizes: &Sizes, geometry: &Geometry, blocks: [usize; 2]) -> Cost {
    let meter = Meter::new(todo.problem, 3, 0).with_signal(todo.signal_size());
    let [height, depth, volumes] = geometry.across.map(|n| n as usize);
    let width = geometry.samples as usize;
    let again = sizes.halo_top + sizes.vectors.y.last;
    let rows = height + 2 * (blocks[0] - 1) * again;
    let planes = depth + 2 * blocks[1] * again;
    let loaded = volumes * planes * rows * width;
    meter.scaled(loaded, volumes * depth * height * width)
        // Half as many pairs, along each of three axes.
        + meter.lifted(loaded / 2 * 3)
        + Cost::of_group(0, sizes.local_bytes())
}

#[cfg(test)]
mod tests {
    use crate::device::DeviceInfo;
    use crate::strategy::design::Launch;
    use crate::strategy::tests::cases::{Setting, cpu, problem};
    use crate::strategy::tests::host::own;
    use crate::transform::Transform;
    use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

    fn launches(device: DeviceInfo, transform: &Transform, sample: SampleType) -> Vec<Launch> {
        let problem = problem(transform, sample, Direction::Forward);
        Setting::of(device).design(&problem).unwrap().launches
    }

    #[test]
    fn blocks_fit_local_memory() {
        let blocks = |local_memory| {
            let device = DeviceInfo {
                local_memory,
                ..cpu()
            };
            let volume = Transform::new(Wavelet::CDF_9_7, [256; 3]);
            let launch = launches(device, &volume, SampleType::F32).swap_remove(0);
            assert_eq!(launch.pass.kernel.name, "volume_loop");
            assert!(launch.pass.cost.local_bytes <= local_memory);
            (own(&launch, "row_blocks"), own(&launch, "row_block"))
        };
        let ((few, high), (many, low)) = (blocks(1 << 20), blocks(256 << 10));
        assert!(few < many && high > low, "{few} {high} {many} {low}");
        assert!(few * high >= 128 && many * low >= 128);
    }

    #[test]
    fn volumes_of_reals_whose_planes_go_on_take_one_pass() {
        let names = |transform: Transform, sample| {
            let launches = launches(cpu(), &transform, sample);
            let name = |launch: &Launch| launch.pass.kernel.name;
            launches.iter().map(name).collect::<Vec<_>>()
        };
        let volume = Transform::new(Wavelet::CDF_5_3, [64; 3]);
        assert_eq!(names(volume.clone(), SampleType::F32), ["volume_loop"]);
        let apart = ["column_vectors", "single_loop"];
        assert_eq!(names(volume.clone(), SampleType::I16), apart);
        let zeros = volume.boundary(Boundary::Zero);
        assert_eq!(names(zeros, SampleType::F32), apart);
        let wide = Transform::new(Wavelet::CDF_5_3, [64, 64, 2048]);
        assert_eq!(names(wide, SampleType::F32), apart);
    }
}
