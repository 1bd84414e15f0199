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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::Strategy;
    use crate::strategy::tests::cases::{Setting, cpu, problem, small_gpu};
    use crate::strategy::tests::host::number;
    use crate::transform::Transform;
    use crate::wavelet::{Direction, SampleType, Wavelet};

    /// How many levels each launch takes, of the first launches of a transform.
    fn levels(device: DeviceInfo, shape: &[usize], levels: u32) -> Vec<i32> {
        let axes = [shape.len() - 2, shape.len() - 1];
        let transform = Transform::new(Wavelet::CDF_9_7, shape)
            .axes(axes)
            .levels(levels);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let design = Setting::of(device).design(&problem).unwrap();
        let taken = |pass: &Pass| match pass.own[..] {
            [("levels", levels)] => levels,
            _ => 0,
        };
        design
            .launches
            .iter()
            .map(|launch| taken(&launch.pass))
            .collect()
    }

    #[test]
    fn the_levels_of_small_pictures_are_one_launch_on_gpus() {
        let gpu = DeviceInfo::imaginary;
        assert_eq!(levels(gpu(), &[64, 64], 5), [5]);
        assert_eq!(levels(gpu(), &[9, 64, 64], 64), [6]);
        assert_eq!(levels(gpu(), &[256, 256], 5), [0, 0, 3]);
        // One level has more work-groups otherwise.
        assert_eq!(levels(gpu(), &[64, 64], 1), [0]);
        assert_eq!(levels(gpu(), &[128, 128], 2), [0, 0]);
        // A row is left when the picture's height is gone.
        assert_eq!(levels(gpu(), &[4, 16], 4), [2, 0, 0]);
        assert_eq!(levels(cpu(), &[64, 64], 3), [0, 0, 0]);
        // 4 KiB hold 31 rows of 33 places.
        assert_eq!(levels(small_gpu(), &[31, 32], 5), [5]);
        assert_eq!(levels(small_gpu(), &[32, 32], 3)[0], 0);
    }

    #[test]
    fn a_work_group_for_each_picture() {
        let pass = |device, count: usize, limits: &[(&'static str, usize)]| {
            let transform = Transform::new(Wavelet::CDF_5_3, [count, 20, 30])
                .axes([1, 2])
                .levels(2);
            let problem = problem(&transform, SampleType::I16, Direction::Forward);
            let setting = Setting::of(device).only(&[Strategy::SmallPictures]);
            let design = setting.design_within(&problem, limits).unwrap();
            let pass = &design.launches[0].pass;
            let names = ["GROUP", "TILE_ROW", "TILE_SAMPLES", "SINGLE"];
            (pass.groups, names.map(|name| number(&pass.kernel, name)))
        };
        let gpu = DeviceInfo::imaginary;
        assert_eq!(pass(gpu(), 7, &[]), (7, [256, 31, 31 * 20, 0]));
        assert_eq!(
            pass(gpu(), 1, &[("small_pictures", 100)]),
            (1, [100, 31, 31 * 20, 1])
        );
        assert_eq!(pass(small_gpu(), 2, &[]), (2, [16, 31, 31 * 20, 0]));
    }
}
