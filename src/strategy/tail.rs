//! The last levels of a transform of pictures in one launch: a work-group a picture, in registers
//! (cl/tail_2d.cl).

use super::{Array, Kernel, Pass, Problem, Strategy, Target, levels};
use crate::lifting::prelude;
use crate::transform::Level;
use crate::transform::geometry::Arguments;
use crate::wavelet::SampleType;
use crate::wavelet::{Channel, Stencil};

/// Samples along each axis of what a work-item holds, `PATCH` in cl/patch_2d.cl.
const PATCH: usize = 4;

/// What the kernel is specialised on besides the prelude.
pub(super) struct Tail {
    /// Patches of a work-group along x and y, a power of two each; no work-group holds more.
    patches: [usize; 2],
    /// The most samples beyond an end of a line that a step reads, at least 1.
    ghosts: usize,
    x_first: bool,
}

impl Tail {
    /// The tail of a strategy that lifts along x first, or not.
    pub fn new(strategy: Strategy, problem: &Problem, target: &Target) -> Self {
        let device = target.device;
        let most = device.max_work_group.min(device.max_work_items[0]);
        let tuning = target.tuning;
        let wanted = tuning.size("TAIL_GROUP", strategy, problem, device, 1024);
        let stencils = prelude::stencils(
            &problem.transform.wavelet,
            problem.sample,
            problem.direction,
        );
        let ghosts = stencils.iter().map(ghosts).max().unwrap_or(0).max(1);

        let exponents = (0..=wanted.min(most).max(1).ilog2()).rev();
        let sizes = exponents.map(|e| [1 << e.div_ceil(2), 1 << (e / 2)]);
        Tail {
            patches: sizes
                .into_iter()
                .find(|&patches| {
                    memory(patches, ghosts, problem.sample) as u64 <= device.local_memory
                })
                .unwrap_or([0, 0]),
            ghosts,
            x_first: levels::x_first(problem),
        }
    }

    /// How many of the last levels fit; none where it is just one, which is better off with more
    /// work-groups.
    pub fn levels(&self, levels: &[Level]) -> usize {
        let fits = |level: &&Level| match level.shape[..] {
            [.., height, width] => {
                width <= PATCH * self.patches[0] && height <= PATCH * self.patches[1]
            }
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
        let [x, y] = self.patches;
        let kernel = Kernel {
            name: "tail_2d",
            parts: &["boundary.cl", "plane.cl", "patch_2d.cl", "tail_2d.cl"],
            defines: vec![
                ("PATCHES_X", x),
                ("PATCHES_Y", y),
                ("GHOSTS", self.ghosts),
                ("X_FIRST", usize::from(self.x_first)),
            ],
            group: [x * y, 1],
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

/// Bytes of local memory that the kernel takes: `MEMORY` samples in cl/tail_2d.cl, and `Ghosts`.
fn memory([x, y]: [usize; 2], ghosts: usize, sample: SampleType) -> usize {
    let line = (x + 8) * (y + 2 * ghosts.div_ceil(2)) + 2 * x.max(y);
    let low_band = ((2 * x).max(PATCH) + 8) * (2 * y).max(PATCH);
    (2 * PATCH * line).max(low_band) * sample.size() + 8 * ghosts * size_of::<i32>()
}

/// How many samples a step reads beyond an end of a line, `GHOSTS_LO` and `GHOSTS_HI` in cl/patch_2d.cl.
fn ghosts(step: &Stencil) -> usize {
    // Of an odd number of samples, there is one more approximation.
    let longer = i32::from(step.target == Channel::Approximation);
    (-step.first).max(step.last() + longer).max(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::Design;
    use crate::strategy::tuning::Tuning;
    use crate::transform::Transform;
    use crate::wavelet::SampleType;
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
        assert_eq!(launches(&transform(&[128, 128], 5)), [5]);
        assert_eq!(launches(&transform(&[128, 128], 64)), [7]);
        assert_eq!(launches(&transform(&[128, 129], 5)), [1, 4]);
        assert_eq!(launches(&transform(&[1024, 1024], 5)), [1, 1, 1, 2]);
        assert_eq!(launches(&transform(&[9, 50, 1], 4)), [4]);
    }

    #[test]
    fn one_level_has_no_tail() {
        assert_eq!(launches(&transform(&[64, 64], 1)), [1]);
        assert_eq!(launches(&transform(&[2048, 2048], 5)), [1; 5]);
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
        let transform = transform(&[2, 400, 240], 4);
        let forward = design(&transform, SampleType::F32, Direction::Forward);
        assert_eq!(forward.scratch, [2 * 200 * 120, 2 * 100 * 60]);
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

    fn patches(tuning: &str, wavelet: Wavelet, sample: SampleType, work_group: usize) -> Tail {
        let problem = Problem {
            transform: Transform::new(wavelet, [64, 64]),
            sample,
            direction: Direction::Forward,
        };
        let target = Target {
            device: &DeviceInfo {
                max_work_group: work_group,
                ..DeviceInfo::imaginary()
            },
            tuning: &tuning.parse().unwrap(),
        };
        Tail::new(Strategy::Streamed, &problem, &target)
    }

    #[test]
    fn as_many_patches_as_local_memory_holds() {
        use SampleType::{F32, F64, I16, I32};
        for (wavelet, sample, expected) in [
            (Wavelet::CDF_9_7, F32, [32, 32]),
            (Wavelet::CDF_9_7, F64, [16, 16]),
            (Wavelet::CDF_5_3, I16, [32, 32]),
            (Wavelet::VC2_FIDELITY, I32, [32, 32]),
        ] {
            let tail = patches("", wavelet, sample, 1024);
            assert_eq!(tail.patches, expected, "{wavelet} {sample}");
        }
    }

    #[test]
    fn patches_are_powers_of_two() {
        let of = |tuning, most| patches(tuning, Wavelet::CDF_9_7, SampleType::F32, most).patches;
        assert_eq!(of("", 512), [32, 16]);
        assert_eq!(of("", 7), [2, 2]);
        assert_eq!(of("", 1), [1, 1]);
        assert_eq!(of("gpu | streamed | f32 | TAIL_GROUP=200", 1024), [16, 8]);
    }

    #[test]
    fn little_patches_take_few_levels() {
        let none = "gpu | streamed | f32 | TAIL_GROUP=1";
        let transform = transform(&[256, 256], 8);
        let design = design_by(none, &transform, SampleType::F32, Direction::Forward);
        assert_eq!(design.passes.len(), 7);
    }
}
