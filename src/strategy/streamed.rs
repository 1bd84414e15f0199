//! One launch a level for the last two axes: sub-groups march along strips of columns, both axes in registers
//! (cl/streamed_2d.cl). Two levels of a large picture are one launch (cl/two_levels_2d.cl), and so are the last levels
//! (tail.rs). Where the picture can not simply go on beside itself (extension.rs), other work-groups of the launch do
//! the border (cl/frame_2d.cl).

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
    let stencils = prelude::stencils(&transform.wavelet, problem.sample, problem.direction);
    let far = |offset: i32| offset.unsigned_abs() as usize > pairs;
    if device.exchange != Exchange::None && stencils.iter().any(|s| far(s.first) || far(s.last())) {
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

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    reach: Reach,
    lanes: usize,
    group: usize,
    /// Pairs of columns that one work-item holds.
    pairs: usize,
    /// Levels that a launch does: the sizes of those that do two have names that begin with `TWO_`.
    levels: usize,
    /// Pairs of rows that are loaded before they are needed.
    ahead: usize,
    /// The same where there are many more segments than run at once.
    many_ahead: usize,
    /// Whether one more may be loaded ahead where that takes fewer turns.
    may_go_further: bool,
    /// When each step runs along y.
    lags: Lags,
    /// Sub-groups for each compute unit; 0 for as many as suit the picture.
    filling: usize,
    /// Pairs of rows that a segment has at least; where they would be fewer, two levels are two launches.
    shortest: usize,
    /// Pairs of rows from which on segments march apart.
    turning: usize,
    /// Pairs at each end that make the joined line of the border, along x for rows that go by vectors.
    border: usize,
    /// Samples of local memory that a tile of the border needs.
    tile: usize,
    /// Whether each step reads one neighbour on each side.
    near: bool,
    /// Whether a whole sub-group may be in a work-group: a kernel may allow fewer work-items than the device.
    holds_a_sub_group: bool,
}

impl Sizes {
    fn new(problem: &Problem, target: &Target, levels: usize) -> Self {
        let (device, tuning) = (target.device, target.tuning);
        let tuned = |name: &str, default| {
            let two = format!("TWO_{name}");
            let name = if levels == 2 { &two } else { name };
            tuning.size(name, Strategy::Streamed, problem, device, default)
        };
        // Vectors are powers of two.
        let pairs = tuned("PAIRS", 4).next_power_of_two().clamp(2, 16);
        let wavelet = &problem.transform.wavelet;
        let stencils = prelude::stencils(wavelet, problem.sample, problem.direction);
        let reach = Reach::new(&stencils);
        let lags = Lags::new(&stencils);
        let lanes = match device.exchange {
            Exchange::None => 1,
            _ => device.lanes,
        };
        // Two levels gain nothing where half of the turns are overlap.
        let shortest = match levels {
            2 => 2 * levels_reach(reach.before + lags.last, 2),
            _ => 1,
        };
        let most = device.max_work_group.min(device.max_work_items[0]);
        let (ahead, is_tuned) = match tuned("AHEAD", 0) {
            0 => (2, false),
            ahead => (ahead, true),
        };
        let window = 2 * (reach.before + FRAME_PAIRS + reach.after);
        let mut sizes = Sizes {
            lanes,
            // Whole sub-groups.
            group: (tuned("GROUP", 128).min(most) / lanes).max(1) * lanes,
            pairs,
            levels,
            ahead,
            many_ahead: tuned("MANY_AHEAD", ahead).max(1),
            may_go_further: !is_tuned,
            lags,
            filling: tuned("FILLING", 0),
            shortest: tuned("SHORTEST", shortest).max(1),
            turning: tuned("TURNING", 12),
            border: reach.border(),
            tile: 0,
            holds_a_sub_group: lanes <= most,
            near: stencils.iter().all(|step| step.count == 2),
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

    /// Pairs of columns that a sub-group stores.
    fn strip(&self) -> usize {
        let overlap = |reach| match self.lanes {
            1 => 0,
            _ => levels_reach(reach, self.levels).div_ceil(self.pairs),
        };
        let lanes = self
            .lanes
            .saturating_sub(overlap(self.reach.before) + overlap(self.reach.after));
        lanes * self.pairs
    }

    /// Whether two levels of a picture that goes on in that way can be done at once.
    fn fits_two(&self, extension: Option<Extension>, height: usize) -> bool {
        // The low band, too, must be longer than what is read beyond it.
        let rows = 4 * (levels_reach(self.reach.before.max(self.reach.after), 2) + 1);
        extension == Some(Extension::Mirrored)
            && self.near
            && self.lanes > 1
            && self.holds_a_sub_group
            && self.pairs > 2
            && self.strip() > 0
            && height > rows
    }

    /// How many pairs of rows a segment has, where `rows` pairs of each of `strips` strips are shared out, and how
    /// many are loaded ahead.
    fn share(
        &self,
        rows: usize,
        strips: usize,
        kept: usize,
        compute_units: usize,
    ) -> (usize, usize) {
        let windows = |filling: usize, shortest: usize| {
            // Not one more than fill the device: a few that come after all others would take as long again.
            let most = compute_units * filling / strips;
            rows.div_ceil(most.clamp(1, rows.div_ceil(shortest)))
        };
        let (shortest, ahead) = (self.shortest, self.ahead);
        if self.levels == 2 {
            let filling = if self.filling == 0 { 12 } else { self.filling };
            return (windows(filling, 2), ahead);
        }
        // Turns of the loop without a result.
        let overlap = self.reach.before + self.lags.last;
        // Many more than run at once even out, as long as the overlaps do not count; next best is what runs at once.
        // Where the picture is small, fewer are faster on their way. Measured on an NVIDIA H200.
        let (windows, ahead) = match self.filling {
            0 if windows(48, shortest) >= 5 * overlap => (windows(48, shortest), self.many_ahead),
            0 if windows(12, shortest) >= 4 * overlap => (windows(12, shortest), ahead),
            0 => (windows(10, shortest), ahead),
            filling => (windows(filling, shortest), ahead),
        };
        // Turns go by whole rounds of the ring.
        let turns = |ahead: usize| (windows + overlap).next_multiple_of(ring(kept, ahead));
        let is_slow = windows < overlap && turns(ahead + 1) < turns(ahead);
        let further = self.may_go_further && is_slow;
        (windows, ahead + usize::from(further))
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

/// Pairs of the finest level that `levels` levels reach: those of the second are two of the first apart.
fn levels_reach(reach: usize, levels: usize) -> usize {
    ((1 << levels) - 1) * reach
}

/// How many pairs of rows have registers of their own: every one that is kept, whichever waits.
fn ring(kept: usize, ahead: usize) -> usize {
    kept.next_multiple_of(ahead)
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
    let vector = (16 / problem.sample.size()).max(1);
    let (near_size, far_size) = (vector.min(2 * sizes.pairs), vector.min(sizes.pairs));
    let (near, far) = if forward {
        (&arguments.from, &arguments.to)
    } else {
        (&arguments.to, &arguments.from)
    };
    let two_levels = sizes.levels == 2;
    let corner_size = if two_levels {
        far_size.min(sizes.pairs / 2)
    } else {
        far_size
    };
    let corner_is_wide = arguments.has_corner == 0 || is_wide(&arguments.corner, 1, corner_size);
    let aligned = is_wide(near, 2, near_size) && is_wide(far, 1, far_size) && corner_is_wide;

    let [height, width] = [arguments.across[0], arguments.samples].map(|n| n as usize);
    let pictures = (arguments.across[1] * arguments.across[2]) as usize;
    let planar =
        far.line.pair == 1 && (arguments.has_corner == 0 || arguments.corner.line.pair == 1);
    let wide = aligned && width % (2 * sizes.pairs) == 0;
    let extension =
        extension(problem, [height, width]).filter(|_| sizes.is_long(height.min(width)));
    if two_levels && !(wide && planar && sizes.fits_two(extension, height)) {
        return None;
    }
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

    let strips = columns.end.div_ceil(sizes.strip());
    let kept = match extension {
        Some(Extension::Held) => sizes.lags.kept.max(sizes.lags.last + 2),
        _ => sizes.lags.kept,
    };
    let (mut segments, mut ahead) = (0, sizes.ahead);
    if !rows.is_empty() && !columns.is_empty() {
        let (rows, strips) = (rows.len(), strips * pictures);
        let mut windows;
        (windows, ahead) = sizes.share(rows, strips, kept, device.compute_units);
        if two_levels {
            if windows < sizes.shortest {
                return None;
            }
            // What the last segment but one reads beyond its end is inside the picture.
            let least = 2 * sizes.reach.before.max(sizes.reach.after);
            let last = |windows: usize| rows - (rows.div_ceil(windows) - 1) * windows;
            windows = windows.next_multiple_of(2);
            while windows < rows && last(windows) < least {
                windows += 2;
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
    use crate::tuning::Tuning;
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
    fn segments_suit_the_picture() {
        let windows = |tuning, side: usize| {
            let (sizes, _) = sizes(tuning, 32, Wavelet::CDF_9_7, SampleType::F32);
            let pairs = side / 2;
            sizes
                .share(pairs, pairs.div_ceil(sizes.strip()), sizes.lags.kept, 132)
                .0
        };
        let sides = [8192, 4096, 2048, 64];
        assert_eq!(sides.map(|side| windows("", side)), [23, 24, 8, 1]);
        let two = "gpu | streamed | f32 | FILLING=2";
        assert_eq!(windows(two, 8192), 586);
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
    fn sub_groups_that_are_all_overlap_are_refused() {
        let narrow = "gpu | streamed | i32 | PAIRS=8";
        let (_, fit) = sizes(narrow, 2, Wavelet::VC2_FIDELITY, SampleType::I32);
        assert!(matches!(fit, Fit::No { why } if why.contains("overlap")));
    }
}
