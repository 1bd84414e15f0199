//! A batch of pictures as a launch takes it: how they go on beyond their border, and
//! how they are shared out.

use super::segments::{Segments, of_one_level, of_two_levels};
use super::sizes::{FEW_FRAME_PAIRS, FRAME_PAIRS, Sizes};
use crate::device::Exchange;
use crate::lifting::extension::{Extension, is_symmetric};
use crate::strategy::planning::design::group_of_sub_groups;
use crate::strategy::planning::todo::Todo;
use crate::transform::geometry::{Geometry, Side};
use crate::wavelet::Direction;

/// Samples for each compute unit, those beyond the picture included, from which on it matters that
/// strips are mostly empty.
const LARGE: usize = 84 << 10;

/// Samples of a row, up to which a pass per axis is faster: where rows go by vectors, and where
/// they do not, so that sub-groups at the border, here most of them, look for each of their
/// samples. On an NVIDIA H100, in f32 by 9/7 (i16 by 5/3), 65536 of 32 x 32 take 505 us (387), by
/// two passes 377 (234), 16384 of 64 x 64 261 (190) and 387 (226). Of 63 x 63 they take 555 (542),
/// by two passes 519 (330), 4096 of 127 x 127 312 (293) and 511 (309).
const NARROW: usize = 32;
const UNALIGNED: usize = 80;

/// A batch of pictures, and what a launch for them is specialised on.
pub(super) struct Picture<'a> {
    pub todo: &'a Todo<'a>,
    pub geometry: Geometry,
    pub levels: usize,
    pub sizes: Sizes,
    pub height: usize,
    pub width: usize,
    /// How many pictures there are.
    pub count: usize,
    /// Whether rows are aligned and of whole work-items, so that they go by vectors.
    pub wide: bool,
    /// Whether neighbours in a row of a sub-band are neighbours in memory.
    pub planar: bool,
    /// Whether rows go by vectors that have two interleaved sub-bands.
    pub interleaved: bool,
    pub extension: Option<Extension>,
    /// The pairs that no frame lifts.
    pub rows: std::ops::Range<usize>,
    pub columns: std::ops::Range<usize>,
}

impl<'a> Picture<'a> {
    pub fn new(todo: &'a Todo, geometry: Geometry, levels: usize) -> Result<Self, String> {
        let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
        let is_wide = |sizes: &Sizes| is_wide(&geometry, sizes);
        // If need be with fewer pairs.
        let choices = Sizes::choices(todo, levels);
        // Of narrow pictures the fewest that hold whole rows: on an NVIDIA H200 5/3 on i16 takes 33
        // us for 255 x 128 x 129, by more, of which most are beyond the picture, 67.
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
    pub fn share_out(&mut self, segments: &Segments) {
        let sizes = &mut self.sizes;
        if self.extension.is_some() && sizes.lanes > 1 {
            let shares = self.columns.end.div_ceil(sizes.strip) * segments.count;
            sizes.group = group_of_sub_groups(shares, sizes.lanes, sizes.group);
        }
    }

    /// Sub-groups side by side over the columns.
    pub fn strips(&self) -> usize {
        self.columns.end.div_ceil(self.sizes.strip)
    }

    /// Whether pictures are narrow, seven of eight columns of all strips are beyond them, or an
    /// eighth is frame, in arrays of which a pass per axis then takes less time. On an NVIDIA
    /// H200, in f32 by 9/7, 262144 x 16 takes 51 us, by two passes 32; 4096 of 32 x 32 by zeros
    /// take 165 us, mirrored 44.
    pub fn is_faster_by_axis(&self) -> bool {
        let pictures = self.count * self.height;
        let strips = 2 * self.strips() * self.sizes.lanes * self.sizes.pairs;
        let inner = match self.rows.is_empty() {
            true => 0,
            false => pictures * strips.max(self.width),
        };
        let samples = pictures * self.width;
        // A frame takes many times as long as strips: 2 x 699051 160 us, 3
        // x 1398101 26 without any.
        let lifted = inner + 64 * samples.saturating_sub(self.inner_samples());
        let is_narrow = self.width <= if self.wide { NARROW } else { UNALIGNED };
        (is_narrow || 8 * samples < lifted)
            && lifted > LARGE * self.todo.target.device.compute_units
    }

    pub fn segments(&self) -> Segments {
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

    /// The same where a launch does two levels: pictures that go on mirrored, in rows that go by
    /// vectors, of steps that read one neighbour on each side, and so large that the overlaps do
    /// not eat up what is gained.
    pub fn segments_of_two(&self) -> Result<Segments, String> {
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
    pub fn frames(&self) -> [usize; 2] {
        match self.extension {
            Some(_) => [0, 0],
            None => {
                [&self.columns, &self.rows].map(|inside| inside.len().div_ceil(self.frame_pairs()))
            }
        }
    }

    /// Pairs that a tile of the frame is long.
    pub fn frame_pairs(&self) -> usize {
        let pairs = self.count * (self.columns.len() + self.rows.len());
        match 2 * pairs > FRAME_PAIRS * self.todo.target.device.compute_units {
            true => FRAME_PAIRS,
            false => FEW_FRAME_PAIRS,
        }
    }

    /// All tiles of the frame of one picture, its corners included.
    pub fn tiles(&self) -> usize {
        let [x, y] = self.frames();
        if self.extension.is_some() {
            0
        } else {
            1 + x + y
        }
    }

    /// Whether the LL band of interleaved rows has an array of its own.
    pub fn low_apart(&self) -> bool {
        self.interleaved && self.geometry.has_low == 1
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
