//! The last levels of a transform of pictures in one launch: a work-group a picture, in local memory
//! (cl/tail_2d.cl).

use super::{Array, Kernel, Pass, Problem, Strategy, Target, levels};
use crate::device_info::DeviceKind;
use crate::geometry::Arguments;
use crate::transform::Level;

/// What the kernel is specialised on besides the prelude.
pub(super) struct Tail {
    /// Samples of local memory that a picture may take.
    samples: usize,
    group: usize,
    x_first: bool,
}

impl Tail {
    /// The tail of a strategy that lifts along x first, or not.
    pub fn new(strategy: Strategy, problem: &Problem, target: &Target) -> Self {
        let device = target.device;
        let tuned = |name, default| {
            let tuning = target.tuning;
            tuning.size(name, strategy, problem, device, default)
        };
        let local = device.local_memory as usize / problem.sample.size();
        // A CPU runs the work-items of a group in turn, those without work too.
        let group = match device.kind {
            DeviceKind::Cpu => 8,
            DeviceKind::Gpu | DeviceKind::Accelerator => 512,
        };
        let most = device.max_work_group.min(device.max_work_items[0]).max(1);
        Tail {
            samples: tuned("TAIL", 64 * row(64)).min(local).max(1),
            group: tuned("TAIL_GROUP", group).min(most),
            x_first: levels::x_first(problem),
        }
    }

    /// How many of the last levels fit; none where it is just one, which is better off with more
    /// work-groups.
    pub fn levels(&self, levels: &[Level]) -> usize {
        let fits = |level: &&Level| match level.shape[..] {
            [.., height, width] => height * row(width) <= self.samples,
            _ => false,
        };
        let count = levels.iter().rev().take_while(fits).count();
        if count > 1 { count } else { 0 }
    }

    /// The launch for `levels` levels, of which the arguments describe the first.
    pub fn launch(
        &self,
        levels: usize,
        mut arguments: Arguments,
        (from, to): (Array, Array),
    ) -> Pass {
        arguments.step = levels as i32;
        let pictures = arguments.across[1] * arguments.across[2];
        let kernel = Kernel {
            name: "tail_2d",
            parts: &["boundary.cl", "plane.cl", "tile_2d.cl", "tail_2d.cl"],
            defines: vec![
                ("GROUP", self.group),
                ("TAIL", self.samples),
                ("X_FIRST", usize::from(self.x_first)),
            ],
            group: [self.group, 1],
        };
        Pass {
            kernel,
            from,
            to,
            corner: None,
            arguments,
            groups: pictures as usize,
        }
    }
}

/// Places from row to row of a tile, `TILE_ROW` in cl/tile_2d.cl.
pub(super) fn row(width: usize) -> usize {
    width | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_info::DeviceInfo;
    use crate::sample::SampleType;
    use crate::strategy::Design;
    use crate::transform::Transform;
    use crate::tuning::Tuning;
    use crate::wavelet::{Direction, Wavelet};

    const BOTH: [Direction; 2] = [Direction::Forward, Direction::Inverse];

    fn design(transform: &Transform, sample: SampleType, direction: Direction) -> Design {
        design_by("", transform, sample, direction)
    }

    fn design_by(
        tuning: &str,
        transform: &Transform,
        sample: SampleType,
        direction: Direction,
    ) -> Design {
        let problem = Problem {
            transform: transform.clone(),
            sample,
            direction,
        };
        let target = Target {
            device: &DeviceInfo::imaginary(),
            tuning: &tuning.parse::<Tuning>().unwrap(),
        };
        Strategy::Streamed.design(&problem, &target)
    }

    fn transform(shape: &[usize], levels: u32) -> Transform {
        let axes = [shape.len() - 2, shape.len() - 1];
        Transform::new(Wavelet::CDF_9_7, shape)
            .axes(axes)
            .levels(levels)
    }

    /// How many levels each launch does, 1 for those that are no tail.
    fn launches(transform: &Transform) -> Vec<i32> {
        let design = design(transform, SampleType::F32, Direction::Forward);
        let levels = |pass: &Pass| match pass.kernel.name {
            "tail_2d" => pass.arguments.step,
            _ => 1,
        };
        design.passes.iter().map(levels).collect()
    }

    #[test]
    fn the_last_levels_take_one_launch() {
        assert_eq!(launches(&transform(&[64, 64], 5)), [5]);
        assert_eq!(launches(&transform(&[64, 64], 64)), [6]);
        assert_eq!(launches(&transform(&[65, 65], 5)), [1, 4]);
        assert_eq!(launches(&transform(&[512, 512], 5)), [1, 1, 1, 2]);
        assert_eq!(launches(&transform(&[9, 50, 1], 4)), [4]);
    }

    #[test]
    fn one_level_has_no_tail() {
        assert_eq!(launches(&transform(&[64, 64], 1)), [1]);
        assert_eq!(launches(&transform(&[1024, 1024], 5)), [1; 5]);
        assert_eq!(launches(&transform(&[4096, 4096], 5)), [1; 5]);
    }

    #[test]
    fn a_picture_that_fits_needs_no_scratch() {
        for direction in BOTH {
            let design = design(&transform(&[3, 64, 64], 5), SampleType::F64, direction);
            let [pass] = &design.passes[..] else {
                panic!("{design:?}");
            };
            assert_eq!((pass.from, pass.to), (Array::Input, Array::Output));
            assert_eq!((pass.corner, pass.arguments.has_corner), (None, 0));
            assert_eq!((pass.groups, design.scratch), (3, [0, 0]));
        }
    }

    #[test]
    fn the_tail_takes_the_low_band_of_the_level_before() {
        let transform = transform(&[2, 200, 120], 4);
        let forward = design(&transform, SampleType::F32, Direction::Forward);
        assert_eq!(forward.scratch, [2 * 100 * 60, 2 * 50 * 30]);
        let [finest, second, tail] = &forward.passes[..] else {
            panic!("{forward:?}");
        };
        assert_eq!(finest.corner, Some(Array::Scratch(0)));
        assert_eq!(second.corner, Some(Array::Scratch(1)));
        assert_eq!((tail.from, tail.to), (Array::Scratch(1), Array::Output));
        assert_eq!((tail.groups, tail.arguments.step), (2, 2));

        let mut inverse = design(&transform, SampleType::F32, Direction::Inverse);
        inverse.passes.reverse();
        let tail = &inverse.passes[2];
        assert_eq!((tail.from, tail.to), (Array::Input, Array::Scratch(1)));
        assert_eq!(inverse.passes[1].corner, Some(Array::Scratch(1)));
    }

    #[test]
    fn tiles_stay_within_local_memory() {
        let large = "gpu | streamed | f64 | TAIL=100000";
        let transform = transform(&[256, 256], 8);
        for direction in BOTH {
            let design = design_by(large, &transform, SampleType::F64, direction);
            let tail = design.passes.iter().find(|p| p.kernel.name == "tail_2d");
            let tile = ("TAIL", (48 << 10) / 8);
            assert!(tail.unwrap().kernel.defines.contains(&tile));
        }
        let none = "gpu | streamed | f32 | TAIL=1";
        let design = design_by(none, &transform, SampleType::F32, Direction::Forward);
        assert_eq!(design.passes.len(), 8);
    }
}
