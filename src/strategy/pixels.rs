//! Pixels on the signal side: what a launch that takes them is told, and the launch that makes samples of them for those that do
//! not (cl/pixels/convert.cl).

use super::cost::Cost;
use super::design::{Define, Kernel, Pass, Problem, Slots, Target, define};
use crate::transform::geometry::Geometry;
use crate::wavelet::{Direction, Pixels};

const KERNEL: &str = "convert_pixels";

/// Work-items in a work-group.
const GROUP: usize = 64;

/// What a kernel with pixels on its signal side is specialised on.
pub(super) fn defines(pixels: Option<Pixels>) -> Vec<Define> {
    let Some(Pixels { pixel, level_shift }) = pixels else {
        return Vec::new();
    };
    vec![
        define("PIXEL_BITS", 8 * pixel.size()),
        define("LEVEL_SHIFT", format!("({level_shift})")),
    ]
}

/// The launch between pixels on the signal side and samples on the other, along these lines.
pub(super) fn convert(problem: &Problem, target: &Target, geometry: Geometry) -> Pass {
    let group = GROUP.min(target.work_group(KERNEL));
    let (lines, samples) = (geometry.lines as usize, geometry.samples as usize);
    let pairs = samples.div_ceil(2);
    let bytes = |size: usize| (lines * samples * size) as u64;
    let pixel = problem.pixels.map_or(0, |pixels| pixels.pixel.size());
    let sizes = [pixel, problem.sample.size()].map(bytes);
    let [bytes_read, bytes_written] = match problem.direction {
        Direction::Forward => sizes,
        Direction::Inverse => [sizes[1], sizes[0]],
    };
    Pass {
        kernel: Kernel {
            name: KERNEL,
            file: "pixels/convert.cl",
            defines: defines(problem.pixels),
            group: [group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![("pairs", pairs as i32)],
        groups: (pairs * lines).div_ceil(group),
        cost: Cost {
            bytes_read,
            bytes_written,
            launches: 1,
            ..Cost::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::design::{Array, Launch};
    use crate::strategy::tests::cases::{BOTH, Setting, cpu, large_gpu};
    use crate::transform::Transform;
    use crate::wavelet::{PixelType, SampleType, Wavelet};

    fn launches(setting: &Setting, shape: &[usize], direction: Direction) -> Vec<Launch> {
        let transform = Transform::new(Wavelet::CDF_5_3, shape).levels(3);
        let problem = Problem {
            pixels: Some(Pixels {
                pixel: PixelType::U8,
                level_shift: 128,
            }),
            ..Problem::new(&transform, SampleType::I16, direction)
        };
        setting.design(&problem).unwrap().launches
    }

    #[test]
    fn one_launch_has_the_pixels_and_no_other_sees_their_array() {
        let settings = [large_gpu(), cpu()].map(Setting::of);
        let shapes: [&[usize]; 6] = [
            &[4096, 4096],
            &[64, 64],
            &[30, 40, 50],
            &[512, 512, 3],
            &[5000],
            &[1, 1],
        ];
        for (setting, shape) in settings
            .iter()
            .flat_map(|one| shapes.map(|shape| (one, shape)))
        {
            for direction in BOTH {
                let launches = launches(setting, shape, direction);
                let array = match direction {
                    Direction::Forward => Array::Input,
                    Direction::Inverse => Array::Output,
                };
                let mut with_pixels = 0;
                for Launch { pass, arrays, .. } in &launches {
                    let defines = &pass.kernel.defines;
                    let has_pixels = defines.iter().any(|(name, _)| name == "PIXEL_BITS");
                    with_pixels += usize::from(has_pixels);
                    assert_eq!(
                        arrays.signal == array,
                        has_pixels,
                        "{shape:?}: {launches:?}"
                    );
                    assert!(arrays.bands != array && arrays.low != Some(array));
                }
                assert_eq!(with_pixels, 1, "{shape:?}");
            }
        }
    }

    #[test]
    fn large_pictures_take_no_launch_more() {
        for (setting, levels) in [(Setting::of(large_gpu()), 2), (Setting::of(cpu()), 3)] {
            for direction in BOTH {
                let launches = launches(&setting, &[4096, 4096], direction);
                assert_eq!(launches.len(), levels, "{launches:?}");
            }
        }
        let volume = launches(&Setting::of(cpu()), &[30, 40, 50], Direction::Inverse);
        assert_eq!(volume.last().unwrap().pass.kernel.name, KERNEL);
    }
}
