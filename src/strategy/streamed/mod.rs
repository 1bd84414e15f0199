//! One launch a level for the last two axes: sub-groups march along strips of columns, both axes in registers
//! (cl/streamed_2d.cl). Two levels of a large picture are one launch (cl/two_levels_2d.cl), and so are the last levels
//! (tail.rs). Where the picture can not simply go on beside itself (extension.rs), other work-groups of the launch do
//! the border (cl/frame_2d.cl).

mod sizes;

use self::sizes::{FRAME_PAIRS, Sizes, ring, with_whole_end};
use super::tail::Tail;
use super::{Array, Design, Fit, Kernel, Pass, Problem, Strategy, Target, levels};
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::lifting::extension::{Extension, is_symmetric};
use crate::transform::Transform;
use crate::transform::geometry::{Arguments, Axis, Side};
use crate::wavelet::Direction;
use crate::wavelet::SampleType;

const ONE_LEVEL: [&str; 5] = [
    "exchange.cl",
    "plane.cl",
    "streamed_lifting.cl",
    "streamed_rows.cl",
    "streamed_2d.cl",
];
const TWO_LEVELS: [&str; 5] = [
    "exchange.cl",
    "plane.cl",
    "streamed_lifting.cl",
    "streamed_rows.cl",
    "two_levels_2d.cl",
];
const ONE_LEVEL_AND_FRAME: [&str; 8] = [
    "boundary.cl",
    "exchange.cl",
    "plane.cl",
    "tile_2d.cl",
    "frame_2d.cl",
    "streamed_lifting.cl",
    "streamed_rows.cl",
    "streamed_2d.cl",
];

pub(super) fn fit(problem: &Problem, target: &Target) -> Fit {
    let device = target.device;
    let transform = &problem.transform;
    if let Some(why) = levels::no_picture(transform) {
        return Fit::No { why };
    }
    let sizes = Sizes::new(problem, target, 1);
    let pairs = sizes.pairs;
    if device.exchange != Exchange::None && sizes.farthest > pairs {
        return Fit::No {
            why: format!("a step reaches over {pairs} pairs, past the neighbouring work-item"),
        };
    }
    if sizes.strip() == 0 {
        return Fit::No {
            why: format!("sub-groups of {} are all overlap", sizes.lanes),
        };
    }
    // And a row for each sub-group, where rows are not aligned.
    let local = ((sizes.tile + 2 * pairs * sizes.group) * problem.sample.size()) as u64;
    if local > device.local_memory {
        let have = device.local_memory;
        return Fit::No {
            why: format!(
                "its border tiles and rows need {local} bytes of local memory, there are {have}"
            ),
        };
    }
    if device.max_work_group < sizes.group || device.max_work_items[0] < sizes.group {
        return Fit::No {
            why: format!("it needs work-groups of {}", sizes.group),
        };
    }
    match device.kind {
        DeviceKind::Gpu => Fit::Preferred,
        DeviceKind::Cpu | DeviceKind::Accelerator => Fit::Works,
    }
}

pub(super) fn design(problem: &Problem, target: &Target) -> Design {
    let sizes = [1, 2].map(|levels| Sizes::new(problem, target, levels));
    let tail = Tail::new(Strategy::Streamed, problem, target);
    levels::with_tail(problem, 2, Some(&tail), |count, arguments, arrays| {
        launch(problem, target.device, &sizes[count - 1], arguments, arrays)
    })
}

fn launch(
    problem: &Problem,
    device: &DeviceInfo,
    sizes: &Sizes,
    mut arguments: Arguments,
    (from, to, corner): (Array, Array, Option<Array>),
) -> Option<Pass> {
    let forward = problem.direction == Direction::Forward;
    let (near, far) = if forward {
        (&arguments.from, &arguments.to)
    } else {
        (&arguments.to, &arguments.from)
    };
    let two_levels = sizes.levels == 2;
    let [height, width] = [arguments.across[0], arguments.samples].map(|n| n as usize);
    let pictures = (arguments.across[1] * arguments.across[2]) as usize;
    let planar =
        far.line.pair == 1 && (arguments.has_corner == 0 || arguments.corner.line.pair == 1);
    // Rows that are aligned, and of whole work-items, go by vectors; if need be of fewer pairs.
    let is_wide = |sizes: &Sizes| {
        let [near_size, far_size, corner_size] = sizes.vectors(problem.sample);
        width.is_multiple_of(2 * sizes.pairs)
            && is_aligned(near, 2, near_size)
            && is_aligned(far, 1, far_size)
            && (arguments.has_corner == 0 || is_aligned(&arguments.corner, 1, corner_size))
    };
    let narrower = sizes.with_fewer_pairs().find(is_wide);
    let sizes = match &narrower {
        Some(narrower) if !is_wide(sizes) => narrower,
        _ => sizes,
    };
    let wide = is_wide(sizes);
    let [near_size, far_size, corner_size] = sizes.vectors(problem.sample);
    let extension =
        extension(problem, [height, width]).filter(|_| sizes.is_long(height.min(width)));
    if two_levels && !(wide && planar && sizes.fits_two(extension, height)) {
        return None;
    }
    let turns = matches!(extension, Some(Extension::Mirrored | Extension::Clamped))
        && is_symmetric(&problem.transform.wavelet, problem.sample);
    let (rows, columns, frames) = if extension.is_some() {
        (0..height.div_ceil(2), 0..width.div_ceil(2), 0)
    } else {
        let (rows, columns) = (sizes.reach.inner(height), sizes.columns(width, wide));
        arguments.frame_x = columns.len().div_ceil(FRAME_PAIRS) as i32;
        arguments.frame_y = rows.len().div_ceil(FRAME_PAIRS) as i32;
        let frames = (1 + arguments.frame_x + arguments.frame_y) as usize * pictures;
        (rows, columns, frames)
    };

    let strips = columns.end.div_ceil(sizes.strip());
    let kept = match extension {
        Some(Extension::Clamped) => sizes.lags.kept.max(sizes.lags.last + 2),
        _ => sizes.lags.kept,
    };
    let (mut segments, mut ahead, mut short) = (0, sizes.ahead, false);
    if !rows.is_empty() && !columns.is_empty() {
        let (rows, strips) = (rows.len(), strips * pictures);
        let mut windows;
        (windows, ahead) = sizes.share(rows, strips, kept, device.compute_units);
        // Only the outermost segments may read beyond the picture: all are longer than what they read beyond their
        // ends, the last one too. Where rows are held short ones may as well, which costs more.
        let most = sizes.reach.before.max(sizes.reach.after);
        if two_levels {
            if windows < sizes.shortest {
                return None;
            }
            windows = with_whole_end(windows.next_multiple_of(2), rows, 2, 2 * most);
        } else if extension == Some(Extension::Clamped) {
            short = windows <= most;
            if !short {
                windows = with_whole_end(windows, rows, 1, most + 1);
            }
        }
        segments = rows.div_ceil(windows);
        arguments.windows = windows as i32;
        arguments.step = match (sizes.levels, problem.direction) {
            (1, _) => i32::from(windows >= sizes.turning),
            // The last segment marches up, or down.
            (_, Direction::Forward) => 1 + 2 * (segments as i32 - 1),
            (_, Direction::Inverse) => 1 + 2 * segments as i32,
        };
    }
    arguments.groups = strips as i32;
    arguments.segments = segments as i32;
    let sub_groups = sizes.group / sizes.lanes;

    // Two 16-bit samples wait in a word, where vectors are of whole words.
    let packed = problem.sample == SampleType::I16
        && wide
        && far_size > 2
        && device.exchange != Exchange::None;
    let in_word = if packed { 2 } else { 1 };
    let mut defines = vec![
        ("EXCHANGE", device.exchange.number()),
        ("LANES", sizes.lanes),
        ("GROUP", sizes.group),
        ("PAIRS", sizes.pairs),
        ("AHEAD", ahead),
        ("RING", ring(kept, ahead)),
        ("NEAR_SIZE", near_size),
        ("FAR_SIZE", far_size),
        ("PACKED", usize::from(packed)),
        ("NEAR_WORDS", near_size / in_word),
        ("FAR_WORDS", far_size / in_word),
        ("X_FIRST", usize::from(levels::x_first(problem))),
        ("WIDE", usize::from(wide)),
        ("PLANAR", usize::from(planar)),
        ("EXTENSION", extension.map_or(0, |way| way as usize)),
        ("TURNS", usize::from(turns)),
        ("SHORT_SEGMENTS", usize::from(short)),
        ("LEVELS", sizes.levels),
        ("SINGLE", usize::from(pictures == 1)),
    ];
    if two_levels {
        defines.push(("COARSE_SIZE", corner_size));
        defines.push(("COARSE_RUN", corner_size / in_word));
    }
    if device.kind != DeviceKind::Cpu {
        defines.push(("WRITTEN_OUT", 1));
    }
    // For GPUs, where a product of 64 bits takes six instructions. CPUs without exchange keep the general way under
    // test.
    let sides = [Some(near), Some(far), corner.map(|_| &arguments.corner)];
    // The last sub-group has columns past the picture.
    let beyond = 2 * sizes.lanes * sizes.pairs;
    if device.exchange != Exchange::None
        && sides
            .into_iter()
            .flatten()
            .all(|side| is_narrow(side, height, width + beyond))
    {
        defines.push(("NARROW", 1));
    }
    if extension.is_none() {
        defines.extend([
            ("BORDER_X", sizes.border_x(wide)),
            ("BORDER_Y", sizes.border),
            ("FRAME_PAIRS", FRAME_PAIRS),
            ("TILE", sizes.tile),
        ]);
    }
    let (name, parts): (_, &[_]) = match (two_levels, extension) {
        (true, _) => ("two_levels_2d", &TWO_LEVELS),
        (_, Some(_)) => ("streamed_2d", &ONE_LEVEL),
        (_, None) => ("streamed_2d", &ONE_LEVEL_AND_FRAME),
    };
    let kernel = Kernel {
        name,
        parts,
        defines,
        group: [sizes.group, 1],
    };
    Some(Pass {
        kernel,
        from,
        to,
        corner,
        arguments,
        groups: frames + (strips * segments).div_ceil(sub_groups) * pictures,
    })
}

/// How both axes of a picture have to go on for the boundary rule, if there is such a way.
fn extension(problem: &Problem, sides: [usize; 2]) -> Option<Extension> {
    let Transform {
        wavelet, boundary, ..
    } = &problem.transform;
    let [y, x] = sides.map(|samples| Extension::new(wavelet, problem.sample, *boundary, samples));
    x.filter(|_| x == y)
}

/// Whether the distances between the samples of a picture fit 32 bits.
fn is_narrow(side: &Side, height: usize, width: usize) -> bool {
    let length = |axis: Axis, samples: usize| {
        axis.pair
            .saturating_mul(samples.div_ceil(2) as i64)
            .saturating_add(axis.high)
    };
    let (y, x) = (length(side.across[0], height), length(side.line, width));
    y.saturating_add(x) <= i64::from(i32::MAX)
}

/// Whether every row starts at a multiple of `size` samples and neighbours of a row are `apart` the
/// `line.pair` that they should have.
fn is_aligned(side: &Side, pair: i64, size: usize) -> bool {
    let aligned = |place: i64| place % size as i64 == 0;
    let rows = side
        .across
        .iter()
        .all(|axis| aligned(axis.pair) && aligned(axis.high));
    let starts = pair == 2 || aligned(side.line.high);
    side.line.pair == pair && rows && starts && aligned(side.offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::tuning::Tuning;
    use crate::transform::Layout;
    use crate::wavelet::Wavelet;

    fn sizes(tuning: &str, lanes: usize, wavelet: Wavelet, sample: SampleType) -> (Sizes, Fit) {
        let problem = Problem {
            transform: Transform::new(wavelet, [512, 512]),
            sample,
            direction: Direction::Forward,
        };
        let device = DeviceInfo {
            exchange: Exchange::Khr,
            lanes,
            ..DeviceInfo::imaginary()
        };
        let target = Target {
            device: &device,
            tuning: &tuning.parse().unwrap(),
        };
        (Sizes::new(&problem, &target, 1), fit(&problem, &target))
    }

    #[test]
    fn odd_tunings_still_give_whole_vectors_and_sub_groups() {
        let odd = "gpu | streamed | f32 | PAIRS=3 GROUP=100";
        let (sizes, fit) = sizes(odd, 32, Wavelet::CDF_9_7, SampleType::F32);
        assert_eq!((sizes.pairs, sizes.group, sizes.strip()), (4, 96, 30 * 4));
        assert_eq!(fit, Fit::Preferred);
    }

    #[test]
    fn fewer_pairs_let_rows_go_by_vectors() {
        let pairs = |width: usize, layout| {
            let problem = Problem {
                transform: Transform::new(Wavelet::CDF_5_3, [64, width]).layout(layout),
                sample: SampleType::I16,
                direction: Direction::Inverse,
            };
            let device = DeviceInfo {
                exchange: Exchange::Khr,
                lanes: 32,
                ..DeviceInfo::imaginary()
            };
            let tuning = "gpu | streamed | i16 | PAIRS=8".parse().unwrap();
            let target = Target {
                device: &device,
                tuning: &tuning,
            };
            let design = design(&problem, &target);
            let defines = &design.passes[0].kernel.defines;
            ["PAIRS", "WIDE"].map(|name| defines.iter().find(|define| define.0 == name).unwrap().1)
        };
        for (width, expected) in [
            (1024, [8, 1]),
            (1000, [4, 1]),
            (1004, [8, 0]),
            (1001, [8, 0]),
        ] {
            assert_eq!(pairs(width, Layout::Mallat), expected, "{width}");
        }
        assert_eq!(pairs(1000, Layout::Interleaved), [8, 0]);
    }

    #[test]
    fn large_pictures_go_two_levels_at_once() {
        let names = |side: usize, direction, max_work_group| {
            let problem = Problem {
                transform: Transform::new(Wavelet::CDF_9_7, [side, side]).levels(4),
                sample: SampleType::F32,
                direction,
            };
            let device = DeviceInfo {
                exchange: Exchange::Khr,
                lanes: 32,
                compute_units: 132,
                max_work_group,
                ..DeviceInfo::imaginary()
            };
            let design = design(
                &problem,
                &Target {
                    device: &device,
                    tuning: &Tuning::default(),
                },
            );
            // No pass reads an array that it writes.
            assert!(design.passes.iter().all(|pass| {
                pass.from != pass.to && ![pass.from, pass.to].map(Some).contains(&pass.corner)
            }));
            let name = |pass: &Pass| pass.kernel.name;
            (design.passes.iter().map(name).collect(), design.scratch)
        };
        let (forward, scratch): (Vec<_>, _) = names(8192, Direction::Forward, 256);
        assert_eq!(forward, ["two_levels_2d", "streamed_2d", "streamed_2d"]);
        // The low bands of two levels, and of three.
        assert_eq!(scratch, [2048 * 2048, 1024 * 1024]);
        let (inverse, _): (Vec<_>, _) = names(8192, Direction::Inverse, 256);
        assert_eq!(inverse, ["streamed_2d", "streamed_2d", "two_levels_2d"]);
        let (small, _): (Vec<_>, _) = names(2048, Direction::Forward, 256);
        assert_eq!(small, ["streamed_2d"; 4]);
        // A kernel of two levels that allows half a sub-group is none.
        let (halved, _): (Vec<_>, _) = names(8192, Direction::Forward, 16);
        assert_eq!(halved, ["streamed_2d"; 4]);
    }

    #[test]
    fn distances_are_narrow_where_a_picture_has_less_than_2_to_31_samples() {
        let narrow = |side: usize, layout| {
            let problem = Problem {
                transform: Transform::new(Wavelet::CDF_5_3, [side, side]).layout(layout),
                sample: SampleType::I16,
                direction: Direction::Forward,
            };
            let device = DeviceInfo {
                exchange: Exchange::Khr,
                lanes: 32,
                ..DeviceInfo::imaginary()
            };
            let target = Target {
                device: &device,
                tuning: &Tuning::default(),
            };
            let kernel = &design(&problem, &target).passes[0].kernel;
            assert_eq!(kernel.name, "streamed_2d");
            kernel.defines.contains(&("NARROW", 1))
        };
        for layout in [Layout::Mallat, Layout::Interleaved] {
            assert!(narrow(46_000, layout) && !narrow(47_000, layout));
        }
    }

    #[test]
    fn sub_groups_that_are_all_overlap_are_refused() {
        let narrow = "gpu | streamed | i32 | PAIRS=8";
        let (_, fit) = sizes(narrow, 2, Wavelet::VC2_FIDELITY, SampleType::I32);
        assert!(matches!(fit, Fit::No { why } if why.contains("overlap")));
    }
}
