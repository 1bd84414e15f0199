//! Pixels on the signal side: what a launch that takes them is told, and the launch that makes
//! samples of them for those that do not (cl/pixels/convert.cl).

use super::super::planning::cost::Meter;
use super::super::planning::design::{
    Define, Kernel, LARGEST_VECTOR, Pass, Problem, Slots, Target, define,
};
use crate::transform::Region;
use crate::transform::geometry::{Geometry, Sides, View, innermost};
use crate::wavelet::Pixels;

const KERNEL: &str = "convert_pixels";

/// Work-items in a work-group.
const GROUP: usize = 256;

/// What a kernel with pixels on its signal side is specialised on.
pub(in crate::strategy) fn defines(pixels: Option<Pixels>) -> Vec<Define> {
    let Some(Pixels { pixel, level_shift }) = pixels else {
        return Vec::new();
    };
    vec![
        define("PIXEL_BITS", 8 * pixel.size()),
        define("LEVEL_SHIFT", format!("({level_shift})")),
    ]
}

/// The launch between the caller's pixels and samples that stand in `bands`.
pub(in crate::strategy) fn convert(problem: &Problem, target: &Target, bands: &Region) -> Pass {
    let geometry = lines(&problem.regions.signal, bands);
    let vector = LARGEST_VECTOR / problem.sample.size();
    let by_vectors = [geometry.signal, geometry.bands]
        .iter()
        .all(|side| side.is_aligned(2, vector));
    let mut defines = defines(problem.pixels);
    if by_vectors {
        defines.push(define("VECTOR", vector));
    }
    let group = GROUP.min(target.work_group(KERNEL));
    let (lines, samples) = (geometry.lines as usize, geometry.samples as usize);
    let parts = samples.div_ceil(if by_vectors { vector } else { 1 });
    let pixel = problem.pixels.map_or(0, |pixels| pixels.pixel.size());
    Pass {
        kernel: Kernel {
            name: KERNEL,
            file: "pixels/convert.cl",
            defines,
            group: [group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![("parts", parts as i32)],
        groups: (parts * lines).div_ceil(group),
        cost: Meter::new(problem, 1, 0)
            .with_signal(pixel)
            .moved(lines * samples, lines * samples),
    }
}

/// The lines along the innermost axis; one line where both sides are in one piece and samples
/// can be counted in 32 bits.
fn lines(signal: &Region, bands: &Region) -> Geometry {
    let is_line = signal.is_dense() && bands.is_dense() && signal.len() <= i32::MAX as usize;
    let view = |region: &Region| match is_line {
        true => View {
            offset: region.offset(),
            ..View::dense(&[region.len()])
        },
        false => View::of_region(region),
    };
    let sides = Sides {
        signal: view(signal),
        bands: view(bands),
        low: None,
    };
    sides.lines(innermost(&sides.signal.shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Strategy;
    use crate::strategy::planning::design::{Array, Launch};
    use crate::strategy::tests::cases::{BOTH, Setting, cpu, large_gpu};
    use crate::transform::Transform;
    use crate::wavelet::{Direction, PixelType, SampleType, Wavelet};

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
    fn what_the_planner_prefers_takes_no_launch_more() {
        let converts = |setting: &Setting, shape: &[usize], axes: &[usize]| {
            let transform = Transform::new(Wavelet::CDF_9_7, shape).axes(axes).levels(2);
            BOTH.map(|direction| {
                let problem = Problem {
                    pixels: Some(Pixels {
                        pixel: PixelType::U8,
                        level_shift: 0,
                    }),
                    ..Problem::new(&transform, SampleType::F32, direction)
                };
                let design = setting.design(&problem).unwrap();
                let mut names = design.launches.iter().map(|launch| launch.pass.kernel.name);
                names.any(|name| name == KERNEL)
            })
        };
        // Pictures, colours, a signal, short rows, a volume in one pass and one in
        // two, an axis before others.
        let all: [(&[usize], &[usize]); 10] = [
            (&[64, 64], &[0, 1]),
            (&[4096, 4096], &[0, 1]),
            (&[4096, 16], &[0, 1]),
            (&[64, 64, 3], &[0, 1]),
            (&[1024, 1024, 3], &[0, 1]),
            (&[1 << 20], &[0]),
            (&[300, 200], &[1]),
            (&[256, 256, 256], &[0, 1, 2]),
            (&[30, 40, 50], &[0, 1, 2]),
            (&[300, 4096], &[0]),
        ];
        for (shape, axes) in all {
            for setting in [large_gpu(), cpu()].map(Setting::of) {
                assert_eq!(converts(&setting, shape, axes), [false; 2], "{shape:?}");
            }
            let setting = Setting::of(cpu()).only(&[Strategy::SEPARABLE]);
            assert_eq!(converts(&setting, shape, axes), [true; 2], "{shape:?}");
        }
    }

    #[test]
    fn arrays_in_one_piece_are_one_line() {
        let pass_between = |shape: &[usize], signal: Region, bands: Region| {
            let transform = Transform::new(Wavelet::CDF_5_3, shape);
            let mut problem = Problem::new(&transform, SampleType::I16, Direction::Forward);
            problem.pixels = Some(Pixels {
                pixel: PixelType::U8,
                level_shift: 0,
            });
            problem.regions.signal = signal;
            let setting = Setting::of(large_gpu());
            let target = Target {
                device: &setting.device,
                tuning: &setting.tuning,
                limits: &[],
                ways: &[],
            };
            let pass = convert(&problem, &target, &bands);
            let has_vector = |(name, _): &Define| name == "VECTOR";
            let by_vectors = pass.kernel.defines.iter().any(has_vector);
            (pass.geometry.lines, pass.groups, by_vectors)
        };
        let pass = |shape: &[usize], signal| pass_between(shape, signal, Region::dense(shape));
        let dense = Region::dense([101, 103]);
        // 10403 samples, 8 of them to a work-item.
        assert_eq!(pass(&[101, 103], dense.clone()), (1, 6, true));
        assert_eq!(pass(&[101, 103], dense.clone().at(1)), (1, 41, false));
        // Neither are samples in vectors where the caller's coefficients begin at any place.
        let bands = dense.clone().at(1);
        let between = pass_between(&[101, 103], dense, bands);
        assert_eq!(between, (1, 41, false));
        let rows = Region::dense([64, 96]).with_strides([128, 1]);
        assert_eq!(pass(&[64, 96], rows.clone()), (64, 3, true));
        assert_eq!(
            pass(&[64, 96], rows.with_strides([129, 1])),
            (64, 24, false)
        );
    }
}
