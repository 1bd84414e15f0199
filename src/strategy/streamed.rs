//! One launch a level for the last two axes: sub-groups march along strips of columns, both axes in
//! registers (cl/streamed_2d.cl). Where the picture can not simply go on beside itself (extension.rs), other
//! work-groups of the launch do the border (cl/frame_2d.cl). The last levels are one launch (tail.rs).

use super::tail::Tail;
use super::{Array, Design, Fit, Kernel, Pass, Problem, Strategy, Target, levels};
use crate::device_info::{DeviceInfo, DeviceKind, Exchange};
use crate::extension::{Extension, is_symmetric};
use crate::geometry::{Arguments, Side};
use crate::lags::Lags;
use crate::prelude;
use crate::reach::Reach;
use crate::sample::SampleType;
use crate::transform::Transform;
use crate::wavelet::Direction;

/// Pairs that a tile of the border is long.
const FRAME_PAIRS: usize = 16;

pub(super) fn fit(problem: &Problem, target: &Target) -> Fit {
    let device = target.device;
    let transform = &problem.transform;
    if let Some(why) = levels::no_picture(transform) {
        return Fit::No { why };
    }
    let sizes = Sizes::new(problem, target);
    let pairs = sizes.pairs;
    let stencils = prelude::stencils(&transform.wavelet, problem.sample, problem.direction);
    let far = |offset: i32| offset.unsigned_abs() as usize > pairs;
    if device.exchange != Exchange::None && stencils.iter().any(|s| far(s.first) || far(s.last())) {
        return Fit::No {
            why: format!("a step reaches over {pairs} pairs, past the neighbouring work-item"),
        };
    }
    if sizes.strip == 0 {
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

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    reach: Reach,
    lanes: usize,
    group: usize,
    /// Pairs of columns that one work-item holds.
    pairs: usize,
    /// Pairs of rows that are loaded before they are needed.
    ahead: usize,
    /// When each step runs along y.
    lags: Lags,
    /// Sub-groups for each compute unit; 0 for as many as suit the picture.
    filling: usize,
    /// Pairs of rows that a segment has at least.
    shortest: usize,
    /// Pairs of rows from which on segments march apart.
    turning: usize,
    /// Pairs at each end that make the joined line of the border, along x for rows that go by vectors.
    border: usize,
    /// Samples of local memory that a tile of the border needs.
    tile: usize,
    /// Pairs of columns that a sub-group stores.
    strip: usize,
}

impl Sizes {
    fn new(problem: &Problem, target: &Target) -> Self {
        let device = target.device;
        let tuned = |name, default| {
            target
                .tuning
                .size(name, Strategy::Streamed, problem, device, default)
        };
        // Vectors are powers of two.
        let pairs = tuned("PAIRS", 4).next_power_of_two().clamp(2, 16);
        let wavelet = &problem.transform.wavelet;
        let stencils = prelude::stencils(wavelet, problem.sample, problem.direction);
        let reach = Reach::new(&stencils);
        let (lanes, overlap) = match device.exchange {
            Exchange::None => (1, 0),
            _ => {
                let overlap = reach.before.div_ceil(pairs) + reach.after.div_ceil(pairs);
                (device.lanes, overlap)
            }
        };
        let window = 2 * (reach.before + FRAME_PAIRS + reach.after);
        let mut sizes = Sizes {
            lanes,
            // Whole sub-groups.
            group: (tuned("GROUP", 128).min(device.max_work_group) / lanes).max(1) * lanes,
            pairs,
            ahead: tuned("AHEAD", 2).max(1),
            lags: Lags::new(&stencils),
            filling: tuned("FILLING", 0),
            shortest: tuned("SHORTEST", 2).max(1),
            turning: tuned("TURNING", 12),
            border: reach.border(),
            tile: 0,
            strip: lanes.saturating_sub(overlap) * pairs,
            reach,
        };
        let (x, y) = (4 * sizes.border_x(false), 4 * sizes.border);
        sizes.tile = (row(x) * window.max(y)).max(row(window) * y);
        sizes
    }

    /// Pairs at the ends of a row that make the joined line of the border. Where rows do not go by vectors, the
    /// work-item in which the picture ends is border too, with those in its reach.
    fn border_x(&self, wide: bool) -> usize {
        let more = if wide { 1 } else { 2 };
        self.border + more * (self.pairs - 1)
    }

    /// How many pairs of rows a segment has, where `rows` pairs of each of `strips` strips are shared out.
    fn windows(&self, rows: usize, strips: usize, compute_units: usize) -> usize {
        let windows = |filling: usize| {
            // Not one more than fill the device: a few that come after all others would take as long again.
            let most = compute_units * filling / strips;
            rows.div_ceil(most.clamp(1, rows.div_ceil(self.shortest)))
        };
        // Turns of the loop without a result.
        let overlap = self.reach.before + self.lags.last;
        // Many more than run at once even out, as long as the overlaps do not count; next best is what runs at once.
        // Where the picture is small, fewer are faster on their way. Measured on an NVIDIA H200.
        match self.filling {
            0 if windows(48) >= 5 * overlap => windows(48),
            0 if windows(12) >= 4 * overlap => windows(12),
            0 => windows(8),
            filling => windows(filling),
        }
    }

    /// Whether a line of `samples` samples is so long that what a stream reads beyond it is within one turn.
    fn is_long(&self, samples: usize) -> bool {
        samples > 2 * (self.reach.before.max(self.reach.after) + 1)
    }

    /// The pairs of columns that depend on no border, in whole work-items; none where the whole width is border.
    fn columns(&self, width: usize, wide: bool) -> std::ops::Range<usize> {
        let (pairs, after) = (width.div_ceil(2), self.reach.after);
        if pairs <= 2 * self.border_x(wide) {
            return 0..0;
        }
        let end = if wide {
            pairs - after - 1
        } else {
            width / 2 - after.next_multiple_of(self.pairs)
        };
        self.reach.before.next_multiple_of(self.pairs)..end / self.pairs * self.pairs
    }
}

pub(super) fn design(problem: &Problem, target: &Target) -> Design {
    let sizes = Sizes::new(problem, target);
    let tail = Tail::new(Strategy::Streamed, problem, target);
    levels::with_tail(problem, Some(&tail), |arguments, arrays| {
        launch(problem, target.device, &sizes, arguments, arrays)
    })
}

fn launch(
    problem: &Problem,
    device: &DeviceInfo,
    sizes: &Sizes,
    mut arguments: Arguments,
    (from, to, corner): (Array, Array, Option<Array>),
) -> Pass {
    let forward = problem.direction == Direction::Forward;
    let vector = (16 / problem.sample.size()).max(1);
    let (near_size, far_size) = (vector.min(2 * sizes.pairs), vector.min(sizes.pairs));
    let (near, far) = if forward {
        (&arguments.from, &arguments.to)
    } else {
        (&arguments.to, &arguments.from)
    };
    let corner_is_wide = arguments.has_corner == 0 || is_wide(&arguments.corner, 1, far_size);
    let aligned = is_wide(near, 2, near_size) && is_wide(far, 1, far_size) && corner_is_wide;

    let [height, width] = [arguments.across[0], arguments.samples].map(|n| n as usize);
    let pictures = (arguments.across[1] * arguments.across[2]) as usize;
    let planar =
        far.line.pair == 1 && (arguments.has_corner == 0 || arguments.corner.line.pair == 1);
    let wide = aligned && width % (2 * sizes.pairs) == 0;
    let extension =
        extension(problem, [height, width]).filter(|_| sizes.is_long(height.min(width)));
    let turns = matches!(extension, Some(Extension::Mirrored | Extension::Held))
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

    let strips = columns.end.div_ceil(sizes.strip);
    let mut segments = 0;
    if !rows.is_empty() && !columns.is_empty() {
        let windows = sizes.windows(rows.len(), strips * pictures, device.compute_units);
        segments = rows.len().div_ceil(windows);
        arguments.windows = windows as i32;
        arguments.step = i32::from(windows >= sizes.turning);
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
    // Every pair of rows that is kept or waits has its own registers, whatever the phase of the loop.
    let kept = match extension {
        Some(Extension::Held) => sizes.lags.kept.max(sizes.lags.last + 2),
        _ => sizes.lags.kept,
    };
    let ring = kept.next_multiple_of(sizes.ahead);
    let mut defines = vec![
        ("EXCHANGE", device.exchange.number()),
        ("LANES", sizes.lanes),
        ("GROUP", sizes.group),
        ("PAIRS", sizes.pairs),
        ("AHEAD", sizes.ahead),
        ("RING", ring),
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
    ];
    if device.kind != DeviceKind::Cpu {
        defines.push(("WRITTEN_OUT", 1));
    }
    if extension.is_none() {
        defines.extend([
            ("BORDER_X", sizes.border_x(wide)),
            ("BORDER_Y", sizes.border),
            ("FRAME_PAIRS", FRAME_PAIRS),
            ("TILE", sizes.tile),
        ]);
    }
    let kernel = Kernel {
        name: "streamed_2d",
        parts: match extension {
            Some(_) => &["exchange.cl", "plane.cl", "streamed_2d.cl"],
            None => &[
                "boundary.cl",
                "exchange.cl",
                "plane.cl",
                "tile_2d.cl",
                "frame_2d.cl",
                "streamed_2d.cl",
            ],
        },
        defines,
        group: [sizes.group, 1],
    };
    Pass {
        kernel,
        from,
        to,
        corner,
        arguments,
        groups: frames + (strips * segments).div_ceil(sub_groups) * pictures,
    }
}

/// Places from row to row of a tile of the border, `TILE_ROW` in cl/tile_2d.cl.
fn row(width: usize) -> usize {
    width | 1
}

/// How both axes of a picture have to go on for the boundary rule, if there is such a way.
fn extension(problem: &Problem, sides: [usize; 2]) -> Option<Extension> {
    let Transform {
        wavelet, boundary, ..
    } = &problem.transform;
    let [y, x] = sides.map(|samples| Extension::new(wavelet, problem.sample, *boundary, samples));
    x.filter(|_| x == y)
}

/// Whether every row starts at a multiple of `size` samples and neighbours of a row are `apart` the
/// `line.pair` that they should have.
fn is_wide(side: &Side, pair: i64, size: usize) -> bool {
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
        (Sizes::new(&problem, &target), fit(&problem, &target))
    }

    #[test]
    fn odd_tunings_still_give_whole_vectors_and_sub_groups() {
        let odd = "gpu | streamed | f32 | PAIRS=3 GROUP=100";
        let (sizes, fit) = sizes(odd, 32, Wavelet::CDF_9_7, SampleType::F32);
        assert_eq!((sizes.pairs, sizes.group, sizes.strip), (4, 96, 30 * 4));
        assert_eq!(fit, Fit::Preferred);
    }

    #[test]
    fn segments_suit_the_picture() {
        let windows = |tuning, side: usize| {
            let (sizes, _) = sizes(tuning, 32, Wavelet::CDF_9_7, SampleType::F32);
            let pairs = side / 2;
            sizes.windows(pairs, pairs.div_ceil(sizes.strip), 132)
        };
        let sides = [8192, 4096, 2048, 64];
        assert_eq!(sides.map(|side| windows("", side)), [23, 24, 9, 2]);
        let two = "gpu | streamed | f32 | FILLING=2";
        assert_eq!(windows(two, 8192), 586);
    }

    #[test]
    fn sub_groups_that_are_all_overlap_are_refused() {
        let narrow = "gpu | streamed | i32 | PAIRS=8";
        let (_, fit) = sizes(narrow, 2, Wavelet::VC2_FIDELITY, SampleType::I32);
        assert!(matches!(fit, Fit::No { why } if why.contains("overlap")));
    }
}
