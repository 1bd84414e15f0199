//! One launch per level for two axes: sub-groups sweep along strips of columns, both axes in registers
//! (cl/streamed/one_level.cl). Two levels of a large picture are one launch (cl/streamed/two_levels.cl). Where a picture
//! cannot simply go on beyond its border (lifting/extension.rs), other work-groups of the launch lift the border
//! (cl/streamed/frame.cl).

mod cost;
mod segments;
mod sizes;

use self::segments::{Segments, of_one_level, of_two_levels};
use self::sizes::{FRAME_PAIRS, Sizes};
use super::design::{
    Define, Kernel, Pass, Slots, can_stream, define, define_distance, group_of_sub_groups,
    loops_as_they_are,
};
use super::pixels;
use super::planner::{Offer, Taken};
use super::todo::Todo;
use super::tuning::Tunable;
use crate::device::{DeviceKind, Exchange};
use crate::lifting::extension::{Extension, is_symmetric};
use crate::transform::geometry::{Geometry, Side};
use crate::wavelet::Direction;

pub(super) const TUNABLES: &[Tunable] = &[PAIRS, PREFETCHED, FILLING, TWO_PREFETCHED, TWO_FILLING];

const PAIRS: Tunable = Tunable {
    name: "PAIRS",
    default: 4,
    candidates: &[4, 8],
    says: "pairs of columns of a work-item, rounded up to a power of two, 16 at most",
};
const PREFETCHED: Tunable = Tunable {
    name: "PREFETCHED",
    default: 2,
    candidates: &[1, 2, 3, 4],
    says: "pairs of rows that are loaded before they are needed, in pictures of many segments",
};
const FILLING: Tunable = Tunable {
    name: "FILLING",
    default: 48,
    candidates: &[12, 16, 20, 24, 32, 40, 48],
    says: "segments for each compute unit of large pictures; best is a multiple of the sub-groups that it runs at once",
};
const TWO_PREFETCHED: Tunable = Tunable {
    name: "TWO_PREFETCHED",
    default: 2,
    candidates: &[2, 3],
    says: "pairs of rows that are loaded before they are needed in launches of two levels",
};
const TWO_FILLING: Tunable = Tunable {
    name: "TWO_FILLING",
    default: 12,
    candidates: &[8, 12, 16, 24],
    says: "segments for each compute unit in launches of two levels",
};

/// Pairs of rows in the ring from which on a round of the loop is half of them. On an NVIDIA H200, VC-2's Fidelity (12) then
/// takes 0.97 (inverse 0.90) times as long, and its compiler 0.5 times; 13/7 (6) would take 1.33 times as long.
const HALF_ROUNDS: usize = 8;

/// Samples for each compute unit, those beyond the picture included, from which on it matters that strips are mostly empty.
const LARGE: usize = 84 << 10;

/// Samples of a row, up to which a pass per axis is faster: where rows go by vectors, and where they do not, so that sub-groups at the
/// border, here most of them, look for each of their samples. On an NVIDIA H100, in f32 by 9/7 (i16 by 5/3), 65536 of 32 x 32 take
/// 505 us (387), by two passes 377 (234), 16384 of 64 x 64 261 (190) and 387 (226). Of 63 x 63 they take 555 (542), by two passes
/// 519 (330), 4096 of 127 x 127 312 (293) and 511 (309).
const NARROW: usize = 32;
const UNALIGNED: usize = 80;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some(axes) = todo.picture() else {
        return Offer::no("it takes two axes of which the inner one is in one piece");
    };
    let levels = if has_two_levels(todo) { 2 } else { 1 };
    let taken = (1..=levels).rev().find_map(|levels| {
        let pass = pass(todo, axes, levels);
        (levels == 1 || pass.is_ok()).then_some((levels, pass))
    });
    let (levels, found) = taken.expect("there is an answer for one level");
    let (pass, is_empty) = match found {
        Ok(found) => found,
        Err(why) => return Offer::No { why },
    };
    let taken = Taken {
        levels,
        axes: 2,
        passes: vec![pass],
    };
    let device = todo.target.device;
    // Each work-item loading the halo itself takes five times as long as `register_block`, and much more on wider halos.
    let exchanges = taken.passes[0].kernel.way().is_some();
    match device.kind == DeviceKind::Gpu && can_stream(device) && exchanges {
        true if is_empty => Offer::Yields(taken),
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// Whether the rows of one level go sample by sample: they are not aligned, or their coefficients are apart.
pub(super) fn rows_are_no_vectors(todo: &Todo, geometry: Geometry) -> bool {
    let todo = &Todo {
        target: &todo.target.of("streamed_one_level"),
        ..*todo
    };
    Picture::new(todo, geometry, 1).is_ok_and(|picture| !picture.wide)
}

/// Whether this level and the next lift the same two axes, and nothing else.
fn has_two_levels(todo: &Todo) -> bool {
    let axes = &todo.levels[0].axes;
    let next = todo.levels.get(1);
    todo.done == 0 && axes.len() == 2 && next.is_some_and(|next| next.axes == *axes)
}

/// The launch for one level or two, and whether most of what its work-items could lift is beyond the picture; or why there
/// is none.
fn pass(todo: &Todo, [y, x]: [usize; 2], levels: usize) -> Result<(Pass, bool), String> {
    let (name, file) = match levels {
        1 => ("streamed_one_level", "streamed/one_level.cl"),
        _ => ("streamed_two_levels", "streamed/two_levels.cl"),
    };
    let todo = &Todo {
        target: &todo.target.of(name),
        ..*todo
    };
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(levels, 2).pictures(y, x)
    };
    let mut picture = Picture::new(todo, geometry, levels)?;
    let segments = match levels {
        1 => picture.segments(),
        _ => picture.segments_of_two()?,
    };
    picture.share_out(&segments);
    let frames = picture.frames();
    let own = vec![
        ("strips", picture.strips() as i32),
        ("segments", segments.count as i32),
        ("pairs_per_segment", segments.pairs as i32),
        ("bottom_up", segments.bottom_up),
        ("left", picture.columns.start as i32),
        ("right", picture.columns.end as i32),
        ("top", picture.rows.start as i32),
        ("bottom", picture.rows.end as i32),
        ("frame_x", frames[0] as i32),
        ("frame_y", frames[1] as i32),
    ];
    let sub_groups = picture.sizes.group / picture.sizes.lanes;
    let groups = (picture.strips() * segments.count).div_ceil(sub_groups);
    let pass = Pass {
        kernel: Kernel {
            name,
            file,
            defines: picture.defines(&segments),
            group: [picture.sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own,
        groups: (groups + picture.tiles()) * picture.count,
        cost: picture.cost(&segments),
    };
    Ok((pass, picture.is_faster_by_axis()))
}

/// A batch of pictures, and what a launch for them is specialised on.
struct Picture<'a> {
    todo: &'a Todo<'a>,
    geometry: Geometry,
    levels: usize,
    sizes: Sizes,
    height: usize,
    width: usize,
    /// How many pictures there are.
    count: usize,
    /// Whether rows are aligned and of whole work-items, so that they go by vectors.
    wide: bool,
    /// Whether neighbours in a row of a sub-band are neighbours in memory.
    planar: bool,
    /// Whether rows go by vectors that have two interleaved sub-bands.
    interleaved: bool,
    extension: Option<Extension>,
    /// The pairs that no frame lifts.
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl<'a> Picture<'a> {
    fn new(todo: &'a Todo, geometry: Geometry, levels: usize) -> Result<Self, String> {
        let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
        let is_wide = |sizes: &Sizes| is_wide(&geometry, sizes);
        // If need be with fewer pairs.
        let choices = Sizes::choices(todo, levels);
        // Of narrow pictures the fewest that hold whole rows: on an NVIDIA H200 5/3 on i16 takes 33 us for 255 x 128 x 129, by
        // more, of which most are beyond the picture, 67.
        let holds = |sizes: &&Sizes| width <= 2 * sizes.strip;
        let narrow = || choices.iter().rev().filter(holds);
        let mut sizes = narrow()
            .chain(&choices)
            .find(|sizes| is_wide(sizes))
            .or(narrow().next())
            .unwrap_or(&choices[0])
            .clone();
        sizes.check(todo)?;
        let wide = is_wide(&sizes);
        let is_dense = |side: &Side| side.line.stride == 1;
        let planar = geometry.band_sides().all(is_dense);
        let interleaved = wide && geometry.bands.line.stride == 2;
        let reach = sizes.reach.before.max(sizes.reach.after);
        // A mirror image is mirrored again; others go on from what is there.
        let extension = extension(todo, [height, width]).filter(|way| match way {
            Extension::Mirrored => height > reach && width > 2 * (reach + 1),
            _ => height.min(width) > 2 * (reach + 1),
        });
        let count = (geometry.across[1] * geometry.across[2]) as usize;
        let mirrors = wide && matches!(extension, Some(Extension::Mirrored | Extension::Clamped));
        if levels == 1 && mirrors && count > 1 && width > 2 * sizes.strip {
            sizes.hold_rows_of(width);
        }
        let (rows, columns) = match extension {
            Some(_) => (0..height.div_ceil(2), 0..width.div_ceil(2)),
            None => (sizes.reach.inner(height), sizes.inner_columns(width, wide)),
        };
        Ok(Picture {
            todo,
            geometry,
            levels,
            sizes,
            height,
            width,
            count,
            wide,
            planar,
            interleaved,
            extension,
            rows,
            columns,
        })
    }

    /// Makes work-groups as large as the shares of a picture are many. Those of a frame are whole.
    fn share_out(&mut self, segments: &Segments) {
        let sizes = &mut self.sizes;
        if self.extension.is_some() && sizes.lanes > 1 {
            let shares = self.columns.end.div_ceil(sizes.strip) * segments.count;
            sizes.group = group_of_sub_groups(shares, sizes.lanes, sizes.group);
        }
    }

    /// Sub-groups side by side over the columns.
    fn strips(&self) -> usize {
        self.columns.end.div_ceil(self.sizes.strip)
    }

    /// Whether pictures are narrow, seven of eight columns of all strips are beyond them, or an eighth is frame, in arrays of which
    /// a pass per axis then takes less time. On an NVIDIA H200, in f32 by 9/7, 262144 x 16 takes 51 us, by two passes 32; 4096 of
    /// 32 x 32 by zeros take 165 us, mirrored 44.
    fn is_faster_by_axis(&self) -> bool {
        let pictures = self.count * self.height;
        let strips = 2 * self.strips() * self.sizes.lanes * self.sizes.pairs;
        let inner = match self.rows.is_empty() {
            true => 0,
            false => pictures * strips.max(self.width),
        };
        let samples = pictures * self.width;
        // A frame takes many times as long as strips: 2 x 699051 160 us, 3 x 1398101 26 without any.
        let lifted = inner + 64 * samples.saturating_sub(self.inner_samples());
        let is_narrow = self.width <= if self.wide { NARROW } else { UNALIGNED };
        (is_narrow || 8 * samples < lifted)
            && lifted > LARGE * self.todo.target.device.compute_units
    }

    fn segments(&self) -> Segments {
        if self.rows.is_empty() || self.columns.is_empty() {
            return Segments::none(&self.sizes);
        }
        let strips = self.strips() * self.count;
        let (rows, compute_units) = (self.rows.len(), self.todo.target.device.compute_units);
        // Only the outermost segments may read beyond the border where rows are clamped.
        let least = match self.extension {
            Some(Extension::Clamped) => self.sizes.reach.before.max(self.sizes.reach.after) + 1,
            _ => 1,
        };
        let symmetric = is_symmetric(
            self.todo.problem.transform.wavelet(),
            self.todo.problem.sample,
        );
        let turns = symmetric && !matches!(self.extension, None | Some(Extension::Periodic));
        of_one_level(&self.sizes, [rows, strips], compute_units, least, turns)
    }

    /// The same where a launch does two levels: pictures that go on mirrored, in rows that go by vectors, of steps that
    /// read one neighbour on each side, and so large that the overlaps do not eat up what is gained.
    fn segments_of_two(&self) -> Result<Segments, String> {
        let (sizes, device) = (&self.sizes, self.todo.target.device);
        let reach = sizes.reach.before.max(sizes.reach.after);
        let fits = self.wide
            && sizes.near
            && sizes.two_levels_fit_registers(self.todo)
            && self.extension == Some(Extension::Mirrored)
            && device.exchange != Exchange::None
            && (!self.interleaved || sizes.delayed_bytes(self.todo) <= device.local_memory)
            // The low band, too, must be longer than what is read beyond it.
            && self.height > 4 * (3 * reach + 1);
        let strips = self.strips() * self.count;
        let segments =
            fits.then(|| of_two_levels(sizes, [self.rows.len(), strips], device.compute_units));
        let forward = self.todo.problem.direction == Direction::Forward;
        let segments = segments
            .flatten()
            .map(|segments| segments.with_last(forward));
        segments.ok_or_else(|| "two levels at once gain nothing here".to_owned())
    }

    /// Tiles of the frame along the top and bottom, and along the left and right edge.
    fn frames(&self) -> [usize; 2] {
        match self.extension {
            Some(_) => [0, 0],
            None => [&self.columns, &self.rows].map(|inside| inside.len().div_ceil(FRAME_PAIRS)),
        }
    }

    /// All tiles of the frame of one picture, its corners included.
    fn tiles(&self) -> usize {
        let [x, y] = self.frames();
        if self.extension.is_some() {
            0
        } else {
            1 + x + y
        }
    }

    /// Whether the LL band of interleaved rows has an array of its own.
    fn low_apart(&self) -> bool {
        self.interleaved && self.geometry.has_low == 1
    }

    /// Whether the distances between the samples of a picture fit 32 bits, those of the columns past it included that the
    /// last sub-group has. CPUs without exchange keep the general way under test.
    fn fits_32_bits(&self) -> bool {
        let sizes = &self.sizes;
        sizes.lanes > 1 && self.geometry.fits_32_bits(2, 2 * sizes.lanes * sizes.pairs)
    }

    fn defines(&self, segments: &Segments) -> Vec<Define> {
        let sizes = &self.sizes;
        let kept = self.sizes.lags.kept;
        let halves = kept >= HALF_ROUNDS;
        let unit = if halves { 2 } else { 1 } * segments.prefetched;
        let ring = kept.next_multiple_of(unit);
        let round = if halves { ring / 2 } else { ring };
        // CPUs without exchange keep the general way under test.
        let exchanges = sizes.lanes > 1;
        let newest = match sizes.crowded || !exchanges {
            true => sizes.lags.newest,
            false => [0, 0],
        };
        let [signal_vector, band_vector, coarse_vector, both_vector] = sizes.vectors;
        let mut defines = vec![
            define("EXCHANGE", self.todo.target.device.exchange.number()),
            define("LANES", sizes.lanes),
            define("GROUP", sizes.group),
            define("PAIRS", sizes.pairs),
            define("HALO_LO", sizes.halo[0]),
            define("HALO_HI", sizes.halo[1]),
            define("OVERLAP_LO", sizes.overlap[0]),
            define("STRIP", sizes.strip),
            define("PREFETCHED", segments.prefetched),
            define("NEWEST_s", newest[0]),
            define("NEWEST_d", newest[1]),
            define("RING", ring),
            define("ROUND", round),
            define("SIGNAL_VECTOR", signal_vector),
            define(
                "BAND_VECTOR",
                if self.interleaved {
                    both_vector
                } else {
                    band_vector
                },
            ),
            define("X_FIRST", u8::from(self.todo.x_first())),
            define("WIDE", u8::from(self.wide)),
            define("BY_WORDS", u8::from(self.wide && exchanges)),
            define("PLANAR", u8::from(self.planar && (self.wide || exchanges))),
            define("INTERLEAVED", u8::from(self.interleaved)),
            define("LOW_APART", u8::from(self.low_apart())),
            define("EXTENSION", self.extension.map_or(0, |way| way as usize)),
            define("SINGLE", u8::from(self.count == 1 && exchanges)),
            define("PRE_SHIFT", self.todo.pre_shift()),
            define_distance(self.fits_32_bits()),
        ];
        defines.extend(loops_as_they_are(self.todo.target.device));
        defines.extend(pixels::defines(self.todo.pixels()));
        if self.levels == 2 {
            defines.push(define("COARSE_VECTOR", coarse_vector));
            defines.push(define("DELAYED_ROWS", sizes.delayed_rows()));
        }
        if self.extension.is_none() {
            defines.extend([
                define("BORDER_X", sizes.border_x(self.wide)),
                define("BORDER_Y", sizes.reach.border()),
                define("FRAME_PAIRS", FRAME_PAIRS),
                define("FRAME_TILE", sizes.frame_tile),
            ]);
        }
        defines
    }
}

/// How both axes of a picture have to go on for the boundary rule, if there is such a way.
fn extension(todo: &Todo, sides: [usize; 2]) -> Option<Extension> {
    let transform = &todo.problem.transform;
    let [y, x] = sides.map(|samples| {
        Extension::new(
            transform.wavelet(),
            todo.problem.sample,
            transform.boundary_rule(),
            samples,
        )
    });
    x.filter(|_| x == y)
}

/// Whether every row of every array can go by vectors.
fn is_wide(geometry: &Geometry, sizes: &Sizes) -> bool {
    let [signal, band, coarse, both] = sizes.vectors;
    let interleaved = geometry.rows_lie_alike()
        && geometry.bands.is_aligned(2, both)
        && geometry.lows_lie_alike();
    (geometry.samples as usize).is_multiple_of(2 * sizes.pairs)
        && geometry.signal.is_aligned(2, signal)
        && (geometry.bands.is_aligned(1, band) || interleaved)
        && (geometry.has_low == 0 || geometry.low.is_aligned(1, coarse))
}

/// Samples of such a size in the vectors by which rows go: at most 16 bytes.
fn vector(size: usize, samples: usize) -> usize {
    (16 / size).clamp(1, samples)
}

#[cfg(test)]
mod tests;
